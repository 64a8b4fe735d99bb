//! Data read from one app cluster: its Secrets, and the workloads that use them.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::intent::CopyIntent;
use super::secret::SecretFacts;
use crate::adopt::names::NamespacedName;
use crate::adopt::secrets::CONSUMERS;
use ucp_core::failure::Failure;
use ucp_core::model::body::consumer::SecretUse;
use ucp_core::model::body::{Body, BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::Unreadable;

/// An app cluster with the data read from it.
#[derive(Debug)]
pub struct SurveyedCluster {
    /// Name of the app cluster, as printed by `clusters`.
    pub name: String,
    /// Data read from the cluster, or the reason it could not be read.
    pub reading: Result<AppClusterReading, Failure>,
}

/// Data read from one app cluster.
#[derive(Debug, Default)]
pub struct AppClusterReading {
    /// The requested Secrets.
    pub secrets: BTreeMap<NamespacedName, SecretFacts>,
    /// Secrets that RBAC does not allow reading, with the reason.
    pub denied: BTreeMap<NamespacedName, String>,
    /// Reason why a Secret that is missing from `secrets` may still exist.
    pub gap: Option<String>,
    /// Names of the existing namespaces, if known.
    pub namespaces: Option<BTreeSet<String>>,
    /// Uses of Secrets by workloads.
    pub demands: Vec<SecretDemand>,
    /// Copies declared by objects of the app cluster itself.
    pub intents: Vec<CopyIntent>,
    /// Lists and objects that could not be read.
    pub unreadable: Vec<Unreadable>,
    /// Identity used to read the cluster, for display.
    pub access: Option<String>,
    /// URL of the API server.
    pub server: Option<String>,
    /// Unique identity of the cluster: the UID of its namespace `kube-system`.
    pub identity: Option<String>,
    /// Coverage of each list, by `plural.group`.
    pub coverage: BTreeMap<String, ListCoverage>,
    /// Names of all objects read of the kinds that use Secrets, as formatted by [`ObjectName`].
    pub objects: BTreeSet<String>,
    /// Custom kinds whose objects may use a Secret and that RBAC does not allow reading.
    pub unchecked: BTreeSet<String>,
    /// Custom kinds whose list failed for another reason.
    pub unread_customs: Vec<Unreadable>,
}

/// Coverage of one list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListCoverage {
    /// All namespaces were read.
    Everywhere,
    /// The kind is optional and not served.
    NotServed,
    /// Only these namespaces were read.
    In(BTreeSet<String>),
    /// The list is incomplete, for this reason.
    Missing(String),
}

/// Use of a Secret by a workload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretDemand {
    /// The workload, Ingress, or ServiceAccount.
    pub workload: ObjectName,
    /// The Secret used.
    pub secret: NamespacedName,
    /// Way in which the Secret is used.
    pub usage: SecretUse,
}

impl SecretDemand {
    /// Returns true if the workload still has a value from before `changed`, the time of the last change of the Secret.
    pub fn is_older_than(&self, changed: Option<Timestamp>) -> bool {
        self.usage.fixed_since.zip(changed).is_some_and(|(since, changed)| since < changed)
    }
}

/// Returns the query for a kind that uses Secrets.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    let is_one = CONSUMERS.iter().any(|(group, _, _, name)| *group == kind.group && *name == kind.kind);
    is_one.then_some(KindRequest::all(BodyShape::Consumer))
}

/// Lists all uses of Secrets, without duplicates.
pub fn demands(resources: &[Resource]) -> Vec<SecretDemand> {
    let mut demands: Vec<SecretDemand> = Vec::new();
    for resource in resources {
        let (Body::Consumer(consumer), Some(namespace)) = (&resource.body, &resource.metadata.namespace) else {
            continue;
        };
        for usage in &consumer.uses {
            let demand = SecretDemand {
                workload: workload(resource),
                secret: NamespacedName { namespace: namespace.clone(), name: usage.name.clone() },
                usage: usage.clone(),
            };
            demands.push(demand);
        }
    }
    demands
}

/// Returns the workload as the user knows it: for a Pod or ReplicaSet, the workload that created it.
fn workload(resource: &Resource) -> ObjectName {
    let Some(owner) = resource.metadata.controller() else { return resource.name() };
    let mut name = owner.object(resource.metadata.namespace.as_deref());
    // A Deployment appends the hash of its template to its name, and sets it as a label on the pods.
    let hash = resource.metadata.label("pod-template-hash");
    if let Some(stem) = hash.and_then(|hash| owner.name.strip_suffix(hash)?.strip_suffix('-'))
        && owner.kind == "ReplicaSet"
    {
        name.kind = "Deployment".to_owned();
        name.name = stem.to_owned();
    }
    name
}
