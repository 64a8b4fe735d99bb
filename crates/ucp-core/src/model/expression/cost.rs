//! Limits for the work of an expression in CEL, from its text and the size of the object, before it is evaluated.

use cel::common::ast::{ComprehensionExpr, EntryExpr, Expr, IdedExpr, ListExpr, LiteralValue, operators};
use serde_json::Value;

/// Work of compiling a regular expression.
const PATTERN: u64 = 100_000;
/// Functions whose result is an argument, or a part of one.
const SELECTIONS: [&str; 13] = [
    operators::CONDITIONAL,
    operators::INDEX,
    operators::OPT_INDEX,
    operators::OPT_SELECT,
    "dyn",
    "first",
    "last",
    "none",
    "of",
    "ofNonZeroValue",
    "or",
    "orValue",
    "value",
];
/// Functions whose result is true, false, or a number, after a look at all of their arguments.
const SCALARS: [&str; 17] = [
    "_<_",
    "_<=_",
    "_>_",
    "_>=_",
    "_-_",
    "_*_",
    "_/_",
    "_%_",
    "!_",
    "-_",
    "contains",
    "double",
    "duration",
    "int",
    "matches",
    "timestamp",
    "uint",
];

/// Upper limits for a value and for the work of computing it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CostBound {
    /// Bytes of texts and number of items.
    size: u64,
    /// Items of the longest list or map in it.
    count: u64,
    /// Values visited and bytes created.
    pub(super) work: u64,
}

impl CostBound {
    /// Returns the limits for any field of an object.
    pub(crate) fn of_object(object: &Value) -> Self {
        Self::of_objects([object])
    }

    /// Returns the limits for any field of some objects.
    pub(super) fn of_objects<'v>(objects: impl IntoIterator<Item = &'v Value>) -> Self {
        let mut bound = Self { size: 1, count: 2, work: 1 };
        objects.into_iter().for_each(|object| bound.add(object));
        bound
    }

    fn add(&mut self, value: &Value) {
        self.size += 1;
        match value {
            Value::String(text) => self.size += text.len() as u64,
            Value::Array(items) => {
                self.count = self.count.max(items.len() as u64);
                items.iter().for_each(|item| self.add(item));
            }
            Value::Object(fields) => {
                self.count = self.count.max(fields.len() as u64);
                for (name, field) in fields {
                    self.size += name.len() as u64;
                    self.add(field);
                }
            }
            _ => {}
        }
    }

    fn scalar(work: u64) -> Self {
        Self { size: 32, count: 0, work: work.saturating_add(1) }
    }

    /// Returns a value made of two, both of which are computed.
    pub(super) fn with(self, other: Self) -> Self {
        Self {
            size: self.size.saturating_add(other.size),
            count: self.count.saturating_add(other.count),
            work: self.work.saturating_add(other.work),
        }
    }

    fn worked(self, work: u64) -> Self {
        Self { work: self.work.saturating_add(work), ..self }
    }
}

/// Returns the limits for an expression.
pub(super) fn bound(expression: &IdedExpr, object: CostBound) -> CostBound {
    CostEstimate { object, variables: Vec::new() }.bound(expression)
}

struct CostEstimate<'e> {
    object: CostBound,
    /// Variables of macros, the innermost last.
    variables: Vec<(&'e str, CostBound)>,
}

impl<'e> CostEstimate<'e> {
    fn bound(&mut self, expression: &'e IdedExpr) -> CostBound {
        match &expression.expr {
            Expr::Unspecified => CostBound::scalar(0),
            Expr::Literal(literal) => {
                let size = match literal {
                    LiteralValue::String(text) => text.inner().len(),
                    LiteralValue::Bytes(bytes) => bytes.inner().len(),
                    _ => 8,
                };
                CostBound { size: size as u64 + 1, count: 0, work: 1 }
            }
            Expr::Ident(name) => {
                let known = self.variables.iter().rev().find(|(known, _)| known == name);
                CostBound { work: 1, ..known.map_or(self.object, |(_, bound)| *bound) }
            }
            Expr::Select(select) => {
                let operand = self.bound(&select.operand);
                if select.test { CostBound::scalar(operand.work) } else { operand.worked(1) }
            }
            Expr::List(ListExpr { elements, .. }) => {
                let all =
                    elements.iter().map(|element| self.bound(element)).fold(CostBound::default(), CostBound::with);
                let length = elements.len() as u64;
                CostBound { count: all.count.max(length), size: all.size.saturating_add(length), ..all }.worked(length)
            }
            Expr::Map(map) => self.entries(map.entries.iter().map(|entry| &entry.expr)),
            Expr::Struct(fields) => self.entries(fields.entries.iter().map(|entry| &entry.expr)),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::Call(call) => {
                let arguments: Vec<CostBound> =
                    call.target.iter().map(|target| &**target).chain(&call.args).map(|one| self.bound(one)).collect();
                match call.target.as_deref().map(|target| &target.expr) {
                    Some(Expr::Ident(name)) if name == "sets" => compared_sets(arguments.get(1..).unwrap_or_default()),
                    _ => function(&call.func_name, &arguments),
                }
            }
        }
    }

    fn entries(&mut self, entries: impl Iterator<Item = &'e EntryExpr>) -> CostBound {
        let mut all = CostBound::default();
        let mut length = 0;
        for entry in entries {
            length += 1;
            all = match entry {
                EntryExpr::StructField(field) => all.with(self.bound(&field.value)),
                EntryExpr::MapEntry(entry) => all.with(self.bound(&entry.key)).with(self.bound(&entry.value)),
            };
        }
        CostBound { count: all.count.max(length), size: all.size.saturating_add(length), ..all }.worked(length)
    }

    fn comprehension(&mut self, comprehension: &'e ComprehensionExpr) -> CostBound {
        let range = self.bound(&comprehension.iter_range);
        let start = self.bound(&comprehension.accu_init);
        let outer = self.variables.len();
        self.variables.push((&comprehension.iter_var, range));
        if let Some(second) = &comprehension.iter_var2 {
            self.variables.push((second, range));
        }
        // What each step adds to the result.
        self.variables.push((&comprehension.accu_var, CostBound::default()));
        let step = self.bound(&comprehension.loop_step);
        self.variables.pop();
        let times = |one: u64| one.saturating_mul(range.count);
        let result = CostBound {
            size: start.size.saturating_add(times(step.size)),
            count: start.count.max(range.count).saturating_add(step.count),
            work: 1,
        };
        self.variables.push((&comprehension.accu_var, result));
        let each = self.bound(&comprehension.loop_cond).work.saturating_add(step.work).saturating_add(1);
        let last = self.bound(&comprehension.result);
        self.variables.truncate(outer);
        last.worked(times(each)).worked(range.work).worked(start.work)
    }
}

/// Returns the limits for a function that compares each item of one list with each of another.
fn compared_sets(arguments: &[CostBound]) -> CostBound {
    let work = arguments.iter().fold(1u64, |product, list| product.saturating_mul(list.size.max(1)));
    CostBound::scalar(arguments.iter().fold(work, |all, list| all.saturating_add(list.work)))
}

fn function(name: &str, arguments: &[CostBound]) -> CostBound {
    let all = arguments.iter().copied().fold(CostBound::default(), CostBound::with);
    let least = arguments.iter().map(|argument| argument.size).min().unwrap_or_default();
    let pattern = arguments.last().map_or(0, |argument| argument.size);
    match name {
        operators::LOGICAL_AND | operators::LOGICAL_OR | operators::NOT_STRICTLY_FALSE | "size" | "type" => {
            CostBound::scalar(all.work)
        }
        // A comparison ends with the smaller value.
        operators::EQUALS | operators::NOT_EQUALS | "startsWith" | "endsWith" | "hasValue" => {
            CostBound::scalar(all.work.saturating_add(least))
        }
        operators::IN => CostBound::scalar(all.work.saturating_add(pattern)),
        "matches" => {
            let search = all.size.saturating_mul(pattern / 8 + 1);
            CostBound::scalar(all.work.saturating_add(PATTERN).saturating_add(search))
        }
        name if name.starts_with("sets.") => compared_sets(arguments),
        // A search from each position.
        "indexOf" | "lastIndexOf" => {
            let wanted = arguments.get(1).map_or(0, |wanted| wanted.size);
            CostBound::scalar(all.work.saturating_add(all.size.saturating_mul(wanted.max(1))))
        }
        // A text is put at each position, or between all items.
        "replace" | "join" => {
            let largest = arguments.iter().skip(1).map(|text| text.size).max().unwrap_or_default();
            let size = all.size.saturating_mul(largest.max(1));
            CostBound { size, count: 0, work: all.work.saturating_add(size) }
        }
        "split" => {
            let count = all.count.max(all.size);
            CostBound { size: all.size.saturating_mul(2), count, work: all.work.saturating_add(all.size) }
        }
        // The precision of a number is limited to 100 digits.
        "format" => {
            let size = all.size.saturating_mul(128);
            CostBound { size, count: 0, work: all.work.saturating_add(size) }
        }
        // `a + b` creates a value; none of the others does.
        operators::ADD => all.worked(all.size),
        name if SELECTIONS.contains(&name) => {
            let largest = |by: fn(&CostBound) -> u64| arguments.iter().map(by).max().unwrap_or_default();
            let (size, count) = (largest(|one| one.size), largest(|one| one.count));
            CostBound { size, count, work: all.work.saturating_add(1) }
        }
        name if SCALARS.contains(&name) => CostBound::scalar(all.work.saturating_add(all.size)),
        // Others at most write their arguments in another form.
        _ => {
            CostBound { size: all.size.saturating_mul(6).saturating_add(32), ..all }.worked(all.size.saturating_mul(6))
        }
    }
}
