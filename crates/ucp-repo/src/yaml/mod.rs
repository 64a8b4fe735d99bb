//! Edits of YAML that change only the bytes of a value.
//!
//! [`tree`] locates each value, [`splice`] replaces it in the style of the file, and [`insert`] adds mappings and keys
//! in the style of their neighbors. [`ordered`] writes whole documents. `slot` parses the result with another parser
//! before it is written.

pub mod insert;
pub mod ordered;
pub mod pairs;
pub mod scalar;
pub mod splice;
pub mod template;
pub mod tree;

use ucp_core::failure::Failure;

/// An error of reading or editing a document, with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlError {
    /// Line, counted from one; zero for the document as a whole.
    pub line: usize,
    /// The reason, as a phrase.
    pub reason: String,
}

impl YamlError {
    /// An error at a line.
    pub fn new(line: usize, reason: impl Into<String>) -> Self {
        Self { line, reason: reason.into() }
    }
}

impl std::fmt::Display for YamlError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => formatter.write_str(&self.reason),
            line => write!(formatter, "line {line}: {}", self.reason),
        }
    }
}

impl std::error::Error for YamlError {}

impl From<YamlError> for Failure {
    fn from(error: YamlError) -> Self {
        error.to_string().into()
    }
}
