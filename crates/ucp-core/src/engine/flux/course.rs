//! The progress of Flux objects: the last observed generation, request, and revision.

use jiff::Timestamp;

use crate::engine::course::{
    ApplyState, DeployedRevisions, FailureKind, ObjectProgress, is_old, outdated_generation, unhandled_request,
};
use crate::model::body::Body;
use crate::model::body::flux::FluxObject;
use crate::model::condition::{ConditionStatus, FindCondition as _};
use crate::model::resource::Resource;

/// Annotation that requests a reconciliation, as set by `flux reconcile`; confirmed in `status.lastHandledReconcileAt`.
const REQUESTED: &str = "reconcile.fluxcd.io/requestedAt";

/// Returns a message if a requested reconciliation has not happened yet. An ExternalArtifact has no controller of its
/// own that could handle a request.
pub(super) fn unanswered_request(resource: &Resource, flux: &FluxObject) -> Option<String> {
    if resource.kind.kind == "ExternalArtifact" {
        return None;
    }
    unhandled_request(resource, REQUESTED, flux.status.last_handled_reconcile_at.as_deref())
}

/// Returns the time of the last request, if its value is a time: in RFC 3339 as by `flux reconcile`, or a Unix time as
/// by `date +%s` or `date +%s%N`.
pub(super) fn requested_at(resource: &Resource) -> Option<Timestamp> {
    let text = resource.metadata.annotation(REQUESTED)?;
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    let number: i64 = text.parse().ok()?;
    let time = match text.len() {
        ..=11 => Timestamp::from_second(number),
        12..=14 => Timestamp::from_millisecond(number),
        15..=17 => Timestamp::from_microsecond(number),
        _ => Timestamp::from_nanosecond(number.into()),
    };
    time.ok()
}

pub(super) fn flux_progress(resource: &Resource) -> ObjectProgress {
    let Body::Flux(flux) = &resource.body else { return ObjectProgress::from_conditions(resource) };
    if super::messages::has_no_status(resource, flux) {
        return ObjectProgress { applied: ApplyState::Yes, ..ObjectProgress::default() };
    }
    let (conditions, status) = (resource.conditions.as_slice(), &flux.status);
    let ready = conditions.of_type("Ready");
    let is_unseen = outdated_generation(resource, resource.observed_generation.filter(|seen| *seen > 0));
    let is_old =
        ready.filter(|ready| is_old(resource, ready)).map(|_| "condition Ready is of an older change".to_owned());
    let is_unanswered = unanswered_request(resource, flux);
    let is_true = |kind: &str| conditions.with_status(kind, ConditionStatus::True).is_some();
    let reconciling = conditions.with_status("Reconciling", ConditionStatus::True);
    // A release is installed before its tests run.
    let applied = is_true("Ready") || is_true("Released");
    let all = |revision: &Option<String>| revision.iter().cloned().collect::<Vec<_>>();
    let fetched = status.artifact.as_ref().map(|artifact| artifact.revision.clone());
    let tried = all(&status.last_attempted_revision.clone().or_else(|| fetched.clone()));
    let deployed = status.last_applied_revision.clone().or(fetched);
    // A HelmRelease only reports the attempted revision.
    let deployed = deployed.or_else(|| status.last_attempted_revision.clone().filter(|_| is_true("Ready")));
    ObjectProgress {
        outdated: is_unseen.or(is_old).or(is_unanswered),
        under_way: reconciling.map(|condition| condition.message.trim().to_owned()),
        applied: if applied { ApplyState::Yes } else { ApplyState::No },
        revisions: Some(DeployedRevisions { applied: all(&deployed), tried }),
        failure: match ready {
            _ if is_true("Stalled") => FailureKind::GivenUp,
            Some(ready) if ready.reason == "HealthCheckFailed" => FailureKind::OfHealth,
            _ => FailureKind::Described,
        },
    }
}
