//! Health checks of Flux: expressions in CEL that a Kustomization defines for kinds of its objects.

use std::collections::HashSet;

use serde_json::Value;

use crate::model::kind::ResourceKind;
use crate::model::object::{ObjectKey, inventory_key};

/// Whether Flux evaluates the checks of a Kustomization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckUse {
    /// With each reconciliation.
    Repeated,
    /// Not while the Kustomization is suspended.
    Suspended,
}

/// `spec.healthCheckExprs` of a Kustomization, for one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthCheck {
    /// `namespace/name` of the Kustomization.
    pub kustomization: String,
    group: String,
    kind: String,
    /// True for an object whose state is not final.
    pub in_progress: Option<String>,
    /// True for an object that has failed.
    pub failed: Option<String>,
    /// True for an object that is healthy.
    pub current: String,
    /// Whether Flux evaluates the check.
    pub use_by_flux: CheckUse,
    /// The objects that the Kustomization applied.
    objects: HashSet<ObjectKey>,
}

impl HealthCheck {
    /// Reads the checks of a Kustomization; none for one that applies to another cluster, and for other kinds.
    pub fn list_of_kustomization(object: &Value) -> Vec<Self> {
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let is_flux =
            text(object, "apiVersion").is_some_and(|version| version.starts_with("kustomize.toolkit.fluxcd.io/"));
        let spec = object.get("spec").filter(|spec| is_flux && spec.get("kubeConfig").is_none_or(Value::is_null));
        let expressions = spec.and_then(|spec| spec.get("healthCheckExprs")).and_then(Value::as_array);
        let Some(expressions) = expressions.filter(|expressions| !expressions.is_empty()) else { return Vec::new() };
        let entries = object.pointer("/status/inventory/entries").and_then(Value::as_array);
        let objects = entries.into_iter().flatten().filter_map(|entry| inventory_key(entry.get("id")?.as_str()?));
        let objects: HashSet<ObjectKey> = objects.collect();
        let metadata = object.get("metadata").unwrap_or(&Value::Null);
        let name = text(metadata, "name").unwrap_or_default();
        let kustomization = match text(metadata, "namespace") {
            Some(namespace) => format!("{namespace}/{name}"),
            None => name,
        };
        let is_suspended = object.pointer("/spec/suspend").and_then(Value::as_bool) == Some(true);
        let use_by_flux = if is_suspended { CheckUse::Suspended } else { CheckUse::Repeated };
        let checks = expressions.iter().filter_map(|check| {
            let version = text(check, "apiVersion")?;
            let group = version.split_once('/').map_or(String::new(), |(group, _)| group.to_owned());
            Some(Self {
                kustomization: kustomization.clone(),
                group,
                kind: text(check, "kind")?,
                in_progress: text(check, "inProgress"),
                failed: text(check, "failed"),
                current: text(check, "current")?,
                use_by_flux,
                objects: objects.clone(),
            })
        });
        checks.collect()
    }

    /// Returns true if the check is for a kind.
    pub fn is_for_kind(&self, kind: &ResourceKind) -> bool {
        self.group == kind.group && self.kind == kind.kind
    }

    /// Returns true if the check decides for an object: the Kustomization applied it.
    pub fn decides_for(&self, object: &ObjectKey) -> bool {
        self.group == object.group && self.kind == object.kind && self.objects.contains(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn checks_are_those_of_a_kustomization_for_its_own_cluster() {
        let kustomization = |extra: Value| {
            let mut object = json!({
                "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
                "metadata": {"namespace": "flux-system", "name": "apps"},
                "spec": {"healthCheckExprs": [
                    {"apiVersion": "example.org/v1", "kind": "Gadget", "current": "status.on", "failed": "status.off"},
                    {"apiVersion": "example.org/v1", "kind": "Incomplete"},
                ]},
                "status": {"inventory": {"entries": [{"id": "shop_one_example.org_Gadget", "v": "v1"}]}},
            });
            object["spec"]["kubeConfig"] = extra;
            HealthCheck::list_of_kustomization(&object)
        };
        let checks = kustomization(Value::Null);
        assert_eq!(checks.len(), 1, "an entry without an expression is none");
        assert_eq!((checks[0].kustomization.as_str(), checks[0].current.as_str()), ("flux-system/apps", "status.on"));
        assert!(checks[0].is_for_kind(&ResourceKind::guess("example.org", "Gadget")));
        assert!(!checks[0].is_for_kind(&ResourceKind::guess("example.com", "Gadget")));
        assert!(kustomization(json!({"secretRef": {"name": "a"}})).is_empty());
        assert!(HealthCheck::list_of_kustomization(&json!({"kind": "Kustomization"})).is_empty());
    }
}
