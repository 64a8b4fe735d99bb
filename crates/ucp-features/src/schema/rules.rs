//! Validation rules of a schema, `x-kubernetes-validations`: expressions in CEL.

use serde_json::Value;

use ucp_core::model::expression::{RulePatience, ValidationRule, evaluate_rules};
use ucp_core::model::secrecy::is_hidden_value;

use super::node::SchemaNode;
use super::walk::SchemaWalk;

/// Longest message of a rule, in characters.
const LONGEST_MESSAGE: usize = 160;

/// A rule for one value of an object.
pub(super) struct PendingRule<'v> {
    /// Place of the value.
    place: String,
    /// The rule's message, or the expression.
    message: String,
    rule: ValidationRule<'v>,
}

impl<'a> SchemaNode<'a> {
    /// Collects the rules for a value. Rules that compare with the previous value apply to changes only.
    pub(super) fn collect_rules<'v>(self, value: &'v Value, walk: &mut SchemaWalk, pending: &mut Vec<PendingRule<'v>>)
    where
        'a: 'v,
    {
        let rules = self.0.get("x-kubernetes-validations").and_then(Value::as_array).into_iter().flatten();
        for rule in rules {
            let text = |name: &str| rule.get(name).and_then(Value::as_str);
            let Some(expression) = text("rule") else { continue };
            let message = text("message").unwrap_or(expression).chars().take(LONGEST_MESSAGE).collect();
            if !expression.contains("oldSelf") && !self.compares_sets(expression) && !has_hidden_part(value) {
                let place = walk.place().to_owned();
                pending.push(PendingRule { place, message, rule: ValidationRule { expression, value } });
            } else if !expression.contains("oldSelf") || rule["optionalOldSelf"] == true {
                walk.add_doubt(&format!("has a rule that cannot be evaluated: {message}"));
            }
        }
    }

    /// Returns true if a rule may compare or join lists that the server treats as sets or maps.
    fn compares_sets(self, expression: &str) -> bool {
        ["==", "!=", "+"].iter().any(|operator| expression.contains(operator))
            && (self.is_set() || self.names_set(expression))
    }

    fn is_set(self) -> bool {
        self.0.get("x-kubernetes-list-type").is_some_and(|kind| kind == "set" || kind == "map")
    }

    /// Returns true if an expression names a field below that is a set or map.
    fn names_set(self, expression: &str) -> bool {
        let is_named = |name: &str, schema: Self| schema.is_set() && expression.contains(name);
        self.fields().any(|(name, schema)| is_named(name, schema) || schema.names_set(expression))
            || self.items().is_some_and(|schema| schema.names_set(expression))
    }
}

/// Evaluates the rules, and adds those that are broken or cannot be evaluated.
pub(super) fn check_rules(pending: &[PendingRule<'_>], patience: &RulePatience, walk: &mut SchemaWalk) {
    let rules: Vec<ValidationRule<'_>> = pending.iter().map(|pending| pending.rule).collect();
    for (PendingRule { place, message, .. }, held) in pending.iter().zip(evaluate_rules(&rules, patience)) {
        walk.in_field(place, |walk| match held {
            Ok(Some(true)) => {}
            Ok(Some(false)) => walk.add(&format!("breaks a rule: {message}")),
            Ok(None) => walk
                .add_doubt(&format!("has a rule about a missing field, which the server probably refuses: {message}")),
            Err(_) => walk.add_doubt(&format!("has a rule that cannot be evaluated: {message}")),
        });
    }
}

/// Returns true if a part of a value is hidden, so that rules about the whole value cannot be evaluated.
pub(super) fn has_hidden_part(value: &Value) -> bool {
    match value {
        Value::String(text) => is_hidden_value(text),
        Value::Array(items) => items.iter().any(has_hidden_part),
        Value::Object(fields) => fields.iter().any(|(name, field)| is_hidden_value(name) || has_hidden_part(field)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
