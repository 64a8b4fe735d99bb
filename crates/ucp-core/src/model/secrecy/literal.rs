//! Literal values of variables, which may be secrets whatever their names say: the environment of programs, and the
//! inputs and outputs of Terraform and Ansible. Snapshots hide them, and so do commands that print whole objects.

use serde_json::{Map, Value};

use super::innocuous::is_innocuous;
use super::text::replace_all;

/// Kinds that run Terraform or Ansible.
const RUNNERS: [&str; 5] = ["Workspace", "Terraform", "Module", "AnsibleRun", "Stack"];
/// Fields of [`RUNNERS`] with the source of a program, and with what it returned.
const PROGRAMS: [&str; 4] = ["module", "inlineModule", "playbookInline", "outputs"];

/// Returns true for a kind whose inputs and outputs may be secrets.
pub fn is_runner(kind: &str) -> bool {
    RUNNERS.contains(&kind)
}

/// Returns true if a field contains variables of programs.
pub fn is_environment(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    matches!(lower.as_str(), "env" | "envs" | "environment" | "varmap")
        || lower.starts_with("extraenv")
        || lower.ends_with("env")
        || lower.ends_with("vars")
        || lower.ends_with("variables")
        || lower.ends_with("environmentvariable")
        // Azure, and Heroku.
        || ["appsettings", "appsetting", "applicationsettings", "configvar"].iter().any(|end| lower.ends_with(end))
}

/// Visits the name and value of each variable in a map of them, in a list of `{name, value}`, or of `NAME=value`.
pub fn for_each_variable(variables: &mut Value, visit: &mut dyn FnMut(&str, &mut Value)) {
    match variables {
        Value::Object(fields) => {
            // `env: {NAME: {valueFrom: …}}` refers to a value.
            let is_reference = |name: &str| ["From", "Ref", "Refs", "Selector"].iter().any(|end| name.ends_with(end));
            for (name, value) in fields.iter_mut().filter(|(name, _)| !is_reference(name)) {
                match value {
                    Value::Object(_) | Value::Array(_) => for_each_variable(value, visit),
                    _ => visit(name, value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| visit_entry(item, visit)),
        _ => {}
    }
}

fn visit_entry(entry: &mut Value, visit: &mut dyn FnMut(&str, &mut Value)) {
    match entry {
        Value::String(text) => {
            let Some((name, value)) = text.split_once('=') else { return };
            let mut value = value.into();
            visit(name, &mut value);
            *text = format!("{name}={}", value.as_str().unwrap_or_default());
        }
        Value::Object(fields) => {
            let name =
                fields.iter().find(|(field, _)| ["name", "key"].iter().any(|word| field.eq_ignore_ascii_case(word)));
            let name = name.and_then(|(_, name)| name.as_str()).unwrap_or_default().to_owned();
            for (field, value) in fields {
                if field.eq_ignore_ascii_case("value") {
                    visit(&name, value);
                } else if is_environment(field) {
                    for_each_variable(value, visit);
                }
            }
        }
        _ => {}
    }
}

/// Replaces the values of variables in a whole object, unless they are evidently harmless.
pub(super) fn replace_variables(object: &mut Value, replacement: &mut dyn FnMut(&str) -> String) {
    let is_run = object.get("kind").and_then(Value::as_str).is_some_and(is_runner);
    replace_below(object, is_run, replacement);
}

fn replace_below(value: &mut Value, is_run: bool, replacement: &mut dyn FnMut(&str) -> String) {
    match value {
        Value::Object(fields) => replace_in_fields(fields, is_run, replacement),
        Value::Array(items) => items.iter_mut().for_each(|item| replace_below(item, is_run, replacement)),
        _ => {}
    }
}

fn replace_in_fields(fields: &mut Map<String, Value>, is_run: bool, replacement: &mut dyn FnMut(&str) -> String) {
    // A schema describes variables, and has none.
    for (name, value) in fields.iter_mut().filter(|(name, _)| *name != "openAPIV3Schema") {
        let is_collection = value.is_object() || value.is_array();
        // A source of one line is an address.
        let is_program = is_run && PROGRAMS.contains(&name.as_str());
        if is_program && (is_collection || value.as_str().is_some_and(|text| text.contains('\n'))) {
            replace_all(value, replacement);
        } else if is_collection && is_environment(name) {
            for_each_variable(value, &mut |_, value| {
                if value.as_str().is_some_and(|text| !is_innocuous(text)) {
                    replace_all(value, replacement);
                }
            });
        } else {
            replace_below(value, is_run, replacement);
        }
    }
}
