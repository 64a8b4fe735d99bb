//! An author of a connection Secret names a server in it, and gets no credential but the one in that Secret.

use std::process::{Command, Output, Stdio};
use std::time::Duration;

use k8s_openapi::api::core::v1::Secret;
use serde_json::{Value, json};

use crate::adopted::{adopt, belongings, counts, secrets, token_of};
use crate::fleet::{Corner, Fleet, checked, document, fleet, fleet_with_tenants, kubeconfig_of, text};
use crate::support;
use crate::support::address::Addresses;
use crate::support::command::{self, interruptible, signal};
use crate::support::kubeconfig::Credential;
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::recorder::Recorder;
use crate::terminal::Terminal;

/// A connection Secret that names a server, with the authority of the app cluster and without a credential.
fn point(corner: &Corner, name: &str, server: &str, server_name: Option<&str>) {
    let mut kubeconfig = kubeconfig_of(server, corner.fleet.app.ca_pem(), json!({}));
    kubeconfig["clusters"][0]["cluster"]["tls-server-name"] = json!(server_name);
    corner.put(corner.connection_secret(name, &kubeconfig));
}

/// Servers that a stranger can name: in clear text, and with a certificate of the cluster's own authority.
fn strangers(fleet: &Fleet) -> [(Recorder, Option<&'static str>); 3] {
    [
        (Recorder::http(), None),
        (Recorder::https(&fleet.app, "node-1"), Some("node-1")),
        (Recorder::https(&fleet.app, "node-1"), None),
    ]
}

/// Adopts a cluster of a corner with the engine's token, and returns the token.
fn adopted(corner: &Corner) -> String {
    corner.provision("prod", &corner.fleet.app.server(), &corner.admin());
    let (items, _, printed) = adopt(corner, &["prod", "--engine", "argocd", "--grant", "everything"]);
    assert_eq!(items[0]["state"], "adopted", "{printed}");
    token_of(&secrets(corner)["cluster-prod"])
}

fn data(corner: &Corner) -> Option<std::collections::BTreeMap<String, k8s_openapi::ByteString>> {
    secrets(corner).remove("cluster-prod").and_then(|secret: Secret| secret.data)
}

#[test]
fn a_registered_token_never_follows_a_changed_address() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "followed");
    let token = adopted(&corner);
    let registered = data(&corner);
    for (stranger, name) in strangers(fleet) {
        point(&corner, "prod", stranger.server(), name);
        let account = format!("kube-system/{}", corner.namespace);
        let base = ["adopt-cluster", "prod", "--engine", "argocd", "--service-account", &account, "-o", "json"];
        for flags in [&["--dry-run"][..], &["--yes"], &["--yes", "--rotate"], &["--yes", "--allow-http"], &[]] {
            let output = corner.output(&[&base[..], flags].concat());
            let item = document(&output)["items"][0].take();
            assert_eq!((item["state"].as_str(), output.status.code()), (Some("refused"), Some(1)), "{item:#}");
            let reason = item["reason"].as_str().unwrap();
            let moved = format!("server: {} → {}", fleet.app.server(), stranger.server());
            let is_reported =
                reason.contains(&moved) || reason.contains("clear text") && !flags.contains(&"--allow-http");
            assert!(is_reported, "{item:#}");
        }
        let watching = ["adopt-cluster", "--watch", "--interval", "1s", "--engine", "argocd", "--allow-http"];
        let mut watch = interruptible(&corner.ucp(&watching));
        let watch = watch.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_secs(4));
        signal(&watch, "INT");
        let printed = text(&checked(watch.wait_with_output().unwrap()));
        assert!(printed.contains("refused"), "{printed}");
        // Nor where everything is to be cleaned up: the registered server still answers.
        let output = corner.output(&["release-cluster", "prod", "--dry-run", "-o", "json"]);
        assert_eq!(document(&output)["items"][0]["state"], "planned", "{}", text(&output));
        let requests = stranger.requests();
        assert!(requests.iter().all(|request| !request.contains(&token)), "{requests:#?}");
        assert!(requests.iter().all(|request| !request.to_lowercase().contains("authorization")), "{requests:#?}");
        assert_eq!(data(&corner), registered, "the registration leads elsewhere now");
    }
}

#[test]
fn a_token_created_with_a_bootstrap_context_is_never_sent_elsewhere() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "lured");
    let file = fleet.app.kubeconfig().display().to_string();
    for (stranger, name) in strangers(fleet) {
        point(&corner, "prod", stranger.server(), name);
        let bootstrap = ["prod", "--engine", "argocd", "--bootstrap-kubeconfig", &file, "--allow-http"];
        let (items, code, printed) = adopt(&corner, &bootstrap);
        assert_eq!((items[0]["state"].as_str(), code), (Some("refused"), Some(1)), "{printed}");
        assert!(items[0]["reason"].as_str().unwrap().contains("is for another cluster"), "{printed}");
        assert!(stranger.requests().iter().all(|request| !request.to_lowercase().contains("authorization")));
        assert_eq!(belongings(&corner), Vec::<String>::new());
    }
}

#[test]
fn a_cluster_that_moved_is_followed_where_it_proves_to_be_the_same() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "moved");
    adopted(&corner);
    let addresses = Addresses::of(&fleet.app, 2, Duration::ZERO);
    // Another port, and then another name of the same server, which has to prove the old one.
    let other_name = addresses.servers()[1].replace("127.0.0.1", "localhost");
    for server in [&addresses.servers()[0], &other_name] {
        corner.provision("prod", server, &corner.admin());
        let (items, _, printed) = adopt(&corner, &["prod", "--engine", "argocd"]);
        assert_eq!(items[0]["state"], "adopted", "{printed}");
        assert_eq!(items[0]["serverChange"]["to"], server.as_str(), "{printed}");
        assert_eq!(items[0]["serverChange"]["unproven"], Value::Null, "{printed}");
        let registered = data(&corner).unwrap();
        assert_eq!(registered["server"].0, server.as_bytes());
        let (items, _, printed) = adopt(&corner, &["prod", "--engine", "argocd"]);
        assert_eq!(items[0]["state"], "unchanged", "{printed}");
    }
    let config: Value = serde_json::from_slice(&data(&corner).unwrap()["config"].0).unwrap();
    assert_eq!(config["tlsClientConfig"]["serverName"], "127.0.0.1", "the server there must prove the old name");
    assert_eq!(corner.clusters(&["--probe"])["prod"]["state"], "adopted");
}

#[test]
fn a_server_without_proof_of_identity_needs_confirmation() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "confirmed");
    adopted(&corner);
    let addresses = Addresses::of(&fleet.core, 1, Duration::ZERO);
    let (from, to) = (fleet.app.server(), addresses.servers()[0].clone());
    let admin = Credential::Token(support::cluster::TOKEN.to_owned());
    corner.put(corner.connection_secret("prod", &fleet.core.kubeconfig_with(&to, &admin)));
    let arguments = ["prod", "--engine", "argocd", "--token-ttl", "1h", "--accept-server"];
    let (items, code, printed) = adopt(&corner, &[&arguments[..], &["https://another.example.org"]].concat());
    assert_eq!((items[0]["state"].as_str(), code), (Some("refused"), Some(1)), "{printed}");
    let watch = corner.output(&["adopt-cluster", "--watch", "--accept-server", &to]);
    assert_eq!(watch.status.code(), Some(2), "{}", text(&watch));
    if let Some(terminal) = Terminal::plain(Command::new("tmux"), (200, 40)) {
        let ucp = corner.ucp(&["adopt-cluster", "prod", "--engine", "argocd", "--token-ttl", "1h"]);
        let line: Vec<String> = std::iter::once(ucp.get_program().to_owned())
            .chain(ucp.get_args().map(std::ffi::OsStr::to_owned))
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        terminal.run(&line.join(" "));
        let screen = terminal.until("Continue with the new server? [y/N]");
        assert!(screen.contains(&format!("server  {from} → {to}")) && screen.contains("risk  "), "{screen}");
        terminal.enter("n");
        terminal.until("ended=1");
    }
    assert_eq!(data(&corner).unwrap()["server"].0, from.as_bytes());
    let (items, _, printed) = adopt(&corner, &[&arguments[..], &[&to]].concat());
    assert_eq!(items[0]["state"], "adopted", "{printed}");
    assert_eq!(items[0]["serverChange"]["from"], from.as_str(), "{printed}");
    assert!(items[0]["serverChange"]["unproven"].is_string(), "{printed}");
    assert_eq!(data(&corner).unwrap()["server"].0, to.as_bytes());
}

/// The binary in a corner, without `--allow-localhost`.
fn plain(corner: &Corner, arguments: &[&str]) -> Output {
    let mut command = command::ucp(arguments);
    command.arg("--kubeconfig").arg(corner.fleet.core.kubeconfig()).args(["-n", &corner.namespace]);
    command.args(["--argocd-namespace", &corner.namespace, "--flux-namespace", &corner.namespace]);
    checked(command.output().unwrap())
}

#[test]
fn nothing_is_sent_in_clear_text_or_to_the_own_network() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "clear");
    let stranger = Recorder::http();
    let user = json!({"token": command::CANARY});
    corner.put(corner.connection_secret("tenant", &kubeconfig_of(stranger.server(), fleet.app.ca_pem(), user.clone())));
    let of_cloud = kubeconfig_of("http://169.254.169.254", fleet.app.ca_pem(), user);
    corner.put(corner.connection_secret("cloud", &of_cloud));
    let config = json!({"bearerToken": command::CANARY, "tlsClientConfig": {"insecure": false}});
    let register = |name: &str, server: &str| corner.register(name, server, &config);
    let clear = stranger.server().replace("127.0.0.1", "localhost");
    register("hand-made", &clear);
    // Without a scheme and TLS settings, Argo CD's client speaks clear text as well.
    register("bare", &clear.replace("http://", "").replace("localhost", "127.0.0.1"));
    let clusters = corner.clusters(&["--probe"]);
    for (name, reason) in
        [("tenant", "clear text"), ("cloud", "link-local"), ("hand-made", "clear text"), ("bare", "clear text")]
    {
        assert!(clusters[name]["reason"].as_str().unwrap_or_default().contains(reason), "{name}: {clusters:#}");
    }
    let directory = tempfile::tempdir().unwrap();
    let archive = directory.path().join("core.tar.gz").display().to_string();
    corner.output(&["snapshot", &archive, "--app-clusters"]);
    corner.output(&["secrets", "--use-registration"]);
    corner.output(&["adopt-cluster", "tenant", "--engine", "argocd", "--yes"]);
    assert_eq!(stranger.requests(), Vec::<String>::new());
    corner.clusters(&["--probe", "--allow-http"]);
    assert!(!stranger.requests().is_empty(), "the flag allows it");
}

#[test]
fn the_registration_records_the_hazard_that_a_flag_allowed() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "remembered");
    adopted(&corner);
    let account = format!("kube-system/{}", corner.namespace);
    let again = ["adopt-cluster", "prod", "--engine", "argocd", "--service-account", &account, "--yes", "-o", "json"];
    let output = plain(&corner, &again);
    assert_eq!(document(&output)["items"][0]["state"], "unchanged", "{}", text(&output));
    let output = plain(&corner, &["clusters", "--probe", "-o", "json"]);
    assert_eq!(document(&output)["items"][0]["probe"]["error"], Value::Null, "{}", text(&output));
    assert_eq!(document(&output)["items"][0]["state"], "adopted", "{}", text(&output));
    // A decision about one endpoint is none about another.
    let addresses = Addresses::of(&fleet.app, 1, Duration::ZERO);
    corner.provision("prod", &addresses.servers()[0], &corner.admin());
    let output = plain(&corner, &again);
    assert!(text(&output).contains("its server is localhost"), "{}", text(&output));
}

#[test]
fn a_snapshot_uses_recorded_permissions_only_where_no_tenant_can_write() {
    let Some(fleet) = fleet_with_tenants() else { return };
    let corner = Corner::of(fleet, "snapped");
    let (tenant, stranger) = (Corner::of(fleet, "snapped-tenant"), Proxy::start(&fleet.app).unwrap());
    let (name, claimed) = (corner.namespace.as_str(), tenant.namespace.as_str());
    corner.provision(name, &fleet.app.server(), &corner.admin());
    let (items, _, printed) = adopt(&corner, &[name, "--engine", "argocd", "--grant", "everything"]);
    assert_eq!(items[0]["state"], "adopted", "{printed}");
    // The tenant copies the record of a registration, for both engines.
    let kubeconfig = fleet.app.kubeconfig_with(&stranger.server(), &Credential::Token(command::CANARY.to_owned()));
    let config = json!({"bearerToken": command::CANARY, "tlsClientConfig": {"insecure": true}});
    let metadata = |suffix: &str| {
        json!({
            "name": format!("{claimed}-{suffix}"), "namespace": claimed,
            "labels": {"app.kubernetes.io/managed-by": "kubectl-ucp", "argocd.argoproj.io/secret-type": "cluster"},
            "annotations": {
                "kubectl-ucp.io/cluster": claimed, "kubectl-ucp.io/auth": "passthrough",
                "kubectl-ucp.io/allowed": "exec,http,insecure,link-local,localhost,proxy",
            },
        })
    };
    tenant.put(json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": metadata("argo"),
        "stringData": {"name": claimed, "server": stranger.server(), "config": config.to_string()},
    }));
    tenant.put(json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": metadata("flux"),
        "stringData": {"value": kubeconfig.to_string()},
    }));
    tenant.put(json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
        "metadata": {"namespace": claimed, "name": claimed},
        "spec": {
            "interval": "1h", "prune": true, "sourceRef": {"kind": "GitRepository", "name": "a"},
            "kubeConfig": {"secretRef": {"name": format!("{claimed}-flux")}},
        },
    }));
    let directory = tempfile::tempdir().unwrap();
    let archive = directory.path().join("core.tar.gz").display().to_string();
    // Of all namespaces, so that the tenant's objects are read.
    let take = |namespace: &str| {
        let mut command = command::ucp(["snapshot", &archive, "--overwrite", "--app-clusters", "-o", "json"]);
        command.arg("--kubeconfig").arg(fleet.core.kubeconfig());
        command.args(["--argocd-namespace", namespace, "--flux-namespace", namespace]);
        document(&checked(command.output().unwrap()))
    };
    let read = |report: &Value, name: &str| {
        let clusters = report["appClusters"].as_array().unwrap().iter();
        clusters.filter(|one| one["name"] == name).map(|one| one["reason"].as_str().map(str::to_owned)).collect()
    };
    let report = take(name);
    let of_engine: Vec<Option<String>> = read(&report, name);
    assert!(of_engine.contains(&None), "{report:#}");
    let of_tenant: Vec<Option<String>> = read(&report, claimed);
    assert!(!of_tenant.is_empty(), "{report:#}");
    assert!(of_tenant.iter().all(|reason| reason.as_ref().is_some_and(|why| why.contains("localhost"))), "{report:#}");
    assert_eq!(stranger.seen(), []);
}

#[test]
fn a_failed_run_does_not_delete_objects_of_another_run() {
    overtake_a_run_that_fails("raced", |corner| format!("/clusterroles/{}?field", corner.namespace), 0);
}

/// The slow run created the account, and the other run registered the cluster with it: the token is read, written, and read again.
#[test]
fn a_failed_run_does_not_delete_a_registration_of_another_run() {
    overtake_a_run_that_fails("overtaken", |_| "/namespaces/kube-system/secrets/".to_owned(), 2);
}

/// Adopts a cluster with a run that waits at a request, after `before` others like it, and whose registration is refused. In the
/// meantime, another run adopts the cluster, and remains registered.
fn overtake_a_run_that_fails(name: &str, request: impl Fn(&Corner) -> String, before: usize) {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, name);
    let (core, app) = (Proxy::start(&fleet.core).unwrap(), Proxy::start(&fleet.app).unwrap());
    corner.provision("prod", &app.server(), &Credential::Token(support::cluster::TOKEN.to_owned()));
    let account = format!("kube-system/{}", corner.namespace);
    let arguments = ["adopt-cluster", "prod", "--yes", "--engine", "argocd", "--service-account", &account];
    let request = request(&corner);
    app.add(Rule::on(&request, Fault::Delay(Duration::from_secs(8))).after(before).times(1));
    core.add(Rule::on("/secrets/cluster-prod?field", Fault::failure(403, "Forbidden", "no")).times(1));
    let mut slow = corner.ucp_with(core.kubeconfig().to_owned(), &arguments);
    let slow = slow.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    support::run(async || support::eventually(async || (app.count(&request) > before).then_some(())).await);
    let output = corner.output(&arguments);
    assert!(output.status.success(), "{}", text(&output));
    let failed = checked(slow.wait_with_output().unwrap());
    assert_eq!(failed.status.code(), Some(3), "{}", text(&failed));
    assert_eq!(belongings(&corner).len(), 4, "{}", text(&failed));
    assert!(counts(&corner, &token_of(&secrets(&corner)["cluster-prod"])));
}

#[test]
fn a_name_that_argocd_reserves_is_refused() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "reserved");
    corner.provision("prod", &fleet.app.server(), &corner.admin());
    let (items, code, printed) = adopt(&corner, &["prod", "--engine", "argocd", "--name", "in-cluster"]);
    assert_eq!((items[0]["state"].as_str(), code), (Some("refused"), Some(1)), "{printed}");
    assert!(items[0]["reason"].as_str().unwrap().contains("reserves the name 'in-cluster'"), "{printed}");
    assert_eq!(belongings(&corner), Vec::<String>::new());
}

#[test]
fn drift_does_not_report_a_registration_as_an_orphan() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "accounted");
    adopted(&corner);
    corner.put(json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": {"name": "shop", "namespace": corner.namespace},
        "spec": {"project": "default", "destination": {"name": corner.namespace, "namespace": "a"},
                 "source": {"repoURL": "https://git.example.org/a"}},
    }));
    let mut command = command::ucp(["drift", "--orphans", "-o", "json", "-n", &corner.namespace, "--kubeconfig"]);
    let output = checked(command.arg(fleet.core.kubeconfig()).output().unwrap());
    let report = document(&output);
    let orphans: Vec<&str> = report["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|item| item["layer"] == "orphan")
        .filter_map(|item| item["object"]["name"].as_str())
        .collect();
    assert!(orphans.contains(&"prod"), "{report:#}");
    assert!(!orphans.contains(&"cluster-prod"), "{report:#}");
}
