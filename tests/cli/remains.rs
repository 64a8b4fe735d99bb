//! App clusters that are taken along in a snapshot, and what `teardown` says that they leave behind in the cloud.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::fleet::connection_secret;
use crate::secrets::stage::registrations;
use crate::support::cluster::TOKEN;
use crate::support::command::{CANARY, Ran, run, ucp_from, ucp_on};
use crate::support::objects::crossplane;
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
            "forProvider": {"location": "europe-west1"},
            "writeConnectionSecretToRef": {"namespace": "default", "name": "prod"},
        },
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

/// What stays in the cloud: the object in the app cluster, and its name outside.
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
fn what_an_app_cluster_leaves_behind_is_told_and_taken() {
    let Some((core, _app)) = start() else { return };
    // Who does not look does not know.
    let ran = run(ucp_on(&core, ["teardown", MAKER, "-o", "json"])).expect(4);
    assert_eq!(ran.unknown(), ["load balancers and disks of app cluster prod"]);
    let text = run(ucp_on(&core, ["teardown", MAKER])).expect(4).stdout;
    assert!(text.contains("--app-clusters looks into it"), "{text}");

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
    let mut told: Vec<_> = step["commands"].as_array().unwrap().clone();
    told.sort_by_key(ToString::to_string);
    assert_eq!(json!(told), commands, "{document}");
    let codes: Vec<_> = document["findings"].as_array().unwrap().iter().map(|finding| &finding["code"]).collect();
    assert_eq!(codes, ["UCP911", "UCP911"], "{document}");
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
    // Without app clusters in it, nobody knows.
    let plain = directory.path().join("plain.tar.gz").display().to_string();
    run(ucp_on(&core, ["snapshot", &plain])).expect(0);
    let ran = run(ucp_from(&plain, look(&[MAKER]))).expect(4);
    assert!(ran.stdout.contains("it is not in the snapshot"), "{ran:?}");
}

#[test]
fn an_app_cluster_that_does_not_answer_is_unknown() {
    let Some((core, mut app)) = start() else { return };
    app.stop();
    let ran = run(ucp_on(&core, look(&[MAKER, "--request-timeout", "3s"]))).expect(4);
    assert_eq!(ran.unknown(), ["load balancers and disks of app cluster prod"], "{ran:?}");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("core.tar.gz").display().to_string();
    let take = ["snapshot", &path, "--app-clusters", "--allow-localhost", "--argocd-namespace", "argocd", "-o", "json"];
    let ran = run(ucp_on(&core, take.into_iter().chain(["--request-timeout", "3s"]))).expect(4);
    let missing = &ran.json()["appClusters"][0];
    assert!(missing["name"] == "prod" && missing["reason"].is_string(), "{ran:?}");
}
