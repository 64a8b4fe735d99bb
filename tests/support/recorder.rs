//! A server on loopback in place of an API server: it answers everything, and records the requests that it gets.

use std::sync::{Arc, Mutex};

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;

use super::Cluster;
use super::certificates::Identity;

/// Such a server, until it is dropped.
#[derive(Debug)]
pub struct Recorder {
    server: String,
    requests: Arc<Mutex<Vec<String>>>,
    // Held for its end.
    _runtime: Runtime,
}

impl Recorder {
    /// One that speaks clear text.
    pub fn http() -> Self {
        Self::start(None)
    }

    /// One with a certificate of a cluster's own authority, for some other name: as every kubelet has one.
    pub fn https(cluster: &Cluster, name: &str) -> Self {
        Self::start(Some(&cluster.authority().server_called(name).expect("a certificate")))
    }

    fn start(identity: Option<&Identity>) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
        let scheme = if identity.is_some() { "https" } else { "http" };
        let server = format!("{scheme}://{}", listener.local_addr().expect("an address"));
        let acceptor = identity.map(acceptor);
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, kept) = (acceptor.clone(), Arc::clone(&kept));
                tokio::spawn(async move {
                    match acceptor {
                        Some(acceptor) => match acceptor.accept(stream).await {
                            Ok(stream) => answer(stream, &kept).await,
                            Err(error) => Err(error),
                        },
                        None => answer(stream, &kept).await,
                    }
                });
            }
        });
        Self { server, requests, _runtime: runtime }
    }

    /// Its URL.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// The received requests, in full.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("no panic").clone()
    }
}

async fn answer(mut stream: impl AsyncRead + AsyncWrite + Unpin, kept: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut text = Vec::new();
    while !text.windows(4).any(|window| window == b"\r\n\r\n") {
        if stream.read_buf(&mut text).await? == 0 {
            break;
        }
    }
    kept.lock().expect("no panic").push(String::from_utf8_lossy(&text).into_owned());
    let body = r#"{"major":"1","minor":"34","gitVersion":"v1.34.0","kind":"List","apiVersion":"v1","items":[],"status":{"allowed":true}}"#;
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ";
    stream.write_all(format!("{head}{}\r\n\r\n{body}", body.len()).as_bytes()).await?;
    stream.shutdown().await
}

fn acceptor(identity: &Identity) -> TlsAcceptor {
    let certificate = CertificateDer::from_pem_slice(identity.certificate.as_bytes()).expect("a certificate");
    let key = PrivateKeyDer::from_pem_slice(identity.key.as_bytes()).expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("a configuration");
    TlsAcceptor::from(Arc::new(config))
}
