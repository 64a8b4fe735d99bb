//! The last look before a file is written: another parser reads what an edit made of it.
//!
//! The edit was placed by one parser (granit-parser). This check uses another, of libyaml's line as Go's parser is, and
//! knows nothing of spans: it applies the intended change to the *meaning* of the old text, and requires exactly that of
//! the new one.

use yaml_serde::Value;

use crate::yaml::YamlError;

/// Requires that the new text means what the old one means, save for the intended change.
///
/// # Errors
/// Where a text cannot be read, holds a key twice, or where anything else differs.
pub fn verify(before: &str, after: &str, intend: impl FnOnce(&mut Value)) -> Result<(), YamlError> {
    let mut expected = meaning(before)?;
    intend(&mut expected);
    if meaning(after)? == expected {
        return Ok(());
    }
    Err(YamlError::new(
        0,
        "the edit would have changed more than intended, so nothing is written; please report the file",
    ))
}

fn meaning(text: &str) -> Result<Value, YamlError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    yaml_serde::from_str(text).map_err(|error| {
        YamlError::new(error.location().map_or(0, |place| place.line()), format!("a second YAML parser says: {error}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_intended_change_passes() {
        let set = |value: &'static str| move |root: &mut Value| root["a"] = Value::from(value);
        assert!(verify("a: v1\nb: 2\n", "a: v2\nb: 2\n", set("v2")).is_ok());
        assert!(verify("a: v1\nb: 2\n", "a: v2\nb: 3\n", set("v2")).is_err());
        assert!(verify("a: v1\nb: 2\n", "a: 1.10\nb: 2\n", set("1.10")).is_err(), "a number is no string");
        assert!(verify("a: &x v1\nb: *x\n", "a: &x v2\nb: *x\n", set("v2")).is_err(), "an alias follows");
        assert!(verify("a: v1\na: v1\n", "a: v2\na: v1\n", set("v2")).is_err(), "a key that stands twice");
        assert!(verify("a: v1\n", "a: v2\n  : [", set("v2")).is_err());
    }
}
