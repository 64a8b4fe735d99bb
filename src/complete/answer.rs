//! Completion candidates, in the format that kubectl reads.

use std::fmt;

use ucp_core::model::text::{is_plain_word, one_line};

/// A completion candidate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CompletionCandidate {
    pub(super) value: String,
    /// Description of the word; may be empty.
    pub(super) description: String,
}

impl CompletionCandidate {
    pub(super) fn new(value: impl Into<String>, description: impl Into<String>) -> Self {
        Self { value: value.into(), description: description.into() }
    }
}

impl<T: Into<String>> From<T> for CompletionCandidate {
    fn from(value: T) -> Self {
        Self::new(value, "")
    }
}

/// The shell's next action: the bits of `cobra.ShellCompDirective` that are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShellAction {
    /// A space after the word, and no file names.
    Space,
    /// No space, because the word continues.
    MoreToCome,
    /// The shell completes files.
    Files,
    /// The shell completes directories.
    Directories,
}

impl ShellAction {
    const fn directive(self) -> u8 {
        match self {
            Self::Space => 4,
            Self::MoreToCome => 2 | 4,
            Self::Files => 0,
            Self::Directories => 16,
        }
    }
}

/// The completion candidates and the shell's next action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Completion {
    candidates: Vec<CompletionCandidate>,
    then: ShellAction,
}

impl Completion {
    /// Returns an answer without candidates.
    pub(super) fn empty() -> Self {
        Self { candidates: Vec::new(), then: ShellAction::Space }
    }

    /// Leaves the completion to the shell.
    pub(super) fn delegated_to_shell(then: ShellAction) -> Self {
        Self { candidates: Vec::new(), then }
    }

    /// Returns the candidates that start with the typed text, in alphabetical order, without duplicates. Candidates
    /// that a shell could interpret as more than a word are dropped, since some are from a cluster or a file.
    pub(super) fn matching(
        candidates: impl IntoIterator<Item = CompletionCandidate>,
        typed: &str,
        then: ShellAction,
    ) -> Self {
        let mut candidates: Vec<_> = candidates
            .into_iter()
            .filter(|candidate| candidate.value.starts_with(typed) && is_plain_word(&candidate.value))
            .collect();
        candidates.sort();
        candidates.dedup_by(|left, right| left.value == right.value);
        Self { candidates, then }
    }
}

impl fmt::Display for Completion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for CompletionCandidate { value, description } in &self.candidates {
            match one_line(description).as_str() {
                "" => writeln!(formatter, "{value}")?,
                description => writeln!(formatter, "{value}\t{description}")?,
            }
        }
        writeln!(formatter, ":{}", self.then.directive())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completions_are_sorted_and_filtered_and_end_with_a_directive() {
        let candidates =
            [CompletionCandidate::new("beta", "second\n\tone"), "alpha".into(), "gamma".into(), "beta".into()];
        assert_eq!(
            Completion::matching(candidates.clone(), "", ShellAction::Space).to_string(),
            "alpha\nbeta\ngamma\n:4\n"
        );
        assert_eq!(
            Completion::matching(candidates[..1].to_vec(), "b", ShellAction::MoreToCome).to_string(),
            "beta\tsecond one\n:6\n"
        );
        assert_eq!(Completion::empty().to_string(), ":4\n");
    }

    #[test]
    fn values_that_a_shell_could_execute_are_not_offered() {
        for hostile in ["$(id)", "`id`", "a b", "a;id", "a\nb", "a\tb", "", "a'b", "a\\b", "\u{202e}a", "~"] {
            assert_eq!(
                Completion::matching([hostile.into()], "", ShellAction::Space),
                Completion::empty(),
                "{hostile:?}"
            );
        }
        assert_ne!(
            Completion::matching(["arn:aws:eks:eu/a_b@c".into()], "arn:", ShellAction::Space),
            Completion::empty()
        );
    }
}
