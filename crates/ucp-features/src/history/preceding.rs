//! The deployment right before a problem of a deployer, if its own status shows it with certainty.

use jiff::{SignedDuration, Timestamp};

use ucp_core::model::body::Body;
use ucp_core::model::body::argocd::{Application, HistoryEntry};
use ucp_core::model::body::flux::{FluxHistoryEntry, FluxObject};
use ucp_core::model::finding::PrecedingDeployment;
use ucp_core::model::resource::Resource;

/// A deployment longer before a problem may have nothing to do with it.
const SOON: SignedDuration = SignedDuration::from_mins(10);
/// Controllers write the two times one after the other.
const TOLERANCE: SignedDuration = SignedDuration::from_secs(2);
/// More images do not show which one is new.
const MOST_IMAGES: usize = 2;

/// Returns the deployment of another revision right before a problem of this object began. `None` if there was none, and
/// if the data do not show that there was one.
pub fn preceding_deployment(resource: &Resource, since: Timestamp) -> Option<PrecedingDeployment> {
    match &resource.body {
        Body::Application(application) => of_application(application, since),
        Body::Flux(object) => match resource.kind.kind.as_str() {
            "HelmRelease" => of_release(object, since),
            "Kustomization" => of_kustomization(object, since),
            _ => None,
        },
        _ => None,
    }
}

fn is_right_before(time: Timestamp, since: Timestamp) -> bool {
    let lead = since.duration_since(time);
    lead <= SOON && lead >= -TOLERANCE
}

/// Returns the revision, or those of several sources.
fn revision(one: Option<&String>, several: &[String]) -> Option<String> {
    let all = if several.is_empty() { one.cloned().unwrap_or_default() } else { several.join(", ") };
    (!all.is_empty()).then_some(all)
}

fn of_application(application: &Application, since: Timestamp) -> Option<PrecedingDeployment> {
    let status = &application.status;
    let deployed = |entry: &HistoryEntry| revision(entry.revision.as_ref(), &entry.revisions);
    let failed = status.operation_state.as_ref().filter(|state| matches!(state.phase.as_str(), "Failed" | "Error"));
    if let Some(failed) = failed {
        // A failed sync is not part of the history.
        let result = failed.sync_result.as_ref()?;
        let tried = revision(result.revision.as_ref(), &result.revisions)?;
        let before = status.history.last().and_then(deployed)?;
        let started = failed.started_at.filter(|started| *started <= since)?;
        return (tried != before).then(|| PrecedingDeployment {
            revision: tried,
            chart: None,
            time: started,
            images: Vec::new(),
        });
    }
    let is_before = |entry: &HistoryEntry| entry.deployed_at.is_some_and(|time| time <= since);
    let index = status.history.iter().rposition(is_before)?;
    let (earlier, entry) = (&status.history[..index], &status.history[index]);
    let (time, after, before) = (entry.deployed_at?, deployed(entry)?, earlier.last().and_then(deployed)?);
    if after == before || !is_right_before(time, since) {
        return None;
    }
    // The images are those of the objects as they are now.
    let is_current = index + 1 == status.history.len() && status.sync.status == "Synced";
    let images = &status.summary.images;
    let images = if is_current && images.len() <= MOST_IMAGES { images.clone() } else { Vec::new() };
    Some(PrecedingDeployment { revision: after, chart: None, time, images })
}

/// The newest entry is the first one.
fn of_kustomization(object: &FluxObject, since: Timestamp) -> Option<PrecedingDeployment> {
    let [failed, before, ..] = object.status.history.as_slice() else { return None };
    let revision = |entry: &FluxHistoryEntry| entry.metadata.revision.clone();
    let (time, after, before) = (failed.first_reconciled?, revision(failed)?, revision(before)?);
    let is_failure = failed.last_reconciled_status != "ReconciliationSucceeded";
    let preceding = PrecedingDeployment { revision: after, chart: None, time, images: Vec::new() };
    (is_failure && preceding.revision != before && is_right_before(time, since)).then_some(preceding)
}

fn of_release(object: &FluxObject, since: Timestamp) -> Option<PrecedingDeployment> {
    let [newest, before, ..] = object.status.history.as_slice() else { return None };
    let (time, after, before) = (newest.last_deployed?, newest.chart_version.clone()?, before.chart_version.as_ref()?);
    let is_other = after != *before && is_right_before(time, since);
    let chart = newest.chart_name.clone();
    is_other.then(|| PrecedingDeployment { revision: after, chart, time, images: Vec::new() })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use ucp_client::source::snapshot::resources_from_objects;
    use ucp_core::engine;

    use super::*;

    fn preceding(object: &Value, since: &str) -> Option<String> {
        let resources = resources_from_objects(&[object], &engine::want);
        preceding_deployment(&resources[0], since.parse().unwrap()).map(|found| found.revision)
    }

    fn application(history: Value, more: Value) -> Value {
        let mut status = json!({"history": history, "sync": {"status": "Synced"}});
        status.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "a", "namespace": "argocd"},
               "spec": {"destination": {}}, "status": status})
    }

    #[test]
    fn only_another_revision_right_before_counts() {
        let entry =
            |revision: &str, time: &str| json!({"revision": revision, "deployedAt": format!("2026-11-20T{time}Z")});
        let since = "2026-11-20T03:12:00Z";
        let first = entry("aaa", "01:00:00");
        let found = |history: Value| preceding(&application(history, json!({})), since);
        assert_eq!(found(json!([first, entry("bbb", "03:10:00")])).as_deref(), Some("bbb"));
        // It came after the problem: the one before it counts, and that is long ago.
        assert_eq!(found(json!([entry("000", "00:00:00"), first, entry("bbb", "03:13:00")])), None);
        // The same revision again, a long time, and a first deployment show no change.
        assert_eq!(found(json!([first, entry("aaa", "03:10:00")])), None);
        assert_eq!(found(json!([first, entry("bbb", "02:50:00")])), None);
        assert_eq!(found(json!([entry("bbb", "03:10:00")])), None);
        let failed = json!({"operationState": {"phase": "Failed", "startedAt": "2026-11-20T03:11:50Z",
            "operation": {"sync": {"revision": "ccc"}}, "syncResult": {"revision": "ccc"}}});
        assert_eq!(preceding(&application(json!([first]), failed), since).as_deref(), Some("ccc"));
    }

    #[test]
    fn a_kustomization_fails_since_a_revision() {
        let entry = |revision: &str, status: &str| {
            json!({"firstReconciled": "2026-11-20T03:12:00Z", "lastReconciled": "2026-11-20T03:30:00Z",
            "lastReconciledStatus": status, "totalReconciliations": 3, "metadata": {"revision": revision}})
        };
        let object = |history: Value| {
            json!({"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
            "metadata": {"name": "a", "namespace": "flux-system"}, "spec": {}, "status": {"history": history}})
        };
        let found = |history: Value| preceding(&object(history), "2026-11-20T03:12:00Z");
        let good = entry("main@sha1:aaa", "ReconciliationSucceeded");
        assert_eq!(found(json!([entry("main@sha1:bbb", "HealthCheckFailed"), good])).as_deref(), Some("main@sha1:bbb"));
        assert_eq!(found(json!([entry("main@sha1:aaa", "HealthCheckFailed"), good])), None);
        assert_eq!(found(json!([good, entry("main@sha1:000", "ReconciliationSucceeded")])), None);
    }

    #[test]
    fn a_release_fails_since_a_chart() {
        let entry = |version: &str| json!({"chartName": "web", "chartVersion": version, "status": "failed", "lastDeployed": "2026-11-20T03:11:30Z"});
        let object = |history: Value| {
            json!({"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease",
            "metadata": {"name": "a", "namespace": "flux-system"}, "spec": {}, "status": {"history": history}})
        };
        let found = |history: Value| preceding(&object(history), "2026-11-20T03:12:00Z");
        assert_eq!(found(json!([entry("0.2.0"), entry("0.1.0")])).as_deref(), Some("0.2.0"));
        assert_eq!(found(json!([entry("0.2.0"), entry("0.2.0")])), None);
    }
}
