//! `secrets sync`, killed at each of its writes, and twice at a time.

use std::process::Command;

use super::faults::{Way, copies, sync};
use super::seeds::{At, HOME, LOGIN, connection, deployment, env};
use super::stage::{Clusters, namespaces, ways};
use crate::interrupted::{Trial, try_all};
use crate::support::cluster::TOKEN;
use crate::support::proxy::Proxy;

/// A Secret of its own, and a workload that asks for it.
struct Copying<'a> {
    clusters: &'a Clusters,
    way: Way,
    name: String,
}

impl<'a> Copying<'a> {
    fn start(clusters: &'a Clusters, name: String) -> Self {
        clusters.put(At::Core, vec![connection(HOME, &name, LOGIN)]);
        clusters.put(At::Prod, vec![deployment(&name, env(&name, "password"))]);
        Self { clusters, way: Way::through(clusters), name }
    }
}

impl Trial for Copying<'_> {
    fn command(&self) -> Command {
        sync(&self.way.kubeconfig, &["--yes", &self.name])
    }

    fn proxies(&self) -> Vec<&Proxy> {
        vec![&self.way.core, &self.way.prod]
    }

    fn state(&self) -> Vec<String> {
        copies(self.clusters).remove(&self.name).map(|(_, keys)| keys).unwrap_or_default()
    }
}

#[test]
fn a_sync_ends_the_same_whatever_stops_it() {
    let Some(clusters) = Clusters::start_without_kinds() else { return };
    let mut servers = clusters.servers();
    servers.retain(|name, _| *name == "prod");
    clusters.put(At::Core, ways(&servers, TOKEN));
    let mut shop = namespaces(&["shop"]);
    shop[0]["metadata"].as_object_mut().unwrap().remove("uid");
    clusters.put(At::Prod, shop);
    let count = std::cell::Cell::new(0);
    try_all("secrets sync", || {
        count.set(count.get() + 1);
        Copying::start(&clusters, format!("stopped-{}", count.get()))
    });
}
