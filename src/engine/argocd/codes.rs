//! Finding codes of Argo CD.

use crate::engine::code::codes;

codes! {
    ApplicationUnhealthy "UCP201" Failed "an Application is not healthy" {
        "status.health.status of an Argo CD Application is Degraded, Missing or Unknown."
        "Find the resource that is not healthy. Since Argo CD 3.0 the Application does not store the health of its resources; 'argocd app get' shows it."
        "argocd app get {application}"
    }
    SyncFailed "UCP202" Failed "the last sync of an Application failed" {
        "status.operationState.phase of an Argo CD Application is Failed or Error, or it is Running and retryCount is above zero: an attempt failed and Argo CD tries again. A later sync, or a comparison that finds Git and the cluster in sync, ends this finding; where a hook failed, only a later sync does."
        "Read the message and correct the manifest or the cluster. Argo CD retries according to its retry policy, or when Git changes; 'argocd app sync' starts a sync at once."
        "argocd app get {application} --show-operation"
    }
    ApplicationError "UCP203" Failed "an Application reports an error" {
        "status.conditions of an Argo CD Application has a condition whose type ends in Error, such as ComparisonError or InvalidSpecError. These conditions have no status: Argo CD removes them when the error is gone."
        "Read the message. The usual causes are the repository, the path, the destination cluster and the project. When the cause is corrected, the command below makes Argo CD compare again."
        "argocd app get {application} --hard-refresh"
    }
    OutOfSync "UCP204" Drifted "an Application is out of sync" {
        "status.sync.status of an Argo CD Application is OutOfSync: the cluster does not hold what Git declares."
        "Look at the difference. Then sync with 'argocd app sync', or find out who changed the cluster."
        "argocd app diff {application}"
    }
    ApplicationWarning "UCP205" Drifted "an Application reports a warning" {
        "status.conditions of an Argo CD Application has OrphanedResourceWarning, SharedResourceWarning, RepeatedResourceWarning or ExcludedResourceWarning: some objects are in no Application, or in more than one."
        "Make sure that each object belongs to exactly one Application."
        "argocd app resources {application} --orphaned"
    }
    ApplicationStale "UCP206" Unknown "Argo CD has not compared an Application for a long time" {
        "status.reconciledAt of an Argo CD Application is more than ninety minutes old, or absent; or status.sync.status is Unknown or absent; or an ApplicationSet is older than --stuck-after and has no conditions. Argo CD compares every three minutes by default, and at most every hour in common setups."
        "Check that the application controller runs, and that a shard of it is responsible for this cluster."
        "kubectl get statefulsets,deployments -A -l app.kubernetes.io/part-of=argocd"
    }
    ApplicationPaused "UCP207" Paused "an Application is paused" {
        "Annotation argocd.argoproj.io/skip-reconcile of an Argo CD Application is \"true\", or its health is Suspended."
        "Find out why it was paused, and what a sync would change. Then resume the workload, or remove the annotation: kubectl annotate {object} argocd.argoproj.io/skip-reconcile-"
        "argocd app diff {application}"
    }
    ApplicationProgressing "UCP208" Stuck "an Application takes too long to become healthy" {
        "status.health.status of an Argo CD Application has been Progressing for longer than --stuck-after."
        "Find the workload that does not become ready."
        "argocd app get {application}"
    }
    SyncRunning "UCP209" Stuck "a sync does not finish" {
        "status.operationState.phase of an Argo CD Application has been Running or Terminating for longer than --stuck-after, and no attempt has failed: a hook or a resource does not become healthy."
        "Read the message: it names what the sync waits for. 'argocd app terminate-op' stops the sync."
        "argocd app get {application} --show-operation"
    }
    ApplicationSetError "UCP210" Failed "an ApplicationSet cannot generate its Applications" {
        "Condition ErrorOccurred of an ApplicationSet is True, or ResourcesUpToDate is False."
        "Read the message and correct the generator or the template."
        "argocd appset get {application}"
    }
    ApplicationSetRollout "UCP211" Stuck "the rollout of an ApplicationSet does not finish" {
        "Condition RolloutProgressing of an ApplicationSet has been True for longer than --stuck-after: a step of the rollout waits for an Application."
        "Find the Application of the current step that is not healthy."
        "kubectl get {object} -o jsonpath='{.status.applicationStatus}'"
    }
    SelfHealUndone "UCP212" Drifted "something reverts what Argo CD corrects" {
        "The last sync of an Argo CD Application was the third or a later one in a row that self-heal started for one revision (operationState.operation.sync.autoHealAttemptsCount): another controller or a person changes the objects back, or the API server does not store what Git declares."
        "See which field manager changes the object. Give the field one owner, declare what the API server makes of it, or add it to spec.ignoreDifferences."
        "argocd app diff {application}"
    }
    DestinationDown "UCP213" Failed "Argo CD cannot reach a destination cluster" {
        "A condition of an Argo CD Application says that its destination cluster did not answer, or that no client could be made for it. Argo CD keeps the last health of the Applications of that cluster, so their current state is unknown. The connection state of a cluster is not in the Kubernetes API."
        "Check the cluster, the network to it and its credential; 'argocd cluster list' shows what Argo CD thinks of it."
        "kubectl ucp clusters --probe"
    }
    ApplicationDeletionStuck "UCP214" Stuck "the deletion of an Application does not finish" {
        "deletionTimestamp of an Argo CD Application is older than --stuck-after, or condition DeletionError is present: a finalizer waits until what the Application deployed is gone."
        "See what is left, and correct what blocks its deletion. If you remove the finalizer, the Application is deleted at once, and everything that it deployed remains."
        "argocd app get {application}"
    }
}
