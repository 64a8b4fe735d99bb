//! etcd, an API server and, where wanted, some controllers, on loopback.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use kube::Client;
use serde_json::Value;

use super::arguments::{self, Controller};
use super::audit::{self, Mark, Request};
use super::binaries::{Binaries, ControllerManager};
use super::certificates::{Authority, Validity};
use super::kubeconfig::{self, Credential};
use super::pool;
use super::process::Process;
use super::servers::{MASTERS, Servers};

/// The user of [`Cluster::kubeconfig`].
pub const ADMIN: &str = "admin";
/// The admin's token: a proxy can pass it on, unlike a client certificate.
pub const TOKEN: &str = "admin-token-of-a-test-cluster";

/// Options of a cluster to start.
#[derive(Debug, Clone)]
pub struct Options {
    /// The cluster's name in kubeconfigs.
    pub name: String,
    /// Controllers to run; without any, nothing reacts to writes.
    pub controllers: Vec<Controller>,
    /// Further flags for the API server.
    pub api_server_flags: Vec<String>,
    /// Where its servers come from, and what becomes of them.
    pub origin: Origin,
}

/// Where the servers of a cluster come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Those of an earlier test, if there are any, without everything that this test wrote. The next test may get them.
    Pool,
    /// They are started for this cluster, and end with it.
    New,
}

impl Origin {
    /// The pool if `UCP_REUSE` is set. A reset server may still answer from its caches, so that CI starts new ones.
    fn of_environment() -> Self {
        if std::env::var_os("UCP_REUSE").is_some() { Self::Pool } else { Self::New }
    }
}

impl Options {
    /// etcd and an API server, nothing else.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            controllers: Vec::new(),
            api_server_flags: Vec::new(),
            origin: Origin::of_environment(),
        }
    }

    /// The same with controllers.
    pub fn with_controllers(mut self, controllers: &[Controller]) -> Self {
        self.controllers.extend(controllers);
        self.on_new_servers()
    }

    /// The same with flags of the API server.
    pub fn with_flags(mut self, flags: &[&str]) -> Self {
        self.api_server_flags.extend(flags.iter().map(|&flag| flag.to_owned()));
        self.on_new_servers()
    }

    /// The same with servers that nothing used before, and nothing uses afterwards.
    pub fn on_new_servers(mut self) -> Self {
        self.origin = Origin::New;
        self
    }

    /// The binaries that are required.
    pub fn needs_controller_manager(&self) -> ControllerManager {
        if self.controllers.is_empty() { ControllerManager::NotNeeded } else { ControllerManager::Needed }
    }
}

/// A running cluster. Its servers are stopped and deleted, or given to another test, when it is dropped, and stopped and
/// deleted when the test process ends in whatever way.
#[derive(Debug)]
pub struct Cluster {
    name: String,
    admin: PathBuf,
    is_shared: AtomicBool,
    controller_manager: Option<Process>,
    /// Until the drop.
    servers: Option<Servers>,
}

impl Cluster {
    /// Starts a cluster and waits until it answers.
    pub fn start(binaries: &Binaries, options: Options) -> Result<Self> {
        let taken = if options.origin == Origin::Pool { pool::take() } else { None };
        let servers = match taken {
            Some(servers) => servers,
            None => Servers::start(binaries, &options)?,
        };
        let admin = servers.directory().join("admin.kubeconfig");
        let mut cluster = Self {
            name: options.name.clone(),
            admin,
            is_shared: AtomicBool::new(false),
            controller_manager: None,
            servers: Some(servers),
        };
        write_kubeconfig(&cluster.admin, &cluster.admin_kubeconfig()?)?;
        if !options.controllers.is_empty() {
            cluster.controller_manager = Some(cluster.run_controllers(binaries, &options)?);
        }
        Ok(cluster)
    }

    fn run_controllers(&self, binaries: &Binaries, options: &Options) -> Result<Process> {
        let path = |file: &str| self.directory().join(file);
        let user = "system:kube-controller-manager";
        let identity = self.identity(user, Some(MASTERS), Validity::Valid)?;
        let kubeconfig = path("kube-controller-manager.kubeconfig");
        write_kubeconfig(&kubeconfig, &self.kubeconfig_with(&self.server(), &identity))?;
        let arguments = arguments::controller_manager(self.directory(), &kubeconfig, &options.controllers);
        Process::start(&binaries.controller_manager(), &arguments, &path("kube-controller-manager.log"))
            .context("kube-controller-manager does not start")
    }

    fn servers(&self) -> &Servers {
        self.servers.as_ref().expect("only a drop takes them")
    }

    /// Ends the API server at once; its data stay.
    pub fn stop(&mut self) {
        self.servers.as_mut().expect("only a drop takes them").stop();
    }

    /// Starts the API server again on the same port and data, and waits for it.
    pub fn restart(&mut self) -> Result<()> {
        self.servers.as_mut().expect("only a drop takes them").restart()
    }

    /// Its name, and that of its kubeconfig context.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The API server's URL.
    pub fn server(&self) -> String {
        self.servers().url()
    }

    /// The certificate authority's certificate, in PEM.
    pub fn ca_pem(&self) -> &str {
        self.authority().pem()
    }

    pub(super) fn authority(&self) -> &Authority {
        self.servers().authority()
    }

    /// Where its files are: logs, keys, kubeconfigs.
    pub fn directory(&self) -> &Path {
        self.servers().directory()
    }

    /// The kubeconfig of user `admin`, who may do everything.
    pub fn kubeconfig(&self) -> &Path {
        &self.admin
    }

    /// The same as a value, with another certificate.
    pub fn admin_kubeconfig(&self) -> Result<Value> {
        let identity = self.identity(ADMIN, Some(MASTERS), Validity::Valid)?;
        Ok(self.kubeconfig_with(&self.server(), &identity))
    }

    /// A kubeconfig with a client certificate for another user, who may do
    /// nothing before the test binds a role.
    pub fn kubeconfig_for(&self, user: &str, group: Option<&str>) -> PathBuf {
        let identity = self.identity(user, group, Validity::Valid);
        self.save(&self.kubeconfig_with(&self.server(), &identity.expect("a certificate")))
    }

    /// A kubeconfig of `admin` whose certificate expired years ago.
    pub fn expired_kubeconfig(&self) -> PathBuf {
        let identity = self.identity(ADMIN, Some(MASTERS), Validity::Expired);
        self.save(&self.kubeconfig_with(&self.server(), &identity.expect("a certificate")))
    }

    /// A kubeconfig of `admin`, by token, for a server that stands in front of this one.
    pub fn kubeconfig_by_token(&self, server: &str) -> PathBuf {
        self.save(&self.kubeconfig_with(server, &Credential::Token(TOKEN.to_owned())))
    }

    /// The bearer token of `admin`.
    pub fn admin_token(&self) -> &str {
        TOKEN
    }

    /// Writes a kubeconfig into the cluster's directory, under a name of its own.
    pub fn save(&self, kubeconfig: &Value) -> PathBuf {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = self.directory().join(format!("{number}.kubeconfig"));
        write_kubeconfig(&path, kubeconfig).expect("a kubeconfig is written");
        path
    }

    /// The content of a kubeconfig for this cluster.
    pub fn kubeconfig_with(&self, server: &str, credential: &Credential) -> Value {
        kubeconfig::kubeconfig(&self.name, server, self.ca_pem(), credential)
    }

    /// A client certificate of this cluster.
    pub fn identity(&self, user: &str, group: Option<&str>, validity: Validity) -> Result<Credential> {
        let identity = self.authority().client(user, group, validity)?;
        Ok(Credential::Certificate(identity))
    }

    /// A client of the harness: it may do everything and leaves no audit trail.
    /// It belongs to the runtime that it is made in.
    pub fn client(&self) -> Client {
        self.servers().client()
    }

    /// kubectl as `admin`.
    pub fn kubectl<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new("kubectl");
        command.arg("--kubeconfig").arg(self.kubeconfig());
        // kubectl caches the kinds of a server by host and port, and ports are reused.
        command.arg("--cache-dir").arg(self.directory().join("kubectl-cache"));
        command.args(arguments);
        command
    }

    /// From now on many tests read it at the same time, and none writes to it: see [`Cluster::apply`].
    pub fn share(&self) {
        self.is_shared.store(true, Ordering::Relaxed);
    }

    /// `kubectl apply` of an object or a `List`, as `admin`. Panics where others read the cluster, which would see it.
    #[track_caller]
    pub fn apply(&self, objects: &Value) {
        assert!(!self.is_shared.load(Ordering::Relaxed), "{} is shared, so tests must not write to it", self.name);
        let mut kubectl =
            self.kubectl(["apply", "-f", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("kubectl");
        let mut input = kubectl.stdin.take().expect("a pipe");
        input.write_all(objects.to_string().as_bytes()).expect("kubectl reads");
        drop(input);
        assert!(kubectl.wait().expect("kubectl ends").success());
    }

    /// Where the audit log ends now.
    pub fn audit_mark(&self) -> Mark {
        audit::mark(&self.directory().join("audit.log"))
    }

    /// The requests since then, those of [`Cluster::client`] and of the
    /// cluster's own components left out.
    pub fn requests_since(&self, mark: Mark) -> Vec<Request> {
        let log = self.directory().join("audit.log");
        audit::requests_since(&log, mark).expect("the audit log is read")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.controller_manager = None;
        if let Some(servers) = self.servers.take() {
            pool::give_back(servers);
        }
    }
}

/// Writes a kubeconfig where it belongs.
pub fn write_kubeconfig(path: &Path, kubeconfig: &Value) -> Result<()> {
    let text = serde_saphyr::to_string(kubeconfig)?;
    fs::write(path, text).with_context(|| format!("{} not written", path.display()))
}
