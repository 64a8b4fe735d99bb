//! Reasons of Flux's condition Ready that tell of something that Flux itself tries again, soon and by itself. A reason that
//! is not here is a failure until the object, its source or the cluster changes.

use crate::model::condition::{Condition, Truth};

/// A reason by which Flux waits for another object, and looks again within seconds.
struct Waiting {
    reason: &'static str,
    /// Words without which the reason also stands for errors that last; any where there are none.
    words: &'static [&'static str],
}

const WAITING: [Waiting; 3] = [
    // https://fluxcd.io/flux/components/kustomize/kustomizations/#dependencies
    Waiting { reason: "DependencyNotReady", words: &[] },
    // https://fluxcd.io/flux/components/kustomize/kustomizations/#failed-kustomization
    Waiting { reason: "ArtifactFailed", words: &["retrying in", "artifact not found"] },
    // https://fluxcd.io/flux/components/helm/helmreleases/#source-not-ready
    Waiting { reason: "SourceNotReady", words: &["has not been reconciled", "retrying in"] },
];

/// Whether Ready is False because of something that Flux waits for.
pub(super) fn waits(ready: &Condition) -> bool {
    let message = ready.message.to_lowercase();
    ready.status == Truth::False
        && WAITING.iter().any(|waiting| {
            let is_meant = waiting.words.is_empty() || waiting.words.iter().any(|words| message.contains(words));
            ready.reason == waiting.reason && is_meant
        })
}
