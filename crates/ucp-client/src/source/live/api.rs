//! Requests to the API server, with the handling of timeouts, retries and errors in one place. An [`Api`] reads, and
//! requests dry runs and reviews, which store nothing; only a [`super::write::ApiWriter`] makes changes.

use std::fmt;
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
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::client;
use super::limit::ResponseLimit;
use super::pace::{RequestGate, RequestOutcome, RequestTurn};
use super::patience::FailureTracker;
use super::trace::TraceLayer;
use super::trouble::explain;
use crate::source::kubeconfig::Connection;
use ucp_core::error::{Error, Result};
use ucp_core::failure::Failure;
use ucp_core::model::request_path::{RequestPath, is_dry_run};
use ucp_core::model::secrecy::scrub;
use ucp_core::model::text::one_line;
use ucp_core::model::weight::{self, KeptWeight, Overweight};

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

/// Receives a response in parts.
pub(super) trait ResponseSink: Send {
    /// Starts a new attempt, and discards all parts so far.
    fn begin(&mut self);

    /// Called once with a successful status, before the first part.
    fn succeed(&mut self, _status: StatusCode) {}

    /// Receives the next part of the body.
    fn take(&mut self, part: &[u8]) -> Result<(), ReadError>;
}

/// A response that is buffered in memory.
pub(super) struct BufferedResponse {
    pub(super) bytes: Vec<u8>,
    /// The status of the response; `None` before it begins.
    pub(super) status: Option<StatusCode>,
    limit: ResponseLimit,
    weight: KeptWeight,
}

impl BufferedResponse {
    pub(super) fn within(limit: ResponseLimit) -> Self {
        Self { bytes: Vec::new(), status: None, limit, weight: KeptWeight::default() }
    }
}

impl ResponseSink for BufferedResponse {
    fn begin(&mut self) {
        self.bytes = Vec::new();
        self.weight = KeptWeight::default();
        self.status = None;
    }

    fn succeed(&mut self, status: StatusCode) {
        self.status = Some(status);
    }

    fn take(&mut self, part: &[u8]) -> Result<(), ReadError> {
        ReadError::check_limit(self.limit, self.bytes.len().saturating_add(part.len()))?;
        self.weight.grow(part.len())?;
        self.bytes.extend_from_slice(part);
        Ok(())
    }
}

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

/// The reason why a request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadError {
    /// The server denies the request, or rejects the credentials.
    Denied {
        /// HTTP status: 401 or 403.
        code: u16,
        /// The server's message.
        message: String,
    },
    /// The object does not exist.
    NotFound,
    /// The server does not answer for the path: it does not serve the kind, or not at the moment.
    NotServed,
    /// A `continue` token or resource version is too old.
    Expired,
    /// The server has not reached the requested resource version yet.
    Behind,
    /// The server rejects the content of the request.
    Rejected {
        /// HTTP status, such as 400, 409 or 422.
        code: u16,
        /// The server's message.
        message: String,
        /// The rejected fields, if the server names them: `status.details.causes`.
        causes: Vec<RejectedField>,
    },
    /// The server failed or was too busy, in all attempts.
    Server {
        /// HTTP status.
        code: u16,
        /// The server's message.
        message: String,
    },
    /// The connection failed, before or during the response.
    Transport(String),
    /// There was no response within `--request-timeout`.
    Timeout(Duration),
    /// The response exceeds its size limit.
    TooLarge {
        /// The size limit.
        mebibytes: usize,
    },
    /// Its values, or all that was read, take too much memory.
    Overweight(Overweight),
    /// The response is invalid.
    Malformed(String),
    /// The request was not sent, since its path is invalid or it would have changed something.
    NotSent(String),
}

/// A field that the server rejects.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RejectedField {
    /// Path of the field.
    pub field: String,
    /// The server's message, without secrets.
    #[serde(deserialize_with = "ucp_core::model::secrecy::text")]
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Denied { code: 401, .. } => formatter.write_str("the server rejects the credentials (401)"),
            Self::Denied { message, .. } | Self::Rejected { message, .. } => formatter.write_str(message),
            Self::NotFound => formatter.write_str("it does not exist (404)"),
            Self::NotServed => formatter.write_str("the server does not serve it (404)"),
            Self::Expired => formatter.write_str("the list expired while it was being read (410)"),
            Self::Behind => formatter.write_str("the server has not caught up with its store (504)"),
            Self::Server { code, message } => write!(formatter, "the server failed ({code}): {message}"),
            Self::Transport(reason) => formatter.write_str(reason),
            Self::Timeout(limit) => write!(formatter, "no answer within {}s", limit.as_secs()),
            Self::TooLarge { mebibytes } => {
                write!(formatter, "the answer is larger than {mebibytes} MiB, and was not read further")
            }
            Self::Overweight(overweight) => overweight.fmt(formatter),
            Self::Malformed(reason) => write!(formatter, "the answer is invalid: {reason}"),
            Self::NotSent(reason) => write!(formatter, "no request was sent: {reason}"),
        }
    }
}

impl std::error::Error for ReadError {}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        error.to_string().into()
    }
}

impl From<Overweight> for ReadError {
    fn from(overweight: Overweight) -> Self {
        Self::Overweight(overweight)
    }
}

/// Parses an answer that was received completely.
///
/// # Errors
/// Fails when it is not what was expected, or takes too much memory.
pub fn parse<T: DeserializeOwned>(answer: &[u8]) -> Result<T, ReadError> {
    weight::from_json(answer).map_err(|error| match Overweight::from_error(&error) {
        Some(overweight) => overweight.into(),
        None => ReadError::Malformed(error.to_string()),
    })
}

impl ReadError {
    /// Converts the failure of a command's first request to an error with the server's URL and a hint.
    pub fn to_server_error(&self, server: &str) -> Error {
        match self {
            Self::Denied { code: 401, .. } => {
                Error::failed(format!("cannot log in to {server}: it rejects the credentials (401)"))
                    .hint("they are expired or wrong: log in again, or choose another user with --context")
            }
            Self::Denied { message, .. } => Error::failed(format!("cannot discover the APIs of {server}: {message}"))
                .hint("you need the ClusterRole 'system:discovery', which every user should have"),
            Self::Transport(reason) => {
                Error::failed(format!("cannot reach {server}: {reason}")).hint(super::trouble::advice(reason))
            }
            Self::Timeout(limit) => Error::failed(format!("{server} did not answer within {}s", limit.as_secs()))
                .hint("wait longer with --request-timeout, or choose another server with --context"),
            error => Error::failed(format!("cannot discover the APIs of {server}: {error}"))
                .hint("check the server with 'kubectl version', or choose another with --context"),
        }
    }

    /// Fails when so many bytes exceed the limit of a response.
    pub(super) fn check_limit(limit: ResponseLimit, bytes: usize) -> Result<(), Self> {
        if bytes > limit.bytes() { Err(Self::TooLarge { mebibytes: limit.mebibytes() }) } else { Ok(()) }
    }

    fn is_worth_another_attempt(&self) -> bool {
        match self {
            // The API server has already retried the webhook five times, which took seconds.
            Self::Server { message, .. } => !message.starts_with("conversion webhook for "),
            Self::Transport(_) => true,
            _ => false,
        }
    }
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
    pub(super) async fn send(&self, request: &Request<Vec<u8>>, limit: ResponseLimit) -> Result<Bytes, ReadError> {
        let mut answer = BufferedResponse::within(limit);
        self.send_into(request, &mut answer).await?;
        Ok(answer.bytes.into())
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
        let mut body = response.into_body();
        if !status.is_success() {
            let error = error_from_response(status, body).await.map_err(|error| (error, None))?;
            return Err((error, retry_after.map(Duration::from_secs)));
        }
        sink.succeed(status);
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

/// Converts a `metav1.Status` within a watch to an error.
pub(super) fn error_from_watch(status: &str) -> ReadError {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct ErrorCode {
        code: u16,
    }
    let ErrorCode { code } = serde_json::from_str(status).unwrap_or_default();
    error_from_status(StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), status.as_bytes())
}

fn error_from_status(status: StatusCode, body: &[u8]) -> ReadError {
    /// The parts of `metav1.Status` that are used.
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct ErrorStatus {
        message: String,
        details: ErrorStatusDetails,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct ErrorStatusDetails {
        kind: String,
        name: String,
        causes: Vec<RejectedField>,
    }
    let said = parse::<ErrorStatus>(body).unwrap_or_default();
    let message = match said.message.is_empty() {
        // Messages of webhooks and conversions quote their request and URL.
        false => one_line(&scrub(&said.message)),
        true => status.canonical_reason().unwrap_or("no reason given").to_owned(),
    };
    match status.as_u16() {
        code @ (401 | 403) => ReadError::Denied { code, message },
        // The namespace of the object does not exist, as opposed to the object itself.
        404 if said.details.kind == "namespaces" => ReadError::Rejected { code: 404, message, causes: Vec::new() },
        // A server that does not have the object names it.
        404 if !said.details.name.is_empty() => ReadError::NotFound,
        404 => ReadError::NotServed,
        410 => ReadError::Expired,
        // An object that does not fit the schema is an error of the client, although server-side apply reports 500.
        500 if message.starts_with("failed to create typed patch object") => {
            ReadError::Rejected { code: 500, message, causes: Vec::new() }
        }
        code @ (400 | 409 | 413 | 415 | 422) => ReadError::Rejected { code, message, causes: said.details.causes },
        // `NewTooLargeResourceVersionError` in apiserver's pkg/storage/errors.go.
        504 if message.starts_with("Too large resource version") => ReadError::Behind,
        code => ReadError::Server { code, message },
    }
}

fn transport(error: &kube::Error) -> ReadError {
    ReadError::Transport(one_line(&scrub(&explain(error))))
}
