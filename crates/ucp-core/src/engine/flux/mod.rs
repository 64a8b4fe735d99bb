//! Flux: sources, Kustomizations, and HelmReleases, judged by the conditions of `fluxcd/pkg/apis/meta`.

mod codes;
mod controllers;
mod course;
mod deletion;
pub mod failure;
mod foundations;
mod freshness;
mod links;
mod messages;
#[cfg(test)]
mod tests;

use crate::engine::adapter::{Engine, OwnershipKind};
use crate::engine::any;
use crate::engine::code::Code;
use crate::engine::controller::description::Controller;
use crate::engine::course::ObjectProgress;
use crate::engine::judgement::{AssessmentClock, AssessmentFacts, Cause, Judgement, Problem};
use crate::graph::link::Link;
use crate::model::body::flux::FluxObject;
use crate::model::body::{Body, BodyShape, KindRequest};
use crate::model::condition::{Condition, ConditionStatus, FindCondition as _};
use crate::model::kind::ResourceKind;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;
use crate::model::verdict::Verdict;

pub(super) use deletion::removes_objects;
use failure::ABNORMAL;
use messages::{has_no_status, words};

/// The API groups that are read.
pub const GROUPS: [&str; 3] = ["source.toolkit.fluxcd.io", "kustomize.toolkit.fluxcd.io", "helm.toolkit.fluxcd.io"];

/// The API group of sources.
const SOURCES: &str = "source.toolkit.fluxcd.io";

/// Kinds of other Flux groups that report conditions.
const OTHERS: [(&str, &str); 2] =
    [("source.extensions.fluxcd.io", "ArtifactGenerator"), ("notification.toolkit.fluxcd.io", "Receiver")];

/// Conditions that indicate a failure if they are False next to Ready.
const NORMAL: [&str; 4] = ["Released", "SourceVerified", "ArtifactInStorage", "Healthy"];
/// The number of attempts after which a failure counts as one.
const RETRIES: i32 = 3;
/// The reasons of Ready=True, from the API packages of Flux's controllers. A rollback or an uninstallation is none.
const SUCCESS: [&str; 13] = [
    // fluxcd/pkg/apis/meta: all controllers.
    "Succeeded",
    "ReconciliationSucceeded",
    // source-controller, with older names and those of its events.
    "ChartPullSucceeded",
    "ChartPackageSucceeded",
    "NewArtifact",
    "ArtifactUpToDate",
    "GitOperationSucceed",
    "BucketOperationSucceed",
    "IndexationSucceed",
    // helm-controller.
    "InstallSucceeded",
    "UpgradeSucceeded",
    "TestSucceeded",
    // notification-controller, until v1beta2.
    "Initialized",
];
/// Kinds that do not report an observed generation in their status.
const WITHOUT_GENERATION: [&str; 2] = ["ArtifactGenerator", "ExternalArtifact"];
/// Conditions with their own rules.
const JUDGED: [&str; 4] = ["Ready", "Stalled", "TestSuccess", "Drifted"];

/// Returns a condition next to Ready=True that is bad, or not known to be good.
fn condition_beside_ready(resource: &Resource) -> Option<(Verdict, &Condition)> {
    let found = resource.conditions.iter().filter_map(|condition| {
        let (kind, status) = (condition.kind.as_str(), condition.status);
        let verdict = match (kind, status) {
            (_, ConditionStatus::Unknown) => Verdict::Unknown,
            (_, ConditionStatus::True) if ABNORMAL.contains(&kind) => Verdict::Failed,
            (_, ConditionStatus::False) if NORMAL.contains(&kind) => Verdict::Failed,
            ("ArtifactOutdated" | "Reconciling", ConditionStatus::True) => Verdict::Progressing,
            ("ArtifactOutdated" | "Reconciling", ConditionStatus::False) => return None,
            // A release that was rolled back or uninstalled.
            ("Remediated", _) => Verdict::Failed,
            // Ready has a rule of its own.
            (_, ConditionStatus::True) if kind != "Ready" && any::is_bad_word(&condition.reason) => Verdict::Unknown,
            _ if [ABNORMAL.as_slice(), &NORMAL, &JUDGED].iter().any(|known| known.contains(&kind)) => return None,
            _ => Verdict::Unknown,
        };
        Some((verdict, condition))
    });
    found.min_by_key(|(verdict, _)| *verdict)
}

/// The Flux engine.
pub struct FluxEngine;

impl Engine for FluxEngine {
    fn name(&self) -> &'static str {
        "Flux"
    }

    fn part_of(&self) -> &'static str {
        "flux"
    }

    fn want(&self, kind: &ResourceKind) -> Option<KindRequest> {
        let is_other = OTHERS.contains(&(kind.group.as_str(), kind.kind.as_str()));
        (is_other || GROUPS.contains(&kind.group.as_str())).then(|| KindRequest::all(BodyShape::Flux))
    }

    fn judge(&self, resource: &Resource, clock: &AssessmentClock) -> Option<Judgement> {
        match &resource.body {
            Body::Flux(fields) => Some(judge(resource, fields, clock)),
            _ => None,
        }
    }

    fn course(&self, resource: &Resource) -> ObjectProgress {
        course::flux_progress(resource)
    }

    fn codes(&self) -> &'static [Code] {
        codes::ALL
    }

    fn links(&self, resource: &Resource) -> Vec<Link> {
        links::list_links(resource)
    }

    fn deploys<'resource>(&self, resource: &'resource Resource) -> Option<&'resource str> {
        links::deploys(resource)
    }

    fn ownership(&self, kind: &ResourceKind) -> Option<OwnershipKind> {
        links::is_applier(kind).then_some(OwnershipKind::Applies)
    }

    fn lists_all(&self, resource: &Resource) -> bool {
        matches!(&resource.body, Body::Flux(flux) if flux.status.inventory.is_some() && flux.spec.kube_config.is_none())
    }

    fn controllers<'state>(&self, state: &'state ClusterState) -> Vec<Controller<'state>> {
        controllers::list_controllers(state)
    }

    fn unfounded(&self, facts: &AssessmentFacts<'_, '_>) -> Vec<(usize, Judgement)> {
        // For the same object, a source that does not exist replaces one that is newer.
        let mut found = freshness::outdated(facts);
        found.extend(foundations::without_foundation(facts));
        found
    }

    fn causes(&self, facts: &AssessmentFacts<'_, '_>) -> Vec<Cause> {
        foundations::foundation_causes(facts)
    }
}

/// Annotation that suspends an ArtifactGenerator, which has no `spec.suspend` (`api/v1beta1` of source-watcher).
const DISABLED: &str = "source.extensions.fluxcd.io/reconcile";

fn judge(resource: &Resource, fields: &FluxObject, clock: &AssessmentClock) -> Judgement {
    if let Some(deleted) = resource.metadata.deletion_timestamp {
        return deletion::judge(resource, fields, deleted, clock);
    }
    let suspension = match resource.metadata.annotation(DISABLED) {
        _ if fields.spec.suspend => Some("spec.suspend is true".to_owned()),
        Some("disabled") => Some(format!("annotation {DISABLED} is disabled")),
        _ => None,
    };
    if let Some(reason) = suspension {
        let problem = Problem::new(Code::FluxSuspended, None, reason);
        return Judgement::worst(vec![problem], Judgement::ok(None));
    }
    let conditions = resource.conditions.as_slice();
    let (ready, created) = (conditions.of_type("Ready"), resource.metadata.creation_timestamp);
    let failure = failure::last_failure(resource, fields);
    // What Flux has tried for less than a few of its own periods may succeed at the next attempt.
    let retried = failure.clone().filter(|failure| {
        failure.code == Code::FluxNotReady
            // Flux has waited for `spec.timeout`, in vain for an object that failed.
            && (!failure.message.starts_with("HealthCheckFailed") || failure::is_only_slow(&failure.message))
            && clock.may_recover(&failure.message, failure.since, fields.spec.retry_period() * RETRIES)
    });
    let mut problems: Vec<Problem> = failure.filter(|_| retried.is_none()).into_iter().collect();
    if let Some(condition) = conditions.with_status("TestSuccess", ConditionStatus::False) {
        problems.push(Problem::new(Code::HelmTestFailed, condition.last_transition_time, words(condition)));
    }
    if let Some(condition) = conditions.with_status("Drifted", ConditionStatus::True) {
        problems.push(Problem::new(Code::FluxDrifted, condition.last_transition_time, words(condition)));
    }
    let unseen =
        matches!((resource.observed_generation, resource.metadata.generation), (Some(seen), Some(now)) if seen < now);
    let is_ready = ready.is_some_and(|ready| ready.status == ConditionStatus::True);
    let beside = condition_beside_ready(resource).filter(|_| is_ready);
    if let Some((Verdict::Failed, condition)) = beside.filter(|_| problems.is_empty()) {
        let message = format!("{} is {}: {}", condition.kind, condition.status.as_str(), words(condition));
        problems.push(Problem::new(Code::FluxNotReady, condition.last_transition_time, message));
    }
    let unseen = unseen || ready.is_some_and(|ready| crate::engine::course::is_old(resource, ready));
    let request = course::unanswered_request(resource, fields).filter(|_| is_ready);
    let otherwise = match ready {
        None if has_no_status(resource, fields) => Judgement::ok(None),
        None if clock.is_overdue(created) => {
            problems.push(Problem::new(Code::FluxNeverReconciled, created, "its controller has never reconciled it"));
            Judgement::ok(None)
        }
        None => Judgement::quiet(Verdict::Progressing, created, "its controller has not reconciled it yet"),
        // The time of the change, and so the duration, is unknown.
        Some(condition) if condition.status == ConditionStatus::True && unseen => Judgement::quiet(
            Verdict::Progressing,
            condition.last_transition_time,
            "the latest change has not been reconciled yet",
        ),
        Some(condition) if condition.status != ConditionStatus::True => {
            let message = words(condition);
            let verdict = clock.under_way(condition.last_transition_time);
            if verdict == Verdict::Stuck && problems.is_empty() {
                problems.push(Problem::new(Code::FluxStuck, condition.last_transition_time, message.clone()));
            }
            Judgement::quiet(verdict, condition.last_transition_time, message)
        }
        Some(condition) => match (request, beside) {
            (Some(message), _) => {
                let since = course::requested_at(resource);
                // Without a time, it is unknown if the request is late.
                let verdict = since.map_or(Verdict::Unknown, |_| clock.under_way(since));
                if verdict == Verdict::Stuck && problems.is_empty() {
                    problems.push(Problem::new(Code::FluxStuck, since, message.clone()));
                }
                Judgement::quiet(verdict, since, message)
            }
            (None, Some((verdict @ (Verdict::Progressing | Verdict::Unknown), other))) => {
                let message = format!("{} is {}: {}", other.kind, other.status.as_str(), words(other));
                Judgement::quiet(verdict, other.last_transition_time, message)
            }
            (None, _) => match contradiction(resource, fields, condition) {
                Some(message) => Judgement::quiet(Verdict::Unknown, condition.last_transition_time, message),
                None => Judgement::ok(condition.last_transition_time),
            },
        },
    };
    let otherwise = match retried {
        Some(failure) => Judgement::quiet(Verdict::Progressing, failure.since, failure.message),
        None => otherwise,
    };
    Judgement::worst(problems, otherwise)
}

/// Returns what contradicts Ready=True in the rest of a status.
fn contradiction(resource: &Resource, fields: &FluxObject, ready: &Condition) -> Option<String> {
    let status = &fields.status;
    let (kind, is_source) = (resource.kind.kind.as_str(), resource.kind.group == SOURCES);
    let fetched = status.artifact.as_ref().is_some_and(|artifact| !artifact.revision.is_empty());
    if !ready.reason.is_empty() && !SUCCESS.contains(&ready.reason.as_str()) {
        return Some(format!("Ready is True with reason {}", ready.reason));
    }
    if resource.metadata.generation.is_some_and(|generation| generation > 1) && !has_observed_generation(resource) {
        return Some("it is Ready, and its status does not include the generation that was reconciled".to_owned());
    }
    if is_source && !fetched && !has_no_status(resource, fields) {
        return Some("it is Ready, and status.artifact is absent: nothing was fetched".to_owned());
    }
    if let (Some(applied), Some(attempted)) = (&status.last_applied_revision, &status.last_attempted_revision)
        && applied != attempted
    {
        return Some(format!("it is Ready, and revision {attempted} was attempted while {applied} is applied"));
    }
    let counters = [
        ("failures", status.failures),
        ("installFailures", status.install_failures),
        ("upgradeFailures", status.upgrade_failures),
    ];
    if let Some((name, count)) = counters.into_iter().find(|(_, count)| *count > 0) {
        return Some(format!("it is Ready, and status.{name} is {count}"));
    }
    if let Some(attempt) = failure::last_failed_attempt(fields) {
        return Some(format!("it is Ready, and its last attempt ended with {}", attempt.last_reconciled_status));
    }
    let release = status.history.first().map(|release| release.status.as_str()).filter(|_| kind == "HelmRelease");
    let release = release.filter(|release| !matches!(*release, "" | "deployed"));
    release.map(|release| format!("it is Ready, and its newest release is {release}"))
}

/// Returns true if the status, or a condition, includes the generation that it belongs to; also for kinds that never
/// report it.
fn has_observed_generation(resource: &Resource) -> bool {
    let reported = resource.conditions.iter().map(|condition| condition.observed_generation);
    let mut reported = reported.chain([resource.observed_generation]).flatten();
    WITHOUT_GENERATION.contains(&resource.kind.kind.as_str()) || reported.any(|generation| generation > 0)
}
