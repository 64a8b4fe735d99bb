//! Predicts the state of one object by a dry run.

use serde_json::Value;

use crate::prediction::cluster::{ConnectedCluster, path_of, text_at};
use crate::prediction::fields::{self, FieldManagerEntry, WriteOperation};
use crate::source::live::api::{ReadError, RejectedField};
use crate::source::live::dry_run::{DryRunAnswer, DryRunWrite};
use ucp_core::failure::{Failure, FailureClass};
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::kind::ResourceKind;

/// Annotation in which kubectl and Argo CD record the manifest that they applied.
const LAST_APPLIED: &str = "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration";

/// Annotation that decides how Flux applies an object.
const FLUX_APPLY: &str = "/metadata/annotations/kustomize.toolkit.fluxcd.io~1ssa";

/// The controller that applies an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ApplyingController {
    /// Argo CD's application controller.
    ArgoCd,
    /// Flux's kustomize-controller.
    KustomizeController,
    /// Flux's helm-controller.
    HelmController,
    /// Argo CD's ApplicationSet controller, which updates whole objects.
    ApplicationSetController,
}

impl ApplyingController {
    /// Returns its field manager.
    pub const fn field_manager(self) -> &'static str {
        match self {
            Self::ArgoCd => GitOps::ArgoCd.field_manager(),
            Self::KustomizeController => GitOps::Flux.field_manager(),
            Self::HelmController => "helm-controller",
            Self::ApplicationSetController => "argocd-applicationset-controller",
        }
    }
}

/// The current state of an object, and the state after it is applied.
#[derive(Debug, Clone, PartialEq)]
pub struct DryRunPrediction {
    /// The current object; `None` if there is none.
    pub live: Option<Value>,
    /// The predicted result.
    pub outcome: DryRunOutcome,
    /// The warnings of the server.
    pub warnings: Vec<String>,
}

/// The result of a dry run.
#[derive(Debug, Clone, PartialEq)]
pub enum DryRunOutcome {
    /// The server accepts the object, and would store this one.
    Accepted(Value),
    /// The server or an admission webhook rejects the object.
    Rejected {
        /// The reason of the rejection.
        reason: Failure,
        /// The fields that the message names.
        fields: Vec<RejectedField>,
    },
    /// The server could not be asked, with the reason.
    NotAsked(Failure),
}

/// Applies an object as an engine would, without storing anything.
///
/// Engines that once applied on the client side own fields as `Update`, which server-side apply does not remove. Those
/// fields are removed here by the engine's own rules, and the rest is sent through a dry run again.
pub async fn predict_apply(
    cluster: &ConnectedCluster,
    kind: &ResourceKind,
    object: &Value,
    engine: ApplyingController,
    change: DryRunWrite,
) -> DryRunPrediction {
    let namespace = object.pointer("/metadata/namespace").and_then(Value::as_str);
    let path = path_of(kind, namespace, text_at(object, "/metadata/name"));
    let live = match cluster.api.read_object(&path).await {
        Ok(live) => live,
        Err(error) => return predicted(None, Err(error)),
    };
    let manager = engine.field_manager();
    let result = match (&live, change) {
        (Some(live), DryRunWrite::Replace) => {
            let mut whole = object.clone();
            // The server requires the version that is replaced.
            if let Some(version) = live.pointer("/metadata/resourceVersion") {
                whole["metadata"]["resourceVersion"] = version.clone();
            }
            cluster.api.dry_run(DryRunWrite::Replace, &path, manager, &whole).await
        }
        _ => cluster.api.dry_run(DryRunWrite::Apply, &path, manager, object).await,
    };
    let result = match (&live, result) {
        (Some(live), Ok(applied)) if change == DryRunWrite::Apply => {
            match without_undeclared_fields(live, &applied.object, engine) {
                Some(rest) => cluster.api.dry_run(DryRunWrite::Replace, &path, manager, &rest).await,
                None => Ok(applied),
            }
        }
        (_, result) => result,
    };
    predicted(live, result)
}

/// Applies an object to the live one with the given field manager, without storing anything.
pub async fn predict_apply_as(
    cluster: &ConnectedCluster,
    kind: &ResourceKind,
    live: Result<Option<Value>, Failure>,
    object: &Value,
    manager: &str,
) -> DryRunPrediction {
    let namespace = object.pointer("/metadata/namespace").and_then(Value::as_str);
    let path = path_of(kind, namespace, text_at(object, "/metadata/name"));
    match live {
        Ok(live) => predicted(live, cluster.api.dry_run_lenient(&path, manager, object).await),
        Err(reason) => DryRunPrediction { live: None, outcome: DryRunOutcome::NotAsked(reason), warnings: Vec::new() },
    }
}

fn predicted(live: Option<Value>, result: Result<DryRunAnswer, ReadError>) -> DryRunPrediction {
    let (result, warnings) = match result {
        Ok(DryRunAnswer { object, warnings }) => (Ok(object), warnings),
        Err(error) => (Err(error), Vec::new()),
    };
    DryRunPrediction { live, outcome: outcome(result), warnings }
}

fn outcome(result: Result<Value, ReadError>) -> DryRunOutcome {
    match result {
        Ok(object) => DryRunOutcome::Accepted(object),
        Err(ReadError::Rejected { code, message, causes }) => {
            let class = match code {
                404 => FailureClass::NoNamespace,
                422 => FailureClass::Invalid,
                _ => FailureClass::Other,
            };
            DryRunOutcome::Rejected { reason: Failure::new(class, message), fields: causes }
        }
        // Webhooks may reject with any status code, 403 by default.
        Err(ReadError::Denied { message, .. } | ReadError::Server { message, .. })
            if message.starts_with("admission webhook") && message.contains("denied the request") =>
        {
            DryRunOutcome::Rejected { reason: message.into(), fields: Vec::new() }
        }
        Err(error) => DryRunOutcome::NotAsked(error.into()),
    }
}

/// Returns the applied object without the fields that the engine owned by other operations and no longer declares;
/// `None` if there are none.
fn without_undeclared_fields(live: &Value, applied: &Value, engine: ApplyingController) -> Option<Value> {
    let last_applied: Option<Value> = live
        .pointer(LAST_APPLIED)
        .and_then(Value::as_str)
        .and_then(|text| ucp_core::model::weight::from_json(text.as_bytes()).ok());
    // An annotation makes Flux leave the fields of others alone.
    let is_merged = |object: &Value| text_at(object, FLUX_APPLY) == "Merge";
    if engine == ApplyingController::KustomizeController && (is_merged(live) || is_merged(applied)) {
        return None;
    }
    // Without that annotation, Argo CD's three-way merge removes nothing; Flux only uses ownership.
    if last_applied.is_none() && engine == ApplyingController::ArgoCd {
        return None;
    }
    let is_taken_over = |owner: &FieldManagerEntry<'_>| owner.subresource.is_empty() && takes_over(engine, owner);
    let keep: Vec<_> =
        fields::field_managers(applied).filter(|owner| !is_taken_over(owner)).map(|owner| owner.fields).collect();
    let mut rest = applied.clone();
    let mut removed = false;
    for owner in fields::field_managers(live).filter(is_taken_over) {
        let owned = match &last_applied {
            Some(last) => fields::intersect(owner.fields, last),
            None => owner.fields.clone(),
        };
        removed |= fields::remove_fields(&mut rest, &owned, &keep);
    }
    removed.then_some(rest)
}

/// Returns true if an engine takes over the fields of an owner: its own writes from before server-side apply, and
/// kubectl's.
fn takes_over(engine: ApplyingController, owner: &FieldManagerEntry<'_>) -> bool {
    use ApplyingController::{ApplicationSetController, ArgoCd, HelmController, KustomizeController};
    match (engine, owner.operation) {
        (_, WriteOperation::Update) if owner.manager == engine.field_manager() => true,
        (ArgoCd, WriteOperation::Update) => owner.manager == "kubectl-client-side-apply",
        // `ssa.ManagerConfig` of fluxcd/pkg takes both over, by prefix.
        (KustomizeController, WriteOperation::Update) => {
            owner.manager.starts_with("kubectl") || owner.manager == "before-first-apply"
        }
        (KustomizeController, WriteOperation::Apply) => owner.manager.starts_with("kubectl"),
        (ArgoCd, WriteOperation::Apply) | (HelmController | ApplicationSetController, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn live(manager: &str, last_applied: Option<Value>) -> Value {
        let owned = json!({"f:spec": {"f:a": {}, "f:b": {}, "f:defaulted": {}}});
        let mut object = json!({
            "metadata": {"managedFields": [{"manager": manager, "operation": "Update", "fieldsV1": owned}]},
            "spec": {"a": 1, "b": 2, "defaulted": 3},
        });
        if let Some(last) = last_applied {
            object["metadata"]["annotations"] =
                json!({"kubectl.kubernetes.io/last-applied-configuration": last.to_string()});
        }
        object
    }

    fn rest(live: &Value, engine: ApplyingController) -> Option<Value> {
        let mut applied = live.clone();
        applied["metadata"]["managedFields"].as_array_mut().unwrap().push(
            json!({"manager": engine.field_manager(), "operation": "Apply", "fieldsV1": {"f:spec": {"f:a": {}}}}),
        );
        without_undeclared_fields(live, &applied, engine).map(|rest| rest["spec"].clone())
    }

    #[test]
    fn applied_fields_that_are_no_longer_declared_are_removed() {
        let last = json!({"spec": {"a": 1, "b": 2}});
        let argo = live("argocd-controller", Some(last.clone()));
        assert_eq!(rest(&argo, ApplyingController::ArgoCd), Some(json!({"a": 1, "defaulted": 3})));
        assert_eq!(rest(&live("argocd-controller", None), ApplyingController::ArgoCd), None);
        assert_eq!(rest(&live("somebody", Some(last)), ApplyingController::ArgoCd), None);
        assert_eq!(
            rest(&live("kubectl-client-side-apply", None), ApplyingController::KustomizeController),
            Some(json!({"a": 1}))
        );
    }
}
