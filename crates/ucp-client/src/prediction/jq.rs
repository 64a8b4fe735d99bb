//! Deletes fields by a `jq` expression, like Argo CD's `jqPathExpressions`.
//!
//! Expressions are written by tenants. They are parsed as jq, and evaluated here, so that none of them reaches anything
//! but the object, and all end within limits of steps, memory, and recursion.

mod evaluate;
mod functions;
mod operators;
mod path_step;
mod values;

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{LazyLock, Mutex, PoisonError};

use jaq_core::load::lex::{Lexer, StrPart, Tok, Token};
use jaq_core::load::parse::{Parser, Term};
use serde_json::Value;

use evaluate::{JqEvaluation, JqItem, JqVariables, PathNode, Stop};
use path_step::JqPathStep;

use ucp_core::failure::{Failure, FailureClass, fail};

/// Maximum length of an expression; those written by hand are shorter.
const LONGEST: usize = 4096;
/// Maximum number of tokens, each of which may be one level of recursion.
const MOST_TOKENS: usize = 1000;
/// Maximum number of brackets within brackets.
const DEEPEST: usize = 50;
/// Stack of the thread, for the recursion of the parser and the evaluation.
const STACK: usize = 64 << 20;
/// Limit for the steps of an expression for one object.
const MOST_STEPS: u64 = 2_000_000;
/// Limit for the steps of an expression for all objects.
const MOST_STEPS_IN_ALL: u64 = 100_000_000;

/// Steps that expressions have used so far.
static USED: LazyLock<Mutex<HashMap<String, u64>>> = LazyLock::new(Mutex::default);

/// Returns the object without the fields that the expression finds, like `del(EXPRESSION)`.
///
/// # Errors
/// Fails when the expression is invalid, uses an unavailable function, takes too long, or does not match the object.
pub fn delete_matching(object: &Value, expression: &str) -> Result<Value, Failure> {
    let limit = MOST_STEPS.min(MOST_STEPS_IN_ALL.saturating_sub(used(expression, 0)));
    let mut paths = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let search = thread.spawn_scoped(scope, || find_paths(object, expression, limit));
        let found = search.map_err(|error| format!("no thread for jq: {error}"))?.join();
        found.unwrap_or_else(|_| fail!("'{expression}' cannot be evaluated"))
    })?;
    // From the last to the first, so that list indices remain valid.
    paths.sort_unstable();
    paths.dedup();
    let mut rest = object.clone();
    for path in paths.iter().rev() {
        remove_path(&mut rest, path);
    }
    Ok(rest)
}

/// Adds steps to those that an expression has used, and returns them all.
fn used(expression: &str, steps: u64) -> u64 {
    let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
    if steps == 0 {
        return used.get(expression).copied().unwrap_or_default();
    }
    let all = used.entry(expression.to_owned()).or_default();
    *all += steps;
    *all
}

/// Parses an expression, and fails if it is too large or uses something that is not available.
fn parse<'t>(expression: &str, tokens: &'t [Token<&'t str>]) -> Result<Term<&'t str>, Failure> {
    let (count, depth) = size(tokens);
    if count > MOST_TOKENS || depth > DEEPEST {
        return fail!("a jq expression exceeds the limit of length or depth");
    }
    let parsed = Parser::new(tokens).parse(|parser| parser.term());
    let term = parsed.map_err(|_| format!("'{expression}' is not a valid jq expression"))?;
    match functions::unavailable(&term) {
        None => Ok(term),
        Some(word) => fail!("'{expression}' uses {word}, which is not available here"),
    }
}

/// Returns the number of tokens, and the number of brackets within brackets.
fn size(tokens: &[Token<&str>]) -> (usize, usize) {
    let sizes = tokens.iter().map(|Token(_, kind)| match kind {
        Tok::Block(inner) => {
            let (count, depth) = size(inner);
            (count + 1, depth + 1)
        }
        Tok::Str(parts) => {
            let terms = parts.iter().filter_map(|part| match part {
                StrPart::Term(term) => Some(size(std::slice::from_ref(term))),
                _ => None,
            });
            terms.fold((parts.len(), 0), |(count, depth), term| (count + term.0, depth.max(term.1)))
        }
        _ => (1, 0),
    });
    sizes.fold((0, 0), |(count, depth), one| (count + one.0, depth.max(one.1)))
}

/// Returns the paths of the fields that the expression finds.
fn find_paths(object: &Value, expression: &str, limit: u64) -> Result<Vec<Vec<JqPathStep>>, Failure> {
    // The lexer recurses for each bracket.
    let brackets = expression.bytes().filter(|byte| matches!(byte, b'(' | b'[' | b'{')).count();
    if expression.len() > LONGEST || brackets > MOST_TOKENS / 2 {
        return fail!("a jq expression exceeds the limit of length or depth");
    }
    let tokens = Lexer::new(expression).lex().map_err(|_| format!("'{expression}' is not a valid jq expression"))?;
    let term = parse(expression, &tokens)?;
    let mut evaluation = JqEvaluation::new(limit);
    let input = JqItem { value: std::borrow::Cow::Borrowed(object), path: Some(Rc::new(PathNode::Root)) };
    let mut paths = Vec::new();
    let ran = evaluation.run(&term, &JqVariables::default(), input, &mut |evaluation, item| {
        let Some(path) = item.path else { return evaluate::misfit("it computes a value, not a field") };
        let steps = path.steps();
        evaluation.allocate(1 + steps.len() as u64)?;
        paths.push(steps);
        Ok(())
    });
    used(expression, limit - evaluation.steps_left);
    match ran {
        Ok(()) => Ok(paths),
        Err(Stop::Misfit(reason)) => {
            Err(Failure::new(FailureClass::Misfit, format!("'{expression}' does not fit: {reason}")))
        }
        Err(Stop::Unavailable(name)) => fail!("'{expression}' uses {name}, which is not available here"),
        Err(Stop::Spent | Stop::Done(_)) => fail!("'{expression}' takes too long, or too much memory"),
    }
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
    fn expressions_of_argo_cds_documentation_delete_their_fields() {
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
    fn an_expression_only_reads_the_object_and_is_limited() {
        let list: Vec<u32> = (0..2000).collect();
        let object = json!({"a": 1, "list": list});
        let doubled = format!("select((\"x\"{}) == \"\")", " | . + .".repeat(400));
        let nested = format!("select((1{}) == 1)", " | [., .]".repeat(300));
        let twice = format!("(.a, .a){}", " | (., .)".repeat(300));
        for hostile in [
            "select(env.PATH)",
            "$ENV.PATH",
            ".[\"\\(env | tostring)\"]",
            "def f: 1 + f; f",
            "halt",
            "halt_error(3)",
            "inputs",
            "last(repeat(.))",
            "select((reduce range(2000000) as $i (1; [.])) == 0)",
            "select((\"x\" * 1000000000000000) == \"\")",
            "[limit(1000000000; repeat(1))]",
            "recurse(.)",
            "recurse([.])",
            "range(1e12)",
            "first(range(1e12))",
            "label $x | break $x",
            "getpath([range(1e9)])",
            ".[\"a\"] |= 1",
            "select([.list[] as $a | .list[] as $b | .list[] as $c | 1] == [])",
            "select([.list[] | . as $a | .list?] == [$no])",
            "select([.list[] as $a | .list[] as $b | \"\\($a)\\($b)\"] == [])",
            &doubled,
            &nested,
            &twice,
            &"(".repeat(100_000),
            &format!("{}.a{}", "(".repeat(1000), ")".repeat(1000)),
            &format!("{}1", "-".repeat(4000)),
            &format!("{}.a", "try ".repeat(1000)),
            &format!(".{}", "|.".repeat(1500)),
            &format!("{}.", "\"\\(".repeat(900)),
        ] {
            let failure = delete_matching(&object, hostile).unwrap_err();
            assert!(!failure.is(FailureClass::Misfit), "{hostile:.80}: {failure}");
        }
        // An expression that does not multiply is evaluated, even if it is long.
        let long = format!("select(.a == 1{}) | .a", " or .a == 2".repeat(200));
        assert!(delete_matching(&object, &long).unwrap().get("a").is_none());
        for deep in [format!("{}.a", "try ".repeat(900)), format!(".a{}", "|.".repeat(400))] {
            assert!(delete_matching(&object, &deep).unwrap().get("a").is_none());
        }
        // A field may have such a name.
        assert_eq!(delete_matching(&json!({"env": 1, "a": 2}), ".env").unwrap(), json!({"a": 2}));
    }

    #[test]
    fn an_expression_has_a_limit_for_all_objects_together() {
        let list: Vec<u32> = (0..500).collect();
        let object = json!({"list": list});
        let slow = ".list[] | select([1, 2, 3, 4, 5, 6, 7, 8, 9] | map(. == 1) | map(not) | map(not) | any | not)";
        assert!(delete_matching(&object, slow).is_ok());
        used(slow, MOST_STEPS_IN_ALL);
        assert!(delete_matching(&object, slow).unwrap_err().as_str().contains("takes too long"));
    }

    /// The paths that jaq finds, which follows jq.
    fn paths_of_jaq(object: &Value, expression: &str) -> Result<Value, Failure> {
        use jaq_core::load::{Arena, File, Loader};
        use jaq_core::{Compiler, Ctx, Vars, data, unwrap_valr};
        let code = format!("[path({expression})]");
        let arena = Arena::default();
        let definitions = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
        let modules = Loader::new(definitions).load(&arena, File { code: code.as_str(), path: () });
        let functions = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
        let filter = Compiler::default().with_funs(functions).compile(modules.map_err(|_| "syntax")?);
        let filter = filter.map_err(|_| "unknown function")?;
        let input = jaq_json::read::parse_single(object.to_string().as_bytes()).map_err(|error| error.to_string())?;
        let context = Ctx::<data::JustLut<jaq_json::Val>>::new(&filter.lut, Vars::new([]));
        let output = filter.id.run((context, input)).map(unwrap_valr).next().ok_or("nothing")?;
        serde_json::from_str(&output.map_err(|error| error.to_string())?.to_string())
            .map_err(|error| error.to_string().into())
    }

    #[test]
    fn expressions_have_the_same_results_as_jq() {
        let object = json!({
            "kind": "Deployment", "metadata": {"name": "a", "annotations": {"x/y": "1", "z": "2"}, "labels": null},
            "spec": {
                "replicas": 3, "flag": false, "list": [3, 1, 2, 1], "nested": [[1, [2]], {"k": "v"}], "size": "12",
                "containers": [
                    {"name": "app", "env": [{"name": "A", "value": "1"}, {"name": "B"}], "ports": [80, 443]},
                    {"name": "istio-proxy", "env": [], "image": "i:1"},
                ],
            },
        });
        for expression in [
            ".",
            "..",
            ".spec.containers[]",
            ".spec.containers[].env[]?.name",
            ".spec.containers[-1].image",
            ".spec.containers[0, 1].name",
            ".metadata.annotations[\"x/y\"]",
            ".metadata.annotations.\"x/y\"",
            ".metadata.labels.none",
            ".metadata.labels[]?",
            ".metadata.labels[]",
            ".metadata.name.x",
            ".metadata.name[]",
            ".metadata.name?.x?",
            ".spec.containers[] | select(.name == \"app\") | .env[] | select(.value != null)",
            ".spec.containers[] | select(.name | test(\"^ISTIO\"; \"i\"))",
            ".spec.containers[] | select(.name | startswith(\"istio\") and endswith(\"proxy\"))",
            ".spec.containers[] | select(.env | length > 0)",
            ".spec.containers[] | select(has(\"image\"))",
            ".spec.containers[] | select(.ports | contains([443])?)",
            ".spec.containers[] | select({name: \"app\"} | inside({name: \"app\", b: 1}))",
            ".spec.containers[] | select(any(.env[]; .name == \"A\"))",
            ".spec.containers[] | select(all(.env[]; .name == \"A\"))",
            ".spec.list[] | select(. < 2 or . >= 3)",
            ".spec.list | first",
            "select((.spec.list | last) == 1) | .kind",
            "first(.spec.list[] | select(. == 1))",
            ".spec.none // .spec.flag // .spec.replicas",
            ".spec.list[] // 1",
            "(.spec.flag, .spec.none) // .kind",
            ".. | select(type == \"number\")",
            ".. | strings | select(. == \"1\")",
            ".. | .name?",
            ".. | objects | select(.name == \"A\") | .value",
            "if .spec.replicas > 2 then .spec.replicas else .kind end",
            "if .spec.flag then .kind end | .metadata?",
            "if .spec.flag then .kind elif .spec.list then .spec.list[1] else . end",
            "try error(\"x\") catch .",
            "try .spec.name.x catch empty",
            "(try .metadata.name.x), .kind",
            ".spec.list[0] as $n | .spec.list[$n]?",
            ".metadata.name as $n | .spec.containers[] | select(.name == \"\\($n)pp\")",
            "getpath([\"spec\", \"list\", 0])",
            "getpath([\"spec\", \"none\", \"deep\"])",
            ".spec.nested[0][1][0]",
            "empty",
            "1",
            ".spec | keys",
            ".spec | to_entries[]",
            ".spec.list | map(. + 1)",
            "select(.spec.list | map(. * 2) | add == 14) | .kind",
            "select(.spec.list | sort == [1, 1, 2, 3]) | .kind",
            "select(.spec.list | unique == [1, 2, 3]) | .kind",
            "select(.spec.list | [min, max, length] == [1, 3, 4]) | .kind",
            "select((.spec.size | tonumber) == 12) | .kind",
            "select(.spec.size | tonumber % 5 == 2) | .kind",
            "select([.spec.list[] | tostring] | join(\",\") == \"3,1,2,1\") | .kind",
            "select(\"a,b\" | split(\",\") == [\"a\", \"b\"]) | .kind",
            "select(.metadata.name | ascii_upcase | ltrimstr(\"X\") == \"A\") | .kind",
            "select({a: 1, \"b\": [2]} == {b: [2], a: 1}) | .kind",
            "select([{a: (1, 2)}] | length == 2) | .kind",
            "select((.spec.replicas - 1) / 2 == 1 and -.spec.replicas == -3) | .kind",
            "select([true, null, 1, \"a\", [], {}] | sort == [null, true, 1, \"a\", [], {}]) | .kind",
            "select(isempty(.spec.none[]?)) | .kind",
            "select(.spec.list | not | not) | .kind",
            "select(\"list\" | in({list: 1})) | .kind",
            "recurse | select(. == \"v\")",
            ".spec.nested[] | scalars, iterables",
            ".spec[\"list\", \"flag\"]",
            ".[\"spec\"][\"containers\"][0][\"env\"][1]",
            ".spec.list[.spec.list[1]]",
            ".spec.list[10]",
        ] {
            let ours = find_paths(&object, expression, MOST_STEPS).map(|paths| {
                let step = |step: &JqPathStep| match step {
                    JqPathStep::Index(index) => json!(index),
                    JqPathStep::Name(name) => json!(name),
                };
                paths.iter().map(|path| path.iter().map(step).collect::<Value>()).collect::<Value>()
            });
            match (paths_of_jaq(&object, expression), ours) {
                // We count from the end at once.
                (Ok(theirs), Ok(ours)) => {
                    assert_eq!(ours.to_string(), theirs.to_string().replace("-1", "1"), "{expression}");
                }
                (Err(_), Err(failure)) => assert!(failure.is(FailureClass::Misfit), "{expression}: {failure}"),
                (theirs, ours) => panic!("{expression}: {theirs:?} {ours:?}"),
            }
        }
    }

    #[test]
    fn an_invalid_expression_is_reported() {
        assert!(delete_matching(&json!({}), "][").unwrap_err().as_str().contains("not a valid jq expression"));
        assert!(delete_matching(&json!({}), "nosuch").unwrap_err().as_str().contains("uses nosuch"));
    }
}
