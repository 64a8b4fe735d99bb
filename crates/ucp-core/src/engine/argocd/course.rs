//! The progress of Applications: the last comparison, and its revision.

use crate::engine::course::{ApplyState, DeployedRevisions, FailureKind, ObjectProgress};
use crate::model::body::Body;
use crate::model::body::argocd::{
    Application, ApplicationDestination, ApplicationSource, ApplicationSpec, ComparedTo, IgnoreDifferences,
};
use crate::model::resource::Resource;
use crate::model::secrecy::scrub;

use super::sync;

/// Annotation that requests a comparison; removed by the controller after the comparison.
const REFRESH: &str = "argocd.argoproj.io/refresh";

pub(super) fn application_progress(resource: &Resource) -> ObjectProgress {
    let Body::Application(application) = &resource.body else { return ObjectProgress::from_conditions(resource) };
    let status = &application.status;
    let is_synced = status.sync.status == "Synced";
    let compared: Vec<String> = sync::revisions(status.sync.revision.as_ref(), &status.sync.revisions);
    let mut tried = compared.clone();
    if let Some(operation) = &status.operation_state {
        let asked = &operation.operation.sync;
        tried.extend(sync::revisions(asked.revision.as_ref(), &asked.revisions));
        tried.extend(
            operation.sync_result.iter().flat_map(|done| sync::revisions(done.revision.as_ref(), &done.revisions)),
        );
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
    match &status.sync.compared_to {
        Some(compared) => {
            if let Some(change) = change_since(&application.spec, compared) {
                return Some(format!("{change} not been compared yet"));
            }
        }
        // Argo CD writes all three with each comparison; objects in reports may have only the other two.
        None => {
            let compared = sync::revisions(status.sync.revision.as_ref(), &status.sync.revisions);
            if !status.sync.status.is_empty() && status.reconciled_at.is_none() && compared.is_empty() {
                return Some("status.sync.comparedTo is absent: it has not been compared yet".to_owned());
            }
        }
    }
    // Health and sync status date from before the sync, which `argocd app wait` checks as well.
    let finished = status.operation_state.as_ref().and_then(|operation| operation.finished_at)?;
    let is_compared = status.reconciled_at.is_some_and(|reconciled| reconciled >= finished);
    (!is_compared).then(|| sync::NOT_COMPARED_YET.to_owned())
}

/// Returns the part of a declaration that was changed after the last comparison, as the beginning of a sentence.
fn change_since(spec: &ApplicationSpec, compared: &ComparedTo) -> Option<&'static str> {
    let asked: Vec<ApplicationSource> = match &spec.source_hydrator {
        Some(hydrator) => vec![hydrator.deployed_source()],
        None => spec.all_sources().map(source_in_status).collect(),
    };
    let known = match compared.sources.as_slice() {
        [] => compared.source.as_slice(),
        several => several,
    };
    if !asked.is_empty() && !known.is_empty() && asked != known {
        return Some("its sources were changed and have");
    }
    if is_other_destination(&spec.destination, &compared.destination) {
        return Some("its destination was changed and has");
    }
    let ignored: Vec<IgnoreDifferences> = spec.ignore_differences.iter().map(ignored_in_status).collect();
    (ignored != compared.ignore_differences).then_some("its ignoreDifferences were changed and have")
}

/// Compares what both destinations state: one may have the name of a cluster and the other one its URL.
fn is_other_destination(asked: &ApplicationDestination, known: &ApplicationDestination) -> bool {
    let differ = |asked: &Option<String>, known: &Option<String>| {
        let stated = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        matches!((stated(asked), stated(known)), (Some(asked), Some(known)) if asked != known)
    };
    differ(&asked.name, &known.name)
        || differ(&asked.server, &known.server)
        || differ(&asked.namespace, &known.namespace)
}

/// Returns a source as it is read from a status, whose texts are scrubbed.
fn source_in_status(source: &ApplicationSource) -> ApplicationSource {
    let mut source = source.clone();
    if let Some(helm) = &mut source.helm {
        helm.values = scrub(&helm.values).into_owned();
    }
    source
}

/// Returns one of `spec.ignoreDifferences` as it is read from a status, whose texts are scrubbed.
fn ignored_in_status(ignored: &IgnoreDifferences) -> IgnoreDifferences {
    let scrubbed = |texts: &[String]| texts.iter().map(|text| scrub(text).into_owned()).collect();
    IgnoreDifferences {
        json_pointers: scrubbed(&ignored.json_pointers),
        jq_path_expressions: scrubbed(&ignored.jq_path_expressions),
        ..ignored.clone()
    }
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
