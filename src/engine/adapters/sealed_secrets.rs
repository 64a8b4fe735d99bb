//! Bitnami Sealed Secrets.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{Declared, Kinds, Reference, Runs, Text, Which, verdicts};
use crate::graph::link::Relation;

codes! {
    SealedSecretFailed "UCP734" Failed "a sealed secret is not unsealed" {
        "Condition Synced of a SealedSecret is False: the controller has no key that opens it, or a Secret of that name is somebody else's."
        "Seal it again with 'kubeseal' and the certificate of this cluster, or restore the key that it was sealed with."
        "kubectl describe {object}"
    }
}

pub(in crate::engine) const ENGINE: Declared = Declared {
    name: "Sealed Secrets",
    part_of: "sealed-secrets",
    kinds: &[Kinds { group: "bitnami.com", which: Which::Only(&["SealedSecret"]) }],
    codes: ALL,
    verdicts: verdicts(Code::SealedSecretFailed),
    controllers: &[Runs::all(&["sealed-secrets-controller", "sealed-secrets"])],
    references: &[Reference {
        relation: Relation::Writes,
        each: "",
        group: Text::Is(""),
        kind: Text::Is("Secret"),
        namespace: Text::Namespace,
        name: Text::SpecOrName("template.metadata.name"),
    }],
    ..Declared::NEW
};
