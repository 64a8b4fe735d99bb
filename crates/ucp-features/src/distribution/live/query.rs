//! Queries of app clusters.

use std::collections::BTreeSet;

use crate::adopt::inventory::AppClusterInventory;
use crate::adopt::names::NamespacedName;
use crate::adopt::secrets::{CONSUMERS, MAKERS};
use crate::distribution::core_secrets::CoreSecrets;
use crate::distribution::fingerprint::Fingerprinter;
use crate::distribution::intent::ClusterReference;

/// Scope of a read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReadScope {
    /// Uses of Secrets, other objects that create Secrets, and all copies.
    #[default]
    Everything,
    /// Like `Everything`, with the objects of the core cluster that show which Secrets are never copied.
    Copies,
    /// Like `Copies`, with custom resources that may use a copy before it is deleted.
    Deletion,
    /// Only declared copies, by name.
    Declared,
    /// No app cluster, only the declarations of the core cluster.
    Nothing,
}

/// From this number of Secrets in a namespace on, one list of the namespace is cheaper than single requests.
pub(in crate::distribution) const MANY: usize = 8;

/// Parameters of a read of app clusters.
pub struct AppClusterQuery<'a> {
    /// Inventory of the app clusters.
    pub inventory: &'a AppClusterInventory,
    /// Data read from the core cluster.
    pub core: &'a CoreSecrets,
    /// Computes the fingerprints for comparison.
    pub comparer: &'a Fingerprinter,
    /// Scope of the read.
    pub breadth: ReadScope,
    /// True for clusters to read, by their index in the inventory.
    pub is_asked: &'a [bool],
}

impl AppClusterQuery<'_> {
    /// Returns the declared copies of a cluster.
    pub(super) fn targets(&self, position: usize) -> BTreeSet<NamespacedName> {
        let here = self.core.intents.iter().filter(|intent| intent.cluster == ClusterReference::Known(position));
        here.map(|intent| intent.target.clone()).collect()
    }
}

/// Returns the kinds to read from an app cluster, without discovery: a kind that is not served is treated as empty.
pub(super) fn kinds() -> impl Iterator<Item = (&'static str, &'static str, &'static str, &'static str)> {
    CONSUMERS.into_iter().chain(MAKERS)
}
