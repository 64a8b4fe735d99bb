//! Secrets with which engines and operators of the core cluster authenticate: to repositories, registries, clouds, and secret
//! stores. They are found by the structure of the references in the objects of these programs, so that no field of one kind or
//! version has to be known.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::adopt::names::NamespacedName;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::grounds::GroundsEvidence;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, Unreadable};

/// Name of the gap if discovery could not be compared with the definitions: any kind may be missing.
pub const ALL_KINDS: &str = "the kinds of the core cluster";

/// Returns true for kinds whose objects name the credentials of the program that reconciles them. Workloads and managed
/// resources are not among them: what these refer to may belong in an app cluster.
pub fn is_credential_user(kind: &ResourceKind) -> bool {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("source.toolkit.fluxcd.io" | "notification.toolkit.fluxcd.io" | "image.toolkit.fluxcd.io", _) => true,
        ("kustomize.toolkit.fluxcd.io", "Kustomization") | ("argoproj.io", "ApplicationSet") => true,
        ("external-secrets.io", "SecretStore" | "ClusterSecretStore") | ("generators.external-secrets.io", _) => true,
        ("cert-manager.io", "Issuer" | "ClusterIssuer") => true,
        ("infrastructure.cluster.x-k8s.io", name) => name.ends_with("Identity"),
        ("app.terraform.io", _) | ("infra.contrib.fluxcd.io", "Terraform") | ("atlas.mongodb.com", _) => true,
        _ => is_provider_config(kind),
    }
}

/// Returns the query for a kind of which only references to Secrets are needed.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    is_credential_user(kind).then(|| KindRequest::whole(shape(kind)))
}

/// Returns the shape in which a kind is read: the one that other readers of the same state need.
fn shape(kind: &ResourceKind) -> BodyShape {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("kustomize.toolkit.fluxcd.io", "Kustomization") => BodyShape::Flux,
        _ => BodyShape::Conditions,
    }
}

fn is_provider_config(kind: &ResourceKind) -> bool {
    role(kind) == Some(CrossplaneRole::ProviderConfig)
}

/// Credentials by the objects that use them.
#[derive(Debug, Default)]
pub(super) struct CredentialUses {
    named: BTreeMap<NamespacedName, ObjectName>,
    /// Credentials of objects without a namespace that name none: the program, or another object, determines it.
    anywhere: BTreeMap<String, ObjectName>,
}

impl CredentialUses {
    /// Collects the references in all objects that were read.
    pub(super) fn from_state(state: &ClusterState) -> Self {
        let mut uses = Self::default();
        for resource in state.resources.iter().filter(|resource| is_credential_user(&resource.kind)) {
            for SecretPointer { namespace, name } in pointers(resource) {
                match namespace {
                    Some(namespace) => {
                        uses.named.entry(NamespacedName { namespace, name }).or_insert_with(|| resource.name())
                    }
                    None => uses.anywhere.entry(name).or_insert_with(|| resource.name()),
                };
            }
        }
        uses
    }

    /// Returns an object that authenticates with a Secret.
    pub(super) fn user(&self, secret: &NamespacedName) -> Option<&ObjectName> {
        self.named.get(secret).or_else(|| self.anywhere.get(&secret.name))
    }
}

/// Returns evidence that every credential is known: the objects that name them and the namespaces of the engines were read.
pub(super) fn evidence(state: &ClusterState) -> GroundsEvidence {
    let mut evidence = GroundsEvidence::new();
    for (group, kind) in [("argoproj.io", "AppProject"), ("argoproj.io", "Application")] {
        evidence.require_list(state, None, group, kind);
    }
    evidence.require_kinds(state, state.kinds.iter().map(AsRef::as_ref).filter(|kind| is_credential_user(kind)));
    // A kind that discovery omits may be one of these.
    let is_served = |entry: &Unreadable| state.kinds.iter().any(|kind| entry.is_of(kind));
    let is_kind = |what: &str| what == ALL_KINDS || what.contains('.') && !what.contains([' ', '/']);
    evidence.add_gaps(state.unreadable.iter().filter(|entry| is_kind(&entry.what) && !is_served(entry)));
    evidence
}

/// Returns the credentials that a provider config names: roots of trust.
pub(super) fn credentials_of(resource: &Resource) -> Vec<NamespacedName> {
    if !is_provider_config(&resource.kind) {
        return Vec::new();
    }
    let named = pointers(resource).into_iter();
    named.filter_map(|one| Some(NamespacedName { namespace: one.namespace?, name: one.name })).collect()
}

/// Reference to a Secret.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct SecretPointer {
    namespace: Option<String>,
    name: String,
}

/// The name by which a field counts as a reference to a Secret, whatever its own name is.
const SECRET_FIELD: &str = "secret";

/// Returns the references of an object to Secrets.
fn pointers(resource: &Resource) -> Vec<SecretPointer> {
    let Some(whole) = resource.whole.as_deref() else { return Vec::new() };
    let mut found = Vec::new();
    // The other fields of these kinds are about workloads.
    let (paths, field) = match (resource.kind.group.as_str(), resource.kind.kind.as_str()) {
        (_, "ApplicationSet") => (&["/spec/generators"][..], ""),
        (_, "Kustomization") => (&["/spec/decryption"][..], ""),
        ("app.terraform.io", _) => (&["/spec/token"][..], SECRET_FIELD),
        ("infra.contrib.fluxcd.io", _) => (&["/spec/cliConfigSecretRef", "/spec/backendConfigsFrom"][..], SECRET_FIELD),
        ("atlas.mongodb.com", _) => (&["/spec/connectionSecretRef", "/spec/connectionSecret"][..], SECRET_FIELD),
        _ => (&["/spec"][..], ""),
    };
    for path in paths {
        if let Some(fields) = whole.pointer(path) {
            collect(field, fields, &mut found);
        }
    }
    for pointer in &mut found {
        pointer.namespace = pointer.namespace.take().or_else(|| resource.metadata.namespace.clone());
    }
    found.sort();
    found.dedup();
    found
}

/// Fields of generators whose content users define.
const FREE: [&str; 3] = ["elements", "template", "values"];

fn collect(field: &str, value: &Value, found: &mut Vec<SecretPointer>) {
    match value {
        Value::Object(fields) => {
            found.extend(pointer(field, fields));
            let own = fields.iter().filter(|(field, _)| !FREE.contains(&field.as_str()));
            own.for_each(|(field, value)| collect(field, value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(field, item, found)),
        Value::String(name) if is_name_field(field) && !name.is_empty() => {
            found.push(SecretPointer { namespace: None, name: name.clone() });
        }
        _ => {}
    }
}

/// Returns true for a field that holds only the name of a Secret, such as `secretName`.
fn is_name_field(field: &str) -> bool {
    let field = field.to_ascii_lowercase();
    ["secretname", "secretref"].iter().any(|end| field.ends_with(end))
}

/// Returns the Secret to which an object in a field refers: its field is called after Secrets, or it selects a key.
fn pointer(field: &str, fields: &Map<String, Value>) -> Option<SecretPointer> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let field = field.to_ascii_lowercase();
    // The connection Secret of a database with which a provider administers it: workloads use the same one.
    if field == "connectionsecretref" {
        return None;
    }
    if ["kind", "type"].iter().filter_map(|name| text(name)).any(|kind| matches!(kind, "ConfigMap" | "ServiceAccount"))
    {
        return None;
    }
    let is_meant = field.contains("secret") || text("key").is_some();
    let name = text("name").filter(|_| is_meant)?;
    Some(SecretPointer { namespace: text("namespace").map(str::to_owned), name: name.to_owned() })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde::de::DeserializeSeed as _;
    use serde_json::json;

    use super::*;
    use ucp_core::model::seed::ResourceSeed;

    fn named(group: &str, kind: &str, namespace: Option<&str>, spec: &Value) -> Vec<String> {
        let kind = Arc::new(ResourceKind::guess(group, kind));
        let whole = json!({"metadata": {"name": "x", "namespace": namespace}, "spec": spec});
        let seed = ResourceSeed { kind: &kind, shape: BodyShape::Conditions };
        let resource = seed.deserialize(&whole).unwrap().with_whole(Some(Arc::new(whole.clone())));
        assert!(is_credential_user(&kind), "{kind:?}");
        let text = |one: SecretPointer| format!("{}/{}", one.namespace.unwrap_or_else(|| "*".to_owned()), one.name);
        pointers(&resource).into_iter().map(text).collect()
    }

    #[test]
    fn credentials_are_found_by_the_structure_of_references() {
        let store = json!({"provider": {
            "aws": {"auth": {"secretRef": {
                "accessKeyIDSecretRef": {"name": "a", "key": "id"},
                "secretAccessKeySecretRef": {"name": "b", "key": "k", "namespace": "other"},
            }}},
            "kubernetes": {
                "auth": {"token": {"bearerToken": {"name": "c", "key": "token"}}, "serviceAccount": {"name": "no"}},
                "server": {"caProvider": {"type": "ConfigMap", "name": "no", "key": "ca.crt"}},
            },
        }});
        assert_eq!(named("external-secrets.io", "SecretStore", Some("n"), &store), ["n/a", "n/c", "other/b"]);
        assert_eq!(named("external-secrets.io", "ClusterSecretStore", None, &store), ["*/a", "*/c", "other/b"]);
        for (group, kind, spec, expected) in [
            ("source.toolkit.fluxcd.io", "GitRepository", json!({"secretRef": {"name": "a"}, "url": "x"}), vec!["n/a"]),
            (
                "source.toolkit.fluxcd.io",
                "HelmRepository",
                json!({"secretRef": {"name": "a"}, "certSecretRef": {"name": "b"}}),
                vec!["n/a", "n/b"],
            ),
            (
                "kustomize.toolkit.fluxcd.io",
                "Kustomization",
                json!({
                    "decryption": {"secretRef": {"name": "a"}}, "sourceRef": {"kind": "GitRepository", "name": "no"},
                    "postBuild": {"substituteFrom": [{"kind": "Secret", "name": "no"}], "substitute": {"secretName": "no"}},
                }),
                vec!["n/a"],
            ),
            (
                "argoproj.io",
                "ApplicationSet",
                json!({
                    "generators": [
                        {"scmProvider": {"github": {"tokenRef": {"secretName": "a", "key": "token"}}}},
                        {"clusters": {"values": {"secretName": "no"}}}, {"list": {"elements": [{"secretName": "no"}]}},
                    ],
                    "template": {"spec": {"source": {"helm": {"valuesObject": {"tls": {"secretName": "no"}}}}}},
                }),
                vec!["n/a"],
            ),
            ("cert-manager.io", "Issuer", json!({"ca": {"secretName": "a"}}), vec!["n/a"]),
            (
                "infrastructure.cluster.x-k8s.io",
                "AzureClusterIdentity",
                json!({"clientSecret": {"name": "a", "namespace": "m"}}),
                vec!["m/a"],
            ),
            (
                "kubernetes.m.crossplane.io",
                "ProviderConfig",
                json!({
                    "credentials": {"source": "InjectedIdentity"},
                    "identity": {"type": "AzureWorkloadIdentity", "source": "Secret", "secretRef": {"name": "a", "key": "k"}},
                }),
                vec!["n/a"],
            ),
            (
                "app.terraform.io",
                "Workspace",
                json!({"token": {"secretKeyRef": {"name": "a", "key": "token"}}, "organization": "o"}),
                vec!["n/a"],
            ),
            (
                "infra.contrib.fluxcd.io",
                "Terraform",
                json!({
                    "cliConfigSecretRef": {"name": "a"}, "writeOutputsToSecret": {"name": "no"},
                    "backendConfigsFrom": [{"kind": "Secret", "name": "b"}, {"kind": "ConfigMap", "name": "no"}],
                }),
                vec!["n/a", "n/b"],
            ),
            (
                "atlas.mongodb.com",
                "AtlasProject",
                json!({"connectionSecretRef": {"name": "a"}, "alertConfigurations": [{"secretName": "no"}]}),
                vec!["n/a"],
            ),
            ("atlas.mongodb.com", "AtlasDatabaseUser", json!({"passwordSecretRef": {"name": "no"}}), vec![]),
            (
                "postgresql.sql.m.crossplane.io",
                "ProviderConfig",
                json!({"credentials": {"source": "PostgreSQLConnectionSecret", "connectionSecretRef": {"name": "no"}}}),
                vec![],
            ),
        ] {
            assert_eq!(named(group, kind, Some("n"), &spec), expected, "{kind}");
        }
    }

    #[test]
    fn secrets_of_workloads_and_managed_resources_are_no_engine_credentials() {
        for (group, kind) in
            [("apps", "Deployment"), ("rds.aws.upbound.io", "Instance"), ("external-secrets.io", "PushSecret")]
        {
            assert!(!is_credential_user(&ResourceKind::guess(group, kind)), "{kind}");
        }
    }
}
