//! Reasons why a name does not resolve to one version.

use std::collections::BTreeSet;

use crate::gitops::catalog::CatalogPlace;

/// Reason why a name does not resolve to one version.
#[derive(Debug, Clone)]
pub enum NameResolutionError<'c> {
    /// No place has this name.
    Unknown,
    /// The name is unknown in the environment; these environments have it.
    Elsewhere(BTreeSet<String>),
    /// In the environment the version comes from a base that these environments share.
    Base(&'c CatalogPlace, BTreeSet<String>),
    /// The name exists in several environments, and none was given.
    Environments(Vec<&'c CatalogPlace>),
    /// Several places have this name and different versions.
    Several(Vec<&'c CatalogPlace>),
    /// The current versions have another format than the requested one, so it probably belongs to another artifact.
    Unlike(Vec<&'c CatalogPlace>),
    /// The name is the last part of the names of several artifacts.
    Artifacts(Vec<&'c CatalogPlace>),
    /// Several services in several directories have this name and one version.
    Spread(Vec<&'c CatalogPlace>),
}

impl<'c> NameResolutionError<'c> {
    /// Returns the ambiguous places.
    pub fn places(&self) -> &[&'c CatalogPlace] {
        match self {
            Self::Environments(places) | Self::Several(places) | Self::Spread(places) => places,
            Self::Unknown | Self::Elsewhere(_) | Self::Base(..) | Self::Unlike(_) | Self::Artifacts(_) => &[],
        }
    }
}
