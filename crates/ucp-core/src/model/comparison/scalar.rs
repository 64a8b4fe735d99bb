//! Comparison of scalars in different spellings.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Number, Value};

use super::similarity::ValueSimilarity;
use crate::model::quantity::parse_billionths;

/// Compares two values that are not objects or lists.
pub(super) fn compare_scalars(declared: &Value, observed: &Value) -> ValueSimilarity {
    match (declared, observed) {
        (Value::Number(left), Value::Number(right)) => same_or_different(same_number(left, right)),
        (Value::Number(number), Value::String(text)) | (Value::String(text), Value::Number(number)) => {
            same_or_different(text.trim().parse::<Number>().is_ok_and(|parsed| same_number(number, &parsed)))
        }
        (Value::Bool(flag), Value::String(text)) | (Value::String(text), Value::Bool(flag)) => {
            same_or_different(text.eq_ignore_ascii_case(if *flag { "true" } else { "false" }))
        }
        (Value::String(left), Value::String(right)) => compare_texts(left, right),
        (left, right) => same_or_different(left == right),
    }
}

fn same_or_different(same: bool) -> ValueSimilarity {
    if same { ValueSimilarity::Same } else { ValueSimilarity::Different }
}

/// Compares by value: `1` equals `1.0`, and large integers are not rounded.
fn same_number(left: &Number, right: &Number) -> bool {
    let integer = |number: &Number| {
        number.as_i128().or_else(|| {
            let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 1e30)?;
            format!("{float:.0}").parse().ok()
        })
    };
    match (integer(left), integer(right)) {
        (Some(left), Some(right)) => left == right,
        (None, None) => left.as_f64() == right.as_f64(),
        _ => false,
    }
}

fn compare_texts(declared: &str, observed: &str) -> ValueSimilarity {
    if declared == observed || is_same_measure(declared, observed) {
        ValueSimilarity::Same
    } else if is_common_respelling(declared, observed) {
        ValueSimilarity::Suspected
    } else {
        ValueSimilarity::Different
    }
}

/// Returns true if both are the same quantity, duration, or time.
fn is_same_measure(left: &str, right: &str) -> bool {
    // A number without a unit may be a version: 1.10 is not 1.1.
    let is_plain = |text: &str| text.chars().all(|character| character.is_ascii_digit() || character == '.');
    let quantity =
        |text: &str| parse_billionths(text).filter(|_| text.starts_with(|first: char| first.is_ascii_digit()));
    let duration = |text: &str| -> Option<SignedDuration> { text.parse().ok() };
    let moment = |text: &str| -> Option<Timestamp> { text.parse().ok() };
    !(is_plain(left) && is_plain(right)) && agree(quantity(left), quantity(right))
        || agree(duration(left), duration(right))
        || agree(moment(left), moment(right))
}

fn agree<T: PartialEq>(left: Option<T>, right: Option<T>) -> bool {
    left.is_some() && left == right
}

/// Returns true for spellings that clouds often use interchangeably. Only the cloud knows if they mean the same.
fn is_common_respelling(declared: &str, observed: &str) -> bool {
    let squeezed = |text: &str| text.chars().filter(|character| !character.is_whitespace()).collect::<String>();
    // Azure changes the case of ids and regions, such as `West Europe` to `westeurope`.
    squeezed(declared).eq_ignore_ascii_case(&squeezed(observed))
        || is_path_and_name(declared, observed)
        || is_path_and_name(observed, declared)
        || is_prefix_of_version(declared, observed)
        || is_prefix_of_version(observed, declared)
        || is_plain_decimal_of_same_value(declared, observed)
        // Aliases that a cloud resolves.
        || declared == "latest" && is_version(observed)
        || without_ending(declared) == without_ending(observed)
}

/// Returns true for a self link, an ARN, or another long name, and the name or path at its end.
fn is_path_and_name(long: &str, short: &str) -> bool {
    let after = |text: &str| text.split_once("projects/").map(|(_, rest)| rest.to_owned());
    let is_end = long
        .strip_suffix(short)
        .is_some_and(|start| !short.is_empty() && start.ends_with(['/', ':']) && long.contains(['/', ':']));
    is_end || agree(after(long), after(short))
}

/// Returns true for `1.27` and `1.27.3-gke.100`, with or without a `v`.
fn is_prefix_of_version(short: &str, long: &str) -> bool {
    let (short, long) = (short.trim_start_matches('v'), long.trim_start_matches('v'));
    is_version(short)
        && is_version(long)
        && long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '+']))
}

fn is_version(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit())
        && text.chars().all(|character| character.is_ascii_alphanumeric() || ".-+_".contains(character))
}

fn is_plain_decimal_of_same_value(left: &str, right: &str) -> bool {
    let value = |text: &str| text.parse::<f64>().ok().filter(|value| value.is_finite());
    agree(value(left), value(right))
}

/// Removes the final dot of a domain name, the final slash of a URL, or the prefix length of a single address.
fn without_ending(text: &str) -> &str {
    ["/32", "/128", "/", "."].iter().find_map(|ending| text.strip_suffix(ending)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn spellings() {
        use ValueSimilarity::{Different, Same, Suspected};
        for (declared, observed, expected) in [
            (json!(20), json!(20.0), Same),
            (json!(20), json!("20"), Same),
            (json!("20"), json!(21), Different),
            (json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992_u64), Different),
            (json!(true), json!("True"), Same),
            (json!(true), json!(false), Different),
            (json!("20Gi"), json!("20480Mi"), Same),
            (json!("500m"), json!("0.5"), Same),
            (json!("20Gi"), json!("20G"), Different),
            (json!("3600s"), json!("1h0m0s"), Same),
            (json!("PT1H"), json!("60m"), Same),
            (json!("1h"), json!("2h"), Different),
            (json!("2026-01-01T00:00:00Z"), json!("2026-01-01T01:00:00+01:00"), Same),
            (json!("1.10"), json!("1.1"), Suspected),
            (json!("12"), json!("12.10"), Suspected),
            (json!("v1.27"), json!("1.27.3-gke.100"), Suspected),
            (json!("1.27"), json!("1.2"), Different),
            (json!("latest"), json!("1.34.1-gke.2037000"), Suspected),
            (json!("net"), json!("https://www.googleapis.com/compute/v1/projects/p/global/networks/net"), Suspected),
            (json!("projects/p/global/networks/n"), json!("https://a/v1/projects/p/global/networks/n"), Suspected),
            (json!("https://a/projects/p/x"), json!("https://b/v1/projects/p/x"), Suspected),
            (json!("et"), json!("https://a/networks/net"), Different),
            (json!("arn:aws:iam::1:role/app"), json!("app"), Suspected),
            (json!("/subscriptions/A/resourceGroups/B"), json!("/subscriptions/a/resourcegroups/b"), Suspected),
            (json!("West Europe"), json!("westeurope"), Suspected),
            (json!("example.org"), json!("example.org."), Suspected),
            (json!("10.0.0.1"), json!("10.0.0.1/32"), Suspected),
            (json!("db.t2.small"), json!("db.t3.small"), Different),
            (json!("a"), json!({"b": 1}), Different),
        ] {
            assert_eq!(compare_scalars(&declared, &observed), expected, "{declared} {observed}");
        }
    }

    proptest! {
        #[test]
        fn every_text_equals_itself_and_none_panics(left in "\\PC{0,12}", right in "[-+0-9a-zA-Z./: ]{0,12}") {
            prop_assert_eq!(compare_texts(&left, &left), ValueSimilarity::Same);
            prop_assert_eq!(compare_texts(&left, &right) == ValueSimilarity::Same, compare_texts(&right, &left) == ValueSimilarity::Same);
        }
    }
}
