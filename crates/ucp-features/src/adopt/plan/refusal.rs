//! Reasons to refuse the adoption of a cluster.

use crate::adopt::access::Obstacle;
use crate::adopt::grounds::IncompleteInventory;
use ucp_core::model::grounds::Ungrounded;

const READ_HINT: &str = "run it again when everything can be read; adopt-cluster --print-rbac prints the rights";

/// A refusal to adopt a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdoptionRefusal {
    /// The reason.
    pub reason: String,
    /// A hint on how to solve it.
    pub hint: Option<String>,
    /// The sort: an obstacle, or a registration by another tool.
    pub sort: RefusalSort,
}

/// The sort of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalSort {
    /// Something prevents the adoption.
    Obstacle,
    /// Another tool or registration has the cluster, which is no problem.
    Taken,
}

impl AdoptionRefusal {
    /// Creates a refusal of sort [`RefusalSort::Obstacle`].
    pub fn new(reason: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { reason: reason.into(), hint: Some(hint.into()), sort: RefusalSort::Obstacle }
    }
}

impl From<Obstacle> for AdoptionRefusal {
    fn from(obstacle: Obstacle) -> Self {
        Self::new(obstacle.to_string(), obstacle.hint())
    }
}

impl From<IncompleteInventory> for AdoptionRefusal {
    fn from(IncompleteInventory(reason): IncompleteInventory) -> Self {
        Self::new(reason, READ_HINT)
    }
}

impl<T> From<Ungrounded<T>> for AdoptionRefusal {
    fn from(ungrounded: Ungrounded<T>) -> Self {
        Self::new(ungrounded.reason(), READ_HINT)
    }
}
