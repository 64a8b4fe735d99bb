//! The orphan layer: objects of the core cluster that nothing accounts for, and that would be missing if the cluster
//! were rebuilt from Git.
//!
//! An object is accounted for if an Application (tracking id or `status.resources`), a Kustomization or HelmRelease
//! (labels and inventory) that exists applied it, if an ownerReference names its owner, if a composite or claim refers
//! to it, or if it is one of those that Kubernetes and the engines make by themselves (`system.rs` has these rules).

use std::collections::{HashMap, HashSet};

use crate::drift::system;
use crate::drift::{Choice, Drift, Layer, LayerFindings};
use crate::engine::argocd::GROUP as ARGO_GROUP;
use crate::engine::code::Code;
use crate::engine::crossplane::{Role, role};
use crate::engine::ownership::Owners;
use crate::model::body::argocd::IgnoredOrphan;
use crate::model::body::{Body, Shape, Want};
use crate::model::comparison::Certainty;
use crate::model::glob;
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectName;
use crate::model::pattern::ObjectPattern;
use crate::model::resource::Resource;
use crate::model::state::{ClusterState, Unreadable};

/// What to read of a kind that no other layer asks for.
pub fn want(kind: &ResourceKind) -> Option<Want> {
    if kind.group == ARGO_GROUP && kind.kind == "AppProject" {
        return Some(Want::all(Shape::Project));
    }
    (!system::is_runtime_kind(kind)).then_some(Want::all(Shape::Metadata))
}

/// Whether objects of a kind account for others, so that without them nobody can tell what is an orphan.
fn accounts_for_others(kind: &ResourceKind) -> bool {
    is_applier(kind) || matches!(role(kind), Some(Role::Composite | Role::Claim))
}

fn is_applier(kind: &ResourceKind) -> bool {
    matches!(
        (kind.group.as_str(), kind.kind.as_str()),
        (ARGO_GROUP, "Application")
            | ("kustomize.toolkit.fluxcd.io", "Kustomization")
            | ("helm.toolkit.fluxcd.io", "HelmRelease")
    )
}

/// Looks for orphans among what was chosen of everything that was read, save what a person told to ignore.
pub fn findings(state: &ClusterState, ignored: &[ObjectPattern], is_chosen: &Choice<'_>) -> LayerFindings {
    let mut findings = LayerFindings::default();
    if !state.resources.iter().any(|resource| is_applier(&resource.kind)) {
        findings.unchecked.push(Unreadable {
            what: "orphans".to_owned(),
            reason: "no Application, Kustomization or HelmRelease was found, so nothing is declared".to_owned(),
        });
        return findings;
    }
    let is_complete = state.kinds.iter().filter(|kind| accounts_for_others(kind)).all(|kind| state.was_read(kind))
        && !state
            .unreadable
            .iter()
            .any(|entry| entry.what.starts_with(ARGO_GROUP) || entry.what.contains("toolkit.fluxcd.io/"));
    let accounts = Accounts::of(state);
    let mut seen = HashSet::new();
    for resource in &state.resources {
        // Some kinds are served by two groups.
        let uid = resource.metadata.uid.as_str();
        let is_known = !uid.is_empty() && !seen.insert(uid);
        if matches!(resource.body, Body::Event(_)) || is_known || !is_chosen(&resource.name(), None) {
            continue;
        }
        findings.checked += 1;
        if resource.metadata.deletion_timestamp.is_some()
            || system::made(resource)
            || ignored.iter().any(|pattern| ignores(pattern, resource))
            || accounts.ignores(resource)
        {
            continue;
        }
        if let Some(reason) = accounts.nobody(resource) {
            let mut drift = Drift::of_object(resource.name(), Layer::Orphan, Code::Orphan, reason);
            drift.since = resource.metadata.creation_timestamp;
            drift.will_be_corrected = Some(false);
            if !is_complete {
                drift.certainty = Certainty::Unknown;
                drift.message.push_str("; not everything that could account for it was read");
            }
            findings.drifts.push(drift);
        }
    }
    findings
}

/// `namespace/NAME` leaves out the namespace with all it holds.
fn ignores(pattern: &ObjectPattern, resource: &Resource) -> bool {
    let is_namespace = ["namespace", "namespaces", "ns"].iter().any(|name| pattern.kind.eq_ignore_ascii_case(name));
    let in_it = |namespace: &String| pattern.name.as_ref().is_some_and(|name| glob::matches(name, namespace));
    pattern.matches(&resource.kind, &resource.metadata.name)
        || is_namespace && resource.metadata.namespace.as_ref().is_some_and(in_it)
}

/// Group, kind, namespace and name.
type Key<'state> = (&'state str, &'state str, Option<&'state str>, &'state str);

/// Who accounts for what.
struct Accounts<'state> {
    owners: Owners<'state>,
    /// Namespaces of everything that may account for others, by group, kind and name.
    existing: HashMap<(&'state str, &'state str, &'state str), Vec<Option<&'state str>>>,
    composed: HashSet<Key<'state>>,
    /// What each Kustomization or HelmRelease of this cluster says that it applied.
    inventories: HashMap<ObjectName, HashSet<&'state str>>,
    projects: Vec<(&'state [crate::model::body::argocd::Destination], &'state [IgnoredOrphan])>,
}

impl<'state> Accounts<'state> {
    fn of(state: &'state ClusterState) -> Self {
        let mut accounts = Self {
            owners: Owners::of(state),
            existing: HashMap::new(),
            composed: HashSet::new(),
            inventories: HashMap::new(),
            projects: Vec::new(),
        };
        for resource in &state.resources {
            if accounts_for_others(&resource.kind) {
                let (group, kind, namespace, name) = key(resource);
                accounts.existing.entry((group, kind, name)).or_default().push(namespace);
            }
            match &resource.body {
                Body::Crossplane(body) => {
                    for reference in &body.composed {
                        let api_version = reference.api_version.as_deref().unwrap_or_default();
                        let group = api_version.split_once('/').map_or("", |(group, _)| group);
                        let kind = reference.kind.as_deref().unwrap_or_default();
                        // A reference without a namespace is to a cluster-scoped object, or into the composite's own.
                        for namespace in [None, reference.namespace.as_deref(), resource.metadata.namespace.as_deref()]
                        {
                            accounts.composed.insert((group, kind, namespace, reference.name.as_str()));
                        }
                    }
                }
                Body::Flux(flux) => {
                    if let (Some(inventory), None) = (&flux.status.inventory, &flux.spec.kube_config) {
                        let ids = inventory.entries.iter().map(|entry| entry.id.as_str()).collect();
                        accounts.inventories.insert(applier(resource), ids);
                    }
                }
                Body::Project(project) => {
                    accounts.projects.push((&project.destinations, &project.ignored_orphans));
                }
                _ => {}
            }
        }
        accounts
    }

    /// Why nobody accounts for an object; `None` where somebody does.
    fn nobody(&self, resource: &Resource) -> Option<String> {
        if !resource.metadata.owner_references.is_empty() || self.composed.contains(&key(resource)) {
            return None;
        }
        let Some(applier) = self.owners.applied_by(resource) else {
            return Some("nothing accounts for it".to_owned());
        };
        let namespaces = self.existing.get(&(applier.group(), applier.kind.as_str(), applier.name.as_str()));
        let is_there = |namespaces: &Vec<Option<&str>>| {
            applier.namespace.is_none() || namespaces.contains(&applier.namespace.as_deref())
        };
        if !namespaces.is_some_and(is_there) {
            return Some(format!("it says that {applier} applied it, which does not exist"));
        }
        // An object that left Git while pruning was off keeps its label and leaves the inventory.
        let by_group = ObjectName { api_version: applier.group().to_owned(), ..applier.clone() };
        let left = self.inventories.get(&by_group).is_some_and(|ids| !ids.contains(inventory_id(resource).as_str()));
        left.then(|| format!("{} {} applied it once and has it no more", applier.kind, applier.name))
    }

    /// Whether an AppProject that deploys into an object's namespace says to ignore it, by Argo CD's own rules: an
    /// empty kind or name means any, an empty group the core group.
    fn ignores(&self, resource: &Resource) -> bool {
        let Some(namespace) = resource.metadata.namespace.as_deref() else { return false };
        self.projects.iter().any(|(destinations, ignored)| {
            let deploys_there = destinations.iter().any(|destination| {
                let is_here = destination.is_this_cluster() || destination.server.as_deref() == Some("*");
                is_here && destination.namespace.as_deref().is_some_and(|pattern| glob::matches(pattern, namespace))
            });
            let any = |pattern: &str, text: &str| pattern.is_empty() || glob::matches(pattern, text);
            deploys_there
                && ignored.iter().any(|entry| {
                    glob::matches(&entry.group, &resource.kind.group)
                        && any(&entry.kind, &resource.kind.kind)
                        && any(&entry.name, &resource.metadata.name)
                })
        })
    }
}

fn key(resource: &Resource) -> Key<'_> {
    let metadata = &resource.metadata;
    (&resource.kind.group, &resource.kind.kind, metadata.namespace.as_deref(), &metadata.name)
}

/// An applier by its group, whatever the version.
fn applier(resource: &Resource) -> ObjectName {
    ObjectName { api_version: resource.kind.group.clone(), ..resource.name() }
}

/// As Flux writes it: `<namespace>_<name>_<group>_<kind>`, a colon of an RBAC name as `__` (cli-utils `ObjMetadata`).
fn inventory_id(resource: &Resource) -> String {
    let metadata = &resource.metadata;
    let name = match resource.kind.group.as_str() {
        "rbac.authorization.k8s.io" => metadata.name.replace(':', "__"),
        _ => metadata.name.clone(),
    };
    let namespace = metadata.namespace.as_deref().unwrap_or_default();
    format!("{namespace}_{name}_{}_{}", resource.kind.group, resource.kind.kind)
}
