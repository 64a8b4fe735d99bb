//! Situations of a Secret of a core cluster, its declaration, its copy and its users, each with the expected state.
//! All of them are in one core cluster and two app clusters at the same time, under names of their own.

use k8s_openapi::ByteString;
use serde_json::{Value, json};

use crate::support::command::CANARY;
use crate::support::objects::{merge, with};

pub const HOME: &str = "crossplane-system";

/// In which of the clusters an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    Core,
    Prod,
    Stage,
}

/// An object, when it is written, and by which field manager.
#[derive(Debug, Clone)]
pub struct Seeded {
    pub at: At,
    pub object: Value,
    pub phase: u8,
    pub manager: &'static str,
}

/// One situation: objects, and the expected result for the Secret `name`: `CLUSTER NAMESPACE STATE`, or nothing.
pub struct Seed {
    pub name: &'static str,
    pub objects: Vec<Seeded>,
    pub reported: Vec<(&'static str, &'static str, &'static str)>,
    pub keys: Vec<&'static str>,
}

impl Seed {
    fn new(name: &'static str, state: &'static str) -> Self {
        Self { name, objects: Vec::new(), reported: vec![("prod", "shop", state)], keys: Vec::new() }
    }

    fn silent(name: &'static str) -> Self {
        Self { reported: Vec::new(), ..Self::new(name, "") }
    }

    fn in_namespace(mut self, namespace: &'static str) -> Self {
        self.reported.iter_mut().for_each(|reported| reported.1 = namespace);
        self
    }

    fn at(mut self, at: At, object: Value) -> Self {
        self.objects.push(Seeded { at, object, phase: 1, manager: "somebody" });
        self
    }

    fn core(self, object: Value) -> Self {
        self.at(At::Core, object)
    }

    fn prod(self, object: Value) -> Self {
        self.at(At::Prod, object)
    }

    /// The last object was written then.
    fn phase(mut self, phase: u8) -> Self {
        self.objects.last_mut().unwrap().phase = phase;
        self
    }

    /// The last object was written by this field manager.
    fn by(mut self, manager: &'static str) -> Self {
        self.objects.last_mut().unwrap().manager = manager;
        self
    }

    fn keys(mut self, keys: &[&'static str]) -> Self {
        self.keys = keys.to_vec();
        self
    }

    /// A connection Secret on the core cluster.
    fn source(self, data: &[(&str, &str)]) -> Self {
        let name = self.name;
        self.core(connection(HOME, name, data))
    }

    fn syncer(self) -> Self {
        let name = self.name;
        self.core(syncer(name, HOME, name, "prod", "shop"))
    }

    fn copy(self, data: &[(&str, &str)]) -> Self {
        let name = self.name;
        self.prod(secret("shop", name, data))
    }

    fn demand(self) -> Self {
        let name = self.name;
        self.prod(deployment(name, env(name, "password")))
    }
}

pub const LOGIN: &[(&str, &str)] = &[("username", "shop"), ("password", CANARY), ("endpoint", "db.example.org")];
const OLD: &[(&str, &str)] =
    &[("username", "shop"), ("password", "canary-that-must-never-sing-2"), ("endpoint", "db.example.org")];

pub fn secret(namespace: &str, name: &str, data: &[(&str, &str)]) -> Value {
    let data: serde_json::Map<String, Value> =
        data.iter().map(|(key, value)| ((*key).to_owned(), json!(ByteString(value.as_bytes().to_vec())))).collect();
    json!({"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": {"name": name, "namespace": namespace}, "data": data})
}

pub fn connection(namespace: &str, name: &str, data: &[(&str, &str)]) -> Value {
    let mut object = secret(namespace, name, data);
    object["type"] = json!("connection.crossplane.io/v1alpha1");
    object["metadata"]["ownerReferences"] = json!([{
        "apiVersion": "database.aws.crossplane.io/v1beta1", "kind": "RDSInstance", "name": format!("{name}-rds"), "uid": "owner", "controller": true,
    }]);
    object
}

pub fn syncer(name: &str, namespace: &str, source: &str, cluster: &str, target: &str) -> Value {
    json!({
        "apiVersion": "dagandersen.com/v1", "kind": "Syncer", "metadata": {"name": name, "namespace": "default"},
        "spec": {"data": [{
            "sourceName": source, "sourceNamespace": namespace, "kinds": "secret", "targetCluster": cluster, "targetNamespace": target,
        }]},
    })
}

pub fn push(name: &str, entries: Value) -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1alpha1", "kind": "PushSecret", "metadata": {"name": name, "namespace": HOME},
        "spec": {
            "refreshInterval": "1h", "secretStoreRefs": [{"kind": "ClusterSecretStore", "name": "prod"}],
            "selector": {"secret": {"name": name}}, "data": entries,
        },
        "status": {"conditions": [{"type": "Ready", "status": "True", "reason": "Synced", "lastTransitionTime": "2026-11-20T10:00:00Z"}]},
    })
}

pub fn whole(name: &str) -> Value {
    json!([{"match": {"remoteRef": {"remoteKey": name}}}])
}

pub fn kubernetes_object(name: &str, references: Value) -> Value {
    json!({
        "apiVersion": "kubernetes.crossplane.io/v1alpha2", "kind": "Object", "metadata": {"name": name},
        "spec": {
            "providerConfigRef": {"name": "prod"}, "references": references,
            "forProvider": {"manifest": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "shop"}}},
        },
    })
}

pub fn deployment(name: &str, pod: Value) -> Value {
    workload("apps/v1", "Deployment", name, pod)
}

pub fn workload(version: &str, kind: &str, name: &str, pod: Value) -> Value {
    json!({
        "apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "shop"},
        "spec": {
            "selector": {"matchLabels": {"app": name}}, "template": {"metadata": {"labels": {"app": name}}, "spec": pod},
        },
    })
}

pub fn job(name: &str, mut pod: Value) -> Value {
    pod["restartPolicy"] = json!("Never");
    json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": "shop"},
        "spec": {"template": {"spec": pod}},
    })
}

pub fn pod(container: Value, rest: Value) -> Value {
    let mut all = json!({"name": "c", "image": "busybox"});
    merge(&mut all, container);
    let mut pod = json!({"containers": [all]});
    merge(&mut pod, rest);
    pod
}

pub fn env(secret: &str, key: &str) -> Value {
    pod(json!({"env": [{"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}]}), json!({}))
}

pub fn volume(secret: &str, mount: Value) -> Value {
    let mut mounts = json!({"volumeMounts": [{"name": "v", "mountPath": "/v"}]});
    merge(&mut mounts["volumeMounts"][0], mount);
    pod(mounts, json!({"volumes": [{"name": "v", "secret": {"secretName": secret}}]}))
}

/// A Pod whose container runs since then.
fn running(name: &str, spec: Value, since: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "shop"}, "spec": spec,
        "status": {"phase": "Running", "containerStatuses": [{
            "name": "c", "image": "busybox", "imageID": "", "ready": true, "restartCount": 0, "state": {"running": {"startedAt": since}},
        }]},
    })
}

fn labelled(name: &str, data: &[(&str, &str)], labels: Value, annotations: Value) -> Value {
    with(secret("shop", name, data), &[json!({"metadata": {"labels": labels, "annotations": annotations}})])
}

/// A copy that `kubectl ucp` made from a core cluster.
fn ours(name: &str, data: &[(&str, &str)], core: &str) -> Value {
    labelled(
        name,
        data,
        json!({"app.kubernetes.io/managed-by": "kubectl-ucp"}),
        json!({
            "kubectl-ucp.io/copied-from": format!("{HOME}/{name}"), "kubectl-ucp.io/copied-version": "1",
            "kubectl-ucp.io/copied-from-cluster": core,
        }),
    )
}

fn owned(name: &str, data: &[(&str, &str)], version: &str, kind: &str) -> Value {
    with(
        secret("shop", name, data),
        &[
            json!({"metadata": {"ownerReferences": [{"apiVersion": version, "kind": kind, "name": name, "uid": "owner", "controller": true}]}}),
        ],
    )
}

fn application(name: &str, syncer: &str) -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": name, "namespace": "argocd"},
        "spec": {"project": "default", "source": {"repoURL": "https://git.example.org/apps", "path": "."}, "destination": {"server": "https://kubernetes.default.svc"}},
        "status": {"resources": [{"group": "dagandersen.com", "version": "v1", "kind": "Syncer", "namespace": "default", "name": syncer, "status": "Synced"}]},
    })
}

/// Every situation. `core` is the identity of the core cluster.
#[allow(clippy::too_many_lines, reason = "a table")]
pub fn all(core: &str) -> Vec<Seed> {
    let new = |name, state| Seed::new(name, state).source(LOGIN);
    let asked = |name, object: Value| new(name, "missing").prod(object);
    let flux = |name: &str| {
        json!({
            "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": {"name": name, "namespace": HOME},
            "spec": {
                "interval": "10m", "path": "./", "prune": true, "sourceRef": {"kind": "GitRepository", "name": "apps"},
                "kubeConfig": {"secretRef": {"name": "prod", "key": "kubeconfig"}},
                "postBuild": {"substituteFrom": [{"kind": "Secret", "name": name}]},
            },
            "status": {"inventory": {"entries": [{"id": format!("shop_{name}__Secret"), "v": "v1"}]}},
        })
    };
    let manifest_sync = |name: &str| {
        json!({
            "apiVersion": "sync.stakater.com/v1alpha1", "kind": "ManifestSync", "metadata": {"name": name, "namespace": HOME},
            "spec": {
                "sourceRef": {"apiVersion": "v1", "kind": "Secret", "name": name, "namespace": HOME},
                "targets": {"remoteClusters": [{
                    "clusterName": "whatever", "targetNamespace": "shop",
                    "connection": {"type": "KubeconfigSecret", "kubeconfigSecretRef": {"name": "prod", "namespace": HOME}},
                }]},
            },
        })
    };
    let from = |name: &str, path: &str, to: &str| {
        json!({
            "patchesFrom": {"apiVersion": "v1", "kind": "Secret", "name": name, "namespace": HOME, "fieldPath": path},
            "toFieldPath": to,
        })
    };
    let external = |name: &str| {
        json!({
            "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
            "metadata": {"name": name, "namespace": "shop", "ownerReferences": [{
                "apiVersion": "external-secrets.io/v1", "kind": "ClusterExternalSecret", "name": name, "uid": "owner", "controller": true,
            }]},
            "spec": {"target": {"name": name}},
        })
    };
    let cluster_external = |name: &str| {
        json!({
            "apiVersion": "external-secrets.io/v1", "kind": "ClusterExternalSecret", "metadata": {"name": name},
            "spec": {"externalSecretSpec": {"target": {"name": name}}}, "status": {"provisionedNamespaces": ["shop"]},
        })
    };
    let sealed = |name: &str| {
        json!({
            "apiVersion": "bitnami.com/v1alpha1", "kind": "SealedSecret", "metadata": {"name": name, "namespace": "shop"},
            "spec": {"encryptedData": {"password": "AgB"}},
        })
    };
    let ingress = |name: &str| {
        json!({
            "apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": name, "namespace": "shop"},
            "spec": {
                "tls": [{"secretName": name, "hosts": ["shop.example.org"]}],
                "defaultBackend": {"service": {"name": "shop", "port": {"number": 80}}},
            },
        })
    };
    let init = pod(
        json!({}),
        json!({"initContainers": [{
            "name": "i", "image": "busybox", "envFrom": [{"secretRef": {"name": "demand-init"}}],
        }]}),
    );
    let early = "2026-01-01T00:00:00Z";
    vec![
        // As it should be, by every way to declare it.
        new("syncer-current", "current").syncer().copy(LOGIN).demand(),
        new("push-current", "current").core(push("push-current", whole("push-current"))).copy(LOGIN),
        new("push-key-current", "current")
            .core(push("push-key-current", json!([
                {"match": {"secretKey": "password", "remoteRef": {"remoteKey": "push-key-current", "property": "PGPASSWORD"}}},
            ])))
            .copy(&[("PGPASSWORD", CANARY), ("another", "of somebody else")]),
        new("object-current", "current").core(kubernetes_object("object-current", json!([from("object-current", "data", "data")]))).copy(LOGIN),
        new("object-key-current", "current")
            .core(kubernetes_object("object-key-current", json!([from("object-key-current", "data.password", "data.pw")])))
            .copy(&[("pw", CANARY)]),
        new("flux-current", "current").core(flux("flux-current")).prod(labelled(
            "flux-current",
            &[("url", CANARY)],
            json!({"kustomize.toolkit.fluxcd.io/name": "flux-current", "kustomize.toolkit.fluxcd.io/namespace": HOME}),
            json!({}),
        )),
        new("manifest-sync-current", "current").core(manifest_sync("manifest-sync-current")).copy(LOGIN),
        new("external-current", "current")
            .prod(cluster_external("external-current"))
            .prod(external("external-current"))
            .prod(owned("external-current", LOGIN, "external-secrets.io/v1", "ExternalSecret")),
        new("sealed-current", "current")
            .prod(sealed("sealed-current"))
            .prod(owned("sealed-current", LOGIN, "bitnami.com/v1alpha1", "SealedSecret")),
        new("extra-current", "current").syncer().prod(ours("extra-current", LOGIN, core)).by("kubectl-ucp").prod(with(
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "extra-current", "namespace": "shop"}}), &[json!({"data": {"extra": ByteString(b"x".to_vec())}})])).phase(2).by("kubectl-edit"),
        Seed::new("brought-current", "current")
            .core(with(connection(HOME, "brought-current", LOGIN), &[json!({"metadata": {"annotations": {"argocd.argoproj.io/tracking-id": "db:/Secret:x/y"}}})]))
            .core(push("brought-current", whole("brought-current")))
            .prod(labelled("brought-current", LOGIN, json!({}), json!({"argocd.argoproj.io/tracking-id": "db:/Secret:x/y"}))),
        new("by-hand-current", "current").syncer().copy(LOGIN).by("kubectl-client-side-apply"),
        // Older than its source.
        Seed::new("syncer-stale", "stale").syncer().copy(OLD).core(connection(HOME, "syncer-stale", LOGIN)).phase(2).keys(&["password"]),
        Seed::new("push-stale", "stale").core(push("push-stale", whole("push-stale"))).copy(OLD).core(connection(HOME, "push-stale", LOGIN)).phase(2).keys(&["password"]),
        Seed::new("asked-stale", "stale").copy(OLD).demand().core(connection(HOME, "asked-stale", LOGIN)).phase(2).keys(&["password"]),
        Seed::new("ours-stale", "stale").syncer().prod(ours("ours-stale", OLD, core)).by("kubectl-ucp").core(connection(HOME, "ours-stale", LOGIN)).phase(2).keys(&["password"]),
        // Other than its source.
        new("syncer-different", "different").syncer().copy(OLD).phase(2).keys(&["password"]),
        new("lacking-different", "different").syncer().copy(&LOGIN[..2]).phase(2).keys(&["endpoint"]),
        new("immutable-different", "different").syncer().prod(with(secret("shop", "immutable-different", OLD), &[json!({"immutable": true})])).phase(2).keys(&["password"]),
        new("pull-different", "different").syncer().copy(LOGIN).prod(deployment("pull-different", pod(json!({}), json!({"imagePullSecrets": [{"name": "pull-different"}]})))),
        new("object-different", "different")
            .core(kubernetes_object("object-different", json!([from("object-different", "data.password", "data.pw")])))
            .copy(&[("pw", "canary-that-must-never-sing-3")]).phase(2).keys(&["pw"]),
        new("flux-different", "different").core(flux("flux-different")).copy(&[("password", "canary-that-must-never-sing-3")]).phase(2).keys(&["password"]),
        // Not there, and declared.
        new("syncer-missing", "missing").syncer(),
        new("nowhere-missing", "missing").in_namespace("nowhere").core(syncer("nowhere-missing", HOME, "nowhere-missing", "prod", "nowhere")),
        new("external-missing", "missing").prod(external("external-missing")),
        new("sealed-missing", "missing").prod(sealed("sealed-missing")),
        // Not there, and asked for in every way that a pod has.
        asked("demand-env", deployment("demand-env", env("demand-env", "password"))),
        asked("demand-env-from", deployment("demand-env-from", pod(json!({"envFrom": [{"secretRef": {"name": "demand-env-from"}}]}), json!({})))),
        asked("demand-volume", workload("apps/v1", "StatefulSet", "demand-volume", volume("demand-volume", json!({})))),
        asked("demand-projected", workload("apps/v1", "DaemonSet", "demand-projected", pod(json!({}), json!({"volumes": [{"name": "v", "projected": {"sources": [{"secret": {"name": "demand-projected"}}]}}]})))),
        asked("demand-init", deployment("demand-init", init)),
        asked("demand-pull", deployment("demand-pull", pod(json!({}), json!({"imagePullSecrets": [{"name": "demand-pull"}]})))),
        asked("demand-account", json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "demand-account", "namespace": "shop"}, "imagePullSecrets": [{"name": "demand-account"}]})),
        asked("demand-tls", ingress("demand-tls")),
        asked("demand-job", job("demand-job", env("demand-job", "password"))),
        asked("demand-cron", json!({
            "apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "demand-cron", "namespace": "shop"},
            "spec": {"schedule": "@daily", "jobTemplate": {"spec": {"template": {"spec": with(env("demand-cron", "password"), &[json!({"restartPolicy": "Never"})])}}}},
        })),
        asked("demand-pod", json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "demand-pod", "namespace": "shop"}, "spec": env("demand-pod", "password")})),
        asked("demand-replica-set", workload("apps/v1", "ReplicaSet", "demand-replica-set", env("demand-replica-set", "password"))),
        asked("demand-csi", deployment("demand-csi", pod(json!({}), json!({"volumes": [{"name": "v", "csi": {"driver": "d", "nodePublishSecretRef": {"name": "demand-csi"}}}]})))),
        Seed::new("composed-missing", "missing").core(with(secret(HOME, "composed-missing", LOGIN), &[json!({"metadata": {"labels": {"crossplane.io/composite": "shop"}}})])).demand(),
        // No source, or less of it.
        Seed::new("syncer-source", "sourceMissing").syncer(),
        Seed::new("copy-source", "sourceMissing").syncer().copy(LOGIN),
        Seed::new("empty-source", "sourceMissing").source(&[]).syncer(),
        Seed::new("writer-source", "sourceMissing").demand().core(json!({
            "apiVersion": "database.aws.crossplane.io/v1beta1", "kind": "RDSInstance", "metadata": {"name": "writer-source"},
            "spec": {"forProvider": {}, "writeConnectionSecretToRef": {"name": "writer-source", "namespace": HOME}},
        })),
        Seed::new("syncer-poorer", "poorer").source(&[("username", "shop"), ("endpoint", "db.example.org")]).syncer().copy(LOGIN).keys(&["password"]),
        Seed::new("blank-poorer", "poorer").source(&[("username", "shop"), ("password", ""), ("endpoint", "db.example.org")]).syncer().copy(LOGIN).keys(&["password"]),
        Seed::new("emptied-poorer", "poorer").source(&[]).syncer().copy(LOGIN).keys(&["endpoint", "password", "username"]),
        Seed::new("asked-poorer", "poorer").source(&[("username", "shop"), ("endpoint", "db.example.org")]).syncer().copy(&[("username", "shop"), ("endpoint", "db.example.org")]).demand(),
        // Of another owner.
        new("owned-foreign", "foreign").syncer().prod(owned("owned-foreign", OLD, "example.org/v1", "Thing")),
        new("helm-foreign", "foreign").syncer().prod(labelled("helm-foreign", OLD, json!({"app.kubernetes.io/managed-by": "Helm"}), json!({"meta.helm.sh/release-name": "shop"}))),
        new("argo-foreign", "foreign").syncer().prod(labelled("argo-foreign", OLD, json!({}), json!({"argocd.argoproj.io/tracking-id": "shop:/Secret:shop/x"}))),
        new("flux-foreign", "foreign").demand().prod(labelled("flux-foreign", OLD, json!({"kustomize.toolkit.fluxcd.io/name": "shop"}), json!({}))),
        new("manager-foreign", "foreign").syncer().prod(labelled("manager-foreign", LOGIN, json!({"app.kubernetes.io/managed-by": "an-operator"}), json!({}))),
        new("certificate-foreign", "foreign").syncer().prod(labelled("certificate-foreign", OLD, json!({}), json!({"cert-manager.io/certificate-name": "shop"}))),
        new("other-core-foreign", "foreign").syncer().prod(ours("other-core-foreign", OLD, "another")),
        // Left behind.
        new("ours-orphaned", "orphaned").prod(ours("ours-orphaned", LOGIN, core)),
        Seed::new("gone-orphaned", "orphaned").prod(ours("gone-orphaned", LOGIN, core)),
        // Two that mean one.
        new("twice-collision", "collision").copy(LOGIN).syncer().core(syncer("twice-collision-too", HOME, "twice-collision", "prod", "shop")),
        new("ways-collision", "collision").copy(LOGIN).syncer().core(push("ways-collision", whole("ways-collision"))),
        new("applied-collision", "collision").copy(LOGIN).syncer().core(application("aws-database", "applied-collision")).core(application("gcp-database", "applied-collision")),
        // It is current, but nothing declares it.
        new("asked-undeclared", "undeclared").copy(LOGIN).demand(),
        new("found-undeclared", "undeclared").copy(LOGIN),
        new("ours-undeclared", "undeclared").prod(ours("ours-undeclared", LOGIN, core)).demand(),
        // Well, and too late for some.
        new("env-used-old", "usedOld").syncer().copy(LOGIN).prod(running("env-used-old", env("env-used-old", "password"), early)),
        new("sub-path-used-old", "usedOld").syncer().copy(LOGIN).prod(running("sub-path-used-old", volume("sub-path-used-old", json!({"subPath": "password"})), early)),
        new("volume-current", "current").syncer().copy(LOGIN).prod(running("volume-current", volume("volume-current", json!({})), early)),
        new("young-current", "current").syncer().copy(LOGIN).prod(running("young-current", env("young-current", "password"), "2126-01-01T00:00:00Z")),
        // The state is unknown.
        Seed { reported: vec![("dark", "shop", "unknown")], ..new("dark-unknown", "").core(syncer("dark-unknown", HOME, "dark-unknown", "dark", "shop")) },
        Seed { reported: vec![("ghost", "shop", "missing")], ..new("ghost-missing", "").core(syncer("ghost-missing", HOME, "ghost-missing", "ghost", "shop")) },
        new("flux-unknown", "unknown").core(flux("flux-unknown")).copy(&[("url", "postgres://shop@db.example.org")]),
        // Credentials of a provider.
        Seed::new("provider-credentials", "undeclared").core(secret(HOME, "provider-credentials", &[("credentials", CANARY)])).core(json!({
            "apiVersion": "aws.crossplane.io/v1beta1", "kind": "ProviderConfig", "metadata": {"name": "default"},
            "spec": {"credentials": {"source": "Secret", "secretRef": {"namespace": HOME, "name": "provider-credentials", "key": "credentials"}}},
        })).copy(&[("credentials", CANARY)]),
        // In the other app cluster.
        Seed { reported: vec![("stage", "shop", "missing")], ..new("stage-missing", "").core(syncer("stage-missing", HOME, "stage-missing", "stage", "shop")).copy(OLD) },
        Seed {
            reported: vec![("stage", "shop", "current"), ("prod", "shop", "missing")],
            ..new("both", "").core(syncer("both", HOME, "both", "prod", "shop")).core(syncer("both-stage", HOME, "both", "stage", "shop")).at(At::Stage, secret("shop", "both", LOGIN))
        },
        // Nothing to report.
        Seed::silent("silent-optional").source(LOGIN).prod(deployment("silent-optional", pod(json!({"envFrom": [{"secretRef": {"name": "silent-optional", "optional": true}}]}), json!({})))),
        Seed::silent("silent-namesake").source(LOGIN).copy(&[("something", "else")]),
        Seed::silent("silent-unasked").source(LOGIN),
        Seed::silent("silent-own").demand().copy(LOGIN),
        Seed::silent("silent-demand").demand(),
        Seed::silent("silent-core-secret").core(secret(HOME, "silent-core-secret", LOGIN)).copy(LOGIN),
        Seed::silent("silent-credentials").core(secret(HOME, "silent-credentials", &[("credentials", CANARY)])).core(json!({
            "apiVersion": "aws.crossplane.io/v1beta1", "kind": "ProviderConfig", "metadata": {"name": "other"},
            "spec": {"credentials": {"source": "Secret", "secretRef": {"namespace": HOME, "name": "silent-credentials", "key": "credentials"}}},
        })).copy(&[("credentials", "of another account")]),
    ]
}
