//! Ariga's Atlas operator: database schemas and migrations.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{Declared, Kinds, Reference, Runs, StandsFor, Text, Which, verdicts};
use crate::engine::outside::{Outside, Removal};
use crate::graph::link::Relation;

codes! {
    AtlasFailed "UCP751" Failed "a database schema is not applied" {
        "Condition Ready of an AtlasSchema or AtlasMigration is False, or Stalled is True. A plan that waits for an approval (ApprovalPending) needs a person: status.planURL or status.approvalUrl leads there."
        "Read the message. A failed migration may have been applied in part: look at the database before you try again."
        "kubectl describe {object}"
    }
}

const fn secret(field: &'static str) -> Reference {
    Reference {
        relation: Relation::Reads,
        each: field,
        group: Text::Is(""),
        kind: Text::Is("Secret"),
        namespace: Text::Namespace,
        name: Text::Item("name"),
    }
}

const OUTSIDE: Outside = Outside {
    names: &["/spec/credentials/database"],
    removal: Removal::Keeps { why: "the operator leaves schemas and tables as they are", but_for: None },
    ..Outside::DELETES
};

pub(in crate::engine) const ENGINE: Declared = Declared {
    name: "Atlas",
    part_of: "atlas-operator",
    kinds: &[Kinds { group: "db.atlasgo.io", which: Which::Only(&["AtlasSchema", "AtlasMigration"]) }],
    codes: ALL,
    verdicts: verdicts(Code::AtlasFailed),
    controllers: &[Runs::all(&["atlas-operator"])],
    references: &[
        secret("urlFrom.secretKeyRef"),
        secret("credentials.passwordFrom.secretKeyRef"),
        secret("devURLFrom.secretKeyRef"),
    ],
    stands_for: StandsFor::Outside(&[Text::Spec("credentials.database")], &OUTSIDE),
    ..Declared::NEW
};
