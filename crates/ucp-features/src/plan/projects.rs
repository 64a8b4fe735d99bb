//! AppProjects of Argo CD. Argo CD applies nothing of an Application whose project forbids one of its sources, its destination,
//! or one of its objects (`ValidatePermissions` and `getSyncTasks`).

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use crate::plan::argo_settings::SyncImpersonation;
use crate::plan::change::DeploymentPair;
use crate::plan::rights::ServiceAccountName;
use ucp_client::prediction::cluster::{ConnectedCluster, text_at};
use ucp_core::engine::argocd::GROUP;
use ucp_core::engine::argocd::project::{DestinationCluster, PROJECT, ProjectPermission, ProjectRules};
use ucp_core::engine::argocd::windows::{WindowState, WindowedApplication, window_state};
use ucp_core::failure::Failure;
use ucp_core::model::body::argocd::DEFAULT_PROJECT;
use ucp_core::model::kind::ResourceScope;
use ucp_core::model::object::ObjectKey;
use ucp_core::model::secrecy::scrub;
use ucp_core::model::state::Unreadable;
use ucp_repo::manifests::deployment::{Deployment, DeploymentDestination};

/// The AppProjects of an Argo CD after a merge, by name.
pub(super) struct AppProjects {
    home: String,
    known: BTreeMap<String, Value>,
}

/// The reason why Argo CD applies nothing of an Application.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ProjectObstacle {
    /// A rule forbids it.
    Forbidden(String),
    /// Whether a rule forbids it is not known.
    Unknown(String),
}

impl AppProjects {
    /// Reads the projects; those that the checkout deploys are as after the merge. Returns `None` if no project is needed, or
    /// the cluster does not serve them.
    ///
    /// # Errors
    /// Fails when they cannot be read.
    pub(super) async fn gather(
        core: &ConnectedCluster,
        registry: &Result<String, Failure>,
        pairs: &BTreeMap<ObjectKey, DeploymentPair>,
    ) -> Result<Option<Self>, Unreadable> {
        if pairs.values().all(|pair| pair.deployment.project.is_none()) {
            return Ok(None);
        }
        let unreadable = |reason: String| Unreadable {
            what: format!("appprojects.{GROUP}"),
            reason: format!("what they permit is not checked: {reason}"),
        };
        let kind = core.find_preferred(GROUP, PROJECT).await.map_err(|error| unreadable(error.to_string()))?;
        let Some(kind) = kind else { return Ok(None) };
        let home = registry.clone().map_err(|reason| unreadable(reason.into()))?;
        let path = kind.path(Some(&home)).with_query("limit", "500");
        let listed = core.list_objects(&path).await.map_err(|error| unreadable(error.to_string()))?;
        let named = listed.into_iter().map(|project| (text_at(&project, "/metadata/name").to_owned(), project));
        let mut known: BTreeMap<String, Value> = named.collect();
        let here = pairs.values().filter(|pair| pair.deployment.destination == DeploymentDestination::Here);
        let is_project = |key: &ObjectKey| {
            (key.group.as_str(), key.kind.as_str()) == (GROUP, PROJECT) && key.namespace.as_ref() == Some(&home)
        };
        for pair in here {
            for key in pair.before.iter().flat_map(BTreeMap::keys).filter(|key| is_project(key)) {
                if !pair.after.contains_key(key) {
                    known.remove(&key.name);
                }
            }
            for (key, prepared) in pair.after.iter().filter(|(key, _)| is_project(key)) {
                known.insert(key.name.clone(), prepared.manifest.clone());
            }
        }
        Ok(Some(Self { home, known }))
    }

    /// Checks that Argo CD applies a deployment.
    ///
    /// # Errors
    /// Fails when its project does not permit it, or that is not known.
    pub(super) fn check(
        &self,
        pair: &DeploymentPair,
        cluster: &ConnectedCluster,
        servers: &BTreeMap<String, String>,
    ) -> Result<(), ProjectObstacle> {
        self.obstacle(pair, cluster, servers).map_or(Ok(()), Err)
    }

    fn obstacle(
        &self,
        pair: &DeploymentPair,
        cluster: &ConnectedCluster,
        servers: &BTreeMap<String, String>,
    ) -> Option<ProjectObstacle> {
        let membership = pair.deployment.project.as_ref()?;
        let name = &membership.name;
        let Some(project) = self.known.get(name) else {
            let missing = format!("AppProject {name} does not exist in namespace {}", self.home);
            return (name != DEFAULT_PROJECT).then_some(ProjectObstacle::Forbidden(missing));
        };
        let rules = ProjectRules::from_project(project)?;
        let judge = |permission: ProjectPermission, what: &str| match permission {
            ProjectPermission::Permitted => None,
            ProjectPermission::Forbidden => {
                Some(ProjectObstacle::Forbidden(format!("AppProject {name} does not permit {what}")))
            }
            ProjectPermission::Unknown => Some(ProjectObstacle::Unknown(format!(
                "whether AppProject {name} permits {what} is not known: its rules have patterns or clusters that are not evaluated"
            ))),
        };
        let own = pair.deployment.object.namespace.as_deref().filter(|own| *own != self.home);
        let by_place = own.and_then(|own| {
            judge(rules.application_namespace_permission(own), &format!("Applications in namespace {own}"))
        });
        let sources = membership.sources.iter();
        let mut by_source =
            sources.filter_map(|url| judge(rules.source_permission(url), &format!("repository {}", scrub(url))));
        let destination = destination_cluster(&pair.deployment.destination, servers);
        let namespace = pair.deployment.namespace.as_deref().unwrap_or_default();
        let place = match namespace {
            "" => "its cluster without a namespace".to_owned(),
            namespace => format!("namespace {namespace} of its cluster"),
        };
        let by_destination = || judge(rules.destination_permission(destination, namespace), &place);
        let by_object = || {
            // A forbidden object is certain, whatever is not known about others.
            let found = pair.after.values().filter(|prepared| {
                let scope = cluster.preferred(prepared.object.group(), &prepared.object.kind).map(|kind| kind.scope);
                // Argo CD does not check kinds that are not served yet.
                scope.is_some_and(|scope| (scope == ResourceScope::Namespaced) == prepared.object.namespace.is_some())
            });
            let mut found = found.filter_map(|prepared| {
                judge(rules.object_permission(&prepared.object, destination), &prepared.object.to_string())
            });
            let first = found.next()?;
            Some(match first {
                ProjectObstacle::Forbidden(_) => first,
                ProjectObstacle::Unknown(_) => {
                    found.find(|next| matches!(next, ProjectObstacle::Forbidden(_))).unwrap_or(first)
                }
            })
        };
        by_place.or_else(|| by_source.next()).or_else(by_destination).or_else(by_object)
    }

    /// Returns the reason why Argo CD does not sync a deployment now, if its sync windows are closed.
    ///
    /// # Errors
    /// Fails when that is not known.
    pub(super) fn closed_window(&self, deployment: &Deployment, now: Timestamp) -> Result<Option<String>, String> {
        let Some(name) = deployment.project.as_ref().map(|membership| &membership.name) else { return Ok(None) };
        let Some(project) = self.known.get(name) else { return Ok(None) };
        let state = |cluster| {
            let namespace = deployment.namespace.as_deref().unwrap_or_default();
            window_state(project, &WindowedApplication { name: &deployment.object.name, cluster, namespace }, now)
        };
        let by_name = |name| DestinationCluster { name: Some(name), server: None };
        let by_server = |server| DestinationCluster { name: None, server: Some(server) };
        let state = match &deployment.destination {
            DeploymentDestination::Named(name) => state(by_name(name)),
            DeploymentDestination::Server(server) => state(by_server(server)),
            _ => {
                // The windows see the name or the server, as the destination has it.
                let here = DestinationCluster::HERE;
                let states = [here.name.map(by_name), here.server.map(by_server)].map(|cluster| cluster.map(state));
                let [Some(named), Some(served)] = states else { return Ok(None) };
                if named != served {
                    return Err(format!("whether the sync windows of AppProject {name} are about it is not known"));
                }
                named
            }
        };
        match state {
            WindowState::Open => Ok(None),
            WindowState::Unknown(reason) => {
                Err(format!("whether AppProject {name} lets Argo CD sync it now is not known: {reason}"))
            }
            WindowState::Closed { until, allows_manual } => {
                let until = until.map_or_else(|| "its sync windows change".to_owned(), |until| until.to_string());
                let manual = if allows_manual { " or a person syncs it" } else { "" };
                Ok(Some(format!("nothing changes until {until}{manual}: AppProject {name} denies syncs now")))
            }
        }
    }

    /// Returns the ServiceAccount that Argo CD impersonates for a deployment; `None` if it has its own rights.
    ///
    /// # Errors
    /// Fails when Argo CD applies nothing without one, or the account is not known.
    pub(super) fn service_account(
        &self,
        deployment: &Deployment,
        impersonation: SyncImpersonation,
        servers: &BTreeMap<String, String>,
    ) -> Result<Option<ServiceAccountName>, ProjectObstacle> {
        let Some(name) = deployment.project.as_ref().map(|membership| &membership.name) else { return Ok(None) };
        let rules = self.known.get(name).and_then(ProjectRules::from_project);
        let (true, Some(rules)) = (impersonation != SyncImpersonation::Off, rules) else { return Ok(None) };
        let server = destination_cluster(&deployment.destination, servers).server;
        let namespace = deployment.namespace.as_deref().unwrap_or_default();
        let found = rules.service_account(server, namespace).map_err(|_| {
            let reason = "its destinationServiceAccounts have patterns or servers that are not evaluated";
            ProjectObstacle::Unknown(format!("the rights that AppProject {name} grants are not known: {reason}"))
        })?;
        match (found, impersonation) {
            (Some(account), _) => Ok(Some(match account.trim().split_once(':') {
                Some((namespace, name)) => {
                    ServiceAccountName { namespace: namespace.to_owned(), name: name.to_owned() }
                }
                None => ServiceAccountName {
                    namespace: deployment
                        .namespace
                        .clone()
                        .or_else(|| deployment.object.namespace.clone())
                        .unwrap_or_default(),
                    name: account.trim().to_owned(),
                },
            })),
            (None, SyncImpersonation::Enforced) => Err(ProjectObstacle::Forbidden(format!(
                "AppProject {name} names no ServiceAccount for the destination, and argocd-cm requires one"
            ))),
            (None, _) => Ok(None),
        }
    }
}

/// Returns a destination as Argo CD knows it.
fn destination_cluster<'a>(
    destination: &'a DeploymentDestination,
    servers: &'a BTreeMap<String, String>,
) -> DestinationCluster<'a> {
    let name_of = |server: &str| {
        let mut names = servers.iter().filter(|(_, known)| *known == server.trim_end_matches('/'));
        names.next().map(|(name, _)| name.as_str())
    };
    match destination {
        DeploymentDestination::Named(name) => {
            DestinationCluster { name: Some(name), server: servers.get(name).map(String::as_str) }
        }
        DeploymentDestination::Server(server) => DestinationCluster { name: name_of(server), server: Some(server) },
        DeploymentDestination::Here => {
            let here = DestinationCluster::HERE;
            DestinationCluster { name: here.server.and_then(name_of).or(here.name), ..here }
        }
        DeploymentDestination::KubeConfig { .. } | DeploymentDestination::Identity(_) => {
            DestinationCluster { name: None, server: None }
        }
    }
}
