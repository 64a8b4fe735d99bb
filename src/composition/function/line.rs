//! A connection to one function: gRPC over a stream, however that comes about.

use std::sync::Arc;

use http::Uri;
use http::uri::PathAndQuery;
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls_pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tonic::client::Grpc;
use tonic::codec::CompressionEncoding;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};
use tonic_prost::ProstCodec;

use crate::composition::answer::{LONGEST_MESSAGE, said};
use crate::composition::function::installed::Place;
use crate::composition::function::{Address, trouble};
use crate::composition::protocol::{RunFunctionRequest, RunFunctionResponse, V1, V1_BETA1};
use crate::prediction::cluster::Cluster;
use crate::source::live::forward::FarSide;

/// A connection to one function; clones share it.
#[derive(Debug, Clone)]
pub(super) struct Line {
    channel: Channel,
    /// What the far side of a port-forward says when it fails.
    far_side: FarSide,
}

impl Line {
    /// To a function that takes anybody.
    pub(super) async fn plain(address: &Address) -> Result<Self, String> {
        let stream = tcp(address).await?;
        Self::over(stream).await
    }

    /// To a function that proves who it is and wants the same.
    pub(super) async fn secured(address: &Address, tls: Arc<ClientConfig>, server: &str) -> Result<Self, String> {
        let stream = tcp(address).await?;
        Self::over(secure(stream, tls, server).await?).await
    }

    /// To a function in the cluster, through the API server.
    pub(super) async fn forwarded(
        cluster: &Cluster,
        place: &Place,
        pod: &str,
        tls: Arc<ClientConfig>,
    ) -> Result<Self, String> {
        let (namespace, port) = (&place.namespace, place.port);
        let at = |reason: String| format!("pod {pod} in namespace {namespace}, port {port}: {reason}");
        let (stream, far_side) =
            cluster.api.forward(namespace, pod, port).await.map_err(|error| at(error.to_string()))?;
        let line = match secure(stream, tls, &place.host).await {
            Ok(stream) => Self::over(stream).await,
            Err(reason) => Err(reason),
        };
        let line = match line {
            Ok(line) => line,
            Err(reason) => return Err(at(far_side.last_words().await.map_or(reason, said))),
        };
        Ok(Self { far_side, ..line })
    }

    async fn over<S>(stream: S) -> Result<Self, String>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let mut stream = Some(TokioIo::new(stream));
        let connector = tower::service_fn(move |_: Uri| {
            let once = stream.take().ok_or_else(|| std::io::Error::other("the connection ended"));
            std::future::ready(once)
        });
        let endpoint = Endpoint::from_static("http://function");
        let channel = endpoint.connect_with_connector(connector).await;
        let channel = channel.map_err(|error| trouble::of_transport(&error))?;
        Ok(Self { channel, far_side: FarSide::default() })
    }

    /// Asks the function; the older service where it has no other.
    pub(super) async fn ask(&self, request: &RunFunctionRequest) -> Result<RunFunctionResponse, String> {
        let failed = |status: &Status| self.far_side.said().map_or_else(|| trouble::of_answer(status), said);
        match self.call(V1, request).await {
            Err(status) if status.code() == Code::Unimplemented => match self.call(V1_BETA1, request).await {
                Err(status) if status.code() == Code::Unimplemented => {
                    Err("what listens there is no composition function: it has neither service v1 nor v1beta1"
                        .to_owned())
                }
                answer => answer.map_err(|status| failed(&status)),
            },
            answer => answer.map_err(|status| failed(&status)),
        }
    }

    async fn call(&self, service: &'static str, request: &RunFunctionRequest) -> Result<RunFunctionResponse, Status> {
        let mut client = Grpc::new(self.channel.clone())
            .accept_compressed(CompressionEncoding::Gzip)
            .max_decoding_message_size(LONGEST_MESSAGE)
            .max_encoding_message_size(usize::MAX);
        client.ready().await.map_err(|error| Status::unavailable(trouble::of_transport(&error)))?;
        let path = PathAndQuery::from_static(service);
        let codec: ProstCodec<RunFunctionRequest, RunFunctionResponse> = ProstCodec::default();
        client.unary(Request::new(request.clone()), path, codec).await.map(tonic::Response::into_inner)
    }
}

async fn tcp(address: &Address) -> Result<TcpStream, String> {
    let host = address.uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let port = address.uri.port_u16().unwrap_or_default();
    let stream = TcpStream::connect((host, port)).await;
    let stream = stream.map_err(|error| format!("{address}: {}", trouble::of_connecting(&error)))?;
    stream.set_nodelay(true).map_err(|error| error.to_string())?;
    Ok(stream)
}

async fn secure<S>(
    stream: S,
    tls: Arc<ClientConfig>,
    server: &str,
) -> Result<tokio_rustls::client::TlsStream<S>, String>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let name = ServerName::try_from(server.to_owned()).map_err(|_| format!("{server:?} is no name of a server"))?;
    TlsConnector::from(tls).connect(name, stream).await.map_err(|error| trouble::of_tls(&error, server))
}
