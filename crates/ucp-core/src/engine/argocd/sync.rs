//! The last sync of an Application: its failure, if still relevant, and self-healing that is reverted.

use jiff::{SignedDuration, Timestamp};

use crate::engine::code::Code;
use crate::engine::judgement::{AssessmentClock, Problem};
use crate::model::body::argocd::{Application, ApplicationStatus, DeployedResource, OperationState, SyncedResource};
use crate::model::resource::Resource;
use crate::model::secrecy::scrub;

use super::patience;

/// Consecutive syncs of self-healing for one revision, more than manual edits would explain. Argo CD resets its counter
/// after `--self-heal-backoff-cooldown-seconds`, five and a half minutes by default.
const MANY_HEALS: u64 = 3;
/// The maximum age of such a counter.
const RECENT: SignedDuration = SignedDuration::from_mins(10);
/// The maximum number of resources that are named.
const NAMED: usize = 3;

/// The longest time between two attempts of a sync, by default (`spec.syncPolicy.retry.backoff.maxDuration`).
const MOST_BACKOFF: SignedDuration = SignedDuration::from_mins(3);

/// The state of the last sync.
pub(super) enum LastSync {
    /// Not relevant.
    Idle,
    /// Requested, and not begun.
    Requested,
    /// In progress.
    Running,
    /// In progress after failed attempts, whose message says that the next one may succeed.
    Retrying(String),
    /// It failed, and a comparison of its revision has found Git and the cluster in sync since then.
    Contradicted(String),
    /// A problem to report.
    Problem(Problem),
    /// Its phase is not known.
    Unknown(String),
}

/// Interprets `operation`, which Argo CD removes at the end of the operation, and `status.operationState`.
pub(super) fn last_sync(application: &Application, clock: &AssessmentClock) -> LastSync {
    // Between two attempts, the operation is running, and has the time at which the last attempt ended.
    let has_begun = application.status.operation_state.as_ref().is_some_and(|operation| {
        operation.finished_at.is_none() || matches!(operation.phase.as_str(), "Running" | "Terminating")
    });
    let is_requested = application.requested.is_some() && !has_begun;
    match reported_sync(application, clock) {
        LastSync::Idle | LastSync::Unknown(_) | LastSync::Contradicted(_) if is_requested => LastSync::Requested,
        LastSync::Problem(problem) if is_requested && problem.code == Code::SyncFailed => LastSync::Requested,
        reported => reported,
    }
}

/// Interprets `status.operationState`.
fn reported_sync(application: &Application, clock: &AssessmentClock) -> LastSync {
    let Some(operation) = &application.status.operation_state else { return LastSync::Idle };
    let began = operation.started_at.or(operation.finished_at);
    match operation.phase.as_str() {
        "Failed" | "Error" if is_over(&application.status, operation) => {
            let is_current = is_of_compared_revision(&application.status, operation);
            if is_current { LastSync::Contradicted(failure(operation)) } else { LastSync::Idle }
        }
        "Failed" | "Error" => LastSync::Problem(Problem::new(Code::SyncFailed, began, failure(operation))),
        // During retries, Argo CD reports a failed sync as Running.
        "Running" if operation.retry_count > 0 && clock.may_recover(&failure(operation), began, MOST_BACKOFF * 3) => {
            LastSync::Retrying(failure(operation))
        }
        "Running" if operation.retry_count > 0 => {
            let attempts = match operation.retry_count {
                1 => "1 attempt failed".to_owned(),
                many => format!("{many} attempts failed"),
            };
            LastSync::Problem(Problem::new(Code::SyncFailed, began, format!("{attempts}: {}", failure(operation))))
        }
        "Running" | "Terminating" if clock.is_overdue(began) => {
            LastSync::Problem(Problem::new(Code::SyncRunning, began, operation.message.clone()))
        }
        // A running self-heal sync is no evidence that the previous one persisted.
        "Running" | "Terminating" => {
            reverted_self_heal(application, clock.now).map_or(LastSync::Running, LastSync::Problem)
        }
        "Succeeded"
            if application.status.sync.status == "Synced"
                && failed_resources(operation).any(|resource| resource.hook_type.is_empty())
                && is_of_compared_revision(&application.status, operation) =>
        {
            LastSync::Contradicted(failure(operation))
        }
        "Succeeded" | "" => reverted_self_heal(application, clock.now).map_or(LastSync::Idle, LastSync::Problem),
        other => LastSync::Unknown(other.to_owned()),
    }
}

/// The sync has ended; health and sync status date from before it.
pub(super) const NOT_COMPARED_YET: &str = "the sync has ended, and its outcome has not been compared yet";

/// Returns what an Application with missing resources waits for: its first sync, or the comparison after a sync.
pub(super) fn awaited(resource: &Resource, application: &Application, clock: &AssessmentClock) -> Option<&'static str> {
    let status = &application.status;
    let (is_awaited, since, message) = match &status.operation_state {
        None => {
            let is_automatic = application.spec.sync_policy.automatic().is_some();
            let created = resource.metadata.creation_timestamp;
            (is_automatic && status.history.is_empty(), created, "its first sync has not started yet")
        }
        Some(operation) => (
            operation.phase == "Succeeded" && operation.finished_at > status.reconciled_at,
            operation.finished_at,
            NOT_COMPARED_YET,
        ),
    };
    let is_new = clock.may_recover("", since, patience::with_applications(clock));
    (is_awaited && is_new).then_some(message)
}

/// Returns true if an operation was for the revision of the last comparison, as far as both are known.
fn is_of_compared_revision(status: &ApplicationStatus, operation: &OperationState) -> bool {
    let asked = &operation.operation.sync;
    let synced = operation.sync_result.iter().map(|result| revisions(result.revision.as_ref(), &result.revisions));
    let asked = std::iter::once(revisions(asked.revision.as_ref(), &asked.revisions));
    let known = synced.chain(asked).find(|revisions| !revisions.is_empty());
    known.is_some_and(|known| known == revisions(status.sync.revision.as_ref(), &status.sync.revisions))
}

pub(super) fn revisions(one: Option<&String>, several: &[String]) -> Vec<String> {
    one.into_iter().chain(several).filter(|revision| !revision.is_empty()).cloned().collect()
}

/// Returns true if the last sync failed, so that the next one is likely to fail.
pub fn has_failed(application: &Application) -> bool {
    application.status.operation_state.as_ref().is_some_and(|operation| match operation.phase.as_str() {
        "Failed" | "Error" => !is_over(&application.status, operation),
        "Running" => operation.retry_count > 0,
        _ => false,
    })
}

/// Returns true if the last sync failed, and Argo CD does not start another one for the same revision.
pub(super) fn has_given_up(application: &Application) -> bool {
    let operation = application.status.operation_state.as_ref();
    operation.is_some_and(|operation| operation.phase != "Running") && has_failed(application)
}

/// Returns true if a failure is resolved: Git and the cluster have been in sync since then, and no hook failed. Effects
/// of a hook are not part of the cluster's objects, so that a newer revision in sync does not prove that its hook ran.
fn is_over(status: &ApplicationStatus, operation: &OperationState) -> bool {
    let compared_since = status.reconciled_at >= operation.finished_at;
    if status.sync.status != "Synced" || !compared_since {
        return false;
    }
    !failed_resources(operation).any(|resource| !resource.hook_type.is_empty())
}

/// Returns the message of a failed sync, with the messages of failed resources that it does not contain.
fn failure(operation: &OperationState) -> String {
    let mut text = operation.message.trim().to_owned();
    let unsaid: Vec<_> = failed_resources(operation)
        .filter(|resource| !resource.message.is_empty() && !text.contains(resource.message.trim()))
        // Which kind was refused decides whether the server quoted a secret.
        .map(|resource| {
            scrub(&format!("{}/{}: {}", resource.kind, resource.name, resource.message.trim())).into_owned()
        })
        .collect();
    if !unsaid.is_empty() {
        text.truncate(text.trim_end_matches('.').len());
    }
    for words in unsaid.iter().take(NAMED) {
        text.push_str(if text.is_empty() { "" } else { "; " });
        text.push_str(words);
    }
    if unsaid.len() > NAMED {
        text.push_str(&format!("; and {} more", unsaid.len() - NAMED));
    }
    text
}

fn failed_resources(operation: &OperationState) -> impl Iterator<Item = &SyncedResource> {
    let resources = operation.sync_result.iter().flat_map(|result| &result.resources);
    resources.filter(|resource| {
        resource.status == "SyncFailed" || matches!(resource.hook_phase.as_str(), "Failed" | "Error")
    })
}

/// Returns the problem of self-healing that is reverted repeatedly.
pub fn reverted_self_heal(application: &Application, now: Timestamp) -> Option<Problem> {
    let operation = application.status.operation_state.as_ref()?;
    let asked = &operation.operation.sync;
    let is_recent = operation.finished_at.is_none_or(|finished| now.duration_since(finished) <= RECENT);
    let goes_on = application.status.sync.status == "OutOfSync" || is_recent;
    if asked.auto_heal_attempts_count < MANY_HEALS || !goes_on {
        return None;
    }
    let what = match asked.resources.as_slice() {
        [] => "the Application".to_owned(),
        resources => name_some(resources.iter()),
    };
    let times = asked.auto_heal_attempts_count;
    let message = format!(
        "self-heal synced {what} {times} times for one revision: something reverts it, or the API server changes the declared values"
    );
    Some(Problem::new(Code::SelfHealUndone, operation.started_at, message))
}

/// Returns a few resources by name, and the number of the others.
pub(super) fn name_some<'a>(resources: impl Iterator<Item = &'a DeployedResource>) -> String {
    let names: Vec<String> = resources
        .map(|resource| match resource.requires_pruning {
            true => format!("{}/{} (to be pruned)", resource.kind, resource.name),
            false => format!("{}/{}", resource.kind, resource.name),
        })
        .collect();
    match names.len() {
        0..=NAMED => names.join(", "),
        many => format!("{} and {} more", names[..NAMED - 1].join(", "), many - (NAMED - 1)),
    }
}
