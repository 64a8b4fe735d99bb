//! Finding codes of Flux.

use crate::engine::code::codes;

codes! {
    FluxStalled "UCP301" Failed "Flux has given up on an object" {
        "Condition Stalled of a Flux object is True: Flux does not retry until the spec or the source changes."
        "Read the message and correct the spec."
        "kubectl describe {object}"
    }
    FluxNotReady "UCP302" Failed "Flux could not reconcile an object" {
        "Condition Ready of a Flux object is False, or its last attempt failed (status.history of a Kustomization, status.failures of a HelmRelease) and it is trying again. Reasons are for instance BuildFailed, HealthCheckFailed or InstallFailed."
        "Read the message and correct the cause. Flux retries at the next interval. While it has failed for less than three of its intervals, and no message shows that the next attempt will fail too, the object is Progressing."
        "kubectl describe {object}"
    }
    FluxSuspended "UCP303" Paused "an object of Flux is suspended" {
        "spec.suspend of a Flux object is true: changes in Git are not applied, and Ready still shows the last result."
        "Find out why it was suspended; the managed fields show who did it and when. When that reason no longer exists, set spec.suspend to false in the place where it was set."
        "kubectl get {object} -o yaml --show-managed-fields"
    }
    FluxDrifted "UCP304" Drifted "a HelmRelease has drifted" {
        "Condition Drifted of a HelmRelease is True: driftDetection found objects in the cluster that differ from the release."
        "Find out who changed them, or set driftDetection.mode to enabled so that Flux corrects them."
        "kubectl describe {object}"
    }
    FluxStuck "UCP306" Stuck "Flux takes too long to reconcile an object" {
        "For longer than --stuck-after, and without a failed attempt: condition Ready of a Flux object has been Unknown, Reconciling has been True, a dependency has not been ready, or a requested reconciliation has not happened. Or a Kustomization is Ready, and for longer than three of its intervals it has not applied the revision that its source has fetched."
        "Read the message: it names the object that Flux waits for, or the revision. If nothing is in progress, check the log of the controller."
        "kubectl describe {object}"
    }
    FluxSourceMissing "UCP305" Failed "a source or dependency of a Flux object does not exist" {
        "spec.sourceRef, spec.chartRef, spec.chart or spec.dependsOn of a Flux object that is Ready names an object that does not exist. Ready is of the last reconciliation before it was deleted; the next one fails."
        "Create it, or correct the reference."
        "kubectl get {object} -o yaml"
    }
    HelmTestFailed "UCP307" Failed "the tests of a HelmRelease failed" {
        "Condition TestSuccess of a HelmRelease is False; the release itself may be Ready."
        "Look at the logs of the test's pods."
        "kubectl describe {object}"
    }
    FluxNeverReconciled "UCP308" Unknown "Flux has not reconciled an object" {
        "A Flux object is older than --stuck-after and has no Ready condition."
        "Check that the controller for its kind runs."
        "kubectl get deployments -A -l app.kubernetes.io/part-of=flux"
    }
    FluxDeletionStuck "UCP309" Stuck "the deletion of a Flux object does not finish" {
        "deletionTimestamp of a Flux object is older than --stuck-after, or its uninstallation failed: a finalizer waits until its controller has removed the objects that it applied."
        "Find the remaining objects, and fix the problem that blocks their deletion. If you remove the finalizer, the object is deleted at once, and everything that it applied remains."
        "kubectl describe {object}"
    }
}
