//! `kubectl ucp drift`: every rule has an object in `tests/fixtures/drift` that drifts by it and one that does not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams};
use kube::core::GroupVersionKind;
use serde_json::{Value, json};

use crate::support::command::{Ran, run, ucp, ucp_from, ucp_on};
use crate::support::{self, Cluster, Options, load};

const FIXTURE: &str = "tests/fixtures/drift";
/// The canary of the tests, as a Secret holds it.
const ENCODED_CANARY: &str = "Y2FuYXJ5LXRoYXQtbXVzdC1uZXZlci1zaW5n";

/// Objects that Argo CD deploys into another cluster, or that the fixture does not contain.
const ELSEWHERE: [(&str, &str); 4] = [
    ("ConfigMap/settings", "UCP511"),
    ("Deployment/changed", "UCP511"),
    ("Deployment/gone-from-git", "UCP512"),
    ("Service/gone-from-cluster", "UCP513"),
];

/// Runs on the fixture and makes sure that no secret is in any output.
#[track_caller]
fn drift(arguments: &[&str]) -> Ran {
    let all = [&["drift"], arguments].concat();
    let ran = run(ucp_from(FIXTURE, all));
    assert!(!ran.stdout.contains(ENCODED_CANARY) && !ran.stderr.contains(ENCODED_CANARY), "{}", ran.stdout);
    ran
}

fn text<'value>(value: &'value Value, pointer: &str) -> &'value str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn title(object: &Value) -> String {
    format!("{}/{}", text(object, "/kind"), text(object, "/name"))
}

fn items<'report>(
    report: &'report Value,
    is_wanted: impl Fn(&str) -> bool + 'report,
) -> impl Iterator<Item = &'report Value> {
    report["items"].as_array().unwrap().iter().filter(move |item| is_wanted(text(item, "/layer")))
}

/// Certainty and paths of every object that differs, in one layer of the first two.
fn found(report: &Value) -> BTreeMap<String, String> {
    let reported = items(report, |layer| layer != "orphan").map(|item| {
        let paths = item["differences"].as_array().unwrap().iter().map(|difference| text(difference, "/path"));
        let reported = std::iter::once(text(item, "/certainty")).chain(paths).collect::<Vec<_>>().join(" ");
        (title(&item["object"]), reported)
    });
    let number = items(report, |layer| layer != "orphan").count();
    let reported: BTreeMap<_, _> = reported.collect();
    assert_eq!(reported.len(), number, "an object is reported twice");
    reported
}

/// The expected findings, from the fixture's annotations.
fn expected(objects: &[Value]) -> BTreeMap<String, String> {
    let annotated = objects.iter().filter_map(|object| {
        let expected = object.pointer("/metadata/annotations/drift.test~1expect")?.as_str()?;
        Some((format!("{}/{}", text(object, "/kind"), text(object, "/metadata/name")), expected.to_owned()))
    });
    let elsewhere = ELSEWHERE.iter().map(|(object, _)| ((*object).to_owned(), "certain".to_owned()));
    annotated.chain(elsewhere).collect()
}

fn check_found(report: &Value, objects: &[Value]) {
    let (found, expected) = (found(report), expected(objects));
    for object in found.keys().chain(expected.keys()) {
        assert_eq!(found.get(object), expected.get(object), "{object}");
    }
    for object in objects {
        let Some(corrected) = object.pointer("/metadata/annotations/drift.test~1corrected") else { continue };
        let name = format!("{}/{}", text(object, "/kind"), text(object, "/metadata/name"));
        let item = items(report, |layer| layer != "orphan").find(|item| title(&item["object"]) == name).unwrap();
        let is_unknown = text(item, "/certainty") == "unknown";
        let reported =
            item.get("willBeCorrected").map(|reported| if reported == &json!(true) { "True" } else { "False" });
        assert_eq!(reported, corrected.as_str().filter(|_| !is_unknown), "{name}");
    }
    for (name, code) in ELSEWHERE {
        let item = items(report, |_| true).find(|item| title(&item["object"]) == name).unwrap();
        assert_eq!(text(item, "/code"), code, "{name}");
    }
}

/// The orphans that are not managed resources, of which the fixture has none that is declared.
fn check_orphans(report: &Value, objects: &[Value], is_made_by_loader: impl Fn(&str) -> bool) {
    let is_managed = |name: &str| {
        ["Cluster/", "Bucket/", "Object/", "Network/", "CivoKubernetes/"].iter().any(|kind| name.starts_with(kind))
    };
    let mut found: BTreeMap<String, &str> = items(report, |layer| layer == "orphan")
        .map(|item| (title(&item["object"]), text(item, "/message")))
        .filter(|(name, _)| !is_managed(name) && !is_made_by_loader(name))
        .collect();
    for object in objects {
        let Some(reason) = object.pointer("/metadata/annotations/drift.test~1orphan").and_then(Value::as_str) else {
            continue;
        };
        let name = format!("{}/{}", text(object, "/kind"), text(object, "/metadata/name"));
        let message = found.remove(&name).unwrap_or_else(|| panic!("{name} is not found"));
        assert!(message.contains(reason), "{name}: {message}");
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn every_rule_finds_its_drift_and_no_other() {
    let objects = load::read(Path::new(FIXTURE)).unwrap();
    let report = drift(&["--orphans", "-o", "json"]).expect(1).json();
    check_found(&report, &objects);
    check_orphans(&report, &objects, |_| false);
    assert_eq!((text(&report, "/apiVersion"), text(&report, "/kind")), ("ucp/v1", "DriftReport"));
    // A managed resource is checked, or stale, or cannot be compared: never left out.
    let managed = objects.iter().filter(|object| object.pointer("/spec/forProvider").is_some()).count();
    let stale = items(&report, |layer| layer == "external").filter(|item| text(item, "/code") == "UCP503").count();
    assert_eq!(report["checked"]["external"], json!(managed - stale - 2));
    let unreadable: Vec<&str> =
        report["unreadable"].as_array().unwrap().iter().map(|entry| text(entry, "/what")).collect();
    for what in [
        "civokubernetes.cluster.civo.crossplane.io (1)",
        "clusters.container.gcp.upbound.io (1)",
        "networks.compute.gcp.crossplane.io (1)",
        "application.argoproj.io/unchecked-error -n drift-argocd",
        "application.argoproj.io/unchecked-new -n drift-argocd",
        "gitrepository.source.toolkit.fluxcd.io/unchecked-broken -n drift-flux",
    ] {
        assert!(unreadable.contains(&what), "{what}: {unreadable:?}");
    }
    assert_eq!(unreadable.len(), 6, "{unreadable:?}");
}

#[test]
fn fields_that_were_not_compared_are_listed() {
    let directory = tempfile::tempdir().unwrap();
    let bucket = |name: &str, declared: Value, observed: Value| {
        json!({
            "apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Bucket", "metadata": {"name": name, "uid": name},
            "spec": {"forProvider": declared}, "status": {"atProvider": observed},
        })
    };
    let objects = [
        bucket(
            "one",
            json!({"acl": "a", "encrypted": true, "tags": {"team": "a"}}),
            json!({"acl": "a", "tags": {"team": "a", "owner": "eve"}}),
        ),
        bucket("two", json!({"acl": "a", "rules": [{"port": 1}]}), json!({"acl": "a", "rules": null})),
    ];
    let file = directory.path().join("buckets.json");
    std::fs::write(&file, json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string()).unwrap();
    let file = file.display().to_string();
    let drift = |arguments: &[&str]| run(ucp_from(&file, [&["drift"], arguments].concat()));
    // Most providers omit some fields, so that alone is no finding.
    let report = drift(&["-o", "json"]).expect(0).json();
    let what = "buckets.s3.aws.upbound.io";
    assert_eq!(
        report["notCompared"],
        json!([
            {"what": what, "objects": 2, "fields": ["spec.forProvider.encrypted", "spec.forProvider.rules"], "reason": "notObserved"},
            {"what": what, "objects": 1, "fields": ["spec.forProvider.tags.owner"], "reason": "notDeclared"},
        ])
    );
    let table = drift(&[]).expect(0).stdout;
    for line in [
        "Not compared, since they are declared but not reported:",
        "  buckets.s3.aws.upbound.io (2): spec.forProvider.encrypted, spec.forProvider.rules",
        "Not compared, since they are reported but not declared:",
        "  buckets.s3.aws.upbound.io (1): spec.forProvider.tags.owner",
    ] {
        assert!(table.lines().any(|shown| shown == line), "{table}");
    }
    let ignored =
        ["--ignore-path", "spec.forProvider.tags.*", "--ignore-path", "spec.forProvider.encrypted", "-o", "json"];
    let report = drift(&ignored).json();
    assert_eq!(report["notCompared"].as_array().unwrap().len(), 1, "{report}");
}

#[test]
fn the_worst_differences_are_listed_first() {
    let report = drift(&["--orphans", "-o", "json"]).json();
    let rank = |item: &Value| {
        let certainty = ["certain", "suspected", "unknown"].iter().position(|word| *word == text(item, "/certainty"));
        let layer = ["external", "gitops", "orphan"].iter().position(|word| *word == text(item, "/layer"));
        (certainty, layer, item["willBeCorrected"] == json!(true))
    };
    let ranks: Vec<_> = items(&report, |_| true).map(rank).collect();
    assert!(ranks.is_sorted());
}

#[test]
fn fields_filled_in_by_late_initialization_are_named() {
    let report = drift(&["cluster/drifts-late-initialised", "-o", "json"]).json();
    let owners: Vec<_> =
        report["items"][0]["differences"].as_array().unwrap().iter().map(|difference| &difference["setBy"]).collect();
    assert_eq!(owners[0], &json!({"manager": "argocd-controller", "origin": "declared"}));
    assert_eq!(owners[1], &json!({"manager": "provider", "origin": "late-initialized"}));
    let table = drift(&["cluster/drifts-late-initialised"]).stdout;
    assert!(table.contains("spec.forProvider.nodes was filled in by its provider"), "{table}");
}

#[test]
fn conflicting_managers_are_named() {
    let report = drift(&["cluster/fights-by-events", "cluster/fights-by-generation", "-o", "json"]).json();
    let reported: Vec<_> = items(&report, |_| true).map(|item| (text(item, "/code"), text(item, "/message"))).collect();
    assert!(reported[0].0 == "UCP504" && reported[0].1.contains("updated it 7 times"), "{reported:?}");
    assert!(reported[1].0 == "UCP504" && reported[1].1.contains("changed 60 times"), "{reported:?}");
}

#[test]
fn exit_codes() {
    drift(&["cluster/agrees-leaf"]).expect(0);
    drift(&["cluster/drifts-leaf"]).expect(1);
    drift(&["cluster/suspected-version"]).expect(1);
    drift(&["cluster/suspected-version", "--certain"]).expect(0);
    // The answer is unknown: incomplete, and never clean.
    drift(&["cluster/unknown-paused"]).expect(4);
    drift(&["network"]).expect(4);
    drift(&["application/unchecked-error"]).expect(4);
    drift(&["application/agrees"]).expect(0);
    drift(&["nonsense"]).expect(2);
    drift(&["--ignore", "x"]).expect(2);
    drift(&["--ignore-path", "a..b"]).expect(2);
    drift(&["-l", "a b"]).expect(2);
    let nothing = drift(&["-l", "nothing=has-this-label", "-o", "json"]).expect(4);
    assert!(nothing.stdout.contains("there is nothing to compare"), "{nothing:?}");
    run(ucp(["drift", "--from", "/no/such/path"])).expect(3);
}

#[test]
fn the_summary_counts_the_checked_objects() {
    let table = drift(&["bucket"]).stdout;
    assert!(
        table.ends_with(
            "External: 3 checked, 2 differ\nGit: 0 checked, none differ\nOrphans: not checked; pass --orphans\n"
        ),
        "{table}"
    );
    let table = drift(&["network"]).stdout;
    assert!(table.contains("External: 0 checked") && table.contains("Could not be checked (unknown):"), "{table}");
}

#[test]
fn orphans_are_unknown_if_nothing_is_declared() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::copy(format!("{FIXTURE}/orphans.yaml"), directory.path().join("orphans.yaml")).unwrap();
    let ran = run(ucp_from(directory.path().to_str().unwrap(), ["drift", "--orphans", "configmap", "-o", "json"]));
    let report = ran.expect(4).json();
    assert_eq!(report["items"], json!([]));
    assert!(text(&report, "/unreadable/0/reason").contains("nothing is declared"));
}

#[test]
fn orphans_can_be_ignored() {
    let names = |arguments: &[&str]| -> BTreeSet<String> {
        let report = drift(&[&["--orphans", "configmap", "secret", "-o", "json"], arguments].concat()).json();
        items(&report, |layer| layer == "orphan").map(|item| title(&item["object"])).collect()
    };
    let all = names(&[]);
    let without = |object: &str| {
        let mut rest = all.clone();
        assert!(rest.remove(object));
        rest
    };
    assert_eq!(names(&["--ignore", "configmap/*-cache"]), without("ConfigMap/scratch-cache"));
    assert_eq!(names(&["--ignore", "Secret"]), without("Secret/nobodys"));
    assert_eq!(names(&["--ignore", "namespace/drift-*"]), BTreeSet::new());
    assert_eq!(names(&["--ignore", "namespace/other"]), all);

    let paths = |ignored: &str| {
        let report = drift(&["cluster/drifts-late-initialised", "--ignore-path", ignored, "-o", "json"]).json();
        items(&report, |_| true).flat_map(|item| item["differences"].as_array().unwrap().clone()).count()
    };
    assert_eq!(
        ["spec.other", "spec.forProvider.nodes", "spec.*.location", "spec.forProvider"].map(paths),
        [2, 1, 1, 0]
    );
    drift(&["cluster/drifts-leaf", "--ignore-path", "spec.forProvider.location"]).expect(0);
}

#[test]
fn filters_select_by_kind_name_namespace_and_label() {
    let names = |arguments: &[&str]| drift(&[arguments, &["-o", "name"]].concat()).stdout;
    assert_eq!(
        names(&["clusters.container.gcp.upbound.io/drifts-set"]),
        "cluster.container.gcp.upbound.io/drifts-set\n"
    );
    // An Application represents the objects that it deploys.
    assert_eq!(names(&["application/drifts"]), "configmap/settings\n");
    assert_eq!(names(&["deployment/changed"]), "deployment.apps/changed\n");
    assert_eq!(names(&["-l", "team=red"]), "configmap/settings\n");
    assert_eq!(names(&["bucket", "-n", "drift-team"]).lines().count(), 2);
    assert_eq!(names(&["bucket", "-n", "elsewhere"]), "");
}

#[test]
fn every_format_shows_the_same_objects() {
    let arguments = ["cluster/drifts-leaf", "cluster/drifts-secret"];
    for format in ["table", "wide", "json", "yaml", "markdown", "name"] {
        let ran = drift(&[arguments.as_slice(), &["-o", format]].concat()).expect(1);
        for name in ["drifts-leaf", "drifts-secret"] {
            assert!(ran.stdout.contains(name), "{format}: {}", ran.stdout);
        }
    }
    let ran = drift(&["cluster/drifts-leaf", "-o", "jsonpath={.items[*].differences[*].path}"]).expect(1);
    assert_eq!(ran.stdout, "spec.forProvider.location");
}

#[test]
fn diffs_are_unified_and_colored() {
    let table = drift(&["cluster/drifts-leaf", "--color", "always"]).stdout;
    assert!(
        table.contains("\u{1b}[31m\u{1b}[1m-    location: europe-west9-b")
            || table.contains("\u{1b}[1m\u{1b}[31m-    location: europe-west9-b"),
        "{table:?}"
    );
    assert!(table.contains("\u{1b}[32m+    location: europe-west9-a"), "{table:?}");
    let plain = drift(&["cluster/drifts-leaf", "--context-lines", "0"]).stdout;
    let diff = "  --- observed\n  +++ declared\n  @@ -3 +3 @@\n  -    location: europe-west9-b\n  +    location: europe-west9-a\n";
    assert!(plain.contains(diff), "{plain}");
    let policy = drift(&["bucket/drifts-policy", "--context-lines", "1"]).stdout;
    assert!(policy.contains("-              \"s3:DeleteObject\""), "{policy}");
    assert!(!policy.contains("-              \"s3:GetObject\""), "{policy}");
}

#[test]
fn differences_of_secrets_show_no_values() {
    let secrets = ["cluster/drifts-secret", "cluster/drifts-secret-in-json", "object/drifts-secret-manifest"];
    let report = drift(&[secrets.as_slice(), &["-o", "json"]].concat()).json();
    let difference = &report["items"][0]["differences"][0];
    assert!(text(difference, "/declared").starts_with("<hidden value "), "{difference}");
    assert_ne!(difference["declared"], difference["observed"]);
    assert!(drift(&["cluster/drifts-secret-in-json"]).stdout.contains("\"name\": \"DB_PASSWORD\""));
    assert!(drift(&["cluster/drifts-secret-beside"]).stdout.contains("masterPassword: <hidden value"));
    // With any format, for all of it; `drift` looks for canaries.
    for format in ["table", "wide", "json", "yaml", "markdown", "name"] {
        drift(&["--orphans", "-o", format]);
    }
}

#[test]
fn hostile_text_does_not_reach_the_terminal() {
    for format in ["table", "json", "yaml", "markdown"] {
        let ran = drift(&["cluster/drifts-hostile", "-o", format]);
        assert!(!ran.stdout.contains(['\u{1b}', '\u{202e}']), "{format}: {}", ran.stdout);
    }
}

#[test]
fn an_external_diff_program_can_be_used() {
    let with = |program: &str, arguments: &[&str]| {
        let mut command = ucp_from(FIXTURE, [&["drift"], arguments].concat());
        command.env("KUBECTL_EXTERNAL_DIFF", program);
        run(command)
    };
    let ran = with("diff -u -N ;rm", &["cluster/drifts-leaf", "cluster/drifts-secret"]).expect(1);
    assert!(ran.stdout.contains("OBSERVED/") && ran.stdout.contains("+    location: europe-west9-a"), "{}", ran.stdout);
    assert!(ran.stdout.contains("masterPassword: <hidden value"), "{}", ran.stdout);
    assert!(ran.stderr.contains("External: "), "{}", ran.stderr);
    // Nothing to show: it is not asked.
    with("false-and-absent", &["cluster/agrees-leaf"]).expect(0);
    assert!(with("no-such-program", &["cluster/drifts-leaf"]).expect(3).stderr.contains("cannot be started"));
    // A document is a document.
    with("no-such-program", &["cluster/drifts-leaf", "-o", "json"]).expect(1).json();
}

/// A hub of its own: every object of a shared one would be an orphan.
fn hub() -> Option<(Cluster, Vec<Value>)> {
    let cluster = support::start(Options::named("drift"))?;
    let mut objects = load::read(Path::new(FIXTURE)).unwrap();
    load::move_to_now(&mut objects);
    support::run(async || load::load_objects(&cluster.client(), objects).await).unwrap();
    late_initialise(&cluster);
    write_too(&cluster, "fights-by-generation");
    Some((cluster, load::read(Path::new(FIXTURE)).unwrap()))
}

/// As a provider does it: Git sets one field, the provider another, and then the observation.
fn late_initialise(cluster: &Cluster) {
    let kind = GroupVersionKind::gvk("container.gcp.upbound.io", "v1beta2", "Cluster");
    let object = |part: Value| {
        let mut object =
            json!({"apiVersion": "container.gcp.upbound.io/v1beta2", "kind": "Cluster", "metadata": {"name": "live"}});
        object.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
        object
    };
    support::run(async || {
        let api: Api<DynamicObject> = Api::all_with(cluster.client(), &ApiResource::from_gvk(&kind));
        for (manager, spec) in [("argocd-controller", json!({"location": "a"})), ("provider", json!({"nodes": 3}))] {
            let patch = Patch::Apply(object(json!({"spec": {"forProvider": spec}})));
            api.patch("live", &PatchParams::apply(manager), &patch).await.unwrap();
        }
        let status = Patch::Apply(object(json!({"status": {"atProvider": {"location": "b", "nodes": 4}}})));
        api.patch_status("live", &PatchParams::apply("provider"), &status).await.unwrap();
    });
}

/// Writes a declaration as another manager than the provider.
fn write_too(cluster: &Cluster, name: &str) {
    let kind = GroupVersionKind::gvk("container.gcp.upbound.io", "v1beta2", "Cluster");
    let object = json!({
        "apiVersion": "container.gcp.upbound.io/v1beta2", "kind": "Cluster", "metadata": {"name": name},
        "spec": {"forProvider": {"location": "a"}},
    });
    support::run(async || {
        let api: Api<DynamicObject> = Api::all_with(cluster.client(), &ApiResource::from_gvk(&kind));
        api.patch(name, &PatchParams::apply("argocd-controller"), &Patch::Apply(object)).await.unwrap();
    });
}

/// Everything that the server holds, as kubectl writes it.
fn dump(cluster: &Cluster) -> tempfile::TempDir {
    let output = |arguments: &[&str]| {
        let output = cluster.kubectl(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let kinds = output(&["api-resources", "--verbs=list", "-o", "name"]).lines().collect::<Vec<_>>().join(",");
    let directory = tempfile::tempdir().unwrap();
    let text = output(&["get", &kinds, "-A", "-o", "yaml", "--show-managed-fields"]);
    std::fs::write(directory.path().join("dump.yaml"), text).unwrap();
    directory
}

#[test]
fn a_live_hub_and_its_snapshot_have_the_same_report() {
    let Some((cluster, objects)) = hub() else { return };
    let mark = cluster.audit_mark();
    // There are objects of every engine, and no engine.
    let arguments = ["drift", "--orphans", "--external-controllers", "crossplane,argocd,flux", "-o", "json"];
    let live = run(ucp_on(&cluster, arguments)).expect(1);
    assert!(!live.stdout.contains(ENCODED_CANARY));
    let requests = cluster.requests_since(mark);
    assert!(requests.iter().all(|request| matches!(request.verb.as_str(), "get" | "list")), "{requests:#?}");

    let mut live = live.json();
    let (filled_in, mut rest): (Vec<Value>, Vec<Value>) =
        live["items"].as_array().unwrap().iter().cloned().partition(|item| text(item, "/object/name") == "live");
    let origins: Vec<_> =
        filled_in[0]["differences"].as_array().unwrap().iter().map(|each| &each["setBy"]["origin"]).collect();
    assert_eq!(origins, [&json!("declared"), &json!("late-initialized")]);
    let all = live["items"].take();
    live["items"] = json!(std::mem::take(&mut rest));
    // The server keeps its own generation and managed fields, by which such a fight is known.
    let reported_live: Vec<Value> =
        objects.iter().filter(|object| text(object, "/metadata/name") != "fights-by-generation").cloned().collect();
    check_found(&live, &reported_live);
    check_orphans(&live, &objects, |name| {
        name.starts_with("Namespace/drift-") || name.starts_with("CustomResourceDefinition/")
    });
    live["items"] = all;

    let directory = dump(&cluster);
    let mut snapshot = run(ucp_from(directory.path().to_str().unwrap(), arguments)).expect(1).json();
    // Files without an index may have only some of the declaring objects.
    let orphans = |item: &&mut Value| item["layer"] == "orphan";
    for item in snapshot["items"].as_array_mut().unwrap().iter_mut().filter(orphans) {
        assert_eq!(item["certainty"], "unknown", "{item:#}");
        item["certainty"] = json!("certain");
        item["willBeCorrected"] = json!(false);
        let message =
            text(item, "/message").trim_end_matches("; not everything that could declare it was read").to_owned();
        item["message"] = json!(message);
    }
    let sorted = |report: &mut Value| {
        report["source"].take();
        report["moment"].take();
        report["items"].as_array_mut().unwrap().sort_by_key(Value::to_string);
    };
    [&mut live, &mut snapshot].into_iter().for_each(sorted);
    assert_eq!(live, snapshot);
}

#[test]
fn a_user_without_rights_gets_an_incomplete_report() {
    let Some(cluster) = support::core_cluster() else { return };
    let kubeconfig = cluster.kubeconfig_for("mallory", Some("strangers"));
    support::run(async || {
        load::load_objects(&cluster.client(), vec![json!({
        "apiVersion": "container.gcp.upbound.io/v1beta2", "kind": "Cluster", "metadata": {"name": "denied"}, "spec": {},
    })]).await
    })
    .unwrap();
    let mut command = ucp(["drift"]);
    command.env("KUBECONFIG", kubeconfig);
    let ran = run(command).expect(4);
    assert!(ran.stdout.contains("External: 0 checked") && ran.stdout.contains("forbidden"), "{}", ran.stdout);
}

/// States that engines other than Crossplane report: a verdict, fields in the status, or nothing comparable.
const OTHER_CLOUDS: &str = r#"apiVersion: v1
kind: List
items:
- apiVersion: dbforpostgresql.azure.com/v1api20240801
  kind: FlexibleServer
  metadata: {name: orders, namespace: shop, generation: 1}
  spec: {azureName: orders, owner: {name: shop}, version: '16', sku: {name: Standard_D2s_v3, tier: GeneralPurpose}, administratorLoginPassword: {name: login, key: password}}
  status: {version: '16', sku: {name: Standard_D4s_v3, tier: GeneralPurpose}, conditions: [{type: Ready, status: 'True', reason: Succeeded, observedGeneration: 1}]}
- apiVersion: dbforpostgresql.azure.com/v1api20240801
  kind: FlexibleServer
  metadata: {name: agrees, namespace: shop, generation: 1}
  spec: {version: '16'}
  status: {version: '16', conditions: [{type: Ready, status: 'True', reason: Succeeded, observedGeneration: 1}]}
- apiVersion: dbforpostgresql.azure.com/v1api20240801
  kind: FlexibleServer
  metadata: {name: refused, namespace: shop, generation: 1}
  spec: {version: '16'}
  status: {version: '16', conditions: [{type: Ready, status: 'False', severity: Error, reason: Conflict, message: no, observedGeneration: 1}]}
- apiVersion: dbforpostgresql.azure.com/v1api20240801
  kind: FlexibleServer
  metadata: {name: left-alone, namespace: shop, generation: 1, annotations: {serviceoperator.azure.com/reconcile-policy: skip}}
  spec: {version: '16'}
  status: {version: '15', conditions: [{type: Ready, status: 'True', reason: Succeeded, observedGeneration: 1}]}
- apiVersion: dbforpostgresql.azure.com/v1api20240801
  kind: FlexibleServer
  metadata: {name: given-up, namespace: shop, generation: 1}
  spec: {version: '16'}
  status: {version: '15', conditions: [{type: Ready, status: 'False', severity: Error, reason: Conflict, message: no downgrade, observedGeneration: 1}]}
- apiVersion: compute.cnrm.cloud.google.com/v1beta1
  kind: ComputeNetwork
  metadata: {name: net, namespace: shop, generation: 1}
  spec: {mtu: 1460}
  status: {observedGeneration: 1, observedState: {mtu: 1500}, conditions: [{type: Ready, status: 'True', reason: UpToDate}]}
- apiVersion: compute.cnrm.cloud.google.com/v1beta1
  kind: ComputeNetwork
  metadata: {name: unobserved, namespace: shop, generation: 1}
  spec: {mtu: 1460}
  status: {observedGeneration: 1, conditions: [{type: Ready, status: 'True', reason: UpToDate}]}
- apiVersion: infra.contrib.fluxcd.io/v1alpha2
  kind: Terraform
  metadata: {name: buckets, namespace: flux-system, generation: 1}
  spec: {path: ./buckets, interval: 1h}
  status: {observedGeneration: 1, conditions: [{type: Ready, status: 'False', reason: DriftDetected, message: 'Plan: 0 to add, 1 to change', observedGeneration: 1}]}
- apiVersion: s3.services.k8s.aws/v1alpha1
  kind: Bucket
  metadata: {name: logs, namespace: shop, generation: 1}
  spec: {name: logs}
  status: {conditions: [{type: ACK.ResourceSynced, status: 'True'}]}
"#;

#[test]
fn drift_uses_the_cloud_state_that_other_engines_report() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("clouds.yaml");
    std::fs::write(&file, OTHER_CLOUDS).unwrap();
    let mut command = ucp_from(file.to_str().unwrap(), ["drift", "-o", "json"]);
    command.env(
        "KUBECTL_UCP_EXTERNAL_CONTROLLERS",
        "azure-service-operator,cnrm,tofu-controller,ack,crossplane,argocd,flux",
    );
    let drift = run(command).expect(1).json();
    let items = drift["items"].as_array().unwrap();
    let item = |name: &str| items.iter().find(|item| item["object"]["name"] == name);
    let orders = item("orders").unwrap();
    assert_eq!((&orders["certainty"], &orders["willBeCorrected"]), (&json!("certain"), &json!(true)), "{orders}");
    let fields = orders["differences"].as_array().unwrap();
    assert_eq!(fields.len(), 1, "{orders}");
    assert_eq!(fields[0]["path"], "spec.sku.name");
    assert_eq!(item("agrees"), None);
    assert_eq!(item("refused").unwrap()["certainty"], "unknown", "a failed object may be old");
    let left_alone = item("left-alone").unwrap();
    assert_eq!(left_alone["willBeCorrected"], false);
    assert!(left_alone["message"].as_str().unwrap().contains("reconcile-policy is skip"), "{left_alone}");
    let given_up = item("given-up").unwrap();
    assert_eq!((&given_up["certainty"], &given_up["willBeCorrected"]), (&json!("certain"), &json!(false)));
    assert!(given_up["message"].as_str().unwrap().contains("no downgrade"), "{given_up}");
    assert_eq!(item("net").unwrap()["differences"][0]["path"], "spec.mtu");
    assert_eq!(item("buckets").unwrap()["code"], "UCP757");
    let unread = drift["unreadable"].to_string();
    assert!(unread.contains("buckets.s3.services.k8s.aws (1)") && unread.contains("does not report"), "{unread}");
    assert!(unread.contains("computenetworks.compute.cnrm.cloud.google.com (1)"), "{unread}");
}
