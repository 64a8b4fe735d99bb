//! Manifests for Git that declare copies, in the form each controller expects: names and references only, no values.

use serde_json::{Value, json};

use crate::adopt::cluster::AppCluster;
use crate::adopt::credential::Credential;
use crate::adopt::holder::AccountHolder;
use crate::adopt::names::{NamespacedName, SecretKeyName};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::git_ops::GitOps;

/// Kind of declaration to generate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum DeclarationForm {
    /// External Secrets' PushSecret, with a ClusterSecretStore for the cluster
    #[value(name = "pushsecret")]
    PushSecret,
    /// The manifest-syncer's Syncer
    Syncer,
    /// An Object of provider-kubernetes, with a ProviderConfig for the cluster
    Object,
}

/// Returns the manifests that declare a copy; those that give access to the cluster come first.
///
/// # Errors
/// Fails when this form cannot reach the cluster.
pub fn manifests(
    form: DeclarationForm,
    cluster: &AppCluster,
    source: &NamespacedName,
    target: &NamespacedName,
) -> Result<Vec<Value>, Failure> {
    match form {
        DeclarationForm::PushSecret => push_secret(cluster, source, target),
        DeclarationForm::Syncer => syncer(cluster, source, target),
        DeclarationForm::Object => object(cluster, source, target),
    }
}

/// Returns a Syncer. The manifest-syncer identifies clusters by their names in Argo CD, and a copy by the name of its
/// source. Two Syncers of the same name overwrite each other, so the name contains the source and the destination.
fn syncer(cluster: &AppCluster, source: &NamespacedName, target: &NamespacedName) -> Result<Vec<Value>, Failure> {
    let registration = cluster.registration(AccountHolder::Engine(GitOps::ArgoCd));
    let registration = registration.ok_or_else(|| format!("{} is not registered with Argo CD", cluster.name))?;
    if target.name != source.name {
        return fail!("a Syncer cannot rename a Secret");
    }
    Ok(vec![json!({
        "apiVersion": "dagandersen.com/v1",
        "kind": "Syncer",
        "metadata": {"name": name(cluster, source, target), "namespace": source.namespace},
        "spec": {"data": [{
            "kinds": "secret",
            "sourceName": source.name,
            "sourceNamespace": source.namespace,
            "targetCluster": registration.name,
            "targetNamespace": target.namespace,
        }]},
    })])
}

/// Returns a PushSecret with its store. Without `secretKey` and `property` it pushes the whole Secret and replaces the
/// existing one. The template drops type, labels, and annotations of the source, which would include tracking labels.
fn push_secret(cluster: &AppCluster, source: &NamespacedName, target: &NamespacedName) -> Result<Vec<Value>, Failure> {
    let kubeconfig = kubeconfig(cluster)?;
    let store = json!({
        "apiVersion": "external-secrets.io/v1",
        "kind": "ClusterSecretStore",
        "metadata": {"name": cluster.name},
        "spec": {"provider": {"kubernetes": {
            "remoteNamespace": target.namespace,
            "authRef": {"name": kubeconfig.name, "namespace": kubeconfig.namespace, "key": kubeconfig.key},
        }}},
    });
    let push = json!({
        "apiVersion": "external-secrets.io/v1alpha1",
        "kind": "PushSecret",
        "metadata": {"name": name(cluster, source, target), "namespace": source.namespace},
        "spec": {
            "refreshInterval": "10m",
            "secretStoreRefs": [{"kind": "ClusterSecretStore", "name": cluster.name}],
            "selector": {"secret": {"name": source.name}},
            "template": {"type": "Opaque"},
            "data": [{
                "match": {"remoteRef": {"remoteKey": target.name}},
                "metadata": {
                    "apiVersion": "kubernetes.external-secrets.io/v1alpha1",
                    "kind": "PushSecretMetadata",
                    "spec": {
                        "remoteNamespace": target.namespace,
                        "sourceMergePolicy": "Replace",
                        "targetMergePolicy": "Merge",
                    },
                },
            }],
        },
    });
    Ok(vec![store, push])
}

fn object(cluster: &AppCluster, source: &NamespacedName, target: &NamespacedName) -> Result<Vec<Value>, Failure> {
    let kubeconfig = kubeconfig(cluster)?;
    let config = json!({
        "apiVersion": "kubernetes.crossplane.io/v1alpha1",
        "kind": "ProviderConfig",
        "metadata": {"name": cluster.name},
        "spec": {"credentials": {"source": "Secret", "secretRef": {
            "namespace": kubeconfig.namespace, "name": kubeconfig.name, "key": kubeconfig.key,
        }}},
    });
    let object = json!({
        "apiVersion": "kubernetes.crossplane.io/v1alpha2",
        "kind": "Object",
        "metadata": {"name": name(cluster, source, target)},
        "spec": {
            "providerConfigRef": {"name": cluster.name},
            "references": [{
                "patchesFrom": {
                    "apiVersion": "v1", "kind": "Secret", "name": source.name, "namespace": source.namespace,
                    "fieldPath": "data",
                },
                "toFieldPath": "data",
            }],
            "forProvider": {"manifest": {
                "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
                "metadata": {"name": target.name, "namespace": target.namespace},
            }},
        },
    });
    Ok(vec![config, object])
}

/// Returns the Secret with the kubeconfig of the cluster. A kubeconfig with an exec plugin is rejected: the plugin
/// would run inside the controller.
fn kubeconfig(cluster: &AppCluster) -> Result<&SecretKeyName, Failure> {
    let candidate = cluster.candidate();
    let candidate =
        candidate.ok_or_else(|| format!("no Secret of the core cluster has a kubeconfig for {}", cluster.name))?;
    match &candidate.access {
        Err(reason) => fail!("Secret {}: {reason}", candidate.source),
        Ok(access) => match access.credential() {
            Credential::Exec(_) | Credential::AuthProvider => {
                fail!("the kubeconfig of Secret {} starts a program, which the controller would run", candidate.source)
            }
            Credential::File { .. } | Credential::None => {
                fail!("the kubeconfig of Secret {} contains no credential", candidate.source)
            }
            Credential::ClientCertificate { .. } | Credential::Token { .. } | Credential::Basic { .. } => {
                Ok(&candidate.source)
            }
        },
    }
}

/// Returns a deterministic name, unique per copy.
fn name(cluster: &AppCluster, source: &NamespacedName, target: &NamespacedName) -> String {
    let cluster: String =
        cluster.name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' }).collect();
    format!("{}.{}.{}", source.name, cluster.to_ascii_lowercase().trim_matches('-'), target.namespace)
}
