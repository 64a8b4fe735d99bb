//! Schemas of CRDs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::sync::OnceCell;

use crate::schema::schema_in;
use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_client::source::live::write::ObjectPath;
use ucp_core::failure::Failure;
use ucp_core::model::kind::ResourceKind;

type CachedSchema = Arc<OnceCell<Result<Arc<Value>, Failure>>>;

/// Schemas of CRDs, each read once.
#[derive(Debug, Default)]
pub struct SchemaCache(Mutex<BTreeMap<(Option<String>, String), CachedSchema>>);

impl SchemaCache {
    /// Returns the schema of a kind at its version.
    ///
    /// # Errors
    /// Fails when its CRD cannot be read.
    pub async fn get(&self, cluster: &ConnectedCluster, kind: &ResourceKind) -> Result<Arc<Value>, Failure> {
        let name = kind.qualified_plural();
        let cell = {
            let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.entry((cluster.name.clone(), format!("{name} {}", kind.version))).or_default())
        };
        cell.get_or_init(|| async {
            let path = ObjectPath::of_definition(&name);
            let crd = cluster.api.read_object(&path).await?;
            let crd = crd.ok_or("it is not there")?;
            Ok(Arc::new(schema_in(&crd, &kind.version).cloned().unwrap_or_default()))
        })
        .await
        .clone()
    }
}
