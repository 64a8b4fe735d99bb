//! Comparison of declared with observed values, by meaning instead of spelling.
//!
//! Only declared fields are visited: values that are only observed are ignored. A declared value that was not observed
//! is counted, but is not a difference, except in a live object. Where `""`, `[]`, or `{}` is observed, the value may be gone.

mod difference;
mod list;
mod scalar;

use serde_json::{Map, Value};

use crate::model::path::{FieldPath, FieldPathStep};
use similarity::ValueSimilarity;

/// Compares the declared value at a path with the observed one.
pub fn compare(path: &FieldPath, declared: &Value, observed: Option<&Value>, leave: ExcludedFields) -> FieldComparison {
    let mut walk = ComparisonWalk { path: path.clone(), leave, result: FieldComparison::default() };
    walk.visit(declared, observed);
    walk.result
}

/// Returns, for each declared element, the index of the corresponding observed one: one that agrees in all compared
/// fields, else one that agrees in some.
pub fn find_partners(declared: &[Value], observed: &[Value], leave: ExcludedFields) -> Vec<Option<usize>> {
    let compare_elements =
        |declared: &Value, observed: &Value| compare(&FieldPath::default(), declared, Some(observed), leave);
    let mut partners = vec![None; declared.len()];
    for (left, right) in list::pair_elements(declared, observed, &compare_elements).pairs {
        let trial = compare_elements(&declared[left], &observed[right]);
        if trial.differences.len() < trial.compared || trial.differences.is_empty() {
            partners[left] = Some(right);
        }
    }
    partners
}

/// Returns true if a value counts as absent.
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Returns true for a value that servers do not store.
fn is_zero(value: &Value) -> bool {
    *value == Value::Bool(false) || value.as_f64() == Some(0.0)
}

/// Traversal of a declaration.
struct ComparisonWalk {
    path: FieldPath,
    leave: ExcludedFields,
    result: FieldComparison,
}

impl ComparisonWalk {
    fn visit(&mut self, declared: &Value, observed: Option<&Value>) {
        if is_empty(declared) {
            return;
        }
        let Some(observed) = observed.filter(|observed| !is_empty(observed)) else {
            let lost = self.count(declared);
            // A live object is observed with all of its fields, except switches and numbers without an effect.
            let is_gone = self.leave == ExcludedFields::NothingOfLive && !is_zero(declared);
            if lost > 0 && (is_gone || observed.is_some_and(|observed| !observed.is_null())) {
                self.record(ValueSimilarity::Suspected, Some(declared), observed);
            }
            self.result.not_observed += if is_gone { 0 } else { lost };
            return;
        };
        match (declared, observed) {
            (Value::Object(declared), Value::Object(observed)) => self.visit_fields(declared, observed),
            (Value::Array(declared), Value::Array(observed)) => self.visit_lists(declared, observed),
            // Many APIs do not distinguish a list of one from its element: IAM's actions, upjet's embedded objects.
            (Value::Array(items), _) if items.len() == 1 => {
                self.step(FieldPathStep::Element(0), |walk| walk.visit(&items[0], Some(observed)));
            }
            (_, Value::Array(items)) if items.len() == 1 => self.visit(declared, items.first()),
            (Value::String(left), Value::String(right)) if let Some(likeness) = compare_documents(left, right) => {
                self.record(likeness, Some(declared), Some(observed));
            }
            _ => self.record(scalar::compare_scalars(declared, observed), Some(declared), Some(observed)),
        }
    }

    fn visit_fields(&mut self, declared: &Map<String, Value>, observed: &Map<String, Value>) {
        let is_of_tags = is_of_tags(&self.path) && are_scalars(declared.values()) && are_scalars(observed.values());
        for (name, value) in declared {
            if self.leave.covers(name) {
                continue;
            }
            let found = observed.get(name);
            self.step(FieldPathStep::Field(name.clone()), |walk| match found {
                // A map of tags is observed as a whole, so a missing tag no longer exists, or the provider omits it.
                None if is_of_tags && !is_empty(value) => walk.record(ValueSimilarity::Suspected, Some(value), None),
                found => walk.visit(value, found),
            });
        }
    }

    fn visit_lists(&mut self, declared: &[Value], observed: &[Value]) {
        if declared.len() == observed.len() {
            let in_place: Vec<_> = declared
                .iter()
                .zip(observed)
                .map(|(declared, observed)| self.compare_below(declared, observed))
                .collect();
            if in_place.iter().all(|trial| trial.differences.is_empty()) {
                in_place.into_iter().for_each(|trial| self.add_counts(trial));
                return;
            }
        }
        let pairing =
            list::pair_elements(declared, observed, &|declared, observed| self.compare_below(declared, observed));
        let whole = are_scalars(declared) && are_scalars(observed);
        if whole && (!pairing.missing.is_empty() || !pairing.extra.is_empty()) {
            let list = |items: &[Value]| Value::Array(items.to_vec());
            self.record(ValueSimilarity::Different, Some(&list(declared)), Some(&list(observed)));
            return;
        }
        for (left, right) in pairing.pairs {
            self.step(FieldPathStep::Element(left), |walk| walk.visit(&declared[left], Some(&observed[right])));
        }
        for index in pairing.missing {
            self.step(FieldPathStep::Element(index), |walk| {
                walk.record(ValueSimilarity::Different, Some(&declared[index]), None)
            });
        }
        for index in pairing.extra {
            // Many clouds add their own elements.
            self.step(FieldPathStep::Element(index), |walk| {
                walk.record(ValueSimilarity::Suspected, None, Some(&observed[index]))
            });
        }
    }

    /// Compares two values below the current path without recording the result.
    fn compare_below(&self, declared: &Value, observed: &Value) -> FieldComparison {
        compare(&self.path, declared, Some(observed), self.leave)
    }

    fn add_counts(&mut self, trial: FieldComparison) {
        self.result.compared += trial.compared;
        self.result.not_observed += trial.not_observed;
    }

    fn step(&mut self, step: FieldPathStep, visit: impl FnOnce(&mut Self)) {
        self.path.0.push(step);
        visit(self);
        self.path.0.pop();
    }

    fn record(&mut self, likeness: ValueSimilarity, declared: Option<&Value>, observed: Option<&Value>) {
        self.result.compared += 1;
        let certainty = match likeness {
            ValueSimilarity::Same => return,
            ValueSimilarity::Suspected => Certainty::Suspected,
            ValueSimilarity::Different => Certainty::Certain,
        };
        let (declared, observed) = (declared.cloned(), observed.cloned());
        self.result.differences.push(ObservedDifference { path: self.path.clone(), declared, observed, certainty });
    }

    /// Counts the non-empty scalars of a declaration.
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

/// Returns true for the path of a map with free names.
pub(in crate::model) fn is_of_tags(path: &FieldPath) -> bool {
    let Some(FieldPathStep::Field(name)) = path.0.last() else { return false };
    let name = name.to_ascii_lowercase();
    ["tags", "labels", "annotations"].iter().any(|ending| name.ends_with(ending))
}

/// Returns true if no value is an object or a list.
pub(in crate::model) fn are_scalars<'value>(values: impl IntoIterator<Item = &'value Value>) -> bool {
    values.into_iter().all(|value| !value.is_object() && !value.is_array())
}

/// Compares strings that contain JSON, such as IAM policies, as documents, in both directions: an additional part of an
/// observed policy is not a default.
fn compare_documents(declared: &str, observed: &str) -> Option<ValueSimilarity> {
    if declared == observed {
        return Some(ValueSimilarity::Same);
    }
    let (declared, observed) = (parse_document(declared)?, parse_document(observed)?);
    let one_way = |from: &Value, to: &Value| {
        let comparison = compare(&FieldPath::default(), from, Some(to), ExcludedFields::Nothing);
        match comparison.differences.iter().map(|difference| difference.certainty).min() {
            _ if comparison.not_observed > 0 => ValueSimilarity::Different,
            Some(Certainty::Certain) => ValueSimilarity::Different,
            Some(_) => ValueSimilarity::Suspected,
            None => ValueSimilarity::Same,
        }
    };
    Some(one_way(&declared, &observed).max(one_way(&observed, &declared)))
}

/// Parses a string that contains a JSON object or list.
pub fn parse_document(text: &str) -> Option<Value> {
    text.trim_start().starts_with(['{', '[']).then(|| crate::model::weight::from_json(text.as_bytes()).ok())?
}

mod similarity;
#[cfg(test)]
mod tests;

pub use difference::{Certainty, ExcludedFields, FieldComparison, ObservedDifference};
