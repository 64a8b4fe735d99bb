//! Runs the health checks of Flux, which are expressions in CEL, with limits for their length, depth, and cost. A check
//! that fails costs only the verdict of its own object.

mod cost;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use cel::{Context, Env, ExecutionError, Value as CelValue};
use serde_json::Value;

use cost::CostBound;

use crate::failure::{Failure, fail};
use crate::model::health_check::HealthCheck;
use crate::model::verdict::Verdict;

/// The limit for the length of an expression.
const LONGEST: usize = 8192;
/// The limit for the work of an expression, in values visited and bytes created.
const MOST_WORK: u64 = 20_000_000;
/// The limit for the operators and brackets of an expression, each of which may be one level of recursion.
const DEEPEST: usize = 400;
/// The stack for parsing and evaluation, which recurse: more than 100 kB for each level.
const STACK: usize = 64 << 20;

static LANGUAGE: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(Env::stdlib().with_optional_support(true)));

/// Returns the verdict of a check for an object, as Flux does: `inProgress`, `failed`, and `current` are evaluated in
/// this order, and if none of them is true, or a field does not exist yet, Flux waits.
///
/// # Errors
/// Returns the reason why an expression failed.
pub(super) fn run(check: &HealthCheck, object: &Value) -> Result<(Verdict, String), Failure> {
    let expressions = [
        ("inProgress", check.in_progress.as_deref(), Verdict::Progressing),
        ("failed", check.failed.as_deref(), Verdict::Failed),
        ("current", Some(check.current.as_str()), Verdict::Ok),
    ];
    // On a thread with a stack of a known size, since parsing and evaluation recurse.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let evaluation = thread.spawn_scoped(scope, move || {
            let size = CostBound::of_object(object);
            for (name, expression, verdict) in expressions {
                let Some(expression) = expression else { continue };
                match evaluate(expression, object, size).map_err(|reason| format!("{name}: {reason}"))? {
                    Some(true) => return Ok((verdict, format!("{name} is true"))),
                    Some(false) => {}
                    None => return Ok((Verdict::Progressing, format!("{name} names a field that does not exist yet"))),
                }
            }
            Ok((Verdict::Progressing, "no expression is true yet".to_owned()))
        });
        let joined = evaluation.map_err(|error| error.to_string())?.join();
        joined.unwrap_or_else(|_| fail!("the expression cannot be evaluated"))
    })
}

/// Evaluates an expression with the fields of an object as variables. Returns `None` if a field does not exist.
fn evaluate(expression: &str, object: &Value, size: CostBound) -> Result<Option<bool>, Failure> {
    if expression.len() > LONGEST {
        return fail!("it is longer than {LONGEST} bytes");
    }
    let is_level = |byte: &u8| !byte.is_ascii_alphanumeric() && !byte.is_ascii_whitespace() && !b"_'\",".contains(byte);
    let words = expression.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| *word == "in").count();
    if expression.bytes().filter(is_level).count() + words > DEEPEST {
        return fail!("it has more than {DEEPEST} operators and brackets");
    }
    let program = LANGUAGE.compile(expression).map_err(|error| first_line(&error.to_string()))?;
    if cost::bound(program.expression(), size).work > MOST_WORK {
        return fail!("it takes too long for an object of this size");
    }
    let mut context = Context::with_env(Arc::clone(&LANGUAGE));
    for (name, value) in object.as_object().into_iter().flatten() {
        context.add_variable_from_value(name.as_str(), to_cel(value));
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn run_on(current: &str, object: &Value) -> Result<Verdict, Failure> {
        let kustomization = json!({
            "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "metadata": {"name": "a"},
            "spec": {"healthCheckExprs": [{
                "apiVersion": "example.org/v1", "kind": "Gadget", "current": current,
                "inProgress": "has(status.phase) && status.phase == 'Warming'",
                "failed": "has(status.phase) && status.phase == 'Broken'",
            }]},
        });
        run(&HealthCheck::list_of_kustomization(&kustomization)[0], object).map(|(verdict, _)| verdict)
    }

    #[test]
    fn expressions_are_evaluated_in_the_order_of_flux() {
        let gadget = |status: Value| json!({"metadata": {"generation": 2}, "status": status});
        let ready = "status.conditions.exists(e, e.type == 'Ready' && e.status == 'True' \
                     && e.observedGeneration == metadata.generation)";
        let conditions = |generation: i64| json!({"conditions": [{"type": "Ready", "status": "True", "observedGeneration": generation}]});
        assert_eq!(run_on(ready, &gadget(conditions(2))), Ok(Verdict::Ok));
        assert_eq!(run_on(ready, &gadget(conditions(1))), Ok(Verdict::Progressing));
        assert_eq!(run_on("true", &gadget(json!({"phase": "Warming"}))), Ok(Verdict::Progressing));
        assert_eq!(run_on("true", &gadget(json!({"phase": "Broken"}))), Ok(Verdict::Failed));
        assert_eq!(run_on(ready, &gadget(json!({}))), Ok(Verdict::Progressing), "the field does not exist yet");
        assert_eq!(run_on(ready, &json!({"metadata": {}})), Ok(Verdict::Progressing), "nor does the status");
        assert_eq!(run_on("status.?conditions.orValue([]).size() == 0", &gadget(json!({}))), Ok(Verdict::Ok));
        assert_eq!(
            run_on("status.size >= 1.5 && status.name.matches('^a')", &gadget(json!({"size": 2, "name": "ab"}))),
            Ok(Verdict::Ok)
        );
    }

    #[test]
    fn an_expression_that_fails_or_takes_too_long_ends_with_a_reason() {
        let many: Vec<Value> = (0..1000).map(Value::from).collect();
        let object = json!({"metadata": {}, "status": {"list": many, "phase": "On"}});
        let nested =
            |open: &str, close: &str, times: usize| format!("{}true{}", open.repeat(times), close.repeat(times));
        for expression in [
            "status.phase",
            "1 / 0 == 1",
            "status.phase +",
            "no_such_function(status)",
            "nothing.there",
            "status.list.all(a, status.list.all(b, status.list.all(c, a + b + c >= 0)))",
            "status.list.map(a, status.list.map(b, status.list)) == []",
            "status.list.all(a, string(a).matches('^.*$'))",
            &"true || ".repeat(2000),
            &format!("1{} == 1", "+1".repeat(4000)),
            &format!("1{} == 1", "\t+\t1".repeat(450)),
            &format!("1{}", "\tin\t1".repeat(1600)),
            &format!("status{}", ".a".repeat(4000)),
            &format!("['x']{}.size() == 1", ".map(a,a+a+a+a)".repeat(30)),
            &format!("optional.of('x'){}.hasValue()", ".optMap(a,a+a+a+a)".repeat(30)),
            &format!("['x']{} == []", ".map(a, [a, a, a, a])".repeat(30)),
            &nested("(", ")", 4000),
            &nested("[", "]", 4000),
            &nested("!(", ")", 2000),
            &nested("{1:", "}", 2000),
            &nested("x[", "]", 2000),
            &nested("size(", ")", 1000),
            &nested("true ? true : ", "", 500),
            &nested("-", "", 8000),
        ] {
            let told = run_on(expression, &object);
            assert!(told.as_ref().is_err_and(|reason| !reason.as_str().is_empty()), "{expression:.60}: {told:?}");
        }
    }

    #[test]
    fn the_deepest_expressions_are_evaluated_on_the_stack() {
        let object = json!({"metadata": {}, "status": {"phase": "On"}});
        let nested =
            |open: &str, close: &str, times: usize| format!("{}true{}", open.repeat(times), close.repeat(times));
        for expression in [
            format!("1{} > 1", "+1".repeat(390)),
            format!("true{}", " && true".repeat(190)),
            format!("false{}true", " || !".repeat(100)),
            nested("(", ")", 190),
            nested("[", "]", 190),
            nested("!(", ")", 120),
            nested("!", "", 380),
            nested("{true:", "}", 120),
            nested("true?", ":true", 190),
            nested("size(", ")", 180),
            format!("status{}", ".?a".repeat(190)),
            nested("[1].all(x,", ")", 60),
        ] {
            let told = run_on(&expression, &object);
            assert!(
                told.as_ref().is_ok() || told.as_ref().is_err_and(|reason| !reason.as_str().contains("more than")),
                "{told:?}"
            );
        }
    }

    #[test]
    fn usual_expressions_are_evaluated_for_large_objects() {
        let condition =
            |index: usize| json!({"type": format!("T{index}"), "status": "True", "message": "m".repeat(300)});
        let conditions: Vec<Value> = (0..60).map(condition).collect();
        let labels: serde_json::Map<String, Value> = (0..100).map(|index| (format!("l{index}"), json!("v"))).collect();
        let object = json!({"metadata": {"generation": 1, "labels": labels}, "status": {"phase": "On", "conditions": conditions}});
        for expression in [
            "status.conditions.exists(e, e.type == 'T59' && e.status == 'True')",
            "status.conditions.filter(e, e.type == 'T1').all(e, e.status == 'True' && e.type in ['T1', 'T2'])",
            "status.conditions.map(e, e.type).exists(t, t == 'T3')",
            "has(status.phase) && status.phase.matches('^On$')",
            "status.conditions.exists(e, e.type.startsWith('T5') && e.message.contains('m'))",
        ] {
            assert_eq!(run_on(expression, &object), Ok(Verdict::Ok), "{expression}");
        }
    }
}
