//! What was read of one app cluster: its Secrets, and who asks for which.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::intent::Intent;
use super::secret::SecretFacts;
use crate::adopt::names::Namespaced;
use crate::adopt::secrets::CONSUMERS;
use crate::model::body::consumer::SecretUse;
use crate::model::body::{Body, Shape, Want};
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::state::Unreadable;

/// An app cluster.
#[derive(Debug)]
pub struct App {
    /// Its name, as `clusters` has it.
    pub name: String,
    /// What was read of it, or why nothing was.
    pub reading: Result<Reading, String>,
}

/// What was read.
#[derive(Debug, Default)]
pub struct Reading {
    /// Its Secrets, as far as they were wanted.
    pub secrets: BTreeMap<Namespaced, SecretFacts>,
    /// Secrets that nobody let us see, and why.
    pub denied: BTreeMap<Namespaced, String>,
    /// Why a Secret that is not here may be there all the same.
    pub gap: Option<String>,
    /// The namespaces that there are, where that is known.
    pub namespaces: Option<BTreeSet<String>>,
    /// Who asks for which Secret.
    pub demands: Vec<Demand>,
    /// What its own objects declare.
    pub intents: Vec<Intent>,
    /// What could not be read.
    pub unreadable: Vec<Unreadable>,
    /// As whom it was read, for a person.
    pub access: Option<String>,
    /// The server that it was read from.
    pub server: Option<String>,
    /// What tells the cluster from all others: the UID of its namespace `kube-system`.
    pub identity: Option<String>,
    /// How much of each list arrived, by `plural.group`.
    pub coverage: BTreeMap<String, ListCoverage>,
    /// Every object that was read of the kinds that ask for Secrets, as [`ObjectName`] prints it.
    pub objects: BTreeSet<String>,
    /// Custom kinds whose objects may use a Secret and may not be read.
    pub unchecked: BTreeSet<String>,
    /// Custom kinds whose list failed otherwise.
    pub unread_customs: Vec<Unreadable>,
}

/// How much of one list arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListCoverage {
    /// The objects of all namespaces, or the kind is an optional one that is not served.
    Everywhere,
    /// The objects of these namespaces.
    In(BTreeSet<String>),
    /// Not all, and why.
    Missing(String),
}

/// Somebody who asks for a Secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demand {
    /// The workload, Ingress or ServiceAccount.
    pub workload: ObjectName,
    /// The Secret.
    pub secret: Namespaced,
    /// How.
    pub usage: SecretUse,
}

impl Demand {
    /// Whether it has the value of an earlier time, if the Secret changed at some moment.
    pub fn is_older_than(&self, changed: Option<Timestamp>) -> bool {
        self.usage.fixed_since.zip(changed).is_some_and(|(since, changed)| since < changed)
    }
}

/// What to read of a kind that asks for Secrets.
pub fn want(kind: &ResourceKind) -> Option<Want> {
    let is_one = CONSUMERS.iter().any(|(group, _, _, name)| *group == kind.group && *name == kind.kind);
    is_one.then_some(Want::all(Shape::Consumer))
}

/// Who asks for which Secret, each once.
pub fn demands(resources: &[Resource]) -> Vec<Demand> {
    let mut demands: Vec<Demand> = Vec::new();
    for resource in resources {
        let (Body::Consumer(consumer), Some(namespace)) = (&resource.body, &resource.metadata.namespace) else {
            continue;
        };
        for usage in &consumer.uses {
            let demand = Demand {
                workload: workload(resource),
                secret: Namespaced { namespace: namespace.clone(), name: usage.name.clone() },
                usage: usage.clone(),
            };
            demands.push(demand);
        }
    }
    demands
}

/// What a person calls it: of a Pod or ReplicaSet, the workload that made it.
fn workload(resource: &Resource) -> ObjectName {
    let Some(owner) = resource.metadata.controller() else { return resource.name() };
    let mut name = owner.object(resource.metadata.namespace.as_deref());
    // A Deployment puts the hash of its template behind its name, and says so at the pods.
    let hash = resource.metadata.label("pod-template-hash");
    if let Some(stem) = hash.and_then(|hash| owner.name.strip_suffix(hash)?.strip_suffix('-'))
        && owner.kind == "ReplicaSet"
    {
        name.kind = "Deployment".to_owned();
        name.name = stem.to_owned();
    }
    name
}
