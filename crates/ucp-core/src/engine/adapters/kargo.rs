//! Kargo: promotion of freight between stages.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{DeclaredController, DeclaredEngine, KindFilter, KindSelector, verdicts};

codes! {
    KargoFailed "UCP771" Failed "Kargo reports a failure" {
        "A Stage is Unhealthy or its verification failed, a Warehouse cannot be read, or a Promotion ended as Failed or Errored."
        "Read the message; the Promotion names the failed step."
        "kubectl describe {object}"
    }
}

pub(in crate::engine) const ENGINE: DeclaredEngine = DeclaredEngine {
    name: "Kargo",
    part_of: "kargo",
    // A Stage refers to its last Promotion, so that older ones are not read.
    kinds: &[KindSelector { group: "kargo.akuity.io", which: KindFilter::Only(&["Stage", "Warehouse", "Project"]) }],
    codes: ALL,
    verdicts: verdicts(Code::KargoFailed),
    controllers: &[DeclaredController::all(&["kargo-controller"])],
    ..DeclaredEngine::NEW
};
