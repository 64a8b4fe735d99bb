//! The ServiceAccount that `adopt-cluster --secrets-namespaces` makes: `secrets` needs nothing else of an app cluster.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::{Value, json};

use super::seeds::{At, HOME, LOGIN, connection, syncer};
use super::stage::{Clusters, namespaces};
use super::watch::{ROTATED, ended, password, start};
use crate::fleet::connection_secret;
use crate::support::audit::Request;
use crate::support::cluster::TOKEN;
use crate::support::command::{Ran, run, signal, ucp};
use crate::support::{self, kubeconfig};

/// One right in the app cluster: verb, group, resource.
type Right = (String, String, String);

/// The core cluster with the Secret of `prod` from a provisioner, and a kubeconfig for the core cluster alone.
struct Stage {
    clusters: Clusters,
}

impl Stage {
    fn set() -> Option<Self> {
        let clusters = Clusters::start()?;
        let stage = Self { clusters };
        let clusters = &stage.clusters;
        clusters.put(
            At::Core,
            vec![
                stage.way(TOKEN),
                json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": {"name": "default", "namespace": "argocd"}, "spec": {}}),
                connection(HOME, "db", LOGIN),
                syncer("db", HOME, "db", "prod", "shop"),
                syncer("beyond", HOME, "db", "prod", "elsewhere"),
            ],
        );
        let spaces = namespaces(&["shop", "elsewhere"]).into_iter().map(|mut one| {
            one["metadata"].as_object_mut().unwrap().remove("uid");
            one
        });
        clusters.put(At::Prod, spaces.collect());
        Some(stage)
    }

    /// The connection Secret of `prod`.
    fn way(&self, token: &str) -> Value {
        let (prod, token) = (&self.clusters.prod, kubeconfig::Credential::Token(token.to_owned()));
        connection_secret(HOME, "prod", &kubeconfig::kubeconfig("prod", &prod.server(), prod.ca_pem(), &token))
    }

    fn ucp(&self, arguments: &[&str]) -> Command {
        let core = self.clusters.core.save(&self.clusters.core.admin_kubeconfig().unwrap());
        let mut command = ucp(arguments.iter().copied());
        command.args(["--allow-localhost", "-v", "9"]).env("KUBECONFIG", core);
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let ran = run(self.ucp(arguments));
        ran.hides_secrets();
        assert!(!ran.stderr.contains("forbidden"), "{ran:?}");
        ran
    }

    /// Adopts `prod`, and returns the results for the engine's and for the Secrets' account.
    fn adopt(&self, arguments: &[&str]) -> [Value; 2] {
        let all =
            [&["adopt-cluster", "prod", "--engine", "argocd", "--token-ttl", "24h", "--yes", "-o", "json"], arguments]
                .concat();
        let items = self.run(&all).expect(0).json()["items"].take();
        serde_json::from_value(items).expect("one for Argo CD, one for Secrets")
    }

    /// Objects that a tenant of the core cluster could write to receive passwords at their own server: registrations in
    /// namespaces of the tenant that claim to be of `prod`.
    fn forge(&self) {
        let token = kubeconfig::Credential::Token(TOKEN.to_owned());
        let way = kubeconfig::kubeconfig("prod", &self.clusters.stage.server(), self.clusters.stage.ca_pem(), &token);
        for (namespace, labels) in [
            ("zzz", json!({"app.kubernetes.io/managed-by": "kubectl-ucp", "kubectl-ucp.io/registers": "secrets"})),
            ("aaa", json!({"app.kubernetes.io/managed-by": "kubectl-ucp"})),
            ("aab", json!({})),
        ] {
            let mut forged = connection_secret(namespace, "forged", &way);
            let value = forged["data"]["kubeconfig"].take();
            forged["type"] = json!("Opaque");
            forged["data"] = json!({"value": value, "kubeconfig": value});
            forged["metadata"]["labels"] = labels;
            forged["metadata"]["labels"]["example.org/by"] = json!("tenant");
            forged["metadata"]["annotations"] = json!({
                "kubectl-ucp.io/cluster": "prod", "kubectl-ucp.io/auth": "service-account",
                "kubectl-ucp.io/source-secret": format!("{HOME}/prod/kubeconfig"),
                "kubectl-ucp.io/grant": "secrets in shop", "kubectl-ucp.io/token": "forged-token",
                "kubectl-ucp.io/service-account": "kube-system/forged",
            });
            self.clusters.put(At::Core, vec![forged]);
        }
    }

    /// Changes an annotation of a registration.
    fn annotate(&self, annotation: &str) {
        let secret = ["annotate", "--overwrite", "-n", "argocd", "secret", "kubectl-ucp-secrets-prod", annotation];
        assert!(self.clusters.core.kubectl(secret).status().unwrap().success());
    }

    /// The objects of an adoption in the app cluster, by kind.
    fn belongings(&self) -> Vec<String> {
        let kinds = "roles,rolebindings,serviceaccounts,secrets";
        let selector = "app.kubernetes.io/managed-by=kubectl-ucp";
        let mut command = self.clusters.prod.kubectl(["get", kinds, "-A", "-l", selector, "-o", "name"]);
        let found = String::from_utf8(command.output().unwrap().stdout).unwrap();
        found.lines().filter(|name| name.contains("kubectl-ucp-secrets-")).map(str::to_owned).collect()
    }

    /// The rights that its Role grants.
    fn granted(&self) -> BTreeSet<Right> {
        let mut command = self.clusters.prod.kubectl(["get", "roles", "-n", "shop", "-o", "json"]);
        let roles: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        let texts = |value: &Value| -> Vec<String> { serde_json::from_value(value.clone()).unwrap() };
        let mut granted = BTreeSet::new();
        for rule in roles["items"][0]["rules"].as_array().unwrap() {
            for (verb, resource) in texts(&rule["verbs"])
                .into_iter()
                .flat_map(|verb| texts(&rule["resources"]).into_iter().map(move |resource| (verb.clone(), resource)))
            {
                granted.insert((verb, texts(&rule["apiGroups"])[0].clone(), resource));
            }
        }
        granted
    }
}

fn row<'a>(report: &'a Value, namespace: &str) -> &'a Value {
    report["items"].as_array().unwrap().iter().find(|item| item["namespace"] == namespace).unwrap()
}

#[test]
fn an_account_of_its_own_has_the_rights_that_secrets_needs_and_no_other() {
    let Some(stage) = Stage::set() else { return };
    let unreached = stage.run(&["secrets", "-o", "json"]).expect(4);
    assert!(unreached.stdout.contains("--secrets-namespaces"), "{unreached:?}");
    let [engine, secrets] = stage.adopt(&["--secrets-namespaces", "shop"]);
    assert_eq!((&engine["engine"], &engine["state"]), (&json!("argocd"), &json!("adopted")));
    assert_eq!((&secrets["purpose"], &secrets["state"]), (&json!("secrets"), &json!("adopted")));
    assert!(secrets["grants"].as_str().unwrap().contains("in shop only") && secrets.get("engine").is_none());
    // Settings that are not given are kept, and it is not taken for a registration with Flux.
    for item in stage.adopt(&[]) {
        assert_eq!(item["state"], "unchanged", "{item:#}");
    }
    let clusters = stage.run(&["clusters", "-o", "json"]).expect(0).json();
    assert_eq!(clusters["items"][0]["registeredWith"].as_array().unwrap().len(), 1, "{clusters:#}");

    let mark = stage.clusters.prod.audit_mark();
    let looked = stage.run(&["secrets", "-o", "json"]).expect(4).json();
    let access = looked["clusters"][0]["access"].as_str().unwrap();
    assert!(access.starts_with("its ServiceAccount kube-system/kubectl-ucp-secrets-prod-"), "{access}");
    assert!(access.ends_with(", in shop only"), "{access}");
    assert_eq!(row(&looked, "shop")["state"], "missing", "{looked:#}");
    // A cluster of the tenant's own may be read, as the tenant. Secrets for `prod` are not read there.
    let is_taken_for_prod = |mark| {
        let requests = stage.clusters.stage.requests_since(mark);
        requests.iter().any(|request| request.object.as_ref().is_some_and(|object| object.namespace == "shop"))
    };
    let before = stage.clusters.stage.audit_mark();
    stage.forge();
    let accesses = |report: &Value| -> Vec<Value> {
        report["clusters"].as_array().unwrap().iter().map(|cluster| cluster["access"].clone()).collect()
    };
    let again = stage.run(&["secrets", "-o", "json"]).expect(4).json();
    assert!(accesses(&again).contains(&looked["clusters"][0]["access"]), "{again:#}");
    let lent = stage.run(&["secrets", "--use-registration", "-o", "json"]).expect(0).json();
    assert!(accesses(&lent).contains(&json!("the registration secret/cluster-prod -n argocd")), "{lent:#}");
    for namespace in ["shop", "elsewhere"] {
        assert_eq!(row(&lent, namespace)["state"], "missing", "the engine sees every namespace: {lent:#}");
    }
    stage.run(&["secrets", "sync", "--use-registration", "--dry-run"]).expect(0);
    assert!(!is_taken_for_prod(before), "a forged registration was believed");
    let forged = ["delete", "secret", "-A", "-l", "example.org/by=tenant"];
    assert!(stage.clusters.core.kubectl(forged).status().unwrap().success());
    let beyond = row(&looked, "elsewhere");
    assert_eq!(beyond["state"], "unknown");
    assert!(beyond["reason"].as_str().unwrap().contains("no rights in namespace elsewhere"), "{beyond:#}");
    let synced = stage.run(&["secrets", "sync", "--yes"]).expect(4);
    assert!(synced.stdout.contains("create done"), "{synced:?}");
    stage.clusters.core.kubectl(["delete", "syncers.dagandersen.com", "-n", "default", "beyond"]).output().unwrap();
    stage.run(&["secrets", "verify"]).expect(0);

    let watching = start(stage.ucp(&["secrets", "sync", "--watch"]));
    stage.clusters.put(At::Core, vec![connection(HOME, "db", ROTATED)]);
    support::run(async || {
        let has_it = || password(&stage.clusters).as_deref() == Some(ROTATED[1].1.as_bytes());
        support::eventually(async || has_it().then_some(())).await
    });
    // Both sides are watched by now or soon: it does not end before.
    support::run(async || {
        let is_watched = |mark| {
            let requests = stage.clusters.prod.requests_since(mark);
            requests.iter().any(|request| request.verb == "watch" && request.user.contains("kubectl-ucp-secrets-"))
        };
        support::eventually(async || is_watched(mark).then_some(())).await
    });
    signal(&watching, "INT");
    let watched = ended(watching).expect(0);
    assert!(!watched.stderr.contains("forbidden"), "{watched:?}");
    stage.clusters.core.kubectl(["delete", "syncers.dagandersen.com", "-n", "default", "db"]).output().unwrap();
    // The account may not list the custom resources that may use the copy.
    let kept = stage.run(&["secrets", "sync", "--prune", "--yes"]).expect(4);
    assert!(kept.stdout.contains("--allow-unchecked") && password(&stage.clusters).is_some(), "{kept:?}");
    let pruned = stage.run(&["secrets", "sync", "--prune", "--allow-unchecked", "--yes"]).expect(0);
    assert!(password(&stage.clusters).is_none(), "{pruned:?}");

    // Each right was used, none was missing, and no request left its namespace.
    let requests = stage.clusters.prod.requests_since(mark);
    // Custom resources that `--prune` may not list are reported as not checked, discovery is compared with the definitions
    // where the account may list them, and the identity of the cluster is requested where it may read it.
    let is_unchecked = |request: &&Request| {
        if request.code == Some(403) && request.uri == "/api/v1/namespaces/kube-system" {
            return true;
        }
        let group = request.object.as_ref().map_or("", |object| object.api_group.as_str());
        let is_custom = group.contains('.') && (!group.ends_with(".k8s.io") || group == "apiextensions.k8s.io");
        // Volumes and Services may use a Secret, too.
        let resource = request.object.as_ref().map_or("", |object| object.resource.as_str());
        let is_volume = group == "storage.k8s.io" || ["persistentvolumes", "services"].contains(&resource);
        request.code == Some(403) && request.verb == "list" && (is_custom || is_volume)
    };
    let by_account: Vec<_> = requests
        .iter()
        .filter(|request| request.user.contains(":kubectl-ucp-secrets-prod-"))
        .filter(|request| !is_unchecked(request))
        .collect();
    assert!(by_account.iter().all(|request| request.code != Some(403)), "{by_account:#?}");
    let objects = || by_account.iter().filter_map(|request| Some((&request.verb, request.object.as_ref()?)));
    assert!(objects().all(|(_, object)| object.namespace == "shop"), "{by_account:#?}");
    let mut used: BTreeSet<Right> =
        objects().map(|(verb, object)| (verb.clone(), object.api_group.clone(), object.resource.clone())).collect();
    // Server-side apply of an object that does not exist is a creation as well.
    used.insert(("create".to_owned(), String::new(), "secrets".to_owned()));
    assert_eq!(used, stage.granted());

    let released = stage.run(&["release-cluster", "prod", "--secrets", "--yes", "-o", "json"]).expect(0).json();
    assert_eq!(
        (&released["items"][0]["purpose"], &released["items"][0]["state"]),
        (&json!("secrets"), &json!("released"))
    );
    assert_eq!(stage.belongings(), Vec::<String>::new());
    let clusters = stage.run(&["clusters", "-o", "json"]).expect(0).json();
    assert_eq!(clusters["items"][0]["state"], "adopted", "{clusters:#}");
}

#[test]
fn a_release_deletes_the_account_and_an_adoption_reduces_its_rights() {
    let Some(stage) = Stage::set() else { return };
    stage.adopt(&["--grant", "everything", "--secrets-namespaces", "shop,elsewhere"]);
    assert_eq!(stage.belongings().len(), 6, "{:?}", stage.belongings());
    stage.adopt(&["--secrets-namespaces", "elsewhere"]);
    assert_eq!(stage.belongings().len(), 4, "{:?}", stage.belongings());
    // More than Secrets is never granted for them, whatever the annotations of the registration.
    for grant in ["kubectl-ucp.io/grant=everything", "kubectl-ucp.io/grant-"] {
        stage.annotate(grant);
        let refused = stage.run(&["adopt-cluster", "prod", "--engine", "argocd", "--yes", "-o", "json"]).expect(1);
        assert_eq!(refused.json()["items"][1]["hint"], "pass --secrets-namespaces NAMESPACE,…", "{refused:?}");
    }
    stage.adopt(&["--secrets-namespaces", "elsewhere"]);
    assert_eq!(stage.belongings().len(), 4, "{:?}", stage.belongings());
    // Without the provisioner's credential, Argo CD's is the one that can grant and revoke rights.
    stage.clusters.put(At::Core, vec![stage.way("revoked")]);
    stage.adopt(&["--secrets-namespaces", "shop,elsewhere"]);
    assert_eq!(stage.belongings().len(), 6, "{:?}", stage.belongings());
    let planned = stage.run(&["release-cluster", "prod", "--dry-run", "-o", "json"]).expect(0).json();
    assert_eq!(planned["items"].as_array().unwrap().len(), 2, "{planned:#}");
    assert_eq!(planned["items"][0]["purpose"], "secrets", "{planned:#}");
    stage.run(&["release-cluster", "prod", "--secrets", "--yes"]).expect(0);
    assert_eq!(stage.belongings(), Vec::<String>::new());
    stage.clusters.put(At::Core, vec![stage.way(TOKEN)]);
    stage.adopt(&["--secrets-namespaces", "elsewhere"]);
    let released = stage.run(&["release-cluster", "prod", "--yes", "-o", "json"]).expect(0).json();
    assert_eq!(released["items"].as_array().unwrap().len(), 2, "{released:#}");
    assert_eq!(stage.belongings(), Vec::<String>::new());
    let empty = stage.run(&["adopt-cluster", "prod", "--secrets-namespaces", "", "--yes"]).expect(2);
    assert!(empty.stderr.contains("--secrets-namespaces needs names"), "{empty:?}");
    // For Git: the account and its registration, without the token.
    let arguments =
        ["adopt-cluster", "prod", "--engine", "argocd", "--secrets-namespaces", "shop", "--dry-run", "-o", "yaml"];
    let printed = stage.run(&arguments).expect(0).stdout;
    assert!(
        printed.contains("kubectl-ucp.io/registers: secrets") && printed.contains("kind: RoleBinding"),
        "{printed}"
    );
}
