//! Requests to the API of a forge.

use http::Method;
use serde_json::Value;

/// A request to the API of a forge.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiRequest {
    /// The method.
    pub method: Method,
    /// Path and query, relative to the base of the API, with a leading slash.
    pub path: String,
    /// The body, as JSON.
    pub body: Option<Value>,
}

impl ApiRequest {
    pub(super) fn get(path: String) -> Self {
        Self { method: Method::GET, path, body: None }
    }

    pub(super) fn with_body(method: Method, path: String, body: Value) -> Self {
        Self { method, path, body: Some(body) }
    }

    pub(super) fn post(path: String, body: Value) -> Self {
        Self::with_body(Method::POST, path, body)
    }
}
