//! `secrets sync`, killed at each of its writes, and twice at a time.

use std::process::Command;

use k8s_openapi::api::core::v1::Secret;
use kube::api::Api;

use super::faults::{Way, sync};
use super::seeds::{At, HOME, LOGIN, connection, deployment, env};
use super::stage::Clusters;
use super::watch::ROTATED;
use crate::interrupted::{Trial, try_all};
use crate::support::command::run;
use crate::support::proxy::Proxy;
use crate::support::{self};

/// A Secret of its own, a workload that asks for it, and a copy that the command creates, updates, or deletes.
struct Copying<'a> {
    clusters: &'a Clusters,
    way: Way,
    name: String,
    more: &'static [&'static str],
}

impl<'a> Copying<'a> {
    fn start(clusters: &'a Clusters, name: String) -> Self {
        clusters.put(At::Core, vec![connection(HOME, &name, LOGIN)]);
        clusters.put(At::Prod, vec![deployment(&name, env(&name, "password"))]);
        Self { clusters, way: Way::through(clusters), name, more: &[] }
    }

    /// With a copy that is out of date.
    fn rotated(clusters: &'a Clusters, name: String) -> Self {
        let copying = Self::start(clusters, name);
        run(copying.command()).expect(0);
        clusters.put(At::Core, vec![connection(HOME, &copying.name, ROTATED)]);
        copying
    }

    /// With a copy that nothing asks for any more.
    fn orphaned(clusters: &'a Clusters, name: String) -> Self {
        let mut copying = Self::start(clusters, name);
        run(copying.command()).expect(0);
        let delete = ["delete", "deployment", "-n", "shop", &copying.name];
        assert!(clusters.prod.kubectl(delete).output().unwrap().status.success());
        copying.more = &["--prune"];
        copying
    }
}

impl Trial for Copying<'_> {
    fn command(&self) -> Command {
        // A Secret that no app cluster has any more cannot be named, and no other copies are orphaned.
        let named: &[&str] = if self.more.is_empty() { &[&self.name] } else { &[] };
        sync(&self.way.kubeconfig, &[&["--yes"], self.more, named].concat())
    }

    fn proxies(&self) -> Vec<&Proxy> {
        vec![&self.way.core, &self.way.prod]
    }

    fn state(&self) -> Vec<String> {
        let list = support::run(async || {
            let api: Api<Secret> = Api::namespaced(self.clusters.prod.client(), "shop");
            api.get_opt(&self.name).await.unwrap()
        });
        let data = list.into_iter().flat_map(|secret| secret.data.unwrap_or_default());
        data.map(|(key, value)| format!("{key}={}", String::from_utf8_lossy(&value.0))).collect()
    }
}

#[test]
fn a_sync_has_the_same_result_after_any_interruption() {
    let Some(clusters) = Clusters::start_with_shop() else { return };
    let count = std::cell::Cell::new(0);
    let next = || {
        count.set(count.get() + 1);
        format!("stopped-{}", count.get())
    };
    try_all("secrets sync, creating", || Copying::start(&clusters, next()));
    try_all("secrets sync, updating", || Copying::rotated(&clusters, next()));
    try_all("secrets sync --prune", || Copying::orphaned(&clusters, next()));
}
