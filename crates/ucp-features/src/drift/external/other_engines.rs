//! External resources of engines other than Crossplane, if these report their observations: some report a difference as
//! a verdict, some write the observed fields to the status.

use std::time::Duration;

use serde_json::{Map, Value};

use super::unchecked::UncheckedCounts;
use crate::drift::correction::describe_outage;
use crate::drift::{DriftChoice, DriftLayer, LayerFindings, ObjectDrift};
use ucp_core::engine::code::Code;
use ucp_core::engine::outage::{ControllerOutage, Controllers};
use ucp_core::engine::outside::{ExternalPolicy, ObservedState};
use ucp_core::engine::{self, AssessmentClock, Judgement};
use ucp_core::model::body::{KeepAmount, KindRequest};
use ucp_core::model::comparison::{Certainty, ExcludedFields, compare, is_empty};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::path::FieldPath;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;
use ucp_core::model::uncompared::UncomparedFields;
use ucp_core::model::verdict::Verdict;

/// Returns the data to read of a kind with external resources; `None` if it has none.
pub(super) fn want(kind: &ResourceKind) -> Option<KindRequest> {
    let outside = engine::outside(kind)?;
    let keep = match outside.observed {
        ObservedState::Fields(_) => KeepAmount::Whole,
        ObservedState::Nothing | ObservedState::Verdict => KeepAmount::Narrow,
    };
    engine::want(kind).map(|want| KindRequest { keep, ..want })
}

/// Compares the chosen objects of a state.
pub(super) fn findings(
    state: &ClusterState,
    controllers: &Controllers<'_>,
    is_chosen: &DriftChoice<'_>,
) -> LayerFindings {
    // The duration of operations does not matter here.
    let clock = AssessmentClock { now: state.moment, stuck_after: Duration::MAX, comparison_interval: None };
    let mut findings = LayerFindings::default();
    let mut unchecked = UncheckedCounts::default();
    for resource in &state.resources {
        let Some(engine) = engine::engine_of(&resource.kind) else { continue };
        let Some(outside) = engine.outside(&resource.kind).filter(|_| is_chosen(&resource.name(), None)) else {
            continue;
        };
        let Some(judged) = engine.judge(resource, &clock) else { continue };
        let outage = controllers.outage(resource);
        let seen = match outside.observed {
            ObservedState::Nothing => Err("its engine does not report the observed state"),
            ObservedState::Verdict => Ok(verdict_drift(resource, &judged, outage.as_ref())),
            ObservedState::Fields(pointer) => {
                let found = field_drift(resource, outside, pointer, (&judged, outage.as_ref()));
                if found.is_ok() {
                    findings.uncompared.count(resource, &uncompared_fields(resource, pointer));
                }
                found
            }
        };
        match seen {
            Err(reason) => unchecked.count(resource, reason),
            Ok(Some(drift)) => {
                findings.checked += 1;
                findings.drifts.push(drift);
            }
            Ok(None) => match stale_reason(&judged, outage.as_ref()) {
                Some(why) => findings.drifts.push(ObjectDrift {
                    certainty: Certainty::Unknown,
                    since: judged.since,
                    ..ObjectDrift::of_object(resource.name(), DriftLayer::External, Code::ExternalStale, why)
                }),
                None => findings.checked += 1,
            },
        }
    }
    findings.unchecked = unchecked.listed();
    findings
}

/// Returns a difference of which the engine only reports the existence.
fn verdict_drift(resource: &Resource, judged: &Judgement, outage: Option<&ControllerOutage>) -> Option<ObjectDrift> {
    let problem = judged.problems.iter().find(|problem| problem.code.info().verdict == Verdict::Drifted)?;
    let message = outage.map_or_else(|| problem.message.clone(), describe_outage);
    let drift = ObjectDrift::of_object(resource.name(), DriftLayer::External, problem.code, message);
    Some(ObjectDrift { since: problem.since, will_be_corrected: outage.map(|_| false), ..drift })
}

fn field_drift(
    resource: &Resource,
    outside: &ExternalPolicy,
    pointer: &str,
    (judged, outage): (&Judgement, Option<&ControllerOutage>),
) -> Result<Option<ObjectDrift>, &'static str> {
    let Some(object) = resource.whole.as_deref() else { return Err("the object was not read completely") };
    let declared = object.get("spec").ok_or("it has no spec")?;
    let observed = object.pointer(pointer).filter(|observed| !is_empty(observed)).ok_or("nothing was observed")?;
    let all = compare(&FieldPath::from_fields(&["spec"]), declared, Some(observed), ExcludedFields::References);
    let Some(certainty) = all.differences.iter().map(|difference| difference.certainty).min() else {
        return match all.compared {
            0 => Err("its engine observes none of the declared fields"),
            _ => Ok(None),
        };
    };
    let code = match certainty {
        Certainty::Certain => Code::ExternalDrift,
        Certainty::Suspected | Certainty::Unknown => Code::ExternalSpelling,
    };
    let (will_be_corrected, message) = correction(outside.uncorrected_reason(object), judged, outage);
    Ok(Some(ObjectDrift {
        certainty,
        will_be_corrected: Some(will_be_corrected),
        differences: all.differences.into_iter().map(|difference| (difference, None)).collect(),
        declaration: Some(Value::Object(Map::from_iter([("spec".to_owned(), declared.clone())]))),
        ..ObjectDrift::of_object(resource.name(), DriftLayer::External, code, message)
    }))
}

fn uncompared_fields(resource: &Resource, pointer: &str) -> UncomparedFields {
    let mut fields = UncomparedFields::default();
    let whole = resource.whole.as_deref();
    if let Some(declared) = whole.and_then(|object| object.get("spec")) {
        let observed = whole.and_then(|object| object.pointer(pointer));
        fields.add(&mut FieldPath::from_fields(&["spec"]), declared, observed, ExcludedFields::References);
    }
    fields
}

/// Returns true if an engine corrects a difference automatically, and the expected correction.
fn correction(uncorrected: Option<String>, judged: &Judgement, outage: Option<&ControllerOutage>) -> (bool, String) {
    let words = judged.message.as_deref().unwrap_or_default();
    match (uncorrected, judged.verdict, outage) {
        (Some(mark), ..) => (false, format!("{mark}: nothing corrects it")),
        (None, Verdict::Paused | Verdict::NeedsHuman, _) => {
            (false, format!("its engine requires manual action: {words}"))
        }
        (None, _, Some(outage)) => (false, describe_outage(outage)),
        (None, Verdict::Failed | Verdict::Stuck, None) => (false, format!("its engine cannot correct it: {words}")),
        (None, _, None) => (true, "its engine corrects it at the next reconciliation".to_owned()),
    }
}

/// Returns the reason why an observation without differences may be out of date.
fn stale_reason(judged: &Judgement, outage: Option<&ControllerOutage>) -> Option<String> {
    let why = match (outage, judged.verdict) {
        (Some(outage), _) => outage.to_sentence(),
        (None, Verdict::Ok) => return None,
        (None, verdict) => match &judged.message {
            Some(message) => format!("{verdict}: {message}"),
            None => verdict.to_string(),
        },
    };
    Some(format!("{why}: it agreed when it was last observed"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ucp_core::model::object::ObjectName;

    #[test]
    fn a_correction_depends_on_the_verdict_and_on_pauses() {
        let judged = |verdict| Judgement { verdict, message: Some("denied".into()), ..Judgement::ok(None) };
        for (held, verdict, corrected, words) in [
            (None, Verdict::Ok, true, "its engine corrects it at the next reconciliation"),
            (None, Verdict::Failed, false, "its engine cannot correct it: denied"),
            (None, Verdict::NeedsHuman, false, "its engine requires manual action: denied"),
            (None, Verdict::Paused, false, "its engine requires manual action: denied"),
            (Some("reconcile-policy is skip"), Verdict::Ok, false, "reconcile-policy is skip: nothing corrects it"),
        ] {
            assert_eq!(correction(held.map(str::to_owned), &judged(verdict), None), (corrected, words.to_owned()));
        }
        let outage = ControllerOutage {
            object: ObjectName {
                api_version: "apps/v1".into(),
                kind: "Deployment".into(),
                namespace: None,
                name: "a".into(),
            },
            why: "scaled to zero".into(),
        };
        for verdict in [Verdict::Ok, Verdict::Failed] {
            assert_eq!(
                correction(None, &judged(verdict), Some(&outage)),
                (false, describe_outage(&outage)),
                "{verdict}"
            );
        }
    }
}
