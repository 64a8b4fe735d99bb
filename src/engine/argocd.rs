//! Argo CD: Applications and ApplicationSets, read from the resources themselves, since connection states and live
//! diffs are not in the Kubernetes API.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use crate::engine::code::Code;
use crate::engine::{Cause, Clock, Engine, Judged, Judgement, Problem};
use crate::model::body::argocd::Application;
use crate::model::body::{Body, Shape, Want};
use crate::model::condition::{Conditions as _, Truth};
use crate::model::kind::ResourceKind;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;
use crate::model::verdict::Verdict;

/// API group of Argo CD's own kinds.
pub const GROUP: &str = "argoproj.io";
/// Annotation that makes the controller leave an Application alone.
pub(crate) const SKIP_RECONCILE: &str = "argocd.argoproj.io/skip-reconcile";
/// The controller looks every three minutes by default (`timeout.reconciliation` in argocd-cm); people set it up to an
/// hour or so.
const STALE_AFTER: SignedDuration = SignedDuration::from_mins(90);

/// The engine.
pub struct ArgoCd;

impl Engine for ArgoCd {
    fn name(&self) -> &'static str {
        "Argo CD"
    }

    fn part_of(&self) -> &'static str {
        "argocd"
    }

    fn want(&self, kind: &ResourceKind) -> Option<Want> {
        match (kind.group.as_str(), kind.kind.as_str()) {
            (GROUP, "Application") => Some(Want::all(Shape::Application)),
            (GROUP, "ApplicationSet") => Some(Want::all(Shape::Conditions)),
            _ => None,
        }
    }

    fn judge(&self, resource: &Resource, clock: &Clock) -> Option<Judgement> {
        match &resource.body {
            Body::Application(application) => Some(judge_application(resource, application, clock)),
            _ if resource.kind.kind == "ApplicationSet" => Some(judge_application_set(resource, clock)),
            _ => None,
        }
    }

    fn causes(&self, _state: &ClusterState, judged: &[Judged<'_>], _clock: &Clock) -> Vec<Cause> {
        children_to_blame(judged)
    }
}

fn judge_application(resource: &Resource, application: &Application, clock: &Clock) -> Judgement {
    let status = &application.status;
    let since = status.health.last_transition_time;
    let mut problems = Vec::new();

    if resource.metadata.annotation(SKIP_RECONCILE) == Some("true") {
        let message = format!("annotation {SKIP_RECONCILE} is set");
        return Judgement::worst(vec![Problem::new(Code::ApplicationPaused, None, message)], Judgement::ok(None));
    }
    for condition in &resource.conditions {
        let since = condition.last_transition_time;
        if condition.kind.ends_with("Error") {
            problems.push(Problem::new(
                Code::ApplicationError,
                since,
                format!("{}: {}", condition.kind, condition.message),
            ));
        } else if condition.kind.ends_with("Warning") {
            problems.push(Problem::new(
                Code::ApplicationWarning,
                since,
                format!("{}: {}", condition.kind, condition.message),
            ));
        }
    }
    let mut running = None;
    if let Some(operation) = &status.operation_state {
        match operation.phase.as_str() {
            // The condition SyncError says the same again.
            "Failed" | "Error" if !problems.iter().any(|problem| problem.message.starts_with("SyncError")) => {
                let ended = operation.finished_at.or(operation.started_at);
                problems.push(Problem::new(Code::SyncFailed, ended, operation.message.clone()));
            }
            "Running" | "Terminating" if clock.is_overdue(operation.started_at) => {
                problems.push(Problem::new(Code::SyncRunning, operation.started_at, operation.message.clone()));
            }
            "Running" | "Terminating" => running = Some(operation.started_at),
            _ => {}
        }
    }
    let health = status.health.status.as_str();
    let failed = problems.iter().any(|problem| problem.code.info().verdict == Verdict::Failed);
    let words = || match &status.health.message {
        Some(message) if !message.is_empty() => format!("health is {health}: {message}"),
        _ => format!("health is {health}{}", name_unhealthy(application)),
    };
    match health {
        // An Application in error is of unknown health because of it.
        "Degraded" | "Missing" | "Unknown" if !failed => {
            problems.push(Problem::new(Code::ApplicationUnhealthy, since, words()));
        }
        "Suspended" => problems.push(Problem::new(Code::ApplicationPaused, since, words())),
        "Progressing" if clock.is_overdue(since) && problems.is_empty() => {
            problems.push(Problem::new(Code::ApplicationProgressing, since, words()));
        }
        _ => {}
    }
    if status.sync.status == "OutOfSync" && running.is_none() {
        problems.push(Problem::new(Code::OutOfSync, None, name_out_of_sync(application)));
    }
    if problems.is_empty() && is_stale(resource, status.reconciled_at, clock.now) {
        let looked = status.reconciled_at.or(resource.metadata.creation_timestamp);
        let message = match status.reconciled_at {
            Some(_) => "the controller has not looked at it since",
            None => "the controller has never looked at it",
        };
        problems.push(Problem::new(Code::ApplicationStale, looked, message));
    }
    let otherwise = match (running, health) {
        (Some(started), _) => Judgement::quiet(Verdict::Progressing, started, "a sync is running"),
        (None, "Progressing") => Judgement::quiet(Verdict::Progressing, since, words()),
        (None, "") => Judgement::quiet(Verdict::Progressing, resource.metadata.creation_timestamp, "not looked at yet"),
        (None, _) => Judgement::ok(since),
    };
    Judgement::worst(problems, otherwise)
}

/// Whether the controller has not looked at an Application for so long that what it says is old.
pub(crate) fn is_stale(resource: &Resource, reconciled: Option<Timestamp>, now: Timestamp) -> bool {
    let looked = reconciled.or(resource.metadata.creation_timestamp);
    looked.is_some_and(|looked| now.duration_since(looked) > STALE_AFTER)
}

/// The resources that are out of sync, by name while they are few.
fn name_out_of_sync(application: &Application) -> String {
    let resources: Vec<String> = application
        .status
        .resources
        .iter()
        .filter(|resource| resource.status == "OutOfSync")
        .map(|resource| match resource.requires_pruning {
            true => format!("{}/{} (to be pruned)", resource.kind, resource.name),
            false => format!("{}/{}", resource.kind, resource.name),
        })
        .collect();
    match resources.as_slice() {
        [] => "out of sync".to_owned(),
        few if few.len() <= 3 => format!("out of sync: {}", few.join(", ")),
        many => format!("out of sync: {} and {} more", many[..2].join(", "), many.len() - 2),
    }
}

/// The first resource that is to blame, where the controller still persists their health.
fn name_unhealthy(application: &Application) -> String {
    let unhealthy = application.status.resources.iter().find_map(|resource| {
        let health = resource.health.as_ref()?;
        let bad = matches!(health.status.as_str(), "Degraded" | "Missing" | "Unknown");
        bad.then(|| format!(": {}/{} is {}", resource.kind, resource.name, health.status))
    });
    unhealthy.unwrap_or_default()
}

fn judge_application_set(resource: &Resource, clock: &Clock) -> Judgement {
    let conditions = resource.conditions.as_slice();
    let mut problems = Vec::new();
    if let Some(condition) = conditions.when("ErrorOccurred", Truth::True) {
        problems.push(Problem::new(
            Code::ApplicationSetError,
            condition.last_transition_time,
            condition.message.clone(),
        ));
    } else if let Some(condition) = conditions.when("ResourcesUpToDate", Truth::False) {
        problems.push(Problem::new(
            Code::ApplicationSetError,
            condition.last_transition_time,
            condition.message.clone(),
        ));
    }
    let rollout = conditions.when("RolloutProgressing", Truth::True);
    if let Some(condition) = rollout.filter(|condition| clock.is_overdue(condition.last_transition_time)) {
        problems.push(Problem::new(
            Code::ApplicationSetRollout,
            condition.last_transition_time,
            condition.message.clone(),
        ));
    }
    let otherwise = match rollout {
        Some(condition) => {
            Judgement::quiet(Verdict::Progressing, condition.last_transition_time, condition.message.clone())
        }
        None => Judgement::ok(conditions.of("ResourcesUpToDate").and_then(|condition| condition.last_transition_time)),
    };
    Judgement::worst(problems, otherwise)
}

/// An app of apps is out of sync or degraded because a child is; the child is to blame. (The reverse, a parent that
/// stays Healthy over a degraded child, needs nothing here: every child is judged by itself.)
fn children_to_blame(judged: &[Judged<'_>]) -> Vec<Cause> {
    let by_name: BTreeMap<(Option<&str>, &str), usize> = judged
        .iter()
        .enumerate()
        .filter(|(_, entry)| matches!(entry.resource.body, Body::Application(_)))
        .map(|(index, entry)| {
            ((entry.resource.metadata.namespace.as_deref(), entry.resource.metadata.name.as_str()), index)
        })
        .collect();
    let mut blamed: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (parent, entry) in judged.iter().enumerate() {
        let Body::Application(application) = &entry.resource.body else { continue };
        let only_unhealthy = entry
            .judgement
            .problems
            .iter()
            .all(|problem| matches!(problem.code, Code::ApplicationUnhealthy | Code::ApplicationProgressing));
        if entry.judgement.problems.is_empty() || !only_unhealthy {
            continue;
        }
        let child = application.status.resources.iter().filter(|child| child.group == GROUP).find_map(|child| {
            let index = *by_name.get(&(child.namespace.as_deref(), child.name.as_str()))?;
            let bad = !judged[index].judgement.problems.is_empty() && index != parent;
            bad.then_some(index)
        });
        if let Some(child) = child {
            blamed.entry(child).or_default().push(parent);
        }
    }
    blamed
        .into_iter()
        .filter_map(|(child, holds_up)| {
            let problem = judged[child].judgement.problems.first()?.clone();
            Some(Cause { object: judged[child].resource.name(), problem, holds_up })
        })
        .collect()
}
