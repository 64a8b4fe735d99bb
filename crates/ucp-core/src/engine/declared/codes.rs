//! Finding codes that have the same meaning for all engines.

use crate::engine::any::VerdictCodes;
use crate::engine::code::{Code, codes};

codes! {
    DeclaredNeedsHuman "UCP702" NeedsHuman "an object requires manual action" {
        "The status of an object asks for an approval, or reports a problem that its controller does not correct automatically."
        "Read the message, and decide."
        "kubectl describe {object}"
    }
    DeclaredDrifted "UCP703" Drifted "an engine reports drift" {
        "A condition of an object reports that the observed state differs from the declared state."
        "Read the message, then find out who changed it."
        "kubectl describe {object}"
    }
    DeclaredStuck "UCP704" Stuck "an object takes too long" {
        "The status of an object has shown an operation in progress for longer than --stuck-after, or its deletion waits for a finalizer."
        "Read the message: it names the reason for the wait."
        "kubectl describe {object}"
    }
    DeclaredPaused "UCP705" Paused "reconciliation of an object is paused" {
        "A field of its spec, an annotation, or its status shows that its controller does not reconcile it: its declaration is neither applied nor compared."
        "Resume it when the reason for the pause no longer exists."
        "kubectl get {object} -o yaml"
    }
}

/// Returns the codes of an engine that has its own code for failures.
pub(in crate::engine) const fn verdicts(failed: Code) -> VerdictCodes {
    VerdictCodes {
        failed,
        needs_human: Code::DeclaredNeedsHuman,
        drifted: Code::DeclaredDrifted,
        stuck: Code::DeclaredStuck,
        paused: Code::DeclaredPaused,
    }
}
