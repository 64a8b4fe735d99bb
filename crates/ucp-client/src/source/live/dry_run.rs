//! Dry runs. Every request of this module has `dryRun=All`: the API server runs admission, defaulting and validation,
//! and stores nothing. Deletions are excluded: Crossplane's webhook for Usages ignores `dryRun`, and with
//! `replayDeletion` the object is deleted later.

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{Method, Request};
use serde_json::Value;

use super::api::{Api, JSON, ReadError, parse};
use super::limit::ResponseLimit;
use super::write::ObjectPath;
use ucp_core::model::request_path::RequestPath;
use ucp_core::model::shell::{is_name_character, is_possible_name, quote_value};

/// Media type of server-side apply, which accepts JSON as YAML.
const APPLY: &str = "application/apply-patch+yaml";

/// The kind of write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DryRunWrite {
    /// Server-side apply that takes over fields of other managers.
    Apply,
    /// Replacement of the whole object.
    Replace,
}

/// The answer to a dry run that the server accepts.
#[derive(Debug, Clone, PartialEq)]
pub struct DryRunAnswer {
    /// The object as it would be stored.
    pub object: Value,
    /// The warnings of admission, webhooks and deprecated versions.
    pub warnings: Vec<String>,
}

impl Api {
    /// Returns the object at a path as it would be stored after a change by a field manager. Unknown fields are an error.
    ///
    /// # Errors
    /// Fails when the server rejects the change, or does not respond.
    pub async fn dry_run(
        &self,
        change: DryRunWrite,
        path: &ObjectPath,
        field_manager: &str,
        object: &Value,
    ) -> Result<DryRunAnswer, ReadError> {
        let strictly = dry_run_path(path, field_manager).with_query("fieldValidation", "Strict");
        match change {
            DryRunWrite::Apply => self.written(Method::PATCH, &strictly.with_query("force", "true"), object).await,
            DryRunWrite::Replace => self.written(Method::PUT, &strictly, object).await,
        }
    }

    /// Returns the object at a path as it would be stored after server-side apply by another controller, for which the server
    /// drops unknown fields without an error.
    ///
    /// # Errors
    /// Fails when the server rejects the change, or does not respond.
    pub async fn dry_run_lenient(
        &self,
        path: &ObjectPath,
        field_manager: &str,
        object: &Value,
    ) -> Result<DryRunAnswer, ReadError> {
        self.written(Method::PATCH, &dry_run_path(path, field_manager).with_query("force", "true"), object).await
    }

    /// Returns the object at a path as it would be stored after server-side apply that takes over no fields. Unknown fields
    /// are an error, and so are fields of other managers.
    ///
    /// # Errors
    /// Fails when the server rejects the change, or does not respond.
    pub async fn dry_run_without_force(
        &self,
        path: &ObjectPath,
        field_manager: &str,
        object: &Value,
    ) -> Result<DryRunAnswer, ReadError> {
        let strictly = dry_run_path(path, field_manager).with_query("fieldValidation", "Strict");
        self.written(Method::PATCH, &strictly, object).await
    }

    async fn written(&self, method: Method, uri: &RequestPath, object: &Value) -> Result<DryRunAnswer, ReadError> {
        let name = object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        if !is_common_name(name) {
            return Err(ReadError::NotSent(format!("{} is not a valid name of an object", quote_value(name))));
        }
        let content = if method == Method::PATCH { APPLY } else { JSON };
        let request = Request::builder().method(method).uri(super::api::uri(uri)?);
        let request = request.header(ACCEPT, JSON).header(CONTENT_TYPE, content);
        let request =
            request.body(object.to_string().into_bytes()).map_err(|error| ReadError::Malformed(error.to_string()))?;
        let answer = self.send(&request, ResponseLimit::Object).await?;
        Ok(DryRunAnswer { object: parse(&answer.bytes)?, warnings: answer.warnings })
    }
}

/// Returns true if a name has only characters that names of objects have, RBAC's among them, which may be those of users.
/// Other characters have a meaning in a URL.
fn is_common_name(name: &str) -> bool {
    is_possible_name(name) && name.chars().all(is_name_character)
}

/// The request path of a dry run, with which nothing is stored.
fn dry_run_path(path: &ObjectPath, field_manager: &str) -> RequestPath {
    path.request().clone().with_query("dryRun", "All").with_query("fieldManager", field_manager)
}
