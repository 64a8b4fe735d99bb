//! The harness itself: assumptions of the other tests.

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::core::v1::{ConfigMap, Secret, ServiceAccount};
use kube::api::{Api, ListParams, ObjectMeta, PostParams};
use kube::{Client, Config};

use crate::support::command::{run, ucp_on};
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::sandbox::Sandbox;
use crate::support::{self, Cluster, Controller, Options, eventually};

/// Set for the child process of `nothing_outlives_a_killed_process`.
const CHILD: &str = "KUBECTL_UCP_ENVTEST_CHILD";

#[test]
fn two_clusters_run_at_once_and_leave_nothing_behind() {
    let Some(core) = support::core_cluster() else {
        return;
    };
    let Some(other) = support::start(Options::named("other").on_new_servers()) else {
        return;
    };
    assert_ne!(core.server(), other.server());
    let (address, directory) = (address(&other), other.directory().to_owned());
    assert!(listens(&address) && directory.is_dir());

    drop(other);

    assert!(!listens(&address), "a server outlived its cluster");
    assert!(!directory.exists(), "{directory:?} outlived its cluster");
}

#[test]
fn servers_report_their_release() {
    let Some(cluster) = support::core_cluster() else {
        return;
    };
    let version = support::run(async || cluster.client().apiserver_version().await.unwrap());
    assert_eq!(version.major, "1");
    assert!(!version.git_version.contains("v0.0.0"), "{version:?}");
}

#[test]
fn a_user_without_roles_may_do_nothing() {
    let Some(cluster) = support::core_cluster() else {
        return;
    };
    let kubeconfig = cluster.kubeconfig_for("mallory", Some("strangers"));
    let output = Command::new("kubectl")
        .args(["auth", "can-i", "list", "secrets", "--kubeconfig"])
        .arg(&kubeconfig)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "no");
    let output = cluster.kubectl(["auth", "can-i", "list", "secrets"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "yes");
}

#[test]
fn an_expired_certificate_is_refused() {
    let Some(cluster) = support::core_cluster() else {
        return;
    };
    let output = Command::new("kubectl")
        .args(["get", "namespaces", "--kubeconfig"])
        .arg(cluster.expired_kubeconfig())
        .output()
        .unwrap();
    assert!(!output.status.success());
}

#[test]
fn the_audit_log_counts_requests() {
    let Some(cluster) = support::core_cluster() else {
        return;
    };
    let user = "counted";
    let kubeconfig = cluster.kubeconfig_for(user, Some("system:masters"));
    let mark = cluster.audit_mark();
    support::run(async || {
        let client = Client::try_from(config(&kubeconfig).await).unwrap();
        let config_maps = Api::<ConfigMap>::namespaced(client, "default");
        config_maps.list(&ListParams::default()).await.unwrap();
        config_maps.get("absent").await.unwrap_err();
        let harness = Api::<ConfigMap>::default_namespaced(cluster.client());
        harness.list(&ListParams::default()).await.unwrap();
    });
    let requests: Vec<_> = cluster
        .requests_since(mark)
        .into_iter()
        .filter(|request| request.user == user)
        .map(|request| (request.verb, request.object.unwrap().resource, request.code))
        .collect();
    let expected = |verb: &str, code| (verb.to_owned(), "configmaps".to_owned(), Some(code));
    assert_eq!(requests, [expected("list", 200), expected("get", 404)]);
}

#[test]
fn a_restart_keeps_address_and_data() {
    let Some(mut cluster) = support::start(Options::named("restarted")) else {
        return;
    };
    let server = cluster.server();
    support::run(async || {
        let object = ConfigMap {
            metadata: ObjectMeta { name: Some("kept".into()), ..ObjectMeta::default() },
            ..ConfigMap::default()
        };
        Api::default_namespaced(cluster.client()).create(&PostParams::default(), &object).await.unwrap();
    });

    cluster.stop();
    assert!(!listens(&address(&cluster)));
    cluster.restart().unwrap();

    assert_eq!(cluster.server(), server);
    support::run(async || {
        let config_maps = Api::<ConfigMap>::default_namespaced(cluster.client());
        config_maps.get("kept").await.unwrap();
    });
}

#[test]
fn controllers_fill_token_secrets() {
    let options = Options::named("controlled").with_controllers(&[
        Controller::ServiceAccount,
        Controller::ServiceAccountToken,
        Controller::RootCaPublisher,
    ]);
    let Some(cluster) = support::start(options) else {
        return;
    };
    support::run(async || {
        let client = cluster.client();
        let accounts = Api::<ServiceAccount>::default_namespaced(client.clone());
        eventually(async || accounts.get("default").await.ok()).await;
        let request =
            accounts.create_token_request("default", &PostParams::default(), &TokenRequest::default()).await.unwrap();
        assert!(request.status.unwrap().token.is_some());

        let secrets = Api::<Secret>::default_namespaced(client.clone());
        let secret = serde_json::from_value(serde_json::json!({
            "metadata": {
                "name": "token",
                "annotations": {"kubernetes.io/service-account.name": "default"},
            },
            "type": "kubernetes.io/service-account-token",
        }));
        secrets.create(&PostParams::default(), &secret.unwrap()).await.unwrap();
        eventually(async || {
            let data = secrets.get("token").await.ok()?.data?;
            data.contains_key("token").then_some(())
        })
        .await;
        let config_maps = Api::<ConfigMap>::default_namespaced(client);
        eventually(async || config_maps.get("kube-root-ca.crt").await.ok()).await;
    });
}

#[test]
fn nothing_outlives_a_killed_process() {
    if support::core_cluster().is_none() {
        return;
    }
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "envtest::start_and_wait", "--ignored"])
        .arg("--nocapture")
        .env(CHILD, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output_lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok)
        .filter_map(|line| Some(line.strip_prefix("cluster ")?.to_owned()));
    let (address, directory) = (output_lines.next().unwrap(), output_lines.next().unwrap());
    assert!(listens(&address) && Path::new(&directory).is_dir());

    child.kill().unwrap();
    child.wait().unwrap();

    support::run(async || {
        eventually(async || {
            let gone = !listens(&address) && !Path::new(&directory).exists();
            gone.then_some(())
        })
        .await;
    });
}

/// The child process of the test above.
#[test]
#[ignore = "started by nothing_outlives_a_killed_process"]
fn start_and_wait() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let cluster = support::start(Options::named("orphan")).unwrap();
    println!("\ncluster {}", address(&cluster));
    println!("cluster {}", cluster.directory().display());
    // Ends when killed, or when the parent is gone.
    let _ = std::io::stdin().read_line(&mut String::new());
}

async fn config(kubeconfig: &Path) -> Config {
    let kubeconfig = kube::config::Kubeconfig::read_from(kubeconfig).unwrap();
    let options = kube::config::KubeConfigOptions::default();
    Config::from_custom_kubeconfig(kubeconfig, &options).await.unwrap()
}

fn address(cluster: &Cluster) -> String {
    cluster.server().trim_start_matches("https://").to_owned()
}

fn listens(address: &str) -> bool {
    TcpStream::connect(address).is_ok()
}

#[test]
fn quotes_load_as_they_are_written() {
    let Some(cluster) = support::start(Options::named("quotes")) else {
        return;
    };
    let quotes = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/quotes"));

    support::load::load(&cluster, quotes).unwrap();

    let managed = cluster.kubectl(["get", "managed", "-o", "json"]).output().unwrap();
    let managed: serde_json::Value = serde_json::from_slice(&managed.stdout).unwrap();
    let managed = managed["items"].as_array().unwrap();
    assert_eq!(managed.len(), 16);
    for snapshot in support::load::read(quotes).unwrap() {
        let Some(live) = managed
            .iter()
            .find(|live| live["kind"] == snapshot["kind"] && live["metadata"]["name"] == snapshot["metadata"]["name"])
        else {
            continue;
        };
        assert_eq!(live["spec"], snapshot["spec"]);
        assert_eq!(live["status"], snapshot["status"]);
        assert_eq!(live["metadata"]["annotations"], snapshot["metadata"]["annotations"]);
        assert_eq!(live["metadata"]["finalizers"], snapshot["metadata"]["finalizers"]);
    }

    let owner = cluster
        .kubectl(["get", "providers.pkg.crossplane.io", "provider-aws", "-o", "jsonpath={.metadata.uid}"])
        .output()
        .unwrap();
    let owned = cluster
        .kubectl(["get", "providerrevisions", "-l", "pkg.crossplane.io/package=provider-aws", "-o"])
        .arg("jsonpath={.items[0].metadata.ownerReferences[0].uid}")
        .output()
        .unwrap();
    assert_eq!(owner.stdout, owned.stdout);
    assert!(!owner.stdout.is_empty());

    support::load::install_all_crds(&cluster).unwrap();
    let served = cluster.kubectl(["api-resources", "-o", "name"]).output().unwrap();
    let served = String::from_utf8(served.stdout).unwrap();
    for name in ["helmreleases.helm.toolkit.fluxcd.io", "buckets.s3.aws.m.upbound.io", "syncers.dagandersen.com"] {
        assert!(served.lines().any(|line| line == name), "{name} is not among\n{served}");
    }
}

#[test]
fn a_snapshot_keeps_generations_and_deletions() {
    let Some(cluster) = support::core_cluster() else {
        return;
    };
    let object = serde_json::json!({
        "apiVersion": "platform.example.org/v1alpha1", "kind": "XDatabase",
        "metadata": {
            "name": "going", "generation": 3, "finalizers": ["example.org/kept"],
            "deletionTimestamp": "2026-11-20T09:00:00Z",
        },
        "spec": {"size": "small"},
        "status": {"observedGeneration": 2},
    });
    support::run(async || support::load::load_objects(&cluster.client(), vec![object]).await).unwrap();

    let live = cluster.kubectl(["get", "xdatabase", "going", "-o", "json"]).output().unwrap();
    let live: serde_json::Value = serde_json::from_slice(&live.stdout).unwrap();
    assert_eq!(live["spec"], serde_json::json!({"size": "small"}));
    assert_eq!(live["status"]["observedGeneration"], 2);
    assert!(live["metadata"]["deletionTimestamp"].is_string());
    assert_eq!(live["metadata"]["generation"], 3);
}

#[test]
fn the_proxy_follows_its_rules() {
    let Some(cluster) = support::core_cluster() else {
        return;
    };
    let proxy = Proxy::start(cluster).unwrap();
    proxy.add(Rule::on("/configmaps", Fault::too_many_requests(7)).times(1));
    proxy.add(Rule::on("/configmaps", Fault::internal_error()).times(2));
    proxy.add(Rule::on("/secrets", Fault::CutBody));
    proxy.add(Rule::on("/services", Fault::Reset));
    proxy.add(Rule::on("/pods", Fault::Hang));
    proxy.add(Rule::on("/endpoints", Fault::Delay(Duration::from_millis(300))));
    proxy.add(Rule::on("continue=", Fault::expired()));

    support::run(async || {
        let mut config = config(proxy.kubeconfig()).await;
        config.default_retry = false;
        let client = Client::try_from(config).unwrap();
        let list = async |path: &str| {
            let request = hyper::Request::get(format!("/api/v1/namespaces/default{path}"));
            client.request::<serde_json::Value>(request.body(Vec::new()).unwrap()).await
        };
        let code = |error: kube::Error| match error {
            kube::Error::Api(status) => status.code,
            error => panic!("{error}"),
        };

        assert_eq!(code(list("/configmaps").await.unwrap_err()), 429);
        assert_eq!(code(list("/configmaps").await.unwrap_err()), 500);
        assert_eq!(code(list("/configmaps").await.unwrap_err()), 500);
        assert!(list("/configmaps").await.unwrap()["items"].is_array());
        assert_eq!(proxy.count("/configmaps"), 4);

        assert!(!matches!(list("/secrets").await.unwrap_err(), kube::Error::Api(_)));
        assert!(!matches!(list("/services").await.unwrap_err(), kube::Error::Api(_)));
        assert!(tokio::time::timeout(Duration::from_millis(300), list("/pods")).await.is_err());
        let begin = Instant::now();
        list("/endpoints").await.unwrap();
        assert!(begin.elapsed() >= Duration::from_millis(300));
        assert_eq!(code(list("/events?limit=1&continue=abc").await.unwrap_err()), 410);
        assert!(list("/events?limit=1").await.unwrap()["items"].is_array());
    });
}

#[test]
fn the_sandbox_has_three_clusters_and_their_credentials() {
    let Some(sandbox) = Sandbox::start() else {
        return;
    };
    for context in ["core", "prod", "stage"] {
        let output = Command::new("kubectl")
            .args(["get", "namespaces", "--context", context, "--kubeconfig"])
            .arg(sandbox.kubeconfig())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    // One thing of each engine is broken, and the repository is there.
    let status = run(ucp_on(sandbox.core(), ["status", "-o", "json"])).expect(0).json();
    let engines = status["engines"].as_array().unwrap();
    assert_eq!(engines.len(), 3, "{engines:#?}");
    for engine in engines {
        assert!(engine["counts"]["Failed"].as_u64() >= Some(1), "{engine:#}");
        assert_eq!(engine["counts"]["Unknown"], serde_json::Value::Null, "{engine:#}");
    }
    let mut images = ucp_on(sandbox.core(), ["images", "-o", "json"]);
    images.current_dir(sandbox.checkout());
    assert!(!run(images).expect(0).json()["services"].as_array().unwrap().is_empty());
    // The commands that the sandbox suggests work in that order.
    run(ucp_on(sandbox.core(), ["adopt-cluster", "--all", "--engine", "argocd", "--allow-localhost", "--yes"]))
        .expect(0);
    let mut plan = ucp_on(sandbox.core(), ["plan", ".", "-o", "json"]);
    plan.current_dir(sandbox.checkout());
    let planned = run(plan).expect(1).json();
    assert_eq!(planned["unreadable"].as_array().map(Vec::len), Some(0), "{planned:#}");
    support::run(async || {
        let secrets = Api::<Secret>::namespaced(sandbox.core().client(), "default");
        for name in ["gcp-k8s-prod", "gcp-k8s-stage"] {
            let secret = secrets.get(name).await.unwrap();
            assert!(secret.metadata.owner_references.unwrap()[0].controller.unwrap());
            let kubeconfig = sandbox.core().directory().join(name);
            std::fs::write(&kubeconfig, &secret.data.unwrap()["kubeconfig"].0).unwrap();
            let app = Client::try_from(config(&kubeconfig).await).unwrap();
            app.apiserver_version().await.unwrap();
        }
    });
}
