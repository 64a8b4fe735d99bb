//! etcd, an API server and, where wanted, some controllers, on loopback.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use k8s_openapi::api::core::v1::Namespace;
use kube::config::AuthInfo;
use kube::{Api, Client, Config};
use serde_json::Value;

use super::arguments::{self, Controller};
use super::audit::{self, HARNESS, Mark, Request};
use super::binaries::{Binaries, ControllerManager};
use super::certificates::{Authority, Identity, Validity};
use super::directory::Directory;
use super::kubeconfig::{self, Credential};
use super::process::Process;

/// The group that may do everything, whatever the RBAC rules are.
const MASTERS: &str = "system:masters";
/// The user of [`Cluster::kubeconfig`].
const ADMIN: &str = "admin";
/// The admin's token: a proxy can pass it on, unlike a client certificate.
pub const TOKEN: &str = "admin-token-of-a-test-cluster";
const START_TIMEOUT: Duration = Duration::from_secs(120);

/// Options of a cluster to start.
#[derive(Debug, Clone)]
pub struct Options {
    /// The cluster's name in kubeconfigs.
    pub name: String,
    /// Controllers to run; without any, nothing reacts to writes.
    pub controllers: Vec<Controller>,
    /// Further flags for the API server.
    pub api_server_flags: Vec<String>,
}

impl Options {
    /// etcd and an API server, nothing else.
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), controllers: Vec::new(), api_server_flags: Vec::new() }
    }

    /// The same with controllers.
    pub fn with_controllers(mut self, controllers: &[Controller]) -> Self {
        self.controllers.extend(controllers);
        self
    }

    /// The binaries that are required.
    pub fn needs_controller_manager(&self) -> ControllerManager {
        if self.controllers.is_empty() { ControllerManager::NotNeeded } else { ControllerManager::Needed }
    }
}

/// A running cluster; all of it is stopped and deleted when it is dropped, and
/// when the test process ends in whatever way.
#[derive(Debug)]
pub struct Cluster {
    name: String,
    port: u16,
    authority: Authority,
    admin: PathBuf,
    harness: Identity,
    api_server: Server,
    is_shared: AtomicBool,
    // Kept alive until the drop. Fields drop in order: the directory is last.
    _controller_manager: Option<Process>,
    etcd: Process,
    directory: Directory,
}

/// The API server, which a test may stop and start again.
#[derive(Debug)]
struct Server {
    binary: PathBuf,
    arguments: Vec<String>,
    log: PathBuf,
    process: Option<Process>,
}

impl Cluster {
    /// Starts a cluster and waits until it answers.
    pub fn start(binaries: &Binaries, options: Options) -> Result<Self> {
        // A port that was free may be taken by the time a server binds it.
        for _ in 0..2 {
            match Self::start_once(binaries, &options) {
                Err(error) if format!("{error:#}").contains("address already in use") => {}
                result => return result,
            }
        }
        Self::start_once(binaries, &options)
    }

    fn start_once(binaries: &Binaries, options: &Options) -> Result<Self> {
        let name = &options.name;
        let directory = Directory::create(name).context("no directory for the cluster")?;
        let path = |file: &str| directory.path().join(file);
        let [etcd_port, peer_port, port] = free_ports()?;
        let authority = Authority::create(name)?;
        let harness = authority.client(HARNESS, Some(MASTERS), Validity::Valid)?;
        write_api_server_files(directory.path(), &authority)?;

        let etcd =
            Process::start(&binaries.etcd(), &arguments::etcd(&path("etcd"), etcd_port, peer_port), &path("etcd.log"))
                .context("etcd does not start")?;
        let mut arguments = arguments::api_server(directory.path(), etcd_port, port);
        arguments.extend(options.api_server_flags.iter().cloned());
        let mut cluster = Self {
            name: name.clone(),
            port,
            authority,
            admin: path("admin.kubeconfig"),
            harness,
            api_server: Server {
                binary: binaries.api_server(),
                arguments,
                log: path("kube-apiserver.log"),
                process: None,
            },
            is_shared: AtomicBool::new(false),
            _controller_manager: None,
            etcd,
            directory,
        };
        write_kubeconfig(&cluster.admin, &cluster.admin_kubeconfig()?)?;
        // The API server only reports that etcd is missing, and etcd why.
        cluster.restart().with_context(|| cluster.etcd.last_words())?;
        if !options.controllers.is_empty() {
            cluster._controller_manager = Some(cluster.run_controllers(binaries, options)?);
        }
        Ok(cluster)
    }

    fn run_controllers(&self, binaries: &Binaries, options: &Options) -> Result<Process> {
        let path = |file: &str| self.directory.path().join(file);
        let user = "system:kube-controller-manager";
        let identity = self.identity(user, Some(MASTERS), Validity::Valid)?;
        let kubeconfig = path("kube-controller-manager.kubeconfig");
        write_kubeconfig(&kubeconfig, &self.kubeconfig_with(&self.server(), &identity))?;
        let arguments = arguments::controller_manager(self.directory.path(), &kubeconfig, &options.controllers);
        Process::start(&binaries.controller_manager(), &arguments, &path("kube-controller-manager.log"))
            .context("kube-controller-manager does not start")
    }

    /// Ends the API server at once; its data stay.
    pub fn stop(&mut self) {
        self.api_server.process = None;
    }

    /// Starts the API server again on the same port and data, and waits for it.
    pub fn restart(&mut self) -> Result<()> {
        self.stop();
        let server = &mut self.api_server;
        let process =
            Process::start(&server.binary, &server.arguments, &server.log).context("kube-apiserver does not start")?;
        server.process = Some(process);
        let config = self.config();
        let deadline = Instant::now() + START_TIMEOUT;
        let ready = || super::run(async || is_ready(&config).await);
        while !ready() {
            let process = self.api_server.process.as_mut();
            let process = process.context("kube-apiserver was stopped")?;
            if let Some(status) = process.ended()? {
                let words = process.last_words();
                bail!("kube-apiserver of {} ended ({status}): {words}", self.name);
            }
            if Instant::now() > deadline {
                let words = process.last_words();
                bail!("kube-apiserver of {} is not ready: {words}", self.name);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// Its name, and that of its kubeconfig context.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The API server's URL.
    pub fn server(&self) -> String {
        format!("https://127.0.0.1:{}", self.port)
    }

    /// The certificate authority's certificate, in PEM.
    pub fn ca_pem(&self) -> &str {
        self.authority.pem()
    }

    pub(super) fn authority(&self) -> &Authority {
        &self.authority
    }

    /// Where its files are: logs, keys, kubeconfigs.
    pub fn directory(&self) -> &Path {
        self.directory.path()
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
        let identity = self.authority.client(user, group, validity)?;
        Ok(Credential::Certificate(identity))
    }

    /// A client of the harness: it may do everything and leaves no audit trail.
    /// It belongs to the runtime that it is made in.
    pub fn client(&self) -> Client {
        Client::try_from(self.config()).expect("a client is made")
    }

    fn config(&self) -> Config {
        let mut config = Config::new(self.server().parse().expect("a URL"));
        config.root_cert = Some(vec![self.authority.der().to_vec()]);
        let user = kubeconfig::user(&Credential::Certificate(self.harness.clone()));
        config.auth_info = serde_json::from_value::<AuthInfo>(user).expect("a user");
        config
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

/// Ready, and with the namespace that the API server makes a little later.
async fn is_ready(config: &Config) -> bool {
    let Ok(client) = Client::try_from(config.clone()) else {
        return false;
    };
    let request = hyper::Request::get("/readyz").body(Vec::new());
    client.request_text(request.expect("a request")).await.is_ok()
        && Api::<Namespace>::all(client).get("default").await.is_ok()
}

fn write_api_server_files(directory: &Path, authority: &Authority) -> Result<()> {
    let server = authority.server()?;
    let tokens = rcgen::KeyPair::generate()?;
    let files = [
        ("ca.crt", authority.pem().to_owned()),
        ("server.crt", server.certificate),
        ("server.key", server.key),
        ("tokens.key", tokens.serialize_pem()),
        ("tokens.pub", tokens.public_key_pem()),
        ("users.csv", format!("{TOKEN},{ADMIN},{ADMIN},{MASTERS}\n")),
        ("audit-policy.json", audit::policy().to_string()),
    ];
    for (name, content) in files {
        fs::write(directory.join(name), content).with_context(|| format!("{name} not written"))?;
    }
    Ok(())
}

/// Writes a kubeconfig where it belongs.
pub fn write_kubeconfig(path: &Path, kubeconfig: &Value) -> Result<()> {
    let text = serde_saphyr::to_string(kubeconfig)?;
    fs::write(path, text).with_context(|| format!("{} not written", path.display()))
}

/// The ports that are given out, below those that the kernel gives to outgoing connections.
const PORTS: std::ops::Range<u16> = 15_000..32_000;

/// Returns ports on which no program listens. A port is given out once by this process, so that programs which start later
/// find it free.
pub fn free_ports<const N: usize>() -> Result<[u16; N]> {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Processes that run at the same time begin at different places.
    let first = u16::try_from(std::process::id() % u32::from(PORTS.end - PORTS.start)).unwrap_or_default();
    let mut ports = [0; N];
    for port in &mut ports {
        let mut candidates = (0..PORTS.end - PORTS.start).map(|_| {
            let next = NEXT.fetch_add(1, Ordering::Relaxed);
            PORTS.start + first.wrapping_add(next) % (PORTS.end - PORTS.start)
        });
        let is_free = |port: &u16| {
            TcpListener::bind(("127.0.0.1", *port)).is_ok() && TcpListener::bind(("0.0.0.0", *port)).is_ok()
        };
        *port = candidates.find(is_free).context("no free port")?;
    }
    Ok(ports)
}
