//! Kinds and version of a cluster, as charts see them.

use std::collections::BTreeSet;

use tokio::process::Command;

/// Kinds and version of a cluster, as charts see them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClusterCapabilities {
    /// The version of the server.
    pub version: String,
    /// `group/version` and `group/version/kind` of everything that it serves.
    pub api_versions: BTreeSet<String>,
}

impl ClusterCapabilities {
    /// Adds the flags of `helm template`.
    pub fn add_flags(&self, command: &mut Command) {
        if !self.version.is_empty() {
            command.arg(format!("--kube-version={}", self.version));
        }
        command.args(self.api_versions.iter().map(|version| format!("--api-versions={version}")));
    }
}
