//! What a status reports: problems, and everything else that is not known to be good.

use jiff::Timestamp;

use crate::engine::code::Code;
use crate::engine::judgement::{Judgement, Problem};
use crate::model::verdict::Verdict;
use crate::model::word::SharedText;

/// The findings about one object.
#[derive(Default)]
pub(super) struct Findings {
    /// The problems to report.
    pub(super) problems: Vec<Problem>,
    /// States that are no problem and not OK, the most important first.
    doubts: Vec<Judgement>,
}

impl Findings {
    /// Adds a state that is no problem and not OK.
    pub(super) fn doubt(&mut self, verdict: Verdict, since: Option<Timestamp>, message: impl Into<SharedText>) {
        self.doubts.push(Judgement::quiet(verdict, since, message));
    }

    /// Returns true if there is a problem of a kind.
    pub(super) fn has(&self, code: Code) -> bool {
        self.problems.iter().any(|problem| problem.code == code)
    }

    /// Returns true if nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        self.problems.is_empty() && self.doubts.is_empty()
    }

    /// Returns true if a state is in progress.
    pub(super) fn is_under_way(&self) -> bool {
        self.doubts.iter().any(|doubt| doubt.verdict == Verdict::Progressing)
    }

    /// Returns the judgement of the worst finding; `otherwise` if it is worse.
    pub(super) fn into_judgement(self, otherwise: Judgement) -> Judgement {
        // Of equal ones, the first.
        let otherwise = self
            .doubts
            .into_iter()
            .rev()
            .fold(otherwise, |worst, doubt| if doubt.verdict <= worst.verdict { doubt } else { worst });
        Judgement::worst(self.problems, otherwise)
    }
}
