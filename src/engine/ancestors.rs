//! Everything that an object comes from, however far away: composites and claims, and what applied each of them.

use std::collections::{BTreeSet, HashMap};

use super::ownership::Owners;
use crate::engine::argocd::GROUP as ARGO_GROUP;
use crate::engine::crossplane::{Role, role};
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// Kinds that apply objects from Git.
const APPLIERS: [&str; 3] = ["Application", "Kustomization", "HelmRelease"];

/// Whether objects of a kind own others, by being a claim or a composite, or by applying them.
pub fn may_own(kind: &ResourceKind) -> bool {
    let is_engines = kind.group == ARGO_GROUP || kind.group.ends_with(".toolkit.fluxcd.io");
    matches!(role(kind), Some(Role::Composite | Role::Claim)) || is_engines && APPLIERS.contains(&kind.kind.as_str())
}

/// Looks ancestors up; built once for a state.
pub struct Ancestors<'state> {
    owners: Owners<'state>,
    resources: HashMap<ObjectName, &'state Resource>,
}

impl<'state> Ancestors<'state> {
    /// Indexes a state.
    pub fn of(state: &'state ClusterState) -> Self {
        let resources = state.resources.iter().map(|resource| (resource.name(), resource)).collect();
        Self { owners: Owners::of(state), resources }
    }

    /// The direct owners.
    pub fn owners(&self) -> &Owners<'state> {
        &self.owners
    }

    /// All owners of an object, the nearest first.
    pub fn of_object(&self, resource: &Resource) -> Vec<ObjectName> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::from([resource.name()]);
        let mut next = vec![resource];
        while let Some(resource) = next.pop() {
            let composite = self.owners.composite_of(resource).map(Resource::name);
            for owner in
                [composite, self.owners.composed_for(resource), self.owners.applied_by(resource)].into_iter().flatten()
            {
                if seen.insert(owner.clone()) {
                    next.extend(self.resources.get(&owner).copied());
                    found.push(owner);
                }
            }
        }
        found
    }
}
