//! Kinds and objects as given on the command line.

use std::convert::Infallible;
use std::str::FromStr;

use crate::model::glob;
use crate::model::kind::ResourceKind;

/// A kind, or some objects of it: `KIND`, `KIND.GROUP`, or `KIND/NAME`, with `*` and `?` as wildcards in the name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectPattern {
    /// The kind, by any name that kubectl accepts.
    pub kind: String,
    /// The name; `None` matches any.
    pub name: Option<String>,
}

impl ObjectPattern {
    /// Returns true if the pattern matches an object of this kind and name.
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
