//! Validation rules of a schema, `x-kubernetes-validations`: expressions in CEL.

use serde_json::Value;

use ucp_core::model::expression::{ValidationRule, evaluate_rules};

use super::SchemaNode;
use super::walk::SchemaWalk;

/// A rule for one value of an object.
pub(super) struct PendingRule<'v> {
    /// Place of the value.
    place: String,
    /// The rule's message, or the expression.
    message: &'v str,
    rule: ValidationRule<'v>,
}

impl<'a> SchemaNode<'a> {
    /// Collects the rules for a value. Rules that compare with the previous value apply to changes only.
    pub(super) fn collect_rules<'v>(self, value: &'v Value, walk: &SchemaWalk, pending: &mut Vec<PendingRule<'v>>)
    where
        'a: 'v,
    {
        let rules = self.0.get("x-kubernetes-validations").and_then(Value::as_array).into_iter().flatten();
        pending.extend(rules.filter_map(|rule| {
            let text = |name: &str| rule.get(name).and_then(Value::as_str);
            let expression = text("rule").filter(|expression| !expression.contains("oldSelf"))?;
            let message = text("message").unwrap_or(expression);
            Some(PendingRule { place: walk.place().to_owned(), message, rule: ValidationRule { expression, value } })
        }));
    }
}

/// Evaluates the rules, and adds those that are broken or cannot be evaluated.
pub(super) fn check_rules(pending: &[PendingRule<'_>], walk: &mut SchemaWalk) {
    let rules: Vec<ValidationRule<'_>> = pending.iter().map(|pending| pending.rule).collect();
    for (PendingRule { place, message, .. }, held) in pending.iter().zip(evaluate_rules(&rules)) {
        walk.in_field(place, |walk| match held {
            Ok(Some(true)) => {}
            Ok(Some(false)) => walk.add(&format!("breaks a rule: {message}")),
            Ok(None) => walk.add_doubt(&format!("has a rule about a field that does not exist: {message}")),
            Err(_) => walk.add_doubt(&format!("has a rule that cannot be evaluated: {message}")),
        });
    }
}
