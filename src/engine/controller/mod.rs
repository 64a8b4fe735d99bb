//! Controllers: what an engine cannot do without. What a controller that does not run looks after is as it was when it
//! was last looked at, whatever its status says.

mod outage;
mod workloads;

use std::collections::BTreeMap;

use crate::engine::Problem;
use crate::model::body::workload::Workload;
use crate::model::body::{Reach, Shape, Want};
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

pub use outage::{Controllers, Outage};
pub(crate) use workloads::repository;
pub use workloads::{Component, Workloads};

/// Most charts and manifests of the engines carry this label.
pub(crate) const PART_OF: &str = "app.kubernetes.io/part-of";
/// Where the chart says its version.
const VERSION: &str = "app.kubernetes.io/version";

/// A controller of an engine, and what it looks after.
pub struct Controller<'state> {
    /// As people call it, and as `--external-controllers` takes it: `repo-server`, `provider-aws`.
    pub name: String,
    /// Its workload's name where it is installed as upstream does: what is missed where there is none.
    pub workload: ObjectName,
    /// Its workloads that were found. One that runs is enough.
    pub found: Vec<&'state Resource>,
    /// What it means that there is none.
    pub need: Need,
    /// What its replicas do.
    pub replicas: Replicas,
    /// Where it runs.
    pub place: Place,
    /// The command that tells more where it is missed.
    pub hint: String,
    /// What its engine itself says is wrong with it.
    pub reported: Option<(ObjectName, Problem)>,
    /// Whether it looks after an object.
    pub looks_after: Box<dyn Fn(&Resource) -> bool + 'state>,
    /// Whether an object of another engine asks something of it. Such an object is as well without it.
    pub serves: fn(&Resource) -> bool,
}

/// What it means that a controller is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Nobody does its work.
    Essential,
    /// It is needed where it is deployed, as the Redis of Argo CD.
    WhereDeployed,
    /// What it does is not reconciliation.
    Helper,
}

/// What the replicas of a controller do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replicas {
    /// Each does all of the work, or stands by.
    Alike,
    /// Each does a part of it.
    Shards,
}

/// Where a controller runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In this cluster.
    Here,
    /// Somewhere else, as its engine's own settings say.
    Elsewhere,
    /// Nobody knows which workload it is.
    Unknown,
}

impl<'state> Controller<'state> {
    /// An essential controller with equal replicas that looks after nothing yet.
    pub fn new(name: impl Into<String>, workload: ObjectName, found: Vec<&'state Resource>) -> Self {
        Self {
            name: name.into(),
            workload,
            found,
            need: Need::Essential,
            replicas: Replicas::Alike,
            place: Place::Here,
            hint: "kubectl get deployments,statefulsets -A".to_owned(),
            reported: None,
            looks_after: Box::new(|_| false),
            serves: |_| false,
        }
    }

    /// The same, with what it looks after.
    #[must_use]
    pub fn of(self, looks_after: impl Fn(&Resource) -> bool + 'state) -> Self {
        Self { looks_after: Box::new(looks_after), ..self }
    }

    /// The same, needed otherwise.
    #[must_use]
    pub fn needed(self, need: Need) -> Self {
        Self { need, ..self }
    }
}

/// The name of a workload.
pub fn workload_name(kind: &str, namespace: Option<&str>, name: impl Into<String>) -> ObjectName {
    ObjectName {
        api_version: "apps/v1".to_owned(),
        kind: kind.to_owned(),
        namespace: namespace.map(str::to_owned),
        name: name.into(),
    }
}

/// Whether controllers are objects of a kind.
pub(crate) fn is_workload(kind: &ResourceKind) -> bool {
    kind.group == "apps" && matches!(kind.kind.as_str(), "Deployment" | "StatefulSet")
}

/// Deployments and StatefulSets, in all namespaces and whatever their labels: Crossplane puts none on the Deployments of
/// its packages.
pub(crate) fn want(kind: &ResourceKind) -> Option<Want> {
    is_workload(kind).then_some(Want { reach: Reach::Everywhere, ..Want::all(Shape::Workload) })
}

/// The version of an engine: its chart's label, or the tag of its image, whichever most of its workloads run.
pub fn version(state: &ClusterState, part_of: &str) -> Option<String> {
    let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
    for (resource, workload) in Workloads::of(state).parts_of(part_of) {
        if let Some(version) = resource.metadata.label(VERSION).or_else(|| tag(workload)) {
            *votes.entry(version).or_default() += 1;
        }
    }
    let (version, _) = votes.into_iter().max_by_key(|(_, votes)| *votes)?;
    Some(version.trim_start_matches('v').to_owned())
}

/// The version that one workload runs.
pub(crate) fn version_of(resource: &Resource) -> Option<String> {
    let crate::model::body::Body::Workload(workload) = &resource.body else { return None };
    let version = resource.metadata.label(VERSION).or_else(|| tag(workload))?;
    Some(version.trim_start_matches('v').to_owned())
}

fn tag(workload: &Workload) -> Option<&str> {
    let image = workload.images.first()?.split('@').next()?;
    Some(image.rsplit_once(':').filter(|(_, tag)| !tag.contains('/'))?.1)
}
