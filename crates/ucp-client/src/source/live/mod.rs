//! Live clusters: one discovery, then concurrent, paged LISTs of only the requested kinds, decoded directly to narrow
//! structs. Memory use depends on the fields that are kept, not on the size of the responses.

pub mod api;
mod client;
pub mod continuation;
pub mod definition;
pub mod delete;
pub(crate) mod discovery;
pub mod dry_run;
pub mod emptied;
pub mod follow;
pub mod forward;
pub mod freshness;
pub mod limit;
pub mod list;
pub mod look_up;
mod pace;
mod page;
mod patience;
mod read_error;
mod remembered;
mod removal;
mod response;
mod rules;
pub mod session;
pub mod stream;
pub mod trace;
mod trouble;
pub mod watch;
mod watch_lines;
pub mod web;
pub mod write;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::source::kubeconfig::{self, Connection};
use crate::source::{ConnectionArgs, Query};
use ucp_core::engine::{self, ListedNames};
use ucp_core::error::Result;
use ucp_core::model::body::KindRequest;
use ucp_core::model::health_rule::HealthRules;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::state::{ClusterState, Origin, Unreadable};

use api::{Api, ReadError};
use definition::{UnlistedKind, possible_unlisted_kinds};
use freshness::Freshness;
use rules::LiveRules;

/// Limit for clusters that are read concurrently. The time is spent on waiting, not on the CPU.
pub const MOST_CLUSTERS: usize = 64;

/// Creates the runtime for commands that connect to a cluster.
///
/// # Errors
/// Fails when the system cannot start threads.
pub fn runtime() -> Result<tokio::runtime::Runtime> {
    let threads = std::thread::available_parallelism().map_or(2, |cores| cores.get().clamp(2, 4));
    Ok(tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()?)
}

/// Reads a live cluster.
///
/// # Errors
/// Fails when no connection is configured, or discovery fails.
pub fn read(flags: &ConnectionArgs, query: &Query<'_>) -> Result<ClusterState> {
    read_with_rules(flags, query, HealthRules::default())
}

/// Reads a live cluster like [`read`], with health rules that have precedence over its own.
///
/// # Errors
/// Fails as [`read`] does.
pub fn read_with_rules(flags: &ConnectionArgs, query: &Query<'_>, rules: HealthRules) -> Result<ClusterState> {
    read_at_with_rules(&kubeconfig::load(flags)?, flags.request_timeout, query, rules)
}

/// Reads the cluster of a connection.
///
/// # Errors
/// Fails when discovery fails.
pub fn read_at(connection: &Connection, timeout: Duration, query: &Query<'_>) -> Result<ClusterState> {
    read_at_with_rules(connection, timeout, query, HealthRules::default())
}

fn read_at_with_rules(
    connection: &Connection,
    timeout: Duration,
    query: &Query<'_>,
    rules: HealthRules,
) -> Result<ClusterState> {
    runtime()?.block_on(async {
        let api = Api::connect(connection, timeout)?;
        let (discovered, freshness) = discover_with_freshness(&api, connection).await?;
        Ok(read_discovered(&api, origin(connection), (discovered, freshness), query, rules).await)
    })
}

/// Reads a live cluster like [`read_with_rules`], and compares its definitions with the kinds that it lists, over the same
/// connection and at the same time.
///
/// # Errors
/// Fails as [`read`] does.
pub fn read_with_definitions(
    flags: &ConnectionArgs,
    query: &Query<'_>,
    rules: HealthRules,
) -> Result<(ClusterState, Vec<UnlistedKind>)> {
    let connection = kubeconfig::load(flags)?;
    runtime()?.block_on(async {
        let api = Api::connect(&connection, flags.request_timeout)?;
        let (discovered, freshness) = discover_with_freshness(&api, &connection).await?;
        let listed: ListedNames = discovered.kinds.iter().map(AsRef::as_ref).collect();
        let read = read_discovered(&api, origin(&connection), (discovered, freshness), query, rules);
        Ok(futures::future::join(read, possible_unlisted_kinds(&api, &listed)).await)
    })
}

async fn read_discovered(
    api: &Api,
    origin: Origin,
    (discovered, freshness): (discovery::Discovered, Freshness),
    query: &Query<'_>,
    rules: HealthRules,
) -> ClusterState {
    let mut wanted = wanted(&discovered.kinds, query);
    let mut rules = LiveRules::of_user(rules);
    rules.apply(api, &discovered.kinds, &mut wanted, &freshness).await;
    let lists = list_all(api, wanted, query.progress, Arc::new(freshness)).await;
    let namespace = query.namespace.map(str::to_owned);
    let mut state = assemble(origin, namespace, discovered.unreadable, lists);
    state.unreadable.extend(rules.missing_ground(state.resources.iter()));
    state.listed = discovered.kinds;
    let listed: ListedNames = state.listed.iter().map(AsRef::as_ref).collect();
    let hidden = engine::hidden_built_ins(&listed, |kind| (query.want)(kind).is_some());
    let is_new = |entry: &Unreadable| !state.unreadable.iter().any(|known| known.what == entry.what);
    let hidden: Vec<Unreadable> = hidden.into_iter().filter(is_new).collect();
    state.unreadable.extend(hidden);
    ClusterState { health_rules: rules.rules, ..state }
}

/// Discovers the kinds of a server with all of their versions, and the groups whose own server did not respond.
///
/// # Errors
/// Fails when the server does not respond, or denies discovery.
pub async fn kinds(api: &Api) -> Result<discovery::Discovered, ReadError> {
    discovery::discover(api).await
}

/// A selection of objects: of one kind, in all namespaces or one, with any name or one.
#[derive(Debug, Clone)]
pub struct Interest {
    /// Kind of the objects.
    pub kind: Arc<ResourceKind>,
    /// The fields to read.
    pub want: KindRequest,
    /// The namespace; `None` for all.
    pub namespace: Option<String>,
    /// The name; `None` for all.
    pub name: Option<String>,
}

impl Interest {
    fn part(&self) -> list::ListScope<'_> {
        list::ListScope { namespace: self.namespace.as_deref(), name: self.name.as_deref() }
    }
}

/// An interest, with the objects that were listed for it.
struct KindList {
    interest: Interest,
    listed: list::ListResult,
}

fn origin(connection: &kubeconfig::Connection) -> Origin {
    Origin::Cluster { context: connection.context.clone(), server: connection.server.clone() }
}

async fn discover(api: &Api, connection: &kubeconfig::Connection) -> Result<discovery::Discovered> {
    discovery::discover(api).await.map_err(|error| error.to_server_error(&connection.server))
}

/// Discovers the kinds of a server, and the freshness to require of it.
async fn discover_with_freshness(
    api: &Api,
    connection: &kubeconfig::Connection,
) -> Result<(discovery::Discovered, Freshness)> {
    let freshness = async { Ok(Freshness::for_server(api).await) };
    futures::future::try_join(discover(api, connection), freshness).await
}

fn wanted(kinds: &[Arc<ResourceKind>], query: &Query<'_>) -> Vec<Interest> {
    let wanted = kinds.iter().filter_map(|kind| {
        let (want, namespace) = ((query.want)(kind)?, query.namespace.map(str::to_owned));
        Some(Interest { kind: Arc::clone(kind), want, namespace, name: None })
    });
    wanted.collect()
}

/// Callback for progress, with the number of lists done and in total.
type ProgressCallback<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// Lists kinds concurrently. The results are in the order of `wanted`.
async fn list_all(
    api: &Api,
    wanted: Vec<Interest>,
    told: &ProgressCallback<'_>,
    freshness: Arc<Freshness>,
) -> Vec<KindList> {
    let total = wanted.len();
    let api = api.for_many();
    // In one task each, so that decoding one kind does not delay the others. The pace limits the number of concurrent
    // requests.
    let mut tasks = tokio::task::JoinSet::new();
    for (index, interest) in wanted.into_iter().enumerate() {
        let (api, freshness) = (api.clone(), Arc::clone(&freshness));
        tasks.spawn(async move {
            // After waiting for a turn, since a resource version may be known by then.
            let api = api.in_turn().await;
            // Boxed, so that thousands of waiting tasks allocate its state only when it is needed.
            let listed = Box::pin(list::list(&api, &interest.kind, interest.want, interest.part(), &freshness)).await;
            (index, KindList { interest, listed })
        });
    }
    let mut done: Vec<(usize, KindList)> = Vec::with_capacity(total);
    while let Some(finished) = tasks.join_next().await {
        done.push(finished.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic())));
        told(done.len(), total);
    }
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, list)| list).collect()
}

fn assemble(
    origin: Origin,
    namespace: Option<String>,
    mut unreadable: Vec<Unreadable>,
    lists: Vec<KindList>,
) -> ClusterState {
    let mut kinds = Vec::with_capacity(lists.len());
    let mut resources = Vec::with_capacity(lists.iter().map(|list| list.listed.resources.len()).sum());
    for KindList { interest, listed } in lists {
        resources.extend(listed.resources);
        unreadable.extend(listed.broken);
        unreadable.extend(listed.error.map(|error| cannot_read(&interest.kind, &error)));
        // With a single object, the kind was not read completely.
        if interest.name.is_none() {
            kinds.push(interest.kind);
        }
    }
    unreadable.sort();
    ClusterState { namespace, kinds, resources, unreadable, ..ClusterState::empty(origin, Timestamp::now()) }
}

fn cannot_read(kind: &ResourceKind, error: &ReadError) -> Unreadable {
    Unreadable { what: kind.qualified_plural(), reason: error.to_string() }
}
