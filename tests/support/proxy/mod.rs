//! A proxy in front of an API server that behaves like bad networks and busy servers.

mod fault;
mod forward;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;

use super::Cluster;
use forward::Upstream;

pub use fault::{Fault, Rule};
pub use forward::acceptor;

/// Listens on loopback until dropped, with a certificate of the cluster's authority.
/// Passes credentials on, which must be tokens: its kubeconfig has the admin's.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    kubeconfig: PathBuf,
    state: Arc<State>,
    runtime: Option<Runtime>,
}

/// A request that came to the proxy, answered by it or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub method: String,
    /// Path and query.
    pub uri: String,
}

impl Seen {
    /// Whether it would change something: it is neither a dry run nor a question about rights.
    pub fn is_write(&self) -> bool {
        self.method != "GET" && !self.uri.contains("dryRun=") && !self.uri.contains("reviews")
    }
}

#[derive(Debug, Default)]
struct State {
    rules: Mutex<Vec<Rule>>,
    seen: Mutex<Vec<Seen>>,
}

impl Proxy {
    /// Starts a proxy that only passes on until it is given rules.
    pub fn start(cluster: &Cluster) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        // Bound outside of the runtime, which a caller may not block on in async code.
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let state = Arc::new(State::default());
        let acceptor = acceptor(cluster)?;
        let upstream = Arc::new(Upstream::of(cluster)?);
        runtime.spawn(accept(listener, acceptor, upstream, Arc::clone(&state)));
        let kubeconfig = cluster.kubeconfig_by_token(&format!("https://{address}"));
        Ok(Self { address, kubeconfig, state, runtime: Some(runtime) })
    }

    /// The admin's kubeconfig, by way of the proxy.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// The proxy's URL.
    pub fn server(&self) -> String {
        format!("https://{}", self.address)
    }

    /// Adds a rule. The first rule that matches a request and is not used up counts.
    pub fn add(&self, rule: Rule) {
        lock(&self.state.rules).push(rule);
    }

    /// Takes all rules back.
    pub fn clear(&self) {
        lock(&self.state.rules).clear();
    }

    /// How many requests its rules are still for, of those that hold for a number of them.
    pub fn left(&self) -> usize {
        lock(&self.state.rules).iter().filter_map(Rule::left).sum()
    }

    /// Every request so far, in order of arrival.
    pub fn seen(&self) -> Vec<Seen> {
        lock(&self.state.seen).clone()
    }

    /// How many requests so far would have changed something.
    pub fn writes(&self) -> usize {
        lock(&self.state.seen).iter().filter(|seen| seen.is_write()).count()
    }

    /// How many requests so far had `part` in path or query.
    pub fn count(&self, part: &str) -> usize {
        lock(&self.state.seen).iter().filter(|seen| seen.uri.contains(part)).count()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl State {
    /// Records a request; returns the fault to apply, if any.
    fn meet(&self, method: &str, uri: &str) -> Option<Fault> {
        let seen = Seen { method: method.to_owned(), uri: uri.to_owned() };
        lock(&self.seen).push(seen.clone());
        lock(&self.rules).iter_mut().find_map(|rule| rule.apply(&seen))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(listener: std::net::TcpListener, acceptor: TlsAcceptor, upstream: Arc<Upstream>, state: Arc<State>) {
    let listener = TcpListener::from_std(listener).expect("a listener in a runtime");
    while let Ok((stream, _)) = listener.accept().await {
        let (acceptor, upstream, state) = (acceptor.clone(), Arc::clone(&upstream), Arc::clone(&state));
        tokio::spawn(async move {
            // A client that disconnects is ignored by the proxy.
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let service = service_fn(|request| {
                let uri = request.uri().to_string();
                let fault = state.meet(request.method().as_str(), &uri);
                forward::answer(Arc::clone(&upstream), request, fault)
            });
            let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            let _ = connection.await;
        });
    }
}
