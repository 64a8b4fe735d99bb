//! Managed resources whose provider observes values other than the declared ones.

use jiff::Timestamp;

use super::unchecked::UncheckedCounts;
use crate::drift::correction::describe_outage;
use crate::drift::fight::ExternalUpdates;
use crate::drift::{DriftChoice, DriftLayer, LayerFindings, ObjectDrift};
use ucp_core::engine::code::Code;
use ucp_core::engine::crossplane::BLIND;
use ucp_core::engine::crossplane::managed::{has_unobserved_generation, message_or_reason, paused};
use ucp_core::engine::crossplane::policies::{ExternalAction, ManagementPolicies};
use ucp_core::engine::outage::{ControllerOutage, Controllers};
use ucp_core::model::body::Body;
use ucp_core::model::body::managed::{ManagedResource, Observation};
use ucp_core::model::comparison::Certainty;
use ucp_core::model::condition::{ConditionStatus, FindCondition as _};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// Compares the chosen managed resources of a state.
pub(super) fn managed_findings(
    state: &ClusterState,
    controllers: &Controllers<'_>,
    is_chosen: &DriftChoice<'_>,
) -> LayerFindings {
    let updates = ExternalUpdates::from_events(state);
    let view = ComparisonContext { updates: &updates, controllers, now: state.moment };
    let mut findings = LayerFindings::default();
    let mut unchecked = UncheckedCounts::default();
    for resource in &state.resources {
        let Body::Managed(managed) = &resource.body else { continue };
        if !is_chosen(&resource.name(), None) {
            continue;
        }
        match cannot_compare(&managed.observation) {
            Some(reason) => unchecked.count(resource, reason),
            None => {
                findings.uncompared.count(resource, &managed.uncompared);
                check_resource(resource, managed, &view, &mut findings);
            }
        }
    }
    findings.unchecked = unchecked.listed();
    findings
}

fn cannot_compare(observation: &Observation) -> Option<&'static str> {
    match observation {
        Observation::Undeclared => Some("the kind has no spec.forProvider"),
        Observation::Missing => Some("status.atProvider is empty: nothing was observed"),
        Observation::Incomparable => Some("the provider observes none of the declared fields"),
        Observation::Agrees | Observation::Differs(_) => None,
    }
}

/// The inputs for checking one resource.
struct ComparisonContext<'a, 'state> {
    updates: &'a ExternalUpdates<'state>,
    controllers: &'a Controllers<'state>,
    now: Timestamp,
}

fn check_resource(
    resource: &Resource,
    managed: &ManagedResource,
    view: &ComparisonContext<'_, '_>,
    findings: &mut LayerFindings,
) {
    let mut drift = ObjectDrift::of_object(resource.name(), DriftLayer::External, Code::ExternalDrift, "");
    if let Observation::Differs(differing) = &managed.observation {
        drift.differences.clone_from(&differing.differences);
        drift.declaration = Some(differing.declaration.clone());
    }
    if let Some((since, why)) = stale_observation(resource, managed) {
        drift.certainty = Certainty::Unknown;
        drift.code = Code::ExternalStale;
        drift.since = since;
        drift.message = match drift.differences.is_empty() {
            true => format!("{why}: it agreed when it was last observed"),
            false => format!("{why}: it differed when it was last observed"),
        };
        findings.drifts.push(drift);
        return;
    }
    let fight = view.updates.fight_reason(resource, managed, view.now);
    let certainty = drift.differences.iter().map(|(difference, _)| difference.certainty).min();
    let outage = view.controllers.outage(resource);
    if certainty.is_none() && fight.is_none() {
        let stale = match &outage {
            Some(outage) => Some(outage.to_sentence()),
            None => has_unobserved_generation(resource)
                .then(|| "its provider has not observed the latest change of the spec".to_owned()),
        };
        match stale {
            Some(why) => {
                drift.certainty = Certainty::Unknown;
                drift.code = Code::ExternalStale;
                drift.message = format!("{why}: it agreed when it was last observed");
                findings.drifts.push(drift);
            }
            None => findings.checked += 1,
        }
        return;
    }
    findings.checked += 1;
    drift.certainty = certainty.unwrap_or(Certainty::Suspected);
    drift.code = match (&fight, drift.certainty) {
        (Some(_), _) => Code::ExternalFight,
        (None, Certainty::Certain) => Code::ExternalDrift,
        (None, _) => Code::ExternalSpelling,
    };
    let (will_be_corrected, becomes) = correction(resource, managed, outage.as_ref());
    drift.will_be_corrected = Some(will_be_corrected && fight.is_none());
    drift.message = fight.unwrap_or(becomes);
    findings.drifts.push(drift);
}

/// Returns the reason why the observation may be out of date, and its start.
fn stale_observation(resource: &Resource, managed: &ManagedResource) -> Option<(Option<Timestamp>, String)> {
    if let Some(paused) = paused(resource, managed.management_policies.as_deref()) {
        return Some((paused.since, format!("paused, {}", paused.by.words())));
    }
    let failed = resource.conditions.as_slice().with_status("Synced", ConditionStatus::False)?;
    let is_blind = BLIND.iter().any(|beginning| failed.message.trim_start().starts_with(beginning));
    is_blind.then(|| {
        (failed.last_transition_time, format!("the provider cannot observe it: {}", message_or_reason(failed)))
    })
}

/// Returns true if Crossplane corrects a difference automatically, and the expected correction.
fn correction(resource: &Resource, managed: &ManagedResource, outage: Option<&ControllerOutage>) -> (bool, String) {
    if resource.metadata.deletion_timestamp.is_some() {
        return (false, "it is being deleted".to_owned());
    }
    let policies = ManagementPolicies::from_field(managed.management_policies.as_deref());
    if !policies.allows(ExternalAction::Update) {
        let why = match policies.allows(ExternalAction::Create) || policies.allows(ExternalAction::Delete) {
            true => "spec.managementPolicies does not allow Update, so it must be corrected by hand",
            false => "it is observe-only: nothing corrects it",
        };
        return (false, why.to_owned());
    }
    match (outage, resource.conditions.as_slice().with_status("Synced", ConditionStatus::False)) {
        (Some(outage), _) => (false, describe_outage(outage)),
        (None, Some(failed)) => (false, format!("its provider cannot correct it: {}", message_or_reason(failed))),
        (None, None) => (true, "its provider corrects it at the next reconciliation".to_owned()),
    }
}
