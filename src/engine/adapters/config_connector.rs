//! Google's Config Connector: `*.cnrm.cloud.google.com`.

use crate::engine::Problem;
use crate::engine::code::{Code, codes};
use crate::engine::declared::{Declared, Kinds, Own, Reference, Runs, StandsFor, Text, Which, verdicts};
use crate::engine::outside::{Again, Mark, Observed, Outside};
use crate::graph::link::Relation;

codes! {
    ConfigConnectorFailed "UCP716" Failed "a Google Cloud resource of Config Connector has failed" {
        "Condition Ready is False with CreateFailed, UpdateFailed, DeleteFailed, DependencyNotFound, DependencyInvalid or a failed transformation; or status.healthy of ConfigConnector or its context is false."
        "Read the message: it is Google's own."
        "kubectl describe {object}"
    }
}

const fn needs(field: &'static str, group: &'static str, kind: &'static str) -> Reference {
    Reference {
        relation: Relation::DependsOn,
        each: field,
        group: Text::Is(group),
        kind: Text::Is(kind),
        namespace: Text::Item("namespace"),
        name: Text::Item("name"),
    }
}

const OUTSIDE: Outside = Outside {
    names: &["/status/externalRef", "/status/selfLink", "/spec/resourceID", "/metadata/name"],
    kept_by: &[Mark::new("/metadata/annotations/cnrm.cloud.google.com~1deletion-policy", &["abandon"])],
    // The annotation only disables periodic reconciliation: changes and deletions of the object are still applied,
    // according to the maintainers in https://github.com/GoogleCloudPlatform/k8s-config-connector/issues/795.
    uncorrected_by: &[Mark::new("/metadata/annotations/cnrm.cloud.google.com~1reconcile-interval-in-seconds", &["0"])],
    observed: Observed::Fields("/status/observedState"),
    // For kinds with a server-generated identifier, the controller writes it to this field.
    again: Again::By("/spec/resourceID"),
    ..Outside::DELETES
};

pub(in crate::engine) const ENGINE: Declared = Declared {
    name: "Config Connector",
    part_of: "cnrm",
    kinds: &[
        Kinds {
            group: "*.cnrm.cloud.google.com",
            which: Which::AllBut(&["MutatingWebhookConfigurationCustomization"]),
        },
        Kinds {
            group: "core.cnrm.cloud.google.com",
            which: Which::Only(&["ConfigConnector", "ConfigConnectorContext"]),
        },
    ],
    codes: ALL,
    verdicts: verdicts(Code::ConfigConnectorFailed),
    controllers: &[Runs::all(&["cnrm-controller-manager"])],
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
        Reference {
            relation: Relation::DependsOn,
            each: "resourceRef",
            group: Text::Item("apiVersion"),
            kind: Text::Item("kind"),
            namespace: Text::Item("namespace"),
            name: Text::Item("name"),
        },
    ],
    own: |resource, _, _| match resource.metadata.annotation("cnrm.cloud.google.com/reconcile-interval-in-seconds") {
        Some("0") => {
            let message = "reconcile-interval-in-seconds is 0: only changes of the object go out";
            Own::Beside(vec![Problem::new(Code::DeclaredPaused, None, message)])
        }
        _ => Own::Nothing,
    },
    stands_for: StandsFor::Outside(
        &[Text::Status("externalRef"), Text::Status("selfLink"), Text::Spec("resourceID"), Text::Name],
        &OUTSIDE,
    ),
    ..Declared::NEW
};
