//! The branch of a pull request: written again from its base for each change, unless a person has committed to it.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::git::private::PrivateTree;
use crate::git::publish::{PushDestination, check_out_tip, commit, fetch_tip};
use crate::git::push::{PushOutcome, push_expecting};
use crate::git::{Git, literal_path};
use ucp_core::error::{Error, Result};
use ucp_core::model::hash::sha256_of;

/// Trailer with the hash of the rest of the commit. A commit that was amended, rebased or cherry-picked has another hash, even
/// if only its message, its author or its parent changed; one that a forge only signed has the same.
const TRAILER: &str = "Kubectl-Ucp-Commit: ";
/// Largest number of commits on such a branch.
const MOST: &str = "--max-count=50";
/// Attempts if other runs push to the branch, or the server rejects the push.
const ATTEMPTS: u32 = 30;
/// Attempts if the server rejects the push or does not respond.
const REFUSALS: u32 = 5;

/// The branch of a pull request on the remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedBranch {
    /// The commit.
    pub commit: String,
    /// The branch.
    pub branch: String,
    /// URL for creating a pull request, from the server's response.
    pub page: Option<String>,
    /// True if the branch had the change already.
    pub is_unchanged: bool,
}

/// Commits an edit to the branch `destination.branch`, on the tip of `destination.base`, and pushes it.
///
/// `edit` changes the files of the tree, in which the base is checked out; it returns the message and the paths, or `None`
/// if there is nothing to change. `check` is called with the previous commit of the branch checked out, if there is one.
///
/// # Errors
/// Fails when a person has committed to the branch, `edit` or `check` fails, or the push is rejected.
pub fn propose(
    tree: &PrivateTree,
    destination: &PushDestination,
    check: &dyn Fn() -> Result<()>,
    mut edit: impl FnMut() -> Result<Option<(String, Vec<String>)>>,
) -> Result<Option<ProposedBranch>> {
    let git = tree.git();
    let PushDestination { remote, base, branch } = destination;
    let on_base = PushDestination { branch: base.clone(), ..destination.clone() };
    let (mut refusals, mut last) = (0, String::new());
    for attempt in 0..ATTEMPTS {
        let tip = check_out_tip(tree, &on_base)?;
        let old = fetch_tip(git, remote, branch)?;
        if let Some(old) = &old {
            refuse_foreign(git, &tip, old, branch)?;
            tree.check_out(old)?;
            check()?;
            tree.check_out(&tip)?;
        }
        let Some((message, paths)) = edit()? else { return Ok(None) };
        let made = mark(git, &commit(git, &message, &paths)?)?;
        let proposed = |commit: String, page, is_unchanged| {
            Ok(Some(ProposedBranch { commit, branch: branch.clone(), page, is_unchanged }))
        };
        if let Some(old) = old.as_ref().filter(|old| has_same_change(git, &tip, old, &made, &paths).unwrap_or(false)) {
            return proposed(old.clone(), None, true);
        }
        match push_expecting(git, remote, &made, branch, old.as_deref())? {
            PushOutcome::Accepted { page } => return proposed(made, page, false),
            PushOutcome::Raced => "there are too many concurrent pushes to it".clone_into(&mut last),
            PushOutcome::Protected { reason } => {
                return Err(Error::failed(format!("cannot push to {branch} of {remote}: {reason}"))
                    .hint("allow pushes to the branches ucp/pr/**"));
            }
            PushOutcome::Declined { reason } | PushOutcome::Unanswered { reason } => {
                refusals += 1;
                last = reason;
            }
        }
        if refusals >= REFUSALS {
            break;
        }
        let limit = 50_u64 << attempt.min(5);
        std::thread::sleep(Duration::from_millis(fastrand::u64(..=limit)));
    }
    Err(Error::failed(format!("cannot push to {branch} of {remote}: {last}"))
        .hint("no pull request was opened or changed; run the command again"))
}

/// Checks the branch of a pull request that another one is to replace. `check` is called with the base checked out, and with
/// the files that the branch changes as it has them.
///
/// # Errors
/// Fails when a person has committed to the branch, `check` fails, or the remote cannot be read.
pub fn check_replaced(tree: &PrivateTree, destination: &PushDestination, check: &dyn Fn() -> Result<()>) -> Result<()> {
    let PushDestination { remote, base, branch } = destination;
    let git = tree.git();
    let Some(old) = fetch_tip(git, remote, branch)? else { return Ok(()) };
    let tip = check_out_tip(tree, &PushDestination { branch: base.clone(), ..destination.clone() })?;
    refuse_foreign(git, &tip, &old, branch)?;
    let files = changed_files(git, &tip, &old, "AM")?;
    if !files.is_empty() {
        git.run(
            ["checkout", "--quiet", &old, "--"]
                .map(str::to_owned)
                .into_iter()
                .chain(files.iter().map(|file| literal_path(file))),
        )?;
    }
    check()?;
    tree.check_out(&tip)
}

/// Returns true if a remote has a branch.
///
/// # Errors
/// Fails when the remote cannot be read.
pub fn exists(git: &Git, destination: &PushDestination, branch: &str) -> Result<bool> {
    Ok(!remote_head(git, &destination.remote, branch)?.is_empty())
}

/// Lists the branches of a remote whose names begin with a prefix.
///
/// # Errors
/// Fails when the remote cannot be read.
pub fn branches(git: &Git, remote: &str, prefix: &str) -> Result<BTreeSet<String>> {
    let listed = git.run(["ls-remote", "--heads", "--", remote, &format!("refs/heads/{prefix}*")])?;
    Ok(listed.lines().filter_map(|line| Some(line.split_once("refs/heads/")?.1.to_owned())).collect())
}

/// Returns the commit of a branch as the remote lists it; empty if it has none.
fn remote_head(git: &Git, remote: &str, branch: &str) -> Result<String> {
    let listed = git.run(["ls-remote", "--heads", "--", remote, &format!("refs/heads/{branch}")])?;
    Ok(listed.split_whitespace().next().unwrap_or_default().to_owned())
}

/// Returns true if a branch of a remote is at a commit.
///
/// # Errors
/// Fails when the remote cannot be read.
pub fn is_at(git: &Git, remote: &str, branch: &str, commit: &str) -> Result<bool> {
    Ok(remote_head(git, remote, branch)? == commit)
}

/// Deletes the branch of a replaced pull request, if no person has committed to it. Returns true if it is gone.
///
/// # Errors
/// Fails when git fails.
pub fn delete(git: &Git, destination: &PushDestination) -> Result<bool> {
    let PushDestination { remote, base, branch } = destination;
    let Some(old) = fetch_tip(git, remote, branch)? else { return Ok(true) };
    let tip = remote_head(git, remote, base)?;
    if tip.is_empty()
        || git.query(["cat-file", "-e", &tip])?.is_none()
        || refuse_foreign(git, &tip, &old, branch).is_err()
    {
        return Ok(false);
    }
    let lease = format!("--force-with-lease=refs/heads/{branch}:{old}");
    Ok(git.output(["push", "--quiet", &lease, "--", remote, &format!(":refs/heads/{branch}")])?.success)
}

/// Adds the trailer to a commit, and returns the new commit.
fn mark(git: &Git, made: &str) -> Result<String> {
    let raw = git.run(["cat-file", "commit", made])?;
    let content = CommitContent::parse(&raw);
    let message = format!("{}\n\n{TRAILER}{}", content.message, content.hash());
    // The hash covers the time, so that the new commit has it, too. The hooks have checked the commit already.
    let git = git.clone().with("GIT_COMMITTER_DATE", format!("@{}", content.committed_at()));
    git.run(["commit", "--quiet", "--amend", "--no-verify", "--cleanup=verbatim", "-m", &message])?;
    git.run(["rev-parse", "--verify", "HEAD"])
}

/// The parts of a commit object that a person may change.
struct CommitContent<'c> {
    /// The tree, the parents, the author, the committer and so on, without signatures.
    headers: Vec<&'c str>,
    /// The message without the trailer.
    message: &'c str,
    /// The hash in the trailer.
    marker: Option<&'c str>,
}

impl<'c> CommitContent<'c> {
    fn parse(raw: &'c str) -> Self {
        let (headers, message) = raw.split_once("\n\n").unwrap_or((raw, ""));
        let mut is_signature = false;
        let is_kept = |line: &&str| {
            // A line that begins with a space continues the one before.
            is_signature = if line.starts_with(' ') { is_signature } else { line.starts_with("gpgsig") };
            !is_signature
        };
        let headers = headers.lines().filter(is_kept).collect();
        let message = message.trim_end();
        let (before, last) = message.rsplit_once('\n').unwrap_or(("", message));
        match last.strip_prefix(TRAILER) {
            Some(marker) => Self { headers, message: before.trim_end(), marker: Some(marker) },
            None => Self { headers, message, marker: None },
        }
    }

    fn hash(&self) -> String {
        sha256_of(format!("{}\n\n{}", self.headers.join("\n"), self.message).as_bytes())
    }

    /// Returns the values of a header.
    fn header_values(&self, name: &str) -> Vec<&'c str> {
        self.headers.iter().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).collect()
    }

    /// Returns the time of the commit in seconds, and its time zone.
    fn committed_at(&self) -> &'c str {
        let committer = self.header_values("committer").into_iter().next();
        committer.and_then(|line| line.rsplit_once("> ")).map_or("", |(_, time)| time)
    }
}

/// Fails if a branch has a commit that no run of this tool made, or that was changed since.
fn refuse_foreign(git: &Git, base: &str, tip: &str, branch: &str) -> Result<()> {
    for commit in git.run(["rev-list", MOST, &format!("{base}..{tip}")])?.lines() {
        let raw = git.run(["cat-file", "commit", commit])?;
        let content = CommitContent::parse(&raw);
        if content.marker == Some(content.hash().as_str()) || is_update(git, base, &content)? {
            continue;
        }
        let author = git.run(["log", "-1", "--no-show-signature", "--format=%an", commit])?;
        let change =
            if content.marker.is_some() { "was changed after this tool made it" } else { "is not of this tool" };
        return Err(Error::refused(format!(
            "the branch {branch} has the commit {} of {author}, which {change} and is not overwritten",
            &commit[..commit.len().min(12)]
        ))
        .hint("merge or close its pull request, and delete the branch; then run the command again"));
    }
    Ok(())
}

/// Returns true if a commit is a merge of the base that adds nothing to it, as "Update branch" of a forge creates. Git before 2.38
/// cannot repeat a merge, so that it is a commit of a person there.
fn is_update(git: &Git, base: &str, content: &CommitContent<'_>) -> Result<bool> {
    let [branch, merged] = content.header_values("parent")[..] else { return Ok(false) };
    if !git.output(["merge-base", "--is-ancestor", merged, base])?.success {
        return Ok(false);
    }
    let again = git.output(["merge-tree", "--write-tree", branch, merged])?;
    Ok(again.success && content.header_values("tree") == [again.stdout.trim()])
}

/// Returns true if the branch changes the same files to the same content as a new commit, and nothing else.
fn has_same_change(git: &Git, base: &str, old: &str, made: &str, paths: &[String]) -> Result<bool> {
    if git.output(["merge-base", "--is-ancestor", old, base])?.success {
        // It was merged, and the change was reverted later.
        return Ok(false);
    }
    if changed_files(git, base, old, "ACDMRTUXB")?.iter().any(|path| !paths.contains(path)) {
        return Ok(false);
    }
    let fixed = ["diff", "--quiet", "--no-ext-diff", old, made, "--"].map(str::to_owned);
    Ok(git.output(fixed.into_iter().chain(paths.iter().map(|path| literal_path(path))))?.success)
}

/// Returns the files that a branch changes since it left its base, by the kinds of changes in git's notation.
fn changed_files(git: &Git, base: &str, tip: &str, kinds: &str) -> Result<Vec<String>> {
    let start = git.run(["merge-base", base, tip])?;
    let filter = format!("--diff-filter={kinds}");
    let changed = git.run(["diff", "--name-only", "--no-renames", &filter, "-z", &start, tip])?;
    Ok(changed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
}
