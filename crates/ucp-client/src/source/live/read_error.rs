//! The reasons why requests fail.

use std::fmt;
use std::time::Duration;

use http::StatusCode;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::limit::ResponseLimit;
use super::trouble::explain;
use ucp_core::error::Error;
use ucp_core::failure::Failure;
use ucp_core::model::secrecy::scrub;
use ucp_core::model::text::one_line;
use ucp_core::model::weight::{self, Overweight};

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

    pub(super) fn is_worth_another_attempt(&self) -> bool {
        match self {
            // The API server has already retried the webhook five times, which took seconds.
            Self::Server { message, .. } => !message.starts_with("conversion webhook for "),
            Self::Transport(_) => true,
            _ => false,
        }
    }
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

pub(super) fn error_from_status(status: StatusCode, body: &[u8]) -> ReadError {
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

pub(super) fn transport(error: &kube::Error) -> ReadError {
    ReadError::Transport(one_line(&scrub(&explain(error))))
}
