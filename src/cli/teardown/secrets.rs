//! Secrets of provider configs and of clusters, requested by name: their keys, and the values that identify a cluster.

use std::collections::BTreeSet;

use futures::StreamExt as _;

use crate::cli::Context;
use ucp_client::source::live::api::Api;
use ucp_client::source::live::write::ObjectPath;
use ucp_client::source::{kubeconfig, live};
use ucp_core::error::Result;
use ucp_core::failure::Failure;
use ucp_core::model::body::secret::Secret;
use ucp_core::model::object::ObjectName;
use ucp_features::teardown::RequestedCredentials;

/// The maximum number of concurrent requests.
const CONCURRENT: usize = 8;

/// Requests Secrets from a live cluster. From a snapshot, all of them were read.
///
/// # Errors
/// Fails when no connection is configured.
pub(super) fn request_credentials(context: &Context, secrets: BTreeSet<ObjectName>) -> Result<RequestedCredentials> {
    let connection = &context.globals.connection;
    if secrets.is_empty() || connection.from.is_some() {
        return Ok(RequestedCredentials::default());
    }
    live::runtime()?.block_on(async {
        let api = Api::connect(&kubeconfig::load(connection)?, connection.request_timeout)?;
        let api = &api;
        let asked = futures::stream::iter(secrets)
            .filter_map(|name| async move { Some((ObjectPath::from_object_name(&name)?, name)) })
            .map(|(path, name)| async move {
                let found = match api.read_object(&path).await {
                    Ok(Some(object)) => {
                        Secret::read(&object).map(Some).map_err(|_| Failure::from("the answer is not a Secret"))
                    }
                    Ok(None) => Ok(None),
                    Err(error) => Err(Failure::from(error.to_string())),
                };
                (name, found)
            })
            .buffer_unordered(CONCURRENT);
        Ok(RequestedCredentials(asked.collect().await))
    })
}
