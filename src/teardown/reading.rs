//! What has to be read before the consequences of a deletion are known.

use std::collections::BTreeSet;

use super::cascade::Cascade;
use super::contents::defined_by;
use super::nature::{Nature, nature};
use crate::model::body::{Shape, Want};
use crate::model::kind::{ResourceKind, Scope};
use crate::model::object::ObjectKey;
use crate::model::state::{ClusterState, Unreadable};

/// What has to be read before the consequences are known, besides what every teardown reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// Namespaces whose contents go.
    pub namespaces: BTreeSet<String>,
    /// Kinds by `plural.group`: those of definitions that go.
    plurals: BTreeSet<String>,
    /// Kinds by group and name.
    kinds: BTreeSet<(String, String)>,
}

impl Needs {
    /// Of everything that goes.
    pub(super) fn of(state: &ClusterState, cascade: &Cascade) -> Self {
        let mut needs = Self::default();
        for resource in cascade.going.keys().map(|node| &state.resources[*node]) {
            match nature(&resource.kind) {
                Nature::Namespace => {
                    needs.namespaces.insert(resource.metadata.name.clone());
                }
                Nature::Definition => {
                    needs.plurals.insert(resource.metadata.name.clone());
                }
                Nature::CompositeDefinition => needs.plurals.extend(defined_by(resource)),
                Nature::VolumeClaim => {
                    needs.kinds.insert((String::new(), "PersistentVolume".to_owned()));
                }
                _ => {}
            }
        }
        let unread = cascade.unread.iter();
        let telling = unread.filter(|key| nature(&ResourceKind::guess(&key.group, &key.kind)) != Nature::Inert);
        needs.kinds.extend(telling.map(|key| (key.group.clone(), key.kind.clone())));
        needs
    }

    /// Whether this kind is needed as a whole.
    pub fn want(&self, kind: &ResourceKind) -> Option<Want> {
        let is_needed = self.plurals.contains(&kind.qualified_plural())
            || self.kinds.iter().any(|(group, name)| kind.group == *group && kind.kind == *name);
        is_needed.then(|| want_contents(kind))
    }

    /// Whether objects of this kind are needed from the namespaces that go: those that stand for nothing are not.
    pub fn want_in_namespaces(&self, kind: &ResourceKind) -> Option<Want> {
        let is_telling = kind.scope == Scope::Namespaced && nature(kind) != Nature::Inert;
        is_telling.then(|| want_contents(kind))
    }
}

/// Objects that go, and whose kinds were not read: nobody knows what their deletion does.
pub(super) fn unread(state: &ClusterState, cascade: &Cascade) -> Vec<Unreadable> {
    let is_telling = |key: &&ObjectKey| {
        nature(&ResourceKind::guess(&key.group, &key.kind)) != Nature::Inert
            && !state.kinds.iter().any(|kind| kind.group == key.group && kind.kind == key.kind)
    };
    let entry = |key: &ObjectKey| Unreadable {
        what: key.to_string(),
        reason: "it goes too, and its kind is not served or could not be read".to_owned(),
    };
    cascade.unread.iter().filter(is_telling).map(entry).collect()
}

/// What to read of a kind that no engine reads: everything where the fields decide, else only the names.
pub fn want_contents(kind: &ResourceKind) -> Want {
    match nature(kind) {
        Nature::VolumeClaim | Nature::Volume | Nature::Service | Nature::CompositeDefinition => {
            Want::whole(Shape::Conditions)
        }
        _ => Want::all(Shape::Metadata),
    }
}
