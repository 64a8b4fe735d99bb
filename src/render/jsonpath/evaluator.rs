//! Evaluates a template for a document, with the results of client-go's `util/jsonpath/jsonpath.go`.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::path::{ComparisonOperator, FilterTest, JsonPathStep, ListSlice, SliceEnd, TemplateNode};
use ucp_core::failure::{Failure, fail};

/// One result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum EvaluatedItem<'a> {
    /// A part of the document, or a constant.
    Value(&'a Value),
    /// A text in the template.
    Text(&'a str),
    /// A byte of a string: in client-go, the children of a string.
    Byte(u8),
}

impl<'a> EvaluatedItem<'a> {
    pub(super) fn into_value(self) -> Cow<'a, Value> {
        match self {
            Self::Value(value) => Cow::Borrowed(value),
            Self::Text(text) => Cow::Owned(Value::from(text)),
            Self::Byte(byte) => Cow::Owned(Value::from(byte)),
        }
    }

    fn children(self) -> Vec<Self> {
        match self {
            Self::Value(Value::Object(fields)) => fields.values().map(Self::Value).collect(),
            Self::Value(Value::Array(elements)) => elements.iter().map(Self::Value).collect(),
            Self::Value(Value::String(text)) => text.bytes().map(Self::Byte).collect(),
            Self::Text(text) => text.bytes().map(Self::Byte).collect(),
            Self::Value(Value::Null | Value::Bool(_) | Value::Number(_)) | Self::Byte(_) => Vec::new(),
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Value(Value::Object(_)) => "an object",
            Self::Value(Value::Array(_)) => "a list",
            Self::Value(Value::String(_)) | Self::Text(_) => "a string",
            Self::Value(Value::Number(_)) | Self::Byte(_) => "a number",
            Self::Value(Value::Bool(_)) => "a boolean",
            Self::Value(Value::Null) => "null",
        }
    }
}

type Results<'a> = Result<Vec<EvaluatedItem<'a>>, Failure>;

/// Returns the results of each node, in output order.
pub(super) fn evaluate<'a>(
    nodes: &'a [TemplateNode],
    document: &'a Value,
) -> Result<Vec<Vec<EvaluatedItem<'a>>>, Failure> {
    let mut run = Evaluation { nodes, results: Vec::new(), last_end: None };
    run.block(0, &[EvaluatedItem::Value(document)])?;
    Ok(run.results)
}

struct Evaluation<'a> {
    nodes: &'a [TemplateNode],
    results: Vec<Vec<EvaluatedItem<'a>>>,
    /// The index of the last `end` that terminated a block.
    last_end: Option<usize>,
}

impl<'a> Evaluation<'a> {
    /// Evaluates the nodes from `first` to the end of the block, which is an `end` or the end of the template.
    fn block(&mut self, first: usize, input: &[EvaluatedItem<'a>]) -> Result<(), Failure> {
        let mut index = first;
        while let Some(node) = self.nodes.get(index) {
            match node {
                TemplateNode::Text(text) => self.results.push(vec![EvaluatedItem::Text(text)]),
                TemplateNode::Path(steps) => self.results.push(walk(steps, input)?),
                TemplateNode::Range(steps) => {
                    let values = walk(steps, input)?;
                    if values.is_empty() {
                        // Only finds the end of the block; its texts are not printed.
                        let printed = self.results.len();
                        self.block(index + 1, &[])?;
                        self.results.truncate(printed);
                    }
                    for value in values {
                        self.block(index + 1, &[value])?;
                    }
                    // After a range without an `end`, the following nodes are evaluated again, with the outer values.
                    index = self.last_end.map_or(index, |end| end.max(index));
                }
                TemplateNode::End => {
                    self.last_end = Some(index);
                    break;
                }
            }
            index += 1;
        }
        Ok(())
    }
}

fn walk<'a>(steps: &'a [JsonPathStep], input: &[EvaluatedItem<'a>]) -> Results<'a> {
    steps.iter().try_fold(input.to_vec(), |current, step| advance(step, current))
}

fn advance<'a>(step: &'a JsonPathStep, input: Vec<EvaluatedItem<'a>>) -> Results<'a> {
    Ok(match step {
        JsonPathStep::Field(name) => input
            .into_iter()
            .filter_map(|item| match item {
                EvaluatedItem::Value(Value::Object(fields)) => fields.get(name).map(EvaluatedItem::Value),
                _ => None,
            })
            .collect(),
        JsonPathStep::Wildcard => input.into_iter().flat_map(EvaluatedItem::children).collect(),
        JsonPathStep::Recursive => {
            let mut found = Vec::new();
            descend(input, &mut found);
            found
        }
        JsonPathStep::Slice(slice) => {
            let mut found = Vec::new();
            for item in input {
                match item {
                    EvaluatedItem::Value(Value::Null) => {}
                    EvaluatedItem::Value(Value::Array(elements)) => found.extend(elements_of(elements, slice)?),
                    item => return fail!("{} is not a list and has no elements", item.kind()),
                }
            }
            found
        }
        JsonPathStep::Union(paths) => {
            let mut found = Vec::new();
            for path in paths {
                found.extend(walk(path, &input)?);
            }
            found
        }
        JsonPathStep::Filter { left, test } => {
            let mut found = Vec::new();
            for item in input {
                let EvaluatedItem::Value(Value::Array(elements)) = item else {
                    return fail!("{} is not a list and cannot be filtered", item.kind());
                };
                for element in elements.iter().map(EvaluatedItem::Value) {
                    if passes(element, left, test)? {
                        found.push(element);
                    }
                }
            }
            found
        }
        JsonPathStep::Text(text) => vec![EvaluatedItem::Text(text)],
        JsonPathStep::Constant(value) => vec![EvaluatedItem::Value(value); input.len()],
    })
}

/// Collects all non-empty objects, lists, and strings, recursively.
fn descend<'a>(input: Vec<EvaluatedItem<'a>>, found: &mut Vec<EvaluatedItem<'a>>) {
    for item in input {
        let children = item.children();
        if !children.is_empty() {
            found.push(item);
            descend(children, found);
        }
    }
}

fn elements_of<'a>(
    elements: &'a [Value],
    slice: &ListSlice,
) -> Result<impl Iterator<Item = EvaluatedItem<'a>> + use<'a>, Failure> {
    let length = i64::try_from(elements.len()).unwrap_or(i64::MAX);
    let from_end = |index: i64| if index < 0 { index.saturating_add(length) } else { index };
    let start = from_end(slice.start.unwrap_or(0));
    let end = match slice.end {
        // `[-1]` is the last element, and ends at the end of the list.
        SliceEnd::AfterStart => match slice.start.unwrap_or(0).saturating_add(1) {
            0 => length,
            end => from_end(end),
        },
        SliceEnd::Open => length,
        SliceEnd::Before(end) => from_end(end),
    };
    let out_of_bounds = |index| fail!("array index out of bounds: index {index}, length {length}");
    let chosen = if start == end {
        &[]
    } else if start >= length || start < 0 {
        return out_of_bounds(start);
    } else if end > length || end < 0 {
        return out_of_bounds(end - 1);
    } else {
        let bounds = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        bounds
            .and_then(|(start, end)| elements.get(start..end))
            .ok_or_else(|| format!("starting index {start} is greater than ending index {end}"))?
    };
    let step = match slice.step.map(usize::try_from) {
        None => 1,
        Some(Ok(step)) if step > 0 => step,
        // client-go only checks the step if there are elements.
        Some(_) if chosen.is_empty() => 1,
        Some(_) => return fail!("step must be > 0"),
    };
    Ok(chosen.iter().step_by(step).map(EvaluatedItem::Value))
}

fn passes<'a>(element: EvaluatedItem<'a>, left: &'a [JsonPathStep], test: &'a FilterTest) -> Result<bool, Failure> {
    let left = walk(left, &[element]);
    let (operator, right) = match test {
        // A path that fails does not exist.
        FilterTest::Exists => return Ok(left.is_ok_and(|found| !found.is_empty())),
        FilterTest::Compare(operator, right) => (operator, right),
    };
    let one = |found: &[EvaluatedItem<'a>]| match found {
        [] => Ok(None),
        [item] => Ok(Some(*item)),
        _ => Err("can only compare one element at a time"),
    };
    let Some(left) = one(&left?)? else { return Ok(false) };
    let Some(right) = one(&walk(right, &[element])?)? else { return Ok(false) };
    compare(*operator, FilterOperand::new(left)?, FilterOperand::new(right)?)
}

/// The operands of comparisons in filters.
enum FilterOperand<'a> {
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(&'a str),
}

impl<'a> FilterOperand<'a> {
    fn new(item: EvaluatedItem<'a>) -> Result<Self, Failure> {
        match item {
            EvaluatedItem::Value(Value::Bool(value)) => Ok(Self::Bool(*value)),
            EvaluatedItem::Value(Value::Number(number)) => Ok(match number.as_i64() {
                Some(integer) => Self::Integer(integer),
                None => Self::Float(Number::as_f64(number).unwrap_or(f64::NAN)),
            }),
            EvaluatedItem::Value(Value::String(text)) => Ok(Self::Text(text)),
            EvaluatedItem::Text(text) => Ok(Self::Text(text)),
            EvaluatedItem::Byte(byte) => Ok(Self::Integer(byte.into())),
            EvaluatedItem::Value(Value::Null | Value::Array(_) | Value::Object(_)) => {
                fail!("invalid type for comparison: {}", item.kind())
            }
        }
    }
}

/// Compares like Go's templates: only operands of the same type, and no ordering of booleans.
fn compare(operator: ComparisonOperator, left: FilterOperand<'_>, right: FilterOperand<'_>) -> Result<bool, Failure> {
    let order = match (left, right) {
        (FilterOperand::Bool(left), FilterOperand::Bool(right)) => match operator {
            ComparisonOperator::Equal => return Ok(left == right),
            ComparisonOperator::NotEqual => return Ok(left != right),
            _ => return fail!("invalid type for comparison: booleans have no order"),
        },
        (FilterOperand::Integer(left), FilterOperand::Integer(right)) => Some(left.cmp(&right)),
        (FilterOperand::Float(left), FilterOperand::Float(right)) => left.partial_cmp(&right),
        (FilterOperand::Text(left), FilterOperand::Text(right)) => Some(left.cmp(right)),
        _ => return fail!("incompatible types for comparison"),
    };
    Ok(match operator {
        ComparisonOperator::Equal => order == Some(Ordering::Equal),
        ComparisonOperator::NotEqual => order != Some(Ordering::Equal),
        ComparisonOperator::Less => order == Some(Ordering::Less),
        ComparisonOperator::LessOrEqual => order.is_some_and(Ordering::is_le),
        ComparisonOperator::Greater => order == Some(Ordering::Greater),
        ComparisonOperator::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
    })
}
