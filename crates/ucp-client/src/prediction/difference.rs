//! The fields that differ between two objects.

use serde::Serialize;
use serde_json::Value;

use ucp_core::model::path::{FieldPath, FieldPathStep};

/// One field that differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FieldChange {
    /// Path from the object's root, with list elements by index. A removed list element has its previous index.
    pub path: FieldPath,
    /// The current value; absent if the field is added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// The new value; absent if the field is removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
}

/// Returns all fields that differ, ordered by field name. A subtree that only one side has is one difference.
pub fn field_changes(before: &Value, after: &Value) -> Vec<FieldChange> {
    let mut found = Vec::new();
    compare(&FieldPath::default(), Some(before), Some(after), &mut found);
    found
}

fn compare(path: &FieldPath, before: Option<&Value>, after: Option<&Value>, found: &mut Vec<FieldChange>) {
    match (before, after) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let mut names: Vec<_> = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name))).collect();
            names.sort_unstable();
            for name in names {
                compare(&path.with_step(FieldPathStep::Field(name.clone())), old.get(name), new.get(name), found);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) => {
            for (index, old, new) in pair_elements(old, new) {
                compare(&path.with_step(FieldPathStep::Element(index)), old, new, found);
            }
        }
        (Some(old), Some(new)) if is_equal(old, new) => {}
        (before, after) => {
            found.push(FieldChange { path: path.clone(), before: before.cloned(), after: after.cloned() });
        }
    }
}

/// Compares numbers by value: `1` and `1.0` are equal.
fn is_equal(left: &Value, right: &Value) -> bool {
    left == right
        || matches!((left, right), (Value::Number(left), Value::Number(right)) if left.as_f64() == right.as_f64())
}

/// Pairs list elements: by name if each has a unique one, else by index.
fn pair_elements<'value>(
    old: &'value [Value],
    new: &'value [Value],
) -> Vec<(usize, Option<&'value Value>, Option<&'value Value>)> {
    let (Some(old_names), Some(new_names)) = (unique_names(old), unique_names(new)) else {
        return (0..old.len().max(new.len())).map(|index| (index, old.get(index), new.get(index))).collect();
    };
    let gone = old_names.iter().enumerate().filter(|(_, name)| !new_names.contains(name));
    let mut pairs: Vec<_> = gone.map(|(index, _)| (index, old.get(index), None)).collect();
    pairs.extend(new_names.iter().enumerate().map(|(index, name)| {
        let before = old_names.iter().position(|old| old == name).and_then(|index| old.get(index));
        (index, before, new.get(index))
    }));
    pairs.sort_by_key(|(index, ..)| *index);
    pairs
}

fn unique_names(items: &[Value]) -> Option<Vec<&str>> {
    let names: Vec<&str> = items.iter().map(|item| item.get("name")?.as_str()).collect::<Option<_>>()?;
    let mut unique = names.clone();
    unique.sort_unstable();
    unique.dedup();
    (unique.len() == names.len()).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn paths(before: &Value, after: &Value) -> Vec<String> {
        field_changes(before, after).into_iter().map(|difference| difference.path.to_string()).collect()
    }

    #[test]
    fn names_fields_by_their_path() {
        let before =
            json!({"metadata": {"labels": {"a.b/c": "1"}}, "spec": {"n": 1, "list": [1, 2], "gone": {"x": 1}}});
        let after = json!({"metadata": {"labels": {"a.b/c": "2"}}, "spec": {"n": 1.0, "list": [1, 3, 4], "new": []}});
        assert_eq!(
            paths(&before, &after),
            ["metadata.labels['a.b/c']", "spec.gone", "spec.list[1]", "spec.list[2]", "spec.new"]
        );
    }

    #[test]
    fn elements_with_names_keep_together() {
        let before = json!([{"name": "a", "v": 1}, {"name": "b", "v": 2}]);
        let after = json!([{"name": "c", "v": 0}, {"name": "b", "v": 3}]);
        assert_eq!(paths(&before, &after), ["[0]", "[0]", "[1].v"]);
        assert_eq!(paths(&before, &json!([{"name": "b", "v": 2}])), ["[0]"]);
    }

    proptest::proptest! {
        #[test]
        fn nothing_differs_from_itself(numbers in proptest::collection::vec(0..5i32, 0..6), text in "\\PC{0,8}") {
            let value = json!({"list": numbers, "text": text.clone(), (text): {"a": [{"name": "x"}]}});
            proptest::prop_assert!(field_changes(&value, &value).is_empty());
        }
    }
}
