//! Rights of the ServiceAccounts that engines impersonate: `spec.serviceAccountName` of objects of Flux, and
//! `destinationServiceAccounts` of AppProjects. The dry run has the rights of the user, or those of the engine's login for
//! another cluster.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use serde_json::{Value, json};

use crate::plan::examine::ExaminedChange;
use crate::plan::granted_rules::GrantedRules;
use crate::plan::outcome::PlanAction;
use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::Unreadable;
use ucp_repo::manifests::deployment::Deployment;

const REVIEWS: &str = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

/// A ServiceAccount whose rights decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ServiceAccountName {
    pub(super) namespace: String,
    pub(super) name: String,
}

impl fmt::Display for ServiceAccountName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ServiceAccount {}/{}", self.namespace, self.name)
    }
}

impl ServiceAccountName {
    /// Returns the account that Flux impersonates for a Kustomization or HelmRelease.
    pub(super) fn of_flux(deployment: &Deployment) -> Option<Self> {
        let namespace = deployment.object.namespace.clone().unwrap_or_default();
        Some(Self { namespace, name: deployment.service_account.clone()? })
    }
}

/// The rights that are known so far.
#[derive(Default)]
pub(super) struct ImpersonatedRights {
    /// The answers of the servers, by cluster, account and right.
    answers: BTreeMap<String, Result<bool, Failure>>,
    /// The grants of roles, by cluster and account, as far as a server does not answer.
    granted: BTreeMap<String, GrantedRules>,
}

impl ImpersonatedRights {
    /// Marks a change as rejected if a ServiceAccount may not make it with these verbs.
    ///
    /// # Errors
    /// Fails when a right is not known.
    pub(super) async fn check(
        &mut self,
        cluster: &ConnectedCluster,
        (verbs, account): (&[&str], &ServiceAccountName),
        examined: &mut ExaminedChange,
    ) -> Result<(), Unreadable> {
        let object = examined.planned.object.clone();
        // What is not served is not checked by a dry run either, and is reported as such.
        let Some(kind) = cluster.listed_kind(&object.api_version, &object.kind) else { return Ok(()) };
        for verb in verbs {
            // All objects of a kind are watched, wherever they are.
            let is_watch = ["list", "watch"].contains(verb);
            let object = ObjectName { namespace: object.namespace.clone().filter(|_| !is_watch), ..object.clone() };
            let label = format!("{verb} {}", kind.qualified_plural());
            let place = object.namespace.as_deref().map(|name| format!(" in namespace {name}")).unwrap_or_default();
            match self.is_allowed(cluster, account, &kind, &object, verb).await {
                Ok(true) => {}
                Ok(false) => {
                    examined.reject(format!("{account} may not {label}{place}"));
                    return Ok(());
                }
                Err(reason) => {
                    let what = format!("right of {account} to {label}{place}");
                    return Err(Unreadable { what, reason: reason.into() });
                }
            }
        }
        Ok(())
    }

    /// Returns true if an account has a right to all objects of a kind in a namespace, or to the object.
    async fn is_allowed(
        &mut self,
        cluster: &ConnectedCluster,
        account: &ServiceAccountName,
        kind: &ResourceKind,
        object: &ObjectName,
        verb: &str,
    ) -> Result<bool, Failure> {
        let mut attributes = json!({
            "group": kind.group, "version": kind.version, "resource": kind.plural, "verb": verb,
            "namespace": object.namespace,
        });
        let key = format!("{:?} {account:?} {attributes}", cluster.name);
        let known = match self.answers.get(&key) {
            Some(known) => known.clone(),
            None => {
                let answer = review(cluster, account, &attributes).await;
                self.answers.insert(key, answer.clone());
                answer
            }
        };
        // Few users may ask for the rights of others, and many may read roles.
        if known.is_err() && self.grants(cluster, account).await.allow(kind, object, verb) {
            return Ok(true);
        }
        // Objects are created without a name in the request.
        if known != Ok(false) || ["create", "list", "watch"].contains(&verb) {
            return known;
        }
        attributes["name"] = json!(object.name);
        review(cluster, account, &attributes).await
    }
}

impl ImpersonatedRights {
    /// Returns the grants of roles to an account, which are read once.
    async fn grants(&mut self, cluster: &ConnectedCluster, account: &ServiceAccountName) -> &GrantedRules {
        match self.granted.entry(format!("{:?} {account:?}", cluster.name)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(open) => open.insert(GrantedRules::read(cluster, (&account.namespace, &account.name)).await),
        }
    }
}

/// Returns the verbs of a change: kustomize-controller applies on the server, which may create; Helm and Argo CD create by
/// themselves.
pub(super) fn verbs(deployment: &Deployment, action: PlanAction) -> &'static [&'static str] {
    match (action, deployment.release.is_some() || deployment.engine == GitOps::ArgoCd) {
        (PlanAction::Add, false) => &["create", "patch"],
        (PlanAction::Add, true) => &["create"],
        (PlanAction::Change, _) => &["patch"],
        (PlanAction::Remove, _) => &["delete"],
        (PlanAction::Abandon, _) => &[],
    }
}

/// Asks the server for the right of a ServiceAccount.
async fn review(
    cluster: &ConnectedCluster,
    ServiceAccountName { namespace, name }: &ServiceAccountName,
    attributes: &Value,
) -> Result<bool, Failure> {
    let question = json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
        "spec": {
            "user": format!("system:serviceaccount:{namespace}:{name}"),
            "groups": ["system:serviceaccounts", format!("system:serviceaccounts:{namespace}"), "system:authenticated"],
            "resourceAttributes": attributes,
        },
    });
    let answer = cluster.api.review(REVIEWS, &question).await?;
    let text = |pointer: &str| answer.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    match answer.pointer("/status/allowed").and_then(Value::as_bool) {
        Some(true) => Ok(true),
        Some(false) if text("/status/evaluationError").is_empty() => Ok(false),
        // An authorizer failed: another one may have allowed it.
        _ => fail!("the server does not know: {}", text("/status/evaluationError")),
    }
}
