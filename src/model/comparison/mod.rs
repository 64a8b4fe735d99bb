//! What is declared against what is observed, by value and not by spelling.
//!
//! Only what is declared is walked: a value that is only observed is nobody's wish. A value that is declared and not
//! observed is counted and is no difference; `""`, `[]` and `{}` count as absent.

mod list;
mod scalar;

pub use list::partners;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::model::path::{Path, Step};

/// How sure it is that two values differ, surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// They differ.
    Certain,
    /// They are spelled differently, and clouds often spell one thing so.
    Suspected,
    /// Nobody can tell: what was observed is old.
    Unknown,
}

impl Certainty {
    /// The word for it in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::Suspected => "suspected",
            Self::Unknown => "unknown",
        }
    }
}

/// One field that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Where.
    pub path: Path,
    /// What it should be; absent for a list element that nobody declared.
    pub declared: Option<Value>,
    /// What it is; absent for a list element or tag that is gone.
    pub observed: Option<Value>,
    /// Whether it may be only another spelling.
    pub certainty: Certainty,
}

/// What is not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leave {
    /// `*Ref`, `*Refs` and `*Selector`: how Crossplane finds a value, and never part of an observation. This includes
    /// `*SecretRef`.
    References,
    /// Nothing: a whole Kubernetes manifest.
    Nothing,
}

impl Leave {
    /// Whether a field of this name is left out.
    pub fn covers(self, name: &str) -> bool {
        self == Self::References && ["Ref", "Refs", "Selector"].iter().any(|ending| name.ends_with(ending))
    }
}

/// What came of a comparison.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// Declared scalars for which something was observed.
    pub compared: usize,
    /// Declared scalars for which nothing was observed.
    pub not_observed: usize,
    /// Fields that differ, in the order of their declaration.
    pub differences: Vec<Difference>,
}

/// How alike two values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    Same,
    Suspected,
    Different,
}

/// Compares what stands at a path in a declaration with what was observed.
pub fn compare(path: &Path, declared: &Value, observed: Option<&Value>, leave: Leave) -> Comparison {
    let mut walk = Walk { path: path.clone(), leave, result: Comparison::default() };
    walk.visit(declared, observed);
    walk.result
}

/// Whether a value counts as absent.
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A walk along a declaration.
struct Walk {
    path: Path,
    leave: Leave,
    result: Comparison,
}

impl Walk {
    fn visit(&mut self, declared: &Value, observed: Option<&Value>) {
        if is_empty(declared) {
            return;
        }
        let Some(observed) = observed.filter(|observed| !is_empty(observed)) else {
            self.result.not_observed += self.count(declared);
            return;
        };
        match (declared, observed) {
            (Value::Object(declared), Value::Object(observed)) => self.fields(declared, observed),
            (Value::Array(declared), Value::Array(observed)) => self.lists(declared, observed),
            // A list of one and its element are the same to many APIs: IAM's actions, upjet's embedded objects.
            (Value::Array(items), _) if items.len() == 1 => {
                self.step(Step::Element(0), |walk| walk.visit(&items[0], Some(observed)));
            }
            (_, Value::Array(items)) if items.len() == 1 => self.visit(declared, items.first()),
            (Value::String(left), Value::String(right)) if let Some(likeness) = documents(left, right) => {
                self.record(likeness, Some(declared), Some(observed));
            }
            _ => self.record(scalar::likeness(declared, observed), Some(declared), Some(observed)),
        }
    }

    fn fields(&mut self, declared: &Map<String, Value>, observed: &Map<String, Value>) {
        let is_of_tags = self.is_of_tags() && are_scalars(declared.values()) && are_scalars(observed.values());
        for (name, value) in declared {
            if self.leave.covers(name) {
                continue;
            }
            let found = observed.get(name);
            self.step(Step::Field(name.clone()), |walk| match found {
                // A map of tags is observed as a whole, so a tag that it lacks is gone. It may also be one that the
                // provider leaves out.
                None if is_of_tags && !is_empty(value) => walk.record(Likeness::Suspected, Some(value), None),
                found => walk.visit(value, found),
            });
        }
    }

    fn lists(&mut self, declared: &[Value], observed: &[Value]) {
        if declared.len() == observed.len() {
            let in_place: Vec<_> =
                declared.iter().zip(observed).map(|(declared, observed)| self.trial(declared, observed)).collect();
            if in_place.iter().all(|trial| trial.differences.is_empty()) {
                in_place.into_iter().for_each(|trial| self.take(trial));
                return;
            }
        }
        let pairing = list::pair(declared, observed, &|declared, observed| self.trial(declared, observed));
        let whole = are_scalars(declared) && are_scalars(observed);
        if whole && (!pairing.missing.is_empty() || !pairing.extra.is_empty()) {
            let list = |items: &[Value]| Value::Array(items.to_vec());
            self.record(Likeness::Different, Some(&list(declared)), Some(&list(observed)));
            return;
        }
        for (left, right) in pairing.pairs {
            self.step(Step::Element(left), |walk| walk.visit(&declared[left], Some(&observed[right])));
        }
        for index in pairing.missing {
            self.step(Step::Element(index), |walk| walk.record(Likeness::Different, Some(&declared[index]), None));
        }
        for index in pairing.extra {
            // Many clouds add elements of their own.
            self.step(Step::Element(index), |walk| walk.record(Likeness::Suspected, None, Some(&observed[index])));
        }
    }

    /// A comparison of two values somewhere below, on trial.
    fn trial(&self, declared: &Value, observed: &Value) -> Comparison {
        compare(&self.path, declared, Some(observed), self.leave)
    }

    fn take(&mut self, trial: Comparison) {
        self.result.compared += trial.compared;
        self.result.not_observed += trial.not_observed;
    }

    fn step(&mut self, step: Step, visit: impl FnOnce(&mut Self)) {
        self.path.0.push(step);
        visit(self);
        self.path.0.pop();
    }

    fn record(&mut self, likeness: Likeness, declared: Option<&Value>, observed: Option<&Value>) {
        self.result.compared += 1;
        let certainty = match likeness {
            Likeness::Same => return,
            Likeness::Suspected => Certainty::Suspected,
            Likeness::Different => Certainty::Certain,
        };
        let (declared, observed) = (declared.cloned(), observed.cloned());
        self.result.differences.push(Difference { path: self.path.clone(), declared, observed, certainty });
    }

    fn is_of_tags(&self) -> bool {
        let Some(Step::Field(name)) = self.path.0.last() else { return false };
        let name = name.to_ascii_lowercase();
        ["tags", "labels", "annotations"].iter().any(|ending| name.ends_with(ending))
    }

    /// Scalars of a declaration that count.
    fn count(&self, declared: &Value) -> usize {
        match declared {
            Value::Object(fields) => {
                fields.iter().filter(|(name, _)| !self.leave.covers(name)).map(|(_, value)| self.count(value)).sum()
            }
            Value::Array(items) => items.iter().map(|item| self.count(item)).sum(),
            scalar => usize::from(!is_empty(scalar)),
        }
    }
}

fn are_scalars<'value>(values: impl IntoIterator<Item = &'value Value>) -> bool {
    values.into_iter().all(|value| !value.is_object() && !value.is_array())
}

/// Strings that hold JSON, such as IAM policies, are alike where their documents are: in both directions, since what a
/// policy says beyond the declaration is no default.
fn documents(declared: &str, observed: &str) -> Option<Likeness> {
    if declared == observed {
        return Some(Likeness::Same);
    }
    let (declared, observed) = (document(declared)?, document(observed)?);
    let one_way = |from: &Value, to: &Value| {
        let comparison = compare(&Path::default(), from, Some(to), Leave::Nothing);
        match comparison.differences.iter().map(|difference| difference.certainty).min() {
            _ if comparison.not_observed > 0 => Likeness::Different,
            Some(Certainty::Certain) => Likeness::Different,
            Some(_) => Likeness::Suspected,
            None => Likeness::Same,
        }
    };
    Some(one_way(&declared, &observed).max(one_way(&observed, &declared)))
}

/// The JSON object or list that a string holds.
pub fn document(text: &str) -> Option<Value> {
    text.trim_start().starts_with(['{', '[']).then(|| serde_json::from_str(text).ok())?
}

#[cfg(test)]
mod tests;
