//! The objects of a cluster, by the path of their kind, with secrets hidden.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use jiff::Timestamp;
use serde_json::Value;

use super::custom_table::CustomTable;
use ucp_core::error::Result;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::secrecy::{SecretHider, scrub};
use ucp_core::model::state::{ClusterState, Unreadable};

/// A cluster whose objects are served.
#[derive(Debug)]
pub struct ServedCluster {
    /// By group, version and plural.
    pub(super) kinds: BTreeMap<(String, String, String), ServedKind>,
    /// The time of the state, to which ages refer.
    pub(super) moment: Timestamp,
    pub(super) server_version: String,
    /// The only namespace that was read; `None` if all were.
    pub(super) namespace: Option<String>,
}

/// A kind with its objects.
pub(super) struct ServedKind {
    pub(super) kind: Arc<ResourceKind>,
    /// In the order of a server's list.
    pub(super) objects: Vec<Value>,
    /// The reason why the objects could not be read.
    pub(super) unreadable: Option<String>,
    /// Single objects and files that could not be read, with the reasons.
    pub(super) missing: Vec<String>,
    /// The columns and schema that its definition gives.
    pub(super) custom: Option<CustomTable>,
}

impl std::fmt::Debug for ServedKind {
    /// Formats only the name: panics print values, and objects may hold secrets.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "ServedKind({})", self.kind.qualified_plural())
    }
}

impl ServedCluster {
    /// Takes the objects of a state in which each object is whole.
    ///
    /// # Errors
    /// Fails when the system provides no random numbers for hiding secrets.
    pub fn from_state(state: ClusterState) -> Result<Self> {
        let mut hider = SecretHider::new()?;
        let mut kinds = BTreeMap::new();
        let is_of_a_kind = |entry: &&Unreadable| state.kinds.iter().any(|kind| entry.is_of(kind));
        // Files that could not be read may have objects of any kind.
        let (of_kinds, of_any): (Vec<_>, Vec<_>) = state.unreadable.iter().partition(is_of_a_kind);
        let describe = |entry: &&Unreadable| format!("{}: {}", entry.what, scrub(&entry.reason));
        for kind in &state.kinds {
            let what = kind.qualified_plural();
            let objects = of_kinds.iter().filter(|entry| entry.is_of(kind) && entry.what != what);
            let unreadable = of_kinds.iter().find(|entry| entry.what == what);
            let served = ServedKind {
                kind: Arc::clone(kind),
                objects: Vec::new(),
                unreadable: unreadable.map(|entry| scrub(&entry.reason).into_owned()),
                missing: objects.chain(&of_any).map(describe).collect(),
                custom: None,
            };
            kinds.insert(path_of_kind(kind), served);
        }
        let (moment, namespace) = (state.moment, state.namespace.clone());
        let server_version = state.server_version.clone().unwrap_or_default();
        for resource in state.resources {
            let parts = resource.into_parts();
            let Some(served) = kinds.get_mut(&path_of_kind(&parts.kind)) else { continue };
            let Some(whole) = parts.whole else { continue };
            let mut object = Arc::unwrap_or_clone(whole);
            hider.hide_whole(&mut object);
            encode_secret_data(&mut object);
            served.objects.push(object);
        }
        let custom: Vec<_> = kinds
            .get(&("apiextensions.k8s.io".to_owned(), "v1".to_owned(), "customresourcedefinitions".to_owned()))
            .into_iter()
            .flat_map(|definitions| &definitions.objects)
            .flat_map(CustomTable::from_definition)
            .collect();
        for (path, table) in custom {
            if let Some(served) = kinds.get_mut(&path) {
                served.custom = Some(table);
            }
        }
        Ok(Self { kinds, moment, server_version, namespace })
    }

    /// Returns the number of objects.
    pub fn object_count(&self) -> usize {
        self.kinds.values().map(|kind| kind.objects.len()).sum()
    }

    /// Returns the only namespace that was read; `None` if all were.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }
}

fn path_of_kind(kind: &ResourceKind) -> (String, String, String) {
    (kind.group.clone(), kind.version.clone(), kind.plural.clone())
}

/// Encodes what stands for hidden values of a Secret, because clients decode them.
fn encode_secret_data(object: &mut Value) {
    if object.get("kind").and_then(Value::as_str) != Some("Secret") {
        return;
    }
    let data = object.get_mut("data").and_then(Value::as_object_mut);
    for value in data.into_iter().flat_map(|data| data.values_mut()) {
        if let Some(text) = value.as_str().filter(|text| BASE64.decode(text).is_err()) {
            *value = Value::from(BASE64.encode(text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hidden_values_of_secrets_can_be_decoded() {
        let mut secret = json!({"kind": "Secret", "data": {"a": "<hidden-01-3>", "b": "aGk="}});
        encode_secret_data(&mut secret);
        assert_eq!(secret["data"], json!({"a": BASE64.encode("<hidden-01-3>"), "b": "aGk="}));
    }
}
