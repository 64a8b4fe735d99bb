//! Comparison of connection Secrets on the core cluster with their copies in app clusters: sources, declarations, and
//! uses, without exposing values.

pub mod app;
mod applied;
mod authority;
mod collision;
mod core_secrets;
pub mod credentials;
pub mod declare;
mod established;
pub mod fingerprint;
pub mod grounds;
mod guarded;
pub mod intent;
mod judge;
pub mod links;
pub mod live;
pub mod mark;
pub mod protected;
mod provider_config;
pub mod rights;
pub mod secret;
pub mod snapshot;
pub mod source;
mod state;
mod survey;
pub mod sync;

use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;

use ucp_core::engine::crossplane::{CrossplaneRole, role};

pub use core_secrets::CoreSecrets;
pub use intent::{DeclarationKind, Declarer};
pub use state::CopyState;
pub use survey::{CopyRow, SourceOrigin, survey};

/// Returns the query for a kind of the core cluster, in addition to the kinds that identify app clusters.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    let whole = |shape| Some(KindRequest::whole(shape));
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Secret") => return whole(BodyShape::Secret),
        ("", "Namespace") => return Some(KindRequest::all(BodyShape::Metadata)),
        _ => {}
    }
    if let Some(want) = intent::want(kind) {
        return Some(want);
    }
    match role(kind) {
        Some(CrossplaneRole::ProviderConfig) => whole(BodyShape::Conditions),
        // Objects that are clusters are read as clusters.
        Some(CrossplaneRole::Managed | CrossplaneRole::Composite | CrossplaneRole::Claim)
            if !crate::adopt::provisioner::is_cluster(kind) =>
        {
            Some(KindRequest::all(BodyShape::Crossplane))
        }
        _ => None,
    }
}

/// Returns the query for a kind as [`want`] does, with the objects that show which Secrets are never copied.
pub fn want_for_copies(kind: &ResourceKind) -> Option<KindRequest> {
    credentials::want(kind).or_else(|| want(kind))
}

/// Returns the query for a kind as [`want_for_copies`] does, with the definitions that prove that nothing else declares copies.
pub fn want_for_deletion(kind: &ResourceKind) -> Option<KindRequest> {
    let is_definition = (kind.group.as_str(), kind.kind.as_str()) == grounds::DEFINITIONS;
    if is_definition { Some(KindRequest::all(BodyShape::Metadata)) } else { want_for_copies(kind) }
}
