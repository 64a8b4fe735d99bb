//! Providers, configurations and functions, and the managed resources that wait for an unhealthy provider.

use std::collections::{BTreeMap, BTreeSet};

use super::managed::words;
use super::{PACKAGE_LABEL, Role, may_wait, role};
use crate::engine::code::Code;
use crate::engine::{Cause, Clock, Judged, Judgement, Problem};
use crate::model::body::Body;
use crate::model::body::crossplane::Package;
use crate::model::condition::{Conditions as _, Truth};
use crate::model::resource::Resource;
use crate::model::state::ClusterState;
use crate::model::verdict::Verdict;

pub(super) fn judge(resource: &Resource, _body: &Package, clock: &Clock) -> Judgement {
    let conditions = resource.conditions.as_slice();
    let created = resource.metadata.creation_timestamp;
    if let Some(condition) = conditions.when("Installed", Truth::False) {
        let code = match condition.reason.as_str() {
            "InactivePackageRevision" => Code::PackageInactive,
            // Unpacking goes through this state on its way.
            "UnpackingPackage" if condition.message.is_empty() && !clock.is_overdue(condition.last_transition_time) => {
                return Judgement::quiet(Verdict::Progressing, condition.last_transition_time, "unpacking the package");
            }
            _ => Code::PackageNotInstalled,
        };
        let problem = Problem::new(code, condition.last_transition_time, words(condition));
        return Judgement::worst(vec![problem], Judgement::ok(None));
    }
    let health = conditions.of("Healthy").or_else(|| conditions.of("RevisionHealthy"));
    match health {
        Some(condition) if condition.status == Truth::False => {
            let problem = Problem::new(Code::PackageUnhealthy, condition.last_transition_time, words(condition));
            Judgement::worst(vec![problem], Judgement::ok(None))
        }
        Some(condition) if condition.reason == "AwaitingActivation" => {
            let problem = Problem::new(Code::PackageInactive, condition.last_transition_time, words(condition));
            Judgement::worst(vec![problem], Judgement::ok(None))
        }
        Some(condition) if condition.status == Truth::True => Judgement::ok(condition.last_transition_time),
        Some(condition) if clock.is_overdue(condition.last_transition_time) => {
            let problem = Problem::new(Code::PackageUnhealthy, condition.last_transition_time, words(condition));
            Judgement::worst(vec![problem], Judgement::ok(None))
        }
        Some(condition) => Judgement::quiet(Verdict::Progressing, condition.last_transition_time, words(condition)),
        None if clock.is_overdue(created) => {
            let message = "it has no conditions: Crossplane has not looked at it";
            Judgement::worst(vec![Problem::new(Code::NeverReconciled, created, message)], Judgement::ok(None))
        }
        None => Judgement::quiet(Verdict::Progressing, created, "no controller has looked at it yet"),
    }
}

/// Which package installed each kind: `plural.group` to the name of the package, by the active revisions'
/// `status.objectRefs`.
pub fn provider_of_kinds(state: &ClusterState) -> BTreeMap<&str, &str> {
    let mut providers = BTreeMap::new();
    for resource in &state.resources {
        if let (Some(Role::Revision), Body::Package(body)) = (role(&resource.kind), &resource.body)
            && body.desired_state.as_deref() != Some("Inactive")
            && let Some(package) = resource.metadata.label(PACKAGE_LABEL)
        {
            providers.extend(body.definitions.iter().map(|definition| (definition.as_str(), package)));
        }
    }
    providers
}

/// Packages that are in trouble, each with the managed resources that are not well because of it.
pub(super) fn unhealthy(state: &ClusterState, judged: &[Judged<'_>]) -> Vec<Cause> {
    let providers = provider_of_kinds(state);
    let mut waiting: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, entry) in judged.iter().enumerate() {
        let is_managed = role(&entry.resource.kind) == Some(Role::Managed);
        if is_managed
            && may_wait(&entry.judgement)
            && let Some(provider) = providers.get(entry.resource.kind.qualified_plural().as_str())
        {
            waiting.entry(provider).or_default().push(index);
        }
    }
    let mut seen = BTreeSet::new();
    judged
        .iter()
        .filter(|entry| role(&entry.resource.kind) == Some(Role::Package) && entry.resource.kind.kind == "Provider")
        .filter(|entry| matches!(entry.judgement.verdict, Verdict::Failed | Verdict::NeedsHuman))
        .filter(|entry| seen.insert(entry.resource.metadata.name.as_str()))
        .filter_map(|entry| {
            let problem = entry.judgement.problems.first()?.clone();
            let holds_up = waiting.remove(entry.resource.metadata.name.as_str()).unwrap_or_default();
            Some(Cause { object: entry.resource.name(), problem, holds_up })
        })
        .collect()
}
