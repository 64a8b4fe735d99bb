//! HTTP connections to one server, and their selection for requests.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use http::{Request, Response, Uri};
use hyper::client::conn::http2::{self, SendRequest};
use hyper::rt::{Read, Write};
use hyper_util::client::legacy::connect::Connection;
use hyper_util::client::legacy::{self, Client};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use kube::client::Body;
use tower::{BoxError, Service, ServiceExt as _};

use super::spare::SpareConnector;
use super::under_way::{RequestCount, RequestGuard, TrackedBody};

/// Requests on one connection above which a further one is opened, so that a flow-control window, a lost packet, or a
/// goroutine of the server does not delay all requests.
const COMFORTABLE: usize = 50;
/// Connections that are opened for this reason. Further ones are only opened if all are full.
const USUAL: usize = 4;
/// Interval of keep-alive pings on idle connections, and their timeout.
const SILENCE: Duration = Duration::from_secs(20);
/// Connections that are tried for a request that the server did not process. With hundreds of requests, and a server
/// that closes a connection after fifty of them (the maximum, `--goaway-chance=0.02`), a request may fail a few times
/// in a row.
const ATTEMPTS: usize = 16;

/// A client of one server, which opens connections as needed.
pub(super) struct Connections<C: Service<Uri>> {
    server: Uri,
    connector: C,
    http1: Http1<C>,
    pool: Arc<Mutex<ConnectionPool>>,
}

type Http1<C> =
    (SpareConnector<C, <C as Service<Uri>>::Response>, Client<SpareConnector<C, <C as Service<Uri>>::Response>, Body>);

#[derive(Default)]
struct ConnectionPool {
    protocol: Protocol,
    members: Vec<Http2Connection>,
    /// The connection that is being opened.
    opening: Option<Opening>,
}

/// The protocol of the server.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Protocol {
    /// HTTP/2, or not known yet.
    #[default]
    Http2,
    /// The server chose HTTP/1.1.
    Http1,
}

/// An HTTP/2 connection.
struct Http2Connection {
    sender: SendRequest<Body>,
    load: RequestCount,
    /// The server's limit for concurrent requests: its SETTINGS_MAX_CONCURRENT_STREAMS.
    room: Arc<AtomicUsize>,
}

impl Http2Connection {
    fn has_room(&self) -> bool {
        self.load.get() < self.room.load(Ordering::Relaxed)
    }
}

/// The opening of a connection, shared by all requests that wait for it, which get the same error.
type Opening = Shared<BoxFuture<'static, Result<(), CannotConnect>>>;

/// The connection for a request.
enum SelectedConnection {
    Http2(SendRequest<Body>, RequestGuard),
    Http1,
}

/// The reason why no connection could be opened, shared by all requests that waited for it.
#[derive(Debug, Clone)]
struct CannotConnect(Arc<BoxError>);

impl fmt::Display for CannotConnect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl std::error::Error for CannotConnect {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&**self.0)
    }
}

impl ConnectionPool {
    /// Returns the open connection with the fewest requests under way, among those below their limit.
    fn idlest(&mut self) -> Option<&Http2Connection> {
        self.members.retain(|member| !member.sender.is_closed());
        self.members.iter().filter(|member| member.has_room()).min_by_key(|member| member.load.get())
    }
}

fn lock(pool: &Mutex<ConnectionPool>) -> MutexGuard<'_, ConnectionPool> {
    pool.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<C: Service<Uri> + Clone> Clone for Connections<C> {
    fn clone(&self) -> Self {
        Self {
            server: self.server.clone(),
            connector: self.connector.clone(),
            http1: self.http1.clone(),
            pool: Arc::clone(&self.pool),
        }
    }
}

impl<C> Connections<C>
where
    C: Service<Uri> + Clone + Send + Sync + 'static,
    C::Response: Connection + Read + Write + Send + Unpin + 'static,
    C::Future: Send + Unpin + 'static,
    C::Error: Into<BoxError>,
{
    /// Creates a client; no connection is opened yet. `http1` only offers HTTP/1.1, for servers that select it.
    pub(super) fn over(server: Uri, connector: C, http1: C) -> Self {
        let spare = SpareConnector::new(http1);
        let client = legacy::Builder::new(TokioExecutor::new()).pool_timer(TokioTimer::new()).build(spare.clone());
        Self { server, connector, http1: (spare, client), pool: Arc::default() }
    }

    async fn send(self, mut request: Request<Body>) -> Result<Response<TrackedBody>, BoxError> {
        // Upgrades to WebSockets, as for a port-forward, only exist in HTTP/1.1.
        let is_upgrade = request.headers().contains_key(http::header::UPGRADE);
        for attempt in 1.. {
            if is_upgrade {
                break;
            }
            let (mut sender, under_way) = match self.select_connection().await? {
                SelectedConnection::Http2(sender, under_way) => (sender, under_way),
                SelectedConnection::Http1 => break,
            };
            let (head, body) = request.into_parts();
            let copy = body.try_clone().map(|body| Request::from_parts(head.clone(), body));
            match sender.try_send_request(Request::from_parts(head, body)).await {
                Ok(response) => return Ok(response.map(|body| TrackedBody::new(body, Some(under_way)))),
                // The server closes a connection from time to time (GOAWAY). Requests it did not process are sent over
                // another one.
                Err(mut error) => {
                    let unseen = error.take_message().or_else(|| copy.filter(|_| was_not_processed(error.error())));
                    match unseen {
                        Some(unseen) if attempt < ATTEMPTS => request = unseen,
                        _ => return Err(error.into_error().into()),
                    }
                }
            }
        }
        let response = self.http1.1.request(request).await?;
        Ok(response.map(|body| TrackedBody::new(body, None)))
    }

    /// Returns the connection for the next request; opens one if all are full.
    async fn select_connection(&self) -> Result<SelectedConnection, CannotConnect> {
        loop {
            let opening = {
                let mut pool = lock(&self.pool);
                if pool.protocol == Protocol::Http1 {
                    return Ok(SelectedConnection::Http1);
                }
                if let Some(Http2Connection { sender, load, .. }) = pool.idlest() {
                    let (sender, others, under_way) = (sender.clone(), load.get(), load.begin());
                    if others >= COMFORTABLE && pool.members.len() < USUAL {
                        // It is used by later requests.
                        drop(self.open(&mut pool));
                    }
                    return Ok(SelectedConnection::Http2(sender, under_way));
                }
                self.open(&mut pool)
            };
            opening.await?;
        }
    }

    /// Opens a connection, unless one is being opened.
    fn open(&self, pool: &mut ConnectionPool) -> Opening {
        if let Some(opening) = &pool.opening {
            return opening.clone();
        }
        let (client, shared) = (self.clone(), Arc::clone(&self.pool));
        // In its own task, since the request that needs it may be canceled while others wait for it.
        let task = tokio::spawn(async move {
            let opened = client.connect().await;
            let mut pool = lock(&shared);
            pool.opening = None;
            match opened? {
                Some(member) => pool.members.push(member),
                None => pool.protocol = Protocol::Http1,
            }
            Ok(())
        });
        let opening = async move {
            let opened: Result<(), BoxError> = task.await.unwrap_or_else(|error| Err(error.into()));
            opened.map_err(|error| CannotConnect(Arc::new(error)))
        };
        let opening = opening.boxed().shared();
        pool.opening = Some(opening.clone());
        opening
    }

    /// Opens a connection; `None` if the server selected HTTP/1.1.
    async fn connect(&self) -> Result<Option<Http2Connection>, BoxError> {
        let stream = self.connector.clone().oneshot(self.server.clone()).await.map_err(Into::into)?;
        if !stream.connected().is_negotiated_h2() {
            self.http1.0.put(stream);
            return Ok(None);
        }
        let (sender, connection) = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .keep_alive_interval(SILENCE)
            .keep_alive_timeout(SILENCE)
            .handshake(stream)
            .await?;
        let room = Arc::new(AtomicUsize::new(connection.current_max_send_streams()));
        let (learnt, mut connection) = (Arc::clone(&room), connection);
        // Each request under way on the connection receives its error.
        tokio::spawn(std::future::poll_fn(move |context| {
            let end = connection.poll_unpin(context).map(drop);
            // A limit of zero is temporary.
            learnt.store(connection.current_max_send_streams().max(1), Ordering::Relaxed);
            end
        }));
        Ok(Some(Http2Connection { sender, load: RequestCount::default(), room }))
    }
}

/// Returns true if the server reports that it did not process a request, so that even one that makes changes can be
/// sent again: it came after the last request that was processed before GOAWAY, or was refused by itself (RFC 9113,
/// 8.7). h2 reports a GOAWAY with NO_ERROR for no other requests.
fn was_not_processed(error: &hyper::Error) -> bool {
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<h2::Error>());
    cause.is_some_and(|cause| {
        let reason = cause.reason();
        let is_of_many = cause.is_go_away() && reason == Some(h2::Reason::NO_ERROR);
        let is_alone = cause.is_reset() && reason == Some(h2::Reason::REFUSED_STREAM);
        cause.is_remote() && (is_of_many || is_alone)
    })
}

impl<C> Service<Request<Body>> for Connections<C>
where
    C: Service<Uri> + Clone + Send + Sync + 'static,
    C::Response: Connection + Read + Write + Send + Unpin + 'static,
    C::Future: Send + Unpin + 'static,
    C::Error: Into<BoxError>,
{
    type Response = Response<TrackedBody>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        self.clone().send(request).boxed()
    }
}
