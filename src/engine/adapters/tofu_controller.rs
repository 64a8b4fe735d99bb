//! tofu-controller: Terraform and OpenTofu, reconciled by Flux.

use crate::engine::Problem;
use crate::engine::code::{Code, codes};
use crate::engine::declared::{Declared, Kinds, Own, Reference, Runs, StandsFor, Text, Which, verdicts};
use crate::engine::outside::{Mark, Observed, Outside, Removal};
use crate::graph::link::Relation;
use crate::model::condition::{Condition, ConditionStatus, FindCondition as _};

codes! {
    TerraformFailed "UCP756" Failed "a Terraform run fails" {
        "Condition Ready of a Terraform is False with TFExecInitFailed, TFExecPlanFailed, TFExecApplyFailed, DriftDetectionFailed, RetryLimitReached or the like, or Stalled is True."
        "Read the message: it is Terraform's own."
        "kubectl describe {object}"
    }
    TerraformDrift "UCP757" Drifted "Terraform sees a difference outside" {
        "Ready is False with reason DriftDetected: what exists is not what was applied last."
        "Read the plan. With spec.approvePlan auto it is corrected by itself; else approve the plan, or change the declaration."
        "kubectl describe {object}"
    }
    TerraformWaits "UCP758" NeedsHuman "a Terraform plan waits, or its state is locked" {
        "status.plan.pending names a plan, and spec.approvePlan is not auto and does not name it; or condition StateLocked is True: another run holds the state's lock."
        "Read the plan, and set spec.approvePlan to its name. Release a lock only when no other run is under way."
        "kubectl get {object} -o yaml"
    }
}

fn stop(code: Code, condition: &Condition) -> Own {
    let message = format!("{}: {}", condition.reason, condition.message);
    let problem = Problem::new(code, condition.last_transition_time, message);
    Own::only(vec![problem])
}

const OUTSIDE: Outside = Outside {
    names: &["/spec/workspace"],
    removal: Removal::Keeps {
        why: "spec.destroyResourcesOnDeletion is not true",
        but_for: Some(Mark::new("/spec/destroyResourcesOnDeletion", &["true"])),
    },
    held_by: &[Mark::new("/spec/suspend", &["true"]), Mark::new("/spec/planOnly", &["true"])],
    observed: Observed::Verdict,
    ..Outside::DELETES
};

pub(in crate::engine) const ENGINE: Declared = Declared {
    name: "tofu-controller",
    part_of: "tofu-controller",
    kinds: &[Kinds { group: "infra.contrib.fluxcd.io", which: Which::Only(&["Terraform"]) }],
    codes: ALL,
    verdicts: verdicts(Code::TerraformFailed),
    controllers: &[Runs::all(&["tofu-controller", "tf-controller"])],
    references: &[
        Reference {
            relation: Relation::DependsOn,
            each: "sourceRef",
            group: Text::Is("source.toolkit.fluxcd.io"),
            kind: Text::Item("kind"),
            namespace: Text::Item("namespace"),
            name: Text::Item("name"),
        },
        Reference {
            relation: Relation::DependsOn,
            each: "dependsOn",
            group: Text::Is("infra.contrib.fluxcd.io"),
            kind: Text::Is("Terraform"),
            namespace: Text::Item("namespace"),
            name: Text::Item("name"),
        },
        Reference {
            relation: Relation::Writes,
            each: "writeOutputsToSecret",
            group: Text::Is(""),
            kind: Text::Is("Secret"),
            namespace: Text::Namespace,
            name: Text::Item("name"),
        },
    ],
    stands_for: StandsFor::Outside(&[Text::SpecOr("workspace", "default")], &OUTSIDE),
    own: |resource, any, _| {
        let conditions = resource.conditions.as_slice();
        if let Some(locked) = conditions.when("StateLocked", ConditionStatus::True) {
            return stop(Code::TerraformWaits, locked);
        }
        let drifted =
            |condition: &&Condition| condition.reason == "DriftDetected" && condition.status == ConditionStatus::False;
        if let Some(drift) = conditions.of("Ready").filter(drifted) {
            return stop(Code::TerraformDrift, drift);
        }
        let text =
            |value: Option<&serde_json::Value>| value.and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        let pending = text(any.status.pointer("/plan/pending"));
        let approved = text(any.spec.get("approvePlan"));
        if !pending.is_empty() && approved != "auto" && approved != pending {
            let message = format!("plan {pending} waits for spec.approvePlan");
            return Own::Beside(vec![Problem::new(Code::TerraformWaits, None, message)]);
        }
        Own::Nothing
    },
    ..Declared::NEW
};
