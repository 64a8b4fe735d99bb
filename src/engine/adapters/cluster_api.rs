//! Cluster API: clusters, control planes, machines, and the objects of infrastructure providers.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{Declared, Kinds, Parent, Reference, Runs, StandsFor, Text, Which, verdicts};
use crate::engine::outside::{Again, Mark, Outside};
use crate::graph::link::Relation;

codes! {
    ClusterApiFailed "UCP746" Failed "Cluster API reports a failure" {
        "Condition Available, Ready or RemoteConnectionProbe of an object of Cluster API is False, its phase is Failed, or v1beta1's failureReason is set."
        "Read the message; the control plane and the infrastructure object have the details."
        "clusterctl describe cluster {name} -n {namespace} --show-conditions all"
    }
}

const fn part(field: &'static str) -> Reference {
    Reference {
        relation: Relation::Composes,
        each: field,
        group: Text::ItemOr("apiGroup", "infrastructure.cluster.x-k8s.io"),
        kind: Text::Item("kind"),
        namespace: Text::Namespace,
        name: Text::Item("name"),
    }
}

/// A reference with the `apiVersion` field of v1beta1, which v1beta2 replaces by `apiGroup`.
const fn old_part(field: &'static str) -> Reference {
    Reference { group: Text::Item("apiVersion"), ..part(field) }
}

const OUTSIDE: Outside = Outside {
    names: &["/spec/providerID", "/spec/controlPlaneEndpoint/host"],
    paused_by: &[
        Mark::new("/spec/paused", &["true"]),
        Mark::new("/metadata/annotations/cluster.x-k8s.io~1paused", &["true", ""]),
    ],
    again: Again::Never("Cluster API makes another one: only 'clusterctl move' carries it to another core cluster"),
    ..Outside::DELETES
};

pub(in crate::engine) const ENGINE: Declared = Declared {
    name: "Cluster API",
    part_of: "cluster-api",
    kinds: &[
        Kinds {
            group: "cluster.x-k8s.io",
            which: Which::Only(&[
                "Cluster",
                "Machine",
                "MachineDeployment",
                "MachineHealthCheck",
                "MachinePool",
                "MachineSet",
            ]),
        },
        Kinds { group: "controlplane.cluster.x-k8s.io", which: Which::AllBut(&[]) },
        Kinds { group: "infrastructure.cluster.x-k8s.io", which: Which::AllBut(&[]) },
    ],
    codes: ALL,
    verdicts: verdicts(Code::ClusterApiFailed),
    controllers: &[Runs::of(
        &["capi-controller-manager", "cluster-api-controller"],
        &["Cluster", "Machine", "MachineDeployment", "MachineHealthCheck", "MachinePool", "MachineSet"],
    )],
    references: &[
        part("controlPlaneRef"),
        part("infrastructureRef"),
        old_part("controlPlaneRef"),
        old_part("infrastructureRef"),
        // A control plane writes its kubeconfig to the key `value` of a Secret of type `cluster.x-k8s.io/secret`.
        Reference {
            relation: Relation::Writes,
            each: "controlPlaneRef",
            group: Text::Is(""),
            kind: Text::Is("Secret"),
            namespace: Text::Namespace,
            name: Text::NameWith("-kubeconfig"),
        },
    ],
    parents: &[Parent {
        relation: Relation::Composes,
        group: Text::Is("cluster.x-k8s.io"),
        kind: Text::Is("Cluster"),
        namespace: Text::Namespace,
        name: Text::Label("cluster.x-k8s.io/cluster-name"),
    }],
    stands_for: StandsFor::Outside(&[Text::Spec("providerID"), Text::Spec("controlPlaneEndpoint.host")], &OUTSIDE),
    ..Declared::NEW
};
