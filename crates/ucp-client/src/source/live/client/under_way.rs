//! Requests under way on one connection.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};

/// The number of requests under way.
#[derive(Clone, Default)]
pub(super) struct RequestCount(Arc<AtomicUsize>);

impl RequestCount {
    pub(super) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Adds one request, until the result is dropped.
    pub(super) fn begin(&self) -> RequestGuard {
        self.0.fetch_add(1, Ordering::Relaxed);
        RequestGuard(Arc::clone(&self.0))
    }
}

/// One request under way, until it is dropped.
pub(super) struct RequestGuard(Arc<AtomicUsize>);

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A response body. Its request is under way until it is dropped.
pub(super) struct TrackedBody {
    body: Incoming,
    _under_way: Option<RequestGuard>,
}

impl TrackedBody {
    pub(super) fn new(body: Incoming, under_way: Option<RequestGuard>) -> Self {
        Self { body, _under_way: under_way }
    }
}

impl Body for TrackedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
