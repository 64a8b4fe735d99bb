//! The order in which objects would be applied: by sync wave, then namespaces and definitions before their dependents.

use std::collections::BTreeSet;

use serde_json::Value;

use ucp_core::model::object::ObjectName;
use ucp_repo::manifests::deployment::Deployment;

/// Kinds in the order in which Argo CD applies them within a wave (`gitops-engine/pkg/sync/sync_tasks.go`); all others
/// follow.
const KINDS: [&str; 27] = [
    "Namespace",
    "CustomResourceDefinition",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "SecretList",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "ClusterRole",
    "ClusterRoleBinding",
    "Role",
    "RoleBinding",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicaSet",
    "Deployment",
    "StatefulSet",
    "Job",
    "CronJob",
    "Ingress",
];

/// Returns an object's position in the order, smallest first.
pub fn apply_rank(kind: &str, manifest: Option<&Value>) -> (i64, usize) {
    // A namespace or CRD with a late wave is late on purpose.
    let wave = sync_wave(manifest);
    let kind = KINDS.iter().position(|known| *known == kind).unwrap_or(KINDS.len());
    (wave, kind)
}

/// Returns the sync wave of a manifest.
pub(super) fn sync_wave(manifest: Option<&Value>) -> i64 {
    let wave = manifest.and_then(|manifest| {
        let annotations = manifest.pointer("/metadata/annotations")?;
        annotations.get("argocd.argoproj.io/sync-wave")?.as_str()?.parse().ok()
    });
    wave.unwrap_or(0)
}

/// The stages in which Flux applies the objects of a Kustomization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ApplyStage {
    /// CRDs, ClusterRoles and namespaces.
    Definitions,
    /// Objects whose kind ends with `Class`.
    Classes,
    /// All others.
    Resources,
}

/// Returns the stage of an object.
pub(super) fn apply_stage(object: &ObjectName) -> ApplyStage {
    match (object.group(), object.kind.as_str()) {
        ("apiextensions.k8s.io", "CustomResourceDefinition")
        | ("rbac.authorization.k8s.io", "ClusterRole")
        | ("", "Namespace") => ApplyStage::Definitions,
        (_, kind) if kind.ends_with("Class") => ApplyStage::Classes,
        _ => ApplyStage::Resources,
    }
}

/// The waves in which Argo CD prunes objects: in the reverse order of those in which they were applied.
#[derive(Debug)]
pub(super) struct PruneWaves<'a> {
    deployment: &'a Deployment,
    waves: Vec<i64>,
    last: i64,
}

impl<'a> PruneWaves<'a> {
    /// Returns the waves for the objects that a deployment prunes. `declared` are the manifests that it applies.
    pub(super) fn new<'b>(
        pruned: &[&Value],
        deployment: &'a Deployment,
        declared: impl Iterator<Item = &'b Value>,
    ) -> Self {
        let waves: BTreeSet<i64> = pruned.iter().map(|live| sync_wave(Some(live))).collect();
        let declared = declared.map(|manifest| sync_wave(Some(manifest)));
        let last = declared.chain(waves.iter().copied()).fold(0, i64::max);
        Self { deployment, waves: waves.into_iter().collect(), last: last.saturating_add(1) }
    }

    /// Returns the wave in which an object is pruned.
    pub(super) fn wave(&self, live: &Value) -> i64 {
        if self.deployment.has_sync_option(live, "PruneLast=true") {
            return self.last;
        }
        let own = sync_wave(Some(live));
        let position = self.waves.iter().position(|wave| *wave == own);
        let reversed = position.and_then(|position| self.waves.iter().rev().nth(position));
        reversed.copied().unwrap_or(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn objects_that_others_need_come_first() {
        let late = json!({"metadata": {"annotations": {"argocd.argoproj.io/sync-wave": "2"}}});
        let mut kinds = [
            ("Bucket", None),
            ("Deployment", None),
            ("Namespace", Some(&late)),
            ("Namespace", None),
            ("CustomResourceDefinition", None),
        ];
        kinds.sort_by_key(|(kind, manifest)| apply_rank(kind, *manifest));
        let order: Vec<_> = kinds.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(order, ["Namespace", "CustomResourceDefinition", "Deployment", "Bucket", "Namespace"]);
    }
}
