//! Findings about Applications as Argo CD left them.

use super::{finding, findings, later, snapshot, status};
use crate::support::command::{run, run_with_input, ucp, ucp_from};

#[test]
fn each_broken_application_shows_its_own_cause_once() {
    let status = status("argocd-broken");
    assert_eq!(status["counts"], serde_json::json!({"Failed": 7, "Progressing": 1, "OK": 3}));
    let cause = |name: &str| finding(&status, name);
    for (name, code, words) in [
        ("a-badbranch", "UCP203", "unable to resolve 'nope' to a commit SHA"),
        ("a-badpath", "UCP203", "nope: app path does not exist"),
        ("a-badrepo", "UCP203", "authentication required"),
        ("a-nocluster", "UCP203", "there are no clusters with this name: ghost-cluster"),
        ("a-noproject", "UCP203", "referencing project ghost which does not exist"),
        ("a-degraded", "UCP201", "health is Degraded: Deployment/slow, its only resource"),
        ("s-broken", "UCP210", "failed to list refs: repository not found"),
    ] {
        let found = cause(name);
        assert_eq!(found["code"], code, "{name}");
        assert!(found["message"].as_str().unwrap().contains(words), "{found:#}");
    }
    // Missing, out of sync and a sync that fails are one thing: the custom resource definition is missing.
    let missing = later("argocd-broken", "2026-11-22T12:00:00Z");
    let missing = finding(&missing, "a-nokind");
    assert_eq!((&missing["code"], &missing["verdict"]), (&"UCP202".into(), &"Failed".into()));
    let message = missing["message"].as_str().unwrap();
    assert!(message.starts_with("3 attempts failed: one or more synchronization tasks are not valid: "), "{message}");
    assert!(message.contains(r#"; Nope/nope: The Kubernetes API could not find example.org/Nope"#), "{message}");
    assert!(message.ends_with(r#"Make sure the "Nope" CRD is installed on the destination cluster."#), "{message}");
}

#[test]
fn a_sync_that_is_retried_has_failed() {
    let status = status("argocd-sync-retrying");
    assert_eq!(findings(&status), [("UCP202".to_owned(), "web-prod".to_owned())]);
    let found = finding(&status, "web-prod");
    assert_eq!(found["since"], "2026-11-21T21:25:22Z");
    let message = found["message"].as_str().unwrap();
    assert!(message.starts_with("5 attempts failed: ") && message.contains("field is immutable"), "{message}");
    assert_eq!(found["hint"], "kubectl describe application.argoproj.io/web-prod -n argocd");

    let drift = run(ucp_from("tests/fixtures/real/argocd-sync-retrying", ["drift", "-o", "json"])).expect(1).json();
    let item = &drift["items"][0];
    assert_eq!(
        (&item["message"], &item["willBeCorrected"]),
        (&"it differs from Git; the last sync failed".into(), &false.into())
    );

    // One failed attempt is enough.
    let first = snapshot("argocd-sync-retrying").replace("retryCount: 5", "retryCount: 1");
    let ran = run_with_input(ucp(["status", "--from", "-", "-o", "json"]), first).expect(0).json();
    assert!(finding(&ran, "web-prod")["message"].as_str().unwrap().starts_with("1 attempt failed: "));
}

#[test]
fn a_failed_sync_is_ignored_after_a_newer_comparison_that_is_in_sync() {
    assert_eq!(status("argocd-mended")["counts"], serde_json::json!({"OK": 2}));
    let again = |change: fn(&str) -> String| {
        let text = change(&snapshot("argocd-mended"));
        findings(&run_with_input(ucp(["status", "--from", "-", "-o", "json"]), text).expect(0).json())
    };
    let both = [("UCP202".to_owned(), "web-prod".to_owned())];
    // Out of sync, not compared since, or a hook of this very revision: then it still matters.
    assert_eq!(again(|text| text.replace("      status: Synced\nkind", "      status: OutOfSync\nkind")), both);
    assert_eq!(
        again(|text| text.replace("reconciledAt: \"2026-11-21T21:30:35Z\"", "reconciledAt: \"2026-11-21T21:24:00Z\"")),
        both
    );
    let hook = again(|text| {
        text.replace("eb43b9ecc95a5541b9c1e62c32d6ce56823584af", "f15bebe844526dc1aafef7ecb73fdadc559ea805")
            .replace("hookPhase: Failed", "hookPhase: Failed\n          hookType: PostSync")
    });
    assert_eq!(hook.len(), 1, "{hook:?}");
    assert_eq!(hook[0].0, "UCP202");
}

#[test]
fn conditions_with_the_same_cause_are_a_single_finding() {
    let status = status("argocd-three-conditions");
    assert_eq!(
        findings(&status),
        [("UCP203".to_owned(), "web-prod".to_owned()), ("UCP213".to_owned(), "infra".to_owned())]
    );
    let infra = finding(&status, "infra");
    let message = infra["message"].as_str().unwrap();
    assert!(
        message.starts_with(
            "Argo CD cannot reach cluster https://kubernetes.default.svc: ComparisonError, UnknownError: Failed to load live"
        ) && message.ends_with("must be defined"),
        "{message}"
    );
}

#[test]
fn credentials_in_a_cluster_url_are_hidden() {
    let secret = "canary-that-must-never-sing";
    let text = snapshot("argocd-three-conditions")
        .replace("server: https://kubernetes.default.svc", &format!("server: https://admin:{secret}@10.0.0.1:6443"));
    // The runner of every test fails where it sees this password.
    let page = run_with_input(ucp(["status", "--from", "-"]), text).expect(0).stdout;
    assert!(page.contains("Argo CD cannot reach cluster https://"), "{page}");
}

#[test]
fn a_deletion_names_the_cluster_that_is_down() {
    let status = status("argocd-deletion-cluster-down");
    assert_eq!(findings(&status), [("UCP214".to_owned(), "a-degraded".to_owned())]);
    let found = finding(&status, "a-degraded");
    assert_eq!(found["since"], "2026-11-21T21:47:36Z");
    let message = found["message"].as_str().unwrap();
    assert!(message.starts_with("cannot be deleted: Argo CD cannot reach cluster app-creds: "), "{message}");
    assert!(
        message.contains("connect: connection refused; finalizer resources-finalizer.argocd.argoproj.io"),
        "{message}"
    );
    assert!(message.ends_with("until these are deleted: Deployment/slow"), "{message}");
}

#[test]
fn healthy_applications_of_an_unreachable_cluster_are_healthy_as_last_seen() {
    // For minutes nothing in the API shows that their cluster is down, so the page reports that it cannot know.
    let status = status("argocd-destination-down");
    assert_eq!(
        status["lastSeen"],
        serde_json::json!([{"cluster": "app-creds", "applications": 2, "changed": "2026-11-21T21:32:00Z"}])
    );
    let infra = finding(&status, "infra")["message"].as_str().unwrap();
    let resources = "Object/settings, Object/team-namespace, Object/limits";
    assert_eq!(infra, format!("health is Degraded; Argo CD does not store which of these is the cause: {resources}"));
    let page = run(ucp_from("tests/fixtures/real/argocd-destination-down", ["status"])).expect(0).stdout;
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let note = "OK when Argo CD last checked them: app-creds (2 applications, last change 5m2s ago). The API does not show \
                whether Argo CD can still reach them. → kubectl ucp clusters --probe";
    assert!(page.ends_with(note), "{page}");
}

#[test]
fn a_cluster_that_is_down_makes_its_other_applications_unknown() {
    // Healthy, and not seen since: the deletion of another Application shows that their cluster is down.
    let both = format!("{}\n---\n{}", snapshot("argocd-destination-down"), snapshot("argocd-deletion-cluster-down"));
    let status = run_with_input(ucp(["status", "--from", "-", "-o", "json"]), &both).expect(0).json();
    assert_eq!(status["counts"], serde_json::json!({"Failed": 1, "Stuck": 1, "Unknown": 2}));
    let down = finding(&status, "a-degraded");
    let held: Vec<_> =
        down["holdsUp"].as_array().unwrap().iter().map(|object| object["name"].as_str().unwrap()).collect();
    assert_eq!(held, ["web-prod", "web-stage"]);
    let drift = run_with_input(ucp(["drift", "--from", "-", "-o", "json"]), &both).expect(4);
    let unchecked = drift.unknown();
    for name in ["a-degraded", "web-prod", "web-stage"] {
        assert!(unchecked.contains(&format!("application.argoproj.io/{name} -n argocd")), "{unchecked:?}");
    }
    assert_eq!(status["lastSeen"], serde_json::json!([]));

    // An Application that was synced there since has been seen, though not compared since that sync.
    let later = both.replacen("finishedAt: \"2026-11-21T21:31:58Z\"", "finishedAt: \"2026-11-21T21:48:58Z\"", 1);
    let status = run_with_input(ucp(["status", "--from", "-", "-o", "json"]), later).expect(0).json();
    assert_eq!(status["counts"], serde_json::json!({"Failed": 1, "Stuck": 1, "Unknown": 1, "Progressing": 1}));
}

#[test]
fn a_blocked_deletion_is_progressing_at_first_and_stuck_later() {
    let young = status("argocd-deleting");
    assert_eq!((findings(&young), &young["counts"]), (vec![], &serde_json::json!({"Progressing": 1})));
    let old = later("argocd-deleting", "2026-11-21T22:30:00Z");
    assert_eq!(findings(&old), [("UCP214".to_owned(), "held".to_owned())]);
    assert_eq!(
        finding(&old, "held")["message"],
        "is being deleted; finalizer resources-finalizer.argocd.argoproj.io holds it until these are deleted: ConfigMap/held"
    );
}

#[test]
fn a_reverted_self_heal_is_not_drift_that_corrects_itself() {
    let status = status("argocd-self-heal-undone");
    assert_eq!(findings(&status), [("UCP212".to_owned(), "web-stage".to_owned())]);
    let words = "self-heal synced ConfigMap/web-config 4 times for one revision: something reverts it";
    assert!(finding(&status, "web-stage")["message"].as_str().unwrap().starts_with(words));

    let from = "tests/fixtures/real/argocd-self-heal-undone";
    let drift = run(ucp_from(from, ["drift", "-o", "json"])).expect(1).json();
    let item = &drift["items"][0];
    assert_eq!((&item["code"], &item["willBeCorrected"]), (&"UCP212".into(), &serde_json::Value::Null));
    assert!(item["message"].as_str().unwrap().contains(words), "{item:#}");
}

#[test]
fn a_long_cause_is_shortened_at_its_beginning() {
    let from = "tests/fixtures/real/argocd-comparison-error";
    let cause = "lstat <path to cached source>/web/nobase: no such file or directory";
    for columns in ["80", "160"] {
        let mut command = ucp_from(from, ["status"]);
        command.env("COLUMNS", columns);
        let page = run(command).expect(0).stdout;
        let fits =
            |line: &str| !line.starts_with("  ") || line.chars().count() <= columns.parse::<usize>().unwrap() + 2;
        assert!(page.lines().all(fits), "{page}");
        let text = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("ComparisonError: Failed to load target state") && text.contains(cause), "{page}");
    }
    let markdown = run(ucp_from(from, ["status", "-o", "markdown"])).expect(0).stdout;
    assert!(markdown.contains("no such file or directory"), "{markdown}");
}
