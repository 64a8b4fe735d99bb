//! Azure Service Operator v2: `*.azure.com`.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{
    DeclaredController, DeclaredEngine, EngineJudgement, KindFilter, KindSelector, ReferenceField, RepresentedResource,
    TextLocation, verdicts,
};
use crate::engine::judgement::Problem;
use crate::engine::outside::{ExternalPolicy, FieldMark, ObservedState};
use crate::graph::link::Relation;

codes! {
    AzureFailed "UCP721" Failed "an Azure resource of Azure Service Operator has failed" {
        "Condition Ready is False with severity Warning: the operator retries. With WaitingForOwner, AzureResourceNotFound, SecretNotFound and ReferenceNotFound, the message names the missing object."
        "Read the message: it comes from Azure."
        "kubectl describe {object}"
    }
    AzureGaveUp "UCP722" NeedsHuman "Azure Service Operator has given up on a resource" {
        "Condition Ready is False with severity Error: the operator does not retry until the object changes."
        "Change the spec as the message suggests."
        "kubectl describe {object}"
    }
}

/// Groups of Fleet, Karpenter, Container Networking, and Arc.
const OTHER_PROJECTS: [&str; 4] =
    ["fleet.azure.com", "karpenter.azure.com", "acn.azure.com", "clusterconfig.azure.com"];

const OUTSIDE: ExternalPolicy = ExternalPolicy {
    names: &[
        "/metadata/annotations/serviceoperator.azure.com~1resource-id",
        "/status/id",
        "/spec/azureName",
        "/metadata/name",
    ],
    kept_by: &[FieldMark::new(
        "/metadata/annotations/serviceoperator.azure.com~1reconcile-policy",
        &["detach-on-delete"],
    )],
    held_by: &[FieldMark::new("/metadata/annotations/serviceoperator.azure.com~1reconcile-policy", &["skip"])],
    observed: ObservedState::Fields("/status"),
    ..ExternalPolicy::DELETES
};

pub(in crate::engine) const ENGINE: DeclaredEngine = DeclaredEngine {
    name: "Azure Service Operator",
    part_of: "azure-service-operator",
    kinds: &[KindSelector { group: "*.azure.com", which: KindFilter::OutsideOf(&OTHER_PROJECTS) }],
    codes: ALL,
    verdicts: verdicts(Code::AzureFailed),
    controllers: &[DeclaredController::all(&[
        "azureserviceoperator-controller-manager",
        "azureserviceoperator",
        "azure-service-operator",
    ])],
    references: &[ReferenceField {
        relation: Relation::DependsOn,
        each: "owner",
        group: TextLocation::ItemOr("group", "resources.azure.com"),
        kind: TextLocation::ItemOr("kind", "ResourceGroup"),
        namespace: TextLocation::Nowhere,
        name: TextLocation::Item("name"),
    }],
    stands_for: RepresentedResource::Outside(
        &[
            TextLocation::Annotation("serviceoperator.azure.com/resource-id"),
            TextLocation::Status("id"),
            TextLocation::SpecOrName("azureName"),
        ],
        &OUTSIDE,
    ),
    own: |_, any, _| {
        let conditions = any.status.get("conditions").and_then(|conditions| conditions.as_array());
        let text = |condition: &serde_json::Value, key: &str| {
            condition.get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
        };
        let gave_up = conditions.into_iter().flatten().find(|condition| {
            text(condition, "type") == "Ready"
                && text(condition, "status") == "False"
                && text(condition, "severity") == "Error"
        });
        match gave_up {
            Some(condition) => {
                let message = format!("{}: {}", text(condition, "reason"), text(condition, "message"));
                let since = text(condition, "lastTransitionTime").parse().ok();
                let problem = Problem::new(Code::AzureGaveUp, since, message);
                EngineJudgement::only(vec![problem])
            }
            None => EngineJudgement::Nothing,
        }
    },
    ..DeclaredEngine::NEW
};
