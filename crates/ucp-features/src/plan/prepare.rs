//! The changes that engines make to objects between rendering and applying them: namespaces, labels, variables, and
//! skipped objects.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

use crate::plan::argo_settings::ArgoSettings;
use crate::plan::sops::is_encrypted;
use ucp_client::prediction::cluster::{ConnectedCluster, text_at};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::kind::ResourceScope;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_repo::manifests::deployment::{DecryptionMode, Deployment};
use ucp_repo::manifests::release_recipe::{CrdPolicy, HelmReleaseIdentity};
use ucp_repo::manifests::release_renderer::RenderRemarks;
use ucp_repo::manifests::substitution;

/// An object as its engine would apply it.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedObject {
    /// Its name and namespace.
    pub object: ObjectName,
    /// The manifest.
    pub manifest: Value,
    /// The syncs at which it is applied.
    pub when: ApplyTime,
}

/// The syncs at which an object is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplyTime {
    /// At each sync.
    Always,
    /// Only while the object does not exist.
    Absent,
    /// Only while the object does not exist; it is deleted when it is no longer declared.
    Creation,
    /// At each sync; it remains when it is no longer declared.
    Kept,
    /// Its content differs at each rendering, so the result is unknown.
    Unknown,
    /// At each sync, with content that only Flux can decrypt.
    Encrypted,
    /// It is declared, and not applied: an annotation excludes it, or it could not be prepared, which is listed.
    Never,
}

/// Scopes of the kinds that CRDs among the manifests define, by group and kind.
pub type PlannedScopes = HashMap<(String, String), ResourceScope>;

/// Returns the scopes of the kinds that the manifests define.
pub fn planned_scopes<'manifest>(manifests: impl IntoIterator<Item = &'manifest Value>) -> PlannedScopes {
    let crds = manifests.into_iter().filter(|manifest| text_at(manifest, "/kind") == "CustomResourceDefinition");
    crds.map(|crd| {
        let scope = if text_at(crd, "/spec/scope") == "Namespaced" {
            ResourceScope::Namespaced
        } else {
            ResourceScope::Cluster
        };
        ((text_at(crd, "/spec/group").to_owned(), text_at(crd, "/spec/names/kind").to_owned()), scope)
    })
    .collect()
}

/// The reason for objects that the API server would not read.
const INVALID_METADATA: &str = "its metadata is invalid";

/// The inputs for preparing a deployment's objects.
pub struct Preparation<'a> {
    /// The deployment.
    pub deployment: &'a Deployment,
    /// The cluster of its destination.
    pub cluster: &'a ConnectedCluster,
    /// Scopes of the kinds that the change adds.
    pub scopes: &'a PlannedScopes,
    /// Settings of the deployment's Argo CD.
    pub settings: &'a ArgoSettings,
    /// Variables that Flux substitutes.
    pub variables: &'a BTreeMap<String, String>,
}

impl Preparation<'_> {
    /// Returns every object that the engine would apply, by name, and those that could not be prepared, with the
    /// reason.
    pub fn prepare(&self, manifests: &[Value]) -> (BTreeMap<ObjectKey, PreparedObject>, Vec<(ObjectName, String)>) {
        let (mut prepared, mut failed) = (BTreeMap::new(), Vec::new());
        for manifest in manifests {
            let mut manifest = manifest.clone();
            let result = self.prepare_manifest(&mut manifest);
            if result.is_err() {
                self.set_namespace(&mut manifest);
            }
            let object = object_name_of(&manifest);
            match result {
                Err(reason) => {
                    // It is declared nevertheless, and must not look deleted.
                    let key = ObjectKey::from(&object);
                    let declared = PreparedObject { object: object.clone(), manifest, when: ApplyTime::Never };
                    prepared.entry(key).or_insert(declared);
                    failed.push((object, reason.into()));
                }
                Ok(None) => {}
                Ok(Some(when)) => {
                    prepared.insert(ObjectKey::from(&object), PreparedObject { object, manifest, when });
                }
            }
        }
        let namespace_of_release = self.deployment.release.as_ref().is_some_and(|release| release.creates_namespace);
        let creates_namespace =
            namespace_of_release || self.deployment.sync_options.iter().any(|option| option == "CreateNamespace=true");
        if let Some(namespace) = self.deployment.namespace.as_ref().filter(|_| creates_namespace) {
            let mut manifest = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
            let mut when = ApplyTime::Absent;
            if let Some(managed) = &self.deployment.namespace_metadata {
                let mut annotations = managed.annotations.clone();
                annotations.insert("argocd.argoproj.io/sync-options".to_owned(), "ServerSideApply=true".to_owned());
                manifest["metadata"]["labels"] = json!(managed.labels);
                manifest["metadata"]["annotations"] = json!(annotations);
                when = ApplyTime::Kept;
            }
            let object = object_name_of(&manifest);
            let made = PreparedObject { object, manifest, when };
            prepared.entry(ObjectKey::from(&made.object)).or_insert(made);
        }
        (prepared, failed)
    }

    /// Adds the CRDs of a chart's `crds` directory, and marks the objects whose content is unknown. Returns the CRDs that
    /// could not be prepared, with the reason.
    pub fn add_remarks(
        &self,
        remarks: &RenderRemarks,
        prepared: &mut BTreeMap<ObjectKey, PreparedObject>,
    ) -> Vec<(ObjectName, String)> {
        let mut failed = Vec::new();
        let is_replaced =
            self.deployment.release_recipe().is_some_and(|recipe| recipe.crds == CrdPolicy::CreateReplace);
        for manifest in &remarks.crds {
            if !has_sound_metadata(manifest) {
                failed.push((object_name_of(manifest), INVALID_METADATA.to_owned()));
                continue;
            }
            let mut manifest = manifest.clone();
            self.add_origin_labels(&mut manifest);
            let object = object_name_of(&manifest);
            let when = if is_replaced { ApplyTime::Kept } else { ApplyTime::Absent };
            prepared.insert(ObjectKey::from(&object), PreparedObject { object, manifest, when });
        }
        for (key, object) in prepared {
            let own = ObjectKey { namespace: None, ..key.clone() };
            if remarks.unstable.contains(key) || remarks.unstable.contains(&own) {
                object.when = ApplyTime::Unknown;
            }
        }
        failed
    }

    /// Adds the labels by which helm-controller marks the objects of a HelmRelease.
    fn add_origin_labels(&self, manifest: &mut Value) {
        let object = &self.deployment.object;
        let namespace = object.namespace.as_deref().unwrap_or_default();
        for (key, value) in [("name", object.name.as_str()), ("namespace", namespace)] {
            manifest["metadata"]["labels"][format!("helm.toolkit.fluxcd.io/{key}")] = json!(value);
        }
    }

    /// Adds the marks of helm-controller and Helm.
    fn add_release_marks(&self, manifest: &mut Value, release: &HelmReleaseIdentity) {
        self.add_common_metadata(manifest);
        self.add_origin_labels(manifest);
        manifest["metadata"]["labels"]["app.kubernetes.io/managed-by"] = json!("Helm");
        for (key, value) in [("name", &release.name), ("namespace", &release.namespace)] {
            manifest["metadata"]["annotations"][format!("meta.helm.sh/release-{key}")] = json!(value);
        }
    }

    fn add_common_metadata(&self, manifest: &mut Value) {
        let common = &self.deployment.common;
        for (place, entries) in [("labels", &common.labels), ("annotations", &common.annotations)] {
            for (key, value) in entries {
                manifest["metadata"][place][key.as_str()] = json!(value);
            }
        }
    }

    /// Turns a manifest into the one that is applied; `None` if the engine skips it.
    fn prepare_manifest(&self, manifest: &mut Value) -> Result<Option<ApplyTime>, Failure> {
        let deployment = self.deployment;
        if !has_sound_metadata(manifest) {
            return Err(INVALID_METADATA.into());
        }
        if deployment.post_build.is_some() {
            substitution::substitute(manifest, self.variables)?;
        }
        self.set_namespace(manifest);
        if text_at(manifest, "/metadata/name").is_empty() {
            return fail!("it has no name");
        }
        if deployment.decryption == DecryptionMode::On && is_encrypted(manifest) {
            return Ok(Some(ApplyTime::Encrypted));
        }
        let own = object_name_of(manifest);
        if let Some(policy) = &deployment.application_set {
            return Ok(Some(if policy.updates { ApplyTime::Always } else { ApplyTime::Creation }));
        }
        if let Some(release) = &deployment.release {
            self.add_release_marks(manifest, release);
            return Ok(Some(ApplyTime::Always));
        }
        if is_skipped(deployment.engine, manifest) {
            // Flux keeps it in its inventory, so that it is not pruned.
            return Ok((deployment.engine == GitOps::Flux).then_some(ApplyTime::Never));
        }
        match deployment.engine {
            GitOps::ArgoCd => {
                let id = format!(
                    "{}:{}/{}:{}/{}",
                    deployment.object.name,
                    own.group(),
                    own.kind,
                    own.namespace.as_deref().or(deployment.namespace.as_deref()).unwrap_or_default(),
                    own.name
                );
                manifest["metadata"]["annotations"]["argocd.argoproj.io/tracking-id"] = json!(id);
                if let Some(label) = &self.settings.instance_label {
                    manifest["metadata"]["labels"][label.as_str()] = json!(deployment.object.name);
                }
                Ok(Some(ApplyTime::Always))
            }
            GitOps::Flux => {
                let when = match annotation(manifest, "kustomize.toolkit.fluxcd.io/ssa") {
                    Some("IfNotPresent") => ApplyTime::Absent,
                    _ => ApplyTime::Always,
                };
                self.add_common_metadata(manifest);
                let namespace = deployment.object.namespace.as_deref().unwrap_or_default();
                for (key, value) in [("name", deployment.object.name.as_str()), ("namespace", namespace)] {
                    manifest["metadata"]["labels"][format!("kustomize.toolkit.fluxcd.io/{key}")] = json!(value);
                }
                Ok(Some(when))
            }
        }
    }

    fn set_namespace(&self, manifest: &mut Value) {
        let own = object_name_of(manifest);
        let key = (own.group().to_owned(), own.kind.clone());
        let known = self.cluster.preferred(&key.0, &key.1).map(|kind| kind.scope);
        let scope = known.or_else(|| self.scopes.get(&key).copied());
        set_namespace_by_scope(manifest, scope, || {
            self.deployment.namespace.as_deref().unwrap_or("default").to_owned()
        });
    }
}

/// Returns true if an engine does not apply a manifest as part of its state: a hook, or one that an annotation makes
/// Flux ignore.
pub fn is_skipped(engine: GitOps, manifest: &Value) -> bool {
    let says = |key: &str| annotation(manifest, key);
    match engine {
        GitOps::ArgoCd => says("argocd.argoproj.io/hook").is_some() || says("helm.sh/hook").is_some(),
        GitOps::Flux => {
            says("kustomize.toolkit.fluxcd.io/reconcile") == Some("disabled")
                || says("kustomize.toolkit.fluxcd.io/ssa") == Some("Ignore")
        }
    }
}

fn annotation<'a>(manifest: &'a Value, key: &str) -> Option<&'a str> {
    manifest.pointer("/metadata/annotations")?.get(key)?.as_str()
}

/// Sets a manifest's namespace by its kind's scope: none, its own, or the one that `meant` returns.
pub fn set_namespace_by_scope(manifest: &mut Value, scope: Option<ResourceScope>, meant: impl FnOnce() -> String) {
    let Some(metadata) = manifest.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    let is_open = metadata.get("namespace").and_then(Value::as_str).unwrap_or_default().is_empty();
    match scope {
        Some(ResourceScope::Cluster) => drop(metadata.remove("namespace")),
        Some(ResourceScope::Namespaced) if is_open => drop(metadata.insert("namespace".to_owned(), json!(meant()))),
        // For an unknown kind, only the manifest's own namespace is known.
        Some(ResourceScope::Namespaced) | None => {}
    }
}

/// Returns true if labels and annotations are objects or absent.
fn has_sound_metadata(manifest: &Value) -> bool {
    let is_map = |value: Option<&Value>| value.is_none_or(|value| value.is_object() || value.is_null());
    manifest.get("metadata").is_some_and(Value::is_object)
        && is_map(manifest.pointer("/metadata/labels"))
        && is_map(manifest.pointer("/metadata/annotations"))
}

/// Returns the name of a manifest's object.
pub fn object_name_of(manifest: &Value) -> ObjectName {
    let text = |pointer: &str| manifest.pointer(pointer).and_then(Value::as_str);
    ObjectName {
        api_version: text("/apiVersion").unwrap_or_default().to_owned(),
        kind: text("/kind").unwrap_or_default().to_owned(),
        namespace: text("/metadata/namespace").filter(|namespace| !namespace.is_empty()).map(str::to_owned),
        name: text("/metadata/name").unwrap_or_default().to_owned(),
    }
}
