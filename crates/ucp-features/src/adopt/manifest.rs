//! The manifests that an adoption writes, and their comparison with live objects.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value, json};

use crate::adopt::access::{AppClusterAccess, ClusterEndpoint};
use crate::adopt::argocd::{self, ConfigLogin};
use crate::adopt::candidate::CONNECTION;
use crate::adopt::credential::Credential;
use crate::adopt::holder::AccountHolder;
use crate::adopt::names::MANAGED_BY;
use crate::adopt::record::{Account, AdoptionRecord, OWNER};
use crate::adopt::registration::{ArgoCdClusterSettings, CloudIdentity};
use crate::adopt::request::Lifetime;
use crate::adopt::{distributor, flux};
use ucp_core::model::apply::FIELD_MANAGER;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::ObjectName;

/// The content of a registration.
#[derive(Debug, Clone)]
pub struct RegistrationContent {
    /// The holder that is registered.
    pub holder: AccountHolder,
    /// The Secret or ConfigMap to write.
    pub object: ObjectName,
    /// The cluster's name in the registration.
    pub name: String,
    /// The endpoint of the cluster.
    pub endpoint: ClusterEndpoint,
    /// The login of the engine.
    pub login: ContentLogin,
    /// Further settings of Argo CD.
    pub settings: ArgoCdClusterSettings,
    /// The record of the adoption, kept in annotations.
    pub record: AdoptionRecord,
    /// Labels that the user requested.
    pub labels: BTreeMap<String, String>,
    /// Annotations that the user requested.
    pub annotations: BTreeMap<String, String>,
}

/// The login of an engine, as its registration contains it.
#[derive(Debug, Clone)]
pub enum ContentLogin {
    /// A credential, with the endpoint it is for.
    Credential(AppClusterAccess),
    /// The cloud identity of the engine's own pods.
    Identity(CloudIdentity),
    /// A token that is inserted later: the reference to it in a template.
    Template(String),
    /// No login, for a manifest that is kept in Git.
    LeftOut,
}

impl RegistrationContent {
    /// The endpoint of the registration: for a credential only the endpoint that it is for.
    fn endpoint(&self) -> &ClusterEndpoint {
        match &self.login {
            ContentLogin::Credential(access) => access.endpoint(),
            _ => &self.endpoint,
        }
    }

    /// Returns the manifest for server-side apply.
    pub fn manifest(&self) -> Value {
        let mut labels = self.labels.clone();
        labels.insert(MANAGED_BY.0.to_owned(), MANAGED_BY.1.to_owned());
        let mut annotations = self.annotations.clone();
        annotations.extend(self.record.annotations());
        let label = match self.holder {
            AccountHolder::Engine(GitOps::ArgoCd) => argocd::LABEL,
            AccountHolder::Engine(GitOps::Flux) => flux::WATCH_LABEL,
            AccountHolder::Secrets => distributor::LABEL,
        };
        labels.insert(label.0.to_owned(), label.1.to_owned());
        let mut manifest = json!({
            "apiVersion": "v1",
            "kind": self.object.kind,
            "metadata": {
                "name": self.object.name,
                "namespace": self.object.namespace,
                "labels": labels,
                "annotations": annotations,
            },
        });
        if self.object.kind == "Secret" {
            manifest["type"] = json!("Opaque");
            let encode = |(key, text): (String, SecretString)| (key, json!(BASE64.encode(text.expose_secret())));
            manifest["data"] = Value::Object(self.values().into_iter().map(encode).collect());
        } else {
            let plain = |(key, text): (String, SecretString)| (key, json!(text.expose_secret()));
            manifest["data"] = Value::Object(self.values().into_iter().map(plain).collect());
        }
        manifest
    }

    /// The values of `data`, before encoding in base64.
    pub fn values(&self) -> BTreeMap<String, SecretString> {
        match self.holder {
            AccountHolder::Engine(GitOps::ArgoCd) => self.argocd_values(),
            AccountHolder::Engine(GitOps::Flux) => self.kubeconfig_values(flux::KEY),
            AccountHolder::Secrets => self.kubeconfig_values(distributor::KEY),
        }
    }

    fn argocd_values(&self) -> BTreeMap<String, SecretString> {
        let login = match &self.login {
            ContentLogin::Credential(access) => ConfigLogin::Credential(access.credential()),
            ContentLogin::Identity(identity) => ConfigLogin::Identity(identity),
            ContentLogin::Template(reference) => ConfigLogin::Token(reference),
            ContentLogin::LeftOut => ConfigLogin::LeftOut,
        };
        let mut values = BTreeMap::from([
            ("name".to_owned(), SecretString::from(self.name.clone())),
            ("server".to_owned(), SecretString::from(self.endpoint().server.clone())),
            ("config".to_owned(), argocd::config(self.endpoint(), &login)),
        ]);
        let mut set = |key: &str, value: Option<String>| {
            values.extend(value.map(|value| (key.to_owned(), SecretString::from(value))));
        };
        let settings = &self.settings;
        set("namespaces", Some(settings.namespaces.join(",")).filter(|list| !list.is_empty()));
        set("project", settings.project.clone());
        set("shard", settings.shard.map(|shard| shard.to_string()));
        values
    }

    fn kubeconfig_values(&self, key: &str) -> BTreeMap<String, SecretString> {
        let access = match &self.login {
            ContentLogin::Identity(identity) => {
                let data = flux::identity_data(identity);
                return data.into_iter().map(|(key, value)| (key, SecretString::from(value))).collect();
            }
            ContentLogin::Credential(access) => access.clone(),
            ContentLogin::Template(reference) => {
                let credential = Credential::token(SecretString::from(reference.clone()));
                AppClusterAccess::from_document(self.endpoint.clone(), credential)
            }
            ContentLogin::LeftOut => AppClusterAccess::without_credential(self.endpoint.clone()),
        };
        BTreeMap::from([(key.to_owned(), access.to_kubeconfig(&self.name))])
    }
}

/// Returns the objects of an engine's account in an app cluster, in the order of their creation. If the first one is
/// cluster-scoped, it owns the others, so that all are deleted with it.
pub fn account_manifests(account: &Account, lifetime: Lifetime) -> Vec<Value> {
    let name = &account.service_account;
    let mut manifests = account.grant.manifests(name);
    let service_account = json!({
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": { "name": name.name, "namespace": name.namespace, "labels": { MANAGED_BY.0: MANAGED_BY.1 } },
        // No pod runs with this account.
        "automountServiceAccountToken": false,
    });
    // After its owner, and before its bindings.
    let position = usize::from(is_cluster_wide(&manifests[0]));
    manifests.insert(position, service_account);
    manifests.push(token_manifest(account, lifetime));
    if let Some(owner) = &account.owner {
        manifests.iter_mut().for_each(|manifest| manifest["metadata"]["annotations"][OWNER] = json!(owner));
    }
    manifests
}

/// The Secret of a token. It holds a token without expiry, or a token with expiry is bound to it; deleting it revokes
/// the token.
fn token_manifest(account: &Account, lifetime: Lifetime) -> Value {
    let mut manifest = json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "Opaque",
        "metadata": {
            "name": account.token,
            "namespace": account.service_account.namespace,
            "labels": { MANAGED_BY.0: MANAGED_BY.1 },
            "annotations": { "kubernetes.io/service-account.name": account.service_account.name },
        },
    });
    if lifetime == Lifetime::Lasting {
        manifest["type"] = json!("kubernetes.io/service-account-token");
    }
    manifest
}

/// Returns a connection Secret in Crossplane's format.
pub fn connection_secret(object: &ObjectName, name: &str, access: &AppClusterAccess) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "type": CONNECTION,
        "metadata": {
            "name": object.name,
            "namespace": object.namespace,
            "labels": { MANAGED_BY.0: MANAGED_BY.1 },
        },
        "data": { "kubeconfig": BASE64.encode(access.to_kubeconfig(name).expose_secret()) },
    })
}

/// Returns true if an object is cluster-scoped.
pub fn is_cluster_wide(manifest: &Value) -> bool {
    manifest.pointer("/metadata/namespace").is_none()
}

/// Makes `owner` the owner of an object.
pub fn set_owner(manifest: &mut Value, owner: &Value) {
    manifest["metadata"]["ownerReferences"] = json!([{
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
    }]);
}

/// Returns true if a live object has all fields of a manifest.
pub fn has_all_fields(live: &Value, manifest: &Value) -> bool {
    match (live, manifest) {
        (Value::Object(live), Value::Object(manifest)) => {
            manifest.iter().all(|(key, wanted)| match (live.get(key), wanted) {
                (Some(known), wanted) => has_all_fields(known, wanted),
                (None, wanted) => wanted.is_null() || is_empty(wanted),
            })
        }
        // Other tools may add owner references; all other lists in our manifests are complete.
        (Value::Array(live), Value::Array(manifest)) => {
            live.len() >= manifest.len()
                && manifest.iter().all(|wanted| live.iter().any(|known| has_all_fields(known, wanted)))
                && (live.len() == manifest.len() || manifest.iter().all(|wanted| wanted.get("uid").is_some()))
        }
        (live, manifest) => live == manifest,
    }
}

fn is_empty(value: &Value) -> bool {
    matches!(value, Value::Object(fields) if fields.is_empty())
        || matches!(value, Value::Array(items) if items.is_empty())
}

/// Returns true if a live registration has all fields of the new one, and no further keys of Argo CD.
pub fn is_registration_current(live: &Value, manifest: &Value) -> bool {
    let (mut live, mut manifest) = (live.clone(), manifest.clone());
    let (mine, wanted) = (live["data"].take(), manifest["data"].take());
    let empty = Map::new();
    let (mine, wanted) = (mine.as_object().unwrap_or(&empty), wanted.as_object().unwrap_or(&empty));
    let is_known = |key: &str| ["namespaces", "project", "shard", "clusterResources"].contains(&key);
    has_all_fields(&live, &manifest)
        && wanted.iter().all(|(key, value)| mine.get(key).is_some_and(|known| is_same_text(known, value)))
        && mine.keys().all(|key| wanted.contains_key(key) || !is_known(key))
        && !has_stale_annotation(&live, &manifest)
}

/// Returns true if the live object has one of our annotations that the manifest does not have any more.
fn has_stale_annotation(live: &Value, manifest: &Value) -> bool {
    let of = |object: &Value| object.pointer("/metadata/annotations").and_then(Value::as_object).cloned();
    let (live, wanted) = (of(live).unwrap_or_default(), of(manifest).unwrap_or_default());
    live.keys().any(|key| key.starts_with("kubectl-ucp.io/") && !wanted.contains_key(key))
}

/// Adds the labels and annotations that kubectl ucp applied before to a manifest, as server-side apply would otherwise
/// remove them.
pub fn keep_applied_metadata(manifest: &mut Value, live: &Value) {
    for part in ["labels", "annotations"] {
        let ours = own_fields(live).filter_map(|fields| fields.pointer(&format!("/f:metadata/f:{part}"))?.as_object());
        let keys: Vec<String> =
            ours.flatten().filter_map(|(key, _)| Some(key.strip_prefix("f:")?.to_owned())).collect();
        for key in keys.into_iter().filter(|key| !key.starts_with("kubectl-ucp.io/")) {
            let value = live["metadata"][part][&key].clone();
            if let (Some(wanted), false) = (manifest["metadata"][part].as_object_mut(), value.is_null()) {
                wanted.entry(key).or_insert(value);
            }
        }
    }
}

/// The fields that belong to our field manager.
fn own_fields(live: &Value) -> impl Iterator<Item = &Value> {
    let managers = live.pointer("/metadata/managedFields").and_then(Value::as_array);
    managers.into_iter().flatten().filter(|entry| entry["manager"] == FIELD_MANAGER).map(|entry| &entry["fieldsV1"])
}

/// Returns true if two values in base64 are the same text, or the same JSON.
fn is_same_text(left: &Value, right: &Value) -> bool {
    let decode = |value: &Value| value.as_str().and_then(|text| BASE64.decode(text).ok());
    match (decode(left), decode(right)) {
        (Some(left), Some(right)) if left != right => {
            match (serde_json::from_slice::<Value>(&left), serde_json::from_slice::<Value>(&right)) {
                (Ok(left), Ok(right)) => left == right,
                _ => false,
            }
        }
        _ => left == right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_object_of_the_cluster_owns_the_rest() {
        let account = |grant: &str| Account {
            service_account: "kube-system/ucp".parse().unwrap(),
            grant: grant.parse().unwrap(),
            token: "ucp-token-1".into(),
            revoke: None,
            owner: None,
        };
        let kinds = |grant: &str| -> Vec<String> {
            let manifests = account_manifests(&account(grant), Lifetime::Lasting);
            manifests.iter().map(|manifest| manifest["kind"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(kinds("everything"), ["ClusterRole", "ServiceAccount", "ClusterRoleBinding", "Secret"]);
        assert_eq!(kinds("cluster-role/view"), ["ClusterRoleBinding", "ServiceAccount", "Secret"]);
        assert_eq!(kinds("read-only in a"), ["ServiceAccount", "Role", "RoleBinding", "Secret"]);
    }

    #[test]
    fn fields_that_others_add_are_not_a_difference() {
        let manifest = json!({"metadata": {"labels": {"a": "1"}}, "rules": [{"verbs": ["get"]}]});
        let live = json!({"metadata": {"labels": {"a": "1", "b": "2"}, "uid": "u"}, "rules": [{"verbs": ["get"]}]});
        assert!(has_all_fields(&live, &manifest));
        let more = json!({"metadata": {"labels": {"a": "1"}}, "rules": [{"verbs": ["get"]}, {"verbs": ["*"]}]});
        assert!(!has_all_fields(&more, &manifest));
    }
}
