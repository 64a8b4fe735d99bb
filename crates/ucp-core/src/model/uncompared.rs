//! The fields that a comparison leaves out: declared fields that were not observed, and observed tags that were not declared.

use std::cell::RefCell;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::comparison::{ExcludedFields, are_scalars, compare, is_empty, is_of_tags};
use super::path::{FieldPath, FieldPathStep};
use super::shared::SharedValues;

/// Number of sets of fields cached per thread.
const REMEMBERED: usize = 256;

thread_local! {
    static KNOWN: RefCell<SharedValues<Arc<UncomparedFields>>> = RefCell::new(SharedValues::new(REMEMBERED));
}

/// Fields of one object that were not compared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct UncomparedFields {
    /// Declared fields without an observed value; of a list, its path.
    pub not_observed: Vec<FieldPath>,
    /// Observed tags, labels, and annotations that a declared map does not have.
    pub not_declared: Vec<FieldPath>,
}

impl UncomparedFields {
    /// Returns the fields in the memory of equal ones: those of the objects of one kind are mostly the same.
    pub fn shared(self) -> Arc<Self> {
        KNOWN.with_borrow_mut(|known| known.share(self))
    }

    /// Adds the fields of a declared value at a path that were not compared with the observed one.
    pub fn add(&mut self, path: &mut FieldPath, declared: &Value, observed: Option<&Value>, leave: ExcludedFields) {
        if is_empty(declared) {
            return;
        }
        match (declared, observed) {
            (Value::Object(declared), Some(Value::Object(observed))) => {
                for (name, value) in declared.iter().filter(|(name, _)| !leave.covers(name)) {
                    path.0.push(FieldPathStep::Field(name.clone()));
                    self.add(path, value, observed.get(name), leave);
                    path.0.pop();
                }
                // Controllers add labels and annotations to objects of Kubernetes.
                if leave == ExcludedFields::References && is_of_tags(path) {
                    self.not_declared.extend(undeclared_tags(path, declared, observed));
                }
            }
            // A value that is observed as empty is a difference.
            (_, Some(observed)) if is_empty(observed) && !observed.is_null() => {}
            // Two scalars are compared in any case.
            (Value::String(_) | Value::Bool(_) | Value::Number(_), Some(observed))
                if are_scalars([observed]) && !observed.is_null() => {}
            (_, observed) => {
                if compare(path, declared, observed, leave).not_observed > 0 {
                    self.not_observed.push(path.clone());
                }
            }
        }
    }
}

fn undeclared_tags(path: &FieldPath, declared: &Map<String, Value>, observed: &Map<String, Value>) -> Vec<FieldPath> {
    if !are_scalars(declared.values()) || !are_scalars(observed.values()) {
        return Vec::new();
    }
    let added = observed.keys().filter(|name| !declared.contains_key(*name));
    added.map(|name| path.with_step(FieldPathStep::Field(name.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_on_only_one_side_are_listed() {
        let declared = json!({
            "size": 1, "encrypted": true, "gone": {"a": 1, "b": 2}, "empty": [], "roleRef": {"name": "x"},
            "net": {"private": true, "range": "x"}, "rules": [{"port": 1, "note": "x"}], "none": ["x"],
            "tags": {"team": "a"}, "names": {"team": "a"},
        });
        let observed = json!({
            "size": 1, "id": "x", "gone": null, "net": {"range": "x", "id": "y"}, "rules": [{"port": 1, "id": "z"}], "none": [],
            "tags": {"team": "a", "owner": "eve"}, "names": {"team": "a", "other": "b"},
        });
        let listed = |leave: ExcludedFields| {
            let mut fields = UncomparedFields::default();
            fields.add(&mut FieldPath::default(), &declared, Some(&observed), leave);
            let listed = |paths: Vec<FieldPath>| paths.iter().map(FieldPath::to_string).collect::<Vec<_>>().join(" ");
            (listed(fields.not_observed), listed(fields.not_declared))
        };
        let missing = "encrypted gone net.private rules";
        assert_eq!(listed(ExcludedFields::References), (missing.to_owned(), "tags.owner".to_owned()));
        assert_eq!(listed(ExcludedFields::Nothing).1, "");
    }
}
