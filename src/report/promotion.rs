//! `PromotionPlan`: which versions move, which stay and why, which are refused.

use serde::Serialize;

use crate::gitops::files::FileEdit;
use crate::gitops::order::Direction;
use crate::report::API_VERSION;

/// What `promote` and `set-image` are about to do, or have done.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PromotionPlan {
    api_version: &'static str,
    kind: &'static str,
    /// Where the files are.
    pub source: RepositoryPath,
    /// The environment that versions come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The environment that they go to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Values that change.
    pub changes: Vec<Change>,
    /// Values that stay.
    pub kept: Vec<Left>,
    /// Values that would have to change and must not. Where there is one, nothing is written.
    pub refused: Vec<Left>,
    /// What to know before saying yes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Where its commit is.
    #[serde(flatten)]
    pub receipt: Receipt,
    /// Whether what is refused is left out, and the rest moves all the same.
    #[serde(skip)]
    pub leaves_out: bool,
    /// The files before and after.
    #[serde(skip)]
    pub files: Vec<FileEdit>,
}

/// Where the commit of a plan is; empty where there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// The commit that was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The branch at the remote that the commit is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pushed: Option<String>,
    /// The page to open a pull request, or the one that was opened, as the server answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<String>,
    /// The branch of an earlier run that has the change already, and that nobody has merged yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<WaitingBranch>,
    /// The branch at the remote that has the commit, where the checkout does not have it yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkout_behind: Option<String>,
}

/// A branch that waits to be merged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingBranch {
    /// Its name.
    pub branch: String,
    /// The branch that it is to be merged into.
    pub into: String,
    /// The repository, without credentials.
    pub url: String,
}

/// Where files were read.
#[derive(Debug, Clone, Default, Serialize, schemars::JsonSchema)]
pub struct RepositoryPath {
    /// The top of the work tree, the URL of the repository, or a single file.
    pub path: String,
}

/// One value that changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The service, where there is a repository of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// The image as the workloads name it, or the file and path of a value.
    pub image: String,
    /// The file, seen from the top of the repository.
    pub file: String,
    /// The line of the entry; the line after the last where it is added.
    pub line: usize,
    /// The version so far; empty where none was declared.
    pub before: String,
    /// The version to be.
    pub after: String,
    /// Where that leads.
    pub direction: Direction,
}

/// One value that stays, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// The service, where there is a repository of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// The image, or the file and path of a value.
    pub image: String,
    /// Why it stays.
    pub reason: String,
    /// What helps: a line of `.ucp.yaml`, a flag or a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Whether a person wants to read it.
    #[serde(skip)]
    pub weight: Weight,
}

/// Whether a person wants to read why a value stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// It is as it should be.
    Level,
    /// Something keeps it.
    Telling,
}

impl PromotionPlan {
    /// A plan that does nothing yet.
    pub fn new(source: RepositoryPath) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "PromotionPlan",
            source,
            from: None,
            to: None,
            changes: Vec::new(),
            kept: Vec::new(),
            refused: Vec::new(),
            warnings: Vec::new(),
            receipt: Receipt::default(),
            leaves_out: false,
            files: Vec::new(),
        }
    }
}

impl Left {
    /// Why it stays, and what helps.
    pub fn explained(&self) -> String {
        match &self.help {
            Some(help) => format!("{}; {help}", self.reason),
            None => self.reason.clone(),
        }
    }
}
