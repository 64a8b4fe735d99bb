//! The workloads of a cluster state, and the matching of workloads to controllers. Charts, manifests, and operators use
//! different labels and names, and releases add a prefix to the name.

use std::sync::Arc;

use crate::engine::controller::workload_kind::{PART_OF, is_workload};
use crate::model::body::Body;
use crate::model::body::workload::Workload;
use crate::model::kind::ResourceKind;
use crate::model::resource::Resource;
use crate::model::state::{ClusterState, KindIndex, Origin, Unreadable};

/// Labels with the name of a program: the recommended ones, and older ones.
const NAMES: [&str; 4] = ["app.kubernetes.io/name", "app.kubernetes.io/component", "app", "control-plane"];

/// The Deployments and StatefulSets of a cluster state.
pub struct Workloads<'state> {
    all: Vec<(&'state Resource, &'state Workload)>,
    /// The completeness of the list.
    pub listing: WorkloadListing,
    /// The kinds that the list covers.
    listed: Vec<&'state str>,
}

/// The completeness of a list of workloads: only a complete list proves that a workload does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkloadListing {
    /// All workloads were read.
    Complete,
    /// Some workloads could not be read.
    Partial,
    /// No workloads were requested, or the snapshot contains none.
    Absent,
}

/// The names by which the workloads of a controller are found.
#[derive(Debug, Clone, Copy)]
pub struct ComponentName<'a> {
    /// Value of `app.kubernetes.io/part-of`, and prefix of names: `argocd`.
    pub engine: &'a str,
    /// The name of the component within the engine: `repo-server`.
    pub name: &'a str,
}

impl ComponentName<'_> {
    /// Returns the full name, such as `argocd-repo-server`. Flux's controllers have no prefix.
    fn full_name(&self) -> String {
        format!("{}-{}", self.engine, self.name)
    }

    fn is(&self, resource: &Resource, workload: &Workload) -> bool {
        let full = self.full_name();
        let label =
            |key: &str| resource.metadata.label(key).or_else(|| workload.pod_labels.get(key).map(String::as_str));
        let is_of_engine = label(PART_OF) == Some(self.engine);
        // `prod-argocd-repo-server` for a release called `prod`; `openshift-gitops-repo-server` if it has the label.
        let is_called = |name: &str| {
            name == full
                || name.strip_suffix(full.as_str()).is_some_and(|prefix| prefix.ends_with('-'))
                || is_of_engine
                    && (name == self.name || name.strip_suffix(self.name).is_some_and(|prefix| prefix.ends_with('-')))
        };
        NAMES.iter().any(|key| label(key).is_some_and(is_called))
            || is_called(&resource.metadata.name)
            || workload.programs.contains(&full)
            || workload.images.iter().any(|image| repository(image) == full)
    }
}

/// Returns the last path segment of an image name, without tag and digest.
pub fn repository(image: &str) -> &str {
    let name = image.split('@').next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    name.split(':').next().unwrap_or_default()
}

impl<'state> Workloads<'state> {
    /// Collects the workloads of a cluster state.
    pub fn from_state(state: &'state ClusterState) -> Self {
        let all = state.resources.iter().filter_map(|resource| match &resource.body {
            Body::Workload(workload) => Some((resource, workload.as_ref())),
            _ => None,
        });
        Self { all: all.collect(), listing: listing(state), listed: listed_kinds(state) }
    }

    /// Returns the completeness of the list for a kind of workloads.
    pub fn listing_of(&self, kind: &str) -> WorkloadListing {
        match self.listing {
            WorkloadListing::Complete if !self.listed.contains(&kind) => WorkloadListing::Partial,
            ref listing => listing.clone(),
        }
    }

    /// Returns the workloads that match a predicate.
    pub fn matching(&self, is_it: impl Fn(&Resource, &Workload) -> bool) -> Vec<&'state Resource> {
        self.all
            .iter()
            .filter(|(resource, workload)| is_it(resource, workload))
            .map(|(resource, _)| *resource)
            .collect()
    }

    /// Returns the workloads of a component.
    pub fn component(&self, component: ComponentName<'_>) -> Vec<&'state Resource> {
        self.matching(|resource, workload| component.is(resource, workload))
    }

    /// Returns all workloads with an engine's label.
    pub fn parts_of(&self, engine: &str) -> impl Iterator<Item = (&'state Resource, &'state Workload)> {
        self.all.iter().copied().filter(move |(resource, _)| resource.metadata.label(PART_OF) == Some(engine))
    }
}

fn listing(state: &ClusterState) -> WorkloadListing {
    let mut kinds = state.kinds.iter().filter(|kind| is_workload(kind)).peekable();
    if kinds.peek().is_none() {
        return WorkloadListing::Absent;
    }
    let is_broken = |entry: &Unreadable| {
        ["deployments.apps", "statefulsets.apps", "Deployment ", "StatefulSet "]
            .iter()
            .any(|beginning| entry.what.starts_with(beginning))
            // A file with unknown content.
            || matches!(state.origin, Origin::Snapshot { .. }) && !entry.what.contains(" in ") && !entry.is_omission()
    };
    let is_complete = kinds.all(|kind| state.was_read(kind)) && !state.unreadable.iter().any(is_broken);
    if is_complete { WorkloadListing::Complete } else { WorkloadListing::Partial }
}

/// Returns the kinds of workloads that a complete list proves to be absent from a cluster. Files without an index prove this
/// only for kinds of which they have objects: a dump of an empty list and a missing dump look the same.
fn listed_kinds(state: &ClusterState) -> Vec<&str> {
    let kinds = state.kinds.iter().filter(|kind| is_workload(kind));
    let is_proven = |kind: &&Arc<ResourceKind>| {
        let is_of = |one: &Resource| one.kind.kind == kind.kind && is_workload(&one.kind);
        state.kind_index == KindIndex::Complete || state.resources.iter().any(is_of)
    };
    kinds.filter(is_proven).map(|kind| kind.kind.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::body::BodyShape;
    use crate::model::seed::ResourceSeed;
    use serde::de::DeserializeSeed as _;
    use serde_json::{Value, json};

    fn is(component: ComponentName<'_>, object: &Value) -> bool {
        let kind = Arc::new(ResourceKind::guess("apps", "Deployment"));
        let resource = ResourceSeed { kind: &kind, shape: BodyShape::Workload }.deserialize(object).unwrap();
        let Body::Workload(workload) = &resource.body else { panic!("no workload") };
        component.is(&resource, workload)
    }

    /// Returns a Deployment with a name, labels, and a first container, as in upstream manifests, charts, and
    /// operators.
    fn deployment(name: &str, labels: Value, container: Value) -> Value {
        json!({
            "metadata": {"name": name, "labels": labels},
            "spec": {"template": {"spec": {"containers": [container]}}},
        })
    }

    #[test]
    fn controllers_are_recognized_for_every_kind_of_installation() {
        let repo_server = ComponentName { engine: "argocd", name: "repo-server" };
        let argocd = json!({"image": "quay.io/argoproj/argocd:v3.2.0"});
        for (name, labels, container) in [
            // manifests/install.yaml
            (
                "argocd-repo-server",
                json!({"app.kubernetes.io/component": "repo-server", "app.kubernetes.io/name": "argocd-repo-server",
                       "app.kubernetes.io/part-of": "argocd"}),
                argocd.clone(),
            ),
            // The chart, with another release name.
            (
                "prod-argocd-repo-server",
                json!({"app.kubernetes.io/component": "repo-server", "app.kubernetes.io/instance": "prod",
                       "app.kubernetes.io/name": "argocd-repo-server", "app.kubernetes.io/part-of": "argocd"}),
                argocd.clone(),
            ),
            // The operator.
            (
                "openshift-gitops-repo-server",
                json!({"app.kubernetes.io/component": "repo-server", "app.kubernetes.io/name": "openshift-gitops-repo-server",
                       "app.kubernetes.io/part-of": "argocd"}),
                argocd.clone(),
            ),
            ("argocd-repo-server", json!({}), json!({})),
            ("renderer", json!({}), json!({"command": ["/usr/local/bin/argocd-repo-server"]})),
            ("renderer", json!({}), json!({"args": ["/usr/local/bin/argocd-repo-server"]})),
        ] {
            assert!(is(repo_server, &deployment(name, labels, container)), "{name}");
        }
        for (name, labels) in [
            ("repo-server", json!({})),
            ("argocd-server", json!({"app.kubernetes.io/part-of": "argocd"})),
            ("helm-repo-server", json!({"app.kubernetes.io/part-of": "charts"})),
        ] {
            assert!(!is(repo_server, &deployment(name, labels, argocd.clone())), "{name}");
        }
    }

    #[test]
    fn the_repository_of_an_image_is_the_last_part_of_its_path() {
        for (image, expected) in [
            ("ghcr.io/fluxcd/source-controller:v1.9.1", "source-controller"),
            ("registry:5000/a/b@sha256:00", "b"),
            ("crossplane", "crossplane"),
        ] {
            assert_eq!(repository(image), expected);
        }
    }
}
