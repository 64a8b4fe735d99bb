//! All objects of one kind, page by page.

use std::fmt;
use std::sync::Arc;

use kube::api::{ListParams, VersionMatch, WatchParams};
use kube::core::{Request, request};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::api::{Api, JSON, ReadError};
use super::freshness::Freshness;
use crate::model::body::{Keep, Shape, Want};
use crate::model::kind::ResourceKind;
use crate::model::metadata::Metadata;
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
    let mut listed = Listed::default();
    let turned = pages(api, kind, (want, PAGE), part, freshness, |turn| match turn {
        Turn::Again => {
            listed.resources.clear();
            listed.broken.clear();
            Ok(PageMetadata::default())
        }
        Turn::Page(body) => {
            let page = decode(body, kind, want)?;
            listed.resources.extend(page.resources);
            listed.broken.extend(page.broken);
            listed.resource_version.clone_from(&page.metadata.resource_version);
            Ok(page.metadata)
        }
    });
    let turned = turned.await;
    listed.error = turned.err();
    listed
}

/// What comes next of a list.
pub(crate) enum Turn<'a> {
    /// A page, as the server sent it.
    Page(&'a [u8]),
    /// The list begins anew: what came so far is void.
    Again,
}

/// Goes through a kind page by page, so many objects each. A kind that went away since discovery has none.
pub(crate) async fn pages(
    api: &Api,
    kind: &Arc<ResourceKind>,
    (want, size): (Want, u32),
    part: Part<'_>,
    freshness: &Freshness,
    mut take: impl FnMut(Turn<'_>) -> Result<PageMetadata, ReadError>,
) -> Result<(), ReadError> {
    let mut continue_token: Option<String> = None;
    let mut restarts = 0;
    // The server said that it does not get to where it was asked to be.
    let mut knows_better = false;
    loop {
        let start = match &continue_token {
            Some(token) => Start::Token(token),
            None => freshness.floor(kind).map_or(Start::Newest, Start::NotOlderThan),
        };
        let answer = match page_path(kind, (want, size), part, start) {
            Ok(path) => api.get(&path, accept(want.shape)).await,
            Err(error) => Err(error),
        };
        let page = match answer.and_then(|body| take(Turn::Page(&body))) {
            Ok(page) => page,
            Err(ReadError::Expired) if restarts < RESTARTS => {
                restarts += 1;
                continue_token = None;
                take(Turn::Again)?;
                continue;
            }
            Err(ReadError::Behind) if !knows_better => {
                knows_better = true;
                freshness.give_up();
                continue;
            }
            Err(ReadError::NotFound) => return Ok(()),
            Err(error) => return Err(error),
        };
        match page.continue_token.filter(|token| !token.is_empty()) {
            Some(token) => continue_token = Some(token),
            None => {
                freshness.learn(kind, &page.resource_version);
                return Ok(());
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
    let parameters = ListParams::default().fields(&format!("metadata.name={name}"));
    let path = path_of(Request::new(kind.path(namespace)).list(&parameters))?;
    let body = api.get(&path, accept(shape)).await?;
    let page = decode(&body, kind, Want::all(shape))?;
    match page.broken.into_iter().next() {
        Some(broken) => Err(ReadError::Malformed(broken.reason)),
        None => Ok(page.resources),
    }
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

fn page_path(
    kind: &ResourceKind,
    (want, size): (Want, u32),
    part: Part<'_>,
    start: Start<'_>,
) -> Result<String, ReadError> {
    let mut parameters = ListParams::default().limit(size);
    match start {
        Start::Newest => {}
        Start::NotOlderThan(version) => parameters = parameters.matching(VersionMatch::NotOlderThan).at(version),
        Start::Token(token) => parameters = parameters.continue_token(token),
    }
    parameters.label_selector = want.selector.map(str::to_owned);
    parameters.field_selector = part.field_selector(want.shape);
    path_of(Request::new(kind.path(want.within(part.namespace))).list(&parameters))
}

/// The path that goes on from a LIST of this version.
pub(crate) fn watch_path(kind: &ResourceKind, want: Want, part: Part<'_>, version: &str) -> Result<String, ReadError> {
    let mut parameters = WatchParams::default().timeout(290);
    parameters.label_selector = want.selector.map(str::to_owned);
    parameters.field_selector = part.field_selector(want.shape);
    path_of(Request::new(kind.path(want.within(part.namespace))).watch(&parameters, version))
}

/// The form in which the events of a watch are sent.
pub(crate) fn watch_accept(shape: Shape) -> &'static str {
    if shape == Shape::Metadata { METADATA_EVENT } else { JSON }
}

fn path_of(request: Result<http::Request<Vec<u8>>, request::Error>) -> Result<String, ReadError> {
    request.map(|request| request.uri().to_string()).map_err(|error| ReadError::Malformed(error.to_string()))
}

/// One page of a list, decoded.
#[derive(Default)]
struct Page {
    resources: Vec<Resource>,
    broken: Vec<Unreadable>,
    metadata: PageMetadata,
}

/// Decodes a page in one pass. Where one object is not what its kind promises, that object alone is lost.
fn decode(body: &[u8], kind: &Arc<ResourceKind>, want: Want) -> Result<Page, ReadError> {
    if want.keep == Keep::Whole {
        return decode_one_by_one(body, kind, want);
    }
    let seed = ResourceSeed { kind, shape: want.shape };
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    PageSeed(seed).deserialize(&mut deserializer).or_else(|_| decode_one_by_one(body, kind, want))
}

fn decode_one_by_one(body: &[u8], kind: &Arc<ResourceKind>, want: Want) -> Result<Page, ReadError> {
    #[derive(Deserialize)]
    struct RawPage<'body> {
        #[serde(default)]
        metadata: PageMetadata,
        #[serde(borrow)]
        items: Vec<&'body RawValue>,
    }
    let raw: RawPage<'_> = serde_json::from_slice(body).map_err(|error| ReadError::Malformed(error.to_string()))?;
    let mut page = Page { metadata: raw.metadata, ..Page::default() };
    for item in raw.items {
        let seed = ResourceSeed { kind, shape: want.shape };
        match seed.deserialize(&mut serde_json::Deserializer::from_str(item.get())) {
            Ok(resource) => page.resources.push(Resource { whole: whole(item, kind, want), ..resource }),
            Err(error) => page.broken.push(Unreadable {
                what: format!("{} {}", kind.qualified_plural(), name_of(item.get())),
                reason: broken_promise(&error),
            }),
        }
    }
    Ok(page)
}

/// The whole object; an item of a list may leave out what the list says.
fn whole(item: &RawValue, kind: &ResourceKind, want: Want) -> Option<Arc<Value>> {
    if want.keep == Keep::Narrow {
        return None;
    }
    let mut object: Value = serde_json::from_str(item.get()).ok()?;
    let fields = object.as_object_mut()?;
    fields.entry("apiVersion").or_insert_with(|| kind.api_version().into());
    fields.entry("kind").or_insert_with(|| kind.kind.clone().into());
    Some(Arc::new(object))
}

fn name_of(object: &str) -> String {
    #[derive(Deserialize)]
    struct Named {
        metadata: Metadata,
    }
    serde_json::from_str::<Named>(object)
        .map_or_else(|_| "without a readable name".to_owned(), |named| named.metadata.name)
}

/// The part of `metav1.ListMeta` that paging and watching need.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PageMetadata {
    #[serde(rename = "continue")]
    continue_token: Option<String>,
    resource_version: String,
}

struct PageSeed<'kind>(ResourceSeed<'kind>);

impl<'de> DeserializeSeed<'de> for PageSeed<'_> {
    type Value = Page;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Page, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for PageSeed<'_> {
    type Value = Page;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Page, M::Error> {
        let mut page = Page::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "metadata" => page.metadata = map.next_value()?,
                "items" => page.resources = map.next_value_seed(ItemsSeed(self.0.clone()))?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(page)
    }
}

struct ItemsSeed<'kind>(ResourceSeed<'kind>);

impl<'de> DeserializeSeed<'de> for ItemsSeed<'_> {
    type Value = Vec<Resource>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Resource>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ItemsSeed<'_> {
    type Value = Vec<Resource>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("objects")
    }

    fn visit_unit<E>(self) -> Result<Vec<Resource>, E> {
        Ok(Vec::new())
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<Vec<Resource>, S::Error> {
        let mut resources = Vec::new();
        while let Some(resource) = items.next_element_seed(self.0.clone())? {
            resources.push(resource);
        }
        Ok(resources)
    }
}
