//! Manifests of an adoption for Git: complete, but without the credential.

use secrecy::ExposeSecret as _;
use serde_json::{Map, Value, json};

use crate::adopt::manifest::{ContentLogin, RegistrationContent, account_manifests};
use crate::adopt::plan::{AccountPlan, ClusterAdoptionPlan, LoginPlan};
use crate::adopt::record::Account;

/// What stands for the credential in a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum CredentialManifest {
    /// Omitted: you add it by other means
    LeftOut,
    /// An ExternalSecret of the External Secrets Operator; the store has the token under the name of the cluster
    ExternalSecret,
    /// A SealedSecret; seal the token yourself with kubeseal --raw
    SealedSecret,
}

/// The reference to the token in a template of either operator.
const TOKEN: &str = "{{ .token }}";

/// The cluster to which a manifest belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ManifestCluster {
    /// The app cluster.
    App,
    /// The core cluster.
    Core,
}

/// Returns the manifests of a plan: first those for the app cluster, then those for the core cluster.
pub fn manifests(
    plan: &ClusterAdoptionPlan,
    credential: CredentialManifest,
    store: Option<&str>,
) -> Vec<(ManifestCluster, Value)> {
    let mut manifests = Vec::new();
    let mut content = plan.content.clone();
    content.login = match &plan.login {
        LoginPlan::Identity(identity) => ContentLogin::Identity(identity.clone()),
        LoginPlan::Passthrough(_) => ContentLogin::LeftOut,
        LoginPlan::ServiceAccount(wanted) => {
            let account = account(wanted);
            let there = account_manifests(&account, wanted.lifetime).into_iter();
            manifests.extend(there.map(|manifest| (ManifestCluster::App, manifest)));
            content.record.account = Some(account);
            match credential {
                CredentialManifest::LeftOut => ContentLogin::LeftOut,
                _ => ContentLogin::Template(TOKEN.to_owned()),
            }
        }
    };
    let manifest = match (&content.login, credential) {
        (ContentLogin::Template(_), CredentialManifest::ExternalSecret) => external_secret(&content, store),
        (ContentLogin::Template(_), CredentialManifest::SealedSecret) => sealed_secret(&content),
        _ => readable(&content),
    };
    manifests.push((ManifestCluster::Core, manifest));
    manifests
}

fn account(wanted: &AccountPlan) -> Account {
    let before = wanted.before.as_ref();
    Account {
        service_account: wanted.service_account.clone(),
        grant: wanted.grant.clone(),
        token: before.map_or_else(|| wanted.first_token(), |before| before.token.clone()),
        revoke: None,
        owner: Some(wanted.owner.clone()),
    }
}

/// The values in plain text, since none of them is a credential.
fn values(content: &RegistrationContent) -> Value {
    let values = content.values().into_iter().map(|(key, text)| (key, json!(text.expose_secret())));
    Value::Object(Map::from_iter(values))
}

fn readable(content: &RegistrationContent) -> Value {
    let mut manifest = content.manifest();
    let is_secret = manifest["kind"] == "Secret";
    if let (true, Some(fields)) = (is_secret, manifest.as_object_mut()) {
        fields.remove("data");
        fields.insert("stringData".to_owned(), values(content));
    }
    manifest
}

/// `ExternalSecret` of external-secrets.io/v1.
fn external_secret(content: &RegistrationContent, store: Option<&str>) -> Value {
    let manifest = content.manifest();
    json!({
        "apiVersion": "external-secrets.io/v1",
        "kind": "ExternalSecret",
        "metadata": { "name": content.object.name, "namespace": content.object.namespace },
        "spec": {
            "refreshInterval": "1h",
            "secretStoreRef": { "kind": "ClusterSecretStore", "name": store },
            "target": {
                "name": content.object.name,
                "template": {
                    "metadata": {
                        "labels": manifest["metadata"]["labels"],
                        "annotations": manifest["metadata"]["annotations"],
                    },
                    "data": values(content),
                },
            },
            "data": [{ "secretKey": "token", "remoteRef": { "key": content.name, "property": "token" } }],
        },
    })
}

/// `SealedSecret` of bitnami.com/v1alpha1. Only its controller's key can seal the token.
fn sealed_secret(content: &RegistrationContent) -> Value {
    let manifest = content.manifest();
    json!({
        "apiVersion": "bitnami.com/v1alpha1",
        "kind": "SealedSecret",
        "metadata": { "name": content.object.name, "namespace": content.object.namespace },
        "spec": {
            "encryptedData": { "token": "REPLACE with the output of kubeseal --raw" },
            "template": {
                "type": "Opaque",
                "metadata": {
                    "labels": manifest["metadata"]["labels"],
                    "annotations": manifest["metadata"]["annotations"],
                },
                "data": values(content),
            },
        },
    })
}
