//! Refusals of `secrets sync`: sources that nothing declares, Secrets that are never copied, declarations that do not
//! count, clusters with another identity, and deletions of last copies.

use std::path::PathBuf;
use std::process::Command;

use k8s_openapi::api::core::v1::Secret;
use kube::api::{Api, ListParams};
use serde_json::{Value, json};

use super::seeds::{At, HOME, LOGIN, connection, deployment, env, secret, syncer};
use super::stage::{Clusters, definition, namespaces, ways};
use crate::fleet::connection_secret;
use crate::support::cluster::TOKEN;
use crate::support::command::{Ran, run, ucp};
use crate::support::kubeconfig::{self, Credential};
use crate::support::objects::with;
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::{self};

const OTHER: &[(&str, &str)] = &[("username", "tenant"), ("password", "canary-that-must-never-sing-2")];

fn names(clusters: &Clusters, at: At) -> Vec<String> {
    let list = support::run(async || {
        let api: Api<Secret> = Api::namespaced(clusters.of(at).client(), "shop");
        api.list(&ListParams::default()).await.unwrap()
    });
    list.items.into_iter().map(|secret| secret.metadata.name.unwrap()).collect()
}

fn sync(kubeconfig: &PathBuf, arguments: &[&str]) -> Command {
    let mut command = ucp(["secrets", "sync", "--context", "core"]);
    command.args(arguments).env("KUBECONFIG", kubeconfig);
    command
}

fn item(ran: &Ran, name: &str) -> Value {
    let items = ran.json()["items"].as_array().unwrap().clone();
    items.into_iter().find(|item| item["name"] == name).unwrap_or_default()
}

fn begin(clusters: &Clusters, objects: Vec<Value>) -> PathBuf {
    let mut servers = clusters.servers();
    servers.remove("dark");
    clusters.put(At::Core, ways(&servers, TOKEN).into_iter().chain(objects).collect());
    for at in [At::Prod, At::Stage] {
        let mut shop = namespaces(&["shop"]);
        shop[0]["metadata"].as_object_mut().unwrap().remove("uid");
        clusters.put(at, shop);
    }
    clusters.kubeconfig()
}

fn from_tenant(name: &str, namespace: &str, source: &str) -> Value {
    with(syncer(name, namespace, source, "prod", "shop"), &[json!({"metadata": {"namespace": "aaa-tenant"}})])
}

#[test]
fn only_declared_and_permitted_secrets_are_copied() {
    let Some(clusters) = Clusters::start_without_kinds() else { return };
    let typed = |mut object: Value, kind: &str| {
        object["type"] = json!(kind);
        object
    };
    let labeled = |object: Value, key: &str| with(object, &[json!({"metadata": {"labels": {key: "x"}}})]);
    let kubeconfig = "apiVersion: v1\nkind: Config\nclusters: []\nusers: []\ncontexts: []\n";
    let guarded = [
        labeled(secret(HOME, "of-argo-cd", OTHER), "argocd.argoproj.io/secret-type"),
        labeled(secret(HOME, "of-sealed", OTHER), "sealedsecrets.bitnami.com/sealed-secrets-key"),
        typed(secret(HOME, "of-helm", OTHER), "helm.sh/release.v1"),
        secret(HOME, "argocd-secret", OTHER),
        secret(HOME, "of-somewhere", &[("file", kubeconfig)]),
        secret("kube-system", "of-system", OTHER),
    ];
    let mut objects: Vec<Value> = Vec::new();
    for object in &guarded {
        let (namespace, name) =
            (object["metadata"]["namespace"].as_str().unwrap(), object["metadata"]["name"].as_str().unwrap());
        objects.push(syncer(name, namespace, name, "prod", "shop"));
    }
    objects.extend(guarded.iter().cloned());
    objects.extend([
        connection("aaa-tenant", "orders", OTHER),
        connection(HOME, "orders", LOGIN),
        connection(HOME, "taken", LOGIN),
        from_tenant("taken", HOME, "taken"),
        connection("aaa-tenant", "own", OTHER),
        from_tenant("own", "aaa-tenant", "own"),
        connection("aaa-tenant", "lifted", OTHER),
        with(
            from_tenant("lifted", "aaa-tenant", "lifted"),
            &[json!({"spec": {"data": [{
                "sourceName": "lifted", "sourceNamespace": "aaa-tenant", "kinds": "secret", "targetCluster": "prod",
                "targetNamespace": "kube-system",
            }]}})],
        ),
    ]);
    let kubeconfig = begin(&clusters, objects);
    clusters.put(At::Prod, vec![deployment("orders", env("orders", "password"))]);

    let ran = run(sync(&kubeconfig, &["--yes", "-o", "json"])).expect(1);
    assert_eq!(names(&clusters, At::Prod), ["own"], "{ran:?}");
    for object in &guarded {
        let name = object["metadata"]["name"].as_str().unwrap();
        let reported = item(&ran, name);
        assert_eq!(reported["action"], "refuse", "{reported}");
        assert!(reported["forbidden"].as_str().unwrap().contains("is never copied"), "{reported}");
    }
    assert!(item(&ran, "taken")["forbidden"].as_str().unwrap().contains("aaa-tenant"), "{ran:?}");
    let lifted = item(&ran, "lifted");
    assert!(lifted["forbidden"].as_str().unwrap().contains("control the app cluster"), "{lifted}");
    let own = item(&ran, "own");
    assert_eq!(own["course"], "done", "{own}");
    let grounds = own["grounds"].to_string();
    assert!(
        grounds.contains("syncer.dagandersen.com") && grounds.contains("secret/own -n aaa-tenant (uid "),
        "{grounds}"
    );

    // A name that two Secrets have means neither.
    let ran = run(sync(&kubeconfig, &["orders", "--yes", "-o", "json"])).expect(1);
    let reported = item(&ran, "orders");
    assert!(
        reported["action"] == "refuse" && reported["reason"].as_str().unwrap().contains("aaa-tenant/orders"),
        "{reported}"
    );
    assert_eq!(names(&clusters, At::Prod), ["own"]);
    run(sync(&kubeconfig, &["crossplane-system/nothing", "--yes"])).expect(3);
    run(sync(&kubeconfig, &["crossplane-system/orders", "--yes"])).expect(0);
    assert_eq!(names(&clusters, At::Prod), ["orders", "own"]);
    let list = run(sync(&kubeconfig, &["--dry-run", "-o", "json"]));
    assert_eq!(item(&list, "orders")["source"]["namespace"], HOME, "{list:?}");
    // A Syncer of a tenant for a Secret of the same name does not take it over.
    clusters.put(At::Core, vec![from_tenant("orders", "aaa-tenant", "orders")]);
    let ran = run(sync(&kubeconfig, &["--yes", "-o", "json"])).expect(1);
    assert_eq!(item(&ran, "orders")["action"], "refuse", "{ran:?}");
}

#[test]
fn contexts_of_other_clusters_and_clusters_without_provenance_are_refused() {
    let Some(clusters) = Clusters::start_without_kinds() else { return };
    let stage = kubeconfig::kubeconfig(
        "x",
        &clusters.stage.server(),
        clusters.stage.ca_pem(),
        &Credential::Token(TOKEN.to_owned()),
    );
    let mut servers = clusters.servers();
    servers.retain(|name, _| *name == "prod");
    let objects = [
        connection(HOME, "db", LOGIN),
        syncer("db", HOME, "db", "prod", "shop"),
        connection(HOME, "lured", LOGIN),
        syncer("lured", HOME, "lured", "lure", "shop"),
        connection_secret("aaa-tenant", "lure", &stage),
    ];
    clusters.put(At::Core, ways(&servers, TOKEN).into_iter().chain(objects).collect());
    for at in [At::Core, At::Prod, At::Stage] {
        let mut shop = namespaces(&["shop"]);
        shop[0]["metadata"].as_object_mut().unwrap().remove("uid");
        clusters.put(at, shop);
    }
    let kubeconfig = clusters.kubeconfig();
    for other in ["stage", "core"] {
        let ran = run(sync(
            &kubeconfig,
            &["--yes", "--app-cluster", "prod", "--context-map", &format!("prod={other}"), "-o", "json"],
        ));
        assert!(ran.code == Some(4), "{ran:?}");
        assert!(ran.stdout.contains(&format!("--context-map prod={other}: the context connects to")), "{ran:?}");
        assert!([At::Core, At::Prod, At::Stage].iter().all(|at| names(&clusters, *at).is_empty()));
    }
    // The UID of its namespace kube-system identifies the core cluster, although its server has another name.
    let proxy = Proxy::start(&clusters.core).unwrap();
    let disguised = kubeconfig::kubeconfig(
        "disguised",
        &proxy.server(),
        clusters.core.ca_pem(),
        &Credential::Token(TOKEN.to_owned()),
    );
    let all = [clusters.core.admin_kubeconfig().unwrap(), disguised];
    let path = clusters.core.save(&kubeconfig::merged(&all));
    run(sync(&path, &["--yes", "--app-cluster", "prod", "--context-map", "prod=disguised"])).expect(4);
    assert!(names(&clusters, At::Core).is_empty());

    let ran = run(sync(&kubeconfig, &["--yes", "-o", "json", "--use-registration"])).expect(1);
    assert!(item(&ran, "lured")["forbidden"].as_str().unwrap().contains("no object of a provisioner wrote"), "{ran:?}");
    assert_eq!((names(&clusters, At::Prod), names(&clusters, At::Stage)), (vec!["db".to_owned()], Vec::new()));
    let server = &ran.json()["clusters"];
    assert!(server.to_string().contains(&clusters.prod.server()), "{server}");
    // The table gives the reason of the exit code, also for a copy whose data are right.
    clusters.put(At::Stage, vec![secret("shop", "lured", LOGIN)]);
    let mut verify = ucp(["secrets", "verify", "lured", "--context", "core", "--use-registration"]);
    verify.env("KUBECONFIG", &kubeconfig);
    let ran = run(verify).expect(1);
    assert!(ran.stdout.contains("lured: it must not be copied: no object of a"), "{ran:?}");
}

#[test]
fn prune_only_deletes_unchanged_copies_that_exist_elsewhere() {
    let Some(clusters) = Clusters::start_without_kinds() else { return };
    let all = ["added", "annotated", "gated", "gone", "provisioned", "raced", "renamed", "used"];
    let mut objects: Vec<Value> = all.iter().map(|name| connection(HOME, name, LOGIN)).collect();
    objects.extend(all.iter().map(|name| syncer(name, HOME, name, "prod", "shop")));
    begin(&clusters, objects);
    let proxy = Proxy::start(&clusters.prod).unwrap();
    let prod =
        kubeconfig::kubeconfig("prod", &proxy.server(), clusters.prod.ca_pem(), &Credential::Token(TOKEN.to_owned()));
    let kubeconfig = clusters.core.save(&kubeconfig::merged(&[
        clusters.core.admin_kubeconfig().unwrap(),
        prod,
        clusters.stage.admin_kubeconfig().unwrap(),
    ]));
    let arguments = ["--context-map", "prod=prod", "--yes", "-o", "json"];
    let prune = |more: &[&str]| run(sync(&kubeconfig, &[&arguments[..], &["--prune"], more].concat()));
    // A Secret that was created in the meantime is not overwritten.
    let made = Fault::failure(409, "AlreadyExists", "secrets \"added\" already exists");
    proxy.add(Rule::on("/secrets?field", made).times(1));
    let ran = run(sync(&kubeconfig, &arguments)).expect(3);
    assert!(ran.stdout.contains("was created in the meantime"), "{ran:?}");
    run(sync(&kubeconfig, &arguments)).expect(0);
    let posts = proxy.seen().into_iter().filter(|seen| seen.method == "POST" && seen.uri.contains("/secrets?")).count();
    assert_eq!(posts, all.len() + 1);

    let kubectl = |at: At, arguments: &[&str]| {
        let output = clusters.of(at).kubectl(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    // A person added a key; the source of another one was deleted.
    let add = ["patch", "secret", "-n", "shop", "added", "--type=merge", "-p", r#"{"stringData":{"more":"x"}}"#];
    kubectl(At::Prod, &add);
    kubectl(At::Core, &["delete", "secret", "-n", HOME, "gone"]);
    for name in all.into_iter().filter(|name| *name != "renamed") {
        kubectl(At::Core, &["delete", "syncers.dagandersen.com", "-n", "default", name]);
    }
    // One is declared for a name that may be another one of this cluster's.
    let elsewhere = syncer("renamed", HOME, "renamed", "production", "shop");
    kubectl(At::Core, &["delete", "syncers.dagandersen.com", "-n", "default", "renamed"]);
    clusters.put(At::Core, vec![elsewhere]);
    // Custom resources, also in groups that end as those of Kubernetes do, an annotation, and a storage class use some.
    clusters.put(At::Prod, vec![
        definition("gateway.networking.k8s.io", "Gateway", "gateways", "v1", "Namespaced"),
json!({
            "apiVersion": "external-secrets.io/v1", "kind": "SecretStore", "metadata": {"name": "uses", "namespace": "shop"},
            "spec": {"provider": {"vault": {"auth": {"tokenSecretRef": {"name": "used", "key": "password"}}}}},
        }),
        json!({
            "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": {"name": "edge", "namespace": "default"},
            "spec": {"listeners": [{"name": "https", "tls": {"certificateRefs": [{"name": "gated", "namespace": "shop"}]}}]},
        }),
        json!({
            "apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
            "metadata": {"name": "edge", "namespace": "default",
                "annotations": {"nginx.ingress.kubernetes.io/auth-secret": "shop/annotated"}},
            "spec": {"defaultBackend": {"service": {"name": "shop", "port": {"number": 80}}}},
        }),
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fast"}, "provisioner": "csi.example.org",
            "parameters": {"csi.storage.k8s.io/provisioner-secret-name": "provisioned",
                "csi.storage.k8s.io/provisioner-secret-namespace": "shop"},
        }),
    ]);
    let ran = prune(&[]);
    let kept = ["added", "annotated", "gated", "gone", "provisioned", "renamed", "used"];
    assert_eq!(names(&clusters, At::Prod), kept, "{ran:?}");
    assert!(item(&ran, "added")["actionReason"].as_str().unwrap().contains("--allow-poorer"), "{ran:?}");
    assert!(item(&ran, "gone")["actionReason"].as_str().unwrap().contains("does not exist"), "{ran:?}");
    let deletions = proxy.seen().into_iter().filter(|seen| seen.method == "DELETE").count();
    assert_eq!(deletions, 1);
    // A kind that may not be listed is named, and is a reason to keep a copy.
    proxy.add(Rule::on("/storageclasses", Fault::forbidden()));
    let ran = prune(&["--allow-poorer"]);
    assert_eq!(names(&clusters, At::Prod), kept, "{ran:?}");
    assert!(item(&ran, "provisioned")["actionReason"].as_str().unwrap().contains("--allow-unchecked"), "{ran:?}");
    let ran = prune(&["--allow-poorer", "--allow-unchecked"]);
    assert_eq!(names(&clusters, At::Prod), ["annotated", "gated", "renamed", "used"], "{ran:?}");
    let reported = item(&ran, "provisioned");
    assert!(reported["actionReason"].as_str().unwrap().contains("storageclasses.storage.k8s.io"), "{reported}");
}
