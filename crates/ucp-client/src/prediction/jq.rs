//! Deletes fields by a `jq` expression, like Argo CD's `jqPathExpressions`.

use std::collections::BTreeSet;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jaq_core::load::lex::{StrPart, Tok, Token};
use jaq_core::load::{Arena, File, Lexer, Loader};
use jaq_core::{Compiler, Ctx, Vars, data, unwrap_valr};
use jaq_json::{Val, read};
use serde::Deserialize;
use serde_json::Value;

/// Time limit of an expression for one object. Argo CD allows a second; this machine may be busier.
const PATIENCE: Duration = Duration::from_secs(5);
/// Maximum length of an expression; those written by hand are shorter.
const LONGEST: usize = 4096;
/// Stack size of the thread: recursion through nested lists uses the stack.
const STACK: usize = 64 << 20;
/// Words that an Application must not use: they access this process's environment and input, end the process, or define
/// functions, which may recurse endlessly.
const UNAVAILABLE: [&str; 13] = [
    "def",
    "env",
    "$ENV",
    "halt",
    "halt_error",
    "import",
    "include",
    "input",
    "inputs",
    "stderr",
    "stderr_empty",
    "debug_empty",
    "input_filename",
];

/// Expressions that did not end. Each still occupies a thread, so none is started again.
static ENDLESS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Returns the object without the fields that the expression finds, like `del(EXPRESSION)`.
///
/// # Errors
/// Fails when the expression is invalid, uses an unavailable function, does not end, or does not match the object.
pub fn delete_matching(object: &Value, expression: &str) -> Result<Value, String> {
    let expression = check_expression(expression)?;
    let endless = || format!("'{expression}' did not end within {}s", PATIENCE.as_secs());
    if ENDLESS.lock().unwrap_or_else(PoisonError::into_inner).contains(expression) {
        return Err(endless());
    }
    let (sender, receiver) = mpsc::channel();
    let (text, code) = (object.to_string(), expression.to_owned());
    let thread = std::thread::Builder::new().stack_size(STACK);
    thread
        .spawn(move || sender.send(find_paths(&text, &code)))
        .map_err(|error| format!("no thread for jq: {error}"))?;
    let found = match receiver.recv_timeout(PATIENCE) {
        Ok(found) => found?,
        Err(RecvTimeoutError::Timeout) => {
            ENDLESS.lock().unwrap_or_else(PoisonError::into_inner).insert(expression.to_owned());
            return Err(endless());
        }
        Err(RecvTimeoutError::Disconnected) => return Err(format!("'{expression}' cannot be evaluated")),
    };
    let mut paths: Vec<Vec<JqPathStep>> =
        serde_json::from_str(&found).map_err(|_| format!("'{expression}' finds no fields"))?;
    // From the last to the first, so that list indices remain valid.
    paths.sort_unstable();
    let mut rest = object.clone();
    for path in paths.iter().rev() {
        remove_path(&mut rest, path);
    }
    Ok(rest)
}

/// Fails if an expression could access anything outside the object, or not end.
fn check_expression(expression: &str) -> Result<&str, String> {
    fn forbidden<'code>(tokens: &[Token<&'code str>]) -> Option<&'code str> {
        // A field may have any name: `.env`.
        let before = std::iter::once("").chain(tokens.iter().map(|Token(text, _)| *text));
        tokens.iter().zip(before).find_map(|(Token(text, kind), before)| match kind {
            Tok::Block(inner) => forbidden(inner),
            Tok::Str(parts) => parts.iter().find_map(|part| match part {
                StrPart::Term(term) => forbidden(std::slice::from_ref(term)),
                _ => None,
            }),
            _ => UNAVAILABLE.contains(text).then_some(*text).filter(|_| before != "."),
        })
    }
    let depth = expression.bytes().filter(|byte| matches!(byte, b'(' | b'[' | b'{')).count();
    if expression.len() > LONGEST || depth > 200 {
        return Err("a jq expression exceeds the limit of length or depth".to_owned());
    }
    let tokens = Lexer::new(expression).lex().map_err(|_| format!("'{expression}' is not a valid jq expression"))?;
    match forbidden(&tokens) {
        None => Ok(expression),
        Some(word) => Err(format!("'{expression}' uses {word}, which is not available here")),
    }
}

/// Returns the paths of the fields that the expression finds, as JSON.
fn find_paths(object: &str, expression: &str) -> Result<String, String> {
    // The same as jq's `del`. jaq's own leaves a null where `?` finds nothing.
    let code = format!("[path({expression})]");
    let arena = Arena::default();
    let definitions = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
    let modules = Loader::new(definitions)
        .load(&arena, File { code: code.as_str(), path: () })
        .map_err(|_| format!("'{expression}' is not a valid jq expression"))?;
    let functions = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
    let filter = Compiler::default()
        .with_funs(functions)
        .compile(modules)
        .map_err(|_| format!("'{expression}' calls something that jq does not have"))?;
    let input = read::parse_single(object.as_bytes()).map_err(|error| error.to_string())?;
    let context = Ctx::<data::JustLut<Val>>::new(&filter.lut, Vars::new([]));
    let output = filter.id.run((context, input)).map(unwrap_valr).next();
    let output = output.ok_or_else(|| format!("'{expression}' returns nothing"))?;
    output.map(|output| output.to_string()).map_err(|error| format!("'{expression}' does not fit: {error}"))
}

/// A step of a path in jq's notation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(untagged)]
enum JqPathStep {
    Index(usize),
    Name(String),
}

fn remove_path(value: &mut Value, path: &[JqPathStep]) {
    match (path, value) {
        ([JqPathStep::Name(name)], Value::Object(fields)) => drop(fields.remove(name)),
        ([JqPathStep::Index(index)], Value::Array(items)) if *index < items.len() => drop(items.remove(*index)),
        ([JqPathStep::Name(name), rest @ ..], Value::Object(fields)) => {
            if let Some(child) = fields.get_mut(name) {
                remove_path(child, rest);
            }
        }
        ([JqPathStep::Index(index), rest @ ..], Value::Array(items)) => {
            if let Some(child) = items.get_mut(*index) {
                remove_path(child, rest);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn deletes_what_argo_cds_documentation_deletes() {
        let object = json!({"spec": {
            "replicas": 3,
            "template": {"spec": {"initContainers": [{"name": "injected"}, {"name": "mine"}]}},
            "webhooks": [{"clientConfig": {"caBundle": "x", "url": "y"}}],
        }});
        let gone = |expression| delete_matching(&object, expression).unwrap();
        assert_eq!(
            gone(".spec.template.spec.initContainers[] | select(.name == \"injected\")")["spec"]["template"]["spec"],
            json!({"initContainers": [{"name": "mine"}]})
        );
        assert_eq!(
            gone(".spec.webhooks[]?.clientConfig.caBundle")["spec"]["webhooks"][0]["clientConfig"],
            json!({"url": "y"})
        );
        assert_eq!(gone(".spec.none[]?"), object);
        let first = gone(".spec.template.spec.initContainers[0, 1] | select(.name | test(\"^i\"))");
        assert_eq!(first["spec"]["template"]["spec"]["initContainers"], json!([{"name": "mine"}]));
    }

    #[test]
    fn an_expression_reaches_nothing_but_the_object_and_ends() {
        let object = json!({"a": 1});
        for hostile in [
            "select(env.PATH)",
            "$ENV.PATH",
            ".[\"\\(env | tostring)\"]",
            "def f: 1 + f; f",
            "halt",
            "halt_error(3)",
            "inputs",
            &"(".repeat(100_000),
            &format!("{}.a{}", "(".repeat(1000), ")".repeat(1000)),
        ] {
            assert!(delete_matching(&object, hostile).is_err(), "{hostile}");
        }
        // A field may have such a name.
        assert_eq!(delete_matching(&json!({"env": 1, "a": 2}), ".env").unwrap(), object_without_env());
        let endless = "last(repeat(.))";
        assert!(delete_matching(&object, endless).unwrap_err().contains("did not end"));
        assert!(delete_matching(&object, endless).unwrap_err().contains("did not end"), "and it is not tried again");
    }

    fn object_without_env() -> Value {
        json!({"a": 2})
    }

    #[test]
    fn a_bad_expression_is_told() {
        assert!(delete_matching(&json!({}), "][").unwrap_err().contains("not a valid jq expression"));
        assert!(delete_matching(&json!({}), "nosuch").unwrap_err().contains("does not have"));
    }
}
