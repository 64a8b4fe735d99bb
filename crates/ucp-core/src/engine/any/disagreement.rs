//! Compares verdicts by the rules for any kind with Argo CD's health of the same objects, which may be computed by the
//! Lua scripts of `argocd-cm`. If the two disagree, both are reported.

use std::collections::HashMap;

use crate::engine::code::Code;
use crate::engine::judgement::{JudgedObject, Problem};
use crate::model::body::Body;
use crate::model::body::argocd::HealthStatus;
use crate::model::object::ObjectKey;
use crate::model::state::ClusterState;
use crate::model::verdict::Verdict;

/// Compares judgements with Argo CD's health of the same objects.
pub(in crate::engine) fn compare_with_engines(
    state: &ClusterState,
    judged: &mut [JudgedObject<'_>],
    is_ours: impl Fn(&JudgedObject<'_>) -> bool,
) {
    let theirs = argocd_healths(state);
    if theirs.is_empty() {
        return;
    }
    for entry in judged.iter_mut().filter(|entry| is_ours(entry)) {
        if let Some(health) = theirs.get(&entry.resource.key()) {
            compare(entry, health);
        }
    }
}

/// Returns the health that Argo CD reports for objects of this cluster.
fn argocd_healths(state: &ClusterState) -> HashMap<ObjectKey, &HealthStatus> {
    let mut found = HashMap::new();
    for resource in &state.resources {
        let Body::Application(application) = &resource.body else { continue };
        if !application.spec.destination.is_this_cluster() {
            continue;
        }
        for deployed in &application.status.resources {
            let Some(health) = &deployed.health else { continue };
            let key = ObjectKey {
                group: deployed.group.clone(),
                kind: deployed.kind.clone(),
                namespace: deployed.namespace.clone().filter(|namespace| !namespace.is_empty()),
                name: deployed.name.clone(),
            };
            found.insert(key, health);
        }
    }
    found
}

fn compare(entry: &mut JudgedObject<'_>, health: &HealthStatus) {
    let ours = entry.judgement.verdict;
    let agrees = match health.status.as_str() {
        "Healthy" => ours == Verdict::Ok,
        "Progressing" => matches!(ours, Verdict::Progressing | Verdict::Stuck),
        "Degraded" => matches!(ours, Verdict::Failed | Verdict::NeedsHuman | Verdict::Drifted),
        "Suspended" => matches!(ours, Verdict::Paused | Verdict::NeedsHuman),
        // Argo CD has not assessed the object, or has no rule for its kind.
        _ => return,
    };
    if agrees {
        return;
    }
    let words = health.message.as_deref().map(|message| format!(": {message}")).unwrap_or_default();
    let said = format!("Argo CD reports {}{words}", health.status);
    let judgement = &mut entry.judgement;
    let own = judgement.message.take();
    let own_words = own.as_deref().map(|own| format!(", {own}")).unwrap_or_default();
    // A failure that only one side reports is still a failure. Argo CD's health dates from its last comparison.
    if health.status == "Degraded" && matches!(ours, Verdict::Ok | Verdict::Unknown) {
        let message = format!("{said}; according to its own status it is {ours}{own_words}");
        judgement.problems.push(Problem::new(Code::AnyDisputed, health.last_transition_time, message.clone()));
        judgement.verdict = Code::AnyDisputed.info().verdict;
        judgement.message = Some(message.into());
        return;
    }
    judgement.message = Some(match own {
        Some(own) => format!("{own} ({said})").into(),
        None => said.into(),
    });
}
