//! Looks up kinds and names of a live cluster for interactive use: no objects, and only the usual retries.

use std::path::PathBuf;
use std::sync::Arc;

use kube::config::ExecInteractiveMode;
use serde::Deserialize;
use tokio::runtime::Runtime;

use super::api::{Api, parse};
use super::limit::ResponseLimit;
use super::{discover, remembered, runtime};
use crate::source::ConnectionArgs;
use crate::source::kubeconfig::{self, Connection};
use ucp_core::error::Result;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::request_path::RequestPath;
use ucp_core::model::state::Origin;

/// The media types to accept for a list of metadata only.
const METADATA: &str = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json";
/// Limit for the number of names, which is enough for a user to read.
const MOST: usize = 500;

/// A connection to look up names.
pub struct LookUp {
    runtime: Runtime,
    api: Api,
    connection: Connection,
    /// Directory of `--cache-dir`.
    cache: Option<PathBuf>,
}

impl LookUp {
    /// Prepares a connection. Credential plugins run non-interactively, as the terminal is in use.
    ///
    /// # Errors
    /// Fails when no cluster is configured, or its credentials are unusable.
    pub fn connect(flags: &ConnectionArgs) -> Result<Self> {
        let mut connection = kubeconfig::load(flags)?;
        if let Some(exec) = &mut connection.config.auth_info.exec {
            exec.interactive_mode = Some(ExecInteractiveMode::Never);
        }
        let runtime = runtime()?;
        let api = runtime.block_on(async { Api::connect(&connection, flags.request_timeout) })?;
        Ok(Self { runtime, api, connection, cache: flags.cache_dir.clone() })
    }

    /// Returns the kinds that can be listed.
    ///
    /// # Errors
    /// Fails when discovery fails.
    pub fn kinds(&self) -> Result<Vec<Arc<ResourceKind>>> {
        Ok(self.runtime.block_on(discover(&self.api, &self.connection))?.kinds)
    }

    /// Returns the kinds of the server from kubectl's cache, if it is recent enough. Sends no request.
    pub fn remembered_kinds(&self) -> Option<Vec<Arc<ResourceKind>>> {
        remembered::kinds(self.cache.as_deref(), &self.connection.server)
    }

    /// Returns `gitVersion` of the server's `/version`.
    ///
    /// # Errors
    /// Fails when the server does not respond.
    pub fn version(&self) -> Result<String> {
        let version = self.runtime.block_on(self.api.version());
        Ok(version.map_err(|error| error.to_server_error(&self.connection.server))?.git_version)
    }

    /// The origin with the context and server.
    pub fn origin(&self) -> Origin {
        super::origin(&self.connection)
    }

    /// Returns the names in several collections, with concurrent requests. Collections that cannot be read are left
    /// out.
    pub fn all_names(&self, paths: &[RequestPath]) -> Vec<String> {
        let all = paths.iter().map(|path| self.names_at(path.clone()));
        self.runtime.block_on(futures::future::join_all(all)).into_iter().flatten().flatten().collect()
    }

    /// Returns the names in the collection at a path, at most 500.
    ///
    /// # Errors
    /// Fails when it cannot be read.
    pub fn names(&self, path: impl Into<RequestPath>) -> Result<Vec<String>> {
        self.runtime.block_on(self.names_at(path.into()))
    }

    async fn names_at(&self, path: RequestPath) -> Result<Vec<String>> {
        #[derive(Deserialize)]
        struct NameList {
            items: Vec<NameListItem>,
        }
        #[derive(Deserialize)]
        struct NameListItem {
            metadata: NameMetadata,
        }
        #[derive(Deserialize)]
        struct NameMetadata {
            name: String,
        }
        let path = path.with_query("limit", &MOST.to_string());
        let list: NameList = parse(&self.api.get(path, METADATA, ResponseLimit::Page).await?)?;
        Ok(list.items.into_iter().map(|item| item.metadata.name).collect())
    }
}
