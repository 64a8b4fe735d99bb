//! The document `ServicePlan`: the files of a new service, and the references in them.

use serde::Serialize;

use super::API_VERSION;
use super::promotion::{Receipt, RepositoryPath};
use ucp_repo::gitops::files::FileEdit;

/// The document `ServicePlan`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServicePlan {
    api_version: &'static str,
    kind: &'static str,
    /// The repository of the service's files.
    pub source: RepositoryPath,
    /// The new service.
    pub service: String,
    /// The existing service that it is copied from.
    pub like: String,
    /// The repositories that change: the service's and the core cluster's.
    pub repositories: Vec<ServiceRepository>,
    /// The references of the new service, and the objects that write their targets.
    pub joins: Vec<ServiceReference>,
    /// The manual tasks for content that is not copied: secrets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_hand: Vec<String>,
    /// The reasons why the service cannot be created. If there are any, nothing is written.
    pub refused: Vec<String>,
    /// Warnings to show before confirmation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The changes in one repository.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceRepository {
    /// The path of the repository.
    pub path: String,
    /// New files, relative to the root of the repository.
    pub added: Vec<String>,
    /// Changed files.
    pub changed: Vec<String>,
    /// The commit of the changes.
    #[serde(flatten)]
    pub receipt: Receipt,
    /// The files before and after the change; in JSON, their content as it was read.
    #[serde(rename = "grounds", serialize_with = "FileEdit::serialize_grounds", skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileEdit>,
}

/// A reference of the new service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceReference {
    /// The environment of the reference.
    pub environment: String,
    /// The kind of the referenced object.
    pub kind: String,
    /// The name of the referenced object.
    pub name: String,
    /// The object that contains the reference.
    pub by: String,
    /// The object that writes the referenced object, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_by: Option<String>,
}

impl ServiceRepository {
    /// Returns the changes that these edits make in a repository.
    pub fn new(path: String, files: Vec<FileEdit>) -> Self {
        let named = |is_new: bool| {
            files.iter().filter(|file| file.before.is_none() == is_new).map(|file| file.path.clone()).collect()
        };
        Self { path, added: named(true), changed: named(false), receipt: Receipt::default(), files }
    }
}

impl ServicePlan {
    /// Returns an empty plan.
    pub fn new(service: &str, like: &str) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "ServicePlan",
            source: RepositoryPath::default(),
            service: service.to_owned(),
            like: like.to_owned(),
            repositories: Vec::new(),
            joins: Vec::new(),
            by_hand: Vec::new(),
            refused: Vec::new(),
            warnings: Vec::new(),
        }
    }
}
