//! Pushing one commit to one branch, and what the answer means.

use crate::error::Result;
use crate::git::{Git, first_words};
use crate::model::secrecy::scrub;

/// What became of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pushed {
    /// The branch is at the commit now.
    Accepted {
        /// A page for a pull or merge request, as the server answered.
        page: Option<String>,
    },
    /// Somebody else was faster: the branch is no longer where the commit began.
    Raced,
    /// The server keeps this branch for others: only a branch of our own will do.
    Protected {
        /// In the server's words.
        reason: String,
    },
    /// The server said no, and may say yes to a next try: a hook, a quota.
    Declined {
        /// In the server's words.
        reason: String,
    },
    /// Nobody knows: the connection was lost, or never was.
    Unanswered {
        /// In git's words.
        reason: String,
    },
}

/// Pushes a commit to a branch of a remote; never by force. `options` are push options, as GitLab takes them.
///
/// # Errors
/// When git cannot be started.
pub fn push(git: &Git, remote: &str, commit: &str, branch: &str, options: &[String]) -> Result<Pushed> {
    let mut arguments = vec!["push".to_owned(), "--porcelain".to_owned()];
    arguments.extend(options.iter().map(|option| format!("--push-option={option}")));
    arguments.extend(["--".to_owned(), remote.to_owned(), format!("{commit}:refs/heads/{branch}")]);
    let answer = git.with_hooks().ask(&arguments)?;
    if !options.is_empty() && answer.stderr.contains("does not support push options") {
        return push(git, remote, commit, branch, &[]);
    }
    Ok(classify(&answer.stdout, &answer.stderr, answer.success))
}

/// Reads the lines of `push --porcelain` (git-push(1), "OUTPUT"), and the server's own words beside them.
fn classify(stdout: &str, stderr: &str, success: bool) -> Pushed {
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
        return Pushed::Accepted { page: page(stderr) };
    }
    let rejection = stdout.lines().find(|line| line.starts_with("!\t"));
    let says = |words: &[&str], text: &str| words.iter().any(|word| text.contains(word));
    let Some(rejection) = rejection else {
        // Two pushes may meet on the server before it comes to a refusal of one ref.
        return match says(&LOST, stderr) {
            true => Pushed::Raced,
            false => Pushed::Unanswered { reason: first_words(stderr) },
        };
    };
    let server: Vec<&str> = stderr.lines().filter_map(|line| line.strip_prefix("remote:")).map(str::trim).collect();
    let server = server.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
    let summary = rejection.rsplit('\t').next().unwrap_or_default();
    let reason = scrub(if server.is_empty() { summary } else { &server }).into_owned();
    if says(&PROTECTED, &server) || says(&PROTECTED, summary) {
        Pushed::Protected { reason }
    } else if says(&LOST, rejection) || says(&LOST, &server) {
        Pushed::Raced
    } else {
        Pushed::Declined { reason }
    }
}

/// The first URL that the server says something about.
fn page(stderr: &str) -> Option<String> {
    let lines = stderr.lines().filter_map(|line| line.strip_prefix("remote:"));
    let url =
        lines.flat_map(str::split_whitespace).find(|word| word.starts_with("https://") || word.starts_with("http://"));
    url.map(|url| scrub(url).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_servers() {
        let rejected = |summary: &str| format!("To u\n!\tabc:refs/heads/main\t[{summary}\nDone\n");
        assert_eq!(classify(&rejected("rejected] (fetch first)"), "", false), Pushed::Raced);
        assert_eq!(classify(&rejected("rejected] (non-fast-forward)"), "", false), Pushed::Raced);
        assert_eq!(
            classify(
                &rejected("remote rejected] (cannot lock ref 'refs/heads/main': is at a but expected b)"),
                "",
                false
            ),
            Pushed::Raced
        );
        assert_eq!(classify(&rejected("remote rejected] (incorrect old value provided)"), "", false), Pushed::Raced);
        let declined =
            classify(&rejected("remote rejected] (pre-receive hook declined)"), "remote: try later\n", false);
        assert_eq!(declined, Pushed::Declined { reason: "try later".into() });
        let protected = "remote: error: GH006: Protected branch update failed for refs/heads/main.\n";
        assert!(matches!(
            classify(&rejected("remote rejected] (protected branch hook declined)"), protected, false),
            Pushed::Protected { .. }
        ));
        let lost = classify("", "fatal: the remote end hung up unexpectedly\n", false);
        assert_eq!(lost, Pushed::Unanswered { reason: "fatal: the remote end hung up unexpectedly".into() });
        let github = "remote: \nremote: Create a pull request for 'x' on GitHub by visiting:\nremote:      https://github.com/a/b/pull/new/x\nremote: \n";
        assert_eq!(
            classify("Done\n", github, true),
            Pushed::Accepted { page: Some("https://github.com/a/b/pull/new/x".into()) }
        );
    }
}
