//! Finding codes of objects whose kind does not belong to any engine.

use crate::engine::code::codes;

codes! {
    AnyFailed "UCP601" Failed "an object reports a failure" {
        "resources --any: the status of an object of a kind without an adapter says that it failed, by a condition, a phase, or an error."
        "Read the message; it is the controller's own."
        "kubectl describe {object}"
    }
    AnyNeedsHuman "UCP602" NeedsHuman "an object waits for a person" {
        "resources --any: the status of an object asks for an approval, or warns of something that its controller does not correct by itself."
        "Read the message."
        "kubectl describe {object}"
    }
    AnyDrifted "UCP603" Drifted "an object reports drift" {
        "resources --any: a condition of an object says that what it declares is not what there is."
        "Read the message, then find out who changed it."
        "kubectl describe {object}"
    }
    AnyStuck "UCP604" Stuck "an object takes too long" {
        "resources --any: the status of an object has said for longer than --stuck-after that something is under way, or its deletion waits for a finalizer."
        "Read the message, which names what it waits for."
        "kubectl describe {object}"
    }
    AnyPaused "UCP605" Paused "an object is paused" {
        "resources --any: a field of its spec or an annotation tells the controller to leave it alone, or its status says so."
        "When the reason is gone, resume it."
        "kubectl get {object} -o yaml"
    }
    AnyDisputed "UCP606" NeedsHuman "Argo CD sees a failure that the object does not report" {
        "resources --any: status.resources of an Application says that the health of an object is Degraded, and the object's own status does not. Argo CD may know its kind better, by a health check of its own or in argocd-cm; or it has not looked since."
        "Read both; refresh the Application to make Argo CD look again. A row in a table of conventions (--conventions) teaches the rules what its status means."
        "kubectl describe {object}"
    }
}
