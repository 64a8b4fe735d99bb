//! Pull requests: the APIs of forges behind one trait, and the one open pull request of a change.
//!
//! An adapter is pure: it describes requests and reads responses. [`session`] sends them.

mod adapter;
pub mod address;
mod azure;
mod bitbucket;
pub mod commits;
mod gitea;
mod github;
mod gitlab;
pub mod merging;
mod pull_request;
mod request;
pub mod requirements;
mod response;
pub mod scope;
pub mod server;
pub mod session;
#[cfg(test)]
mod shapes;
pub mod token;

pub use pull_request::{PullRequest, PullRequestState};

use adapter::Forge;
use address::RemoteAddress;

use ucp_core::failure::Failure;

/// A forge: a server for Git repositories with pull requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ForgeKind {
    /// GitHub, and GitHub Enterprise.
    Github,
    /// GitLab.
    Gitlab,
    /// Gitea and Forgejo.
    #[value(alias = "forgejo")]
    Gitea,
    /// Bitbucket Cloud.
    Bitbucket,
    /// Azure DevOps.
    Azure,
}

impl ForgeKind {
    /// Returns the name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Github => "GitHub",
            Self::Gitlab => "GitLab",
            Self::Gitea => "Gitea",
            Self::Bitbucket => "Bitbucket",
            Self::Azure => "Azure DevOps",
        }
    }

    /// Returns the adapter for a repository.
    ///
    /// # Errors
    /// Fails with the reason when the path of the remote is not one of this forge.
    pub fn repository(self, remote: &RemoteAddress) -> Result<Box<dyn Forge>, Failure> {
        Ok(match self {
            Self::Github => Box::new(github::GithubRepository::new(remote)?),
            Self::Gitlab => Box::new(gitlab::GitlabProject::new(remote)?),
            Self::Gitea => Box::new(gitea::GiteaRepository::new(remote)?),
            Self::Bitbucket => Box::new(bitbucket::BitbucketRepository::new(remote)?),
            Self::Azure => Box::new(azure::AzureRepository::new(remote)?),
        })
    }
}
