//! Expressions in CEL, evaluated with limits for their length, depth, and cost: those of Flux's health checks, and the
//! validation rules of CRDs.

mod cost;
mod library;
mod times;

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use cel::{Context, DeclarationError, Env, ExecutionError, Value as CelValue};
use serde_json::Value;

pub(crate) use cost::CostBound;

use crate::failure::{Failure, fail};

/// The limit for the length of an expression.
const LONGEST: usize = 8192;
/// The limit for the work of an expression, in values visited and bytes created.
const MOST_WORK: u64 = 20_000_000;
/// The limit for the operators and brackets of an expression, each of which may be one level of recursion.
const DEEPEST: usize = 400;
/// The stack for parsing and evaluation, which recurse: more than 100 kB for each level.
const STACK: usize = 64 << 20;

static LANGUAGE: LazyLock<Result<Arc<Env>, DeclarationError>> = LazyLock::new(library::environment);

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

/// Runs a function on a thread with a stack of a known size, since parsing and evaluation recurse.
///
/// # Errors
/// Fails when no thread can be started, or the function panics.
pub(crate) fn on_own_stack<R: Send>(run: impl FnOnce() -> R + Send) -> Result<R, Failure> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run);
        let joined = thread.map_err(|error| error.to_string())?.join();
        joined.map_err(|_| "the expression cannot be evaluated".into())
    })
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
    if expression.len() > LONGEST {
        return fail!("it is longer than {LONGEST} bytes");
    }
    let is_level = |byte: &u8| !byte.is_ascii_alphanumeric() && !byte.is_ascii_whitespace() && !b"_'\",".contains(byte);
    let words = expression.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| *word == "in").count();
    if expression.bytes().filter(is_level).count() + words > DEEPEST {
        return fail!("it has more than {DEEPEST} operators and brackets");
    }
    let language = LANGUAGE.as_ref().map_err(ToString::to_string)?;
    let program = language.compile(expression).map_err(|error| first_line(&error.to_string()))?;
    if cost::bound(program.expression(), size).work > MOST_WORK {
        return fail!("it takes too long for an object of this size");
    }
    let mut context = Context::with_env(Arc::clone(language));
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

fn first_line(text: &str) -> String {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned()
}

fn to_cel(value: &Value) -> CelValue {
    match value {
        Value::Null => CelValue::Null,
        Value::Bool(flag) => CelValue::Bool(*flag),
        Value::Number(number) => match number.as_i64() {
            Some(number) => CelValue::Int(number),
            None => CelValue::Float(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => CelValue::String(Arc::new(text.clone())),
        Value::Array(items) => CelValue::List(Arc::new(items.iter().map(to_cel).collect())),
        Value::Object(fields) => {
            fields.iter().map(|(key, field)| (key.as_str(), to_cel(field))).collect::<HashMap<_, _>>().into()
        }
    }
}
