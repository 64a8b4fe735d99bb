//! Finding codes of Crossplane.

use crate::engine::code::codes;

codes! {
    PackageNotInstalled "UCP101" Failed "a package could not be installed" {
        "Condition Installed of a Provider, Configuration or Function is False: the package could not be fetched, unpacked or given a revision."
        "Check the package reference, its pull secret and the lock."
        "kubectl describe {object}"
    }
    PackageUnhealthy "UCP102" Failed "a package is unhealthy" {
        "Condition Healthy (RevisionHealthy or RuntimeHealthy on a revision) is False, or has been Unknown for longer than --stuck-after: its CRDs or its controller's Deployment are not working. Managed resources of this provider are not reconciled."
        "Look at the revision and the provider's pod. Objects that wait for it recover automatically."
        "kubectl describe {object}"
    }
    PackageInactive "UCP103" NeedsHuman "a package waits to be activated" {
        "revisionActivationPolicy is Manual and no revision is active, or the active one is not the newest (AwaitingActivation)."
        "Activate the revision by setting spec.desiredState to Active."
        "kubectl get providerrevisions,configurationrevisions,functionrevisions"
    }
    ProviderConfigMissing "UCP104" Failed "a provider config is missing" {
        "spec.providerConfigRef names a ProviderConfig or ClusterProviderConfig that does not exist, so nothing that refers to it can be reconciled."
        "Create it, or correct the reference."
        "kubectl get providerconfigs.GROUP -A"
    }
    CredentialsRefused "UCP105" Failed "the credentials of a provider config are refused" {
        "Managed resources that use one ProviderConfig cannot be observed: condition Synced is False, and its message begins with 'connect failed' or 'observe failed' and reports credentials that are wrong, missing or expired. They come from the Secret that the ProviderConfig names."
        "Renew the Secret, or correct the reference to it. Crossplane retries automatically."
        "kubectl describe {object}"
    }
    ReconcileError "UCP110" Failed "a managed resource cannot be reconciled" {
        "Condition Synced is False with reason ReconcileError: the provider could not observe, create, update or delete the external resource. The message comes from the cloud."
        "Read the message and correct the cause. Crossplane retries automatically."
        "kubectl describe {object}"
    }
    AsyncOperationFailed "UCP111" Failed "a long-running operation failed" {
        "Condition LastAsyncOperation of an upjet provider is False: the last create, update or delete that ran in the background failed, even though Synced may be True."
        "Read the message; the next reconciliation tries again."
        "kubectl describe {object}"
    }
    CreationInterrupted "UCP112" NeedsHuman "a creation was interrupted and needs a person" {
        "Annotation crossplane.io/external-create-pending is newer than external-create-succeeded and external-create-failed: the provider stopped while it created the external resource, so it cannot know whether the resource exists. It does nothing more, so that it does not create it twice."
        "Check with the cloud whether the resource exists; the object shows its region and name. If it exists, set annotation crossplane.io/external-name to its name. Then: kubectl annotate {object} crossplane.io/external-create-pending-"
        "kubectl get {object} -o yaml"
    }
    NotReady "UCP113" Stuck "a managed resource takes too long to become ready" {
        "Condition Ready has not been True for longer than --stuck-after, although Synced is True: the external resource exists and is not usable, or its provider waits for something."
        "Check the external resource and the objects that it refers to."
        "kubectl describe {object}"
    }
    ManagedPaused "UCP114" Paused "reconciliation is paused" {
        "Annotation crossplane.io/paused is \"true\", or spec.managementPolicies is empty (Synced is False with reason ReconcilePaused). The status may be out of date."
        "Find out why it was paused, and compare spec.forProvider with status.atProvider: the provider applies the difference when it resumes. Then set managementPolicies, or remove the annotation: kubectl annotate {object} crossplane.io/paused-"
        "kubectl get {object} -o yaml"
    }
    DeletionStuck "UCP115" Stuck "a deletion does not finish" {
        "deletionTimestamp is older than --stuck-after: a finalizer waits, because the external resource cannot be deleted, is in use, or its provider was removed."
        "Read the conditions. Do not remove the finalizer while the external resource exists: nothing would manage it any more, and it would continue to cost money."
        "kubectl describe {object}"
    }
    NeverReconciled "UCP117" Unknown "no controller has reconciled it" {
        "The object is older than --stuck-after and has no conditions: no provider watches its kind, or its group is not activated."
        "Check that the provider of this kind is installed and healthy, and on Crossplane v2 that the kind's ManagedResourceDefinition is active."
        "kubectl get providers"
    }
    CompositeError "UCP120" Failed "a composite or claim cannot be reconciled" {
        "Condition Synced of a composite or claim is False: its composition, a function of its pipeline, or a composed resource is refused. Core reports only the first object that it could not apply, in no fixed order: if that object was not found, or needs a namespace that was not found, another composed object may have been refused without a message (crossplane#7335)."
        "Read the message, then the composition and its functions. tree marks composed objects that do not exist."
        "kubectl ucp tree {object}"
    }
    CompositeNotReady "UCP121" Stuck "a composite or claim takes too long to become ready" {
        "Condition Ready has not been True for longer than --stuck-after, and none of its composed resources explains it."
        "Find the composed resource that is not ready."
        "kubectl ucp tree {object}"
    }
    WatchCircuitOpen "UCP122" Failed "a composite is reconciled too often" {
        "Condition Responsive is False with reason WatchCircuitOpen: Crossplane received so many events that it stopped processing some of them. Usually, two controllers keep changing the same field."
        "Find the composed resource that keeps changing."
        "kubectl get events --field-selector involvedObject.name={name} -A"
    }
    OperationFailed "UCP130" Failed "an operation of Crossplane has failed" {
        "Condition Succeeded of an Operation is False and status.failures has reached spec.retryLimit, or a CronOperation, a WatchOperation, an activation policy or a managed resource definition reports a failure."
        "Read the message: it comes from a function of the operation's pipeline."
        "kubectl describe {object}"
    }
    DefinitionInactive "UCP131" NeedsHuman "a kind that Git declares is not activated" {
        "spec.state of a ManagedResourceDefinition is not Active, so that the API server does not have its kind, and an Application or Flux object declares objects of it."
        "Name the kind in a ManagedResourceActivationPolicy: spec.activate. It cannot be deactivated again."
        "kubectl get managedresourceactivationpolicies -o yaml"
    }
    UsageBlocks "UCP132" NeedsHuman "a deletion was refused because something is in use" {
        "Annotation usage.crossplane.io/deletion-attempt-with-policy of an object records an attempt to delete it, and a Usage that protects it still exists."
        "Delete its user first, or the Usage. With spec.replayDeletion, the deletion is retried automatically."
        "kubectl describe {object}"
    }
}
