//! Several snapshots of one cluster.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use wait4::Wait4 as _;

use super::{condition, item};
use crate::support::command::{CANARY, run, ucp, ucp_on};
use crate::support::{self, Options};

/// A snapshot of one bucket at a time.
fn bucket(directory: &TempDir, name: &str, taken: &str, region: &str, ready: &str, more: &[Value]) -> String {
    let mut items = vec![json!({
        "apiVersion": "s3.example.org/v1", "kind": "Bucket", "metadata": {"name": "logs", "creationTimestamp": "2026-11-01T00:00:00Z"},
        "spec": {"forProvider": {"region": region, "password": format!("{CANARY}{region}")}, "providerConfigRef": {"name": "x"}},
        "status": {"conditions": [condition("Ready", ready, "Available", "2026-11-01T00:00:00Z", ""),
                                  condition("Synced", "True", "ReconcileSuccess", "2026-11-01T00:00:00Z", "")]},
    })];
    items.push(json!({"apiVersion": "s3.example.org/v1", "kind": "Bucket", "metadata": {"name": "clock", "creationTimestamp": taken},
        "spec": {"forProvider": {}, "providerConfigRef": {"name": "x"}}}));
    items.extend_from_slice(more);
    let path = directory.path().join(name);
    std::fs::write(&path, json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()).unwrap();
    path.display().to_string()
}

#[test]
fn a_difference_of_two_snapshots_is_between_their_times() {
    let directory = tempfile::tempdir().unwrap();
    let gone = json!({"apiVersion": "s3.example.org/v1", "kind": "Bucket", "metadata": {"name": "gone"},
        "spec": {"forProvider": {}, "providerConfigRef": {"name": "x"}}});
    let before = bucket(&directory, "a.json", "2026-11-20T02:00:00Z", "eu", "True", &[gone]);
    let after = bucket(&directory, "b.json", "2026-11-20T03:00:00Z", "us", "False", &[]);
    // The order on the command line does not matter.
    for paths in [[&before, &after], [&after, &before]] {
        let flags = ["history", "--utc", "--from", paths[0], "--from", paths[1]];
        let document = run(ucp(flags.iter().chain(&["-o", "json"]))).expect(0).json();
        let changed = item(&document, "was changed: spec.forProvider.region");
        assert_eq!((&changed["before"], &changed["after"]), (&json!("eu"), &json!("us")));
        assert_eq!(
            (&changed["time"], &changed["until"]),
            (&json!("2026-11-20T02:00:00Z"), &json!("2026-11-20T03:00:00Z"))
        );
        assert_eq!(changed["certainty"], "between");
        assert_eq!(item(&document, "was deleted")["object"]["name"], "gone");
        let secret = item(&document, "was changed: spec.forProvider.password");
        assert_eq!((&secret["before"], &secret["after"]), (&json!("<hidden>"), &json!("<hidden> (changed)")));
        assert!(!document.to_string().contains(CANARY), "{document:#}");
        assert_eq!(document["sources"].as_array().unwrap().len(), 2);
        let text = run(ucp(flags)).expect(0).stdout;
        assert!(
            text.contains("02:00–03:00  bucket.s3.example.org/logs was changed: spec.forProvider.region, eu → us"),
            "{text}"
        );
    }
    let missing = directory.path().join("none.json").display().to_string();
    run(ucp(["history", "--from", &before, "--from", &missing])).expect(3);
    // An object that one of them does not have has a history.
    let of = |object: &str| run(ucp(["history", object, "--from", &before, "--from", &after, "-o", "json"]));
    assert_eq!(item(&of("bucket/gone").expect(0).json(), "was deleted")["object"]["name"], "gone");
    of("bucket/never").expect(3);
}

#[test]
fn the_objects_of_a_deleted_namespace_are_effects_of_its_deletion() {
    let directory = tempfile::tempdir().unwrap();
    let claim = |namespace: &str, name: &str| {
        json!({"apiVersion": "s3.example.org/v1", "kind": "Bucket", "metadata": {"name": name, "namespace": namespace},
            "spec": {"forProvider": {}, "providerConfigRef": {"name": "x"}}})
    };
    let namespace = |name: &str, deleted: Option<&str>| {
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "deletionTimestamp": deleted,
            "creationTimestamp": "2026-11-01T00:00:00Z"}, "spec": {"finalizers": ["kubernetes"]}})
    };
    let kept = namespace("kept", None);
    let all =
        [claim("doomed", "a"), claim("doomed", "b"), claim("other", "c"), namespace("doomed", None), kept.clone()];
    let deleted = namespace("doomed", Some("2026-11-20T02:14:00Z"));
    let before = bucket(&directory, "a.json", "2026-11-20T02:00:00Z", "eu", "True", &all);
    let during = bucket(&directory, "b.json", "2026-11-20T03:00:00Z", "eu", "True", &[deleted, kept.clone()]);
    let after = bucket(&directory, "c.json", "2026-11-20T04:00:00Z", "eu", "True", &[kept]);
    let read = |paths: &[&String], more: &[&str]| {
        let sources = paths.iter().flat_map(|path| ["--from", path.as_str()]);
        run(ucp(["history", "--utc"].into_iter().chain(sources).chain(more.iter().copied()))).expect(0)
    };
    let text = read(&[&before, &during, &after], &["-o", "wide"]).stdout;
    let lines = "02:14:00     namespace/doomed is being deleted
02:00–03:00  └ bucket.s3.example.org/a -n doomed and 1 more were deleted
03:00–04:00  └ was deleted
";
    assert!(text.contains(lines), "{text}");
    assert!(text.contains("\n02:00–03:00  bucket.s3.example.org/c -n other was deleted"), "{text}");
    // Only the period of both is known.
    let document = read(&[&before, &after], &["-o", "json"]).json();
    let items = document["items"].as_array().unwrap().iter();
    let gone = items.clone().find(|one| one["object"]["kind"] == "Namespace").unwrap();
    let objects = items.clone().find(|one| one["object"]["name"] == "a").unwrap();
    assert_eq!(objects["causedBy"], gone["id"], "{document:#}");
    // The audit log names who requested it.
    let entry = json!({"kind": "Event", "apiVersion": "audit.k8s.io/v1", "stage": "ResponseComplete", "verb": "delete",
        "user": {"username": "frank"}, "requestReceivedTimestamp": "2026-11-20T02:14:00.5Z",
        "responseStatus": {"code": 200}, "objectRef": {"resource": "namespaces", "namespace": "doomed", "name": "doomed"}});
    let log = directory.path().join("audit.log");
    std::fs::write(&log, entry.to_string()).unwrap();
    let document = read(&[&before, &during, &after], &["-o", "json", "--audit", log.to_str().unwrap()]).json();
    assert_eq!(item(&document, "is being deleted")["by"]["name"], "frank");
}

#[test]
fn a_time_between_snapshots_has_only_the_problems_that_it_can_have() {
    let directory = tempfile::tempdir().unwrap();
    let broken = |name: &str, ready: &str, since: &str| {
        json!({"apiVersion": "s3.example.org/v1", "kind": "Bucket", "metadata": {"name": name},
            "spec": {"forProvider": {}, "providerConfigRef": {"name": "x"}},
            "status": {"conditions": [
                {"type": "Ready", "status": ready, "reason": if ready == "True" { "Available" } else { "Unavailable" },
                 "lastTransitionTime": format!("2026-11-20T{since}:00Z")}]}})
    };
    let before = [broken("a", "False", "01:00"), broken("gone", "False", "01:00"), broken("later", "True", "01:00")];
    let before = bucket(&directory, "a.json", "2026-11-20T02:00:00Z", "eu", "True", &before);
    let after = [broken("a", "True", "02:30"), broken("later", "False", "02:58")];
    let after = bucket(&directory, "b.json", "2026-11-20T03:00:00Z", "eu", "True", &after);
    let flags = ["--from", &before, "--from", &after, "--utc", "-o", "json", "--at", "2026-11-20T02:55:00Z"];
    let document = run(ucp(["history"].iter().chain(&flags))).expect(0).json();
    let wrong = document["at"]["wrong"].as_array().unwrap();
    let wrong: Vec<_> = wrong.iter().map(|one| (one["object"]["name"].as_str().unwrap(), &one["certainty"])).collect();
    assert_eq!(wrong, [("gone", &json!("atLatest"))], "{document:#}");
}

#[test]
fn nightly_snapshots_form_a_single_history_and_the_oldest_are_removed() {
    let Some(cluster) = support::start(Options::named("nights")) else { return };
    let kubectl = |arguments: &[&str]| assert!(cluster.kubectl(arguments).status().unwrap().success(), "{arguments:?}");
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join("nights").display().to_string();
    kubectl(&["create", "deployment", "web", "--image=example.org/web:v1"]);
    kubectl(&["create", "secret", "generic", "login", &format!("--from-literal=password={CANARY}")]);
    // Unchanged objects are stored once: two nights of them take about as much space as one.
    let filler = |number: usize| {
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": format!("a{number}"), "namespace": "default",
            "annotations": {"example.org/note": format!("{:x}", number.pow(7))}}})
    };
    cluster.apply(&json!({"apiVersion": "v1", "kind": "List", "items": (0..300).map(filler).collect::<Vec<_>>()}));
    let mut sizes = Vec::new();
    for version in ["v2", "v3", "v4"] {
        kubectl(&["set", "image", "deployment/web", &format!("web=example.org/web:{version}")]);
        run(ucp_on(&cluster, ["snapshot", "--keep", "2", &directory])).expect(0);
        let files = std::fs::read_dir(&directory).unwrap().map(|file| file.unwrap().metadata().unwrap().len());
        sizes.push(files.sum::<u64>());
        // The names have seconds.
        std::thread::sleep(Duration::from_millis(1_100));
    }
    assert!(sizes[2] < sizes[0] * 3 / 2, "two nights are not stored as one: {sizes:?} bytes");
    let names = || {
        let entries = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
        names.retain(|name| !name.starts_with('.'));
        names.sort();
        names
    };
    let nights = names();
    assert_eq!(nights.len(), 3, "{nights:?}");
    assert!(nights[..2].iter().all(|name| name.ends_with("Z.night.gz")) && nights[2] == "objects.gz", "{nights:?}");
    let ran = run(ucp(["history", "--from", &directory, "deployment/web", "-n", "default", "-o", "json"])).expect(0);
    let document = ran.json();
    assert_eq!(document["sources"].as_array().unwrap().len(), 2, "{document:#}");
    let changed = item(&document, "was changed: spec.template.spec.containers[0].image");
    assert_eq!((&changed["before"], &changed["after"]), (&json!("example.org/web:v3"), &json!("example.org/web:v4")));
    ran.hides_secrets();
    // A snapshot has every kind whose past counts, so that nothing is unknown.
    run(ucp(["history", "--from", &directory])).expect(0);
    // Each night is a snapshot, and the directory is its newest one.
    let image = |path: &str| {
        let get = ["resources", "deployment/web", "--any", "-n", "default", "--whole", "-o", "json", "--from", path];
        run(ucp(get)).expect(0).stdout
    };
    let older = format!("{directory}/{}", nights[0]);
    assert!(image(&older).contains("example.org/web:v3"), "{}", image(&older));
    assert!(image(&directory).contains("example.org/web:v4"), "{}", image(&directory));
    run(ucp_on(&cluster, ["snapshot", "--keep", "2", "a.tar.gz"])).expect(2);
    run(ucp_on(&cluster, ["snapshot", "--keep", "0", &directory])).expect(2);
    std::fs::write(home.path().join("letter"), "x").unwrap();
    let refused = run(ucp_on(&cluster, ["snapshot", "--keep", "2", home.path().to_str().unwrap()])).expect(1);
    assert!(refused.stderr.contains("has other files"), "{}", refused.stderr);
}

/// Returns the CPU time of `history --at` for so many objects that failed.
fn cost_of_failures(directory: &TempDir, count: usize) -> Duration {
    let failed = |number: usize| {
        json!({"apiVersion": "s3.example.org/v1", "kind": "Bucket", "metadata": {"name": format!("b{number}")},
        "spec": {"forProvider": {}, "providerConfigRef": {"name": "x"}}, "status": {"conditions": [
            condition("Ready", "False", "Unavailable", "2026-11-20T01:00:00Z", ""),
            condition("Synced", "True", "ReconcileSuccess", "2026-11-20T03:30:00Z", ""),
        ]}})
    };
    let items: Vec<Value> = (0..count).map(failed).collect();
    let path = directory.path().join(format!("{count}.json"));
    std::fs::write(&path, json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()).unwrap();
    let mut command = ucp(["history", "--at", "03:00", "--utc", "--from", path.to_str().unwrap()]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let used = child.wait4().unwrap();
    assert!(used.status.success(), "{used:?}");
    used.rusage.utime + used.rusage.stime
}

#[test]
fn the_cost_of_the_problems_at_a_time_grows_linearly() {
    let directory = tempfile::tempdir().unwrap();
    let (few, many) = (cost_of_failures(&directory, 1_000), cost_of_failures(&directory, 4_000));
    // Each with each would be sixteen times.
    assert!(many.as_secs_f64() < 7.0 * few.as_secs_f64(), "{few:?} for 1000 and {many:?} for 4000");
}
