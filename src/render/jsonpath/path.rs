//! What a template says, once it is parsed.

use serde_json::Value;

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    /// Text outside of braces.
    Text(String),
    /// `{.a.b}`: prints what the path finds.
    Path(Vec<Step>),
    /// `{range .a.b}`: runs what follows, to its `end`, once for each value that the path finds.
    Range(Vec<Step>),
    /// `{end}`.
    End,
}

/// One step from a list of values to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// `.name` or `['name']`.
    Field(String),
    /// `.*`: all values of an object or a list.
    Wildcard,
    /// `..`: the values and everything below them.
    Recursive,
    /// `[1]`, `[1:3]`, `[::2]`, `[*]`.
    Slice(Slice),
    /// `['a','b']`: the results of each path, one after the other.
    Union(Vec<Vec<Step>>),
    /// `[?(…)]`: the elements of a list that pass.
    Filter { left: Vec<Step>, test: Test },
    /// A quoted text.
    Text(String),
    /// A number, `true` or `false`.
    Constant(Value),
}

/// Which elements of a list. Negative numbers count from its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slice {
    pub(super) start: Option<i64>,
    pub(super) end: End,
    pub(super) step: Option<i64>,
}

/// Where a slice ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// `[1]`: behind its start.
    AfterStart,
    /// `[1:]`: at the end of the list.
    Open,
    /// `[1:3]`: before this element.
    Before(i64),
}

/// What a filter asks of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Test {
    /// The path on the left finds something.
    Exists,
    /// What the left finds compares to what the right finds.
    Compare(Operator, Vec<Step>),
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}
