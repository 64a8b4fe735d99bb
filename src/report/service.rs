//! The document `ServicePlan`: the files of a new service, and whether the names in them join.

use serde::Serialize;

use super::API_VERSION;
use super::promotion::{Receipt, RepositoryPath};
use crate::gitops::files::FileEdit;

/// The document `ServicePlan`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServicePlan {
    api_version: &'static str,
    kind: &'static str,
    /// Where the files of the service are.
    pub source: RepositoryPath,
    /// The new service.
    pub service: String,
    /// The one that it is a copy of.
    pub like: String,
    /// The repositories that change: that of the service, and that of the core cluster.
    pub repositories: Vec<ServiceRepository>,
    /// What the new service refers to, and who writes it.
    pub joins: Vec<Join>,
    /// What a person has to do, as it is not copied: secrets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_hand: Vec<String>,
    /// Why it cannot be made like this. Where there is something, nothing is written.
    pub refused: Vec<String>,
    /// What to know before saying yes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What changes in one repository.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceRepository {
    /// Where it is.
    pub path: String,
    /// Files that are new, from its top.
    pub added: Vec<String>,
    /// Files that change.
    pub changed: Vec<String>,
    /// Where its commit is.
    #[serde(flatten)]
    pub receipt: Receipt,
    /// The files before and after.
    #[serde(skip)]
    pub files: Vec<FileEdit>,
}

/// A reference of the new service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Join {
    /// The environment.
    pub environment: String,
    /// The kind of what is referred to.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Who refers to it.
    pub by: String,
    /// Who writes it; none where nobody does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_by: Option<String>,
}

impl ServiceRepository {
    /// What these edits do there.
    pub fn new(path: String, files: Vec<FileEdit>) -> Self {
        let named = |is_new: bool| {
            files.iter().filter(|file| file.before.is_none() == is_new).map(|file| file.path.clone()).collect()
        };
        Self { path, added: named(true), changed: named(false), receipt: Receipt::default(), files }
    }
}

impl ServicePlan {
    /// A plan that does nothing yet.
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
