//! MongoDB Atlas Kubernetes Operator.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{
    DeclaredController, DeclaredEngine, KindFilter, KindSelector, ReferenceField, RepresentedResource, TextLocation,
    verdicts,
};
use crate::engine::outside::{ExternalPolicy, FieldMark};
use crate::graph::link::Relation;

codes! {
    MongoDbAtlasFailed "UCP764" Failed "an object of MongoDB Atlas has failed" {
        "Condition Ready, ValidationSucceeded or ResourceVersionIsValid of an object of atlas.mongodb.com is False."
        "Read the message: it comes from Atlas."
        "kubectl describe {object}"
    }
}

const OUTSIDE: ExternalPolicy = ExternalPolicy {
    names: &["/status/id", "/spec/name", "/metadata/name"],
    kept_by: &[FieldMark::new("/metadata/annotations/mongodb.com~1atlas-resource-policy", &["keep"])],
    held_by: &[FieldMark::new("/metadata/annotations/mongodb.com~1atlas-reconciliation-policy", &["skip"])],
    ..ExternalPolicy::DELETES
};

pub(in crate::engine) const ENGINE: DeclaredEngine = DeclaredEngine {
    name: "MongoDB Atlas",
    part_of: "mongodb-atlas-operator",
    kinds: &[KindSelector {
        group: "atlas.mongodb.com",
        which: KindFilter::AllBut(&["AtlasBackupPolicy", "AtlasBackupSchedule"]),
    }],
    codes: ALL,
    verdicts: verdicts(Code::MongoDbAtlasFailed),
    controllers: &[DeclaredController::all(&["mongodb-atlas-operator", "mongodb-atlas-kubernetes-operator"])],
    references: &[ReferenceField {
        relation: Relation::DependsOn,
        each: "projectRef",
        group: TextLocation::Is("atlas.mongodb.com"),
        kind: TextLocation::Is("AtlasProject"),
        namespace: TextLocation::Item("namespace"),
        name: TextLocation::Item("name"),
    }],
    stands_for: RepresentedResource::Outside(
        &[TextLocation::Status("id"), TextLocation::Spec("name"), TextLocation::Name],
        &OUTSIDE,
    ),
    ..DeclaredEngine::NEW
};
