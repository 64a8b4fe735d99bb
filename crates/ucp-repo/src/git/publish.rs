//! Publishing an edit: from files to a commit on the remote, with retries if others push at the same time.
//!
//! After a race, the edit is applied again to the new tip instead of rebased: two bumps of adjacent lines are
//! independent, but conflict in a rebase.

use std::time::{Duration, Instant};

use crate::git::private::PrivateTree;
use crate::git::push::{PushOutcome, push};
use crate::git::{Git, GitOutput, literal_path, summarize_error};
use ucp_core::error::{Error, Result};
use ucp_core::model::secrecy::scrub;

/// Time limit for all attempts. Many jobs that push to one branch take turns, about one per second.
const PATIENCE: Duration = Duration::from_secs(300);
/// Limit of rejections and lost connections.
const REFUSALS: u32 = 10;
/// Longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(3);

/// Remote and branches for commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushDestination {
    /// The remote.
    pub remote: String,
    /// The branch on which the edit is based.
    pub base: String,
    /// The branch to push to; may be the base.
    pub branch: String,
}

/// A commit on the remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedCommit {
    /// The commit.
    pub commit: String,
    /// The branch that contains it.
    pub branch: String,
    /// URL for creating a pull request, from the server's response.
    pub page: Option<String>,
    /// The reason for using another branch than the requested one.
    pub diverted: Option<String>,
    /// The run that created it.
    pub made_by: CommitOrigin,
}

/// The run that created a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitOrigin {
    /// This one.
    ThisRun,
    /// An earlier run of this or another command: its branch is not merged yet.
    AnEarlierRun,
}

/// Limit of branches of earlier runs that are inspected.
const LOOKED_AT: usize = 50;
/// Prefix of the branches of diverted commits.
const OWN: &str = "ucp/";

impl PushDestination {
    /// Resolves the destination for a repository: `branch` if given, else the upstream of the current branch; with a
    /// detached HEAD, the default branch of the remote.
    ///
    /// # Errors
    /// Fails when there is no remote, or no branch can be determined.
    pub fn resolve(git: &Git, branch: Option<&str>) -> Result<Self> {
        if let Some(branch) = branch {
            check_branch(git, branch)?;
        }
        let current = git.current_branch()?;
        let setting = |key: &str| -> Result<Option<String>> {
            match &current {
                Some(current) => git.query(["config", "--get", &format!("branch.{current}.{key}")]),
                None => Ok(None),
            }
        };
        let remotes = git.run(["remote"])?;
        let remotes: Vec<&str> = remotes.lines().collect();
        let followed = setting("remote")?.filter(|remote| remote != ".");
        let remote = match (followed, remotes.as_slice()) {
            (Some(remote), _) => remote,
            (None, [only]) => (*only).to_owned(),
            (None, remotes) if remotes.contains(&"origin") => "origin".to_owned(),
            (None, _) => return Err(Error::usage("no remote to push to").hint("git remote add origin URL")),
        };
        let merge = setting("merge")?.and_then(|name| name.strip_prefix("refs/heads/").map(str::to_owned));
        let base = match merge {
            Some(base) => base,
            None => default_branch(git, &remote)?,
        };
        let branch = branch.map_or_else(|| base.clone(), str::to_owned);
        Ok(Self { remote, base, branch })
    }

    /// Checks that the current branch, if there is one, leads to this destination.
    ///
    /// # Errors
    /// Fails with a usage error when it follows no branch and has another name.
    pub fn check_current_branch(&self, git: &Git) -> Result<()> {
        let Some(current) = git.current_branch()? else { return Ok(()) };
        let follows = git.query(["config", "--get", &format!("branch.{current}.merge")])?.is_some();
        if follows || current == self.base {
            return Ok(());
        }
        let Self { remote, base, .. } = self;
        Err(Error::usage(format!("{current:?} follows no branch of {remote}, so the branch to push to is unknown"))
            .hint(format!("pass --branch {base}, or let it follow one with 'git branch --set-upstream-to'")))
    }
}

/// Rejects names that git would parse as an option, or that are not branch names.
///
/// # Errors
/// Fails with a usage error.
pub fn check_branch(git: &Git, branch: &str) -> Result<()> {
    match git.query(["check-ref-format", "--branch", branch])? {
        Some(name) if name == branch => Ok(()),
        _ => Err(Error::usage(format!("{branch:?} is not a valid branch name"))),
    }
}

fn default_branch(git: &Git, remote: &str) -> Result<String> {
    let known = git.query(["symbolic-ref", "--quiet", &format!("refs/remotes/{remote}/HEAD")])?;
    if let Some(branch) =
        known.and_then(|name| name.strip_prefix(&format!("refs/remotes/{remote}/")).map(str::to_owned))
    {
        return Ok(branch);
    }
    let listed = git.run(["ls-remote", "--symref", "--", remote, "HEAD"])?;
    let head = listed.lines().find_map(|line| line.strip_prefix("ref: refs/heads/")?.strip_suffix("\tHEAD"));
    head.map(str::to_owned)
        .ok_or_else(|| Error::usage(format!("the default branch of {remote} is unknown")).hint("pass --branch NAME"))
}

/// Fetches a branch of a remote and returns its commit; `None` if the remote has no such branch.
///
/// # Errors
/// Fails when the remote cannot be read.
pub(super) fn fetch_tip(git: &Git, remote: &str, branch: &str) -> Result<Option<String>> {
    const TIP: &str = "refs/kubectl-ucp/tip";
    let refspec = format!("+refs/heads/{branch}:{TIP}");
    let arguments = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--refmap=", "--", remote, &refspec];
    let answer = git.output(arguments)?;
    if answer.success {
        return git.run(["rev-parse", "--verify", &format!("{TIP}^{{commit}}")]).map(Some);
    }
    match answer.stderr.contains("couldn't find remote ref") {
        true => Ok(None),
        false => Err(Error::failed(format!("cannot fetch from {remote}: {}", summarize_error(&answer.stderr)))),
    }
}

/// Checks out the tip of the branch on which an edit is based, and returns its commit.
///
/// # Errors
/// Fails when the remote cannot be read, or has neither branch.
pub fn check_out_tip(tree: &PrivateTree, destination: &PushDestination) -> Result<String> {
    let PushDestination { remote, base, branch } = destination;
    let found = match fetch_tip(tree.git(), remote, branch)? {
        None if branch != base => fetch_tip(tree.git(), remote, base)?,
        found => found,
    };
    let tip = found.ok_or_else(|| {
        Error::usage(format!("{remote} has no branch {base}")).hint("push it first, or name another with --branch")
    })?;
    tree.check_out(&tip)?;
    Ok(tip)
}

/// Returns the commit of a branch that has all edits and waits to be merged into the base. `has_edits` returns true if some of
/// them are not in the files of the tree. The tip of the branch must be checked out, and still is afterward.
///
/// # Errors
/// Fails when the remote cannot be read, or `has_edits` fails.
pub fn waiting_commit(
    tree: &PrivateTree,
    destination: &PushDestination,
    has_edits: impl FnOnce() -> Result<bool>,
) -> Result<Option<PublishedCommit>> {
    let git = tree.git();
    let PushDestination { remote, base, branch } = destination;
    let tip = git.run(["rev-parse", "--verify", "HEAD"])?;
    let Some(base) = fetch_tip(git, remote, base)?.filter(|_| branch != base) else { return Ok(None) };
    if git.output(["merge-base", "--is-ancestor", &tip, &base])?.success {
        return Ok(None);
    }
    tree.check_out(&base)?;
    let is_waiting = has_edits();
    tree.check_out(&tip)?;
    match is_waiting? {
        true => earlier_commit(git, branch.clone(), None).map(Some),
        false => Ok(None),
    }
}

/// Applies an edit to the tip of the remote's branch, commits it, and pushes it, with retries until the push succeeds.
///
/// The tip must be checked out in the tree, as [`check_out_tip`] leaves it; after a race, the new tip is checked out.
/// `edit` changes the files of the tree. It returns the commit message and the paths that it wrote, or `None` if there
/// is nothing to change. `options` returns the push options for a destination and a message.
///
/// # Errors
/// Fails when the edit fails, the server keeps rejecting the push, or the time limit is reached.
pub fn publish(
    tree: &PrivateTree,
    destination: &PushDestination,
    options: &dyn Fn(&PushDestination, &str) -> Vec<String>,
    mut edit: impl FnMut() -> Result<Option<(String, Vec<String>)>>,
) -> Result<Option<PublishedCommit>> {
    let git = tree.git();
    let mut attempts = PushAttempts { begun: Instant::now(), count: 0, refusals: 0, last: None };
    let mut destination = destination.clone();
    let mut diverted = None;
    let mut unanswered: Vec<String> = Vec::new();
    let mut checked_out = true;
    loop {
        if !checked_out {
            let tip = match check_out_tip(tree, &destination) {
                Ok(tip) => tip,
                // After a lost response, the connection may still be down.
                Err(error) => {
                    attempts.refused(error.report());
                    attempts.pause(&destination)?;
                    continue;
                }
            };
            for commit in &unanswered {
                // The response was lost, but the push had succeeded.
                if git.output(["merge-base", "--is-ancestor", commit, &tip])?.success {
                    let branch = destination.branch;
                    let commit = commit.clone();
                    return Ok(Some(PublishedCommit {
                        commit,
                        branch,
                        page: None,
                        diverted,
                        made_by: CommitOrigin::ThisRun,
                    }));
                }
            }
            attempts.check(&destination)?;
        }
        checked_out = false;
        let Some((message, paths)) = edit()? else {
            return match diverted.is_some() {
                true => earlier_commit(git, destination.branch, diverted).map(Some),
                false => Ok(None),
            };
        };
        let commit = commit(git, &message, &paths)?;
        let options = options(&destination, &message);
        match push(git, &destination.remote, &commit, &destination.branch, &options)? {
            PushOutcome::Accepted { page } => {
                let (branch, made_by) = (destination.branch, CommitOrigin::ThisRun);
                return Ok(Some(PublishedCommit { commit, branch, page, diverted, made_by }));
            }
            PushOutcome::Raced => attempts.last = Some("there are too many concurrent pushes to it".to_owned()),
            PushOutcome::Protected { reason } if destination.branch == destination.base => {
                // The branch name depends on the edit, so that the same edit later uses the same branch.
                diverted = Some(reason);
                destination.branch = format!("{OWN}{}", slug(&message));
                let base = git.run(["rev-parse", "--verify", &format!("{commit}^")])?;
                for branch in earlier_branches(git, &destination)? {
                    let candidate = PushDestination { branch, ..destination.clone() };
                    let tip = check_out_tip(tree, &candidate)?;
                    if git.output(["merge-base", "--is-ancestor", &tip, &base])?.success {
                        // It was merged, and its change was later reverted or replaced.
                        if candidate.branch == destination.branch {
                            destination.branch = format!("{}-{}", destination.branch, &base[..base.len().min(8)]);
                        }
                        continue;
                    }
                    if !candidate.branch.starts_with(OWN) && !has_subject(git, &base, &tip, &message)? {
                        continue;
                    }
                    let has_all = matches!(edit(), Ok(None));
                    if has_all {
                        return earlier_commit(git, candidate.branch, diverted).map(Some);
                    }
                    git.run(["reset", "--quiet", "--hard"])?;
                    git.run(["clean", "--quiet", "-d", "--force"])?;
                }
                continue;
            }
            PushOutcome::Protected { reason } | PushOutcome::Declined { reason } => attempts.refused(reason),
            PushOutcome::Unanswered { reason } => {
                unanswered.push(commit);
                attempts.refused(reason);
            }
        }
        attempts.pause(&destination)?;
    }
}

/// Returns the checked-out commit of an earlier run.
fn earlier_commit(git: &Git, branch: String, diverted: Option<String>) -> Result<PublishedCommit> {
    let commit = git.run(["rev-parse", "--verify", "HEAD"])?;
    Ok(PublishedCommit { commit, branch, page: None, diverted, made_by: CommitOrigin::AnEarlierRun })
}

/// Returns true if a branch has a commit with the first line of a message, as `--branch` of an earlier run makes it.
fn has_subject(git: &Git, base: &str, tip: &str, message: &str) -> Result<bool> {
    let subjects = git.run(["log", "--format=%s", "--max-count=50", &format!("{base}..{tip}")])?;
    Ok(subjects.lines().any(|subject| Some(subject) == message.lines().next()))
}

/// Lists the branches on the remote that may have the commit of an earlier run: the one that this commit would be pushed to,
/// those to which commits were diverted, and all others.
fn earlier_branches(git: &Git, destination: &PushDestination) -> Result<Vec<String>> {
    let listed = git.run(["ls-remote", "--heads", "--", &destination.remote])?;
    let names = listed.lines().filter_map(|line| line.split_once("\trefs/heads/").map(|(_, name)| name.to_owned()));
    let mut names: Vec<String> = names.filter(|name| *name != destination.base).collect();
    names.sort_by_key(|name| (*name != destination.branch, !name.starts_with(OWN)));
    names.truncate(LOOKED_AT);
    Ok(names)
}

/// Attempts so far, and the last reason for a failure.
struct PushAttempts {
    begun: Instant,
    count: u32,
    refusals: u32,
    last: Option<String>,
}

impl PushAttempts {
    fn refused(&mut self, reason: String) {
        self.refusals += 1;
        self.last = Some(reason);
    }

    /// Fails when the limit of rejections or the time limit is reached.
    fn check(&self, destination: &PushDestination) -> Result<()> {
        if self.refusals < REFUSALS && self.begun.elapsed() < PATIENCE {
            return Ok(());
        }
        let PushDestination { remote, branch, .. } = destination;
        let reason = self.last.as_deref().unwrap_or("no answer");
        Err(Error::failed(format!("cannot push to {branch} of {remote}: {reason}"))
            .hint("nothing was pushed; run the command again, or push to another branch with --branch NAME"))
    }

    /// Pauses with full jitter: for a random time up to a limit that doubles, so that concurrent jobs spread out.
    fn pause(&mut self, destination: &PushDestination) -> Result<()> {
        // The remote is read once more after the last rejection, in case the push had succeeded.
        if self.refusals > REFUSALS {
            self.check(destination)?;
        }
        let limit = LONGEST_PAUSE.min(Duration::from_millis(50) * 2_u32.saturating_pow(self.count.min(10)));
        self.count += 1;
        let millis = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        std::thread::sleep(Duration::from_millis(fastrand::u64(..=millis)));
        Ok(())
    }
}

/// Commits these paths of a work tree, with the user's identity, signing, and hooks.
///
/// # Errors
/// Fails when git fails, or a hook rejects the commit.
pub fn commit(git: &Git, message: &str, paths: &[String]) -> Result<String> {
    let with_paths = |words: &[&str]| -> Vec<String> {
        let literal = paths.iter().map(|path| literal_path(path));
        words.iter().map(|word| (*word).to_owned()).chain(literal).collect()
    };
    // git commits only tracked files by path.
    let is_new = !git.run(with_paths(&["ls-files", "--others", "--"]))?.is_empty();
    if is_new {
        git.run(with_paths(&["add", "--intent-to-add", "--force", "--"]))?;
    }
    let answer = git.with_hooks().output(with_paths(&["commit", "--quiet", "--only", "-m", message, "--"]))?;
    if !answer.success {
        if is_new {
            git.run(with_paths(&["reset", "--quiet", "--"]))?;
        }
        return Err(Error::failed(format!("git commit failed: {}", summarize_commit_failure(git, &answer)?)));
    }
    git.run(["rev-parse", "--verify", "HEAD"])
}

/// Returns the end of the output of git and its hooks for a failed commit, where the result is.
fn summarize_commit_failure(git: &Git, answer: &GitOutput) -> Result<String> {
    const SHOWN: usize = 20;
    let all = format!("{}\n{}", answer.stdout, answer.stderr);
    let lines: Vec<&str> =
        all.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with("hint:")).collect();
    let left_out = lines.len().saturating_sub(SHOWN);
    match &lines[left_out..] {
        [] => {
            // A hook may fail without output.
            let hooks = git.with_hooks().run(["rev-parse", "--git-path", "hooks"])?;
            Ok(format!("neither git nor a hook printed a reason; check the hooks in {hooks}, such as pre-commit"))
        }
        [line] => Ok(scrub(line).into_owned()),
        lines => {
            let more = if left_out > 0 { format!("\n  … {left_out} lines before") } else { String::new() };
            Ok(format!("{more}\n  {}", scrub(&lines.join("\n  "))))
        }
    }
}

/// Converts the first line of a message to a part of a branch name.
fn slug(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default().to_ascii_lowercase();
    let words: Vec<&str> =
        line.split(|c: char| !c.is_ascii_alphanumeric() && c != '.').filter(|word| !word.is_empty()).collect();
    let slug: String = words.join("-").trim_matches('.').chars().take(60).collect();
    // git rejects two consecutive dots, and names that end with `.lock`.
    slug.replace("..", ".").trim_end_matches(".lock").trim_end_matches(['.', '-']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branch_names_from_messages() {
        assert_eq!(slug("Promote echo to prod: v1.2\n\nbody"), "promote-echo-to-prod-v1.2");
        assert_eq!(slug("a..b.lock"), "a.b");
    }
}
