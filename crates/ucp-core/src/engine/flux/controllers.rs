//! The controllers of Flux: one for each API group, with optional sharding by labels.

use crate::engine::controller::description::Controller;
use crate::engine::controller::workload_kind::workload_name;
use crate::engine::controller::workloads::{ComponentName, Workloads};
use crate::model::body::Body;
use crate::model::body::workload::Workload;
use crate::model::resource::Resource;
use crate::model::selector::LabelSelector;
use crate::model::state::ClusterState;

/// The API groups of each controller. All objects depend on sources: without the source-controller, the others only
/// apply the last fetched artifact.
const CONTROLLERS: [(&str, &[&str]); 3] = [
    ("source-controller", &["source.toolkit.fluxcd.io", "kustomize.toolkit.fluxcd.io", "helm.toolkit.fluxcd.io"]),
    ("kustomize-controller", &["kustomize.toolkit.fluxcd.io"]),
    ("helm-controller", &["helm.toolkit.fluxcd.io"]),
];

pub(super) fn list_controllers(state: &ClusterState) -> Vec<Controller<'_>> {
    let workloads = Workloads::from_state(state);
    CONTROLLERS.iter().flat_map(|(name, groups)| controller(name, groups, &workloads)).collect()
}

/// Returns one controller for each shard, and one for objects without a shard.
fn controller<'state>(
    name: &'static str,
    groups: &'static [&'static str],
    workloads: &Workloads<'state>,
) -> Vec<Controller<'state>> {
    let found = find(name, workloads);
    let upstream = workload_name("Deployment", None, name);
    let is_of_group = move |resource: &Resource| groups.contains(&resource.kind.group.as_str());
    let shards: Vec<ControllerShard> = found.iter().map(|workload| ControllerShard::from_workload(workload)).collect();
    let rest = {
        let shards = shards.clone();
        Controller::new(name, upstream.clone(), Vec::new())
            .with_objects(move |resource| is_of_group(resource) && !shards.iter().any(|shard| shard.has(resource)))
    };
    let each = found.iter().zip(shards).map(|(workload, shard)| {
        Controller::new(name, upstream.clone(), vec![*workload])
            .with_objects(move |resource| is_of_group(resource) && shard.has(resource))
    });
    each.chain([rest]).collect()
}

/// Returns the workloads of a controller by its name, which does not depend on the installation; shards have a suffix.
fn find<'state>(name: &str, workloads: &Workloads<'state>) -> Vec<&'state Resource> {
    let mut found = workloads.component(ComponentName { engine: "flux", name });
    let by_image = workloads.matching(|resource, workload| {
        let is_image = |image: &String| crate::engine::controller::workloads::repository(image).ends_with(name);
        let is_labelled = |key: &str| resource.metadata.label(key) == Some(name);
        workload.images.iter().any(is_image) || is_labelled("app") && is_labelled("control-plane")
    });
    for workload in by_image {
        if !found.iter().any(|known| std::ptr::eq(*known, workload)) {
            found.push(workload);
        }
    }
    found
}

/// The objects that one workload of a controller reconciles.
#[derive(Clone)]
struct ControllerShard {
    /// The value of `--watch-label-selector`.
    selector: LabelSelector,
    /// The namespace of `--watch-all-namespaces=false`.
    namespace: Option<String>,
}

impl ControllerShard {
    fn from_workload(resource: &Resource) -> Self {
        let setting = |name: &str| match &resource.body {
            Body::Workload(workload) => setting(workload, name),
            _ => None,
        };
        Self {
            // An unreadable selector selects everything, since an unnecessary Unknown is safer than a wrong OK.
            selector: setting("watch-label-selector").and_then(|text| text.parse().ok()).unwrap_or_default(),
            namespace: (setting("watch-all-namespaces") == Some("false"))
                .then(|| resource.metadata.namespace.clone())
                .flatten(),
        }
    }

    fn has(&self, resource: &Resource) -> bool {
        self.selector.matches(&resource.metadata)
            && self.namespace.as_ref().is_none_or(|namespace| resource.metadata.namespace.as_ref() == Some(namespace))
    }
}

fn setting<'workload>(workload: &'workload Workload, name: &str) -> Option<&'workload str> {
    workload.settings.get(name).map(String::as_str)
}
