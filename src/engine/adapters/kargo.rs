//! Kargo: promotion of freight between stages.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{Declared, Kinds, Runs, Which, verdicts};

codes! {
    KargoFailed "UCP771" Failed "Kargo reports a failure" {
        "A Stage is Unhealthy or its verification failed, a Warehouse cannot be read, or a Promotion ended as Failed or Errored."
        "Read the message; the Promotion says which step failed."
        "kubectl describe {object}"
    }
}

pub(in crate::engine) const ENGINE: Declared = Declared {
    name: "Kargo",
    part_of: "kargo",
    // A Stage refers to its last Promotion, so that older ones are not read.
    kinds: &[Kinds { group: "kargo.akuity.io", which: Which::Only(&["Stage", "Warehouse", "Project"]) }],
    codes: ALL,
    verdicts: verdicts(Code::KargoFailed),
    controllers: &[Runs::all(&["kargo-controller"])],
    ..Declared::NEW
};
