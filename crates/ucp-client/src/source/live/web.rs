//! Requests to HTTP APIs that are not Kubernetes', such as those of forges: with the TLS, proxy and trace code of the
//! clients of clusters. Redirects are not followed, so that a credential stays with its server.

use std::time::Duration;

use anyhow::anyhow;
use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode, Uri};
use http_body_util::{BodyExt as _, Limited};
use kube::Config;
use kube::client::Body;

use super::client;
use super::trace::TraceLayer;
use super::trouble;
use crate::source::addresses::ForbiddenAddresses;
use crate::source::proxy;
use ucp_core::error::{Error, Result};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::secrecy::scrub;

/// Time limit of one request, with its response.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time limit for opening a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Largest response in bytes. A page of pull requests has less than one megabyte.
const LARGEST: usize = 16 << 20;

/// A client of one server.
pub struct WebClient {
    client: kube::Client,
    server: String,
    largest: usize,
}

/// A response.
#[derive(Debug, Clone)]
pub struct WebResponse {
    /// The status.
    pub status: StatusCode,
    /// The body.
    pub body: Bytes,
    /// `Retry-After` in seconds, if the server sent it.
    pub retry_after: Option<u64>,
    /// The headers.
    pub headers: HeaderMap,
}

impl WebClient {
    /// Creates a client for a URL without a path; no connection is opened yet. It must be called inside of the runtime.
    ///
    /// # Errors
    /// Fails when the URL or the proxy of the environment is invalid, or the certificates of the system cannot be read.
    pub fn connect(server: &str) -> Result<Self> {
        let url: Uri = server.parse().map_err(|_| Error::usage(format!("{} is not a URL", scrub(server))))?;
        let mut config = Config::new(url.clone());
        config.connect_timeout = Some(CONNECT);
        config.read_timeout = Some(PATIENCE);
        config.default_retry = false;
        let scheme = url.scheme_str().unwrap_or("https");
        let port = url.port_u16().unwrap_or(if scheme == "https" { 443 } else { 80 });
        let variable = |name: &str| std::env::var(name).ok();
        config.proxy_url = proxy::from_environment(scheme, url.host().unwrap_or_default(), port, variable)
            .map(|proxy| proxy.parse().map_err(|_| anyhow!("the proxy for {} is not a URL", scrub(server))))
            .transpose()?;
        let client = client::build(&config, &ForbiddenAddresses::new(), &TraceLayer::new(server))
            .map_err(|error| anyhow!(error))?;
        Ok(Self { client, server: server.to_owned(), largest: LARGEST })
    }

    /// Allows responses of this size in bytes, instead of 16 MiB.
    #[must_use]
    pub fn with_largest_response(self, largest: usize) -> Self {
        Self { largest, ..self }
    }

    /// Sends a request, whose URI is a path, and returns the response, whatever its status is.
    ///
    /// # Errors
    /// Fails with the reason when there is no response in time, or it is too large.
    pub async fn send(&self, request: Request<Vec<u8>>) -> Result<WebResponse, Failure> {
        let exchange = async {
            let response = self.client.send(request.map(Body::from)).await.map_err(|error| trouble::explain(&error))?;
            let (head, body) = response.into_parts();
            let body = Limited::new(body, self.largest).collect().await.map_err(|error| error.to_string())?;
            let retry_after = head.headers.get(http::header::RETRY_AFTER);
            let retry_after = retry_after.and_then(|value| value.to_str().ok()?.trim().parse().ok());
            Ok(WebResponse { status: head.status, body: body.to_bytes(), retry_after, headers: head.headers })
        };
        let answer: Result<WebResponse, Failure> = match tokio::time::timeout(PATIENCE, exchange).await {
            Ok(answer) => answer,
            Err(_) => fail!("no response within {} seconds", PATIENCE.as_secs()),
        };
        answer.map_err(|reason| scrub(&format!("{}: {reason}", self.server)).into_owned().into())
    }
}
