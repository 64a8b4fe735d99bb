//! The document `Version`: the versions of this program and of the server.

use serde::Serialize;

use super::API_VERSION;
use ucp_core::engine::ENGINES;
use ucp_core::model::state::{ClusterState, Origin};

/// The document `Version`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VersionReport {
    /// Always [`API_VERSION`].
    pub api_version: &'static str,
    /// Always `Version`.
    pub kind: &'static str,
    /// The cluster; absent if none is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Origin>,
    /// The version of this program.
    pub client: ClientVersion,
    /// The version of the server; absent if it was not requested or did not respond.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerVersion>,
    /// The engines that run in the cluster, as far as their workloads could be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<EngineVersion>,
}

/// An engine that runs in the cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EngineVersion {
    /// The name of the engine.
    pub name: String,
    /// The version, known from its workloads.
    pub version: String,
}

/// The version of this program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientVersion {
    /// The version as a Git tag: `v1.2.3`.
    pub git_version: String,
    /// The commit it was built from; absent in a build that is not a release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_commit: Option<&'static str>,
    /// The build time in RFC 3339; absent in a build that is not a release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build_date: Option<&'static str>,
    /// The platform it runs on, as in the output of kubectl and the names of archives: `linux/amd64`.
    pub platform: String,
}

/// The version of the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerVersion {
    /// The `gitVersion` of its `/version`: `v1.36.0`.
    pub git_version: String,
}

impl ClientVersion {
    /// Returns the version of the running program. Releases set `UCP_COMMIT` and `UCP_BUILD_DATE` at build time.
    pub fn current() -> Self {
        let known = |value: Option<&'static str>| value.filter(|value| !value.is_empty());
        Self {
            git_version: concat!("v", env!("CARGO_PKG_VERSION")).to_owned(),
            git_commit: known(option_env!("UCP_COMMIT")),
            build_date: known(option_env!("UCP_BUILD_DATE")),
            platform: platform(std::env::consts::OS, std::env::consts::ARCH),
        }
    }
}

/// Returns the name that Go has for a platform.
fn platform(system: &str, architecture: &str) -> String {
    let system = if system == "macos" { "darwin" } else { system };
    let architecture = match architecture {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{system}/{architecture}")
}

impl VersionReport {
    /// Returns the document with the version of this program only.
    pub fn from_client(client: ClientVersion) -> Self {
        Self { api_version: API_VERSION, kind: "Version", source: None, client, server: None, engines: Vec::new() }
    }

    /// Adds the engines whose workloads are in the state.
    #[must_use]
    pub fn with_engines(mut self, state: &ClusterState) -> Self {
        let engines = ENGINES.iter().filter_map(|engine| {
            let version = engine.version(state)?;
            Some(EngineVersion { name: engine.name().to_owned(), version })
        });
        self.engines = engines.collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_have_the_names_of_archives() {
        assert_eq!(platform("macos", "aarch64"), "darwin/arm64");
        assert_eq!(platform("windows", "x86_64"), "windows/amd64");
    }
}
