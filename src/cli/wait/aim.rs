//! `--for`: the goal for objects, or for the copies of Secrets.

use std::fmt;
use std::str::FromStr;

use ucp_core::failure::Failure;
use ucp_features::wait::WaitGoal;

/// The goal of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitAim {
    /// Objects reach the goal.
    Objects(WaitGoal),
    /// The copies of Secrets in app clusters equal their sources.
    Current,
}

impl fmt::Display for WaitAim {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Objects(goal) => goal.fmt(formatter),
            Self::Current => formatter.write_str("current"),
        }
    }
}

impl FromStr for WaitAim {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.eq_ignore_ascii_case("current") {
            return Ok(Self::Current);
        }
        text.parse().map(Self::Objects)
    }
}
