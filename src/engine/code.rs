//! Finding codes: the one place that says what each means, how bad it is, and what to do. `kubectl ucp explain CODE`
//! prints an entry. A code is never reused for something else.

use crate::model::verdict::Verdict;

/// What `explain` tells of a code.
#[derive(Debug, Clone, Copy)]
pub struct CodeInfo {
    /// The stable code.
    pub code: &'static str,
    /// How bad it is.
    pub verdict: Verdict,
    /// One line.
    pub title: &'static str,
    /// How we know, and by which field of which controller.
    pub meaning: &'static str,
    /// What to do. `{object}` stands for `KIND.GROUP/NAME [-n NAMESPACE]`, `{name}` for the name alone.
    pub advice: &'static str,
    /// The next command, with the same placeholders.
    pub command: &'static str,
}

macro_rules! codes {
    ($($variant:ident $code:literal $verdict:ident $title:literal { $meaning:literal $advice:literal $command:literal })*) => {
        /// What is wrong, as a stable code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = $title] $variant,)*
        }

        impl Code {
            /// Every code, in order.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// What it means.
            pub const fn info(self) -> CodeInfo {
                match self {
                    $(Self::$variant => CodeInfo {
                        code: $code,
                        verdict: Verdict::$verdict,
                        title: $title,
                        meaning: $meaning,
                        advice: $advice,
                        command: $command,
                    },)*
                }
            }
        }
    };
}

codes! {
    ControllerDown "UCP010" Failed "a controller is not running" {
        "A Deployment or StatefulSet of an engine wants replicas and none is ready, so what its objects report may be old."
        "Look at its pods and their events."
        "kubectl describe {object}"
    }
    ControllerMissing "UCP011" Unknown "no controller was found" {
        "Objects of an engine exist, workloads could be listed, and none carries the engine's label app.kubernetes.io/part-of. Either the controller is gone or it runs elsewhere; what its objects report may be old."
        "Install the engine, or give its workload the label app.kubernetes.io/part-of."
        "kubectl get deployments,statefulsets -A -l app.kubernetes.io/part-of={name}"
    }
    PackageNotInstalled "UCP101" Failed "a package could not be installed" {
        "Condition Installed of a Provider, Configuration or Function is False: the package could not be fetched, unpacked or given a revision."
        "Check the package reference, its pull secret and the lock."
        "kubectl describe {object}"
    }
    PackageUnhealthy "UCP102" Failed "a package is unhealthy" {
        "Condition Healthy (RevisionHealthy or RuntimeHealthy on a revision) is False, or has been Unknown for longer than --stuck-after: its CRDs or its controller's Deployment are not in order. Managed resources of this provider are not reconciled."
        "Look at the revision and the provider's pod; what it holds up recovers by itself."
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
    ReconcileError "UCP110" Failed "a managed resource cannot be reconciled" {
        "Condition Synced is False with reason ReconcileError: the provider could not observe, create, update or delete the external resource. The message is the cloud's own."
        "Read the message; when its cause is gone, Crossplane tries again by itself."
        "kubectl describe {object}"
    }
    AsyncOperationFailed "UCP111" Failed "a long-running operation failed" {
        "Condition LastAsyncOperation of an upjet provider is False: the last create, update or delete that ran in the background failed, even though Synced may be True."
        "Read the message; the next reconciliation tries again."
        "kubectl describe {object}"
    }
    CreationInterrupted "UCP112" NeedsHuman "a creation was interrupted and waits for a person" {
        "Annotation crossplane.io/external-create-pending is newer than external-create-succeeded and external-create-failed: the provider died while it created the external resource and cannot know whether it exists. It refuses to go on, so as not to create it twice."
        "Look in the cloud. If the resource exists, set crossplane.io/external-name to it; then remove the annotation external-create-pending."
        "kubectl annotate {object} crossplane.io/external-create-pending-"
    }
    NotReady "UCP113" Stuck "a managed resource takes too long to become ready" {
        "Condition Ready has not been True for longer than --stuck-after, although Synced is True: the external resource exists and is not usable, or its provider waits for something."
        "Look at the external resource and at what it refers to."
        "kubectl describe {object}"
    }
    ManagedPaused "UCP114" Paused "reconciliation is paused" {
        "Annotation crossplane.io/paused is \"true\", or spec.managementPolicies is empty (Synced is False with reason ReconcilePaused). What the status says may be old."
        "When the reason is gone, resume it."
        "kubectl annotate {object} crossplane.io/paused-"
    }
    DeletionStuck "UCP115" Stuck "a deletion does not come to an end" {
        "deletionTimestamp is older than --stuck-after: a finalizer waits, because the external resource cannot be deleted, is in use, or its provider is gone."
        "Read the conditions; never remove the finalizer before the external resource is gone, or it stays behind and costs money."
        "kubectl describe {object}"
    }
    NeverReconciled "UCP117" Unknown "no controller has looked at it" {
        "The object is older than --stuck-after and has no conditions: no provider watches its kind, or its group is not activated."
        "Check that the provider of this kind is installed and healthy, and on Crossplane v2 that the kind's ManagedResourceDefinition is active."
        "kubectl get providers"
    }
    CompositeError "UCP120" Failed "a composite or claim cannot be reconciled" {
        "Condition Synced of a composite or claim is False: its composition, a function of its pipeline, or a composed resource is refused."
        "Read the message, then the composition and its functions."
        "kubectl describe {object}"
    }
    CompositeNotReady "UCP121" Stuck "a composite or claim takes too long to become ready" {
        "Condition Ready has not been True for longer than --stuck-after, and none of what it is made of explains it."
        "See which composed resource is not ready."
        "kubectl describe {object}"
    }
    WatchCircuitOpen "UCP122" Failed "a composite is reconciled too often" {
        "Condition Responsive is False with reason WatchCircuitOpen: so many events came in that Crossplane stopped listening to some. Usually two controllers fight over one field."
        "See which composed resource changes all the time."
        "kubectl get events --field-selector involvedObject.name={name} -A"
    }
    ApplicationUnhealthy "UCP201" Failed "an Application is not healthy" {
        "status.health.status of an Argo CD Application is Degraded, Missing or Unknown."
        "See which of its resources is not healthy. Since Argo CD 3.0 the status no longer says; look at the resources themselves."
        "kubectl describe {object}"
    }
    SyncFailed "UCP202" Failed "the last sync of an Application failed" {
        "status.operationState.phase is Failed or Error."
        "Read the message; Argo CD retries by its retry policy, or when Git changes."
        "kubectl describe {object}"
    }
    ApplicationError "UCP203" Failed "an Application reports an error" {
        "status.conditions holds a condition whose type ends in Error, such as ComparisonError, SyncError or InvalidSpecError. Argo CD's conditions have no status: presence is truth."
        "Read the message: most often the repository, the path or the destination is wrong."
        "kubectl describe {object}"
    }
    OutOfSync "UCP204" Drifted "an Application is out of sync" {
        "status.sync.status is OutOfSync: what Git declares is not what the cluster holds."
        "Sync it, or find out who changed the cluster."
        "kubectl describe {object}"
    }
    ApplicationWarning "UCP205" Drifted "an Application reports a warning" {
        "status.conditions holds OrphanedResourceWarning, SharedResourceWarning, RepeatedResourceWarning or ExcludedResourceWarning: objects without a home in Git, or with two."
        "Give each object one Application."
        "kubectl describe {object}"
    }
    ApplicationStale "UCP206" Unknown "Argo CD has not looked at an Application for long" {
        "status.reconciledAt is more than an hour old, or absent; Argo CD looks every three minutes by default."
        "Check the application controller and its shards."
        "kubectl get statefulsets,deployments -A -l app.kubernetes.io/part-of=argocd"
    }
    ApplicationPaused "UCP207" Paused "an Application is paused" {
        "Annotation argocd.argoproj.io/skip-reconcile is \"true\", or its health is Suspended."
        "When the reason is gone, resume it."
        "kubectl annotate {object} argocd.argoproj.io/skip-reconcile-"
    }
    ApplicationProgressing "UCP208" Stuck "an Application takes too long to become healthy" {
        "status.health.status has been Progressing for longer than --stuck-after."
        "See which of its workloads does not roll out."
        "kubectl describe {object}"
    }
    SyncRunning "UCP209" Stuck "a sync does not come to an end" {
        "status.operationState.phase has been Running or Terminating for longer than --stuck-after: a hook or a resource never becomes healthy."
        "Read the message, which names what it waits for."
        "kubectl describe {object}"
    }
    ApplicationSetError "UCP210" Failed "an ApplicationSet cannot generate its Applications" {
        "Condition ErrorOccurred of an ApplicationSet is True, or ResourcesUpToDate is False."
        "Read the message: a generator or the template is wrong."
        "kubectl describe {object}"
    }
    ApplicationSetRollout "UCP211" Stuck "the rollout of an ApplicationSet does not come to an end" {
        "Condition RolloutProgressing has been True for longer than --stuck-after: one step waits for an Application."
        "See which Application of the current step is not healthy."
        "kubectl describe {object}"
    }
    FluxStalled "UCP301" Failed "Flux has given up on an object" {
        "Condition Stalled is True: Flux does not try again until the spec or the source changes."
        "Read the message and correct the spec."
        "kubectl describe {object}"
    }
    FluxNotReady "UCP302" Failed "Flux could not reconcile an object" {
        "Condition Ready is False, for instance with BuildFailed, PruneFailed, HealthCheckFailed or ReconciliationFailed."
        "Read the message; Flux tries again at the next interval."
        "kubectl describe {object}"
    }
    FluxSuspended "UCP303" Paused "an object of Flux is suspended" {
        "spec.suspend is true: changes in Git do not arrive, and Ready still shows the last result."
        "When the reason is gone, resume it."
        "kubectl patch {object} --type=merge -p '{\"spec\":{\"suspend\":false}}'"
    }
    FluxDrifted "UCP304" Drifted "a HelmRelease has drifted" {
        "Condition Drifted is True: driftDetection found objects in the cluster that differ from the release."
        "Find out who changed them, or let Flux correct them with driftDetection.mode enabled."
        "kubectl describe {object}"
    }
    FluxStuck "UCP306" Stuck "Flux takes too long to reconcile an object" {
        "Condition Ready has been Unknown, or Reconciling True, or a dependency not ready, for longer than --stuck-after."
        "Read the message, which names what it waits for."
        "kubectl describe {object}"
    }
    HelmTestFailed "UCP307" Failed "the tests of a HelmRelease failed" {
        "Condition TestSuccess is False, although the release itself may be Ready."
        "Look at the test's pods."
        "kubectl describe {object}"
    }
    FluxNeverReconciled "UCP308" Unknown "Flux has not looked at an object" {
        "The object is older than --stuck-after and has no Ready condition."
        "Check the controller of its kind."
        "kubectl get deployments -A -l app.kubernetes.io/part-of=flux"
    }
    ExternalDrift "UCP501" Drifted "an external resource is not as declared" {
        "drift: a field of spec.forProvider is set, and status.atProvider says otherwise. Compared by value: numbers, sets, JSON strings, durations and quantities of one meaning are the same; references, selectors and secrets are left out."
        "With full management policies Crossplane corrects it by itself; if it comes back, find out who else changes it. Without Update, correct the declaration or the external resource."
        "kubectl describe {object}"
    }
    ExternalSpelling "UCP502" Drifted "an external resource may not be as declared" {
        "drift: spec.forProvider and status.atProvider are spelled in two ways that clouds use for one thing: a self-link and a name, another case, a version and its beginning; or the provider reports a list element or lacks a tag that may be its own."
        "Compare by eye. Spell the declaration as the cloud does, and it is silent."
        "kubectl describe {object}"
    }
    ExternalStale "UCP503" Unknown "what is known of an external resource is old" {
        "drift: reconciliation is paused, or the provider cannot observe (Synced is False with 'connect failed' or 'observe failed'), so status.atProvider says what was once, and not what is."
        "Resume it, or mend the provider's access; then compare again."
        "kubectl describe {object}"
    }
    ExternalFight "UCP504" Drifted "an external resource is updated again and again" {
        "drift: events UpdatedExternalResource came five times or more within an hour, or metadata.generation has grown to 30 or more at a pace of four and more an hour. Two controllers, or a controller and the cloud's own defaults, undo each other."
        "See which field changes: kubectl get {object} -o yaml --show-managed-fields -w. Give it one owner, or declare what the cloud makes of it."
        "kubectl get events -A --field-selector reason=UpdatedExternalResource,involvedObject.name={name}"
    }
    ObjectOutOfSync "UCP511" Drifted "an object is not as Git declares it" {
        "drift: status.resources of an Argo CD Application says OutOfSync for it."
        "Sync the Application, or find out who changed the object; drift --repo shows the fields."
        "kubectl describe {object}"
    }
    ObjectNotInGit "UCP512" Drifted "an object is no longer in Git" {
        "drift: status.resources of an Argo CD Application says requiresPruning for it: it was applied from Git once and is not declared any more."
        "Sync the Application with pruning, or declare the object again."
        "kubectl describe {object}"
    }
    ObjectNotInCluster "UCP513" Drifted "an object is declared and not in the cluster" {
        "drift: status.resources of an Argo CD Application says OutOfSync, with health Missing, for it."
        "Sync the Application."
        "kubectl get {object}"
    }
    RevisionNotApplied "UCP514" Drifted "Flux has not applied what its source holds" {
        "drift: status.lastAppliedRevision of a Kustomization is not the revision of its source's artifact, or a HelmRelease is not Ready: what Git declares is not what the cluster holds."
        "Read its Ready condition; resume it if it is suspended."
        "kubectl describe {object}"
    }
    Orphan "UCP521" Drifted "nothing accounts for an object" {
        "drift --orphans: no Application, Kustomization, HelmRelease, composite, claim or ownerReference accounts for it, and it is none of the objects that Kubernetes makes by itself. It would be missing if the cluster were rebuilt from Git."
        "Declare it in Git or delete it; drift --ignore KIND/NAME leaves it out."
        "kubectl get {object} -o yaml"
    }
}

impl Code {
    /// Whether `drift` reports it, and `status` does not.
    pub fn is_of_drift(self) -> bool {
        self.info().code.starts_with("UCP5")
    }

    /// Finds a code by its text, in any case.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.info().code.eq_ignore_ascii_case(text))
    }

    /// The next command for an object.
    pub fn command_for(self, object: &crate::model::object::ObjectName) -> String {
        self.info().command.replace("{object}", &object.to_string()).replace("{name}", &object.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn codes_are_unique_and_found_by_their_text() {
        let codes: BTreeSet<_> = Code::ALL.iter().map(|code| code.info().code).collect();
        assert_eq!(codes.len(), Code::ALL.len());
        for code in Code::ALL {
            assert_eq!(Code::parse(&code.info().code.to_lowercase()), Some(*code));
        }
        assert_eq!(Code::parse("UCP999"), None);
    }
}
