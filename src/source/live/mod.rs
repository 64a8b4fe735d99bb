//! A live cluster: one round of discovery, then concurrent, paged LISTs of only the kinds that somebody asked for,
//! decoded straight into narrow structs. What is kept bounds memory, not what is sent.

pub mod api;
mod discovery;
mod list;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::anyhow;
use futures::StreamExt as _;
use jiff::Timestamp;

use crate::error::{Error, Result};
use crate::model::body::Want;
use crate::model::kind::ResourceKind;
use crate::model::state::{ClusterState, Origin, Unreadable};
use crate::source::{ConnectionArgs, Query, kubeconfig};

use api::{Api, ReadError};

/// Kinds that are read at the same time, each over a connection of its own. More does not pay: an API server on two
/// cores is busy with eight, and its fairness queues hold back the rest.
const CONCURRENT_KINDS: usize = 16;

/// After so many kinds in a row that could not be reached, nobody is there, and the rest is not tried.
const GIVE_UP_AFTER: usize = 24;

/// The runtime of every command that talks to a cluster.
///
/// # Errors
/// When the system has no threads left.
pub fn runtime() -> Result<tokio::runtime::Runtime> {
    let threads = std::thread::available_parallelism().map_or(2, |cores| cores.get().clamp(2, 4));
    Ok(tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()?)
}

/// Reads a live cluster.
///
/// # Errors
/// When the connection is not configured, or discovery fails.
pub fn read(flags: &ConnectionArgs, query: &Query<'_>) -> Result<ClusterState> {
    let connection = kubeconfig::load(flags)?;
    runtime()?.block_on(async {
        let api = Api::connect(&connection, flags.request_timeout)?;
        let discovered = discovery::discover(&api).await.map_err(|error| no_discovery(&error, &connection.server))?;
        let origin = Origin::Cluster { context: connection.context.clone(), server: connection.server.clone() };
        Ok(list_all(&api, origin, discovered, query).await)
    })
}

fn no_discovery(error: &ReadError, server: &str) -> Error {
    let failed = Error::failed(anyhow!("cannot ask {server} what it serves: {error}"));
    match error {
        ReadError::Denied { code: 401, .. } => failed.hint("the credentials are expired or wrong: log in again"),
        ReadError::Denied { .. } => {
            failed.hint("ask for the ClusterRole 'system:discovery', which every user should have")
        }
        _ => failed.hint("check the server with 'kubectl version', or choose another with --context"),
    }
}

async fn list_all(api: &Api, origin: Origin, discovered: discovery::Discovered, query: &Query<'_>) -> ClusterState {
    let wanted: Vec<(Arc<ResourceKind>, Want)> =
        discovered.kinds.into_iter().filter_map(|kind| Some((Arc::clone(&kind), (query.want)(&kind)?))).collect();
    let total = wanted.len();
    let unreachable = Arc::new(AtomicUsize::new(0));
    let mut lists = futures::stream::iter(wanted.into_iter().enumerate())
        .map(|(index, (kind, want))| {
            let (api, namespace, unreachable) =
                (api.clone(), query.namespace.map(str::to_owned), Arc::clone(&unreachable));
            async move {
                // A task of its own, so that decoding one kind does not hold up the reading of others.
                let task = tokio::spawn(async move {
                    if unreachable.load(Ordering::Relaxed) >= GIVE_UP_AFTER {
                        let gone = ReadError::Transport("the server stopped answering".to_owned());
                        return (kind, list::Listed::failed(gone));
                    }
                    let listed = list::list(&api, &kind, want, namespace.as_deref()).await;
                    match &listed.error {
                        Some(ReadError::Transport(_)) => unreachable.fetch_add(1, Ordering::Relaxed),
                        _ => unreachable.swap(0, Ordering::Relaxed),
                    };
                    (kind, listed)
                });
                (index, task.await)
            }
        })
        .buffer_unordered(CONCURRENT_KINDS);
    let mut done = Vec::with_capacity(total);
    let mut unreadable = discovered.unreadable;
    while let Some((index, finished)) = lists.next().await {
        match finished {
            Ok((kind, listed)) => done.push((index, kind, listed)),
            Err(error) => unreadable.push(Unreadable { what: "a kind".to_owned(), reason: error.to_string() }),
        }
        (query.progress)(done.len(), total);
    }
    done.sort_unstable_by_key(|(index, ..)| *index);
    let mut state = ClusterState {
        origin,
        moment: Timestamp::now(),
        kinds: Vec::with_capacity(total),
        resources: Vec::new(),
        unreadable,
    };
    for (_, kind, listed) in done {
        state.resources.extend(listed.resources);
        state.unreadable.extend(listed.broken);
        state
            .unreadable
            .extend(listed.error.map(|error| Unreadable { what: kind.qualified_plural(), reason: error.to_string() }));
        state.kinds.push(kind);
    }
    state.unreadable.sort();
    state
}
