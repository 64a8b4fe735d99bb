//! New versions of definitions, from CRDs, XRDs, or packages: compared with the installed ones and with live objects. No
//! request is sent: the caller reads both.

pub mod definition;
pub mod effects;
pub mod package;

use std::collections::BTreeMap;

use serde_json::Value;

use ucp_core::model::kind::ResourceKind;

use definition::NewDefinition;

/// The definitions to upgrade to, and the installed ones of the same kinds.
#[derive(Debug, Default)]
pub struct DefinitionUpgrade {
    /// The new definitions.
    pub definitions: Vec<NewDefinition>,
    /// Name of the package, if they come from one: `provider-aws-s3`.
    pub package: Option<String>,
    /// Manifests that could not be read: any of them may be a definition.
    pub unread: Vec<String>,
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

    /// Returns the new definition of a kind.
    pub fn definition_of(&self, kind: &ResourceKind) -> Option<&NewDefinition> {
        self.definitions.iter().find(|definition| definition.defines(kind))
    }
}
