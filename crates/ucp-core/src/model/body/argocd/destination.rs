//! Destinations of Applications.

use serde::Deserialize;

/// `spec.destination`: a cluster by name or by URL.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApplicationDestination {
    /// Name of a registered cluster.
    pub name: Option<String>,
    /// URL of its API server, without credentials.
    #[serde(deserialize_with = "crate::model::secrecy::optional_text")]
    pub server: Option<String>,
    /// Namespace for objects that do not specify one.
    pub namespace: Option<String>,
}

impl ApplicationDestination {
    /// Returns the name of the cluster, or else the URL of its API server.
    pub fn cluster(&self) -> Option<&str> {
        let names = [&self.name, &self.server].into_iter().filter_map(Option::as_deref);
        names.into_iter().find(|name| !name.is_empty())
    }

    /// Returns true if the destination is the cluster in which Argo CD runs.
    pub fn is_this_cluster(&self) -> bool {
        match (self.name.as_deref().unwrap_or(""), self.server.as_deref().unwrap_or("")) {
            ("", server) => server.is_empty() || server.starts_with("https://kubernetes.default.svc"),
            (name, _) => name == "in-cluster",
        }
    }
}
