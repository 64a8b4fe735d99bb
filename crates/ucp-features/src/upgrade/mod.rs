//! New versions of definitions, from CRDs, XRDs, or packages: compared with the installed ones and with live objects. No
//! request is sent: the caller reads both.

pub mod definition;
pub mod effects;
pub mod package;
pub mod writers;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_repo::gitops::declared::{self, DeclaredObject};
use ucp_repo::gitops::repository::Repository;

use definition::NewDefinition;

/// The definitions to upgrade to, and the installed ones of the same kinds.
#[derive(Debug, Default)]
pub struct DefinitionUpgrade {
    /// The new definitions.
    pub definitions: Vec<NewDefinition>,
    /// Name of the package, if they come from one: `provider-aws-s3`.
    pub package: Option<String>,
    /// True if the kinds of the package are inactive until an activation policy names them.
    pub starts_inactive: bool,
    /// Manifests that could not be read: any of them may be a definition.
    pub unread: Vec<String>,
    /// Manifests of a checkout, with their files.
    pub declared: Vec<(String, Value)>,
    /// Reasons why files of the checkout may have manifests that are not among them.
    pub unread_files: Vec<String>,
    /// Installed CRDs with their schemas, by name. Without one, its schema is unknown.
    pub installed: BTreeMap<String, Value>,
}

impl DefinitionUpgrade {
    /// Adds the definitions of a manifest. One without a group, a plural name, or versions is unread, and so is a second
    /// definition of a kind.
    pub fn add_manifest(&mut self, manifest: &Value) {
        let label = format!("{} {}", manifest["kind"].as_str().unwrap_or_default(), manifest["metadata"]["name"]);
        for definition in NewDefinition::list_from(manifest) {
            if definition.group.is_empty() || definition.plural.is_empty() || definition.versions.is_empty() {
                self.unread.push(format!("{label} has no group, names, or versions"));
            } else if self.definitions.iter().any(|known| known.name() == definition.name()) {
                self.unread.push(format!("{} is defined twice; the first definition is used", definition.name()));
            } else {
                self.definitions.push(definition);
            }
        }
    }

    /// Returns the new definition of the kind of a manifest.
    pub fn definition_declared_by(&self, object: &ObjectName) -> Option<&NewDefinition> {
        let is_it = |definition: &&NewDefinition| definition.group == object.group() && definition.kind == object.kind;
        self.definitions.iter().find(is_it)
    }

    /// Adds the manifests of the new kinds that a repository declares. A file that names one of their groups and is no YAML,
    /// such as a template, may declare more.
    pub fn add_repository(&mut self, repository: &Repository) {
        let objects = declared::objects(repository);
        let wanted: Vec<_> =
            objects.iter().filter(|one| self.definition_declared_by(&object_name(one)).is_some()).collect();
        let read: BTreeSet<&str> = objects.iter().map(|object| object.file.as_str()).collect();
        let values = declared::values(repository, wanted.iter().copied());
        self.declared.extend(values.into_iter().map(|(object, value)| (object.file.clone(), value)));
        let groups: BTreeSet<&str> = self.definitions.iter().map(|definition| definition.group.as_str()).collect();
        for file in repository.files.iter().filter(|file| !read.contains(file.as_str())) {
            let is_template = [".yaml", ".yml", ".tpl", ".json"].iter().any(|ending| file.ends_with(ending));
            if !is_template {
                continue;
            }
            match repository.read_text(file) {
                Ok(text) => {
                    let named = groups.iter().find(|group| text.contains(&format!("{group}/")));
                    self.unread_files
                        .extend(named.map(|group| format!("{file} names {group}, and was not read as manifests")));
                }
                Err(error) => self.unread_files.push(format!("{file}: {}", error.message())),
            }
        }
        self.unread_files.extend(repository.unreadable.iter().map(|(path, reason)| format!("{path}: {reason}")));
    }

    /// Sets the package that the definitions come from, by its metadata.
    pub fn set_package(&mut self, metadata: &Value) {
        self.package = metadata["metadata"]["name"].as_str().map(str::to_owned);
        // `CapabilitiesContainFuzzyMatch` of Crossplane.
        let is_safe_start = |capability: &str| {
            let letters = capability.chars().filter(char::is_ascii_alphanumeric);
            letters.map(|letter| letter.to_ascii_lowercase()).eq("safestart".chars())
        };
        let capabilities = metadata["spec"]["capabilities"].as_array().into_iter().flatten().filter_map(Value::as_str);
        self.starts_inactive = metadata["kind"] == "Provider" && capabilities.into_iter().any(is_safe_start);
    }

    /// Marks the managed resources of a provider with safe-start, whose CRDs Crossplane converts to inactive definitions
    /// (`internal/converter/custom_to_managed.go`). Call this after all definitions were added.
    pub fn mark_inactive_kinds(&mut self) {
        const NOT_MANAGED: [&str; 4] =
            ["ProviderConfig", "ClusterProviderConfig", "ProviderConfigUsage", "ClusterProviderConfigUsage"];
        let is_managed = |definition: &&mut NewDefinition| !NOT_MANAGED.contains(&definition.kind.as_str());
        for definition in self.definitions.iter_mut().filter(is_managed) {
            definition.starts_inactive |= self.starts_inactive;
        }
    }

    /// Returns the new definition of a kind.
    pub fn definition_of(&self, kind: &ResourceKind) -> Option<&NewDefinition> {
        self.definitions.iter().find(|definition| definition.defines(kind))
    }
}

fn object_name(object: &DeclaredObject) -> ObjectName {
    ObjectName {
        api_version: object.api_version.clone(),
        kind: object.kind.clone(),
        namespace: object.namespace.clone(),
        name: object.name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn kinds_of_a_provider_with_safe_start_are_inactive_until_they_are_named() {
        let crd = |kind: &str| {
            json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": kind}, "spec": {
                "group": "a.org", "names": {"kind": kind, "plural": kind.to_lowercase()}, "versions": [{"name": "v1"}],
            }})
        };
        for (kind, capability, expected) in [
            ("Provider", "safe-start", [true, false]),
            ("Provider", "SafeStart", [true, false]),
            ("Provider", "other", [false, false]),
            ("Configuration", "safe-start", [false, false]),
        ] {
            let mut upgrade = DefinitionUpgrade::default();
            upgrade.add_manifest(&crd("Bucket"));
            upgrade.add_manifest(&crd("ProviderConfig"));
            let spec = json!({"capabilities": [capability]});
            upgrade.set_package(&json!({"kind": kind, "metadata": {"name": "p"}, "spec": spec}));
            upgrade.mark_inactive_kinds();
            let inactive: Vec<bool> = upgrade.definitions.iter().map(|definition| definition.starts_inactive).collect();
            assert_eq!((inactive, upgrade.package.as_deref()), (expected.to_vec(), Some("p")), "{kind} {capability}");
        }
    }
}
