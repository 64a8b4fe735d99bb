//! Judges Deployments, StatefulSets, and DaemonSets by the rules of `kubectl rollout status`.

use super::sign::StatusSign;
use crate::engine::judgement::AssessmentClock;
use crate::model::body::workload::{Rollout, Workload};
use crate::model::condition::{Condition, ConditionStatus, FindCondition as _};
use crate::model::resource::Resource;
use crate::model::verdict::Verdict;

/// Returns the state that a workload reports.
pub(super) fn workload_sign(resource: &Resource, workload: &Workload, clock: &AssessmentClock) -> StatusSign {
    if workload.is_paused {
        return StatusSign::deciding(Verdict::Paused, "spec.paused is true");
    }
    if matches!((resource.observed_generation, resource.metadata.generation), (Some(seen), Some(now)) if seen < now) {
        return StatusSign::deciding(Verdict::Progressing, "the latest change has not been reconciled yet");
    }
    let conditions = resource.conditions.as_slice();
    let failure = conditions
        .with_status("ReplicaFailure", ConditionStatus::True)
        .or_else(|| conditions.with_status("Progressing", ConditionStatus::False));
    if let Some(failure) = failure {
        return StatusSign {
            since: failure.last_transition_time,
            ..StatusSign::deciding(Verdict::Failed, words(failure))
        };
    }
    let unavailable = conditions.with_status("Available", ConditionStatus::False);
    let since = unavailable.and_then(|condition| condition.last_transition_time);
    let message = match workload.rollout {
        _ if workload.ready < workload.wanted => {
            format!("{} of {} replicas are ready", workload.ready, workload.wanted)
        }
        Rollout::Underway { done, wanted } => format!("{done} of {wanted} replicas are updated and available"),
        Rollout::Complete => return StatusSign::deciding(Verdict::Ok, ""),
    };
    // No replica is ready, and the workload is not new.
    let is_old = clock.is_overdue(since.or(resource.metadata.creation_timestamp));
    let verdict =
        if workload.ready == 0 && workload.wanted > 0 && is_old { Verdict::Failed } else { Verdict::Progressing };
    StatusSign { since, ..StatusSign::deciding(verdict, message) }
}

fn words(condition: &Condition) -> String {
    match condition.message.trim() {
        "" => condition.reason.to_string(),
        message => format!("{}: {message}", condition.reason),
    }
}
