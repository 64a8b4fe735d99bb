//! `status -o prometheus --watch`: serves the newest metrics to a Prometheus or an agent on this machine. Listens on
//! loopback only, and accepts only host names of loopback, so that web pages cannot read them.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::anyhow;
use bytes::Bytes;
use http::header::{CONTENT_TYPE, HOST};
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};

use ucp_core::error::{Error, Result};

/// The path of the metrics.
const PATH: &str = "/metrics";
/// The text format, <https://prometheus.io/docs/instrumenting/exposition_formats/>.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A server for metrics, which runs until the process ends.
pub(super) struct MetricsEndpoint {
    address: SocketAddr,
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
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
            Error::failed(anyhow!("cannot listen on 127.0.0.1:{port}: {error}"))
                .hint("choose another port with --port; 0 selects a free port")
        })?;
        listener.set_nonblocking(true)?;
        let (address, newest) = (listener.local_addr()?, LatestMetrics::default());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let shown = Arc::clone(&newest);
        std::thread::Builder::new()
            .name("metrics".to_owned())
            .spawn(move || runtime.block_on(serve(listener, shown)))?;
        Ok(Self { address, newest })
    }

    /// Returns the URL of the metrics.
    pub(super) fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Replaces the metrics.
    pub(super) fn update(&self, metrics: String) {
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = Some(metrics.into());
    }
}

/// Pause after a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(100);

async fn serve(listener: TcpListener, newest: LatestMetrics) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // A connection that was closed before it was accepted can be ignored; a lack of file descriptors takes a
            // while to end.
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let newest = Arc::clone(&newest);
        let service = service_fn(move |request| {
            let answer = answer(&request, &newest);
            async { Ok::<_, Infallible>(answer) }
        });
        let connection = http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async { drop(connection.await) });
    }
}

fn answer<B>(request: &Request<B>, newest: &LatestMetrics) -> Response<Full<Bytes>> {
    let plain = |status: StatusCode, text: &'static str| {
        let mut response = Response::new(Full::from(text));
        *response.status_mut() = status;
        response
    };
    if !is_of_loopback(request) {
        return plain(StatusCode::FORBIDDEN, "the host must be localhost or 127.0.0.1\n");
    }
    if request.uri().path() != PATH {
        return plain(StatusCode::NOT_FOUND, "the metrics are at /metrics\n");
    }
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        return plain(StatusCode::METHOD_NOT_ALLOWED, "the metrics are read with GET\n");
    }
    let Some(metrics) = newest.lock().unwrap_or_else(PoisonError::into_inner).clone() else {
        return plain(StatusCode::SERVICE_UNAVAILABLE, "the cluster is being read for the first time\n");
    };
    let mut response = Response::new(Full::new(metrics));
    response.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static(TEXT));
    response
}

/// Returns true for host names that a web page cannot have.
fn is_of_loopback<B>(request: &Request<B>) -> bool {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    ["localhost", "127.0.0.1"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status_of(method: &str, path: &str, host: &str, newest: &LatestMetrics) -> u16 {
        let request = Request::builder().method(method).uri(path).header(HOST, host).body(()).unwrap();
        answer(&request, newest).status().as_u16()
    }

    #[test]
    fn only_this_machine_gets_the_metrics() {
        let newest = LatestMetrics::default();
        assert_eq!(status_of("GET", "/metrics", "127.0.0.1:9855", &newest), 503);
        *newest.lock().unwrap() = Some(Bytes::from_static(b"x 1\n"));
        for (method, path, host, status) in [
            ("GET", "/metrics", "127.0.0.1:9855", 200),
            ("HEAD", "/metrics", "localhost", 200),
            ("POST", "/metrics", "localhost", 405),
            ("GET", "/", "localhost", 404),
            ("GET", "/metrics", "evil.example.org", 403),
            ("GET", "/metrics", "127.0.0.1.evil.example.org:9855", 403),
            ("GET", "/metrics", "", 403),
        ] {
            assert_eq!(status_of(method, path, host, &newest), status, "{method} {path} {host}");
        }
    }
}
