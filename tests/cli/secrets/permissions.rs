//! The roles of docs/permissions.md for `secrets`, in the core cluster and in an app cluster.

use std::process::Command;

use serde_json::{Value, json};

use super::seeds::{self, At, HOME, LOGIN};
use super::stage::Clusters;
use crate::granted::{Entry, check, cluster_role};
use crate::support::command::ucp;
use crate::support::kubeconfig;

/// The kubeconfig, with a user impersonated in the context of one cluster.
fn as_user(clusters: &Clusters, at: At, user: Option<&str>) -> std::path::PathBuf {
    let mut all = [&clusters.core, &clusters.prod, &clusters.stage].map(|cluster| cluster.admin_kubeconfig().unwrap());
    if let Some(user) = user {
        let position = [At::Core, At::Prod, At::Stage].iter().position(|one| *one == at).unwrap();
        all[position]["users"][0]["user"]["as"] = json!(user);
    }
    clusters.core.save(&kubeconfig::merged(&all))
}

fn is_served(clusters: &Clusters, at: At) -> impl Fn(&Entry) -> bool {
    let served = clusters.of(at).kubectl(["api-resources", "-o", "name"]).output().unwrap();
    let served = String::from_utf8(served.stdout).unwrap();
    move |entry: &Entry| {
        let name = match entry.group.as_str() {
            "" => entry.resource.clone(),
            group => format!("{}.{group}", entry.resource),
        };
        served.lines().any(|line| line == name)
    }
}

/// Kinds that are not served cannot be required.
#[track_caller]
fn all_served(role: &[Entry], is_served: impl Fn(&Entry) -> bool) {
    let unserved: Vec<_> = role.iter().filter(|entry| !is_served(entry)).collect();
    assert!(unserved.is_empty(), "{unserved:?}");
}

#[test]
fn every_entry_of_the_roles_is_needed() {
    let Some(clusters) = Clusters::start() else { return };
    let objects: Vec<Value> = super::stage::ways(&clusters.servers(), "unused");
    let few = [seeds::connection(HOME, "db", LOGIN), seeds::syncer("db", HOME, "db", "prod", "shop")];
    clusters.put(
        At::Core,
        objects.into_iter().chain(few).filter(|one| one["metadata"]["name"] != "cluster-dark").collect(),
    );
    clusters.put(At::Prod, vec![seeds::secret("shop", "db", LOGIN)]);
    let secrets = |at: At| {
        let clusters = &clusters;
        move |user: Option<&str>| -> Command {
            let mut command = ucp(["secrets", "-o", "json", "--context", "core"]);
            command.env("KUBECONFIG", as_user(clusters, at, user));
            command
        }
    };
    let app = cluster_role("kubectl-ucp-secrets-app");
    all_served(&app, is_served(&clusters, At::Prod));
    check(&clusters.prod, "secrets (app)", &app, &[], "", &secrets(At::Prod));
    let is_there = is_served(&clusters, At::Core);
    let core = cluster_role("kubectl-ucp-secrets");
    all_served(&core, &is_there);
    let mut given = [cluster_role("kubectl-ucp-clusters"), cluster_role("kubectl-ucp-clusters-secrets")].concat();
    given.retain(|entry| is_there(entry));
    let every_kind = clusters.core.kubectl(["api-resources", "-o", "name", "--verbs=list"]).output().unwrap();
    let every_kind = String::from_utf8(every_kind.stdout).unwrap();
    for name in every_kind.lines().filter_map(|line| line.split_once('.')).filter(|(_, group)| {
        group.contains("crossplane.io") || group.contains("upbound.io") || group.contains("example.org")
    }) {
        given.push(Entry {
            namespace: None,
            group: name.1.to_owned(),
            resource: name.0.to_owned(),
            name: None,
            verb: "list".to_owned(),
        });
    }
    check(&clusters.core, "secrets", &core, &given, "", &secrets(At::Core));
}
