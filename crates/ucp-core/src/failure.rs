//! Reasons why one piece of work could not be done.

use std::fmt;

/// Why one piece of work could not be done: one clause for a person, and its class for callers that distinguish some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    class: FailureClass,
    clause: String,
}

/// The classes of failures that callers distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureClass {
    /// All that no caller distinguishes.
    Other,
    /// The API server finds the object invalid.
    Invalid,
    /// The namespace of the object does not exist.
    NoNamespace,
    /// An expression does not fit the object that it is evaluated for.
    Misfit,
    /// A value is hidden, or is not text.
    Unreadable,
}

impl Failure {
    /// Creates a failure that a caller distinguishes.
    pub fn new(class: FailureClass, clause: impl Into<String>) -> Self {
        Self { class, clause: clause.into() }
    }

    /// Returns true for a failure of this class.
    pub fn is(&self, class: FailureClass) -> bool {
        self.class == class
    }

    /// Returns the clause.
    pub fn as_str(&self) -> &str {
        &self.clause
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.clause)
    }
}

impl std::error::Error for Failure {}

impl From<String> for Failure {
    fn from(clause: String) -> Self {
        Self::new(FailureClass::Other, clause)
    }
}

impl From<&str> for Failure {
    fn from(clause: &str) -> Self {
        clause.to_owned().into()
    }
}

impl From<Failure> for String {
    fn from(failure: Failure) -> Self {
        failure.clause
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        error.to_string().into()
    }
}

/// Returns `Err` with a [`Failure`] whose clause is formatted as by `format!`.
#[macro_export]
macro_rules! fail {
    ($($clause:tt)*) => {
        Err($crate::failure::Failure::from(format!($($clause)*)))
    };
}

pub use fail;
