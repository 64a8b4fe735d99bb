//! Pairs of counters of one noun: how many are well, and how many there are or should be. `healthyMembers: 1` next to
//! `memberCount: 3`, `active: 1` next to `expected: 3`.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::counts::count_of;
use super::field_names::is_plural;
use super::hints::is_setting;
use super::quantities::{is_quantity, is_what_is_left};
use super::sign::SignWeight;
use super::states::StatusSearch;
use super::vocabulary::NEGATIONS;
use super::words::tokens;
use crate::model::body::any::whole_number;
use crate::model::verdict::Verdict;

/// Words for parts that are well.
const WELL: [&str; 15] = [
    "live",
    "ready",
    "available",
    "healthy",
    "running",
    "up",
    "alive",
    "online",
    "connected",
    "synced",
    "joined",
    "reachable",
    "responding",
    "serving",
    "operational",
];
/// Words for parts that exist. Others may be added later, unless a number is wished for.
const PRESENT: [&str; 10] = [
    "active",
    "current",
    "actual",
    "observed",
    "assigned",
    "scheduled",
    "deployed",
    "installed",
    "provisioned",
    "attached",
];
/// Words for the number that should be.
const WISHED: [&str; 6] = ["desired", "expected", "wanted", "required", "requested", "target"];
/// Words for the number that there is.
const TOTAL: [&str; 5] = ["total", "count", "number", "num", "size"];
/// Words for something else than the present.
const OTHER: [&str; 10] =
    ["previous", "last", "old", "history", "initial", "updated", "outdated", "failed", "stale", "max"];
/// Fields that count the parts of a task that are complete.
const DONE: [&str; 3] = ["completed", "finished", "succeeded"];
/// The meaning of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counted {
    Well,
    Present,
    Wished,
    Total,
}

impl StatusSearch<'_> {
    /// Compares the counters of one object.
    pub(super) fn check_counters(&mut self, path: &str, fields: &Map<String, Value>) {
        let counters: Vec<_> = fields.iter().filter_map(|(key, value)| read_counter(key, value)).collect();
        for counter in &counters {
            let field = if path.is_empty() { counter.key.to_owned() } else { format!("{path}.{}", counter.key) };
            let is_short = |other: &&Counter<'_>| {
                let is_pair = match counter.counted {
                    Counted::Well => other.counted != Counted::Well,
                    Counted::Present => other.counted == Counted::Wished,
                    Counted::Total => is_plural(counter.key) && other.counted == Counted::Wished,
                    Counted::Wished => false,
                };
                is_pair && counter.noun == other.noun && counter.number < other.number
            };
            // The parts of a task that is complete are no longer active.
            let are_done = |wanted: i64| {
                let done = DONE.iter().filter_map(|key| fields.get(*key).and_then(whole_number));
                counter.counted == Counted::Present && done.max() >= Some(wanted)
            };
            if let Some(other) = counters.iter().find(is_short).filter(|other| !are_done(other.number))
                && !self.about.convention.ignores(&field)
            {
                let message = format!("{field} is {}, and {} is {}", counter.number, other.key, other.number);
                self.push(Verdict::Unknown, SignWeight::Aside, message);
            }
        }
    }
}

impl StatusSearch<'_> {
    /// Compares the counters of a status with the numbers that the declaration asks for, also in parts of the same name:
    /// `readyNodes: 1` with `nodeCount: 3`.
    pub(super) fn check_declared_counters(&mut self, spec: &Value, status: &Value, path: &str, depth: usize) {
        match (spec, status) {
            (Value::Object(spec), Value::Object(status)) if depth < DEEPEST => {
                let wanted: Vec<_> = spec
                    .iter()
                    .filter_map(|(key, value)| read_wanted(key, value).or_else(|| sum_of_parts(key, value)))
                    .collect();
                for (key, value) in status {
                    let field = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    if self.about.convention.ignores(&field) {
                        continue;
                    }
                    let counter = read_counter(key, value).filter(|counter| counter.counted == Counted::Well);
                    let is_short = |counter: &Counter<'_>, wanted: &&Counter<'_>| {
                        counter.number < wanted.number && may_be_of_one_noun(&counter.noun, &wanted.noun)
                    };
                    if let Some(counter) = counter
                        && let Some(wanted) = wanted.iter().find(|wanted| is_short(&counter, wanted))
                    {
                        let message =
                            format!("{field} is {}, and {} of spec is {}", counter.number, wanted.key, wanted.number);
                        self.push(Verdict::Progressing, SignWeight::Aside, message);
                    }
                    if let Some(spec) = spec.get(key) {
                        self.check_declared_counters(spec, value, &field, depth + 1);
                    }
                }
            }
            (Value::Array(declared), Value::Array(parts)) => {
                let name = |part: &Value| part.get("name").and_then(Value::as_str).map(str::to_owned);
                for (part, called) in parts.iter().filter_map(|part| Some((part, name(part)?))) {
                    if let Some(spec) = declared.iter().find(|spec| name(spec).as_ref() == Some(&called)) {
                        self.check_declared_counters(spec, part, path, depth + 1);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The maximum nesting depth of declared numbers.
const DEEPEST: usize = 6;
/// Nouns for the replicas of a kind, whose number is often only called `size`.
const UNITS: [&str; 8] = ["broker", "instance", "machine", "member", "node", "pod", "replica", "server"];

/// Reads a number of parts that a declaration asks for.
fn read_wanted<'a>(key: &'a str, value: &Value) -> Option<Counter<'a>> {
    let is_wanted = |counter: &Counter<'_>| matches!(counter.counted, Counted::Wished | Counted::Total);
    whole_number(value).and_then(|_| read_counter(key, value)).filter(is_wanted)
}

/// Returns the sum of the numbers of all parts that a declaration lists: of `nodeSets` with a `count`, it is of nodes.
fn sum_of_parts<'a>(key: &'a str, parts: &Value) -> Option<Counter<'a>> {
    const LISTS: [&str; 3] = ["group", "pool", "set"];
    let words = tokens(key);
    let (last, noun) = words.split_last()?;
    let number = |part: &Value| ["count", "replicas", "size"].iter().find_map(|key| whole_number(part.get(*key)?));
    let numbers: Option<Vec<i64>> = parts.as_array()?.iter().map(number).collect();
    let noun: BTreeSet<String> = noun.iter().cloned().collect();
    let is_list = LISTS.contains(&last.strip_suffix('s').unwrap_or(last)) && !noun.is_empty();
    let numbers = numbers.filter(|numbers| is_list && !numbers.is_empty())?;
    Some(Counter { key, counted: Counted::Wished, noun, number: numbers.iter().sum() })
}

/// Returns true if two counters are of one noun, or one names none and the other one replicas.
fn may_be_of_one_noun(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let is_of_replicas = |noun: &BTreeSet<String>| noun.iter().all(|word| UNITS.contains(&word.as_str()));
    one == other || (one.is_empty() || other.is_empty()) && is_of_replicas(one) && is_of_replicas(other)
}

/// A counter of a status.
struct Counter<'a> {
    key: &'a str,
    counted: Counted,
    noun: BTreeSet<String>,
    number: i64,
}

/// Reads a counter; `None` if the name of the field is not one of a counter.
fn read_counter<'a>(key: &'a str, value: &Value) -> Option<Counter<'a>> {
    if whole_number(value).is_none() && !value.is_array() {
        return None;
    }
    let words = tokens(key);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    if is_quantity(key) || is_what_is_left(key) || is_setting(&words) || has(&OTHER) || has(NEGATIONS) {
        return None;
    }
    let is_noun =
        |word: &&String| ![&WELL[..], &PRESENT, &WISHED, &TOTAL].iter().any(|known| known.contains(&word.as_str()));
    let noun: BTreeSet<String> =
        words.iter().filter(is_noun).map(|word| word.strip_suffix('s').unwrap_or(word).to_owned()).collect();
    let is_only_plural = || matches!(words.as_slice(), [only] if is_plural(only)) && !noun.is_empty();
    let counted = match () {
        () if has(&WISHED) => Counted::Wished,
        () if has(&WELL) => Counted::Well,
        () if has(&PRESENT) => Counted::Present,
        () if has(&TOTAL) || is_only_plural() => Counted::Total,
        () => return None,
    };
    // Available things may be choices.
    let is_list_of_parts = counted == Counted::Total || counted == Counted::Well && !has(&["available"]);
    let number = if is_list_of_parts { count_of(value) } else { whole_number(value) }?;
    Some(Counter { key, counted, noun, number })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn counters_and_their_nouns_are_recognized() {
        let read = |key: &str, value: Value| {
            let counter = read_counter(key, &value)?;
            Some((counter.counted, Vec::from_iter(counter.noun).join(" "), counter.number))
        };
        for (key, expected) in [
            ("healthyMembers", (Counted::Well, "member")),
            ("members_ready", (Counted::Well, "member")),
            ("numReady", (Counted::Well, "")),
            ("memberCount", (Counted::Total, "member")),
            ("members", (Counted::Total, "member")),
            ("numTotal", (Counted::Total, "")),
            ("desiredNumberScheduled", (Counted::Wished, "")),
            ("expected", (Counted::Wished, "")),
            ("activeShards", (Counted::Present, "shard")),
        ] {
            let (counted, noun) = expected;
            assert_eq!(read(key, json!(3)), Some((counted, noun.to_owned(), 3)), "{key}");
        }
        for key in
            ["notReadyMembers", "maxNodes", "availableIPs", "availableBytes", "updatedReplicas", "status", "port"]
        {
            assert_eq!(read(key, json!(3)), None, "{key}");
        }
        assert_eq!(read("members", json!(["a", "b"])), Some((Counted::Total, "member".to_owned(), 2)));
    }
}
