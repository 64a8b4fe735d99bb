//! The objects of one interest, kept up to date.
//!
//! A watch takes a connection, and a hub has thousands of kinds, most of which are empty. So an empty managed kind
//! without a named object has no watch. It becomes active when a provider adopts its first resource: then a
//! `ProviderConfigUsage` with that resource as its owner is created, and the kind is read and watched, too.

use std::collections::BTreeMap;

use super::news::{CollectionChange, NamespacedKey, key};
use crate::source::live::Interest;
use crate::source::live::list::ListResult;
use crate::source::live::read_error::ReadError;
use ucp_core::model::body::BodyShape;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::Unreadable;

/// Kinds whose objects show that a managed kind became active.
const USAGES: [&str; 2] = ["ProviderConfigUsage", "ClusterProviderConfigUsage"];

/// Returns true if an interest is only followed for the state of other kinds.
pub(super) fn is_auxiliary(interest: &Interest) -> bool {
    let is_definition = super::kinds::is_definition(&interest.kind) && interest.want.shape == BodyShape::Metadata;
    interest.name.is_none() && (is_usage(interest) || is_definition)
}

/// Returns true if the objects of an interest show that a kind became active.
pub(in crate::source::live) fn is_usage(interest: &Interest) -> bool {
    USAGES.contains(&interest.kind.kind.as_str()) && interest.want.shape == BodyShape::Conditions
}

/// Group and kind of the owners of a usage.
pub(super) fn owners_of_usage(resource: &Resource) -> Vec<(String, String)> {
    if !USAGES.contains(&resource.kind.kind.as_str()) {
        return Vec::new();
    }
    let owners = resource.metadata.owner_references.iter();
    owners
        .map(|owner| {
            (owner.api_version.split_once('/').map_or("", |(group, _)| group).to_owned(), owner.kind.to_string())
        })
        .collect()
}

/// The watch of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WatchState {
    /// It has a watch.
    Paid,
    /// It is empty and has no watch until a usage appears.
    Spared,
}

pub(super) struct Collection {
    pub(super) interest: Interest,
    pub(super) resources: BTreeMap<NamespacedKey, Resource>,
    pub(super) broken: Vec<Unreadable>,
    pub(super) error: Option<ReadError>,
    pub(super) resource_version: String,
    pub(super) attention: WatchState,
}

impl Collection {
    pub(super) fn new(interest: Interest, listed: ListResult) -> Self {
        let mut collection = Self {
            interest,
            resources: BTreeMap::new(),
            broken: Vec::new(),
            error: None,
            resource_version: String::new(),
            attention: WatchState::Spared,
        };
        collection.replace(listed);
        collection
    }

    /// Returns true if a collection needs a watch, without waiting for a usage.
    pub(super) fn needs_watch(&self) -> bool {
        let is_managed = self.interest.want.shape == BodyShape::Crossplane;
        !self.resources.is_empty() || !is_managed || self.interest.name.is_some()
    }

    pub(super) fn apply(&mut self, news: CollectionChange) {
        match news {
            CollectionChange::All(_, listed) => self.replace(listed),
            CollectionChange::Lost(_, error) => self.error = Some(error),
            CollectionChange::Gone(_, key) => {
                self.resources.remove(&key);
            }
            CollectionChange::One(_, resource) => {
                self.resources.insert(key(&resource), *resource);
            }
        }
    }

    fn replace(&mut self, listed: ListResult) {
        self.resources = listed.resources.into_iter().map(|resource| (key(&resource), resource)).collect();
        self.broken = listed.broken;
        self.error = listed.error;
        self.resource_version = listed.resource_version;
    }
}
