//! The progress of managed resources, composites, and claims: Ready stays True during a change. Since Crossplane 2,
//! each condition has its own observed generation.

use crate::engine::course::{ApplyState, FailureKind, ObjectProgress, is_old, outdated_generation, unhandled_request};
use crate::model::body::Body;
use crate::model::condition::{Condition, ConditionStatus, FindCondition as _};
use crate::model::resource::Resource;

/// Annotation that requests a reconciliation; confirmed in `status.lastHandledReconcileAt`.
const REQUESTED: &str = "crossplane.io/reconcile-requested-at";
/// Messages of crossplane-runtime for dependencies that do not exist yet, and for concurrent changes.
const PASSING: [&str; 3] = [
    "cannot resolve references",
    "the object has been modified; please apply your changes to the latest version",
    "referenced field was empty (referenced resource may not yet be ready)",
];

pub(super) fn crossplane_progress(resource: &Resource) -> ObjectProgress {
    let Body::Crossplane(body) = &resource.body else { return ObjectProgress::from_conditions(resource) };
    let conditions = resource.conditions.as_slice();
    let synced = conditions.of_type("Synced");
    let old = [synced, conditions.of_type("Ready")].into_iter().flatten().find(|condition| is_old(resource, condition));
    let is_unseen = outdated_generation(resource, resource.observed_generation.filter(|seen| *seen > 0));
    // Controllers before 2.0 never confirm a request.
    let handled = body.last_handled_reconcile_at.as_deref();
    let is_unanswered = handled.and_then(|handled| unhandled_request(resource, REQUESTED, Some(handled)));
    let outdated = old.map(|old| format!("condition {} does not cover the newest change yet", old.kind));
    let ongoing = conditions.of_type("AsyncOperation").filter(|operation| operation.reason == "Ongoing");
    let applied = synced.is_some_and(|synced| synced.status == ConditionStatus::True) && ongoing.is_none();
    ObjectProgress {
        outdated: outdated.or(is_unseen).or(is_unanswered),
        under_way: ongoing.map(|_| "an operation on the external resource is in progress".to_owned()),
        applied: if applied { ApplyState::Yes } else { ApplyState::No },
        revisions: None,
        failure: synced.map_or(FailureKind::Described, |synced| failure(resource, synced)),
    }
}

fn failure(resource: &Resource, synced: &Condition) -> FailureKind {
    if synced.status == ConditionStatus::True {
        return FailureKind::Described;
    }
    if PASSING.iter().any(|words| synced.message.contains(words)) {
        return FailureKind::Passing;
    }
    // An object of generation 1 has never been changed; a failure that began after the last change belongs to that
    // change.
    let is_dated = synced.observed_generation.or(resource.observed_generation).is_some_and(|seen| seen > 0);
    let is_changed = resource.metadata.generation.is_some_and(|generation| generation > 1);
    match (synced.last_transition_time, resource.metadata.written.declaration) {
        (Some(failed), Some(changed)) if !is_dated && is_changed && failed < changed => FailureKind::Undated,
        _ => FailureKind::Described,
    }
}
