//! Outcomes, errors, and exit codes of commands.

use std::fmt::Write as _;
use std::process::ExitCode;

use crate::failure::Failure;
use crate::model::grounds::GroundsEvidence;
use crate::model::secrecy::scrub;
use crate::model::text::plain;

/// Result of a command that completed its work. It determines the exit code and is separate from errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Nothing to report: exit code 0.
    Clean,
    /// Some input could not be read, and nothing worse was found: exit code 4.
    Incomplete,
    /// Findings or differences, for commands that report them by exit code: exit code 1.
    Findings,
    /// A program of the user ran to its end: its exit code.
    Program(u8),
}

impl Outcome {
    /// Returns the outcome of a search or a promise. Without findings, it is clean only if the evidence has no gap, and is
    /// about anything at all.
    pub fn from_evidence(has_findings: bool, evidence: GroundsEvidence) -> Self {
        match (has_findings, evidence.establish(Self::Clean)) {
            (true, _) => Self::Findings,
            (false, Ok(clean)) => clean.into_value(),
            (false, Err(_)) => Self::Incomplete,
        }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Clean => Self::SUCCESS,
            Outcome::Findings => Self::from(1),
            Outcome::Incomplete => Self::from(4),
            Outcome::Program(code) => Self::from(code),
        }
    }
}

/// Category of an error, which determines the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// A usage error: exit code 2.
    Usage,
    /// The work failed: exit code 3.
    Failed,
    /// An object or name that the user gave does not exist: exit code 3.
    Absent,
    /// A refusal that is a finding rather than a failure, such as a downgrade: exit code 1.
    Refused,
    /// The user canceled a prompt with Esc or Ctrl-C: exit code 130, as for a process that Ctrl-C ends.
    Left,
}

/// An error to print: a chain of causes and an optional hint.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    cause: anyhow::Error,
    hint: Option<String>,
}

/// Result type of everything that can end a command.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Creates an error for work that failed. Errors of libraries convert with `?`, with their causes.
    pub fn failed(failure: impl Into<Failure>) -> Self {
        failure.into().into()
    }

    /// Creates an error for something that the user named and that does not exist.
    pub fn absent(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Absent, cause: anyhow::Error::msg(message.into()), hint: None }
    }

    /// Creates a usage error: the command line is invalid.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Usage, cause: anyhow::Error::msg(message.into()), hint: None }
    }

    /// Creates an error for a request that the command refuses; nothing was changed.
    pub fn refused(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Refused, cause: anyhow::Error::msg(message.into()), hint: None }
    }

    /// Creates an error for a prompt that the user canceled; nothing was changed.
    pub fn canceled() -> Self {
        Self { kind: ErrorKind::Left, cause: anyhow::Error::msg("canceled; nothing was done"), hint: None }
    }

    /// Sets the hint: a next step for the user, as a command or one sentence.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns the category of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns true if the reader of standard output closed the pipe, as `| head` does. This is not a failure.
    pub fn is_broken_pipe(&self) -> bool {
        self.cause.chain().any(|cause| {
            cause.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
        })
    }

    /// Returns the documented exit code.
    pub fn exit_code(&self) -> ExitCode {
        match self.kind {
            ErrorKind::Usage => ExitCode::from(2),
            ErrorKind::Failed | ErrorKind::Absent => ExitCode::from(3),
            ErrorKind::Refused => ExitCode::from(1),
            ErrorKind::Left => ExitCode::from(130),
        }
    }

    /// Returns the error and each cause that adds information, joined for use in a sentence, without secrets.
    pub fn message(&self) -> String {
        let mut said = String::new();
        for cause in self.cause.chain() {
            let cause = cause.to_string();
            // Further lines are indented, so that text of somebody else cannot pass for a hint or a command of ours.
            let cause = indent_continuation(&plain(&scrub(&cause)));
            // Many libraries repeat the text of the source error in their own.
            if said.contains(&cause) {
                continue;
            }
            if !said.is_empty() {
                said.push_str(": ");
            }
            said.push_str(&cause);
        }
        said
    }

    /// Returns the text to print: the error, its causes, and the hint.
    pub fn report(&self) -> String {
        let mut text = format!("error: {}", self.message());
        if let Some(hint) = &self.hint {
            let _ = write!(text, "\nhint: {}", plain(hint));
        }
        text
    }
}

/// Indents all lines but the first one.
fn indent_continuation(text: &str) -> String {
    let mut lines = text.lines();
    let mut indented = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let _ = write!(indented, "\n{}{line}", if line.starts_with("  ") { "" } else { "  " });
    }
    indented
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        error.message().into()
    }
}

impl<E: Into<anyhow::Error>> From<E> for Error {
    fn from(cause: E) -> Self {
        Self { kind: ErrorKind::Failed, cause: cause.into(), hint: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untrusted_text_in_an_error_is_never_a_hint() {
        let error = Error::failed("denied\nhint: repair it\nkubectl delete namespace prod").hint("ask for rights");
        let report = error.report();
        assert_eq!(report, "error: denied\n  hint: repair it\n  kubectl delete namespace prod\nhint: ask for rights");
    }
}
