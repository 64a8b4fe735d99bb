//! Findings about Flux's objects as its controllers left them.

use super::{finding, findings, later, snapshot, status};
use crate::support::command::{run, run_with_input, ucp, ucp_from};

#[test]
fn a_retry_does_not_hide_the_failure_before_it() {
    let status = status("flux-health-check-retrying");
    assert_eq!(findings(&status), [("UCP302".to_owned(), "sick".to_owned())]);
    let found = finding(&status, "sick");
    assert_eq!(found["since"], "2026-11-21T21:33:37Z");
    let message = found["message"].as_str().unwrap();
    assert!(
        message.starts_with("HealthCheckFailed of Deployment/sick -n default; now: Running health checks"),
        "{message}"
    );
    assert!(message.ends_with("(failed 2 times)"), "{message}");
    assert_eq!(found["hint"], "kubectl describe kustomization.kustomize.toolkit.fluxcd.io/sick -n flux-system");

    let from = "tests/fixtures/real/flux-health-check-retrying";
    let drift = run(ucp_from(from, ["drift", "-o", "json"])).expect(1).json();
    assert_eq!(drift["items"][0]["willBeCorrected"], false, "{drift:#}");
}

#[test]
fn a_failure_begins_after_the_last_success() {
    let success = "  - digest: sha256:0\n    firstReconciled: \"2026-11-21T21:30:00Z\"\n    lastReconciled: \"2026-11-21T21:34:00Z\"\n    \
                   lastReconciledStatus: ReconciliationSucceeded\n    totalReconciliations: 9\n  inventory:\n";
    let text = snapshot("flux-health-check-retrying").replace("  inventory:\n", success);
    let status = run_with_input(ucp(["status", "--from", "-", "-o", "json"]), text).expect(0).json();
    assert_eq!(finding(&status, "sick")["since"], "2026-11-21T21:34:00Z");
}

#[test]
fn an_object_that_was_never_ready_has_failed_since_its_creation() {
    let status = status("flux-bad-path");
    let found = finding(&status, "badpath");
    assert_eq!((&found["code"], &found["since"]), (&"UCP302".into(), &"2026-11-21T21:32:59Z".into()));
    assert!(found["message"].as_str().unwrap().starts_with("ArtifactFailed: kustomization path not found"));
}

#[test]
fn a_blocked_deletion_is_progressing_at_first_and_stuck_later() {
    let young = status("flux-deleting");
    assert_eq!((findings(&young), &young["counts"]), (vec![], &serde_json::json!({"Progressing": 1})));
    let old = later("flux-deleting", "2026-11-21T22:30:00Z");
    assert_eq!(findings(&old), [("UCP309".to_owned(), "heldflux".to_owned())]);
    assert_eq!(
        finding(&old, "heldflux")["message"],
        "is being deleted; finalizer finalizers.fluxcd.io holds it until these are deleted: ConfigMap/held2 -n default"
    );
}

#[test]
fn a_healthy_helm_chart_is_read() {
    let status = status("flux-helm-chart");
    assert_eq!((&status["counts"], &status["unreadable"]), (&serde_json::json!({"OK": 1}), &serde_json::json!([])));
}

#[test]
fn a_release_without_a_source_shows_at_its_chart() {
    // The source may be created within a few intervals of the chart.
    let status = later("flux-helm", "2026-11-21T23:30:00Z");
    assert_eq!(
        findings(&status),
        [
            ("UCP302".to_owned(), "flux-system-nosource".to_owned()),
            ("UCP302".to_owned(), "bad".to_owned()),
            ("UCP304".to_owned(), "good".to_owned()),
        ]
    );
    let chart = finding(&status, "flux-system-nosource");
    assert_eq!(chart["holdsUp"][0]["name"], "nosource");
    assert_eq!(chart["since"], "2026-11-21T21:55:58Z");
    assert!(chart["message"].as_str().unwrap().ends_with(r#""ghost" not found"#), "{chart:#}");
    // Each retry of a release gives its conditions a new time.
    assert_eq!(finding(&status, "bad")["since"], "2026-11-21T21:55:57Z");
}

#[test]
fn a_release_that_is_retried_has_failed() {
    let ready = "reason: InstallFailed\n      status: \"False\"\n      type: Ready";
    let text = snapshot("flux-helm");
    assert!(text.contains(ready));
    let retrying = text.replacen(ready, "reason: Progressing\n      status: Unknown\n      type: Ready", 1);
    let status = run_with_input(ucp(["status", "--from", "-", "-o", "json"]), retrying).expect(0).json();
    let found = finding(&status, "bad");
    assert_eq!((&found["code"], &found["since"]), (&"UCP302".into(), &"2026-11-21T21:55:57Z".into()));
    let message = found["message"].as_str().unwrap();
    assert!(message.starts_with("InstallFailed: Helm install failed for release default/default-bad"), "{message}");
    assert!(message.ends_with("; now: Running 'install' action with timeout of 5m0s"), "{message}");
}

#[test]
fn a_failure_of_its_own_is_not_hidden_behind_its_source() {
    let source = |extra: &str| {
        format!(
            "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {{name: fleet, namespace: flux-system}}\n\
             spec: {{interval: 1m, url: https://git.example.org/fleet.git{extra}}}\nstatus:\n  \
             artifact: {{revision: main@sha1:e815e3429bb773048600072b4e4cf68e65b8a124}}\n  conditions:\n  \
             - {{type: Ready, status: 'False', reason: GitOperationFailed, message: no route, lastTransitionTime: \"2026-11-21T21:20:00Z\"}}\n"
        )
    };
    for (extra, code) in [("", "UCP302"), (", suspend: true", "UCP303")] {
        let text = format!("{}{}", snapshot("flux-bad-path"), source(extra));
        let status = run_with_input(ucp(["status", "--from", "-", "-o", "json"]), text).expect(0).json();
        assert_eq!(
            findings(&status),
            [("UCP302".to_owned(), "badpath".to_owned()), (code.to_owned(), "fleet".to_owned())],
            "{status:#}"
        );
    }
}
