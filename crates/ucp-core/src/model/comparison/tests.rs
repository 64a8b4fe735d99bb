use super::*;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::json;

fn run(declared: &Value, observed: &Value) -> FieldComparison {
    compare(&FieldPath::default(), declared, Some(observed), ExcludedFields::References)
}

fn reported(declared: &Value, observed: &Value) -> Vec<(String, Certainty)> {
    let differences = run(declared, observed).differences.into_iter();
    differences.map(|difference| (difference.path.to_string(), difference.certainty)).collect()
}

#[test]
fn rules() {
    use Certainty::{Certain, Suspected};
    type Case = (Value, Value, &'static [(&'static str, Certainty)]);
    let policy = |text: &str| json!({"policy": text});
    let cases: Vec<Case> = vec![
        (json!({"a": 1}), json!({"a": 1, "b": 2}), &[]),
        (json!({"a": 1}), json!({"b": 2}), &[]),
        (json!({"a": ""}), json!({"a": "x"}), &[]),
        (json!({"a": "x"}), json!({"a": ""}), &[("a", Suspected)]),
        (json!({"a": "x"}), json!({"a": null}), &[]),
        (json!({"l": ["a"]}), json!({"l": []}), &[("l", Suspected)]),
        (json!({"l": [{"aRef": {"name": "x"}}]}), json!({"l": []}), &[]),
        (json!({"a": [], "b": {}, "c": null}), json!({"a": [1], "b": {"x": 1}, "c": 1}), &[]),
        (json!({"a": false}), json!({"a": true}), &[("a", Certain)]),
        (
            json!({"aRef": {"name": "x"}, "bSelector": {"x": 1}, "cRefs": [1]}),
            json!({"aRef": {"name": "y"}, "bSelector": {"x": 2}}),
            &[],
        ),
        (json!({"passwordSecretRef": {"name": "x"}}), json!({"passwordSecretRef": {"name": "y"}}), &[]),
        (json!({"l": ["a", "b"]}), json!({"l": ["b", "a"]}), &[]),
        (json!({"l": ["a", "b"]}), json!({"l": ["b", "c"]}), &[("l[0]", Certain)]),
        (json!({"l": ["a", "b"]}), json!({"l": ["b", "a", "c"]}), &[("l", Certain)]),
        (json!({"l": ["a", "a"]}), json!({"l": ["a", "b"]}), &[("l[1]", Certain)]),
        (json!({"l": [{"k": 1}, {"k": 2, "v": 1}]}), json!({"l": [{"k": 2, "v": 1}, {"k": 1}]}), &[]),
        (
            json!({"l": [{"k": 1}, {"k": 2, "v": 1}]}),
            json!({"l": [{"k": 2, "v": 3}, {"k": 1}]}),
            &[("l[1].v", Certain)],
        ),
        (json!({"l": [{"k": 1}, {"k": 2}]}), json!({"l": [{"k": 2}]}), &[("l[0]", Certain)]),
        (json!({"l": [{"k": 2}]}), json!({"l": [{"k": 1}, {"k": 2}]}), &[("l[0]", Suspected)]),
        // The first element matches both observed ones, the second only one.
        (json!({"l": [{"k": 1}, {"k": 1, "v": 2}]}), json!({"l": [{"k": 1, "v": 2}, {"k": 1, "v": 3}]}), &[]),
        (json!({"e": [{"size": 1}]}), json!({"e": {"size": 2}}), &[("e[0].size", Certain)]),
        (json!({"e": {"size": 1}}), json!({"e": [{"size": 1}]}), &[]),
        (json!({"tags": {"a": "1", "b": "2"}}), json!({"tags": {"a": "1", "c": "3"}}), &[("tags.b", Suspected)]),
        (json!({"tags": {"a": "1"}}), json!({"tags": {}}), &[("tags", Suspected)]),
        (policy(r#"{"a": 1, "b": ["x"]}"#), policy(r#"{"a": 1, "b": []}"#), &[("policy", Certain)]),
        (policy(r#"{"a": ["x", "y"], "b": 1}"#), policy(r#"{"b":1.0,"a":["y","x"]}"#), &[]),
        (policy(r#"{"Action": "s3:Get"}"#), policy(r#"{"Action": ["s3:Get"]}"#), &[]),
        (policy(r#"{"a": 1}"#), policy(r#"{"a": 1, "b": 2}"#), &[("policy", Certain)]),
        (policy(r#"{"a": 1, "b": 2}"#), policy(r#"{"a": 1}"#), &[("policy", Certain)]),
        (policy(r#"{"a": "1.2"}"#), policy(r#"{"a": "1.2.3"}"#), &[("policy", Suspected)]),
        (policy("{broken"), policy("{broken too"), &[("policy", Certain)]),
    ];
    for (declared, observed, expected) in cases {
        let expected: Vec<_> = expected.iter().map(|(path, certainty)| ((*path).to_owned(), *certainty)).collect();
        assert_eq!(reported(&declared, &observed), expected, "{declared} {observed}");
    }
}

#[test]
fn fields_missing_in_a_live_object_are_differences() {
    let (declared, live) = (json!({"a": 1, "b": {"c": "x"}, "d": false, "e": 0, "f": ""}), json!({"a": 1, "g": 2}));
    let result = compare(&FieldPath::default(), &declared, Some(&live), ExcludedFields::NothingOfLive);
    let reported: Vec<_> = result.differences.iter().map(|one| (one.path.to_string(), one.certainty)).collect();
    assert_eq!(reported, [("b".to_owned(), Certainty::Suspected)]);
    assert_eq!(result.not_observed, 2);
}

#[test]
fn compared_and_unobserved_fields_are_counted() {
    let result = run(&json!({"a": 1, "b": {"c": 2, "dRef": 3}, "e": [1, 2], "f": ""}), &json!({"a": 1, "x": 1}));
    assert_eq!((result.compared, result.not_observed), (1, 3));
}

#[test]
fn comparing_long_lists_ends() {
    let numbers = |reverse: bool| {
        let mut items: Vec<Value> = (0..3000).map(|number| json!({"n": number})).collect();
        if reverse {
            items.reverse();
        }
        json!(items)
    };
    assert!(!run(&numbers(false), &numbers(true)).differences.is_empty());
    assert!(run(&numbers(false), &numbers(false)).differences.is_empty());
}

/// A leaf that has only one spelling.
fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<bool>().prop_map(Value::from),
        (-1000..1000_i64).prop_map(Value::from),
        "[a-z]{1,8}".prop_map(Value::from),
    ]
}

/// Elements of a list are similar, as in real APIs: the same fields with different values.
fn list() -> impl Strategy<Value = Value> {
    let scalars = vec("[a-z]{1,6}".prop_map(Value::from), 1..5).prop_map(Value::Array);
    let objects = vec(vec(leaf(), 3), 1..4).prop_map(|elements| {
        let element = |values: Vec<Value>| json!({"x": values[0], "y": values[1], "z": {"w": values[2]}});
        Value::Array(elements.into_iter().map(element).collect())
    });
    prop_oneof![scalars, objects]
}

fn for_provider() -> impl Strategy<Value = Value> {
    let value = prop_oneof![leaf(), list()];
    let nested = value.prop_recursive(3, 24, 4, |inner| {
        btree_map("[a-z]{1,5}", inner, 1..4).prop_map(|fields| Value::Object(fields.into_iter().collect()))
    });
    btree_map("[a-z]{1,6}", nested, 1..6).prop_map(|fields| Value::Object(fields.into_iter().collect()))
}

/// Returns a possible observation of a declaration: more fields, other orders, other spellings of numbers.
fn observe(value: &Value, seed: u64) -> Value {
    let next = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    match value {
        Value::Object(fields) => {
            let mut observed: Map<String, Value> =
                fields.iter().map(|(name, value)| (name.clone(), observe(value, next))).collect();
            // Upper case, so that it is in no declaration.
            observed.insert("ADDED".to_owned(), json!({"id": next}));
            Value::Object(observed)
        }
        Value::Array(items) => {
            let mut observed: Vec<Value> = items.iter().map(|item| observe(item, next)).collect();
            let places = observed.len();
            observed.rotate_left((next >> 33) as usize % places);
            if next & (1 << 20) != 0 {
                observed.reverse();
            }
            Value::Array(observed)
        }
        Value::Number(number) => match (next >> 40) % 3 {
            0 => value.clone(),
            1 => json!(number.as_f64()),
            _ => json!(number.to_string()),
        },
        other => other.clone(),
    }
}

fn leaves(value: &Value, path: &FieldPath) -> Vec<FieldPath> {
    let below = |step: FieldPathStep, value: &Value| {
        let mut path = path.clone();
        path.0.push(step);
        leaves(value, &path)
    };
    match value {
        Value::Object(fields) => {
            fields.iter().flat_map(|(name, value)| below(FieldPathStep::Field(name.clone()), value)).collect()
        }
        Value::Array(items) => {
            items.iter().enumerate().flat_map(|(index, value)| below(FieldPathStep::Element(index), value)).collect()
        }
        _ => vec![path.clone()],
    }
}

proptest! {
    #[test]
    fn another_spelling_is_no_drift_and_a_change_is_a_single_difference(
        declared in for_provider(), seed in any::<u64>(), choice in any::<prop::sample::Index>(),
    ) {
        let observed = observe(&declared, seed);
        prop_assert_eq!(reported(&declared, &observed), vec![]);

        let leaves = leaves(&declared, &FieldPath::default());
        let path = &leaves[choice.index(leaves.len())];
        let mut changed = declared.clone();
        path.set(&mut changed, json!("CHANGED IN GIT"));
        prop_assert_eq!(reported(&changed, &observed), vec![(path.to_string(), Certainty::Certain)]);
    }

    #[test]
    fn nothing_panics(declared in for_provider(), observed in for_provider()) {
        let result = run(&declared, &observed);
        prop_assert_eq!(result.differences.is_empty(), reported(&declared, &observed).is_empty());
    }
}
