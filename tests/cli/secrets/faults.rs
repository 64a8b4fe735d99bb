//! `secrets sync --prune` while one list that it reads fails: nothing is deleted or overwritten on that basis. The lists are
//! those of a run without faults, so that a list which is read one day is in the matrix that day.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::api::core::v1::Secret;
use kube::api::{Api, ListParams};
use serde_json::json;

use super::seeds::{
    At, HOME, LOGIN, connection, deployment, env, job, kubernetes_object, push, syncer, volume, whole, workload,
};
use super::stage::{Clusters, namespaces, ways};
use crate::support::cluster::TOKEN;
use crate::support::command::{Ran, run, ucp};
use crate::support::kubeconfig::{self, Credential};
use crate::support::objects::with;
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::{self};

const FAULTS: [&str; 6] = ["403", "500", "timeout", "truncated", "empty", "undiscovered"];
/// Runs at the same time: most of a run is waiting.
const WORKERS: usize = 4;

/// A list of one of the two clusters, by its path.
type Read = (At, String);

/// Two proxies, and the command that goes through them.
struct Way {
    core: Proxy,
    prod: Proxy,
    kubeconfig: PathBuf,
}

impl Way {
    fn through(clusters: &Clusters) -> Self {
        let (core, prod) = (Proxy::start(&clusters.core).unwrap(), Proxy::start(&clusters.prod).unwrap());
        let by_proxy = |name: &str, proxy: &Proxy, authority: &str| {
            kubeconfig::kubeconfig(name, &proxy.server(), authority, &Credential::Token(TOKEN.to_owned()))
        };
        let all = [by_proxy("core", &core, clusters.core.ca_pem()), by_proxy("prod", &prod, clusters.prod.ca_pem())];
        let kubeconfig = clusters.core.save(&kubeconfig::merged(&all));
        Self { core, prod, kubeconfig }
    }

    fn of(&self, at: At) -> &Proxy {
        if at == At::Core { &self.core } else { &self.prod }
    }

    fn sync(&self, arguments: &[&str]) -> Command {
        let mut command = ucp(["secrets", "sync", "--context", "core", "--context-map", "prod=prod"]);
        command.args(["--request-timeout", "2s"]).args(arguments).env("KUBECONFIG", &self.kubeconfig);
        command
    }

    /// The lists that were read so far.
    fn lists(&self) -> BTreeSet<(u8, String)> {
        let of = |at: u8, proxy: &Proxy| {
            let lists = proxy.seen().into_iter().filter(|seen| seen.method == "GET" && seen.uri.contains("limit="));
            lists.map(move |seen| (at, seen.uri.split('?').next().unwrap_or_default().to_owned())).collect::<Vec<_>>()
        };
        of(0, &self.core).into_iter().chain(of(1, &self.prod)).collect()
    }

    fn with_fault(&self, read: &Read, fault: &str) -> Ran {
        let (at, path) = read;
        let proxy = self.of(*at);
        let empty = json!({"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": []});
        let headers = vec![("content-type", "application/json".to_owned())];
        proxy.add(Rule::at(
            path,
            match fault {
                "403" => Fault::failure(403, "Forbidden", "it is forbidden"),
                "500" => Fault::internal_error(),
                "timeout" => Fault::Hang,
                "truncated" => Fault::CutBody,
                "empty" => Fault::Answer { status: 200, headers, body: empty.to_string() },
                _ => Fault::failure(404, "NotFound", "the server could not find the requested resource"),
            },
        ));
        if fault == "undiscovered" {
            let words: Vec<&str> = path.trim_start_matches('/').split('/').collect();
            let group = if words[0] == "api" { "" } else { words[1] };
            let plural = (*words.last().unwrap()).to_owned();
            let gone = Fault::Undiscovered { group: group.to_owned(), plural };
            proxy.add(Rule::at(if words[0] == "api" { "/api" } else { "/apis" }, gone));
        }
        let ran = run(self.sync(&["--prune", "--yes"]));
        proxy.clear();
        ran
    }
}

/// Every Secret of the app cluster's namespace: its version and its keys.
fn copies(clusters: &Clusters) -> BTreeMap<String, (Option<String>, Vec<String>)> {
    let list = support::run(async || {
        let api: Api<Secret> = Api::namespaced(clusters.prod.client(), "shop");
        api.list(&ListParams::default()).await.unwrap()
    });
    let keys = |secret: &Secret| secret.data.iter().flatten().map(|(key, _)| key.clone()).collect();
    let one = |secret: Secret| {
        let keys = keys(&secret);
        (secret.metadata.name.unwrap(), (secret.metadata.resource_version, keys))
    };
    list.items.into_iter().map(one).collect()
}

#[test]
fn no_failing_list_has_anything_deleted_or_overwritten() {
    let Some(clusters) = Clusters::start_without_kinds() else { return };
    let mut servers = clusters.servers();
    servers.retain(|name, _| *name == "prod");
    let declared = ["by-syncer", "by-push", "by-object"];
    let asked = [
        "by-deployment",
        "by-stateful-set",
        "by-daemon-set",
        "by-replica-set",
        "by-job",
        "by-cron-job",
        "by-pod",
        "by-account",
        "by-ingress",
    ];
    let mut core = ways(&servers, TOKEN);
    core.extend(declared.iter().chain(&asked).map(|name| connection(HOME, name, LOGIN)));
    core.push(syncer("by-syncer", HOME, "by-syncer", "prod", "shop"));
    core.push(push("by-push", whole("by-push")));
    let from = json!([{
        "patchesFrom": {"apiVersion": "v1", "kind": "Secret", "name": "by-object", "namespace": HOME, "fieldPath": "data"},
        "toFieldPath": "data",
    }]);
    core.push(kubernetes_object("by-object", from));
    clusters.put(At::Core, core);
    let mut shop = namespaces(&["shop"]);
    shop[0]["metadata"].as_object_mut().unwrap().remove("uid");
    let of = |name: &str| env(name, "password");
    shop.extend([
        deployment("by-deployment", of("by-deployment")),
        workload("apps/v1", "StatefulSet", "by-stateful-set", volume("by-stateful-set", json!({}))),
        workload("apps/v1", "DaemonSet", "by-daemon-set", of("by-daemon-set")),
        workload("apps/v1", "ReplicaSet", "by-replica-set", of("by-replica-set")),
        job("by-job", of("by-job")),
        json!({
            "apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "by-cron-job", "namespace": "shop"},
            "spec": {"schedule": "@daily", "jobTemplate": {"spec": {"template": {"spec": with(of("by-cron-job"), &[json!({"restartPolicy": "Never"})])}}}},
        }),
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "by-pod", "namespace": "shop"}, "spec": of("by-pod")}),
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "by-account", "namespace": "shop"}, "imagePullSecrets": [{"name": "by-account"}]}),
        json!({
            "apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "by-ingress", "namespace": "shop"},
            "spec": {"tls": [{"secretName": "by-ingress"}], "defaultBackend": {"service": {"name": "shop", "port": {"number": 80}}}},
        }),
    ]);
    clusters.put(At::Prod, shop);

    let way = Way::through(&clusters);
    run(way.sync(&["--yes"])).expect(0);
    // A login that images are pulled with, and a certificate, have types that these copies have not.
    run(way.sync(&[&["--yes"], &asked[..]].concat()));
    let before = copies(&clusters);
    let names: BTreeSet<&str> = before.keys().map(String::as_str).collect();
    let all: BTreeSet<&str> = declared.into_iter().chain(asked).collect();
    assert_eq!(names, all);
    let clean = run(way.sync(&["--prune", "--yes"]));
    assert_eq!(copies(&clusters), before, "{clean:?}");

    let reads: Vec<Read> =
        way.lists().into_iter().map(|(at, path)| (if at == 0 { At::Core } else { At::Prod }, path)).collect();
    let cells: Vec<(&Read, &str)> = reads.iter().flat_map(|read| FAULTS.map(|fault| (read, fault))).collect();
    let (next, table, broken) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                let way = Way::through(&clusters);
                while let Some((read, fault)) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let ran = way.with_fault(read, fault);
                    if copies(&clusters) != before {
                        broken.lock().unwrap().push(format!("{read:?} {fault}: {ran:?}"));
                        return;
                    }
                    let code = ran.code.map_or_else(|| "-".to_owned(), |code| code.to_string());
                    assert!(!ran.stderr.contains("panicked"), "{ran:?}");
                    table.lock().unwrap().insert((format!("{:?} {}", read.0, read.1), *fault), code);
                }
            });
        }
    });
    let table = table.into_inner().unwrap();
    let mut text = format!("exit codes of secrets sync --prune --yes\n{:<100} {}\n", "list", FAULTS.join(" "));
    for (at, path) in &reads {
        let name = format!("{at:?} {path}");
        let codes = FAULTS.map(|fault| {
            let code = table.get(&(name.clone(), fault)).map_or("!", String::as_str);
            format!("{code:<width$}", width = fault.len())
        });
        text.push_str(&format!("{name:<100} {}\n", codes.join(" ")));
    }
    support::say(&text);
    let broken = broken.into_inner().unwrap();
    assert!(broken.is_empty(), "{broken:#?}\n{text}");
    assert_eq!(table.len(), cells.len());

    // Without a fault, what nothing wants any more goes: the matrix can fail.
    let delete =
        clusters.core.kubectl(["delete", "syncers.dagandersen.com", "-n", "default", "by-syncer"]).output().unwrap();
    assert!(delete.status.success());
    let delete = clusters.prod.kubectl(["delete", "deployment", "-n", "shop", "by-deployment"]).output().unwrap();
    assert!(delete.status.success());
    let pruned = run(way.sync(&["--prune", "--yes"]));
    assert_eq!(pruned.stdout.matches("prune done").count(), 2, "{pruned:?}");
    let left = copies(&clusters);
    assert_eq!(left.len(), before.len() - 2, "{left:?}");
}
