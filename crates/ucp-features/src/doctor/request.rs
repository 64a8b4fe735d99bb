//! The data that the checks read.

use ucp_core::engine;
use ucp_core::model::body::{BodyShape, KeepAmount, KindRequest, NamespaceReach};
use ucp_core::model::kind::ResourceKind;

/// Label of the ConfigMaps that Argo CD reads.
const OF_ARGO_CD: &str = "app.kubernetes.io/part-of=argocd";

/// Returns the data to read of a kind.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    let everywhere = |shape| KindRequest { reach: NamespaceReach::Everywhere, ..KindRequest::all(shape) };
    let whole = |want: KindRequest| KindRequest { keep: KeepAmount::Whole, ..want };
    Some(match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Secret") => everywhere(BodyShape::Secret),
        ("", "ConfigMap") => whole(KindRequest { selector: Some(OF_ARGO_CD), ..everywhere(BodyShape::Conditions) }),
        ("", "Service") => everywhere(BodyShape::Metadata),
        // They show in which namespace Argo CD reads its settings.
        ("argoproj.io", "AppProject") => everywhere(BodyShape::Metadata),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => KindRequest::all(BodyShape::Definition),
        ("discovery.k8s.io", "EndpointSlice")
        | ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration")
        | ("apiextensions.crossplane.io", "CompositeResourceDefinition")
        | ("rbac.authorization.k8s.io", "ClusterRole" | "ClusterRoleBinding")
        | ("pkg.crossplane.io", "ControllerConfig")
        | ("secrets.crossplane.io", "StoreConfig") => whole(everywhere(BodyShape::Conditions)),
        _ => whole(engine::want(kind)?),
    })
}
