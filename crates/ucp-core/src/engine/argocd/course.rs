//! The progress of Applications: the last comparison, and its revision.

use crate::engine::course::{ApplyState, DeployedRevisions, FailureKind, ObjectProgress};
use crate::model::body::Body;
use crate::model::body::argocd::{Application, ApplicationSource};
use crate::model::resource::Resource;

use super::sync;

/// Annotation that requests a comparison; removed by the controller after the comparison.
const REFRESH: &str = "argocd.argoproj.io/refresh";

pub(super) fn application_progress(resource: &Resource) -> ObjectProgress {
    let Body::Application(application) = &resource.body else { return ObjectProgress::from_conditions(resource) };
    let status = &application.status;
    let is_synced = status.sync.status == "Synced";
    let compared: Vec<String> = revisions(status.sync.revision.as_ref(), &status.sync.revisions);
    let mut tried = compared.clone();
    if let Some(operation) = &status.operation_state {
        let asked = &operation.operation.sync;
        tried.extend(revisions(asked.revision.as_ref(), &asked.revisions));
        tried.extend(operation.sync_result.iter().flat_map(|done| revisions(done.revision.as_ref(), &done.revisions)));
    }
    ObjectProgress {
        outdated: outdated(resource, application),
        under_way: None,
        applied: if is_synced { ApplyState::Yes } else { ApplyState::No },
        revisions: Some(DeployedRevisions { applied: if is_synced { compared } else { Vec::new() }, tried }),
        failure: failure(resource, application),
    }
}

/// Returns the reason why the status of an Application is outdated, if it is.
pub(super) fn outdated(resource: &Resource, application: &Application) -> Option<String> {
    if resource.metadata.annotation(REFRESH).is_some() {
        return Some("a requested comparison has not happened yet".to_owned());
    }
    let status = &application.status;
    if let Some(compared) = &status.sync.compared_to {
        let asked: Vec<&ApplicationSource> = application.spec.all_sources().collect();
        let known: Vec<&ApplicationSource> = match compared.sources.as_slice() {
            [] => compared.source.iter().collect(),
            several => several.iter().collect(),
        };
        if !asked.is_empty() && !known.is_empty() && asked != known {
            return Some("its sources were changed and have not been compared yet".to_owned());
        }
    }
    // Health and sync status date from before the sync, which `argocd app wait` checks as well.
    let finished = status.operation_state.as_ref().and_then(|operation| operation.finished_at)?;
    let is_compared = status.reconciled_at.is_some_and(|reconciled| reconciled >= finished);
    (!is_compared).then(|| "the sync has ended, and its outcome has not been compared yet".to_owned())
}

fn failure(resource: &Resource, application: &Application) -> FailureKind {
    let has_error = resource.conditions.iter().any(|condition| condition.kind.ends_with("Error"));
    match application.status.health.status.as_str() {
        _ if sync::has_given_up(application) => FailureKind::GivenUp,
        _ if has_error || sync::has_failed(application) => FailureKind::Described,
        // Missing resources are created by a first sync.
        "Missing" => FailureKind::Passing,
        "Degraded" | "Suspended" => FailureKind::OfHealth,
        _ => FailureKind::Described,
    }
}

fn revisions(one: Option<&String>, several: &[String]) -> Vec<String> {
    one.into_iter().chain(several).filter(|revision| !revision.is_empty()).cloned().collect()
}
