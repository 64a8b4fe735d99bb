//! The time that an error gets to end by itself. Crossplane retries everything, at intervals of at most a minute.

use jiff::{SignedDuration, Timestamp};

use crate::engine::judgement::AssessmentClock;
use crate::engine::recovery::{ends_by_itself, evidence_after_patience};

/// A few periods of crossplane-runtime.
const PATIENCE: SignedDuration = SignedDuration::from_mins(3);

/// Returns true if an error may end with one of the next attempts: soon after `began`, the first attempt, any error
/// that is not known to last; and soon after `since`, the time of its condition, an error that is known to end by
/// itself. If a message changes with each attempt, the time of its condition is that of the last attempt.
pub(super) fn may_end(
    message: &str,
    began: Option<Timestamp>,
    since: Option<Timestamp>,
    clock: &AssessmentClock,
) -> bool {
    may_end_soon(message, began, clock) || ends_by_itself(message) && may_end_soon(message, since, clock)
}

/// Returns true if an error is not known to last, and the first attempt was made a short time ago.
pub(super) fn may_end_soon(message: &str, began: Option<Timestamp>, clock: &AssessmentClock) -> bool {
    evidence_after_patience(message).is_none() && clock.may_recover(message, began, PATIENCE)
}
