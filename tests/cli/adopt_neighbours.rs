//! Adoptions of one app cluster by several: they never hurt each other.

use std::time::Duration;

use serde_json::{Value, json};

use crate::adopted::{belongings, secrets};
use crate::fleet::{Corner, connection_secret, document, fleet, text};
use crate::support::address::Addresses;
use crate::support::cluster::TOKEN;
use crate::support::command::{self, CANARY};
use crate::support::kubeconfig::Credential;
use crate::support::{self, Cluster, Options, load};

/// Runs with the kubeconfig that Flux gets, and returns whether the app cluster lets it do its work.
fn works(corner: &Corner, registration: &str) -> bool {
    let secret = secrets(corner).remove(registration).unwrap_or_else(|| panic!("no {registration}"));
    works_with(corner.fleet.app.directory(), &secret.data.as_ref().unwrap()["value"].0)
}

fn works_with(directory: &std::path::Path, kubeconfig: &[u8]) -> bool {
    let path =
        directory.join(format!("{}.kubeconfig", kubeconfig.len() + usize::from(kubeconfig[kubeconfig.len() / 2])));
    std::fs::write(&path, kubeconfig).unwrap();
    let get = ["get", "namespaces,secrets", "-A", "-o", "name", "--kubeconfig"];
    let output = std::process::Command::new("kubectl").args(get).arg(path).output().unwrap();
    output.status.success()
}

/// Two names of one app cluster, as of a private and a public address.
fn two_addresses(corner: &Corner) -> (Addresses, [String; 2]) {
    let addresses = Addresses::of(&corner.fleet.app, 2, Duration::ZERO);
    let names = ["a", "b"].map(|name| format!("{}-{name}", corner.namespace));
    for (name, server) in names.iter().zip(addresses.servers()) {
        corner.provision(name, server, &corner.admin());
    }
    (addresses, names)
}

fn ran(corner: &Corner, arguments: &[&str]) -> (Value, Option<i32>, String) {
    let output = corner.output(&[arguments, &["-o", "json", "--yes"]].concat());
    assert!(!output.stdout.is_empty(), "{}", text(&output));
    (document(&output)["items"].take(), output.status.code(), text(&output))
}

#[test]
fn two_registrations_of_one_cluster_keep_their_own_access() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "side");
    let (_addresses, [a, b]) = two_addresses(&corner);
    let [of_a, of_b] = [&a, &b].map(|name| format!("{name}-kubeconfig"));
    let both = |what: &str| {
        assert!(works(&corner, &of_a), "{what}: the first lost access");
        assert!(works(&corner, &of_b), "{what}: the second lost access");
    };
    let (items, _, printed) = ran(&corner, &["adopt-cluster", &a, &b, "--engine", "flux"]);
    assert_eq!(
        (items[0]["state"].as_str(), items[1]["state"].as_str()),
        (Some("adopted"), Some("adopted")),
        "{printed}"
    );
    both("adopted in one run");
    assert_eq!(belongings(&corner).len(), 8, "each has its own: {:?}", belongings(&corner));
    for name in [&a, &b] {
        ran(&corner, &["adopt-cluster", name, "--engine", "flux", "--rotate"]);
        both("rotated");
        ran(&corner, &["adopt-cluster", name, "--engine", "flux", "--read-only"]);
        both("narrowed");
        ran(&corner, &["adopt-cluster", name, "--engine", "flux"]);
        both("adopted again");
    }
    let (items, code, printed) = ran(&corner, &["release-cluster", &a]);
    assert_eq!((items[0]["state"].as_str(), code), (Some("released"), Some(0)), "{printed}");
    assert!(works(&corner, &of_b), "the second lost access with the release of the first");
    assert_eq!(belongings(&corner).len(), 4, "{:?}", belongings(&corner));
    let (_, code, printed) = ran(&corner, &["release-cluster", &b]);
    assert_eq!((belongings(&corner), code), (vec![], Some(0)), "{printed}");
}

#[test]
fn two_registrations_of_one_cluster_keep_their_own_access_under_watch() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "watched-side");
    let (_addresses, [a, b]) = two_addresses(&corner);
    // Only a cluster that is ours or provisioned by a resource is watched.
    ran(&corner, &["adopt-cluster", &a, "--engine", "flux"]);
    ran(&corner, &["adopt-cluster", &b, "--engine", "flux"]);
    let [of_a, of_b] = [&a, &b].map(|name| format!("{name}-kubeconfig"));
    let watching = ["adopt-cluster", "--watch", "--interval", "1s", "--engine", "flux", "--rotate"];
    let mut child = corner.ucp(&watching).stdout(std::process::Stdio::null()).spawn().unwrap();
    let version = |name: &str| secrets(&corner).remove(name).and_then(|secret| secret.metadata.resource_version);
    for _ in 0..3 {
        let before = [version(&of_a), version(&of_b)];
        support::run(async || {
            support::eventually(async || (version(&of_a) != before[0] && version(&of_b) != before[1]).then_some(()))
                .await;
        });
    }
    // During a rotation the old token may just be deleted; the registered one works at once.
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(works(&corner, &of_a) && works(&corner, &of_b));
}

#[test]
fn sharing_an_account_between_two_registrations_is_refused() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "one-account");
    let (_addresses, [a, b]) = two_addresses(&corner);
    let account = format!("kube-system/{}", corner.namespace);
    let adopt = ["adopt-cluster", "--engine", "flux", "--service-account", &account];
    let (items, code, printed) = ran(&corner, &[&adopt[..], &[&a, &b]].concat());
    assert_eq!(items[0]["state"], "adopted", "{printed}");
    assert_eq!((items[1]["state"].as_str(), code), (Some("refused"), Some(1)), "{printed}");
    let (items, _, printed) = ran(&corner, &[&adopt[..], &[&b]].concat());
    let reason = items[0]["reason"].as_str().unwrap();
    assert!(reason.contains("was created for another registration: secret/"), "{printed}");
    assert!(reason.contains(&format!("{a}-kubeconfig")), "{printed}");
    assert!(works(&corner, &format!("{a}-kubeconfig")));
}

/// Makes two registrations share an account, as an earlier version did.
fn shared(corner: &Corner, [a, b]: &[String; 2], server: &str) {
    let app = &corner.fleet.app;
    ran(corner, &["adopt-cluster", a, "--engine", "flux"]);
    for object in belongings(corner) {
        let namespace = if object.contains("Cluster") { vec![] } else { vec!["-n", "kube-system"] };
        let output = app.kubectl(["annotate", &object, "kubectl-ucp.io/owner-"]).args(namespace).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
    }
    let mut secret = serde_json::to_value(&secrets(corner)[&format!("{a}-kubeconfig")]).unwrap();
    secret["metadata"]["annotations"].as_object_mut().unwrap().remove("kubectl-ucp.io/owner");
    let plain = json!({
        "apiVersion": "v1", "kind": "Secret", "data": secret["data"],
        "metadata": {
            "name": format!("{a}-kubeconfig"), "namespace": corner.namespace,
            "labels": secret["metadata"]["labels"], "annotations": secret["metadata"]["annotations"],
        },
    });
    let mut twin = plain.clone();
    twin["metadata"]["name"] = json!(format!("{b}-kubeconfig"));
    twin["metadata"]["annotations"]["kubectl-ucp.io/cluster"] = json!(b);
    twin["metadata"]["annotations"]["kubectl-ucp.io/source-secret"] =
        json!(format!("{}/{b}/kubeconfig", corner.namespace));
    let kubeconfig =
        base64::Engine::decode(&base64::engine::general_purpose::STANDARD, twin["data"]["value"].as_str().unwrap());
    let kubeconfig = String::from_utf8(kubeconfig.unwrap()).unwrap();
    let first = server_of(&kubeconfig);
    let moved = k8s_openapi::ByteString(kubeconfig.replace(&first, server).into_bytes());
    twin["data"]["value"] = json!(moved);
    let core = &corner.fleet.core;
    let deleted =
        core.kubectl(["delete", "secret", "-n", &corner.namespace, &format!("{a}-kubeconfig")]).output().unwrap();
    assert!(deleted.status.success());
    corner.put(plain);
    corner.put(twin);
}

fn server_of(kubeconfig: &str) -> String {
    let document: Value = serde_saphyr::from_str(kubeconfig).unwrap();
    document["clusters"][0]["cluster"]["server"].as_str().unwrap().to_owned()
}

#[test]
fn a_shared_account_is_split_without_losing_access() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "shared");
    let (addresses, names) = two_addresses(&corner);
    shared(&corner, &names, &addresses.servers()[1]);
    let [a, b] = &names;
    let [of_a, of_b] = [a, b].map(|name| format!("{name}-kubeconfig"));
    assert!(works(&corner, &of_a) && works(&corner, &of_b), "both use it");

    let (items, code, printed) = ran(&corner, &["adopt-cluster", a, "--engine", "flux", "--rotate"]);
    assert_eq!((items[0]["state"].as_str(), code), (Some("refused"), Some(1)), "{printed}");
    assert!(items[0]["reason"].as_str().unwrap().contains(&of_b), "{printed}");
    let output = corner.output(&["release-cluster", a, "--yes", "--dry-run"]);
    assert!(text(&output).contains("are kept: ") && text(&output).contains(&of_b), "{}", text(&output));

    let (items, _, printed) = ran(&corner, &["adopt-cluster", b, "--engine", "flux", "--force-conflicts"]);
    assert_eq!(items[0]["state"], "adopted", "{printed}");
    assert!(works(&corner, &of_a) && works(&corner, &of_b), "the second has one of its own now");
    let again = ["adopt-cluster", a, "--engine", "flux", "--rotate", "--force-conflicts"];
    let (items, _, printed) = ran(&corner, &again);
    assert_eq!(items[0]["state"], "adopted", "{printed}");
    assert!(works(&corner, &of_a) && works(&corner, &of_b), "and is not touched by the first");
    let (items, code, printed) = ran(&corner, &["release-cluster", a]);
    assert_eq!((items[0]["state"].as_str(), code), (Some("released"), Some(0)), "{printed}");
    assert!(works(&corner, &of_b));
}

#[test]
fn a_release_leaves_an_account_that_others_use() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "leaves");
    let (addresses, names) = two_addresses(&corner);
    shared(&corner, &names, &addresses.servers()[1]);
    let (items, code, printed) = ran(&corner, &["release-cluster", &names[0]]);
    assert_eq!((items[0]["state"].as_str(), code), (Some("released"), Some(0)), "{printed}");
    assert!(items[0]["reason"].as_str().unwrap().contains(&format!("{}-kubeconfig", names[1])), "{printed}");
    assert!(works(&corner, &format!("{}-kubeconfig", names[1])));
}

/// A second core cluster.
fn another_core() -> Cluster {
    let core = support::start(Options::named("another-core")).expect("it starts where the first one did");
    load::install_all_crds(&core).expect("the kinds are installed");
    core
}

#[test]
fn two_core_clusters_adopt_one_app_cluster() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "cores");
    let other = another_core();
    let name = format!("{}-prod", corner.namespace);
    let kubeconfig = fleet.app.kubeconfig_with(&fleet.app.server(), &corner.admin());
    corner.provision(&name, &fleet.app.server(), &corner.admin());
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": corner.namespace}});
    let secret = connection_secret(&corner.namespace, &name, &kubeconfig);
    support::run(async || load::load_objects(&other.client(), vec![namespace, secret]).await).unwrap();
    let there = |arguments: &[&str]| {
        let output = corner.ucp_with(other.kubeconfig().to_owned(), arguments).output().unwrap();
        assert!(output.status.success() && !text(&output).contains(CANARY), "{}", text(&output));
    };
    let registration = format!("{name}-kubeconfig");
    let works_there = || {
        let path = "jsonpath={.data.value}".to_owned();
        let secret =
            other.kubectl(["get", "secret", "-n", &corner.namespace, &registration, "-o", &path]).output().unwrap();
        let value = String::from_utf8(secret.stdout).unwrap();
        let value = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, value).unwrap();
        works_with(other.directory(), &value)
    };
    let adopt = ["adopt-cluster", &name, "--engine", "flux", "--yes"];
    ran(&corner, &adopt[..4]);
    there(&adopt);
    assert!(works(&corner, &registration) && works_there());
    there(&[&adopt[..], &["--rotate"]].concat());
    ran(&corner, &[&adopt[..4], &["--rotate"]].concat());
    assert!(works(&corner, &registration) && works_there());
    ran(&corner, &["release-cluster", &name]);
    assert!(works_there(), "the other core cluster's stays");
    there(&["release-cluster", &name, "--yes"]);
    assert_eq!(belongings(&corner), Vec::<String>::new());
}

#[test]
fn a_probe_uses_the_credential_of_the_engine() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "probed");
    let name = format!("{}-prod", corner.namespace);
    corner.provision(&name, &fleet.app.server(), &corner.admin());
    ran(&corner, &["adopt-cluster", &name, "--engine", "flux"]);
    assert_eq!(corner.clusters(&["--probe"])[&name]["state"], "adopted");
    // Its rights go, and then its token; the Secret of the provisioner is as good as ever.
    let object = |kind: &str| belongings(&corner).into_iter().find(|object| object.starts_with(kind)).unwrap();
    for kind in ["ClusterRoleBinding/", "Secret/"] {
        let namespace = if kind == "Secret/" { vec!["-n", "kube-system"] } else { vec![] };
        let output = fleet.app.kubectl(["delete", &object(kind)]).args(namespace).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        support::run(async || {
            support::eventually(async || {
                let item = corner.clusters(&["--probe"])[&name].take();
                let reason = item["reason"].as_str().unwrap_or_default().to_owned();
                (item["state"] == "stale" && reason.contains("the credential that Flux uses")).then_some(())
            })
            .await;
        });
    }
    assert_eq!(corner.clusters(&[])[&name]["state"], "adopted", "without a probe, it is unknown");
}

#[test]
fn a_cluster_whose_secret_was_not_read_is_unknown() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "unread");
    let name = format!("{}-prod", corner.namespace);
    corner.provision(&name, &fleet.app.server(), &corner.admin());
    ran(&corner, &["adopt-cluster", &name, "--engine", "flux"]);
    // Its registration is in sight, and the Secret that it comes from is not.
    let mut elsewhere = command::ucp(["clusters", "-o", "json", "-n", "default", "--allow-localhost"]);
    // Registrations of the same cluster by other tests are in other namespaces.
    elsewhere
        .args(["--flux-namespace", &corner.namespace, "--argocd-namespace", &corner.namespace, "--kubeconfig"])
        .arg(fleet.core.kubeconfig());
    let output = elsewhere.output().unwrap();
    let list = document(&output);
    let item = list["items"].as_array().unwrap().iter().find(|item| item["name"] == name.as_str());
    let item = item.unwrap_or_else(|| panic!("{name}: {list:#} {}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!((item["state"].as_str(), output.status.code()), (Some("unknown"), Some(4)), "{item:#}");
    assert!(item["reason"].as_str().unwrap().contains("was not read"), "{item:#}");
}

/// A registration contains an administrator's token, so a tenant must not decide its namespace.
#[test]
fn tenants_cannot_choose_the_namespace_of_registrations() {
    let Some(fleet) = fleet() else { return };
    let Some(core) = support::start(Options::named("adopt-tenants")) else { return };
    let admin = Credential::Token(TOKEN.to_owned());
    let project = |namespace: &str, name: &str| {
        json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject",
            "metadata": {"namespace": namespace, "name": name}, "spec": {},
        })
    };
    let kustomization = json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
        "metadata": {"namespace": "tenant", "name": "a"},
        "spec": {"interval": "1h", "prune": true, "path": ".", "sourceRef": {"kind": "GitRepository", "name": "a"}},
    });
    let objects = vec![
        project("gitops", "default"),
        project("tenant", "one"),
        project("tenant", "two"),
        kustomization,
        connection_secret("crossplane-system", "prod", &fleet.app.kubeconfig_with(&fleet.app.server(), &admin)),
    ];
    support::run(async || load::load_objects(&core.client(), objects).await).unwrap();
    let asked = |arguments: &[&str]| {
        let mut command = command::ucp(arguments.iter().copied().chain(["-o", "json", "--allow-localhost"]));
        command.arg("--kubeconfig").arg(core.kubeconfig()).output().unwrap()
    };
    let clusters = asked(&["clusters"]);
    assert_eq!(clusters.status.code(), Some(4), "{}", text(&clusters));
    assert!(text(&clusters).contains("AppProjects are in gitops, tenant"), "{}", text(&clusters));
    for (engine, reason) in [
        ("argocd", "AppProjects are in gitops, tenant"),
        ("flux", "Kustomizations are in tenant, and none in flux-system"),
    ] {
        let adopt = ["adopt-cluster", "prod", "--engine", engine, "--yes"];
        let refused = asked(&adopt);
        assert_eq!(refused.status.code(), Some(1), "{}", text(&refused));
        assert!(document(&refused)["items"][0]["reason"].as_str().unwrap().contains(reason), "{}", text(&refused));
        let flag = format!("--{engine}-namespace");
        let decided = asked(&[&adopt[..4], &["--dry-run", &flag, "gitops"]].concat());
        assert_eq!(document(&decided)["items"][0]["state"], "planned", "{}", text(&decided));
    }
}
