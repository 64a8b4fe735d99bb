//! The document `PromotionPlan`: the versions that change, remain, and are refused, with reasons.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::report::API_VERSION;
use crate::report::wait::WaitOutcome;
use ucp_repo::gitops::files::FileEdit;
use ucp_repo::gitops::order::Direction;

/// The planned or executed changes of `promote` and `set-image`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PromotionPlan {
    api_version: &'static str,
    kind: &'static str,
    /// The repository of the files.
    pub source: RepositoryPath,
    /// The environment that versions are copied from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The environment that versions are copied to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The values that change.
    pub changes: Vec<VersionUpdate>,
    /// The versions that the environment declares already, for which nothing is edited.
    #[serde(skip)]
    pub declared: Vec<VersionUpdate>,
    /// The values that remain.
    pub kept: Vec<UnchangedValue>,
    /// The values that need to change but must not. If there are any, nothing is written.
    pub refused: Vec<UnchangedValue>,
    /// Warnings to show before confirmation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The commit of the plan.
    #[serde(flatten)]
    pub receipt: Receipt,
    /// True if refused values are left out and the rest is written.
    #[serde(skip)]
    pub leaves_out: bool,
    /// The files before and after the change; in JSON, their content as it was read.
    #[serde(rename = "grounds", serialize_with = "FileEdit::serialize_grounds", skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileEdit>,
}

/// The commit of a plan; empty if there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// The ID of the commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The remote branch that contains the commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pushed: Option<String>,
    /// The page to open a pull request, or the opened pull request, as returned by the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<String>,
    /// The branch of an earlier run that already has the change and is not merged yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<WaitingBranch>,
    /// The pull request of `--pr`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<PullRequestReceipt>,
    /// The result of `--wait`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub awaited: Option<AwaitedChange>,
    /// The remote branch that contains the commit, if the checkout does not have it yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkout_behind: Option<String>,
}

/// The pull request of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PullRequestReceipt {
    /// Its number.
    pub number: u64,
    /// The work of this run: opened, updated, or unchanged.
    pub state: &'static str,
    /// The numbers of the pull requests that it replaces, which were closed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closed: Vec<u64>,
    /// Settings that could not be made, with reasons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// The result of waiting for a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AwaitedChange {
    /// Whether it is merged, and its versions run.
    pub outcome: WaitOutcome,
    /// The commit of the merge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged: Option<String>,
    /// The reason why the goal is not reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A branch that is not merged yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingBranch {
    /// The name of the branch.
    pub branch: String,
    /// The target branch of the merge.
    pub into: String,
    /// The URL of the repository, without credentials.
    pub url: String,
}

/// The location that files were read from.
#[derive(Debug, Clone, Default, Serialize, schemars::JsonSchema)]
pub struct RepositoryPath {
    /// The root of the work tree, the URL of the repository, or the path of a single file.
    pub path: String,
}

/// One value that changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VersionUpdate {
    /// The service, if the repository has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// The image as named in the workloads, or the file and path of a value.
    pub image: String,
    /// The file, relative to the root of the repository.
    pub file: String,
    /// The line of the entry; for an added entry, the line after the last.
    pub line: usize,
    /// The current version; empty if none was declared.
    pub before: String,
    /// The new version.
    pub after: String,
    /// The direction of the change: upgrade, downgrade, or unknown.
    pub direction: Direction,
    /// The name by which the image is pulled; absent if it is no image.
    #[serde(skip)]
    pub pulled: Option<String>,
}

/// One value that does not change, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnchangedValue {
    /// The service, if the repository has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// The image, or the file and path of a value.
    pub image: String,
    /// The reason.
    pub reason: String,
    /// A remedy: a line of `.ucp.yaml`, a flag or a command; a text in the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<Remedy>,
    /// The importance of the reason for text output.
    #[serde(skip)]
    pub weight: ReasonImportance,
}

/// A remedy for a value that does not change. At least one of the two is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remedy {
    /// What to do; may be empty.
    pub advice: String,
    /// A line of `.ucp.yaml` that changes the plan.
    pub line: Option<ConfigLine>,
}

/// A line of `.ucp.yaml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigLine {
    /// The line.
    pub text: String,
    /// The effect of the line, as the end of a sentence.
    pub effect: &'static str,
}

impl From<ConfigLine> for Remedy {
    fn from(line: ConfigLine) -> Self {
        Self { advice: String::new(), line: Some(line) }
    }
}

impl From<&str> for Remedy {
    fn from(advice: &str) -> Self {
        advice.to_owned().into()
    }
}

impl From<String> for Remedy {
    fn from(advice: String) -> Self {
        Self { advice, line: None }
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.advice)?;
        let Some(ConfigLine { text, effect }) = &self.line else { return Ok(()) };
        let separator = if self.advice.is_empty() { "" } else { "; " };
        write!(formatter, "{separator}in .ucp.yaml, '{text}' {effect}")
    }
}

impl Serialize for Remedy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The importance of the reason why a value does not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReasonImportance {
    /// The value is already correct.
    Level,
    /// Only one of the environments has the value.
    OneSided,
    /// Something prevents the change.
    Telling,
}

impl PromotionPlan {
    /// Returns an empty plan.
    pub fn new(source: RepositoryPath) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "PromotionPlan",
            source,
            from: None,
            to: None,
            changes: Vec::new(),
            declared: Vec::new(),
            kept: Vec::new(),
            refused: Vec::new(),
            warnings: Vec::new(),
            receipt: Receipt::default(),
            leaves_out: false,
            files: Vec::new(),
        }
    }
}

impl UnchangedValue {
    /// Returns the reason and the remedy.
    pub fn reason_with_remedy(&self) -> String {
        match &self.help {
            Some(help) => format!("{}; {help}", self.reason),
            None => self.reason.clone(),
        }
    }
}
