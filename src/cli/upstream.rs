//! Whether the branch that a checkout follows has commits that the checkout does not have.

use ucp_core::error::Result;
use ucp_repo::git::Git;
use ucp_repo::git::log::is_hash;
use ucp_repo::git::publish::{PublishedCommit, PushDestination};

/// Returns the branch that the checkout follows, if it got a commit that the checkout does not have.
pub(super) fn upstream_ahead(
    git: &Git,
    destination: &PushDestination,
    published: &PublishedCommit,
) -> Result<Option<String>> {
    let has_files = git.query(["rev-parse", "--is-inside-work-tree"])?.as_deref() == Some("true");
    let follows = destination.base == published.branch && git.current_branch()?.is_some();
    Ok((has_files && follows).then(|| format!("{}/{}", destination.remote, published.branch)))
}

/// File in the Git directory with the last commit that was pushed past the checkout: the branch, the commit, and the commit of
/// the branch as the checkout knew it. No ref is written, because concurrent pushes would wait for each other.
const PUSHED: &str = "ucp-pushed";

/// Records a commit that was pushed to the branch that the checkout follows.
pub(super) fn record_push(git: &Git, upstream: &str, commit: &str) -> Result<()> {
    let known = git.query(["rev-parse", "--verify", "--quiet", &format!("refs/remotes/{upstream}")])?;
    let Some(path) = git.query(["rev-parse", "--git-path", PUSHED])? else { return Ok(()) };
    let line = format!("{upstream} {commit} {}\n", known.unwrap_or_default());
    // Without it, the checkout knows no more than after a push from another one.
    let _ = std::fs::write(git.directory().join(path), line);
    Ok(())
}

/// Returns the branch that the checkout follows, if it has commits that the checkout does not have: as of the last fetch, or of
/// a later `--push` from this checkout.
pub(super) fn upstream_with_more(git: &Git) -> Result<Option<String>> {
    let followed = match git.query(["rev-parse", "--symbolic-full-name", "@{upstream}"])? {
        Some(full) => full,
        // Without an upstream, pushes go to the branch of the same name.
        None => match PushDestination::resolve(git, None) {
            Ok(PushDestination { remote, base, .. }) if git.current_branch()?.as_ref() == Some(&base) => {
                format!("refs/remotes/{remote}/{base}")
            }
            _ => return Ok(None),
        },
    };
    let name = followed.strip_prefix("refs/remotes/").unwrap_or(&followed).to_owned();
    let missing = git.query(["rev-list", "--count", &format!("HEAD..{followed}")])?;
    let is_behind = missing.is_some_and(|number| number != "0") || has_pushed_past(git, &name, &followed)?;
    Ok(is_behind.then_some(name))
}

/// Returns true if a commit that this checkout pushed to a branch is not in HEAD, and the branch was not fetched since.
fn has_pushed_past(git: &Git, upstream: &str, tracking: &str) -> Result<bool> {
    let Some(path) = git.query(["rev-parse", "--git-path", PUSHED])? else { return Ok(false) };
    let Ok(text) = std::fs::read_to_string(git.directory().join(path)) else { return Ok(false) };
    let mut words = text.trim_end_matches('\n').split(' ');
    let (Some(branch), Some(commit), Some(known)) = (words.next(), words.next(), words.next()) else {
        return Ok(false);
    };
    let now = git.query(["rev-parse", "--verify", "--quiet", tracking])?.unwrap_or_default();
    if branch != upstream || known != now || !is_hash(commit) {
        return Ok(false);
    }
    Ok(git.query(["merge-base", "--is-ancestor", commit, "HEAD"])?.is_none())
}
