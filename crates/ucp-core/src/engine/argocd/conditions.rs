//! The `status.conditions` of an Application. They have no status field: a condition that is present is True.

use jiff::Timestamp;

use super::destination;
use crate::engine::Problem;
use crate::engine::code::Code;
use crate::model::body::argocd::Application;
use crate::model::condition::Condition;
use crate::model::object::ObjectName;

/// Returns errors and warnings. Those with the same cause are merged.
pub(super) fn problems(application: &Application, conditions: &[Condition], object: &ObjectName) -> Vec<Problem> {
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
    let errors = groups.into_iter().map(|(types, message, since)| {
        let words = format!("{}: {message}", types.join(", "));
        match destination::is_unreachable(message) {
            true => Problem::new(Code::DestinationDown, since, destination::describe_unreachable(application, &words)),
            false => {
                let mut problem = Problem::new(Code::ApplicationError, since, words);
                // The argocd command fails to show an Application with an unknown project or cluster.
                if types.contains(&"InvalidSpecError") {
                    problem.hint = Some(format!("kubectl get {object} -o yaml"));
                }
                problem
            }
        }
    });
    let warnings = conditions.iter().filter(|condition| condition.kind.ends_with("Warning")).map(|condition| {
        let message = format!("{}: {}", condition.kind, condition.message);
        let mut problem = Problem::new(Code::ApplicationWarning, condition.last_transition_time, message);
        if condition.kind != "OrphanedResourceWarning" {
            problem.hint = Some(Code::ApplicationUnhealthy.command_for(object));
        }
        problem
    });
    errors.chain(warnings).collect()
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
    fn two_causes_that_end_alike_are_two() {
        let live = "failed to load live state: Get \"https://10.0.0.1/version\": dial tcp 10.0.0.1:443: connect: connection refused";
        let target =
            "failed to load target state: rpc error: desc = dial tcp 10.3.2.1:8081: connect: connection refused";
        assert!(!have_one_cause(live, target));
        let again = "Get \"https://10.0.0.1/version\": dial tcp 10.0.0.1:443: connect: connection refused";
        assert!(have_one_cause(live, again) && have_one_cause(again, live));
        assert!(!have_one_cause("", "anything"));
    }
}
