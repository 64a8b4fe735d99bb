//! Secrets declared in an app cluster itself, by External Secrets and Sealed Secrets. Their values come from outside of
//! the core cluster; they are reported only if they have the name of a connection Secret.

use std::collections::BTreeSet;

use serde_json::Value;

use super::copy_intent::{ClusterReference, CopiedPart, CopyIntent, DeclarationKind, Declarer};
use crate::adopt::names::NamespacedName;
use ucp_core::model::body::consumer::{list_field, text_field};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::resource::Resource;

const EXTERNAL_SECRETS: &str = "external-secrets.io";
const SEALED_SECRETS: &str = "bitnami.com";

/// Returns the query for a kind of an app cluster.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    let is_wanted = match kind.group.as_str() {
        EXTERNAL_SECRETS => matches!(kind.kind.as_str(), "ExternalSecret" | "ClusterExternalSecret"),
        SEALED_SECRETS => kind.kind == "SealedSecret",
        _ => false,
    };
    is_wanted.then_some(KindRequest::whole(BodyShape::Conditions))
}

/// Returns the Secrets that objects of an app cluster declare. ExternalSecrets created by a ClusterExternalSecret are
/// attributed to it.
pub fn declared(resources: &[Resource], cluster: usize) -> Vec<CopyIntent> {
    let mut intents = Vec::new();
    for resource in resources {
        let Some(whole) = resource.whole.as_deref() else { continue };
        let own = || resource.metadata.namespace.clone();
        let mut declare = |by, object, namespace: String, name: String| {
            intents.push(CopyIntent {
                declarer: Declarer { by, object },
                source: None,
                cluster: ClusterReference::Known(cluster),
                target: NamespacedName { namespace, name },
                part: CopiedPart::Whole,
            });
        };
        match (resource.kind.group.as_str(), resource.kind.kind.as_str()) {
            (EXTERNAL_SECRETS, "ExternalSecret") => {
                let owner = resource.metadata.controller().filter(|owner| owner.kind == "ClusterExternalSecret");
                let (by, object) = match owner {
                    Some(owner) => (DeclarationKind::ClusterExternalSecret, owner.object(None)),
                    None => (DeclarationKind::ExternalSecret, resource.name()),
                };
                let name = text_field(whole, "/spec/target/name").unwrap_or(&resource.metadata.name).to_owned();
                if let Some(namespace) = own() {
                    declare(by, object, namespace, name);
                }
            }
            (EXTERNAL_SECRETS, "ClusterExternalSecret") => {
                let name = text_field(whole, "/spec/externalSecretSpec/target/name")
                    .or_else(|| text_field(whole, "/spec/externalSecretName"))
                    .unwrap_or(&resource.metadata.name)
                    .to_owned();
                for namespace in namespaces(whole) {
                    declare(DeclarationKind::ClusterExternalSecret, resource.name(), namespace, name.clone());
                }
            }
            (SEALED_SECRETS, "SealedSecret") => {
                let name =
                    text_field(whole, "/spec/template/metadata/name").unwrap_or(&resource.metadata.name).to_owned();
                if let Some(namespace) = own() {
                    declare(DeclarationKind::SealedSecret, resource.name(), namespace, name);
                }
            }
            _ => {}
        }
    }
    // A ClusterExternalSecret and the ExternalSecret it created declare the same Secret.
    let mut seen = BTreeSet::new();
    intents
        .retain(|intent| seen.insert((intent.declarer.by, intent.declarer.object.name.clone(), intent.target.clone())));
    intents
}

/// Returns the provisioned and the failed namespaces.
fn namespaces(whole: &Value) -> BTreeSet<String> {
    let names = |path: &str| list_field(whole, path).iter().filter_map(|name| name.as_str().map(str::to_owned));
    let failed = list_field(whole, "/status/failedNamespaces").iter().filter_map(|one| text_field(one, "/namespace"));
    names("/status/provisionedNamespaces").chain(names("/spec/namespaces")).chain(failed.map(str::to_owned)).collect()
}
