//! A state found in a status, and its weight among the others.

use jiff::Timestamp;

use crate::model::verdict::Verdict;

/// One state found in a status.
#[derive(Debug, Clone)]
pub(super) struct StatusSign {
    pub(super) verdict: Verdict,
    pub(super) weight: SignWeight,
    pub(super) since: Option<Timestamp>,
    pub(super) message: String,
}

/// The weight of a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignWeight {
    /// The object is complete; earlier states do not matter.
    Final,
    /// Describes the object as a whole.
    Deciding,
    /// Describes a first step, after which others follow. Good only next to another good state.
    Step,
    /// Describes the object, but may not summarize it.
    Weak,
    /// Describes a part of the object.
    Aside,
    /// Bad, or not known to be good; no other sign outweighs it.
    Doubt,
    /// Describes a finished run, such as the last backup. Outweighed by any other sign, but not OK if it failed.
    Past,
    /// Describes the last attempt. Outweighed by any other sign, but not OK if it failed.
    Last,
}

impl StatusSign {
    pub(super) fn deciding(verdict: Verdict, message: impl Into<String>) -> Self {
        Self { verdict, weight: SignWeight::Deciding, since: None, message: message.into() }
    }

    /// Returns the sign of a part with its weight. A part, such as the parent of a route, may have one step only.
    pub(super) fn of_part(self, weight: SignWeight) -> Self {
        let verdict = if self.weight == SignWeight::Step { Verdict::Ok } else { self.verdict };
        Self { verdict, weight, ..self }
    }
}
