//! Provisioners of clusters: a managed resource, a composite or claim, Cluster API or vcluster.

use std::collections::BTreeMap;

use crate::adopt::kubeconfig::pem;
use crate::adopt::names::NamespacedName;
use crate::adopt::registration::{Cloud, CloudIdentity};
use ucp_core::engine::ListedNames;
use ucp_core::model::body::Body;
use ucp_core::model::kind::{ResourceKind, ResourceScope};
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// The object from which a cluster was created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provisioner {
    /// The object that represents the cluster.
    pub object: ObjectName,
    /// The rank of the object. The one nearest to the cluster has the latest credential.
    pub rank: ProvisionerRank,
    /// The connection Secret for its kubeconfig, `namespace/name`.
    pub connection_secret: Option<NamespacedName>,
    /// Address of the API server as the cloud reports it.
    pub endpoint: Option<String>,
    /// Its certificate authority as the cloud reports it, in PEM.
    pub authority: Option<String>,
    /// The cloud's identifier of the cluster.
    pub cloud_id: Option<String>,
}

/// Distance of an object from the cluster, nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProvisionerRank {
    /// A managed resource, or its equivalent in other engines.
    Managed,
    /// A composite, whose Secret is a copy.
    Composite,
    /// A claim, whose Secret is a copy of the copy.
    Claim,
}

/// Kinds that represent clusters, by group and kind. Upjet has both `container.gcp.upbound.io` and, for namespaced
/// resources, `container.gcp.m.upbound.io`.
const CLUSTERS: [(&str, &str); 15] = [
    ("container.gcp.crossplane.io", "Cluster"),
    ("container.gcp.upbound.io", "Cluster"),
    ("container.gcp.m.upbound.io", "Cluster"),
    ("eks.aws.crossplane.io", "Cluster"),
    ("eks.aws.upbound.io", "Cluster"),
    ("eks.aws.m.upbound.io", "Cluster"),
    ("containerservice.azure.upbound.io", "KubernetesCluster"),
    ("containerservice.azure.m.upbound.io", "KubernetesCluster"),
    ("compute.azure.crossplane.io", "AKSCluster"),
    ("kubernetes.do.crossplane.io", "DOKubernetesCluster"),
    ("cluster.civo.crossplane.io", "CivoKubernetes"),
    ("cluster.x-k8s.io", "Cluster"),
    ("container.cnrm.cloud.google.com", "ContainerCluster"),
    ("eks.services.k8s.aws", "Cluster"),
    ("containerservice.azure.com", "ManagedCluster"),
];

/// The same kinds as groups and plurals, for RBAC.
pub fn resources() -> impl Iterator<Item = (&'static str, &'static str)> {
    CLUSTERS.into_iter().map(|(group, kind)| {
        let resource = match kind {
            "KubernetesCluster" => "kubernetesclusters",
            "AKSCluster" => "aksclusters",
            "DOKubernetesCluster" => "dokubernetesclusters",
            "CivoKubernetes" => "civokuberneteses",
            "ContainerCluster" => "containerclusters",
            "ManagedCluster" => "managedclusters",
            _ => "clusters",
        };
        (group, resource)
    })
}

/// Returns true if objects of a kind represent clusters.
pub fn is_cluster(kind: &ResourceKind) -> bool {
    CLUSTERS.contains(&(kind.group.as_str(), kind.kind.as_str()))
}

impl Provisioner {
    /// Reads the provisioner from a resource that represents a cluster; `None` for others.
    pub fn from_resource(resource: &Resource) -> Option<Self> {
        let Body::ProvisionedCluster(body) = &resource.body else { return None };
        Some(Self {
            object: resource.name(),
            rank: ProvisionerRank::Managed,
            connection_secret: body.connection_secret.as_ref().map(|secret| NamespacedName {
                // A namespaced managed resource writes to its own namespace.
                namespace: secret.namespace.clone().or(resource.metadata.namespace.clone()).unwrap_or_default(),
                name: secret.name.clone(),
            }),
            endpoint: body.endpoint.clone(),
            authority: body.authority.as_deref().and_then(pem),
            cloud_id: body.cloud_id.clone(),
        })
    }

    /// A provisioner of which only the name is known.
    pub fn named(object: ObjectName, rank: ProvisionerRank) -> Self {
        Self { object, rank, connection_secret: None, endpoint: None, authority: None, cloud_id: None }
    }

    /// The owner of a Secret, as far as its kind is known.
    pub fn owner(secret: &Resource, kinds: &ServerKinds) -> Option<Self> {
        let owner = secret.metadata.controller()?;
        let group = owner.api_version.split_once('/').map_or("", |(group, _)| group);
        let known = kinds.facts.get(&(group.to_owned(), owner.kind.to_string()));
        let rank = match known.map(|facts| facts.rank) {
            Some(Some(rank)) => rank,
            _ => ProvisionerRank::Managed,
        };
        let namespaced = known.is_some_and(|facts| facts.scope == ResourceScope::Namespaced);
        let object = ObjectName {
            api_version: owner.api_version.to_string(),
            kind: owner.kind.to_string(),
            namespace: secret.metadata.namespace.clone().filter(|_| namespaced),
            name: owner.name.to_string(),
        };
        Some(Self::named(object, rank))
    }

    /// The cloud's identity of the cluster, for engines that log in with a cloud identity.
    pub fn identity(&self, cloud: Cloud) -> Option<CloudIdentity> {
        let id = self.cloud_id.as_deref();
        let cluster = match cloud {
            Cloud::Aws => id.filter(|id| id.starts_with("arn:"))?.to_owned(),
            Cloud::Azure => id.filter(|id| id.to_ascii_lowercase().contains("/managedclusters/"))?.to_owned(),
            // A self link contains the path that Google's API accepts; old ones have zones in place of locations.
            Cloud::Gcp => {
                let id = id?;
                let path = &id[id.find("projects/")?..];
                path.replace("/zones/", "/locations/").replace("/regions/", "/locations/")
            }
        };
        Some(CloudIdentity { cloud, cluster, role: None, endpoint: None })
    }
}

/// The kinds that a server has, with the facts that rank provisioners.
#[derive(Debug, Default)]
pub struct ServerKinds {
    facts: BTreeMap<(String, String), KindFacts>,
    listed: ListedNames,
}

#[derive(Debug)]
struct KindFacts {
    scope: ResourceScope,
    rank: Option<ProvisionerRank>,
}

impl ServerKinds {
    /// Returns the kinds that the server of a state lists, or the snapshot contains.
    pub fn of_state(state: &ClusterState) -> Self {
        let mut kinds = Self::default();
        state.listed.iter().for_each(|kind| kinds.note(kind));
        kinds
    }

    /// Adds a kind.
    fn note(&mut self, kind: &ResourceKind) {
        let rank = [
            ("managed", ProvisionerRank::Managed),
            ("composite", ProvisionerRank::Composite),
            ("claim", ProvisionerRank::Claim),
        ]
        .into_iter()
        .find_map(|(category, rank)| kind.in_category(category).then_some(rank));
        self.facts.insert((kind.group.clone(), kind.kind.clone()), KindFacts { scope: kind.scope, rank });
        self.listed.add(kind);
    }

    /// Returns the names of all groups and kinds.
    pub fn listed(&self) -> &ListedNames {
        &self.listed
    }

    /// Returns true if the server has a kind.
    pub fn has(&self, group: &str, kind: &str) -> bool {
        self.facts.contains_key(&(group.to_owned(), kind.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_have_the_names_of_their_clouds() {
        let named = |id: &str| Provisioner {
            cloud_id: Some(id.to_owned()),
            ..Provisioner::named(
                ObjectName { api_version: "v1".into(), kind: "Cluster".into(), namespace: None, name: "c".into() },
                ProvisionerRank::Managed,
            )
        };
        let link = "https://container.googleapis.com/v1/projects/quotes-demo/zones/europe-west9-a/clusters/prod";
        assert_eq!(
            named(link).identity(Cloud::Gcp).unwrap().cluster,
            "projects/quotes-demo/locations/europe-west9-a/clusters/prod"
        );
        let arn = "arn:aws:eks:eu-central-1:123456789012:cluster/prod";
        assert_eq!(named(arn).identity(Cloud::Aws).unwrap().cluster, arn);
        assert_eq!(named(arn).identity(Cloud::Azure), None);
        assert_eq!(named("prod").identity(Cloud::Gcp), None);
    }
}
