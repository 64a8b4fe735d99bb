//! Fields of an Argo CD AppProject.

use serde::Deserialize;

use super::destination::ApplicationDestination;
use crate::model::body::narrowed::{BodyFields, NarrowedFields};
use crate::model::metadata::null_as_default;

/// An AppProject: its destinations, and the orphans to ignore in them.
#[derive(Debug, Clone, Default)]
pub struct AppProject {
    /// `spec.destinations`.
    pub destinations: Vec<ApplicationDestination>,
    /// `spec.orphanedResources.ignore`.
    pub ignored_orphans: Vec<IgnoredOrphan>,
}

/// Serialized form of the `spec` of an AppProject.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct AppProjectSpec {
    #[serde(deserialize_with = "null_as_default")]
    destinations: Vec<ApplicationDestination>,
    #[serde(deserialize_with = "null_as_default")]
    orphaned_resources: OrphanedResources,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OrphanedResources {
    #[serde(deserialize_with = "null_as_default")]
    ignore: Vec<IgnoredOrphan>,
}

/// One of `spec.orphanedResources.ignore`. Each field is a glob; an empty kind or name matches any.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct IgnoredOrphan {
    /// API group.
    pub group: String,
    /// Kind.
    pub kind: String,
    /// Name.
    pub name: String,
}

impl BodyFields for AppProject {
    type Spec = AppProjectSpec;
    type Status = serde::de::IgnoredAny;

    fn narrow(spec: AppProjectSpec, _: serde::de::IgnoredAny) -> NarrowedFields<Self> {
        NarrowedFields {
            conditions: Vec::new(),
            observed_generation: None,
            body: Self { destinations: spec.destinations, ignored_orphans: spec.orphaned_resources.ignore },
        }
    }
}
