//! `-v 6`: every request on standard error, in kubectl's format: method, URL, status, time. Headers and bodies are not
//! shown at any level, since they contain credentials.

use std::io::Write as _;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Instant;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::{Request, Response};
use tower::{Layer, Service};

use ucp_core::model::secrecy::scrub;
use ucp_core::model::text::plain;

/// The verbosity from which on kubectl shows requests.
const REQUESTS: u8 = 6;

/// The verbosity of this process; 0 if unset. As in klog, it applies to all clients of the process.
static LEVEL: OnceLock<u8> = OnceLock::new();

/// Sets the verbosity, once, before the first request.
pub fn set_level(level: u8) {
    // Further calls only occur in tests, and are ignored.
    let _ = LEVEL.set(level);
}

/// Writes one line to standard error, without secrets. Write errors are ignored.
fn print(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", plain(&scrub(line)));
}

/// A layer that shows the requests of a client, if the verbosity is high enough.
#[derive(Debug, Clone)]
pub(super) struct TraceLayer {
    /// The server's URL; `None` if requests are not shown.
    server: Option<Arc<str>>,
}

impl TraceLayer {
    /// Creates a layer that shows requests to a server from verbosity [`REQUESTS`] on.
    pub(super) fn new(server: &str) -> Self {
        let is_shown = LEVEL.get().is_some_and(|level| *level >= REQUESTS);
        // [`print`] hides secrets in it.
        Self { server: is_shown.then(|| server.into()) }
    }
}

impl<S> Layer<S> for TraceLayer {
    type Service = Trace<S>;

    fn layer(&self, inner: S) -> Trace<S> {
        Trace { inner, server: self.server.clone() }
    }
}

/// A service that shows its requests.
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
            print(&format!("{what} {status} in {} milliseconds", begun.elapsed().as_millis()));
            answer
        }
        .boxed()
    }
}
