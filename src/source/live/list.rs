//! All objects of one kind, page by page.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeSeed as _;
use serde_json::Value;
use serde_json::value::RawValue;

use super::api::{Api, JSON, ReadError};
use super::continuation::Continuation;
use super::freshness::Freshness;
use super::page::{Make, PageSink};
use crate::model::body::{Keep, Shape, Want};
use crate::model::kind::ResourceKind;
use crate::model::metadata::Metadata;
use crate::model::request_path::RequestPath;
use crate::model::resource::Resource;
use crate::model::seed::{ResourceSeed, broken_promise};
use crate::model::state::Unreadable;

/// Objects a page, kubectl's own chunk size.
const PAGE: u32 = 500;
/// How often a list whose `continue` token expired is begun anew.
const RESTARTS: usize = 2;

/// What a LIST brought.
#[derive(Default)]
pub(crate) struct Listed {
    /// The objects.
    pub(crate) resources: Vec<Resource>,
    /// Objects that could not be decoded, one by one.
    pub(crate) broken: Vec<Unreadable>,
    /// Why it is not complete.
    pub(crate) error: Option<ReadError>,
    /// The version of the collection, from which a watch goes on.
    pub(crate) resource_version: String,
}

/// Which objects of a kind.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Part<'a> {
    /// Those of one namespace.
    pub(crate) namespace: Option<&'a str>,
    /// Those of one name.
    pub(crate) name: Option<&'a str>,
}

impl Part<'_> {
    fn field_selector(self, shape: Shape) -> Option<String> {
        let name = self.name.map(|name| format!("metadata.name={name}"));
        let both: Vec<String> = name.into_iter().chain(shape.field_selector()).collect();
        (!both.is_empty()).then(|| both.join(","))
    }
}

/// Lists a kind. A kind that went away since discovery has no objects. What was read before an error is kept.
pub(crate) async fn list(
    api: &Api,
    kind: &Arc<ResourceKind>,
    want: Want,
    part: Part<'_>,
    freshness: &Freshness,
) -> Listed {
    let mut objects = Vec::new();
    let mut make = |object: &[u8]| decode(object, kind, want);
    let read = pages(api, kind, (want, PAGE), part, freshness, (&mut objects, &mut make)).await;
    let mut listed = Listed::default();
    match read {
        Ok(version) => listed.resource_version = version,
        Err(error) => listed.error = Some(error),
    }
    // In place: it is not there twice.
    let whole = objects.into_iter().filter_map(|object| object.map_err(|broken| listed.broken.push(broken)).ok());
    listed.resources = whole.collect();
    listed.resources.shrink_to_fit();
    listed
}

/// Goes through a kind page by page, so many objects each, and makes something of each object. A kind that went away since
/// discovery has none. Returns the version of the collection; what was made before an error is kept.
pub(crate) async fn pages<T: Send>(
    api: &Api,
    kind: &Arc<ResourceKind>,
    (want, size): (Want, u32),
    part: Part<'_>,
    freshness: &Freshness,
    (objects, make): (&mut Vec<T>, &mut Make<'_, T>),
) -> Result<String, ReadError> {
    let mut continue_token: Option<String> = None;
    let mut restarts = 0;
    let mut continuation = Continuation::default();
    // The server said that it does not get to where it was asked to be.
    let mut knows_better = false;
    loop {
        let start = match &continue_token {
            Some(token) => Start::Token(token),
            None => freshness.floor(kind).map_or(Start::Newest, Start::NotOlderThan),
        };
        let path = page_path(kind, (want, size), part, start);
        let before = objects.len();
        let mut sink = PageSink::new(objects, make);
        let answer = api.get_into(&path, accept(want.shape), &mut sink).await.and_then(|()| sink.finish());
        if answer.is_err() {
            objects.truncate(before);
        }
        let page = match answer {
            Ok(page) => page,
            Err(ReadError::Expired) if restarts < RESTARTS => {
                restarts += 1;
                continue_token = None;
                continuation = Continuation::default();
                objects.clear();
                continue;
            }
            Err(ReadError::Behind) if !knows_better => {
                knows_better = true;
                freshness.give_up();
                continue;
            }
            Err(ReadError::NotFound) => return Ok(String::new()),
            Err(error) => return Err(error),
        };
        match page.continue_token.filter(|token| !token.is_empty()) {
            Some(token) => {
                continuation.follow(&token)?;
                continue_token = Some(token);
            }
            None => {
                freshness.learn(kind, &page.resource_version);
                return Ok(page.resource_version);
            }
        }
    }
}

/// The objects of a kind that have a name: one in a namespace, any number in all.
pub(crate) async fn list_named(
    api: &Api,
    kind: &Arc<ResourceKind>,
    shape: Shape,
    namespace: Option<&str>,
    name: &str,
) -> Result<Vec<Resource>, ReadError> {
    let path = kind.path(namespace).with("fieldSelector", &format!("metadata.name={name}"));
    let mut objects = Vec::new();
    let mut make = |object: &[u8]| decode(object, kind, Want::all(shape));
    let mut sink = PageSink::new(&mut objects, &mut make);
    api.get_into(&path, accept(shape), &mut sink).await?;
    sink.finish()?;
    let objects: Result<_, Unreadable> = objects.into_iter().collect();
    objects.map_err(|broken| ReadError::Malformed(broken.reason))
}

/// Where a page begins.
#[derive(Clone, Copy)]
enum Start<'a> {
    /// At the beginning of the newest state.
    Newest,
    /// At the beginning of a state that is not older than a version.
    NotOlderThan(&'a str),
    /// Where the page before ended.
    Token(&'a str),
}

/// Servers that cannot send metadata alone send all of it.
const METADATA: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

/// The same of one object.
const METADATA_EVENT: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

fn accept(shape: Shape) -> &'static str {
    if shape == Shape::Metadata { METADATA } else { JSON }
}

fn page_path(kind: &ResourceKind, (want, size): (Want, u32), part: Part<'_>, start: Start<'_>) -> RequestPath {
    let page = selected(kind, want, part).with("limit", &size.to_string());
    match start {
        Start::Newest => page,
        Start::NotOlderThan(version) => {
            page.with("resourceVersion", version).with("resourceVersionMatch", "NotOlderThan")
        }
        Start::Token(token) => page.with("continue", token),
    }
}

fn selected(kind: &ResourceKind, want: Want, part: Part<'_>) -> RequestPath {
    let fields = part.field_selector(want.shape);
    let collection = kind.path(want.within(part.namespace));
    collection.with_some("labelSelector", want.selector).with_some("fieldSelector", fields.as_deref())
}

/// The path that goes on from a LIST of this version.
pub(crate) fn watch_path(kind: &ResourceKind, want: Want, part: Part<'_>, version: &str) -> RequestPath {
    let watch = selected(kind, want, part).with("watch", "true").with("timeoutSeconds", "290");
    watch.with("allowWatchBookmarks", "true").with("resourceVersion", version)
}

/// The form in which the events of a watch are sent.
pub(crate) fn watch_accept(shape: Shape) -> &'static str {
    if shape == Shape::Metadata { METADATA_EVENT } else { JSON }
}

/// Decodes an object. Where it is not what its kind promises, it alone is lost; where it is no JSON, the page is.
fn decode(object: &[u8], kind: &Arc<ResourceKind>, want: Want) -> Result<Result<Resource, Unreadable>, ReadError> {
    let seed = ResourceSeed { kind, shape: want.shape };
    let mut text = serde_json::Deserializer::from_slice(object);
    match seed.deserialize(&mut text).and_then(|resource| text.end().map(|()| resource)) {
        Ok(resource) => Ok(Ok(resource.with_whole(whole(object, kind, want)))),
        Err(error) if serde_json::from_slice::<&RawValue>(object).is_err() => {
            Err(ReadError::Malformed(error.to_string()))
        }
        Err(error) => Ok(Err(Unreadable {
            what: format!("{} {}", kind.qualified_plural(), name_of(object)),
            reason: broken_promise(&error),
        })),
    }
}

/// The whole object; an item of a list may leave out what the list says.
fn whole(object: &[u8], kind: &ResourceKind, want: Want) -> Option<Arc<Value>> {
    if want.keep == Keep::Narrow {
        return None;
    }
    let mut object: Value = serde_json::from_slice(object).ok()?;
    let fields = object.as_object_mut()?;
    fields.entry("apiVersion").or_insert_with(|| kind.api_version().into());
    fields.entry("kind").or_insert_with(|| kind.kind.clone().into());
    Some(Arc::new(object))
}

fn name_of(object: &[u8]) -> String {
    #[derive(Deserialize)]
    struct Named {
        metadata: Metadata,
    }
    serde_json::from_slice::<Named>(object)
        .map_or_else(|_| "without a readable name".to_owned(), |named| named.metadata.name)
}
