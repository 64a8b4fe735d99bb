//! MongoDB Atlas Kubernetes Operator.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{Declared, Kinds, Reference, Runs, StandsFor, Text, Which, verdicts};
use crate::engine::outside::{Mark, Outside};
use crate::graph::link::Relation;

codes! {
    MongoDbAtlasFailed "UCP764" Failed "an object of MongoDB Atlas has failed" {
        "Condition Ready, ValidationSucceeded or ResourceVersionIsValid of an object of atlas.mongodb.com is False."
        "Read the message: it is Atlas's own."
        "kubectl describe {object}"
    }
}

const OUTSIDE: Outside = Outside {
    names: &["/status/id", "/spec/name", "/metadata/name"],
    kept_by: &[Mark::new("/metadata/annotations/mongodb.com~1atlas-resource-policy", &["keep"])],
    held_by: &[Mark::new("/metadata/annotations/mongodb.com~1atlas-reconciliation-policy", &["skip"])],
    ..Outside::DELETES
};

pub(in crate::engine) const ENGINE: Declared = Declared {
    name: "MongoDB Atlas",
    part_of: "mongodb-atlas-operator",
    kinds: &[Kinds { group: "atlas.mongodb.com", which: Which::AllBut(&["AtlasBackupPolicy", "AtlasBackupSchedule"]) }],
    codes: ALL,
    verdicts: verdicts(Code::MongoDbAtlasFailed),
    controllers: &[Runs::all(&["mongodb-atlas-operator", "mongodb-atlas-kubernetes-operator"])],
    references: &[Reference {
        relation: Relation::DependsOn,
        each: "projectRef",
        group: Text::Is("atlas.mongodb.com"),
        kind: Text::Is("AtlasProject"),
        namespace: Text::Item("namespace"),
        name: Text::Item("name"),
    }],
    stands_for: StandsFor::Outside(&[Text::Status("id"), Text::Spec("name"), Text::Name], &OUTSIDE),
    ..Declared::NEW
};
