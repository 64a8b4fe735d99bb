//! The server: connections, host names, methods. A handler answers the rest.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::Stream;
use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::Semaphore;

use super::policy::page_policy;
use ucp_core::error::{Error, Result};

/// The head of a request.
pub type WebRequest = Parts;
/// A response, at once or as a stream.
pub type WebResponse = Response<UnsyncBoxBody<Bytes, Infallible>>;

/// A server that only reads. It runs until the process ends.
pub struct LoopbackServer {
    address: SocketAddr,
}

impl LoopbackServer {
    /// Listens on a loopback port; 0 is any free one. `answer` gets each `GET` and `HEAD` for a host name of loopback, in
    /// a thread of its own.
    ///
    /// # Errors
    /// Fails when the port is in use.
    pub fn open(port: u16, answer: impl Fn(&WebRequest) -> WebResponse + Send + Sync + 'static) -> Result<Self> {
        let reads = move |request: &WebRequest, posted: Option<&Bytes>| match posted {
            Some(_) => refuse_method(),
            None => answer(request),
        };
        Self::open_for_questions(port, reads)
    }

    /// Like [`Self::open`], and also passes on the body of each `POST`, for questions that are too long for a URL.
    ///
    /// # Errors
    /// Fails when the port is in use.
    pub fn open_for_questions(
        port: u16,
        answer: impl Fn(&WebRequest, Option<&Bytes>) -> WebResponse + Send + Sync + 'static,
    ) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
            Error::failed(format!("cannot listen on 127.0.0.1:{port}: {error}"))
                .hint("choose another port with --port; 0 selects a free port")
        })?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::Builder::new()
            .name("web".to_owned())
            .spawn(move || runtime.block_on(serve(listener, Arc::new(answer))))?;
        Ok(Self { address })
    }

    /// Returns the URL of the server, without a slash at its end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

/// Pause after a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(100);
/// The largest number of open connections. Further ones wait.
const CONNECTIONS: usize = 256;

/// The largest body of a question.
const BODY: usize = 64 << 10;

type Handler = dyn Fn(&WebRequest, Option<&Bytes>) -> WebResponse + Send + Sync;

async fn serve(listener: TcpListener, answer: Arc<Handler>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let connections = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(permit) = Arc::clone(&connections).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // A connection that was closed before it was accepted can be ignored; a lack of file descriptors takes a
            // while to end.
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let answer = Arc::clone(&answer);
        let service = service_fn(move |request: Request<Incoming>| {
            let ((parts, body), answer) = (request.into_parts(), Arc::clone(&answer));
            async move {
                let Ok(body) = Limited::new(body, BODY).collect().await else {
                    let refused = text_response(StatusCode::PAYLOAD_TOO_LARGE, "the body could not be read\n");
                    return Ok::<_, Infallible>(refused);
                };
                let body = body.to_bytes();
                let answered = tokio::task::spawn_blocking(move || respond(&parts, &body, &*answer)).await;
                let failed = || text_response(StatusCode::INTERNAL_SERVER_ERROR, "the request could not be answered\n");
                Ok(answered.unwrap_or_else(|_| failed()))
            }
        });
        let connection = http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async {
            drop(connection.await);
            drop(permit);
        });
    }
}

/// Refuses what no handler should see.
fn respond(request: &WebRequest, body: &Bytes, answer: &Handler) -> WebResponse {
    if !is_of_loopback(request) {
        return text_response(StatusCode::FORBIDDEN, "the host must be localhost or 127.0.0.1\n");
    }
    if ![Method::GET, Method::HEAD, Method::POST].contains(&request.method) {
        return refuse_method();
    }
    answer(request, (request.method == Method::POST).then_some(body))
}

fn refuse_method() -> WebResponse {
    let mut refused = text_response(StatusCode::METHOD_NOT_ALLOWED, "this server only reads\n");
    refused.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    refused
}

/// Returns true for host names that a web page cannot have.
fn is_of_loopback(request: &WebRequest) -> bool {
    let host = request.headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    ["localhost", "127.0.0.1"].contains(&name)
}

/// Creates a response of plain text.
pub fn text_response(status: StatusCode, text: impl Into<Bytes>) -> WebResponse {
    response(status, "text/plain; charset=utf-8", Full::new(text.into()).boxed_unsync())
}

/// Creates a response of JSON.
pub fn json_response(status: StatusCode, text: impl Into<Bytes>) -> WebResponse {
    response(status, "application/json", Full::new(text.into()).boxed_unsync())
}

/// Creates a response of a page with one style and one script.
pub fn html_response(status: StatusCode, page: impl Into<Bytes>, style: &str, script: &str) -> WebResponse {
    let mut response = response(status, "text/html; charset=utf-8", Full::new(page.into()).boxed_unsync());
    if let Ok(policy) = HeaderValue::from_str(&page_policy(style, script)) {
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// Creates a response of a media type whose parts are sent when the stream has them.
pub fn stream_response(
    status: StatusCode,
    media_type: &'static str,
    parts: impl Stream<Item = Bytes> + Send + 'static,
) -> WebResponse {
    use futures::StreamExt as _;
    let frames = parts.map(|part| Ok(Frame::data(part)));
    response(status, media_type, StreamBody::new(frames).boxed_unsync())
}

fn response(status: StatusCode, media_type: &'static str, body: UnsyncBoxBody<Bytes, Infallible>) -> WebResponse {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    for name in [RESOURCE_POLICY, OPENER_POLICY] {
        headers.insert(name, HeaderValue::from_static("same-origin"));
    }
    response
}

/// Other origins cannot embed responses.
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
/// Windows of other origins get no reference to a page.
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_requests_from_this_machine_that_read_are_answered() {
        let answer = |_: &WebRequest, posted: Option<&Bytes>| match posted {
            Some(_) => refuse_method(),
            None => text_response(StatusCode::OK, "read"),
        };
        for (method, host, status) in [
            ("GET", "127.0.0.1:9855", 200),
            ("HEAD", "localhost", 200),
            ("POST", "localhost", 405),
            ("DELETE", "127.0.0.1:9855", 405),
            ("GET", "evil.example.org", 403),
            ("GET", "127.0.0.1.evil.example.org:9855", 403),
            ("GET", "localhost.evil.example.org", 403),
            ("GET", "", 403),
        ] {
            let request = Request::builder().method(method).uri("/").header(HOST, host).body(()).unwrap();
            assert_eq!(
                respond(&request.into_parts().0, &Bytes::new(), &answer).status().as_u16(),
                status,
                "{method} {host}"
            );
        }
    }
}
