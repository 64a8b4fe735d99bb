//! `secrets sync` while one read fails: nothing is created, overwritten or deleted on that basis. The reads are those of a run
//! without faults, so that a list which is read one day is in the matrix that day.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use k8s_openapi::api::core::v1::Secret;
use kube::api::{Api, ListParams};
use serde_json::json;

use super::meant::{begin, pending};
use super::seeds::{
    At, HOME, LOGIN, connection, deployment, env, job, kubernetes_object, push, secret, syncer, volume, whole, workload,
};
use super::stage::{Clusters, namespaces, ways};
use crate::failing_reads::{FAULTS, Matrix, Place, Promise, holds};
use crate::support::cluster::TOKEN;
use crate::support::command::{run, ucp};
use crate::support::kubeconfig::{self, Credential};
use crate::support::objects::with;
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::{self};

/// Runs at the same time: most of a run is waiting.
const PLACES: usize = 4;

pub(super) fn sync(kubeconfig: &Path, arguments: &[&str]) -> Command {
    let mut command = ucp(["secrets", "sync", "--context", "core", "--context-map", "prod=prod"]);
    command.args(arguments).env("KUBECONFIG", kubeconfig);
    command
}

/// Two proxies, and the command that connects through them.
pub(super) struct Way {
    pub(super) core: Proxy,
    pub(super) prod: Proxy,
    pub(super) kubeconfig: PathBuf,
}

impl Way {
    pub(super) fn through(clusters: &Clusters) -> Self {
        let (core, prod) = (Proxy::start(&clusters.core).unwrap(), Proxy::start(&clusters.prod).unwrap());
        let by_proxy = |name: &str, proxy: &Proxy, authority: &str| {
            kubeconfig::kubeconfig(name, &proxy.server(), authority, &Credential::Token(TOKEN.to_owned()))
        };
        let all = [by_proxy("core", &core, clusters.core.ca_pem()), by_proxy("prod", &prod, clusters.prod.ca_pem())];
        let kubeconfig = clusters.core.save(&kubeconfig::merged(&all));
        Self { core, prod, kubeconfig }
    }

    fn sync(&self, arguments: &[&str]) -> Command {
        sync(&self.kubeconfig, arguments)
    }

    fn place<'a>(self, clusters: &'a Clusters, arguments: &'a [&'a str]) -> Place<'a> {
        let Self { core, prod, kubeconfig } = self;
        let command = move |timeout: &str| {
            let mut command = sync(&kubeconfig, arguments);
            command.args(["--request-timeout", timeout]);
            command
        };
        let state = Box::new(|| format!("{:?}", copies(clusters)));
        Place { state, ..Place::new("", vec![("core", core), ("prod", prod)], command) }
    }
}

/// Every Secret of the app cluster's namespace: its version and its keys.
pub(super) fn copies(clusters: &Clusters) -> BTreeMap<String, (Option<String>, Vec<String>)> {
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
fn a_failing_list_never_leads_to_a_deletion_or_an_overwrite() {
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

    let places = (0..PLACES).map(|_| Way::through(&clusters).place(&clusters, &["--prune", "--yes"]));
    let faults: Vec<&str> = FAULTS.into_iter().chain(["emptied"]).collect();
    let matrix = Matrix { faults: &faults, ..Matrix::new("secrets sync --prune", Promise::StateIsUnchanged) };
    let (_, broken) = matrix.run(places.collect());
    holds(&broken);
    assert_eq!(copies(&clusters), before);

    // Without a fault, a copy that is no longer needed is deleted: the matrix can fail.
    let delete =
        clusters.core.kubectl(["delete", "syncers.dagandersen.com", "-n", "default", "by-syncer"]).output().unwrap();
    assert!(delete.status.success());
    let delete = clusters.prod.kubectl(["delete", "deployment", "-n", "shop", "by-deployment"]).output().unwrap();
    assert!(delete.status.success());
    // One list that is known to be wrong is a reason to believe none.
    way.prod.add(Rule::at("/apis/batch/v1/jobs", Fault::emptied()));
    let kept = run(way.sync(&["--prune", "--yes"])).expect(3);
    assert_eq!(kept.stdout.matches("prune done").count(), 0, "{kept:?}");
    assert_eq!(kept.stdout.matches("prune failed").count(), 3, "{kept:?}");
    assert_eq!(copies(&clusters), before);
    way.prod.clear();
    let pruned = run(way.sync(&["--prune", "--yes"]));
    assert_eq!(pruned.stdout.matches("prune done").count(), 2, "{pruned:?}");
    let left = copies(&clusters);
    assert_eq!(left.len(), before.len() - 2, "{left:?}");
}

/// Each Secret here is not written for a reason that one read shows.
#[test]
fn a_failing_read_never_leads_to_a_creation_or_an_update() {
    let Some(clusters) = Clusters::start_without_kinds() else { return };
    let named = |version: &str, kind: &str, name: &str, spec: serde_json::Value| json!({"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec});
    let at =
        |namespace: &str, object: serde_json::Value| with(object, &[json!({"metadata": {"namespace": namespace}})]);
    let reference = |name: &str| json!({"name": name, "key": "password"});
    let credentials = ["of-git", "of-scm", "of-vault", "of-aws"];
    let mut core = vec![
        connection(HOME, "rival", LOGIN),
        connection("aaa-tenant", "rival", LOGIN),
        pending("awaited"),
        connection("aaa-tenant", "awaited", LOGIN),
        connection(HOME, "made", LOGIN),
        connection(HOME, "kept", LOGIN),
        connection(HOME, "twice", LOGIN),
        syncer("twice", HOME, "twice", "prod", "shop"),
        push("twice", whole("twice")),
        connection(HOME, "taken", LOGIN),
        at("aaa-tenant", syncer("taken", HOME, "taken", "prod", "shop")),
        secret("openshift-gitops", "of-plugin", LOGIN),
        syncer("of-plugin", "openshift-gitops", "of-plugin", "prod", "shop"),
        at("openshift-gitops", named("argoproj.io/v1alpha1", "AppProject", "default", json!({}))),
        at(
            "team",
            named("source.toolkit.fluxcd.io/v1", "GitRepository", "apps", json!({"secretRef": {"name": "of-git"}})),
        ),
        at(
            "team",
            named(
                "argoproj.io/v1alpha1",
                "ApplicationSet",
                "apps",
                json!({
                    "generators": [{"scmProvider": {"github": {"tokenRef": {"secretName": "of-scm", "key": "password"}}}}],
                }),
            ),
        ),
        at(
            "team",
            named(
                "external-secrets.io/v1",
                "SecretStore",
                "vault",
                json!({
                    "provider": {"vault": {"auth": {"tokenSecretRef": reference("of-vault")}}},
                }),
            ),
        ),
        named(
            "aws.crossplane.io/v1beta1",
            "ProviderConfig",
            "default",
            json!({
                "credentials": {"source": "Secret", "secretRef": {"namespace": "team", "name": "of-aws", "key": "password"}},
            }),
        ),
    ];
    for name in credentials {
        core.push(secret("team", name, LOGIN));
        core.push(syncer(name, "team", name, "prod", "shop"));
    }
    begin(&clusters, core);
    let mut prod: Vec<_> =
        ["rival", "awaited", "made", "kept"].into_iter().map(|name| deployment(name, env(name, "password"))).collect();
    // The app cluster makes one itself, and a person wrote another.
    prod.push(at(
        "shop",
        named("external-secrets.io/v1", "ExternalSecret", "made", json!({"target": {"name": "made"}, "data": []})),
    ));
    prod.push(secret("shop", "kept", &[("username", "shop"), ("password", "canary-that-must-never-sing-4")]));
    clusters.put(At::Prod, prod);
    let names = ["rival", "awaited", "made", "kept", "twice", "taken", "of-plugin"];
    let arguments = [&["--yes"][..], &names, &credentials].concat();
    let before = copies(&clusters);
    let places = (0..PLACES).map(|_| Way::through(&clusters).place(&clusters, &arguments));
    let (healthy, broken) = Matrix::new("secrets sync", Promise::NothingIsWritten).run(places.collect());
    holds(&broken);
    assert_eq!((healthy.code, copies(&clusters)), (Some(1), before), "{healthy:?}");
    let refused = healthy.stdout.matches("refuse").count();
    assert!(refused >= names.len() + credentials.len(), "{healthy:?}");

    // A Secret without objections is written: the matrix can fail.
    run(Way::through(&clusters).sync(&["--yes", "crossplane-system/rival"])).expect(0);
    assert!(copies(&clusters).contains_key("rival"));
}
