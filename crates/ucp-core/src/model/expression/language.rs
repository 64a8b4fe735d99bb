//! The language of expressions: its environment, limits, and values.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use cel::{Env, Program, Value as CelValue};
use serde_json::Value;

use super::library;
use crate::failure::{Failure, fail};

/// The limit for the length of an expression.
const LONGEST: usize = 8192;
/// The limit for the work of an expression, in values visited and bytes created.
pub(super) const MOST_WORK: u64 = 20_000_000;
/// The limit for the operators and brackets of an expression, each of which may be one level of recursion.
const DEEPEST: usize = 400;
/// The stack for parsing and evaluation, which recurse: more than 100 kB for each level.
const STACK: usize = 64 << 20;

/// Without the library, an expression that calls one of its functions is invalid.
pub(super) static LANGUAGE: LazyLock<Arc<Env>> =
    LazyLock::new(|| library::environment().unwrap_or_else(|_| Arc::new(Env::stdlib().with_optional_support(true))));

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

/// Compiles an expression that is neither too long nor too deep. It recurses: call it [`on_own_stack`].
pub(super) fn compile(expression: &str) -> Result<Program, Failure> {
    if expression.len() > LONGEST {
        return fail!("it is longer than {LONGEST} bytes");
    }
    let is_level = |byte: &u8| !byte.is_ascii_alphanumeric() && !byte.is_ascii_whitespace() && !b"_'\",".contains(byte);
    let words = expression.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| *word == "in").count();
    if expression.bytes().filter(is_level).count() + words > DEEPEST {
        return fail!("it has more than {DEEPEST} operators and brackets");
    }
    Ok(LANGUAGE.compile(expression).map_err(|error| first_line(&error.to_string()))?)
}

pub(super) fn first_line(text: &str) -> String {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned()
}

pub(super) fn to_cel(value: &Value) -> CelValue {
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
