//! Cluster API: clusters, control planes, machines, and the objects of infrastructure providers.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{
    DeclaredController, DeclaredEngine, KindFilter, KindSelector, ParentReference, ReferenceField, RepresentedResource,
    TextLocation, verdicts,
};
use crate::engine::outside::{ExternalPolicy, FieldMark, RecreationPolicy};
use crate::graph::link::Relation;

codes! {
    ClusterApiFailed "UCP746" Failed "Cluster API reports a failure" {
        "Condition Available, Ready or RemoteConnectionProbe of an object of Cluster API is False, its phase is Failed, or v1beta1's failureReason is set."
        "Read the message; the control plane and the infrastructure object have the details."
        "kubectl ucp tree {object}"
    }
}

const fn part(field: &'static str) -> ReferenceField {
    ReferenceField {
        relation: Relation::Composes,
        each: field,
        group: TextLocation::ItemOr("apiGroup", "infrastructure.cluster.x-k8s.io"),
        kind: TextLocation::Item("kind"),
        namespace: TextLocation::Namespace,
        name: TextLocation::Item("name"),
    }
}

/// A reference with the `apiVersion` field of v1beta1, which v1beta2 replaces by `apiGroup`.
const fn old_part(field: &'static str) -> ReferenceField {
    ReferenceField { group: TextLocation::Item("apiVersion"), ..part(field) }
}

const OUTSIDE: ExternalPolicy = ExternalPolicy {
    names: &["/spec/providerID", "/spec/controlPlaneEndpoint/host"],
    paused_by: &[
        FieldMark::new("/spec/paused", &["true"]),
        FieldMark::new("/metadata/annotations/cluster.x-k8s.io~1paused", &["true", ""]),
    ],
    again: RecreationPolicy::Never(
        "Cluster API would create another cluster: only 'clusterctl move' moves it to another core cluster",
    ),
    ..ExternalPolicy::DELETES
};

pub(in crate::engine) const ENGINE: DeclaredEngine = DeclaredEngine {
    name: "Cluster API",
    part_of: "cluster-api",
    kinds: &[
        KindSelector {
            group: "cluster.x-k8s.io",
            which: KindFilter::Only(&[
                "Cluster",
                "Machine",
                "MachineDeployment",
                "MachineHealthCheck",
                "MachinePool",
                "MachineSet",
            ]),
        },
        KindSelector { group: "controlplane.cluster.x-k8s.io", which: KindFilter::AllBut(&[]) },
        KindSelector { group: "infrastructure.cluster.x-k8s.io", which: KindFilter::AllBut(&[]) },
    ],
    codes: ALL,
    verdicts: verdicts(Code::ClusterApiFailed),
    controllers: &[DeclaredController::for_kinds(
        &["capi-controller-manager", "cluster-api-controller"],
        &["Cluster", "Machine", "MachineDeployment", "MachineHealthCheck", "MachinePool", "MachineSet"],
    )],
    references: &[
        part("controlPlaneRef"),
        part("infrastructureRef"),
        old_part("controlPlaneRef"),
        old_part("infrastructureRef"),
        // A control plane writes its kubeconfig to the key `value` of a Secret of type `cluster.x-k8s.io/secret`.
        ReferenceField {
            relation: Relation::Writes,
            each: "controlPlaneRef",
            group: TextLocation::Is(""),
            kind: TextLocation::Is("Secret"),
            namespace: TextLocation::Namespace,
            name: TextLocation::NameWith("-kubeconfig"),
        },
    ],
    parents: &[ParentReference {
        relation: Relation::Composes,
        group: TextLocation::Is("cluster.x-k8s.io"),
        kind: TextLocation::Is("Cluster"),
        namespace: TextLocation::Namespace,
        name: TextLocation::Label("cluster.x-k8s.io/cluster-name"),
    }],
    stands_for: RepresentedResource::Outside(
        &[TextLocation::Spec("providerID"), TextLocation::Spec("controlPlaneEndpoint.host")],
        &OUTSIDE,
    ),
    ..DeclaredEngine::NEW
};
