//! Lists without objects that other objects contradict. A server that restarts, or a program in front of it, may answer with
//! an empty list, which looks complete. A request of one object by its name shows whether it is.

use std::collections::HashMap;
use std::sync::Arc;

use super::engines::links;
use crate::graph::link::LinkEnd;
use crate::model::kind::{ResourceKind, ResourceScope};
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// Maximum number of objects to request for one list.
const MOST: usize = 3;

/// An object that an empty list contains if it exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferencedAbsence {
    /// The kind of the list.
    pub kind: Arc<ResourceKind>,
    /// The object.
    pub object: ObjectName,
    /// The object that refers to it.
    pub named_by: ObjectName,
}

/// Returns objects of kinds of which no object was read, to which other objects refer. `is_whole` returns true for kinds of which
/// all objects were requested.
pub fn referenced_absences(state: &ClusterState, is_whole: impl Fn(&ResourceKind) -> bool) -> Vec<ReferencedAbsence> {
    let requested = state.kinds.iter().filter(|kind| is_whole(kind) && state.was_read(kind));
    let mut empty: HashMap<(&str, &str), &Arc<ResourceKind>> =
        requested.map(|kind| ((kind.group.as_str(), kind.kind.as_str()), kind)).collect();
    for resource in &state.resources {
        empty.remove(&(resource.kind.group.as_str(), resource.kind.kind.as_str()));
    }
    if empty.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<ReferencedAbsence> = Vec::new();
    for resource in &state.resources {
        for end in links(resource).into_iter().flat_map(|link| [link.from, link.to]) {
            let (LinkEnd::Object(name) | LinkEnd::IfRead(name)) = end else { continue };
            let Some(kind) = empty.get(&(name.group(), name.kind.as_str())).copied() else { continue };
            let count = found.iter().filter(|known| known.kind == *kind).count();
            if let Some(object) = in_read_namespace(state, kind, name, resource)
                && count < MOST
                && !found.iter().any(|known| known.object == object)
            {
                found.push(ReferencedAbsence { kind: Arc::clone(kind), object, named_by: resource.name() });
            }
        }
    }
    found
}

/// Returns the complete name of an object that a resource refers to; `None` if its namespace is unknown or was not read.
fn in_read_namespace(state: &ClusterState, kind: &ResourceKind, name: ObjectName, by: &Resource) -> Option<ObjectName> {
    if kind.scope == ResourceScope::Cluster {
        return Some(ObjectName { namespace: None, ..name });
    }
    let namespace = name.namespace.or_else(|| by.metadata.namespace.clone())?;
    let is_read = state.namespace.as_ref().is_none_or(|read| *read == namespace);
    is_read.then_some(ObjectName { namespace: Some(namespace), ..name })
}
