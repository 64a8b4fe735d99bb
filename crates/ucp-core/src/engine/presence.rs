//! Detects installed engines, and API groups that must be served here but are missing from discovery. An API server
//! whose discovery temporarily omits a group looks like a cluster without its objects.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::controller::workload_kind::PART_OF;
use super::engines::{ENGINES, engine_of};
use crate::engine::crossplane::{CrossplaneRole, role};
use crate::model::body::Body;
use crate::model::condition::{ConditionStatus, FindCondition as _};
use crate::model::kind::{ResourceKind, ResourceScope};
use crate::model::object::group_of;
use crate::model::resource::Resource;
use crate::model::state::{ClusterState, OMITTED, Unreadable};

/// Returns true if an object or a controller of an engine was read.
pub fn is_present(state: &ClusterState) -> bool {
    let is_part = |resource: &Resource| {
        let part = resource.metadata.label(PART_OF);
        part.is_some_and(|part| ENGINES.iter().any(|engine| engine.part_of() == part))
    };
    state.resources.iter().any(|resource| engine_of(&resource.kind).is_some() || is_part(resource))
}

/// Engines that app clusters run too, by the labels of their workloads.
const ADD_ONS: [&str; 8] = [
    "argo-rollouts",
    "atlas-operator",
    "cert-manager",
    "external-dns",
    "external-secrets",
    "kyverno",
    "mongodb-atlas-operator",
    "sealed-secrets",
];

/// Returns true if a workload or an object of another engine was read, or its objects could not be read.
pub fn has_core_engine(state: &ClusterState) -> bool {
    let mut engines = ENGINES.iter().filter(|engine| !ADD_ONS.contains(&engine.part_of()));
    engines.any(|engine| {
        let is_own = |kind: &ResourceKind| engine.want(kind).is_some();
        engine.version(state).is_some()
            || state.resources.iter().any(|resource| is_own(&resource.kind))
            || state.kinds.iter().any(|kind| is_own(kind) && !state.was_read(kind))
    })
}

/// Workloads of the engines, by their upstream names, and a kind that each implies.
const SERVED_BY: [(&str, &str, &str); 7] = [
    ("crossplane", "crossplane", "providers.pkg.crossplane.io"),
    ("crossplane", "crossplane", "providerrevisions.pkg.crossplane.io"),
    ("argocd", "argocd-application-controller", "applications.argoproj.io"),
    ("flux", "source-controller", "gitrepositories.source.toolkit.fluxcd.io"),
    ("flux", "kustomize-controller", "kustomizations.kustomize.toolkit.fluxcd.io"),
    ("flux", "helm-controller", "helmreleases.helm.toolkit.fluxcd.io"),
    ("flux", "notification-controller", "alerts.notification.toolkit.fluxcd.io"),
];

/// Namespaced kinds that every Kubernetes server lists.
const BUILT_IN: [(&str, &str); 21] = [
    ("", "ConfigMap"),
    ("", "Event"),
    ("", "LimitRange"),
    ("", "PersistentVolumeClaim"),
    ("", "Pod"),
    ("", "ReplicationController"),
    ("", "ResourceQuota"),
    ("", "Secret"),
    ("", "Service"),
    ("", "ServiceAccount"),
    ("apps", "DaemonSet"),
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
    ("batch", "CronJob"),
    ("batch", "Job"),
    ("networking.k8s.io", "Ingress"),
    ("networking.k8s.io", "NetworkPolicy"),
    ("policy", "PodDisruptionBudget"),
    ("rbac.authorization.k8s.io", "Role"),
    ("rbac.authorization.k8s.io", "RoleBinding"),
];

/// Cluster-scoped kinds that every Kubernetes server lists.
const BUILT_IN_CLUSTER_SCOPED: [(&str, &str); 12] = [
    ("", "Namespace"),
    ("", "Node"),
    ("", "PersistentVolume"),
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"),
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ("apiregistration.k8s.io", "APIService"),
    ("networking.k8s.io", "IngressClass"),
    ("rbac.authorization.k8s.io", "ClusterRole"),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"),
    ("scheduling.k8s.io", "PriorityClass"),
    ("storage.k8s.io", "StorageClass"),
];

/// Returns an entry for each wanted kind that every Kubernetes server lists and this one did not list.
pub fn hidden_built_ins(listed: &ListedNames, is_wanted: impl Fn(&ResourceKind) -> bool) -> Vec<Unreadable> {
    let namespaced = BUILT_IN.map(|kind| (kind, ResourceScope::Namespaced));
    let cluster_scoped = BUILT_IN_CLUSTER_SCOPED.map(|kind| (kind, ResourceScope::Cluster));
    let all = namespaced.into_iter().chain(cluster_scoped);
    let kinds = all.map(|((group, kind), scope)| ResourceKind { scope, ..ResourceKind::guess(group, kind) });
    let hidden = kinds.filter(|kind| !listed.0.contains(&kind.qualified_plural()) && is_wanted(kind));
    let reason = format!("{OMITTED} this kind, which is built into Kubernetes");
    hidden.map(|kind| Unreadable { what: kind.qualified_plural(), reason: reason.clone() }).collect()
}

/// The groups and kinds that a server lists: names of groups, and of kinds as `plural.group` and `Kind.group`.
#[derive(Debug, Default)]
pub struct ListedNames(BTreeSet<String>);

impl<'a> FromIterator<&'a ResourceKind> for ListedNames {
    fn from_iter<I: IntoIterator<Item = &'a ResourceKind>>(kinds: I) -> Self {
        let mut listed = Self::default();
        kinds.into_iter().for_each(|kind| listed.add(kind));
        listed
    }
}

impl ListedNames {
    /// Adds a kind and its group.
    pub fn add(&mut self, kind: &ResourceKind) {
        self.0.insert(kind.qualified_plural());
        self.0.insert(format!("{}.{}", kind.kind, kind.group));
        if !self.0.contains(&kind.group) {
            self.0.insert(kind.group.clone());
        }
    }

    /// Returns true if the server lists a group, or a kind as `plural.group`.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

/// Reports the groups and kinds that must be served according to the objects that were read, and that the server did not list,
/// unless a failure of their discovery is reported already. Returns true if there are any.
pub fn report_hidden_groups(state: &mut ClusterState, listed: &ListedNames) -> bool {
    let hidden = hidden_groups(state, listed);
    let has_hidden = !hidden.is_empty();
    let is_reported = |entry: &Unreadable| state.unreadable.iter().any(|known| known.what.starts_with(&entry.what));
    let unreported: Vec<Unreadable> = hidden.into_iter().filter(|entry| !is_reported(entry)).collect();
    state.unreadable.extend(unreported);
    has_hidden
}

/// Returns the groups and kinds that must be served according to the objects that were read, and that the server did not list.
pub fn hidden_groups(state: &ClusterState, ListedNames(listed): &ListedNames) -> Vec<Unreadable> {
    let mut hidden: BTreeMap<String, String> = BTreeMap::new();
    for resource in &state.resources {
        let mut hide = |name: &str, what: &str| {
            hidden
                .entry(name.to_owned())
                .or_insert_with(|| format!("{OMITTED} this {what}, though {} depends on it", resource.name()));
        };
        for group in groups_of(resource).filter(|group| !group.is_empty() && !listed.contains(*group)) {
            hide(group, "group");
        }
        for kind in kinds_of(resource).filter(|kind| !listed.contains(&**kind)) {
            // A group that is not listed is reported once.
            let Some((name, group)) = kind.split_once('.').filter(|(_, group)| listed.contains(*group)) else {
                continue;
            };
            match name.starts_with(|first: char| first.is_ascii_uppercase()) {
                true => hide(&ResourceKind::guess(group, name).qualified_plural(), "kind"),
                false => hide(&kind, "kind"),
            }
        }
    }
    hidden.into_iter().map(|(what, reason)| Unreadable { what, reason }).collect()
}

/// Returns the groups that must be served if this object exists.
fn groups_of(resource: &Resource) -> Box<dyn Iterator<Item = &str> + '_> {
    match &resource.body {
        // Packages run as Deployments.
        Body::Package(package)
            if role(&resource.kind) == Some(CrossplaneRole::Revision)
                && package.desired_state.as_deref() == Some("Active") =>
        {
            let defined = package.definitions.iter().filter_map(|name| name.split_once('.').map(|(_, group)| group));
            Box::new(defined.chain(std::iter::once("apps")))
        }
        Body::Crossplane(body) => {
            let composed = body.composed.iter().filter_map(|one| one.api_version.as_deref());
            let owners = resource.metadata.owner_references.iter().map(|owner| &*owner.api_version);
            Box::new(composed.chain(owners).map(group_of))
        }
        Body::Workload(_) => {
            Box::new(kinds_of_workload(resource).filter_map(|kind| kind.split_once('.')).map(|(_, group)| group))
        }
        _ => Box::new(std::iter::empty()),
    }
}

/// Returns the kinds that a workload of an engine serves or reconciles.
fn kinds_of_workload(resource: &Resource) -> impl Iterator<Item = &'static str> + '_ {
    let (part, name) = (resource.metadata.label(PART_OF), resource.metadata.name.as_str());
    let served = SERVED_BY.iter().filter(move |(of, workload, _)| part == Some(*of) && name == *workload);
    served.map(|(_, _, kind)| *kind)
}

/// Returns the kinds that must be served if this object exists, as `plural.group` or `Kind.group`.
fn kinds_of(resource: &Resource) -> Box<dyn Iterator<Item = Cow<'_, str>> + '_> {
    // The name of a definition is that of its kind.
    if resource.kind.group == "apiextensions.crossplane.io" && resource.kind.kind == "CompositeResourceDefinition" {
        let is_served = resource.conditions.with_status("Established", ConditionStatus::True).is_some();
        return Box::new(is_served.then(|| Cow::from(&*resource.metadata.name)).into_iter());
    }
    match &resource.body {
        Body::Package(package)
            if role(&resource.kind) == Some(CrossplaneRole::Revision)
                && package.desired_state.as_deref() == Some("Active") =>
        {
            // Usages of provider configs represent nothing outside of the cluster.
            let is_inert = |name: &&str| name.starts_with("providerconfigusages.");
            let served = package.served.iter().map(String::as_str).filter(move |name| !is_inert(name));
            Box::new(served.chain(std::iter::once("deployments.apps")).map(Cow::from))
        }
        Body::Package(package) if role(&resource.kind) == Some(CrossplaneRole::Package) => {
            let revision = package.current_revision.is_some();
            let kind = || Cow::from(format!("{}Revision.{}", resource.kind.kind, resource.kind.group));
            Box::new(revision.then(kind).into_iter())
        }
        Body::Crossplane(body) => {
            let claim = body.claim.as_ref().and_then(|claim| {
                let group = claim.api_version.as_deref().map(group_of)?;
                Some(Cow::from(format!("{}.{group}", claim.kind.as_deref()?)))
            });
            Box::new(claim.into_iter())
        }
        Body::Workload(_) => Box::new(kinds_of_workload(resource).map(Cow::from)),
        _ => Box::new(std::iter::empty()),
    }
}
