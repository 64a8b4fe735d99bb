//! Finding codes of Argo CD.

use crate::engine::code::codes;

codes! {
    ApplicationUnhealthy "UCP201" Failed "an Application is not healthy" {
        "status.health.status of an Argo CD Application is Degraded, Missing or Unknown."
        "Find the resource that is not healthy. Since Argo CD 3.0, the Application does not store the health of its resources; the tree shows their own status."
        "kubectl ucp tree {object}"
    }
    SyncFailed "UCP202" Failed "the last sync of an Application failed" {
        "status.operationState.phase of an Argo CD Application is Failed or Error, or it is Running and retryCount is above zero: an attempt failed and Argo CD tries again. A later sync, or a comparison that finds Git and the cluster in sync, ends this finding; where a hook failed, only a later sync does."
        "Read the message and correct the manifest or the cluster. Argo CD retries according to its retry policy, or when Git changes. While attempts have failed for less than a few of their longest intervals, and no message shows that the next attempt will fail too, the Application is Progressing."
        "kubectl describe {object}"
    }
    ApplicationError "UCP203" Failed "an Application reports an error" {
        "status.conditions of an Argo CD Application has a condition whose type ends in Error, such as ComparisonError or InvalidSpecError. These conditions have no status: Argo CD removes them when the error is resolved. An error that the next comparison may end, such as a refused connection to the repo-server, is Progressing for three times timeout.reconciliation. Or status.sourceHydrator.currentOperation.phase is Failed."
        "Read the message. The usual causes are the repository, the path, the destination cluster and the project. After the cause is corrected, Argo CD compares again automatically."
        "kubectl describe {object}"
    }
    OutOfSync "UCP204" Drifted "an Application is out of sync" {
        "status.sync.status of an Argo CD Application is OutOfSync: the cluster does not match Git."
        "Look at the difference. Then sync the Application, or find out who changed the cluster."
        "kubectl ucp drift {object}"
    }
    ApplicationWarning "UCP205" Drifted "an Application reports a warning" {
        "status.conditions of an Argo CD Application has OrphanedResourceWarning, SharedResourceWarning, RepeatedResourceWarning or ExcludedResourceWarning: some objects are in no Application, or in more than one."
        "Make sure that each object belongs to exactly one Application."
        "kubectl describe {object}"
    }
    ApplicationStale "UCP206" Unknown "Argo CD has not compared an Application for a long time" {
        "status.reconciledAt of an Argo CD Application is more than ninety minutes old, or more than three times timeout.reconciliation of argocd-cm where that is set, or absent; or status.sync.status is Unknown or absent; or spec.sourceHydrator is set, the Application is older than --stuck-after, and nothing has been hydrated; or an ApplicationSet is older than --stuck-after and has no conditions, or no condition ResourcesUpToDate. Argo CD compares every three minutes by default, and at most every hour in common setups."
        "Check that the application controller runs, and that a shard of it is responsible for this cluster."
        "kubectl get statefulsets,deployments -A -l app.kubernetes.io/part-of=argocd"
    }
    ApplicationPaused "UCP207" Paused "an Application is paused" {
        "Annotation argocd.argoproj.io/skip-reconcile of an Argo CD Application is \"true\", or its health is Suspended."
        "Find out why it was paused, and what a sync would change. Then resume the workload, or remove the annotation: kubectl annotate {object} argocd.argoproj.io/skip-reconcile-"
        "kubectl ucp drift {object}"
    }
    ApplicationProgressing "UCP208" Stuck "an Application takes too long to become healthy" {
        "status.health.status of an Argo CD Application has been Progressing for longer than --stuck-after."
        "Find the workload that does not become ready."
        "kubectl ucp tree {object}"
    }
    SyncRunning "UCP209" Stuck "a sync does not finish" {
        "status.operationState.phase of an Argo CD Application has been Running or Terminating for longer than --stuck-after, and no attempt has failed: a hook or a resource does not become healthy. Or status.sourceHydrator.currentOperation.phase has been Hydrating for that long."
        "Read the message: it names the object that the sync waits for."
        "kubectl describe {object}"
    }
    ApplicationSetError "UCP210" Failed "an ApplicationSet cannot generate its Applications" {
        "Condition ErrorOccurred of an ApplicationSet is True, ResourcesUpToDate or ParametersGenerated is False, another condition that is named for an error is True, or status.health.status is Degraded. An error that the next attempt may end, such as a refused connection, is Progressing for nine minutes."
        "Read the message and correct the generator or the template."
        "kubectl describe {object}"
    }
    ApplicationSetRollout "UCP211" Stuck "the rollout of an ApplicationSet does not finish" {
        "Condition RolloutProgressing of an ApplicationSet has been True for longer than --stuck-after: a step of the rollout waits for an Application. Or no rollout is in progress, and an Application in status.applicationStatus has not been Healthy for that long."
        "Find the Application of the current step that is not healthy."
        "kubectl get {object} -o jsonpath='{.status.applicationStatus}'"
    }
    SelfHealUndone "UCP212" Drifted "something reverts what Argo CD corrects" {
        "The last sync of an Argo CD Application was the third or a later one in a row that self-heal started for one revision (operationState.operation.sync.autoHealAttemptsCount): another controller or a person changes the objects back, or the API server does not store the declared values."
        "Check which field manager changes the object. Give the field one owner, declare the value that the API server stores, or add the field to spec.ignoreDifferences."
        "kubectl ucp drift {object}"
    }
    DestinationDown "UCP213" Failed "Argo CD cannot reach a destination cluster" {
        "A condition of an Argo CD Application reports that its destination cluster did not respond, or that no client could be created for it. Argo CD keeps the last health of the Applications of that cluster, so their current state is unknown. The connection state of a cluster is not in the Kubernetes API."
        "Check the cluster, the network to it and its credential."
        "kubectl ucp clusters --probe"
    }
    ApplicationDeletionStuck "UCP214" Stuck "the deletion of an Application does not finish" {
        "deletionTimestamp of an Argo CD Application is older than --stuck-after, or condition DeletionError is present: a finalizer waits until the objects of the Application are deleted."
        "Find the remaining objects, and fix the problem that blocks their deletion. If you remove the finalizer, the Application is deleted at once, and everything that it deployed remains."
        "kubectl ucp tree {object}"
    }
}
