//! The `status.conditions` of an Application. They have no status field: a condition that is present is True.

use jiff::Timestamp;

use super::findings::Findings;
use super::{destination, patience};
use crate::engine::code::Code;
use crate::engine::judgement::{AssessmentClock, Problem};
use crate::model::body::argocd::Application;
use crate::model::resource::Resource;
use crate::model::verdict::Verdict;

/// Types of errors that the next comparison may end. The other ones are about the declaration or about an operation.
const COMPARED_AGAIN: [&str; 2] = ["ComparisonError", "UnknownError"];

/// Returns errors, warnings, and conditions whose type is not known. Errors with the same cause are merged.
pub(super) fn check(resource: &Resource, application: &Application, clock: &AssessmentClock) -> Findings {
    let (conditions, object) = (resource.conditions.as_slice(), resource.name());
    let mut found = Findings::default();
    let mut groups: Vec<(Vec<&str>, &str, Option<Timestamp>)> = Vec::new();
    for condition in conditions.iter().filter(|condition| condition.kind.ends_with("Error")) {
        let (message, since) = (condition.message.trim(), condition.last_transition_time);
        match groups.iter_mut().find(|(_, known, _)| have_one_cause(known, message)) {
            Some((types, _, first)) => {
                if !types.contains(&condition.kind.as_str()) {
                    types.push(&condition.kind);
                }
                *first = (*first).min(since).or(*first);
            }
            None => groups.push((vec![&condition.kind], message, since)),
        }
    }
    for (types, message, since) in groups {
        let words = format!("{}: {message}", types.join(", "));
        if destination::is_unreachable(message) {
            let message = destination::describe_unreachable(application, &words);
            found.problems.push(Problem::new(Code::DestinationDown, since, message));
            continue;
        }
        let (first, patience) = (first_failure(application, since), patience::with_applications(clock));
        let is_compared_again = types.iter().all(|kind| COMPARED_AGAIN.contains(kind));
        if is_compared_again && patience::may_pass(&words, first, patience, clock) {
            found.doubt(Verdict::Progressing, first, words);
            continue;
        }
        let mut problem = Problem::new(Code::ApplicationError, since, words);
        // The argocd command fails to show an Application with an unknown project or cluster.
        if types.contains(&"InvalidSpecError") {
            problem.hint = Some(format!("kubectl get {object} -o yaml"));
        }
        found.problems.push(problem);
    }
    for condition in conditions.iter().filter(|condition| !condition.kind.ends_with("Error")) {
        let (since, message) = (condition.last_transition_time, format!("{}: {}", condition.kind, condition.message));
        if !condition.kind.ends_with("Warning") {
            found.doubt(Verdict::Unknown, since, format!("it has a condition of an unknown type, {message}"));
            continue;
        }
        let mut problem = Problem::new(Code::ApplicationWarning, since, message);
        if condition.kind != "OrphanedResourceWarning" {
            problem.hint = Some(Code::ApplicationUnhealthy.command_for(&object));
        }
        found.problems.push(problem);
    }
    found
}

/// Returns the time since which comparisons fail. A message that changes, such as its port, sets the time of its
/// condition anew; the health is Unknown since the first failure.
fn first_failure(application: &Application, since: Option<Timestamp>) -> Option<Timestamp> {
    let health = &application.status.health;
    let unknown_since = health.last_transition_time.filter(|_| health.status == "Unknown");
    since.map(|since| unknown_since.map_or(since, |unknown| unknown.min(since)))
}

/// Returns true if two errors have the same cause. Errors are wrapped from the outside in, so a shared cause is a
/// common suffix of at least half of the shorter text.
fn have_one_cause(left: &str, right: &str) -> bool {
    let shared = left.bytes().rev().zip(right.bytes().rev()).take_while(|(left, right)| left == right).count();
    shared > 0 && shared * 2 >= left.len().min(right.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_with_the_same_ending_are_different() {
        let live = "failed to load live state: Get \"https://10.0.0.1/version\": dial tcp 10.0.0.1:443: connect: connection refused";
        let target =
            "failed to load target state: rpc error: desc = dial tcp 10.3.2.1:8081: connect: connection refused";
        assert!(!have_one_cause(live, target));
        let again = "Get \"https://10.0.0.1/version\": dial tcp 10.0.0.1:443: connect: connection refused";
        assert!(have_one_cause(live, again) && have_one_cause(again, live));
        assert!(!have_one_cause("", "anything"));
    }
}
