//! Objects of the inventory of a Flux object that do not exist.

use std::cell::LazyCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use crate::drift::correction::describe_correction;
use crate::drift::{DriftLayer, ObjectDrift};
use ucp_core::engine::code::Code;
use ucp_core::model::body::flux::FluxObject;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// The objects of a cluster state, and the kinds of which it has all objects.
pub(super) struct ReadObjects<'a> {
    state: &'a ClusterState,
    kinds: HashMap<(&'a str, &'a str), &'a ResourceKind>,
    keys: HashSet<ObjectKey>,
}

impl<'a> ReadObjects<'a> {
    pub(super) fn from_state(state: &'a ClusterState) -> Self {
        let read = state.kinds.iter().filter(|kind| state.was_read(kind));
        let kinds = read.map(|kind| ((kind.group.as_str(), kind.kind.as_str()), kind.as_ref())).collect();
        Self { state, kinds, keys: state.resources.iter().map(Resource::key).collect() }
    }

    /// Returns the name of an object that does not exist; `None` if it exists, or would not have been read.
    fn missing(&self, key: ObjectKey) -> Option<ObjectName> {
        let kind = self.kinds.get(&(key.group.as_str(), key.kind.as_str()))?;
        let is_missing = self.state.is_in_read_namespace(kind, &key) && !self.keys.contains(&key);
        is_missing.then(|| ObjectName::in_kind(kind, key.namespace.as_deref(), &key.name))
    }
}

/// Returns the objects of the inventory of a Flux object that do not exist. Flux applies them at its next reconciliation.
pub(super) fn missing_objects<'a>(
    objects: &LazyCell<ReadObjects<'a>, impl FnOnce() -> ReadObjects<'a>>,
    resource: &Resource,
    flux: &FluxObject,
) -> Vec<ObjectDrift> {
    // In another cluster, nothing was read.
    if flux.spec.kube_config.is_some() {
        return Vec::new();
    }
    let will_be_corrected = Some(!flux.spec.suspend);
    let missing: BTreeSet<ObjectName> = flux.status.deployed().filter_map(|key| objects.missing(key)).collect();
    let drift = |object: ObjectName| {
        let correction = describe_correction(will_be_corrected);
        let message = format!("it is in the inventory and missing in the cluster; {correction}");
        ObjectDrift {
            managed_by: Some(resource.name()),
            will_be_corrected,
            ..ObjectDrift::of_object(object, DriftLayer::Gitops, Code::ObjectNotInCluster, message)
        }
    };
    missing.into_iter().map(drift).collect()
}
