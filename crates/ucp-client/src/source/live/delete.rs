//! Deletion of exactly the object that was read. An object that was recreated since has another UID, and is not
//! deleted.

use serde::Serialize;
use serde_json::{Value, json};

use super::read_error::ReadError;
use super::write::{ApiWriter, ObjectPath};

/// The precondition of a deletion: `metav1.Preconditions`. The server compares and deletes in one step. No object has
/// an empty UID, so nothing is deleted with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Precondition {
    uid: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_version: Option<String>,
}

impl Precondition {
    /// Requires this UID, with any content.
    pub fn on_uid(uid: &str) -> Self {
        Self { uid: uid.to_owned(), resource_version: None }
    }

    /// Requires this UID and `resourceVersion`.
    pub fn on_version(uid: &str, version: &str) -> Self {
        Self { resource_version: Some(version.to_owned()), ..Self::on_uid(uid) }
    }

    /// Requires the object exactly as it was read, for deletions that a user confirms after seeing it.
    pub fn on_content(live: &Value) -> Self {
        let version = live.pointer("/metadata/resourceVersion").and_then(Value::as_str);
        Self::on_version(uid_of(live), version.unwrap_or_default())
    }

    /// Returns the required UID.
    pub fn uid(&self) -> &str {
        &self.uid
    }

    fn options(&self) -> String {
        json!({"propagationPolicy": "Background", "preconditions": self}).to_string()
    }
}

/// The UID of an object from the server; empty if it has none.
pub fn uid_of(live: &Value) -> &str {
    live.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or_default()
}

impl ApiWriter {
    /// Deletes an object and those that it owns, if it still meets the precondition. Succeeds if it does not exist any
    /// more. Retried while the server is busy, which the precondition makes safe.
    ///
    /// # Errors
    /// Returns the server's error; 409 if the object was replaced or changed.
    pub async fn delete_seen(&self, path: &ObjectPath, seen: &Precondition) -> Result<(), ReadError> {
        self.delete_with(path, seen.options()).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deletions_name_the_object_that_was_seen() {
        let live = json!({"metadata": {"uid": "u-1", "resourceVersion": "7"}});
        let options = |seen: Precondition| serde_json::from_str::<Value>(&seen.options()).unwrap();
        let expected =
            |preconditions: Value| json!({"propagationPolicy": "Background", "preconditions": preconditions});
        assert_eq!(options(Precondition::on_uid(uid_of(&live))), expected(json!({"uid": "u-1"})));
        let unchanged = expected(json!({"uid": "u-1", "resourceVersion": "7"}));
        assert_eq!(options(Precondition::on_content(&live)), unchanged);
        let of_nothing = options(Precondition::on_content(&json!({})));
        assert_eq!(of_nothing, expected(json!({"uid": "", "resourceVersion": ""})), "the server refuses these");
    }
}
