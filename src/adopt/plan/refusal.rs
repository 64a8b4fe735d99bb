//! Why a cluster will not be adopted.

use crate::adopt::access::Obstacle;

/// Why a cluster will not be adopted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub reason: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Whether somebody else looks after it, so that nothing is amiss.
    pub sort: RefusalSort,
}

/// What sort of refusal it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalSort {
    /// Something is in the way.
    Obstacle,
    /// Somebody else has registered it.
    Taken,
}

impl Refusal {
    /// Something is in the way.
    pub fn new(reason: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { reason: reason.into(), hint: Some(hint.into()), sort: RefusalSort::Obstacle }
    }
}

impl From<Obstacle> for Refusal {
    fn from(obstacle: Obstacle) -> Self {
        Self::new(obstacle.to_string(), obstacle.way_out())
    }
}
