//! Rights of the ServiceAccounts that objects of Flux impersonate (`spec.serviceAccountName`). The dry run has the rights of
//! the user, or those of the engine's login for another cluster.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::plan::examine::ExaminedChange;
use crate::plan::outcome::{PlanAction, ServerCheck};
use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::Unreadable;
use ucp_repo::manifests::deployment::Deployment;

const REVIEWS: &str = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

/// The answers of the servers so far, by cluster, account and right.
#[derive(Default)]
pub(super) struct ImpersonatedRights(BTreeMap<String, Result<bool, Failure>>);

impl ImpersonatedRights {
    /// Marks a change as rejected if the ServiceAccount of its deployment may not make it. Returns what is not known.
    pub(super) async fn check(
        &mut self,
        cluster: &ConnectedCluster,
        deployment: &Deployment,
        examined: &mut ExaminedChange,
    ) -> Option<Unreadable> {
        let namespace = deployment.object.namespace.as_deref().unwrap_or_default();
        let account = deployment.service_account.as_deref()?;
        let object = examined.planned.object.clone();
        // What is not served is not checked by a dry run either, and is reported as such.
        let kind = cluster.listed_kind(&object.api_version, &object.kind)?;
        for verb in verbs(deployment, examined.action) {
            let label = format!("{verb} {}", kind.qualified_plural());
            let place = object.namespace.as_deref().map(|name| format!(" in namespace {name}")).unwrap_or_default();
            match self.is_allowed(cluster, (namespace, account), &kind, &object, verb).await {
                Ok(true) => {}
                Ok(false) => {
                    let denial = format!("ServiceAccount {namespace}/{account} may not {label}{place}");
                    match examined.check {
                        ServerCheck::Rejected => examined.planned.notes.push(denial),
                        ServerCheck::Accepted | ServerCheck::Unchecked => {
                            examined.check = ServerCheck::Rejected;
                            examined.message = Some(denial);
                            examined.stored = None;
                        }
                    }
                    return None;
                }
                Err(reason) => {
                    let what = format!("right of ServiceAccount {namespace}/{account} to {label}{place}");
                    return Some(Unreadable { what, reason: reason.into() });
                }
            }
        }
        None
    }

    /// Returns true if an account has a right to all objects of a kind in a namespace, or to the object.
    async fn is_allowed(
        &mut self,
        cluster: &ConnectedCluster,
        account: (&str, &str),
        kind: &ResourceKind,
        object: &ObjectName,
        verb: &str,
    ) -> Result<bool, Failure> {
        let mut attributes = json!({
            "group": kind.group, "version": kind.version, "resource": kind.plural, "verb": verb,
            "namespace": object.namespace,
        });
        let key = format!("{:?} {account:?} {attributes}", cluster.name);
        let known = match self.0.get(&key) {
            Some(known) => known.clone(),
            None => {
                let answer = review(cluster, account, &attributes).await;
                self.0.insert(key, answer.clone());
                answer
            }
        };
        // Objects are created without a name in the request.
        if known != Ok(false) || verb == "create" {
            return known;
        }
        attributes["name"] = json!(object.name);
        review(cluster, account, &attributes).await
    }
}

/// Returns the verbs of a change: kustomize-controller applies on the server, which may create; Helm creates by itself.
fn verbs(deployment: &Deployment, action: PlanAction) -> &'static [&'static str] {
    match (action, deployment.release.is_some()) {
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
    (namespace, name): (&str, &str),
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
