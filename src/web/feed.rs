//! Server-sent events: browsers learn that something has changed, and read it again.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use tokio::sync::{Semaphore, watch};

use super::loopback::{WebResponse, stream_response, text_response};

/// The largest number of open streams. A browser opens one for each visible page.
const STREAMS: usize = 32;
/// The interval of signs of life, by which pages notice a broken connection.
const BEAT: Duration = Duration::from_secs(15);

/// Numbers that grow, for any number of listeners.
pub struct ChangeFeed {
    revision: watch::Sender<FeedRevision>,
    streams: Arc<Semaphore>,
}

/// The number of changes, and of other reasons to read a page again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FeedRevision {
    /// Changes of what is followed.
    pub changes: u64,
    /// Reports without a change, since ages grow.
    pub reports: u64,
}

impl std::fmt::Display for FeedRevision {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}.{}", self.changes, self.reports)
    }
}

impl Default for ChangeFeed {
    fn default() -> Self {
        Self { revision: watch::Sender::new(FeedRevision::default()), streams: Arc::new(Semaphore::new(STREAMS)) }
    }
}

impl ChangeFeed {
    /// Announces a change.
    pub fn announce_change(&self) {
        self.revision.send_modify(|revision| revision.changes += 1);
    }

    /// Announces that only time has passed.
    pub fn announce_report(&self) {
        self.revision.send_modify(|revision| revision.reports += 1);
    }

    /// Returns the numbers so far.
    pub fn revision(&self) -> FeedRevision {
        *self.revision.borrow()
    }

    /// Returns a stream of server-sent events: `revision` at once and after each change, and `beat` in between.
    pub fn stream(&self) -> WebResponse {
        self.stream_with_beats(BEAT)
    }

    fn stream_with_beats(&self, interval: Duration) -> WebResponse {
        let Ok(permit) = Arc::clone(&self.streams).try_acquire_owned() else {
            return text_response(StatusCode::SERVICE_UNAVAILABLE, "too many pages are open\n");
        };
        let mut listener = self.revision.subscribe();
        listener.mark_changed();
        let events = futures::stream::unfold((listener, permit), move |(mut listener, permit)| async move {
            let event = match tokio::time::timeout(interval, listener.changed()).await {
                Ok(Ok(())) => format!("event: revision\ndata: {}\n\n", *listener.borrow_and_update()),
                Err(_) => "event: beat\ndata: 0\n\n".to_owned(),
                Ok(Err(_)) => return None,
            };
            Some((Bytes::from(event), (listener, permit)))
        });
        stream_response(StatusCode::OK, "text/event-stream", events)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt as _;

    #[test]
    fn listeners_get_the_newest_revision_at_once_and_their_number_is_limited() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let feed = ChangeFeed::default();
            feed.announce_change();
            let mut stream = feed.stream_with_beats(Duration::from_millis(10)).into_body();
            let mut next = async || {
                let frame = stream.frame().await.unwrap().unwrap();
                String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap()
            };
            assert_eq!(next().await, "event: revision\ndata: 1.0\n\n");
            assert_eq!(next().await, "event: beat\ndata: 0\n\n");
            feed.announce_change();
            feed.announce_change();
            feed.announce_report();
            assert_eq!(next().await, "event: revision\ndata: 3.1\n\n", "changes in between are one event");
            let others: Vec<_> = (1..STREAMS).map(|_| feed.stream()).collect();
            assert!(others.iter().all(|stream| stream.status() == StatusCode::OK));
            assert_eq!(feed.stream().status(), StatusCode::SERVICE_UNAVAILABLE);
            drop(others);
            assert_eq!(feed.stream().status(), StatusCode::OK);
        });
    }
}
