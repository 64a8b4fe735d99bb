//! Failed reconciliations of Flux objects, and their start times. Each retry sets Ready to Unknown and then to False
//! again, with a new time; older attempts are in `status.history` of a Kustomization and in `status.failures` of a
//! HelmRelease.

use jiff::Timestamp;

use super::messages::words;
use crate::engine::code::Code;
use crate::engine::judgement::Problem;
use crate::model::body::flux::{FluxHistoryEntry, FluxObject};
use crate::model::condition::{Condition, ConditionStatus, FindCondition as _};
use crate::model::resource::Resource;

/// The result of an attempt that applied everything.
const SUCCEEDED: &str = "ReconciliationSucceeded";
/// Conditions that are only present, and True, during a problem. A retry does not change them.
pub(super) const ABNORMAL: [&str; 4] = ["FetchFailed", "BuildFailed", "StorageOperationFailed", "IncludeUnavailable"];

/// Returns the failure of the last attempt, including while the next one is in progress.
pub fn last_failure(resource: &Resource, fields: &FluxObject) -> Option<Problem> {
    let conditions = resource.conditions.as_slice();
    let ready = conditions.of_type("Ready")?;
    if let Some(stalled) = conditions.with_status("Stalled", ConditionStatus::True) {
        let mut message = words(stalled);
        if ready.status == ConditionStatus::False && !message.contains(ready.message.trim()) {
            message = format!("{message}; {}", words(ready));
        }
        return Some(Problem::new(Code::FluxStalled, stalled.last_transition_time, message));
    }
    let (times, latest) = last_failures(fields);
    let message = match ready.status {
        ConditionStatus::True => return None,
        ConditionStatus::False if ready.reason == "DependencyNotReady" => return None,
        ConditionStatus::False => words(ready),
        ConditionStatus::Unknown => {
            let released =
                conditions.with_status("Released", ConditionStatus::False).filter(|_| fields.status.failures > 0);
            let is_retry = conditions
                .with_status("Reconciling", ConditionStatus::True)
                .is_some_and(|condition| condition.reason == "ProgressingWithRetry");
            let cause = match (released, latest) {
                (Some(released), _) => words(released),
                (None, Some(latest)) => of_objects(&latest.last_reconciled_status, fields),
                (None, None) if times > 0 || is_retry => "the last attempt failed".to_owned(),
                (None, None) => return None,
            };
            format!("{cause}; now: {}", now(conditions).unwrap_or_else(|| words(ready)))
        }
    };
    let message = if times > 1 { format!("{message} (failed {times} times)") } else { message };
    Some(Problem::new(Code::FluxNotReady, first_failure_time(resource, fields, conditions), message))
}

/// Returns true if a health check only ended before its objects were ready: `Deployment/shop/web status: 'InProgress'`. The
/// next one goes on waiting for them.
pub(super) fn is_only_slow(message: &str) -> bool {
    let mut states =
        message.split("status: '").skip(1).map(|rest| rest.split('\'').next().unwrap_or_default()).peekable();
    states.peek().is_some() && states.all(|state| state == "InProgress")
}

/// Returns the number of consecutive failures, and the last one if the history contains it.
fn last_failures(fields: &FluxObject) -> (u64, Option<&FluxHistoryEntry>) {
    let failed = failures(fields);
    let times = failed.iter().map(|attempts| attempts.total_reconciliations.max(1)).sum::<u64>();
    (times.max(fields.status.failures), failed.first().copied())
}

/// Returns the last attempt of a Kustomization if it failed.
pub(super) fn last_failed_attempt(fields: &FluxObject) -> Option<&FluxHistoryEntry> {
    failures(fields).first().copied()
}

/// Returns the attempts since the last successful one, newest first.
fn failures(fields: &FluxObject) -> Vec<&FluxHistoryEntry> {
    let mut attempts: Vec<&FluxHistoryEntry> = attempts(fields).collect();
    attempts.sort_by_key(|attempts| std::cmp::Reverse(attempts.last_reconciled));
    let succeeded = attempts.iter().position(|attempts| attempts.last_reconciled_status == SUCCEEDED);
    attempts.truncate(succeeded.unwrap_or(attempts.len()));
    attempts
}

/// Returns the history of a Kustomization. The history of a HelmRelease contains releases.
fn attempts(fields: &FluxObject) -> impl Iterator<Item = &FluxHistoryEntry> {
    fields.status.history.iter().filter(|attempts| !attempts.last_reconciled_status.is_empty())
}

/// During a new health check, no object is named; if only a few objects were applied, it is one of them.
fn of_objects(status: &str, fields: &FluxObject) -> String {
    let entries = fields.status.inventory.as_ref().map_or(&[][..], |inventory| &inventory.entries);
    match entries {
        [_, ..] if status == "HealthCheckFailed" && entries.len() <= 3 => {
            let names: Vec<_> = entries.iter().map(|entry| entry.words()).collect();
            format!("{status} of {}", names.join(", "))
        }
        _ => status.to_owned(),
    }
}

fn now(conditions: &[Condition]) -> Option<String> {
    let reconciling = conditions.with_status("Reconciling", ConditionStatus::True)?;
    Some(reconciling.message.trim().to_owned()).filter(|message| !message.is_empty())
}

/// Returns the time of the first failure since the last success, if known.
fn first_failure_time(resource: &Resource, fields: &FluxObject, conditions: &[Condition]) -> Option<Timestamp> {
    let first = failures(fields).iter().filter_map(|attempts| attempts.first_reconciled).min();
    let succeeded = attempts(fields)
        .filter(|attempts| attempts.last_reconciled_status == SUCCEEDED)
        .filter_map(|attempts| attempts.last_reconciled)
        .max();
    if first.is_some() {
        // The same manifests may have failed in the same way before.
        return first.max(succeeded);
    }
    let abnormal = ABNORMAL
        .iter()
        .filter_map(|kind| conditions.with_status(kind, ConditionStatus::True)?.last_transition_time)
        .min();
    // An object that has never been ready has failed since its creation.
    let created = resource.metadata.creation_timestamp.filter(|_| has_never_succeeded(resource, fields));
    let ready =
        || conditions.with_status("Ready", ConditionStatus::False).and_then(|condition| condition.last_transition_time);
    abnormal.or(created).or_else(ready)
}

fn has_never_succeeded(resource: &Resource, fields: &FluxObject) -> bool {
    let status = &fields.status;
    match resource.kind.kind.as_str() {
        "Kustomization" | "HelmRelease" => status.last_applied_revision.is_none() && status.history.is_empty(),
        _ => status.artifact.is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::is_only_slow;

    #[test]
    fn a_health_check_is_only_slow_while_all_its_objects_are_in_progress() {
        for (states, expected) in [
            ("[Deployment/shop/web status: 'InProgress']", true),
            ("[Deployment/shop/web status: 'InProgress', Job/shop/a status: 'InProgress']", true),
            ("[Deployment/shop/web status: 'InProgress', Job/shop/a status: 'Failed']", false),
            ("[Deployment/shop/web status: 'NotFound']", false),
            ("", false),
        ] {
            let message = format!("HealthCheckFailed: health check failed after 30s: timeout waiting for: {states}");
            assert_eq!(is_only_slow(&message), expected, "{states}");
        }
    }
}
