//! `--from`: real contents of people's files, and hostile ones.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::command::{CANARY, Ran, run, run_with_input, ucp, ucp_from};
use crate::support::hub::QUOTES;

const BUCKET: &str = "apiVersion: s3.example.org/v1
kind: Bucket
metadata: {name: logs, creationTimestamp: '2026-11-20T09:00:00Z'}
spec: {forProvider: {}, providerConfigRef: {name: default}}
status: {conditions: [{type: Ready, status: 'True', lastTransitionTime: '2026-11-20T09:01:00Z'}]}
";

fn directory(files: &[(&str, &[u8])]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    directory
}

fn status(path: &Path) -> Ran {
    run(ucp_from(path.to_str().unwrap(), ["status"]))
}

fn file(content: impl AsRef<[u8]>) -> (TempDir, Ran) {
    let directory = directory(&[("file.yaml", content.as_ref())]);
    let ran = status(&directory.path().join("file.yaml"));
    (directory, ran)
}

/// A copy of a snapshot without one of its files looks like a healthy cluster.
#[test]
fn a_missing_file_is_reported() {
    let index = "apiVersion: ucp/v1\nkind: Snapshot\ntool: x\nserver: https://core\ntakenAt: 2026-11-20T09:10:00Z\nkinds:\n\
                 - {group: s3.example.org, version: v1, kind: Bucket, plural: buckets, scope: Cluster, categories: [managed], objects: 2}\n";
    let name = |name: &str| BUCKET.replace("name: logs", &format!("name: {name}"));
    let place = |name: &str| format!("cluster-scoped-resources/s3.example.org/buckets/{name}.yaml");
    let (one, two) = (name("one"), name("two"));
    let files = [
        ("ucp-snapshot.yaml".to_owned(), index.as_bytes()),
        (place("one"), one.as_bytes()),
        (place("two"), two.as_bytes()),
    ];
    for (count, missing) in [(3, false), (2, true)] {
        let files: Vec<(&str, &[u8])> = files[..count].iter().map(|(path, text)| (path.as_str(), *text)).collect();
        let directory = directory(&files);
        let ran = run(ucp_from(directory.path().to_str().unwrap(), ["resources"]));
        let words = "1 of the 2 objects that the index of the snapshot counts are not in its files";
        assert_eq!(
            (
                format!("{}{}", ran.stdout, ran.stderr).replace(char::is_whitespace, " ").contains(words),
                ran.code == Some(4)
            ),
            (missing, missing),
            "{ran:?}"
        );
    }
}

#[test]
fn a_broken_file_is_reported_with_the_line_of_its_error() {
    for (content, place) in [
        (format!("{BUCKET}---\napiVersion: v1\nkind: [\n"), "file.yaml:8: it is not valid YAML: unclosed bracket"),
        (format!("{BUCKET}---\n\n\nkind: Secret\ndata: {{a: *{CANARY}}}\n"), "file.yaml:10: it is not valid YAML"),
        (format!("{{\n\"kind\": \"Secret\",\n\"data\": {CANARY}}}"), "file.yaml:3: it is not valid JSON"),
        ("[".repeat(200_000), "file.yaml:1: it is not valid JSON"),
        (format!("a: {}x", "- ".repeat(200_000)), "file.yaml:1: it is not valid YAML"),
    ] {
        let (_directory, ran) = file(content);
        let ran = ran.expect(3);
        assert!(ran.stderr.contains(place) && ran.stdout.is_empty(), "{place}: {ran:?}");
        assert!(ran.stderr.len() < 500, "{}", ran.stderr);
    }
}

#[test]
fn a_large_list_is_streamed_and_read_again_if_definitions_come_last() {
    let widget = |number: usize| {
        json!({
            "apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": format!("w{number}")},
            "spec": {"text": "x".repeat(1 << 10)},
            "status": {"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-20T09:00:00Z"}]},
        })
    };
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.example.org"},
        "spec": {
            "group": "example.org", "scope": "Cluster", "versions": [{"name": "v1", "served": true}],
            "names": {"kind": "Widget", "plural": "widgets", "categories": ["managed"]},
        },
    });
    let items: Vec<Value> = (0..5000).map(widget).chain([definition]).collect();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    assert!(list.len() > 5 << 20);
    let names = |text: &str| run_with_input(ucp(["resources", "--from", "-", "-o", "name"]), text).expect(0).stdout;
    assert_eq!(names(&list).lines().filter(|line| line.starts_with("widget.example.org/w")).count(), 5000);
    // An error after the objects has its position.
    let ran = run_with_input(ucp(["resources", "--from", "-"]), &list[..list.len() - 2]).expect(3);
    assert!(ran.stderr.contains("standard input:1: it is not valid JSON: EOF"), "{}", ran.stderr);
}

#[test]
fn a_namespace_without_objects_is_not_found() {
    let map = |name: &str, namespace: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}});
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [map("a", "platform"), map("b", "team")]});
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("hub.json");
    std::fs::write(&path, list.to_string()).unwrap();
    let list_namespace =
        |namespace: &str| run(ucp_from(path.to_str().unwrap(), ["resources", "--any", "-n", namespace])).stderr;
    let reported = list_namespace("platfrom");
    assert!(
        reported.contains("namespace 'platfrom' not found in the snapshot; did you mean 'platform'?"),
        "{reported}"
    );
    assert!(!list_namespace("team").contains("not found"), "{}", list_namespace("team"));
}

#[test]
fn an_empty_snapshot_is_never_ok() {
    for content in [&b""[..], b"\n\n", b"# only words\n", b"---\n---\n", b"{}", b"[]", b"hello: world\n", b"null"] {
        let (_directory, ran) = file(content);
        assert!(ran.clone().expect(3).stderr.contains("contains no Kubernetes objects"), "{ran:?}");
    }
    status(tempfile::tempdir().unwrap().path()).expect(3);
    run_with_input(ucp(["status", "--from", "-"]), "").expect(3);
    let (_directory, ran) = file(b"\xff\xfe\x00binary");
    assert!(ran.expect(3).stderr.contains("it is not UTF-8"));
    // An empty list is something: everything was asked for, and nothing is there.
    let (_directory, ran) = file("apiVersion: v1\nkind: List\nitems: []\n");
    assert!(ran.expect(3).stderr.contains("contains no Kubernetes objects"));
}

#[test]
fn other_files_of_a_directory_are_ignored() {
    let directory = directory(&[
        ("hub/bucket.yaml", BUCKET.as_bytes()),
        ("hub/more/deployment.json", br#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"}}"#),
        ("README.md", b"# kind: [\n"),
        (".git/index", b"\x00\x01"),
        ("picture.png", b"\x89PNG"),
        ("bom.yml", format!("\u{feff}{BUCKET}").replace("logs", "images").as_bytes()),
        ("empty.yaml", b""),
    ]);
    let ran = status(directory.path()).expect(0);
    assert!(ran.stdout.contains("2 managed resources"), "{ran:?}");

    // A file that looks like a manifest, and is not read, is reported.
    for (name, reason) in
        [("rest.txt", "rest.txt: it looks like a manifest"), ("rest.yaml.gz", "rest.yaml.gz: it is compressed")]
    {
        fs::write(directory.path().join(name), BUCKET).unwrap();
        let ran = status(directory.path()).expect(4);
        assert!(ran.stdout.contains(reason), "{reason}: {}", ran.stdout);
        fs::remove_file(directory.path().join(name)).unwrap();
    }

    // A broken file only affects itself.
    fs::write(directory.path().join("broken.yaml"), "kind: [").unwrap();
    fs::write(directory.path().join("values.yaml"), format!("password: {CANARY}")).unwrap();
    let ran = status(directory.path()).expect(4);
    assert!(ran.stdout.contains("2 managed resources"), "{ran:?}");
    for reason in ["broken.yaml:1: it is not valid YAML", "values.yaml:1: it is not a Kubernetes object"] {
        assert!(ran.stdout.contains(reason), "{reason}: {}", ran.stdout);
    }
}

#[cfg(unix)]
#[test]
fn circular_and_dangling_links_are_handled() {
    let directory = directory(&[("bucket.yaml", BUCKET.as_bytes())]);
    std::os::unix::fs::symlink(directory.path(), directory.path().join("again")).unwrap();
    std::os::unix::fs::symlink("/nowhere", directory.path().join("dangling.yaml")).unwrap();
    let ran = status(directory.path()).expect(4);
    assert!(ran.stdout.contains("1 managed resource\n") && ran.stdout.contains("dangling.yaml"), "{ran:?}");
}

#[test]
fn an_object_that_is_in_two_dumps_counts_once() {
    let later = BUCKET.replace("'True'", "'False'").replace("09:01", "12:00");
    let directory = directory(&[("a.yaml", BUCKET.as_bytes()), ("b.yaml", later.as_bytes())]);
    let ran = run(ucp_from(directory.path().to_str().unwrap(), ["resources", "--no-headers"])).expect(0);
    assert_eq!(ran.stdout, "Progressing   bucket.s3.example.org/logs   False   Unknown   3h\n");
}

#[test]
fn a_malformed_object_only_affects_itself() {
    let odd = BUCKET.replace("logs", "odd").replace("{forProvider: {}, providerConfigRef: {name: default}}", "5");
    let (_directory, ran) = file(format!("{BUCKET}---\n{odd}"));
    let ran = ran.expect(4);
    assert!(ran.stdout.contains("1 managed resource\n"), "{ran:?}");
    assert!(ran.stdout.contains("Bucket odd in ") && ran.stdout.contains("file.yaml:6"), "{ran:?}");
    // Controllers write null where Go has an empty list.
    let nulls = BUCKET.replace("{conditions: [", "{conditions: null, x: [");
    file(nulls).1.expect(0);
}

#[test]
fn an_alias_bomb_is_rejected() {
    let mut bomb = String::from("apiVersion: v1\nkind: ConfigMap\na0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        bomb.push_str(&format!("a{level}: &a{level} [{}]\n", format!("*a{}, ", level - 1).repeat(9)));
    }
    let (_directory, ran) = file(bomb);
    assert!(ran.clone().expect(3).stderr.contains("it is not valid YAML"), "{ran:?}");
}

/// 100 MB as `kubectl get -o json` writes them. YAML takes a debug build a third of a second a megabyte, so there it is
/// a tenth.
#[test]
fn large_snapshots_are_read() {
    let mut object: Value = serde_saphyr::from_str(BUCKET).unwrap();
    object["spec"]["forProvider"]["policy"] = json!("x".repeat(10_000));
    object["metadata"]["annotations"] = json!({"kubectl.kubernetes.io/last-applied-configuration": CANARY.repeat(400)});
    for (format, count) in [("json", 5_000), ("yaml", 500)] {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut writer = std::io::BufWriter::new(&file);
        let begin = r#"{"apiVersion": "v1", "kind": "List", "items": ["#;
        write!(writer, "{}", if format == "json" { begin } else { "apiVersion: v1\nkind: List\nitems:\n" }).unwrap();
        for number in 0..count {
            object["metadata"]["name"] = json!(format!("bucket-{number}"));
            // JSON is YAML, line by line.
            match (format, number) {
                ("yaml", _) => writeln!(writer, "- {object}").unwrap(),
                (_, 0) => write!(writer, "{object}").unwrap(),
                _ => write!(writer, ",\n{object}").unwrap(),
            }
        }
        writer.write_all(if format == "json" { b"]}" } else { b"" }).unwrap();
        drop(writer);
        let megabytes = file.as_file().metadata().unwrap().len() / 1_000_000;
        assert!(megabytes >= count / 50, "{megabytes} MB");
        let ran = status(file.path()).expect(0);
        assert!(ran.stdout.contains(&format!("{count} managed resources")), "{ran:?}");
    }
}

/// Control sequences of terminals, characters that change the direction of text, and line breaks.
const HOSTILE: &str = "a\u{1b}[31mred\u{1b}]0;title\u{7}\u{9b}2J\u{202e}gnp\u{200b}.exe\r\nnext\ttab|`<b>\u{0}";

fn is_tame(text: &str) -> bool {
    !text.chars().any(|character| !"\n\t".contains(character) && ucp_core::model::text::is_unsafe(character))
}

fn hostile_hub() -> Value {
    let name = format!("{HOSTILE}-name");
    let condition = |kind: &str, status: &str, message: &str| {
        json!({
            "type": kind, "status": status, "reason": HOSTILE, "message": message,
            "lastTransitionTime": "2026-11-20T09:00:00Z",
        })
    };
    let managed = json!({
        "apiVersion": format!("{HOSTILE}/v1"), "kind": format!("Kind{HOSTILE}"),
        // Names that no object can have make the others unreadable.
        "metadata": {
            "name": "a", "namespace": "b", "labels": {HOSTILE: HOSTILE},
            "annotations": {"crossplane.io/external-name": HOSTILE},
        },
        "spec": {"forProvider": {}, "providerConfigRef": {"name": HOSTILE}},
        "status": {"conditions": [condition("Synced", "False", &HOSTILE.repeat(2_000))]},
    });
    let application = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": name, "namespace": HOSTILE},
        "status": {
            "health": {"status": HOSTILE}, "sync": {"status": "OutOfSync"}, "reconciledAt": "2026-11-20T09:00:00Z",
            "conditions": [condition(&format!("{HOSTILE}Error"), "", HOSTILE)],
            "resources": [{"kind": HOSTILE, "name": HOSTILE, "status": "OutOfSync"}],
        },
    });
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {
            "name": name, "namespace": HOSTILE,
            "labels": {"app.kubernetes.io/part-of": "argocd", "app.kubernetes.io/version": HOSTILE},
        },
    });
    let odd = json!({"apiVersion": format!("{HOSTILE}/v1"), "kind": format!("Kind{HOSTILE}"), "metadata": {"name": name}, "spec": 1});
    json!({"apiVersion": "v1", "kind": "List", "items": [managed, application, deployment, odd]})
}

#[test]
fn control_characters_of_a_hub_do_not_reach_the_terminal() {
    let hub = hostile_hub().to_string();
    for command in ["status", "resources"] {
        for format in [
            "table",
            "wide",
            "name",
            "markdown",
            "json",
            "yaml",
            "jsonpath={.items[*].message}{.findings[*].message}{.unreadable}",
            "custom-columns=A:.findings,B:.items,C:.unreadable",
        ] {
            for columns in ["80", "20", "1", "0"] {
                let mut ucp = ucp([command, "--from", "-", "-o", format]);
                ucp.env("COLUMNS", columns);
                let ran = run_with_input(ucp, &hub).expect(4);
                assert!(is_tame(&ran.stdout), "{command} -o {format}: {:?}", ran.stdout);
                assert!(is_tame(&ran.stderr), "{command} -o {format}: {:?}", ran.stderr);
            }
        }
    }
    // One object, one line.
    let list = run_with_input(ucp(["resources", "--from", "-", "--no-headers"]), &hub).expect(4);
    assert_eq!(list.stdout.lines().count(), 1, "{:?}", list.stdout);
    // Programs get the text as it is.
    let list = run_with_input(ucp(["resources", "--from", "-", "-o", "json"]), &hub).expect(4).json();
    assert_eq!(list["items"][0]["externalName"], HOSTILE);
    assert_eq!(list["items"][0]["message"].as_str().unwrap().len(), HOSTILE.repeat(2_000).trim().len());
}

#[test]
fn very_long_messages_are_shortened_on_the_page() {
    for message in ["x".repeat(100_000), "word ".repeat(20_000), "größe\u{301}".repeat(10_000)] {
        let hub = json!({
            "apiVersion": "s3.example.org/v1", "kind": "Bucket", "metadata": {"name": "n".repeat(253)},
            "spec": {"forProvider": {}, "providerConfigRef": {"name": "x"}},
            "status": {"conditions": [{"type": "Synced", "status": "False", "message": message}]},
        });
        let page = run_with_input(ucp(["status", "--from", "-"]), hub.to_string()).expect(0).stdout;
        assert!(page.lines().count() < 20 && page.contains(" …\n"), "{page}");
        let wide = run_with_input(ucp(["status", "--from", "-", "-o", "wide"]), hub.to_string()).expect(0).stdout;
        assert!(wide.len() > message.len());
    }
}

#[test]
fn hostile_paths_and_patterns_are_harmless() {
    let ran = run(ucp_from("/no/\u{1b}[31m\u{202e}such", ["status"])).expect(3);
    assert!(is_tame(&ran.stderr), "{:?}", ran.stderr);
    let ran = run(ucp_from(QUOTES, ["resources", "\u{1b}[31mpods\u{202e}"])).expect(2);
    assert!(is_tame(&ran.stderr), "{:?}", ran.stderr);
}

#[test]
fn secrets_of_a_snapshot_are_never_printed() {
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "creds", "namespace": "crossplane-system"},
        "stringData": {"token": CANARY}, "data": {"password": CANARY},
    });
    let mut bucket: Value = serde_saphyr::from_str(&BUCKET.replace("'True'", "'False'")).unwrap();
    bucket["metadata"]["annotations"] = json!({
        "kubectl.kubernetes.io/last-applied-configuration": format!("{{\"spec\":{{\"password\":\"{CANARY}\"}}}}"),
    });
    bucket["spec"]["forProvider"] = json!({"masterPassword": CANARY, "passwordSecretRef": {"key": CANARY}});
    bucket["status"]["atProvider"] = json!({"token": CANARY});
    let mut odd = bucket.clone();
    odd["metadata"]["name"] = json!("odd");
    odd["spec"]["managementPolicies"] = json!(CANARY);
    odd["spec"]["providerConfigRef"] = json!(CANARY);
    let hub = json!({"apiVersion": "v1", "kind": "List", "items": [secret, bucket, odd]}).to_string();
    // Every run of a test looks for the canary.
    for command in ["status", "resources"] {
        for format in [
            "table",
            "wide",
            "json",
            "yaml",
            "name",
            "markdown",
            "jsonpath={}",
            "custom-columns=A:.items,B:.findings,C:.unreadable",
        ] {
            run_with_input(ucp([command, "--from", "-", "-o", format, "--stuck-after", "0"]), &hub).expect(4);
        }
    }
}
