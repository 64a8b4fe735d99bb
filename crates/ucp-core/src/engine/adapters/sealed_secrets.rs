//! Bitnami Sealed Secrets.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{
    DeclaredController, DeclaredEngine, KindFilter, KindSelector, ReferenceField, TextLocation, verdicts,
};
use crate::graph::link::Relation;

codes! {
    SealedSecretFailed "UCP734" Failed "a sealed secret is not unsealed" {
        "Condition Synced of a SealedSecret is False: the controller has no key that decrypts it, or a Secret with that name belongs to another owner."
        "Seal it again with 'kubeseal' and the certificate of this cluster, or restore the key that it was sealed with."
        "kubectl describe {object}"
    }
}

pub(in crate::engine) const ENGINE: DeclaredEngine = DeclaredEngine {
    name: "Sealed Secrets",
    part_of: "sealed-secrets",
    kinds: &[KindSelector { group: "bitnami.com", which: KindFilter::Only(&["SealedSecret"]) }],
    codes: ALL,
    verdicts: verdicts(Code::SealedSecretFailed),
    controllers: &[DeclaredController::all(&["sealed-secrets-controller", "sealed-secrets"])],
    references: &[ReferenceField {
        relation: Relation::Writes,
        each: "",
        group: TextLocation::Is(""),
        kind: TextLocation::Is("Secret"),
        namespace: TextLocation::Namespace,
        name: TextLocation::SpecOrName("template.metadata.name"),
    }],
    ..DeclaredEngine::NEW
};
