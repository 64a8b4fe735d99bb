//! Evaluates a template for a document, with the results of client-go's `util/jsonpath/jsonpath.go`.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::path::{End, Node, Operator, Slice, Step, Test};

/// One result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Item<'a> {
    /// A part of the document, or a constant.
    Value(&'a Value),
    /// A text in the template.
    Text(&'a str),
    /// A byte of a string: in client-go, the children of a string.
    Byte(u8),
}

impl<'a> Item<'a> {
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

type Results<'a> = Result<Vec<Item<'a>>, String>;

/// Returns the results of each node, in output order.
pub(super) fn evaluate<'a>(nodes: &'a [Node], document: &'a Value) -> Result<Vec<Vec<Item<'a>>>, String> {
    let mut run = Run { nodes, results: Vec::new(), last_end: None };
    run.block(0, &[Item::Value(document)])?;
    Ok(run.results)
}

struct Run<'a> {
    nodes: &'a [Node],
    results: Vec<Vec<Item<'a>>>,
    /// The index of the last `end` that terminated a block.
    last_end: Option<usize>,
}

impl<'a> Run<'a> {
    /// Evaluates the nodes from `first` to the end of the block, which is an `end` or the end of the template.
    fn block(&mut self, first: usize, input: &[Item<'a>]) -> Result<(), String> {
        let mut index = first;
        while let Some(node) = self.nodes.get(index) {
            match node {
                Node::Text(text) => self.results.push(vec![Item::Text(text)]),
                Node::Path(steps) => self.results.push(walk(steps, input)?),
                Node::Range(steps) => {
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
                Node::End => {
                    self.last_end = Some(index);
                    break;
                }
            }
            index += 1;
        }
        Ok(())
    }
}

fn walk<'a>(steps: &'a [Step], input: &[Item<'a>]) -> Results<'a> {
    steps.iter().try_fold(input.to_vec(), |current, step| advance(step, current))
}

fn advance<'a>(step: &'a Step, input: Vec<Item<'a>>) -> Results<'a> {
    Ok(match step {
        Step::Field(name) => input
            .into_iter()
            .filter_map(|item| match item {
                Item::Value(Value::Object(fields)) => fields.get(name).map(Item::Value),
                _ => None,
            })
            .collect(),
        Step::Wildcard => input.into_iter().flat_map(Item::children).collect(),
        Step::Recursive => {
            let mut found = Vec::new();
            descend(input, &mut found);
            found
        }
        Step::Slice(slice) => {
            let mut found = Vec::new();
            for item in input {
                match item {
                    Item::Value(Value::Null) => {}
                    Item::Value(Value::Array(elements)) => found.extend(elements_of(elements, slice)?),
                    item => return Err(format!("{} is not a list and has no elements", item.kind())),
                }
            }
            found
        }
        Step::Union(paths) => {
            let mut found = Vec::new();
            for path in paths {
                found.extend(walk(path, &input)?);
            }
            found
        }
        Step::Filter { left, test } => {
            let mut found = Vec::new();
            for item in input {
                let Item::Value(Value::Array(elements)) = item else {
                    return Err(format!("{} is not a list and cannot be filtered", item.kind()));
                };
                for element in elements.iter().map(Item::Value) {
                    if passes(element, left, test)? {
                        found.push(element);
                    }
                }
            }
            found
        }
        Step::Text(text) => vec![Item::Text(text)],
        Step::Constant(value) => vec![Item::Value(value); input.len()],
    })
}

/// Collects all non-empty objects, lists, and strings, recursively.
fn descend<'a>(input: Vec<Item<'a>>, found: &mut Vec<Item<'a>>) {
    for item in input {
        let children = item.children();
        if !children.is_empty() {
            found.push(item);
            descend(children, found);
        }
    }
}

fn elements_of<'a>(elements: &'a [Value], slice: &Slice) -> Result<impl Iterator<Item = Item<'a>> + use<'a>, String> {
    let length = i64::try_from(elements.len()).unwrap_or(i64::MAX);
    let from_end = |index: i64| if index < 0 { index.saturating_add(length) } else { index };
    let start = from_end(slice.start.unwrap_or(0));
    let end = match slice.end {
        // `[-1]` is the last element, and ends at the end of the list.
        End::AfterStart => match slice.start.unwrap_or(0).saturating_add(1) {
            0 => length,
            end => from_end(end),
        },
        End::Open => length,
        End::Before(end) => from_end(end),
    };
    let out_of_bounds = |index| Err(format!("array index out of bounds: index {index}, length {length}"));
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
        Some(_) => return Err("step must be > 0".into()),
    };
    Ok(chosen.iter().step_by(step).map(Item::Value))
}

fn passes<'a>(element: Item<'a>, left: &'a [Step], test: &'a Test) -> Result<bool, String> {
    let left = walk(left, &[element]);
    let (operator, right) = match test {
        // A path that fails does not exist.
        Test::Exists => return Ok(left.is_ok_and(|found| !found.is_empty())),
        Test::Compare(operator, right) => (operator, right),
    };
    let one = |found: &[Item<'a>]| match found {
        [] => Ok(None),
        [item] => Ok(Some(*item)),
        _ => Err("can only compare one element at a time"),
    };
    let Some(left) = one(&left?)? else { return Ok(false) };
    let Some(right) = one(&walk(right, &[element])?)? else { return Ok(false) };
    compare(*operator, Scalar::new(left)?, Scalar::new(right)?)
}

/// The operands of comparisons in filters.
enum Scalar<'a> {
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(&'a str),
}

impl<'a> Scalar<'a> {
    fn new(item: Item<'a>) -> Result<Self, String> {
        match item {
            Item::Value(Value::Bool(value)) => Ok(Self::Bool(*value)),
            Item::Value(Value::Number(number)) => Ok(match number.as_i64() {
                Some(integer) => Self::Integer(integer),
                None => Self::Float(Number::as_f64(number).unwrap_or(f64::NAN)),
            }),
            Item::Value(Value::String(text)) => Ok(Self::Text(text)),
            Item::Text(text) => Ok(Self::Text(text)),
            Item::Byte(byte) => Ok(Self::Integer(byte.into())),
            Item::Value(Value::Null | Value::Array(_) | Value::Object(_)) => {
                Err(format!("invalid type for comparison: {}", item.kind()))
            }
        }
    }
}

/// Compares like Go's templates: only operands of the same type, and no ordering of booleans.
fn compare(operator: Operator, left: Scalar<'_>, right: Scalar<'_>) -> Result<bool, String> {
    let order = match (left, right) {
        (Scalar::Bool(left), Scalar::Bool(right)) => match operator {
            Operator::Equal => return Ok(left == right),
            Operator::NotEqual => return Ok(left != right),
            _ => return Err("invalid type for comparison: booleans have no order".into()),
        },
        (Scalar::Integer(left), Scalar::Integer(right)) => Some(left.cmp(&right)),
        (Scalar::Float(left), Scalar::Float(right)) => left.partial_cmp(&right),
        (Scalar::Text(left), Scalar::Text(right)) => Some(left.cmp(right)),
        _ => return Err("incompatible types for comparison".into()),
    };
    Ok(match operator {
        Operator::Equal => order == Some(Ordering::Equal),
        Operator::NotEqual => order != Some(Ordering::Equal),
        Operator::Less => order == Some(Ordering::Less),
        Operator::LessOrEqual => order.is_some_and(Ordering::is_le),
        Operator::Greater => order == Some(Ordering::Greater),
        Operator::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
    })
}
