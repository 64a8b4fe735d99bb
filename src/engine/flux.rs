//! Flux: sources, Kustomizations and HelmReleases, by the conditions of `fluxcd/pkg/apis/meta`.

use std::collections::{BTreeMap, HashMap};

use crate::engine::code::Code;
use crate::engine::{Cause, Clock, Engine, Judged, Judgement, Problem};
use crate::model::body::flux::Flux as Fields;
use crate::model::body::{Body, Shape, Want};
use crate::model::condition::{Condition, Conditions as _, Truth};
use crate::model::kind::ResourceKind;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;
use crate::model::verdict::Verdict;

/// API groups of what is read.
pub const GROUPS: [&str; 3] = ["source.toolkit.fluxcd.io", "kustomize.toolkit.fluxcd.io", "helm.toolkit.fluxcd.io"];

/// The engine.
pub struct Flux;

impl Engine for Flux {
    fn name(&self) -> &'static str {
        "Flux"
    }

    fn part_of(&self) -> &'static str {
        "flux"
    }

    fn want(&self, kind: &ResourceKind) -> Option<Want> {
        GROUPS.contains(&kind.group.as_str()).then(|| Want::all(Shape::Flux))
    }

    fn judge(&self, resource: &Resource, clock: &Clock) -> Option<Judgement> {
        match &resource.body {
            Body::Flux(fields) => Some(judge(resource, fields, clock)),
            _ => None,
        }
    }

    fn causes(&self, _state: &ClusterState, judged: &[Judged<'_>], _clock: &Clock) -> Vec<Cause> {
        foundations_to_blame(judged)
    }
}

fn judge(resource: &Resource, fields: &Fields, clock: &Clock) -> Judgement {
    let conditions = resource.conditions.as_slice();
    let (ready, created) = (conditions.of("Ready"), resource.metadata.creation_timestamp);
    let mut problems = Vec::new();
    if fields.spec.suspend {
        problems.push(Problem::new(Code::FluxSuspended, None, "spec.suspend is true"));
        return Judgement::worst(problems, Judgement::ok(None));
    }
    let waits = ready.is_some_and(|condition| condition.reason == "DependencyNotReady");
    if let Some(condition) = conditions.when("Stalled", Truth::True) {
        problems.push(problem(Code::FluxStalled, condition));
    } else if let Some(condition) = conditions.when("Ready", Truth::False).filter(|_| !waits) {
        problems.push(problem(Code::FluxNotReady, condition));
    }
    if let Some(condition) = conditions.when("TestSuccess", Truth::False) {
        problems.push(problem(Code::HelmTestFailed, condition));
    }
    if let Some(condition) = conditions.when("Drifted", Truth::True) {
        problems.push(problem(Code::FluxDrifted, condition));
    }
    let unseen =
        matches!((resource.observed_generation, resource.metadata.generation), (Some(seen), Some(now)) if seen < now);
    let otherwise = match ready {
        None if has_no_status(resource, fields) => Judgement::ok(None),
        None if clock.is_overdue(created) => {
            problems.push(Problem::new(Code::FluxNeverReconciled, created, "its controller has never looked at it"));
            Judgement::ok(None)
        }
        None => Judgement::quiet(Verdict::Progressing, created, "its controller has not looked at it yet"),
        // Nothing says when the spec changed, so nothing says for how long.
        Some(condition) if condition.status == Truth::True && unseen => Judgement::quiet(
            Verdict::Progressing,
            condition.last_transition_time,
            "the newest change has not been looked at yet",
        ),
        Some(condition) if condition.status != Truth::True => {
            let message = words(condition);
            let verdict = clock.under_way(condition.last_transition_time);
            if verdict == Verdict::Stuck && problems.is_empty() {
                problems.push(Problem::new(Code::FluxStuck, condition.last_transition_time, message.clone()));
            }
            Judgement::quiet(verdict, condition.last_transition_time, message)
        }
        Some(condition) => Judgement::ok(condition.last_transition_time),
    };
    Judgement::worst(problems, otherwise)
}

/// A HelmRepository of an OCI registry is static: it has no status at all.
fn has_no_status(resource: &Resource, fields: &Fields) -> bool {
    resource.kind.kind == "HelmRepository" && fields.spec.kind.as_deref() == Some("oci")
}

fn problem(code: Code, condition: &Condition) -> Problem {
    Problem::new(code, condition.last_transition_time, words(condition))
}

fn words(condition: &Condition) -> String {
    match condition.message.trim() {
        "" => condition.reason.clone(),
        message => format!("{}: {message}", condition.reason),
    }
}

/// What takes from a source that is in trouble, or depends on something that is, fails because of it.
fn foundations_to_blame(judged: &[Judged<'_>]) -> Vec<Cause> {
    let by_name: HashMap<Name<'_>, usize> = judged
        .iter()
        .enumerate()
        .filter(|(_, entry)| matches!(entry.resource.body, Body::Flux(_)))
        .map(|(index, entry)| {
            let metadata = &entry.resource.metadata;
            ((entry.resource.kind.kind.as_str(), metadata.namespace.as_deref(), metadata.name.as_str()), index)
        })
        .collect();
    let mut blamed: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, entry) in judged.iter().enumerate().filter(|(_, entry)| entry.judgement.verdict < Verdict::Paused) {
        let Body::Flux(fields) = &entry.resource.body else { continue };
        let troubled = builds_on(entry.resource, fields).into_iter().find_map(|name| {
            let foundation = *by_name.get(&name)?;
            (foundation != index && !judged[foundation].judgement.problems.is_empty()).then_some(foundation)
        });
        if let Some(foundation) = troubled {
            blamed.entry(foundation).or_default().push(index);
        }
    }
    blamed
        .into_iter()
        .filter_map(|(foundation, holds_up)| {
            let problem = judged[foundation].judgement.problems.first()?.clone();
            Some(Cause { object: judged[foundation].resource.name(), problem, holds_up })
        })
        .collect()
}

/// Kind, namespace and name.
type Name<'a> = (&'a str, Option<&'a str>, &'a str);

/// The sources of an object and, where it says that it waits for them, its dependencies.
fn builds_on<'a>(resource: &'a Resource, fields: &'a Fields) -> Vec<Name<'a>> {
    let own = resource.metadata.namespace.as_deref();
    let spec = &fields.spec;
    let repository = spec.chart.as_ref().and_then(|chart| chart.spec.source_ref.as_ref());
    let sources = [spec.source_ref.as_ref(), spec.chart_ref.as_ref(), repository];
    let mut names: Vec<Name<'_>> = sources
        .into_iter()
        .flatten()
        .map(|source| (source.kind.as_str(), source.namespace.as_deref().or(own), source.name.as_str()))
        .collect();
    if resource.conditions.of("Ready").is_some_and(|condition| condition.reason == "DependencyNotReady") {
        let kind = resource.kind.kind.as_str();
        names.extend(spec.depends_on.iter().map(|on| (kind, on.namespace.as_deref().or(own), on.name.as_str())));
    }
    names
}
