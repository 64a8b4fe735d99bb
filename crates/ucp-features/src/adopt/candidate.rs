//! Secrets to which provisioners write access to the clusters that they create.

use secrecy::ExposeSecret as _;

use crate::adopt::access::AppClusterAccess;
use crate::adopt::argocd;
use crate::adopt::names::{MANAGED_BY, SecretKeyName};
use crate::adopt::provisioner::{Provisioner, ProvisionerRank, ServerKinds};
use ucp_core::failure::{Failure, FailureClass, fail};
use ucp_core::model::body::Body;
use ucp_core::model::body::secret::Secret;
use ucp_core::model::metadata::Metadata;
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;

/// A Secret that may hold credentials of a cluster.
#[derive(Debug, Clone)]
pub struct AccessCandidate {
    /// The Secret and key that hold the kubeconfig.
    pub source: SecretKeyName,
    /// The Secret's metadata.
    pub metadata: Metadata,
    /// The Secret's name without the prefix or suffix that its provisioner adds.
    pub name: String,
    /// The object that created the cluster.
    pub provisioner: Option<Provisioner>,
    /// The access in the Secret, or the reason why it cannot be read.
    pub access: Result<AppClusterAccess, Failure>,
}

/// Type of Crossplane's connection Secrets: `resource.SecretTypeConnection` in crossplane-runtime.
pub const CONNECTION: &str = "connection.crossplane.io/v1alpha1";
/// Type of Cluster API's Secrets: `ClusterSecretType` in `api/core/v1beta1/cluster_types.go`.
const CLUSTER_API: &str = "cluster.x-k8s.io/secret";
const CLUSTER_API_NAME: &str = "cluster.x-k8s.io/cluster-name";
const COMPOSITE: &str = "crossplane.io/composite";

/// Reads a Secret as a candidate; `None` if it does not look like one.
///
/// `clusters` are the resources of the core cluster that represent clusters.
pub fn read(resource: &Resource, clusters: &[&Resource], kinds: &ServerKinds) -> Option<AccessCandidate> {
    let Body::Secret(secret) = &resource.body else { return None };
    let metadata = &resource.metadata;
    let is_registration = metadata.label(argocd::LABEL.0) == Some(argocd::LABEL.1);
    if is_registration || metadata.label(MANAGED_BY.0) == Some(MANAGED_BY.1) && secret.kind != CONNECTION {
        return None;
    }
    let namespace = metadata.namespace.clone()?;
    let writer = clusters.iter().find(|cluster| writes_to(cluster, &namespace, &metadata.name));
    let owner = || match writer {
        Some(cluster) => Provisioner::from_resource(cluster),
        None => owner_of(resource, clusters, kinds),
    };
    let (key, name, provisioner) = if secret.kind == CLUSTER_API && secret.values.contains_key("value") {
        let stem = metadata.name.strip_suffix("-kubeconfig")?;
        let name = metadata.label(CLUSTER_API_NAME).unwrap_or(stem).to_owned();
        ("value", name.clone(), Some(cluster_api(&namespace, name, clusters)))
    } else if let Some(name) = metadata.name.strip_prefix("vc-").filter(|_| secret.values.contains_key("config")) {
        ("config", name.to_owned(), Some(vcluster(&namespace, name)))
    } else if secret.values.contains_key("kubeconfig") {
        ("kubeconfig", metadata.name.clone(), owner().or_else(|| composite(resource)))
    } else if secret.kind == CONNECTION && writer.is_some() {
        // The writer is a cluster, so a kubeconfig is expected. An EKS Cluster alone writes none.
        ("kubeconfig", metadata.name.clone(), owner())
    } else {
        return None;
    };
    let source = SecretKeyName { namespace, name: metadata.name.clone(), key: key.to_owned() };
    Some(AccessCandidate { access: access(secret, key), source, metadata: metadata.clone(), name, provisioner })
}

fn access(secret: &Secret, key: &str) -> Result<AppClusterAccess, Failure> {
    match secret.values.get(key) {
        Some(Some(text)) if text.expose_secret().trim().is_empty() => fail!("its kubeconfig is empty"),
        Some(Some(text)) => AppClusterAccess::from_kubeconfig(text.expose_secret(), None),
        Some(None) => Err(Failure::new(FailureClass::Unreadable, "its kubeconfig is redacted or not text")),
        None => fail!("its connection Secret contains no kubeconfig"),
    }
}

fn writes_to(cluster: &Resource, namespace: &str, name: &str) -> bool {
    Provisioner::from_resource(cluster)
        .and_then(|provisioner| provisioner.connection_secret)
        .is_some_and(|secret| secret.name == name && secret.namespace == namespace)
}

/// The owner of a Secret: a cluster that was read, or else the fields of the owner reference.
fn owner_of(resource: &Resource, clusters: &[&Resource], kinds: &ServerKinds) -> Option<Provisioner> {
    let owner = resource.metadata.controller()?;
    let read = clusters.iter().find(|cluster| cluster.metadata.uid == owner.uid && !owner.uid.is_empty());
    match read {
        Some(cluster) => Provisioner::from_resource(cluster),
        None => Provisioner::owner(resource, kinds),
    }
}

/// A Secret from a composition has its composite's name in a label, but not its kind.
fn composite(resource: &Resource) -> Option<Provisioner> {
    let name = resource.metadata.label(COMPOSITE)?;
    let owner = resource.metadata.owner_references.first()?;
    let object = ObjectName {
        api_version: owner.api_version.to_string(),
        kind: owner.kind.to_string(),
        namespace: None,
        name: name.to_owned(),
    };
    Some(Provisioner::named(object, ProvisionerRank::Composite))
}

fn cluster_api(namespace: &str, name: String, clusters: &[&Resource]) -> Provisioner {
    let known = clusters.iter().find(|cluster| {
        cluster.kind.group == "cluster.x-k8s.io"
            && cluster.metadata.name == name
            && cluster.metadata.namespace.as_deref() == Some(namespace)
    });
    known.and_then(|cluster| Provisioner::from_resource(cluster)).unwrap_or_else(|| {
        let object = ObjectName {
            api_version: "cluster.x-k8s.io/v1beta1".to_owned(),
            kind: "Cluster".to_owned(),
            namespace: Some(namespace.to_owned()),
            name,
        };
        Provisioner::named(object, ProvisionerRank::Managed)
    })
}

/// The StatefulSet of a vcluster has the same name.
fn vcluster(namespace: &str, name: &str) -> Provisioner {
    let object = ObjectName {
        api_version: "apps/v1".to_owned(),
        kind: "StatefulSet".to_owned(),
        namespace: Some(namespace.to_owned()),
        name: name.to_owned(),
    };
    Provisioner::named(object, ProvisionerRank::Managed)
}
