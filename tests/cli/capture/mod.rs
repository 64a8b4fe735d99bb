//! `snapshot`: every command prints the same of it as of the cluster, no secret is in it, and it is whole or not there.

mod layouts;
mod secrets;

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

use crate::command_lists::{COMPARED_ELSEWHERE, COMPARED_WITH_SNAPSHOTS};
use crate::gitops::Gitops;
use crate::support::Cluster;
use crate::support::command::{CANARY, Ran, interruptible, run, ucp, ucp_from, ucp_on};
use crate::support::hub;
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::{self, Options, load};

#[test]
fn every_command_that_reads_snapshots_is_compared() {
    let mut command = ucp::cli::command();
    command.build();
    for name in command.get_subcommands().map(clap::Command::get_name) {
        let is_compared =
            COMPARED_WITH_SNAPSHOTS.iter().any(|arguments| arguments[0] == name) || COMPARED_ELSEWHERE.contains(&name);
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

/// Every text in an archive, including decoded base64.
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
        for arguments in COMPARED_WITH_SNAPSHOTS {
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

/// One namespace, and cluster-scoped objects: the same as with a live cluster.
#[test]
fn a_snapshot_of_a_namespace_is_the_same_as_its_live_state() {
    let Some(cluster) = hub::quotes() else { return };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("argocd.tar.gz").display().to_string();
    run(ucp_on(cluster, ["snapshot", &path, "-n", "argocd"])).expect(0);
    for arguments in [&["status", "-o", "json"][..], &["resources", "-o", "json"]] {
        let narrow = [arguments, &["-n", "argocd"]].concat();
        let (live, taken) = (run(ucp_on(cluster, narrow)), run(ucp_from(&path, arguments.iter().copied())));
        assert_eq!((taken.code, taken.comparable()), (live.code, live.comparable()), "{arguments:?}");
    }
    // Nothing of the others is in it, except objects there that an engine needs.
    let all = texts(&path);
    assert!(all.contains("namespaces/argocd/") && !all.contains("namespaces/default/core/secrets"), "{all}");
}

/// A kind that may not be read live is unknown in a snapshot, too, in the same words.
#[test]
fn a_forbidden_kind_is_unknown_in_the_snapshot_too() {
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

/// A kind that discovery omits for a moment is missing in the archive, and the index records it.
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
fn existing_files_are_overwritten_only_with_the_flag() {
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
        // Files that a killed run left are deleted by the next run.
        take(cluster, &directory, "next.tar.gz");
        assert!(!names(directory.path()).iter().any(|name| name.starts_with('.')));
    }
}

#[test]
fn two_snapshots_are_compared() {
    let (before, after) = ("tests/fixtures/compared/before.yaml", "tests/fixtures/compared/after.yaml");
    let diff = |arguments: &[&str]| run(ucp([&["snapshot", "diff"], arguments].concat()));
    let document = diff(&[before, after, "-o", "json"]).expect(1).json();
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
    let text = diff(&[before, after]).expect(1).stdout;
    assert!(text.contains("+ UCP501 bucket.s3.aws.upbound.io/a spec.forProvider.region"), "{text}");
    let same = diff(&[before, before]);
    assert!(same.stdout.contains("Nothing changed."), "{same:?}");
    assert!(diff(&[before, "-"]).expect(2).stderr.contains("standard input"));
}
