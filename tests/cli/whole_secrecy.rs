//! Secrets in objects that are shown in parts: values hidden in a whole object are hidden in its differences, too.

use serde_json::{Value, json};

use crate::support::command::{CANARY, run_with_input, ucp};

/// The beginning of each secret.
const SECRET: &str = "CanaryQx7";

/// Fields with a secret each, under names that indicate it, that rarely do, and that are secrets themselves.
fn fields(secret: &str, mode: bool) -> Value {
    json!({
        "containers": [{"args": ["--password", secret, format!("--token={secret}"), "-p", secret]}],
        "environment": [{"variables": {"X_MODE": secret}}],
        "license": secret,
        "pin": {"value": secret},
        "jwt": {"key": secret},
        "keyMaterial": secret,
        "primaryKey": secret,
        "cookie": {"value": secret},
        "headers": {"X-Auth": secret},
        "parameter": [{"name": "auth", "value": secret}, {"name": "pin", "value": secret}],
        "remotes": {format!("https://bot:{SECRET}310@example.org/"): mode},
        "tokens": {format!("{SECRET}310"): mode},
    })
}

fn managed(api_version: &str, kind: &str, declared: &Value, observed: &Value) -> Value {
    let done = |kind: &str| json!({"type": kind, "status": "True", "reason": "Done", "lastTransitionTime": "2026-11-20T10:00:00Z"});
    json!({
        "apiVersion": api_version, "kind": kind,
        "metadata": {"name": kind.to_lowercase(), "creationTimestamp": "2026-11-20T09:00:00Z"},
        "spec": {"forProvider": declared}, "status": {"atProvider": observed, "conditions": [done("Synced"), done("Ready")]},
    })
}

#[test]
fn differences_show_nothing_that_whole_objects_hide() {
    let (declared, observed) = (format!("{SECRET}310"), format!("{SECRET}452"));
    let items = [
        managed("s3.aws.upbound.io/v1beta1", "Bucket", &fields(&declared, true), &fields(&observed, false)),
        managed(
            "keyvault.azure.upbound.io/v1beta1",
            "Secret",
            &json!({"value": declared}),
            &json!({"value": observed}),
        ),
        managed(
            "dynamodb.aws.upbound.io/v1beta1",
            "Table",
            &json!({"primaryKey": "customer_id", "auth": "enabled"}),
            &json!({"primaryKey": "customer_id2", "auth": "disabled"}),
        ),
    ];
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    for command in [
        &["drift"][..],
        &["drift", "-o", "json"],
        &["drift", "-o", "yaml"],
        &["drift", "-o", "markdown"],
        &["drift", "-o", "html"],
        &["resources", "--whole", "-o", "json"],
    ] {
        let run = run_with_input(ucp(command.iter().chain(&["--from", "-"])), &list);
        assert!(matches!(run.code, Some(0 | 1)), "{command:?} {run:?}");
        assert!(!run.stdout.contains(SECRET) && !run.stderr.contains(SECRET), "{command:?} {}", run.stdout);
        let shows_fields = !command.contains(&"markdown");
        assert!(!shows_fields || run.stdout.contains("customer_id"), "{command:?} {}", run.stdout);
    }
    let report = run_with_input(ucp(["drift", "-o", "json", "--from", "-"]), &list).json();
    let paths: Vec<&str> = report["items"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|item| item["differences"].as_array().unwrap())
        .map(|difference| difference["path"].as_str().unwrap())
        .collect();
    assert!(paths.iter().any(|path| path.starts_with("spec.forProvider.tokens.<hidden value ")), "{paths:?}");
    assert!(paths.iter().any(|path| path.contains("https://<hidden value ")), "{paths:?}");
    let value = &report["items"].as_array().unwrap().iter().find(|item| item["object"]["kind"] == "Secret").unwrap()["differences"]
        [0];
    assert_ne!(value["declared"], value["observed"]);
}

#[test]
fn errors_do_not_repeat_a_secret_that_was_typed() {
    for arguments in [
        &[&*format!("https://ci:{CANARY}@example.org/")][..],
        &["wait", "bucket/a", "--for", &format!("password={CANARY}")],
    ] {
        // Each run looks for the canary.
        let run = run_with_input(ucp(arguments), "");
        assert!(run.code == Some(2) && run.stderr.contains("<hidden>"), "{arguments:?} {run:?}");
    }
}

#[test]
fn names_of_unreadable_objects_show_no_secret() {
    let broken = json!({"apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Bucket", "metadata": {
        "name": format!("x/password={CANARY} y"), "creationTimestamp": 7,
    }});
    let whole = managed("s3.aws.upbound.io/v1beta1", "Bucket", &json!({}), &json!({}));
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [whole, broken]});
    let run = run_with_input(ucp(["status", "--from", "-"]), list.to_string());
    let text = format!("{}{}", run.stdout, run.stderr);
    assert!(text.contains("x/password=<hidden>"), "{run:?}");
}
