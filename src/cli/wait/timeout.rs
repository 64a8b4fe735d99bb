//! `--timeout`.

use std::time::{Duration, Instant};

use ucp_core::failure::Failure;
use ucp_core::model::time::{human_duration, parse_duration};
use ucp_features::wait::WaitPhase;

/// Time after which a controller has observed a change, or is not going to soon.
const FRESH: Duration = Duration::from_secs(10);

/// The time that `kubectl wait` uses for a negative timeout.
const WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Parses a duration; a negative one is a week, as in kubectl.
pub(in crate::cli) fn parse(text: &str) -> Result<Duration, Failure> {
    match text.strip_prefix('-') {
        Some(positive) => parse_duration(positive).map(|_| WEEK),
        None => parse_duration(text),
    }
}

/// Returns a limit for messages.
pub(in crate::cli) fn shown(duration: Duration) -> String {
    human_duration(i64::try_from(duration.as_secs()).unwrap_or(i64::MAX))
}

/// The time at which a wait ends.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Deadline {
    began: Instant,
    limit: Duration,
}

impl Deadline {
    pub(in crate::cli) fn after(limit: Duration) -> Self {
        Self { began: Instant::now(), limit }
    }

    /// Returns the remaining time; `None` if a single look has no time limit.
    pub(in crate::cli) fn remaining(self) -> Option<Duration> {
        (!self.limit.is_zero()).then(|| self.limit.saturating_sub(self.began.elapsed()))
    }

    pub(in crate::cli) fn is_over(self) -> bool {
        self.began.elapsed() >= self.limit
    }

    /// Returns the elapsed time.
    pub(in crate::cli) fn elapsed(self) -> Duration {
        self.began.elapsed()
    }

    pub(in crate::cli) fn patience(self) -> WaitPhase {
        if self.began.elapsed() < FRESH && !self.is_over() { WaitPhase::Fresh } else { WaitPhase::Settled }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_the_same_as_for_kubectl_wait() {
        assert_eq!(parse("0"), Ok(Duration::ZERO));
        assert_eq!(parse("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse("-1s"), Ok(WEEK));
        assert!(parse("soon").is_err() && parse("-soon").is_err());
    }
}
