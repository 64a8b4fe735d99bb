//! The GitOps layer, compared by this program: a checkout is rendered and dry-run on the clusters, instead of using the
//! status of the engines.

use std::collections::{BTreeSet, HashMap};

use crate::drift::correction::{automatic_correction, describe_correction, describe_outage};
use crate::drift::{DriftLayer, LayerFindings, ObjectDrift};
use crate::plan::outcome::{PlanAction, PlanItem, PlanOutcome, ServerCheck};
use ucp_core::engine::code::Code;
use ucp_core::engine::outage::Controllers;
use ucp_core::model::body::Body;
use ucp_core::model::comparison::{Certainty, ObservedDifference};
use ucp_core::model::object::{ObjectKeyRef, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// Returns the Applications and Kustomizations that were compared. The status of their engines is older.
pub fn compared_deployments(compared: &PlanOutcome) -> BTreeSet<ObjectName> {
    compared.deployments.iter().map(|deployment| deployment.object.clone()).collect()
}

/// Returns the differences between a checkout and the clusters.
pub fn repository_findings(
    compared: PlanOutcome,
    state: &ClusterState,
    controllers: &Controllers<'_>,
    is_chosen: &dyn Fn(&ObjectName, Option<&ObjectName>) -> bool,
) -> LayerFindings {
    let items = compared.items.into_iter().filter(|item| is_chosen(&item.object, Some(&item.deployed_by)));
    let deployments: Deployments<'_> = state
        .resources
        .iter()
        .filter(|resource| matches!(resource.body, Body::Application(_) | Body::Flux(_)))
        .map(|resource| (resource.key_ref(), resource))
        .collect();
    let drifts: Vec<ObjectDrift> = items.map(|item| item_drift(item, &deployments, controllers)).collect();
    LayerFindings {
        checked: compared.unchanged + drifts.len(),
        drifts,
        unchecked: compared.unreadable,
        ..LayerFindings::default()
    }
}

/// Deployers by name, for lookups by thousands of differences.
type Deployments<'state> = HashMap<ObjectKeyRef<'state>, &'state Resource>;

fn item_drift(item: PlanItem, deployments: &Deployments<'_>, controllers: &Controllers<'_>) -> ObjectDrift {
    let (code, what) = match item.action {
        PlanAction::Add => (Code::ObjectNotInCluster, "it is declared in Git and missing in the cluster"),
        PlanAction::Change => (Code::ObjectOutOfSync, "it differs from Git"),
        PlanAction::Remove | PlanAction::Abandon => (Code::ObjectNotInGit, "it is not in Git any more"),
    };
    let deployment = deployments.get(&item.deployed_by.key_ref()).copied();
    let outage = deployment.and_then(|deployment| controllers.outage(deployment));
    let will_be_corrected = match item.action {
        PlanAction::Abandon => Some(false),
        _ if outage.is_some() => Some(false),
        _ => deployment.and_then(|deployment| correction(deployment, code)),
    };
    let mut message = match outage {
        Some(outage) => format!("{what}; {}", describe_outage(&outage)),
        None => format!("{what}; {}", describe_correction(will_be_corrected)),
    };
    if let (ServerCheck::Rejected, Some(reason)) = (item.check, &item.message) {
        message = format!("{what}; the server would reject it: {reason}");
    }
    // A missing object has no differing fields.
    let differences = match item.action {
        PlanAction::Change => item.differences,
        _ => Vec::new(),
    };
    let differences = differences.into_iter().map(|entry| {
        let difference = ObservedDifference {
            path: entry.difference.path,
            declared: entry.difference.after,
            observed: entry.difference.before,
            certainty: Certainty::Certain,
        };
        (difference, None)
    });
    ObjectDrift {
        will_be_corrected,
        managed_by: Some(item.deployed_by),
        cluster: item.cluster,
        differences: differences.collect(),
        declaration: item.after,
        ..ObjectDrift::of_object(item.object, DriftLayer::Gitops, code, message)
    }
}

/// Returns true if the engine that deploys an object corrects it automatically.
fn correction(deployment: &Resource, code: Code) -> Option<bool> {
    match &deployment.body {
        Body::Application(application) => automatic_correction(application, code),
        // Helm corrects differences at its next upgrade, or if drift detection is on, which is not read here.
        Body::Flux(_) if deployment.kind.kind == "HelmRelease" => None,
        Body::Flux(flux) if code == Code::ObjectNotInGit => Some(flux.spec.build.prune && !flux.spec.suspend),
        Body::Flux(flux) => Some(!flux.spec.suspend),
        _ => None,
    }
}
