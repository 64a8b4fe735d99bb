//! The Secrets that are needed before anything works: those that provider configs, sources and stores refer to, and
//! that are neither declared in Git nor written by a controller.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::sealed::{SealedKeys, sealed_keys};
use crate::adopt::names::NamespacedName;
use crate::scaffold::join::secrets_of;
use ucp_client::prediction::cluster::text_at;
use ucp_core::model::object::{ObjectName, group_of};
use ucp_repo::gitops::config::{BootstrapSettings, SecretSettings};
use ucp_repo::manifests::substitution::has_variables;

/// A Secret that must exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequiredSecret {
    /// The namespace and name of the Secret.
    pub secret: NamespacedName,
    /// The keys that are read, as far as they are known.
    pub keys: BTreeSet<String>,
    /// The objects that refer to it.
    pub by: Vec<ObjectName>,
    /// The settings of the Secret in the repository.
    pub settings: Option<SecretSettings>,
}

impl RequiredSecret {
    /// Returns the keys whose values are in the repository, because they are not secret.
    pub fn configured_keys(&self) -> impl Iterator<Item = &String> {
        self.settings.iter().flat_map(|settings| settings.values.keys())
    }

    /// Returns the known keys whose values the user must enter.
    pub fn prompted_keys(&self) -> impl Iterator<Item = &String> {
        let said: BTreeSet<&String> = self.configured_keys().collect();
        self.keys.iter().filter(move |key| !said.contains(key))
    }

    /// Returns true if all values are in the repository, so that the user is not prompted.
    pub fn is_fully_configured(&self) -> bool {
        self.configured_keys().next().is_some() && self.prompted_keys().next().is_none()
    }
}

/// The Secrets that must exist.
#[derive(Debug, Default)]
pub struct RequiredSecrets {
    /// Secrets with known names.
    pub named: Vec<RequiredSecret>,
    /// Secrets whose names contain variables of a cluster, so that the actual names are unknown.
    pub unnamed: BTreeSet<NamespacedName>,
}

/// The namespace in which Crossplane reads the Secrets of package registries.
const PACKAGES: &str = "crossplane-system";

/// Returns the Secrets that objects need and that none of the objects creates.
pub fn demands<'a>(
    objects: impl IntoIterator<Item = &'a Value> + Clone,
    settings: &BootstrapSettings,
) -> RequiredSecrets {
    let made: BTreeSet<NamespacedName> = objects.clone().into_iter().flat_map(created_secrets).collect();
    let ignored: BTreeSet<NamespacedName> = settings.ignore.iter().filter_map(|name| secret_name(name)).collect();
    let mut found: BTreeMap<NamespacedName, RequiredSecret> = BTreeMap::new();
    let mut unnamed = BTreeSet::new();
    let new = |secret: &NamespacedName| RequiredSecret {
        secret: secret.clone(),
        keys: BTreeSet::new(),
        by: Vec::new(),
        settings: None,
    };
    for object in objects {
        for (secret, key) in secret_references(object) {
            if made.contains(&secret) || ignored.contains(&secret) {
                continue;
            }
            if has_variables(&secret.name) || has_variables(&secret.namespace) {
                unnamed.insert(secret);
                continue;
            }
            let demand = found.entry(secret.clone()).or_insert_with(|| new(&secret));
            demand.keys.extend(key);
            let by = ObjectName::from_manifest(object);
            if !demand.by.contains(&by) {
                demand.by.push(by);
            }
        }
    }
    for declared in &settings.secrets {
        let Some(secret) = secret_name(&declared.name) else { continue };
        let demand = found.entry(secret.clone()).or_insert_with(|| new(&secret));
        demand.keys.extend(declared.keys.iter().cloned());
        demand.settings = Some(declared.clone());
    }
    RequiredSecrets { named: found.into_values().collect(), unnamed }
}

/// Adds a demand for the encrypted keys of a Secret that is encrypted with SOPS in Git, since `bootstrap` cannot decrypt
/// it. Its other values come from Git.
pub fn demand_sealed(demands: &mut Vec<RequiredSecret>, object: &ObjectName, manifest: &Value, from: &str) {
    let secret = NamespacedName { namespace: object.namespace.clone().unwrap_or_default(), name: object.name.clone() };
    let SealedKeys { sealed, plain } = sealed_keys(manifest);
    let labels = manifest.pointer("/metadata/labels").and_then(Value::as_object).into_iter().flatten();
    let labels = labels.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect();
    let settings = SecretSettings {
        name: secret.to_string(),
        keys: Vec::new(),
        values: BTreeMap::new(),
        labels,
        kind: Some(text_at(manifest, "/type").to_owned()).filter(|kind| !kind.is_empty()),
        why: Some(format!("{from} has it encrypted with SOPS, which bootstrap does not decrypt")),
    };
    let at = demands.iter().position(|demand| demand.secret == secret).unwrap_or_else(|| {
        demands.push(RequiredSecret { secret, keys: BTreeSet::new(), by: Vec::new(), settings: None });
        demands.len() - 1
    });
    let Some(demand) = demands.get_mut(at) else { return };
    demand.keys.extend(sealed);
    let settings = demand.settings.get_or_insert(settings);
    for (key, value) in plain.into_iter().filter(|(key, _)| !settings.keys.contains(key)).collect::<Vec<_>>() {
        settings.values.entry(key).or_insert(value);
    }
}

/// Parses `NAMESPACE/NAME`; returns `None` if a part is missing or invalid.
pub fn secret_name(text: &str) -> Option<NamespacedName> {
    let secret: NamespacedName = text.parse().ok()?;
    let is_name = |part: &str| !part.contains(['/', ':', '=']);
    (is_name(&secret.namespace) && is_name(&secret.name)).then_some(secret)
}

/// Returns the Secrets that an object reads, with the key of each.
pub fn secret_references(object: &Value) -> Vec<(NamespacedName, Option<String>)> {
    let (group, kind) = (group_of(text_at(object, "/apiVersion")), text_at(object, "/kind"));
    let own = Some(text_at(object, "/metadata/namespace")).filter(|namespace| !namespace.is_empty());
    let mut found = Vec::new();
    let Some(spec) = object.get("spec") else { return found };
    let mut add = |namespace: Option<&str>, name: &str, key: Option<&str>| {
        if let Some(namespace) = namespace.filter(|_| !name.is_empty()) {
            let secret = NamespacedName { namespace: namespace.to_owned(), name: name.to_owned() };
            found.push((secret, key.map(str::to_owned)));
        }
    };
    if group == "pkg.crossplane.io" {
        for one in spec.get("packagePullSecrets").and_then(Value::as_array).into_iter().flatten() {
            add(Some(PACKAGES), text_at(one, "/name"), None);
        }
        // `ImageConfig`: the Secret of a registry.
        add(Some(PACKAGES), text_at(spec, "/registry/authentication/pullSecretRef/name"), None);
        return found;
    }
    let is_flux = group.ends_with(".toolkit.fluxcd.io");
    let is_config = matches!(kind, "ProviderConfig" | "ClusterProviderConfig");
    let is_store = group == "external-secrets.io" && matches!(kind, "SecretStore" | "ClusterSecretStore");
    let is_pipeline = group == "apiextensions.crossplane.io" && kind == "Composition";
    if is_flux || is_config || is_store {
        find_secret_references(spec, own, &mut add);
    } else if is_pipeline {
        let steps = spec.get("pipeline").and_then(Value::as_array).into_iter().flatten();
        steps
            .filter_map(|step| step.get("credentials"))
            .for_each(|credentials| find_secret_references(credentials, own, &mut add));
    } else if let Some(parameters) = spec.get("forProvider").filter(|parameters| !is_generated(parameters)) {
        find_secret_references(parameters, own, &mut add);
    }
    found
}

/// Returns true if a provider generates the passwords that parameters refer to.
fn is_generated(parameters: &Value) -> bool {
    let fields = parameters.as_object().into_iter().flatten();
    fields.filter(|(key, _)| key.starts_with("autoGenerate")).any(|(_, value)| value == true)
}

/// Returns the Secrets that a provider fills with generated passwords.
pub fn generated_secrets(object: &Value) -> Vec<NamespacedName> {
    let mut found = Vec::new();
    if let Some(parameters) = object.pointer("/spec/forProvider").filter(|parameters| is_generated(parameters)) {
        let own = Some(text_at(object, "/metadata/namespace")).filter(|namespace| !namespace.is_empty());
        find_secret_references(parameters, own, &mut |namespace, name, _| {
            let namespace = namespace.unwrap_or_default().to_owned();
            found.push(NamespacedName { namespace, name: name.to_owned() });
        });
    }
    found
}

/// Fields with references that other components read: kubeconfigs written by adoption, chart values, patches and health
/// checks.
const OF_OTHERS: [&str; 7] =
    ["kubeConfig", "values", "patches", "patchesStrategicMerge", "patchesJson6902", "postRenderers", "healthChecks"];

/// Finds the references to Secrets below a value. All APIs use the same field names for them.
fn find_secret_references<'value>(
    value: &'value Value,
    own: Option<&'value str>,
    add: &mut dyn FnMut(Option<&'value str>, &'value str, Option<&'value str>),
) {
    let some = |value: &'value Value, pointer: &str| Some(text_at(value, pointer)).filter(|text| !text.is_empty());
    match value {
        Value::Array(items) => items.iter().for_each(|item| find_secret_references(item, own, add)),
        Value::Object(fields) => {
            let is_optional = fields.get("optional") == Some(&Value::Bool(true));
            if fields.get("kind").and_then(Value::as_str) == Some("Secret") && !is_optional {
                add(own, text_at(value, "/name"), some(value, "/valuesKey"));
            }
            for (key, below) in fields.iter().filter(|(key, _)| !OF_OTHERS.contains(&key.as_str())) {
                let is_reference = key.to_ascii_lowercase().ends_with("secretref");
                if is_reference && below.get("name").is_some() {
                    add(some(below, "/namespace").or(own), text_at(below, "/name"), some(below, "/key"));
                } else if is_reference {
                    // Stores of External Secrets: one reference for each part of a credential.
                    for part in below.as_object().into_iter().flat_map(serde_json::Map::values) {
                        match part.get("name") {
                            Some(_) => {
                                add(some(part, "/namespace").or(own), text_at(part, "/name"), some(part, "/key"))
                            }
                            None => find_secret_references(part, own, add),
                        }
                    }
                } else {
                    find_secret_references(below, own, add);
                }
            }
        }
        _ => {}
    }
}

/// Returns the Secrets that result from an object.
fn created_secrets(object: &Value) -> impl Iterator<Item = NamespacedName> + '_ {
    let named =
        |(namespace, name): (&str, &str)| NamespacedName { namespace: namespace.to_owned(), name: name.to_owned() };
    secrets_of(object).into_iter().map(named)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(objects: &[Value], settings: &BootstrapSettings) -> Vec<String> {
        let demands = demands(objects, settings).named;
        let line = |demand: RequiredSecret| {
            let keys: Vec<_> = demand.keys.into_iter().collect();
            format!("{}/{}:{}", demand.secret.namespace, demand.secret.name, keys.join(","))
        };
        demands.into_iter().map(line).collect()
    }

    #[test]
    fn referenced_secrets_that_nothing_creates_are_required() {
        let config = |name: &str, secret: &str| {
            json!({
                "apiVersion": "aws.upbound.io/v1beta1", "kind": "ProviderConfig", "metadata": {"name": name},
                "spec": {"credentials": {"source": "Secret", "secretRef":
                    {"namespace": "crossplane-system", "name": secret, "key": "credentials"}}},
            })
        };
        let objects = [
            config("default", "aws-creds"),
            config("other", "aws-creds"),
            config("sealed", "gcp-creds"),
            json!({"apiVersion": "bitnami.com/v1alpha1", "kind": "SealedSecret",
                "metadata": {"namespace": "crossplane-system", "name": "gcp-creds"}}),
            json!({"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
                "metadata": {"namespace": "flux-system", "name": "platform"},
                "spec": {"url": "ssh://git@git.example.org/p", "secretRef": {"name": "platform"}}}),
            json!({"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
                "metadata": {"namespace": "flux-system", "name": "apps"},
                "spec": {"kubeConfig": {"secretRef": {"name": "prod-kubeconfig"}},
                    "decryption": {"provider": "sops", "secretRef": {"name": "age"}},
                    "postBuild": {"substituteFrom": [{"kind": "Secret", "name": "maybe", "optional": true}]}}}),
            json!({"apiVersion": "rds.aws.upbound.io/v1beta1", "kind": "Instance", "metadata": {"name": "db"},
                "spec": {"forProvider": {"passwordSecretRef": {"namespace": "db", "name": "db", "key": "password"}},
                    "writeConnectionSecretToRef": {"namespace": "db", "name": "conn"}}}),
            json!({"apiVersion": "rds.aws.upbound.io/v1beta1", "kind": "Instance", "metadata": {"name": "own"},
                "spec": {"forProvider": {"autoGeneratePassword": true,
                    "passwordSecretRef": {"namespace": "db", "name": "own", "key": "password"}}}}),
            json!({"apiVersion": "aws.upbound.io/v1beta1", "kind": "ProviderConfig", "metadata": {"name": "conn"},
                "spec": {"credentials": {"secretRef": {"namespace": "db", "name": "conn", "key": "kubeconfig"}}}}),
        ];
        let objects = [&objects[..], &[config("open", "creds-${stage}")]].concat();
        let all =
            ["crossplane-system/aws-creds:credentials", "db/db:password", "flux-system/age:", "flux-system/platform:"];
        assert_eq!(found(&objects, &BootstrapSettings::default()), all);
        let unnamed = demands(&objects, &BootstrapSettings::default()).unnamed;
        assert_eq!(
            unnamed.iter().map(NamespacedName::to_string).collect::<Vec<_>>(),
            ["crossplane-system/creds-${stage}"]
        );
        let settings: BootstrapSettings = serde_json::from_value(json!({
            "ignore": ["flux-system/age"],
            "secrets": [{"name": "flux-system/platform", "keys": ["identity"]}, {"name": "argocd/repo", "keys": ["password"]}],
        }))
        .unwrap();
        let expected = ["argocd/repo:password", all[0], all[1], "flux-system/platform:identity"];
        assert_eq!(found(&objects, &settings), expected);
    }

    #[test]
    fn pull_secrets_are_required_and_only_true_generates_passwords() {
        let objects = [
            json!({"apiVersion": "pkg.crossplane.io/v1", "kind": "Provider", "metadata": {"name": "p"},
                "spec": {"packagePullSecrets": [{"name": "pull"}], "forProvider": {"otherSecretRef": {"namespace": "x", "name": "y"}}}}),
            json!({"apiVersion": "rds.aws.upbound.io/v1beta1", "kind": "Instance", "metadata": {"name": "db"},
                "spec": {"forProvider": {"autoGeneratePassword": false,
                    "passwordSecretRef": {"namespace": "db", "name": "db", "key": "password"}}}}),
            json!({"apiVersion": "rds.aws.upbound.io/v1beta1", "kind": "Instance", "metadata": {"name": "open"},
                "spec": {"forProvider": {"passwordSecretRef": {"namespace": "db-${stage}", "name": "db", "key": "password"}}}}),
        ];
        let settings = BootstrapSettings::default();
        assert_eq!(found(&objects, &settings), ["crossplane-system/pull:", "db/db:password"]);
        assert_eq!(demands(&objects, &settings).unnamed.len(), 1);
    }

    #[test]
    fn there_is_no_prompt_for_values_of_the_repository() {
        let settings: BootstrapSettings = serde_json::from_value(json!({
            "secrets": [{"name": "argocd/repo", "keys": ["password", "url"], "values": {"url": "https://git.example.org"}}],
        }))
        .unwrap();
        let demands = demands(&[], &settings).named;
        assert_eq!(demands[0].prompted_keys().collect::<Vec<_>>(), ["password"]);
    }
}
