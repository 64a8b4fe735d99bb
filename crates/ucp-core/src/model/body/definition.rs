//! Fields of a CustomResourceDefinition: served and stored versions.

use serde::Deserialize;

use super::narrowed::{BodyFields, NarrowedFields};
use crate::model::condition::Condition;
use crate::model::metadata::null_as_default;

/// A CustomResourceDefinition without its schemas.
#[derive(Debug, Clone, Default)]
pub struct CustomResourceDefinition {
    /// `spec.group`.
    pub group: String,
    /// `spec.names.kind`.
    pub kind: String,
    /// `spec.versions`.
    pub versions: Vec<CrdVersion>,
    /// Versions in which objects may be stored: `status.storedVersions`.
    pub stored: Vec<String>,
}

impl CustomResourceDefinition {
    /// Returns a version by name.
    pub fn version(&self, name: &str) -> Option<&CrdVersion> {
        self.versions.iter().find(|version| version.name == name)
    }

    /// Returns the version in which new objects are stored.
    pub fn storage_version(&self) -> Option<&CrdVersion> {
        self.versions.iter().find(|version| version.storage)
    }
}

/// One of `spec.versions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct CrdVersion {
    /// Name, such as `v1beta1`.
    pub name: String,
    /// True if the API server serves it.
    pub served: bool,
    /// True if objects are stored in it.
    pub storage: bool,
    /// True if its author deprecated it.
    #[serde(deserialize_with = "null_as_default")]
    pub deprecated: bool,
}

/// Serialized form of `spec`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct CrdSpec {
    group: String,
    names: CrdNames,
    #[serde(deserialize_with = "null_as_default")]
    versions: Vec<CrdVersion>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CrdNames {
    kind: String,
}

/// Serialized form of `status`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct CrdStatus {
    #[serde(deserialize_with = "null_as_default")]
    conditions: Vec<Condition>,
    #[serde(deserialize_with = "null_as_default")]
    stored_versions: Vec<String>,
}

impl BodyFields for CustomResourceDefinition {
    type Spec = CrdSpec;
    type Status = CrdStatus;

    fn narrow(spec: CrdSpec, status: CrdStatus) -> NarrowedFields<Self> {
        let CrdSpec { group, names, versions } = spec;
        let body = Self { group, kind: names.kind, versions, stored: status.stored_versions };
        NarrowedFields { conditions: status.conditions, observed_generation: None, body }
    }
}
