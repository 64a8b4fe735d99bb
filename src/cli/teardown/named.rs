//! Finds the objects that a teardown names.

use std::sync::atomic::AtomicBool;

use crate::cli::Context;
use crate::cli::naming::{NamedObject, PASS_KIND, with_other_namespaces};
use crate::cli::sought::{SearchResult, unread_entry_for};
use crate::render::words;
use ucp_core::error::{Error, Result};
use ucp_core::graph::NodeId;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::nearest::did_you_mean_name;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, Origin};
use ucp_features::teardown;

/// An object as the user or a plan names it.
pub(super) struct TeardownObjectName {
    pub(super) named: NamedObject,
    pub(super) text: String,
    /// The object itself, where a plan names it.
    object: Option<ObjectName>,
    /// True if a source has it.
    pub(super) is_there: AtomicBool,
}

impl TeardownObjectName {
    pub(super) fn from_words(named: NamedObject) -> Self {
        Self { text: named.shown(), named, object: None, is_there: AtomicBool::new(false) }
    }

    pub(super) fn exact(object: &ObjectName) -> Self {
        let kind = match object.group() {
            "" => object.kind.to_ascii_lowercase(),
            group => format!("{}.{group}", object.kind.to_ascii_lowercase()),
        };
        Self {
            named: NamedObject { kind: Some(kind), name: object.name.clone() },
            text: object.to_string(),
            object: Some(object.clone()),
            is_there: AtomicBool::new(false),
        }
    }

    /// Returns true if it may be of this kind.
    pub(super) fn may_be(&self, kind: &ResourceKind) -> bool {
        self.named.kind.as_ref().is_none_or(|word| teardown::matches_word(kind, word))
    }
}

/// Returns the one object with this name.
///
/// # Errors
/// Fails when it may be among the objects that could not be read, and with a usage error when several have the name.
pub(super) fn find_object(
    context: &Context,
    state: &ClusterState,
    named: &TeardownObjectName,
) -> Result<SearchResult<NodeId>> {
    let TeardownObjectName { text, named: NamedObject { kind, name }, .. } = named;
    let namespace = context.globals.scope.namespace.as_deref();
    let is_it = |resource: &Resource| {
        if let Some(object) = &named.object {
            return resource.key() == ObjectKey::from(object);
        }
        let own = resource.metadata.namespace.as_deref();
        named.may_be(&resource.kind)
            && resource.metadata.name == *name
            && (namespace.is_none() || own.is_none() || own == namespace)
    };
    let found: Vec<NodeId> =
        (state.resources.iter().enumerate()).filter(|(_, resource)| is_it(resource)).map(|(node, _)| node).collect();
    let absent = |error| Ok(SearchResult::Absent(error, state.moment));
    match found.as_slice() {
        [one] => Ok(SearchResult::Found(*one)),
        [] => match (unread_entry_for(state, |known| named.may_be(known)), kind) {
            (Some(entry), _) => Err(Error::failed(format!(
                "{text} does not exist in what could be read: {}: {}",
                entry.what, entry.reason
            ))),
            (None, Some(kind)) if !state.kinds.iter().any(|known| named.may_be(known)) => {
                absent(Error::absent(format!("no kind is called '{kind}'")).hint(match state.origin {
                    Origin::Cluster { .. } => "see 'kubectl api-resources'",
                    Origin::Snapshot { .. } => "the snapshot has no object of this kind",
                }))
            }
            (None, kind) => {
                let alike = || state.resources.iter().filter(|resource| named.may_be(&resource.kind));
                let meant = did_you_mean_name(name, alike().map(|resource| resource.metadata.name.as_str()));
                let error = Error::absent(format!("{text} does not exist{meant}"));
                let error = if kind.is_some() { error } else { error.hint(PASS_KIND) };
                absent(with_other_namespaces(error, alike().filter(|resource| resource.metadata.name == *name)))
            }
        },
        several => {
            let names: Vec<_> = several.iter().map(|node| state.resources[*node].name().to_string()).collect();
            Err(Error::usage(format!("'{text}' are {}", words::join_limited(&names, 3)))
                .hint("name one: KIND.GROUP/NAME and -n NAMESPACE"))
        }
    }
}
