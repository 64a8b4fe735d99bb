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
    /// Returns the new definition of a kind.
    pub fn definition_of(&self, kind: &ResourceKind) -> Option<&NewDefinition> {
        self.definitions.iter().find(|definition| definition.group == kind.group && definition.plural == kind.plural)
    }
}
