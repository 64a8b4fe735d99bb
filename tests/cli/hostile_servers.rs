//! Servers that answer with more than anyone can hold, and credentials that no request can carry.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use ucp_client::source::live::api::{Api, JSON, ReadError};
use ucp_client::source::live::limit::ResponseLimit;
use ucp_client::source::live::write::ObjectPath;
use ucp_client::source::{ConnectionArgs, kubeconfig};
use ucp_core::model::object::ObjectName;
use ucp_core::model::request_path::RequestPath;

use crate::support;
use crate::support::command::{run, ucp};

/// An answer: its status, its `Content-Encoding`, and its body.
pub(crate) type Answer = (u16, &'static str, Vec<u8>);

/// A server on loopback, which answers by path. Returns its URL.
pub(crate) fn serve(answer: impl Fn(&str) -> Answer + Send + Sync + Clone + 'static) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            std::thread::spawn(move || {
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let mut line = String::new();
                while reader.read_line(&mut line).is_ok_and(|read| read > 0) {
                    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
                    let mut header = String::new();
                    while reader.read_line(&mut header).is_ok_and(|read| read > 2) {
                        header.clear();
                    }
                    let (status, encoding, body) = answer(&path);
                    let head = format!(
                        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Encoding: {encoding}\r\n\
                         Content-Length: {}\r\n\r\n",
                        body.len()
                    );
                    let mut stream = &stream;
                    if stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body)).is_err() {
                        return;
                    }
                    line.clear();
                }
            });
        }
    });
    url
}

pub(crate) fn plain(body: &Value) -> Answer {
    (200, "identity", body.to_string().into_bytes())
}

/// So many mebibytes of blanks, compressed.
pub(crate) fn bomb(status: u16, mebibytes: usize) -> Answer {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    let blanks = vec![b' '; 1 << 20];
    (0..mebibytes).for_each(|_| packer.write_all(&blanks).unwrap());
    (status, "gzip", packer.finish().unwrap())
}

fn connect(server: &str) -> Api {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("config");
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": ""}}],
        "clusters": [{"name": "c", "cluster": {"server": server}}],
    });
    std::fs::write(&path, config.to_string()).unwrap();
    let flags = ConnectionArgs { kubeconfig: Some(path), ..ConnectionArgs::default() };
    Api::connect(&kubeconfig::load(&flags).unwrap(), Duration::from_secs(60)).unwrap()
}

#[test]
fn decompressed_responses_are_limited_by_their_purpose() {
    let server = serve(|path| match path {
        "/version" => bomb(200, 4),
        "/error" => bomb(403, 4),
        _ => bomb(200, 160),
    });
    support::run(async || {
        let api = connect(&server);
        assert_eq!(api.version().await.unwrap_err(), ReadError::TooLarge { mebibytes: 1 });
        let refused = api.get("/error", JSON, ResponseLimit::Page).await.unwrap_err();
        assert_eq!(refused, ReadError::Denied { code: 403, message: "Forbidden".to_owned() });
        let object = ObjectPath::from_object_name(&ObjectName::secret("default", "x")).unwrap();
        let page = api.get("/page", JSON, ResponseLimit::Page).await;
        assert_eq!(page.unwrap_err(), ReadError::TooLarge { mebibytes: 128 });
        assert_eq!(api.read_object(&object).await.unwrap_err(), ReadError::TooLarge { mebibytes: 16 });
        let long = RequestPath::from_segments(["api"]).below(&"a".repeat(62 << 10));
        assert!(matches!(api.get(&long, JSON, ResponseLimit::Page).await.unwrap_err(), ReadError::Malformed(_)));
    });
}

#[test]
fn an_endless_list_is_unreadable() {
    let server = serve(|path| {
        let version = json!({"groupVersion": "argoproj.io/v1alpha1", "version": "v1alpha1"});
        match path.split('?').next().unwrap_or_default() {
            "/version" => plain(&json!({"gitVersion": "v1.36.0", "major": "1", "minor": "36"})),
            "/apis" => plain(&json!({
                "kind": "APIGroupList", "apiVersion": "v1",
                "groups": [{"name": "argoproj.io", "versions": [version], "preferredVersion": version}],
            })),
            "/apis/argoproj.io/v1alpha1" => plain(&json!({
                "kind": "APIResourceList", "groupVersion": "argoproj.io/v1alpha1", "resources": [{
                    "name": "applications", "singularName": "application", "kind": "Application", "namespaced": true,
                    "verbs": ["list"],
                }],
            })),
            "/apis/argoproj.io/v1alpha1/applications" => {
                plain(&json!({"kind": "ApplicationList", "metadata": {"continue": "again"}, "items": []}))
            }
            _ => plain(&json!({"kind": "APIResourceList", "groupVersion": "v1", "resources": []})),
        }
    });
    let ran = run(ucp(["status", "--server", &server])).expect(4);
    assert!(ran.stdout.contains("continue token twice") || ran.stderr.contains("continue token twice"), "{ran:?}");
}

/// The names of objects, groups and plurals are parts of paths in a snapshot.
#[test]
fn a_snapshot_writes_nothing_outside_of_itself() {
    const OUT: &str = "../../../out";
    let object = |namespace: &str, name: &str| json!({"metadata": {"namespace": namespace, "name": name}});
    let server = serve(move |path| {
        let group = |name: &str| {
            let version = json!({"groupVersion": format!("{name}/v1"), "version": "v1"});
            json!({"name": name, "versions": [version], "preferredVersion": version})
        };
        let resource = |plural: &str, kind: &str, namespaced: bool| json!({"name": plural, "singularName": "", "kind": kind, "namespaced": namespaced, "verbs": ["list", "get"]});
        let resources = |version: &str, all: &[Value]| {
            plain(&json!({"kind": "APIResourceList", "groupVersion": version, "resources": all}))
        };
        let list = |items: &[Value]| plain(&json!({"kind": "List", "apiVersion": "v1", "items": items}));
        let path = path.split('?').next().unwrap_or_default();
        match path {
            "/version" => plain(&json!({"gitVersion": "v1.36.0", "major": "1", "minor": "36"})),
            "/api" => plain(&json!({"kind": "APIVersions", "versions": ["v1"]})),
            "/api/v1" => resources("v1", &[resource("configmaps", "ConfigMap", true)]),
            "/apis" => plain(&json!({
                "kind": "APIGroupList", "apiVersion": "v1",
                "groups": [group("apiextensions.k8s.io"), group(OUT), group("argoproj.io")],
            })),
            "/apis/apiextensions.k8s.io/v1" => {
                let kind = resource("customresourcedefinitions", "CustomResourceDefinition", false);
                resources("apiextensions.k8s.io/v1", &[kind])
            }
            "/apis/argoproj.io/v1" => resources("argoproj.io/v1", &[resource(OUT, "Application", true)]),
            "/api/v1/configmaps" => {
                list(&[object("shop", "kept"), object(OUT, "escapes"), object("/tmp/out", "escapes")])
            }
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions" => list(&[object("", OUT), object("", "a\\b")]),
            _ if path.ends_with("/v1") => resources(&format!("{OUT}/v1"), &[resource("things", "Thing", true)]),
            _ => list(&[object("shop", "thing")]),
        }
    });
    let directory = tempfile::tempdir().unwrap();
    let inside = directory.path().join("a/b/c/d");
    std::fs::create_dir_all(&inside).unwrap();
    for target in ["snapshot", "snapshot.tar.gz"] {
        let mut command = ucp(["snapshot", "--server", &server]);
        command.arg(inside.join(target));
        let ran = run(command).expect(4);
        assert!(ran.stderr.contains("no object can have the name or namespace of 2 of its objects"), "{ran:?}");
    }
    let kept = std::fs::read_to_string(inside.join("snapshot/namespaces/shop/core/configmaps.yaml")).unwrap();
    assert!(kept.contains("kept") && !kept.contains("escapes"), "{kept}");
    let mut left: Vec<_> = std::fs::read_dir(&inside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["snapshot", "snapshot.tar.gz"]);
    for above in [directory.path().to_owned(), directory.path().join("a"), directory.path().join("a/b/c")] {
        assert_eq!(std::fs::read_dir(&above).unwrap().count(), 1, "{}", above.display());
    }
}

#[cfg(unix)]
#[test]
fn a_token_of_an_exec_plugin_with_a_line_break_is_an_error_too() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("kubeconfig");
    for status in [
        json!({"token": "s3cr3t-canary\n"}),
        json!({"token": "s3cr3t-canary\r\n", "expirationTimestamp": "2100-01-01T00:00:00Z"}),
        json!({"token": "s3cr3t-\u{1b}[31mcanary"}),
    ] {
        let credential =
            json!({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": status});
        let exec = json!({
            "apiVersion": "client.authentication.k8s.io/v1", "command": "echo", "args": [credential.to_string()],
            "interactiveMode": "Never",
        });
        let kubeconfig = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "k", "cluster": {"server": "http://127.0.0.1:1"}}],
            "users": [{"name": "u", "user": {"exec": exec}}],
            "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
        });
        std::fs::write(&path, kubeconfig.to_string()).unwrap();
        let ran = run(ucp(["status", "--kubeconfig", path.to_str().unwrap()])).expect(3);
        assert!(ran.stderr.contains("token of the exec plugin"), "{ran:?}");
        assert!(!ran.stderr.contains("canary"), "{ran:?}");
    }
}

#[test]
fn a_token_with_a_line_break_is_an_error_that_names_the_field_and_not_the_token() {
    for token in ["s3cr3t-canary\n", "s3cr3t-canary\r\n", "s3cr3t-\u{1b}[31mcanary"] {
        let ran = run(ucp(["status", "--server", "http://127.0.0.1:1", "--token", token])).expect(3);
        assert!(ran.stderr.contains("http://127.0.0.1:1: the token of its credential"), "{ran:?}");
        assert!(!ran.stderr.contains("canary"), "{ran:?}");
    }
}
