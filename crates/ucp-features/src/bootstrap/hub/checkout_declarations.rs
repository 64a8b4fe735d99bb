//! Declarations of a checkout.

use std::collections::BTreeMap;

use serde_json::Value;

use super::source::{ManifestSource, ManifestSources, SourceDetails};
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_repo::manifests::selection::DeploymentSelection;

/// The declarations of a checkout, and the repositories that it is a checkout of.
pub struct CheckoutDeclarations<'a> {
    pub(super) declared: BTreeMap<ObjectKey, &'a Value>,
    pub(super) selection: &'a DeploymentSelection,
    /// The default branch of the remote, if it is known.
    pub(super) default_branch: Option<String>,
}

impl<'a> CheckoutDeclarations<'a> {
    /// Returns a checkout with these objects. `selection` contains its URLs.
    pub fn new(
        objects: impl Iterator<Item = &'a Value>,
        selection: &'a DeploymentSelection,
        default_branch: Option<String>,
    ) -> Self {
        let declared = objects.map(|object| (ObjectKey::from(&ObjectName::from_manifest(object)), object)).collect();
        Self { declared, selection, default_branch }
    }

    /// Returns the sources that are in this checkout.
    pub(super) fn own_sources<'s>(
        &self,
        sources: &'s ManifestSources,
    ) -> BTreeMap<&'s ManifestSource, &'s SourceDetails> {
        sources.iter().filter(|(one, _)| self.selection.has_url(&one.repository)).collect()
    }

    /// Compares the sources of a live object with those of its declaration. Returns `None` if either has no sources.
    pub(super) fn compare(&self, declared: &ManifestSources, live: &ManifestSources) -> Option<DeclaredOrigin> {
        if declared.is_empty() || live.is_empty() {
            return None;
        }
        let own = self.own_sources(declared);
        let is_shared = |source: &ManifestSource| live.contains_key(source);
        Some(match own.is_empty() {
            false if own.keys().any(|source| is_shared(source)) => DeclaredOrigin::Checkout,
            true if declared.keys().any(is_shared) => DeclaredOrigin::SameElsewhere,
            _ => DeclaredOrigin::Foreign,
        })
    }
}

/// The origin of a live object that the checkout declares.
pub(super) enum DeclaredOrigin {
    /// The object comes from the checkout.
    Checkout,
    /// The object comes from the declared source, which is another repository.
    SameElsewhere,
    /// The object comes from another source than declared.
    Foreign,
}
