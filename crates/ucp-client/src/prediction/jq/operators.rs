//! The operators of jq between two terms.

use jaq_core::load::parse::{BinaryOp, Pattern, Term};
use jaq_core::ops::{Cmp, Math};
use serde_json::Value;

use super::evaluate::{Flow, JqEvaluation, JqItem, JqVariables, Output, Stop, misfit};
use super::values::{compare, is_true, number, type_name, weight};

impl JqEvaluation {
    /// Runs two terms with an operator.
    pub(super) fn operate<'t, 'v>(
        &mut self,
        left: &'t Term<&'t str>,
        operator: &'t BinaryOp<&'t str>,
        right: &'t Term<&'t str>,
        variables: &JqVariables<'t>,
        input: JqItem<'v>,
        out: Output<'_, 'v>,
    ) -> Flow {
        match operator {
            BinaryOp::Pipe(None) => {
                self.run(left, variables, input, &mut |evaluation, item| evaluation.run(right, variables, item, out))
            }
            BinaryOp::Pipe(Some(Pattern::Var(name))) => {
                self.values(left, variables, &input, &mut |evaluation, value| {
                    let value = evaluation.clone_of(&value)?;
                    let inner = variables.with(name, value);
                    let item = evaluation.copy(&input)?;
                    evaluation.run(right, &inner, item, out)
                })
            }
            BinaryOp::Comma => {
                let first = self.copy(&input)?;
                self.run(left, variables, first, out)?;
                self.run(right, variables, input, out)
            }
            BinaryOp::Alt => {
                let mut has_any = false;
                let first = self.copy(&input)?;
                self.attempt(left, variables, first, &mut |evaluation, item| {
                    if !is_true(&item.value) {
                        return Ok(());
                    }
                    has_any = true;
                    out(evaluation, item)
                })?;
                if has_any { Ok(()) } else { self.run(right, variables, input, out) }
            }
            BinaryOp::And | BinaryOp::Or => {
                let decisive = matches!(operator, BinaryOp::Or);
                self.values(left, variables, &input, &mut |evaluation, value| match is_true(&value) == decisive {
                    true => evaluation.put(Value::Bool(decisive), out),
                    false => evaluation.values(right, variables, &input, &mut |evaluation, value| {
                        evaluation.put(Value::Bool(is_true(&value)), out)
                    }),
                })
            }
            // The right side is the outer loop, as in jq.
            BinaryOp::Cmp(operator) => self.values(right, variables, &input, &mut |evaluation, right| {
                evaluation.values(left, variables, &input, &mut |evaluation, left| {
                    evaluation.spend(weight(&left) + weight(&right))?;
                    let order = compare(&left, &right);
                    let holds = match operator {
                        Cmp::Lt => order.is_lt(),
                        Cmp::Le => order.is_le(),
                        Cmp::Gt => order.is_gt(),
                        Cmp::Ge => order.is_ge(),
                        Cmp::Eq => order.is_eq(),
                        Cmp::Ne => order.is_ne(),
                    };
                    evaluation.put(Value::Bool(holds), out)
                })
            }),
            BinaryOp::Math(operator) => self.values(right, variables, &input, &mut |evaluation, right| {
                evaluation.values(left, variables, &input, &mut |evaluation, left| {
                    evaluation.allocate(weight(&left) + weight(&right))?;
                    let result = calculate(*operator, left.into_owned(), right.as_ref())?;
                    evaluation.put(result, out)
                })
            }),
            _ => misfit("it is not available here"),
        }
    }
}

/// Calculates with two values.
pub(super) fn calculate(operator: Math, left: Value, right: &Value) -> Result<Value, Stop> {
    if let (Some(left), Some(right)) = (left.as_f64(), right.as_f64()) {
        return Ok(number(match operator {
            Math::Add => left + right,
            Math::Sub => left - right,
            Math::Mul => left * right,
            Math::Div | Math::Rem if right == 0.0 => return misfit("division by zero"),
            Math::Div => left / right,
            Math::Rem => match right.trunc() {
                0.0 => return misfit("division by zero"),
                right => left.trunc() % right,
            },
        }));
    }
    match (operator, left, right) {
        (Math::Add, Value::Null, right) => Ok(right.clone()),
        (Math::Add, left, Value::Null) => Ok(left),
        (Math::Add, Value::String(left), Value::String(right)) => Ok(Value::String(left + right)),
        (Math::Add, Value::Array(left), Value::Array(right)) => {
            Ok(Value::Array(left.into_iter().chain(right.iter().cloned()).collect()))
        }
        (Math::Add, Value::Object(mut left), Value::Object(right)) => {
            left.extend(right.clone());
            Ok(Value::Object(left))
        }
        // jq repeats, splits, merges, or removes.
        (Math::Sub, Value::Array(_), Value::Array(_))
        | (Math::Mul, Value::Object(_), Value::Object(_))
        | (Math::Mul, Value::String(_), Value::Number(_))
        | (Math::Mul, Value::Number(_), Value::String(_))
        | (Math::Div, Value::String(_), Value::String(_)) => {
            Err(Stop::Unavailable(format!("{} for lists, objects, or texts", operator.as_str())))
        }
        (_, left, right) => misfit(format!("no calculation with {} and {}", type_name(&left), type_name(right))),
    }
}
