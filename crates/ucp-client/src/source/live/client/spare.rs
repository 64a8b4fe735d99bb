//! A connector that reuses an open connection.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::Uri;
use tower::{BoxError, Service};

/// A connector whose first connection is already open: the one on which the server selected HTTP/1.1.
pub(super) struct SpareConnector<C, T> {
    connector: C,
    connection: Arc<Mutex<Option<T>>>,
}

impl<C: Clone, T> Clone for SpareConnector<C, T> {
    fn clone(&self) -> Self {
        Self { connector: self.connector.clone(), connection: Arc::clone(&self.connection) }
    }
}

impl<C, T> SpareConnector<C, T> {
    pub(super) fn new(connector: C) -> Self {
        Self { connector, connection: Arc::default() }
    }

    /// Sets the connection to return next.
    pub(super) fn put(&self, connection: T) {
        *self.connection.lock().unwrap_or_else(PoisonError::into_inner) = Some(connection);
    }
}

impl<C, T> Service<Uri> for SpareConnector<C, T>
where
    C: Service<Uri, Response = T>,
    C::Error: Into<BoxError>,
    C::Future: Send + 'static,
    T: Send + 'static,
{
    type Response = T;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<T, BoxError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.connector.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, server: Uri) -> Self::Future {
        if let Some(connection) = self.connection.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return futures::future::ready(Ok(connection)).boxed();
        }
        self.connector.call(server).map(|opened| opened.map_err(Into::into)).boxed()
    }
}
