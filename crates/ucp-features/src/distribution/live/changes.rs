//! Change notifications for a comparison, by watches limited to the objects it depends on: the compared Secrets by
//! name, and on the core cluster also the objects that declare copies.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::query::MANY;
use crate::adopt::names::NamespacedName;
use crate::distribution::intent;
use ucp_client::source::ConnectionArgs;
use ucp_client::source::kubeconfig::Connection;
use ucp_client::source::live::Interest;
use ucp_client::source::live::follow::{FollowedCluster, Occasion};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;

/// Interval in which a watch checks that its receiver still exists.
const TICK: Duration = Duration::from_secs(1);
/// Pause before retrying a cluster that did not respond.
const PAUSE: Duration = Duration::from_secs(5);
/// Delay in which changes are batched into one notification.
const SETTLE: Duration = Duration::from_millis(300);
/// Polling interval for clusters that are watched, in case a watch misses a change.
const HEARD: Duration = Duration::from_secs(300);
/// Polling interval for clusters that cannot be watched.
pub const UNHEARD: Duration = Duration::from_secs(15);

/// One cluster with its watched objects.
pub struct WatchedCluster {
    /// Name of the app cluster; `None` for the core cluster.
    pub cluster: Option<String>,
    /// Connection to the cluster, if there is one.
    pub connection: Option<Connection>,
    /// The watched Secrets.
    pub secrets: BTreeSet<NamespacedName>,
}

/// Watched Secrets and the fingerprint of the connection, by cluster; rotated credentials have another fingerprint.
type WatchedSecrets = BTreeMap<Option<String>, (BTreeSet<NamespacedName>, Option<Vec<u8>>)>;

/// Watches of several clusters, each in its own thread, until this is dropped.
#[derive(Default)]
pub struct ChangeWatcher {
    followed: WatchedSecrets,
    threads: Option<(Receiver<()>, Arc<WatchSignals>)>,
}

/// State shared with the threads.
#[derive(Default)]
struct WatchSignals {
    is_over: AtomicBool,
    /// Number of clusters whose watches are incomplete now.
    unheard: AtomicUsize,
}

/// Watch state of one cluster.
struct ClusterWatchState<'a> {
    signs: &'a WatchSignals,
    is_unheard: bool,
}

impl ClusterWatchState<'_> {
    fn set(&mut self, is_unheard: bool) {
        match (self.is_unheard, is_unheard) {
            (false, true) => drop(self.signs.unheard.fetch_add(1, Ordering::Relaxed)),
            (true, false) => drop(self.signs.unheard.fetch_sub(1, Ordering::Relaxed)),
            _ => {}
        }
        self.is_unheard = is_unheard;
    }
}

impl ChangeWatcher {
    /// Watches exactly these objects. Existing watches of an unchanged set continue.
    pub fn follow(&mut self, parts: Vec<WatchedCluster>, flags: &ConnectionArgs) {
        let of_part = |part: &WatchedCluster| {
            let connection = part.connection.as_ref().map(Connection::fingerprint);
            (part.cluster.clone(), (part.secrets.clone(), connection))
        };
        let followed: WatchedSecrets = parts.iter().map(of_part).collect();
        if followed == self.followed && self.threads.is_some() {
            return;
        }
        self.end();
        self.followed = followed;
        let (sender, receiver) = channel();
        let signs = Arc::new(WatchSignals::default());
        for part in parts {
            let (sender, signs, flags) = (sender.clone(), Arc::clone(&signs), flags.clone());
            std::thread::spawn(move || follow(&part, &flags, &sender, &signs));
        }
        self.threads = Some((receiver, signs));
    }

    /// Waits until a change, a limit, or `is_over`; without a limit, until the next poll is due.
    pub fn wait(&self, limit: Option<Duration>, is_over: &dyn Fn() -> bool) {
        let begun = Instant::now();
        while !is_over() {
            let is_unheard = self.threads.as_ref().is_none_or(|(_, signs)| signs.unheard.load(Ordering::Relaxed) > 0);
            let usual = if is_unheard { UNHEARD } else { HEARD };
            let left = limit.map_or(usual, |limit| limit.min(usual)).saturating_sub(begun.elapsed());
            if left.is_zero() {
                return;
            }
            let heard = self.threads.as_ref().map(|(receiver, _)| receiver.recv_timeout(left.min(TICK)));
            match (heard, &self.threads) {
                (Some(Ok(())), Some((receiver, _))) => {
                    while receiver.recv_timeout(SETTLE).is_ok() {}
                    return;
                }
                (Some(Err(RecvTimeoutError::Timeout)), _) => {}
                // No thread is left that can report a change.
                _ => std::thread::sleep(left.min(TICK)),
            }
        }
    }

    fn end(&mut self) {
        if let Some((_, signs)) = self.threads.take() {
            signs.is_over.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for ChangeWatcher {
    fn drop(&mut self) {
        self.end();
    }
}

fn follow(part: &WatchedCluster, flags: &ConnectionArgs, sender: &Sender<()>, signs: &WatchSignals) {
    let is_over = || signs.is_over.load(Ordering::Relaxed);
    let mut hearing = ClusterWatchState { signs, is_unheard: false };
    while !is_over() {
        let opened = part.connection.clone().map(|connection| FollowedCluster::over(connection, flags, None));
        let Some(Ok(Some(mut following))) = opened else {
            hearing.set(true);
            let mut left = PAUSE;
            while !is_over() && !left.is_zero() {
                std::thread::sleep(TICK);
                left = left.saturating_sub(TICK);
            }
            continue;
        };
        following.add(interests(part, following.kinds()), &|_, _| {}, None);
        hearing.set(!following.denied().is_empty());
        // Something may have changed between the last read and the first watch.
        let mut is_heard = sender.send(()).is_ok();
        while is_heard && !is_over() {
            if following.wait_for_change(TICK) == Occasion::Change {
                hearing.set(!following.denied().is_empty());
                is_heard = sender.send(()).is_ok();
            }
        }
        if !is_heard {
            return;
        }
    }
}

fn interests(part: &WatchedCluster, kinds: &[Arc<ResourceKind>]) -> Vec<Interest> {
    let mut interests = Vec::new();
    if part.cluster.is_none() {
        let declarers = kinds.iter().filter(|kind| intent::want(kind).is_some());
        interests.extend(declarers.map(|kind| interest(kind, None, None)));
    }
    let Some(secret) = kinds.iter().find(|kind| kind.group.is_empty() && kind.kind == "Secret") else {
        return interests;
    };
    for (namespace, names) in by_namespace(&part.secrets) {
        let one = |name: Option<&str>| interest(secret, Some(namespace), name);
        match names.len() > MANY {
            true => interests.push(one(None)),
            false => interests.extend(names.into_iter().map(|name| one(Some(name)))),
        }
    }
    interests
}

/// Returns a watch of metadata only, so that the server sends no values.
fn interest(kind: &Arc<ResourceKind>, namespace: Option<&str>, name: Option<&str>) -> Interest {
    Interest {
        kind: Arc::clone(kind),
        want: KindRequest::all(BodyShape::Metadata),
        namespace: namespace.map(str::to_owned),
        name: name.map(str::to_owned),
    }
}

/// Groups names of Secrets by namespace.
pub(in crate::distribution) fn by_namespace(secrets: &BTreeSet<NamespacedName>) -> BTreeMap<&str, Vec<&str>> {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for secret in secrets {
        all.entry(&secret.namespace).or_default().push(&secret.name);
    }
    all
}
