//! KRO: ResourceGraphDefinitions and their instances. The kinds of instances are in KRO's own group, or in the group
//! that the definition specifies.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{
    DeclaredController, DeclaredEngine, KindFilter, KindSelector, MemberDeclaration, ParentReference, TextLocation,
    verdicts,
};
use crate::graph::link::Relation;
use crate::model::graph_kinds;

codes! {
    KroFailed "UCP774" Failed "a graph of KRO is not accepted, or its instance fails" {
        "Condition GraphAccepted, KindReady or ControllerReady of a ResourceGraphDefinition is False, or its state is Inactive: its instances are not reconciled. Or status.state of an instance is ERROR or FAILED."
        "Read the message: it names the field, the expression or the resource."
        "kubectl describe {object}"
    }
}

pub(in crate::engine) const ENGINE: DeclaredEngine = DeclaredEngine {
    name: "KRO",
    part_of: "kro",
    kinds: &[
        KindSelector { group: "kro.run", which: KindFilter::AllBut(&[]) },
        KindSelector { group: "*", which: KindFilter::InCategory(graph_kinds::INSTANCE) },
    ],
    codes: ALL,
    verdicts: verdicts(Code::KroFailed),
    controllers: &[DeclaredController::all(&["kro"])],
    // https://github.com/kubernetes/enhancements/tree/master/keps/sig-cli/3659-kubectl-apply-prune
    members: Some(MemberDeclaration {
        kinds_in: "applyset.kubernetes.io/contains-group-kinds",
        label: "kro.run/instance-name",
    }),
    // Children have no ownerReferences.
    parents: &[ParentReference {
        relation: Relation::Composes,
        group: TextLocation::Label("kro.run/instance-group"),
        kind: TextLocation::Label("kro.run/instance-kind"),
        namespace: TextLocation::Label("kro.run/instance-namespace"),
        name: TextLocation::Label("kro.run/instance-name"),
    }],
    ..DeclaredEngine::NEW
};
