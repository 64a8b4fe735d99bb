//! Streams objects from a server, kind by kind, for callers that keep none of them.

use std::sync::Arc;

use super::api::{Api, ReadError};
use super::freshness::Freshness;
use super::list::{ListScope, pages};
use super::{cannot_read, discovery};
use ucp_core::error::Result;
use ucp_core::failure::Failure;
use ucp_core::model::body::KindRequest;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::state::Unreadable;
use ucp_core::model::weight::KeptWeight;

/// Objects per page for large objects such as CustomResourceDefinitions: those of two clouds have 80 kB each.
const SMALL_PAGE: u32 = 200;
/// Memory of an object besides its text.
const OBJECT: usize = 512;
/// Objects per page, kubectl's own chunk size.
const PAGE: u32 = 500;

/// The version and kinds of a server.
#[derive(Debug, Clone)]
pub struct ServerInventory {
    /// The server's version, if it reports it.
    pub version: Option<String>,
    /// The kinds that can be listed.
    pub kinds: Vec<Arc<ResourceKind>>,
    /// Groups whose own server did not respond.
    pub unreadable: Vec<Unreadable>,
}

/// The converted objects of one kind.
#[derive(Debug)]
pub struct StreamedKind<T> {
    /// The kind of the objects.
    pub kind: Arc<ResourceKind>,
    /// The converted objects, in the server's order.
    pub objects: Vec<T>,
    /// The reason why they are incomplete, if they are.
    pub unreadable: Option<Unreadable>,
    /// What they take in memory.
    _weight: KeptWeight,
}

/// The selection of objects to stream.
pub struct StreamQuery<'a> {
    /// The fields to read of a kind; `None` skips it.
    pub want: &'a dyn Fn(&ResourceKind) -> Option<KindRequest>,
    /// Restriction to one namespace.
    pub namespace: Option<&'a str>,
    /// Callback for progress, with the number of kinds done and in total.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

/// Reads kinds concurrently, converts each object with `make`, and passes each kind to `take` once it is complete, in
/// any order, but Secrets before all others: what they hold is hidden in other objects. The number of kinds in memory is
/// limited by that of concurrent requests.
///
/// # Errors
/// Fails when discovery fails, or `take` does.
pub async fn stream<T: Send + 'static>(
    api: &Api,
    server: &str,
    ask: &StreamQuery<'_>,
    make: impl Fn(&ResourceKind, &str) -> Result<T, Failure> + Send + Sync + 'static,
    take: &mut dyn FnMut(StreamedKind<T>) -> Result<()>,
) -> Result<ServerInventory> {
    let make = Arc::new(make);
    let discovered = async { discovery::discover(api).await.map_err(|error| error.to_server_error(server)) };
    let freshness = async { Ok(Freshness::for_server(api).await) };
    let (discovered, freshness) = futures::future::try_join(discovered, freshness).await?;
    let version = api.version().await.ok().map(|version| version.git_version);
    let freshness = Arc::new(freshness);
    let wanted = discovered.kinds.iter().filter_map(|kind| Some((Arc::clone(kind), (ask.want)(kind)?)));
    let wanted: Vec<_> = wanted.collect();
    let total = wanted.len();
    let api = api.for_many();
    let is_secret = |(kind, _): &(Arc<ResourceKind>, KindRequest)| kind.group.is_empty() && kind.kind == "Secret";
    let (secrets, others): (Vec<_>, Vec<_>) = wanted.into_iter().partition(is_secret);
    let mut done = 0;
    for wanted in [secrets, others] {
        // The pace limits the number of concurrent requests.
        let mut tasks = tokio::task::JoinSet::new();
        for (kind, want) in wanted {
            let (api, freshness, make) = (api.clone(), Arc::clone(&freshness), Arc::clone(&make));
            let namespace = want.within(ask.namespace).map(str::to_owned);
            tasks.spawn(async move {
                let api = api.in_turn().await;
                let streamed = Box::pin(one(&api, kind, want, namespace, &freshness, &*make)).await;
                (streamed, api)
            });
        }
        while let Some(finished) = tasks.join_next().await {
            let (streamed, turn) = finished.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
            take(streamed)?;
            // The turn is held while `take` runs, so that a slow caller slows down the requests.
            drop(turn);
            done += 1;
            (ask.progress)(done, total);
        }
    }
    Ok(ServerInventory { version, kinds: discovered.kinds, unreadable: discovered.unreadable })
}

async fn one<T: Send>(
    api: &Api,
    kind: Arc<ResourceKind>,
    want: KindRequest,
    namespace: Option<String>,
    freshness: &Freshness,
    make: &(dyn Fn(&ResourceKind, &str) -> Result<T, Failure> + Send + Sync),
) -> StreamedKind<T> {
    let is_large = kind.group == "apiextensions.k8s.io" && kind.kind == "CustomResourceDefinition";
    let size = if is_large { SMALL_PAGE } else { PAGE };
    let mut objects = Vec::new();
    let part = ListScope { namespace: namespace.as_deref(), name: None };
    let mut weight = KeptWeight::default();
    let mut made = |object: &[u8]| {
        weight.grow(object.len() + OBJECT)?;
        let text = std::str::from_utf8(object).map_err(|error| ReadError::Malformed(error.to_string()))?;
        make(&kind, text).map_err(|failure| ReadError::Malformed(failure.into()))
    };
    let turned = pages(api, &kind, (want, size), part, freshness, (&mut objects, &mut made)).await;
    let unreadable = turned.err().map(|error| cannot_read(&kind, &error));
    StreamedKind { kind, objects, unreadable, _weight: weight }
}
