//! App clusters that are included in a snapshot, and the cloud resources that they leave behind, in `teardown`.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::net::TcpListener;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

use crate::failing_reads::{Matrix, Place, Promise, holds};
use crate::fleet::connection_secret;
use crate::secrets::stage::registrations;
use crate::support::cluster::TOKEN;
use crate::support::command::{CANARY, Ran, run, ucp, ucp_from, ucp_on};
use crate::support::objects::crossplane;
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::recorder::Recorder;
use crate::support::{self, Cluster, Options, kubeconfig, load};

const MAKER: &str = "cluster.container.gcp.upbound.io/prod";
const LOOK: [&str; 6] = ["--app-clusters", "--allow-localhost", "--argocd-namespace", "argocd", "-o", "json"];

/// A core cluster that made an app cluster, and this one, with a load balancer and a disk.
fn start() -> Option<(Cluster, Cluster)> {
    let core = support::start(Options::named("remains-core"))?;
    let app = support::start(Options::named("remains-app"))?;
    load::install_all_crds(&core).unwrap();
    let token = kubeconfig::Credential::Token(TOKEN.to_owned());
    let servers = BTreeMap::from([("prod", (app.server(), app.ca_pem().to_owned()))]);
    let mut objects = registrations(&servers, TOKEN);
    objects.push(crossplane());
    objects.push(connection_secret(
        "default",
        "prod",
        &kubeconfig::kubeconfig("prod", &app.server(), app.ca_pem(), &token),
    ));
    objects.push(json!({
        "apiVersion": "container.gcp.upbound.io/v1beta1", "kind": "Cluster",
        "metadata": {"name": "prod", "finalizers": ["finalizer.managedresource.crossplane.io"]},
        "spec": {
            "forProvider": {"location": "europe-west1", "deletionProtection": false},
            "writeConnectionSecretToRef": {"namespace": "default", "name": "prod"},
        },
    }));
    objects.push(json!({
        "apiVersion": "gcp.upbound.io/v1beta1", "kind": "ProviderConfig", "metadata": {"name": "default"},
        "spec": {"projectID": "p", "credentials": {"source": "InjectedIdentity"}},
    }));
    let service = |name: &str, kind: &str, status: Value| {
        json!({
            "apiVersion": "v1", "kind": "Service", "metadata": {"namespace": "shop", "name": name},
            "spec": {"type": kind, "ports": [{"port": 80}]}, "status": status,
        })
    };
    let volume = |name: &str, source: (&str, Value)| {
        let mut volume = json!({
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
            "spec": {
                "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "persistentVolumeReclaimPolicy": "Delete",
                "claimRef": {"namespace": "shop", "name": name},
            },
        });
        volume["spec"][source.0] = source.1;
        volume
    };
    let disk = json!({"driver": "pd.csi.storage.gke.io", "volumeHandle": "projects/p/zones/z/disks/data"});
    let contents = vec![
        service("web", "LoadBalancer", json!({"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}]}})),
        service("internal", "ClusterIP", json!({})),
        volume("data", ("csi", disk)),
        volume("scratch", ("hostPath", json!({"path": "/data"}))),
        json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "shop", "name": "login"},
            "stringData": {"password": CANARY},
        }),
    ];
    support::run(async || load::load_objects(&core.client(), objects).await).unwrap();
    support::run(async || load::load_objects(&app.client(), contents).await).unwrap();
    Some((core, app))
}

fn look<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [&["teardown"], arguments, &LOOK].concat()
}

/// Resources that stay in the cloud: the object in the app cluster, and the external name.
fn left(ran: &Ran) -> Vec<(String, String)> {
    let document = ran.json();
    let items = document["items"].as_array().unwrap().iter().filter(|item| item["cluster"] == "prod");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    items
        .map(|item| {
            assert_eq!(item["fate"], "orphaned", "{item}");
            (text(&item["object"]["name"]), text(&item["external"]))
        })
        .collect()
}

#[test]
fn external_resources_of_an_app_cluster_are_reported_and_in_snapshots() {
    let Some((core, _app)) = start() else { return };
    // Without reading app clusters, this is unknown.
    let ran = run(ucp_on(&core, ["teardown", MAKER, "-o", "json"])).expect(4);
    assert_eq!(ran.unknown(), ["load balancers and disks of app cluster prod"]);
    let commands = ran.json()["steps"].to_string();
    assert!(!commands.contains("kubectl delete") && commands.contains("--app-clusters"), "{commands}");
    let text = run(ucp_on(&core, ["teardown", MAKER])).expect(4).stdout;
    assert!(text.contains("not read; pass --app-clusters to read it"), "{text}");

    let live = run(ucp_on(&core, look(&[MAKER]))).expect(1);
    let expected =
        [("data".to_owned(), "projects/p/zones/z/disks/data".to_owned()), ("web".to_owned(), "192.0.2.7".to_owned())];
    let mut found = left(&live);
    found.sort();
    assert_eq!(found, expected);
    let document = live.json();
    let step = &document["steps"][0];
    let commands = json!([
        "kubectl delete persistentvolumeclaim/data -n shop # in prod",
        "kubectl delete service/web -n shop # in prod"
    ]);
    let mut reported: Vec<_> = step["commands"].as_array().unwrap().clone();
    reported.sort_by_key(ToString::to_string);
    assert_eq!(json!(reported), commands, "{document}");
    let codes: Vec<_> = document["findings"].as_array().unwrap().iter().map(|finding| &finding["code"]).collect();
    assert_eq!(codes, ["UCP922", "UCP911", "UCP911"], "{document}");
    assert_eq!(document["unreadable"], json!([]));
    // Of the whole core cluster it is part, too.
    let mut whole = left(&run(ucp_on(&core, look(&["--all"]))).expect(1));
    whole.sort();
    assert_eq!(whole, expected);

    // A snapshot has it too, and no secret.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("core.tar.gz").display().to_string();
    let take = ["snapshot", &path, "--app-clusters", "--allow-localhost", "--argocd-namespace", "argocd"];
    run(ucp_on(&core, take)).expect(0);
    let taken = run(ucp_from(&path, look(&[MAKER]))).expect(1).json();
    for field in ["items", "steps", "findings", "counts", "unreadable"] {
        assert_eq!(taken[field], document[field], "{field}");
    }
    let all = crate::capture::texts(&path);
    assert!(all.contains("app-clusters/prod/namespaces/shop/core/services.yaml"), "{all}");
    assert!(!all.contains(CANARY) && all.contains("\"name\":\"login\""), "a Secret of the app cluster");
    // In a snapshot without app clusters, this is unknown.
    let plain = directory.path().join("plain.tar.gz").display().to_string();
    run(ucp_on(&core, ["snapshot", &plain])).expect(0);
    let ran = run(ucp_from(&plain, look(&[MAKER]))).expect(4);
    assert!(ran.stdout.contains("it is not in the snapshot"), "{ran:?}");
    expect_no_clear_text(&core);
}

/// A cluster whose Secret names a server in clear text is not asked, unless a flag allows it.
fn expect_no_clear_text(core: &Cluster) {
    let stranger = Recorder::http();
    let token = kubeconfig::Credential::Token(CANARY.to_owned());
    let secret = kubeconfig::kubeconfig("lured", stranger.server(), core.ca_pem(), &token);
    let lured = vec![
        connection_secret("default", "lured", &secret),
        json!({
            "apiVersion": "container.gcp.upbound.io/v1beta1", "kind": "Cluster",
            "metadata": {"name": "lured", "finalizers": ["finalizer.managedresource.crossplane.io"]},
            "spec": {
                "forProvider": {"location": "europe-west1", "deletionProtection": false},
                "writeConnectionSecretToRef": {"namespace": "default", "name": "lured"},
            },
        }),
    ];
    support::run(async || load::load_objects(&core.client(), lured).await).unwrap();
    let maker = "cluster.container.gcp.upbound.io/lured";
    run(ucp_on(core, look(&[maker]))).expect(4).hides_secrets();
    assert_eq!(stranger.requests(), Vec::<String>::new());
    run(ucp_on(core, look(&[maker, "--allow-http"]))).hides_secrets();
    assert!(!stranger.requests().is_empty(), "the flag allows it");
}

/// Every list of the core cluster by which an app cluster is found.
#[test]
fn a_failing_list_hides_no_app_cluster() {
    let Some((core, _app)) = start() else { return };
    let place = |_| {
        let proxy = Proxy::start(&core).unwrap();
        let kubeconfig = proxy.kubeconfig().to_owned();
        Place::new("", vec![("core", proxy)], move |timeout| {
            let mut command = ucp(look(&[MAKER, "--request-timeout", timeout]));
            command.env("KUBECONFIG", &kubeconfig);
            command
        })
    };
    // The cluster is found by its Secrets, and the namespace of Argo CD is given.
    let leave_out = |path: &str| path.ends_with("/configmaps") || path.ends_with("/appprojects");
    let matrix = Matrix { leave_out: &leave_out, ..Matrix::new("teardown --app-clusters", Promise::NothingIsClaimed) };
    holds(&matrix.run((0..4).map(place).collect()).1);
}

#[test]
fn an_app_cluster_that_does_not_answer_is_unknown() {
    let Some((core, mut app)) = start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("core.tar.gz").display().to_string();
    let take = |more: &[&str]| {
        let arguments = ["snapshot", &path, "--app-clusters", "--allow-localhost", "--argocd-namespace", "argocd"];
        run(ucp_on(&core, [&arguments, more, &["-o", "json"]].concat()))
    };
    // Next to one that denies one kind, two do not answer, and are read at the same time.
    let (proxy, silent, asked) = (Proxy::start(&app).unwrap(), Silent::start(), ["a-silent", "b-silent"]);
    proxy.add(Rule::on("api/v1/services?", Fault::failure(403, "Forbidden", "services is forbidden: User \"x\"")));
    let authority = || app.ca_pem().to_owned();
    let mut servers = BTreeMap::from([("prod", (proxy.server(), authority()))]);
    servers.extend(asked.iter().copied().zip(silent.servers.iter().map(|server| (server.clone(), authority()))));
    support::run(async || load::load_objects(&core.client(), registrations(&servers, TOKEN)).await).unwrap();
    let ran = take(&["--request-timeout", "20s"]).expect(4);
    assert!(silent.were_asked_together(), "one was asked after the other: {ran:?}");
    assert_eq!(ran.unknown(), ["services of app cluster prod"], "{ran:?}");
    let document = ran.json();
    let taken: Vec<_> = document["appClusters"].as_array().unwrap().iter().collect();
    let names: Vec<_> = taken.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a-silent", "b-silent", "prod"], "{document}");
    assert!(taken[..2].iter().all(|one| one["reason"].is_string()), "{document}");
    assert_eq!((&taken[2]["reason"], &taken[2]["unreadable"]), (&json!(null), &json!(1)), "{document}");
    let from = run(ucp_from(&path, look(&[MAKER]))).expect(1);
    assert_eq!(from.unknown(), ["load balancers and disks of app cluster prod"], "{from:?}");
    assert_eq!(left(&from), [("data".to_owned(), "projects/p/zones/z/disks/data".to_owned())]);

    app.stop();
    let ran = run(ucp_on(&core, look(&[MAKER, "--request-timeout", "3s"]))).expect(4);
    assert_eq!(ran.unknown(), ["load balancers and disks of app cluster prod"], "{ran:?}");
    let ran = take(&["--request-timeout", "3s", "--overwrite"]).expect(4);
    let missing = &ran.json()["appClusters"][2];
    assert!(missing["name"] == "prod" && missing["reason"].is_string(), "{ran:?}");
    let from = run(ucp_from(&path, look(&[MAKER]))).expect(4);
    assert!(from.stdout.contains("it was not taken: "), "{from:?}");
}

/// Two servers that accept a connection and never answer, until both got one or a client gave up.
struct Silent {
    servers: [String; 2],
    asked: JoinHandle<bool>,
}

impl Silent {
    fn start() -> Self {
        let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let servers = listeners.each_ref().map(|listener| format!("https://{}", listener.local_addr().unwrap()));
        let (accepted, streams) = mpsc::channel();
        for listener in listeners {
            let accepted = accepted.clone();
            thread::spawn(move || accepted.send(listener.accept().unwrap().0));
        }
        let asked = thread::spawn(move || {
            let Ok(mut first) = streams.recv_timeout(Duration::from_secs(300)) else { return false };
            first.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
            // After the client's TLS hello there is nothing but the end.
            while !matches!(first.read(&mut [0; 4096]), Ok(0)) {
                if streams.try_recv().is_ok() {
                    return true;
                }
            }
            false
        });
        Self { servers, asked }
    }

    fn were_asked_together(self) -> bool {
        self.asked.join().unwrap()
    }
}
