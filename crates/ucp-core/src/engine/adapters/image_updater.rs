//! Argo CD Image Updater. Since 1.0 it has a CRD; before, it was configured by annotations only and reported no status.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{
    DeclaredController, DeclaredEngine, EngineJudgement, KindFilter, KindSelector, verdicts,
};
use crate::engine::judgement::Problem;
use crate::model::body::Body;
use crate::model::condition::{ConditionStatus, FindCondition as _};

/// Annotation of an Application that lists the images to update. Before 1.0, the only configuration.
const IMAGES: &str = "argocd-image-updater.argoproj.io/image-list";

codes! {
    ImageUpdateFailed "UCP736" Failed "an image updater fails" {
        "Condition Ready of an ImageUpdater is False, or Error is True although Ready is True: some images could not be looked up, or the result could not be written to Git."
        "Read the message; the controller's log has the error of each image."
        "kubectl describe {object}"
    }
    ImageUpdaterIdle "UCP737" NeedsHuman "an image updater finds no Application" {
        "status.applicationsMatched of an ImageUpdater is 0: it updates nothing, and reports that it is Ready."
        "Compare spec.namespace and the name patterns of spec.applicationRefs with the Applications."
        "kubectl get {object} -o yaml"
    }
}

pub(in crate::engine) const ENGINE: DeclaredEngine = DeclaredEngine {
    name: "Argo CD Image Updater",
    part_of: "argocd-image-updater",
    kinds: &[KindSelector { group: "argocd-image-updater.argoproj.io", which: KindFilter::Only(&["ImageUpdater"]) }],
    codes: ALL,
    verdicts: verdicts(Code::ImageUpdateFailed),
    controllers: &[DeclaredController {
        serves: |resource| {
            matches!(resource.body, Body::Application(_)) && resource.metadata.annotation(IMAGES).is_some()
        },
        ..DeclaredController::all(&["argocd-image-updater-controller", "argocd-image-updater"])
    }],
    own: |resource, any, _| {
        let mut problems = Vec::new();
        if let Some(error) = resource.conditions.as_slice().with_status("Error", ConditionStatus::True) {
            let message = format!("{}: {}", error.reason, error.message);
            problems.push(Problem::new(Code::ImageUpdateFailed, error.last_transition_time, message));
            return EngineJudgement::only(problems);
        }
        if any.status.get("applicationsMatched").and_then(serde_json::Value::as_i64) == Some(0) {
            problems.push(Problem::new(Code::ImageUpdaterIdle, None, "it matches no Application"));
        }
        EngineJudgement::Beside(problems)
    },
    ..DeclaredEngine::NEW
};
