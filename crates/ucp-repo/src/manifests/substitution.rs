//! Flux's `postBuild.substitute`: `${name}`, `${name:=default}` and `${name:-default}` in rendered objects, by the
//! rules of kustomize-controller. Other functions of envsubst are rejected.

use std::collections::BTreeMap;

use serde_json::Value;

use ucp_core::failure::{Failure, fail};

/// Label or annotation of an object without substitution.
const DISABLED: (&str, &str) = ("kustomize.toolkit.fluxcd.io/substitute", "disabled");

/// Returns true if a text has a variable that is not substituted.
pub fn has_variables(text: &str) -> bool {
    text.contains("${")
}

/// Returns a text with a star for every variable: a pattern that matches all possible results.
pub fn variables_to_glob(text: &str) -> String {
    let (mut rest, mut result) = (text, String::new());
    while let Some((before, behind)) = rest.split_once("${") {
        result.push_str(before);
        result.push('*');
        rest = behind.split_once('}').map_or("", |(_, after)| after);
    }
    result + rest
}

/// Substitutes variables in all strings of an object.
///
/// # Errors
/// Fails when a string uses functions of envsubst other than defaults.
pub fn substitute(object: &mut Value, variables: &BTreeMap<String, String>) -> Result<(), Failure> {
    let is_disabled = ["labels", "annotations"].iter().any(|place| {
        object.pointer(&format!("/metadata/{place}")).and_then(|entries| entries.get(DISABLED.0)?.as_str())
            == Some(DISABLED.1)
    });
    if is_disabled { Ok(()) } else { substitute_strings(object, variables) }
}

fn substitute_strings(value: &mut Value, variables: &BTreeMap<String, String>) -> Result<(), Failure> {
    match value {
        Value::Object(fields) => fields.values_mut().try_for_each(|value| substitute_strings(value, variables)),
        Value::Array(items) => items.iter_mut().try_for_each(|value| substitute_strings(value, variables)),
        Value::String(text) if text.contains("${") => {
            let replaced = substitute_text(text, variables)?;
            // Flux substitutes in YAML text, so an unquoted value may become a number or a boolean.
            *value = match text.starts_with("${") && text.find('}') == Some(text.len() - 1) {
                true => match serde_json::from_str(&replaced) {
                    Ok(plain @ (Value::Number(_) | Value::Bool(_))) => plain,
                    _ => Value::String(replaced),
                },
                false => Value::String(replaced),
            };
            Ok(())
        }
        _ => Ok(()),
    }
}

fn substitute_text(text: &str, variables: &BTreeMap<String, String>) -> Result<String, Failure> {
    let (mut rest, mut result) = (text, String::with_capacity(text.len()));
    while let Some(start) = rest.find("${") {
        // `$${name}` is an escaped `${name}`.
        let escaped = rest[..start].ends_with('$');
        let Some(length) = rest[start..].find('}') else { break };
        let inside = &rest[start + 2..start + length];
        if escaped {
            result.push_str(&rest[..start - 1]);
            result.push_str(&rest[start..=start + length]);
        } else {
            result.push_str(&rest[..start]);
            result.push_str(&expand(inside, variables)?);
        }
        rest = &rest[start + length + 1..];
    }
    result.push_str(rest);
    Ok(result)
}

fn expand(expression: &str, variables: &BTreeMap<String, String>) -> Result<String, Failure> {
    let end = expression.find(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    let (name, operator) = expression.split_at(end.unwrap_or(expression.len()));
    let known = variables.get(name).cloned();
    let default = [":=", ":-", "=", "-"].iter().find_map(|sign| operator.strip_prefix(sign));
    match (operator, default) {
        _ if name.is_empty() => fail!("the variable in '${{{expression}}}' has no name"),
        ("", _) => Ok(known.unwrap_or_default()),
        (_, Some(default)) => Ok(known.filter(|value| !value.is_empty()).unwrap_or_else(|| default.to_owned())),
        _ => fail!("'${{{expression}}}' uses a function of envsubst"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn variables_and_defaults_are_put_in() {
        let variables = BTreeMap::from([("env".to_owned(), "prod".to_owned()), ("count".to_owned(), "3".to_owned())]);
        let mut object = json!({"a": "${env}", "b": "x-${env}-${none}-${size:=big}", "c": "$${env}", "d": "${count}", "e": "${none:-}"});
        substitute(&mut object, &variables).unwrap();
        assert_eq!(object, json!({"a": "prod", "b": "x-prod--big", "c": "${env}", "d": 3, "e": ""}));
    }

    #[test]
    fn functions_are_refused_and_a_person_can_turn_it_off() {
        let mut object = json!({"a": "${env^^}"});
        assert!(substitute(&mut object, &BTreeMap::new()).unwrap_err().as_str().contains("function"));
        let mut object = json!({"metadata": {"annotations": {DISABLED.0: DISABLED.1}}, "a": "${env}"});
        let before = object.clone();
        substitute(&mut object, &BTreeMap::new()).unwrap();
        assert_eq!(object, before);
    }
}
