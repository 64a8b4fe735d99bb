//! Judges ApplicationSets by their conditions.

use crate::engine::code::Code;
use crate::engine::{AssessmentClock, Judgement, Problem};
use crate::model::condition::{ConditionStatus, FindCondition as _};
use crate::model::resource::Resource;
use crate::model::verdict::Verdict;

pub(super) fn judge(resource: &Resource, clock: &AssessmentClock) -> Judgement {
    let conditions = resource.conditions.as_slice();
    let mut problems = Vec::new();
    if let Some(condition) = conditions.with_status("ErrorOccurred", ConditionStatus::True) {
        problems.push(Problem::new(
            Code::ApplicationSetError,
            condition.last_transition_time,
            condition.message.clone(),
        ));
    } else if let Some(condition) = conditions.with_status("ResourcesUpToDate", ConditionStatus::False) {
        problems.push(Problem::new(
            Code::ApplicationSetError,
            condition.last_transition_time,
            condition.message.clone(),
        ));
    }
    let created = resource.metadata.creation_timestamp;
    if conditions.is_empty() && clock.is_overdue(created) {
        let message = "it has no conditions: no ApplicationSet controller has reconciled it; a controller in another \
                       namespace needs --applicationset-namespaces";
        problems.push(Problem::new(Code::ApplicationStale, created, message));
    }
    let rollout = conditions.with_status("RolloutProgressing", ConditionStatus::True);
    if let Some(condition) = rollout.filter(|condition| clock.is_overdue(condition.last_transition_time)) {
        problems.push(Problem::new(
            Code::ApplicationSetRollout,
            condition.last_transition_time,
            condition.message.clone(),
        ));
    }
    let otherwise = match rollout {
        Some(condition) => {
            Judgement::quiet(Verdict::Progressing, condition.last_transition_time, condition.message.clone())
        }
        None if conditions.is_empty() => {
            Judgement::quiet(Verdict::Progressing, created, "no controller has reconciled it yet")
        }
        None => {
            Judgement::ok(conditions.of_type("ResourcesUpToDate").and_then(|condition| condition.last_transition_time))
        }
    };
    Judgement::worst(problems, otherwise)
}
