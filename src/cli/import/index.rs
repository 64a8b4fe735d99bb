//! The manifests of the imported kinds in a repository, read once.

use std::collections::BTreeSet;

use serde_json::Value;

use super::facts::{ImportFacts, is_same_or_twin};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::resource::Resource;
use ucp_features::import::identity::{SoughtResource, represents};
use ucp_repo::gitops::declared::{self, DeclaredObject};
use ucp_repo::gitops::repository::Repository;

/// A declared object and its value.
pub(super) struct IndexedManifest<'a> {
    pub(super) object: &'a DeclaredObject,
    pub(super) value: Value,
}

/// The declared objects of the imported kinds and of their twins.
pub(super) struct ManifestIndex<'a>(Vec<IndexedManifest<'a>>);

impl<'a> ManifestIndex<'a> {
    /// Reads the manifests.
    pub(super) fn new(facts: &ImportFacts, repository: &Repository, objects: &'a [DeclaredObject]) -> Self {
        let kinds: Vec<_> = facts.targets.iter().filter_map(|target| target.kind.as_ref().ok()).collect();
        let wanted: BTreeSet<(&str, &str)> = objects
            .iter()
            .map(|object| (object.group(), object.kind.as_str()))
            .collect::<BTreeSet<_>>()
            .into_iter()
            .filter(|found| kinds.iter().any(|(kind, _)| is_same_or_twin(kind, *found)))
            .collect();
        let meant = objects.iter().filter(|object| wanted.contains(&(object.group(), object.kind.as_str())));
        let manifests = declared::values(repository, meant).into_iter();
        Self(manifests.map(|(object, value)| IndexedManifest { object, value }).collect())
    }

    /// Returns the manifest that represents the resource, or the manifest of its object in the cluster. Manifests below
    /// `into` take precedence.
    ///
    /// # Errors
    /// Returns the files if several manifests match.
    pub(super) fn find_manifest(
        &self,
        sought: SoughtResource<'_>,
        live: Option<&Resource>,
        into: Option<&str>,
    ) -> Result<Option<&IndexedManifest<'a>>, Failure> {
        let is_live = |manifest: &IndexedManifest<'_>| live.is_some_and(|live| is_manifest_of(manifest.object, live));
        let mut found: Vec<&IndexedManifest<'a>> = self
            .0
            .iter()
            .filter(|manifest| is_same_or_twin(sought.kind, (manifest.object.group(), &manifest.object.kind)))
            .filter(|manifest| is_live(manifest) || represents(sought, &manifest.value))
            .collect();
        let below = |manifest: &&IndexedManifest<'_>| {
            into.is_some_and(|into| into.is_empty() || manifest.object.file.starts_with(&format!("{into}/")))
        };
        for narrower in
            [&|manifest: &&IndexedManifest<'_>| is_live(manifest), &below as &dyn Fn(&&IndexedManifest<'_>) -> bool]
        {
            if found.len() > 1 && found.iter().any(narrower) {
                found.retain(narrower);
            }
        }
        match found.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(one)),
            several => {
                let files: BTreeSet<&str> = several.iter().map(|manifest| manifest.object.file.as_str()).collect();
                let files = files.into_iter().collect::<Vec<_>>().join(", ");
                fail!("several manifests declare it, in {files}: select one with --into DIRECTORY")
            }
        }
    }

    /// Returns true if a name is in use.
    pub(super) fn has(&self, kind: (&str, &str), namespace: Option<&str>, name: &str) -> bool {
        self.0.iter().any(|manifest| {
            let object = manifest.object;
            (object.group(), object.kind.as_str()) == kind
                && object.name == name
                && (namespace.is_none() || object.namespace.is_none() || object.namespace.as_deref() == namespace)
        })
    }
}

/// Returns true if a manifest declares the object. Its namespace may be set elsewhere.
fn is_manifest_of(manifest: &DeclaredObject, live: &Resource) -> bool {
    manifest.group() == live.kind.group
        && manifest.kind == live.kind.kind
        && manifest.name == live.metadata.name
        && (manifest.namespace.is_none() || manifest.namespace == live.metadata.namespace)
}
