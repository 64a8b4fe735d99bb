//! The field managers that write objects in certain versions.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use ucp_client::prediction::fields::field_managers;

/// Returns the field managers that wrote an object, but not its status, in one of the versions: `a and b`, by version.
/// Only the controller writes the status, and it is updated with the package.
pub fn writers_by_version<'v>(object: &'v Value, versions: &BTreeSet<&str>) -> BTreeMap<&'v str, String> {
    let mut writers: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for writer in field_managers(object).filter(|writer| writer.subresource.is_empty()) {
        let version = writer.api_version.rsplit('/').next().unwrap_or_default();
        if versions.contains(version) {
            let manager = if writer.manager.is_empty() { "an unnamed manager" } else { writer.manager };
            writers.entry(version).or_default().insert(manager);
        }
    }
    writers.into_iter().map(|(version, managers)| (version, Vec::from_iter(managers).join(" and "))).collect()
}
