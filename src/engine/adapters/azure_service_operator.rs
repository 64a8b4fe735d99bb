//! Azure Service Operator v2: `*.azure.com`.

use crate::engine::Problem;
use crate::engine::code::{Code, codes};
use crate::engine::declared::{Declared, Kinds, Own, Reference, Runs, StandsFor, Text, Which, verdicts};
use crate::engine::outside::{Mark, Observed, Outside};
use crate::graph::link::Relation;

codes! {
    AzureFailed "UCP721" Failed "an Azure resource of Azure Service Operator has failed" {
        "Condition Ready is False with severity Warning: the operator tries again. WaitingForOwner, AzureResourceNotFound, SecretNotFound and ReferenceNotFound name what is missed."
        "Read the message: it is Azure's own."
        "kubectl describe {object}"
    }
    AzureGaveUp "UCP722" NeedsHuman "Azure Service Operator has given up on a resource" {
        "Condition Ready is False with severity Error: the operator does not try again before the object changes."
        "Change the spec as the message says."
        "kubectl describe {object}"
    }
}

const OUTSIDE: Outside = Outside {
    names: &[
        "/metadata/annotations/serviceoperator.azure.com~1resource-id",
        "/status/id",
        "/spec/azureName",
        "/metadata/name",
    ],
    kept_by: &[Mark::new("/metadata/annotations/serviceoperator.azure.com~1reconcile-policy", &["detach-on-delete"])],
    held_by: &[Mark::new("/metadata/annotations/serviceoperator.azure.com~1reconcile-policy", &["skip"])],
    observed: Observed::Fields("/status"),
    ..Outside::DELETES
};

pub(in crate::engine) const ENGINE: Declared = Declared {
    name: "Azure Service Operator",
    part_of: "azure-service-operator",
    kinds: &[Kinds { group: "*.azure.com", which: Which::AllBut(&[]) }],
    codes: ALL,
    verdicts: verdicts(Code::AzureFailed),
    controllers: &[Runs::all(&[
        "azureserviceoperator-controller-manager",
        "azureserviceoperator",
        "azure-service-operator",
    ])],
    references: &[Reference {
        relation: Relation::DependsOn,
        each: "owner",
        group: Text::ItemOr("group", "resources.azure.com"),
        kind: Text::ItemOr("kind", "ResourceGroup"),
        namespace: Text::Nowhere,
        name: Text::Item("name"),
    }],
    stands_for: StandsFor::Outside(
        &[Text::Annotation("serviceoperator.azure.com/resource-id"), Text::Status("id"), Text::SpecOrName("azureName")],
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
                Own::only(vec![problem])
            }
            None => Own::Nothing,
        }
    },
    ..Declared::NEW
};
