//! Reasons why a request to a forge failed.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use crate::forge::pull_request::PullRequest;
use ucp_core::failure::Failure;
use ucp_core::model::secrecy::scrub;
use ucp_core::model::text::one_line;

/// Longest message of a server, in characters.
pub(super) const LONGEST_REASON: usize = 300;

/// The reason why a request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForgeError {
    /// There was no response, or the server failed.
    Unreachable(String),
    /// The server asks for a longer pause than a command makes on its own.
    Busy {
        /// The status.
        status: u16,
        /// The pause.
        pause: Duration,
    },
    /// The server rejected the request.
    Rejected {
        /// The status.
        status: u16,
        /// The reason of the server.
        reason: String,
    },
    /// The response is not one that the documentation describes, or there is too much of it.
    Unreadable(String),
    /// Another open pull request changes the same service, and this one does not replace it.
    Overlap(Box<PullRequest>, String),
    /// An open pull request on a branch of this tool, whose text no longer names its scope.
    Unmarked(Box<PullRequest>),
    /// As many environments of a service are in flight as may be.
    InFlight(String),
    /// The pull request was opened and closed again, because another run was faster.
    Withdrawn(Box<Self>),
}

impl From<Failure> for ForgeError {
    fn from(failure: Failure) -> Self {
        Self::Unreachable(failure.into())
    }
}

impl From<ForgeError> for Failure {
    fn from(error: ForgeError) -> Self {
        error.to_string().into()
    }
}

impl fmt::Display for ForgeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(reason) | Self::Unreadable(reason) | Self::InFlight(reason) => {
                formatter.write_str(reason)
            }
            Self::Withdrawn(cause) => cause.fmt(formatter),
            Self::Busy { status, pause } => {
                write!(formatter, "the forge asks to wait for {} seconds (HTTP {status})", pause.as_secs())
            }
            Self::Rejected { status, reason } => write!(formatter, "{reason} (HTTP {status})"),
            Self::Unmarked(other) => write!(
                formatter,
                "pull request #{} is open on {}, and its text no longer says which services it changes: {}",
                other.number,
                one_line(&other.source),
                one_line(&other.url)
            ),
            Self::Overlap(other, phrase) => write!(
                formatter,
                "pull request #{} is open and changes {phrase}: {}",
                other.number,
                one_line(&other.url)
            ),
        }
    }
}

impl ForgeError {
    /// Returns true if the pull request may exist although a request to open it failed.
    pub(super) fn may_exist(&self) -> bool {
        match self {
            Self::Rejected { status, .. } => matches!(status, 400 | 409 | 422),
            Self::Unreachable(_) | Self::Busy { .. } => true,
            Self::Unreadable(_) | Self::Unmarked(_) | Self::Overlap(..) | Self::InFlight(_) | Self::Withdrawn(_) => {
                false
            }
        }
    }
}

/// Returns the message of a server in an error response.
pub(super) fn server_reason(value: &Value) -> Option<String> {
    let texts = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
        other => Some(other.to_string()),
    };
    let own = ["/message", "/error/message", "/error", "/0/message"].iter().find_map(|at| texts(value.pointer(at)?));
    let details = value.pointer("/errors/0/message").and_then(texts);
    let all: Vec<String> = own.into_iter().chain(details).collect();
    let text = one_line(&scrub(&all.join(": ")));
    let short: String = text.chars().take(LONGEST_REASON).collect();
    (!short.is_empty()).then_some(short)
}
