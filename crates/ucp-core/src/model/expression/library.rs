//! The environment of expressions: the standard library, and the extensions that Flux adds for its health checks (strings,
//! sets, and encoders, in `runtime/cel/expression.go` of fluxcd/pkg).

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use cel::common::types::{CelBool, CelBytes, CelString, LIST_TYPE};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError, extensions};

use super::times;

/// Creates the environment.
pub(super) fn environment() -> Result<Arc<Env>, DeclarationError> {
    let mut env = Env::stdlib().with_optional_support(true);
    env.add_extension(extensions::strings)?;
    times::declare(&mut env)?;
    for (name, function) in SETS {
        env.add_overload(name, name, vec![LIST_TYPE, LIST_TYPE], function)?;
    }
    cel::add_overload!(env, fn encode: (CelBytes) -> CelString, name = "base64.encode")?;
    cel::add_overload!(env, fn decode: (CelString) -> Result<CelBytes>, name = "base64.decode")?;
    Ok(Arc::new(env))
}

type SetFunction = for<'b, 'v> fn(Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError>;

/// The functions for two lists as sets.
const SETS: [(&str, SetFunction); 3] = [
    ("sets.contains", |lists| in_lists(&lists, |one, other| other.iter().all(|item| has(one, *item)))),
    ("sets.intersects", |lists| in_lists(&lists, |one, other| other.iter().any(|item| has(one, *item)))),
    ("sets.equivalent", |lists| {
        in_lists(&lists, |one, other| {
            one.iter().all(|item| has(other, *item)) && other.iter().all(|item| has(one, *item))
        })
    }),
];

fn has(list: &[&dyn Val], wanted: &dyn Val) -> bool {
    list.iter().any(|item| item.equals(wanted))
}

fn in_lists<'b, 'v>(
    lists: &[CowVal<'b, 'v>],
    test: fn(&[&dyn Val], &[&dyn Val]) -> bool,
) -> Result<CowVal<'b, 'v>, ExecutionError> {
    Ok(CowVal::owned(CelBool::from(test(&items(lists.first())?, &items(lists.get(1))?))))
}

fn items<'list>(list: Option<&'list CowVal<'_, '_>>) -> Result<Vec<&'list dyn Val>, ExecutionError> {
    let list = list.and_then(|list| list.as_iterable());
    let mut items = list.ok_or_else(|| ExecutionError::function_error("sets", "it is no list"))?.iter();
    let mut all: Vec<&dyn Val> = Vec::new();
    while let Some(item) = items.next() {
        all.push(item);
    }
    Ok(all)
}

fn encode(bytes: &CelBytes<'_>) -> CelString<'static> {
    STANDARD.encode(bytes.inner()).into()
}

/// Decodes a text with or without padding.
fn decode(text: &CelString<'_>) -> Result<CelBytes<'static>, ExecutionError> {
    let decoded = STANDARD.decode(text.inner()).or_else(|_| STANDARD_NO_PAD.decode(text.inner()));
    decoded.map(CelBytes::from).map_err(|error| ExecutionError::function_error("base64.decode", error))
}
