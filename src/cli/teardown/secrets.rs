//! Secrets of provider configs, requested by name: whether they exist, without their values.

use std::collections::BTreeSet;

use futures::StreamExt as _;

use crate::cli::Context;
use ucp_client::source::live::api::Api;
use ucp_client::source::live::write::ObjectPath;
use ucp_client::source::{kubeconfig, live};
use ucp_core::error::Result;
use ucp_core::failure::Failure;
use ucp_core::model::object::ObjectName;
use ucp_features::teardown::{CredentialPresence, RequestedCredentials};

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
                let presence = match api.find_uid(&path).await {
                    Ok(Some(_)) => Ok(CredentialPresence::Present),
                    Ok(None) => Ok(CredentialPresence::Missing),
                    Err(error) => Err(Failure::from(error.to_string())),
                };
                (name, presence)
            })
            .buffer_unordered(CONCURRENT);
        Ok(RequestedCredentials(asked.collect().await))
    })
}
