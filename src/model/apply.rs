//! What writing to a cluster is about, whoever sends the requests.

use serde_json::Value;

use crate::model::object::ObjectName;

/// Who we are to the API server: the field manager of server-side apply.
pub const FIELD_MANAGER: &str = "kubectl-ucp";

/// What to do about fields that somebody else manages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflicts {
    /// They stay, and the write fails.
    Respect,
    /// They become ours: `--force-conflicts`.
    Force,
}

/// The name of an object that is about to be written.
pub fn name_of(object: &Value) -> ObjectName {
    let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    ObjectName {
        api_version: text("/apiVersion"),
        kind: text("/kind"),
        namespace: Some(text("/metadata/namespace")).filter(|namespace| !namespace.is_empty()),
        name: text("/metadata/name"),
    }
}
