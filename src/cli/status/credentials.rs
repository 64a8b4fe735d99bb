//! Points to `doctor` for the credentials of provider configs: they are in Secrets, which `status` does not read.

use std::collections::BTreeSet;
use std::path::Path;

use crate::cli::Context;
use crate::render::words::join_limited;
use crate::report::command::command_at;
use ucp_client::source::{self, Query};
use ucp_core::model::body::{Body, BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;
use ucp_core::model::text::one_line;

/// The maximum number of Secrets that are named.
const NAMED: usize = 3;

/// Returns a hint if provider configs take credentials from Secrets: the Secrets that are not in the snapshot, or
/// otherwise that they are not checked.
pub(super) fn unchecked_credentials(context: &Context, state: &ClusterState) -> Option<String> {
    let wanted: BTreeSet<String> = state.resources.iter().flat_map(credential_secrets).collect();
    if wanted.is_empty() {
        return None;
    }
    let present = secrets_of_snapshot(context);
    let missing: Vec<&String> =
        present.iter().flat_map(|present| wanted.iter().filter(move |name| !present.contains(*name))).collect();
    let command = command_at("kubectl ucp doctor --only credentials", &state.origin);
    let hint = match missing.as_slice() {
        [] => {
            let wanted: Vec<&String> = wanted.iter().collect();
            let secrets = join_limited(&wanted, NAMED);
            format!("the credentials of provider configs are not checked (Secret {secrets}): run {command}")
        }
        missing => {
            let secrets = join_limited(missing, NAMED);
            format!("the snapshot does not have the credentials of provider configs (Secret {secrets}): run {command}")
        }
    };
    Some(one_line(&hint))
}

/// Returns the Secrets that a provider config refers to, as `namespace/name`.
fn credential_secrets(config: &Resource) -> Vec<String> {
    let Body::ProviderConfig(body) = &config.body else { return Vec::new() };
    let own = config.metadata.namespace.as_deref();
    let name = |namespace: Option<&str>, name: &str| format!("{}/{name}", namespace.unwrap_or_default());
    body.secrets.iter().map(|secret| name(secret.namespace.as_deref().or(own), &secret.name)).collect()
}

/// Returns the names of the Secrets in a snapshot, as `namespace/name`; `None` for a cluster, for standard input, and
/// if the snapshot has no Secrets at all.
fn secrets_of_snapshot(context: &Context) -> Option<BTreeSet<String>> {
    let connection = &context.globals.connection;
    connection.from.as_deref().filter(|path| *path != Path::new("-"))?;
    let want = |kind: &ResourceKind| {
        let is_secret = kind.group.is_empty() && kind.kind == "Secret";
        is_secret.then(|| KindRequest::all(BodyShape::Metadata))
    };
    let state = source::read(connection, &Query { want: &want, namespace: None, progress: &|_, _| {} }).ok()?;
    let name = |secret: &Resource| {
        format!("{}/{}", secret.metadata.namespace.as_deref().unwrap_or_default(), secret.metadata.name)
    };
    state.has_read("", "Secret").then(|| state.resources.iter().map(name).collect())
}
