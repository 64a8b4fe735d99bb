//! Decides when to give up on a server that does not respond.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Consecutive failures, each of a request that started after the previous failure, before giving up.
const FAILURES: usize = 4;

/// Counts consecutive failures. Requests that fail together, as all on a lost connection do, count as one failure.
#[derive(Debug, Default)]
pub(super) struct FailureTracker(Mutex<Failures>);

#[derive(Debug, Default)]
struct Failures {
    count: usize,
    /// Time of the last failure.
    last: Option<Instant>,
    /// Time of the last response.
    answered: Option<Instant>,
}

impl FailureTracker {
    /// Returns true if no further request should be sent.
    pub(super) fn has_given_up(&self) -> bool {
        self.lock().count >= FAILURES
    }

    /// Records a request, started at `begun`, that did not reach the server.
    pub(super) fn record_failure(&self, begun: Instant) {
        let mut failures = self.lock();
        if failures.last.is_none_or(|last| last <= begun) {
            failures.count += 1;
            failures.last = Some(Instant::now());
        }
    }

    /// Records a request, started at `begun`, that timed out. If the server sent no other response since then, it
    /// hangs, and further requests would time out as well.
    pub(super) fn record_timeout(&self, begun: Instant) {
        self.record_failure(begun);
        let mut failures = self.lock();
        if failures.answered.is_none_or(|answered| answered <= begun) {
            failures.count = FAILURES;
        }
    }

    /// Records a response.
    pub(super) fn record_response(&self) {
        let mut failures = self.lock();
        (failures.count, failures.answered) = (0, Some(Instant::now()));
    }

    fn lock(&self) -> MutexGuard<'_, Failures> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_connection_is_a_single_failure_for_all_its_requests() {
        let patience = FailureTracker::default();
        let begun = Instant::now();
        (0..100).for_each(|_| patience.record_failure(begun));
        assert!(!patience.has_given_up());
        (1..FAILURES).for_each(|_| patience.record_failure(Instant::now()));
        assert!(patience.has_given_up());
        patience.record_response();
        assert!(!patience.has_given_up());
    }

    #[test]
    fn a_server_that_hangs_is_waited_for_once() {
        let patience = FailureTracker::default();
        patience.record_response();
        patience.record_timeout(Instant::now());
        assert!(patience.has_given_up());
    }

    #[test]
    fn a_single_slow_response_does_not_end_the_patience() {
        let patience = FailureTracker::default();
        let begun = Instant::now();
        std::thread::sleep(std::time::Duration::from_millis(2));
        patience.record_response();
        patience.record_timeout(begun);
        assert!(!patience.has_given_up());
    }
}
