//! The effects of deletions, as defined by the engines, and the finding codes of `teardown`.

use super::flux;
use crate::engine::code::codes;
use crate::model::body::Body;
use crate::model::body::argocd::{CASCADE, cascades};
use crate::model::resource::Resource;

codes! {
    WouldBeOrphaned "UCP911" NeedsHuman "something outside would stay and go on costing" {
        "teardown: the object goes, and by its policies (deletionPolicy, managementPolicies, the deletion policies of other engines) what it stands for stays. After that no object tells of it."
        "If it shall go, change the policy and let its provider see that before you delete the object. If it shall stay, write down where it is."
        "kubectl get {object} -o yaml"
    }
    FinalizerUnserved "UCP912" Stuck "nobody would release its finalizer" {
        "teardown: the object has finalizers, and the controller that releases them does not run, or says that it cannot."
        "Mend the controller first. A finalizer that is taken away by hand leaves what is outside behind."
        "kubectl describe {object}"
    }
    ProviderGoesFirst "UCP913" Stuck "its provider would go before it does" {
        "teardown: what is to go includes a provider and managed resources that it looks after, and nothing makes it wait for them. With the provider its CRDs go, and so all of its resources, whose finalizers nobody releases (crossplane#4251, #6268)."
        "Delete the managed resources, wait until they are gone, and delete the provider last: afterwards a provider that is started again does not look after kinds that are being deleted, and finalizers that a person removes leave everything outside. Within one Application of Argo CD, give them a higher sync wave than the provider."
        "kubectl get {object} -o yaml"
    }
    PausedBlocks "UCP914" Paused "it is paused, and would not go" {
        "teardown: annotation crossplane.io/paused, empty managementPolicies, the pause of a Cluster, or skip-reconcile of an Application. Its controller leaves it alone, its finalizer too."
        "Find out why it was paused, and resume it."
        "kubectl get {object} -o yaml --show-managed-fields"
    }
    UsageProtects "UCP915" NeedsHuman "a Usage refuses its deletion" {
        "teardown: spec.of of a Usage or ClusterUsage names it, and what uses it does not go. The webhook of Crossplane refuses the deletion. Do not try it with --dry-run=server: the webhook takes that for a try, and with replayDeletion the object is really deleted later."
        "Delete what uses it first, or the Usage."
        "kubectl describe {object}"
    }
    ProtectedOutside "UCP916" NeedsHuman "the cloud refuses to delete it" {
        "teardown: a field of spec.forProvider, such as deletionProtection, is true. The provider tries, is refused, and the object stays."
        "Switch it off, in Git, and wait until it is reconciled."
        "kubectl get {object} -o yaml"
    }
    StillInUse "UCP917" Stuck "it is still in use" {
        "teardown: managed resources that do not go refer to the ProviderConfig, and finalizer in-use.crossplane.io keeps it until the last of them is gone."
        "Delete them first, or let them refer to another one."
        "kubectl get {object} -o yaml"
    }
    DeletionUnconfirmed "UCP918" NeedsHuman "a deletion waits to be confirmed" {
        "teardown: sync option Delete=confirm stands on an object of an Application that has no annotation argocd.argoproj.io/deletion-approved."
        "Set the annotation on the Application to the time of your approval."
        "kubectl get {object} -o yaml"
    }
    NeedGoesFirst "UCP919" Stuck "what it needs would go first" {
        "teardown: its ProviderConfig, the Secret with the credentials of that, or the workload of its controller goes with the same deletion, and nothing keeps the order. In a namespace that is deleted, ProviderConfigs of Crossplane 2 go as soon as their usages are deleted, while managed resources still wait for their provider (crossplane-runtime#1010)."
        "Delete the managed resources first, wait until they are gone, and delete the rest after that."
        "kubectl get {object} -o yaml"
    }
    UsersRemain "UCP920" NeedsHuman "objects that stay need it" {
        "teardown: objects that do not go use what goes: composites their Composition or its functions, provider configs their Secrets, everything its controller. They stay as they are and are not reconciled any more."
        "Delete them first, or let them use another one."
        "kubectl ucp tree {object}"
    }
    SharedOutside "UCP921" NeedsHuman "another object stands for the same thing outside" {
        "teardown: the object that goes deletes the thing outside, and an object that stays manages the same one, by the cloud's own name or by all that both declare. See 'kubectl ucp conflicts'."
        "Decide which of the two shall own it, and give the other one managementPolicies [Observe] before you delete it."
        "kubectl ucp conflicts"
    }
    ConsequencesUnknown "UCP922" Unknown "what its deletion does outside is unknown" {
        "teardown: no engine knows the kind, or what the answer depends on could not be read. Its controller may delete things outside of the cluster, or leave them there."
        "Find out what its controller does when the object is deleted."
        "kubectl get {object} -o yaml"
    }
    WouldComeBack "UCP910" NeedsHuman "it would be made again" {
        "teardown: an Application with automated sync, an object of Flux, a composite or an ApplicationSet that does not go itself declares the object."
        "Take it out of Git, or stop whoever applies it."
        "kubectl ucp tree {object} --up"
    }
}

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
        Body::Flux(_) => None,
        _ => Some(format!("its {} does not delete what it applied", resource.kind.kind)),
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
