//! A core cluster with an app cluster, and the objects that a provisioner would create in the core cluster for it.

#![allow(unreachable_pub, reason = "the helpers of other test modules")]

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::ByteString;
use serde_json::{Value, json};

use crate::support::certificates::Validity;
use crate::support::cluster::TOKEN;
use crate::support::command::{self, CANARY};
use crate::support::kubeconfig::{self, Credential};
use crate::support::{self, Cluster, Controller, Options, load};

/// A core cluster with the kinds of Crossplane, Argo CD and Flux, and an app cluster.
#[derive(Debug)]
pub struct Fleet {
    pub core: Cluster,
    pub app: Cluster,
}

/// The fleet that tests share; `None` as in [`support::start`].
pub fn fleet() -> Option<&'static Fleet> {
    static SHARED: OnceLock<Option<Fleet>> = OnceLock::new();
    SHARED.get_or_init(|| Fleet::start("core", "app")).as_ref()
}

/// A fleet with tenants whose objects concern every namespace; `None` as in [`support::start`].
pub fn fleet_with_tenants() -> Option<&'static Fleet> {
    static WITH_TENANTS: OnceLock<Option<Fleet>> = OnceLock::new();
    WITH_TENANTS.get_or_init(|| Fleet::start("core-with-tenants", "app-with-tenants")).as_ref()
}

impl Fleet {
    fn start(core: &str, app: &str) -> Option<Self> {
        let core = support::start(Options::named(core))?;
        load::install_all_crds(&core).expect("the kinds are installed");
        let controllers = [Controller::ServiceAccountToken, Controller::GarbageCollector, Controller::ServiceAccount];
        Some(Self { core, app: support::start(Options::named(app).with_controllers(&controllers))? })
    }
}

/// A part of the fleet for one test: a namespace of its own in the core cluster, where its Secrets and its engines are,
/// and a ServiceAccount of its own in the app cluster.
#[derive(Debug)]
pub struct Corner {
    pub fleet: &'static Fleet,
    pub namespace: String,
}

impl Corner {
    pub fn of(fleet: &'static Fleet, name: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let namespace = format!("{name}-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let corner = Self { fleet, namespace };
        corner.put(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": corner.namespace}}));
        corner
    }

    /// Writes an object into the core cluster, as another manager.
    pub fn put(&self, object: Value) {
        support::run(async || load::load_objects(&self.fleet.core.client(), vec![object]).await)
            .expect("an object is written");
    }

    /// A connection Secret as Crossplane writes it.
    pub fn connection_secret(&self, name: &str, kubeconfig: &Value) -> Value {
        connection_secret(&self.namespace, name, kubeconfig)
    }

    /// Puts a connection Secret for the app cluster.
    pub fn provision(&self, name: &str, server: &str, credential: &Credential) {
        self.put(self.connection_secret(name, &self.fleet.app.kubeconfig_with(server, credential)));
    }

    /// Puts a registration with Argo CD that someone made by hand.
    pub fn register(&self, name: &str, server: &str, config: &Value) {
        self.put(json!({
            "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
            "metadata": {
                "name": format!("registered-{name}"), "namespace": self.namespace,
                "labels": {"argocd.argoproj.io/secret-type": "cluster"},
            },
            "stringData": {"name": name, "server": server, "config": config.to_string()},
        }));
    }

    /// Puts a cluster of GKE by the corner's name, with a connection Secret that holds no credential. Returns its server.
    pub fn provision_gke(&self) -> &'static str {
        let (address, server) = ("34.155.201.14", "https://34.155.201.14");
        self.put(json!({
            "apiVersion": "container.gcp.upbound.io/v1beta1", "kind": "Cluster",
            "metadata": {"name": self.namespace},
            "spec": {"forProvider": {}, "writeConnectionSecretToRef": {"name": "gke", "namespace": self.namespace}},
            "status": {"atProvider": {"endpoint": address, "id": "projects/p/locations/l/clusters/gke"}},
        }));
        self.put(self.connection_secret("gke", &kubeconfig_of(server, self.fleet.app.ca_pem(), json!({}))));
        server
    }

    /// A credential for the app cluster that may do everything.
    pub fn admin(&self) -> Credential {
        let admin = self.fleet.app.identity("cluster-admin", Some("system:masters"), Validity::Valid);
        admin.expect("a certificate")
    }

    /// The binary on the core cluster, in this corner.
    pub fn ucp(&self, arguments: &[&str]) -> Command {
        self.ucp_with(self.fleet.core.kubeconfig().to_owned(), arguments)
    }

    /// The same with another kubeconfig.
    pub fn ucp_with(&self, kubeconfig: PathBuf, arguments: &[&str]) -> Command {
        let mut command = command::ucp(arguments);
        command.arg("--kubeconfig").arg(kubeconfig);
        command.args(["-n", &self.namespace, "--argocd-namespace", &self.namespace]);
        command.args(["--flux-namespace", &self.namespace, "--allow-localhost"]);
        command
    }

    /// Runs it to its end, and checks that the output contains no secret.
    pub fn output(&self, arguments: &[&str]) -> Output {
        checked(self.ucp(arguments).output().expect("it runs"))
    }

    /// `clusters -o json`, by name.
    pub fn clusters(&self, arguments: &[&str]) -> Value {
        let output = self.output(&[&["clusters", "-o", "json"], arguments].concat());
        document(&output)["items"]
            .as_array()
            .expect("items")
            .iter()
            .map(|item| (item["name"].as_str().expect("a name").to_owned(), item.clone()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }
}

/// Fails unless a cluster of `clusters -o json` can be adopted. Where a Kustomization of another test refers to a Secret of
/// its own namespace, which `-n` does not read, it is unknown if the cluster is registered there.
pub fn check_adoptable(cluster: &Value) {
    let reason = cluster["reason"].as_str().unwrap_or_default();
    let is_unread =
        cluster["state"] == "unknown" && reason.starts_with("whether it is registered is unknown: Secrets of ");
    assert!(cluster["state"] == "adoptable" || is_unread, "{cluster:#}");
}

/// A connection Secret as Crossplane writes it.
pub fn connection_secret(namespace: &str, name: &str, kubeconfig: &Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret", "type": "connection.crossplane.io/v1alpha1",
        "metadata": {"name": name, "namespace": namespace},
        "data": {"kubeconfig": ByteString(kubeconfig.to_string().into_bytes())},
    })
}

/// A kubeconfig of some cluster with some user.
pub fn kubeconfig_of(server: &str, authority: &str, user: Value) -> Value {
    let mut kubeconfig = kubeconfig::kubeconfig("c", server, authority, &Credential::Token(String::new()));
    kubeconfig["users"][0]["user"] = user;
    kubeconfig
}

/// Fails where a token or a private key got out.
pub fn checked(output: Output) -> Output {
    let printed = text(&output);
    // The beginnings of a JWT, of a key in PEM, and of one in base64.
    for secret in [CANARY, TOKEN, "eyJhbGciOi", "PRIVATE KEY", "LS0tLS1CRUdJTiBQUklWQVRF", "panicked at"] {
        assert!(!printed.contains(secret), "a secret got out:\n{printed}");
    }
    let is_unsafe = |character: char| character != '\n' && (character.is_control() || character == '\u{202e}');
    assert!(!printed.contains(is_unsafe), "it would drive a terminal:\n{printed}");
    output
}

/// Standard output as JSON.
pub fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    })
}

/// Both streams, as a person sees them.
pub fn text(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|stream| String::from_utf8_lossy(stream).into_owned()).concat()
}
