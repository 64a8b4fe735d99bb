//! Addresses of versions in a repository, which outlive the catalog that they were found in.

use ucp_repo::gitops::catalog::{Catalog, CatalogPlace};

/// The address of a version in a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceAddress {
    /// The file, relative to the top of the repository.
    pub file: String,
    /// The path in the file, without the dot in front.
    pub path: String,
}

impl PlaceAddress {
    /// Returns the address of a place.
    pub fn of_place(place: &CatalogPlace) -> Self {
        Self { file: place.file.clone(), path: place.slot.path.to_string() }
    }

    /// Returns the place with this address.
    pub fn place<'c>(&self, catalog: &'c Catalog) -> Option<&'c CatalogPlace> {
        catalog.places.iter().find(|place| place.file == self.file && place.slot.path.to_string() == self.path)
    }
}
