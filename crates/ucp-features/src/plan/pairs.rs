//! Pairs the objects of each deployment before a merge with those after it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::adopt::homes::EngineNamespaces;
use crate::plan::change::{ApplyExtent, DeploymentPair, unversioned_name};
use crate::plan::destinations::{Destinations, destination_name};
use crate::plan::encrypted::{encrypted_changes, mark_users};
use crate::plan::engine_facts::EngineConfiguration;
use crate::plan::outcome::{DeployerRemark, DeploymentSummary, PlanOutcome};
use crate::plan::prepare::{ApplyTime, PlannedScopes, Preparation, PreparedObject, planned_scopes};
use crate::plan::releases::{is_same_recipe, is_same_release};
use crate::plan::variables::SideVariables;
use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_core::model::object::ObjectKey;
use ucp_core::model::state::Unreadable;
use ucp_repo::manifests::deployment::{Deployment, DeploymentDestination, ReconcileMode, SourceFetch};
use ucp_repo::manifests::side::{RenderedDeployment, RenderedSide};

/// Returns the objects of each deployment before and after the merge. Deployments that cannot be compared are reported as
/// unreadable.
pub(super) fn pair_up(
    deployments: &BTreeMap<ObjectKey, Deployment>,
    base: Option<&RenderedSide>,
    head: &RenderedSide,
    (destinations, homes): (&Destinations, &EngineNamespaces),
    facts: &EngineConfiguration,
    (variables_before, variables_after): (&SideVariables, &SideVariables),
    outcome: &mut PlanOutcome,
) -> BTreeMap<ObjectKey, DeploymentPair> {
    let none = BTreeMap::new();
    let mut pairs = BTreeMap::new();
    let scopes_of = |side: &RenderedSide| planned_scopes(side.rendered.values().flat_map(manifests_of));
    let (base_scopes, head_scopes) = (base.map(scopes_of).unwrap_or_default(), scopes_of(head));
    for (key, deployment) in deployments {
        let name = &deployment.object;
        if base.is_some_and(|base| is_same_release(base, head, key)) {
            continue;
        }
        if head.elsewhere.contains_key(key) && base.is_none() {
            continue;
        }
        let mut lost = |reason: String| outcome.unreadable.push(Unreadable { what: name.to_string(), reason });
        if let Some(reason) = withholding_reason(deployment, homes) {
            lost(reason);
            continue;
        }
        let cluster = match destinations.get(&deployment.destination) {
            Some(Ok(cluster)) => cluster,
            Some(Err(reason)) => {
                lost(format!("its cluster {} cannot be reached: {reason}", destination_name(&deployment.destination)));
                continue;
            }
            None => continue,
        };
        let variables = [variables_before, variables_after].map(|side| side.get(key).map_or(Ok(&none), Result::as_ref));
        let [variables_before, variables_after] = match variables {
            [Ok(before), Ok(after)] => [before, after],
            [_, Err(reason)] | [Err(reason), _] => {
                lost(reason.clone().into());
                continue;
            }
        };
        let mut prepare =
            |side: &RenderedSide, variables: &BTreeMap<String, String>, scopes: &PlannedScopes, title: &str| match side
                .rendered
                .get(key)
                .map(|rendered| &rendered.objects)
            {
                None => Some(BTreeMap::new()),
                Some(Err(error)) => {
                    // The head has its own entry.
                    let is_same = head.rendered.get(key).is_some_and(|after| after.objects.as_ref() == Err(error));
                    if title.is_empty() || !is_same {
                        let reason = format!("{title}{error}");
                        outcome.unreadable.push(Unreadable { what: name.to_string(), reason });
                    }
                    None
                }
                Some(Ok(manifests)) => {
                    let deployment = &facts.carried_out(side.rendered[key].deployment.clone());
                    let preparation =
                        Preparation { deployment, cluster, scopes, settings: facts.settings(), variables };
                    let (mut prepared, mut failed) = preparation.prepare(manifests);
                    failed.extend(preparation.add_remarks(&side.rendered[key].remarks, &mut prepared));
                    mark_users(&mut prepared);
                    outcome.unreadable.extend(
                        failed
                            .into_iter()
                            .map(|(object, reason)| Unreadable { what: format!("{object} of {name}"), reason }),
                    );
                    Some(prepared)
                }
            };
        let before = base.map(|side| prepare(side, variables_before, &base_scopes, "before the merge: "));
        let Some(after) = prepare(head, variables_after, &head_scopes, "") else { continue };
        let before = match before {
            Some(None) => continue,
            Some(Some(before)) => Some(before),
            None => None,
        };
        let has_same_variables = variables_before == variables_after;
        outcome.unreadable.extend(encrypted_changes(name, before.as_ref(), &after, has_same_variables));
        outcome.checked += 1;
        outcome.deployments.push(summary(deployment, cluster, &after));
        // A release that the merge no longer declares remains until its deployer deletes it.
        let is_undeclared = !head.rendered.contains_key(key) && head.elsewhere.contains_key(key);
        let after = match &before {
            Some(before) if is_undeclared => before.clone(),
            _ => after,
        };
        let has_same_recipe = base.is_some_and(|base| is_same_recipe(base, head, key));
        let extent = match is_undeclared {
            true => ApplyExtent::Nothing,
            false => extent(deployment, before.as_ref(), &after, has_same_recipe),
        };
        let is_unchanged = before.as_ref() == Some(&after);
        let is_silent = deployment.application_set.is_some() || deployment.mode == ReconcileMode::Staged;
        if !is_unchanged || !is_silent {
            let has_no_effect = deployment.release.is_none() && is_unchanged;
            let extent = if has_no_effect { ApplyExtent::Nothing } else { extent };
            report_remarks(deployment, base, head, extent, outcome);
        }
        pairs.insert(key.clone(), DeploymentPair { deployment: deployment.clone(), before, after, extent });
    }
    pairs
}

/// Adds the HelmReleases and Applications that only the cluster knows, or that the merge no longer declares, so that their objects are
/// removed if their deployer deletes them. Until then, nothing of them changes.
pub(super) fn keep_elsewhere(
    pairs: &mut BTreeMap<ObjectKey, DeploymentPair>,
    base: Option<&RenderedSide>,
    head: &RenderedSide,
    deployments: &BTreeMap<ObjectKey, Deployment>,
) {
    for (key, deployment) in &head.elsewhere {
        if pairs.contains_key(key) || deployments.contains_key(key) && base.is_none() {
            continue;
        }
        let placeholder = |key: &ObjectKey| PreparedObject {
            object: unversioned_name(key),
            manifest: Value::Null,
            when: ApplyTime::Always,
        };
        let objects: BTreeMap<_, _> = deployment.deployed.iter().map(|key| (key.clone(), placeholder(key))).collect();
        let pair = DeploymentPair {
            deployment: deployment.clone(),
            before: Some(objects.clone()),
            after: objects,
            extent: ApplyExtent::Nothing,
        };
        pairs.insert(key.clone(), pair);
    }
}

/// Returns the reason why the files of the checkout are not sent to the cluster of a deployment. The author of a
/// Kustomization names a server in its kubeconfig, and would otherwise receive the files of any repository by its URL.
fn withholding_reason(deployment: &Deployment, homes: &EngineNamespaces) -> Option<String> {
    let DeploymentDestination::KubeConfig { namespace, secret, .. } = &deployment.destination else { return None };
    let is_withheld = deployment.fetch == SourceFetch::Never && !homes.contain(namespace);
    is_withheld.then(|| {
        format!(
            "nothing is sent to the server of Secret {namespace}/{secret}: Flux has not fetched its source as it is now, so that \
             nothing shows that its author may read this repository"
        )
    })
}

/// Returns the objects that the engine applies.
fn extent(
    deployment: &Deployment,
    before: Option<&BTreeMap<ObjectKey, PreparedObject>>,
    after: &BTreeMap<ObjectKey, PreparedObject>,
    has_same_recipe: bool,
) -> ApplyExtent {
    if deployment.mode != ReconcileMode::Active {
        return ApplyExtent::Nothing;
    }
    if deployment.release.is_none() {
        return ApplyExtent::Changed;
    }
    let known = |objects: &BTreeMap<ObjectKey, PreparedObject>| -> BTreeMap<ObjectKey, Option<Value>> {
        let content = |object: &PreparedObject| (object.when != ApplyTime::Unknown).then(|| object.manifest.clone());
        objects.iter().map(|(key, object)| (key.clone(), content(object))).collect()
    };
    match before {
        Some(before) if has_same_recipe && known(before) == known(after) => ApplyExtent::Nothing,
        _ => ApplyExtent::All,
    }
}

fn report_remarks(
    deployment: &Deployment,
    base: Option<&RenderedSide>,
    head: &RenderedSide,
    extent: ApplyExtent,
    outcome: &mut PlanOutcome,
) {
    let object = deployment.object.clone();
    let mut remark = |text: String| outcome.remarks.push(DeployerRemark { object: object.clone(), remark: text });
    if deployment.mode == ReconcileMode::Suspended {
        remark("it is suspended: nothing changes until it is resumed".to_owned());
        return;
    }
    if deployment.mode == ReconcileMode::Staged {
        remark(
            "its manifests are written to the branch of hydrateTo: nothing changes until they are merged into the one of syncSource"
                .to_owned(),
        );
        return;
    }
    let Some(rendered) = head.rendered.get(&ObjectKey::from(&object)) else { return };
    let about_chart = rendered.remarks.facts.iter();
    if extent == ApplyExtent::Nothing {
        about_chart.filter(|fact| fact.contains("keeps its version")).cloned().for_each(remark);
        return;
    }
    about_chart.cloned().for_each(remark);
    let unknown = rendered.remarks.unknown.iter();
    outcome.unreadable.extend(unknown.map(|reason| Unreadable { what: object.to_string(), reason: reason.clone() }));
    let has_no_inventory = deployment.release.as_ref().is_some_and(|release| !release.has_inventory);
    let is_upgrade = deployment.release_recipe().is_some_and(|recipe| recipe.is_upgrade);
    if base.is_none() && has_no_inventory && is_upgrade {
        outcome.unreadable.push(Unreadable {
            what: object.to_string(),
            reason: "its status does not list the objects of its release, so those that are deleted are not known; compare with --base"
                .to_owned(),
        });
    }
}

fn manifests_of(rendered: &RenderedDeployment) -> impl Iterator<Item = &Value> {
    rendered.objects.iter().flatten()
}

fn summary(
    deployment: &Deployment,
    cluster: &ConnectedCluster,
    after: &BTreeMap<ObjectKey, PreparedObject>,
) -> DeploymentSummary {
    DeploymentSummary {
        object: deployment.object.clone(),
        engine: deployment.engine,
        cluster: cluster.name.clone(),
        paths: deployment.parts.iter().filter(|part| !part.is_elsewhere()).map(|part| part.path.clone()).collect(),
        objects: after.len(),
    }
}
