//! `snapshot serve`: kubectl has the same output as for the cluster, secrets stay hidden, only the user reads it,
//! and kinds that were not read are no empty lists.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::command::{interruptible, run, signal, ucp, ucp_from, ucp_on};
use crate::support::{self, Cluster, Options, hub, load};

/// Kinds that one kubectl compares.
const AT_ONCE: usize = 12;

/// A running `snapshot serve`.
pub(crate) struct ServedSnapshot {
    child: Child,
    kubeconfig: PathBuf,
}

impl ServedSnapshot {
    pub(crate) fn start(snapshot: &str) -> Self {
        let mut command = interruptible(&ucp(["snapshot", "serve", snapshot]));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let path = line.trim().strip_prefix("export KUBECONFIG=").expect("a line for the shell");
        Self { kubeconfig: path.into(), child }
    }

    pub(crate) fn kubectl(&self, arguments: &[&str]) -> Output {
        Command::new("kubectl").arg("--kubeconfig").arg(&self.kubeconfig).args(arguments).output().unwrap()
    }

    /// Sends a request without a client, and returns the response.
    fn request(&self, head: &str) -> String {
        let (address, _) = self.address();
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.write_all(head.replace("ADDRESS", &address).as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response
    }

    /// The address, and the path with the ticket.
    fn address(&self) -> (String, String) {
        let kubeconfig: Value = serde_json::from_slice(&fs::read(&self.kubeconfig).unwrap()).unwrap();
        let server = kubeconfig["clusters"][0]["cluster"]["server"].as_str().unwrap();
        let (address, path) = server.strip_prefix("http://").unwrap().split_once('/').unwrap();
        (address.to_owned(), format!("/{path}"))
    }
}

impl Drop for ServedSnapshot {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn filled(name: &str) -> Option<Cluster> {
    let cluster = support::start(Options::named(name))?;
    for fixture in [hub::BAD_DAY, "tests/fixtures/served"] {
        load::load_as_of_now(&cluster, &Path::new(env!("CARGO_MANIFEST_DIR")).join(fixture))
            .expect("the fixture loads");
    }
    Some(cluster)
}

fn take(cluster: &Cluster, directory: &TempDir) -> String {
    let path = directory.path().join("core.tar.gz").display().to_string();
    run(ucp_on(cluster, ["snapshot", &path])).expect(0);
    path
}

pub(crate) fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Replaces ages, and the padding that depends on them.
fn without_ages(text: &str) -> String {
    let is_age = |word: &str| {
        let word = word.trim_matches(['(', ')']);
        word.ends_with(['s', 'm', 'h', 'd', 'y'])
            && word.starts_with(|character: char| character.is_ascii_digit())
            && word.chars().all(|character| character.is_ascii_digit() || "smhdy".contains(character))
    };
    let line = |line: &str| {
        let words = line.split_whitespace().map(|word| if is_age(word) { "AGE" } else { word });
        words.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn is_hidden(text: &str) -> bool {
    let decoded = BASE64.decode(text).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    text.contains("<hidden") || decoded.is_some_and(|decoded| decoded.contains("<hidden"))
}

/// Collects the places at which a served value differs, except for hidden values and for schemas of definitions.
fn differences(live: &Value, served: &Value, place: &str, found: &mut Vec<String>) {
    match (live, served) {
        (Value::Object(one), Value::Object(other)) => {
            for key in one.keys().chain(other.keys().filter(|key| !one.contains_key(*key))) {
                if key == "schema" && place.contains(".versions.") {
                    continue;
                }
                let of = |object: &serde_json::Map<String, Value>| object.get(key).cloned().unwrap_or_default();
                differences(&of(one), &of(other), &format!("{place}.{key}"), found);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (index, (one, other)) in one.iter().zip(other).enumerate() {
                differences(one, other, &format!("{place}.{index}"), found);
            }
        }
        (_, Value::String(text)) if is_hidden(text) => {}
        _ if live == served => {}
        _ => found.push(format!("{place}: {live} is served as {served}")),
    }
}

#[test]
fn kubectl_has_the_same_output_for_the_snapshot() {
    let Some(cluster) = filled("served") else { return };
    let directory = tempfile::tempdir().unwrap();
    let served = ServedSnapshot::start(&take(&cluster, &directory));
    let live = |arguments: &[&str]| cluster.kubectl(arguments.iter()).output().unwrap();
    let kinds = String::from_utf8(served.kubectl(&["api-resources", "--verbs=list", "-o", "name"]).stdout).unwrap();
    let (mut calls, mut wrong) = (0, Vec::new());
    let names = served.kubectl(&["get", &kinds.lines().collect::<Vec<_>>().join(","), "-A", "-o", "name"]);
    let errors = String::from_utf8(names.stderr).unwrap();
    assert!(errors.lines().all(|line| line.contains(" is not in the snapshot: ")), "{errors}");
    let is_missing = |kind: &str| errors.contains(&format!(" {kind} is not in the snapshot: "));
    // A server renews its own Lease all the time.
    let is_renewed = |kind: &&str| *kind == "leases.coordination.k8s.io";
    let compared: Vec<&str> = kinds.lines().filter(|kind| !is_missing(kind) && !is_renewed(kind)).collect();
    // Several kinds at once: a kubectl for each would spend most of its time on its own start.
    for some in compared.chunks(AT_ONCE) {
        let all = some.join(",");
        let lists = [live(&["get", &all, "-A", "-o", "json"]), served.kubectl(&["get", &all, "-A", "-o", "json"])];
        let [there, here] = lists.map(|list| serde_json::from_slice::<Value>(&list.stdout).unwrap());
        differences(&there, &here, &all, &mut wrong);
        // Hidden values have other lines, and definitions have no schemas.
        let is_hidden =
            |kind: &&str| ["secrets", "configmaps", "customresourcedefinitions.apiextensions.k8s.io"].contains(kind);
        let described = some.iter().copied().filter(|kind| !is_hidden(kind)).collect::<Vec<_>>().join(",");
        calls += 4 * some.len();
        let calls_of_kinds: [&[&str]; 3] =
            [&["get", &all, "-A"], &["get", &all, "-A", "-o", "wide"], &["describe", &described, "-A"]];
        for arguments in calls_of_kinds {
            let (there, here) = (text(&live(arguments)), text(&served.kubectl(arguments)));
            let (there, here) = (without_ages(&there), without_ages(&here));
            let line = |(there, here): &(&str, &str)| there != here && !here.contains("<hidden");
            if let Some((there, here)) = there.lines().zip(here.lines()).find(line) {
                wrong.push(format!("{arguments:?}: {there}\n  is served as\n  {here}"));
            }
            if there.lines().count() != here.lines().count() {
                wrong.push(format!("{arguments:?}: {} lines are {}", there.lines().count(), here.lines().count()));
            }
        }
    }
    for arguments in [
        &["get", "managed"][..],
        &["get", "all", "-n", "served"],
        &["get", "pods", "-n", "served", "-l", "app=web,tier!=front"],
        &["get", "pods", "-n", "served", "--field-selector", "status.phase=Running"],
        &["get", "pods", "-n", "served", "--field-selector", "spec.nowhere=1"],
        &["get", "pod/crashing", "deploy/web", "-n", "served"],
        &["get", "pod", "absent", "-n", "served"],
        &["get", "pods", "-n", "served", "--sort-by=.metadata.name", "--no-headers"],
        &["get", "pods", "-n", "served", "-o", "custom-columns=N:.metadata.name,P:.status.phase"],
        &["get", "pods", "-A", "--chunk-size=2", "-o", "name"],
        &["get", "svc", "-n", "served", "--show-labels", "--show-kind"],
        &["describe", "pod", "crashing", "-n", "served"],
        &["rollout", "history", "deployment/web", "-n", "served"],
        &["get", "nothings"],
    ] {
        let (there, here) = (live(arguments), served.kubectl(arguments));
        calls += 1;
        if (without_ages(&text(&there)), there.status.code()) != (without_ages(&text(&here)), here.status.code()) {
            wrong.push(format!("{arguments:?}: {}\n  is served as\n  {}", text(&there), text(&here)));
        }
    }
    assert!(wrong.is_empty(), "{} of {calls} calls:\n{}", wrong.len(), wrong.join("\n"));
    assert!(calls >= 300, "only {calls} answers were compared");
}

#[test]
fn this_program_has_the_same_output_for_a_served_snapshot() {
    let Some(cluster) = hub::bad_day() else { return };
    let directory = tempfile::tempdir().unwrap();
    let path = take(cluster, &directory);
    let served = ServedSnapshot::start(&path);
    for arguments in [&["status", "-o", "json"][..], &["resources", "-o", "json"], &["drift", "-o", "json"]] {
        let mut live = ucp(arguments);
        live.env("KUBECONFIG", &served.kubeconfig);
        let (live, taken) = (run(live), run(ucp_from(&path, arguments.iter().copied())));
        assert_eq!((live.code, live.comparable()), (taken.code, taken.comparable()), "{arguments:?}");
    }
}

#[test]
fn only_the_holder_of_the_kubeconfig_reads() {
    let served = ServedSnapshot::start(hub::QUOTES);
    let (_, path) = served.address();
    let status =
        |head: &str| served.request(&format!("{head}\r\nConnection: close\r\n\r\n")).lines().next().unwrap().to_owned();
    let ask = |method: &str, path: &str, host: &str| status(&format!("{method} {path} HTTP/1.1\r\nHost: {host}"));
    assert!(ask("GET", &format!("{path}/version"), "ADDRESS").contains("200"));
    assert!(ask("GET", "/version", "ADDRESS").contains("401"));
    assert!(ask("GET", "/guess/0/version", "ADDRESS").contains("401"));
    assert!(ask("GET", &format!("{path}9/version"), "ADDRESS").contains("401"));
    assert!(ask("GET", &format!("{path}/version"), "evil.example.org").contains("403"));
    assert!(ask("DELETE", &format!("{path}/api/v1/namespaces/default"), "ADDRESS").contains("405"));
    let file = fs::metadata(&served.kubeconfig).unwrap();
    #[cfg(unix)]
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&file.permissions()) & 0o777, 0o600);
    for arguments in
        [&["delete", "namespace", "default"][..], &["create", "configmap", "x"], &["label", "ns", "default", "a=b"]]
    {
        let refused = served.kubectl(arguments);
        assert!(!refused.status.success(), "{arguments:?}: {}", text(&refused));
    }
    assert!(!served.kubectl(&["auth", "can-i", "delete", "pods"]).status.success());
    assert!(served.kubectl(&["auth", "can-i", "list", "pods"]).status.success());
}

#[test]
fn kinds_that_were_not_read_are_an_error_and_not_an_empty_list() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("refused");
    fs::create_dir_all(path.join("namespaces/a/core")).unwrap();
    let index = r#"{"apiVersion":"ucp/v1","kind":"Snapshot","tool":"t","server":"https://x","takenAt":"2026-01-01T00:00:00Z",
        "namespace":"a","unreadable":[{"what":"secrets","reason":"secrets is forbidden"}],"kinds":[
        {"version":"v1","kind":"Secret","plural":"secrets","namespaced":true,"objects":0},
        {"version":"v1","kind":"Node","plural":"nodes"},
        {"version":"v1","kind":"ConfigMap","plural":"configmaps","namespaced":true,"objects":1}]}"#;
    fs::write(path.join("ucp-snapshot.yaml"), index).unwrap();
    let map = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m","namespace":"a"}}"#;
    fs::write(path.join("namespaces/a/core/configmaps.yaml"), map).unwrap();
    let served = ServedSnapshot::start(&path.display().to_string());
    let found = served.kubectl(&["get", "configmaps", "-o", "name"]);
    assert_eq!(text(&found), "configmap/m\n", "the namespace of the snapshot is the default");
    for (arguments, reason) in [
        (&["get", "secrets"][..], "secrets is forbidden"),
        (&["get", "nodes"], "the snapshot does not have this kind"),
        (&["get", "configmaps", "-A"], "of namespace a alone"),
        (&["get", "configmaps", "-n", "b"], "of namespace a alone"),
    ] {
        let refused = served.kubectl(arguments);
        assert!(!refused.status.success() && text(&refused).contains(reason), "{arguments:?}: {}", text(&refused));
    }
}

#[test]
fn a_list_warns_about_files_that_could_not_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let map = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m","namespace":"default"}}"#;
    fs::write(directory.path().join("a.yaml"), map).unwrap();
    fs::write(directory.path().join("b\n\u{e9}.yaml"), "apiVersion: v1\nkind: [\n").unwrap();
    let served = ServedSnapshot::start(&directory.path().display().to_string());
    let found = served.kubectl(&["get", "configmaps", "-o", "name"]);
    assert_eq!(String::from_utf8_lossy(&found.stdout), "configmap/m\n");
    let warning = String::from_utf8_lossy(&found.stderr);
    assert!(warning.contains("Warning: not in the snapshot") && warning.contains("\u{e9}.yaml"), "{warning}");
}

#[test]
fn a_command_gets_the_kubeconfig_and_decides_the_exit_code() {
    let serve = |script: &str| run(ucp(["snapshot", "serve", hub::QUOTES, "--", "sh", "-c", script]));
    let listed = serve("kubectl get providers.pkg.crossplane.io -o name").expect(0);
    assert!(listed.stdout.contains("provider.pkg.crossplane.io/"), "{listed:?}");
    assert_eq!(serve("exit 7").code, Some(7));
    let path = serve("echo $KUBECONFIG").expect(0).stdout;
    assert!(!Path::new(path.trim()).exists(), "it is removed at the end");
    let absent = run(ucp(["snapshot", "serve", hub::QUOTES, "--", "/nowhere/program"])).expect(3);
    assert!(absent.stderr.contains("cannot run /nowhere/program"), "{absent:?}");
}

#[test]
fn an_interrupt_ends_the_server_and_removes_the_kubeconfig() {
    let mut served = ServedSnapshot::start(hub::QUOTES);
    assert!(served.kubeconfig.exists());
    signal(&served.child, "INT");
    served.child.wait().unwrap();
    assert!(!served.kubeconfig.exists());
}

#[test]
fn a_watch_lists_the_existing_objects_and_ends() {
    let served = ServedSnapshot::start(hub::QUOTES);
    let listed = served.kubectl(&["get", "deployments", "-A", "--no-headers", "-o", "name"]);
    let watched = served.kubectl(&["get", "deployments", "-A", "--watch", "-o", "name"]);
    assert_eq!(text(&watched), text(&listed));
    let waited = served.kubectl(&["wait", "--for=condition=Nothing", "deployment", "--all", "-A", "--timeout=1s"]);
    assert!(!waited.status.success());
}
