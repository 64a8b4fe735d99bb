//! Values that the core cluster's own errors quote are hidden.

use serde_json::json;

use super::seeds::{At, HOME, LOGIN, connection, syncer};
use super::stage::{Clusters, namespaces, ways};
use crate::support::cluster::TOKEN;
use crate::support::command::{CANARY, run, ucp};
use crate::support::kubeconfig::{self, Credential};
use crate::support::proxy::{Fault, Proxy, Rule};

/// A refusal that quotes a value: marked as one, or bare.
fn quoting(text: &str) -> Fault {
    Fault::failure(422, "Invalid", text)
}

#[test]
fn values_quoted_in_errors_of_the_core_cluster_are_hidden() {
    let Some(clusters) = Clusters::start() else { return };
    let mut servers = clusters.servers();
    servers.remove("dark");
    let objects = [connection(HOME, "db", LOGIN), syncer("db", HOME, "db", "prod", "shop")];
    clusters.put(At::Core, ways(&servers, TOKEN).into_iter().chain(objects).collect());
    let mut shop = namespaces(&["shop"]);
    shop[0]["metadata"].as_object_mut().unwrap().remove("uid");
    clusters.put(At::Prod, shop);
    let proxy = Proxy::start(&clusters.core).unwrap();
    let token = Credential::Token(TOKEN.to_owned());
    let core = kubeconfig::kubeconfig("core", &proxy.server(), clusters.core.ca_pem(), &token);
    let all = [core, clusters.prod.admin_kubeconfig().unwrap(), clusters.stage.admin_kubeconfig().unwrap()];
    let kubeconfig = clusters.core.save(&kubeconfig::merged(&all));
    // Every run looks for the canary, on both outputs.
    let ucp_at_nine = |arguments: &[&str]| {
        let mut command = ucp(arguments.iter().copied());
        run({
            command.args(["--context", "core", "-v", "9"]).env("KUBECONFIG", &kubeconfig);
            command
        })
    };
    // During the copy: the value was read before, so it is recognized everywhere.
    proxy.add(Rule::on("/secrets/db", quoting(&format!("Secret \"db\" has {CANARY} in it"))).times(1));
    let ran = ucp_at_nine(&["secrets", "sync", "--yes"]).expect(3);
    assert!(ran.stdout.contains("create failed") && ran.stdout.contains("its source cannot be read"), "{ran:?}");
    assert!(ran.stdout.contains("Secret \"db\" has <hidden"), "the text around it is kept: {ran:?}");
    for arguments in [
        &["secrets"][..],
        &["secrets", "-o", "yaml"],
        &["secrets", "verify", "-o", "json"],
        &["secrets", "sync", "--dry-run", "-o", "yaml"],
        &["secrets", "declare", "db", "--as", "syncer", "--app-cluster", "prod"],
        &["status", "--app-clusters", "-o", "json"],
        &["tree", "secret/db", "-n", HOME, "--app-clusters"],
        &["wait", "secret/db", "-n", HOME, "--for", "current", "--timeout", "0"],
        &["clusters", "-o", "json"],
        &["adopt-cluster", "prod", "--engine", "argocd", "--secrets-namespaces", "shop", "--dry-run", "-o", "yaml"],
    ] {
        let text =
            format!("data: password: Invalid value: \"{CANARY}\": password={CANARY} Authorization: Bearer {CANARY}");
        proxy.add(Rule::on("/secrets?", quoting(&text)).times(1));
        let ran = ucp_at_nine(arguments);
        assert_eq!(proxy.left(), 0, "{arguments:?} met no refusal");
        assert!(ran.code != Some(101) && !ran.stderr.contains("panicked"), "{arguments:?}: {ran:?}");
    }
    // And of the app cluster, while it is read.
    let prod = Proxy::start(&clusters.prod).unwrap();
    let by_proxy = kubeconfig::kubeconfig("prod", &prod.server(), clusters.prod.ca_pem(), &token);
    let all = [clusters.core.admin_kubeconfig().unwrap(), by_proxy];
    let kubeconfig = clusters.core.save(&kubeconfig::merged(&all));
    prod.add(Rule::on("/secrets", quoting(&format!("token: Invalid value: \"{CANARY}\""))));
    let mut command = ucp(["secrets", "-o", "json", "--context-map", "prod=prod", "--app-cluster", "prod", "-v", "9"]);
    let ran = run({
        command.env("KUBECONFIG", &kubeconfig);
        command
    })
    .expect(4);
    assert!(!json!(ran.json()["unreadable"]).as_array().unwrap().is_empty(), "{ran:?}");
}
