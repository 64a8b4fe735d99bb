//! `kubectl ucp adopt-cluster`, on a real core cluster and a real app cluster.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret, ServiceAccount};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding};
use kube::api::{Api, ListParams, Patch, PatchParams, PostParams};
use kube::{Client, Config};
use serde_json::{Value, json};

use crate::fleet::{Corner, document, fleet, kubeconfig_of, text};
use crate::support;
use crate::support::address::Addresses;
use crate::support::audit::Request;
use crate::support::certificates::Validity;
use crate::support::kubeconfig::{self, Credential};
use crate::support::proxy::{Fault, Proxy, Rule};

/// A client made of nothing but the `config` and `server` of a cluster Secret, as Argo CD makes one.
pub(crate) fn client_of(secret: &Secret) -> Client {
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

pub(crate) fn secrets(corner: &Corner) -> BTreeMap<String, Secret> {
    support::run(async || {
        let api = Api::<Secret>::namespaced(corner.fleet.core.client(), &corner.namespace);
        let list = api.list(&ListParams::default()).await.unwrap();
        list.items.into_iter().map(|secret| (secret.metadata.name.clone().unwrap(), secret)).collect()
    })
}

pub(crate) fn adopt(corner: &Corner, arguments: &[&str]) -> (Value, Option<i32>, String) {
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
    let marks = (fleet.core.audit_mark(), fleet.app.audit_mark());
    run(&["prod", "--label", "environment=prod"]);
    support::run(async || {
        let api = Api::<Secret>::namespaced(fleet.core.client(), &corner.namespace);
        let labels = json!({"metadata": {"labels": {"team": "a"}, "annotations": {"note": "b"}}});
        api.patch("cluster-prod", &PatchParams::default(), &Patch::Merge(&labels)).await.unwrap();
    });
    // Only what is about this corner: other tests write at the same time.
    let mine = |requests: Vec<Request>| {
        writes(requests.into_iter().filter(|request| request.uri.contains(&corner.namespace)).collect())
    };
    // For each engine a role, a binding, a ServiceAccount and a Secret there, and a Secret here.
    let by_us = |writes: Vec<String>| writes.into_iter().filter(|write| write.contains("kubectl-ucp")).count();
    assert_eq!(by_us(mine(fleet.app.requests_since(marks.1))), 8);
    assert_eq!(by_us(mine(fleet.core.requests_since(marks.0))), 2);
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

/// Names of everything in the app cluster that belongs to a ServiceAccount, as `Kind/name`.
pub(crate) fn belongings(corner: &Corner) -> Vec<String> {
    support::run(async || {
        let client = corner.fleet.app.client();
        let all = ListParams::default();
        let mut names = Vec::new();
        macro_rules! collect {
            ($($kind:ty => $title:literal),*) => {$(
                for item in Api::<$kind>::all(client.clone()).list(&all).await.unwrap().items {
                    names.push(format!("{}/{}", $title, item.metadata.name.unwrap()));
                }
            )*};
        }
        collect!(
            ServiceAccount => "ServiceAccount", ClusterRole => "ClusterRole", Secret => "Secret", Role => "Role",
            ClusterRoleBinding => "ClusterRoleBinding", RoleBinding => "RoleBinding"
        );
        names.retain(|name| name.contains(&corner.namespace));
        names.sort();
        names
    })
}

fn token_of(secret: &Secret) -> String {
    let config: Value = serde_json::from_slice(&secret.data.as_ref().unwrap()["config"].0).unwrap();
    config["bearerToken"].as_str().unwrap().to_owned()
}

/// Whether the app cluster still takes a token.
fn counts(corner: &Corner, token: &str) -> bool {
    let user = Credential::Token(token.to_owned());
    let kubeconfig = corner.fleet.app.save(&corner.fleet.app.kubeconfig_with(&corner.fleet.app.server(), &user));
    let output =
        std::process::Command::new("kubectl").args(["auth", "whoami", "--kubeconfig"]).arg(kubeconfig).output();
    output.unwrap().status.success()
}

#[test]
fn a_rotation_proves_the_new_token_and_revokes_the_old() {
    let Some(fleet) = fleet() else { return };
    for (name, lifetime) in [("lasting", [].as_slice()), ("bound", ["--token-ttl", "2h"].as_slice())] {
        let corner = Corner::of(fleet, name);
        corner.provision("prod", &fleet.app.server(), &corner.admin());
        let arguments = [&["prod", "--engine", "argocd"], lifetime].concat();
        adopt(&corner, &arguments);
        let old = token_of(&secrets(&corner)["cluster-prod"]);
        assert!(counts(&corner, &old));

        let (items, _, said) = adopt(&corner, &[&arguments[..], &["--rotate"]].concat());

        assert_eq!(items[0]["state"], "adopted", "{said}");
        let secret = secrets(&corner).remove("cluster-prod").unwrap();
        let new = token_of(&secret);
        assert_ne!(old, new);
        assert!(counts(&corner, &new));
        // Tokens are cached for some seconds.
        support::run(async || support::eventually(async || (!counts(&corner, &old)).then_some(())).await);
        assert!(!secret.metadata.annotations.unwrap().contains_key("kubectl-ucp.io/revoke"));
        let tokens: Vec<_> = belongings(&corner).into_iter().filter(|name| name.starts_with("Secret/")).collect();
        assert_eq!(tokens, [format!("Secret/{}-token-2", corner.namespace)]);
        let (items, _, said) = adopt(&corner, &["prod", "--engine", "argocd"]);
        assert_eq!(items[0]["state"], "unchanged", "{said}");
    }
}

#[test]
fn a_lost_token_is_replaced() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "lost");
    corner.provision("prod", &fleet.app.server(), &corner.admin());
    adopt(&corner, &["prod", "--engine", "argocd"]);
    let old = token_of(&secrets(&corner)["cluster-prod"]);
    support::run(async || {
        let accounts = Api::<ServiceAccount>::namespaced(fleet.app.client(), "kube-system");
        accounts.delete(&corner.namespace, &Default::default()).await.unwrap();
        support::eventually(async || (!counts(&corner, &old)).then_some(())).await;
    });
    let (items, _, said) = adopt(&corner, &["prod", "--engine", "argocd"]);
    assert_eq!(items[0]["state"], "adopted", "{said}");
    assert!(counts(&corner, &token_of(&secrets(&corner)["cluster-prod"])));
}

#[test]
fn a_recreated_cluster_is_found_and_brought_up_to_date() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "recreated");
    corner.provision("prod", &fleet.app.server(), &corner.admin());
    adopt(&corner, &["prod", "--engine", "argocd", "--token-ttl", "1h"]);
    // The core cluster stands for the new one: another URL, another authority, the same name.
    let admin = fleet.core.identity("cluster-admin", Some("system:masters"), Validity::Valid).unwrap();
    corner.put(corner.connection_secret("prod", &fleet.core.kubeconfig_with(&fleet.core.server(), &admin)));
    let clusters = corner.clusters(&[]);
    assert_eq!(clusters["prod"]["state"], "stale", "{clusters:#}");
    assert!(clusters["prod"]["reason"].as_str().unwrap().contains("the server moved"), "{clusters:#}");

    let (items, _, said) = adopt(&corner, &["prod", "--engine", "argocd"]);

    assert_eq!(items[0]["state"], "adopted", "{said}");
    let secret = secrets(&corner).remove("cluster-prod").unwrap();
    support::run(async || {
        let namespaces = Api::<Namespace>::all(client_of(&secret));
        namespaces.get(&corner.namespace).await.unwrap();
    });
    assert_eq!(corner.clusters(&[])["prod"]["state"], "adopted");
    let (items, _, said) = adopt(&corner, &["prod", "--engine", "argocd"]);
    assert_eq!(items[0]["state"], "unchanged", "{said}");
}

#[test]
fn a_failure_leaves_the_app_cluster_as_it_was() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "failure");
    let proxy = Proxy::start(&fleet.app).unwrap();
    let token = Credential::Token(support::cluster::TOKEN.to_owned());
    corner.provision("prod", &proxy.server(), &token);
    // The token is asked for, and no answer comes.
    proxy.add(Rule::on("/token", Fault::internal_error()).times(1));
    let (items, code, said) = adopt(&corner, &["prod", "--engine", "argocd", "--token-ttl", "1h"]);
    assert_eq!((items[0]["state"].as_str(), code), (Some("failed"), Some(3)), "{said}");
    assert!(items[0]["reason"].as_str().unwrap().contains("its token could not be had"), "{said}");
    assert_eq!(belongings(&corner), Vec::<String>::new());
    assert!(!secrets(&corner).contains_key("cluster-prod"));

    // And where even that fails, it says what is left.
    proxy.add(Rule::on("/token", Fault::internal_error()).times(1));
    proxy.add(Rule::on(&format!("/clusterroles/{}?field", corner.namespace), Fault::Delay(Duration::ZERO)));
    proxy.add(Rule::on(&format!("/clusterroles/{}", corner.namespace), Fault::Delay(Duration::ZERO)).times(2));
    proxy.add(Rule::on(&format!("/clusterroles/{}", corner.namespace), Fault::failure(403, "Forbidden", "no")));
    let (items, _, said) = adopt(&corner, &["prod", "--engine", "argocd", "--token-ttl", "1h"]);
    assert_eq!(items[0]["state"], "failed", "{said}");
    let left: Vec<_> =
        items[0]["left"].as_array().unwrap().iter().map(|object| object["kind"].as_str().unwrap()).collect();
    assert_eq!(left, ["ClusterRole"], "{said}");
}

#[test]
fn killed_after_any_write_it_ends_the_same() {
    let Some(fleet) = fleet() else { return };
    // What comes before the write at which it is killed: so many of the same request.
    let moments: [(&str, &str, usize, bool); 9] = [
        ("app", "/clusterroles/NAME?field", 0, false),
        ("app", "/serviceaccounts/NAME?field", 0, false),
        ("app", "/clusterrolebindings/NAME?field", 0, false),
        ("app", "/secrets/NAME-token-1?field", 0, false),
        ("core", "/secrets/cluster-prod?field", 0, false),
        ("app", "/secrets/NAME-token-2?field", 0, true),
        ("core", "/secrets/cluster-prod?field", 0, true),
        ("app", "/secrets/NAME-token-1", 0, true),
        ("core", "/secrets/cluster-prod?field", 1, true),
    ];
    let core = Proxy::start(&fleet.core).unwrap();
    for (cluster, part, before, is_rotation) in moments {
        let corner = Corner::of(fleet, "killed");
        let app = Proxy::start(&fleet.app).unwrap();
        corner.provision("prod", &app.server(), &Credential::Token(support::cluster::TOKEN.to_owned()));
        let account = format!("kube-system/{}", corner.namespace);
        let plain = ["adopt-cluster", "prod", "--yes", "--engine", "argocd", "--service-account", &account];
        let rotating = [&plain[..], &["--rotate"]].concat();
        let run = |arguments: &[&str]| {
            let output = corner.ucp_with(core.kubeconfig().to_owned(), arguments).output().unwrap();
            assert!(output.status.success(), "{}", text(&output));
        };
        if is_rotation {
            run(&plain);
        }
        let part = part
            .replace("NAME", &corner.namespace)
            .replace("/secrets/cluster-prod", &format!("/namespaces/{}/secrets/cluster-prod", corner.namespace));
        let proxy = if cluster == "app" { &app } else { &core };
        proxy.add(Rule::on(&part, Fault::Delay(Duration::ZERO)).times(before));
        proxy.add(Rule::on(&part, Fault::Hang).times(1));
        let seen = proxy.count(&part);
        let arguments = if is_rotation { &rotating[..] } else { &plain[..] };
        let mut child = corner.ucp_with(core.kubeconfig().to_owned(), arguments).spawn().unwrap();
        support::run(async || support::eventually(async || (proxy.count(&part) > seen + before).then_some(())).await);
        child.kill().unwrap();
        child.wait().unwrap();

        // Whatever it was asked to do, a plain run completes it.
        run(&plain);

        let secret = secrets(&corner).remove("cluster-prod").unwrap();
        support::run(async || {
            Api::<Namespace>::all(client_of(&secret)).list(&ListParams::default()).await.unwrap();
        });
        assert!(!secret.metadata.annotations.unwrap().contains_key("kubectl-ucp.io/revoke"), "{part}");
        let name = &corner.namespace;
        // From its registration on, the second token is the one that counts.
        let token = if is_rotation && (before == 1 || part.ends_with("token-1")) { 2 } else { 1 };
        let expected = [
            format!("ClusterRole/{name}"),
            format!("ClusterRoleBinding/{name}"),
            format!("Secret/{name}-token-{token}"),
            format!("ServiceAccount/{name}"),
        ];
        assert_eq!(belongings(&corner), expected, "{part}");
    }
}

#[test]
fn collisions_are_found_before_anything_is_written() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "collision");
    let addresses = Addresses::of(&fleet.app, 2, Duration::ZERO);
    let [one, two] = [&addresses.servers()[0], &addresses.servers()[1]];
    corner.provision("one", one, &corner.admin());
    corner.provision("two", two, &corner.admin());
    adopt(&corner, &["one", "--engine", "argocd"]);
    let account = format!("kube-system/{}-two", corner.namespace);
    let run = |arguments: &[&str]| {
        let arguments =
            [&["adopt-cluster", "--yes", "-o", "json", "--engine", "argocd", "--service-account", &account], arguments]
                .concat();
        let output = corner.ucp(&arguments).output().unwrap();
        (document(&output)["items"][0].take(), output.status.code())
    };
    let (item, code) = run(&["two", "--name", "one"]);
    assert_eq!((item["state"].as_str(), code), (Some("refused"), Some(1)), "{item:#}");
    assert!(item["reason"].as_str().unwrap().contains("the name 'one' is taken"), "{item:#}");

    // Registered by somebody else: left alone unless it is taken over.
    let registered = secrets(&corner).remove("cluster-one").unwrap();
    let foreign = json!({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
        "metadata": {
            "name": "by-hand", "namespace": corner.namespace,
            "labels": {"argocd.argoproj.io/secret-type": "cluster", "team": "a"},
        },
        "stringData": {"name": "hand-made", "server": two, "config": "{}"},
    });
    corner.put(foreign);
    let (item, _) = run(&["two"]);
    assert!(item["reason"].as_str().unwrap().contains("already registered as 'hand-made'"), "{item:#}");
    let (item, _) = run(&["two", "--force-conflicts"]);
    assert_eq!(item["state"], "adopted", "{item:#}");
    let taken = secrets(&corner).remove("by-hand").unwrap();
    assert_eq!(taken.metadata.labels.as_ref().unwrap()["team"], "a");
    assert!(!token_of(&taken).is_empty());
    assert_eq!(secrets(&corner)["cluster-one"], registered);
}
