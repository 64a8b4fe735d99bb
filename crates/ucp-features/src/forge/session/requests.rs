//! Requests to a forge, repeated as the server asks.

use std::time::{Duration, Instant};

use http::{Method, Request, StatusCode};
use serde_json::Value;

use super::error::server_reason;
use super::{ForgeError, ForgeSession};
use crate::forge::request::ApiRequest;
use crate::forge::response::text_at;
use ucp_client::source::live::web::WebResponse;
use ucp_core::failure::Failure;

/// Attempts for a request that the server asks to repeat.
const ATTEMPTS: u32 = 4;
/// Time after which a server that does not respond is not asked again.
const SILENCE: Duration = Duration::from_secs(30);
/// Longest pause between them. A server that asks for a longer one is not asked again.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

impl ForgeSession {
    /// Sends a request and returns the response as JSON; null if it is empty.
    pub(super) async fn send(&self, request: &ApiRequest) -> Result<Value, ForgeError> {
        let (mut attempt, begun) = (0, Instant::now());
        loop {
            attempt += 1;
            let answer = self.send_once(request).await;
            let is_read = request.method == Method::GET;
            let pause = match &answer {
                Ok(answer) if is_limited(answer) => answer.retry_after,
                Ok(answer) if is_read && answer.status.is_server_error() => answer.retry_after,
                Ok(answer) => return self.judge(request, answer),
                Err(_) if is_read && begun.elapsed() < SILENCE => None,
                Err(reason) => return Err(reason.clone().into()),
            };
            let pause = pause.map(Duration::from_secs);
            if let (Ok(answer), Some(pause)) = (&answer, pause.filter(|pause| *pause > LONGEST_PAUSE)) {
                return Err(ForgeError::Busy { status: answer.status.as_u16(), pause });
            }
            if attempt >= ATTEMPTS {
                return match answer {
                    Ok(answer) => self.judge(request, &answer),
                    Err(reason) => Err(reason.into()),
                };
            }
            let usual = Duration::from_millis(250 << attempt);
            tokio::time::sleep(pause.unwrap_or(usual)).await;
        }
    }

    async fn send_once(&self, request: &ApiRequest) -> Result<WebResponse, Failure> {
        // GraphQL of GitHub Enterprise has no version.
        let base = match request.path.as_str() {
            "/graphql" => self.base.strip_suffix("/v3").unwrap_or(&self.base),
            _ => self.base.as_str(),
        };
        let body = request.body.as_ref().map(|body| body.to_string().into_bytes()).unwrap_or_default();
        let sent = Request::builder()
            .method(request.method.clone())
            .uri(format!("{base}{}", request.path))
            .header("user-agent", concat!("kubectl-ucp/", env!("CARGO_PKG_VERSION")))
            .header("accept", "application/json")
            .header("content-type", "application/json")
            .header(self.header.0, self.header.1.clone())
            .body(body)
            .map_err(|error| error.to_string())?;
        self.web.send(sent).await
    }

    /// Reads a response.
    fn judge(&self, request: &ApiRequest, answer: &WebResponse) -> Result<Value, ForgeError> {
        let status = answer.status;
        let value: Option<Value> = match answer.body.is_empty() {
            true => Some(Value::Null),
            false => serde_json::from_slice(&answer.body).ok(),
        };
        if status.is_redirection() {
            let reason = "the server redirects the request, which is not followed with a token: was the repository \
                          moved? Update the URL of the remote";
            return Err(ForgeError::Rejected { status: status.as_u16(), reason: reason.to_owned() });
        }
        if status.is_server_error() || is_limited(answer) {
            return Err(ForgeError::Unreachable(format!("{} responds with HTTP {status}", self.kind.name())));
        }
        if !status.is_success() {
            let reason =
                value.as_ref().and_then(server_reason).unwrap_or_else(|| "the request was rejected".to_owned());
            return Err(rejected(status, &reason));
        }
        let value = value.ok_or_else(|| {
            ForgeError::Unreadable(format!("the response of {} is not JSON; is --forge right?", self.kind.name()))
        })?;
        // GraphQL reports errors with status 200.
        match value.get("errors").filter(|_| request.path == "/graphql") {
            Some(errors) => {
                let reason = server_reason(errors).unwrap_or_else(|| "the request was rejected".to_owned());
                let status = match text_at(errors, "/0/type").as_deref() {
                    Some("FORBIDDEN") => StatusCode::FORBIDDEN,
                    Some("NOT_FOUND") => StatusCode::NOT_FOUND,
                    Some("UNPROCESSABLE") => StatusCode::UNPROCESSABLE_ENTITY,
                    _ => status,
                };
                Err(rejected(status, &reason))
            }
            None => Ok(value),
        }
    }
}

/// Returns the error of a rejected request, with advice.
fn rejected(status: StatusCode, reason: &str) -> ForgeError {
    let advice = match status {
        StatusCode::UNAUTHORIZED => "; the token is not valid (any more)",
        StatusCode::FORBIDDEN => "; the token may not do this",
        StatusCode::NOT_FOUND => "; the repository does not exist, or the token may not see it",
        _ => "",
    };
    ForgeError::Rejected { status: status.as_u16(), reason: format!("{reason}{advice}") }
}

/// Returns true if a server limits the number of requests. GitHub also does it with 403.
fn is_limited(answer: &WebResponse) -> bool {
    answer.status == StatusCode::TOO_MANY_REQUESTS
        || (answer.status == StatusCode::FORBIDDEN && answer.retry_after.is_some())
}
