//! The ServiceAccounts with whose rights engines write: their own in the core cluster, or those that Flux impersonates by
//! default (`--default-service-account`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::de::DeserializeSeed as _;
use serde_json::Value;

use crate::adopt::homes::EngineNamespaces;
use crate::plan::rights::ServiceAccountName;
use ucp_client::prediction::cluster::{ConnectedCluster, text_at};
use ucp_client::prediction::dry_run::ApplyingController;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::body::{Body, BodyShape};
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::seed::ResourceSeed;
use ucp_repo::manifests::deployment::{Deployment, DeploymentDestination};

/// The account with whose rights an engine writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EngineAccount {
    /// The settings name it.
    Impersonated(ServiceAccountName),
    /// That of its controller.
    Own(ServiceAccountName),
    /// That of a login to another cluster, whose rights the dry run has; or its controller does not run here.
    Login,
    /// It is not known.
    Unknown(Failure),
}

/// The accounts of the controllers in the core cluster; none for a controller that does not run there.
#[derive(Default)]
pub(super) struct ControllerAccounts(BTreeMap<ApplyingController, Result<Option<ControllerAccount>, Failure>>);

/// The accounts of one controller.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ControllerAccount {
    own: ServiceAccountName,
    /// `--default-service-account`, in the namespace of the object that names none.
    default: Option<String>,
}

impl ControllerAccounts {
    /// Reads the accounts of the controllers of some deployments.
    pub(super) async fn gather<'a>(
        core: &ConnectedCluster,
        homes: &EngineNamespaces,
        deployments: impl Iterator<Item = &'a Deployment>,
    ) -> Self {
        let is_needed = |deployment: &&Deployment| {
            let is_flux = deployment.engine == GitOps::Flux && deployment.service_account.is_none();
            is_flux || deployment.engine == GitOps::ArgoCd && deployment.destination == DeploymentDestination::Here
        };
        let wanted: BTreeSet<_> = deployments.filter(is_needed).map(|one| (one.controller(), one.engine)).collect();
        let mut accounts = BTreeMap::new();
        for (controller, engine) in wanted {
            let namespace = match engine {
                GitOps::ArgoCd => &homes.argocd,
                GitOps::Flux => &homes.flux,
            };
            let found = match homes.doubt(engine) {
                Some(doubt) => Err(doubt.entry().reason.into()),
                None => read_account(core, namespace, controller).await,
            };
            accounts.insert(controller, found);
        }
        Self(accounts)
    }

    /// Returns the account of a deployment that names none.
    pub(super) fn account_of(&self, deployment: &Deployment) -> EngineAccount {
        let controller = deployment.controller();
        match self.0.get(&controller) {
            Some(Err(reason)) => EngineAccount::Unknown(
                format!("the account of {} is not known: {reason}", workload_name(controller)).into(),
            ),
            Some(Ok(Some(ControllerAccount { default: Some(name), .. }))) => {
                let namespace = deployment.object.namespace.clone().unwrap_or_default();
                EngineAccount::Impersonated(ServiceAccountName { namespace, name: name.clone() })
            }
            Some(Ok(Some(account))) if deployment.destination == DeploymentDestination::Here => {
                EngineAccount::Own(account.own.clone())
            }
            Some(Ok(_)) | None => EngineAccount::Login,
        }
    }
}

/// Returns the name of a controller's workload.
const fn workload_name(controller: ApplyingController) -> &'static str {
    match controller {
        ApplyingController::ArgoCd => "argocd-application-controller",
        ApplyingController::ApplicationSetController => "argocd-applicationset-controller",
        ApplyingController::KustomizeController => "kustomize-controller",
        ApplyingController::HelmController => "helm-controller",
    }
}

/// Reads the accounts of a controller from its workload, by its name, or by the label that Argo CD's charts set.
async fn read_account(
    core: &ConnectedCluster,
    namespace: &str,
    controller: ApplyingController,
) -> Result<Option<ControllerAccount>, Failure> {
    let name = workload_name(controller);
    let kinds: &[&str] = match controller {
        ApplyingController::ArgoCd => &["StatefulSet", "Deployment"],
        _ => &["Deployment"],
    };
    let mut found: BTreeMap<(String, String), ControllerAccount> = BTreeMap::new();
    for kind in kinds {
        let Some(kind) = core.find_preferred("apps", kind).await? else { continue };
        let listed = core.list_objects(&kind.path(Some(namespace)).with_query("limit", "500")).await?;
        let is_own = |object: &&Value| {
            let label = object.pointer("/metadata/labels/app.kubernetes.io~1name").and_then(Value::as_str);
            text_at(object, "/metadata/name") == name || label == Some(name)
        };
        for object in listed.iter().filter(is_own) {
            let seed = ResourceSeed { kind: &Arc::new(kind.clone()), shape: BodyShape::Workload };
            let workload = seed.deserialize(object).map_err(|error| error.to_string())?;
            let Body::Workload(workload) = &workload.body else { continue };
            let own = text_at(object, "/spec/template/spec/serviceAccountName");
            if own.is_empty() {
                return fail!("{} in namespace {namespace} names no ServiceAccount", kind.kind);
            }
            let account = ControllerAccount {
                own: ServiceAccountName { namespace: namespace.to_owned(), name: own.to_owned() },
                default: workload.settings.get("default-service-account").filter(|name| !name.is_empty()).cloned(),
            };
            found.insert((own.to_owned(), account.default.clone().unwrap_or_default()), account);
        }
    }
    match found.len() {
        0 | 1 => Ok(found.into_values().next()),
        _ => fail!("namespace {namespace} has several workloads of {name} with different accounts"),
    }
}
