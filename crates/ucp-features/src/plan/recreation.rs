//! Objects of which an engine writes something else than a dry run shows: those that it deletes and creates again, because the
//! server does not update one of their fields, and those whose ignored fields it writes.

use serde_json::Value;

use crate::plan::change::PlannedChange;
use crate::plan::examine::{ComparisonPurpose, Examination, Examiner};
use crate::plan::external;
use crate::plan::outcome::PlanAction;
use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_client::prediction::difference::field_changes;
use ucp_client::prediction::dry_run::{DryRunOutcome, DryRunPrediction, predict_apply};
use ucp_client::prediction::ignore::{IgnoreRule, remove_ignored, strip_server_fields};
use ucp_client::source::live::dry_run::DryRunWrite;
use ucp_core::engine::{ExternalRole, purpose};
use ucp_core::failure::FailureClass;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::secrecy::scrub_about;
use ucp_repo::manifests::deployment::{Deployment, ImmutableHandling};

impl Examiner<'_> {
    /// Evaluates an object that its deployer applies.
    pub(super) async fn evaluate_applied(
        &self,
        planned: PlannedChange,
        kind: &ResourceKind,
        manifest: &Value,
        prediction: DryRunPrediction,
        (deployment, ignored): (&Deployment, &[IgnoreRule]),
    ) -> Examination {
        match recreation(self.cluster, kind, deployment, manifest, &prediction).await {
            None if self.purpose == ComparisonPurpose::Merge
                && writes_ignored_fields(deployment)
                && !ignored.is_empty() =>
            {
                self.evaluate_written(planned, kind, manifest, prediction, (deployment, ignored)).await
            }
            None => self.evaluate(planned, kind, manifest, prediction, ignored).await,
            Some(recreation) => self.evaluate_recreation(planned, kind, manifest, prediction, recreation).await,
        }
    }

    /// Evaluates an object whose ignored fields are written, too, once its Application is out of sync.
    async fn evaluate_written(
        &self,
        mut planned: PlannedChange,
        kind: &ResourceKind,
        manifest: &Value,
        prediction: DryRunPrediction,
        (deployment, ignored): (&Deployment, &[IgnoreRule]),
    ) -> Examination {
        let (Some(live), DryRunOutcome::Accepted(after)) = (&prediction.live, &prediction.outcome) else {
            return self.evaluate(planned, kind, manifest, prediction, ignored).await;
        };
        let (mut before, mut after) = (live.clone(), after.clone());
        if remove_ignored(&mut before, &mut after, ignored).is_err() {
            return self.evaluate(planned, kind, manifest, prediction, ignored).await;
        }
        let is_in_sync = field_changes(&before, &after).is_empty();
        if is_in_sync && deployment.has_sync_option(manifest, "ApplyOutOfSyncOnly=true") {
            return Examination::Unchanged;
        }
        if is_in_sync {
            planned.notes.push("a sync writes ignored fields, too, without RespectIgnoreDifferences=true".to_owned());
        }
        match self.evaluate(planned, kind, manifest, prediction, &[]).await {
            Examination::Touched(examined) if is_in_sync => Examination::TouchedBySync(examined),
            examination => examination,
        }
    }

    /// Evaluates an object that is deleted and created again.
    async fn evaluate_recreation(
        &self,
        mut planned: PlannedChange,
        kind: &ResourceKind,
        manifest: &Value,
        prediction: DryRunPrediction,
        recreation: Recreation,
    ) -> Examination {
        planned.notes.push("it is deleted and created again, because a field that changes is immutable".to_owned());
        let live = prediction.live.clone();
        let examination = match recreation {
            Recreation::Predicted(object) => {
                let prediction = DryRunPrediction { outcome: DryRunOutcome::Accepted(object), ..prediction };
                self.evaluate(planned, kind, manifest, prediction, &[]).await
            }
            Recreation::Unknown(reason) => {
                let reason = scrub_about(&reason, [manifest]);
                let message = format!("whether the server accepts the new object is not known: {reason}");
                self.new_unchecked(planned, manifest, message, Some(kind))
            }
        };
        let Examination::Touched(mut examined) = examination else { return examination };
        examined.action = PlanAction::Change;
        if let (Some(live), Some(ExternalRole::External)) = (&live, purpose(kind)) {
            examined.external = Some(external::removal_effect(kind, live));
        }
        examined.before = examined.before.or(live.map(|mut live| {
            strip_server_fields(&mut live);
            live
        }));
        Examination::Touched(examined)
    }
}

/// The end of the name under which the server is asked for the new object: its own is in use.
const PROBE: &str = "-ucp-probe";

/// An object that is deleted and created again.
enum Recreation {
    /// The new object.
    Predicted(Value),
    /// The server did not accept it as a new object.
    Unknown(String),
}

/// Returns the new object if the engine deletes the live one because of a prediction; `None` if it does not.
async fn recreation(
    cluster: &ConnectedCluster,
    kind: &ResourceKind,
    deployment: &Deployment,
    manifest: &Value,
    prediction: &DryRunPrediction,
) -> Option<Recreation> {
    let live = prediction.live.as_ref()?;
    if !is_forced(deployment, manifest, live) || !fails_as_immutable(deployment, &prediction.outcome) {
        return None;
    }
    let name = manifest.pointer("/metadata/name").and_then(Value::as_str)?;
    let mut probe = manifest.clone();
    probe["metadata"]["name"] = format!("{name}{PROBE}").into();
    let probed = predict_apply(cluster, kind, &probe, deployment.controller(), DryRunWrite::Apply).await;
    Some(match probed.outcome {
        DryRunOutcome::Accepted(mut object) => {
            object["metadata"]["name"] = name.into();
            Recreation::Predicted(object)
        }
        DryRunOutcome::Rejected { reason, .. } | DryRunOutcome::NotAsked(reason) => Recreation::Unknown(reason.into()),
    })
}

/// Returns true if the options of the deployer or of the object allow the engine to delete it.
fn is_forced(deployment: &Deployment, manifest: &Value, live: &Value) -> bool {
    let enables = |object: &Value, place: &str| {
        let mark = object.pointer(place).and_then(|marks| marks.get("kustomize.toolkit.fluxcd.io/force")?.as_str());
        mark.is_some_and(|mark| mark.eq_ignore_ascii_case("enabled"))
    };
    let is_marked = |object: &Value| enables(object, "/metadata/annotations") || enables(object, "/metadata/labels");
    match deployment.engine {
        _ if deployment.release.is_some() || deployment.application_set.is_some() => false,
        GitOps::Flux => deployment.immutables == ImmutableHandling::Recreate || is_marked(manifest) || is_marked(live),
        GitOps::ArgoCd => [manifest, live].iter().any(|object| deployment.has_sync_option(object, "Force=true")),
    }
}

/// Returns true if the engine takes a rejection for one of an immutable field.
fn fails_as_immutable(deployment: &Deployment, outcome: &DryRunOutcome) -> bool {
    let DryRunOutcome::Rejected { reason, .. } = outcome else { return false };
    let text = reason.as_str();
    let is_by_text = text.contains("is immutable") || text.contains("immutable field");
    reason.is(FailureClass::Invalid) || deployment.engine == GitOps::Flux && is_by_text
}

/// Returns true if a sync writes the fields whose differences are ignored: Argo CD ignores them only when it compares.
fn writes_ignored_fields(deployment: &Deployment) -> bool {
    deployment.engine == GitOps::ArgoCd
        && deployment.application_set.is_none()
        && !deployment.sync_options.iter().any(|option| option == "RespectIgnoreDifferences=true")
}
