//! The GitOps layer, from the status of the engines: objects that are out of sync, missing, or to be pruned, sources
//! that are not applied, and objects whose sync is paused.

use std::cell::LazyCell;
use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::json;

use crate::drift::correction::{automatic_correction, describe_correction, describe_outage};
use crate::drift::inventory::{ReadObjects, missing_objects};
use crate::drift::{DriftChoice, DriftLayer, LayerFindings, ObjectDrift};
use ucp_core::engine::argocd::{SKIP_RECONCILE, destination, is_stale, sync};
use ucp_core::engine::code::Code;
use ucp_core::engine::crossplane::managed::message_or_reason;
use ucp_core::engine::flux::failure;
use ucp_core::engine::outage::{ControllerOutage, Controllers};
use ucp_core::engine::{Problem, course};
use ucp_core::model::body::Body;
use ucp_core::model::body::argocd::{Application, DeployedResource};
use ucp_core::model::body::flux::FluxObject;
use ucp_core::model::comparison::{Certainty, ObservedDifference};
use ucp_core::model::condition::{ConditionStatus, FindCondition as _};
use ucp_core::model::path::FieldPath;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, Unreadable};

/// Kinds of Flux that apply objects.
const APPLIERS: [&str; 2] = ["Kustomization", "HelmRelease"];

/// Checks the chosen Applications, Kustomizations, HelmReleases and sources of a state, and those that manage a chosen
/// object.
pub fn gitops_findings(
    state: &ClusterState,
    controllers: &Controllers<'_>,
    is_chosen: &DriftChoice<'_>,
) -> LayerFindings {
    let mut findings = LayerFindings::default();
    let down = destination::unreachable_clusters(&state.resources);
    let fetched = fetched_revisions(state);
    let objects = LazyCell::new(|| ReadObjects::from_state(state));
    for resource in &state.resources {
        match &resource.body {
            Body::Application(application) => {
                let outage = controllers.outage(resource);
                let is_reached = !down.contains(&destination::key(application));
                let interval = state.health_rules.comparison_interval;
                let seen = LastComparison { now: state.moment, interval, outage: outage.as_ref(), is_reached };
                check_application(resource, application, &seen, is_chosen, &mut findings);
            }
            Body::Flux(_) if !is_chosen(&resource.name(), None) => {}
            Body::Flux(flux) if APPLIERS.contains(&resource.kind.kind.as_str()) => {
                check_flux(resource, flux, &fetched, controllers.outage(resource).as_ref(), &mut findings);
                findings.drifts.extend(missing_objects(&objects, resource, flux));
            }
            Body::Flux(flux) => check_source(resource, flux, controllers.outage(resource).as_ref(), &mut findings),
            _ => {}
        }
    }
    findings
}

fn unknown_drift(resource: &Resource, code: Code, since: Option<Timestamp>, message: impl Into<String>) -> ObjectDrift {
    let drift = ObjectDrift::of_object(resource.name(), DriftLayer::Gitops, code, message);
    ObjectDrift { certainty: Certainty::Unknown, since, ..drift }
}

/// The circumstances of an Application's last comparison.
struct LastComparison<'a> {
    /// Time of the cluster state.
    now: Timestamp,
    /// The time between two comparisons, if the Argo CD of the cluster sets it.
    interval: Option<std::time::Duration>,
    /// An outage of a controller of the Application.
    outage: Option<&'a ControllerOutage>,
    /// False if its cluster is known to be unreachable for Argo CD.
    is_reached: bool,
}

fn check_application(
    resource: &Resource,
    application: &Application,
    seen: &LastComparison<'_>,
    is_chosen: &DriftChoice<'_>,
    findings: &mut LayerFindings,
) {
    let LastComparison { now, interval, outage, is_reached } = *seen;
    let (status, manager) = (&application.status, resource.name());
    let is_itself_chosen = is_chosen(&manager, None);
    let objects: Vec<&DeployedResource> =
        status.resources.iter().filter(|object| !object.hook && is_chosen(&object.object(), Some(&manager))).collect();
    if !is_itself_chosen && objects.is_empty() {
        return;
    }
    if resource.metadata.annotation(SKIP_RECONCILE) == Some("true") {
        let message = format!("annotation {SKIP_RECONCILE} is set, so Argo CD does not compare it with Git");
        findings.drifts.push(unknown_drift(resource, Code::ApplicationPaused, status.reconciled_at, message));
        return;
    }
    let error =
        resource.conditions.iter().find(|condition| condition.kind.ends_with("Error") && condition.kind != "SyncError");
    let obstacle = match (error, status.sync.status.as_str()) {
        (Some(error), _) => Some(format!("{}: {}", error.kind, error.message)),
        (None, "Synced" | "OutOfSync") if !is_reached => {
            Some("Argo CD cannot reach its cluster, so its status may be out of date".to_owned())
        }
        (None, "Synced" | "OutOfSync") => None,
        (None, "") => Some("Argo CD has not compared it yet".to_owned()),
        (None, other) => Some(format!("its sync status is {other}")),
    };
    if let Some(reason) = obstacle {
        findings.unchecked.push(Unreadable { what: resource.name().to_string(), reason });
        return;
    }
    // Differences that were recorded for other sources say nothing.
    if let Some(reason) = course(resource).outdated {
        findings.unchecked.push(Unreadable { what: resource.name().to_string(), reason });
        return;
    }
    if is_stale(resource, status.reconciled_at, now, interval) {
        let message = "Argo CD has not compared it for a long time, so its status is out of date";
        findings.drifts.push(unknown_drift(resource, Code::ApplicationStale, status.reconciled_at, message));
        return;
    }
    let before = findings.drifts.len();
    let (compared, others): (Vec<_>, Vec<_>) = objects
        .into_iter()
        .partition(|one| one.requires_pruning || matches!(one.status.as_str(), "Synced" | "OutOfSync"));
    let number = if others.is_empty() { compared.len().max(1) } else { compared.len() };
    findings.unchecked.extend(others.into_iter().map(|object| Unreadable {
        what: object.object().to_string(),
        reason: format!("{} has no sync status of it", resource.name()),
    }));
    let undone = sync::reverted_self_heal(application, now);
    let out_of_sync = compared.into_iter().filter(|object| object.status == "OutOfSync" || object.requires_pruning);
    let view = ApplicationContext { undone: undone.as_ref(), outage };
    findings.drifts.extend(out_of_sync.map(|object| application_drift(resource, application, object, &view)));
    // Recorded differences remain valid; the absence of others does not.
    match outage {
        None => findings.checked += number,
        Some(outage) => {
            findings.checked += findings.drifts.len() - before;
            let message = format!("{}: the other objects are as of the last comparison", outage.to_sentence());
            findings.drifts.push(unknown_drift(resource, Code::ApplicationStale, status.reconciled_at, message));
            return;
        }
    }
    if status.sync.status == "OutOfSync" && findings.drifts.len() == before && is_itself_chosen {
        let message = "Argo CD reports OutOfSync, but does not name an object";
        findings.drifts.push(ObjectDrift::of_object(resource.name(), DriftLayer::Gitops, Code::OutOfSync, message));
    }
    // Between two attempts, everything is in sync.
    if let Some(undone) = undone.filter(|_| findings.drifts.len() == before && is_itself_chosen) {
        let drift = ObjectDrift::of_object(resource.name(), DriftLayer::Gitops, undone.code, undone.message);
        findings.drifts.push(ObjectDrift { certainty: Certainty::Suspected, since: undone.since, ..drift });
    }
}

/// Further facts about an Application.
struct ApplicationContext<'a> {
    /// A problem that reverts its changes.
    undone: Option<&'a Problem>,
    /// An outage of one of its controllers.
    outage: Option<&'a ControllerOutage>,
}

fn application_drift(
    resource: &Resource,
    application: &Application,
    object: &DeployedResource,
    view: &ApplicationContext<'_>,
) -> ObjectDrift {
    let destination = &application.spec.destination;
    let is_missing = object.health.as_ref().is_some_and(|health| health.status == "Missing");
    let (code, what) = match (object.requires_pruning, is_missing) {
        (true, _) => (Code::ObjectNotInGit, "it is not in Git any more"),
        (false, true) => (Code::ObjectNotInCluster, "it is declared in Git and missing in the cluster"),
        (false, false) => (Code::ObjectOutOfSync, "it differs from Git"),
    };
    let has_failed = sync::has_failed(application);
    let will_be_corrected =
        if has_failed || view.outage.is_some() { Some(false) } else { automatic_correction(application, code) };
    let corrected = match view.outage {
        Some(outage) => describe_outage(outage),
        None if has_failed => "the last sync failed".to_owned(),
        None => describe_correction(will_be_corrected).to_owned(),
    };
    let drift = match view.undone.filter(|_| code == Code::ObjectOutOfSync && view.outage.is_none()) {
        Some(undone) => ObjectDrift {
            since: undone.since,
            ..ObjectDrift::of_object(
                object.object(),
                DriftLayer::Gitops,
                undone.code,
                format!("{what}; {}", undone.message),
            )
        },
        None => ObjectDrift {
            will_be_corrected,
            ..ObjectDrift::of_object(object.object(), DriftLayer::Gitops, code, format!("{what}; {corrected}"))
        },
    };
    let elsewhere = destination.cluster().filter(|_| !destination.is_this_cluster());
    ObjectDrift { managed_by: Some(resource.name()), cluster: elsewhere.map(str::to_owned), ..drift }
}

fn check_source(
    resource: &Resource,
    flux: &FluxObject,
    outage: Option<&ControllerOutage>,
    findings: &mut LayerFindings,
) {
    if flux.spec.suspend {
        let message = "spec.suspend is true, so new revisions are not fetched";
        findings.drifts.push(unknown_drift(resource, Code::FluxSuspended, None, message));
    } else if let Some(condition) = resource.conditions.as_slice().with_status("Ready", ConditionStatus::False) {
        let reason = format!("the source cannot be fetched: {}", message_or_reason(condition));
        findings.unchecked.push(Unreadable { what: resource.name().to_string(), reason });
    } else if let Some(outage) = outage {
        let message = format!("{}: the current state of Git is not fetched", outage.to_sentence());
        findings.drifts.push(unknown_drift(resource, Code::FluxNeverReconciled, None, message));
    }
}

fn check_flux(
    resource: &Resource,
    flux: &FluxObject,
    fetched: &FetchedRevisions<'_>,
    outage: Option<&ControllerOutage>,
    findings: &mut LayerFindings,
) {
    let conditions = resource.conditions.as_slice();
    if let Some(condition) = conditions.with_status("Drifted", ConditionStatus::True) {
        findings.checked += 1;
        findings.drifts.push(ObjectDrift {
            since: condition.last_transition_time,
            ..ObjectDrift::of_object(
                resource.name(),
                DriftLayer::Gitops,
                Code::FluxDrifted,
                message_or_reason(condition),
            )
        });
        return;
    }
    let (fetched, applied) = (fetched_revision(resource, flux, fetched), flux.status.last_applied_revision.as_deref());
    let ready = conditions.of_type("Ready");
    // Flux reports a failure as Unknown while it retries.
    let failure = failure::last_failure(resource, flux);
    let not_ready = ready.filter(|condition| condition.status == ConditionStatus::False);
    let not_ready = failure.map(|failure| (failure.since, failure.message)).or_else(|| {
        let condition = not_ready?;
        Some((condition.last_transition_time, message_or_reason(condition)))
    });
    let lags = match (resource.kind.kind.as_str(), fetched) {
        ("Kustomization", Some(fetched)) => applied != Some(fetched),
        ("Kustomization", None) => {
            let attempted = flux.status.last_attempted_revision.as_deref();
            attempted.is_some() && attempted != applied
        }
        // A HelmRelease has no applied revision to compare; it is Ready when its chart and values are installed.
        _ => not_ready.is_some(),
    };
    if lags {
        findings.checked += 1;
        let becomes = match (flux.spec.suspend, &not_ready) {
            _ if outage.is_some() => {
                outage.map(|outage| format!("{}: nothing applies it", outage.to_sentence())).unwrap_or_default()
            }
            (true, _) => "spec.suspend is true: it remains until it is resumed".to_owned(),
            (false, Some((_, message))) => message.clone(),
            (false, None) => "Flux is about to apply it".to_owned(),
        };
        let mut drift = ObjectDrift::of_object(resource.name(), DriftLayer::Gitops, Code::RevisionNotApplied, becomes);
        drift.since = not_ready.as_ref().and_then(|(since, _)| *since);
        drift.will_be_corrected = Some(!flux.spec.suspend && not_ready.is_none() && outage.is_none());
        if let Some(fetched) = fetched.or(flux.status.last_attempted_revision.as_deref()) {
            let difference = ObservedDifference {
                path: FieldPath::from_fields(&["status", "lastAppliedRevision"]),
                declared: Some(json!(fetched)),
                observed: applied.map(|applied| json!(applied)),
                certainty: Certainty::Certain,
            };
            drift.differences.push((difference, None));
        }
        findings.drifts.push(drift);
    } else if flux.spec.suspend {
        let message = "spec.suspend is true, so it is not compared with Git";
        findings.drifts.push(unknown_drift(resource, Code::FluxSuspended, None, message));
    } else if let Some(outage) = outage {
        let message = format!("{}: it was applied when it was last checked", outage.to_sentence());
        findings.drifts.push(unknown_drift(resource, Code::FluxNeverReconciled, None, message));
    } else if let Some((_, message)) = not_ready {
        let reason = format!("it is not ready: {message}");
        findings.unchecked.push(Unreadable { what: resource.name().to_string(), reason });
    } else if ready.is_none() {
        let reason = "Flux has not reconciled it yet".to_owned();
        findings.unchecked.push(Unreadable { what: resource.name().to_string(), reason });
    } else {
        findings.checked += 1;
    }
}

/// The revisions that sources have fetched, by kind, namespace and name.
type FetchedRevisions<'state> = HashMap<(&'state str, Option<&'state str>, &'state str), &'state str>;

fn fetched_revisions(state: &ClusterState) -> FetchedRevisions<'_> {
    let mut fetched = FetchedRevisions::new();
    for source in &state.resources {
        let Body::Flux(flux) = &source.body else { continue };
        let Some(artifact) = &flux.status.artifact else { continue };
        let (kind, metadata) = (source.kind.kind.as_str(), &source.metadata);
        fetched.entry((kind, metadata.namespace.as_deref(), &metadata.name)).or_insert(artifact.revision.as_str());
    }
    fetched
}

/// Returns the revision that a Kustomization's source has fetched.
fn fetched_revision<'state>(
    resource: &Resource,
    flux: &FluxObject,
    fetched: &FetchedRevisions<'state>,
) -> Option<&'state str> {
    let reference = flux.spec.source_ref.as_ref()?;
    let namespace = reference.namespace.as_deref().or(resource.metadata.namespace.as_deref());
    fetched.get(&(reference.kind.as_str(), namespace, reference.name.as_str())).copied()
}
