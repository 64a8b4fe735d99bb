//! Where the responses of a server go.

use http::header::WARNING;
use http::{HeaderMap, StatusCode};

use super::limit::ResponseLimit;
use super::read_error::ReadError;
use ucp_core::model::weight::KeptWeight;

/// Receives a response in parts.
pub(super) trait ResponseSink: Send {
    /// Starts a new attempt, and discards all parts so far.
    fn begin(&mut self);

    /// Called once with a successful status, before the first part.
    fn succeed(&mut self, _status: StatusCode, _headers: &HeaderMap) {}

    /// Receives the next part of the body.
    fn take(&mut self, part: &[u8]) -> Result<(), ReadError>;
}

/// A response that is buffered in memory.
pub(super) struct BufferedResponse {
    pub(super) bytes: Vec<u8>,
    /// The status of the response; `None` before it begins.
    pub(super) status: Option<StatusCode>,
    /// The warnings of admission, webhooks and deprecated versions.
    pub(super) warnings: Vec<String>,
    limit: ResponseLimit,
    weight: KeptWeight,
}

impl BufferedResponse {
    pub(super) fn within(limit: ResponseLimit) -> Self {
        Self { bytes: Vec::new(), status: None, warnings: Vec::new(), limit, weight: KeptWeight::default() }
    }
}

impl ResponseSink for BufferedResponse {
    fn begin(&mut self) {
        self.bytes = Vec::new();
        self.weight = KeptWeight::default();
        self.status = None;
        self.warnings = Vec::new();
    }

    fn succeed(&mut self, status: StatusCode, headers: &HeaderMap) {
        self.status = Some(status);
        let texts = headers.get_all(WARNING).into_iter().filter_map(|value| value.to_str().ok());
        self.warnings = texts.filter_map(warning_text).take(MOST_WARNINGS).collect();
    }

    fn take(&mut self, part: &[u8]) -> Result<(), ReadError> {
        ReadError::check_limit(self.limit, self.bytes.len().saturating_add(part.len()))?;
        self.weight.grow(part.len())?;
        self.bytes.extend_from_slice(part);
        Ok(())
    }
}

/// Maximum number of warnings that are kept, and of characters of one.
const MOST_WARNINGS: usize = 10;
const LONGEST_WARNING: usize = 500;

/// Returns the text of a warning, such as `299 - "v1 is deprecated"` (RFC 7234, section 5.5).
fn warning_text(value: &str) -> Option<String> {
    let (_, quoted) = value.strip_prefix("299 ")?.split_once('"')?;
    let (mut text, mut is_escaped) = (String::new(), false);
    for letter in quoted.chars().take(LONGEST_WARNING) {
        match letter {
            '\\' if !is_escaped => is_escaped = true,
            '"' if !is_escaped => break,
            letter => {
                text.push(letter);
                is_escaped = false;
            }
        }
    }
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_read_as_the_server_quotes_them() {
        for (value, expected) in [
            (r#"299 - "v1 is deprecated""#, Some("v1 is deprecated")),
            (
                r#"299 agent/1.0 "would violate \"restricted\"" "Sun, 29 Nov 2026""#,
                Some("would violate \"restricted\""),
            ),
            (r#"299 - """#, None),
            (r#"199 - "other""#, None),
            ("299 - unquoted", None),
            (r#"299 - "open"#, Some("open")),
        ] {
            assert_eq!(warning_text(value).as_deref(), expected, "{value}");
        }
    }
}
