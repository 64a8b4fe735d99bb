//! Connections to one server, and which one a request takes.

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

use super::spare::Spare;
use super::under_way::{Answer, Load, UnderWay};

/// Requests on one connection from which on another one is opened beside it, so that one window, one lost packet and one
/// goroutine of the server's do not hold up all of them.
const COMFORTABLE: usize = 50;
/// Connections that are opened for comfort. Further ones are opened where all are full.
const USUAL: usize = 4;
/// A connection that is silent for so long is asked whether it still lives.
const SILENCE: Duration = Duration::from_secs(20);
/// How often a request at which the server did not look is given to another connection. Where hundreds are under way and
/// the server ends a connection after fifty of them (`--goaway-chance=0.02`, the most that there is), one may be unlucky a
/// few times in a row.
const ATTEMPTS: usize = 16;

/// A client of one server, which opens connections as it needs them.
pub(super) struct Connections<C: Service<Uri>> {
    server: Uri,
    connector: C,
    http1: Http1<C>,
    pool: Arc<Mutex<Pool>>,
}

type Http1<C> = (Spare<C, <C as Service<Uri>>::Response>, Client<Spare<C, <C as Service<Uri>>::Response>, Body>);

#[derive(Default)]
struct Pool {
    protocol: Protocol,
    members: Vec<Member>,
    /// The connection that is being opened.
    opening: Option<Opening>,
}

/// What the server speaks.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Protocol {
    /// HTTP/2, or nobody knows yet.
    #[default]
    Http2,
    /// The server chose HTTP/1.1.
    Http1,
}

/// An HTTP/2 connection.
struct Member {
    sender: SendRequest<Body>,
    load: Load,
    /// Requests that the server takes at a time: its SETTINGS_MAX_CONCURRENT_STREAMS.
    room: Arc<AtomicUsize>,
}

impl Member {
    fn has_room(&self) -> bool {
        self.load.get() < self.room.load(Ordering::Relaxed)
    }
}

/// Everybody who waits for a connection waits for the same one, and hears the same error.
type Opening = Shared<BoxFuture<'static, Result<(), CannotConnect>>>;

/// Where a request goes.
enum Lane {
    Http2(SendRequest<Body>, UnderWay),
    Http1,
}

/// Why no connection came about, told to all who waited for it.
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

impl Pool {
    /// Of the connections that live and have room, the one with the fewest requests under way.
    fn idlest(&mut self) -> Option<&Member> {
        self.members.retain(|member| !member.sender.is_closed());
        self.members.iter().filter(|member| member.has_room()).min_by_key(|member| member.load.get())
    }
}

fn lock(pool: &Mutex<Pool>) -> MutexGuard<'_, Pool> {
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
    /// Nothing is opened yet. `http1` offers HTTP/1.1 alone, for servers that choose it.
    pub(super) fn over(server: Uri, connector: C, http1: C) -> Self {
        let spare = Spare::new(http1);
        let client = legacy::Builder::new(TokioExecutor::new()).pool_timer(TokioTimer::new()).build(spare.clone());
        Self { server, connector, http1: (spare, client), pool: Arc::default() }
    }

    async fn send(self, mut request: Request<Body>) -> Result<Response<Answer>, BoxError> {
        // What turns into a stream of its own, as a port-forward does, only HTTP/1.1 has for WebSockets.
        let is_upgrade = request.headers().contains_key(http::header::UPGRADE);
        for attempt in 1.. {
            if is_upgrade {
                break;
            }
            let (mut sender, under_way) = match self.lane().await? {
                Lane::Http2(sender, under_way) => (sender, under_way),
                Lane::Http1 => break,
            };
            let (head, body) = request.into_parts();
            let copy = body.try_clone().map(|body| Request::from_parts(head.clone(), body));
            match sender.try_send_request(Request::from_parts(head, body)).await {
                Ok(response) => return Ok(response.map(|body| Answer::new(body, Some(under_way)))),
                // The server closes a connection now and then (GOAWAY). What it did not see goes over another one.
                Err(mut error) => {
                    let unseen = error.take_message().or_else(|| copy.filter(|_| was_not_looked_at(error.error())));
                    match unseen {
                        Some(unseen) if attempt < ATTEMPTS => request = unseen,
                        _ => return Err(error.into_error().into()),
                    }
                }
            }
        }
        let response = self.http1.1.request(request).await?;
        Ok(response.map(|body| Answer::new(body, None)))
    }

    /// Where the next request goes; opens a connection where there is none with room.
    async fn lane(&self) -> Result<Lane, CannotConnect> {
        loop {
            let opening = {
                let mut pool = lock(&self.pool);
                if pool.protocol == Protocol::Http1 {
                    return Ok(Lane::Http1);
                }
                if let Some(Member { sender, load, .. }) = pool.idlest() {
                    let (sender, others, under_way) = (sender.clone(), load.get(), load.begin());
                    if others >= COMFORTABLE && pool.members.len() < USUAL {
                        // The next ones will find it.
                        drop(self.open(&mut pool));
                    }
                    return Ok(Lane::Http2(sender, under_way));
                }
                self.open(&mut pool)
            };
            opening.await?;
        }
    }

    /// Opens a connection, unless one is being opened.
    fn open(&self, pool: &mut Pool) -> Opening {
        if let Some(opening) = &pool.opening {
            return opening.clone();
        }
        let (client, shared) = (self.clone(), Arc::clone(&self.pool));
        // A task of its own: whoever asked for it may give up, and others wait for it as well.
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

    /// A new connection; `None` where the server chose HTTP/1.1.
    async fn connect(&self) -> Result<Option<Member>, BoxError> {
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
        // How it ends is told to each request that was under way on it.
        tokio::spawn(std::future::poll_fn(move |context| {
            let end = connection.poll_unpin(context).map(drop);
            // A server that takes none has not said so for good.
            learnt.store(connection.current_max_send_streams().max(1), Ordering::Relaxed);
            end
        }));
        Ok(Some(Member { sender, load: Load::default(), room }))
    }
}

/// Whether the server says that it did nothing about a request, so that even one that changes something may be sent again:
/// it came after the last one that the server looked at before it ended the connection, or was refused alone (RFC 9113,
/// 8.7). h2 tells the former of no other request.
fn was_not_looked_at(error: &hyper::Error) -> bool {
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
    type Response = Response<Answer>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        self.clone().send(request).boxed()
    }
}
