//! The last sync of an Application: whether it failed, whether that still matters, and whether somebody undoes it.

use jiff::{SignedDuration, Timestamp};

use crate::engine::code::Code;
use crate::engine::{Clock, Problem};
use crate::model::body::argocd::{Application, Deployed, Operation, Status, SyncedResource};

/// Syncs of self-healing for one revision, one time after the other, that no person's edits explain: Argo CD counts anew
/// after `--self-heal-backoff-cooldown-seconds`, five and a half minutes by default.
const MANY_HEALS: u64 = 3;
/// For how long such a number speaks of the present.
const RECENT: SignedDuration = SignedDuration::from_mins(10);
/// Resources named in full.
const NAMED: usize = 3;

/// What the last sync says.
pub(super) enum Sync {
    /// Nothing of interest.
    Idle,
    /// It is under way.
    Running,
    /// Something a person should see.
    Problem(Problem),
}

/// Reads `status.operationState`.
pub(super) fn of(application: &Application, clock: &Clock) -> Sync {
    let Some(operation) = &application.status.operation_state else { return Sync::Idle };
    let began = operation.started_at.or(operation.finished_at);
    match operation.phase.as_str() {
        "Failed" | "Error" if is_over(&application.status, operation) => Sync::Idle,
        "Failed" | "Error" => Sync::Problem(Problem::new(Code::SyncFailed, began, failure(operation))),
        // While it tries again, Argo CD calls a failed sync Running.
        "Running" if operation.retry_count > 0 => {
            let attempts = match operation.retry_count {
                1 => "1 attempt failed".to_owned(),
                many => format!("{many} attempts failed"),
            };
            Sync::Problem(Problem::new(Code::SyncFailed, began, format!("{attempts}: {}", failure(operation))))
        }
        "Running" | "Terminating" if clock.is_overdue(began) => {
            Sync::Problem(Problem::new(Code::SyncRunning, began, operation.message.clone()))
        }
        // One more sync of self-heal that is under way is no sign that the last one held.
        "Running" | "Terminating" => undone(application, clock.now).map_or(Sync::Running, Sync::Problem),
        _ => undone(application, clock.now).map_or(Sync::Idle, Sync::Problem),
    }
}

/// Whether the last sync failed, so that the next one is likely to.
pub(crate) fn has_failed(application: &Application) -> bool {
    application.status.operation_state.as_ref().is_some_and(|operation| match operation.phase.as_str() {
        "Failed" | "Error" => !is_over(&application.status, operation),
        "Running" => operation.retry_count > 0,
        _ => false,
    })
}

/// Whether a failure is of the past: Git and the cluster agree since, and it was not a hook that failed. What a hook does is
/// not in the cluster's objects: that a newer revision is in sync does not say that its hook ran.
fn is_over(status: &Status, operation: &Operation) -> bool {
    let compared_since = status.reconciled_at >= operation.finished_at;
    if status.sync.status != "Synced" || !compared_since {
        return false;
    }
    !failed_resources(operation).any(|resource| !resource.hook_type.is_empty())
}

/// Why it failed: its message, and what it does not say of the resources that did.
fn failure(operation: &Operation) -> String {
    let mut text = operation.message.trim().to_owned();
    let unsaid: Vec<_> = failed_resources(operation)
        .filter(|resource| !resource.message.is_empty() && !text.contains(resource.message.trim()))
        .map(|resource| format!("{}/{}: {}", resource.kind, resource.name, resource.message.trim()))
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

fn failed_resources(operation: &Operation) -> impl Iterator<Item = &SyncedResource> {
    let resources = operation.sync_result.iter().flat_map(|result| &result.resources);
    resources.filter(|resource| {
        resource.status == "SyncFailed" || matches!(resource.hook_phase.as_str(), "Failed" | "Error")
    })
}

/// Self-healing that has to come back again and again.
pub(crate) fn undone(application: &Application, now: Timestamp) -> Option<Problem> {
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
        "self-heal synced {what} {times} times for one revision: something reverts it, or the API server changes what Git declares"
    );
    Some(Problem::new(Code::SelfHealUndone, operation.started_at, message))
}

/// A few resources by name and the rest by number.
pub(super) fn name_some<'a>(resources: impl Iterator<Item = &'a Deployed>) -> String {
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
