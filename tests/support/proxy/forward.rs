//! One request through the proxy.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use futures::stream;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio_rustls::{TlsAcceptor, TlsConnector};

use super::super::Cluster;
use super::Fault;

type Body = UnsyncBoxBody<Bytes, anyhow::Error>;

/// The API server behind the proxy.
pub struct Upstream {
    address: String,
    connector: TlsConnector,
    /// Connections that no request uses: most of the time of a request is its handshake.
    idle: Mutex<Vec<SendRequest<Incoming>>>,
}

impl Upstream {
    pub fn of(cluster: &Cluster) -> Result<Self> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from(cluster.authority().der().to_vec()))?;
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let address = cluster.server().trim_start_matches("https://").to_owned();
        Ok(Self { address, connector: TlsConnector::from(Arc::new(config)), idle: Mutex::default() })
    }

    async fn send(self: &Arc<Self>, mut request: Request<Incoming>) -> Result<Response<Incoming>> {
        // A body that is edited must not be compressed.
        request.headers_mut().remove("accept-encoding");
        let idle = self.take_idle();
        let mut sender = match idle {
            Some(sender) => sender,
            None => self.connect().await?,
        };
        let response = sender.send_request(request).await?;
        let upstream = Arc::clone(self);
        tokio::spawn(async move {
            // After the response was read to its end.
            if sender.ready().await.is_ok() {
                upstream.idle.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
            }
        });
        Ok(response)
    }

    fn take_idle(&self) -> Option<SendRequest<Incoming>> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|sender| !sender.is_closed());
        idle.pop()
    }

    async fn connect(&self) -> Result<SendRequest<Incoming>> {
        let stream = TcpStream::connect(&self.address).await?;
        let stream = self.connector.connect(ServerName::try_from("127.0.0.1")?, stream).await?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(sender)
    }
}

/// TLS with a certificate that the cluster's clients trust. HTTP/1.1 only.
pub fn acceptor(cluster: &Cluster) -> Result<TlsAcceptor> {
    let identity = cluster.authority().server()?;
    let certificate = CertificateDer::from_pem_slice(identity.certificate.as_bytes())?;
    let key = PrivateKeyDer::from_pem_slice(identity.key.as_bytes())?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Answers a request, or fails, which ends the client's connection.
pub async fn answer(
    upstream: Arc<Upstream>,
    request: Request<Incoming>,
    fault: Option<Fault>,
) -> Result<Response<Body>> {
    match fault {
        None => pass(upstream.send(request).await?),
        Some(Fault::Answer { status, headers, body }) => {
            let mut response = Response::builder().status(status);
            for (name, value) in headers {
                response = response.header(name, value);
            }
            Ok(response.body(whole(body.into()))?)
        }
        Some(Fault::CutBody) => cut(upstream.send(request).await?).await,
        Some(Fault::Delay(duration)) => {
            tokio::time::sleep(duration).await;
            pass(upstream.send(request).await?)
        }
        Some(Fault::Held(notice)) => {
            notice.notified().await;
            pass(upstream.send(request).await?)
        }
        Some(Fault::Undiscovered { group, plural }) => {
            let (parts, body) = upstream.send(request).await?.into_parts();
            let mut list: serde_json::Value = serde_json::from_slice(&body.collect().await?.to_bytes())?;
            undiscover(&mut list, &group, &plural);
            let mut response = Response::from_parts(parts, whole(list.to_string().into()));
            response.headers_mut().remove("content-length");
            Ok(response)
        }
        Some(Fault::Hang) => std::future::pending().await,
        Some(Fault::Unanswered(flag)) => {
            upstream.send(request).await?;
            flag.store(true, Ordering::SeqCst);
            std::future::pending().await
        }
        Some(Fault::Unlisted(group)) => without(&group, upstream.send(plain(request)).await?).await,
        Some(Fault::Reset) => Err(anyhow!("a connection that ends")),
    }
}

/// Leaves a resource out of aggregated discovery, and its group if nothing else is in it.
fn undiscover(list: &mut serde_json::Value, group: &str, plural: &str) {
    let Some(groups) = list["items"].as_array_mut() else { return };
    for one in groups.iter_mut().filter(|one| one["metadata"]["name"].as_str().unwrap_or_default() == group) {
        for version in one["versions"].as_array_mut().into_iter().flatten() {
            if let Some(resources) = version["resources"].as_array_mut() {
                resources.retain(|resource| resource["resource"] != plural);
            }
        }
    }
    groups.retain(|one| {
        let versions = one["versions"].as_array().into_iter().flatten();
        versions.flat_map(|version| version["resources"].as_array()).flatten().next().is_some()
    });
}

fn pass(response: Response<Incoming>) -> Result<Response<Body>> {
    Ok(response.map(|body| body.map_err(anyhow::Error::from).boxed_unsync()))
}

fn whole(bytes: Bytes) -> Body {
    Full::new(bytes).map_err(|never| match never {}).boxed_unsync()
}

/// The same request for an answer that is not compressed.
fn plain(mut request: Request<Incoming>) -> Request<Incoming> {
    request.headers_mut().remove("accept-encoding");
    request
}

/// A discovery document, aggregated or not, without a group.
async fn without(group: &str, response: Response<Incoming>) -> Result<Response<Body>> {
    let (mut parts, body) = response.into_parts();
    let bytes = body.collect().await?.to_bytes();
    let mut document: serde_json::Value = serde_json::from_slice(&bytes)?;
    if let Some(items) = document.get_mut("items").and_then(serde_json::Value::as_array_mut) {
        items.retain(|item| item["metadata"]["name"] != group);
    }
    if let Some(groups) = document.get_mut("groups").and_then(serde_json::Value::as_array_mut) {
        groups.retain(|item| item["name"] != group);
    }
    parts.headers.remove("content-length");
    Ok(Response::from_parts(parts, whole(document.to_string().into())))
}

async fn cut(response: Response<Incoming>) -> Result<Response<Body>> {
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.context("the API server's answer ends early")?.to_bytes();
    let half = bytes.slice(..bytes.len() / 2);
    let frames = stream::unfold(Some(half), |half| async {
        match half {
            Some(half) => Some((Ok(Frame::data(half)), None)),
            None => {
                // The first half must be on its way before the connection ends.
                tokio::time::sleep(Duration::from_millis(50)).await;
                Some((Err(anyhow!("a body that ends early")), None))
            }
        }
    });
    Ok(Response::from_parts(parts, StreamBody::new(frames).boxed_unsync()))
}
