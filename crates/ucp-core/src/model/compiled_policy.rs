//! The expressions of a ValidatingAdmissionPolicy, compiled once for all requests.

use serde_json::Value;

use crate::model::admission::{AdmissionCall, AdmissionRequest, answer, depends_on_object, expressions, list};
use crate::model::expression::{CompiledExpression, ExpressionAnswer, ExpressionScope};

/// The decision of a policy about a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PolicyDecision {
    /// It is not asked, or has no objection.
    Allows,
    /// It denies the request, with this message.
    Denies(String),
    /// It depends on more than the object.
    Unknown,
}

impl PolicyDecision {
    /// Returns the decision of a policy that is asked, or may be.
    pub(super) fn after(self, call: AdmissionCall) -> Self {
        match self {
            Self::Denies(_) if call != AdmissionCall::Certain => Self::Unknown,
            decision => decision,
        }
    }
}

/// The expressions of a policy.
pub(super) struct CompiledPolicy<'a> {
    conditions: Vec<CompiledExpression<'a>>,
    variables: Vec<(&'a str, CompiledExpression<'a>)>,
    validations: Vec<CompiledValidation<'a>>,
    /// Whether an expression that fails denies the request.
    denies_on_failure: bool,
}

struct CompiledValidation<'a> {
    expression: CompiledExpression<'a>,
    message: Option<&'a str>,
}

impl<'a> CompiledPolicy<'a> {
    pub(super) fn new(spec: &'a Value) -> Self {
        let text = |entry: &'a Value, field: &str| entry.get(field).and_then(Value::as_str);
        let variables = list(spec, "variables").map(|entry| {
            let expression = CompiledExpression::new(text(entry, "expression").unwrap_or_default());
            (text(entry, "name").unwrap_or_default(), expression)
        });
        let validations = list(spec, "validations").map(|entry| CompiledValidation {
            expression: CompiledExpression::new(text(entry, "expression").unwrap_or_default()),
            message: text(entry, "message"),
        });
        Self {
            conditions: expressions(spec, "matchConditions").map(CompiledExpression::new).collect(),
            variables: variables.collect(),
            validations: validations.collect(),
            denies_on_failure: text(spec, "failurePolicy") != Some("Ignore"),
        }
    }

    pub(super) fn decide(
        &self,
        request: &AdmissionRequest<'_>,
        mut scope: ExpressionScope,
        call: AdmissionCall,
    ) -> PolicyDecision {
        for (name, expression) in &self.variables {
            match depends_on_object(expression.text, request.kind) {
                true => scope.define(name, expression),
                false => scope.define_unknown(),
            }
        }
        let conditions: Vec<_> = self.conditions.iter().map(|condition| answer(condition, request, &scope)).collect();
        if conditions.contains(&ExpressionAnswer::False) {
            return PolicyDecision::Allows;
        }
        let failed = self.conditions.iter().zip(&conditions).find_map(|(condition, answer)| match answer {
            ExpressionAnswer::Missing(field) => Some((condition, field)),
            _ => None,
        });
        // If one that is unknown is false, the policy is not asked.
        let call = if conditions.contains(&ExpressionAnswer::Unknown) { AdmissionCall::Possible } else { call };
        if let Some((condition, field)) = failed {
            return self.failure(missing_field(condition.text, field)).after(call);
        }
        let mut decision = PolicyDecision::Allows;
        for validation in &self.validations {
            let answered = match answer(&validation.expression, request, &scope) {
                ExpressionAnswer::True => PolicyDecision::Allows,
                ExpressionAnswer::False => PolicyDecision::Denies(validation.message()),
                ExpressionAnswer::Missing(field) => self.failure(missing_field(validation.expression.text, &field)),
                ExpressionAnswer::Unknown => PolicyDecision::Unknown,
            };
            match answered {
                PolicyDecision::Denies(_) => return answered.after(call),
                PolicyDecision::Unknown => decision = PolicyDecision::Unknown,
                PolicyDecision::Allows => {}
            }
        }
        decision
    }

    /// Returns the decision if an expression fails.
    pub(super) fn failure(&self, message: String) -> PolicyDecision {
        match self.denies_on_failure {
            true => PolicyDecision::Denies(message),
            false => PolicyDecision::Allows,
        }
    }
}

fn missing_field(expression: &str, field: &str) -> String {
    format!("expression '{expression}' resulted in error: no such key: {field}")
}

impl CompiledValidation<'_> {
    /// Returns the fixed message. A `messageExpression` is not evaluated, since it could print a value that is to be hidden.
    fn message(&self) -> String {
        self.message
            .map_or_else(|| format!("failed expression: {}", self.expression.text), |text| text.trim().to_owned())
    }
}
