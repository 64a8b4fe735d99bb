//! Argo CD: Applications and ApplicationSets. Only reads the resources themselves, since connection states and live
//! diffs are not in the Kubernetes API.

mod application_set;
mod children;
mod codes;
mod conditions;
mod controllers;
mod course;
mod deletion;
pub mod destination;
mod findings;
mod health;
mod hydrator;
mod links;
mod patience;
pub mod project;
mod settings;
pub mod sync;
pub mod windows;

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::engine::adapter::{Engine, OwnershipKind};
use crate::engine::code::Code;
use crate::engine::controller::description::Controller;
use crate::engine::course::ObjectProgress;
use crate::engine::judgement::{AssessmentClock, AssessmentFacts, Cause, JudgedObject, Judgement, Problem};
use crate::graph::link::Link;
use crate::model::body::argocd::{Application, ApplicationSet};
use crate::model::body::{Body, BodyShape, KindRequest};
use crate::model::kind::ResourceKind;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;
use crate::model::verdict::Verdict;
use sync::LastSync;

/// The age at which a comparison is outdated if the interval of the controller is not known. By default, it compares
/// every three minutes; values up to an hour are common. The text of [`Code::ApplicationStale`] contains this duration.
const STALE_AFTER: SignedDuration = SignedDuration::from_mins(90);
/// The number of intervals of a known length (`timeout.reconciliation` in argocd-cm) after which a comparison is
/// outdated.
const STALE_INTERVALS: i32 = 3;
/// The least age of an outdated comparison: a busy controller exceeds a short interval.
const LEAST_STALE: SignedDuration = SignedDuration::from_mins(30);

/// The Argo CD engine.
pub struct ArgoCdEngine;

impl Engine for ArgoCdEngine {
    fn name(&self) -> &'static str {
        "Argo CD"
    }

    fn part_of(&self) -> &'static str {
        "argocd"
    }

    fn want(&self, kind: &ResourceKind) -> Option<KindRequest> {
        match (kind.group.as_str(), kind.kind.as_str()) {
            (GROUP, "Application") => Some(KindRequest::all(BodyShape::Application).judged_by_settings()),
            (GROUP, "ApplicationSet") => Some(KindRequest::all(BodyShape::ApplicationSet)),
            _ => None,
        }
    }

    fn judge(&self, resource: &Resource, clock: &AssessmentClock) -> Option<Judgement> {
        match &resource.body {
            Body::Application(application) => Some(judge_application(resource, application, clock)),
            Body::ApplicationSet(set) => Some(application_set::judge(resource, set, clock)),
            _ if resource.kind.kind == "ApplicationSet" => {
                Some(application_set::judge(resource, &ApplicationSet::default(), clock))
            }
            _ => None,
        }
    }

    fn reconsider(&self, judged: &mut [JudgedObject<'_>], clock: &AssessmentClock) {
        destination::mark_unreachable_as_unknown(judged);
        application_set::reconsider(judged, clock);
    }

    fn course(&self, resource: &Resource) -> ObjectProgress {
        course::application_progress(resource)
    }

    fn codes(&self) -> &'static [Code] {
        codes::ALL
    }

    fn links(&self, resource: &Resource) -> Vec<Link> {
        links::list_links(resource)
    }

    fn ownership(&self, kind: &ResourceKind) -> Option<OwnershipKind> {
        (kind.group == GROUP && kind.kind == "Application").then_some(OwnershipKind::Applies)
    }

    fn controllers<'state>(&self, state: &'state ClusterState) -> Vec<Controller<'state>> {
        controllers::list_controllers(state)
    }

    fn causes(&self, facts: &AssessmentFacts<'_, '_>) -> Vec<Cause> {
        let mut causes = destination::unreachable_cluster_causes(facts.judged);
        causes.extend(children::child_causes(facts));
        causes
    }
}

fn judge_application(resource: &Resource, application: &Application, clock: &AssessmentClock) -> Judgement {
    if let Some(deleted) = resource.metadata.deletion_timestamp {
        return deletion::judge(resource, application, deleted, clock);
    }
    if resource.metadata.annotation(SKIP_RECONCILE) == Some("true") {
        let message = format!("annotation {SKIP_RECONCILE} is set");
        return Judgement::worst(vec![Problem::new(Code::ApplicationPaused, None, message)], Judgement::ok(None));
    }
    let status = &application.status;
    let (health, since) = (status.health.status.as_str(), status.health.last_transition_time);
    let sync = sync::last_sync(application, clock);
    let is_requested = matches!(sync, LastSync::Requested);
    let is_running = is_requested || matches!(sync, LastSync::Running | LastSync::Retrying(_));
    let mut found = conditions::check(resource, application, clock);
    // The next comparison may end an error.
    let may_pass = found.is_under_way();
    let mut retried = None;
    match sync {
        LastSync::Idle | LastSync::Requested | LastSync::Running => {}
        LastSync::Retrying(failure) => retried = Some(failure),
        // Such as an object whose rejected fields are ignored in comparisons.
        LastSync::Contradicted(failure) => {
            let finished = status.operation_state.as_ref().and_then(|operation| operation.finished_at);
            let message =
                format!("Git and the cluster are in sync, but the last sync of this revision failed: {failure}");
            found.doubt(Verdict::Unknown, finished, message);
        }
        LastSync::Unknown(phase) => {
            let message = format!("operationState.phase is {phase}, which is unknown");
            found.doubt(Verdict::Unknown, since, message);
        }
        LastSync::Problem(problem) => {
            // The condition SyncError repeats the message of the operation in shorter form.
            if problem.code == Code::SyncFailed {
                found.problems.retain(|known| !known.message.starts_with("SyncError: "));
            }
            found.problems.push(problem);
        }
    }
    hydrator::check(resource, application, clock, &mut found);
    // An Application with an error has the health Unknown because of it.
    let has_failed = found.problems.iter().any(|problem| problem.code.info().verdict == Verdict::Failed);
    let is_missing = health == "Missing" && !is_running && !has_failed;
    let awaited = if is_missing { sync::awaited(resource, application, clock) } else { None };
    if let Some(message) = awaited {
        found.doubt(Verdict::Progressing, since.or(resource.metadata.creation_timestamp), message);
    }
    let described = |code| Problem::new(code, since, health::describe_health(application));
    match health {
        // A sync creates what is missing.
        "Missing" if is_running || awaited.is_some() => {}
        "Missing" | "Unknown" if may_pass => {}
        "Degraded" | "Missing" | "Unknown" if !has_failed => found.problems.push(described(Code::ApplicationUnhealthy)),
        "Suspended" => found.problems.push(described(Code::ApplicationPaused)),
        "Progressing" if clock.is_overdue(since) && found.problems.is_empty() => {
            found.problems.push(described(Code::ApplicationProgressing));
        }
        _ => {}
    }
    // A failed sync, a missing resource, and reverted self-healing each explain OutOfSync.
    let is_explained = found.has(Code::SyncFailed)
        || found.has(Code::SelfHealUndone)
        || awaited.is_some()
        || health == "Missing" && found.has(Code::ApplicationUnhealthy);
    if status.sync.status == "OutOfSync" && !is_running && !is_explained {
        found.problems.push(Problem::new(Code::OutOfSync, None, out_of_sync(application)));
    }
    if found.problems.is_empty() && is_stale(resource, status.reconciled_at, clock.now, clock.comparison_interval) {
        let looked = status.reconciled_at.or(resource.metadata.creation_timestamp);
        let message = match status.reconciled_at {
            Some(_) => "Argo CD has not compared it since then",
            None => "Argo CD has never compared it",
        };
        found.problems.push(Problem::new(Code::ApplicationStale, looked, message));
    }
    // Without a comparison, health does not describe the state that Git declares.
    let is_compared = matches!(status.sync.status.as_str(), "Synced" | "OutOfSync");
    if found.problems.is_empty() && !is_running && !is_compared && !may_pass && !matches!(health, "" | "Progressing") {
        let message = match status.sync.status.as_str() {
            "" => "status.sync.status is absent: Git and the cluster were not compared".to_owned(),
            other => {
                format!("status.sync.status is {other}: Argo CD does not know whether the cluster matches Git")
            }
        };
        found.problems.push(Problem::new(Code::ApplicationStale, status.reconciled_at, message));
    }
    let otherwise = match (is_running, health) {
        (true, _) if is_requested => Judgement::quiet(Verdict::Progressing, None, "a requested sync has not begun yet"),
        (true, _) => {
            let started = status.operation_state.as_ref().and_then(|operation| operation.started_at);
            let message = retried.map(|failure| format!("a sync is retried after: {failure}"));
            Judgement::quiet(Verdict::Progressing, started, message.unwrap_or_else(|| "a sync is running".to_owned()))
        }
        (false, "Progressing") => Judgement::quiet(Verdict::Progressing, since, health::describe_health(application)),
        (false, "") => Judgement::quiet(Verdict::Progressing, resource.metadata.creation_timestamp, "not compared yet"),
        (false, "Healthy" | "Suspended") => match course::outdated(resource, application) {
            Some(outdated) => Judgement::quiet(Verdict::Progressing, status.reconciled_at, outdated),
            None => match health::contradicting_parts(application) {
                Some(parts) => Judgement::quiet(Verdict::Unknown, since, format!("health is {health}, but {parts}")),
                None => Judgement::ok(since),
            },
        },
        (false, other) if found.is_empty() => {
            Judgement::quiet(Verdict::Unknown, since, format!("health is {other}, which is unknown"))
        }
        (false, _) => Judgement::ok(since),
    };
    found.into_judgement(otherwise)
}

/// Returns true if the last reconciliation of an Application is so old that its status is outdated, by the interval of
/// the Argo CD of the cluster if that is known. With an interval of zero, nothing is compared unless it is requested.
pub fn is_stale(
    resource: &Resource,
    reconciled: Option<Timestamp>,
    now: Timestamp,
    interval: Option<Duration>,
) -> bool {
    let limit = match interval {
        None => STALE_AFTER,
        Some(interval) if interval.is_zero() && reconciled.is_some() => return false,
        Some(interval) => {
            let interval = SignedDuration::try_from(interval).unwrap_or(SignedDuration::MAX);
            interval.checked_mul(STALE_INTERVALS).unwrap_or(SignedDuration::MAX).max(LEAST_STALE)
        }
    };
    let looked = reconciled.or(resource.metadata.creation_timestamp);
    looked.is_some_and(|looked| now.duration_since(looked) > limit)
}

/// Returns the resources that are out of sync: by name if they are few, else by number.
fn out_of_sync(application: &Application) -> String {
    let resources = application.status.resources.iter().filter(|resource| resource.status == "OutOfSync");
    match sync::name_some(resources) {
        names if names.is_empty() => "out of sync".to_owned(),
        names => format!("out of sync: {names}"),
    }
}

#[cfg(test)]
mod verdicts;

pub use settings::{GROUP, SKIP_RECONCILE};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::metadata::Metadata;
    use crate::model::resource::ResourceParts;
    use std::sync::Arc;

    #[test]
    fn the_explanation_states_the_age_of_a_stale_comparison() {
        assert_eq!(STALE_AFTER.as_mins(), 90);
        assert!(Code::ApplicationStale.info().meaning.contains("more than ninety minutes"));
    }

    #[test]
    fn a_comparison_is_outdated_after_three_intervals_of_its_own_hub() {
        let state = ResourceParts {
            kind: Arc::new(ResourceKind::guess(GROUP, "Application")),
            metadata: Metadata::default(),
            conditions: Vec::new(),
            observed_generation: None,
            body: Body::Conditions,
            trace: None,
            weight: Default::default(),
            whole: None,
        };
        let (resource, now) = (Resource::from(state), "2026-11-20T12:00:00Z".parse::<Timestamp>().unwrap());
        for (interval, age, expected) in [
            (None, 89, false),
            (None, 91, true),
            (Some(Duration::from_hours(6)), 17 * 60, false),
            (Some(Duration::from_hours(6)), 19 * 60, true),
            (Some(Duration::from_secs(60)), 29, false),
            (Some(Duration::from_secs(60)), 31, true),
            (Some(Duration::ZERO), 100_000, false),
        ] {
            let reconciled = Some(now - SignedDuration::from_mins(age));
            assert_eq!(is_stale(&resource, reconciled, now, interval), expected, "{interval:?}, {age} minutes");
        }
        assert!(!is_stale(&resource, None, now, None), "its age is not known");
    }
}
