//! External Secrets Operator: syncs Secrets from a store, and to a store.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{Declared, Kinds, Reference, Runs, StandsFor, Text, Which, verdicts};
use crate::graph::link::Relation;

codes! {
    ExternalSecretFailed "UCP731" Failed "an external secret is not synced" {
        "Condition Ready of an ExternalSecret, ClusterExternalSecret, PushSecret, SecretStore or ClusterSecretStore is False. The Secret keeps what was synced last."
        "Read the message; a store that is not ready holds up all that use it."
        "kubectl describe {object}"
    }
}

pub(in crate::engine) const ENGINE: Declared = Declared {
    name: "External Secrets",
    part_of: "external-secrets",
    kinds: &[Kinds {
        group: "external-secrets.io",
        which: Which::Only(&[
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
    controllers: &[Runs::all(&["external-secrets"])],
    references: &[
        Reference {
            relation: Relation::ConfiguredBy,
            each: "secretStoreRef",
            group: Text::Is("external-secrets.io"),
            kind: Text::ItemOr("kind", "SecretStore"),
            namespace: Text::Nowhere,
            name: Text::Item("name"),
        },
        Reference {
            relation: Relation::ConfiguredBy,
            each: "secretStoreRefs",
            group: Text::Is("external-secrets.io"),
            kind: Text::ItemOr("kind", "SecretStore"),
            namespace: Text::Nowhere,
            name: Text::Item("name"),
        },
        Reference {
            relation: Relation::Reads,
            each: "selector.secret",
            group: Text::Is(""),
            kind: Text::Is("Secret"),
            namespace: Text::Namespace,
            name: Text::Item("name"),
        },
        // For an ExternalSecret. Without a target name, the Secret has the name of the ExternalSecret.
        Reference {
            relation: Relation::Writes,
            each: "target",
            group: Text::Is(""),
            kind: Text::Is("Secret"),
            namespace: Text::Namespace,
            name: Text::SpecOrName("target.name"),
        },
    ],
    stands_for: StandsFor::Inside,
    ..Declared::NEW
};
