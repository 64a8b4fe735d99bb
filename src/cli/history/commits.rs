//! Commits of a checkout that the deployments of a timeline brought.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::cli::Context;
use crate::cli::side_by_side::side_by_side;
use crate::render::words::join_limited;
use ucp_core::error::{Error, Result};
use ucp_core::graph::Graph;
use ucp_features::history::{
    ChangeSort, CommittedChange, DeployedCommit, DeploymentIdentity, GitDeployment, Occurrence, committed,
    committed_changes, git_deployments,
};
use ucp_repo::git::log::{PathCommit, commits_of_path, is_hash};
use ucp_repo::git::texts::{FileAtCommit, FileText, texts};
use ucp_repo::git::{Git, identity};

/// The highest number of files whose changes are read: of one commit, and of all.
const MOST_FILES: usize = 5;
const MOST_CHANGED: usize = 200;

/// The highest number of processes of git at the same time.
const PROCESSES: usize = 8;

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
/// repositories have none. Without git, as in a minimal image, a timeline that needs no checkout has no commits.
///
/// # Errors
/// Fails when the named directory is in no Git repository, or git cannot be started for it.
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
    match git.query(["rev-parse", "--git-dir"]) {
        Ok(Some(_)) => {}
        Ok(None) if is_named => {
            return Err(Error::usage(format!("{} is not in a Git repository", directory.display())));
        }
        Ok(None) => return Ok(BTreeSet::new()),
        Err(error) if is_named => return Err(error),
        Err(error) => {
            context.ui.warn(&format!("commits are not shown: {}", error.message()));
            return Ok(BTreeSet::new());
        }
    }
    let remotes = git.remote_urls()?;
    let is_here = |url: &str| remotes.iter().any(|remote| identity::is_same_repository(url, remote));
    let (mut missing, mut unchanged, mut found) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    let here: Vec<&GitDeployment> =
        deployments.iter().filter(|deployment| is_named || is_here(&deployment.repository)).collect();
    let read = commits_of_steps(&git, &here)?;
    for deployment in here {
        let after = deployment.after.as_str();
        match read.get(&DeployedStep::of_deployment(deployment)).cloned().flatten() {
            Some(commits) if commits.is_empty() && deployment.before.is_some() && !deployment.is_one_of_several => {
                unchanged.insert(deployment.identity());
            }
            Some(commits) => found.extend(commits.into_iter().map(|commit| (deployment, commit))),
            None if is_hash(after) && !deployment.is_one_of_several => drop(missing.insert(after)),
            None => {}
        }
    }
    let changes = changes_of(&git, found.iter().map(|(_, commit)| commit))?;
    occurrences.extend(found.iter().map(|(deployment, commit)| {
        let PathCommit { hash, author, subject, time, files } = commit;
        let changes: Vec<CommittedChange> =
            files.iter().filter_map(|file| changes.get(&(hash.as_str(), file.as_str()))).flatten().cloned().collect();
        committed(deployment, *time, DeployedCommit { hash, author, subject, files, changes: &changes })
    }));
    // A commit comes before its deployment.
    let order = |one: &Occurrence| (one.time, one.change != ChangeSort::Committed);
    occurrences.sort_by(|left, right| (order(left), &left.object).cmp(&(order(right), &right.object)));
    if !missing.is_empty() {
        let missing = join_limited(&missing.into_iter().collect::<Vec<_>>(), 3);
        context.ui.warn(&format!("the checkout does not have these deployed commits: {missing}; 'git fetch' may help"));
    }
    Ok(unchanged)
}

/// Revisions before and after a deployment, and the path that was deployed: the same for many deployments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct DeployedStep<'a> {
    before: Option<&'a str>,
    after: &'a str,
    path: &'a str,
}

impl<'a> DeployedStep<'a> {
    fn of_deployment(deployment: &'a GitDeployment) -> Self {
        Self { before: deployment.before.as_deref(), after: &deployment.after, path: &deployment.path }
    }
}

/// Returns the commits of each step; none if the repository does not have its revisions.
fn commits_of_steps<'a>(
    git: &Git,
    deployments: &[&'a GitDeployment],
) -> Result<BTreeMap<DeployedStep<'a>, Option<Vec<PathCommit>>>> {
    let steps: BTreeSet<DeployedStep<'a>> =
        deployments.iter().map(|deployment| DeployedStep::of_deployment(deployment)).collect();
    let steps: Vec<DeployedStep<'a>> = steps.into_iter().collect();
    let read = |step: &DeployedStep<'a>| commits_of_path(git, step.before, step.after, step.path);
    let commits: Vec<Option<Vec<PathCommit>>> =
        side_by_side(&steps, PROCESSES, read).into_iter().collect::<Result<_>>()?;
    Ok(steps.into_iter().zip(commits).collect())
}

/// The changes of a file in a commit.
type FileChanges<'a> = BTreeMap<(&'a str, &'a str), Vec<CommittedChange>>;

/// Returns the changes that commits make in files of YAML, the first ones of each commit.
fn changes_of<'a>(git: &Git, commits: impl Iterator<Item = &'a PathCommit>) -> Result<FileChanges<'a>> {
    let is_yaml = |file: &&String| [".yaml", ".yml", ".json"].iter().any(|end| file.ends_with(end));
    let files = commits.flat_map(|commit| {
        commit.files.iter().filter(is_yaml).take(MOST_FILES).map(|file| (commit.hash.as_str(), file.as_str()))
    });
    let files: Vec<(&str, &str)> = files.collect::<BTreeSet<_>>().into_iter().take(MOST_CHANGED).collect();
    let pairs = files
        .iter()
        .flat_map(|&(commit, path)| [true, false].map(|is_before| FileAtCommit { commit, is_before, path }));
    let texts = texts(git, &pairs.collect::<Vec<_>>())?;
    let is_complete = !texts.contains(&FileText::Absent) || git.is_complete()?;
    let is_unknown = |text: &FileText| match text {
        FileText::Unread => true,
        FileText::Absent => !is_complete,
        FileText::Read(_) => false,
    };
    let changes = |pair: &[FileText]| match pair {
        pair if pair.iter().any(is_unknown) => Vec::new(),
        [before, after] => committed_changes(text_of(before), text_of(after)),
        _ => Vec::new(),
    };
    Ok(files.into_iter().zip(texts.chunks_exact(2).map(changes)).collect())
}

fn text_of(file: &FileText) -> Option<&str> {
    match file {
        FileText::Read(text) => Some(text),
        FileText::Absent | FileText::Unread => None,
    }
}
