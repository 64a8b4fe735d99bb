//! Judges objects without an engine by the conventions of kubectl and Flux (`kstatus` of cli-utils).

use crate::engine::AssessmentClock;
use crate::model::body::Body;
use crate::model::condition::{Condition, ConditionStatus, FindCondition as _};
use crate::model::resource::Resource;
use crate::model::verdict::Verdict;

/// Returns the verdict, with a reason unless it is OK. An object without conditions is OK as soon as it exists.
pub fn judge_by_conditions(resource: &Resource, clock: &AssessmentClock) -> (Verdict, Option<String>) {
    let metadata = &resource.metadata;
    if metadata.deletion_timestamp.is_some() {
        let finalizers = metadata.finalizers.join(", ");
        let waits = if finalizers.is_empty() { String::new() } else { format!(", waits for {finalizers}") };
        return (clock.under_way(metadata.deletion_timestamp), Some(format!("it is being deleted{waits}")));
    }
    if let (Some(seen), Some(now)) = (resource.observed_generation, metadata.generation)
        && seen < now
    {
        return (Verdict::Progressing, Some("its controller has not reconciled the latest change".to_owned()));
    }
    let conditions = resource.conditions.as_slice();
    if let Some(stalled) = conditions.with_status("Stalled", ConditionStatus::True) {
        return (Verdict::Failed, Some(words(stalled)));
    }
    if let Body::Workload(workload) = &resource.body
        && workload.ready < workload.wanted
    {
        let since = conditions
            .with_status("Available", ConditionStatus::False)
            .and_then(|condition| condition.last_transition_time);
        let verdict = if workload.ready == 0 { Verdict::Failed } else { clock.under_way(since) };
        return (verdict, Some(format!("{} of {} replicas are ready", workload.ready, workload.wanted)));
    }
    match conditions.of_type("Ready").or_else(|| conditions.of_type("Available")) {
        Some(condition) if condition.status != ConditionStatus::True => {
            (clock.under_way(condition.last_transition_time), Some(words(condition)))
        }
        _ => (Verdict::Ok, None),
    }
}

fn words(condition: &Condition) -> String {
    match condition.message.trim() {
        "" => condition.reason.to_string(),
        message => message.to_owned(),
    }
}
