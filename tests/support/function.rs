//! Composition functions that answer whatever a test wants, over real gRPC.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message as _;
use rustls::server::WebPkiClientVerifier;
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use ucp_features::composition::protocol::{FunctionResource, FunctionState, RunFunctionRequest, RunFunctionResponse};
use ucp_features::composition::value::{from_struct, to_struct};

use super::certificates::{Authority, Identity};

/// The reaction of a function to a request.
pub enum Reply {
    Answer(Box<RunFunctionResponse>),
    /// A gRPC status, and its message.
    Status(u32, &'static str),
    /// It takes the question and never answers.
    Silence,
}

type Answering = dyn Fn(&str, RunFunctionRequest) -> Reply + Send + Sync;

/// A function that listens on loopback until the test ends.
pub struct Function {
    address: String,
    calls: Arc<AtomicUsize>,
    _runtime: tokio::runtime::Runtime,
}

impl Function {
    /// Starts a function, which gets the path of the service and the request.
    pub fn start(answer: impl Fn(&str, RunFunctionRequest) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_with(None, answer)
    }

    /// One that proves who it is, and takes only clients of an authority.
    pub fn secured(
        identity: &Identity,
        clients: &Authority,
        answer: impl Fn(&str, RunFunctionRequest) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Self::start_with(Some(mutual(identity, clients)), answer)
    }

    fn start_with(
        tls: Option<TlsAcceptor>,
        answer: impl Fn(&str, RunFunctionRequest) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let calls = Arc::new(AtomicUsize::new(0));
        let answer: Arc<Answering> = Arc::new(answer);
        runtime.spawn(serve(listener, tls, answer, Arc::clone(&calls)));
        Self { address, calls, _runtime: runtime }
    }

    /// A function that makes of its input the resources of [`templates`].
    pub fn templates() -> Self {
        Self::start(|_, request| Reply::Answer(Box::new(templates(request))))
    }

    /// `NAME=grpc://HOST:PORT`.
    pub fn named(&self, name: &str) -> String {
        format!("{name}=grpc://{}", self.address)
    }

    /// `HOST:PORT`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// How often it was asked.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

/// TLS that wants a certificate of the client's, too.
fn mutual(identity: &Identity, clients: &Authority) -> TlsAcceptor {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from(clients.der().to_vec())).expect("an authority");
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
    let verifier = verifier.build().expect("a verifier");
    let certificate = CertificateDer::from_pem_slice(identity.certificate.as_bytes()).expect("a certificate");
    let key = PrivateKeyDer::from_pem_slice(identity.key.as_bytes()).expect("a key");
    let builder = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.expect("versions").with_client_cert_verifier(verifier);
    let mut config = builder.with_single_cert(vec![certificate], key).expect("a pair");
    config.alpn_protocols = vec![b"h2".to_vec()];
    TlsAcceptor::from(Arc::new(config))
}

async fn serve(listener: TcpListener, tls: Option<TlsAcceptor>, answer: Arc<Answering>, calls: Arc<AtomicUsize>) {
    while let Ok((stream, _)) = listener.accept().await {
        let (answer, calls, tls) = (Arc::clone(&answer), Arc::clone(&calls), tls.clone());
        tokio::spawn(async move {
            match tls {
                None => speak(stream, answer, calls).await,
                Some(tls) => {
                    if let Ok(stream) = tls.accept(stream).await {
                        speak(stream, answer, calls).await;
                    }
                }
            }
        });
    }
}

async fn speak<S>(stream: S, answer: Arc<Answering>, calls: Arc<AtomicUsize>)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin + 'static,
{
    let service = service_fn(move |request: Request<Incoming>| {
        let (answer, calls) = (Arc::clone(&answer), Arc::clone(&calls));
        async move { Ok::<_, Infallible>(respond(request, &*answer, &calls).await) }
    });
    let _ = http2::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
}

type Frames = StreamBody<futures::stream::BoxStream<'static, Result<Frame<Bytes>, Infallible>>>;

async fn respond(request: Request<Incoming>, answer: &Answering, calls: &AtomicUsize) -> Response<Frames> {
    calls.fetch_add(1, Ordering::SeqCst);
    let path = request.uri().path().to_owned();
    let body = request.into_body().collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let question = RunFunctionRequest::decode(body.get(5..).unwrap_or_default()).unwrap_or_default();
    let trailers = |code: u32, message: &str| {
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", code.into());
        trailers.insert("grpc-message", message.parse().expect("a header"));
        Ok(Frame::trailers(trailers))
    };
    let frames = match answer(&path, question) {
        Reply::Silence => std::future::pending().await,
        Reply::Status(code, message) => vec![trailers(code, message)],
        Reply::Answer(answer) => {
            let message = answer.encode_to_vec();
            let mut framed = vec![0];
            framed.extend(u32::try_from(message.len()).expect("a message").to_be_bytes());
            framed.extend(message);
            vec![Ok(Frame::data(Bytes::from(framed))), trailers(0, "")]
        }
    };
    use futures::StreamExt as _;
    let body = StreamBody::new(futures::stream::iter(frames).boxed());
    Response::builder().header("content-type", "application/grpc").body(body).expect("a response")
}

/// The input's `resources`, with `$(path)` in them replaced by the composite's value; a resource with such a
/// value missing is left out. `status` of the input becomes the composite's, in the same way.
pub fn templates(request: RunFunctionRequest) -> RunFunctionResponse {
    let composite = request.observed.as_ref().and_then(|state| state.composite.as_ref()?.resource.as_ref());
    let composite = composite.map(from_struct).unwrap_or_default();
    let input = request.input.as_ref().map(from_struct).unwrap_or_default();
    let mut desired = request.desired.unwrap_or_default();
    for resource in input["resources"].as_array().into_iter().flatten() {
        if let Some(base) = filled(&resource["base"], &composite) {
            let resource_name = resource["name"].as_str().expect("a name").to_owned();
            desired.resources.insert(
                resource_name,
                FunctionResource { resource: Some(to_struct(&base)), ..FunctionResource::default() },
            );
        }
    }
    if let Some(status) = input.get("status").and_then(|status| filled(status, &composite)) {
        let resource = Some(to_struct(&json!({"status": status})));
        desired.composite = Some(FunctionResource { resource, ..FunctionResource::default() });
    }
    RunFunctionResponse { desired: Some(desired), context: request.context, ..RunFunctionResponse::default() }
}

fn filled(value: &Value, composite: &Value) -> Option<Value> {
    Some(match value {
        Value::String(text) => match text.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')')) {
            Some(path) => composite.pointer(&format!("/{}", path.replace('.', "/")))?.clone(),
            None => value.clone(),
        },
        Value::Array(values) => values.iter().map(|value| filled(value, composite)).collect::<Option<_>>()?,
        Value::Object(fields) => {
            let filled = fields.iter().map(|(name, value)| Some((name.clone(), filled(value, composite)?)));
            Value::Object(filled.collect::<Option<_>>()?)
        }
        other => other.clone(),
    })
}

/// An answer that wants these resources.
pub fn wanting(resources: impl IntoIterator<Item = (String, Value)>) -> RunFunctionResponse {
    let resources: BTreeMap<String, FunctionResource> = resources
        .into_iter()
        .map(|(name, object)| {
            (name, FunctionResource { resource: Some(to_struct(&object)), ..FunctionResource::default() })
        })
        .collect();
    let desired = Some(FunctionState { composite: None, resources });
    RunFunctionResponse { desired, ..RunFunctionResponse::default() }
}
