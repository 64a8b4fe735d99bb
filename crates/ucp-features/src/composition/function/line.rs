//! A connection to one function: gRPC over a TCP stream or a port-forward.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use http::uri::PathAndQuery;
use http::{Request, Uri};
use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls::ClientConfig;
use rustls_pki_types::ServerName;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, BufReader};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tonic::body::Body;
use tonic::client::Grpc;
use tonic::codec::CompressionEncoding;
use tonic::{Code, Status};
use tonic_prost::ProstCodec;

use crate::composition::answer::{LONGEST_MESSAGE, sanitize_message};
use crate::composition::function::address::FunctionAddress;
use crate::composition::function::installed::FunctionEndpoint;
use crate::composition::function::trouble;
use crate::composition::protocol::{RunFunctionRequest, RunFunctionResponse, V1, V1_BETA1};
use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_client::source::live::forward::PortForwardErrors;
use ucp_core::failure::{Failure, fail};

/// How long to wait for the server's first bytes before the first write. HTTP/2 servers send first, and a server that
/// refuses a client certificate sends its alert then. The alert is lost if we have written data that it does not read.
const FIRST_WORDS: Duration = Duration::from_secs(1);
/// How long to wait for the end of a connection after a call over it has failed.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Origin of requests, which is not used here.
const ORIGIN: &str = "http://function";

/// The reason why a connection ended; `None` if it was closed in order.
type ConnectionEnd = Shared<BoxFuture<'static, Option<String>>>;

/// A connection to one function; clones share it.
#[derive(Clone)]
pub(super) struct FunctionConnection {
    sender: SendRequest<Body>,
    ended: ConnectionEnd,
    /// The remote end of a port-forward, which reports why it fails.
    far_side: Option<PortForwardErrors>,
}

impl FunctionConnection {
    /// Connects to a function without TLS.
    pub(super) async fn connect_plain(address: &FunctionAddress) -> Result<Self, Failure> {
        let stream = connect_tcp(address).await?;
        Self::from_stream(stream).await
    }

    /// Connects to a function with mutual TLS.
    pub(super) async fn connect_tls(
        address: &FunctionAddress,
        tls: Arc<ClientConfig>,
        server: &str,
    ) -> Result<Self, Failure> {
        let stream = connect_tcp(address).await?;
        Self::from_stream(tls_handshake(stream, tls, server).await?).await
    }

    /// Connects to a function in the cluster with a port-forward through the API server.
    pub(super) async fn connect_forwarded(
        cluster: &ConnectedCluster,
        place: &FunctionEndpoint,
        pod: &str,
        tls: Arc<ClientConfig>,
    ) -> Result<Self, Failure> {
        let (namespace, port) = (&place.namespace, place.port);
        let at = |reason: String| format!("pod {pod} in namespace {namespace}, port {port}: {reason}");
        let (stream, far_side) =
            cluster.api.forward(namespace, pod, port).await.map_err(|error| at(error.to_string()))?;
        let line = match tls_handshake(stream, tls, &place.host).await {
            Ok(stream) => Self::from_stream(stream).await,
            Err(reason) => Err(reason),
        };
        match line {
            Ok(line) => Ok(Self { far_side: Some(far_side), ..line }),
            Err(failure) => {
                let words = far_side.error_message().await.map(|words| sanitize_message(&words));
                Err(at(words.unwrap_or_else(|| failure.into())).into())
            }
        }
    }

    async fn from_stream<S>(stream: S) -> Result<Self, Failure>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let handshake =
            http2::Builder::new(TokioExecutor::new()).timer(TokioTimer::new()).handshake(TokioIo::new(stream));
        let (sender, connection) = handshake.await.map_err(|error| trouble::innermost_cause(&error))?;
        let end = tokio::spawn(connection);
        let ended = async move { end.await.ok()?.err().map(|error| trouble::innermost_cause(&error)) };
        Ok(Self { sender, ended: ended.boxed().shared(), far_side: None })
    }

    /// Calls the function, with the v1beta1 service if it does not implement v1.
    pub(super) async fn ask(&self, request: &RunFunctionRequest) -> Result<RunFunctionResponse, Failure> {
        let status = match self.call(V1, request).await {
            Err(status) if status.code() == Code::Unimplemented => match self.call(V1_BETA1, request).await {
                Err(status) if status.code() == Code::Unimplemented => {
                    return fail!("the server is not a composition function: it has neither service v1 nor v1beta1");
                }
                Err(status) => status,
                Ok(answer) => return Ok(answer),
            },
            Err(status) => status,
            Ok(answer) => return Ok(answer),
        };
        Err(self.failure_reason(&status).await.into())
    }

    /// Returns the reason why a call failed: the end of its connection if that is the cause, else the status of the
    /// call.
    async fn failure_reason(&self, status: &Status) -> String {
        if !trouble::may_be_connection_error(status) {
            return trouble::describe_status(status);
        }
        let ended = tokio::time::timeout(LAST_WORDS, self.ended.clone()).await;
        let Ok(reason) = ended else { return trouble::describe_status(status) };
        let far_side = match &self.far_side {
            Some(far_side) => far_side.error_message().await,
            None => None,
        };
        match (far_side, reason) {
            (Some(words), _) => sanitize_message(&words),
            (None, Some(reason)) => format!("the connection broke: {reason}"),
            (None, None) => trouble::describe_status(status),
        }
    }

    async fn call(&self, service: &'static str, request: &RunFunctionRequest) -> Result<RunFunctionResponse, Status> {
        let sender = self.sender.clone();
        let service_of_line = tower::service_fn(move |request: Request<Body>| {
            let mut sender = sender.clone();
            async move {
                sender.ready().await?;
                sender.send_request(request).await as Result<http::Response<Incoming>, hyper::Error>
            }
        });
        let mut client = Grpc::with_origin(service_of_line, Uri::from_static(ORIGIN))
            .accept_compressed(CompressionEncoding::Gzip)
            .max_decoding_message_size(LONGEST_MESSAGE)
            .max_encoding_message_size(usize::MAX);
        let path = PathAndQuery::from_static(service);
        let codec: ProstCodec<RunFunctionRequest, RunFunctionResponse> = ProstCodec::default();
        client.unary(tonic::Request::new(request.clone()), path, codec).await.map(tonic::Response::into_inner)
    }
}

async fn connect_tcp(address: &FunctionAddress) -> Result<TcpStream, Failure> {
    let host = address.uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let port = address.uri.port_u16().unwrap_or_default();
    let stream = TcpStream::connect((host, port)).await;
    let stream = stream.map_err(|error| format!("{address}: {}", trouble::describe_connect_error(&error)))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

async fn tls_handshake<S>(
    stream: S,
    tls: Arc<ClientConfig>,
    server: &str,
) -> Result<BufReader<tokio_rustls::client::TlsStream<S>>, Failure>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let name = ServerName::try_from(server.to_owned()).map_err(|_| format!("{server:?} is not a valid server name"))?;
    let stream = TlsConnector::from(tls).connect(name, stream).await;
    let mut stream = BufReader::new(stream.map_err(|error| trouble::describe_tls_error(&error, server))?);
    match tokio::time::timeout(FIRST_WORDS, stream.fill_buf()).await {
        Ok(Ok([])) => Err(trouble::ENDED_AT_ONCE.into()),
        Ok(Err(error)) => Err(trouble::describe_early_end(&error, server).into()),
        // The server has sent its first bytes, or waits for ours.
        Ok(Ok(_)) | Err(_) => Ok(stream),
    }
}
