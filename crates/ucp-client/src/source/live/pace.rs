//! The number of concurrent requests: enough to keep the server busy, and no more. For a distant server that is many,
//! since most of them are in transit; for a near one few, since more would only be queued in the server and delay
//! others. The queue is estimated from response times, as in TCP Vegas: with the fastest response as the transit time,
//! its share of the usual time gives the requests in transit, and the others are queued. The number grows while few are
//! queued, and shrinks when many are, or the server reports that it is too busy (429).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Initial number of concurrent requests.
const FIRST: usize = 16;
/// The same for a distant server, where each adjustment takes a round trip.
const FIRST_FAR_AWAY: usize = 64;
/// Processing time of any server for one request. Requests that fit into a round trip at this rate may be in transit
/// initially.
const AN_ANSWER: Duration = Duration::from_millis(2);
/// Minimum number, unless the server reports that it is too busy.
const FEWEST: usize = 16;
/// Minimum number if the server reports that it is too busy.
const FEWEST_REFUSED: usize = 4;
/// Maximum number, above which no server is faster.
const MOST: usize = 256;
/// Maximum number over HTTP/1.1, where each request has its own connection.
const MOST_CONNECTIONS: usize = 64;
/// Target for queued requests in the server; for a distant one at least half of those in transit, since they arrive in
/// bursts. From twice the target on, the number shrinks.
const WAITING: usize = 16;

/// Limits the concurrent requests to a server to the number that the pace allows.
#[derive(Clone)]
pub(super) struct RequestGate {
    turns: Arc<Semaphore>,
    state: Arc<Mutex<GateState>>,
}

struct GateState {
    pace: Pace,
    /// The number of permits.
    turns: usize,
}

/// The permission for one request at a time, until it is dropped.
pub(super) struct RequestTurn {
    gate: RequestGate,
    permit: Option<OwnedSemaphorePermit>,
}

/// The outcome of a request. The time is measured until the response begins, as its size does not depend on the load of
/// the server.
pub(super) enum RequestOutcome {
    /// A response over HTTP/2, after this time.
    Answered(Duration),
    /// A response over HTTP/1.1, after this time.
    AnsweredAlone(Duration),
    /// The server was too busy.
    Refused,
}

impl RequestGate {
    pub(super) fn new() -> Self {
        let pace = Pace::new();
        let turns = pace.limit();
        Self { turns: Arc::new(Semaphore::new(turns)), state: Arc::new(Mutex::new(GateState { pace, turns })) }
    }

    /// Waits for a turn.
    pub(super) async fn enter(&self) -> RequestTurn {
        // The semaphore is never closed.
        let permit = Arc::clone(&self.turns).acquire_owned().await.ok();
        RequestTurn { gate: self.clone(), permit }
    }

    fn lock(&self) -> MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RequestTurn {
    /// Records the outcome of a request, and adjusts the limit.
    pub(super) fn record_outcome(&self, outcome: &RequestOutcome) {
        let mut state = self.gate.lock();
        match outcome {
            RequestOutcome::Answered(took) => state.pace.answered(*took),
            RequestOutcome::AnsweredAlone(took) => {
                state.pace.most = MOST_CONNECTIONS;
                state.pace.answered(*took);
            }
            RequestOutcome::Refused => state.pace.refused(),
        }
        let more = state.pace.limit().saturating_sub(state.turns);
        self.gate.turns.add_permits(more);
        state.turns += more;
    }
}

impl Drop for RequestTurn {
    fn drop(&mut self) {
        let mut state = self.gate.lock();
        if state.turns > state.pace.limit()
            && let Some(permit) = self.permit.take()
        {
            permit.forget();
            state.turns -= 1;
        }
    }
}

/// The limit for concurrent requests, adjusted by their outcomes.
#[derive(Debug)]
struct Pace {
    limit: usize,
    most: usize,
    /// The fastest response so far: the transit time with an idle server.
    fastest: Duration,
    /// Response times since the last adjustment.
    window: Vec<Duration>,
    /// Pending responses to requests from before the last decrease, which are ignored.
    stale: usize,
    growth: Growth,
}

/// The speed at which the limit grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Growth {
    /// Nothing but the distance of the server is known.
    Beginning,
    /// The server has not been busy: the limit is doubled.
    Doubling,
    /// The server has been busy: the limit grows by half.
    Careful,
}

impl Pace {
    fn new() -> Self {
        Self {
            limit: FIRST,
            most: MOST,
            fastest: Duration::MAX,
            window: Vec::new(),
            stale: 0,
            growth: Growth::Beginning,
        }
    }

    /// The current limit.
    fn limit(&self) -> usize {
        self.limit
    }

    /// Records a response.
    fn answered(&mut self, took: Duration) {
        self.fastest = self.fastest.min(took);
        if self.stale > 0 {
            self.stale -= 1;
            return;
        }
        if self.growth == Growth::Beginning {
            let on_the_wire = self.fastest.as_micros() / AN_ANSWER.as_micros();
            self.limit = (FIRST + usize::try_from(on_the_wire).unwrap_or(FIRST_FAR_AWAY)).min(FIRST_FAR_AWAY);
        }
        self.window.push(took);
        if self.window.len() < self.limit {
            return;
        }
        // Long lists take longer, but most responses are short, so the median is used.
        self.window.sort_unstable();
        let usual = self.window[self.window.len() / 2];
        self.window.clear();
        let on_the_wire = (self.limit as f64 * self.fastest.as_secs_f64() / usual.as_secs_f64().max(1e-9)) as usize;
        let busy = WAITING.max(on_the_wire / 2);
        match self.limit.saturating_sub(on_the_wire) {
            waiting if waiting < busy => {
                let more = match self.growth {
                    Growth::Beginning | Growth::Doubling => self.limit,
                    Growth::Careful => self.limit / 2,
                };
                if self.growth == Growth::Beginning {
                    self.growth = Growth::Doubling;
                }
                self.limit = (self.limit + more).min(self.most);
            }
            // A short slowdown of all responses does not restart the growth.
            waiting if waiting >= 2 * busy => self.shrink((on_the_wire + busy).max(self.limit / 2), FEWEST),
            _ => self.growth = Growth::Careful,
        }
    }

    /// Records that the server was too busy.
    fn refused(&mut self) {
        if self.stale > 0 {
            self.stale -= 1;
            return;
        }
        self.shrink(self.limit / 2, FEWEST_REFUSED);
    }

    fn shrink(&mut self, limit: usize, fewest: usize) {
        self.growth = Growth::Careful;
        self.stale = self.limit;
        self.window.clear();
        self.limit = limit.max(fewest.min(self.limit));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Settles the pace with a simulated server: its distance in milliseconds, and its responses per second.
    fn settle(away: u64, a_second: u64) -> usize {
        let mut pace = Pace::new();
        for _ in 0..3_000 {
            let waiting = (pace.limit() as u64 * 1_000 / a_second).saturating_sub(away);
            pace.answered(Duration::from_millis(away + 1 + waiting));
        }
        pace.limit()
    }

    #[test]
    fn more_requests_are_sent_at_a_time_to_a_distant_server() {
        let (near, far) = (settle(0, 1_000), settle(100, 1_000));
        assert!(near <= 64, "{near}");
        assert!(far >= 100, "{far}");
        assert!(settle(100, 100_000) == MOST);
    }

    #[test]
    fn a_slow_distant_server_is_kept_as_busy_as_a_near_server() {
        // The number of requests to keep the server busy: those in transit, and some that are queued.
        for (away, a_second, on_the_wire) in [(0, 100, 0), (100, 100, 10), (100, 400, 40), (200, 400, 80)] {
            let limit = settle(away, a_second);
            let enough = (on_the_wire + WAITING / 2)..=(on_the_wire + 2 * WAITING.max(on_the_wire / 2) + 1);
            assert!(enough.contains(&limit), "{limit} at {away} ms and {a_second} a second");
        }
    }

    #[test]
    fn bursts_of_responses_are_not_taken_for_a_busy_server() {
        let mut pace = Pace::new();
        pace.answered(Duration::from_millis(100));
        for _ in 0..2_000 {
            // All requests are sent together, and each takes the server one millisecond: it is idle until the next
            // burst.
            let burst = pace.limit() as u64 / 2;
            pace.answered(Duration::from_millis(100 + burst));
        }
        assert!(pace.limit() >= 100, "{}", pace.limit());
    }

    #[test]
    fn a_distant_server_gets_more_requests_from_the_first_response_on() {
        for (away, first) in [(1, FIRST), (20, FIRST + 10), (100, FIRST_FAR_AWAY)] {
            let mut pace = Pace::new();
            // The first response includes the time to connect.
            pace.answered(Duration::from_millis(4 * away));
            pace.answered(Duration::from_millis(away));
            assert_eq!(pace.limit(), first, "{away} ms away");
            for _ in 2..first {
                pace.answered(Duration::from_millis(away));
            }
            assert_eq!(pace.limit(), 2 * first, "{away} ms away");
        }
    }

    #[test]
    fn a_busy_server_gets_fewer_requests() {
        let mut pace = Pace::new();
        for _ in 0..10 * FIRST {
            pace.refused();
        }
        assert_eq!(pace.limit(), FEWEST_REFUSED);
    }

    #[test]
    fn simultaneous_slow_requests_count_once_and_the_pace_recovers_soon() {
        let mut pace = Pace::new();
        let fast = Duration::from_millis(100);
        while pace.limit() < MOST {
            pace.answered(fast);
        }
        for _ in 0..2 * MOST {
            pace.answered(8 * fast);
        }
        assert_eq!(pace.limit(), MOST / 2);
        for _ in 0..4 * MOST {
            pace.answered(fast);
        }
        assert_eq!(pace.limit(), MOST);
    }

    #[tokio::test]
    async fn turns_are_limited_by_the_pace() {
        let gate = RequestGate::new();
        let mut turns = Vec::new();
        for _ in 0..FIRST {
            turns.push(gate.enter().await);
        }
        assert_eq!(gate.turns.available_permits(), 0);
        for turn in &turns {
            turn.record_outcome(&RequestOutcome::Answered(Duration::from_millis(1)));
        }
        assert_eq!(gate.turns.available_permits(), FIRST, "twice as many as before, half of them taken");
        turns[0].record_outcome(&RequestOutcome::Refused);
        assert_eq!(gate.lock().pace.limit(), FIRST);
        turns.clear();
        assert_eq!(gate.turns.available_permits(), FIRST, "those who leave do not come back");
    }
}
