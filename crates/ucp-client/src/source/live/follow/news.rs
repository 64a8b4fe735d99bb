//! Changes of followed objects.

use crate::source::live::list::ListResult;
use crate::source::live::read_error::ReadError;
use ucp_core::model::resource::Resource;

/// Namespace and name.
pub(super) type NamespacedKey = (Option<String>, String);

pub(super) fn key(resource: &Resource) -> NamespacedKey {
    (resource.metadata.namespace.clone(), resource.metadata.name.clone())
}

/// A change of one collection, with the collection's index.
pub(super) enum CollectionChange {
    All(usize, ListResult),
    One(usize, Box<Resource>),
    Gone(usize, NamespacedKey),
    Lost(usize, ReadError),
}

impl CollectionChange {
    pub(super) fn index(&self) -> usize {
        match self {
            Self::All(index, _) | Self::One(index, _) | Self::Gone(index, _) | Self::Lost(index, _) => *index,
        }
    }
}
