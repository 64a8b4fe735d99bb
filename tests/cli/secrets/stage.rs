//! The clusters that the seeds are in: as files, or as three API servers.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use k8s_openapi::ByteString;
use kube::api::{Api, DynamicObject, Patch, PatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};

use super::seeds::{At, HOME, Seed, Seeded};
use crate::fleet::connection_secret;
use crate::support::cluster::TOKEN;
use crate::support::objects::merge;
use crate::support::{self, Cluster, Options, kubeconfig, load};

/// Kinds that the core cluster of the seeds has and the fixtures do not, or app clusters.
fn definitions() -> Vec<Value> {
    let kinds = [
        ("external-secrets.io", "PushSecret", "pushsecrets", "v1alpha1", "Namespaced"),
        ("external-secrets.io", "SecretStore", "secretstores", "v1", "Namespaced"),
        ("external-secrets.io", "ClusterSecretStore", "clustersecretstores", "v1", "Cluster"),
        ("external-secrets.io", "ExternalSecret", "externalsecrets", "v1", "Namespaced"),
        ("external-secrets.io", "ClusterExternalSecret", "clusterexternalsecrets", "v1", "Cluster"),
        ("sync.stakater.com", "ManifestSync", "manifestsyncs", "v1alpha1", "Namespaced"),
        ("bitnami.com", "SealedSecret", "sealedsecrets", "v1alpha1", "Namespaced"),
    ];
    kinds.map(|(group, kind, plural, version, scope)| definition(group, kind, plural, version, scope)).to_vec()
}

/// A kind that the fixtures do not have.
pub fn definition(group: &str, kind: &str, plural: &str, version: &str, scope: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {
            "name": format!("{plural}.{group}"),
            // Kubernetes asks for it in groups that end as its own do.
            "annotations": {"api-approved.kubernetes.io": "unapproved, for a test"},
        },
        "spec": {
            "group": group, "scope": scope,
            "names": {"kind": kind, "listKind": format!("{kind}List"), "plural": plural, "singular": kind.to_lowercase()},
            "versions": [{
                "name": version, "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
            }],
        },
    })
}

/// Registrations with Argo CD.
pub fn registrations(servers: &BTreeMap<&str, (String, String)>, token: &str) -> Vec<Value> {
    let text = |text: &str| ByteString(text.as_bytes().to_vec());
    let mut objects = Vec::new();
    for (name, (server, authority)) in servers {
        let config = json!({"bearerToken": token, "tlsClientConfig": {"caData": text(authority)}});
        objects.push(json!({
            "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
            "metadata": {"name": format!("cluster-{name}"), "namespace": "argocd", "labels": {"argocd.argoproj.io/secret-type": "cluster"}},
            "data": {"name": text(name), "server": text(server), "config": text(&config.to_string())},
        }));
    }
    objects
}

/// Access from the core cluster to the app clusters: registrations with Argo CD, and a kubeconfig for declarers.
pub fn ways(servers: &BTreeMap<&str, (String, String)>, token: &str) -> Vec<Value> {
    let mut objects = registrations(servers, token);
    let (server, authority) = &servers["prod"];
    let token = kubeconfig::Credential::Token(token.to_owned());
    objects.push(connection_secret(HOME, "prod", &kubeconfig::kubeconfig("prod", server, authority, &token)));
    objects.push(json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ClusterSecretStore", "metadata": {"name": "prod"},
        "spec": {"provider": {"kubernetes": {
            "remoteNamespace": "shop", "authRef": {"name": "prod", "namespace": HOME, "key": "kubeconfig"},
        }}},
    }));
    objects.push(json!({
        "apiVersion": "kubernetes.crossplane.io/v1alpha1", "kind": "ProviderConfig", "metadata": {"name": "prod"},
        "spec": {"credentials": {"source": "Secret", "secretRef": {"namespace": HOME, "name": "prod", "key": "kubeconfig"}}},
    }));
    objects.push(json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": {"name": "default", "namespace": "argocd"}, "spec": {}}));
    objects
}

/// The objects of one cluster as `kubectl get -o yaml --show-managed-fields` prints them.
pub fn printed(seeds: &[Seed], at: At) -> Vec<Value> {
    let all = seeds.iter().flat_map(|seed| &seed.objects).filter(|one| one.at == at);
    let mut printed: Vec<Value> = Vec::new();
    for Seeded { object, phase, manager, .. } in all {
        let mut object = object.clone();
        let keys = object["data"].as_object().into_iter().flatten().map(|(key, _)| (format!("f:{key}"), json!({})));
        let keys: serde_json::Map<String, Value> = keys.collect();
        object["metadata"]["managedFields"] = json!([{
            "manager": manager, "operation": "Apply", "time": format!("2026-11-20T0{phase}:00:00Z"), "fieldsV1": {"f:data": keys},
        }]);
        object["metadata"]["creationTimestamp"] = json!("2026-11-20T01:00:00Z");
        let same = |known: &&mut Value| {
            ["/kind", "/metadata/name", "/metadata/namespace"]
                .iter()
                .all(|path| known.pointer(path) == object.pointer(path))
        };
        match printed.iter_mut().find(same) {
            None => printed.push(object),
            // A second writer of the same object.
            Some(known) => {
                let entry = object["metadata"]["managedFields"][0].clone();
                known["metadata"]["managedFields"].as_array_mut().unwrap().push(entry);
                merge(&mut known["data"], object["data"].clone());
            }
        }
    }
    printed
}

pub fn namespaces(names: &[&str]) -> Vec<Value> {
    let one = |name: &&str| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "uid": format!("uid-{name}")}});
    names.iter().map(one).collect()
}

pub fn write(directory: &Path, name: &str, objects: &[Value]) -> String {
    let path = directory.join(name);
    fs::write(&path, json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string()).unwrap();
    path.display().to_string()
}

/// A core cluster and two app clusters.
pub struct Clusters {
    pub core: Cluster,
    pub prod: Cluster,
    pub stage: Cluster,
}

impl Clusters {
    pub fn start() -> Option<Self> {
        let clusters = Self::start_without_kinds()?;
        load::install_all_crds(&clusters.core).unwrap();
        Some(clusters)
    }

    /// The same, but only with the kinds of the objects that are added.
    pub fn start_without_kinds() -> Option<Self> {
        let start = |name: &str| support::start(Options::named(name));
        Some(Self { core: start("core")?, prod: start("prod")?, stage: start("stage")? })
    }

    /// The same, with prod registered and its namespace created.
    pub fn start_with_shop() -> Option<Self> {
        let clusters = Self::start_without_kinds()?;
        clusters.register_prod();
        Some(clusters)
    }

    /// Registers prod with the core cluster, and creates its namespace.
    pub fn register_prod(&self) {
        let mut servers = self.servers();
        servers.retain(|name, _| *name == "prod");
        self.put(At::Core, ways(&servers, TOKEN));
        self.put(At::Prod, namespaces(&["shop"]).into_iter().map(without_uid).collect());
    }

    pub fn of(&self, at: At) -> &Cluster {
        match at {
            At::Core => &self.core,
            At::Prod => &self.prod,
            At::Stage => &self.stage,
        }
    }

    /// The UID of the core cluster's own namespace.
    pub fn id(&self) -> String {
        support::run(async || {
            let api: Api<k8s_openapi::api::core::v1::Namespace> = Api::all(self.core.client());
            support::eventually(async || api.get("kube-system").await.ok()?.metadata.uid).await
        })
    }

    /// Where each app cluster is, and one that does not answer.
    pub fn servers(&self) -> BTreeMap<&'static str, (String, String)> {
        BTreeMap::from([
            ("prod", (self.prod.server(), self.prod.ca_pem().to_owned())),
            ("stage", (self.stage.server(), self.stage.ca_pem().to_owned())),
            ("dark", ("https://127.0.0.1:1".to_owned(), self.stage.ca_pem().to_owned())),
        ])
    }

    pub fn put(&self, at: At, mut objects: Vec<Value>) {
        if at != At::Stage {
            objects.extend(definitions());
        }
        support::run(async || load::load_objects(&self.of(at).client(), objects).await).unwrap();
    }

    /// Writes the seeds in their order; objects of a later phase are at least a second younger.
    pub fn seed(&self, seeds: &[Seed]) {
        self.put(At::Core, ways(&self.servers(), TOKEN));
        for at in [At::Prod, At::Stage] {
            self.put(at, namespaces(&["shop"]).into_iter().map(without_uid).collect());
        }
        for phase in [1, 2] {
            for at in [At::Core, At::Prod, At::Stage] {
                let all: Vec<&Seeded> = seeds
                    .iter()
                    .flat_map(|seed| &seed.objects)
                    .filter(|one| one.at == at && one.phase == phase)
                    .collect();
                let is_kept = |one: &&&Seeded| one.manager == "somebody";
                self.put(at, all.iter().filter(is_kept).map(|one| one.object.clone()).collect());
                all.iter().filter(|one| !is_kept(one)).for_each(|one| self.apply_as(at, &one.object, one.manager));
            }
            std::thread::sleep(std::time::Duration::from_millis(1200));
        }
    }

    pub fn apply_as(&self, at: At, object: &Value, manager: &str) {
        let secrets = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Secret"));
        let namespace = object["metadata"]["namespace"].as_str().unwrap();
        let name = object["metadata"]["name"].as_str().unwrap();
        support::run(async || {
            let api: Api<DynamicObject> = Api::namespaced_with(self.of(at).client(), namespace, &secrets);
            api.patch(name, &PatchParams::apply(manager).force(), &Patch::Apply(object)).await
        })
        .unwrap();
    }

    /// A kubeconfig with a context for each of them, the core cluster's the current one.
    pub fn kubeconfig(&self) -> std::path::PathBuf {
        let all = [&self.core, &self.prod, &self.stage].map(|cluster| cluster.admin_kubeconfig().unwrap());
        self.core.save(&kubeconfig::merged(&all))
    }
}

fn without_uid(mut object: Value) -> Value {
    object["metadata"].as_object_mut().unwrap().remove("uid");
    object
}
