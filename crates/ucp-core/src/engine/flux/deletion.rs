//! Flux objects that are being deleted, and the reason why the deletion is blocked.

use jiff::Timestamp;

use super::messages::words;
use crate::engine::code::Code;
use crate::engine::judgement::{AssessmentClock, Judgement, Problem};
use crate::model::body::flux::FluxObject;
use crate::model::condition::{ConditionStatus, FindCondition as _};
use crate::model::resource::Resource;

/// The maximum number of objects that are named.
const NAMED: usize = 3;

/// Judges an object that is being deleted. Its readiness is ignored.
pub(super) fn judge(
    resource: &Resource,
    fields: &FluxObject,
    deleted: Timestamp,
    clock: &AssessmentClock,
) -> Judgement {
    let since = Some(deleted);
    let held_by = held_by(resource, fields);
    let failed = resource.conditions.as_slice().with_status("Ready", ConditionStatus::False);
    // Other reasons date from before the deletion.
    let failed = failed.filter(|condition| matches!(condition.reason.as_str(), "UninstallFailed" | "PruneFailed"));
    let message = match failed {
        Some(condition) => format!("cannot be deleted: {}; {held_by}", words(condition)),
        None => format!("is being deleted; {held_by}"),
    };
    if failed.is_some() || clock.is_overdue(since) {
        let problem = Problem::new(Code::FluxDeletionStuck, since, message);
        return Judgement::worst(vec![problem], Judgement::ok(since));
    }
    Judgement::quiet(clock.under_way(since), since, message)
}

fn held_by(resource: &Resource, fields: &FluxObject) -> String {
    let mut text = resource.metadata.describe_finalizers();
    let entries = fields.status.inventory.as_ref().map_or(&[][..], |inventory| &inventory.entries);
    if !entries.is_empty() && removes_objects(resource, fields) {
        let names: Vec<_> = entries.iter().take(NAMED).map(|entry| entry.words()).collect();
        text.push_str(&format!(" until these are deleted: {}", names.join(", ")));
        if entries.len() > NAMED {
            text.push_str(&format!(" and {} more", entries.len() - NAMED));
        }
    }
    text
}

/// Returns true if the applied objects are deleted together with the object.
pub(in crate::engine) fn removes_objects(resource: &Resource, fields: &FluxObject) -> bool {
    resource.kind.kind == "HelmRelease" || fields.spec.deletes_objects()
}
