//! The time for which the retries of Argo CD itself are awaited before an error counts as one.

use jiff::{SignedDuration, Timestamp};

use crate::engine::judgement::AssessmentClock;
use crate::engine::recovery::ends_by_itself;

/// The time between two comparisons of an Application, or two reconciliations of an ApplicationSet, by default.
const INTERVAL: SignedDuration = SignedDuration::from_mins(3);
/// The number of attempts after which an error counts as one.
const ATTEMPTS: i32 = 3;

/// Returns the patience with ApplicationSets, which are reconciled again after a fixed time.
pub(super) fn with_sets() -> SignedDuration {
    INTERVAL * ATTEMPTS
}

/// Returns the patience with Applications, by the interval of the Argo CD of the cluster if that is known.
pub(super) fn with_applications(clock: &AssessmentClock) -> SignedDuration {
    let own = clock.comparison_interval.filter(|interval| !interval.is_zero());
    let interval = own.map_or(INTERVAL, |own| SignedDuration::try_from(own).unwrap_or(SignedDuration::MAX));
    interval.checked_mul(ATTEMPTS).unwrap_or(SignedDuration::MAX)
}

/// Returns true if the next attempt of Argo CD may end an error: its message says so, and it is younger than the
/// patience.
pub(super) fn may_pass(
    message: &str,
    since: Option<Timestamp>,
    patience: SignedDuration,
    clock: &AssessmentClock,
) -> bool {
    ends_by_itself(message) && clock.may_recover(message, since, patience)
}
