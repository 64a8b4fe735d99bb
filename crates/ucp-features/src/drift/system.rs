//! Objects that Kubernetes and the engines create themselves: they are not declared, and a rebuilt cluster has them
//! again. The complete rules:
//!
//! - kinds that only controllers and the API server write ([`RUNTIME_KINDS`]), and the metrics API;
//! - namespaces `kube-system`, `kube-public` and `kube-node-lease` with all of their objects, and namespace `default`
//!   itself;
//! - ServiceAccount `default`, ConfigMaps `kube-root-ca.crt` and `openshift-service-ca.crt` of every namespace, and
//!   Service `default/kubernetes`;
//! - RBAC that the API server maintains (label `kubernetes.io/bootstrapping`, names that begin with `system:`), flow
//!   schemas and priority levels that it maintains (annotation `apf.kubernetes.io/autoupdate-spec`), APIServices that
//!   it maintains (label `kube-aggregator.kubernetes.io/automanaged`), priority classes and namespaces that begin with
//!   `system-`;
//! - PersistentVolumes that a provisioner created (annotation `pv.kubernetes.io/provisioned-by`), tokens of service
//!   accounts (annotation `kubernetes.io/service-account.name`), releases that Helm stores (label `owner: helm`), and
//!   locks of leader elections (annotation `control-plane.alpha.kubernetes.io/leader`);
//! - objects that Crossplane and Argo CD create when they start ([`MADE_BY_ENGINES`]), including Crossplane's own CRDs.

use ucp_core::model::glob;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::metadata::SYSTEM_NAMESPACES;
use ucp_core::model::resource::Resource;

/// Kinds that only controllers and the API server write, by group.
const RUNTIME_KINDS: [(&str, &[&str]); 14] = [
    ("", &["ComponentStatus", "Endpoints", "Event", "Node"]),
    ("apps", &["ControllerRevision"]),
    ("certificates.k8s.io", &["CertificateSigningRequest"]),
    ("coordination.k8s.io", &["Lease", "LeaseCandidate"]),
    ("custom.metrics.k8s.io", &["*"]),
    ("discovery.k8s.io", &["EndpointSlice"]),
    ("events.k8s.io", &["Event"]),
    ("external.metrics.k8s.io", &["*"]),
    ("internal.apiserver.k8s.io", &["StorageVersion"]),
    ("metrics.k8s.io", &["*"]),
    ("networking.k8s.io", &["IPAddress", "ServiceCIDR"]),
    ("resource.k8s.io", &["ResourceSlice"]),
    ("storage.k8s.io", &["CSINode", "CSIStorageCapacity", "VolumeAttachment"]),
    ("storagemigration.k8s.io", &["*"]),
];

/// Objects that engines create when they start: group, kind and name pattern.
const MADE_BY_ENGINES: [(&str, &str, &str); 14] = [
    ("", "Secret", "argocd-initial-admin-secret"),
    ("", "Secret", "argocd-redis"),
    ("", "Secret", "crossplane-root-ca"),
    ("", "Secret", "crossplane-tls-client"),
    ("", "Secret", "crossplane-tls-server"),
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration", "crossplane*"),
    ("apiextensions.crossplane.io", "ManagedResourceActivationPolicy", "default"),
    ("apiextensions.k8s.io", "CustomResourceDefinition", "*.apiextensions.crossplane.io"),
    ("apiextensions.k8s.io", "CustomResourceDefinition", "*.ops.crossplane.io"),
    ("apiextensions.k8s.io", "CustomResourceDefinition", "*.pkg.crossplane.io"),
    ("apiextensions.k8s.io", "CustomResourceDefinition", "*.protection.crossplane.io"),
    ("argoproj.io", "AppProject", "default"),
    ("pkg.crossplane.io", "DeploymentRuntimeConfig", "default"),
    ("pkg.crossplane.io", "Lock", "lock"),
];

/// Returns true if only controllers and the API server write objects of a kind, so that it does not have to be read.
pub(super) fn is_runtime_kind(kind: &ResourceKind) -> bool {
    RUNTIME_KINDS
        .iter()
        .any(|(group, kinds)| *group == kind.group && kinds.iter().any(|name| *name == "*" || *name == kind.kind))
}

/// Returns true if an object is created by Kubernetes or an engine itself.
pub(super) fn is_system_object(resource: &Resource) -> bool {
    let (metadata, group, kind) = (&resource.metadata, resource.kind.group.as_str(), resource.kind.kind.as_str());
    let (name, namespace) = (metadata.name.as_str(), metadata.namespace.as_deref());
    let has_label = |label: &str| metadata.labels.contains_key(label);
    let has_annotation = |annotation: &str| metadata.annotations.contains_key(annotation);
    let by_name = match (group, kind) {
        ("", "Namespace") => name == "default" || SYSTEM_NAMESPACES.contains(&name),
        ("", "ServiceAccount") => name == "default",
        ("", "ConfigMap") => matches!(name, "kube-root-ca.crt" | "openshift-service-ca.crt"),
        ("", "Service") => name == "kubernetes" && namespace == Some("default"),
        ("rbac.authorization.k8s.io", _) => name.starts_with("system:") || has_label("kubernetes.io/bootstrapping"),
        ("scheduling.k8s.io", "PriorityClass") => name.starts_with("system-"),
        ("flowcontrol.apiserver.k8s.io", _) => has_annotation("apf.kubernetes.io/autoupdate-spec"),
        ("apiregistration.k8s.io", _) => has_label("kube-aggregator.kubernetes.io/automanaged"),
        ("", "PersistentVolume") => has_annotation("pv.kubernetes.io/provisioned-by"),
        ("", "Secret") => {
            has_annotation("kubernetes.io/service-account.name") || metadata.label("owner") == Some("helm")
        }
        _ => false,
    };
    by_name
        || namespace.is_some_and(|namespace| SYSTEM_NAMESPACES.contains(&namespace))
        || has_annotation("control-plane.alpha.kubernetes.io/leader")
        || is_runtime_kind(&resource.kind)
        || MADE_BY_ENGINES
            .iter()
            .any(|(known, of, pattern)| *known == group && *of == kind && glob::matches(pattern, name))
}
