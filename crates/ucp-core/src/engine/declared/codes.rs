//! Finding codes that have the same meaning for all engines.

use crate::engine::any::VerdictCodes;
use crate::engine::code::{Code, codes};

codes! {
    DeclaredNeedsHuman "UCP702" NeedsHuman "an object waits for a person" {
        "The status of an object asks for an approval, or names something that its controller does not correct by itself."
        "Read the message, and decide."
        "kubectl describe {object}"
    }
    DeclaredDrifted "UCP703" Drifted "an engine reports drift" {
        "A condition of an object says that what it declares is not what its controller saw."
        "Read the message, then find out who changed it."
        "kubectl describe {object}"
    }
    DeclaredStuck "UCP704" Stuck "an object takes too long" {
        "The status of an object has said for longer than --stuck-after that something is under way, or its deletion waits for a finalizer."
        "Read the message, which names what it waits for."
        "kubectl describe {object}"
    }
    DeclaredPaused "UCP705" Paused "reconciliation of an object is paused" {
        "A field of its spec, an annotation, or its status tells that its controller leaves it alone: what it declares is neither applied nor looked at."
        "When the reason is gone, resume it."
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
