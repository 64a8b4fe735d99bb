//! The failures that an object reports, and the record of its past.

use serde_json::Value;
use ucp_core::engine::any::{ConditionOutlook, condition_outlook};
use ucp_core::model::condition::Condition;
use ucp_core::model::resource::Resource;

/// Returns a field of the recorded part of an object.
pub(super) fn recorded<'r>(resource: &'r Resource, field: &str) -> Option<&'r Value> {
    resource.trace.as_ref()?.record.get(field)
}

/// Returns the messages of the problems of an object.
pub(super) fn failures(resource: &Resource) -> impl Iterator<Item = &str> {
    failing_conditions(resource).map(|condition| &*condition.message)
}

/// Returns the conditions of an object that report a problem.
pub(super) fn failing_conditions(resource: &Resource) -> impl Iterator<Item = &Condition> {
    resource.conditions.iter().filter(|condition| condition_outlook(condition) == ConditionOutlook::Bad)
}

/// Returns true if the last change of an object was not reconciled.
pub(super) fn is_unreconciled(resource: &Resource) -> bool {
    let generations = resource.observed_generation.zip(resource.metadata.generation);
    generations.is_some_and(|(observed, current)| observed < current)
}
