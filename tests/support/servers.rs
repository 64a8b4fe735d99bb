//! etcd and an API server, on loopback.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use k8s_openapi::api::core::v1::Namespace;
use kube::config::AuthInfo;
use kube::{Api, Client, Config};

use super::arguments;
use super::audit::{self, HARNESS};
use super::binaries::Binaries;
use super::certificates::{Authority, Identity, Validity};
use super::cluster::{ADMIN, Options, Origin, TOKEN};
use super::directory::Directory;
use super::initial::InitialState;
use super::kubeconfig::{self, Credential};
use super::process::Process;
use super::store::Store;

/// The group that may do everything, whatever the RBAC rules are.
pub const MASTERS: &str = "system:masters";
const START_TIMEOUT: Duration = Duration::from_secs(120);

/// A running etcd and its API server; ended and deleted when dropped, and when the test process ends in whatever way.
#[derive(Debug)]
pub struct Servers {
    name: String,
    port: u16,
    authority: Authority,
    harness: Identity,
    api_server: ApiServer,
    store: Store,
    /// The objects that the API server itself has stored; `None` for servers that no other test may use.
    initial: Option<InitialState>,
    // Kept alive until the drop. Fields drop in order: the directory is last.
    etcd: Process,
    directory: Directory,
}

/// The API server, which a test may stop and start again.
#[derive(Debug)]
struct ApiServer {
    binary: PathBuf,
    arguments: Vec<String>,
    log: PathBuf,
    process: Option<Process>,
}

impl Servers {
    /// Starts them and waits until they answer.
    pub fn start(binaries: &Binaries, options: &Options) -> Result<Self> {
        // A port that was free may be taken by the time a server binds it.
        for _ in 0..2 {
            match Self::start_once(binaries, options) {
                Err(error) if format!("{error:#}").contains("address already in use") => {}
                result => return result,
            }
        }
        Self::start_once(binaries, options)
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
        let mut servers = Self {
            name: name.clone(),
            port,
            authority,
            harness,
            api_server: ApiServer {
                binary: binaries.api_server(),
                arguments,
                log: path("kube-apiserver.log"),
                process: None,
            },
            store: Store::on(etcd_port),
            initial: None,
            etcd,
            directory,
        };
        // The API server only reports that etcd is missing, and etcd why.
        servers.restart().with_context(|| servers.etcd.last_words())?;
        if options.origin == Origin::Pool {
            servers.initial = super::run(async || InitialState::read(&servers.store).await)?;
        }
        Ok(servers)
    }

    /// Ends the API server at once; its data stay.
    pub fn stop(&mut self) {
        self.initial = None;
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

    /// Whether another test may use them.
    pub const fn are_reusable(&self) -> bool {
        self.initial.is_some()
    }

    /// Removes everything that was written since the start.
    pub fn reset(&mut self) -> Result<()> {
        let mut initial = self.initial.take().context("they are not to be used again")?;
        super::run(async || initial.restore(&self.store, &self.client()).await)?;
        let kinds = self.directory().join("kubectl-cache");
        if kinds.exists() {
            fs::remove_dir_all(kinds)?;
        }
        self.initial = Some(initial);
        Ok(())
    }

    /// The API server's URL.
    pub fn url(&self) -> String {
        format!("https://127.0.0.1:{}", self.port)
    }

    pub const fn authority(&self) -> &Authority {
        &self.authority
    }

    /// Where their files are: logs, keys, kubeconfigs.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// A client of the harness, bound to the runtime that it is made in.
    pub fn client(&self) -> Client {
        Client::try_from(self.config()).expect("a client is made")
    }

    fn config(&self) -> Config {
        let mut config = Config::new(self.url().parse().expect("a URL"));
        config.root_cert = Some(vec![self.authority.der().to_vec()]);
        let user = kubeconfig::user(&Credential::Certificate(self.harness.clone()));
        config.auth_info = serde_json::from_value::<AuthInfo>(user).expect("a user");
        config
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
