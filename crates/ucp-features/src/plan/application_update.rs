//! Applications as the ApplicationSet controller updates them.

use serde_json::{Value, json};

use crate::plan::examine::Examiner;
use ucp_client::prediction::cluster::path_of;
use ucp_core::failure::Failure;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_repo::manifests::deployment::ApplicationSetPolicy;

impl Examiner<'_> {
    /// Returns the live Application as the ApplicationSet controller would update it; `None` if there is none.
    pub(super) async fn updated_application(
        &self,
        kind: &ResourceKind,
        object: &ObjectName,
        generated: &Value,
        policy: &ApplicationSetPolicy,
    ) -> Result<Option<Value>, Failure> {
        let path = path_of(kind, object.namespace.as_deref(), &object.name);
        let live = self.cluster.api.read_object(&path).await?;
        Ok(live.map(|live| update_application(live, generated, policy)))
    }
}

/// Annotations of Applications that the ApplicationSet controller keeps.
const KEPT_ANNOTATIONS: [&str; 3] =
    ["argocd.argoproj.io/refresh", "argocd.argoproj.io/hydrate", "notified.notifications.argoproj.io"];

/// Updates a live Application: spec, labels, annotations and finalizers are those that the ApplicationSet generates.
fn update_application(live: Value, generated: &Value, policy: &ApplicationSetPolicy) -> Value {
    let mut updated = live.clone();
    updated["spec"] = generated.get("spec").cloned().unwrap_or_default();
    for (place, kept) in [("labels", &policy.kept_labels), ("annotations", &policy.kept_annotations)] {
        let mut marks = generated.pointer(&format!("/metadata/{place}")).cloned().unwrap_or_else(|| json!({}));
        let own = live.pointer(&format!("/metadata/{place}"));
        let kept =
            kept.iter().map(String::as_str).chain(KEPT_ANNOTATIONS.into_iter().filter(|_| place == "annotations"));
        for key in kept {
            if let Some(value) = own.and_then(|own| own.get(key)) {
                marks[key] = value.clone();
            }
        }
        updated["metadata"][place] = marks;
    }
    updated["metadata"]["finalizers"] = generated.pointer("/metadata/finalizers").cloned().unwrap_or_else(|| json!([]));
    updated
}
