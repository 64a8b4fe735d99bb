//! Where the responses of a server go.

use http::StatusCode;

use super::limit::ResponseLimit;
use super::read_error::ReadError;
use ucp_core::model::weight::KeptWeight;

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
