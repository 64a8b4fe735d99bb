//! Several core clusters at once: `--contexts`, `--all-contexts` and several `--from`.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tempfile::TempDir;
use ucp::cli::heed::supports_flag;

use crate::gitops::Gitops;
use crate::support::cluster::Cluster;
use crate::support::command::{Ran, run, ucp};
use crate::support::hub::{self, BAD_DAY, QUOTES};

pub(crate) fn from(snapshots: &[&str], arguments: &[&str]) -> Ran {
    let flags = snapshots.iter().flat_map(|path| ["--from", path]);
    run(ucp(arguments.iter().copied().chain(flags)))
}

/// Commands that read several sources.
fn commands() -> Vec<String> {
    let mut command = ucp::cli::command();
    command.build();
    let names = command.get_subcommands().map(|command| command.get_name().to_owned());
    let prints = |name: &String| supports_flag(&[name.as_str()], "output");
    names.filter(|name| supports_flag(&[name.as_str()], "all_contexts") && prints(name)).collect()
}

/// The field of an item that names the core cluster: the source of a Secret is where it comes from.
fn field_of(item: &Value) -> &'static str {
    if item["core"].is_object() { "core" } else { "source" }
}

/// The sources of a document's items, as text.
pub(crate) fn sources_at(items: &Value) -> BTreeSet<String> {
    let of = |item: &Value| {
        let source = &item[field_of(item)];
        source["path"].as_str().or(source["context"].as_str()).map(str::to_owned)
    };
    items.as_array().into_iter().flatten().map(|item| of(item).unwrap_or_else(|| panic!("no source: {item}"))).collect()
}

fn without_source(items: &Value, of: &str) -> Vec<Value> {
    let is_meant = |item: &&Value| item[field_of(item)]["path"] == of || item[field_of(item)]["context"] == of;
    let bare = |item: &Value| {
        let (field, mut item) = (field_of(item), item.clone());
        item.as_object_mut().unwrap().remove(field);
        item
    };
    items.as_array().unwrap().iter().filter(is_meant).map(bare).collect()
}

#[test]
fn every_command_with_several_snapshots_reads_each_of_them() {
    let commands = commands();
    assert!(commands.len() >= 10, "{commands:?}");
    let repository = Gitops::paper("v2", "v1");
    for command in &commands {
        let more: &[&str] = match command.as_str() {
            "tree" => &["cluster.container/gcp-k8s-prod"],
            "teardown" => &["--all"],
            "images" => &["-C", repository.top().to_str().unwrap()],
            _ => &[],
        };
        let ran = from(&[QUOTES, BAD_DAY], &[&[command, "-o", "json"], more].concat());
        let document = ran.json();
        // The repository is not changed.
        assert_eq!(document.get("source").is_some(), command == "images", "{command}");
        let paths: Vec<_> = document["sources"].as_array().unwrap().iter().map(|source| &source["path"]).collect();
        assert_eq!(paths, [QUOTES, BAD_DAY], "{command}");
        for (field, items) in document.as_object().unwrap() {
            if ["sources", "environments"].contains(&field.as_str()) || command == "conflicts" || !items.is_array() {
                continue;
            }
            let found = sources_at(items);
            assert!(
                found.iter().all(|path| [QUOTES, BAD_DAY].contains(&path.as_str())),
                "{command} {field}: {found:?}"
            );
        }
    }
}

#[test]
fn each_of_several_sources_has_the_result_that_it_has_alone() {
    for (command, fields) in [
        ("status", &["engines", "unreadable"][..]),
        ("resources", &["items", "unreadable"]),
        ("drift", &["items", "unreadable"]),
        ("clusters", &["items", "unreadable"]),
        ("doctor", &["checks", "unreadable"]),
    ] {
        let both = from(&[QUOTES, BAD_DAY], &[command, "-o", "json"]).json();
        for path in [QUOTES, BAD_DAY] {
            let alone = from(&[path], &[command, "-o", "json"]).json();
            for field in fields {
                assert_eq!(Value::Array(without_source(&both[field], path)), alone[field], "{command} {path} {field}");
            }
        }
    }
}

#[test]
fn the_worst_objects_of_all_sources_come_first() {
    for order in [[QUOTES, BAD_DAY], [BAD_DAY, QUOTES]] {
        let items = from(&order, &["resources", "-o", "json"]).expect(0).json()["items"].clone();
        let items = items.as_array().unwrap();
        assert_eq!(items[0]["verdict"], "Failed");
        assert_eq!(items[0]["source"]["path"], BAD_DAY);
        let well: BTreeSet<_> =
            items.iter().filter(|item| item["verdict"] == "OK").map(|item| item["source"]["path"].as_str()).collect();
        assert_eq!(well.len(), 2);
        assert_eq!(items.last().unwrap()["verdict"], "OK");
    }
    let table = from(&[QUOTES, BAD_DAY], &["resources"]).expect(0).stdout;
    assert!(table.starts_with("CONTEXT "), "{table}");
    let page = from(&[QUOTES, BAD_DAY], &["status"]).expect(0).stdout;
    assert!(page.contains("\nCONTEXT ") && page.contains("UCP110  tests/fixtures/bad-day  "), "{page}");
    // The next command asks where the finding is.
    let hints = from(&[QUOTES, BAD_DAY], &["status", "-o", "json"]).json()["findings"].clone();
    let ours = hints.as_array().unwrap().iter().filter_map(|finding| finding["hint"].as_str());
    let ours: Vec<_> = ours.filter(|hint| hint.starts_with("kubectl ucp ")).collect();
    assert!(!ours.is_empty() && ours.iter().all(|hint| hint.ends_with("--from tests/fixtures/bad-day")), "{ours:?}");
    let exit = from(&[QUOTES, BAD_DAY], &["status", "--exit-code", "-o", "name"]);
    assert_eq!(exit.code, Some(1));
}

#[test]
fn an_object_of_any_source_is_found() {
    let named = |name: &str| from(&[QUOTES, BAD_DAY], &["resources", "cluster.container", name, "-o", "name"]);
    let some = from(&[QUOTES], &["resources", "-o", "json"]).json()["items"][0]["object"].clone();
    let (kind, name) = (some["kind"].as_str().unwrap(), some["name"].as_str().unwrap());
    let found = from(&[BAD_DAY, QUOTES], &["resources", kind, name, "-o", "json"]).expect(0).json();
    assert!(found["items"].as_array().unwrap().iter().any(|item| item["object"] == some));
    // Only one of them knows the kind.
    let only = from(&[QUOTES, BAD_DAY], &["resources", "database", "-o", "json"]).expect(0).json();
    assert_eq!(sources_at(&only["items"]), BTreeSet::from([BAD_DAY.to_owned()]));
    let ran = named("no-such-cluster").expect(3);
    assert!(ran.stderr.contains("\"no-such-cluster\" not found"), "{}", ran.stderr);
    from(&[QUOTES, BAD_DAY], &["resources", "no-such-kind"]).expect(2);
}

#[test]
fn flags_that_exclude_each_other_are_refused() {
    let kubeconfig = tempfile::NamedTempFile::new().unwrap();
    let kubeconfig = kubeconfig.path().to_str().unwrap();
    for (arguments, expected) in [
        (&["status", "--contexts", "a", "--context", "b"][..], "--contexts and --context exclude"),
        (&["status", "--all-contexts", "--context", "b"], "--all-contexts and --context exclude"),
        (&["status", "--contexts", "a", "--all-contexts"], "--contexts and --all-contexts exclude"),
        (&["status", "--contexts", "a", "--from", QUOTES], "--contexts and --from exclude"),
        (&["status", "--all-contexts", "--token", "x"], "--all-contexts cannot be used with --token"),
        (&["status", "--contexts", "a", "--server", "https://x"], "--contexts cannot be used with --server"),
        (&["status", "--contexts", "a", "--watch"], "does not support --watch with several"),
        (&["resources", "--contexts", "a", "--watch"], "does not support --watch with several"),
        (&["drift", "--contexts", "a", "--repo", "."], "does not support --repo with several"),
        (&["status", "--from", "-", "--from", "-"], "standard input is one snapshot"),
        (&["import", "bucket.s3=logs", "--from", "a", "--from", "b"], "does not support --from more than once"),
        (&["tree", "x", "--from", "a", "--from", "b", "--app-from", "x=y"], "does not support --app-from without"),
        (&["status", "--contexts", "nobody"], "has no context 'nobody'"),
    ] {
        let mut command = ucp(arguments);
        command.env("KUBECONFIG", kubeconfig);
        let ran = run(command).expect(2);
        assert!(ran.stderr.contains(expected) && ran.stdout.is_empty(), "{arguments:?}: {}", ran.stderr);
    }
    from(&[QUOTES, "no-such-snapshot"], &["status"]).expect(3);
}

/// A snapshot that is broken costs itself.
#[test]
fn an_unreadable_snapshot_is_named_and_the_others_are_shown() {
    let directory = tempfile::tempdir().unwrap();
    let broken = directory.path().join("broken.yaml");
    std::fs::write(&broken, "a: [").unwrap();
    let broken = broken.to_str().unwrap();
    let ran = from(&[broken, QUOTES], &["status"]).expect(4);
    assert!(ran.stdout.contains("Unknown") && ran.stdout.contains("could not be read"), "{}", ran.stdout);
    assert!(ran.stdout.contains("Argo CD"), "{}", ran.stdout);
    let document = from(&[broken, QUOTES], &["resources", "-o", "json"]).expect(4).json();
    assert_eq!(document["unreadable"][0]["what"], "the snapshot");
    assert_eq!(document["unreadable"][0]["source"]["path"], broken);
    assert_eq!(from(&[broken, QUOTES], &["conflicts"]).code, Some(4));
    // A name that is nowhere may be there.
    let named = from(&[broken, QUOTES], &["resources", "cluster.container", "ghost"]);
    assert_eq!(named.code, Some(4), "{}", named.stderr);
    let ran = from(&[broken, broken], &["status"]);
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
}

/// A server that takes connections and never answers.
struct Silence {
    address: String,
    most: Arc<AtomicUsize>,
}

impl Silence {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let most = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&most);
        std::thread::spawn(move || {
            let open = Arc::new(AtomicUsize::new(0));
            for connection in listener.incoming() {
                let Ok(mut connection) = connection else { return };
                let (open, seen) = (Arc::clone(&open), Arc::clone(&seen));
                seen.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                std::thread::spawn(move || {
                    let mut buffer = [0; 512];
                    while connection.read(&mut buffer).is_ok_and(|read| read > 0) {}
                    open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Self { address, most }
    }

    fn server(&self) -> String {
        format!("https://{}", self.address)
    }
}

/// One kubeconfig with a context for each of others, by name, and for each server that has no file.
pub(crate) fn kubeconfig(directory: &Path, files: &[(&str, &Path)], servers: &[(&str, String)]) -> PathBuf {
    let (mut contexts, mut clusters, mut users) = (Vec::new(), Vec::new(), Vec::new());
    for (name, file) in files {
        let text = std::fs::read_to_string(file).unwrap();
        let one: Value = serde_saphyr::from_str(&text).unwrap();
        clusters.push(json!({"name": name, "cluster": one["clusters"][0]["cluster"]}));
        users.push(json!({"name": name, "user": one["users"][0]["user"]}));
        contexts.push(json!({"name": name, "context": {"cluster": name, "user": name}}));
    }
    for (name, server) in servers {
        clusters.push(json!({"name": name, "cluster": {"server": server}}));
        contexts.push(json!({"name": name, "context": {"cluster": name}}));
    }
    let path = directory.join("kubeconfig.json");
    let document = json!({
        "apiVersion": "v1", "kind": "Config", "contexts": contexts, "clusters": clusters, "users": users,
    });
    std::fs::write(&path, document.to_string()).unwrap();
    path
}

fn on(kubeconfig: &Path, arguments: &[&str]) -> Ran {
    let mut command = ucp(arguments);
    command.env("KUBECONFIG", kubeconfig);
    run(command)
}

/// A kubeconfig with two hubs, `well` and `ill`, a server that `hangs`, and a user of the first hub whom it `denies` all.
pub(crate) struct Contexts {
    pub(crate) well: &'static Cluster,
    pub(crate) ill: &'static Cluster,
    kubeconfig: PathBuf,
    _directory: TempDir,
    _silence: Silence,
}

impl Contexts {
    pub(crate) fn start() -> Option<Self> {
        let (well, ill) = (hub::quotes()?, hub::bad_day()?);
        let (directory, silence) = (tempfile::tempdir().unwrap(), Silence::start());
        let kubeconfig = kubeconfig(
            directory.path(),
            &[("well", well.kubeconfig()), ("ill", ill.kubeconfig()), ("denies", &well.kubeconfig_for("nobody", None))],
            &[("hangs", silence.server())],
        );
        Some(Self { well, ill, kubeconfig, _directory: directory, _silence: silence })
    }

    /// Runs a command with these flags for contexts.
    pub(crate) fn run(&self, flags: &[&str], arguments: &[&str]) -> Ran {
        on(&self.kubeconfig, &[arguments, &["--request-timeout", "3s"], flags].concat())
    }

    /// Runs a command for those of these names.
    pub(crate) fn run_for(&self, contexts: &str, arguments: &[&str]) -> Ran {
        self.run(&["--contexts", contexts], arguments)
    }
}

#[test]
fn clusters_that_hang_or_deny_only_affect_their_own_rows() {
    let Some(contexts) = Contexts::start() else { return };
    let all = |arguments: &[&str]| contexts.run_for("well,ill,hangs,denies", arguments);

    let ran = all(&["resources", "-o", "json"]).expect(4);
    let document = ran.json();
    assert_eq!(document["sources"].as_array().unwrap().len(), 4);
    assert_eq!(sources_at(&document["items"]), BTreeSet::from(["well".to_owned(), "ill".to_owned()]));
    for (name, cluster) in [("well", contexts.well), ("ill", contexts.ill)] {
        let mut command = ucp(["resources", "-o", "json"]);
        command.env("KUBECONFIG", cluster.kubeconfig());
        let alone = run(command).expect(0).json();
        let names = |items: Vec<Value>| items.into_iter().map(|item| item["object"].clone()).collect::<Vec<_>>();
        let items = alone["items"].as_array().unwrap().clone();
        assert_eq!(names(without_source(&document["items"], name)), names(items), "{name}");
    }
    let unread: BTreeSet<_> = sources_at(&document["unreadable"]);
    assert_eq!(unread, BTreeSet::from(["hangs".to_owned(), "denies".to_owned()]));

    let page = all(&["status"]).expect(4).stdout;
    let row = |name: &str| page.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    assert!(row("hangs").contains("Unknown") && row("hangs").contains("could not be read"), "{page}");
    assert!(row("well").contains("Crossplane") && row("ill").contains("Failed"), "{page}");
    assert!(page.contains("hangs: the cluster: ") && page.contains("denies: "), "{page}");
    // A finding takes precedence over a gap.
    all(&["status", "--exit-code", "-o", "name"]).expect(1);
    all(&["clusters", "-o", "json"]).expect(4);
    let drift = all(&["drift", "-o", "json"]);
    assert!(drift.json()["unreadable"].as_array().unwrap().iter().any(|entry| entry["source"]["context"] == "hangs"));

    // Every context of the file.
    let every = contexts.run(&["--all-contexts"], &["resources", "-o", "json"]).expect(4);
    assert_eq!(sources_at(&every.json()["items"]).len(), 2);
    // A context alone has the same form.
    let one = contexts.run_for("well", &["resources", "-o", "json"]).expect(0).json();
    assert_eq!(sources_at(&one["items"]), BTreeSet::from(["well".to_owned()]));
    // None that answers.
    contexts.run_for("hangs", &["status"]).expect(3);
    // A typo is reported before the first request.
    let ran = contexts.run_for("well,il", &["status"]).expect(2);
    assert!(ran.stderr.contains("no context 'il'; did you mean 'ill'?") && ran.stdout.is_empty(), "{}", ran.stderr);
}

#[test]
fn clusters_are_read_in_parallel() {
    let directory = tempfile::tempdir().unwrap();
    let silence = Silence::start();
    let names: Vec<String> = (0..10).map(|number| format!("core-{number}")).collect();
    let servers: Vec<_> = names.iter().map(|name| (name.as_str(), silence.server())).collect();
    let kubeconfig = kubeconfig(directory.path(), &[], &servers);
    let ran = on(&kubeconfig, &["status", "--all-contexts", "--request-timeout", "2s"]).expect(3);
    assert!(names.iter().all(|name| ran.stderr.contains(name)), "{}", ran.stderr);
    assert_eq!(silence.most.load(Ordering::SeqCst), 10);
}
