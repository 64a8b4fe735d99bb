//! `kubectl ucp adopt-cluster`, on a real core cluster and a real app cluster.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret, ServiceAccount};
use k8s_openapi::api::rbac::v1::{ClusterRoleBinding, RoleBinding};
use kube::api::{Api, ListParams, Patch, PatchParams, PostParams};
use kube::{Client, Config};
use serde_json::{Value, json};

use crate::fleet::{Corner, document, fleet, kubeconfig_of, text};
use crate::support;
use crate::support::address::Addresses;
use crate::support::audit::Request;
use crate::support::certificates::Validity;
use crate::support::kubeconfig::{self, Credential};

/// A client made of nothing but the `config` and `server` of a cluster Secret, as Argo CD makes one.
fn client_of(secret: &Secret) -> Client {
    let text = |key: &str| String::from_utf8(secret.data.as_ref().unwrap()[key].0.clone()).unwrap();
    let config: Value = serde_json::from_str(&text("config")).unwrap();
    let tls = &config["tlsClientConfig"];
    let user = json!({
        "token": config["bearerToken"],
        "client-certificate-data": tls["certData"],
        "client-key-data": tls["keyData"],
    });
    let mut made = Config::new(text("server").parse().unwrap());
    let authority: k8s_openapi::ByteString = serde_json::from_value(tls["caData"].clone()).unwrap();
    let pem = pem_blocks(&authority.0);
    made.root_cert = Some(pem);
    made.auth_info = serde_json::from_value(user).unwrap();
    Client::try_from(made).unwrap()
}

fn pem_blocks(pem: &[u8]) -> Vec<Vec<u8>> {
    use tokio_rustls::rustls::pki_types::CertificateDer;
    use tokio_rustls::rustls::pki_types::pem::PemObject as _;
    CertificateDer::pem_slice_iter(pem).map(|certificate| certificate.unwrap().to_vec()).collect()
}

fn secrets(corner: &Corner) -> BTreeMap<String, Secret> {
    support::run(async || {
        let api = Api::<Secret>::namespaced(corner.fleet.core.client(), &corner.namespace);
        let list = api.list(&ListParams::default()).await.unwrap();
        list.items.into_iter().map(|secret| (secret.metadata.name.clone().unwrap(), secret)).collect()
    })
}

fn adopt(corner: &Corner, arguments: &[&str]) -> (Value, Option<i32>, String) {
    let account = format!("kube-system/{}", corner.namespace);
    let arguments = [&["adopt-cluster", "--yes", "-o", "json", "--service-account", &account], arguments].concat();
    let output = corner.ucp(&arguments).output().unwrap();
    assert!(!output.stdout.is_empty(), "{}", text(&output));
    (document(&output)["items"].take(), output.status.code(), text(&output))
}

/// Everything that is not merely asked: an access review is a `create` that stores nothing.
fn writes(requests: Vec<Request>) -> Vec<String> {
    let is_read = |request: &Request| {
        matches!(request.verb.as_str(), "get" | "list" | "watch")
            || request.object.as_ref().is_some_and(|object| object.resource.starts_with("selfsubject"))
    };
    requests
        .into_iter()
        .filter(|request| !is_read(request))
        .map(|request| format!("{} {}", request.verb, request.uri))
        .collect()
}

#[test]
fn an_adopted_cluster_is_one_that_argocd_can_use() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "argocd");
    corner.provision("prod", &fleet.app.server(), &corner.admin());

    let (items, code, said) =
        adopt(&corner, &["prod", "--engine", "argocd", "--label", "environment=prod", "--project", "shop"]);

    assert_eq!((items[0]["state"].as_str(), code), (Some("adopted"), Some(0)), "{said}");
    let secret = secrets(&corner).remove("cluster-prod").unwrap();
    let labels = secret.metadata.labels.clone().unwrap();
    assert_eq!(labels["argocd.argoproj.io/secret-type"], "cluster");
    assert_eq!(labels["environment"], "prod");
    assert_eq!(secret.data.as_ref().unwrap()["project"].0, b"shop");
    let config = String::from_utf8(secret.data.as_ref().unwrap()["config"].0.clone()).unwrap();
    assert!(!config.contains("keyData"), "Crossplane's own credential is in the registration");
    support::run(async || {
        let namespaces = Api::<Namespace>::all(client_of(&secret)).list(&ListParams::default()).await.unwrap();
        assert!(namespaces.items.iter().any(|namespace| namespace.metadata.name.as_deref() == Some("kube-system")));
    });
    let clusters = corner.clusters(&[]);
    assert_eq!(clusters["prod"]["state"], "adopted", "{clusters:#}");
}

#[test]
fn a_second_run_writes_nothing_and_leaves_what_others_wrote() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "twice");
    corner.provision("prod", &fleet.app.server(), &corner.admin());
    let arguments = ["prod", "--engine", "argocd,flux", "--label", "environment=prod"];
    // Each engine has a ServiceAccount of its own.
    let run = |arguments: &[&str]| {
        for engine in ["argocd", "flux"] {
            let account = format!("kube-system/{}-{engine}", corner.namespace);
            let arguments =
                [&["adopt-cluster", "--yes", "--service-account", &account, "--engine", engine], arguments].concat();
            let output = corner.ucp(&arguments).output().unwrap();
            assert!(output.status.success(), "{}", text(&output));
        }
    };
    run(&[arguments[0], "--label", "environment=prod"]);
    support::run(async || {
        let api = Api::<Secret>::namespaced(fleet.core.client(), &corner.namespace);
        let labels = json!({"metadata": {"labels": {"team": "a"}, "annotations": {"note": "b"}}});
        api.patch("cluster-prod", &PatchParams::default(), &Patch::Merge(&labels)).await.unwrap();
    });
    let before = secrets(&corner);
    let marks = (fleet.core.audit_mark(), fleet.app.audit_mark());
    // With the flags, and without them: what was said once stays.
    run(&["prod", "--label", "environment=prod"]);
    run(&["prod"]);
    // Only what is about this corner: other tests write at the same time.
    let mine = |requests: Vec<Request>| {
        writes(requests.into_iter().filter(|request| request.uri.contains(&corner.namespace)).collect())
    };
    assert_eq!(mine(fleet.core.requests_since(marks.0)), Vec::<String>::new());
    assert_eq!(mine(fleet.app.requests_since(marks.1)), Vec::<String>::new());
    assert_eq!(secrets(&corner), before);

    run(&["prod", "--annotation", "owner=shop"]);
    let after = &secrets(&corner)["cluster-prod"].metadata;
    assert_eq!(after.labels.as_ref().unwrap()["team"], "a");
    assert_eq!(after.labels.as_ref().unwrap()["environment"], "prod");
    assert_eq!(after.annotations.as_ref().unwrap()["owner"], "shop");
    assert_eq!(after.annotations.as_ref().unwrap()["note"], "b");
}

#[test]
fn kubectl_uses_what_flux_gets() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "flux");
    corner.provision("stage", &fleet.app.server(), &corner.admin());
    let (items, _, said) = adopt(&corner, &["stage", "--engine", "flux", "--token-ttl", "1h"]);
    assert_eq!(items[0]["state"], "adopted", "{said}");
    let secret = secrets(&corner).remove("stage-kubeconfig").unwrap();
    assert_eq!(secret.metadata.labels.as_ref().unwrap()["reconcile.fluxcd.io/watch"], "Enabled");
    let path = fleet.app.directory().join("flux.kubeconfig");
    std::fs::write(&path, &secret.data.as_ref().unwrap()["value"].0).unwrap();
    let output = std::process::Command::new("kubectl")
        .args(["get", "namespaces", "-o", "name", "--kubeconfig"])
        .arg(path)
        .output()
        .unwrap();
    assert!(text(&output).contains("namespace/kube-system"), "{}", text(&output));
    let clusters = corner.clusters(&[]);
    let used = &clusters["stage"]["registeredWith"][0]["credential"];
    assert!(used["expires"].is_string(), "{clusters:#}");
}

#[test]
fn rights_in_namespaces_end_there() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "narrow");
    corner.provision("prod", &fleet.app.server(), &corner.admin());
    let (inside, outside) = (format!("{}-in", corner.namespace), format!("{}-out", corner.namespace));
    support::run(async || {
        for name in [&inside, &outside] {
            let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
            support::load::load_objects(&fleet.app.client(), vec![namespace]).await.unwrap();
        }
    });
    let (items, _, said) = adopt(&corner, &["prod", "--engine", "argocd", "--namespaces", &inside]);
    assert_eq!(items[0]["state"], "adopted", "{said}");
    let secret = secrets(&corner).remove("cluster-prod").unwrap();
    assert_eq!(secret.data.as_ref().unwrap()["namespaces"].0, inside.as_bytes());
    let object: ConfigMap = serde_json::from_value(json!({"metadata": {"name": "mine"}})).unwrap();
    support::run(async || {
        let client = client_of(&secret);
        let there = Api::<ConfigMap>::namespaced(client.clone(), &inside);
        there.create(&PostParams::default(), &object).await.unwrap();
        let elsewhere = Api::<ConfigMap>::namespaced(client.clone(), &outside);
        assert!(elsewhere.create(&PostParams::default(), &object).await.is_err());
        assert!(elsewhere.list(&ListParams::default()).await.is_err());
        assert!(Api::<Namespace>::all(client).list(&ListParams::default()).await.is_err());
    });

    // Wider rights replace narrow ones, and leave nothing of them.
    let (items, _, said) = adopt(&corner, &["prod", "--engine", "argocd", "--read-only"]);
    assert_eq!(items[0]["state"], "adopted", "{said}");
    support::run(async || {
        let client = client_of(&secret);
        Api::<Namespace>::all(client.clone()).list(&ListParams::default()).await.unwrap();
        let there = Api::<ConfigMap>::namespaced(client, &inside);
        assert!(there.delete("mine", &Default::default()).await.is_err());
        let bindings = Api::<RoleBinding>::namespaced(fleet.app.client(), &inside);
        assert_eq!(bindings.list(&ListParams::default()).await.unwrap().items.len(), 0);
    });
    assert!(!secrets(&corner)["cluster-prod"].data.as_ref().unwrap().contains_key("namespaces"));
}

#[test]
fn each_kind_of_credential_has_its_outcome() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "kinds");
    let app = &fleet.app;
    let addresses = Addresses::of(app, 8, Duration::ZERO);
    let mut servers = addresses.servers().iter();
    let mut put = |name: &str, user: Value| {
        corner.put(corner.connection_secret(name, &kubeconfig_of(servers.next().unwrap(), app.ca_pem(), user)));
    };
    put("cert", kubeconfig::user(&corner.admin()));
    put("weak", kubeconfig::user(&app.identity("client", None, Validity::Valid).unwrap()));
    put("bearer", json!({"token": support::cluster::TOKEN}));
    put("wrong", json!({"token": "canary-5f1c"}));
    put("empty", json!({}));
    put(
        "exec",
        json!({"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "touch", "args": ["/tmp/canary"]}}),
    );
    put("expired", kubeconfig::user(&app.identity("admin", Some("system:masters"), Validity::Expired).unwrap()));
    for (name, state, reason) in [
        ("cert", "adopted", ""),
        ("weak", "refused", "(user client) may not patch clusterroles.rbac.authorization.k8s.io"),
        ("bearer", "adopted", ""),
        ("wrong", "refused", "the server does not accept the credentials (401)"),
        ("empty", "refused", "holds no credential (empty user)"),
        ("exec", "refused", "starts a program"),
        ("expired", "refused", "expired at 2021-01-01"),
    ] {
        let account = format!("kube-system/{}-{name}", corner.namespace);
        let arguments =
            ["adopt-cluster", "--yes", "-o", "json", "--service-account", &account, name, "--engine", "argocd"];
        let output = corner.ucp(&arguments).output().unwrap();
        let said = text(&output);
        let items = document(&output)["items"].take();
        assert_eq!(items[0]["state"], state, "{said}");
        assert!(items[0]["reason"].as_str().unwrap_or_default().contains(reason), "{said}");
        assert_eq!(output.status.code(), Some(i32::from(state == "refused")), "{said}");
        assert!(!said.contains("canary-5f1c"), "{said}");
        let made = support::run(async || {
            let accounts = Api::<ServiceAccount>::namespaced(app.client(), "kube-system");
            accounts.get_opt(&format!("{}-{name}", corner.namespace)).await.unwrap().is_some()
        });
        assert_eq!(made, state == "adopted", "{name}");
    }
}
