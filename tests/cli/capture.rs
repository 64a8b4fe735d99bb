//! `snapshot`: every command prints the same of it as of the cluster, no secret is in it, and it is whole or not there.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use base64::Engine as _;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use tempfile::TempDir;
use ucp::cli::heed::supports_flag;

use crate::gitops::Gitops;
use crate::support::Cluster;
use crate::support::command::{CANARY, Ran, interruptible, run, ucp, ucp_from, ucp_on};
use crate::support::hub;
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::{self, Options, load};

/// Everything that reads a cluster.
const READING: &[&[&str]] = &[
    &["status"],
    &["status", "-n", "crossplane-system"],
    &["status", "-l", "app=nothing"],
    &["resources"],
    &["resources", "--any"],
    &["resources", "-o", "name"],
    &["tree", "application/quotes"],
    &["tree", "provider/provider-gcp"],
    &["drift"],
    &["drift", "--orphans"],
    &["clusters"],
    &["conflicts"],
    &["conflicts", "--certain"],
    &["doctor", "--skip", "rights"],
    &["doctor", "--for", "2.9", "--only", "upgrade"],
    &["teardown", "--all"],
    &["teardown", "provider/provider-gcp"],
    &["teardown", "application/quotes"],
    &["images", "--running"],
    &["promote", "stage", "prod", "--all", "--dry-run", "--verify"],
    &["pipeline", "echo", "--running", "--no-pull-requests"],
];
/// What depends on more than the core cluster: what app clusters answer (`secrets::states` compares that), what their credentials
/// open, which nobody gets in with from a snapshot, schemas, which it does not have, a repository that makes all of it
/// (`tests/engines/first_day.rs` compares that), who asks, or the time at which a period ends.
const ELSEWHERE: [&str; 7] = ["secrets", "adopt-cluster", "import", "bootstrap", "mcp", "history", "ui"];

#[test]
fn every_command_that_reads_snapshots_is_compared() {
    let mut command = ucp::cli::command();
    command.build();
    for name in command.get_subcommands().map(clap::Command::get_name) {
        let is_compared = READING.iter().any(|arguments| arguments[0] == name) || ELSEWHERE.contains(&name);
        assert_eq!(is_compared, supports_flag(&[name], "from"), "{name}");
    }
}

fn with_json<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = arguments.to_vec();
    if !arguments.contains(&"-o") {
        arguments.extend(["-o", "json"]);
    }
    arguments
}

fn take(cluster: &Cluster, directory: &TempDir, name: &str) -> String {
    let path = directory.path().join(name).display().to_string();
    run(ucp_on(cluster, ["snapshot", &path])).expect(0);
    path
}

/// Every text in an archive, with what is in base64.
pub(crate) fn texts(path: &str) -> String {
    let mut all = String::new();
    let mut archive = tar::Archive::new(GzDecoder::new(fs::File::open(path).unwrap()));
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        all.push_str(&format!("{}\n", entry.path().unwrap().display()));
        entry.read_to_string(&mut all).unwrap();
    }
    let encoded = |c: char| c.is_ascii_alphanumeric() || "+/=_-".contains(c);
    let engines = [base64::engine::general_purpose::STANDARD, base64::engine::general_purpose::URL_SAFE_NO_PAD];
    let decoded: Vec<String> = all
        .split(|c| !encoded(c))
        .filter(|word| word.len() > 15)
        .flat_map(|word| engines.iter().filter_map(move |engine| engine.decode(word).ok()))
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect();
    // A kubeconfig is base64 in base64.
    let twice = decoded.iter().flat_map(|text| text.split(|c| !encoded(c))).filter(|word| word.len() > 15);
    let twice: Vec<String> = twice
        .filter_map(|word| engines[0].decode(word).ok())
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect();
    all + &decoded.join("\n") + &twice.join("\n")
}

#[test]
fn every_command_prints_the_same_from_a_snapshot_as_live() {
    for cluster in [hub::quotes(), hub::bad_day()] {
        let Some(cluster) = cluster else { return };
        let (repository, directory) = (Gitops::paper("v2", "v1"), tempfile::tempdir().unwrap());
        let archive = take(cluster, &directory, "core.tar.gz");
        let unpacked = take(cluster, &directory, "core");
        for arguments in READING {
            let mut arguments = with_json(arguments);
            if ["images", "promote", "pipeline"].contains(&arguments[0]) {
                arguments.extend(["-C", repository.top().to_str().unwrap()]);
            }
            let live = run(ucp_on(cluster, arguments.iter().copied()));
            // Not every hub has every object.
            let names_one = arguments.iter().any(|argument| argument.contains('/'));
            assert!(matches!(live.code, Some(0 | 1 | 4)) || names_one, "{arguments:?}: {live:?}");
            for snapshot in [&archive, &unpacked] {
                let taken = run(ucp_from(snapshot, arguments.iter().copied()));
                assert_eq!(taken.code, live.code, "{arguments:?}: {}", taken.stderr);
                assert_eq!(taken.comparable(), live.comparable(), "{arguments:?} from {snapshot}");
            }
        }
    }
}

/// One namespace, and what is in none: the same as is seen live of it.
#[test]
fn a_namespace_is_taken_alone() {
    let Some(cluster) = hub::quotes() else { return };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("argocd.tar.gz").display().to_string();
    run(ucp_on(cluster, ["snapshot", &path, "-n", "argocd"])).expect(0);
    for arguments in [&["status", "-o", "json"][..], &["resources", "-o", "json"]] {
        let narrow = [arguments, &["-n", "argocd"]].concat();
        let (live, taken) = (run(ucp_on(cluster, narrow)), run(ucp_from(&path, arguments.iter().copied())));
        assert_eq!((taken.code, taken.comparable()), (live.code, live.comparable()), "{arguments:?}");
    }
    // Nothing of the others is in it, but for what an engine needs from there.
    let all = texts(&path);
    assert!(all.contains("namespaces/argocd/") && !all.contains("namespaces/default/core/secrets"), "{all}");
}

/// What may not be read live is not known from a snapshot either, in the same words.
#[test]
fn what_was_refused_is_unknown_in_the_snapshot_too() {
    let Some(cluster) = hub::governed_bad_day() else { return };
    let group = "rbac.authorization.k8s.io";
    let name = json!({"name": "takes-little"});
    cluster.apply(&json!({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": format!("{group}/v1"), "kind": "ClusterRole", "metadata": name, "rules": [
            {"apiGroups": ["pkg.crossplane.io", "apps"], "resources": ["*"], "verbs": ["list"]},
        ]},
        {"apiVersion": format!("{group}/v1"), "kind": "ClusterRoleBinding", "metadata": name,
         "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "takes-little"},
         "subjects": [{"apiGroup": group, "kind": "User", "name": "takes-little"}]},
    ]}));
    let as_user = |arguments: &[&str]| {
        let mut command = ucp(arguments);
        command.env("KUBECONFIG", cluster.kubeconfig_for("takes-little", None));
        run(command)
    };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("core.tar.gz").display().to_string();
    let ran = as_user(&["snapshot", &path, "-o", "json"]).expect(4);
    assert!(ran.unknown().iter().any(|what| what == "applications.argoproj.io"), "{ran:?}");
    for arguments in [&["status", "-o", "json"][..], &["resources", "-o", "json"], &["drift", "-o", "json"]] {
        let (live, taken) = (as_user(arguments), run(ucp_from(&path, arguments.iter().copied())));
        assert_eq!((taken.code, taken.comparable()), (live.code, live.comparable()), "{arguments:?}");
    }
}

/// A Secret's value in every place that facts/operations.md names, and where else people leave one.
fn hide_secrets(cluster: &Cluster) {
    let encoded = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
    let secret = |name: &str, data: Value| json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "default"}, "data": data});
    let applied = json!({"data": {"password": encoded(CANARY)}, "spec": {"note": CANARY}}).to_string();
    let annotated = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "data": {"settings.ini": format!("anything={CANARY}")},
        "binaryData": {"blob": encoded(CANARY)},
        "metadata": {"name": "noted", "namespace": "default", "annotations": {
            "kubectl.kubernetes.io/last-applied-configuration": applied,
            "example.org/api-token": CANARY,
        }},
    });
    let kubeconfig = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "clusters": [{"name": "k", "cluster": {"server": "https://prod.example.org"}}],
        "users": [{"name": "u", "user": {"token": CANARY}}],
        "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
    });
    let config = json!({"bearerToken": CANARY, "tlsClientConfig": {"insecure": false, "keyData": encoded(CANARY)}});
    let mut registration = secret(
        "cluster-prod",
        json!({
            "name": encoded("prod"), "server": encoded("https://prod.example.org"), "config": encoded(&config.to_string()),
        }),
    );
    registration["metadata"]["labels"] = json!({"argocd.argoproj.io/secret-type": "cluster"});
    let mut repository = secret(
        "repo-apps",
        json!({
            "url": encoded(&format!("https://u:{CANARY}@git.example.org/apps")), "password": encoded(CANARY),
        }),
    );
    repository["metadata"]["labels"] = json!({"argocd.argoproj.io/secret-type": "repository"});
    let nested =
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}, "data": {"a": encoded(CANARY)}});
    let bucket = json!({
        "apiVersion": "s3.aws.m.upbound.io/v1beta1", "kind": "Bucket", "metadata": {"name": "telling", "namespace": "default"},
        "spec": {"forProvider": {"region": "eu-central-1", "password": CANARY, "manifest": nested}},
        "status": {"atProvider": {
            "manifest": nested, "url": format!("https://u:{CANARY}@example.org"), "region": "eu-west-1", "token": CANARY,
            "policy": json!({"clientSecret": CANARY}).to_string(),
        }},
    });
    let workspace = json!({
        "apiVersion": "tf.upbound.io/v1beta1", "kind": "Workspace", "metadata": {"name": "telling"},
        "spec": {"forProvider": {"vars": [{"key": "anything", "value": CANARY}], "module": format!("x = \"{CANARY}\"")}},
        "status": {"atProvider": {"outputs": {"anything": CANARY}}},
    });
    let application = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "telling", "namespace": "default"},
        "spec": {
            "project": "default", "destination": {"server": "https://kubernetes.default.svc"},
            "source": {"repoURL": format!("https://u:{CANARY}@git.example.org/apps"), "path": "app", "helm": {
                "values": format!("db:\n  password: {CANARY}\n"), "parameters": [{"name": "db.password", "value": CANARY}],
            }},
        },
        "status": {"sync": {"status": "Unknown"}, "conditions": [{
            "type": "ComparisonError", "message": format!("dial postgres://u:p@ss/{CANARY}@db:5432/x: password={CANARY} x"),
        }]},
    });
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "telling", "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {
            "metadata": {"labels": {"a": "b"}},
            "spec": {"containers": [{"name": "c", "image": "c:1", "args": [format!("--password={CANARY}")], "env": [
                {"name": "DB_PASSWORD", "value": CANARY}, {"name": "DSN", "value": format!("redis://:{CANARY}@r/0")},
            ]}]},
        }},
    });
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "workspaces.tf.upbound.io"},
        "spec": {
            "group": "tf.upbound.io", "scope": "Cluster",
            "names": {"kind": "Workspace", "plural": "workspaces", "categories": ["managed"]},
            "versions": [{"name": "v1beta1", "served": true, "storage": true, "schema": {
                "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            }}],
        },
    });
    let items = [
        secret("login", json!({"password": encoded(CANARY)})),
        secret("sh.helm.release.v1.shop.v1", json!({"release": encoded(&encoded(CANARY))})),
        secret("copy", json!({"password": encoded(CANARY)})),
        secret("prod-kubeconfig", json!({"kubeconfig": encoded(&kubeconfig.to_string())})),
        definition,
        registration,
        repository,
        annotated,
        bucket,
        workspace,
        application,
        deployment,
    ];
    support::run(async || load::load_objects(&cluster.client(), items.into_iter().collect()).await).unwrap();
}

/// Texts with secrets as strangers write them, and the part of each that must not be in an archive.
fn texts_with_secrets() -> Vec<(String, String)> {
    let texts: Vec<Value> = serde_json::from_str(include_str!("../fixtures/secrecy/secrets.json")).unwrap();
    let field = |text: &Value, name: &str| text[name].as_str().unwrap().to_owned();
    // The API server reads JSON as YAML, which has no such characters.
    let is_accepted = |text: &str| !text.contains(|one: char| one.is_control() && !one.is_ascii() || one == '\u{7f}');
    let texts = texts.iter().map(|text| (field(text, "text"), field(text, "hide")));
    // Shorter secrets occur in an archive by chance.
    texts.filter(|(text, hide)| hide.len() >= 8 && is_accepted(text)).collect()
}

/// Objects with these texts in their fields, conditions, annotations, and in documents.
fn plant_texts(cluster: &Cluster, texts: &[(String, String)]) {
    let bucket = |(number, texts): (usize, &[(String, String)])| {
        let texts: Vec<&str> = texts.iter().map(|(text, _)| text.as_str()).collect();
        json!({
            "apiVersion": "s3.aws.m.upbound.io/v1beta1", "kind": "Bucket",
            "metadata": {"name": format!("planted-{number}"), "namespace": "default", "annotations": {
                "argocd.argoproj.io/note": texts[0],
            }},
            "spec": {"forProvider": {"notes": texts, "document": json!({ "notes": texts }).to_string()}},
            "status": {"atProvider": {"notes": texts}, "conditions": texts.iter().enumerate().map(|(number, text)| json!({
                "type": format!("Type{number}"), "status": "False", "reason": "Failed", "message": text,
                "lastTransitionTime": "2026-11-20T10:00:00Z",
            })).collect::<Vec<_>>()},
        })
    };
    let buckets: Vec<Value> = texts.chunks(10).enumerate().map(bucket).collect();
    support::run(async || load::load_objects(&cluster.client(), buckets).await).unwrap();
}

#[test]
fn no_secret_is_in_an_archive() {
    let Some(cluster) = support::start(Options::named("telling")) else { return };
    load::install_all_crds(&cluster).unwrap();
    hide_secrets(&cluster);
    let planted = texts_with_secrets();
    assert!(planted.len() >= 200, "{}", planted.len());
    plant_texts(&cluster, &planted);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("core.tgz").display().to_string();
    run(ucp_on(&cluster, ["snapshot", &path, "-v", "9"])).expect(0);
    let all = texts(&path);
    for name in ["login", "sh.helm.release.v1.shop.v1", "noted", "cluster-prod", "repo-apps", "prod-kubeconfig"] {
        assert!(all.contains(&format!("\"name\":\"{name}\"")), "{name} was taken");
    }
    for kind in ["Bucket", "Workspace", "Application", "Deployment"] {
        assert!(all.contains(&format!("\"kind\":\"{kind}\"")), "{kind} was taken");
    }
    let at = all.find(CANARY);
    assert_eq!(at, None, "…{}…", at.map_or("", |at| &all[at.saturating_sub(300)..at + 40]));
    let planted_buckets = all.matches("\"name\":\"planted-").count();
    assert_eq!(planted_buckets, planted.len().div_ceil(10), "all were taken");
    let found: Vec<&(String, String)> = planted.iter().filter(|(_, hide)| all.contains(hide.as_str())).collect();
    assert!(found.is_empty(), "{} of {}: {found:#?}", found.len(), planted.len());
    // Copies still compare, and of clusters there is left what may be known.
    let of = |name: &str| -> Value {
        let line = all.lines().find(|line| line.contains(&format!("\"name\":\"{name}\",\"namespace\"")));
        serde_json::from_str(line.unwrap().trim_end_matches(',')).unwrap()
    };
    assert_eq!(of("login")["data"]["password"], of("copy")["data"]["password"]);
    let clusters = |ran: Ran| ran.json()["items"].clone();
    let live = clusters(run(ucp_on(&cluster, ["clusters", "--argocd-namespace", "default", "-o", "json"])));
    let taken = clusters(run(ucp_from(&path, ["clusters", "--argocd-namespace", "default", "-o", "json"])));
    assert_eq!(live, taken);
    assert_eq!(live[0]["credential"]["type"], "token", "{live}");
    // Definitions have no schemas.
    assert!(!all.contains("openAPIV3Schema"));
}

/// The index of an archive.
fn index(path: &str) -> Value {
    let mut archive = tar::Archive::new(GzDecoder::new(fs::File::open(path).unwrap()));
    let mut entries = archive.entries().unwrap().map(Result::unwrap);
    let is_index = |path: &Path| path.file_name().is_some_and(|name| name == ucp_client::source::snapshot::index::FILE);
    let mut entry = entries.find(|entry| is_index(&entry.path().unwrap())).expect("there is an index");
    let mut text = String::new();
    entry.read_to_string(&mut text).unwrap();
    serde_saphyr::from_str(&text).unwrap()
}

#[test]
fn the_index_counts_what_was_hidden_and_exceptions_are_kept() {
    let Some(cluster) = support::start(Options::named("counted")) else { return };
    let container = json!({
        "name": "c", "image": "i", "args": ["--greeting=hello there", "--level=5"],
        "env": [{"name": "GREETING", "value": "hello you"}, {"name": "LOG_STYLE", "value": "pretty one"}],
    });
    let metadata = |name: &str| json!({"name": name, "namespace": "counted"});
    let config_map = |name: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata(name), "data": {"a": "value one", "b": "value two"}});
    let mut annotated = metadata("d");
    annotated["annotations"] = json!({"example.org/team": "web team"});
    let objects = vec![
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "counted"}}),
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": metadata("s"), "stringData": {"a": "x1", "b": "y2", "c": "z3"}}),
        config_map("one"),
        config_map("kept"),
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": annotated,
            "spec": {
                "selector": {"matchLabels": {"a": "b"}},
                "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container]}},
            },
        }),
    ];
    support::run(async || load::load_objects(&cluster.client(), objects).await).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("core.tgz").display().to_string();
    let taken = |keep: &[&str]| {
        let keep = keep.iter().flat_map(|exception| ["--keep", exception]);
        let arguments = ["snapshot", &path, "--overwrite", "-n", "counted"].into_iter().chain(keep);
        run(ucp_on(&cluster, arguments.collect::<Vec<_>>())).expect(0);
        let index = index(&path);
        let of_kind = |kind: &str| {
            let kinds = index["kinds"].as_array().unwrap().iter();
            kinds.filter(|entry| entry["kind"] == kind).filter_map(|entry| entry["hidden"].as_u64()).sum::<u64>()
        };
        let by_kind = ["Secret", "ConfigMap", "Deployment"].map(of_kind);
        let by_place = ["secrets", "configMaps", "literals"].map(|place| index["hidden"][place].as_u64().unwrap_or(0));
        (by_kind, by_place, texts(&path))
    };
    let (by_kind, by_place, all) = taken(&[]);
    // Copies in managed fields count, too.
    assert!(by_kind.iter().zip(by_place).all(|(kind, place)| *kind >= place), "{by_kind:?}");
    assert_eq!(by_place, [3, 4, 4]);
    let all_by_kind = by_kind;
    for hidden in ["hello", "pretty one", "value one", "web team"] {
        assert!(!all.contains(hidden), "{hidden}");
    }
    let kept = ["environment/LOG_*", "argument/greeting", "annotation/example.org/*", "configmap/counted/kept"];
    let (by_kind, by_place, all) = taken(&kept);
    assert_eq!(by_place, [3, 2, 1]);
    assert!(by_kind[0] == all_by_kind[0] && by_kind[1] < all_by_kind[1] && by_kind[2] < all_by_kind[2], "{by_kind:?}");
    for kept in ["hello there", "pretty one", "value one", "web team"] {
        assert!(all.contains(kept), "{kept}");
    }
    assert!(!all.contains("hello you"));
}

/// A kind that discovery omits for a moment is missing in the archive, and the index says so.
#[test]
fn a_kind_that_the_server_does_not_list_is_unread() {
    let Some(cluster) = hub::quotes() else { return };
    let proxy = Proxy::start(cluster).unwrap();
    proxy.add(Rule::at("/apis", Fault::Unlisted("database.aws.crossplane.io".to_owned())));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("core.tar.gz");
    let mut taking = ucp(["snapshot", path.to_str().unwrap()]);
    taking.env("KUBECONFIG", proxy.kubeconfig());
    run(taking).expect(4);
    let index = index(path.to_str().unwrap());
    let unread = index["unreadable"].to_string();
    assert!(unread.contains("rdsinstances.database.aws.crossplane.io"), "{unread}");
}

#[test]
fn what_is_there_is_not_overwritten_unasked() {
    let Some(cluster) = hub::quotes() else { return };
    let directory = tempfile::tempdir().unwrap();
    let path = take(cluster, &directory, "core.tar.gz");
    let before = fs::read(&path).unwrap();
    let refused = run(ucp_on(cluster, ["snapshot", &path])).expect(1);
    assert!(refused.stderr.contains("already exists") && refused.stderr.contains("--overwrite"), "{}", refused.stderr);
    assert_eq!(fs::read(&path).unwrap(), before);
    run(ucp_on(cluster, ["snapshot", &path, "--overwrite"])).expect(0);
    let unpacked = take(cluster, &directory, "core");
    run(ucp_on(cluster, ["snapshot", &unpacked, "--overwrite"])).expect(0);
    // A directory that is something else stays, whatever is asked.
    let other = directory.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("thesis.txt"), "x").unwrap();
    run(ucp_on(cluster, ["snapshot", other.to_str().unwrap(), "--overwrite"])).expect(3);
    assert_eq!(fs::read_to_string(other.join("thesis.txt")).unwrap(), "x");
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
    }
}

/// The names in a directory; those of unfinished work begin with a dot.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[cfg(unix)]
#[test]
fn a_snapshot_that_is_cut_short_is_not_there() {
    let Some(cluster) = hub::quotes() else { return };
    for (signal, leaves) in [("INT", 0), ("TERM", 0), ("KILL", 1)] {
        let directory = tempfile::tempdir().unwrap();
        for name in ["core.tar.gz", "core"] {
            let path = directory.path().join(name);
            let taking = ucp_on(cluster, ["snapshot", path.to_str().unwrap(), "-q"]);
            let mut child = interruptible(&taking).spawn().unwrap();
            let begun = Instant::now();
            let is_begun = || {
                let locked = |name: &String| directory.path().join(name).join(".lock").exists();
                names(directory.path()).iter().any(locked)
            };
            while !is_begun() && begun.elapsed() < Duration::from_secs(60) {
                std::thread::sleep(Duration::from_millis(1));
            }
            // It may be gone already.
            Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
            let ended = child.wait().unwrap();
            let left = names(directory.path());
            if ended.success() {
                // It was faster.
                continue;
            }
            assert!(!path.exists(), "SIG{signal} left {left:?}");
            assert!(left.iter().filter(|name| name.starts_with('.')).count() <= leaves, "SIG{signal} left {left:?}");
        }
        // What a kill left, the next one takes away.
        take(cluster, &directory, "next.tar.gz");
        assert!(!names(directory.path()).iter().any(|name| name.starts_with('.')));
    }
}

#[test]
fn two_snapshots_are_compared() {
    let directory = tempfile::tempdir().unwrap();
    let bucket = |name: &str, ready: &str, region: &str| {
        json!({
            "apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Bucket",
            "metadata": {"name": name, "creationTimestamp": "2026-11-20T09:00:00Z"},
            "spec": {"forProvider": {"region": "eu-central-1"}, "providerConfigRef": {"name": "default"}},
            "status": {"atProvider": {"region": region}, "conditions": [
                {"type": "Ready", "status": ready, "reason": "Available", "lastTransitionTime": "2026-11-20T09:01:00Z"},
                {"type": "Synced", "status": "True", "reason": "ReconcileSuccess", "lastTransitionTime": "2026-11-20T09:01:00Z"},
            ]},
        })
    };
    let provider = |version: &str| {
        json!({
            "apiVersion": "pkg.crossplane.io/v1", "kind": "Provider", "metadata": {"name": "aws"},
            "spec": {"package": format!("xpkg.example.org/aws:{version}")},
        })
    };
    let write = |name: &str, items: Value| {
        let path = directory.path().join(name).display().to_string();
        fs::write(&path, json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()).unwrap();
        path
    };
    let before = write(
        "before.json",
        json!([bucket("a", "True", "eu-central-1"), bucket("gone", "True", "eu-central-1"), provider("v1"),]),
    );
    let after = write(
        "after.json",
        json!([bucket("a", "False", "eu-west-1"), bucket("new", "True", "eu-central-1"), provider("v2"),]),
    );
    let diff = |arguments: &[&str]| run(ucp([&["snapshot", "diff"], arguments].concat()));
    let document = diff(&[&before, &after, "-o", "json"]).expect(1).json();
    assert_eq!(document["kind"], "SnapshotDiff");
    let version = &document["versions"][0];
    assert_eq!(
        (&version["before"], &version["after"]),
        (&json!("xpkg.example.org/aws:v1"), &json!("xpkg.example.org/aws:v2"))
    );
    let names: Vec<_> = document["verdicts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["object"]["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"a") && names.contains(&"gone") && names.contains(&"new"), "{document}");
    assert_eq!(document["drift"][0]["path"], "spec.forProvider.region");
    let text = diff(&[&before, &after]).expect(1).stdout;
    assert!(text.contains("+ UCP501 bucket.s3.aws.upbound.io/a spec.forProvider.region"), "{text}");
    let same = diff(&[&before, &before]);
    assert!(same.stdout.contains("Nothing changed."), "{same:?}");
    assert!(diff(&[&before, "-"]).expect(2).stderr.contains("standard input"));
}

/// The same objects as other programs lay them out.
mod layouts {
    use super::*;
    use std::collections::BTreeMap;

    fn objects() -> Vec<Value> {
        load::manifests::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(hub::QUOTES)).unwrap()
    }

    fn plural(kind: &str) -> String {
        format!("{}s", kind.to_lowercase()).replace("ys", "ies")
    }

    fn status(path: &str) -> Value {
        run(ucp_from(path, ["status", "-o", "json"])).expect(0).comparable()
    }

    /// Writes files, and the same as an archive.
    fn write(directory: &TempDir, files: &BTreeMap<String, String>) -> [String; 2] {
        let (top, archive) = (directory.path().join("dump"), directory.path().join("dump.tar.gz"));
        let gzip = flate2::write::GzEncoder::new(fs::File::create(&archive).unwrap(), flate2::Compression::fast());
        let mut tar = tar::Builder::new(gzip);
        for (path, text) in files {
            let file = top.join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
            tar.append_path_with_name(&file, Path::new("dump").join(path)).unwrap();
        }
        tar.into_inner().unwrap().finish().unwrap();
        [top.display().to_string(), archive.display().to_string()]
    }

    fn parts(object: &Value) -> (String, String, Option<String>, String) {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        let version = text("/apiVersion").unwrap();
        let group = version.split_once('/').map_or("core", |(group, _)| group).to_owned();
        (group, text("/kind").unwrap(), text("/metadata/namespace"), text("/metadata/name").unwrap())
    }

    /// The files of `oc adm inspect` (`pkg/cli/admin/inspect`): a list for each kind of a namespace that it collects as a whole, a
    /// file for any other object, a namespace in two places, a pod in three, and Secrets without their values.
    #[test]
    fn must_gather_is_read() {
        const LISTED: [&str; 8] =
            ["Deployment", "StatefulSet", "Service", "Pod", "ConfigMap", "Secret", "EndpointSlice", "ReplicaSet"];
        let directory = tempfile::tempdir().unwrap();
        let mut files = BTreeMap::from([
            ("version".to_owned(), "openshift/must-gather\n4.20.0\n".to_owned()),
            ("timestamp".to_owned(), "2026-11-20 09:00:00 +0000 UTC\n".to_owned()),
            ("event-filter.html".to_owned(), "<html>".to_owned()),
            ("img/event-filter.json".to_owned(), "{\"no\": \"object\"}".to_owned()),
            ("img/namespaces/shop/pods/web/web/web/logs/current.log".to_owned(), "kind: Pod".to_owned()),
        ]);
        let elided = |size: usize| base64::engine::general_purpose::STANDARD.encode(format!("{size} bytes long"));
        let connection = json!({
            "apiVersion": "v1", "kind": "Secret", "type": "connection.crossplane.io/v1alpha1",
            "metadata": {"name": "gcp-k8s-prod", "namespace": "default"},
            "data": {"kubeconfig": elided(2718), "endpoint": elided(22)},
        });
        let mut lists: BTreeMap<String, Value> = BTreeMap::new();
        let yaml = |object: &Value| format!("---\n{object}\n");
        for mut object in objects().into_iter().chain([connection]) {
            let (group, kind, namespace, name) = parts(&object);
            let Some(namespace) = namespace else {
                if kind == "Namespace" {
                    files.insert(format!("img/namespaces/{name}/{name}.yaml"), yaml(&object));
                }
                let path = format!("img/cluster-scoped-resources/{group}/{}/{name}.yaml", plural(&kind));
                files.insert(path, yaml(&object));
                continue;
            };
            let below = format!("img/namespaces/{namespace}");
            if kind == "Pod" {
                files.insert(format!("{below}/pods/{name}/{name}.yaml"), yaml(&object));
            }
            if !LISTED.contains(&kind.as_str()) {
                files.insert(format!("{below}/{group}/{}/{name}.yaml", plural(&kind)), yaml(&object));
                continue;
            }
            let version = object["apiVersion"].clone();
            if kind == "Secret" {
                // It is read into a type of Go, whose items do not say what they are.
                object.as_object_mut().unwrap().retain(|key, _| key != "kind" && key != "apiVersion");
            }
            let list = lists.entry(format!("{below}/{group}/{}.yaml", plural(&kind))).or_insert_with(
                || json!({"apiVersion": version, "kind": format!("{kind}List"), "metadata": {}, "items": []}),
            );
            list["items"].as_array_mut().unwrap().push(object);
        }
        files.extend(lists.iter().map(|(path, list)| (path.clone(), yaml(list))));
        files.insert(
            "img/namespaces/default/batch/jobs.yaml".to_owned(),
            "kind: JobList\napiVersion: batch/v1\nitems: null\n".to_owned(),
        );
        let (expected, resources) = (status(hub::QUOTES), ["resources", "--any", "-A", "-o", "name"]);
        let known = |path: &str| -> Vec<String> {
            let listed = run(ucp_from(path, resources)).expect(0).stdout;
            listed.lines().filter(|line| !line.starts_with("secret")).map(str::to_owned).collect()
        };
        for path in write(&directory, &files) {
            assert_eq!(status(&path), expected, "{path}");
            assert_eq!(known(&path), known(hub::QUOTES), "{path}");
            // The way into a cluster was elided, and nobody knows whether it is any good.
            let clusters = run(ucp_from(&path, ["clusters", "-o", "json"])).expect(4).json();
            let prod = clusters["items"].as_array().unwrap().iter().find(|one| one["name"] == "gcp-k8s-prod").unwrap();
            let said = (&prod["state"], &prod["reason"]);
            assert_eq!(said, (&json!("unknown"), &json!("its kubeconfig is redacted or not text")), "{prod}");
        }
    }

    #[test]
    fn troubleshoot_is_read_with_what_it_could_not_read() {
        let directory = tempfile::tempdir().unwrap();
        let mut lists: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for object in objects() {
            let (group, kind, namespace, _) = parts(&object);
            let (mut object, plural) = (object, plural(&kind));
            let namespace = namespace.unwrap_or_default();
            let path = match group.as_str() {
                "apps" => {
                    // Older bundles leave out what an array is of.
                    object.as_object_mut().unwrap().retain(|key, _| key != "kind" && key != "apiVersion");
                    format!("cluster-resources/{plural}/{namespace}.json")
                }
                group if namespace.is_empty() => format!("cluster-resources/custom-resources/{plural}.{group}.json"),
                group => format!("cluster-resources/custom-resources/{plural}.{group}/{namespace}.json"),
            };
            lists.entry(path).or_default().push(object);
        }
        let mut files: BTreeMap<String, String> =
            lists.into_iter().map(|(path, items)| (path, json!(items).to_string())).collect();
        files.insert("analysis.json".to_owned(), "[{\"name\": \"x\", \"severity\": \"warn\"}]".to_owned());
        files
            .insert("version.yaml".to_owned(), "apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\n".to_owned());
        files.insert("cluster-resources/resources.json".to_owned(), "[{\"groupVersion\": \"v1\"}]".to_owned());
        files.insert("cluster-resources/pods-errors.json".to_owned(), "null".to_owned());
        let expected = status(hub::QUOTES);
        for path in write(&directory, &files) {
            assert_eq!(status(&path), expected, "{path}");
        }
        let refusal = json!({"buckets.example.org": "buckets.example.org is forbidden: User \"x\" cannot list"});
        files.insert("cluster-resources/custom-resources/custom-resources-errors.json".to_owned(), refusal.to_string());
        let second = tempfile::tempdir().unwrap();
        for path in write(&second, &files) {
            let ran = run(ucp_from(&path, ["status", "-o", "json"])).expect(4);
            assert_eq!(ran.unknown(), ["buckets.example.org"]);
        }
    }

    #[test]
    fn what_cluster_info_dump_prints_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("dump.txt").display().to_string();
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects()});
        let logs = "==== START logs for container c of pod default/p ====\n{ not: json\n==== END logs for container c of pod default/p ====\n";
        fs::write(&path, format!("{list}\n{logs}{{\"kind\": \"EventList\", \"apiVersion\": \"v1\", \"items\": []}}\n"))
            .unwrap();
        assert_eq!(status(&path), status(hub::QUOTES));
    }

    /// It has no objects but those of Kubernetes itself.
    #[test]
    fn what_kubectl_itself_dumps_is_read() {
        let Some(cluster) = hub::quotes() else { return };
        let deployments = |ran: Ran| -> Vec<String> {
            let lines = ran.stdout.lines().filter(|line| line.starts_with("deployment.apps/"));
            lines.map(str::to_owned).collect()
        };
        let live = deployments(run(ucp_on(cluster, ["resources", "--any", "-A", "-o", "name"])));
        assert!(live.len() > 2, "{live:?}");
        let directory = tempfile::tempdir().unwrap();
        let dump = |arguments: &[&str]| {
            let output = cluster.kubectl(["cluster-info", "dump", "-A"]).args(arguments).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            output.stdout
        };
        let mut paths = Vec::new();
        for format in ["json", "yaml"] {
            let path = directory.path().join(format).display().to_string();
            dump(&["-o", format, "--output-directory", &path]);
            paths.push(path);
        }
        let printed = directory.path().join("printed.txt").display().to_string();
        fs::write(&printed, dump(&[])).unwrap();
        let archive = directory.path().join("json.tar.gz").display().to_string();
        let packed = Command::new("tar").args(["-C", &paths[0], "-czf", &archive, "."]).status().unwrap();
        assert!(packed.success());
        for path in paths.into_iter().chain([printed, archive]) {
            let ran = run(ucp_from(&path, ["resources", "--any", "-A", "-o", "name"]));
            assert_eq!(deployments(ran.clone().expect(0)), live, "{path}: {ran:?}");
        }
    }

    #[test]
    fn a_cut_archive_is_not_whole() {
        let directory = tempfile::tempdir().unwrap();
        let files =
            objects().into_iter().enumerate().map(|(number, object)| (format!("{number}.yaml"), object.to_string()));
        let [_, path] = write(&directory, &files.collect());
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() * 2 / 3]).unwrap();
        let ran = run(ucp_from(&path, ["status", "-o", "json"])).expect(4);
        assert!(ran.stdout.contains("the archive is corrupt"), "{}", ran.stdout);
    }
}
