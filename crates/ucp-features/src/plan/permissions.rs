//! Marks the changes as rejected that engines are not permitted to make.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::Value;

use crate::plan::accounts::{ControllerAccounts, EngineAccount};
use crate::plan::change::DeploymentPair;
use crate::plan::destinations::{DestinationConnector, Destinations};
use crate::plan::engine_facts::EngineConfiguration;
use crate::plan::examine::ExaminedChange;
use crate::plan::outcome::{DeployerRemark, PlanOutcome};
use crate::plan::prepare::{is_skipped, object_name_of};
use crate::plan::projects::{AppProjects, ProjectObstacle};
use crate::plan::rights::{ImpersonatedRights, ServiceAccountName, verbs};
use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::ObjectKey;
use ucp_core::model::state::Unreadable;
use ucp_repo::manifests::deployment::{Deployment, SyncTrigger};
use ucp_repo::manifests::side::RenderedSide;

/// Marks the changes as rejected that the AppProject of their Application does not permit, or the ServiceAccount that their
/// engine impersonates may not make.
pub(super) async fn check_permissions(
    ways: &DestinationConnector<'_>,
    (head, pairs, destinations, servers): (
        &RenderedSide,
        &BTreeMap<ObjectKey, DeploymentPair>,
        &Destinations,
        &BTreeMap<String, String>,
    ),
    facts: &EngineConfiguration,
    touched: &mut [(Option<String>, ExaminedChange)],
    outcome: &mut PlanOutcome,
) {
    if touched.is_empty() {
        return;
    }
    let deployers = touched.iter().filter_map(|(_, examined)| pairs.get(&examined.planned.by));
    let accounts = ControllerAccounts::gather(&ways.core, &ways.homes, deployers.map(|pair| &pair.deployment)).await;
    let projects = AppProjects::gather(&ways.core, &ways.registry, pairs).await;
    let projects = projects.unwrap_or_else(|unreadable| {
        outcome.unreadable.push(unreadable);
        None
    });
    for by in touched.iter().map(|(_, examined)| &examined.planned.by).collect::<BTreeSet<_>>() {
        let Some(deployment) = pairs.get(by).map(|pair| &pair.deployment) else { continue };
        if head.rendered.contains_key(by) {
            match waiting(deployment, projects.as_ref()) {
                Ok(remark) => outcome.remarks.extend(remark),
                Err(unknown) => outcome.unreadable.push(unknown),
            }
            let manifests = head.rendered.get(by).and_then(|rendered| rendered.objects.as_ref().ok());
            outcome.remarks.extend(manifests.and_then(|manifests| hooks_remark(deployment, manifests)));
        }
    }
    let permission_of = |pair: &DeploymentPair, by: &ObjectKey, cluster: &ConnectedCluster| {
        let deployment = &pair.deployment;
        let named = match &projects {
            _ if deployment.engine == GitOps::Flux => ServiceAccountName::of_flux(deployment),
            // A deployer that the merge removes applies nothing.
            Some(projects) if head.rendered.contains_key(by) => {
                projects.check(pair, cluster, servers)?;
                projects.service_account(deployment, facts.settings().impersonation, servers)?
            }
            _ => None,
        };
        Ok(named.map_or_else(|| accounts.account_of(deployment), EngineAccount::Impersonated))
    };
    let mut rights = ImpersonatedRights::default();
    let mut permissions: BTreeMap<ObjectKey, Result<EngineAccount, ProjectObstacle>> = BTreeMap::new();
    for (_, examined) in touched {
        let by = &examined.planned.by;
        let Some(pair) = pairs.get(by) else { continue };
        let Some(Ok(cluster)) = destinations.get(&pair.deployment.destination) else { continue };
        let deployment = &pair.deployment;
        let verbs = verbs(deployment, examined.action);
        let permission = permissions.entry(by.clone()).or_insert_with(|| permission_of(pair, by, cluster));
        let remark = match permission {
            Ok(EngineAccount::Login) => None,
            Ok(EngineAccount::Impersonated(account)) => {
                outcome.unreadable.extend(rights.check(cluster, (verbs, account), examined).await.err());
                None
            }
            // Controllers usually may do everything, and few users may ask.
            Ok(EngineAccount::Own(account)) => {
                let unknown = rights.check(cluster, (verbs, account), examined).await.err();
                unknown.map(|unknown| format!("the rights of {account} are not checked: {}", unknown.reason))
            }
            Ok(EngineAccount::Unknown(reason)) => {
                Some(format!("the rights with which it writes are not checked: {reason}"))
            }
            Err(ProjectObstacle::Forbidden(reason)) => {
                examined.reject(format!("{reason}: Argo CD applies nothing of this Application"));
                None
            }
            Err(ProjectObstacle::Unknown(reason)) => {
                let unknown = Unreadable { what: deployment.object.to_string(), reason: reason.clone() };
                if !outcome.unreadable.contains(&unknown) {
                    outcome.unreadable.push(unknown);
                }
                None
            }
        };
        outcome.remarks.extend(remark.map(|remark| DeployerRemark { object: deployment.object.clone(), remark }));
    }
}

/// Returns the remark on an Application that Argo CD does not sync now.
fn waiting(deployment: &Deployment, projects: Option<&AppProjects>) -> Result<Option<DeployerRemark>, Unreadable> {
    let object = deployment.object.clone();
    if deployment.trigger == SyncTrigger::Manual {
        let remark = "nothing changes until a person syncs it: automated sync is off".to_owned();
        return Ok(Some(DeployerRemark { object, remark }));
    }
    let closed = projects.map_or(Ok(None), |projects| projects.closed_window(deployment, Timestamp::now()));
    match closed {
        Ok(remark) => Ok(remark.map(|remark| DeployerRemark { object, remark })),
        Err(reason) => Err(Unreadable { what: object.to_string(), reason }),
    }
}

/// Returns the remark on the hooks that Argo CD runs at the sync of an Application. Those of a HelmRelease are remarks of its
/// chart.
fn hooks_remark(deployment: &Deployment, manifests: &[Value]) -> Option<DeployerRemark> {
    let is_application = deployment.engine == GitOps::ArgoCd && deployment.application_set.is_none();
    let hooks = manifests.iter().filter(|manifest| is_application && is_skipped(GitOps::ArgoCd, manifest));
    let names: Vec<String> = hooks.map(|hook| object_name_of(hook).kind_and_name()).collect();
    let remark = format!("hooks run at its sync, and are not compared: {}", names.join(", "));
    (!names.is_empty()).then(|| DeployerRemark { object: deployment.object.clone(), remark })
}
