//! External Secrets Operator: syncs Secrets from a store, and to a store.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{
    DeclaredController, DeclaredEngine, KindFilter, KindSelector, ReferenceField, RepresentedResource, TextLocation,
    verdicts,
};
use crate::graph::link::Relation;

codes! {
    ExternalSecretFailed "UCP731" Failed "an external secret is not synced" {
        "Condition Ready of an ExternalSecret, ClusterExternalSecret, PushSecret, SecretStore or ClusterSecretStore is False. The Secret keeps what was synced last."
        "Read the message; a store that is not ready holds up all that use it."
        "kubectl describe {object}"
    }
}

pub(in crate::engine) const ENGINE: DeclaredEngine = DeclaredEngine {
    name: "External Secrets",
    part_of: "external-secrets",
    kinds: &[KindSelector {
        group: "external-secrets.io",
        which: KindFilter::Only(&[
            "ExternalSecret",
            "ClusterExternalSecret",
            "PushSecret",
            "ClusterPushSecret",
            "SecretStore",
            "ClusterSecretStore",
        ]),
    }],
    codes: ALL,
    verdicts: verdicts(Code::ExternalSecretFailed),
    controllers: &[DeclaredController::all(&["external-secrets"])],
    references: &[
        ReferenceField {
            relation: Relation::ConfiguredBy,
            each: "secretStoreRef",
            group: TextLocation::Is("external-secrets.io"),
            kind: TextLocation::ItemOr("kind", "SecretStore"),
            namespace: TextLocation::Nowhere,
            name: TextLocation::Item("name"),
        },
        ReferenceField {
            relation: Relation::ConfiguredBy,
            each: "secretStoreRefs",
            group: TextLocation::Is("external-secrets.io"),
            kind: TextLocation::ItemOr("kind", "SecretStore"),
            namespace: TextLocation::Nowhere,
            name: TextLocation::Item("name"),
        },
        ReferenceField {
            relation: Relation::Reads,
            each: "selector.secret",
            group: TextLocation::Is(""),
            kind: TextLocation::Is("Secret"),
            namespace: TextLocation::Namespace,
            name: TextLocation::Item("name"),
        },
        // For an ExternalSecret. Without a target name, the Secret has the name of the ExternalSecret.
        ReferenceField {
            relation: Relation::Writes,
            each: "target",
            group: TextLocation::Is(""),
            kind: TextLocation::Is("Secret"),
            namespace: TextLocation::Namespace,
            name: TextLocation::SpecOrName("target.name"),
        },
    ],
    stands_for: RepresentedResource::Inside,
    ..DeclaredEngine::NEW
};
