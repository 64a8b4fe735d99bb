//! What is waited for, and for how long.

use std::time::Duration;

use super::following::WaitReader;
use crate::cli::reading::PatienceArgs;
use ucp_core::error::Result;
use ucp_core::model::object::ObjectName;
use ucp_features::wait::{WaitCriteria, WaitTargets};

/// The targets and the time limit of a wait.
pub(in crate::cli) struct WaitRequest<'a> {
    pub(in crate::cli) targets: &'a WaitTargets,
    pub(in crate::cli) wish: &'a WaitCriteria,
    pub(in crate::cli) timeout: Duration,
    pub(in crate::cli) persistence: WaitPersistence,
    pub(in crate::cli) patience: PatienceArgs,
}

/// The tolerance for objects that are Failed, NeedsHuman or Paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum WaitPersistence {
    /// Such an object ends the wait.
    Never,
    /// An object ends the wait after this time: while everything starts at once, much fails at first.
    For(Duration),
    /// No object ends the wait before the timeout.
    Always,
}

impl WaitPersistence {
    pub(super) fn is_over(self, hopeless_for: Duration) -> bool {
        match self {
            Self::Never => true,
            Self::For(limit) => hopeless_for >= limit,
            Self::Always => false,
        }
    }
}

/// Work that is done during a wait.
pub(in crate::cli) trait WaitHooks {
    /// Runs before each look.
    ///
    /// # Errors
    /// Returns an error that ends the wait.
    fn before_look(&mut self, reader: &WaitReader) -> Result<()>;

    /// Returns true if an object cannot be OK yet, so that its failure does not end the wait.
    fn excuses(&self, _: &ObjectName) -> bool {
        false
    }
}
