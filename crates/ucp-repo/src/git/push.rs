//! Pushes one commit to one branch, and classifies the response.

use crate::git::{Git, summarize_error};
use ucp_core::error::Result;
use ucp_core::model::secrecy::scrub;

/// Result of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushOutcome {
    /// The branch is now at the commit.
    Accepted {
        /// URL for creating a pull or merge request, from the server's response.
        page: Option<String>,
    },
    /// Another push was faster: the branch is no longer at the base of the commit.
    Raced,
    /// The server protects this branch: another branch must be used.
    Protected {
        /// The reason, from the server's response.
        reason: String,
    },
    /// The server rejected the push, for example by a hook or a quota; a retry may succeed.
    Declined {
        /// The reason, from the server's response.
        reason: String,
    },
    /// The result is unknown: the connection was lost or not established.
    Unanswered {
        /// The reason, from git's output.
        reason: String,
    },
}

/// Pushes a commit to a branch of a remote, never by force. `options` are push options, as used by GitLab.
///
/// # Errors
/// Fails when git cannot be started.
pub fn push(git: &Git, remote: &str, commit: &str, branch: &str, options: &[String]) -> Result<PushOutcome> {
    let mut arguments = vec!["push".to_owned(), "--porcelain".to_owned()];
    arguments.extend(options.iter().map(|option| format!("--push-option={option}")));
    arguments.extend(["--".to_owned(), remote.to_owned(), format!("{commit}:refs/heads/{branch}")]);
    let answer = git.with_hooks().output(&arguments)?;
    if !options.is_empty() && answer.stderr.contains("does not support push options") {
        return push(git, remote, commit, branch, &[]);
    }
    Ok(classify(&answer.stdout, &answer.stderr, answer.success))
}

/// Pushes a commit to a branch that only this tool writes, provided that the branch is still at the commit `expected`, or
/// still does not exist.
///
/// # Errors
/// Fails when git cannot be started.
pub fn push_expecting(
    git: &Git,
    remote: &str,
    commit: &str,
    branch: &str,
    expected: Option<&str>,
) -> Result<PushOutcome> {
    let lease = format!("--force-with-lease=refs/heads/{branch}:{}", expected.unwrap_or_default());
    let refspec = format!("{commit}:refs/heads/{branch}");
    let answer = git.with_hooks().output(["push", "--porcelain", &lease, "--", remote, &refspec])?;
    Ok(classify(&answer.stdout, &answer.stderr, answer.success))
}

/// Parses the output of `push --porcelain` (git-push(1), "OUTPUT") and the server's messages.
fn classify(stdout: &str, stderr: &str, success: bool) -> PushOutcome {
    const LOST: [&str; 6] = [
        "non-fast-forward",
        "fetch first",
        "cannot lock ref",
        "incorrect old value provided",
        "stale info",
        "failed to update ref",
    ];
    const PROTECTED: [&str; 5] =
        ["protected branch", "GH006", "GH013", "not allowed to push code to protected", "TF402455"];
    if success {
        return PushOutcome::Accepted { page: pull_request_url(stderr) };
    }
    let rejection = stdout.lines().find(|line| line.starts_with("!\t"));
    let says = |words: &[&str], text: &str| words.iter().any(|word| text.contains(word));
    let Some(rejection) = rejection else {
        // Two pushes may collide on the server before it reports the rejection of a ref.
        return match says(&LOST, stderr) {
            true => PushOutcome::Raced,
            false => PushOutcome::Unanswered { reason: summarize_error(stderr) },
        };
    };
    let server = stderr.lines().filter_map(|line| line.strip_prefix("remote:")).map(str::trim);
    // A server may put its message between two lines without one.
    let server = server.map(|line| line.strip_prefix("error:").unwrap_or(line).trim()).filter(|line| !line.is_empty());
    let server = server.collect::<Vec<_>>().join("; ");
    let summary = rejection.rsplit('\t').next().unwrap_or_default();
    let reason = scrub(if server.is_empty() { summary } else { &server }).into_owned();
    if says(&PROTECTED, &server) || says(&PROTECTED, summary) {
        PushOutcome::Protected { reason }
    } else if says(&LOST, rejection) || says(&LOST, &server) {
        PushOutcome::Raced
    } else {
        PushOutcome::Declined { reason }
    }
}

/// Returns the first URL in the server's messages.
fn pull_request_url(stderr: &str) -> Option<String> {
    let lines = stderr.lines().filter_map(|line| line.strip_prefix("remote:"));
    let url =
        lines.flat_map(str::split_whitespace).find(|word| word.starts_with("https://") || word.starts_with("http://"));
    url.map(|url| scrub(url).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_of_a_push_is_read_from_the_output_of_git() {
        let rejected = |summary: &str| format!("To u\n!\tabc:refs/heads/main\t[{summary}\nDone\n");
        assert_eq!(classify(&rejected("rejected] (fetch first)"), "", false), PushOutcome::Raced);
        assert_eq!(classify(&rejected("rejected] (non-fast-forward)"), "", false), PushOutcome::Raced);
        assert_eq!(
            classify(
                &rejected("remote rejected] (cannot lock ref 'refs/heads/main': is at a but expected b)"),
                "",
                false
            ),
            PushOutcome::Raced
        );
        assert_eq!(
            classify(&rejected("remote rejected] (incorrect old value provided)"), "", false),
            PushOutcome::Raced
        );
        let declined =
            classify(&rejected("remote rejected] (pre-receive hook declined)"), "remote: try later\n", false);
        assert_eq!(declined, PushOutcome::Declined { reason: "try later".into() });
        let protected = "remote: error: GH006: Protected branch update failed for refs/heads/main.\n";
        assert!(matches!(
            classify(&rejected("remote rejected] (protected branch hook declined)"), protected, false),
            PushOutcome::Protected { .. }
        ));
        let gitea = "remote: error:\nremote: error: Not allowed to push to protected branch main\nremote: error:\n";
        assert_eq!(
            classify(&rejected("remote rejected] (pre-receive hook declined)"), gitea, false),
            PushOutcome::Protected { reason: "Not allowed to push to protected branch main".into() }
        );
        let lost = classify("", "fatal: the remote end hung up unexpectedly\n", false);
        assert_eq!(lost, PushOutcome::Unanswered { reason: "fatal: the remote end hung up unexpectedly".into() });
        let github = "remote: \nremote: Create a pull request for 'x' on GitHub by visiting:\nremote:      https://github.com/a/b/pull/new/x\nremote: \n";
        assert_eq!(
            classify("Done\n", github, true),
            PushOutcome::Accepted { page: Some("https://github.com/a/b/pull/new/x".into()) }
        );
    }
}
