//! `kubectl ucp adopt-cluster` where something is in the way, fails, or ends too early.

use std::process::Stdio;
use std::time::Duration;

use k8s_openapi::api::core::v1::{Namespace, ServiceAccount};
use kube::api::{Api, ListParams};
use serde_json::{Value, json};

use crate::adopted::{adopt, belongings, client_of, secrets, token_of};
use crate::fleet::{Corner, checked, document, fleet, kubeconfig_of, text};
use crate::support;
use crate::support::address::Addresses;
use crate::support::certificates::Validity;
use crate::support::command::{interruptible, signal};
use crate::support::kubeconfig::{self, Credential};
use crate::support::proxy::{Fault, Proxy, Rule};

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
    put("wrong", json!({"token": "canary-that-must-never-sing"}));
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
        ("wrong", "refused", "the server rejects the credentials (401)"),
        ("empty", "refused", "contains no credential (empty user)"),
        ("exec", "refused", "uses an exec credential plugin"),
        ("expired", "refused", "expired at 2021-01-01"),
    ] {
        let account = format!("kube-system/{}-{name}", corner.namespace);
        let arguments =
            ["adopt-cluster", "--yes", "-o", "json", "--service-account", &account, name, "--engine", "argocd"];
        let output = corner.output(&arguments);
        let printed = text(&output);
        let items = document(&output)["items"].take();
        assert_eq!(items[0]["state"], state, "{printed}");
        assert!(items[0]["reason"].as_str().unwrap_or_default().contains(reason), "{printed}");
        assert_eq!(output.status.code(), Some(i32::from(state == "refused")), "{printed}");
        assert!(!printed.contains("canary-that-must-never-sing"), "{printed}");
        let made = support::run(async || {
            let accounts = Api::<ServiceAccount>::namespaced(app.client(), "kube-system");
            accounts.get_opt(&format!("{}-{name}", corner.namespace)).await.unwrap().is_some()
        });
        assert_eq!(made, state == "adopted", "{name}");
    }
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
    let (items, code, printed) = adopt(&corner, &["prod", "--engine", "argocd", "--token-ttl", "1h"]);
    assert_eq!((items[0]["state"].as_str(), code), (Some("failed"), Some(3)), "{printed}");
    assert!(items[0]["reason"].as_str().unwrap().contains("its token could not be created"), "{printed}");
    assert_eq!(belongings(&corner), Vec::<String>::new());
    assert!(!secrets(&corner).contains_key("cluster-prod"));

    // And if even that fails, it lists the remaining objects.
    proxy.add(Rule::on("/token", Fault::internal_error()).times(1));
    proxy.add(Rule::on(&format!("/clusterroles/{}?field", corner.namespace), Fault::Delay(Duration::ZERO)));
    proxy.add(Rule::on(&format!("/clusterroles/{}", corner.namespace), Fault::Delay(Duration::ZERO)).times(2));
    proxy.add(Rule::on(&format!("/clusterroles/{}", corner.namespace), Fault::failure(403, "Forbidden", "no")));
    let (items, _, printed) = adopt(&corner, &["prod", "--engine", "argocd", "--token-ttl", "1h"]);
    assert_eq!(items[0]["state"], "failed", "{printed}");
    let left: Vec<_> =
        items[0]["left"].as_array().unwrap().iter().map(|object| object["kind"].as_str().unwrap()).collect();
    assert_eq!(left, ["ClusterRole"], "{printed}");
}

#[test]
fn a_run_after_a_kill_at_any_write_has_the_same_result() {
    let Some(fleet) = fleet() else { return };
    // The write at which it is killed, and how many of the same request come before it.
    let moments: [(&str, &str, usize, bool); 9] = [
        ("app", "/clusterroles/NAME?field", 0, false),
        ("app", "/serviceaccounts/NAME?field", 0, false),
        ("app", "/clusterrolebindings/NAME?field", 0, false),
        ("app", "/secrets/NAME-token-1?field", 0, false),
        ("core", "/secrets/cluster-prod?field", 0, false),
        ("app", "/secrets/NAME-token-2?field", 0, true),
        ("core", "/secrets/cluster-prod?field", 0, true),
        // It looks whose it is before it removes it.
        ("app", "/secrets/NAME-token-1", 1, true),
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

        // Whatever its flags were, a plain run completes it.
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
        let output = corner.output(&arguments);
        (document(&output)["items"][0].take(), output.status.code())
    };
    let (item, code) = run(&["two", "--name", "one"]);
    assert_eq!((item["state"].as_str(), code), (Some("refused"), Some(1)), "{item:#}");
    assert!(item["reason"].as_str().unwrap().contains("the name 'one' is taken"), "{item:#}");

    // Registered by another owner: left alone unless it is taken over.
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

#[test]
fn an_interrupted_adoption_deletes_the_objects_that_it_created() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "interrupted");
    let proxy = Proxy::start(&fleet.app).unwrap();
    corner.provision("prod", &proxy.server(), &Credential::Token(support::cluster::TOKEN.to_owned()));
    proxy.add(Rule::on("/token", Fault::Hang).times(1));
    let account = format!("kube-system/{}", corner.namespace);
    let arguments =
        ["adopt-cluster", "prod", "--yes", "--engine", "argocd", "--token-ttl", "1h", "--service-account", &account];
    let mut command = interruptible(&corner.ucp(&arguments));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    support::run(async || support::eventually(async || (proxy.count("/token") > 0).then_some(())).await);
    signal(&child, "INT");
    let output = checked(child.wait_with_output().unwrap());
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert!(text(&output).contains("it was interrupted"), "{}", text(&output));
    assert_eq!(belongings(&corner), Vec::<String>::new());
}

#[test]
fn requests_to_a_busy_server_are_retried() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "busy-server");
    let (core, app) = (Proxy::start(&fleet.core).unwrap(), Proxy::start(&fleet.app).unwrap());
    corner.provision("prod", &app.server(), &Credential::Token(support::cluster::TOKEN.to_owned()));
    for proxy in [&core, &app] {
        proxy.add(Rule::on("fieldManager", Fault::too_many_requests(0)).times(1));
        proxy.add(Rule::on("fieldManager", Fault::unavailable()).times(1));
    }
    let account = format!("kube-system/{}", corner.namespace);
    let arguments = ["adopt-cluster", "prod", "--yes", "--engine", "argocd", "--service-account", &account];
    let output = checked(corner.ucp_with(core.kubeconfig().to_owned(), &arguments).output().unwrap());
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(belongings(&corner).len(), 4);
}

#[test]
fn with_all_clusters_each_has_its_own_result() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "all");
    let addresses = Addresses::of(&fleet.app, 2, Duration::ZERO);
    let provisioned = |name: &str, server: &str, user: Value, environment: &str| {
        corner.put(json!({
            "apiVersion": "container.gcp.upbound.io/v1beta1", "kind": "Cluster",
            "metadata": {"name": format!("{}-{name}", corner.namespace)},
            "spec": {"forProvider": {}, "writeConnectionSecretToRef": {"name": name, "namespace": corner.namespace}},
        }));
        let mut secret = corner.connection_secret(name, &kubeconfig_of(server, fleet.app.ca_pem(), user));
        secret["metadata"]["labels"] = json!({"environment": environment});
        corner.put(secret);
    };
    provisioned("good", &addresses.servers()[0], kubeconfig::user(&corner.admin()), "prod");
    provisioned("bad", &addresses.servers()[1], json!({}), "stage");
    // It was not provisioned, so nothing required it.
    corner.provision("stray", &fleet.app.server(), &corner.admin());
    let (prod, _, printed) = adopt(&corner, &["--all", "--engine", "argocd", "-l", "environment=prod", "--dry-run"]);
    assert_eq!(prod.as_array().unwrap().len(), 1, "{printed}");
    assert_eq!(prod[0]["state"], "planned", "{printed}");
    assert_eq!(belongings(&corner), Vec::<String>::new(), "a dry run wrote");

    let (items, code, printed) = adopt(&corner, &["--all", "--engine", "argocd"]);

    let mine: Vec<_> = items
        .as_array()
        .unwrap()
        .iter()
        .filter(|item| item["cluster"].as_str().unwrap().starts_with(&corner.namespace))
        .map(|item| item["state"].as_str().unwrap())
        .collect();
    assert_eq!((mine.as_slice(), code), (["refused", "adopted"].as_slice(), Some(1)), "{printed}");
    assert!(!printed.contains("stray"), "{printed}");
}

#[test]
fn grants_are_shown_and_need_confirmation() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "asked");
    corner.provision("prod", &fleet.app.server(), &corner.admin());
    let output = corner.output(&["adopt-cluster", "prod", "--engine", "argocd", "--read-only"]);
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(
        printed.contains("grants  list and watch on every resource, including Secrets; get on those of Kubernetes"),
        "{printed}"
    );
    assert!(printed.contains("create  secret/cluster-prod"), "{printed}");
    assert!(printed.contains("pass --yes to continue without confirmation"), "{printed}");
    assert!(!secrets(&corner).contains_key("cluster-prod"));
}
