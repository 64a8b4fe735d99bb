//! Lanes of a timeline: where something happened, from Git to the app clusters.

use super::actor::ActorKind;
use super::occurrence::{ChangeSort, Occurrence};
use crate::adopt::provisioner;
use ucp_core::engine::{self, ExternalRole};
use ucp_core::graph::Graph;
use ucp_core::graph::link::Relation;
use ucp_core::model::object::ObjectKey;

/// A lane of a timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HistoryLane {
    /// Commits, and deployments of revisions.
    Git,
    /// Changes by users.
    Manual,
    /// Objects of engines that represent no external resource.
    Engines,
    /// Objects that represent external resources.
    ManagedResources,
    /// Objects that represent app clusters, and their registrations.
    AppClusters,
    /// Everything else in this cluster.
    Workloads,
}

impl HistoryLane {
    /// All lanes, in the order in which changes pass them.
    pub const ALL: [Self; 6] =
        [Self::Git, Self::Manual, Self::Engines, Self::ManagedResources, Self::AppClusters, Self::Workloads];

    /// Returns the lane of an occurrence.
    pub fn from_occurrence(occurrence: &Occurrence, graph: &Graph<'_>) -> Self {
        let object = &occurrence.object;
        let is_deployer = object.group() == engine::argocd::GROUP || object.group().ends_with("fluxcd.io");
        if occurrence.change == ChangeSort::Committed || occurrence.change == ChangeSort::Deployed && is_deployer {
            return Self::Git;
        }
        if occurrence.by.as_ref().is_some_and(|by| by.kind == ActorKind::User) {
            return Self::Manual;
        }
        let Some(node) = graph.find(&ObjectKey::from(object)) else { return Self::of_unread(object.group()) };
        let gives_access = || graph.down(node).iter().any(|edge| edge.relation == Relation::Hosts);
        if object.group().is_empty() && object.kind == "Secret" && gives_access() {
            return Self::AppClusters;
        }
        let Some(resource) = graph.resource(node) else { return Self::of_unread(object.group()) };
        match engine::purpose(&resource.kind) {
            _ if provisioner::is_cluster(&resource.kind) => Self::AppClusters,
            Some(ExternalRole::External) => Self::ManagedResources,
            Some(ExternalRole::Composite | ExternalRole::Claim) => Self::Engines,
            None if engine::engine_of(&resource.kind).is_some() => Self::Engines,
            None => Self::Workloads,
        }
    }

    /// Returns the lane of an object of which only the name is known.
    fn of_unread(group: &str) -> Self {
        let is_of_kubernetes = group.is_empty() || !group.contains('.') || group.ends_with(".k8s.io");
        if is_of_kubernetes { Self::Workloads } else { Self::Engines }
    }

    /// Returns the heading.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Git => "Git",
            Self::Manual => "By hand",
            Self::Engines => "Engines",
            Self::ManagedResources => "Managed resources",
            Self::AppClusters => "App clusters",
            Self::Workloads => "Workloads",
        }
    }
}
