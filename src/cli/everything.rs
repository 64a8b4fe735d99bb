//! What some command or other reads.

use crate::doctor;
use crate::drift::orphans;
use crate::engine;
use crate::model::body::{Shape, Want};
use crate::model::kind::ResourceKind;

/// Groups whose objects are tokens by name.
const TOKENS: [&str; 1] = ["oauth.openshift.io"];

/// What to read of a kind, so that every command finds what it needs: all but what only Kubernetes itself writes.
pub(super) fn want(kind: &ResourceKind) -> Option<Want> {
    if kind.group.is_empty() && kind.kind == "Event" {
        return Some(Want::all(Shape::Event));
    }
    if TOKENS.contains(&kind.group.as_str()) {
        return None;
    }
    match engine::want(kind) {
        // An engine may look further than `-n`.
        Some(want) => Some(Want { shape: Shape::Conditions, ..want }),
        None => engine::any::want(kind)
            .or_else(|| orphans::want(kind))
            .or_else(|| doctor::want(kind))
            .map(|_| Want::all(Shape::Conditions)),
    }
}
