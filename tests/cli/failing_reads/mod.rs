//! Every read of a command fails in every way: a command that answers never gives a clean answer, and a command that writes
//! writes nothing on that basis. Each matrix is made of the reads of a run without faults, so that a read which is added one
//! day is in the matrix that day, and is printed.
//!
//! Each read meets some of the faults, in turns; with `UCP_FAULTS=all`, all of them.

#![allow(clippy::print_stderr, reason = "the table is the purpose of the test")]

mod files;
mod hidden;
mod readers;
mod writers;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::support::command::{Ran, run};
use crate::support::proxy::{Fault, Proxy, Rule, Seen};

/// Whether each read meets all faults, as in the workflow, and not some in turns.
pub(crate) fn are_all_meant() -> bool {
    std::env::var("UCP_FAULTS").is_ok_and(|value| value == "all")
}

/// The ways in which a read fails.
pub(crate) const FAULTS: [&str; 9] =
    ["403", "404", "group404", "500", "timeout", "truncated", "empty", "undiscovered", "unlisted"];
/// Stands in paths of reads for the part that differs between places.
const PLACE: &str = "PLACE";

/// A property that must be true while a read fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Promise {
    /// The command does not exit with 0.
    AnswerIsNotClean,
    /// The document reports that something could not be read, and has only the claims of a run without the fault.
    NothingIsClaimed,
    /// No object and no file is written or deleted, or tried to.
    NothingIsWritten,
    /// The state of the place does not change: a server refuses to create an existing object.
    StateIsUnchanged,
}

impl Promise {
    /// Whether the command only answers: a broken promise changes nothing in its place.
    fn is_of_answers(self) -> bool {
        matches!(self, Self::AnswerIsNotClean | Self::NothingIsClaimed)
    }
}

/// The environment of a command, in parallel to others of its kind: it has proxies of its own.
pub(crate) struct Place<'a> {
    /// The part that differs between places, such as a namespace.
    pub(crate) name: String,
    /// A proxy in front of each cluster.
    pub(crate) proxies: Vec<(&'static str, Proxy)>,
    /// The command, with a request timeout.
    pub(crate) command: Box<dyn Fn(&str) -> Command + Send + 'a>,
    /// The state that a write would change in addition to the clusters behind the proxies.
    pub(crate) state: Box<dyn Fn() -> String + Send + 'a>,
}

impl<'a> Place<'a> {
    /// A place whose command writes to nothing but the clusters behind its proxies.
    pub(crate) fn new(
        name: &str,
        proxies: Vec<(&'static str, Proxy)>,
        command: impl Fn(&str) -> Command + Send + 'a,
    ) -> Self {
        Self { name: name.to_owned(), proxies, command: Box::new(command), state: Box::new(String::new) }
    }

    fn proxy(&self, cluster: &str) -> &Proxy {
        &self.proxies.iter().find(|(name, _)| *name == cluster).expect("a proxy").1
    }

    /// How many requests came to each proxy.
    fn counts(&self) -> Vec<usize> {
        self.proxies.iter().map(|(_, proxy)| proxy.seen().len()).collect()
    }

    /// The requests after so many of each proxy.
    fn seen_since(&self, counts: &[usize]) -> Vec<(&'static str, Seen)> {
        let proxies = self.proxies.iter().zip(counts);
        proxies
            .flat_map(|((name, proxy), count)| proxy.seen().into_iter().skip(*count).map(move |seen| (*name, seen)))
            .collect()
    }
}

/// A read: the cluster, and the path without the part that differs between places.
pub(crate) type Read = (&'static str, String);

/// A matrix of reads and faults for one command.
pub(crate) struct Matrix<'a> {
    pub(crate) title: &'a str,
    pub(crate) promise: Promise,
    pub(crate) faults: &'a [&'a str],
    /// How many faults each read meets, without `UCP_FAULTS=all`.
    pub(crate) per_read: usize,
    /// Reads that the answer does not depend on.
    pub(crate) leave_out: &'a (dyn Fn(&str) -> bool + Sync),
    /// Faults, by path and name, that lead to a warning.
    pub(crate) warned: &'a (dyn Fn(&str, &str) -> bool + Sync),
}

impl<'a> Matrix<'a> {
    pub(crate) fn new(title: &'a str, promise: Promise) -> Self {
        Self { title, promise, faults: &FAULTS, per_read: 1, leave_out: &|_| false, warned: &|_, _| false }
    }

    /// Runs the command without a fault, and then with each fault of each of its reads, at as many places at a time as there
    /// are. Returns the run without a fault, and the broken promises.
    pub(crate) fn run(&self, places: Vec<Place<'_>>) -> (Ran, Vec<String>) {
        let first = &places[0];
        let before = (first.state)();
        let counts = first.counts();
        let healthy = run((first.command)("30s"));
        match self.promise {
            Promise::AnswerIsNotClean => assert_eq!(healthy.code, Some(0), "{}: {healthy:?}", self.title),
            Promise::NothingIsClaimed => assert!(matches!(healthy.code, Some(1 | 4)), "{}: {healthy:?}", self.title),
            Promise::StateIsUnchanged => assert_eq!((first.state)(), before, "{}: {healthy:?}", self.title),
            Promise::NothingIsWritten => {
                let written = writes(&first.seen_since(&counts));
                assert!(written.is_empty() && (first.state)() == before, "{}: {written:?} {healthy:?}", self.title);
            }
        }
        let reads = self.reads(first, &counts);
        assert!(!reads.is_empty(), "{} reads nothing: {healthy:?}", self.title);
        let cells = self.cells(&reads);
        let (next, table, broken) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()), Mutex::new(Vec::new()));
        std::thread::scope(|scope| {
            for place in places {
                let (next, cells, table, broken, healthy) = (&next, &cells, &table, &broken, &healthy);
                scope.spawn(move || {
                    while let Some((read, fault)) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let (ran, complaint) = self.broken_by(&place, healthy, read, fault);
                        let code = ran.code.map_or_else(|| "-".to_owned(), |code| code.to_string());
                        table.lock().unwrap().insert((*read, *fault), code);
                        if let Some(complaint) = complaint {
                            let line = format!("{}: {} {} {fault}: {complaint}: {ran:#?}", self.title, read.0, read.1);
                            broken.lock().unwrap().push(line);
                            // The objects exist already, so that this place shows nothing more.
                            if !self.promise.is_of_answers() {
                                return;
                            }
                        }
                    }
                });
            }
        });
        self.print(&healthy, &reads, &table.into_inner().unwrap());
        (healthy, broken.into_inner().unwrap())
    }

    /// The reads of a run: lists, objects, and discovery.
    fn reads(&self, place: &Place<'_>, counts: &[usize]) -> Vec<Read> {
        let is_read = |(_, seen): &(&str, Seen)| {
            let is_object = !self.promise.is_of_answers() && !seen.uri.contains("watch=");
            seen.method == "GET"
                && (seen.uri.contains("limit=") || seen.uri == "/api" || seen.uri == "/apis" || is_object)
        };
        let path = |(cluster, seen): (&'static str, Seen)| {
            let path = seen.uri.split('?').next().unwrap_or_default();
            (cluster, if place.name.is_empty() { path.to_owned() } else { path.replace(&place.name, PLACE) })
        };
        let reads: BTreeSet<Read> = place.seen_since(counts).into_iter().filter(is_read).map(path).collect();
        let is_meant = |(_, path): &Read| {
            !(self.leave_out)(path) && !["/version", "/openapi", "/healthz"].iter().any(|start| path.starts_with(start))
        };
        reads.into_iter().filter(is_meant).collect()
    }

    fn cells<'r>(&self, reads: &'r [Read]) -> Vec<(&'r Read, &'a str)> {
        let is_whole = are_all_meant();
        // Commands with the same reads begin with different faults.
        let mut turn = self.title.len();
        let mut cells = Vec::new();
        for read in reads {
            let is_meant = |fault: &&str| can_meet(&read.1, fault) && !(self.warned)(&read.1, fault);
            let faults: Vec<&str> = self.faults.iter().copied().filter(is_meant).collect();
            let count = if is_whole { faults.len() } else { self.per_read.min(faults.len()) };
            cells.extend((0..count).map(|step| (read, faults[(turn + step) % faults.len()])));
            turn += count;
        }
        cells
    }

    /// Runs the command with a fault. Returns the promise that it broke, if it did.
    fn broken_by(
        &self,
        place: &Place<'_>,
        healthy: &Ran,
        (cluster, path): &Read,
        fault: &str,
    ) -> (Ran, Option<String>) {
        let proxy = place.proxy(cluster);
        rules(&path.replace(PLACE, &place.name), fault).into_iter().for_each(|rule| proxy.add(rule));
        let (counts, before) = (place.counts(), (place.state)());
        let ran = run((place.command)(if fault == "timeout" { "1s" } else { "20s" }));
        proxy.clear();
        assert!(!ran.stderr.contains("panicked"), "{ran:?}");
        let complaint = match self.promise {
            Promise::AnswerIsNotClean => (ran.code == Some(0)).then(|| "a clean answer".to_owned()),
            Promise::NothingIsClaimed => claimed(healthy, &ran),
            Promise::StateIsUnchanged => ((place.state)() != before).then(|| format!("it wrote: {}", (place.state)())),
            Promise::NothingIsWritten => {
                let written = writes(&place.seen_since(&counts));
                let is_changed = (place.state)() != before;
                (!written.is_empty() || is_changed).then(|| format!("it wrote: {written:?}, {}", (place.state)()))
            }
        };
        (ran, complaint)
    }

    fn print(&self, healthy: &Ran, reads: &[Read], table: &BTreeMap<(&Read, &str), String>) {
        let mut text = format!("{} (without a fault: {:?})\n{:<96}", self.title, healthy.code, "  read");
        self.faults.iter().for_each(|fault| text.push_str(&format!(" {fault}")));
        for read in reads {
            let _ = write!(text, "\n  {:<94}", format!("{} {}", read.0, read.1));
            for fault in self.faults {
                let code = table.get(&(read, *fault)).map_or("", String::as_str);
                let _ = write!(text, " {code:<width$}", width = fault.len());
            }
        }
        eprintln!("{text}\n");
    }
}

/// Claims of a run that are independent of unread lists: certain differences, findings, and the effects of a deletion.
fn claims(ran: &Ran) -> BTreeSet<String> {
    let document = ran.json();
    let list = |field: &str| document[field].as_array().cloned().unwrap_or_default();
    let is_claim = |item: &Value| {
        let is_unknown = |field: &str| item.get(field).is_some_and(|value| value == "unknown");
        let is_doubt = ["certainty", "fate", "verdict"].into_iter().any(is_unknown);
        !is_doubt && item["fate"] != "stuck" && item["code"] != "UCP922"
    };
    let text = |item: &Value| {
        let of = |field: &str| item[field].as_str().unwrap_or_default().to_owned();
        // A check that finds fewer objects may name another one.
        let object = if document["kind"] == "DoctorReport" { String::new() } else { item["object"].to_string() };
        format!("{object} {} {} {}", of("code"), of("fate"), of("layer"))
    };
    list("items").iter().chain(&list("findings")).filter(|item| is_claim(item)).map(text).collect()
}

/// A claim that a run with a fault makes and may not make, if any.
fn claimed(healthy: &Ran, ran: &Ran) -> Option<String> {
    match ran.code {
        Some(0) => return Some("a clean answer".to_owned()),
        // No document at all.
        Some(2 | 3) => return None,
        _ => {}
    }
    let new: Vec<String> = claims(ran).difference(&claims(healthy)).cloned().collect();
    let unread = |ran: &Ran| -> BTreeSet<String> {
        ran.json()["unreadable"].as_array().into_iter().flatten().map(Value::to_string).collect()
    };
    if !new.is_empty() {
        return Some(format!("it claims {new:?}"));
    }
    unread(ran).is_subset(&unread(healthy)).then(|| "it does not report what it could not read".to_owned())
}

/// Whether a read can fail in a way: discovery lists neither itself nor the core group as a group, and an object that is not
/// found does not exist.
fn can_meet(path: &str, fault: &str) -> bool {
    let is_discovery = ["/api", "/apis"].contains(&path);
    match fault {
        "404" | "emptied" | "emptied500" => !is_discovery && is_list(path),
        "group404" => path.starts_with("/apis/") && is_list(path),
        "undiscovered" => !is_discovery,
        "unlisted" => !is_discovery && path.starts_with("/apis/"),
        _ => true,
    }
}

/// Whether a path is of all objects of a kind, in a namespace or everywhere.
fn is_list(path: &str) -> bool {
    let words: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let below = words.get(if words[0] == "api" { 2 } else { 3 }..).unwrap_or_default();
    matches!(below, [_] | ["namespaces", _, _])
}

/// The group and plural of a path.
fn resource(path: &str) -> (String, String) {
    let words: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let (group, rest) = if words[0] == "api" { ("", &words[2..]) } else { (words[1], &words[3..]) };
    let plural = match rest {
        ["namespaces", _, plural, ..] => plural,
        [plural, ..] => plural,
        [] => "",
    };
    (group.to_owned(), plural.to_owned())
}

pub(crate) fn rules(path: &str, fault: &str) -> Vec<Rule> {
    let missing = || Fault::failure(404, "NotFound", "the server could not find the requested resource");
    match fault {
        "403" => vec![Rule::at(path, Fault::forbidden())],
        // The server still names the kind in its discovery.
        "404" => vec![Rule::at(path, missing())],
        // A replica of the server that starts: discovery names the group, and nothing below it answers.
        "group404" => vec![Rule::on(&format!("/apis/{}/", resource(path).0), missing())],
        "500" => vec![Rule::at(path, Fault::internal_error())],
        "timeout" => vec![Rule::at(path, Fault::Hang)],
        "truncated" => vec![Rule::at(path, Fault::CutBody)],
        "empty" => vec![Rule::at(path, Fault::empty())],
        "emptied" => vec![Rule::at(path, Fault::emptied())],
        // Requests of single objects fail, too.
        "emptied500" => {
            let object = format!("/{}/", resource(path).1);
            vec![Rule::at(path, Fault::emptied()), Rule::on(&object, Fault::internal_error())]
        }
        "undiscovered" => {
            let (group, plural) = resource(path);
            let discovery = if group.is_empty() { "/api" } else { "/apis" };
            vec![Rule::at(path, missing()), Rule::at(discovery, Fault::Undiscovered { group, plural })]
        }
        "unlisted" => {
            let (group, _) = resource(path);
            vec![Rule::on(&format!("/apis/{group}/"), missing()), Rule::at("/apis", Fault::Unlisted(group))]
        }
        other => panic!("{other} is no fault"),
    }
}

/// The requests that would change something.
fn writes(seen: &[(&str, Seen)]) -> Vec<String> {
    seen.iter()
        .filter(|(_, seen)| seen.is_write())
        .map(|(at, seen)| format!("{at} {} {}", seen.method, seen.uri))
        .collect()
}

/// Fails with everything that was broken.
#[track_caller]
pub(crate) fn holds(broken: &[String]) {
    assert!(broken.is_empty(), "{} cells are broken:\n{}", broken.len(), broken.join("\n"));
}
