//! A destination cluster: the kinds that it serves, and the paths of its objects.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::Value;

use crate::source::live::write::ObjectPath;
use crate::source::live::{self, api::Api};
use ucp_core::model::kind::ResourceKind;

/// A connected cluster.
pub struct ConnectedCluster {
    /// Name of the cluster; `None` for the core cluster.
    pub name: Option<String>,
    /// The connection to the cluster.
    pub api: Api,
    kinds: HashMap<(String, String), Arc<ResourceKind>>,
    /// Group, version and kind of everything that is served.
    versions: BTreeSet<(String, String, String)>,
}

impl ConnectedCluster {
    /// Reads the kinds that a cluster serves.
    ///
    /// # Errors
    /// Fails when it does not answer.
    pub async fn open(name: Option<String>, api: Api) -> Result<Self, String> {
        let found = live::kinds(&api).await.map_err(|error| error.to_string())?;
        let kinds = found.kinds.into_iter().map(|kind| ((kind.group.clone(), kind.kind.clone()), kind)).collect();
        Ok(Self { name, api, kinds, versions: found.versions })
    }

    /// Returns all kinds that it serves.
    pub fn kinds(&self) -> impl Iterator<Item = &Arc<ResourceKind>> {
        self.kinds.values()
    }

    /// Returns the kind of an object at the object's own version; `None` if the cluster does not serve the kind at this
    /// version.
    pub fn kind_of(&self, api_version: &str, kind: &str) -> Option<ResourceKind> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let known = self.kinds.get(&(group.to_owned(), kind.to_owned()))?;
        let served = (group.to_owned(), version.to_owned(), kind.to_owned());
        self.versions.contains(&served).then(|| ResourceKind { version: version.to_owned(), ..known.as_ref().clone() })
    }

    /// Returns the kind of a group, at the version that the group prefers.
    pub fn preferred(&self, group: &str, kind: &str) -> Option<&ResourceKind> {
        self.kinds.get(&(group.to_owned(), kind.to_owned())).map(AsRef::as_ref)
    }
}

/// Returns the path of an object of a kind.
pub fn path_of(kind: &ResourceKind, namespace: Option<&str>, name: &str) -> ObjectPath {
    ObjectPath::at(kind, namespace, name)
}

/// Returns a string field of an object; empty if it is absent.
pub fn text_at<'object>(object: &'object Value, pointer: &str) -> &'object str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ucp_core::model::kind::ResourceScope;

    #[test]
    fn a_name_cannot_lead_elsewhere() {
        let kind = ResourceKind {
            group: String::new(),
            version: "v1".into(),
            kind: "ConfigMap".into(),
            plural: "configmaps".into(),
            aliases: Vec::new(),
            scope: ResourceScope::Namespaced,
            categories: BTreeSet::new(),
            reporting: ucp_core::model::kind::StatusReporting::default(),
        };
        let path_of = |namespace, name| path_of(&kind, namespace, name).to_string();
        assert_eq!(path_of(Some("a"), "b"), "/api/v1/namespaces/a/configmaps/b");
        assert_eq!(path_of(Some("a"), "x?y"), "/api/v1/namespaces/a/configmaps/x%3Fy");
    }
}
