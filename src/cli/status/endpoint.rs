//! `status -o prometheus --watch`: serves the newest metrics to a Prometheus or an agent on this machine.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::StatusCode;
use http::header::{CONTENT_TYPE, HeaderValue};

use crate::web::{LoopbackServer, WebRequest, WebResponse, text_response};
use ucp_core::error::Result;

/// The path of the metrics.
const PATH: &str = "/metrics";
/// The text format, <https://prometheus.io/docs/instrumenting/exposition_formats/>.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A server for metrics, which runs until the process ends.
pub(super) struct MetricsEndpoint {
    server: LoopbackServer,
    newest: LatestMetrics,
}

/// The newest metrics; `None` before the first.
type LatestMetrics = Arc<Mutex<Option<Bytes>>>;

impl MetricsEndpoint {
    /// Listens on a loopback port; 0 is any free one.
    ///
    /// # Errors
    /// Fails when the port is in use.
    pub(super) fn open(port: u16) -> Result<Self> {
        let newest = LatestMetrics::default();
        let shown = Arc::clone(&newest);
        let server = LoopbackServer::open(port, move |request| answer(request, &shown))?;
        Ok(Self { server, newest })
    }

    /// Returns the URL of the metrics.
    pub(super) fn url(&self) -> String {
        self.server.url() + PATH
    }

    /// Replaces the metrics.
    pub(super) fn update(&self, metrics: String) {
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = Some(metrics.into());
    }
}

fn answer(request: &WebRequest, newest: &LatestMetrics) -> WebResponse {
    if request.uri.path() != PATH {
        return text_response(StatusCode::NOT_FOUND, "the metrics are at /metrics\n");
    }
    let Some(metrics) = newest.lock().unwrap_or_else(PoisonError::into_inner).clone() else {
        return text_response(StatusCode::SERVICE_UNAVAILABLE, "the cluster is being read for the first time\n");
    };
    let mut response = text_response(StatusCode::OK, metrics);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(TEXT));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status_of(path: &str, newest: &LatestMetrics) -> u16 {
        let (request, ()) = http::Request::builder().uri(path).body(()).unwrap().into_parts();
        answer(&request, newest).status().as_u16()
    }

    #[test]
    fn metrics_are_served_at_their_path_after_the_first_read() {
        let newest = LatestMetrics::default();
        assert_eq!(status_of("/metrics", &newest), 503);
        *newest.lock().unwrap() = Some(Bytes::from_static(b"x 1\n"));
        assert_eq!(status_of("/metrics", &newest), 200);
        assert_eq!(status_of("/", &newest), 404);
    }
}
