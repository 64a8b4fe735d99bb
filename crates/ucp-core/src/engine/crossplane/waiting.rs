//! Problems that may end when another object recovers.

use crate::engine::code::Code;
use crate::engine::judgement::Judgement;
use crate::model::verdict::Verdict;

/// Returns true if the problem of a managed resource may only be caused by its provider or provider config. A problem
/// that needs a human remains when they recover.
pub(super) fn may_wait(judgement: &Judgement) -> bool {
    !matches!(judgement.verdict, Verdict::Ok | Verdict::Paused)
        && !judgement.problems.iter().any(|problem| problem.code == Code::CreationInterrupted)
}
