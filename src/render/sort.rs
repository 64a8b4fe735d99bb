//! `--sort-by`: sorts items by the value at a path, like kubectl.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::str::FromStr;

use serde::Serialize;
use serde_json::{Number, Value};

use crate::render::jsonpath::JsonPath;
use ucp_core::error::{Error, Result};
use ucp_core::failure::Failure;
use ucp_core::model::quantity::parse_billionths;

/// The path to sort by, in kubectl's relaxed syntax: `.metadata.name`, `{.metadata.name}`, or `metadata.name`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortBy(JsonPath);

impl FromStr for SortBy {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        JsonPath::parse(text).map(Self)
    }
}

impl SortBy {
    /// Sorts items by the first value at the path in each item's JSON. The sort is stable.
    ///
    /// Items without a value come first, then nulls, booleans, numbers, and texts. Texts with quantities are sorted by
    /// amount, before other texts, whose lexical order is also that of RFC 3339 times. kubectl compares pairs of texts,
    /// as quantities if both are, and fails for booleans and for numbers mixed with texts.
    ///
    /// # Errors
    /// Returns a usage error, without sorting, when no item has a value at the path, or when a value is an object or a
    /// list.
    pub fn sort<T: Serialize>(&self, items: &mut Vec<T>) -> Result<()> {
        let keys = items.iter().map(|item| self.key(item)).collect::<Result<Vec<_>>>()?;
        if !keys.is_empty() && keys.iter().all(|key| *key == SortKey::Missing) {
            return Err(Error::usage(format!(
                "couldn't find any field with path \"{}\" in the list of objects",
                self.0
            ))
            .hint("--sort-by takes a path within one item; use -o yaml to see the fields of items"));
        }
        let mut keyed: Vec<_> = keys.into_iter().zip(items.drain(..)).collect();
        keyed.sort_by(|(left, _), (right, _)| left.compare(right));
        items.extend(keyed.into_iter().map(|(_, item)| item));
        Ok(())
    }

    fn key(&self, item: &impl Serialize) -> Result<SortKey> {
        let document = serde_json::to_value(item)?;
        Ok(match self.0.find(&document)?.into_iter().next().map(Cow::into_owned) {
            None => SortKey::Missing,
            Some(Value::Null) => SortKey::Null,
            Some(Value::Bool(value)) => SortKey::Bool(value),
            Some(Value::Number(number)) => SortKey::number(&number),
            Some(Value::String(text)) => parse_billionths(&text).map_or(SortKey::Text(text), SortKey::Quantity),
            Some(Value::Array(_) | Value::Object(_)) => {
                return Err(Error::usage(format!("cannot sort by \"{}\": it is a list or an object", self.0))
                    .hint("name a field within it"));
            }
        })
    }
}

/// The sort key of an item, in ascending order.
#[derive(Debug, PartialEq)]
enum SortKey {
    Missing,
    Null,
    Bool(bool),
    /// The number as a float, and as an integer for floats that are equal due to their limited precision.
    Number(f64, i128),
    Quantity(i128),
    Text(String),
}

impl SortKey {
    fn number(number: &Number) -> Self {
        let float = number.as_f64().unwrap_or(f64::NAN);
        Self::Number(float, number.as_i128().unwrap_or(float as i128))
    }

    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Bool(left), Self::Bool(right)) => left.cmp(right),
            (Self::Number(left, left_exact), Self::Number(right, right_exact)) => {
                left.total_cmp(right).then(left_exact.cmp(right_exact))
            }
            (Self::Quantity(left), Self::Quantity(right)) => left.cmp(right),
            (Self::Text(left), Self::Text(right)) => left.cmp(right),
            _ => self.rank().cmp(&other.rank()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Missing => 0,
            Self::Null => 1,
            Self::Bool(_) => 2,
            Self::Number(..) => 3,
            Self::Quantity(_) => 4,
            Self::Text(_) => 5,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn sorted(path: &str, mut items: Vec<Value>) -> Result<Vec<Value>> {
        path.parse::<SortBy>().unwrap().sort(&mut items)?;
        Ok(items)
    }

    fn by_a(values: Vec<Value>) -> Vec<Value> {
        let items = values.into_iter().map(|value| json!({ "a": value })).collect();
        sorted(".a", items).unwrap().into_iter().map(|mut item| item["a"].take()).collect()
    }

    #[test]
    fn values_are_sorted_by_their_type() {
        assert_eq!(by_a(vec![json!("b"), json!("a"), json!("B")]), ["B", "a", "b"]);
        assert_eq!(
            by_a(vec![json!(10), json!(9), json!(9.5), json!(-1)]),
            [json!(-1), json!(9), json!(9.5), json!(10)]
        );
        assert_eq!(by_a(vec![json!("1Gi"), json!("500M"), json!("2"), json!("1500m")]), ["1500m", "2", "500M", "1Gi"]);
        let times = ["2026-01-02T00:00:00Z", "2025-12-31T00:00:00Z", "2026-01-01T10:00:00Z"];
        assert_eq!(by_a(times.map(Value::from).to_vec()), [times[1], times[2], times[0]]);
        assert_eq!(
            by_a(vec![json!("x"), json!(true), json!(null), json!(1)]),
            [json!(null), json!(true), json!(1), json!("x")]
        );
    }

    #[test]
    fn items_without_the_field_come_first_and_equal_items_keep_their_order() {
        let items = vec![json!({"a": "1000m", "n": 1}), json!({"a": "1", "n": 2}), json!({"n": 3})];
        let order: Vec<_> = sorted("{.a}", items).unwrap().iter().map(|item| item["n"].clone()).collect();
        assert_eq!(order, [3, 1, 2]);
    }

    #[test]
    fn sorting_by_a_path_without_values_is_an_error() {
        let missing = sorted(".b", vec![json!({"a": 1})]).unwrap_err();
        assert_eq!(missing.kind(), ucp_core::error::ErrorKind::Usage);
        assert!(missing.report().contains("couldn't find any field with path \"{.b}\""));
        assert!(sorted(".a", vec![json!({"a": {}})]).unwrap_err().report().contains("a list or an object"));
        assert!(sorted(".b", Vec::new()).unwrap().is_empty());
        assert!("{.a}{.b}".parse::<SortBy>().is_err());
    }

    proptest! {
        #[test]
        fn the_order_is_total(values in prop::collection::vec(
            prop_oneof![
                any::<i64>().prop_map(Value::from),
                any::<u64>().prop_map(Value::from),
                any::<f64>().prop_map(Value::from),
                "[0-9]{1,3}[mkGi]{0,2}".prop_map(Value::from),
                any::<bool>().prop_map(Value::from),
            ],
            0..40,
        )) {
            let once = by_a(values.clone());
            let mut reversed = values;
            reversed.reverse();
            let keys = |values: &[Value]| values.iter().map(|value| value.as_f64()).collect::<Vec<_>>();
            prop_assert_eq!(keys(&once), keys(&by_a(reversed)));
        }
    }
}
