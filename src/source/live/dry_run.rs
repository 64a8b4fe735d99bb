//! What the server would make of a change. Every request of this module carries `dryRun=All`: the API server runs
//! admission, defaults and validation, and stores nothing. A deletion is never among them: Crossplane's webhook for Usages
//! heeds no `dryRun`, and with `replayDeletion` the object is deleted later.

use http::Request;
use http::header::{ACCEPT, CONTENT_TYPE};
use serde_json::Value;

use super::api::{Api, JSON, ReadError};

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
        path: &str,
        field_manager: &str,
        object: &Value,
    ) -> Result<Value, ReadError> {
        let strictly = format!("{}&fieldValidation=Strict", uri(path, field_manager));
        match change {
            Change::Apply => self.written(Request::patch(format!("{strictly}&force=true")), APPLY, object).await,
            Change::Replace => self.written(Request::put(strictly), JSON, object).await,
        }
    }

    /// What the object at a path would be after server-side apply by another's controller, which does not mind fields
    /// that the server drops.
    ///
    /// # Errors
    /// When the server will not take the change, or does not answer.
    pub async fn dry_run_as(&self, path: &str, field_manager: &str, object: &Value) -> Result<Value, ReadError> {
        self.written(Request::patch(format!("{}&force=true", uri(path, field_manager))), APPLY, object).await
    }

    /// What server-side apply would make of the object at a path that takes nothing over from anybody. Unknown fields are an
    /// error, and so is what another field manager owns.
    ///
    /// # Errors
    /// When the server will not take the change, or does not answer.
    pub async fn dry_run_beside(&self, path: &str, field_manager: &str, object: &Value) -> Result<Value, ReadError> {
        let uri = format!("{}&fieldValidation=Strict", uri(path, field_manager));
        self.written(Request::patch(uri), APPLY, object).await
    }

    async fn written(
        &self,
        request: http::request::Builder,
        content: &str,
        object: &Value,
    ) -> Result<Value, ReadError> {
        let request = request.header(ACCEPT, JSON).header(CONTENT_TYPE, content);
        let request =
            request.body(object.to_string().into_bytes()).map_err(|error| ReadError::Malformed(error.to_string()))?;
        let answer = self.send(&request).await?;
        serde_json::from_slice(&answer).map_err(|error| ReadError::Malformed(error.to_string()))
    }

    /// The object at a path; `None` where there is none.
    ///
    /// # Errors
    /// When the server does not answer, or denies it.
    pub async fn read_object(&self, path: &str) -> Result<Option<Value>, ReadError> {
        match self.get(path, JSON).await {
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
fn uri(path: &str, field_manager: &str) -> String {
    format!("{path}?dryRun=All&fieldManager={field_manager}")
}
