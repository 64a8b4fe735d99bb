//! Flux: sources, Kustomizations and HelmReleases, by the conditions of `fluxcd/pkg/apis/meta`.

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
        sources_to_blame(judged)
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

/// What builds on a source that is in trouble fails because of it.
fn sources_to_blame(judged: &[Judged<'_>]) -> Vec<Cause> {
    let is_flux = |entry: &&Judged<'_>| matches!(entry.resource.body, Body::Flux(_));
    let mut causes = Vec::new();
    for source in judged.iter().filter(is_flux).filter(|entry| !entry.judgement.problems.is_empty()) {
        let source_name = &source.resource.metadata;
        let holds_up: Vec<usize> = judged
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.judgement.verdict < Verdict::Paused)
            .filter(|(_, entry)| {
                let Body::Flux(fields) = &entry.resource.body else { return false };
                fields.spec.source_ref.as_ref().is_some_and(|reference| {
                    let namespace = reference.namespace.as_ref().or(entry.resource.metadata.namespace.as_ref());
                    reference.kind == source.resource.kind.kind
                        && reference.name == source_name.name
                        && namespace == source_name.namespace.as_ref()
                })
            })
            .map(|(index, _)| index)
            .collect();
        if let (false, Some(problem)) = (holds_up.is_empty(), source.judgement.problems.first()) {
            causes.push(Cause { object: source.resource.name(), problem: problem.clone(), holds_up });
        }
    }
    causes
}
