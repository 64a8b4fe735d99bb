//! Tests of the records of controllers.

use serde_json::json;
use ucp_client::source::snapshot::resources_from_objects;
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::trace::{DeclarationKeeping, TraceRequest};

use super::*;

/// Returns the occurrences of an object as `TIME SORT WHAT`, with the values before and after.
fn recorded(api_version: &str, kind: &str, more: Value) -> Vec<String> {
    let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "a", "namespace": "x"}});
    object.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let traces = TraceRequest { since: Timestamp::MIN, declaration: DeclarationKeeping::Dropped };
    let want = KindRequest::all(BodyShape::Conditions);
    let resources = resources_from_objects(&[&object], &|_| Some(want.with_traces(traces)));
    let line = |one: Occurrence| {
        let values = match (&one.before, &one.after) {
            (None, None) => String::new(),
            (before, after) => {
                format!(" [{}>{}]", before.as_deref().unwrap_or_default(), after.as_deref().unwrap_or_default())
            }
        };
        let at_latest = if one.certainty == OccurrenceCertainty::AtLatest { "<=" } else { "" };
        format!("{at_latest}{} {:?} {}{values}", one.time.strftime("%H:%M"), one.change, one.what)
    };
    occurrences(&resources[0]).into_iter().map(line).collect()
}

#[test]
fn occurrences_are_read_from_the_status_of_controllers() {
    let at = |clock: &str| format!("2026-11-20T{clock}:00Z");
    let condition = |kind: &str| json!({"type": kind, "status": "False", "lastTransitionTime": at("03:01")});
    let pod = json!({
        "conditions": [condition("Ready"), condition("ContainersReady")],
        "containerStatuses": [
            {"name": "web", "restartCount": 3, "state": {"waiting": {"reason": "CrashLoopBackOff"}},
             "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": at("03:02")}}},
            {"name": "log", "state": {"waiting": {"reason": "ContainerCreating"}}},
        ],
    });
    let flux = json!({"lastHandledReconcileAt": at("02:00"), "history": [
        {"firstReconciled": at("03:00"), "lastReconciled": at("03:05"), "lastReconciledStatus": "HealthCheckFailed",
         "metadata": {"revision": "main@sha1:bbb"}},
        {"firstReconciled": at("01:00"), "lastReconciledStatus": "ReconciliationSucceeded",
         "metadata": {"revision": "main@sha1:aaa"}},
    ]});
    let helm = json!({"history": [
        {"chartName": "web", "chartVersion": "2.0.0", "version": 3, "status": "failed", "lastDeployed": at("03:00")},
        {"chartName": "web", "chartVersion": "1.0.0", "version": 2, "status": "superseded", "lastDeployed": at("01:00")},
    ]});
    let sync = json!({
        "history": [{"revision": "aaa", "deployedAt": at("01:00")}],
        "operationState": {"phase": "Failed", "message": "no", "startedAt": at("03:00"), "finishedAt": at("03:01"),
                           "operation": {"initiatedBy": {"automated": true}}, "syncResult": {"revision": "bbb"}},
    });
    let retried = |phase: &str| {
        let mut sync = sync.clone();
        sync["operationState"]["phase"] = phase.into();
        sync["operationState"]["retryCount"] = 2.into();
        sync
    };
    let mut with_results = sync.clone();
    let result = |group: &str, kind: &str, name: &str, more: Value| {
        let mut result = json!({"group": group, "kind": kind, "namespace": "x", "name": name});
        result.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        result
    };
    with_results["operationState"]["syncResult"]["resources"] = json!([
        result("", "Service", "web", json!({"status": "Synced", "message": "service/web unchanged"})),
        result("apps", "Deployment", "web", json!({"status": "SyncFailed", "message": "is immutable"})),
        result("batch", "Job", "init", json!({"status": "Synced", "hookPhase": "Failed", "message": "exit 1"})),
    ]);
    for (api_version, kind, more, expected) in [
        (
            "v1",
            "Pod",
            json!({"status": pod}),
            vec![
                "03:02 Restarted container web ended with exit code 137 (OOMKilled), restart 3",
                "03:01 TurnedBad container web waits: CrashLoopBackOff",
            ],
        ),
        (
            "kustomize.toolkit.fluxcd.io/v1",
            "Kustomization",
            json!({"status": flux}),
            vec![
                "<=03:00 Deployed reconciled main@sha1:bbb: HealthCheckFailed [main@sha1:aaa>main@sha1:bbb]",
                "03:05 TurnedBad failed to reconcile: HealthCheckFailed",
                "01:00 Deployed reconciled main@sha1:aaa: ReconciliationSucceeded [>main@sha1:aaa]",
                "02:00 Noted was asked to reconcile",
            ],
        ),
        (
            "helm.toolkit.fluxcd.io/v2",
            "HelmRelease",
            json!({"status": helm}),
            vec![
                "03:00 Deployed released web 2.0.0, revision 3: failed [web 1.0.0>web 2.0.0]",
                "03:00 TurnedBad release revision 3 failed",
                "01:00 Deployed released web 1.0.0, revision 2: superseded [>web 1.0.0]",
            ],
        ),
        (
            "source.toolkit.fluxcd.io/v1",
            "HelmChart",
            json!({"status": {"artifact": {"revision": "0.2.0", "lastUpdateTime": at("03:00")}}}),
            vec!["03:00 Deployed fetched 0.2.0 [>0.2.0]"],
        ),
        (
            "argoproj.io/v1alpha1",
            "Application",
            json!({"status": sync.clone()}),
            vec![
                "01:00 Deployed synced aaa [>aaa]",
                "03:01 TurnedBad sync of bbb failed: no",
                "03:00 Deployed began to sync bbb [aaa>bbb]",
            ],
        ),
        (
            "argoproj.io/v1alpha1",
            "Application",
            json!({"status": with_results}),
            vec![
                "01:00 Deployed synced aaa [>aaa]",
                "03:01 TurnedBad sync of bbb failed: no; deployment.apps/web -n x: is immutable, job.batch/init -n x: exit 1",
                "03:00 Deployed began to sync bbb [aaa>bbb]",
            ],
        ),
        (
            "argoproj.io/v1alpha1",
            "Application",
            json!({"status": retried("Running")}),
            vec![
                "01:00 Deployed synced aaa [>aaa]",
                "<=03:00 TurnedBad sync of bbb fails and is retried: no",
                "<=03:00 Deployed began to sync bbb [aaa>bbb]",
            ],
        ),
        (
            "argoproj.io/v1alpha1",
            "Application",
            json!({"status": retried("Succeeded")}),
            vec!["01:00 Deployed synced aaa [>aaa]"],
        ),
        (
            "argoproj.io/v1alpha1",
            "ApplicationSet",
            json!({"status": {"applicationStatus": [
                {"application": "web", "status": "Progressing", "message": "moved", "lastTransitionTime": at("03:00")},
            ]}}),
            vec!["03:00 Noted its Application web turned Progressing: moved"],
        ),
        (
            "argoproj.io/v1alpha1",
            "Rollout",
            json!({"status": {"abortedAt": at("03:00")}}),
            vec!["03:00 TurnedBad was aborted"],
        ),
        (
            "batch/v1",
            "CronJob",
            json!({"status": {"lastScheduleTime": at("03:00")}}),
            vec!["03:00 Noted started a Job"],
        ),
        ("batch/v1", "Job", json!({"status": {"startTime": at("03:00")}}), vec!["03:00 Noted was started"]),
        (
            "coordination.k8s.io/v1",
            "Lease",
            json!({"spec": {"holderIdentity": "b", "acquireTime": at("03:00")}}),
            vec!["03:00 Restarted is held by b"],
        ),
        (
            "kargo.akuity.io/v1alpha1",
            "Promotion",
            json!({"spec": {"stage": "prod"}, "status": {
                "phase": "Errored", "message": "no", "startedAt": at("03:00"), "finishedAt": at("03:01"),
            }}),
            vec!["03:00 Deployed promotion to prod was started", "03:01 TurnedBad promotion to prod Errored: no"],
        ),
        (
            "kargo.akuity.io/v1alpha1",
            "Stage",
            json!({"status": {
                "lastPromotion": {"name": "p1", "finishedAt": at("03:01"), "status": {"phase": "Succeeded"},
                                  "freight": {"name": "f2", "images": [{"repoURL": "example.org/web", "tag": "v2"}]}},
                "freightHistory": [
                    {"items": {"Warehouse/web": {"name": "f2"}}},
                    {"items": {"Warehouse/web": {"name": "f1", "charts": [{"name": "web", "version": "1.0"}]}}},
                ],
            }}),
            vec!["03:01 Deployed got freight by promotion p1 [web 1.0>example.org/web:v2]"],
        ),
        (
            "kargo.akuity.io/v1alpha1",
            "Stage",
            json!({"status": {"lastPromotion": {
                "name": "p1", "finishedAt": at("03:01"), "status": {"phase": "Errored", "message": "no"}, "freight": {"name": "f2"},
            }}}),
            vec!["03:01 TurnedBad promotion p1 Errored: no [>f2]"],
        ),
        (
            "ops.crossplane.io/v1alpha1",
            "Operation",
            json!({"status": {
                "conditions": [{"type": "Succeeded", "status": "True", "lastTransitionTime": at("03:00")}],
                "appliedResourceRefs": [{"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "x", "name": "web"}],
            }}),
            vec!["03:00 Deployed applied deployment.apps/web -n x"],
        ),
        (
            "v1",
            "Secret",
            json!({"metadata": {"name": "sh.helm.release.v1.web.v2", "namespace": "x", "labels": {
                "owner": "helm", "name": "web", "version": "2", "status": "deployed", "modifiedAt": "1763607600",
            }}}),
            vec!["03:00 Deployed holds release web, revision 2: deployed"],
        ),
    ] {
        assert_eq!(recorded(api_version, kind, more), expected, "{kind}");
    }
}

#[test]
fn hashes_are_shortened_and_versions_are_not() {
    let hash = "0123456789abcdef0123456789abcdef01234567";
    assert_eq!(short(hash), "0123456789");
    assert_eq!(short(format!("main@sha1:{hash}")), "main@sha1:0123456789");
    assert_eq!(short("1.2.3"), "1.2.3");
    assert_eq!(short(format!("{hash}, v2")), "0123456789, v2");
}
