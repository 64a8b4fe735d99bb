//! Expressions in CEL, evaluated with limits for their length, depth, and cost: those of Flux's health checks, the
//! validation rules of CRDs, and those of admission policies.

mod compiled;
mod cost;
mod language;
mod library;
mod times;

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cel::{Context, ExecutionError, Value as CelValue};
use serde_json::Value;

pub(crate) use compiled::{CompiledExpression, ExpressionAnswer, ExpressionScope};
pub(crate) use cost::CostBound;
pub(crate) use language::on_own_stack;
use language::{LANGUAGE, MOST_WORK, compile, first_line, to_cel};

use crate::failure::{Failure, fail};

/// A validation rule of a CRD for one value.
#[derive(Debug, Clone, Copy)]
pub struct ValidationRule<'v> {
    /// The expression, in which `self` is the value.
    pub expression: &'v str,
    /// The value.
    pub value: &'v Value,
}

/// The time that the rules of all objects may take. Beyond, they are not evaluated.
#[derive(Debug)]
pub struct RulePatience(Cell<Duration>);

impl Default for RulePatience {
    fn default() -> Self {
        Self(Cell::new(Duration::from_secs(10)))
    }
}

/// Returns for each rule if it holds, or `None` if it names a field that does not exist.
///
/// # Errors
/// Each rule fails with its own reason when it cannot be evaluated.
pub fn evaluate_rules(rules: &[ValidationRule<'_>], patience: &RulePatience) -> Vec<Result<Option<bool>, Failure>> {
    if rules.is_empty() {
        return Vec::new();
    }
    let (begun, limit) = (Instant::now(), patience.0.get());
    let evaluate_rule = |rule: &ValidationRule<'_>| match begun.elapsed() < limit {
        true => evaluate(rule.expression, std::iter::once(("self", rule.value)), CostBound::of_object(rule.value)),
        false => fail!("the rules take too long"),
    };
    let evaluated = on_own_stack(|| rules.iter().map(evaluate_rule).collect());
    patience.0.set(limit.saturating_sub(begun.elapsed()));
    evaluated.unwrap_or_else(|reason| rules.iter().map(|_| Err(reason.clone())).collect())
}

/// Evaluates an expression with variables, whose total size is given. Returns `None` if a field does not exist. It
/// recurses: call it [`on_own_stack`].
///
/// # Errors
/// Fails with the reason when the expression is invalid, may take too long, or is neither true nor false.
pub(crate) fn evaluate<'v>(
    expression: &str,
    variables: impl Iterator<Item = (&'v str, &'v Value)>,
    size: CostBound,
) -> Result<Option<bool>, Failure> {
    let program = compile(expression)?;
    if cost::bound(program.expression(), size).work > MOST_WORK {
        return fail!("it takes too long for an object of this size");
    }
    let mut context = Context::with_env(Arc::clone(&LANGUAGE));
    for (name, value) in variables {
        context.add_variable_from_value(name, to_cel(value));
    }
    match program.execute(&context) {
        Ok(CelValue::Bool(flag)) => Ok(Some(flag)),
        Ok(_) => fail!("it must be true or false"),
        Err(ExecutionError::NoSuchKey(_)) => Ok(None),
        // Fields of the object that may be absent, such as `status`.
        Err(ExecutionError::UndeclaredReference(name)) if TOP_LEVEL.contains(&name.as_str()) => Ok(None),
        Err(error) => Err(first_line(&error.to_string()).into()),
    }
}

/// Fields at the top of objects.
const TOP_LEVEL: [&str; 6] = ["apiVersion", "kind", "metadata", "spec", "status", "data"];
