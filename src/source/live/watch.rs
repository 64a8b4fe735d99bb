//! A live cluster as it changes: one pass over it, and from then on watches, never polling.
//!
//! A watch is a connection, and a hub has kinds by the thousand of which most are empty. So the kinds that hold
//! something are watched, with the few that are not managed resources. An empty managed kind comes alive when a
//! provider takes on its first resource: then a `ProviderConfigUsage` appears that the resource owns, and its kind is
//! read and watched, too.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::AsyncBufReadExt as _;
use futures::StreamExt as _;
use serde::Deserialize;
use serde::de::DeserializeSeed as _;
use serde_json::value::RawValue;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::api::{Api, ReadError};
use super::freshness::Freshness;
use super::{KindList, assemble, get_to_know, list, list_all, origin, runtime, wanted};
use crate::error::Result;
use crate::model::body::{Shape, Want};
use crate::model::convention::Convention;
use crate::model::kind::ResourceKind;
use crate::model::resource::Resource;
use crate::model::seed::ResourceSeed;
use crate::model::state::{ClusterState, Origin, Unreadable};
use crate::source::{ConnectionArgs, Query, kubeconfig};

/// Changes that come in a bunch are shown together.
const SETTLE: Duration = Duration::from_millis(250);
/// Ages grow, and progress becomes stuck, with no change at all.
const AGEING: Duration = Duration::from_secs(10);
/// Waits between attempts to reach a server that went away.
const PAUSES: [Duration; 4] =
    [Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(5)];
/// What tells that a kind came alive.
const USAGES: [&str; 2] = ["ProviderConfigUsage", "ClusterProviderConfigUsage"];

/// Why a state is handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// Something in the cluster changed.
    Change,
    /// Time passed, and nothing else.
    Time,
}

/// Takes a state each time that it is handed over.
pub type Show<'a> = dyn FnMut(Occasion, &ClusterState) -> Result<()> + 'a;

/// Reads a live cluster and hands over its state, again and again, whenever it changed. Ends only with an error.
///
/// # Errors
/// When the first reading fails, or `show` does. A server that goes away later is waited for.
pub fn watch(flags: &ConnectionArgs, query: &Query<'_>, show: &mut Show<'_>) -> Result<()> {
    let conventions = flags.conventions()?;
    let connection = kubeconfig::load(flags)?;
    runtime()?.block_on(async {
        let api = Api::connect(&connection, flags.request_timeout)?;
        let (discovered, freshness) = get_to_know(&api, &connection).await?;
        let mut wanted = wanted(&discovered.kinds, query);
        let usages = discovered.kinds.iter().filter(|kind| USAGES.contains(&kind.kind.as_str()));
        wanted.extend(usages.map(|kind| (Arc::clone(kind), Want::all(Shape::Conditions))));
        let lists = list_all(&api, wanted, query, Arc::new(freshness)).await;
        let (sender, receiver) = unbounded_channel();
        let mut view = View {
            origin: origin(&connection),
            unreadable: discovered.unreadable,
            kinds: Vec::with_capacity(lists.len()),
            external_controllers: flags.external_controllers(),
            conventions,
            follower: Follower { api, namespace: query.namespace.map(str::to_owned), sender },
        };
        for list in lists {
            view.add(list);
        }
        view.follow_populated();
        view.show_changes(receiver, show).await
    })
}

/// Everything that is known, kept up to date.
struct View {
    origin: Origin,
    unreadable: Vec<Unreadable>,
    kinds: Vec<Watched>,
    external_controllers: Vec<String>,
    conventions: Vec<Convention>,
    follower: Follower,
}

struct Watched {
    kind: Arc<ResourceKind>,
    want: Want,
    resources: BTreeMap<Key, Resource>,
    broken: Vec<Unreadable>,
    error: Option<ReadError>,
    resource_version: String,
    following: Following,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Following {
    Yes,
    No,
}

type Key = (Option<String>, String);

fn key(resource: &Resource) -> Key {
    (resource.metadata.namespace.clone(), resource.metadata.name.clone())
}

/// News of one kind, by its position.
enum News {
    All(usize, list::Listed),
    One(usize, Box<Resource>),
    Gone(usize, Key),
    Lost(usize, ReadError),
}

impl View {
    fn add(&mut self, list: KindList) {
        let mut watched = Watched {
            kind: list.kind,
            want: list.want,
            resources: BTreeMap::new(),
            broken: Vec::new(),
            error: None,
            resource_version: String::new(),
            following: Following::No,
        };
        watched.replace(list.listed);
        self.kinds.push(watched);
    }

    /// Watches what holds something, and all that is not a managed resource.
    fn follow_populated(&mut self) {
        for (index, watched) in self.kinds.iter_mut().enumerate() {
            let is_managed = watched.want.shape == Shape::Crossplane;
            if watched.following == Following::No && (!watched.resources.is_empty() || !is_managed) {
                watched.following = Following::Yes;
                self.follower.follow(index, watched);
            }
        }
    }

    async fn show_changes(&mut self, mut receiver: UnboundedReceiver<News>, show: &mut Show<'_>) -> Result<()> {
        let mut occasion = Occasion::Change;
        loop {
            show(occasion, &self.state())?;
            occasion = Occasion::Time;
            if let Ok(Some(news)) = tokio::time::timeout(AGEING, receiver.recv()).await {
                occasion = Occasion::Change;
                self.apply(news);
                while let Ok(Some(news)) = tokio::time::timeout(SETTLE, receiver.recv()).await {
                    self.apply(news);
                }
            }
        }
    }

    fn apply(&mut self, news: News) {
        match news {
            News::All(index, listed) => self.kinds[index].replace(listed),
            News::Lost(index, error) => self.kinds[index].error = Some(error),
            News::Gone(index, key) => {
                self.kinds[index].resources.remove(&key);
            }
            News::One(index, resource) => {
                if USAGES.contains(&resource.kind.kind.as_str()) {
                    self.wake(&resource);
                }
                self.kinds[index].resources.insert(key(&resource), *resource);
            }
        }
    }

    /// Begins to follow the kinds whose first resource a provider has taken on.
    fn wake(&mut self, usage: &Resource) {
        for owner in &usage.metadata.owner_references {
            let group = owner.api_version.split_once('/').map_or("", |(group, _)| group);
            for (index, watched) in self.kinds.iter_mut().enumerate() {
                if watched.following == Following::No && watched.kind.kind == owner.kind && watched.kind.group == group
                {
                    watched.following = Following::Yes;
                    // Nothing was there, so all that is there is news.
                    watched.resource_version.clear();
                    self.follower.follow(index, watched);
                }
            }
        }
    }

    fn state(&self) -> ClusterState {
        let lists =
            self.kinds.iter().filter(|watched| !USAGES.contains(&watched.kind.kind.as_str())).map(|watched| KindList {
                kind: Arc::clone(&watched.kind),
                want: watched.want,
                listed: list::Listed {
                    resources: watched.resources.values().cloned().collect(),
                    broken: watched.broken.clone(),
                    error: watched.error.clone(),
                    resource_version: String::new(),
                },
            });
        let (origin, namespace) = (self.origin.clone(), self.follower.namespace.clone());
        let mut state = assemble(origin, namespace, self.unreadable.clone(), lists.collect());
        state.external_controllers.clone_from(&self.external_controllers);
        state.conventions.clone_from(&self.conventions);
        state
    }
}

impl Watched {
    fn replace(&mut self, listed: list::Listed) {
        self.resources = listed.resources.into_iter().map(|resource| (key(&resource), resource)).collect();
        self.broken = listed.broken;
        self.error = listed.error;
        self.resource_version = listed.resource_version;
    }
}

/// Follows kinds, each in a task of its own, and sends what happens.
#[derive(Clone)]
struct Follower {
    api: Api,
    namespace: Option<String>,
    sender: UnboundedSender<News>,
}

impl Follower {
    fn follow(&self, index: usize, watched: &Watched) {
        let (follower, kind, want) = (self.clone(), Arc::clone(&watched.kind), watched.want);
        let version = watched.resource_version.clone();
        tokio::spawn(async move { follower.run(index, &kind, want, version).await });
    }

    /// Watches a kind for good. Ends when nobody listens any more.
    async fn run(self, index: usize, kind: &Arc<ResourceKind>, want: Want, mut version: String) {
        let mut failures = 0;
        // Who may list and not watch sees what was listed last, and is told so all the time.
        let mut denied: Option<ReadError> = None;
        while !self.sender.is_closed() {
            if version.is_empty() {
                let mut listed =
                    list::list(&self.api, kind, want, self.namespace.as_deref(), &Freshness::newest()).await;
                version.clone_from(&listed.resource_version);
                let failed = listed.error.is_some();
                listed.error = listed.error.or_else(|| denied.clone());
                let _ = self.sender.send(News::All(index, listed));
                if failed {
                    version.clear();
                    pause(&mut failures).await;
                    continue;
                }
            }
            match self.stream(index, kind, want, &mut version).await {
                // The server ends a watch now and then; it goes on where it was.
                Ok(()) => {
                    failures = 0;
                    if denied.take().is_some() {
                        version.clear();
                    }
                }
                Err(ReadError::Expired) => version.clear(),
                Err(error) => {
                    denied = matches!(error, ReadError::Denied { .. }).then(|| error.clone());
                    let _ = self.sender.send(News::Lost(index, error));
                    version.clear();
                    pause(&mut failures).await;
                }
            }
        }
    }

    async fn stream(
        &self,
        index: usize,
        kind: &Arc<ResourceKind>,
        want: Want,
        version: &mut String,
    ) -> Result<(), ReadError> {
        let path = list::watch_path(kind, want, self.namespace.as_deref(), version)?;
        let mut lines = self.api.open(&path).await?.lines();
        while let Some(line) = lines.next().await {
            let line = line.map_err(|error| ReadError::Transport(error.to_string()))?;
            let event: Event<'_> =
                serde_json::from_str(&line).map_err(|error| ReadError::Malformed(error.to_string()))?;
            if event.kind == "ERROR" {
                return Err(ReadError::Expired);
            }
            let versioned: Versioned = serde_json::from_str(event.object.get()).unwrap_or_default();
            *version = versioned.metadata.resource_version;
            if event.kind == "BOOKMARK" {
                continue;
            }
            let seed = ResourceSeed { kind, shape: want.shape };
            // An object that is not what its kind promises was told of by the LIST.
            let Ok(resource) = seed.deserialize(&mut serde_json::Deserializer::from_str(event.object.get())) else {
                continue;
            };
            let news = match event.kind {
                "DELETED" => News::Gone(index, key(&resource)),
                _ => News::One(index, Box::new(resource)),
            };
            let _ = self.sender.send(news);
        }
        Ok(())
    }
}

async fn pause(failures: &mut usize) {
    tokio::time::sleep(PAUSES[(*failures).min(PAUSES.len() - 1)]).await;
    *failures += 1;
}

/// `metav1.WatchEvent`.
#[derive(Deserialize)]
struct Event<'line> {
    #[serde(rename = "type")]
    kind: &'line str,
    #[serde(borrow)]
    object: &'line RawValue,
}

#[derive(Default, Deserialize)]
struct Versioned {
    metadata: VersionedMetadata,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct VersionedMetadata {
    resource_version: String,
}
