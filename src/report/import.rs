//! The document `ImportPlan`: external resources to import, and the progress of each.

use serde::Serialize;

use super::Header;
use super::drift::FieldDifference;
use super::promotion::{Receipt, RepositoryPath};
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::{Origin, Unreadable};
use ucp_core::model::variant_words::variant_words;
use ucp_repo::gitops::files::FileEdit;
use ucp_repo::yaml::ordered::OrderedValue;

/// The document `ImportPlan`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportPlan {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// The repository that the manifests are written to.
    pub repository: RepositoryPath,
    /// The requested resources, in the order of their objects' names.
    pub items: Vec<ImportItem>,
    /// Objects and kinds that could not be read.
    pub unreadable: Vec<Unreadable>,
    /// Warnings to show before confirmation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The commit of the plan.
    #[serde(flatten)]
    pub receipt: Receipt,
    /// The files before and after the change; in JSON, their content as it was read.
    #[serde(rename = "grounds", serialize_with = "FileEdit::serialize_grounds", skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileEdit>,
}

/// One external resource to import.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportItem {
    /// The managed resource, if its kind is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<ObjectName>,
    /// The kind as it was requested.
    pub asked: String,
    /// The external name; absent for types without an external resource, whose IDs may be secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_name: Option<String>,
    /// The progress of the import.
    pub step: ImportStep,
    /// The reason why the import does not proceed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The file of the manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The external changes that owning the resource would cause.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<FieldDifference>,
    /// The manifest to write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manifest: Option<OrderedValue>,
}

/// The progress of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ImportStep {
    /// The resource cannot be imported as requested.
    Refused,
    /// The resource was observed, and owning it would change it: it remains observed.
    Differs,
    /// The object is not in the cluster yet, is not ready, or could not be read.
    Waiting,
    /// A manifest that only observes the resource is written.
    Observe,
    /// A manifest that owns the resource is written. This changes nothing outside.
    Own,
    /// The resource is already owned.
    Owned,
}

variant_words!(ImportStep {
    Refused = "refused", Differs = "differs", Waiting = "waiting", Observe = "observe", Own = "own", Owned = "owned",
});

impl ImportPlan {
    /// Returns an empty plan.
    pub fn new(source: Origin) -> Self {
        Self {
            header: Header::new("ImportPlan", source),
            repository: RepositoryPath::default(),
            items: Vec::new(),
            unreadable: Vec::new(),
            warnings: Vec::new(),
            receipt: Receipt::default(),
            files: Vec::new(),
        }
    }

    /// Returns the number of items at this step.
    pub fn count(&self, step: ImportStep) -> usize {
        self.items.iter().filter(|item| item.step == step).count()
    }
}
