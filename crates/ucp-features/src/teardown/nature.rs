//! The consequences of deleting an object, by its kind. A kind that is neither listed here nor known to an engine is
//! unknown: its controller may delete anything outside the cluster.

use super::settings::{SettingKind, setting_kind};
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::engine::{any, engine_of};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::resource::Resource;

/// The possible consequences of deleting objects of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeletionNature {
    /// Determined by an engine's rules.
    Engine,
    /// Everything in the namespace is deleted too.
    Namespace,
    /// Every object of the kind is deleted with its definition.
    Definition,
    /// Crossplane deletes every composite and claim with their definition.
    CompositeDefinition,
    /// Defines managed resources: it owns the definition of their kind.
    ManagedDefinition,
    /// Settings that other objects of Crossplane refer to.
    Setting(SettingKind),
    /// A claim for a disk; the policy of its volume decides about the disk.
    VolumeClaim,
    /// A disk.
    Volume,
    /// A Service, which may have a load balancer.
    Service,
    /// An Ingress, which may have a load balancer of its own.
    Ingress,
    /// Nothing outside the cluster depends on it.
    Inert,
    /// Unknown, with the reason.
    Unknown(&'static str),
}

/// Returns the possible consequences of deleting objects of this kind.
pub(super) fn nature_of(kind: &ResourceKind) -> DeletionNature {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Namespace") => return DeletionNature::Namespace,
        ("", "PersistentVolumeClaim") => return DeletionNature::VolumeClaim,
        ("", "PersistentVolume") => return DeletionNature::Volume,
        ("", "Service") => return DeletionNature::Service,
        ("networking.k8s.io", "Ingress") => return DeletionNature::Ingress,
        ("apiextensions.k8s.io", "CustomResourceDefinition") => return DeletionNature::Definition,
        ("apiextensions.crossplane.io", "CompositeResourceDefinition") => return DeletionNature::CompositeDefinition,
        ("apiextensions.crossplane.io", "ManagedResourceDefinition") => return DeletionNature::ManagedDefinition,
        ("externaldns.k8s.io", "DNSEndpoint") => {
            return DeletionNature::Unknown("the policy of ExternalDNS decides whether its records are deleted");
        }
        ("external-secrets.io", "PushSecret" | "ClusterPushSecret") => {
            return DeletionNature::Unknown(
                "its deletionPolicy decides whether the secrets that it pushed are deleted",
            );
        }
        _ => {}
    }
    if let Some(setting) = setting_kind(kind) {
        return DeletionNature::Setting(setting);
    }
    let is_usage_of_config = kind.kind.ends_with("ProviderConfigUsage");
    if role(kind).is_some_and(|role| role != CrossplaneRole::ProviderConfig) || engine_of(kind).is_some() {
        DeletionNature::Engine
    } else if is_usage_of_config
        || any::is_of_kubernetes(&kind.group)
        || kind.group == "apiextensions.k8s.io"
        || kind.group == "apiregistration.k8s.io"
    {
        DeletionNature::Inert
    } else {
        DeletionNature::Unknown("no rule defines what its controller deletes outside of the cluster")
    }
}

/// Returns true for kinds whose objects are deleted with everything in them: namespaces, and definitions of kinds.
pub fn has_contents(kind: &ResourceKind) -> bool {
    matches!(
        nature_of(kind),
        DeletionNature::Namespace
            | DeletionNature::Definition
            | DeletionNature::CompositeDefinition
            | DeletionNature::ManagedDefinition
    )
}

/// Returns true for kinds whose objects any other object may own, and whose deletion may have a consequence outside of the
/// cluster. Those of engines are read in any case.
pub(super) fn has_effect_of_its_own(kind: &ResourceKind) -> bool {
    matches!(
        nature_of(kind),
        DeletionNature::VolumeClaim
            | DeletionNature::Volume
            | DeletionNature::Service
            | DeletionNature::Ingress
            | DeletionNature::Unknown(_)
    )
}

/// Returns true for Secrets, whose contents are never needed.
pub(super) fn is_secret(kind: &ResourceKind) -> bool {
    kind.group.is_empty() && kind.kind == "Secret"
}

/// Returns true if a Secret registers a cluster in Argo CD.
pub(super) fn is_registration(resource: &Resource) -> bool {
    is_secret(&resource.kind) && resource.metadata.label("argocd.argoproj.io/secret-type") == Some("cluster")
}

/// Returns true for definitions of kinds.
pub(super) fn is_definition(group: &str, kind: &str) -> bool {
    group == "apiextensions.k8s.io" && kind == "CustomResourceDefinition"
}

/// Namespaces that admission plugin `NamespaceLifecycle` protects.
const IMMORTAL: [&str; 3] = ["default", "kube-public", "kube-system"];

/// Returns true if the API server refuses to delete the object.
pub(super) fn is_immortal(resource: &Resource) -> bool {
    resource.kind.is_namespace() && IMMORTAL.contains(&resource.metadata.name.as_str())
}

/// Returns true if the object is a namespace whose deletion deletes everything in it.
pub(super) fn removes_contents(resource: &Resource) -> bool {
    resource.kind.is_namespace() && !is_immortal(resource)
}

/// Finalizers that only order a deletion inside of the cluster, besides those of Kubernetes and Crossplane.
const ORDERING: [&str; 4] = ["foregroundDeletion", "orphan", "kubernetes", "argocd.argoproj.io/hook-finalizer"];

/// Returns the first finalizer whose controller may delete anything outside of the cluster.
pub(super) fn foreign_finalizer(finalizers: &[impl AsRef<str>]) -> Option<&str> {
    finalizers.iter().map(AsRef::as_ref).find(|name| {
        let domain = name.split_once('/').map_or(*name, |(domain, _)| domain);
        let is_known = ["kubernetes.io", "k8s.io", "crossplane.io"]
            .iter()
            .any(|known| domain.strip_suffix(known).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')));
        !is_known && !ORDERING.contains(name)
    })
}

/// Returns true if objects of the kind may own claims, Services and Ingresses, directly or through what they create.
pub(super) fn is_workload(kind: &ResourceKind) -> bool {
    matches!(kind.group.as_str(), "apps" | "batch") || kind.group.is_empty() && kind.kind == "Pod"
}

/// Short names of kinds, which discovery has but a snapshot does not.
const SHORT_NAMES: [(&str, &str, &str); 14] = [
    ("ns", "", "Namespace"),
    ("pv", "", "PersistentVolume"),
    ("pvc", "", "PersistentVolumeClaim"),
    ("svc", "", "Service"),
    ("cm", "", "ConfigMap"),
    ("sa", "", "ServiceAccount"),
    ("po", "", "Pod"),
    ("deploy", "apps", "Deployment"),
    ("sts", "apps", "StatefulSet"),
    ("ds", "apps", "DaemonSet"),
    ("crd", "apiextensions.k8s.io", "CustomResourceDefinition"),
    ("crds", "apiextensions.k8s.io", "CustomResourceDefinition"),
    ("xrd", "apiextensions.crossplane.io", "CompositeResourceDefinition"),
    ("xrds", "apiextensions.crossplane.io", "CompositeResourceDefinition"),
];

/// Returns true if the user's word refers to this kind.
pub fn matches_word(kind: &ResourceKind, word: &str) -> bool {
    let is_short = |(short, group, name): &(&str, &str, &str)| {
        short.eq_ignore_ascii_case(word) && kind.group == *group && kind.kind == *name
    };
    kind.is_called(word) || SHORT_NAMES.iter().any(is_short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_kinds_with_known_consequences_are_inert() {
        for (group, kind, expected) in [
            ("", "ConfigMap", DeletionNature::Inert),
            ("apps", "DaemonSet", DeletionNature::Inert),
            ("networking.k8s.io", "NetworkPolicy", DeletionNature::Inert),
            ("", "Namespace", DeletionNature::Namespace),
            ("argoproj.io", "Application", DeletionNature::Engine),
            ("apiextensions.crossplane.io", "EnvironmentConfig", DeletionNature::Setting(SettingKind::Environment)),
            ("apiextensions.crossplane.io", "ManagedResourceDefinition", DeletionNature::ManagedDefinition),
            ("apiextensions.crossplane.io", "ManagedResourceActivationPolicy", DeletionNature::Engine),
            ("pkg.crossplane.io", "Lock", DeletionNature::Engine),
            ("aws.upbound.io", "ProviderConfigUsage", DeletionNature::Inert),
        ] {
            assert_eq!(nature_of(&ResourceKind::guess(group, kind)), expected, "{group} {kind}");
        }
        // A community group may have the same suffix as one of Kubernetes, and Crossplane may add a kind.
        for (group, kind) in [
            ("acme.example.org", "Widget"),
            ("snapshot.storage.k8s.io", "VolumeSnapshot"),
            ("argoproj.io", "Workflow"),
            ("pkg.crossplane.io", "NewKind"),
        ] {
            assert!(
                matches!(nature_of(&ResourceKind::guess(group, kind)), DeletionNature::Unknown(_)),
                "{group} {kind}"
            );
        }
    }
}
