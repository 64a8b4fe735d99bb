//! The kinds that at least one command reads.

use ucp_core::engine;
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_features::drift::orphans;
use ucp_features::{doctor, history};

/// API groups in which object names are tokens.
const TOKENS: [&str; 1] = ["oauth.openshift.io"];

/// Returns a read request for a kind that is sufficient for every command. Includes all kinds except those that only
/// Kubernetes itself writes.
pub(super) fn want(kind: &ResourceKind) -> Option<KindRequest> {
    if kind.group.is_empty() && kind.kind == "Event" {
        return Some(KindRequest::all(BodyShape::AnyEvent));
    }
    // The Events of the other group are the same objects.
    if kind.is_event() || TOKENS.contains(&kind.group.as_str()) {
        return None;
    }
    match engine::want(kind) {
        // An engine may read beyond `-n`.
        Some(want) => Some(KindRequest { shape: BodyShape::Conditions, ..want }),
        None => {
            let is_wanted =
                engine::any::want(kind).or_else(|| orphans::want(kind)).or_else(|| doctor::want(kind)).is_some();
            (is_wanted || history::explains_others(kind)).then(|| KindRequest::all(BodyShape::Conditions))
        }
    }
}
