//! References of Flux to other clusters: `spec.kubeConfig` of Kustomizations and HelmReleases, in fluxcd/pkg's
//! `apis/meta/reference_types.go`. Flux keeps no list of clusters, so its registrations are the objects that are
//! referred to, and those that kubectl ucp created.

use std::collections::BTreeMap;

use secrecy::ExposeSecret as _;
use serde::Deserialize as _;
use serde_json::Value;

use crate::adopt::access::{AllowedHazards, AppClusterAccess, ClusterEndpoint, Verification};
use crate::adopt::distributor;
use crate::adopt::endpoint::plain_url;
use crate::adopt::holder::AccountHolder;
use crate::adopt::names::MANAGED_BY;
use crate::adopt::record::AdoptionRecord;
use crate::adopt::registration::{ArgoCdClusterSettings, Cloud, CloudIdentity, EngineLogin, Registration};
use ucp_core::failure::Failure;
use ucp_core::model::body::Body;
use ucp_core::model::body::flux::KubeConfig;
use ucp_core::model::body::secret::decode;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::metadata::Metadata;
use ucp_core::model::resource::Resource;

/// Flux's namespace, unless its own objects are elsewhere.
pub const DEFAULT_NAMESPACE: &str = "flux-system";
/// The label by which Flux watches a Secret, and so reacts to its changes at once.
pub const WATCH_LABEL: (&str, &str) = ("reconcile.fluxcd.io/watch", "Enabled");
/// The key that is used if a reference names none.
pub const KEY: &str = "value";
/// Keys that Flux tries if a reference names none.
const DEFAULT_KEYS: [&str; 2] = [KEY, "value.yaml"];

/// The target of `spec.kubeConfig` in a Kustomization or HelmRelease.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FluxClusterReference {
    /// A key of a Secret with a kubeconfig.
    Secret {
        /// Namespace of the Secret.
        namespace: String,
        /// Name of the Secret.
        name: String,
        /// Key in the Secret, if the reference names one.
        key: Option<String>,
    },
    /// A ConfigMap for workload identity.
    ConfigMap {
        /// Namespace of the ConfigMap.
        namespace: String,
        /// Name of the ConfigMap.
        name: String,
    },
}

impl FluxClusterReference {
    /// The reference of a Flux object; `None` if it deploys to its own cluster.
    pub fn from_resource(resource: &Resource) -> Option<Self> {
        let Body::Flux(flux) = &resource.body else { return None };
        let namespace = resource.metadata.namespace.clone().unwrap_or_default();
        match flux.spec.kube_config.as_ref()? {
            KubeConfig { secret_ref: Some(secret), .. } => {
                Some(Self::Secret { namespace, name: secret.name.clone(), key: secret.key.clone() })
            }
            KubeConfig { config_map_ref: Some(map), .. } => Some(Self::ConfigMap { namespace, name: map.name.clone() }),
            KubeConfig { secret_ref: None, config_map_ref: None } => None,
        }
    }

    /// The namespace of the Secret or ConfigMap.
    pub fn namespace(&self) -> &str {
        let (Self::Secret { namespace, .. } | Self::ConfigMap { namespace, .. }) = self;
        namespace
    }
}

/// Reads a Secret or ConfigMap as a registration, if kubectl ucp created it or one of the references points to it.
pub fn read(resource: &Resource, references: &[FluxClusterReference]) -> Option<Registration> {
    let metadata = &resource.metadata;
    let namespace = metadata.namespace.as_deref()?;
    let is_ours = metadata.label(MANAGED_BY.0) == Some(MANAGED_BY.1) && !distributor::is_registration(metadata);
    let (server, login) = match &resource.body {
        Body::Secret(secret) => {
            let wanted = references.iter().find_map(|reference| match reference {
                FluxClusterReference::Secret { namespace: space, name, key }
                    if space == namespace && *name == metadata.name =>
                {
                    Some(key.as_deref())
                }
                _ => None,
            });
            let ours = is_ours && DEFAULT_KEYS.iter().any(|key| secret.values.contains_key(*key));
            let key = match wanted {
                Some(key) => key,
                None if ours => None,
                None => return None,
            };
            let kubeconfig = keys(key).iter().find_map(|key| secret.values.get(*key)?.as_ref());
            match kubeconfig.map(|text| AppClusterAccess::from_kubeconfig(text.expose_secret(), None)) {
                Some(Ok(access)) => (Some(access.endpoint().server.clone()), EngineLogin::Static(Box::new(access))),
                Some(Err(reason)) => (None, EngineLogin::Unreadable(reason)),
                None => (None, EngineLogin::Unreadable("its kubeconfig is missing or redacted".into())),
            }
        }
        Body::ConfigMap(map) => {
            let is_referred_to = references.iter().any(|reference| {
                matches!(reference, FluxClusterReference::ConfigMap { namespace: space, name } if space == namespace && *name == metadata.name)
            });
            if !is_ours && !is_referred_to {
                return None;
            }
            identity(&map.values)
        }
        _ => return None,
    };
    let record = AdoptionRecord::read(metadata);
    let stem = metadata.name.strip_suffix("-kubeconfig").unwrap_or(&metadata.name).to_owned();
    Some(Registration {
        holder: AccountHolder::Engine(GitOps::Flux),
        object: resource.name(),
        name: record.as_ref().map_or(stem, |record| record.cluster.clone()),
        metadata: metadata.clone(),
        server,
        login,
        settings: ArgoCdClusterSettings::default(),
        record,
    })
}

/// Reads the access to a cluster from a Secret as the API server returns it.
///
/// # Errors
/// Fails when the key is missing or holds no kubeconfig. The error quotes nothing of it.
pub fn kubeconfig(secret: &Value, key: Option<&str>) -> Result<AppClusterAccess, Failure> {
    let data = secret.get("data");
    let found = keys(key).iter().find_map(|key| decode(data?.get(*key)?.as_str()?));
    let text = found.ok_or_else(|| format!("its Secret has no key '{}'", key.unwrap_or(KEY)))?;
    AppClusterAccess::from_kubeconfig(text.expose_secret(), None)
}

/// Returns the hazards that flags allowed when kubectl ucp created this Secret, as the API server returns it.
pub fn allowed(secret: &Value) -> Option<AllowedHazards> {
    let metadata = Metadata::deserialize(secret.get("metadata")?).ok()?;
    AdoptionRecord::read(&metadata).map(|record| record.allowed)
}

fn keys(named: Option<&str>) -> Vec<&str> {
    named.map_or(DEFAULT_KEYS.to_vec(), |key| vec![key])
}

fn identity(values: &BTreeMap<String, String>) -> (Option<String>, EngineLogin) {
    let value = |key: &str| values.get(key).map(|text| text.trim()).filter(|text| !text.is_empty()).map(str::to_owned);
    let cloud = value("provider").and_then(|name| Cloud::ALL.into_iter().find(|cloud| cloud.as_str() == name));
    let server = value("address").map(|address| address.trim_end_matches('/').to_owned());
    let Some(cloud) = cloud else {
        return (server, EngineLogin::Unreadable("its provider is not aws, azure or gcp".into()));
    };
    let checked = match server.as_deref().map(plain_url).transpose() {
        Ok(checked) => checked,
        Err(problem) => return (None, EngineLogin::Unreadable(format!("its address {problem}").into())),
    };
    let endpoint = checked.map(|server| ClusterEndpoint {
        server,
        authority: value("ca.crt"),
        server_name: None,
        verification: Verification::Full,
        proxy: None,
    });
    let cluster = value("cluster").unwrap_or_default();
    (server, EngineLogin::Identity(CloudIdentity { cloud, cluster, role: None, endpoint }))
}

/// `data` of the ConfigMap with which Flux logs in with the identity of its own pods.
pub fn identity_data(identity: &CloudIdentity) -> BTreeMap<String, String> {
    let mut data = BTreeMap::from([
        ("provider".to_owned(), identity.cloud.as_str().to_owned()),
        ("cluster".to_owned(), identity.cluster.clone()),
    ]);
    if let Some(endpoint) = &identity.endpoint {
        data.insert("address".to_owned(), endpoint.server.clone());
        data.extend(endpoint.authority.clone().map(|authority| ("ca.crt".to_owned(), authority)));
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adopt::kubeconfig::tests::kubeconfig as document;
    use base64::Engine as _;
    use serde_json::json;

    #[test]
    fn only_the_named_key_is_read() {
        let text = document("https://a.example.org", json!({}), json!({"token": "canary"}));
        let encoded = base64::engine::general_purpose::STANDARD.encode(text);
        let secret = json!({"data": {"value.yaml": encoded, "value": "canary, and no base64"}});
        let server = |key| kubeconfig(&secret, key).map(|access| access.endpoint().server.clone());
        assert_eq!(server(None), Ok("https://a.example.org".to_owned()));
        assert_eq!(server(Some("value.yaml")), Ok("https://a.example.org".to_owned()));
        assert_eq!(server(Some("admin.conf")), Err("its Secret has no key 'admin.conf'".into()));
    }
}
