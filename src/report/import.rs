//! The document `ImportPlan`: what is taken over, and how far it has come.

use serde::Serialize;

use super::Header;
use super::drift::FieldDifference;
use super::promotion::{Receipt, RepositoryPath};
use crate::gitops::files::FileEdit;
use crate::model::object::ObjectName;
use crate::model::state::{Origin, Unreadable};
use crate::yaml::ordered::Ordered;

/// The document `ImportPlan`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportPlan {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// The repository that the manifests are for.
    pub repository: RepositoryPath,
    /// What was asked for, in the order of the objects' names.
    pub items: Vec<ImportItem>,
    /// What could not be read.
    pub unreadable: Vec<Unreadable>,
    /// What to know before saying yes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Where its commit is.
    #[serde(flatten)]
    pub receipt: Receipt,
    /// The files before and after.
    #[serde(skip)]
    pub files: Vec<FileEdit>,
}

/// One thing outside.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportItem {
    /// Its object, where its kind is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<ObjectName>,
    /// Its kind, as it was asked for.
    pub asked: String,
    /// What it is called outside; absent for types that stand for nothing, whose ids may be secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_name: Option<String>,
    /// How far it has come.
    pub step: ImportStep,
    /// Why no further.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The file of its manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What would change outside if it were owned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<FieldDifference>,
    /// The manifest that is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Ordered>,
}

/// How far an import has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ImportStep {
    /// It cannot be taken over like this.
    Refused,
    /// It was observed, and something outside would change if it were owned: it stays observed.
    Differs,
    /// It is not in the cluster yet, or not ready, or nobody could be asked.
    Waiting,
    /// A manifest that only observes it is written.
    Observe,
    /// A manifest that owns it is written: nothing outside changes by that.
    Own,
    /// It is owned already.
    Owned,
}

impl ImportStep {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Differs => "differs",
            Self::Waiting => "waiting",
            Self::Observe => "observe",
            Self::Own => "own",
            Self::Owned => "owned",
        }
    }
}

impl ImportPlan {
    /// A plan that does nothing yet.
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

    /// How many have come so far.
    pub fn count(&self, step: ImportStep) -> usize {
        self.items.iter().filter(|item| item.step == step).count()
    }
}
