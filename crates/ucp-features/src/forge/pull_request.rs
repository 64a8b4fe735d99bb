//! Pull requests, as forges return them.

use jiff::Timestamp;

/// Whether a pull request is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullRequestState {
    /// It is open.
    Open,
    /// It was merged.
    Merged,
    /// It was closed without a merge.
    Closed,
}

/// A pull request, as a forge returns it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequest {
    /// The number, by which people name it.
    pub number: u64,
    /// The page.
    pub url: String,
    /// The title.
    pub title: String,
    /// The text.
    pub body: String,
    /// The account that opened it, if the forge returns it.
    pub author: Option<String>,
    /// The time at which it was opened, if the forge returns it.
    pub opened_at: Option<Timestamp>,
    /// The branch with the change.
    pub source: String,
    /// The branch that it is to be merged into.
    pub target: String,
    /// The commit of the source branch, if the forge returns it.
    pub head: Option<String>,
    /// True if the source branch is in the same repository, not in a fork.
    pub is_own_repository: bool,
    /// Whether it is open.
    pub state: PullRequestState,
    /// The commit of the merge on the target branch, if it was merged and the forge returns it.
    pub merge_commit: Option<String>,
    /// The labels.
    pub labels: Vec<String>,
    /// The identifier for the automatic merge, where it is not the number: GitHub's node, Azure's author.
    pub merge_id: Option<String>,
    /// The identifier of the project, where requirements are read with it: that of Azure.
    pub project_id: Option<String>,
}

#[cfg(test)]
impl PullRequest {
    /// Returns an open pull request into `main` of the same repository.
    pub(super) fn opened(number: u64, source: &str, body: String) -> Self {
        Self {
            number,
            url: format!("https://forge.example/{number}"),
            title: String::new(),
            body,
            author: None,
            opened_at: None,
            source: source.to_owned(),
            target: "main".to_owned(),
            head: None,
            is_own_repository: true,
            state: PullRequestState::Open,
            merge_commit: None,
            labels: vec![],
            merge_id: None,
            project_id: None,
        }
    }
}

/// A pull request to be opened or updated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequestDraft {
    /// The branch with the change.
    pub source: String,
    /// The branch that it is to be merged into.
    pub target: String,
    /// The title.
    pub title: String,
    /// The text.
    pub body: String,
}

/// A selection of pull requests into one branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullRequestQuery<'a> {
    /// All open ones.
    Open {
        /// The branch that they are to be merged into.
        target: &'a str,
    },
    /// Those of one branch that were closed or merged.
    Closed {
        /// The branch that they were to be merged into.
        target: &'a str,
        /// The branch with the change.
        source: &'a str,
    },
}
