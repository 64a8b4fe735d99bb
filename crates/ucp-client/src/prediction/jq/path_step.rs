//! Steps of paths within a JSON value.

/// A step of a path in jq's notation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum JqPathStep {
    Index(usize),
    Name(String),
}
