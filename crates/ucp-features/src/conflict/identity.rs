//! The identity of an object's external resource. The best one is the cloud's own name: an ARN, a self-link, an Azure
//! ID. Without it, the identity is the kind, the external name, the location and the account.

use std::collections::BTreeMap;

use serde_json::Value;

use super::satellite;
use crate::import::address::{self, PLACES};
use crate::import::identity::plain_group;
use crate::import::takeover::ImportMethod;
use ucp_core::engine::crossplane::{CrossplaneRole, EXTERNAL_NAME, role};
use ucp_core::model::comparison::Certainty;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::group_of;
use ucp_core::model::state::ClusterState;

/// Engines other than Crossplane whose objects have external resources, by their groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ExternalEngine {
    /// AWS Controllers for Kubernetes.
    Ack,
    /// Google's Config Connector.
    ConfigConnector,
    /// Azure Service Operator.
    Aso,
}

impl ExternalEngine {
    /// Returns the engine of a kind, if it is one of these.
    pub(super) fn for_kind(kind: &ResourceKind) -> Option<Self> {
        match ImportMethod::for_kind(kind) {
            Some(ImportMethod::Crossplane) => None,
            Some(ImportMethod::Ack) => Some(Self::Ack),
            Some(ImportMethod::ConfigConnector) => Some(Self::ConfigConnector),
            None => (kind.group.ends_with(".azure.com") && kind.kind != "Credential").then_some(Self::Aso),
        }
    }
}

/// Kinds whose names are unique in the whole cloud, by the beginning of their group: buckets of S3 and Google, and storage
/// accounts of Azure.
const GLOBAL_NAMES: [(&str, &str); 5] = [
    ("s3.", "bucket"),
    ("storage.gcp.", "bucket"),
    ("storage.cnrm.cloud.google.", "storagebucket"),
    ("storage.azure.", "account"),
    ("storage.azure.", "storageaccount"),
];

/// The identity of an object's external resource.
#[derive(Debug, Clone)]
pub(super) struct ExternalIdentity {
    /// The unmodified group: namespaced managed resources have one of their own.
    group: String,
    /// The key of a resource without a name of its own, such as a rule or an attachment.
    satellite: Option<String>,
    /// The cloud's own name.
    pub(super) global: Option<String>,
    /// Kind in lower case, and its group without the mark of namespaced ones.
    kind: (String, String),
    /// External name.
    name: String,
    /// Region, project, and parent resources.
    scope: BTreeMap<String, String>,
    /// The account of its credentials.
    account: Option<String>,
    /// The source of its credentials: kind, namespace, name.
    config: (String, String, String),
    /// The spec of that source, without fields that a cluster fills in.
    credentials: Option<Value>,
}

/// The credentials in the provider configs of a cluster.
pub(super) struct ConfiguredAccounts(BTreeMap<(String, String, String, String), Value>);

impl ConfiguredAccounts {
    /// Reads the provider configs of a state.
    pub(super) fn from_state(state: &ClusterState) -> Self {
        let configs =
            state.resources.iter().filter(|resource| role(&resource.kind) == Some(CrossplaneRole::ProviderConfig));
        let entry = |resource: &ucp_core::model::resource::Resource| {
            let spec = resource.whole.as_deref()?.get("spec")?.clone();
            let namespace = resource.metadata.namespace.clone().unwrap_or_default();
            Some((
                (resource.kind.group.clone(), resource.kind.kind.clone(), namespace, resource.metadata.name.clone()),
                spec,
            ))
        };
        Self(configs.filter_map(entry).collect())
    }

    /// Returns the spec of a config for a kind: its group is the kind's, or a suffix of it after a dot.
    fn spec(&self, group: &str, config: &(String, String, String)) -> Option<&Value> {
        let (kind, namespace, name) = config;
        let mut families = std::iter::successors(Some(group), |group| group.split_once('.').map(|(_, rest)| rest));
        families.find_map(|family| self.0.get(&(family.to_owned(), kind.clone(), namespace.clone(), name.clone())))
    }
}

/// Returns the identity of an object's external resource; `None` if it cannot be determined.
pub(super) fn external_identity(
    kind: &ResourceKind,
    object: &Value,
    accounts: &ConfiguredAccounts,
) -> Option<ExternalIdentity> {
    let family = ExternalEngine::for_kind(kind);
    if family.is_none() && role(kind) != Some(CrossplaneRole::Managed) {
        return None;
    }
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    let metadata_name = text("/metadata/name").unwrap_or_default();
    let annotation = |key: &str| object.get("metadata")?.get("annotations")?.get(key)?.as_str();
    let name = match family {
        None => annotation(EXTERNAL_NAME).unwrap_or(metadata_name),
        Some(ExternalEngine::ConfigConnector) => text("/spec/resourceID").unwrap_or(metadata_name),
        Some(ExternalEngine::Ack) => text("/spec/name").unwrap_or(metadata_name),
        Some(ExternalEngine::Aso) => text("/spec/azureName").unwrap_or(metadata_name),
    };
    let is_satellite = satellite::is_satellite(kind);
    let global = cloud_name(object).filter(|_| !is_satellite);
    let declared = if family.is_none() { object.pointer("/spec/forProvider") } else { object.get("spec") };
    let mut scope = location_scope(declared);
    // The embedded object of provider-kubernetes or provider-helm.
    for (field, pointer) in [("kind", "/kind"), ("namespace", "/metadata/namespace"), ("name", "/metadata/name")] {
        let inner = declared.and_then(|declared| declared.get("manifest")?.pointer(pointer)?.as_str());
        // Without a namespace, it is in the default one or cluster-scoped.
        let inner = inner.filter(|value| field != "namespace" || *value != "default");
        scope.extend(inner.map(|value| (format!("manifest.{field}"), value.to_owned())));
    }
    // One object is served in several versions.
    let inner = declared.and_then(|declared| declared.pointer("/manifest/apiVersion")?.as_str());
    scope.extend(inner.map(|version| ("manifest.group".to_owned(), group_of(version).to_owned())));
    let is_manifest = scope.contains_key("manifest.name");
    let is_namespaced = text("/metadata/namespace").is_some();
    let default = if is_namespaced { "ClusterProviderConfig" } else { "ProviderConfig" };
    let config_kind = text("/spec/providerConfigRef/kind").unwrap_or(default).to_owned();
    let config_namespace =
        if config_kind == "ProviderConfig" { text("/metadata/namespace").unwrap_or_default() } else { "" };
    let config = (
        config_kind,
        config_namespace.to_owned(),
        text("/spec/providerConfigRef/name").unwrap_or("default").to_owned(),
    );
    let spec = accounts.spec(&kind.group, &config);
    let account = [
        "/status/atProvider/ownerId",
        "/status/atProvider/accountId",
        "/status/ackResourceMetadata/ownerAccountID",
        "/spec/forProvider/project",
    ]
    .iter()
    .find_map(|pointer| text(pointer))
    .or_else(|| annotation("cnrm.cloud.google.com/project-id"))
    .or_else(|| spec.and_then(account_of_config));
    Some(ExternalIdentity {
        group: kind.group.clone(),
        satellite: declared.filter(|_| is_satellite).and_then(|declared| satellite::satellite_key(kind, declared)),
        global,
        kind: (plain_group(&kind.group), kind.kind.to_ascii_lowercase()),
        // The name of an object with an embedded object of another name is not significant.
        name: if is_manifest { String::new() } else { name.to_owned() },
        scope,
        account: account.map(str::to_owned),
        config,
        credentials: spec.cloned(),
    })
}

/// Returns the account in a provider config: GCP's project, Azure's subscription, or that of the AWS role.
fn account_of_config(spec: &Value) -> Option<&str> {
    let text = |pointer: &str| spec.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    let role = text("/assumeRoleChain/0/roleARN")
        .or_else(|| text("/assumeRoleARN"))
        .or_else(|| text("/credentials/webIdentity/roleARN"));
    text("/projectID").or_else(|| text("/subscriptionID")).or_else(|| role.and_then(address::arn_account))
}

/// Returns the cloud's own name, normalized.
fn cloud_name(object: &Value) -> Option<String> {
    const FIELDS: [&str; 6] = [
        "/status/ackResourceMetadata/arn",
        "/status/atProvider/arn",
        "/status/atProvider/selfLink",
        "/status/selfLink",
        "/status/atProvider/id",
        "/status/id",
    ];
    FIELDS.iter().find_map(|field| normalize_cloud_name(object.pointer(field)?.as_str()?.trim()))
}

fn normalize_cloud_name(name: &str) -> Option<String> {
    if name.starts_with("arn:") {
        return (name.split(':').count() >= 6).then(|| name.to_owned());
    }
    if name.to_ascii_lowercase().starts_with("/subscriptions/") {
        return Some(name.trim_end_matches('/').to_ascii_lowercase());
    }
    if let Some(bucket) = name.strip_prefix("https://www.googleapis.com/storage/v1/b/") {
        return Some(format!("gs://{bucket}"));
    }
    let path = match name.find("googleapis.com/") {
        Some(_) => &name[name.find("/projects/")? + 1..],
        None => name,
    };
    let is_path = path.starts_with("projects/") && path.split('/').count() >= 4;
    // GKE uses zones and regions of a cluster as its locations.
    let is_gke = path.contains("/clusters/");
    is_path.then(|| {
        if is_gke {
            path.replace("/zones/", "/locations/").replace("/regions/", "/locations/")
        } else {
            path.to_owned()
        }
    })
}

/// Returns the location of a resource and its parents: fields of its declaration that name something.
fn location_scope(declared: Option<&Value>) -> BTreeMap<String, String> {
    const NAMING: [&str; 14] = [
        "name",
        "id",
        "arn",
        "cluster",
        "instance",
        "database",
        "server",
        "parent",
        "zone",
        "domain",
        "namespace",
        "repository",
        "type",
        "network",
    ];
    let fields = declared.and_then(Value::as_object).into_iter().flatten();
    let telling = fields.filter_map(|(key, value)| {
        let lower = key.to_ascii_lowercase();
        let names = PLACES.contains(&key.as_str()) || NAMING.iter().any(|end| lower.ends_with(end));
        Some((key.clone(), value.as_str().filter(|text| names && !text.is_empty())?.to_owned()))
    });
    telling.collect()
}

impl ExternalIdentity {
    /// Returns the key that objects of one resource share, regardless of their account.
    pub(super) fn local_key(&self) -> Option<String> {
        if self.has_global_name() {
            return Some(format!("{:?} {}", self.kind, self.name));
        }
        // Names that only a Kubernetes object has do not identify the external resource.
        (!self.name.is_empty() || self.scope.contains_key("manifest.name"))
            .then(|| format!("{:?} {} {:?}", self.kind, self.name, self.scope))
    }

    /// Returns true if the cloud has only one resource of this kind and name, wherever it is.
    fn has_global_name(&self) -> bool {
        let is_kind = |(service, kind): &(&str, &str)| self.kind.0.starts_with(service) && self.kind.1 == *kind;
        !self.name.is_empty() && GLOBAL_NAMES.iter().any(is_kind)
    }

    /// Returns true if two objects with the same cloud name may be the same resource: within one provider, only objects
    /// of the same kind are.
    pub(super) fn may_be_same(&self, other: &Self) -> bool {
        self.kind.0 != other.kind.0 || self.kind.1 == other.kind.1
    }

    /// Returns true if both have the same kind, so that their declarations are comparable.
    pub(super) fn is_same_kind(&self, other: &Self) -> bool {
        self.kind == other.kind
    }

    /// Returns the certainty that two objects with equal declarations are the same resource.
    pub(super) fn identity_certainty(&self, other: &Self, is_one_cluster: bool) -> Option<Certainty> {
        if let (Some(mine), Some(theirs)) = (&self.global, &other.global) {
            return (mine == theirs).then_some(Certainty::Certain);
        }
        if self.scope != other.scope && self.has_global_name() {
            return (!self.has_other_account(other)).then_some(Certainty::Suspected);
        }
        let is_same_config = self.config == other.config;
        if is_one_cluster && is_same_config {
            return Some(Certainty::Certain);
        }
        match (&self.account, &other.account) {
            (Some(mine), Some(theirs)) => (mine == theirs).then_some(Certainty::Certain),
            // Two clusters, one repository: the declared credentials are the same.
            _ if is_same_config && self.credentials.is_some() && self.credentials == other.credentials => {
                (!self.is_own_cluster()).then_some(Certainty::Suspected)
            }
            // Configs of the two generations of a provider are never the same object.
            _ if is_one_cluster && self.group != other.group => Some(Certainty::Suspected),
            _ if is_one_cluster && self.credentials.is_some() && self.credentials == other.credentials => {
                Some(Certainty::Suspected)
            }
            // The accounts of configs that were not read are not known. Each cluster has objects of equal names.
            _ if is_one_cluster
                && !self.is_in_cluster()
                && (self.credentials.is_none() || other.credentials.is_none()) =>
            {
                Some(Certainty::Suspected)
            }
            _ => self.has_global_name().then_some(Certainty::Suspected),
        }
    }

    fn has_other_account(&self, other: &Self) -> bool {
        self.account.as_ref().zip(other.account.as_ref()).is_some_and(|(mine, theirs)| mine != theirs)
    }

    /// Returns the key that two objects without names of their own share if they are the same resource.
    pub(super) fn twin_key(&self) -> Option<String> {
        self.satellite.as_ref().map(|key| format!("{:?} {key}", self.kind))
    }

    /// Returns true if the resource is an object or a release in a Kubernetes cluster.
    fn is_in_cluster(&self) -> bool {
        self.scope.contains_key("manifest.name") || self.kind.0.starts_with("helm.")
    }

    /// Returns true if the provider manages the cluster that it runs in, which differs for each cluster.
    fn is_own_cluster(&self) -> bool {
        let source = self.credentials.as_ref().and_then(|spec| spec.pointer("/credentials/source")?.as_str());
        source == Some("InjectedIdentity") && self.scope.contains_key("manifest.name")
            || self.kind.0.starts_with("helm.")
    }

    /// Returns the identity for display.
    pub(super) fn display_name(&self) -> String {
        let part = |key: &str| self.scope.get(key).map(String::as_str);
        if let (Some(kind), Some(name)) = (part("manifest.kind"), part("manifest.name")) {
            let namespace = part("manifest.namespace").map(|namespace| format!("{namespace}/")).unwrap_or_default();
            return format!(
                "{} {namespace}{name} behind {} {}",
                kind.to_ascii_lowercase(),
                self.config.0,
                self.config.2
            );
        }
        let place = ["region", "location", "zone"].iter().find_map(|key| part(key));
        let place = place.map(|place| format!(" in {place}")).unwrap_or_default();
        let account = self.account.as_ref().map(|account| format!(" of {account}")).unwrap_or_default();
        format!("{}.{} {}{place}{account}", self.kind.1, self.kind.0, self.name)
    }
}

/// Returns the fields that two declarations both have, with different values. Skips references that a provider
/// resolves, and fields that only exist in Kubernetes.
pub(super) fn differing_fields(left: &Value, right: &Value) -> Vec<String> {
    let declared = |object: &Value| {
        object.pointer("/spec/forProvider").or_else(|| object.get("spec")).cloned().unwrap_or_default()
    };
    let mut paths = Vec::new();
    walk(&declared(left), &declared(right), "spec.forProvider", &mut paths);
    paths
}

fn walk(left: &Value, right: &Value, path: &str, paths: &mut Vec<String>) {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            for (key, value) in left {
                let is_reference = ["Ref", "Refs", "Selector", "SecretRef"].iter().any(|end| key.ends_with(end));
                // The provider writes these tags itself, from its own object.
                let is_own_tag = key.starts_with("crossplane-");
                if let Some(other) = right.get(key).filter(|_| !is_reference && !is_own_tag) {
                    walk(value, other, &format!("{path}.{key}"), paths);
                }
            }
        }
        (left, right) if left != right => paths.push(path.to_owned()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_cloud_name_are_normalized() {
        for (name, expected) in [
            (
                "arn:aws:rds:eu-central-1:123456789012:db:quotes",
                Some("arn:aws:rds:eu-central-1:123456789012:db:quotes"),
            ),
            (
                "https://container.googleapis.com/v1/projects/p/zones/z/clusters/c",
                Some("projects/p/locations/z/clusters/c"),
            ),
            ("projects/p/locations/z/clusters/c", Some("projects/p/locations/z/clusters/c")),
            (
                "https://www.googleapis.com/compute/v1/projects/p/global/networks/n",
                Some("projects/p/global/networks/n"),
            ),
            ("https://www.googleapis.com/storage/v1/b/logs", Some("gs://logs")),
            ("/subscriptions/A/resourceGroups/G", Some("/subscriptions/a/resourcegroups/g")),
            ("vpc-0123", None),
            ("arn:aws", None),
        ] {
            assert_eq!(normalize_cloud_name(name).as_deref(), expected, "{name}");
        }
    }
}
