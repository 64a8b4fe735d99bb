//! The part of a kubelet that leads a port-forward to a port of a pod: WebSockets with a channel for data and one for
//! errors, as the CRI's streaming code has it (`k8s.io/kubelet/pkg/cri/streaming/portforward`).

use std::net::SocketAddr;

use futures::{SinkExt as _, StreamExt as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};

use super::Cluster;
use super::proxy::acceptor;

/// Leads every pod's every port to one address on loopback, until it is dropped.
pub struct Kubelet {
    address: SocketAddr,
    _runtime: tokio::runtime::Runtime,
}

impl Kubelet {
    /// Starts one.
    pub fn start(cluster: &Cluster, leads_to: &str) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
        let address = listener.local_addr().expect("an address");
        let (tls, leads_to) = (acceptor(cluster).expect("a certificate"), leads_to.to_owned());
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(forward(tls.clone(), stream, leads_to.clone()));
            }
        });
        Self { address, _runtime: runtime }
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }
}

async fn forward(tls: TlsAcceptor, stream: TcpStream, leads_to: String) {
    let Ok(stream) = tls.accept(stream).await else { return };
    let mut port = None;
    #[allow(clippy::result_large_err, reason = "the type is the library's")]
    let agree = |request: &Request, mut response: Response| {
        let query = request.uri().query().unwrap_or_default();
        port = query.split('&').find_map(|pair| pair.split_once('=')?.1.parse::<u16>().ok());
        if let Some(offered) = request.headers().get("sec-websocket-protocol").and_then(|value| value.to_str().ok()) {
            let first = offered.split(',').next().unwrap_or_default().trim();
            response.headers_mut().insert("sec-websocket-protocol", first.parse().expect("a header"));
        }
        Ok(response)
    };
    let Ok(mut socket) = tokio_tungstenite::accept_hdr_async(stream, agree).await else { return };
    let [low, high] = port.unwrap_or_default().to_le_bytes();
    for channel in [0, 1] {
        if socket.send(Message::binary(vec![channel, low, high])).await.is_err() {
            return;
        }
    }
    let mut pod = match TcpStream::connect(&leads_to).await {
        Ok(pod) => pod,
        Err(error) => {
            // Words are lost where the client writes behind the end (kube's forwarder gives up then), or where the
            // connection is closed with something unread in it (it is reset then).
            let _hello = socket.next().await;
            let words = format!("error forwarding port: {error}");
            let _ = socket.send(Message::binary([&[1], words.as_bytes()].concat())).await;
            let _ = socket.close(None).await;
            while let Some(Ok(_)) = socket.next().await {}
            return;
        }
    };
    let mut buffer = vec![0; 16 * 1024];
    loop {
        tokio::select! {
            read = pod.read(&mut buffer) => match read {
                Ok(0) | Err(_) => return,
                Ok(length) => {
                    if socket.send(Message::binary([&[0], &buffer[..length]].concat())).await.is_err() {
                        return;
                    }
                }
            },
            message = socket.next() => match message {
                Some(Ok(Message::Binary(frame))) if frame.first() == Some(&0) => {
                    if pod.write_all(&frame[1..]).await.is_err() {
                        return;
                    }
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {}
            },
        }
    }
}
