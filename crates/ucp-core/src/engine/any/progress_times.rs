//! Since when an object in progress has made none, where its state has no time of its own. Only a time from which on
//! nothing has changed is evidence: the creation of an object, or a transition of another condition, is not.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::conditions::NOT_RECONCILED;
use super::hints::read_time;
use super::sign::{SignWeight, StatusSign};
use super::words::tokens;
use crate::engine::recovery::ends_by_itself;
use crate::model::convention::RunningMeaning;
use crate::model::metadata::Metadata;
use crate::model::verdict::Verdict;

/// Returns the time of the last change of a state, by a field next to it: `lastTransitionTime`, `lastUpdateTime`.
pub(super) fn last_change(beside: &Map<String, Value>) -> Option<Timestamp> {
    const TIMES: [&str; 4] = ["time", "timestamp", "at", "date"];
    let time_of = |beginnings: &[&str]| {
        let is_of = |words: &[String]| {
            let names_time = words.last().is_some_and(|last| TIMES.contains(&last.as_str()));
            let names_change = words.iter().any(|word| beginnings.iter().any(|begin| word.starts_with(begin)));
            names_change && (names_time || matches!(words, [first, _] if first == "last"))
        };
        let times = beside.iter().filter(|(key, _)| is_of(&tokens(key)));
        times.filter_map(|(_, value)| read_time(value)).max()
    };
    time_of(&["transition"]).or_else(|| time_of(&["updat", "chang"]))
}

/// Dates progress without a time by the last write of the status, as API servers record it. A task may run for long
/// without a change of its status, but does not wait for long to begin.
pub(super) fn date_progress(sign: &mut StatusSign, metadata: &Metadata, running: RunningMeaning) {
    let describes_object =
        matches!(sign.weight, SignWeight::Final | SignWeight::Deciding | SignWeight::Weak | SignWeight::Last);
    let may_run = || running == RunningMeaning::Progress && !has_not_begun(&sign.message);
    // A change that no controller has observed is as old as the change.
    let is_undated = sign.since.is_none() && sign.message != NOT_RECONCILED;
    let is_progress = sign.verdict == Verdict::Progressing && !may_run() || may_pass(sign, running);
    if is_undated && describes_object && is_progress {
        sign.since = metadata.written.status.or(metadata.written.declaration);
    }
}

/// Returns true for a failure that may end by itself. One of a task is the end of it.
pub(super) fn may_pass(sign: &StatusSign, running: RunningMeaning) -> bool {
    sign.verdict == Verdict::Failed && running != RunningMeaning::Progress && ends_by_itself(&sign.message)
}

/// Returns true for the state of a task that has not begun.
fn has_not_begun(message: &str) -> bool {
    const WAITS: [&str; 7] = ["pend", "wait", "await", "queue", "submit", "initial", "request"];
    tokens(message).iter().any(|word| WAITS.iter().any(|wait| word.starts_with(wait)))
}
