//! Ariga's Atlas operator: database schemas and migrations.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{
    DeclaredController, DeclaredEngine, KindFilter, KindSelector, ReferenceField, RepresentedResource, TextLocation,
    verdicts,
};
use crate::engine::outside::{DeletionPolicy, ExternalPolicy};
use crate::graph::link::Relation;

codes! {
    AtlasFailed "UCP751" Failed "a database schema is not applied" {
        "Condition Ready of an AtlasSchema or AtlasMigration is False, or Stalled is True. A plan that waits for an approval (ApprovalPending) requires manual action: see status.planURL or status.approvalUrl."
        "Read the message. A failed migration may have been applied partly: check the database before you retry."
        "kubectl describe {object}"
    }
}

const fn secret(field: &'static str) -> ReferenceField {
    ReferenceField {
        relation: Relation::Reads,
        each: field,
        group: TextLocation::Is(""),
        kind: TextLocation::Is("Secret"),
        namespace: TextLocation::Namespace,
        name: TextLocation::Item("name"),
    }
}

const OUTSIDE: ExternalPolicy = ExternalPolicy {
    names: &["/spec/credentials/database"],
    removal: DeletionPolicy::Keeps { why: "the operator does not delete schemas and tables", but_for: None },
    ..ExternalPolicy::DELETES
};

pub(in crate::engine) const ENGINE: DeclaredEngine = DeclaredEngine {
    name: "Atlas",
    part_of: "atlas-operator",
    kinds: &[KindSelector { group: "db.atlasgo.io", which: KindFilter::Only(&["AtlasSchema", "AtlasMigration"]) }],
    codes: ALL,
    verdicts: verdicts(Code::AtlasFailed),
    controllers: &[DeclaredController::all(&["atlas-operator"])],
    references: &[
        secret("urlFrom.secretKeyRef"),
        secret("credentials.passwordFrom.secretKeyRef"),
        secret("devURLFrom.secretKeyRef"),
    ],
    stands_for: RepresentedResource::Outside(&[TextLocation::Spec("credentials.database")], &OUTSIDE),
    ..DeclaredEngine::NEW
};
