//! How many requests are under way at a time: as many as keep the server busy, and no more. Far from the server that is
//! many, since most of them are on the wire; beside it few, since more would only wait in the server, and keep others
//! waiting there. How many wait there follows from what answers take, as in TCP Vegas: of the requests under way, the
//! share of the fastest answer is on the wire, and the rest waits. While few wait, more requests go out; when many do, or
//! the server says that it is too busy (429), fewer do.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Requests under way at the beginning.
const FIRST: usize = 16;
/// The same far away, where to learn more takes a round trip each time.
const FIRST_FAR_AWAY: usize = 64;
/// Any server answers one request in so long; what it answers within a round trip may be on the wire at the beginning.
const AN_ANSWER: Duration = Duration::from_millis(2);
/// Requests under way at the worst, unless the server says that it is too busy.
const FEWEST: usize = 16;
/// The same where it does.
const FEWEST_REFUSED: usize = 4;
/// No server answers more at a time any faster.
const MOST: usize = 256;
/// The same over HTTP/1.1, where each has a connection of its own.
const MOST_CONNECTIONS: usize = 64;
/// Requests that wait in the server, of which it is busy; far away half as many as are on the wire, if that is more, since
/// they come and go in bursts. From twice as many on, fewer go out.
const WAITING: usize = 16;

/// Lets requests to a server pass, as many at a time as the pace allows.
#[derive(Clone)]
pub(super) struct Gate {
    turns: Arc<Semaphore>,
    state: Arc<Mutex<State>>,
}

struct State {
    pace: Pace,
    /// Turns that there are.
    turns: usize,
}

/// The right to have one request under way, until it is dropped.
pub(super) struct Turn {
    gate: Gate,
    permit: Option<OwnedSemaphorePermit>,
}

/// What became of a request. An answer takes until it begins: how long it is, the server can do nothing about.
pub(super) enum Outcome {
    /// It was answered over HTTP/2, after so long.
    Answered(Duration),
    /// The same over HTTP/1.1.
    AnsweredAlone(Duration),
    /// The server was too busy.
    Refused,
}

impl Gate {
    pub(super) fn new() -> Self {
        let pace = Pace::new();
        let turns = pace.limit();
        Self { turns: Arc::new(Semaphore::new(turns)), state: Arc::new(Mutex::new(State { pace, turns })) }
    }

    /// Waits for a turn.
    pub(super) async fn enter(&self) -> Turn {
        // Nobody closes it.
        let permit = Arc::clone(&self.turns).acquire_owned().await.ok();
        Turn { gate: self.clone(), permit }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    /// Takes note of what became of it.
    pub(super) fn learn(&self, outcome: &Outcome) {
        let mut state = self.gate.lock();
        match outcome {
            Outcome::Answered(took) => state.pace.answered(*took),
            Outcome::AnsweredAlone(took) => {
                state.pace.most = MOST_CONNECTIONS;
                state.pace.answered(*took);
            }
            Outcome::Refused => state.pace.refused(),
        }
        let more = state.pace.limit().saturating_sub(state.turns);
        self.gate.turns.add_permits(more);
        state.turns += more;
    }
}

impl Drop for Turn {
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

/// How many requests may be under way.
#[derive(Debug)]
struct Pace {
    limit: usize,
    most: usize,
    /// The fastest answer so far: the wire, and a server that has nothing else to do.
    fastest: Duration,
    /// What the last answers took.
    window: Vec<Duration>,
    /// Answers to come that were asked for before the number was last made smaller, and say nothing about it.
    stale: usize,
    growth: Growth,
}

/// How fast the number grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Growth {
    /// Nothing is known but how far away the server is.
    Beginning,
    /// The server was never busy: twice as many each time.
    Doubling,
    /// The server was busy once: half as many more each time.
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

    /// How many requests may be under way now.
    fn limit(&self) -> usize {
        self.limit
    }

    /// Takes note of an answer.
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
        // Long lists take long by themselves: most answers are short, and the faster half tells.
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
            // Everybody is slow for a moment, which is no reason to begin anew.
            waiting if waiting >= 2 * busy => self.shrink((on_the_wire + busy).max(self.limit / 2), FEWEST),
            _ => self.growth = Growth::Careful,
        }
    }

    /// Takes note that the server said it was too busy.
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

    /// What answers take from a server that many milliseconds away, which answers so many requests a second.
    fn settle(away: u64, a_second: u64) -> usize {
        let mut pace = Pace::new();
        for _ in 0..3_000 {
            let waiting = (pace.limit() as u64 * 1_000 / a_second).saturating_sub(away);
            pace.answered(Duration::from_millis(away + 1 + waiting));
        }
        pace.limit()
    }

    #[test]
    fn far_away_many_are_under_way_and_beside_the_server_few() {
        let (near, far) = (settle(0, 1_000), settle(100, 1_000));
        assert!(near <= 64, "{near}");
        assert!(far >= 100, "{far}");
        assert!(settle(100, 100_000) == MOST);
    }

    #[test]
    fn a_server_far_away_that_is_slow_is_kept_as_busy_as_one_that_is_near() {
        // So many a second keep it busy: what is on the wire, and some that wait there.
        for (away, a_second, on_the_wire) in [(0, 100, 0), (100, 100, 10), (100, 400, 40), (200, 400, 80)] {
            let limit = settle(away, a_second);
            let enough = (on_the_wire + WAITING / 2)..=(on_the_wire + 2 * WAITING.max(on_the_wire / 2) + 1);
            assert!(enough.contains(&limit), "{limit} at {away} ms and {a_second} a second");
        }
    }

    #[test]
    fn answers_that_come_in_bursts_are_not_taken_for_a_busy_server() {
        let mut pace = Pace::new();
        pace.answered(Duration::from_millis(100));
        for _ in 0..2_000 {
            // All go out together, and each takes the server a millisecond: it is idle until they come again.
            let burst = pace.limit() as u64 / 2;
            pace.answered(Duration::from_millis(100 + burst));
        }
        assert!(pace.limit() >= 100, "{}", pace.limit());
    }

    #[test]
    fn a_server_far_away_is_asked_more_from_the_first_answer_on() {
        for (away, first) in [(1, FIRST), (20, FIRST + 10), (100, FIRST_FAR_AWAY)] {
            let mut pace = Pace::new();
            // The first answer brings the connection, too.
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
    fn a_server_that_is_too_busy_is_asked_less() {
        let mut pace = Pace::new();
        for _ in 0..10 * FIRST {
            pace.refused();
        }
        assert_eq!(pace.limit(), FEWEST_REFUSED);
    }

    #[test]
    fn requests_that_were_slow_together_count_once_and_what_is_lost_is_soon_regained() {
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
    async fn turns_follow_the_pace() {
        let gate = Gate::new();
        let mut turns = Vec::new();
        for _ in 0..FIRST {
            turns.push(gate.enter().await);
        }
        assert_eq!(gate.turns.available_permits(), 0);
        for turn in &turns {
            turn.learn(&Outcome::Answered(Duration::from_millis(1)));
        }
        assert_eq!(gate.turns.available_permits(), FIRST, "twice as many as before, half of them taken");
        turns[0].learn(&Outcome::Refused);
        assert_eq!(gate.lock().pace.limit(), FIRST);
        turns.clear();
        assert_eq!(gate.turns.available_permits(), FIRST, "those who leave do not come back");
    }
}
