//! The effects of deletions, as defined by the engines, and the finding codes of `teardown`.

use super::flux;
use crate::engine::code::codes;
use crate::model::body::Body;
use crate::model::body::argocd::{CASCADE, cascades};
use crate::model::resource::Resource;

codes! {
    WouldBeOrphaned "UCP911" NeedsHuman "an external resource would remain and cost money" {
        "teardown: the object is deleted, and by its policies (deletionPolicy, managementPolicies, the deletion policies of other engines) its external resource remains. After that, no object represents the resource."
        "If the resource should be deleted, change the policy, and wait until its provider has observed the change before you delete the object. If it should remain, record its location."
        "kubectl get {object} -o yaml"
    }
    FinalizerUnserved "UCP912" Stuck "nothing would release its finalizer" {
        "teardown: the object has finalizers, and the controller that releases them is not running, or reports that it cannot."
        "Fix the controller first. If you remove a finalizer manually, the external resource remains."
        "kubectl describe {object}"
    }
    ProviderGoesFirst "UCP913" Stuck "its provider would be deleted first" {
        "teardown: the deleted objects include a provider and managed resources that it reconciles, and nothing makes the provider wait for them. The CRDs are deleted with the provider, and with them all its resources, whose finalizers nothing releases (crossplane#4251, #6268)."
        "Delete the managed resources, wait until they are deleted, and delete the provider last. After that, a provider that is started again does not reconcile kinds that are being deleted, and if you remove finalizers manually, all external resources remain. Within one Application of Argo CD, give them a higher sync wave than the provider."
        "kubectl get {object} -o yaml"
    }
    PausedBlocks "UCP914" Paused "it is paused and would not be deleted" {
        "teardown: annotation crossplane.io/paused, empty managementPolicies, the pause of a Cluster, or skip-reconcile of an Application. Its controller does not reconcile it, and does not release its finalizer."
        "Find out why it was paused, and resume it."
        "kubectl get {object} -o yaml --show-managed-fields"
    }
    UsageProtects "UCP915" NeedsHuman "a Usage refuses its deletion" {
        "teardown: spec.of of a Usage or ClusterUsage names it, and its user is not deleted. The webhook of Crossplane refuses the deletion. Do not test this with --dry-run=server: the webhook treats it as an attempt to delete, and with replayDeletion the object is really deleted later."
        "Delete its user first, or the Usage."
        "kubectl describe {object}"
    }
    ProtectedOutside "UCP916" NeedsHuman "the cloud refuses to delete it" {
        "teardown: a field of spec.forProvider, such as deletionProtection, is true. The cloud refuses the deletion, and the object remains."
        "Disable the protection in Git, and wait until the change is reconciled."
        "kubectl get {object} -o yaml"
    }
    StillInUse "UCP917" Stuck "it is still in use" {
        "teardown: objects that are not deleted use it, and a finalizer keeps it until they are deleted: managed resources their ProviderConfig (in-use.crossplane.io), Pods their PersistentVolumeClaims (kubernetes.io/pvc-protection), Objects of provider-kubernetes what they refer to, claims their PersistentVolume (kubernetes.io/pv-protection)."
        "Delete them first, or make them use another object."
        "kubectl get {object} -o yaml"
    }
    DeletionUnconfirmed "UCP918" NeedsHuman "a deletion waits to be confirmed" {
        "teardown: an object has sync option Delete=confirm, and its Application does not have the annotation argocd.argoproj.io/deletion-approved."
        "Set the annotation on the Application to the time of your approval."
        "kubectl get {object} -o yaml"
    }
    NeedGoesFirst "UCP919" Stuck "a dependency would be deleted first" {
        "teardown: its ProviderConfig, the Secret with the credentials of the ProviderConfig, or the workload of its controller is deleted at the same time, and nothing enforces the order. In a namespace that is deleted, ProviderConfigs of Crossplane 2 are deleted as soon as their usages are deleted, while managed resources still wait for their provider (crossplane-runtime#1010)."
        "Delete the managed resources first, wait until they are deleted, and then delete the other objects."
        "kubectl get {object} -o yaml"
    }
    UsersRemain "UCP920" NeedsHuman "objects that remain need it" {
        "teardown: objects that remain use a deleted object: composites their Composition or its functions, provider configs their Secrets, managed resources their ProviderConfig, objects of Flux their source or ServiceAccount, deployers the Secret of their cluster, every object its controller. They are not reconciled any more."
        "Delete them first, or make them use another object."
        "kubectl ucp tree {object}"
    }
    SharedOutside "UCP921" NeedsHuman "another object manages the same external resource" {
        "teardown: deleting the object deletes the external resource, and an object that remains manages the same resource, according to the cloud's own name or to the declarations of both. See 'kubectl ucp conflicts'."
        "Decide which of the two should own it, and set managementPolicies [Observe] on the other object before you delete it."
        "kubectl ucp conflicts"
    }
    ConsequencesUnknown "UCP922" Unknown "its effect on external resources is unknown" {
        "teardown: no engine covers the kind, or required data could not be read. Its controller may delete external resources, or leave them behind."
        "Find out how its controller handles the deletion of the object."
        "kubectl get {object} -o yaml"
    }
    DeletionForbidden "UCP923" NeedsHuman "the API server refuses to delete it" {
        "teardown: default, kube-public and kube-system cannot be deleted: admission plugin NamespaceLifecycle refuses it. Or a ValidatingAdmissionPolicy with a binding that denies requests has an expression that is false for the object."
        "Delete the objects in the namespace instead, or change what the policy requires."
        "kubectl get {object} -o yaml"
    }
    DeletionWebhookDown "UCP924" Stuck "a webhook refuses its deletion" {
        "teardown: a webhook for deletions of the object has failurePolicy Fail, and the Service that it names does not exist or has no ready endpoint. The API server refuses the deletion."
        "Fix the workload that serves the webhook. Do not delete the webhook of Crossplane's Usages: protected objects could be deleted."
        "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations"
    }
    WouldComeBack "UCP910" NeedsHuman "it would be created again" {
        "teardown: an Application with automated sync, an object of Flux, a composite or an ApplicationSet declares the object and is not deleted."
        "Remove it from Git, or stop the object that applies it."
        "kubectl ucp tree {object} --up"
    }
}

/// Finalizer by which the controllers of Flux delete what they applied.
const FLUX_FINALIZER: &str = "finalizers.fluxcd.io";

/// Returns the reason why an object leaves the objects that it applied in the cluster when it is deleted; `None` if
/// they are deleted as well.
pub fn orphaning_reason(resource: &Resource) -> Option<String> {
    match &resource.body {
        Body::Application(_) if !cascades(&resource.metadata.finalizers) => {
            Some(format!("its Application has no finalizer {CASCADE}"))
        }
        Body::Application(_) => None,
        // A suspended Flux object removes its finalizer without deleting anything.
        Body::Flux(fields) if fields.spec.suspend => Some(format!("its {} is suspended", resource.kind.kind)),
        Body::Flux(fields) if !flux::removes_objects(resource, fields) => Some(match &fields.spec.deletion_policy {
            Some(policy) => format!("spec.deletionPolicy of its {} is {policy}", resource.kind.kind),
            None => format!("spec.prune of its {} is false", resource.kind.kind),
        }),
        // Its controller only deletes what it applied while it removes its finalizer.
        Body::Flux(_)
            if matches!(resource.kind.kind.as_str(), "Kustomization" | "HelmRelease")
                && !resource.metadata.finalizers.iter().any(|name| name == FLUX_FINALIZER) =>
        {
            Some(format!("its {} has no finalizer {FLUX_FINALIZER}", resource.kind.kind))
        }
        Body::Flux(_) => None,
        _ => Some(format!("its {} does not delete the objects that it applied", resource.kind.kind)),
    }
}

/// Returns true if an object continuously applies other objects from Git.
pub fn reapplies_from_git(resource: &Resource) -> bool {
    match &resource.body {
        Body::Application(body) => body.spec.sync_policy.automatic().is_some(),
        Body::Flux(body) => {
            !body.spec.suspend && matches!(resource.kind.kind.as_str(), "Kustomization" | "HelmRelease")
        }
        _ => false,
    }
}
