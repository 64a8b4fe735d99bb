//! Objects that decide about requests for other objects: policies, webhooks, quotas. A server predicts with those that it has,
//! not with those that the same merge adds, changes or removes.

use crate::plan::kind_list::{KindList, has_kind};
use ucp_client::prediction::difference::FieldChange;
use ucp_core::model::path::FieldPathStep;

/// Kinds of such objects.
const ADMITTING: &KindList = &[
    ("", &["LimitRange", "ResourceQuota"]),
    ("admissionregistration.k8s.io", &[]),
    ("constraints.gatekeeper.sh", &[]),
    ("expansion.gatekeeper.sh", &[]),
    ("kyverno.io", &["ClusterPolicy", "Policy", "PolicyException"]),
    ("mutations.gatekeeper.sh", &[]),
    ("policies.kubewarden.io", &[]),
    ("policies.kyverno.io", &[]),
    ("policy.jspolicy.com", &[]),
    ("quota.openshift.io", &[]),
    ("security.openshift.io", &["SecurityContextConstraints"]),
    ("templates.gatekeeper.sh", &[]),
];
/// Prefix of the labels of a Namespace that select its Pod Security level.
const POD_SECURITY: &str = "pod-security.kubernetes.io/";
/// The statement about a change of such an object.
const EFFECTS: &str =
    "its effects on other objects are not known: they are predicted with the rules that the cluster has now";

/// The statement about a change of a policy of Kyverno.
const KYVERNO_EFFECTS: &str =
    "its effects on other objects are not known: 'kyverno apply FILE --cluster' shows those on live objects";

/// Returns the effects of a new or removed object on requests for other objects; `None` if its kind decides about none.
pub(super) fn admission_effects(group: &str, kind: &str) -> Option<&'static str> {
    let effects = if group == "kyverno.io" || group == "policies.kyverno.io" { KYVERNO_EFFECTS } else { EFFECTS };
    has_kind(ADMITTING, group, kind).then_some(effects)
}

/// Returns the effects of a changed object on requests for other objects. Metadata decides only as labels of namespaces.
pub(super) fn changed_admission_effects(group: &str, kind: &str, found: &[FieldChange]) -> Option<&'static str> {
    if (group, kind) == ("", "Namespace") {
        return found.iter().any(sets_pod_security).then_some(EFFECTS);
    }
    let is_metadata = |change: &FieldChange| field_at(change, 0) == Some("metadata");
    admission_effects(group, kind).filter(|_| !found.iter().all(is_metadata))
}

/// Returns true if a change concerns a Pod Security label. Every Namespace of a server has labels, so each is a difference.
fn sets_pod_security(change: &FieldChange) -> bool {
    let is_label = [field_at(change, 0), field_at(change, 1)] == [Some("metadata"), Some("labels")];
    is_label && field_at(change, 2).is_some_and(|name| name.starts_with(POD_SECURITY))
}

fn field_at(change: &FieldChange, depth: usize) -> Option<&str> {
    match change.path.0.get(depth)? {
        FieldPathStep::Field(name) => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use ucp_client::prediction::difference::field_changes;

    use super::*;

    fn is_known(group: &str, kind: &str, before: Value, after: Value) -> bool {
        changed_admission_effects(group, kind, &field_changes(&before, &after)).is_none()
    }

    #[test]
    fn a_policy_of_the_same_merge_decides_about_other_objects() {
        let (before, after) =
            (json!({"spec": {"failurePolicy": "Ignore"}}), json!({"spec": {"failurePolicy": "Fail"}}));
        for (group, kind) in [
            ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"),
            ("constraints.gatekeeper.sh", "K8sRequiredLabels"),
            ("", "ResourceQuota"),
        ] {
            assert!(!is_known(group, kind, before.clone(), after.clone()), "{kind}");
            assert!(!is_known(group, kind, json!({}), after.clone()), "a new {kind}");
            assert!(admission_effects(group, kind).is_some(), "a removed {kind}");
            let labelled = json!({"metadata": {"labels": {"team": "a"}}});
            assert!(
                is_known(group, kind, json!({"metadata": {"labels": {"team": "b"}}}), labelled),
                "a label of a {kind}"
            );
        }
        assert!(is_known("apps", "Deployment", before, after));
    }

    #[test]
    fn pod_security_labels_decide_about_pods() {
        let labels =
            |name: &str| json!({"metadata": {"labels": {"kubernetes.io/metadata.name": "a", name: "restricted"}}});
        assert!(!is_known("", "Namespace", labels("a"), labels("pod-security.kubernetes.io/enforce")));
        assert!(is_known("", "Namespace", labels("a"), labels("team")));
    }
}
