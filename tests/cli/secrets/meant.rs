//! `secrets sync` and `secrets declare`: which Secret a name means, and which Secrets are credentials of engines.

use std::path::PathBuf;
use std::process::Command;

use k8s_openapi::api::core::v1::Secret;
use kube::api::Api;
use serde_json::{Value, json};

use super::seeds::{At, HOME, LOGIN, connection, deployment, env, secret, syncer};
use super::stage::{Clusters, definition, registrations};
use crate::support::cluster::TOKEN;
use crate::support::command::{Ran, run, ucp};
use crate::support::kubeconfig::{self, Credential};
use crate::support::objects::with;
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::{self};

const OF_TENANT: &[(&str, &str)] = &[("username", "tenant"), ("password", "canary-that-must-never-sing-2")];
const OF_SHOP: &[(&str, &str)] = &[("username", "own"), ("password", "canary-that-must-never-sing-3")];

/// Registers prod, makes its namespace, and puts objects into the core cluster.
pub(super) fn begin(clusters: &Clusters, objects: Vec<Value>) -> PathBuf {
    clusters.register_prod();
    clusters.put(At::Core, objects);
    clusters.kubeconfig()
}

/// An object of Crossplane that will write its connection Secret.
pub(super) fn pending(name: &str) -> Value {
    json!({
        "apiVersion": "database.aws.crossplane.io/v1beta1", "kind": "RDSInstance", "metadata": {"name": name},
        "spec": {"forProvider": {}, "writeConnectionSecretToRef": {"name": name, "namespace": HOME}},
    })
}

fn secrets(kubeconfig: &PathBuf, arguments: &[&str]) -> Command {
    let mut command = ucp(["secrets"]);
    command.args(arguments).args(["--context", "core"]).env("KUBECONFIG", kubeconfig);
    command
}

fn item(ran: &Ran, name: &str) -> Value {
    let items = ran.json()["items"].as_array().unwrap().clone();
    items.into_iter().find(|item| item["name"] == name).unwrap_or_default()
}

/// The user in a copy, if there is a copy.
fn user_in(clusters: &Clusters, name: &str) -> Option<String> {
    let found = support::run(async || {
        let api: Api<Secret> = Api::namespaced(clusters.prod.client(), "shop");
        api.get_opt(name).await.unwrap()
    });
    let value = found?.data?.remove("username")?;
    Some(String::from_utf8(value.0).unwrap())
}

#[test]
fn a_name_selects_exactly_one_secret_or_is_ambiguous() {
    let Some(clusters) = Clusters::start_without_kinds() else { return };
    let kubeconfig = begin(
        &clusters,
        vec![
            // An Opaque Secret of the platform, and one that a tenant gave the type of a connection Secret.
            secret("shop", "orders", OF_SHOP),
            connection("aaa-tenant", "orders", OF_TENANT),
            // One that is not written yet.
            pending("bills"),
            connection("aaa-tenant", "bills", OF_TENANT),
            // A declared one, and another one with the name of its copy.
            connection(HOME, "declared", LOGIN),
            syncer("declared", HOME, "declared", "prod", "shop"),
            secret("shop", "declared", OF_SHOP),
        ],
    );
    clusters.put(At::Prod, ["orders", "bills"].map(|name| deployment(name, env(name, "password"))).to_vec());
    let sync = |names: &[&str]| run(secrets(&kubeconfig, &[&["sync", "--yes", "-o", "json"], names].concat()));

    for (names, name) in
        [(&["orders"][..], "orders"), (&["bills"], "bills"), (&[HOME_BILLS], "bills"), (&["shop/declared"], "declared")]
    {
        let ran = sync(names).expect(1);
        let reported = item(&ran, name);
        assert_eq!(reported["action"], "refuse", "{names:?}: {ran:?}");
        assert_eq!(user_in(&clusters, name), None, "{names:?}: {ran:?}");
    }
    // Two of one name select none.
    let ran = sync(&["shop/orders", "aaa-tenant/orders"]);
    assert!(ran.code != Some(0) && user_in(&clusters, "orders").is_none(), "{ran:?}");
    sync(&["shop/orders"]).expect(0);
    assert_eq!(user_in(&clusters, "orders").as_deref(), Some("own"));
    sync(&["aaa-tenant/bills"]).expect(0);
    assert_eq!(user_in(&clusters, "bills").as_deref(), Some("tenant"));
    let ran = sync(&["crossplane-system/declared"]).expect(0);
    assert_eq!(item(&ran, "declared")["source"]["namespace"], HOME, "{ran:?}");
    assert_eq!(user_in(&clusters, "declared").as_deref(), Some("shop"));
    // A declaration for Git refuses an ambiguous name.
    let declare = |name: &str| run(secrets(&kubeconfig, &["declare", name, "--as", "syncer", "--app-cluster", "prod"]));
    assert!(declare("orders").expect(2).stderr.contains("shop/orders"));
    assert!(declare("shop/orders").expect(0).stdout.contains("sourceNamespace: shop"));
}

const HOME_BILLS: &str = "crossplane-system/bills";

#[test]
fn credentials_of_engines_are_recognized_by_their_users() {
    let Some(clusters) = Clusters::start_without_kinds() else { return };
    let at = |object: Value, namespace: &str| with(object, &[json!({"metadata": {"namespace": namespace}})]);
    let of_flux = |kind: &str, name: &str, spec: Value| {
        json!({"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": kind,
            "metadata": {"name": name, "namespace": "team"}, "spec": spec})
    };
    let named = |version: &str, kind: &str, name: &str, spec: Value| json!({"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec});
    let store = |kind: &str, name: &str, provider: Value| {
        named("external-secrets.io/v1", kind, name, json!({"provider": provider}))
    };
    let config =
        |group: &str, name: &str, spec: Value| named(&format!("{group}/v1beta1"), "ProviderConfig", name, spec);
    let credentials = ["of-git", "of-charts", "of-images", "of-vault", "of-aws", "of-identity"];
    let mut objects = vec![
        definition("helm.crossplane.io", "ProviderConfig", "providerconfigs", "v1beta1", "Cluster"),
        definition("postgresql.sql.crossplane.io", "ProviderConfig", "providerconfigs", "v1beta1", "Cluster"),
        of_flux("GitRepository", "apps", json!({"url": "https://git.example.org/a", "secretRef": {"name": "of-git"}})),
        of_flux("HelmRepository", "apps", json!({"url": "https://c.example.org", "secretRef": {"name": "of-charts"}})),
        of_flux("OCIRepository", "apps", json!({"url": "oci://o.example.org/a", "secretRef": {"name": "of-images"}})),
        at(
            store(
                "SecretStore",
                "vault",
                json!({"vault": {"auth": {"userPass": {"secretRef": {"name": "of-vault", "key": "password"}}}}}),
            ),
            "team",
        ),
        // Used in the namespace of each ExternalSecret.
        store(
            "ClusterSecretStore",
            "aws",
            json!({"aws": {"auth": {"secretRef": {
                "accessKeyIDSecretRef": {"name": "of-aws", "key": "access-key"},
                "secretAccessKeySecretRef": {"name": "of-aws", "key": "secret-access-key"},
            }}}}),
        ),
        config(
            "helm.crossplane.io",
            "gke",
            json!({
                "credentials": {"source": "InjectedIdentity"},
                "identity": {"type": "GoogleApplicationCredentials", "source": "Secret",
                    "secretRef": {"namespace": "team", "name": "of-identity", "key": "key"}},
            }),
        ),
        // A provider that administers a database with the login that its workloads use.
        config(
            "postgresql.sql.crossplane.io",
            "orders",
            json!({"credentials": {"source": "PostgreSQLConnectionSecret",
                "connectionSecretRef": {"namespace": "team", "name": "orders"}}}),
        ),
        // An Argo CD in a namespace of its own.
        json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject",
            "metadata": {"name": "default", "namespace": "openshift-gitops"}, "spec": {}}),
        secret("openshift-gitops", "of-plugin", LOGIN),
        syncer("of-plugin", "openshift-gitops", "of-plugin", "prod", "shop"),
        connection("team", "orders", LOGIN),
        syncer("orders", "team", "orders", "prod", "shop"),
    ];
    for name in credentials {
        objects.push(secret("team", name, LOGIN));
        objects.push(syncer(name, "team", name, "prod", "shop"));
    }
    let kubeconfig = begin(&clusters, objects);
    let ran = run(secrets(&kubeconfig, &["sync", "--yes", "-o", "json"])).expect(1);
    for name in credentials.into_iter().chain(["of-plugin"]) {
        let reported = item(&ran, name);
        let text = reported.to_string();
        assert!(text.contains("is never copied") || text.contains("never distributed"), "{name}: {reported}");
        assert_eq!((&reported["action"], user_in(&clusters, name)), (&json!("refuse"), None), "{name}");
    }
    assert_eq!(user_in(&clusters, "orders").as_deref(), Some("shop"), "{ran:?}");

    let declare = |key: &str| {
        let arguments = ["declare", key, "--as", "object", "--app-cluster", "prod", "--to-namespace", "shop"];
        run(secrets(&kubeconfig, &arguments))
    };
    for key in ["argocd/cluster-prod", "openshift-gitops/of-plugin", "team/of-git", "team/of-aws", "team/of-identity"] {
        let ran = declare(key).expect(1);
        assert!(ran.stdout.is_empty() && ran.stderr.contains("never"), "{key}: {ran:?}");
    }
    declare("team/orders").expect(0);
    // Objects that could not be read may use it.
    let proxy = Proxy::start(&clusters.core).unwrap();
    proxy.add(Rule::on("/gitrepositories", Fault::forbidden()));
    let core = proxy.kubeconfig().to_owned();
    let mut command =
        ucp(["secrets", "declare", "team/orders", "--as", "object", "--app-cluster", "prod", "--to-namespace", "shop"]);
    command.env("KUBECONFIG", core);
    let ran = run(command).expect(3);
    assert!(ran.stdout.is_empty() && ran.stderr.contains("gitrepositories"), "{ran:?}");
}

/// A cluster may have two names, each with a server of its own: a copy that is declared for one of them is not removed when only
/// the other one is asked for.
#[test]
fn a_copy_for_another_name_of_the_cluster_is_kept() {
    let Some(clusters) = Clusters::start_without_kinds() else { return };
    let proxy = Proxy::start(&clusters.prod).unwrap();
    let two = clusters
        .servers()
        .into_iter()
        .filter(|(name, _)| *name == "prod")
        .chain([("production", (proxy.server(), clusters.prod.ca_pem().to_owned()))]);
    let objects = registrations(&two.collect(), TOKEN);
    let objects =
        objects.into_iter().chain([connection(HOME, "db", LOGIN), syncer("db", HOME, "db", "production", "shop")]);
    begin(&clusters, objects.collect());
    let production = kubeconfig::kubeconfig(
        "production",
        &proxy.server(),
        clusters.prod.ca_pem(),
        &Credential::Token(TOKEN.to_owned()),
    );
    let all = [clusters.core.admin_kubeconfig().unwrap(), clusters.prod.admin_kubeconfig().unwrap(), production];
    let path = clusters.core.save(&kubeconfig::merged(&all));
    let sync = |arguments: &[&str]| run(secrets(&path, &[&["sync", "--yes", "-o", "json"], arguments].concat()));
    sync(&["--app-cluster", "production"]).expect(0);
    assert_eq!(user_in(&clusters, "db").as_deref(), Some("shop"));
    let listed = run(secrets(&path, &["-o", "json"]));
    let names: Vec<String> =
        listed.json()["clusters"].as_array().unwrap().iter().map(|one| one["name"].to_string()).collect();
    assert_eq!(names.len(), 2, "{listed:?}");

    let ran = sync(&["--prune", "--app-cluster", "prod"]).expect(0);
    assert_eq!(user_in(&clusters, "db").as_deref(), Some("shop"), "{ran:?}");
    // If the other name does not lead anywhere now, it may still be this cluster's.
    proxy.add(Rule::on("/", Fault::internal_error()));
    let ran = sync(&["--prune", "--app-cluster", "prod"]);
    assert_eq!((ran.code, user_in(&clusters, "db").as_deref()), (Some(4), Some("shop")), "{ran:?}");
    proxy.clear();
    // Without a declaration for either name it is deleted.
    let delete = clusters.core.kubectl(["delete", "syncers.dagandersen.com", "-n", "default", "db"]).output().unwrap();
    assert!(delete.status.success());
    sync(&["--prune", "--app-cluster", "prod"]).expect(0);
    assert_eq!(user_in(&clusters, "db"), None);
}
