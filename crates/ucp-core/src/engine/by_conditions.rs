//! Judges objects that no engine judges on its own, such as those in a tree, by the rules for any kind.

use crate::engine::any;
use crate::engine::judgement::{AssessmentClock, Judgement};
use crate::model::body::Body;
use crate::model::body::any::GenericObject;
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
    let Judgement { verdict, message, .. } = match &resource.body {
        Body::Workload(workload) => any::judge_workload(resource, workload, clock),
        _ if resource.conditions.as_slice().is_empty() => match (resource.observed_generation, metadata.generation) {
            (Some(seen), Some(now)) if seen < now => {
                return (Verdict::Progressing, Some("the latest change has not been reconciled yet".to_owned()));
            }
            _ => return (Verdict::Ok, None),
        },
        _ => any::judge(resource, &GenericObject::default(), clock, &[]),
    };
    (verdict, message.as_deref().map(str::to_owned).filter(|_| verdict != Verdict::Ok))
}
