//! `-v 6`: every request on standard error, as kubectl shows it: method, URL, status, time. Never a header or a body, at
//! whatever level, for those hold credentials.

use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Instant;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::{Request, Response};
use tower::{Layer, Service};

use crate::ui;

/// The level from which on kubectl shows requests.
const REQUESTS: u8 = 6;

/// The level of this process; unset is 0. As in klog, it belongs to the process, for every client of it is shown.
static LEVEL: OnceLock<u8> = OnceLock::new();

/// Sets the level, once, before anything is sent.
pub fn set_level(level: u8) {
    // A second call is a test's; the first one counts.
    let _ = LEVEL.set(level);
}

/// Shows the requests of a client, or does nothing.
#[derive(Debug, Clone)]
pub(super) struct TraceLayer {
    /// The server's URL; `None` where nothing is to be shown.
    server: Option<Arc<str>>,
}

impl TraceLayer {
    /// Shows requests to a server from level [`REQUESTS`] on.
    pub(super) fn new(server: &str) -> Self {
        let is_shown = LEVEL.get().is_some_and(|level| *level >= REQUESTS);
        // [`ui::trace`] hides what is secret in it, as in every text.
        Self { server: is_shown.then(|| server.into()) }
    }
}

impl<S> Layer<S> for TraceLayer {
    type Service = Trace<S>;

    fn layer(&self, inner: S) -> Trace<S> {
        Trace { inner, server: self.server.clone() }
    }
}

/// A service that shows what goes through it.
#[derive(Debug, Clone)]
pub(super) struct Trace<S> {
    inner: S,
    server: Option<Arc<str>>,
}

impl<S, B, A> Service<Request<B>> for Trace<S>
where
    S: Service<Request<B>, Response = Response<A>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let Some(server) = self.server.clone() else { return self.inner.call(request).boxed() };
        let what = format!("{} {server}{}", request.method(), request.uri());
        let begun = Instant::now();
        let answer = self.inner.call(request);
        async move {
            let answer = answer.await;
            let status = answer.as_ref().map_or_else(|_| "failed".to_owned(), |response| response.status().to_string());
            ui::trace(&format!("{what} {status} in {} milliseconds", begun.elapsed().as_millis()));
            answer
        }
        .boxed()
    }
}
