//! `kubectl ucp clusters`

use std::io::Write as _;
use std::net::TcpListener;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use k8s_openapi::ByteString;
use serde_json::{Value, json};

use crate::fleet::{Corner, check_adoptable, checked, connection_secret, document, fleet, kubeconfig_of, text};
use crate::support::address::Addresses;
use crate::support::certificates::{Authority, Validity};
use crate::support::command::{self, CANARY};
use crate::support::hub::QUOTES;
use crate::support::kubeconfig::{self, Credential};

fn snapshot(objects: &[Value], arguments: &[&str]) -> Output {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
    let mut child = command::ucp(["clusters", "--from", "-"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A usage error does not wait for the snapshot.
    let _ = child.stdin.take().unwrap().write_all(list.to_string().as_bytes());
    checked(child.wait_with_output().unwrap())
}

fn item<'a>(list: &'a Value, name: &str) -> &'a Value {
    let items = list["items"].as_array().unwrap();
    items.iter().find(|item| item["name"] == name).unwrap_or_else(|| panic!("no {name} in {list:#}"))
}

fn managed(api_version: &str, kind: &str, name: &str, status: Value) -> Value {
    json!({
        "apiVersion": api_version, "kind": kind, "metadata": {"name": name, "uid": format!("uid-{name}")},
        "spec": {"forProvider": {}, "writeConnectionSecretToRef": {"name": name, "namespace": "default"}},
        "status": {"atProvider": status},
    })
}

fn secret(namespace: &str, name: &str, kind: &str, key: &str, kubeconfig: &Value) -> Value {
    let mut secret = connection_secret(namespace, name, kubeconfig);
    let data = secret["data"]["kubeconfig"].take();
    secret["type"] = json!(kind);
    secret["data"] = json!({ key: data });
    secret
}

#[test]
fn the_password_of_a_server_url_is_in_no_output() {
    let url = format!("https://user:{CANARY}@10.0.0.1:6443/?token={CANARY}");
    let objects = [registration("argocd", "cluster-prod", "prod", &url)];
    for format in ["wide", "json", "yaml", "markdown"] {
        let output = snapshot(&objects, &["-o", format]);
        assert!(text(&output).contains("prod"), "{output:?}");
    }
}

fn registration(namespace: &str, secret: &str, name: &str, server: &str) -> Value {
    let config = json!({"bearerToken": CANARY, "tlsClientConfig": {"insecure": false}});
    let text = |text: &str| ByteString(text.as_bytes().to_vec());
    json!({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
        "metadata": {
            "name": secret, "namespace": namespace, "labels": {"argocd.argoproj.io/secret-type": "cluster"},
        },
        "data": {"name": text(name), "server": text(server), "config": text(&config.to_string())},
    })
}

fn aws_token(signed: &str) -> String {
    let url = format!("https://sts.amazonaws.com/?X-Amz-Credential={CANARY}&X-Amz-Date={signed}&X-Amz-Expires=60");
    format!("k8s-aws-v1.{}", URL_SAFE_NO_PAD.encode(url))
}

/// One of each kind in the table of `facts/crossplane.md`, and of each registration.
fn every_kind() -> Vec<Value> {
    let authority = Authority::create("snapshot").unwrap();
    let pem = authority.pem();
    let with = |server: &str, user: Value| kubeconfig_of(server, pem, user);
    let certificate = |validity| {
        let identity = authority.client("client", None, validity).unwrap();
        kubeconfig::user(&Credential::Certificate(identity))
    };
    let connection = |name: &str, server: &str, user: Value| connection_secret("default", name, &with(server, user));
    let moment = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "now", "namespace": "default", "creationTimestamp": "2026-11-21T12:00:00Z"},
    });
    let mut claim = secret(
        "team-a",
        "app-cluster",
        "connection.crossplane.io/v1alpha1",
        "kubeconfig",
        &with("https://gke.example.org", certificate(Validity::Valid)),
    );
    claim["metadata"]["ownerReferences"] = json!([{
        "apiVersion": "platform.example.org/v1", "kind": "AppCluster", "name": "app-cluster", "uid": "c", "controller": true,
    }]);
    let jwt =
        format!("{0}.{1}.{CANARY}", URL_SAFE_NO_PAD.encode("{}"), URL_SAFE_NO_PAD.encode(r#"{"exp":1795348800}"#));
    let mut redacted = connection("redacted", "https://redacted", json!({}));
    redacted["data"]["kubeconfig"] = json!("<redacted>");
    vec![
        moment,
        managed(
            "container.gcp.upbound.io/v1beta1",
            "Cluster",
            "gke-cert",
            json!({"endpoint": "gke.example.org", "id": "projects/p/locations/l/clusters/gke-cert"}),
        ),
        connection("gke-cert", "https://gke.example.org", certificate(Validity::Valid)),
        claim,
        managed("container.gcp.upbound.io/v1beta1", "Cluster", "gke-empty", json!({"endpoint": "34.1.2.3"})),
        connection("gke-empty", "https://34.1.2.3", json!({})),
        connection("aks-expired", "https://aks.example.org", certificate(Validity::Expired)),
        connection("eks-fresh", "https://eks-fresh.example.org", json!({"token": aws_token("20261121T115500Z")})),
        connection("eks-old", "https://eks-old.example.org", json!({"token": aws_token("20261121T110000Z")})),
        connection("eks-exec", "https://eks-exec.example.org", json!({"exec": {"command": "aws", "args": [CANARY]}})),
        connection("do-jwt", "https://do.example.org", json!({"token": jwt})),
        connection("basic", "https://basic.example.org", json!({"username": "admin", "password": CANARY})),
        secret(
            "vclusters",
            "vc-dev",
            "Opaque",
            "config",
            &with("https://localhost:8443", certificate(Validity::Valid)),
        ),
        secret(
            "fleet",
            "capi-kubeconfig",
            "cluster.x-k8s.io/secret",
            "value",
            &with("https://capi.example.org", certificate(Validity::Valid)),
        ),
        managed(
            "eks.aws.upbound.io/v1beta1",
            "Cluster",
            "eks-alone",
            json!({"arn": "arn:aws:eks:r:1:cluster/eks-alone"}),
        ),
        json!({
            "apiVersion": "eks.aws.upbound.io/v1beta1", "kind": "Cluster", "metadata": {"name": "eks-silent"},
            "spec": {"forProvider": {}},
        }),
        redacted,
        registration("argocd", "cluster-registered", "registered", "https://registered.example.org"),
        registration("argocd", "cluster-one", "twice", "https://twice.example.org"),
        registration("argocd", "cluster-two", "twice-again", "https://TWICE.example.org:443/"),
        registration("argocd", "cluster-three", "moved", "https://old.example.org"),
        registration("argocd", "cluster-four", "moved", "https://new.example.org"),
        registration("argocd", "cluster-hostile", "hos\u{1b}[31mtile\u{202e}", "https://hostile.example.org"),
        registration("argocd", "in-cluster", "in-cluster", "https://kubernetes.default.svc"),
        json!({
            "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
            "metadata": {"name": "apps", "namespace": "default"},
            "spec": {"kubeConfig": {"secretRef": {"name": "do-jwt", "key": "kubeconfig"}}},
        }),
        // Databases have connection Secrets, too.
        json!({
            "apiVersion": "v1", "kind": "Secret", "type": "connection.crossplane.io/v1alpha1",
            "metadata": {"name": "database", "namespace": "default"},
            "data": {"endpoint": "ZGI=", "password": "Y2FuYXJ5"},
        }),
    ]
}

#[test]
fn every_type_of_credential_is_recognized_in_a_snapshot() {
    let output = snapshot(&every_kind(), &["-o", "json"]);
    let list = document(&output);
    // Redacted values are unknown.
    assert_eq!(output.status.code(), Some(4), "{}", text(&output));
    let check = |name: &str, credential: &str, state: &str, reason: &str| {
        let item = item(&list, name);
        assert_eq!(item["credential"]["type"], credential, "{item:#}");
        assert_eq!(item["state"], state, "{item:#}");
        let printed = item["reason"].as_str().unwrap_or_default();
        assert!(printed.contains(reason) && (printed.is_empty() == reason.is_empty()), "{item:#}");
    };
    check("gke-cert", "client-certificate", "adoptable", "");
    check("gke-empty", "none", "unusable", "empty user");
    check("aks-expired", "client-certificate", "unusable", "expired at 2021-01-01 00:00:00Z");
    check("eks-fresh", "token", "adoptable", "");
    check("eks-old", "token", "unusable", "expired at 2026-11-21 11:15:00Z");
    check("eks-exec", "exec", "unusable", "uses an exec credential plugin");
    check("do-jwt", "token", "adopted", "");
    check("basic", "basic", "adoptable", "");
    check("dev", "client-certificate", "unusable", "localhost");
    check("capi", "client-certificate", "adoptable", "");
    check("eks-alone", "unknown", "unusable", "its connection Secret default/eks-alone does not exist");
    check("eks-silent", "none", "unusable", "no spec.writeConnectionSecretToRef");
    check("redacted", "unknown", "unknown", "redacted");
    check("registered", "token", "adopted", "");
    check("twice", "token", "duplicated", "Secrets cluster-one and cluster-two");
    check("moved", "token", "duplicated", "https://new.example.org, https://old.example.org");

    assert_eq!(list["items"][0]["state"], "duplicated", "problems come first");
    assert_eq!(list["items"].as_array().unwrap().len(), 18, "{list:#}");
    assert_eq!(item(&list, "gke-cert")["provisionedBy"]["apiVersion"], "container.gcp.upbound.io/v1beta1");
    assert_eq!(item(&list, "gke-cert")["credential"]["subject"], "client");
    assert_eq!(item(&list, "eks-fresh")["credential"]["expires"], "2026-11-21T12:10:00Z");
    assert_eq!(item(&list, "do-jwt")["credential"]["expires"], "2026-11-22T12:00:00Z");
    assert_eq!(item(&list, "do-jwt")["registeredWith"][0]["engine"], "flux");
    assert_eq!(item(&list, "capi")["provisionedBy"]["name"], "capi");
    assert_eq!(item(&list, "dev")["provisionedBy"]["kind"], "StatefulSet");
}

#[test]
fn no_output_format_contains_a_secret() {
    for format in
        ["table", "wide", "json", "yaml", "name", "markdown", "jsonpath={.items}", "custom-columns=A:.credential"]
    {
        let output = snapshot(&every_kind(), &["-o", format]);
        assert_eq!(output.status.code(), Some(4), "{}", text(&output));
        let printed = text(&output);
        assert!(!printed.contains(CANARY) && !printed.contains("PRIVATE"), "{format}: {printed}");
        assert!(format == "name" || !printed.contains("LS0tLS1CRUdJTi"), "{format}: {printed}");
    }
    // Broken in every way that a parser might quote.
    let broken = |content: &str| {
        json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "broken", "namespace": "a"},
            "data": {"kubeconfig": ByteString(content.as_bytes().to_vec())},
        })
    };
    for content in [
        CANARY,
        "users: [canary-that-must-never-sing",
        "users:\n- canary-that-must-never-sing\n",
        "{\"clusters\": \"canary-that-must-never-sing\"}",
    ] {
        let printed = text(&snapshot(&[broken(content)], &["-o", "json"]));
        assert!(printed.contains("unusable") && !printed.contains(CANARY), "{printed}");
    }
    let odd = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "odd", "namespace": "a"}, "data": CANARY, "type": [CANARY],
    });
    assert!(!text(&snapshot(&[odd], &[])).contains(CANARY));
}

#[test]
fn problems_set_the_exit_code_only_with_the_flag() {
    assert_eq!(snapshot(&every_kind(), &["--exit-code"]).status.code(), Some(1));
    let fine = [registration("argocd", "cluster-a", "a", "https://a.example.org")];
    assert_eq!(snapshot(&fine, &["--exit-code"]).status.code(), Some(0));
    assert_eq!(snapshot(&fine, &["--probe"]).status.code(), Some(2));
}

#[test]
fn credentials_are_unknown_in_a_snapshot_without_secrets() {
    let directory = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(QUOTES).unwrap().map(Result::unwrap) {
        if entry.file_name() != "credentials.yaml" {
            std::fs::copy(entry.path(), directory.path().join(entry.file_name())).unwrap();
        }
    }
    let snapshot = directory.path().to_str().unwrap();
    let output = checked(command::ucp_from(snapshot, ["clusters", "-o", "json"]).output().unwrap());
    assert_eq!(output.status.code(), Some(4), "{}", text(&output));
    let list = document(&output);
    for name in ["gcp-k8s-prod", "gcp-k8s-stage"] {
        let item = item(&list, name);
        assert_eq!(item["state"], "unknown", "{item:#}");
        assert_eq!(item["credential"]["type"], "unknown", "{item:#}");
    }
}

#[test]
fn forbidden_reads_are_reported() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "denied");
    corner.provision("prod", &fleet.app.server(), &corner.admin());
    let without_rights = fleet.core.kubeconfig_for("nobody-special", None);
    let output = checked(corner.ucp_with(without_rights, &["clusters"]).output().unwrap());
    assert_eq!(output.status.code(), Some(4), "{}", text(&output));
    assert!(text(&output).contains("secrets") && text(&output).contains("could not be read"), "{}", text(&output));
}

#[test]
fn fifty_clusters_are_probed_in_parallel() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "fifty");
    let addresses = Addresses::of(&fleet.app, 50, Duration::from_millis(400));
    let admin = corner.admin();
    let secrets = addresses.servers().iter().enumerate().map(|(index, server)| {
        corner.connection_secret(&format!("app-{index:02}"), &fleet.app.kubeconfig_with(server, &admin))
    });
    // It takes connections and never answers.
    let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let silent = format!("https://{}", silent.local_addr().unwrap());
    let lost = corner.connection_secret("lost", &fleet.app.kubeconfig_with(&silent, &admin));
    crate::support::run(async || {
        crate::support::load::load_objects(&fleet.core.client(), secrets.chain([lost]).collect()).await.unwrap();
    });
    let begun = Instant::now();
    let clusters = corner.clusters(&["--probe", "--request-timeout", "5s"]);
    let took = begun.elapsed();
    // Other tests' managed resources are of the whole cluster.
    let is_mine = |name: &str| name == "lost" || name.starts_with("app-");
    let clusters: Vec<_> = clusters.as_object().unwrap().iter().filter(|(name, _)| is_mine(name)).collect();
    assert_eq!(clusters.len(), 51);
    let mut sum = Duration::ZERO;
    for (name, cluster) in clusters {
        if name == "lost" {
            assert_eq!(cluster["state"], "unreachable", "{cluster:#}");
            assert!(cluster["reason"].as_str().unwrap().contains("no answer within 5s"), "{cluster:#}");
        } else {
            check_adoptable(cluster);
            assert!(cluster["probe"]["version"].as_str().unwrap().starts_with("v1."), "{cluster:#}");
            sum += Duration::from_millis(cluster["probe"]["latencyMilliseconds"].as_u64().unwrap());
        }
    }
    assert!(took < sum, "{took:?} is no less than one after another: {sum:?}");
}
