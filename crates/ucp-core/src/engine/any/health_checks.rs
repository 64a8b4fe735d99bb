//! Runs the health checks of Flux, which are expressions in CEL, with limits for their length, depth, and cost. A check
//! that fails costs only the verdict of its own object.

use serde_json::Value;

use crate::failure::Failure;
use crate::model::expression::{self, CostBound};
use crate::model::health_check::HealthCheck;
use crate::model::verdict::Verdict;

/// Returns the verdict of a check for an object, as Flux does: a generation that no controller has observed is in progress;
/// then `inProgress`, `failed`, and `current` are evaluated in this order, and if none of them is true, or a field does
/// not exist yet, Flux waits.
///
/// # Errors
/// Returns the reason why an expression failed.
pub(super) fn run(check: &HealthCheck, object: &Value) -> Result<(Verdict, String), Failure> {
    let number = |place: &str| object.pointer(place).and_then(Value::as_i64);
    let generations = number("/status/observedGeneration").zip(number("/metadata/generation"));
    if let Some((seen, now)) = generations.filter(|(seen, now)| seen != now) {
        return Ok((
            Verdict::Progressing,
            format!("status.observedGeneration is {seen}, and metadata.generation is {now}"),
        ));
    }
    let expressions = [
        ("inProgress", check.in_progress.as_deref(), Verdict::Progressing),
        ("failed", check.failed.as_deref(), Verdict::Failed),
        ("current", Some(check.current.as_str()), Verdict::Ok),
    ];
    expression::on_own_stack(|| {
        let size = CostBound::of_object(object);
        let fields = || object.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value));
        for (name, text, verdict) in expressions {
            let Some(text) = text else { continue };
            match expression::evaluate(text, fields(), size).map_err(|reason| format!("{name}: {reason}"))? {
                Some(true) => return Ok((verdict, format!("{name} is true"))),
                Some(false) => {}
                None => return Ok((Verdict::Progressing, format!("{name} names a field that does not exist yet"))),
            }
        }
        Ok((Verdict::Progressing, "no expression is true yet".to_owned()))
    })?
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
    fn expressions_have_the_functions_of_flux() {
        let status = json!({"at": "2026-11-20T09:00:00Z", "for": "1h30m", "phase": "Ready", "parts": ["a", "b"], "code": "YQ=="});
        let object = json!({"metadata": {"generation": 1}, "status": status});
        for expression in [
            "timestamp(status.at) < timestamp('2026-11-20T10:00:00Z')",
            "timestamp('2026-11-20T11:00:00+01:00') - timestamp(status.at) == duration('1h')",
            "timestamp(status.at) + duration(status.for) == timestamp('2026-11-20T10:30:00Z')",
            "timestamp(status.at) - duration('1h') < timestamp(status.at)",
            "duration(status.for) - duration('30m') >= duration('60m') && duration('1.5s').getMilliseconds() == 1500",
            "int(timestamp(status.at)) == 1795165200 && string(duration('90m')) == '5400s'",
            "string(timestamp(status.at)) == status.at && timestamp(1795165200) == timestamp(status.at)",
            "timestamp(status.at).getFullYear() == 2026 && timestamp(status.at).getMonth() == 10",
            "timestamp(status.at).getDate() == 20 && timestamp(status.at).getDayOfWeek() == 5",
            "timestamp(status.at).getHours('+02:30') == 11 && timestamp(status.at).getHours('Europe/Berlin') == 10",
            "status.phase.lowerAscii() == 'ready' && status.phase.replace('R', 'r') == 'ready'",
            "status.parts.join(',') == 'a,b' && 'a,b'.split(',') == status.parts && ' a '.trim() == 'a'",
            "'%s-%d'.format([status.phase, 1]) == 'Ready-1' && status.phase.indexOf('ea') == 1",
            "sets.contains(status.parts, ['a']) && sets.intersects(status.parts, ['b', 'c'])",
            "sets.equivalent(['b', 'a', 'a'], status.parts) && !sets.contains(['a'], status.parts)",
            "string(base64.decode(status.code)) == 'a' && base64.encode(b'a') == status.code",
        ] {
            assert_eq!(run_on(expression, &object), Ok(Verdict::Ok), "{expression}");
        }
        for expression in [
            "timestamp('yesterday') < timestamp(status.at)",
            "duration('1 day') > duration('1h')",
            "timestamp(status.at) > duration('1h')",
            "sets.contains(status.phase, status.parts)",
            "base64.decode('?') == b'a'",
        ] {
            assert!(run_on(expression, &object).is_err(), "{expression}");
        }
    }

    #[test]
    fn a_generation_that_was_not_observed_is_in_progress() {
        let object = |seen: i64| json!({"metadata": {"generation": 2}, "status": {"observedGeneration": seen}});
        assert_eq!(run_on("true", &object(2)), Ok(Verdict::Ok));
        assert_eq!(run_on("true", &object(1)), Ok(Verdict::Progressing));
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
            "status.list.all(a, sets.contains(status.list, status.list))",
            "status.list.map(a, string(a)).join(status.list.map(a, string(a)).join('')).size() > 0",
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
            let result = run_on(expression, &object);
            assert!(result.as_ref().is_err_and(|reason| !reason.as_str().is_empty()), "{expression:.60}: {result:?}");
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
            let result = run_on(&expression, &object);
            assert!(
                result.as_ref().is_ok() || result.as_ref().is_err_and(|reason| !reason.as_str().contains("more than")),
                "{result:?}"
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
