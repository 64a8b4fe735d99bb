//! The external layer of the engines beside Crossplane: what their objects stand for, as far as they tell what they saw of
//! it. Some say that it differs, as a verdict; some write its fields into the status.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use crate::drift::{Choice, Drift, Layer, LayerFindings};
use crate::engine::code::Code;
use crate::engine::controller::Controllers;
use crate::engine::outside::{Observed, Outside};
use crate::engine::{self, Clock, Judgement};
use crate::model::body::{Keep, Want};
use crate::model::comparison::{Certainty, Comparison, Leave, compare, is_empty};
use crate::model::kind::ResourceKind;
use crate::model::path::Path;
use crate::model::resource::Resource;
use crate::model::state::{ClusterState, Unreadable};
use crate::model::verdict::Verdict;

/// What to read of a kind that stands for something outside; `None` where it does not.
pub fn want(kind: &ResourceKind) -> Option<Want> {
    let outside = engine::outside(kind)?;
    let keep = match outside.observed {
        Observed::Fields(_) => Keep::Whole,
        Observed::Nothing | Observed::Verdict => Keep::Narrow,
    };
    engine::want(kind).map(|want| Want { keep, ..want })
}

/// Compares the chosen objects of a state.
pub fn findings(state: &ClusterState, controllers: &Controllers<'_>, is_chosen: &Choice<'_>) -> LayerFindings {
    // Whether something takes long is of no account here.
    let clock = Clock { now: state.moment, stuck_after: Duration::MAX };
    let mut findings = LayerFindings::default();
    let mut unchecked: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for resource in &state.resources {
        let Some(outside) = engine::outside(&resource.kind).filter(|_| is_chosen(&resource.name(), None)) else {
            continue;
        };
        let Some(judged) = engine::engine_of(&resource.kind).and_then(|engine| engine.judge(resource, &clock)) else {
            continue;
        };
        let seen = match outside.observed {
            Observed::Nothing => Err("its engine does not tell what it observed"),
            Observed::Verdict => Ok(of_verdict(resource, &judged)),
            Observed::Fields(pointer) => of_fields(resource, outside, pointer),
        };
        match seen {
            Err(reason) => *unchecked.entry((resource.kind.qualified_plural(), reason)).or_default() += 1,
            Ok(Some(drift)) => {
                findings.checked += 1;
                findings.drifts.push(without_controller(drift, resource, controllers));
            }
            Ok(None) => match stale(resource, &judged, controllers) {
                Some(why) => findings.drifts.push(Drift {
                    certainty: Certainty::Unknown,
                    since: judged.since,
                    ..Drift::of_object(resource.name(), Layer::External, Code::ExternalStale, why)
                }),
                None => findings.checked += 1,
            },
        }
    }
    findings.unchecked = unchecked
        .into_iter()
        .map(|((what, reason), number)| Unreadable {
            what: format!("{what} ({number})"),
            reason: format!("cannot be compared: {reason}"),
        })
        .collect();
    findings
}

/// A difference of which the engine says no more than that there is one.
fn of_verdict(resource: &Resource, judged: &Judgement) -> Option<Drift> {
    let problem = judged.problems.iter().find(|problem| problem.code.info().verdict == Verdict::Drifted)?;
    let message = problem.message.clone();
    let drift = Drift::of_object(resource.name(), Layer::External, problem.code, message);
    Some(Drift { since: problem.since, ..drift })
}

fn of_fields(resource: &Resource, outside: &Outside, pointer: &str) -> Result<Option<Drift>, &'static str> {
    let Some(object) = resource.whole.as_deref() else { return Err("the object was not read as a whole") };
    let declared = object.get("spec").and_then(Value::as_object).ok_or("it has no spec")?;
    let observed = object.pointer(pointer).filter(|observed| !is_empty(observed)).ok_or("nothing was observed")?;
    let mut all = Comparison::default();
    for (name, value) in declared.iter().filter(|(name, _)| !Leave::References.covers(name)) {
        let part = compare(&Path::of(&["spec", name]), value, observed.get(name), Leave::References);
        all.compared += part.compared;
        all.not_observed += part.not_observed;
        all.differences.extend(part.differences);
    }
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
    let (will_be_corrected, message) = match outside.held(object) {
        Some(mark) => (false, format!("{mark}: nothing corrects it")),
        None => (true, "its engine corrects it at the next reconciliation".to_owned()),
    };
    Ok(Some(Drift {
        certainty,
        will_be_corrected: Some(will_be_corrected),
        differences: all.differences.into_iter().map(|difference| (difference, None)).collect(),
        declaration: Some(json!({"spec": declared})),
        ..Drift::of_object(resource.name(), Layer::External, code, message)
    }))
}

/// Where nobody runs, nothing is corrected.
fn without_controller(drift: Drift, resource: &Resource, controllers: &Controllers<'_>) -> Drift {
    match controllers.outage(resource) {
        Some(outage) if drift.will_be_corrected != Some(false) => Drift {
            will_be_corrected: Some(false),
            message: format!("{}: nothing corrects it", outage.words()),
            ..drift
        },
        _ => drift,
    }
}

/// Why what was observed may be old, where it agrees.
fn stale(resource: &Resource, judged: &Judgement, controllers: &Controllers<'_>) -> Option<String> {
    let why = match (controllers.outage(resource), judged.verdict) {
        (Some(outage), _) => outage.words(),
        (None, Verdict::Ok) => return None,
        (None, verdict) => match &judged.message {
            Some(message) => format!("{verdict}: {message}"),
            None => verdict.to_string(),
        },
    };
    Some(format!("{why}: it agreed when it was last observed"))
}
