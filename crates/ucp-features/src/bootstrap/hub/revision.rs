//! Changes of the revision that a root deploys: another branch of the same repository is another hub.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::checkout_declarations::CheckoutDeclarations;
use super::live_deployers::live_deployers;
use super::source::{DEFAULT_REVISION, ManifestSources, sources};
use crate::bootstrap::wave::is_deployer;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::state::ClusterState;

/// A root object that deploys another revision of this repository than the checkout declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RevisionChange {
    /// The root object, or the source of one.
    pub object: ObjectName,
    /// The field: `targetRevision` or `ref`.
    pub field: String,
    /// The revision that the cluster deploys.
    pub live: String,
    /// The revision that it would deploy.
    pub declared: String,
}

impl fmt::Display for RevisionChange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, live, declared, .. } = self;
        write!(formatter, "{field}: {live} -> {declared}")
    }
}

/// A planned update of an object: its state, and its state after the write.
pub struct PlannedUpdate<'a> {
    /// The object.
    pub object: &'a ObjectName,
    /// The object in the cluster.
    pub live: &'a Value,
    /// The object after the write, according to a dry run.
    pub made: &'a Value,
}

/// Returns the changes of revision that planned updates would make. A field that the checkout does not declare, and that
/// another field manager set, is not changed.
pub fn planned_revision_changes(
    state: &ClusterState,
    checkout: &CheckoutDeclarations<'_>,
    updates: &[PlannedUpdate<'_>],
) -> Vec<RevisionChange> {
    let live = live_deployers(state);
    let made: BTreeMap<ObjectKey, &Value> =
        updates.iter().map(|update| (ObjectKey::from(update.object), update.made)).collect();
    let after =
        |key: &ObjectKey| made.get(key).or_else(|| checkout.declared.get(key)).or_else(|| live.get(key)).copied();
    let deployers = updates.iter().filter(|update| is_deployer(update.object.group(), &update.object.kind));
    let changes = deployers.flat_map(|update| {
        let key = ObjectKey::from(update.object);
        let before = sources(&key, update.live, &|key| live.get(key).copied());
        checkout.revision_changes(update.object, &before, &sources(&key, update.made, &after))
    });
    changes.collect()
}

/// Returns the differences between the revisions that a cluster deploys and those that a checkout declares. A checkout
/// that declares none follows the default branch, which may be the one of the cluster.
pub fn declared_revision_changes(state: &ClusterState, checkout: &CheckoutDeclarations<'_>) -> Vec<RevisionChange> {
    let live = live_deployers(state);
    let after = |key: &ObjectKey| checkout.declared.get(key).or_else(|| live.get(key)).copied();
    let both = checkout.declared.iter().filter_map(|(key, declared)| Some((key, *declared, *live.get(key)?)));
    let changes = both.flat_map(|(key, declared, found)| {
        let before = sources(key, found, &|key| live.get(key).copied());
        checkout.revision_changes(&ObjectName::from_manifest(declared), &before, &sources(key, declared, &after))
    });
    changes.filter(|change| change.declared != DEFAULT_REVISION).collect()
}

impl CheckoutDeclarations<'_> {
    /// Compares the revisions of this repository that an object deploys before and after a change.
    fn revision_changes(
        &self,
        object: &ObjectName,
        before: &ManifestSources,
        after: &ManifestSources,
    ) -> Vec<RevisionChange> {
        let field = if object.group() == "argoproj.io" { "targetRevision" } else { "ref" };
        let own = after.iter().filter(|(source, _)| self.selection.has_url(&source.repository));
        let changed = own.filter_map(|(source, details)| {
            let found = before.get(source)?;
            (self.resolved(&found.revisions) != self.resolved(&details.revisions)).then(|| RevisionChange {
                object: object.clone(),
                field: field.to_owned(),
                live: joined(&found.revisions),
                declared: joined(&details.revisions),
            })
        });
        changed.collect()
    }

    /// Returns revisions with the name of the default branch, if it is known.
    fn resolved<'r>(&'r self, revisions: &'r BTreeSet<String>) -> BTreeSet<&'r str> {
        let resolve = |revision: &'r String| match (revision.as_str(), &self.default_branch) {
            (DEFAULT_REVISION, Some(branch)) => branch.as_str(),
            (revision, _) => revision,
        };
        revisions.iter().map(resolve).collect()
    }
}

fn joined(revisions: &BTreeSet<String>) -> String {
    revisions.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}
