//! Points to `doctor` for the credentials of provider configs: they are in Secrets, which `status` does not read.

use std::collections::BTreeSet;

use crate::render::words::join_limited;
use crate::report::command::command_at;
use ucp_core::model::body::{Body, BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, Origin};
use ucp_core::model::text::one_line;

/// The maximum number of Secrets that are named.
const NAMED: usize = 3;

/// Returns the request for the names of Secrets, if a kind is that.
pub(super) fn want_names(kind: &ResourceKind) -> Option<KindRequest> {
    is_secret(kind).then(|| KindRequest::all(BodyShape::Metadata))
}

fn is_secret(kind: &ResourceKind) -> bool {
    kind.group.is_empty() && kind.kind == "Secret"
}

/// Takes the Secrets out of the state of a snapshot, which is judged without them. Returns their names as
/// `namespace/name`; `None` for a cluster, and if the snapshot has no Secrets at all.
pub(super) fn take_secret_names(state: &mut ClusterState) -> Option<BTreeSet<String>> {
    if !matches!(state.origin, Origin::Snapshot { .. }) {
        return None;
    }
    let has_secrets = state.has_read("", "Secret");
    let names = state
        .resources
        .extract_if(.., |resource| is_secret(&resource.kind))
        .map(|secret| format!("{}/{}", secret.metadata.namespace.as_deref().unwrap_or_default(), secret.metadata.name));
    let names = names.collect();
    state.kinds.retain(|kind| !is_secret(kind));
    state.unreadable.retain(|entry| entry.what != "secrets");
    has_secrets.then_some(names)
}

/// Returns a hint if provider configs take credentials from Secrets: the Secrets that are not in the snapshot, or
/// otherwise that they are not checked.
pub(super) fn unchecked_credentials(state: &ClusterState, present: Option<&BTreeSet<String>>) -> Option<String> {
    let wanted: BTreeSet<String> = state.resources.iter().flat_map(credential_secrets).collect();
    if wanted.is_empty() {
        return None;
    }
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
