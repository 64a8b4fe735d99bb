//! Writes the objects of a snapshot as they are there.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, anyhow};
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{Api, ApiResource, DeleteParams, DynamicObject, Patch, PatchParams};
use kube::core::discovery::{ApiCapabilities, Scope};
use kube::core::{GroupVersionKind, TypeMeta};
use kube::discovery::Discovery;
use kube::{Client, ResourceExt as _};
use serde_json::{Value, json};

use super::super::eventually;
use super::FIELD_MANAGER;
use super::manifests::{Identity, text};

/// Fields that the API server sets, and refuses or ignores from others.
const SERVER_FIELDS: [&str; 8] = [
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "generation",
    "managedFields",
    "selfLink",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
];

/// A client that knows the kinds of a snapshot.
pub struct Writer {
    client: Client,
    kinds: BTreeMap<(String, String), (ApiResource, ApiCapabilities)>,
}

impl Writer {
    /// Waits until the API server has discovered the kinds of all objects.
    pub async fn new(client: &Client, objects: &[Value]) -> Result<Self> {
        let wanted: BTreeSet<_> = objects.iter().map(kind_of).collect();
        let kinds = eventually(async || {
            let discovery = Discovery::new(client.clone()).run_aggregated().await.ok()?;
            let found = wanted.iter().map(|kind| {
                let types = TypeMeta { api_version: kind.0.clone(), kind: kind.1.clone() };
                let resolved = discovery.resolve_gvk(&GroupVersionKind::try_from(types).ok()?)?;
                Some((kind.clone(), resolved))
            });
            found.collect()
        })
        .await;
        Ok(Self { client: client.clone(), kinds })
    }

    /// Makes the namespaces that the objects are in.
    pub async fn create_namespaces(&self, objects: &[Value]) -> Result<()> {
        let names: BTreeSet<String> = objects.iter().map(|object| text(&object["metadata"]["namespace"])).collect();
        let api = Api::<Namespace>::all(self.client.clone());
        for name in names.iter().filter(|name| !name.is_empty()) {
            let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
            api.patch(name, &apply(), &Patch::Apply(&namespace)).await?;
        }
        Ok(())
    }

    /// Writes one object; its identity and its new uid.
    pub async fn write(&self, object: Value) -> Result<(Identity, String)> {
        let identity = Identity::of(&object);
        let uid = self.write_parts(object).await.with_context(|| format!("{identity} is not written"))?;
        Ok((identity, uid))
    }

    async fn write_parts(&self, mut object: Value) -> Result<String> {
        let (resource, capabilities) = &self.kinds[&kind_of(&object)];
        let name = text(&object["metadata"]["name"]);
        let api: Api<DynamicObject> = match capabilities.scope {
            Scope::Cluster => Api::all_with(self.client.clone(), resource),
            Scope::Namespaced => {
                let namespace = text(&object["metadata"]["namespace"]);
                Api::namespaced_with(self.client.clone(), &namespace, resource)
            }
        };
        let deleted = object["metadata"]["deletionTimestamp"].is_string();
        // A deletion is a generation too.
        let writes = object["metadata"]["generation"].as_u64().unwrap_or(1).saturating_sub(u64::from(deleted));
        let fields = object.as_object_mut().context("no object")?;
        let metadata = fields.get_mut("metadata").and_then(Value::as_object_mut).context("no metadata")?;
        for field in SERVER_FIELDS {
            metadata.remove(field);
        }
        let has_status = capabilities.subresources.iter().any(|(one, _)| one.plural.ends_with("status"));
        let status = if has_status { fields.remove("status") } else { None };

        if has_status && fields.get("spec").is_some_and(Value::is_object) {
            // Any change of the spec is a generation; the last one removes the field again.
            for number in 1..writes {
                let mut earlier = object.clone();
                earlier["spec"]["generationBefore"] = json!(number);
                api.patch(&name, &apply(), &Patch::Apply(&earlier)).await?;
            }
        }
        let written = api.patch(&name, &apply(), &Patch::Apply(&object)).await?;
        if let Some(status) = status {
            let object = json!({
                "apiVersion": object["apiVersion"], "kind": object["kind"],
                "metadata": {"name": name}, "status": status,
            });
            api.patch_status(&name, &apply(), &Patch::Apply(&object)).await?;
        }
        if deleted {
            api.delete(&name, &DeleteParams::default()).await?;
        }
        written.uid().ok_or_else(|| anyhow!("no uid"))
    }
}

fn kind_of(object: &Value) -> (String, String) {
    (text(&object["apiVersion"]), text(&object["kind"]))
}

fn apply() -> PatchParams {
    PatchParams::apply(FIELD_MANAGER).force()
}
