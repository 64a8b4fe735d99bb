//! Objects of a live cluster that are followed: read once, and from then on by watches, never by polling. What is followed
//! may grow at any time, and a watch that ends, expires or loses its server goes on by itself.

mod collection;
mod kinds;
mod news;
mod watcher;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::api::{Api, ReadError};
use super::freshness::Freshness;
use super::{Interest, KindList, Told, assemble, get_to_know, list, list_all, origin, runtime};
use crate::error::Result;
use crate::model::body::Shape;
use crate::model::convention::Convention;
use crate::model::kind::{ResourceKind, Scope};
use crate::model::object::ObjectKey;
use crate::model::state::{ClusterState, Unreadable};
use crate::source::ConnectionArgs;
use crate::source::kubeconfig::{self, Connection};

use collection::{Attention, Collection};
use kinds::KindWatch;
use news::News;
use watcher::Watcher;

use collection::is_sign;
pub(in crate::source::live) use collection::is_usage;

/// Changes that come in a bunch are told together.
const SETTLE: Duration = Duration::from_millis(250);
/// A server where something changes all the time is told of as often as this.
const SETTLED: Duration = Duration::from_millis(600);

/// Why there may be something new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// Something in the cluster changed.
    Change,
    /// Time passed, and nothing else.
    Time,
}

/// A connection, and what is followed over it.
pub struct Following {
    runtime: Runtime,
    connection: Connection,
    freshness: Arc<Freshness>,
    kinds: Vec<Arc<ResourceKind>>,
    kind_watch: KindWatch,
    unreadable: Vec<Unreadable>,
    external_controllers: Vec<String>,
    conventions: Vec<Convention>,
    collections: Vec<Collection>,
    watcher: Watcher,
    news: UnboundedReceiver<News>,
}

impl Following {
    /// Connects, and asks for the kinds; `None` where that takes longer than `limit`.
    ///
    /// # Errors
    /// When no cluster is configured, or it does not say what it serves.
    pub fn open(flags: &ConnectionArgs, limit: Option<Duration>) -> Result<Option<Self>> {
        Self::over(kubeconfig::load(flags)?, flags, limit)
    }

    /// The same by a way that somebody else found.
    ///
    /// # Errors
    /// When the cluster does not say what it serves.
    pub fn over(connection: Connection, flags: &ConnectionArgs, limit: Option<Duration>) -> Result<Option<Self>> {
        let conventions = flags.conventions()?;
        let runtime = runtime()?;
        let opened = runtime.block_on(within(limit, async {
            let api = Api::connect(&connection, flags.request_timeout)?;
            let (discovered, freshness) = get_to_know(&api, &connection).await?;
            Ok::<_, crate::error::Error>((api, discovered, freshness))
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
            collections: Vec::new(),
            watcher: Watcher { api, sender },
            news,
        }))
    }

    /// Every kind that can be listed, as far as is known now.
    pub fn kinds(&self) -> &[Arc<ResourceKind>] {
        &self.kinds
    }

    /// From now on, kinds are looked for again whenever one was defined.
    ///
    /// Returns whether that could be arranged in time.
    pub fn await_kinds(&mut self, limit: Option<Duration>) -> bool {
        match kinds::definitions(&self.kinds).filter(|_| self.kind_watch.begin()) {
            Some(definitions) => self.add(vec![definitions], &|_, _| {}, limit) != Added::TooLate,
            None => true,
        }
    }

    /// Reads what is not followed yet, and follows it.
    pub fn add(&mut self, interests: Vec<Interest>, told: &Told<'_>, limit: Option<Duration>) -> Added {
        let mut new: Vec<Interest> = Vec::new();
        for interest in interests {
            let is_known = |known: &Interest| covers(known, &interest);
            if !self.collections.iter().map(|collection| &collection.interest).chain(&new).any(is_known) {
                new.push(interest);
            }
        }
        if new.is_empty() {
            return Added::Nothing;
        }
        let api = self.watcher.api.clone();
        let lists = list_all(&api, new, told, Arc::clone(&self.freshness));
        let Some(lists) = self.runtime.block_on(within(limit, lists)) else { return Added::TooLate };
        let _guard = self.runtime.enter();
        for KindList { interest, listed } in lists {
            let mut collection = Collection::of(interest, listed);
            if collection.deserves_attention() {
                collection.attention = Attention::Paid;
                self.watcher.watch(self.collections.len(), &collection.interest, &collection.resource_version);
            }
            self.collections.push(collection);
        }
        Added::Something
    }

    /// Waits until something changes, but no longer than `limit`.
    pub fn change(&mut self, limit: Duration) -> Occasion {
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

    /// Everything that is known now.
    pub fn state(&self) -> ClusterState {
        let shown = self.collections.iter().filter(|collection| !is_sign(&collection.interest));
        let lists = shown.map(|collection| KindList {
            interest: collection.interest.clone(),
            listed: list::Listed {
                resources: collection.resources.values().cloned().collect(),
                broken: collection.broken.clone(),
                error: collection.error.clone(),
                resource_version: String::new(),
            },
        });
        let mut state = assemble(origin(&self.connection), None, self.unreadable.clone(), lists.collect());
        state.external_controllers.clone_from(&self.external_controllers);
        state.conventions.clone_from(&self.conventions);
        state
    }

    /// Objects that are followed by name and do not exist.
    pub fn absent(&self) -> Vec<ObjectKey> {
        let absent = self.collections.iter().filter(|one| one.error.is_none() && one.resources.is_empty());
        let keys = absent.filter_map(|Collection { interest: Interest { kind, namespace, name, .. }, .. }| {
            (namespace.is_some() || kind.scope == Scope::Cluster).then_some(())?;
            Some(ObjectKey {
                group: kind.group.clone(),
                kind: kind.kind.clone(),
                namespace: namespace.clone(),
                name: name.clone()?,
            })
        });
        keys.collect()
    }

    /// What a user may not read or watch, and why.
    pub fn denied(&self) -> Vec<(Arc<ResourceKind>, Unreadable)> {
        let denied = self.collections.iter().filter_map(|one| match &one.error {
            Some(error @ ReadError::Denied { .. }) if !is_sign(&one.interest) => {
                Some((Arc::clone(&one.interest.kind), super::cannot_read(&one.interest.kind, error)))
            }
            _ => None,
        });
        denied.collect()
    }

    fn apply(&mut self, news: News) {
        let woken = match &news {
            News::One(_, resource) => collection::woken_by(resource),
            _ => Vec::new(),
        };
        let _guard = self.runtime.enter();
        for (index, collection) in self.collections.iter_mut().enumerate() {
            let kind = &collection.interest.kind;
            let is_woken = woken.iter().any(|(group, name)| kind.kind == *name && kind.group == *group);
            if is_woken && collection.attention == Attention::Spared {
                collection.attention = Attention::Paid;
                // Nothing was there, so all that is there is news.
                self.watcher.watch(index, &collection.interest, "");
            }
        }
        if let Some(collection) = self.collections.get_mut(news.index()) {
            if collection.interest.want.shape == Shape::Metadata && kinds::is_definition(&collection.interest.kind) {
                self.kind_watch.hint(matches!(news, News::Lost(_, ReadError::Denied { .. })));
            }
            collection.apply(news);
        }
    }

    /// Asks for the kinds again. Whether there are others than before.
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

/// What became of new interests, the later the more it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Added {
    /// All of it is followed already.
    Nothing,
    /// Something was read that was not followed before.
    Something,
    /// It took too long.
    TooLate,
}

impl Added {
    /// What became of these and of others.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.max(other)
    }
}

/// Whether the one interest includes the other.
fn covers(known: &Interest, new: &Interest) -> bool {
    known.kind == new.kind
        && is_sign(known) == is_sign(new)
        && (known.namespace.is_none() || known.namespace == new.namespace)
        && (known.name.is_none() || known.name == new.name)
}

async fn within<T>(limit: Option<Duration>, work: impl Future<Output = T>) -> Option<T> {
    match limit {
        Some(limit) => tokio::time::timeout(limit, work).await.ok(),
        None => Some(work.await),
    }
}
