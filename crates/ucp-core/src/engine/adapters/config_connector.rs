//! Google's Config Connector: `*.cnrm.cloud.google.com`.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{
    DeclaredController, DeclaredEngine, EngineJudgement, KindFilter, KindSelector, ReferenceField, RepresentedResource,
    TextLocation, verdicts,
};
use crate::engine::judgement::Problem;
use crate::engine::outside::{ExternalPolicy, FieldMark, ObservedState, RecreationPolicy};
use crate::graph::link::Relation;

codes! {
    ConfigConnectorFailed "UCP716" Failed "a Google Cloud resource of Config Connector has failed" {
        "Condition Ready is False with CreateFailed, UpdateFailed, DeleteFailed, DependencyNotFound, DependencyInvalid or a failed transformation; or status.healthy of ConfigConnector or its context is false."
        "Read the message: it comes from Google Cloud."
        "kubectl describe {object}"
    }
}

const fn needs(field: &'static str, group: &'static str, kind: &'static str) -> ReferenceField {
    ReferenceField {
        relation: Relation::DependsOn,
        each: field,
        group: TextLocation::Is(group),
        kind: TextLocation::Is(kind),
        namespace: TextLocation::Item("namespace"),
        name: TextLocation::Item("name"),
    }
}

const OUTSIDE: ExternalPolicy = ExternalPolicy {
    names: &["/status/externalRef", "/status/selfLink", "/spec/resourceID", "/metadata/name"],
    kept_by: &[FieldMark::new("/metadata/annotations/cnrm.cloud.google.com~1deletion-policy", &["abandon"])],
    // The annotation only disables periodic reconciliation: changes and deletions of the object are still applied,
    // according to the maintainers in https://github.com/GoogleCloudPlatform/k8s-config-connector/issues/795.
    uncorrected_by: &[FieldMark::new(
        "/metadata/annotations/cnrm.cloud.google.com~1reconcile-interval-in-seconds",
        &["0"],
    )],
    observed: ObservedState::Fields("/status/observedState"),
    // For kinds with a server-generated identifier, the controller writes it to this field.
    again: RecreationPolicy::By("/spec/resourceID"),
    ..ExternalPolicy::DELETES
};

pub(in crate::engine) const ENGINE: DeclaredEngine = DeclaredEngine {
    name: "Config Connector",
    part_of: "cnrm",
    kinds: &[
        KindSelector {
            group: "*.cnrm.cloud.google.com",
            which: KindFilter::AllBut(&["MutatingWebhookConfigurationCustomization"]),
        },
        KindSelector {
            group: "core.cnrm.cloud.google.com",
            which: KindFilter::Only(&["ConfigConnector", "ConfigConnectorContext"]),
        },
    ],
    codes: ALL,
    verdicts: verdicts(Code::ConfigConnectorFailed),
    controllers: &[DeclaredController::all(&["cnrm-controller-manager"])],
    references: &[
        needs("networkRef", "compute.cnrm.cloud.google.com", "ComputeNetwork"),
        needs("subnetworkRef", "compute.cnrm.cloud.google.com", "ComputeSubnetwork"),
        needs("clusterRef", "container.cnrm.cloud.google.com", "ContainerCluster"),
        needs("instanceRef", "sql.cnrm.cloud.google.com", "SQLInstance"),
        needs("projectRef", "resourcemanager.cnrm.cloud.google.com", "Project"),
        needs("folderRef", "resourcemanager.cnrm.cloud.google.com", "Folder"),
        needs("bucketRef", "storage.cnrm.cloud.google.com", "StorageBucket"),
        needs("topicRef", "pubsub.cnrm.cloud.google.com", "PubSubTopic"),
        needs("serviceAccountRef", "iam.cnrm.cloud.google.com", "IAMServiceAccount"),
        ReferenceField {
            relation: Relation::DependsOn,
            each: "resourceRef",
            group: TextLocation::Item("apiVersion"),
            kind: TextLocation::Item("kind"),
            namespace: TextLocation::Item("namespace"),
            name: TextLocation::Item("name"),
        },
    ],
    own: |resource, _, _| match resource.metadata.annotation("cnrm.cloud.google.com/reconcile-interval-in-seconds") {
        Some("0") => {
            let message = "reconcile-interval-in-seconds is 0: only changes of the object are applied";
            EngineJudgement::Beside(vec![Problem::new(Code::DeclaredPaused, None, message)])
        }
        _ => EngineJudgement::Nothing,
    },
    stands_for: RepresentedResource::Outside(
        &[
            TextLocation::Status("externalRef"),
            TextLocation::Status("selfLink"),
            TextLocation::Spec("resourceID"),
            TextLocation::Name,
        ],
        &OUTSIDE,
    ),
    ..DeclaredEngine::NEW
};
