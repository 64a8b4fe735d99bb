//! How a command ends: its outcome, or an error with a way forward.

use std::fmt::Write as _;
use std::process::ExitCode;

use crate::model::secrecy::scrub;

/// What a command that did its work found. Decides the exit code; never mixed with errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Nothing to report: exit code 0.
    Clean,
    /// Some of it could not be read, and nothing worse was found: exit code 4.
    Incomplete,
    /// Findings or differences, where the command reports them by exit code: exit code 1.
    Findings,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Clean => Self::SUCCESS,
            Outcome::Findings => Self::from(1),
            Outcome::Incomplete => Self::from(4),
        }
    }
}

/// Whose mistake an error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// A usage error: exit code 2.
    Usage,
    /// The work failed: exit code 3.
    Failed,
    /// What was asked for by name does not exist: exit code 3.
    Absent,
    /// A refusal that is a finding rather than a failure, such as a downgrade: exit code 1.
    Refused,
    /// Nobody's: a person left a question unanswered, by Esc or Ctrl-C: exit code 130, as of all that Ctrl-C ends.
    Left,
}

/// An error on its way to the terminal: a chain of causes, and what to do about it.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    cause: anyhow::Error,
    hint: Option<String>,
}

/// The result of everything that can end a command.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The work failed.
    pub fn failed(cause: impl Into<anyhow::Error>) -> Self {
        Self { kind: ErrorKind::Failed, cause: cause.into(), hint: None }
    }

    /// What was asked for by name does not exist.
    pub fn absent(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Absent, cause: anyhow::Error::msg(message.into()), hint: None }
    }

    /// The command line is invalid.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Usage, cause: anyhow::Error::msg(message.into()), hint: None }
    }

    /// The command will not do what was asked, and nothing was changed.
    pub fn refused(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Refused, cause: anyhow::Error::msg(message.into()), hint: None }
    }

    /// A person left a question unanswered, and nothing was changed.
    pub fn left() -> Self {
        Self { kind: ErrorKind::Left, cause: anyhow::Error::msg("no answer, so nothing was done"), hint: None }
    }

    /// What the reader can do about it, as a command or one sentence.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Whose mistake it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// True when the reader of our output went away, as `| head` does. That is no failure.
    pub fn is_broken_pipe(&self) -> bool {
        self.cause.chain().any(|cause| {
            cause.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
        })
    }

    /// The exit code of the contract.
    pub fn exit_code(&self) -> ExitCode {
        match self.kind {
            ErrorKind::Usage => ExitCode::from(2),
            ErrorKind::Failed | ErrorKind::Absent => ExitCode::from(3),
            ErrorKind::Refused => ExitCode::from(1),
            ErrorKind::Left => ExitCode::from(130),
        }
    }

    /// The error and each cause that says something new, on their way into a sentence, without secrets.
    pub fn message(&self) -> String {
        let mut said = String::new();
        for cause in self.cause.chain() {
            let cause = cause.to_string();
            let cause = crate::model::text::plain(&scrub(&cause)).into_owned();
            // Many libraries repeat their source in their own text.
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

    /// The text for a person: the error, its causes, and the hint.
    pub fn report(&self) -> String {
        let mut text = format!("error: {}", self.message());
        if let Some(hint) = &self.hint {
            let _ = write!(text, "\nhint: {}", crate::model::text::plain(hint));
        }
        text
    }
}

impl<E: Into<anyhow::Error>> From<E> for Error {
    fn from(cause: E) -> Self {
        Self::failed(cause)
    }
}
