//! Objects of a live cluster that are read once and then kept up to date by watches, without polling. Interests can be
//! added at any time. Watches reconnect after they end, expire, or lose their server.

mod collection;
mod kinds;
mod news;
mod watcher;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt as _;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::api::{Api, ReadError};
use super::freshness::Freshness;
use super::rules::LiveRules;
use super::write::ObjectPath;
use super::{Interest, KindList, ProgressCallback, assemble, discover_with_freshness, list, list_all, origin, runtime};
use crate::source::ConnectionArgs;
use crate::source::kubeconfig::{self, Connection};
use ucp_core::error::Result;
use ucp_core::model::body::BodyShape;
use ucp_core::model::convention::Convention;
use ucp_core::model::kind::{ResourceKind, ResourceScope};
use ucp_core::model::object::ObjectKey;
use ucp_core::model::state::{ClusterState, Unreadable};
use ucp_core::model::uid::Uid;

use collection::{Collection, WatchState};
use kinds::KindWatch;
use news::CollectionChange;
use watcher::Watcher;

use collection::is_auxiliary;
pub(in crate::source::live) use collection::is_usage;

/// Changes within this time of each other are reported together.
const SETTLE: Duration = Duration::from_millis(250);
/// Maximum time to collect changes before they are reported.
const SETTLED: Duration = Duration::from_millis(600);
/// Maximum number of objects that are requested by name at once.
const AT_ONCE: usize = 16;

/// The reason why the state was reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// Objects in the cluster changed.
    Change,
    /// Only time passed.
    Time,
}

/// A connection, and the interests that are followed over it.
pub struct FollowedCluster {
    runtime: Runtime,
    connection: Connection,
    freshness: Arc<Freshness>,
    kinds: Vec<Arc<ResourceKind>>,
    kind_watch: KindWatch,
    unreadable: Vec<Unreadable>,
    external_controllers: Vec<String>,
    conventions: Vec<Convention>,
    rules: LiveRules,
    collections: Vec<Collection>,
    watcher: Watcher,
    news: UnboundedReceiver<CollectionChange>,
}

impl FollowedCluster {
    /// Connects and discovers the kinds; `None` if that takes longer than `limit`.
    ///
    /// # Errors
    /// Fails when no cluster is configured, or discovery fails.
    pub fn open(flags: &ConnectionArgs, limit: Option<Duration>) -> Result<Option<Self>> {
        Self::over(kubeconfig::load(flags)?, flags, limit)
    }

    /// Does the same over an existing connection as [`Self::open`].
    ///
    /// # Errors
    /// Fails when discovery fails.
    pub fn over(connection: Connection, flags: &ConnectionArgs, limit: Option<Duration>) -> Result<Option<Self>> {
        let (conventions, rules) = (flags.conventions()?, LiveRules::of_user(flags.health_rules()?));
        let runtime = runtime()?;
        let opened = runtime.block_on(within(limit, async {
            let api = Api::connect(&connection, flags.request_timeout)?;
            let (discovered, freshness) = discover_with_freshness(&api, &connection).await?;
            Ok::<_, ucp_core::error::Error>((api, discovered, freshness))
        }));
        let Some(opened) = opened else { return Ok(None) };
        let (api, discovered, freshness) = opened?;
        let (sender, news) = unbounded_channel();
        Ok(Some(Self {
            runtime,
            connection,
            freshness: Arc::new(freshness),
            kinds: discovered.kinds,
            kind_watch: KindWatch::default(),
            unreadable: discovered.unreadable,
            external_controllers: flags.external_controllers(),
            conventions,
            rules,
            collections: Vec::new(),
            watcher: Watcher { api, sender },
            news,
        }))
    }

    /// The kinds that can be listed, as of the last discovery.
    pub fn kinds(&self) -> &[Arc<ResourceKind>] {
        &self.kinds
    }

    /// Follows the definitions of kinds, so that new kinds are discovered.
    ///
    /// Returns false if that took longer than `limit`.
    pub fn follow_definitions(&mut self, limit: Option<Duration>) -> bool {
        match kinds::definitions(&self.kinds).filter(|_| self.kind_watch.begin()) {
            Some(definitions) => self.add(vec![definitions], &|_, _| {}, limit) != AddOutcome::TooLate,
            None => true,
        }
    }

    /// Reads the interests that are not followed yet, and follows them.
    pub fn add(
        &mut self,
        interests: Vec<Interest>,
        told: &ProgressCallback<'_>,
        limit: Option<Duration>,
    ) -> AddOutcome {
        let api = self.watcher.api.clone();
        let mut interests = interests;
        let applied = self.rules.apply(&api, &self.kinds, &mut interests, &self.freshness);
        if self.runtime.block_on(within(limit, applied)).is_none() {
            return AddOutcome::TooLate;
        }
        let mut new: Vec<Interest> = Vec::new();
        for interest in interests {
            let is_known = |known: &Interest| covers(known, &interest);
            if !self.collections.iter().map(|collection| &collection.interest).chain(&new).any(is_known) {
                new.push(interest);
            }
        }
        if new.is_empty() {
            return AddOutcome::Nothing;
        }
        let lists = list_all(&api, new, told, Arc::clone(&self.freshness));
        let Some(lists) = self.runtime.block_on(within(limit, lists)) else { return AddOutcome::TooLate };
        let _guard = self.runtime.enter();
        for KindList { interest, listed } in lists {
            let mut collection = Collection::new(interest, listed);
            if collection.needs_watch() {
                collection.attention = WatchState::Paid;
                self.watcher.watch(self.collections.len(), &collection.interest, &collection.resource_version);
            }
            self.collections.push(collection);
        }
        AddOutcome::Something
    }

    /// Waits until something changes, for at most `limit`.
    pub fn wait_for_change(&mut self, limit: Duration) -> Occasion {
        let limit = self.kind_watch.due().map_or(limit, |due| limit.min(due));
        let receive = |following: &mut Self, limit| {
            let news = &mut following.news;
            following.runtime.block_on(async { tokio::time::timeout(limit, news.recv()).await.ok().flatten() })
        };
        let mut occasion = Occasion::Time;
        if let Some(news) = receive(self, limit) {
            occasion = Occasion::Change;
            self.apply(news);
            let began = Instant::now();
            while began.elapsed() < SETTLED
                && let Some(news) = receive(self, SETTLE)
            {
                self.apply(news);
            }
        }
        if self.kind_watch.is_due() && self.look_for_kinds() {
            occasion = Occasion::Change;
        }
        occasion
    }

    /// Returns the current cluster state.
    pub fn state(&self) -> ClusterState {
        let shown = self.collections.iter().filter(|collection| !is_auxiliary(&collection.interest));
        let lists = shown.map(|collection| KindList {
            interest: collection.interest.clone(),
            listed: list::ListResult {
                resources: collection.resources.values().cloned().collect(),
                broken: collection.broken.clone(),
                error: collection.error.clone(),
                resource_version: String::new(),
            },
        });
        let mut state = assemble(origin(&self.connection), None, self.unreadable.clone(), lists.collect());
        state.external_controllers.clone_from(&self.external_controllers);
        state.conventions.clone_from(&self.conventions);
        state.health_rules.clone_from(&self.rules.rules);
        state.unreadable.extend(self.rules.missing_ground(state.resources.iter()));
        state
    }

    /// Objects that are followed by name and do not exist.
    pub fn absent(&self) -> Vec<ObjectKey> {
        let absent = self.collections.iter().filter(|one| one.error.is_none() && one.resources.is_empty());
        let keys = absent.filter_map(|Collection { interest: Interest { kind, namespace, name, .. }, .. }| {
            (namespace.is_some() || kind.scope == ResourceScope::Cluster).then_some(())?;
            Some(ObjectKey {
                group: kind.group.clone(),
                kind: kind.kind.clone(),
                namespace: namespace.clone(),
                name: name.clone()?,
            })
        });
        keys.collect()
    }

    /// Requests the UIDs of objects by their names, at most 16 at once; `None` for an object that does not exist.
    ///
    /// Returns `None` if that took longer than `limit`.
    pub fn find_uids(
        &self,
        objects: &[ObjectPath],
        limit: Option<Duration>,
    ) -> Option<Vec<std::result::Result<Option<Uid>, ReadError>>> {
        let api = &self.watcher.api;
        let found = futures::stream::iter(objects).map(|path| api.find_uid(path)).buffered(AT_ONCE).collect();
        self.runtime.block_on(within(limit, found))
    }

    /// The kinds that the user may not read or watch, with the reasons.
    pub fn denied(&self) -> Vec<(Arc<ResourceKind>, Unreadable)> {
        let denied = self.collections.iter().filter_map(|one| match &one.error {
            Some(error @ ReadError::Denied { .. }) if !is_auxiliary(&one.interest) => {
                Some((Arc::clone(&one.interest.kind), super::cannot_read(&one.interest.kind, error)))
            }
            _ => None,
        });
        denied.collect()
    }

    fn apply(&mut self, news: CollectionChange) {
        let woken = match &news {
            CollectionChange::One(_, resource) => collection::owners_of_usage(resource),
            _ => Vec::new(),
        };
        let _guard = self.runtime.enter();
        for (index, collection) in self.collections.iter_mut().enumerate() {
            let kind = &collection.interest.kind;
            let is_woken = woken.iter().any(|(group, name)| kind.kind == *name && kind.group == *group);
            if is_woken && collection.attention == WatchState::Spared {
                collection.attention = WatchState::Paid;
                // The collection was empty, so all of its objects are new.
                self.watcher.watch(index, &collection.interest, "");
            }
        }
        if let Some(collection) = self.collections.get_mut(news.index()) {
            if collection.interest.want.shape == BodyShape::Metadata && kinds::is_definition(&collection.interest.kind)
            {
                self.kind_watch.hint(matches!(news, CollectionChange::Lost(_, ReadError::Denied { .. })));
            }
            collection.apply(news);
        }
    }

    /// Repeats discovery. Returns true if the kinds changed.
    fn look_for_kinds(&mut self) -> bool {
        let discovered = self.runtime.block_on(super::discovery::discover(&self.watcher.api));
        let is_new = match discovered {
            Ok(discovered) if discovered.kinds != self.kinds => {
                self.kinds = discovered.kinds;
                true
            }
            _ => false,
        };
        self.kind_watch.looked();
        is_new
    }
}

/// The result of adding interests, in ascending order of importance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AddOutcome {
    /// All interests were already followed.
    Nothing,
    /// At least one new interest was read and followed.
    Something,
    /// Reading took longer than the limit.
    TooLate,
}

impl AddOutcome {
    /// Combines two results; the more important one is kept.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.max(other)
    }
}

/// Returns true if `known` includes `new`.
fn covers(known: &Interest, new: &Interest) -> bool {
    known.kind == new.kind
        && is_auxiliary(known) == is_auxiliary(new)
        && (known.namespace.is_none() || known.namespace == new.namespace)
        && (known.name.is_none() || known.name == new.name)
}

async fn within<T>(limit: Option<Duration>, work: impl Future<Output = T>) -> Option<T> {
    match limit {
        Some(limit) => tokio::time::timeout(limit, work).await.ok(),
        None => Some(work.await),
    }
}
