//! Whether an engine corrects an object that differs from Git, and how that is described.

use ucp_core::engine::code::Code;
use ucp_core::engine::outage::ControllerOutage;
use ucp_core::model::body::argocd::Application;

/// Returns true if Argo CD corrects an object of an Application automatically; `None` if it depends on the change.
pub(super) fn automatic_correction(application: &Application, code: Code) -> Option<bool> {
    // Without self-healing, Argo CD syncs changes in Git, and ignores changes in the cluster.
    match (application.spec.sync_policy.automatic(), code) {
        (None, _) => Some(false),
        (Some(automated), Code::ObjectNotInGit) => Some(automated.prune),
        (Some(automated), _) => automated.self_heal.then_some(true),
    }
}

/// Describes why an object is not corrected while its controller does not run.
pub(super) fn describe_outage(outage: &ControllerOutage) -> String {
    format!("{}: nothing corrects it", outage.to_sentence())
}

/// Describes the expected correction of an object that differs from Git.
pub(super) fn describe_correction(will_be_corrected: Option<bool>) -> &'static str {
    match will_be_corrected {
        Some(true) => "its engine corrects it automatically",
        Some(false) => "it remains until a manual sync",
        None => "Argo CD syncs it if Git changed, but not if the cluster changed (selfHeal is off)",
    }
}
