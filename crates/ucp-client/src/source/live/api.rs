//! Requests to the API server, with the handling of timeouts, retries and errors in one place. An [`Api`] reads, and
//! requests dry runs and reviews, which store nothing; only a [`super::write::ApiWriter`] makes changes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::{AsyncBufRead, TryStreamExt as _};
use http::header::{ACCEPT, RETRY_AFTER};
use http::{Method, Request, StatusCode, Version};
use http_body_util::BodyExt as _;
use k8s_openapi::apimachinery::pkg::version::Info;
use kube::Client;
use kube::client::Body;

use super::client;
use super::limit::ResponseLimit;
use super::pace::{RequestGate, RequestOutcome, RequestTurn};
use super::patience::FailureTracker;
use super::read_error::{error_from_status, transport};
use super::response::{BufferedResponse, ResponseSink};
use super::trace::TraceLayer;
use super::trouble::explain;
use crate::source::kubeconfig::Connection;
use ucp_core::error::{Error, Result};
use ucp_core::model::request_path::{RequestPath, is_dry_run};
use ucp_core::model::secrecy::scrub;

pub use super::read_error::{ReadError, RejectedField, parse};

/// Media type of JSON responses.
pub const JSON: &str = "application/json";
/// The media types to accept for the metadata of one object.
pub(super) const OBJECT_METADATA: &str =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

/// Attempts for a request that may succeed later.
const ATTEMPTS: u32 = 4;
/// Pause before the second attempt; doubled for each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// Upper limit for a server's `Retry-After`.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// A connection to an API server that only reads.
#[derive(Clone)]
pub struct Api {
    client: Client,
    timeout: Duration,
    gate: RequestGate,
    /// The shared turn of several requests; `None` if each request has its own.
    turn: Option<Arc<RequestTurn>>,
    /// Tracks failures, if the requests are to be given up after too many.
    patience: Option<Arc<FailureTracker>>,
}

impl Api {
    /// Creates a client; no request is sent yet.
    ///
    /// # Errors
    /// Fails when a certificate or key of the kubeconfig is unusable, or an exec plugin fails. Credentials are not
    /// quoted.
    pub fn connect(connection: &Connection, timeout: Duration) -> Result<Self> {
        let trace = TraceLayer::new(&connection.server);
        let client = client::build(&connection.config, &connection.forbidden, &trace).map_err(|error| {
            Error::failed(format!("cannot connect to {}: {}", connection.server, scrub(&explain(&error))))
        })?;
        Ok(Self { client, timeout, gate: RequestGate::new(), turn: None, patience: None })
    }

    /// The client itself, for upgraded connections.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the same connection for many requests. If the server stops responding, the remaining ones fail at once.
    pub fn for_many(&self) -> Self {
        Self { patience: Some(Arc::default()), ..self.clone() }
    }

    /// Returns the same connection for consecutive requests, with one turn for all of them: work that was started is
    /// finished before other work begins.
    pub(super) async fn in_turn(&self) -> Self {
        Self { turn: Some(Arc::new(self.gate.enter().await)), ..self.clone() }
    }

    /// Fetches a path, with a size limit for the response. Requests are retried after 429, 5xx and connection failures,
    /// with the pause that the server requests.
    ///
    /// # Errors
    /// Returns the error of the last attempt.
    pub async fn get(
        &self,
        path: impl Into<RequestPath>,
        accept: &str,
        limit: ResponseLimit,
    ) -> Result<Bytes, ReadError> {
        let mut answer = BufferedResponse::within(limit);
        self.get_into(&path.into(), accept, &mut answer).await?;
        Ok(answer.bytes.into())
    }

    /// Fetches a path into a sink, without buffering the response.
    pub(super) async fn get_into(
        &self,
        path: &RequestPath,
        accept: &str,
        sink: &mut dyn ResponseSink,
    ) -> Result<(), ReadError> {
        self.send_into(&Request::get(uri(path)?).header(ACCEPT, accept).body(Vec::new()).map_err(malformed)?, sink)
            .await
    }

    /// Sends a request that is safe to retry, since it changes nothing. All dry runs are sent here.
    ///
    /// # Errors
    /// Returns the error of the last attempt. A request that neither reads nor has exactly one `dryRun` parameter is
    /// not sent.
    pub(super) async fn send(
        &self,
        request: &Request<Vec<u8>>,
        limit: ResponseLimit,
    ) -> Result<BufferedResponse, ReadError> {
        let mut answer = BufferedResponse::within(limit);
        self.send_into(request, &mut answer).await?;
        Ok(answer)
    }

    async fn send_into(&self, request: &Request<Vec<u8>>, sink: &mut dyn ResponseSink) -> Result<(), ReadError> {
        let uri = request.uri();
        if request.method() != Method::GET && !uri.query().is_some_and(is_dry_run) {
            return Err(ReadError::NotSent(format!("{} is not requested as exactly one dry run", uri.path())));
        }
        let mut pause = FIRST_PAUSE;
        for attempt in 1.. {
            sink.begin();
            let (error, wait) = match self.exchange_into(request.clone().map(Body::from), sink).await {
                Ok(()) => return Ok(()),
                Err(failure) => failure,
            };
            if attempt >= ATTEMPTS || !error.is_worth_another_attempt() {
                return Err(error);
            }
            // A pause is no longer than an answer may take.
            let longest = if self.timeout.is_zero() { LONGEST_PAUSE } else { LONGEST_PAUSE.min(self.timeout) };
            tokio::time::sleep(wait.unwrap_or(pause).min(longest)).await;
            pause *= 2;
        }
        unreachable!("the loop ends by returning")
    }

    /// Requests the server's version.
    ///
    /// # Errors
    /// Returns the server's error, or the reason why it did not respond.
    pub async fn version(&self) -> Result<Info, ReadError> {
        let body = self.get("/version", JSON, ResponseLimit::Small).await?;
        parse(&body)
    }

    /// Opens a path with an unlimited response, such as a watch. The timeout only applies until the response begins.
    ///
    /// # Errors
    /// Returns the server's error; there are no retries.
    pub async fn open(
        &self,
        path: RequestPath,
        accept: &'static str,
    ) -> Result<impl AsyncBufRead + Send + Unpin + use<>, ReadError> {
        let request = Request::get(uri(&path)?).header(ACCEPT, accept).body(Body::empty()).map_err(malformed)?;
        check_length(&request)?;
        let send = self.client.send(request);
        let limit = if self.timeout.is_zero() { Duration::from_secs(60) } else { self.timeout };
        let response = match tokio::time::timeout(limit, send).await {
            Ok(response) => response.map_err(|error| transport(&error))?,
            Err(_) => return Err(ReadError::Timeout(limit)),
        };
        let status = response.status();
        if !status.is_success() {
            let body = response.into_body();
            let refused = tokio::time::timeout(limit, error_from_response(status, body)).await;
            return Err(refused.map_err(|_| ReadError::Timeout(limit))??);
        }
        Ok(response.into_body().into_data_stream().map_err(std::io::Error::other).into_async_read())
    }

    /// Sends one request, without retries, once it has a turn. An error includes the pause that the server requests.
    pub(super) async fn exchange(&self, request: Request<Body>, limit: ResponseLimit) -> Result<Bytes, RequestFailure> {
        let mut answer = BufferedResponse::within(limit);
        self.exchange_into(request, &mut answer).await?;
        Ok(answer.bytes.into())
    }

    pub(super) async fn exchange_into(
        &self,
        request: Request<Body>,
        sink: &mut dyn ResponseSink,
    ) -> Result<(), RequestFailure> {
        let turn = match &self.turn {
            Some(turn) => Arc::clone(turn),
            None => Arc::new(self.gate.enter().await),
        };
        if self.patience.as_ref().is_some_and(|patience| patience.has_given_up()) {
            return Err((ReadError::Transport("the server stopped answering".to_owned()), None));
        }
        let begun = Instant::now();
        let answer = match self.timeout.is_zero() {
            true => self.ask(request, sink, &turn).await,
            false => match tokio::time::timeout(self.timeout, self.ask(request, sink, &turn)).await {
                Ok(answer) => answer,
                Err(_) => Err((ReadError::Timeout(self.timeout), None)),
            },
        };
        if let Some(patience) = &self.patience {
            match &answer {
                Err((ReadError::Timeout(_), _)) => patience.record_timeout(begun),
                Err((ReadError::Transport(_), _)) => patience.record_failure(begun),
                _ => patience.record_response(),
            }
        }
        answer
    }

    async fn ask(
        &self,
        request: Request<Body>,
        sink: &mut dyn ResponseSink,
        turn: &RequestTurn,
    ) -> Result<(), RequestFailure> {
        check_length(&request).map_err(|error| (error, None))?;
        let begun = Instant::now();
        let response = self.client.send(request).await.map_err(|error| (transport(&error), None))?;
        let (status, version, took) = (response.status(), response.version(), begun.elapsed());
        turn.record_outcome(&match (status, version) {
            (StatusCode::TOO_MANY_REQUESTS, _) => RequestOutcome::Refused,
            (_, Version::HTTP_2) => RequestOutcome::Answered(took),
            _ => RequestOutcome::AnsweredAlone(took),
        });
        let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let (parts, mut body) = response.into_parts();
        if !status.is_success() {
            let error = error_from_response(status, body).await.map_err(|error| (error, None))?;
            return Err((error, retry_after.map(Duration::from_secs)));
        }
        sink.succeed(status, &parts.headers);
        while let Some(frame) = body.frame().await {
            if let Ok(part) = frame.map_err(|error| (transport(&error), None))?.into_data() {
                sink.take(&part).map_err(|error| (error, None))?;
            }
        }
        Ok(())
    }
}

/// Longer paths exceed the limit of a URI together with the server's URL, on which kube panics.
const LONGEST_PATH: usize = 60 << 10;

fn check_length(request: &Request<Body>) -> Result<(), ReadError> {
    let length = request.uri().path_and_query().map_or(0, |path| path.as_str().len());
    if length > LONGEST_PATH {
        return Err(ReadError::Malformed(format!("its path would be {length} characters long")));
    }
    Ok(())
}

/// Reads an error response. A body over the limit is discarded.
async fn error_from_response(status: StatusCode, mut body: Body) -> Result<ReadError, ReadError> {
    let mut text = BufferedResponse::within(ResponseLimit::Small);
    while let Some(frame) = body.frame().await {
        let Ok(part) = frame.map_err(|error| transport(&error))?.into_data() else { continue };
        if text.take(&part).is_err() {
            text.begin();
            break;
        }
    }
    Ok(error_from_status(status, &text.bytes))
}

/// An error, and the pause that the server requests.
type RequestFailure = (ReadError, Option<Duration>);

/// The URI of a request.
pub(super) fn uri(path: &RequestPath) -> Result<String, ReadError> {
    path.uri().map_err(|error| ReadError::NotSent(error.to_string()))
}

fn malformed(error: http::Error) -> ReadError {
    ReadError::Malformed(error.to_string())
}
