//! What the server would make of a change. Every request of this module carries `dryRun=All`: the API server runs
//! admission, defaults and validation, and stores nothing. A deletion is never among them: Crossplane's webhook for Usages
//! heeds no `dryRun`, and with `replayDeletion` the object is deleted later.

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{Method, Request};
use serde_json::Value;

use super::api::{Api, JSON, ReadError};
use super::limit::AnswerLimit;
use super::write::ObjectPath;
use crate::model::request_path::RequestPath;

/// Server-side apply. The server takes JSON for YAML.
const APPLY: &str = "application/apply-patch+yaml";

/// How an object would be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Server-side apply, over what others own.
    Apply,
    /// The whole object is put in place of the one there is.
    Replace,
}

impl Api {
    /// What the object at a path would be after a change by a field manager. Unknown fields are an error.
    ///
    /// # Errors
    /// When the server will not take the change, or does not answer.
    pub async fn dry_run(
        &self,
        change: Change,
        path: &ObjectPath,
        field_manager: &str,
        object: &Value,
    ) -> Result<Value, ReadError> {
        let strictly = asking(path, field_manager).with("fieldValidation", "Strict");
        match change {
            Change::Apply => self.written(Method::PATCH, &strictly.with("force", "true"), object).await,
            Change::Replace => self.written(Method::PUT, &strictly, object).await,
        }
    }

    /// What the object at a path would be after server-side apply by another's controller, which does not mind fields
    /// that the server drops.
    ///
    /// # Errors
    /// When the server will not take the change, or does not answer.
    pub async fn dry_run_as(&self, path: &ObjectPath, field_manager: &str, object: &Value) -> Result<Value, ReadError> {
        self.written(Method::PATCH, &asking(path, field_manager).with("force", "true"), object).await
    }

    /// What server-side apply would make of the object at a path that takes nothing over from anybody. Unknown fields are an
    /// error, and so is what another field manager owns.
    ///
    /// # Errors
    /// When the server will not take the change, or does not answer.
    pub async fn dry_run_beside(
        &self,
        path: &ObjectPath,
        field_manager: &str,
        object: &Value,
    ) -> Result<Value, ReadError> {
        let strictly = asking(path, field_manager).with("fieldValidation", "Strict");
        self.written(Method::PATCH, &strictly, object).await
    }

    async fn written(&self, method: Method, uri: &RequestPath, object: &Value) -> Result<Value, ReadError> {
        let content = if method == Method::PATCH { APPLY } else { JSON };
        let request = Request::builder().method(method).uri(super::api::uri(uri)?);
        let request = request.header(ACCEPT, JSON).header(CONTENT_TYPE, content);
        let request =
            request.body(object.to_string().into_bytes()).map_err(|error| ReadError::Malformed(error.to_string()))?;
        let answer = self.send(&request, AnswerLimit::Object).await?;
        serde_json::from_slice(&answer).map_err(|error| ReadError::Malformed(error.to_string()))
    }

    /// The object at a path; `None` where there is none.
    ///
    /// # Errors
    /// When the server does not answer, or denies it.
    pub async fn read_object(&self, path: &ObjectPath) -> Result<Option<Value>, ReadError> {
        match self.get_within(path.request(), JSON, AnswerLimit::Object).await {
            Ok(body) => {
                serde_json::from_slice(&body).map(Some).map_err(|error| ReadError::Malformed(error.to_string()))
            }
            // A namespace that is not there is told like an object in one.
            Err(ReadError::NotFound | ReadError::Rejected { code: 404, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Where a change is asked about: nothing is stored there.
fn asking(path: &ObjectPath, field_manager: &str) -> RequestPath {
    path.request().clone().with("dryRun", "All").with("fieldManager", field_manager)
}
