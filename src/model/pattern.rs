//! How a person names kinds and objects on the command line.

use std::convert::Infallible;
use std::str::FromStr;

use crate::model::glob;
use crate::model::kind::ResourceKind;

/// A kind, or some objects of it: `KIND`, `KIND.GROUP` or `KIND/NAME`; `*` and `?` in the name stand for others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectPattern {
    /// The kind, under any name that kubectl takes.
    pub kind: String,
    /// The name; any where absent.
    pub name: Option<String>,
}

impl ObjectPattern {
    /// Whether it means an object of this kind and name.
    pub fn matches(&self, kind: &ResourceKind, name: &str) -> bool {
        kind.is_called(&self.kind) && self.name.as_ref().is_none_or(|pattern| glob::matches(pattern, name))
    }
}

impl FromStr for ObjectPattern {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text.split_once('/') {
            Some((kind, name)) => Self { kind: kind.to_owned(), name: Some(name.to_owned()) },
            None => Self { kind: text.to_owned(), name: None },
        })
    }
}
