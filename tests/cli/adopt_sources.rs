//! `kubectl ucp adopt-cluster`: other ways in, manifests for Git, and `--watch`.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::adopted::{adopt, belongings, client_of, secrets};
use crate::fleet::{Corner, document, fleet, kubeconfig_of, text};
use crate::support;
use crate::support::address::Addresses;
use crate::support::certificates::{Authority, Validity};
use crate::support::command;
use crate::support::kubeconfig::{self, Credential};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{Api, ListParams};

#[test]
fn a_secret_can_be_named_whatever_its_type_and_key() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "named");
    let kubeconfig = fleet.app.kubeconfig_with(&fleet.app.server(), &corner.admin());
    corner.put(json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "odd", "namespace": corner.namespace},
        "data": {"admin.conf": ByteString(kubeconfig.to_string().into_bytes())},
    }));
    let key = format!("{}/odd:admin.conf", corner.namespace);
    let (items, _, reported) = adopt(&corner, &["prod", "--secret", &key, "--engine", "argocd"]);
    assert_eq!(items[0]["state"], "adopted", "{reported}");
    let annotations = secrets(&corner)["cluster-prod"].metadata.annotations.clone().unwrap();
    assert_eq!(annotations["kubectl-ucp.io/source-secret"], key.replace(':', "/"));
    let (items, _, reported) = adopt(&corner, &["prod", "--secret", &key, "--engine", "argocd"]);
    assert_eq!(items[0]["state"], "unchanged", "{reported}");
    let wrong = format!("{}/odd:other", corner.namespace);
    let output = corner.output(&["adopt-cluster", "--secret", &wrong, "--yes", "--engine", "argocd"]);
    assert!(text(&output).contains("has no key 'other'"), "{}", text(&output));
}

#[test]
fn a_lost_secret_is_written_back_from_a_kubeconfig() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "restored");
    let file = fleet.app.kubeconfig().display().to_string();
    let saved = format!("{}/prod-conn", corner.namespace);
    let arguments = ["prod", "--engine", "argocd", "--from-kubeconfig", &file, "--save-secret", &saved];
    let (items, _, reported) = adopt(&corner, &arguments);
    assert_eq!(items[0]["state"], "adopted", "{reported}");
    let secret = secrets(&corner).remove("prod-conn").unwrap();
    assert_eq!(secret.type_.as_deref(), Some("connection.crossplane.io/v1alpha1"));
    // From now on it is a cluster like others.
    assert_eq!(corner.clusters(&[])["prod"]["secret"]["name"], "prod-conn");
    for arguments in [&arguments[..], &["prod", "--engine", "argocd"]] {
        let (items, _, reported) = adopt(&corner, arguments);
        assert_eq!(items[0]["state"], "unchanged", "{reported}");
    }
}

#[test]
fn a_bootstrap_context_replaces_a_credential_missing_from_the_secret() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "bootstrap");
    // As with GKE: nothing in it but the address.
    let empty = kubeconfig_of(&fleet.app.server(), fleet.app.ca_pem(), json!({}));
    corner.put(corner.connection_secret("prod", &empty));
    let file = fleet.app.kubeconfig().display().to_string();
    let with_context = ["--bootstrap-kubeconfig", &file, "--bootstrap-context", "app"];
    let bootstrap = [&["prod", "--engine", "argocd", "--grant", "everything"][..], &with_context].concat();
    let (items, _, reported) = adopt(&corner, &bootstrap);
    assert_eq!(items[0]["state"], "adopted", "{reported}");
    // Needed once: the engine's own credential does the rest.
    let (items, _, reported) = adopt(&corner, &["prod", "--engine", "argocd"]);
    assert_eq!(items[0]["state"], "unchanged", "{reported}");
    let (items, _, reported) = adopt(&corner, &["prod", "--engine", "argocd", "--rotate"]);
    assert_eq!(items[0]["state"], "adopted", "{reported}");
    // A context of another cluster is found out, and leaves nothing there.
    let other = Corner::of(fleet, "mistaken");
    other.put(other.connection_secret("prod", &kubeconfig_of(&fleet.core.server(), fleet.core.ca_pem(), json!({}))));
    let (items, code, reported) = adopt(&other, &bootstrap);
    assert_eq!((items[0]["state"].as_str(), code), (Some("refused"), Some(1)), "{reported}");
    assert!(items[0]["reason"].as_str().unwrap().contains("is for another cluster"), "{reported}");
    assert_eq!(belongings(&other), Vec::<String>::new());
}

#[test]
fn credentials_pass_through_while_they_last() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "passed");
    corner.provision("prod", &fleet.app.server(), &corner.admin());
    let arguments = ["prod", "--engine", "argocd", "--auth", "passthrough"];
    let (items, _, reported) = adopt(&corner, &arguments);
    assert_eq!(items[0]["state"], "adopted", "{reported}");
    support::run(async || {
        let client = client_of(&secrets(&corner)["cluster-prod"]);
        Api::<Namespace>::all(client).list(&ListParams::default()).await.unwrap();
    });
    let (items, _, reported) = adopt(&corner, &arguments);
    assert_eq!(items[0]["state"], "unchanged", "{reported}");
    // The provisioner renewed it.
    let renewed = fleet.app.identity("another-admin", Some("system:masters"), Validity::Valid).unwrap();
    corner.provision("prod", &fleet.app.server(), &renewed);
    assert_eq!(corner.clusters(&[])["prod"]["state"], "stale");
    let (items, _, reported) = adopt(&corner, &["prod", "--engine", "argocd"]);
    assert_eq!(items[0]["state"], "adopted", "{reported}");
    assert_eq!(corner.clusters(&[])["prod"]["state"], "adopted");

    let token = "k8s-aws-v1.aHR0cHM6Ly9zdHMvP1gtQW16LURhdGU9";
    let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let url = base64::Engine::encode(
        &base64::engine::general_purpose::URL_SAFE_NO_PAD,
        format!("https://sts/?X-Amz-Date={now}&X-Amz-Expires=60"),
    );
    let user = json!({"token": format!("{}{url}", &token[..11])});
    corner.put(corner.connection_secret("short", &kubeconfig_of(&fleet.app.server(), fleet.app.ca_pem(), user)));
    let (items, code, reported) = adopt(&corner, &["short", "--engine", "flux", "--auth", "passthrough"]);
    assert_eq!((items[0]["state"].as_str(), code), (Some("refused"), Some(1)), "{reported}");
    assert!(items[0]["reason"].as_str().unwrap().contains("too soon to pass it on"), "{reported}");
}

#[test]
fn a_clouds_identity_needs_no_credential() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "cloud");
    let server = corner.provision_gke();
    let name = corner.namespace.as_str();
    let (items, _, reported) = adopt(&corner, &[name, "--engine", "argocd,flux", "--auth", "gcp"]);
    assert_eq!((&items[0]["state"], &items[1]["state"]), (&json!("adopted"), &json!("adopted")), "{reported}");
    let secret = secrets(&corner).remove(&format!("cluster-{name}")).unwrap();
    let config: Value = serde_json::from_slice(&secret.data.unwrap()["config"].0).unwrap();
    assert_eq!(config["execProviderConfig"]["command"], "argocd-k8s-auth");
    assert_eq!(config["execProviderConfig"]["args"], json!(["gcp"]));
    let output = fleet
        .core
        .kubectl(["get", "configmap", &format!("{name}-kubeconfig"), "-n", name, "-o", "json"])
        .output()
        .unwrap();
    let data = document(&output)["data"].take();
    assert_eq!(data["provider"], "gcp");
    assert_eq!(data["cluster"], "projects/p/locations/l/clusters/gke");
    assert_eq!(data["address"], server);
    assert_eq!(data["ca.crt"], fleet.app.ca_pem());
    let (items, _, reported) = adopt(&corner, &[name, "--engine", "argocd,flux"]);
    assert_eq!((&items[0]["state"], &items[1]["state"]), (&json!("unchanged"), &json!("unchanged")), "{reported}");
}

fn apply(kubectl: &mut Command, text: &str) {
    let mut child = kubectl.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}\n{text}", crate::fleet::text(&output));
}

#[test]
fn a_managed_resource_is_enough_to_register_with_a_clouds_identity() {
    let authority = Authority::create("cloud").unwrap();
    let encoded = ByteString(authority.pem().as_bytes().to_vec());
    let manifests = |auth: &str, object: Value| {
        let mut command = command::ucp(["adopt-cluster", "shop", "--from", "-", "--dry-run", "-o", "yaml"]);
        command.args(["--engine", "argocd,flux", "--auth", auth]);
        command::run_with_input(command, object.to_string())
    };
    let eks = |authority: Value| {
        json!({
            "apiVersion": "eks.aws.upbound.io/v1beta1", "kind": "Cluster", "metadata": {"name": "shop"},
            "spec": {"forProvider": {}},
            "status": {"atProvider": {
                "endpoint": "https://eks.example.org", "arn": "arn:aws:eks:eu-central-1:123456789012:cluster/shop-1",
                "certificateAuthority": authority,
            }},
        })
    };
    // Without an authority, the server could not be verified.
    manifests("aws", eks(json!([]))).expect(1);
    let yaml = manifests("aws", eks(json!([{"data": encoded}]))).expect(0).stdout;
    assert!(yaml.contains(r#"\"clusterName\":\"shop-1\""#), "{yaml}");
    assert!(yaml.contains("cluster: arn:aws:eks:eu-central-1:123456789012:cluster/shop-1"), "{yaml}");
    assert!(yaml.contains("provider: aws") && yaml.contains("caData"), "{yaml}");
    let gke = json!({
        "apiVersion": "container.gcp.crossplane.io/v1beta2", "kind": "Cluster", "metadata": {"name": "shop"},
        "spec": {"forProvider": {}},
        "status": {"atProvider": {
            "endpoint": "34.155.201.14", "masterAuth": {"clusterCaCertificate": encoded},
            "selfLink": "https://container.googleapis.com/v1/projects/p/zones/europe-west9-a/clusters/shop",
        }},
    });
    let yaml = manifests("gcp", gke).expect(0).stdout;
    assert!(yaml.contains("cluster: projects/p/locations/europe-west9-a/clusters/shop"), "{yaml}");
    assert!(yaml.contains("server: https://34.155.201.14"), "{yaml}");
}

#[test]
fn manifests_for_git_are_complete_and_contain_no_credential() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "git");
    corner.provision("prod", &fleet.app.server(), &corner.admin());
    let account = format!("kube-system/{}", corner.namespace);
    let manifests = |arguments: &[&str]| {
        let base =
            ["adopt-cluster", "prod", "--engine", "argocd", "--service-account", &account, "--dry-run", "-o", "yaml"];
        let output = corner.output(&[&base[..], arguments].concat());
        assert!(output.status.success(), "{}", text(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let plain = manifests(&["--project", "shop"]);
    assert_eq!(belongings(&corner), Vec::<String>::new());
    assert!(!plain.contains("bearerToken") && !plain.contains("PRIVATE"), "{plain}");
    // Real servers take them.
    let (app, core): (Vec<_>, Vec<_>) =
        plain.split("---\n").partition(|document| document.contains("# in the app cluster"));
    apply(&mut fleet.app.kubectl(["apply", "-f", "-"]), &app.join("---\n"));
    apply(&mut fleet.core.kubectl(["apply", "--dry-run=server", "-f", "-"]), &core.join("---\n"));
    assert_eq!(belongings(&corner).len(), 4);

    let external = manifests(&["--credential", "external-secret", "--secret-store", "vault"]);
    assert!(external.contains("kind: ExternalSecret") && external.contains("{{ .token }}"), "{external}");
    assert!(external.contains("name: vault"), "{external}");
    let sealed = manifests(&["--credential", "sealed-secret"]);
    assert!(sealed.contains("kind: SealedSecret") && sealed.contains("encryptedData"), "{sealed}");
}

#[test]
fn a_watch_with_the_printed_rbac_adopts_new_clusters() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "watched");
    let namespace = &corner.namespace;
    let printed = corner.output(&["adopt-cluster", "--print-rbac"]);
    apply(&mut fleet.core.kubectl(["apply", "-f", "-"]), &String::from_utf8(printed.stdout).unwrap());
    let token = fleet.core.kubectl(["create", "token", "kubectl-ucp-adopt", "-n", namespace]).output().unwrap();
    let token = String::from_utf8(token.stdout).unwrap().trim().to_owned();
    let kubeconfig = fleet.core.save(&kubeconfig::kubeconfig(
        "core",
        &fleet.core.server(),
        fleet.core.ca_pem(),
        &Credential::Token(token),
    ));
    let account = format!("kube-system/{namespace}");
    let arguments =
        ["adopt-cluster", "--watch", "--interval", "1s", "--engine", "argocd", "--service-account", &account];
    let mut watch = command::interruptible(&corner.ucp_with(kubeconfig, &arguments));
    let watch = watch.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut secret =
        corner.connection_secret(namespace, &fleet.app.kubeconfig_with(&fleet.app.server(), &corner.admin()));
    secret["metadata"]["labels"] = json!({"crossplane.io/composite": namespace});
    secret["metadata"]["ownerReferences"] = json!([{
        "apiVersion": "v1", "kind": "ConfigMap", "name": namespace, "uid": "0", "controller": true,
    }]);
    corner.put(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": namespace, "namespace": namespace, "uid": "0"}}));
    corner.put(secret);
    let registered = format!("cluster-{namespace}");
    support::run(async || support::eventually(async || secrets(&corner).contains_key(&registered).then_some(())).await);
    support::run(async || support::eventually(async || belongings(&corner).len().eq(&4).then_some(())).await);
    command::signal(&watch, "INT");
    let output = watch.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!(text(&output).matches("adopted").count(), 1, "{}", text(&output));
}

#[test]
fn a_program_runs_only_where_it_is_allowed() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "program");
    let addresses = Addresses::of(&fleet.app, 1, Duration::ZERO);
    let marker = fleet.core.directory().join("it-ran");
    let credential = json!({
        "apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
        "status": {"token": support::cluster::TOKEN},
    });
    let script = format!("touch {}; echo '{credential}'", marker.display());
    let user = json!({"exec": {
        "apiVersion": "client.authentication.k8s.io/v1", "command": "sh", "args": ["-c", script], "interactiveMode": "Never",
    }});
    corner.put(corner.connection_secret("prod", &kubeconfig_of(&addresses.servers()[0], fleet.app.ca_pem(), user)));
    corner.clusters(&["--probe"]);
    let (items, _, reported) = adopt(&corner, &["prod", "--engine", "argocd"]);
    assert_eq!(items[0]["state"], "refused", "{reported}");
    assert!(!marker.exists(), "a program out of a Secret was started");
    let (items, _, reported) = adopt(&corner, &["prod", "--engine", "argocd", "--allow-exec"]);
    assert_eq!(items[0]["state"], "adopted", "{reported}");
    assert!(marker.exists());
}

#[test]
fn without_a_token_controller_adoption_fails_and_leaves_nothing() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "tokenless");
    // The core cluster has no token controller.
    let admin = fleet.core.identity("cluster-admin", Some("system:masters"), Validity::Valid).unwrap();
    corner.put(corner.connection_secret("prod", &fleet.core.kubeconfig_with(&fleet.core.server(), &admin)));
    let (items, code, reported) = adopt(&corner, &["prod", "--engine", "argocd"]);
    assert_eq!((items[0]["state"].as_str(), code), (Some("failed"), Some(3)), "{reported}");
    assert!(items[0]["reason"].as_str().unwrap().contains("--token-ttl does not need that controller"), "{reported}");
    let output = fleet.core.kubectl(["get", "clusterrole,clusterrolebinding", "-o", "name"]).output().unwrap();
    assert!(!text(&output).contains(&corner.namespace), "{}", text(&output));
    let output =
        fleet.core.kubectl(["get", "serviceaccount,secret", "-n", "kube-system", "-o", "name"]).output().unwrap();
    assert!(!text(&output).contains(&corner.namespace), "{}", text(&output));
}
