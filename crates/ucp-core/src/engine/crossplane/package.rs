//! Providers, configurations, and functions, and the managed resources that wait for an unhealthy provider.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::kind_role::{CrossplaneRole, PACKAGE_LABEL, role};
use super::managed::{has_known_reason, has_unobserved_generation, message_or_reason};
use super::patience::{may_end, may_end_soon};
use super::waiting::may_wait;
use crate::engine::code::Code;
use crate::engine::judgement::{AssessmentClock, AssessmentFacts, Cause, Judgement, Problem};
use crate::graph::link::Relation;
use crate::model::body::Body;
use crate::model::body::crossplane::Package;
use crate::model::condition::{Condition, ConditionStatus, FindCondition as _};
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;
use crate::model::verdict::Verdict;

pub(super) fn judge(resource: &Resource, body: &Package, clock: &AssessmentClock) -> Judgement {
    let conditions = resource.conditions.as_slice();
    let created = resource.metadata.creation_timestamp;
    if let Some(condition) = conditions.with_status("Installed", ConditionStatus::False) {
        let code = match condition.reason.as_str() {
            "InactivePackageRevision" => Code::PackageInactive,
            // Unpacking passes through this state.
            "UnpackingPackage" if condition.message.is_empty() && !clock.is_overdue(condition.last_transition_time) => {
                return Judgement::quiet(Verdict::Progressing, condition.last_transition_time, "unpacking the package");
            }
            // The registry and the network may work at the next attempt.
            _ if may_end(
                &message_or_reason(condition),
                attempts_began(resource),
                condition.last_transition_time,
                clock,
            ) =>
            {
                return under_way(condition);
            }
            _ => Code::PackageNotInstalled,
        };
        let problem = Problem::new(code, condition.last_transition_time, message_or_reason(condition));
        return Judgement::worst(vec![problem], Judgement::ok(None));
    }
    let health = conditions.of_type("Healthy").or_else(|| conditions.of_type("RevisionHealthy"));
    match health {
        Some(condition) if is_being_installed(resource, condition, clock) => under_way(condition),
        Some(condition) if condition.status == ConditionStatus::False => {
            let problem =
                Problem::new(Code::PackageUnhealthy, condition.last_transition_time, message_or_reason(condition));
            Judgement::worst(vec![problem], Judgement::ok(None))
        }
        Some(condition) if condition.reason == "AwaitingActivation" => {
            let problem =
                Problem::new(Code::PackageInactive, condition.last_transition_time, message_or_reason(condition));
            Judgement::worst(vec![problem], Judgement::ok(None))
        }
        Some(condition) if condition.status == ConditionStatus::True && has_unobserved_generation(resource) => {
            let message = "the latest change has not been reconciled yet";
            Judgement::quiet(Verdict::Progressing, condition.last_transition_time, message)
        }
        Some(condition) if condition.status == ConditionStatus::True => match other_version(body) {
            Some(message) => {
                let changed = resource.metadata.written.declaration.or(condition.last_transition_time);
                Judgement::quiet(clock.under_way(changed), changed, message)
            }
            None => doubt(conditions).unwrap_or_else(|| Judgement::ok(condition.last_transition_time)),
        },
        Some(condition) if clock.is_overdue(condition.last_transition_time) => {
            let problem =
                Problem::new(Code::PackageUnhealthy, condition.last_transition_time, message_or_reason(condition));
            Judgement::worst(vec![problem], Judgement::ok(None))
        }
        Some(condition) => under_way(condition),
        None if !conditions.is_empty() => {
            Judgement::quiet(Verdict::Unknown, None, "condition Healthy is absent: it is not known whether it works")
        }
        None if clock.is_overdue(created) => {
            let message = "it has no conditions: Crossplane has not reconciled it";
            Judgement::worst(vec![Problem::new(Code::NeverReconciled, created, message)], Judgement::ok(None))
        }
        None => Judgement::quiet(Verdict::Progressing, created, "no controller has reconciled it yet"),
    }
}

/// Returns a message if the current revision of a package is not of the declared version. An ImageConfig may have changed the
/// registry and the repository.
fn other_version(body: &Package) -> Option<String> {
    let (declared, current) = (body.image.as_deref()?, body.current_identifier.as_deref()?);
    let is_other = !current.is_empty() && version_of(declared) != version_of(current);
    is_other.then(|| format!("{declared} is not installed yet: the current revision is of {current}"))
}

/// Returns the tag or digest of an image.
fn version_of(image: &str) -> Option<&str> {
    let name = image.rsplit('/').next().unwrap_or(image);
    name.split_once('@').or_else(|| name.split_once(':')).map(|(_, version)| version)
}

fn under_way(condition: &Condition) -> Judgement {
    Judgement::quiet(Verdict::Progressing, condition.last_transition_time, message_or_reason(condition))
}

/// The longest time from the installation of a package to the first report of its health. What is reported later is no
/// longer about its start.
const START: SignedDuration = SignedDuration::from_mins(1);

/// Returns true if a package is unhealthy because its parts are still starting: its Deployment is not available, its
/// dependencies are not installed. Every installation passes through this.
fn is_being_installed(resource: &Resource, health: &Condition, clock: &AssessmentClock) -> bool {
    let began = attempts_began(resource);
    let installed = resource.conditions.as_slice().with_status("Installed", ConditionStatus::True);
    let installed = installed.and_then(|condition| condition.last_transition_time).max(began);
    let is_of_start = matches!(
        (health.last_transition_time, installed),
        (Some(reported), Some(installed)) if reported.duration_since(installed) <= START
    );
    health.status == ConditionStatus::False && is_of_start && may_end_soon(&message_or_reason(health), began, clock)
}

/// Returns the time since when Crossplane tries to install the declared version.
fn attempts_began(resource: &Resource) -> Option<Timestamp> {
    resource.metadata.written.declaration.max(resource.metadata.creation_timestamp)
}

/// The reasons that Crossplane sets on a healthy package.
const KNOWN_REASONS: [(&str, &[&str]); 4] = [
    ("Installed", &["", "ActivePackageRevision"]),
    ("Healthy", &["", "HealthyPackageRevision"]),
    ("RevisionHealthy", &["", "HealthyPackageRevision"]),
    ("RuntimeHealthy", &["", "HealthyPackageRevision"]),
];

/// Returns the judgement of a package that is Healthy, if another condition is not known to be good.
fn doubt(conditions: &[Condition]) -> Option<Judgement> {
    let message = match conditions.iter().find(|condition| !has_known_reason(condition, &KNOWN_REASONS)) {
        Some(other) => format!("{} is {}: {}", other.kind, other.status.as_str(), message_or_reason(other)),
        None if conditions.of_type("Installed").is_none() => {
            "condition Installed is absent: it is not known whether it is installed".to_owned()
        }
        None => return None,
    };
    Some(Judgement::quiet(Verdict::Unknown, None, message))
}

/// Returns the package of a revision if the revision is active.
pub(super) fn installed_by<'a>(resource: &'a Resource, revision: &Package) -> Option<&'a str> {
    let is_active = revision.desired_state.as_deref() != Some("Inactive");
    let is_revision = is_active && role(&resource.kind) == Some(CrossplaneRole::Revision);
    resource.metadata.label(PACKAGE_LABEL).filter(|_| is_revision)
}

/// Returns the package that installed each kind, including kinds without objects: `plural.group` to the name of the
/// package, from `status.objectRefs` of active revisions.
pub(super) fn provider_of_kinds(state: &ClusterState) -> BTreeMap<&str, &str> {
    let mut providers = BTreeMap::new();
    for resource in &state.resources {
        if let Body::Package(revision) = &resource.body
            && let Some(package) = installed_by(resource, revision)
        {
            providers.extend(revision.definitions.iter().map(|definition| (definition.as_str(), package)));
        }
    }
    providers
}

/// Returns the revision of a package that should run.
pub(super) fn active_revision<'state>(
    package: &Resource,
    body: &Package,
    state: &'state ClusterState,
) -> Option<&'state Resource> {
    let kind = format!("{}Revision", package.kind.kind);
    let mut revisions = state.resources.iter().filter(|resource| {
        role(&resource.kind) == Some(CrossplaneRole::Revision)
            && resource.kind.kind == kind
            && resource.metadata.label(PACKAGE_LABEL) == Some(&package.metadata.name)
    });
    match &body.current_revision {
        Some(current) => revisions.find(|revision| revision.metadata.name == *current),
        None => revisions.find(|revision| match &revision.body {
            Body::Package(body) => body.desired_state.as_deref() == Some("Active"),
            _ => false,
        }),
    }
}

/// Returns the problem of a package runtime as reported by Crossplane, and the object that reports it. Before
/// Crossplane 2, one condition covered both the package and its runtime.
pub(super) fn runtime_problem(package: &Resource, revision: Option<&Resource>) -> Option<(ObjectName, Problem)> {
    let object = revision.unwrap_or(package);
    let conditions = object.conditions.as_slice();
    let health =
        ["RuntimeHealthy", "RevisionHealthy", "Healthy"].into_iter().find_map(|kind| conditions.of_type(kind))?;
    if health.status != ConditionStatus::False {
        return None;
    }
    Some(revision_problem(revision).unwrap_or_else(|| (object.name(), unhealthy_by(health))))
}

fn unhealthy_by(condition: &Condition) -> Problem {
    Problem::new(Code::PackageUnhealthy, condition.last_transition_time, message_or_reason(condition))
}

/// Returns the problem that a revision reports, which its package only repeats. If one of its two controllers waits for
/// the other, the condition of the other is the cause.
fn revision_problem(revision: Option<&Resource>) -> Option<(ObjectName, Problem)> {
    let revision = revision?;
    let conditions = ["RuntimeHealthy", "RevisionHealthy"].into_iter();
    let failed = conditions.filter_map(|kind| revision.conditions.as_slice().with_status(kind, ConditionStatus::False));
    let cause = failed.min_by_key(|condition| condition.message.contains("waiting for"))?;
    Some((revision.name(), unhealthy_by(cause)))
}

/// Returns a cause for each package with a problem, with the managed resources of a provider that it affects.
pub(super) fn unhealthy_package_causes(facts: &AssessmentFacts<'_, '_>) -> Vec<Cause> {
    let mut seen = BTreeSet::new();
    facts
        .judged
        .iter()
        .enumerate()
        .filter(|(_, entry)| role(&entry.resource.kind) == Some(CrossplaneRole::Package))
        .filter(|(_, entry)| matches!(entry.judgement.verdict, Verdict::Failed | Verdict::NeedsHuman))
        .filter(|(_, entry)| seen.insert((entry.resource.kind.kind.as_str(), entry.resource.metadata.name.as_str())))
        .filter_map(|(index, entry)| {
            let (package, own) = (entry.resource, entry.judgement.problems.first()?.clone());
            let Body::Package(body) = &package.body else { return None };
            let mut holds_up = reconciled_by(index, facts);
            let revision = active_revision(package, body, facts.state);
            let deeper = match own.code {
                // The workload that is down is the cause of the problem.
                Code::PackageUnhealthy => {
                    down_workload(package, revision, facts).or_else(|| revision_problem(revision))
                }
                _ => None,
            };
            let (object, problem) = match deeper {
                Some(deeper) => {
                    holds_up.push(index);
                    deeper
                }
                None => (package.name(), own),
            };
            Some(Cause { object, problem, holds_up })
        })
        .collect()
}

/// Returns managed resources of a package that may be affected by its problem.
fn reconciled_by(package: usize, facts: &AssessmentFacts<'_, '_>) -> Vec<usize> {
    let edges = facts.graph.up(facts.judged[package].node).iter();
    let objects = edges.filter(|edge| edge.relation == Relation::ReconciledBy);
    let judged = objects.filter_map(|edge| facts.position(edge.node));
    let mut waiting: Vec<usize> = judged
        .filter(|index| {
            let entry = &facts.judged[*index];
            role(&entry.resource.kind) == Some(CrossplaneRole::Managed) && may_wait(&entry.judgement)
        })
        .collect();
    waiting.sort_unstable();
    waiting
}

/// Returns the workload of a package if that is the cause of its problem.
fn down_workload(
    package: &Resource,
    revision: Option<&Resource>,
    facts: &AssessmentFacts<'_, '_>,
) -> Option<(ObjectName, Problem)> {
    let is_only_runtime = revision.is_none_or(|revision| {
        revision.conditions.as_slice().with_status("RevisionHealthy", ConditionStatus::False).is_none()
    });
    (facts.down_workload)(&package.metadata.name).filter(|_| is_only_runtime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_another_version_is_not_installed() {
        for (declared, current, expected) in [
            ("a.example.org/b:v2", "a.example.org/b:v1", true),
            ("a.example.org:5000/b:v1", "mirror.example.org:5000/c/b:v1", false),
            ("a/b@sha256:12", "a/b@sha256:34", true),
            ("a/b:v1", "", false),
        ] {
            let text = |text: &str| Some(text.to_owned());
            let body = Package { image: text(declared), current_identifier: text(current), ..Package::default() };
            assert_eq!(other_version(&body).is_some(), expected, "{declared} {current}");
        }
    }
}
