//! Lists all objects of one kind, page by page.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeSeed as _;
use serde_json::Value;
use serde_json::value::RawValue;

use super::api::{Api, JSON, OBJECT_METADATA, ReadError};
use super::continuation::{Continuation, ListTotal, PageSize};
use super::freshness::Freshness;
use super::page::{ConvertObject, PageSink};
use super::removal::is_removed;
use ucp_core::model::body::{BodyShape, KeepAmount, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::metadata::Metadata;
use ucp_core::model::request_path::RequestPath;
use ucp_core::model::resource::Resource;
use ucp_core::model::seed::{ResourceSeed, describe_decode_error};
use ucp_core::model::shell::is_possible_name;
use ucp_core::model::state::Unreadable;
use ucp_core::model::trace::ObjectTrace;
use ucp_core::model::weight::{KeptWeight, Overweight, from_json, weight_of};

/// Objects per page, kubectl's own chunk size.
const PAGE: u32 = 500;
/// Objects of a list that are reported each because they cannot be decoded.
const MOST_BROKEN: usize = 10_000;
/// Restarts of a list after its `continue` token expired.
const RESTARTS: usize = 2;

/// The result of a LIST.
#[derive(Default)]
pub struct ListResult {
    /// The decoded objects.
    pub resources: Vec<Resource>,
    /// Objects that could not be decoded.
    pub broken: Vec<Unreadable>,
    /// The reason why the list is incomplete, if it is.
    pub error: Option<ReadError>,
    /// The resource version of the list, from which a watch continues.
    pub resource_version: String,
}

/// The objects of a kind to select.
#[derive(Debug, Clone, Copy, Default)]
pub struct ListScope<'a> {
    /// Restriction to one namespace.
    pub namespace: Option<&'a str>,
    /// Restriction to one name.
    pub name: Option<&'a str>,
}

impl ListScope<'_> {
    fn field_selector(self, shape: BodyShape) -> Option<String> {
        let name = self.name.map(|name| format!("metadata.name={name}"));
        let both: Vec<String> = name.into_iter().chain(shape.field_selector()).collect();
        (!both.is_empty()).then(|| both.join(","))
    }
}

/// Lists a kind. A kind that was removed after discovery has no objects; one that the server still serves was not read if its
/// list is not found. Objects that were read before an error are kept.
pub async fn list(
    api: &Api,
    kind: &Arc<ResourceKind>,
    want: KindRequest,
    part: ListScope<'_>,
    freshness: &Freshness,
) -> ListResult {
    let mut objects = Vec::new();
    let mut broken = 0;
    let mut make = |object: &[u8]| {
        let decoded = decode(object, kind, want)?;
        broken += usize::from(decoded.is_err());
        match broken > MOST_BROKEN {
            true => Err(ReadError::Malformed(format!("more than {MOST_BROKEN} objects of the list cannot be decoded"))),
            false => Ok(decoded),
        }
    };
    let read = pages(api, kind, (want, PAGE), part, freshness, (&mut objects, &mut make)).await;
    let mut listed = ListResult::default();
    match read {
        Ok(version) => listed.resource_version = version,
        Err(error) => listed.error = Some(error),
    }
    // Converted in place, to hold the objects in memory only once.
    let whole = objects.into_iter().filter_map(|object| object.map_err(|broken| listed.broken.push(broken)).ok());
    listed.resources = whole.collect();
    listed.resources.shrink_to_fit();
    listed
}

/// Lists a kind in pages of `size`, and converts each object with `make`. A kind that was removed after discovery has
/// no objects. Returns the resource version of the list; objects from before an error are kept.
pub(crate) async fn pages<T: Send>(
    api: &Api,
    kind: &Arc<ResourceKind>,
    (want, size): (KindRequest, u32),
    part: ListScope<'_>,
    freshness: &Freshness,
    (objects, make): (&mut Vec<T>, &mut ConvertObject<'_, T>),
) -> Result<String, ReadError> {
    let mut continue_token: Option<String> = None;
    let mut restarts = 0;
    let mut continuation = Continuation::new(ListTotal::Streamed);
    // True once the server reported that it cannot reach the requested version.
    let mut knows_better = false;
    loop {
        let start = match &continue_token {
            Some(token) => PageStart::Token(token),
            None => freshness.min_version(kind).map_or(PageStart::Newest, PageStart::NotOlderThan),
        };
        let path = page_path(kind, (want, size), part, start);
        let before = objects.len();
        let mut sink = PageSink::new(objects, make);
        let answer = api.get_into(&path, accept(want.shape), &mut sink).await.and_then(|()| sink.finish());
        let bytes = sink.bytes();
        if answer.is_err() {
            objects.truncate(before);
        }
        let page = match answer {
            Ok(page) => page,
            Err(ReadError::Expired) if restarts < RESTARTS => {
                restarts += 1;
                continue_token = None;
                continuation = Continuation::new(ListTotal::Streamed);
                objects.clear();
                continue;
            }
            Err(ReadError::Behind) if !knows_better => {
                knows_better = true;
                freshness.give_up();
                continue;
            }
            Err(ReadError::NotServed) if before == 0 && is_removed(api, kind).await? => return Ok(String::new()),
            Err(error) => return Err(error),
        };
        continuation.add(PageSize { objects: objects.len() - before, bytes })?;
        match page.next_page(kind)? {
            Some(token) => {
                continuation.follow(token)?;
                continue_token = Some(token.to_owned());
            }
            None => {
                freshness.record_version(kind, &page.resource_version);
                return Ok(page.resource_version);
            }
        }
    }
}

/// Lists the objects of a kind with a name: at most one in a namespace, any number in all namespaces; none if the kind was
/// removed after discovery.
pub(crate) async fn list_named(
    api: &Api,
    kind: &Arc<ResourceKind>,
    want: KindRequest,
    namespace: Option<&str>,
    name: &str,
) -> Result<Vec<Resource>, ReadError> {
    let path = kind.path(namespace).with_query("fieldSelector", &format!("metadata.name={name}"));
    let mut objects = Vec::new();
    // Health rules are applied to lists only.
    let want = KindRequest { keep: KeepAmount::Narrow, ..want };
    let mut make = |object: &[u8]| decode(object, kind, want);
    let mut sink = PageSink::new(&mut objects, &mut make);
    match api.get_into(&path, accept(want.shape), &mut sink).await {
        Err(ReadError::NotServed) if is_removed(api, kind).await? => return Ok(Vec::new()),
        answer => answer?,
    }
    if sink.finish()?.next_page(kind)?.is_some() {
        return Err(ReadError::Malformed("a list without a limit was sent in pages".to_owned()));
    }
    let objects: Result<_, Unreadable> = objects.into_iter().collect();
    objects.map_err(|broken| ReadError::Malformed(broken.reason))
}

/// The start of a page.
#[derive(Clone, Copy)]
enum PageStart<'a> {
    /// The beginning of the newest state.
    Newest,
    /// The beginning of a state that is not older than a version.
    NotOlderThan(&'a str),
    /// The end of the previous page.
    Token(&'a str),
}

/// Servers that cannot send metadata only fall back to whole objects.
const METADATA: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

fn accept(shape: BodyShape) -> &'static str {
    if shape == BodyShape::Metadata { METADATA } else { JSON }
}

fn page_path(
    kind: &ResourceKind,
    (want, size): (KindRequest, u32),
    part: ListScope<'_>,
    start: PageStart<'_>,
) -> RequestPath {
    let page = selected(kind, want, part).with_query("limit", &size.to_string());
    match start {
        PageStart::Newest => page,
        PageStart::NotOlderThan(version) => {
            page.with_query("resourceVersion", version).with_query("resourceVersionMatch", "NotOlderThan")
        }
        PageStart::Token(token) => page.with_query("continue", token),
    }
}

fn selected(kind: &ResourceKind, want: KindRequest, part: ListScope<'_>) -> RequestPath {
    let fields = part.field_selector(want.shape);
    let collection = kind.path(want.within(part.namespace));
    collection
        .with_optional_query("labelSelector", want.selector)
        .with_optional_query("fieldSelector", fields.as_deref())
}

/// The path of a watch from a resource version on.
pub(crate) fn watch_path(kind: &ResourceKind, want: KindRequest, part: ListScope<'_>, version: &str) -> RequestPath {
    let watch = selected(kind, want, part).with_query("watch", "true").with_query("timeoutSeconds", "290");
    watch.with_query("allowWatchBookmarks", "true").with_query("resourceVersion", version)
}

/// The media types to accept for events of a watch.
pub(crate) fn watch_accept(shape: BodyShape) -> &'static str {
    if shape == BodyShape::Metadata { OBJECT_METADATA } else { JSON }
}

/// Decodes an object. An object that does not match its kind is reported by itself; invalid JSON fails the page.
fn decode(
    object: &[u8],
    kind: &Arc<ResourceKind>,
    want: KindRequest,
) -> Result<Result<Resource, Unreadable>, ReadError> {
    let seed = ResourceSeed { kind, shape: want.shape };
    let mut text = serde_json::Deserializer::from_slice(object);
    match seed.deserialize(&mut text).and_then(|resource| text.end().map(|()| resource)) {
        Ok(resource) => with_more(resource, object, kind, want),
        Err(error) if Overweight::from_error(&error) == Some(Overweight::Run) => Err(Overweight::Run.into()),
        Err(error) if serde_json::from_slice::<&RawValue>(object).is_err() => {
            Err(ReadError::Malformed(error.to_string()))
        }
        Err(error) => Ok(Err(Unreadable {
            what: format!("{} {}", kind.qualified_plural(), name_of(object)),
            reason: describe_decode_error(&error),
        })),
    }
}

/// Adds the whole object and its traces, as far as they are wanted.
fn with_more(
    resource: Resource,
    object: &[u8],
    kind: &ResourceKind,
    want: KindRequest,
) -> Result<Result<Resource, Unreadable>, ReadError> {
    let is_whole = want.keep != KeepAmount::Narrow;
    if !is_whole && want.traces.is_none() {
        return Ok(Ok(resource));
    }
    let whole = match whole(object, kind) {
        Ok(whole) => whole,
        Err(error) => {
            let what = format!("{} {}", kind.qualified_plural(), resource.metadata.name);
            return Ok(Err(Unreadable { what, reason: describe_decode_error(&error) }));
        }
    };
    let trace = want.traces.and_then(|traces| ObjectTrace::from_object(&whole, traces));
    let weight = if is_whole { weight_of(&whole) } else { 0 };
    let weight = KeptWeight::reserve(weight + trace.as_ref().map_or(0, ObjectTrace::weight))?;
    Ok(Ok(resource.with_weight(weight).with_whole(is_whole.then(|| Arc::new(whole))).with_trace(trace.map(Arc::new))))
}

/// The whole object, with the `apiVersion` and kind that items of a list may leave out.
fn whole(object: &[u8], kind: &ResourceKind) -> serde_json::Result<Value> {
    let mut object: Value = from_json(object)?;
    if let Some(fields) = object.as_object_mut() {
        fields.entry("apiVersion").or_insert_with(|| kind.api_version().into());
        fields.entry("kind").or_insert_with(|| kind.kind.clone().into());
    }
    Ok(object)
}

fn name_of(object: &[u8]) -> String {
    #[derive(Deserialize)]
    struct NamedObject {
        metadata: Metadata,
    }
    from_json::<NamedObject>(object)
        .ok()
        .filter(|named| is_possible_name(&named.metadata.name))
        .map_or_else(|| "without a readable name".to_owned(), |named| named.metadata.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_too_heavy_object_is_reported_and_the_next_object_is_read() {
        let kind = Arc::new(ResourceKind::guess("example.org", "Thing"));
        let object = |status: &str| format!(r#"{{"metadata":{{"name":"a"}},"status":{status}}}"#);
        let maps = format!("[{}]", vec![r#"{"":0}"#; 120_000].join(","));
        let conditions = format!(r#"{{"conditions":[{}]}}"#, vec!["{}"; 1_500_000].join(","));
        let cases = [
            (BodyShape::Any, KeepAmount::Narrow, &maps),
            (BodyShape::Any, KeepAmount::Narrow, &conditions),
            (BodyShape::Conditions, KeepAmount::Narrow, &conditions),
            // The shape ignores it, and the whole object has it.
            (BodyShape::Metadata, KeepAmount::Whole, &maps),
        ];
        for (shape, keep, status) in cases {
            let want = KindRequest { keep, ..KindRequest::all(shape) };
            let broken = decode(object(status).as_bytes(), &kind, want).unwrap().err().unwrap();
            assert!(broken.what == "things.example.org a" || broken.what.contains("readable"), "{}", broken.what);
            assert!(broken.reason.starts_with("it is too large"), "{}", broken.reason);
            let read = decode(object("{}").as_bytes(), &kind, want).unwrap().ok().unwrap();
            assert!(read.weight.get() < 16 << 10);
        }
        let ignored = KindRequest::all(BodyShape::Metadata);
        assert!(decode(object(&maps).as_bytes(), &kind, ignored).unwrap().is_ok(), "ignored fields have no weight");
    }
}
