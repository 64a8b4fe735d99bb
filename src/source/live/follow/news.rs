//! Changes of followed objects.

use crate::model::resource::Resource;
use crate::source::live::api::ReadError;
use crate::source::live::list::Listed;

/// Namespace and name.
pub(super) type Key = (Option<String>, String);

pub(super) fn key(resource: &Resource) -> Key {
    (resource.metadata.namespace.clone(), resource.metadata.name.clone())
}

/// A change of one collection, with the collection's index.
pub(super) enum News {
    All(usize, Listed),
    One(usize, Box<Resource>),
    Gone(usize, Key),
    Lost(usize, ReadError),
}

impl News {
    pub(super) fn index(&self) -> usize {
        match self {
            Self::All(index, _) | Self::One(index, _) | Self::Gone(index, _) | Self::Lost(index, _) => *index,
        }
    }
}
