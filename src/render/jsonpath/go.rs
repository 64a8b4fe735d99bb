//! Go's output formats for template results: `encoding/json` and `fmt.Sprint`.

use serde_json::{Number, Value};

/// Escapes text of the document for a terminal. Newlines and tabs are kept, since scripts split lines and columns by
/// them.
pub(super) fn visible(text: &str) -> String {
    visible_but(text, &["\t"])
}

/// Escapes text of the template for a terminal. Line terminators for scripts are kept as well.
pub(super) fn visible_literal(text: &str) -> String {
    visible_but(text, &["\t", "\0", "\r\n"])
}

fn visible_but(text: &str, kept: &[&str]) -> String {
    match kept {
        [] => ucp_core::model::text::plain(text).into_owned(),
        [first, rest @ ..] => text.split(first).map(|part| visible_but(part, rest)).collect::<Vec<_>>().join(first),
    }
}

/// Formats a value like `json.Marshal`.
pub(super) fn compact_json(value: &Value) -> String {
    let mut text = String::new();
    write_json(value, &mut text, None);
    ucp_core::model::text::escape(&text)
}

/// Formats a value like `json.MarshalIndent` with kubectl's four spaces.
pub(super) fn indented_json(value: &Value) -> String {
    let mut text = String::new();
    write_json(value, &mut text, Some(0));
    ucp_core::model::text::escape(&text)
}

/// Writes JSON with an indentation of `depth`; without white space for `None`.
fn write_json(value: &Value, text: &mut String, depth: Option<usize>) {
    let inner = depth.map(|depth| depth + 1);
    let line = |text: &mut String, depth: Option<usize>| {
        if let Some(depth) = depth {
            text.push('\n');
            text.push_str(&"    ".repeat(depth));
        }
    };
    match value {
        Value::Null | Value::Bool(_) => text.push_str(&value.to_string()),
        Value::Number(number) => text.push_str(&json_number(number)),
        Value::String(string) => text.push_str(&quoted(string)),
        Value::Array(elements) => {
            text.push('[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                line(text, inner);
                write_json(element, text, inner);
            }
            if !elements.is_empty() {
                line(text, depth);
            }
            text.push(']');
        }
        Value::Object(fields) => {
            text.push('{');
            for (index, (name, field)) in fields.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                line(text, inner);
                text.push_str(&quoted(name));
                text.push_str(if depth.is_some() { ": " } else { ":" });
                write_json(field, text, inner);
            }
            if !fields.is_empty() {
                line(text, depth);
            }
            text.push('}');
        }
    }
}

/// Quotes a string. Like Go, escapes characters with a meaning in HTML.
fn quoted(text: &str) -> String {
    Value::from(text).to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// Formats a value like `fmt.Sprint`, for `custom-columns`.
pub(in crate::render) fn sprint(value: &Value) -> String {
    let join = |parts: Vec<String>| parts.join(" ");
    match value {
        Value::Null => "<nil>".into(),
        Value::Bool(value) => value.to_string(),
        Value::Number(value) => number(value),
        Value::String(text) => text.clone(),
        Value::Array(elements) => format!("[{}]", join(elements.iter().map(sprint).collect())),
        Value::Object(fields) => {
            format!("map[{}]", join(fields.iter().map(|(name, field)| format!("{name}:{}", sprint(field))).collect()))
        }
    }
}

/// Formats a number like `fmt.Sprint`: `%d`, or `%v` with exponents from a million on.
pub(super) fn number(number: &Number) -> String {
    go_number(number, |exponent| !(-4..6).contains(&exponent))
}

/// Formats a number like `encoding/json`, with exponents only for very long numbers.
fn json_number(number: &Number) -> String {
    let text = go_number(number, |exponent| !(-6..21).contains(&exponent));
    text.replace("e-0", "e-")
}

fn go_number(number: &Number, is_scientific: impl Fn(i32) -> bool) -> String {
    // Go parses an integer that is out of range as a float.
    let Some(float) = number.as_i64().map_or_else(|| number.as_f64(), |_| None) else {
        return number.to_string();
    };
    let scientific = format!("{float:e}");
    match scientific.split_once('e').and_then(|(digits, exponent)| Some((digits, exponent.parse::<i32>().ok()?))) {
        Some((digits, exponent)) if float != 0.0 && is_scientific(exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
        }
        _ => format!("{float}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_printed_as_by_go() {
        let printed = |text: &str| {
            let number: Number = serde_json::from_str(text).unwrap();
            (super::number(&number), json_number(&number))
        };
        // Recorded with Go 1.26.
        for (text, plain, json) in [
            ("1.0", "1", "1"),
            ("2.50", "2.5", "2.5"),
            ("1000000", "1000000", "1000000"),
            ("100000.0", "100000", "100000"),
            ("1000000.0", "1e+06", "1000000"),
            ("123456789.5", "1.234567895e+08", "123456789.5"),
            ("0.0001", "0.0001", "0.0001"),
            ("0.00001", "1e-05", "0.00001"),
            ("1e-7", "1e-07", "1e-7"),
            ("1.5e-10", "1.5e-10", "1.5e-10"),
            ("1e21", "1e+21", "1e+21"),
            ("-9223372036854775808", "-9223372036854775808", "-9223372036854775808"),
            ("18446744073709551615", "1.8446744073709552e+19", "18446744073709552000"),
        ] {
            assert_eq!(printed(text), (plain.into(), json.into()), "{text}");
        }
    }

    #[test]
    fn maps_and_lists_are_printed_as_by_go() {
        let value = json!({"b": [1, null, "x y"], "a": {"c": true}});
        assert_eq!(sprint(&value), "map[a:map[c:true] b:[1 <nil> x y]]");
        assert_eq!(
            compact_json(&json!({"b": "<&>\u{2028}\u{8}", "a": []})),
            r#"{"a":[],"b":"\u003c\u0026\u003e\u2028\b"}"#
        );
    }
}
