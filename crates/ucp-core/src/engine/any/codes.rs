//! Finding codes of objects whose kind does not belong to any engine.

use crate::engine::code::codes;

codes! {
    AnyFailed "UCP601" Failed "an object reports a failure" {
        "resources --any: the status of an object of a kind without an adapter reports a failure in a condition, a phase, or an error."
        "Read the message: it comes from the controller."
        "kubectl describe {object}"
    }
    AnyNeedsHuman "UCP602" NeedsHuman "an object requires manual action" {
        "resources --any: the status of an object asks for an approval, or reports a problem that its controller does not correct automatically."
        "Read the message."
        "kubectl describe {object}"
    }
    AnyDrifted "UCP603" Drifted "an object reports drift" {
        "resources --any: a condition of an object reports that the actual state differs from the declared state."
        "Read the message, then find out who changed it."
        "kubectl describe {object}"
    }
    AnyStuck "UCP604" Stuck "an object takes too long" {
        "resources --any: the status of an object has shown an operation in progress for longer than --stuck-after, or its deletion waits for a finalizer."
        "Read the message: it names the reason for the wait."
        "kubectl describe {object}"
    }
    AnyPaused "UCP605" Paused "an object is paused" {
        "resources --any: a field of its spec or an annotation pauses its controller, or its status reports a pause."
        "Resume it when the reason for the pause no longer exists."
        "kubectl get {object} -o yaml"
    }
    AnyDisputed "UCP606" NeedsHuman "Argo CD sees a failure that the object does not report" {
        "resources --any: status.resources of an Application reports that the health of an object is Degraded, and the object's own status does not. Argo CD may have a more accurate health check for the kind, built in or in argocd-cm; or it has not checked the object since."
        "Read both; refresh the Application to make Argo CD check again. To define how the status is judged, add a row to a table of conventions (--conventions)."
        "kubectl describe {object}"
    }
}
