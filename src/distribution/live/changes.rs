//! Tells when something changes that a comparison rests on, by watches of that alone: the Secrets that are compared, by name,
//! and on the core cluster the objects that declare copies.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::MANY;
use crate::adopt::names::Namespaced;
use crate::distribution::intent;
use crate::model::body::{Shape, Want};
use crate::model::kind::ResourceKind;
use crate::source::ConnectionArgs;
use crate::source::kubeconfig::Connection;
use crate::source::live::Interest;
use crate::source::live::follow::{Following, Occasion};

/// How soon a watch notices that nobody listens any more.
const TICK: Duration = Duration::from_secs(1);
/// Pause before a cluster that did not answer is asked again.
const PAUSE: Duration = Duration::from_secs(5);
/// Changes that come in a bunch are told together.
const SETTLE: Duration = Duration::from_millis(300);
/// How long a cluster may go unasked that tells of its changes, in case it does not.
const HEARD: Duration = Duration::from_secs(300);
/// How long one may go unasked that may not be watched, or cannot be.
pub const UNHEARD: Duration = Duration::from_secs(15);

/// One cluster, and what is followed of it.
pub struct Part {
    /// Its name; none for the core cluster.
    pub cluster: Option<String>,
    /// The way in, or none where there is none.
    pub connection: Option<Connection>,
    /// The Secrets.
    pub secrets: BTreeSet<Namespaced>,
}

/// What is followed, by cluster, and over which connection: one that was rotated is another.
type Followed = BTreeMap<Option<String>, (BTreeSet<Namespaced>, Option<Vec<u8>>)>;

/// Watches of several clusters, each in a thread of its own, for as long as this lives.
#[derive(Default)]
pub struct Changes {
    followed: Followed,
    threads: Option<(Receiver<()>, Arc<Signs>)>,
}

/// What the threads are told, and tell.
#[derive(Default)]
struct Signs {
    is_over: AtomicBool,
    /// How many clusters do not tell of all their changes now.
    unheard: AtomicUsize,
}

/// Whether one cluster is heard.
struct Hearing<'a> {
    signs: &'a Signs,
    is_unheard: bool,
}

impl Hearing<'_> {
    fn set(&mut self, is_unheard: bool) {
        match (self.is_unheard, is_unheard) {
            (false, true) => drop(self.signs.unheard.fetch_add(1, Ordering::Relaxed)),
            (true, false) => drop(self.signs.unheard.fetch_sub(1, Ordering::Relaxed)),
            _ => {}
        }
        self.is_unheard = is_unheard;
    }
}

impl Changes {
    /// Follows these, and nothing else any more. What is followed already goes on.
    pub fn follow(&mut self, parts: Vec<Part>, flags: &ConnectionArgs) {
        let of_part = |part: &Part| {
            let connection = part.connection.as_ref().map(Connection::fingerprint);
            (part.cluster.clone(), (part.secrets.clone(), connection))
        };
        let followed: Followed = parts.iter().map(of_part).collect();
        if followed == self.followed && self.threads.is_some() {
            return;
        }
        self.end();
        self.followed = followed;
        let (sender, receiver) = channel();
        let signs = Arc::new(Signs::default());
        for part in parts {
            let (sender, signs, flags) = (sender.clone(), Arc::clone(&signs), flags.clone());
            std::thread::spawn(move || follow(&part, &flags, &sender, &signs));
        }
        self.threads = Some((receiver, signs));
    }

    /// Waits for a change, and no longer than a limit or until somebody wants it to end; without a limit, until it is time
    /// to look all the same.
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
                // Nobody will tell.
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

impl Drop for Changes {
    fn drop(&mut self) {
        self.end();
    }
}

fn follow(part: &Part, flags: &ConnectionArgs, sender: &Sender<()>, signs: &Signs) {
    let is_over = || signs.is_over.load(Ordering::Relaxed);
    let mut hearing = Hearing { signs, is_unheard: false };
    while !is_over() {
        let opened = part.connection.clone().map(|connection| Following::over(connection, flags, None));
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
        // Something may have changed between the last look and the first watch.
        let mut is_heard = sender.send(()).is_ok();
        while is_heard && !is_over() {
            if following.change(TICK) == Occasion::Change {
                hearing.set(!following.denied().is_empty());
                is_heard = sender.send(()).is_ok();
            }
        }
        if !is_heard {
            return;
        }
    }
}

fn interests(part: &Part, kinds: &[Arc<ResourceKind>]) -> Vec<Interest> {
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

/// That something changed is all that is asked: a server sends metadata alone, and no value.
fn interest(kind: &Arc<ResourceKind>, namespace: Option<&str>, name: Option<&str>) -> Interest {
    Interest {
        kind: Arc::clone(kind),
        want: Want::all(Shape::Metadata),
        namespace: namespace.map(str::to_owned),
        name: name.map(str::to_owned),
    }
}

/// Names of Secrets, by namespace.
pub(in crate::distribution) fn by_namespace(secrets: &BTreeSet<Namespaced>) -> BTreeMap<&str, Vec<&str>> {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for secret in secrets {
        all.entry(&secret.namespace).or_default().push(&secret.name);
    }
    all
}
