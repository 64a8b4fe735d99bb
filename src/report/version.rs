//! The document `Version`: of this program, and of the server that it talks to.

use serde::Serialize;

use super::API_VERSION;
use crate::engine::ENGINES;
use crate::model::state::{ClusterState, Origin};

/// The document `Version`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Version {
    /// Always [`API_VERSION`].
    pub api_version: &'static str,
    /// Always `Version`.
    pub kind: &'static str,
    /// The cluster that was asked; absent where none is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Origin>,
    /// This program.
    pub client: Client,
    /// The server; absent where it was not asked or did not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerVersion>,
    /// The engines that run there, as far as their workloads could be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<EngineVersion>,
}

/// An engine that runs in the cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EngineVersion {
    /// Its name.
    pub name: String,
    /// Its version, as its workloads tell.
    pub version: String,
}

/// This program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Client {
    /// As a Git tag: `v1.2.3`.
    pub git_version: String,
    /// The commit it was built from; absent in a build that nobody released.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_commit: Option<&'static str>,
    /// When it was built, in RFC 3339; absent in a build that nobody released.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build_date: Option<&'static str>,
    /// What it runs on: `linux/x86_64`.
    pub platform: String,
}

/// The server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerVersion {
    /// `gitVersion` of its `/version`: `v1.36.0`.
    pub git_version: String,
}

impl Client {
    /// The running program. The release sets `UCP_COMMIT` and `UCP_BUILD_DATE` when it builds.
    pub fn this() -> Self {
        let known = |value: Option<&'static str>| value.filter(|value| !value.is_empty());
        Self {
            git_version: concat!("v", env!("CARGO_PKG_VERSION")).to_owned(),
            git_commit: known(option_env!("UCP_COMMIT")),
            build_date: known(option_env!("UCP_BUILD_DATE")),
            platform: format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }
}

impl Version {
    /// The version of this program alone.
    pub fn of(client: Client) -> Self {
        Self { api_version: API_VERSION, kind: "Version", source: None, client, server: None, engines: Vec::new() }
    }

    /// The same with the engines whose workloads a state has.
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
