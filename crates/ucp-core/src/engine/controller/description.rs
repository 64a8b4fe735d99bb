//! The description of a controller: its workload, its objects, and its work.

use crate::engine::judgement::Problem;
use crate::model::object::ObjectName;
use crate::model::resource::Resource;

/// A controller of an engine, and the objects that it reconciles.
pub struct Controller<'state> {
    /// The common name, as accepted by `--external-controllers`: `repo-server`, `provider-aws`.
    pub name: String,
    /// The upstream name of its workload, which is reported as missing if none was found.
    pub workload: ObjectName,
    /// The workloads that were found. One running workload is sufficient.
    pub found: Vec<&'state Resource>,
    /// The consequence of a missing workload.
    pub need: ControllerNeed,
    /// The distribution of work among its replicas.
    pub replicas: ReplicaDistribution,
    /// The part of the work that it does on its objects.
    pub work: ControllerWork,
    /// The place where it runs.
    pub place: ControllerLocation,
    /// The command for details if it is missing.
    pub hint: String,
    /// The problem of the controller that its engine reports.
    pub reported: Option<(ObjectName, Problem)>,
    /// Returns true for objects that it reconciles.
    pub looks_after: Box<dyn Fn(&Resource) -> bool + 'state>,
    /// Returns true for objects of other engines that use it. Their state does not depend on it.
    pub serves: fn(&Resource) -> bool,
}

/// The consequence of a missing controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControllerNeed {
    /// Its objects are not reconciled.
    Essential,
    /// Required if it is deployed, such as the Redis of Argo CD.
    WhereDeployed,
    /// Does not reconcile objects.
    Helper,
}

/// The distribution of work among the replicas of a controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplicaDistribution {
    /// Each replica does all of the work, or is on standby.
    Alike,
    /// Each replica does a part of the work.
    Shards,
}

/// The work of a controller on its objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControllerWork {
    /// All of it, with deletions.
    All,
    /// Only creations and updates.
    Updates,
}

/// The place where a controller runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControllerLocation {
    /// In this cluster.
    Here,
    /// In another place, according to the settings of its engine.
    Elsewhere,
    /// Its workload is unknown.
    Unknown,
}

impl<'state> Controller<'state> {
    /// Creates an essential controller with equal replicas, which does not reconcile any objects yet.
    pub fn new(name: impl Into<String>, workload: ObjectName, found: Vec<&'state Resource>) -> Self {
        Self {
            name: name.into(),
            workload,
            found,
            need: ControllerNeed::Essential,
            replicas: ReplicaDistribution::Alike,
            work: ControllerWork::All,
            place: ControllerLocation::Here,
            hint: "kubectl get deployments,statefulsets -A".to_owned(),
            reported: None,
            looks_after: Box::new(|_| false),
            serves: |_| false,
        }
    }

    /// Sets the objects that the controller reconciles.
    #[must_use]
    pub fn with_objects(self, looks_after: impl Fn(&Resource) -> bool + 'state) -> Self {
        Self { looks_after: Box::new(looks_after), ..self }
    }

    /// Limits the controller to a part of the work.
    #[must_use]
    pub fn with_work(self, work: ControllerWork) -> Self {
        Self { work, ..self }
    }

    /// Sets the consequence of a missing workload.
    #[must_use]
    pub fn with_need(self, need: ControllerNeed) -> Self {
        Self { need, ..self }
    }
}
