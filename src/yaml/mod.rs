//! Edits of YAML that change the bytes of a value and nothing else.
//!
//! [`tree`] says where each value stands, [`splice`] replaces it in the style that the file has, and [`insert`] adds
//! mappings and keys as their neighbours are written. [`ordered`] writes whole documents. `slot` reads the result with another parser before anybody writes it.

pub mod insert;
pub mod ordered;
pub mod pairs;
pub mod scalar;
pub mod splice;
pub mod template;
pub mod tree;

/// Why a document cannot be read or edited, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlError {
    /// Line, counted from one; zero where it is the document as a whole.
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
