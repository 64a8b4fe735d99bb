//! The way to an API server: it takes time, it can be cut, and it may lead through a proxy.

use std::io::{Error, Result};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, split};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, sleep_until};
use tokio_rustls::TlsAcceptor;

use super::Cluster;
use super::proxy::acceptor;

/// The proxy that opens the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// None: clients are connected to the API server.
    Open,
    /// A proxy that takes `CONNECT` (RFC 9110, 9.3.6).
    Connect,
    /// The same over TLS, with a certificate of the cluster's authority.
    ConnectOverTls,
    /// A proxy of RFC 1928, without authentication.
    Socks5,
}

/// Listens on loopback until it is dropped.
#[derive(Debug)]
pub struct Wire {
    address: SocketAddr,
    door: Door,
    state: Arc<State>,
    runtime: Option<Runtime>,
}

#[derive(Debug)]
struct State {
    server: String,
    one_way: Duration,
    /// Connections so far.
    opened: AtomicUsize,
    /// Connections now.
    open: AtomicUsize,
    /// How often the wire was cut.
    cuts: watch::Sender<usize>,
    /// Requests to the proxies.
    asked: Mutex<Vec<String>>,
}

impl Wire {
    /// A wire to a cluster's API server on which a word and its answer take a round trip longer than without.
    pub fn start(cluster: &Cluster, door: Door, round_trip: Duration) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime starts");
        // Bound outside of the runtime, which a caller may not block on in async code.
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        listener.set_nonblocking(true).expect("a socket");
        let address = listener.local_addr().expect("an address");
        let tls = (door == Door::ConnectOverTls).then(|| acceptor(cluster).expect("a certificate"));
        let state = Arc::new(State {
            server: cluster.server().trim_start_matches("https://").to_owned(),
            one_way: round_trip / 2,
            opened: AtomicUsize::new(0),
            open: AtomicUsize::new(0),
            cuts: watch::Sender::new(0),
            asked: Mutex::default(),
        });
        runtime.spawn(accept(listener, tls, door, Arc::clone(&state)));
        Self { address, door, state, runtime: Some(runtime) }
    }

    /// A kubeconfig of the cluster's admin, by this way.
    pub fn kubeconfig(&self, cluster: &Cluster) -> PathBuf {
        let mut kubeconfig = cluster.admin_kubeconfig().expect("a kubeconfig");
        let scheme = match self.door {
            Door::Open => {
                kubeconfig["clusters"][0]["cluster"]["server"] = json!(format!("https://{}", self.address));
                return cluster.save(&kubeconfig);
            }
            Door::Connect => "http",
            Door::ConnectOverTls => "https",
            Door::Socks5 => "socks5",
        };
        kubeconfig["clusters"][0]["cluster"]["proxy-url"] = json!(format!("{scheme}://{}", self.address));
        cluster.save(&kubeconfig)
    }

    /// Host and port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Connections so far.
    pub fn opened(&self) -> usize {
        self.state.opened.load(Ordering::SeqCst)
    }

    /// Connections now.
    pub fn open(&self) -> usize {
        self.state.open.load(Ordering::SeqCst)
    }

    /// Ends all connections in the middle of whatever they carry.
    pub fn cut(&self) {
        self.state.cuts.send_modify(|cuts| *cuts += 1);
    }

    /// The requests to the proxy: the heads of `CONNECT`, or addresses.
    pub fn asked(&self) -> Vec<String> {
        self.state.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn accept(listener: std::net::TcpListener, tls: Option<TlsAcceptor>, door: Door, state: Arc<State>) {
    let listener = TcpListener::from_std(listener).expect("a socket of the runtime");
    while let Ok((stream, _)) = listener.accept().await {
        let (state, tls) = (Arc::clone(&state), tls.clone());
        tokio::spawn(async move {
            state.opened.fetch_add(1, Ordering::SeqCst);
            state.open.fetch_add(1, Ordering::SeqCst);
            let mut cuts = state.cuts.subscribe();
            let carried = async {
                stream.set_nodelay(true)?;
                // The handshake of TCP, which is over here before anything is sent on.
                sleep(state.one_way * 2).await;
                match tls {
                    Some(tls) => carry(tls.accept(stream).await?, door, &state).await,
                    None => carry(stream, door, &state).await,
                }
            };
            // Ending a connection ends it for both sides, which notice it themselves.
            let _ = tokio::select! { end = carried => end, _ = cuts.changed() => Ok(()) };
            state.open.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

async fn carry(mut client: impl AsyncRead + AsyncWrite + Unpin, door: Door, state: &State) -> Result<()> {
    let asked = match door {
        Door::Open => None,
        Door::Connect | Door::ConnectOverTls => Some(connect(&mut client).await?),
        Door::Socks5 => Some(socks(&mut client).await?),
    };
    if let Some(asked) = asked {
        state.asked.lock().unwrap_or_else(PoisonError::into_inner).push(asked);
    }
    let server = TcpStream::connect(&state.server).await?;
    server.set_nodelay(true)?;
    let ((from_client, to_client), (from_server, to_server)) = (split(client), split(server));
    tokio::select! {
        end = pass(from_client, to_server, state.one_way) => end,
        end = pass(from_server, to_client, state.one_way) => end,
    }
}

/// Carries bytes one way, each so long.
async fn pass(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, takes: Duration) -> Result<()> {
    let (sender, mut receiver) = mpsc::unbounded_channel::<(Instant, Vec<u8>)>();
    let read = async move {
        let mut buffer = vec![0; 1 << 16];
        loop {
            let length = from.read(&mut buffer).await?;
            if length == 0 || sender.send((Instant::now() + takes, buffer[..length].to_vec())).is_err() {
                return Ok::<_, Error>(());
            }
        }
    };
    let write = async move {
        while let Some((due, bytes)) = receiver.recv().await {
            sleep_until(due).await;
            to.write_all(&bytes).await?;
        }
        to.shutdown().await
    };
    tokio::try_join!(read, write).map(drop)
}

async fn connect(client: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> Result<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(client.read_u8().await?);
    }
    client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
    Ok(String::from_utf8_lossy(&head).into_owned())
}

async fn socks(client: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> Result<String> {
    let mut greeting = [0; 2];
    client.read_exact(&mut greeting).await?;
    client.read_exact(&mut vec![0; greeting[1].into()]).await?;
    client.write_all(&[5, 0]).await?;
    let mut request = [0; 4];
    client.read_exact(&mut request).await?;
    let length = match request[3] {
        1 => 4,
        4 => 16,
        _ => client.read_u8().await?.into(),
    };
    let mut host = vec![0; length];
    client.read_exact(&mut host).await?;
    let port = client.read_u16().await?;
    client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await?;
    Ok(format!("{host:?} {port}"))
}
