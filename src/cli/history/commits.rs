//! Commits of a checkout that the deployments of a timeline brought.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::cli::Context;
use crate::render::words::join_limited;
use ucp_core::error::{Error, Result};
use ucp_core::graph::Graph;
use ucp_features::history::{DeploymentIdentity, Occurrence, committed, git_deployments};
use ucp_repo::git::log::{commits_of_path, is_hash};
use ucp_repo::git::{Git, identity};

/// Where commits are read.
pub(super) enum CommitSource {
    /// A checkout that the user named.
    Named(PathBuf),
    /// The current directory, for repositories that it is a checkout of.
    CurrentDirectory,
    /// Nowhere.
    Nowhere,
}

/// Adds the commits of the deployments, and returns the deployments without a commit that changes their path. Deployments of other
/// repositories have none.
///
/// # Errors
/// Fails when the named directory is in no Git repository, or git cannot be started.
pub(super) fn add_commits(
    context: &Context,
    source: &CommitSource,
    occurrences: &mut Vec<Occurrence>,
    graph: &Graph<'_>,
) -> Result<BTreeSet<DeploymentIdentity>> {
    let directory = match source {
        CommitSource::Named(directory) => directory.as_path(),
        CommitSource::CurrentDirectory => Path::new("."),
        CommitSource::Nowhere => return Ok(BTreeSet::new()),
    };
    let deployments = git_deployments(occurrences, graph);
    let is_named = matches!(source, CommitSource::Named(_));
    if deployments.is_empty() && !is_named {
        return Ok(BTreeSet::new());
    }
    let git = Git::reading(directory);
    if git.query(["rev-parse", "--git-dir"])?.is_none() {
        return match is_named {
            true => Err(Error::usage(format!("{} is not in a Git repository", directory.display()))),
            false => Ok(BTreeSet::new()),
        };
    }
    let remotes = git.remote_urls()?;
    let is_here = |url: &str| remotes.iter().any(|remote| identity::is_same_repository(url, remote));
    let (mut missing, mut unchanged) = (BTreeSet::new(), BTreeSet::new());
    for deployment in deployments.iter().filter(|deployment| is_named || is_here(&deployment.repository)) {
        let (before, after) = (deployment.before.as_deref(), deployment.after.as_str());
        match commits_of_path(&git, before, after, &deployment.path)? {
            Some(commits) if commits.is_empty() && before.is_some() && !deployment.is_one_of_several => {
                unchanged.insert(deployment.identity());
            }
            Some(commits) => occurrences.extend(commits.iter().map(|commit| {
                let words = (commit.hash.as_str(), commit.author.as_str(), commit.subject.as_str());
                committed(deployment, commit.time, words, &commit.files)
            })),
            None if is_hash(after) && !deployment.is_one_of_several => drop(missing.insert(after)),
            None => {}
        }
    }
    occurrences.sort_by(|left, right| (left.time, &left.object).cmp(&(right.time, &right.object)));
    if !missing.is_empty() {
        let missing = join_limited(&missing.into_iter().collect::<Vec<_>>(), 3);
        context.ui.warn(&format!("the checkout does not have these deployed commits: {missing}; 'git fetch' may help"));
    }
    Ok(unchanged)
}
