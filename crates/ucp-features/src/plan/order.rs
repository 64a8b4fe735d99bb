//! The order in which objects would be applied: by sync wave, then namespaces and definitions before their dependents.

use serde_json::Value;

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
    let wave = manifest.and_then(|manifest| {
        let annotations = manifest.pointer("/metadata/annotations")?;
        annotations.get("argocd.argoproj.io/sync-wave")?.as_str()?.parse().ok()
    });
    let kind = KINDS.iter().position(|known| *known == kind).unwrap_or(KINDS.len());
    (wave.unwrap_or(0), kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_others_need_comes_first() {
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
