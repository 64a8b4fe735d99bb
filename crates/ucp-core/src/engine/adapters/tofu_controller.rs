//! tofu-controller: Terraform and OpenTofu, reconciled by Flux.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{
    DeclaredController, DeclaredEngine, EngineJudgement, KindFilter, KindSelector, ReferenceField, RepresentedResource,
    TextLocation, verdicts,
};
use crate::engine::judgement::Problem;
use crate::engine::outside::{DeletionPolicy, ExternalPolicy, FieldMark, ObservedState};
use crate::graph::link::Relation;
use crate::model::condition::{Condition, ConditionStatus, FindCondition as _};

codes! {
    TerraformFailed "UCP756" Failed "a Terraform run fails" {
        "Condition Ready of a Terraform is False with TFExecInitFailed, TFExecPlanFailed, TFExecApplyFailed, DriftDetectionFailed, RetryLimitReached or the like, or Stalled is True."
        "Read the message: it comes from Terraform."
        "kubectl describe {object}"
    }
    TerraformDrift "UCP757" Drifted "Terraform detected drift" {
        "Ready is False with reason DriftDetected: the existing resources differ from the last applied state."
        "Read the plan. With spec.approvePlan: auto, it is corrected automatically. Otherwise, approve the plan, or change the declaration."
        "kubectl describe {object}"
    }
    TerraformWaits "UCP758" NeedsHuman "a Terraform plan waits, or its state is locked" {
        "status.plan.pending names a plan, and spec.approvePlan is not auto and does not name it; or condition StateLocked is True: another run holds the state's lock."
        "Read the plan, and set spec.approvePlan to its name. Release a lock only if no other run is in progress."
        "kubectl get {object} -o yaml"
    }
}

fn stop(code: Code, condition: &Condition) -> EngineJudgement {
    let message = format!("{}: {}", condition.reason, condition.message);
    let problem = Problem::new(code, condition.last_transition_time, message);
    EngineJudgement::only(vec![problem])
}

const OUTSIDE: ExternalPolicy = ExternalPolicy {
    names: &["/spec/workspace"],
    removal: DeletionPolicy::Keeps {
        why: "spec.destroyResourcesOnDeletion is not true",
        but_for: Some(FieldMark::new("/spec/destroyResourcesOnDeletion", &["true"])),
    },
    held_by: &[FieldMark::new("/spec/suspend", &["true"]), FieldMark::new("/spec/planOnly", &["true"])],
    observed: ObservedState::Verdict,
    ..ExternalPolicy::DELETES
};

pub(in crate::engine) const ENGINE: DeclaredEngine = DeclaredEngine {
    name: "tofu-controller",
    part_of: "tofu-controller",
    kinds: &[KindSelector { group: "infra.contrib.fluxcd.io", which: KindFilter::Only(&["Terraform"]) }],
    codes: ALL,
    verdicts: verdicts(Code::TerraformFailed),
    controllers: &[DeclaredController::all(&["tofu-controller", "tf-controller"])],
    references: &[
        ReferenceField {
            relation: Relation::DependsOn,
            each: "sourceRef",
            group: TextLocation::Is("source.toolkit.fluxcd.io"),
            kind: TextLocation::Item("kind"),
            namespace: TextLocation::Item("namespace"),
            name: TextLocation::Item("name"),
        },
        ReferenceField {
            relation: Relation::DependsOn,
            each: "dependsOn",
            group: TextLocation::Is("infra.contrib.fluxcd.io"),
            kind: TextLocation::Is("Terraform"),
            namespace: TextLocation::Item("namespace"),
            name: TextLocation::Item("name"),
        },
        ReferenceField {
            relation: Relation::Writes,
            each: "writeOutputsToSecret",
            group: TextLocation::Is(""),
            kind: TextLocation::Is("Secret"),
            namespace: TextLocation::Namespace,
            name: TextLocation::Item("name"),
        },
    ],
    stands_for: RepresentedResource::Outside(&[TextLocation::SpecOr("workspace", "default")], &OUTSIDE),
    own: |resource, any, _| {
        let conditions = resource.conditions.as_slice();
        if let Some(locked) = conditions.with_status("StateLocked", ConditionStatus::True) {
            return stop(Code::TerraformWaits, locked);
        }
        let drifted =
            |condition: &&Condition| condition.reason == "DriftDetected" && condition.status == ConditionStatus::False;
        if let Some(drift) = conditions.of_type("Ready").filter(drifted) {
            return stop(Code::TerraformDrift, drift);
        }
        let text =
            |value: Option<&serde_json::Value>| value.and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        let pending = text(any.status.pointer("/plan/pending"));
        let approved = text(any.spec.get("approvePlan"));
        if !pending.is_empty() && approved != "auto" && approved != pending {
            let message = format!("plan {pending} waits for spec.approvePlan");
            return EngineJudgement::Beside(vec![Problem::new(Code::TerraformWaits, None, message)]);
        }
        EngineJudgement::Nothing
    },
    ..DeclaredEngine::NEW
};
