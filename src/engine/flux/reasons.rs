//! Reasons of Flux's condition Ready for problems that Flux retries by itself, soon. Any other reason is a failure
//! until the object, its source, or the cluster changes.

use crate::model::condition::{Condition, ConditionStatus};

/// A reason for which Flux waits for another object, and retries within seconds.
struct WaitingReason {
    reason: &'static str,
    /// Texts that distinguish the reason from permanent errors with the same reason; empty if all are temporary.
    words: &'static [&'static str],
}

const WAITING: [WaitingReason; 3] = [
    // https://fluxcd.io/flux/components/kustomize/kustomizations/#dependencies
    WaitingReason { reason: "DependencyNotReady", words: &[] },
    // https://fluxcd.io/flux/components/kustomize/kustomizations/#failed-kustomization
    WaitingReason { reason: "ArtifactFailed", words: &["retrying in", "artifact not found"] },
    // https://fluxcd.io/flux/components/helm/helmreleases/#source-not-ready
    WaitingReason { reason: "SourceNotReady", words: &["has not been reconciled", "retrying in"] },
];

/// Returns true if Ready is False because Flux is waiting for another object.
pub(super) fn is_waiting(ready: &Condition) -> bool {
    let message = ready.message.to_lowercase();
    ready.status == ConditionStatus::False
        && WAITING.iter().any(|waiting| {
            let is_meant = waiting.words.is_empty() || waiting.words.iter().any(|words| message.contains(words));
            ready.reason == waiting.reason && is_meant
        })
}
