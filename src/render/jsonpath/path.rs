//! The syntax tree of a template.

use serde_json::Value;

/// A node of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TemplateNode {
    /// Text outside of braces.
    Text(String),
    /// `{.a.b}`: prints the values at the path.
    Path(Vec<JsonPathStep>),
    /// `{range .a.b}`: evaluates the nodes up to its `end` for each value at the path.
    Range(Vec<JsonPathStep>),
    /// `{end}`.
    End,
}

/// One step from a list of values to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum JsonPathStep {
    /// `.name` or `['name']`.
    Field(String),
    /// `.*`: all values of an object or a list.
    Wildcard,
    /// `..`: the values and all of their descendants.
    Recursive,
    /// `[1]`, `[1:3]`, `[::2]`, `[*]`.
    Slice(ListSlice),
    /// `['a','b']`: the results of each path, concatenated.
    Union(Vec<Vec<JsonPathStep>>),
    /// `[?(…)]`: the elements of a list that pass the test.
    Filter { left: Vec<JsonPathStep>, test: FilterTest },
    /// A quoted text.
    Text(String),
    /// A number, `true`, or `false`.
    Constant(Value),
}

/// A range of list elements. Negative numbers count from the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListSlice {
    pub(super) start: Option<i64>,
    pub(super) end: SliceEnd,
    pub(super) step: Option<i64>,
}

/// The end of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SliceEnd {
    /// `[1]`: directly after its start.
    AfterStart,
    /// `[1:]`: the end of the list.
    Open,
    /// `[1:3]`: before this element.
    Before(i64),
}

/// The condition of a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FilterTest {
    /// The left path has a result.
    Exists,
    /// Compares the results of the left and the right path.
    Compare(ComparisonOperator, Vec<JsonPathStep>),
}

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ComparisonOperator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}
