//! Streams to ports of pods, through the API server, as `kubectl port-forward` does.

use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use http::StatusCode;
use k8s_openapi::api::core::v1::Pod;
use kube::client::UpgradeConnectionError;
use tokio::io::{AsyncRead, AsyncWrite};

use super::api::{Api, ReadError};
use super::trouble::explain;
use ucp_core::model::request_path::RequestPath;
use ucp_core::model::secrecy::scrub;
use ucp_core::model::text::one_line;

impl Api {
    /// Opens a stream to a port of a pod, with a handle for errors of the pod's side.
    ///
    /// # Errors
    /// Fails when the server does not connect to the port.
    pub async fn forward(
        &self,
        namespace: &str,
        pod: &str,
        port: u16,
    ) -> Result<(impl AsyncRead + AsyncWrite + Send + Unpin + use<>, PortForwardErrors), ReadError> {
        // kube formats the path, so its parts are checked first.
        super::api::uri(&RequestPath::from_segments([namespace, pod]))?;
        let pods: kube::Api<Pod> = kube::Api::namespaced(self.client().clone(), namespace);
        let mut forwarder = pods.portforward(pod, &[port]).await.map_err(|error| refused(&error))?;
        let error = forwarder.take_error(port);
        let words = async move { Some(one_line(&scrub(&error?.await?))) };
        let far_side = PortForwardErrors(words.boxed().shared());
        let gone = || ReadError::Transport("the port-forward ended at once".to_owned());
        Ok((forwarder.take_stream(port).ok_or_else(gone)?, far_side))
    }
}

/// Time to wait for an error after the end of the stream, since errors have their own channel.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// The errors of the pod's side of a port-forward.
#[derive(Clone)]
pub struct PortForwardErrors(Shared<BoxFuture<'static, Option<String>>>);

impl PortForwardErrors {
    /// Returns the error after the stream has ended; `None` if there was none.
    pub async fn error_message(&self) -> Option<String> {
        tokio::time::timeout(LAST_WORDS, self.0.clone()).await.ok()?
    }
}

/// The message that the server leaves out: since Kubernetes 1.35 a stream requires the right to create it, as well as
/// to get it.
const CREATE: &str = "the user cannot create resource \"pods/portforward\" in API group \"\" (403)";

/// Converts an error of kube. A refused upgrade has no message.
fn refused(error: &kube::Error) -> ReadError {
    let transport = || ReadError::Transport(one_line(&scrub(&explain(error))));
    match error {
        kube::Error::UpgradeConnection(UpgradeConnectionError::ProtocolSwitch(status)) => match *status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                ReadError::Denied { code: status.as_u16(), message: CREATE.to_owned() }
            }
            StatusCode::NOT_FOUND => ReadError::NotFound,
            status => ReadError::Server { code: status.as_u16(), message: "the port-forward was rejected".to_owned() },
        },
        kube::Error::Api(status) if status.code == 403 => ReadError::Denied {
            code: 403,
            // For the right to create, the server only reports `pods "NAME" is forbidden: `.
            message: match status.message.is_empty() || status.message.trim_end().ends_with("is forbidden:") {
                true => CREATE.to_owned(),
                false => one_line(&scrub(&status.message)),
            },
        },
        _ => transport(),
    }
}
