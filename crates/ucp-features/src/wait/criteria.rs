//! The goal of a wait, and the prospect of reaching it.

use super::goal::WaitGoal;
use ucp_core::engine::course::ObjectProgress;
use ucp_core::model::resource::Resource;
use ucp_core::model::verdict::Verdict;

/// The goal of a wait.
#[derive(Debug, Clone)]
pub struct WaitCriteria {
    /// The state that the objects should reach.
    pub goal: WaitGoal,
    /// The commit, tag or chart version that must be deployed.
    pub revision: Option<String>,
}

/// The prospect of reaching a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WaitOutlook {
    /// The goal will not be reached without intervention.
    Hopeless,
    /// The goal may be reached later.
    Open,
    /// The goal is reached.
    Reached,
}

/// The phase of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitPhase {
    /// The wait has just started: controllers may not have observed a preceding change yet.
    Fresh,
    /// Controllers have had time to observe a preceding change.
    Settled,
}

/// An existing object and its state.
#[derive(Debug, Clone, Copy)]
pub(super) struct ObservedTarget<'a> {
    /// The object.
    pub resource: &'a Resource,
    /// Its verdict.
    pub verdict: Verdict,
    /// The reason for the verdict.
    pub message: Option<&'a str>,
    /// Its progress.
    pub course: &'a ObjectProgress,
    /// The required revision.
    pub revision: Option<&'a str>,
    /// The phase of the wait.
    pub patience: WaitPhase,
}
