//! More addresses of one server, for tests with many clusters.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

use super::Cluster;

/// Addresses on loopback that lead to one API server, byte by byte, until they are dropped.
#[derive(Debug)]
pub struct Addresses {
    servers: Vec<String>,
    // Held for its end.
    _runtime: Runtime,
}

impl Addresses {
    /// Opens some; each connection waits a while before it leads on.
    pub fn of(cluster: &Cluster, count: usize, delay: Duration) -> Self {
        let target: SocketAddr = cluster.server().trim_start_matches("https://").parse().expect("an address");
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let servers = (0..count)
            .map(|_| {
                let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
                listener.set_nonblocking(true).expect("a listener that does not block");
                let address = listener.local_addr().expect("an address");
                runtime.spawn(async move {
                    let listener = TcpListener::from_std(listener).expect("a listener");
                    while let Ok((mut client, _)) = listener.accept().await {
                        tokio::spawn(async move {
                            tokio::time::sleep(delay).await;
                            let mut server = TcpStream::connect(target).await?;
                            copy_bidirectional(&mut client, &mut server).await
                        });
                    }
                });
                format!("https://{address}")
            })
            .collect();
        Self { servers, _runtime: runtime }
    }

    /// Their URLs.
    pub fn servers(&self) -> &[String] {
        &self.servers
    }
}
