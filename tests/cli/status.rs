//! `status`: a hub that is well shows nothing, and one that is not shows each of its troubles once, live and from a
//! snapshot alike.

use std::collections::BTreeMap;
use std::fs::File;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use snapbox::{assert_data_eq, file};
use ucp_core::engine::code::Code;

use crate::support::Cluster;
use crate::support::command::{Ran, run, run_with_input, ucp, ucp_from, ucp_on};
use crate::support::hub::{self, BAD_DAY, QUOTES};

/// Findings that a test cluster cannot have: it sets creation and deletion times, so nothing in it is old enough.
const YOUNG: [Code; 7] = [
    Code::ProviderConfigMissing,
    Code::ReconcileError,
    Code::DeletionStuck,
    Code::NeverReconciled,
    Code::FluxNeverReconciled,
    Code::ApplicationDeletionStuck,
    Code::FluxDeletionStuck,
];

/// Everything a hub is made of, as a person would dump it.
const DUMPED: &str = "managed,composite,claim,pkg,pkgrev,\
    providerconfigs.aws.crossplane.io,providerconfigs.gcp.crossplane.io,providerconfigs.gcp.upbound.io,\
    providerconfigs.kubernetes.crossplane.io,clusterproviderconfigs.aws.m.upbound.io,\
    applications,applicationsets,gitrepositories,helmrepositories,kustomizations,helmreleases,deployments,statefulsets";

/// Objects that were young when these tests began are so until they end, even on a slow machine.
const PATIENCE: &str = "--stuck-after=30m";

fn codes(status: &Value) -> BTreeMap<String, usize> {
    let mut codes = BTreeMap::new();
    for finding in status["findings"].as_array().unwrap() {
        *codes.entry(finding["code"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    codes
}

fn all_codes_but(missing: &[Code]) -> BTreeMap<String, usize> {
    let of_status = ucp_core::engine::codes().into_iter().filter(|code| code.is_of_status());
    // Those of other engines have fixtures of their own: more_engines.rs.
    let is_elsewhere = |code: &Code| ["UCP13", "UCP7"].iter().any(|begin| code.info().code.starts_with(begin));
    let expected = of_status.filter(|code| !missing.contains(code) && !is_elsewhere(code));
    expected.map(|code| (code.info().code.to_owned(), 1)).collect()
}

/// A document without the parts that differ between a cluster and its snapshot: the source, and the time.
fn comparable(ran: &Ran) -> Value {
    let mut document = ran.json();
    for field in ["source", "moment"] {
        document.as_object_mut().unwrap().remove(field);
    }
    for item in document["items"].as_array_mut().into_iter().flatten() {
        item.as_object_mut().unwrap().remove("age").unwrap();
    }
    document
}

#[test]
fn quotes_is_ok() {
    let ran = run(ucp_from(QUOTES, ["status", "--exit-code", "-o", "json"])).expect(0);
    let status = ran.json();
    assert_eq!(status["findings"], serde_json::json!([]));
    assert_eq!(status["counts"], serde_json::json!({"OK": 43}));
    assert_eq!(ran.stderr, "");
}

#[test]
fn each_problem_of_a_bad_day_is_reported_once() {
    let ran = run(ucp_from(BAD_DAY, ["status", "--exit-code", "-o", "json"])).expect(1);
    assert_eq!(codes(&ran.json()), all_codes_but(&[]));
}

#[test]
fn quotes_is_ok_live() {
    let Some(cluster) = hub::quotes() else { return };
    let ran = run(ucp_on(cluster, ["status", "--exit-code", "-o", "json"])).expect(0);
    assert_eq!(codes(&ran.json()), BTreeMap::new());
    assert_eq!(ran.json()["counts"], serde_json::json!({"OK": 43}));
    assert_eq!(ran.json()["source"], serde_json::json!({"context": "quotes", "server": cluster.server()}));
}

#[test]
fn each_problem_of_a_bad_day_is_reported_once_live() {
    let Some(cluster) = hub::young_bad_day() else { return };
    let ran = run(ucp_on(cluster, ["status", PATIENCE, "--exit-code", "-o", "json"])).expect(1);
    assert_eq!(codes(&ran.json()), all_codes_but(&YOUNG));

    // With less patience a second is old.
    std::thread::sleep(Duration::from_secs(2));
    let impatient = codes(&run(ucp_on(cluster, ["status", "--stuck-after", "1s", "-o", "json"])).expect(0).json());
    for code in YOUNG {
        assert_eq!(impatient.get(code.info().code), Some(&1), "{code:?}");
    }
}

#[test]
fn a_cluster_and_its_snapshot_print_the_same() {
    for cluster in [hub::quotes(), hub::young_bad_day()] {
        let Some(cluster) = cluster else { return };
        let snapshot = dump(cluster);
        for command in ["status", "resources"] {
            let live = run(ucp_on(cluster, [command, PATIENCE, "-o", "json"]));
            let read = run(ucp_from(&snapshot, [command, PATIENCE, "-o", "json"]));
            assert_eq!(comparable(&live), comparable(&read), "{command} of {}", cluster.name());
            assert_eq!((live.code, live.stderr), (read.code, read.stderr));

            let names = |source| run(source).expect(0).stdout;
            assert_eq!(
                names(ucp_on(cluster, [command, PATIENCE, "-o", "name"])),
                names(ucp_from(&snapshot, [command, PATIENCE, "-o", "name"]))
            );
        }
    }
}

/// The output of `kubectl get -o yaml` for a hub, in a file.
fn dump(cluster: &Cluster) -> String {
    let path = cluster.directory().join("dump.yaml");
    let kinds = match cluster.name() {
        "quotes" => {
            "managed,pkg,pkgrev,providerconfigs.aws.crossplane.io,providerconfigs.gcp.crossplane.io,\
                     applications,deployments,statefulsets"
        }
        _ => DUMPED,
    };
    let output =
        cluster.kubectl(["get", kinds, "-A", "-o", "yaml"]).stdout(File::create(&path).unwrap()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    path.display().to_string()
}

#[test]
fn output_fits_80_and_200_columns() {
    let on = |columns: &str, hub, arguments: &[&str]| {
        let mut command = ucp_from(hub, ["status"]);
        command.args(arguments).env("COLUMNS", columns);
        run(command).expect(0).stdout
    };
    assert_data_eq!(on("80", QUOTES, &[]), file!["../snapshots/status-quotes-80.txt"].raw());
    assert_data_eq!(on("80", BAD_DAY, &[]), file!["../snapshots/status-bad-day-80.txt"].raw());
    assert_data_eq!(on("200", BAD_DAY, &["--full"]), file!["../snapshots/status-bad-day-200.txt"].raw());
}

#[test]
fn every_format_has_the_same_findings() {
    let print = |format: &str| run(ucp_from(BAD_DAY, ["status", "-o", format])).expect(0).stdout;
    let json: Value = serde_json::from_str(&print("json")).unwrap();
    assert_eq!(json["apiVersion"], "ucp/v1");
    assert_eq!(json["kind"], "Status");
    assert_eq!(json["source"], serde_json::json!({"path": BAD_DAY}));
    let yaml: Value = serde_saphyr::from_str(&print("yaml")).unwrap();
    assert_eq!(yaml, json);

    let codes = all_codes_but(&[]).len();
    assert_eq!(print("jsonpath={.findings[*].code}").split(' ').count(), codes);
    let table = print("custom-columns=CODE:.code,NAME:.object.name");
    assert!(table.starts_with("CODE"), "{table}");
    let names = print("name");
    // Two record sets share one finding.
    assert_eq!(names.lines().count(), codes + 1);
    assert!(names.contains("providerrevision.pkg.crossplane.io/provider-aws-52fdbb595cf5\n"), "{names}");
    assert!(print("wide").contains("also resourcerecordset.dns.gcp.crossplane.io/gcp.db.stage.dagandersen.com"));
    assert_data_eq!(print("markdown"), file!["../snapshots/status-bad-day.md"].raw());
}

#[test]
fn headers_and_colors_follow_the_flags() {
    let print = |arguments: &[&str]| run(ucp_from(QUOTES, arguments.iter().copied())).expect(0).stdout;
    let bare = print(&["status", "--no-headers"]);
    assert!(bare.starts_with("Crossplane   2.3.0   OK"), "{bare}");
    let is_coloured = |text: &str| text.contains("\x1b[");
    assert!(!is_coloured(&print(&["status"])) && !is_coloured(&print(&["status", "--color", "never"])));
    assert!(is_coloured(&print(&["status", "--color", "always"])));
    let mut plain = ucp_from(QUOTES, ["status"]);
    plain.env("NO_COLOR", "1").env("CLICOLOR_FORCE", "1");
    assert!(!is_coloured(&run(plain).expect(0).stdout));
    assert!(!is_coloured(&print(&["status", "--color", "always", "-o", "json"])));
}

#[test]
fn exit_codes_match_the_documentation() {
    // Findings count only where that is asked for.
    run(ucp_from(BAD_DAY, ["status"])).expect(0);
    run(ucp_from(BAD_DAY, ["status", "--exit-code"])).expect(1);
    for usage in [
        &["status", "--no-such-flag"][..],
        &["status", "-o", "xml"],
        &["status", "--stuck-after", "soon"],
        &["status", "--watch", "--exit-code"],
        &["status", "--watch"],
        &["state"],
    ] {
        let ran = run(ucp_from(QUOTES, usage.iter().copied())).expect(2);
        assert_eq!(ran.stdout, "", "{usage:?}");
    }
    let gone = run(ucp_from("/no/such/snapshot", ["status"])).expect(3);
    assert!(gone.stderr.starts_with("error: cannot read snapshot /no/such/snapshot: No such file"), "{gone:?}");

    // Half of a snapshot: incomplete, unless something worse was found.
    let paused = "apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: paused}\n\
                  spec: {forProvider: {}, providerConfigRef: {name: x}, managementPolicies: []}\n";
    let failed = "apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: failed}\nspec: {forProvider: {}, \
                  providerConfigRef: {name: x}}\nstatus: {conditions: [{type: Synced, status: 'False'}]}\n";
    let half = |first: &str| {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("a.yaml"), first).unwrap();
        std::fs::write(directory.path().join("b.yaml"), "kind: [").unwrap();
        run(ucp_from(directory.path().to_str().unwrap(), ["status", "--exit-code"]))
    };
    run_with_input(ucp(["status", "--exit-code", "--from", "-"]), paused).expect(0);
    half(paused).expect(4);
    half(failed).expect(1);
}

#[test]
fn status_of_a_namespace_only_has_its_objects() {
    let status = run(ucp_from(BAD_DAY, ["status", "-n", "quotes", "-o", "json"])).expect(0).json();
    let engines: Vec<_> = status["engines"].as_array().unwrap().iter().map(|engine| &engine["name"]).collect();
    assert_eq!(engines, ["Crossplane"]);
    assert!(codes(&status).contains_key("UCP104"));
    // Its controllers are in other namespaces, and are seen there.
    let missed = status["findings"].as_array().unwrap().iter().filter(|finding| finding["code"] == "UCP011");
    let missed: Vec<_> = missed.map(|finding| &finding["object"]["name"]).collect();
    assert_eq!(missed, ["provider-gcp-sql-77c0e1d2f3a4"]);
}

#[test]
fn prometheus_metrics_match_the_page() {
    let status = run(ucp_from(BAD_DAY, ["status", "-o", "json"])).json();
    let metrics = run(ucp_from(BAD_DAY, ["status", "-o", "prometheus"]));
    let sum = |name: &str, with: &str| -> u64 {
        let samples =
            metrics.stdout.lines().filter(|line| line.starts_with(&format!("{name}{{")) && line.contains(with));
        samples.map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap()).sum()
    };
    for (verdict, number) in status["counts"].as_object().unwrap() {
        assert_eq!(sum("ucp_objects", &format!("verdict=\"{verdict}\"")), number.as_u64().unwrap(), "{verdict}");
    }
    assert_eq!(sum("ucp_findings", ""), status["findings"].as_array().unwrap().len() as u64);
    for engine in status["engines"].as_array().unwrap() {
        let verdict = format!("engine={},verdict={}}}", engine["name"], engine["verdict"]);
        assert_eq!(sum("ucp_engine_verdict", &verdict), 1, "{verdict}");
    }
    let since = status["findings"].as_array().unwrap().iter().filter_map(|finding| finding["since"].as_str());
    let oldest: Timestamp = since.min().unwrap().parse().unwrap();
    assert!(metrics.stdout.contains(&format!(" {}\n", oldest.as_second())), "{metrics:?}");
    // One HELP and one TYPE for each family, before its samples, and nothing else.
    let mut family = "";
    for line in metrics.stdout.lines() {
        match line.strip_prefix("# TYPE ") {
            Some(declared) => family = declared.strip_suffix(" gauge").unwrap(),
            None if line.starts_with("# HELP ") => {}
            None => assert!(line.starts_with(&format!("{family}{{snapshot=\"{BAD_DAY}\"")), "{line}"),
        }
    }
}

#[test]
fn only_status_supports_prometheus() {
    for arguments in
        [&["resources", "-o", "prometheus"][..], &["status", "--watch", "-o", "prometheus"], &["status", "--port", "0"]]
    {
        run(ucp_from(BAD_DAY, arguments.iter().copied())).expect(2);
    }
}

/// A snapshot with these objects, and its path.
fn snapshot_of(objects: &[Value]) -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("hub.json").display().to_string();
    let list = serde_json::json!({"apiVersion": "v1", "kind": "List", "items": objects});
    std::fs::write(&path, list.to_string()).unwrap();
    (directory, path)
}

/// A GitRepository that is well, and Kustomizations with a condition that is not known.
fn quietly_unknown(kustomizations: usize) -> Vec<Value> {
    let then = "2026-11-20T09:00:00Z";
    let condition = |kind: &str, status: &str, reason: &str| {
        serde_json::json!({
            "type": kind, "status": status, "reason": reason, "observedGeneration": 1, "lastTransitionTime": then,
        })
    };
    let source = serde_json::json!({
        "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
        "metadata": {"name": "fleet", "namespace": "flux-system", "generation": 1, "labels": {"part": "source"}},
        "spec": {"interval": "1m", "url": "https://git.example.org/fleet"},
        "status": {
            "observedGeneration": 1, "artifact": {"revision": "main@sha1:aaa"},
            "conditions": [condition("Ready", "True", "Succeeded")],
        },
    });
    let kustomization = |number: usize| {
        serde_json::json!({
            "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
            "metadata": {"name": format!("apps-{number:02}"), "namespace": "flux-system", "generation": 1},
            "spec": {"interval": "5m", "sourceRef": {"kind": "GitRepository", "name": "fleet"}},
            "status": {
                "observedGeneration": 1, "lastAppliedRevision": "main@sha1:aaa",
                "conditions": [
                    condition("Ready", "True", "ReconciliationSucceeded"),
                    condition("Frobnicated", "False", "Unplugged"),
                ],
            },
        })
    };
    std::iter::once(source).chain((0..kustomizations).map(kustomization)).collect()
}

fn without_wrapping(page: &str) -> String {
    page.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn an_unknown_object_is_listed_and_fails_a_check() {
    let (_directory, path) = snapshot_of(&quietly_unknown(1));
    let status = |arguments: &[&str]| {
        let flags = ["status", "--exit-code", "--external-controllers", "flux"];
        run(ucp_from(&path, flags.iter().chain(arguments).copied()))
    };
    let document = status(&["-o", "json"]).expect(4).json();
    assert_eq!(document["findings"], serde_json::json!([]));
    let [unknown] = document["unknown"].as_array().unwrap().as_slice() else { panic!("{document}") };
    assert_eq!(unknown["object"]["name"], "apps-00");
    assert_eq!(unknown["message"], "Frobnicated is False: Unplugged");
    for format in ["table", "wide", "markdown", "html"] {
        let page = without_wrapping(&status(&["-o", format]).expect(4).stdout);
        assert!(page.contains("No problems found; 1 object is unknown:"), "{page}");
        assert!(page.contains("kustomization.kustomize.toolkit.fluxcd.io/apps-00"), "{page}");
        assert!(page.contains("Frobnicated is False: Unplugged"), "{page}");
    }
    // Only the selected objects count.
    let selected = status(&["-l", "part=source", "-o", "json"]).expect(0).json();
    assert_eq!(selected["unknown"], serde_json::json!([]));
    status(&["-n", "flux-system"]).expect(4);
    run(ucp_from(&path, ["status", "--external-controllers", "flux"])).expect(0);

    let (_directory, path) = snapshot_of(&quietly_unknown(12));
    let all = ["status", "--external-controllers", "flux"];
    let page = without_wrapping(&run(ucp_from(&path, all)).expect(0).stdout);
    assert!(page.contains("No problems found; 12 objects are unknown:"), "{page}");
    assert_eq!(page.matches("Frobnicated is False").count(), 10, "{page}");
    let more = format!(" and 2 more: kubectl ucp resources --any --only Unknown --from {path}");
    assert!(page.contains(&more), "{page}");
    let listed = run(ucp_from(&path, ["resources", "--any", "--only", "Unknown", "-o", "name"])).expect(0).stdout;
    assert_eq!(listed.lines().filter(|line| line.contains("/apps-")).count(), 12, "{listed}");
    let full = without_wrapping(&run(ucp_from(&path, all.into_iter().chain(["--full"]))).expect(0).stdout);
    assert_eq!(full.matches("Frobnicated is False").count(), 12, "{full}");
}

#[test]
fn an_app_cluster_has_nothing_to_check() {
    let issuer = serde_json::json!({
        "apiVersion": "cert-manager.io/v1", "kind": "ClusterIssuer",
        "metadata": {"name": "letsencrypt", "generation": 1, "creationTimestamp": "2026-11-20T09:00:00Z"},
        "spec": {"acme": {}},
        "status": {"conditions": [
            {"type": "Ready", "status": "True", "reason": "ACMEAccountRegistered", "observedGeneration": 1,
                "lastTransitionTime": "2026-11-20T09:00:00Z"},
        ]},
    });
    let (_directory, path) = snapshot_of(&[issuer]);
    let ran = run(ucp_from(&path, ["status", "--exit-code"])).expect(4);
    assert!(ran.stdout.contains("cert-manager"), "{ran:?}");
    assert!(ran.stderr.contains("nothing to check: is this a snapshot of the core cluster?"), "{ran:?}");
    run(ucp_from(&path, ["status"])).expect(0);
    let clusters = run(ucp_from(&path, ["clusters", "--exit-code"])).expect(4);
    assert!(clusters.stderr.contains("nothing to check: is this a snapshot of the core cluster?"), "{clusters:?}");
    for command in ["clusters", "resources"] {
        let ran = run(ucp_from(&path, [command])).expect(0);
        assert!(ran.stderr.contains("is this a snapshot of the core cluster?"), "{command}: {ran:?}");
    }
    let kinds = run(ucp_from(&path, ["resources", "--any"])).expect(0);
    assert!(!kinds.stderr.contains("core cluster"), "{kinds:?}");
}

#[test]
fn unchecked_credentials_in_secrets_are_named() {
    let config = |name: &str| {
        serde_json::json!({
            "apiVersion": "aws.upbound.io/v1beta1", "kind": "ProviderConfig", "metadata": {"name": name},
            "spec": {"credentials": {"source": "Secret", "secretRef": {"namespace": "keys", "name": name, "key": "k"}}},
        })
    };
    let secret = |name: &str| serde_json::json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "keys"}});
    for (secrets, expected) in [
        (vec![], "are not checked (Secret keys/one, keys/two)"),
        (vec![secret("one"), secret("two")], "are not checked (Secret keys/one, keys/two)"),
        (vec![secret("two")], "the snapshot does not have the credentials of provider configs (Secret keys/one)"),
    ] {
        let (_directory, path) = snapshot_of(&[vec![config("one"), config("two")], secrets].concat());
        let ran = run(ucp_from(&path, ["status"])).expect(0);
        let hint = ran.stderr.lines().find(|line| line.contains("doctor --only credentials")).unwrap_or_default();
        assert!(hint.contains(expected) && hint.ends_with(&format!("--from {path}")), "{ran:?}");
        assert!(!run(ucp_from(&path, ["status", "-o", "json"])).expect(0).stderr.contains("credentials"));
    }
}

/// A terminal breaks lines that are too long at any letter, so headings end before its edge.
#[test]
fn headings_do_not_break_names() {
    for (command, columns) in [("status", 80), ("status", 70), ("drift", 80), ("resources", 80)] {
        let mut run_at = ucp_from(BAD_DAY, [command]);
        run_at.env("COLUMNS", columns.to_string());
        let text = run(run_at).stdout;
        for line in text.lines().filter(|line| line.starts_with(char::is_alphabetic)) {
            assert!(line.chars().count() <= columns, "{command}: {line}");
        }
        assert!(text.contains("\n  databaseinstance.sql.gcp.upbound.io/quotes-orders-7k2px-4fd2e\n") || columns == 80);
    }
}
