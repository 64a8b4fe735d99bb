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
    /// What to do.
    pub advice: &'static str,
    /// The next command: one that looks, before any that changes something. `{object}` stands for
    /// `KIND.GROUP/NAME [-n NAMESPACE]`, `{application}` for `NAMESPACE/NAME` as argocd has it, `{flux}` for the object as
    /// the flux command names it, `{kind}`, `{namespace}` and `{name}` for these alone.
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
        "A Deployment or StatefulSet that an engine cannot do without is scaled to 0 or has no replica that is ready: its core, the runtime of a provider or function, the application-controller, repo-server or Redis of Argo CD, a controller of Flux. What it looks after is as it was when it was last looked at: nothing of it counts as OK."
        "Look at its pods and their events."
        "kubectl describe {object}"
    }
    ControllerMissing "UCP011" Unknown "no controller was found" {
        "Objects of an engine exist, all workloads could be listed, and none is the controller that looks after them, by its labels, name, image or owner. Either the controller is gone or it runs elsewhere; what its objects report may be old."
        "Install what is missing. If it runs elsewhere, say so: --external-controllers NAME, or KUBECTL_UCP_EXTERNAL_CONTROLLERS."
        "kubectl get deployments,statefulsets -A"
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
    CredentialsRefused "UCP105" Failed "the credentials of a provider config are refused" {
        "Managed resources that use one ProviderConfig cannot be looked at: condition Synced is False, its message begins with 'connect failed' or 'observe failed', and says that the credentials are wrong, absent or expired. They come from the Secret that the ProviderConfig names."
        "Renew the Secret, or correct the reference to it; Crossplane tries again by itself."
        "kubectl describe {object}"
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
        "Annotation crossplane.io/external-create-pending is newer than external-create-succeeded and external-create-failed: the provider stopped while it created the external resource, so it cannot know whether the resource exists. It does nothing more, so that it does not create it twice."
        "Check with the cloud whether the resource exists; the object shows its region and name. If it exists, set annotation crossplane.io/external-name to its name. Then: kubectl annotate {object} crossplane.io/external-create-pending-"
        "kubectl get {object} -o yaml"
    }
    NotReady "UCP113" Stuck "a managed resource takes too long to become ready" {
        "Condition Ready has not been True for longer than --stuck-after, although Synced is True: the external resource exists and is not usable, or its provider waits for something."
        "Look at the external resource and at what it refers to."
        "kubectl describe {object}"
    }
    ManagedPaused "UCP114" Paused "reconciliation is paused" {
        "Annotation crossplane.io/paused is \"true\", or spec.managementPolicies is empty (Synced is False with reason ReconcilePaused). The status may be out of date."
        "Find out why it was paused, and compare spec.forProvider with status.atProvider: the provider applies the difference when it resumes. Then set managementPolicies, or remove the annotation: kubectl annotate {object} crossplane.io/paused-"
        "kubectl get {object} -o yaml"
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
        "Find the resource that is not healthy. Since Argo CD 3.0 the Application does not store the health of its resources; 'argocd app get' shows it."
        "argocd app get {application}"
    }
    SyncFailed "UCP202" Failed "the last sync of an Application failed" {
        "status.operationState.phase of an Argo CD Application is Failed or Error, or it is Running and retryCount is above zero: an attempt failed and Argo CD tries again. A later sync, or a comparison that finds a newer revision in sync, ends this finding."
        "Read the message and correct the manifest or the cluster. Argo CD tries again as its retry policy says, or when Git changes; 'argocd app sync' starts a sync at once."
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
    ApplicationStale "UCP206" Unknown "Argo CD has not looked at an Application for long" {
        "status.reconciledAt of an Argo CD Application is more than ninety minutes old, or absent. Argo CD compares every three minutes by default, and at most every hour in common setups."
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
    SyncRunning "UCP209" Stuck "a sync does not come to an end" {
        "status.operationState.phase of an Argo CD Application has been Running or Terminating for longer than --stuck-after, and no attempt has failed: a hook or a resource does not become healthy."
        "Read the message: it names what the sync waits for. 'argocd app terminate-op' stops the sync."
        "argocd app get {application} --show-operation"
    }
    ApplicationSetError "UCP210" Failed "an ApplicationSet cannot generate its Applications" {
        "Condition ErrorOccurred of an ApplicationSet is True, or ResourcesUpToDate is False."
        "Read the message and correct the generator or the template."
        "argocd appset get {application}"
    }
    ApplicationSetRollout "UCP211" Stuck "the rollout of an ApplicationSet does not come to an end" {
        "Condition RolloutProgressing of an ApplicationSet has been True for longer than --stuck-after: a step of the rollout waits for an Application."
        "Find the Application of the current step that is not healthy."
        "kubectl get {object} -o jsonpath='{.status.applicationStatus}'"
    }
    SelfHealUndone "UCP212" Drifted "something undoes what Argo CD corrects" {
        "The last sync of an Argo CD Application was the third or a later one in a row that self-heal started for one revision (operationState.operation.sync.autoHealAttemptsCount): another controller or a person changes the objects back, or the API server does not store what Git declares."
        "See which field manager changes the object. Give the field one owner, declare what the API server makes of it, or add it to spec.ignoreDifferences."
        "argocd app diff {application}"
    }
    DestinationDown "UCP213" Failed "Argo CD does not reach a destination cluster" {
        "A condition of an Argo CD Application says that its destination cluster did not answer, or that no client could be made for it. Argo CD keeps the last health of the Applications of that cluster, so nothing is known of them since. The connection state of a cluster is not in the Kubernetes API."
        "Check the cluster, the network to it and its credential; 'argocd cluster list' shows what Argo CD thinks of it."
        "kubectl ucp clusters --probe"
    }
    ApplicationDeletionStuck "UCP214" Stuck "the deletion of an Application does not come to an end" {
        "deletionTimestamp of an Argo CD Application is older than --stuck-after, or condition DeletionError is present: a finalizer waits until what the Application deployed is gone."
        "See what is left and correct what holds it. Without the finalizer the Application goes at once and everything it deployed stays."
        "argocd app get {application}"
    }
    FluxStalled "UCP301" Failed "Flux has given up on an object" {
        "Condition Stalled of a Flux object is True: Flux does not try again until the spec or the source changes."
        "Read the message and correct the spec."
        "flux events --for {kind}/{name} -n {namespace}"
    }
    FluxNotReady "UCP302" Failed "Flux could not reconcile an object" {
        "Condition Ready of a Flux object is False, or its last attempt failed (status.history of a Kustomization, status.failures of a HelmRelease) and it is trying again. Reasons are for instance BuildFailed, HealthCheckFailed or InstallFailed."
        "Read the message and correct the cause. Flux tries again at the next interval; the command below makes it try at once."
        "flux reconcile {flux}"
    }
    FluxSuspended "UCP303" Paused "an object of Flux is suspended" {
        "spec.suspend of a Flux object is true: changes in Git are not applied, and Ready still shows the last result."
        "Find out why it was suspended; the managed fields show who did it and when. When that reason is gone: flux resume {flux}"
        "kubectl get {object} -o yaml --show-managed-fields"
    }
    FluxDrifted "UCP304" Drifted "a HelmRelease has drifted" {
        "Condition Drifted of a HelmRelease is True: driftDetection found objects in the cluster that differ from the release."
        "Find out who changed them, or set driftDetection.mode to enabled so that Flux corrects them."
        "flux events --for {kind}/{name} -n {namespace}"
    }
    FluxStuck "UCP306" Stuck "Flux takes too long to reconcile an object" {
        "Condition Ready of a Flux object has been Unknown, Reconciling has been True, or a dependency has not been ready, for longer than --stuck-after, and no attempt has failed."
        "Read the message: it names what Flux waits for."
        "flux events --for {kind}/{name} -n {namespace}"
    }
    HelmTestFailed "UCP307" Failed "the tests of a HelmRelease failed" {
        "Condition TestSuccess of a HelmRelease is False; the release itself may be Ready."
        "Look at the logs of the test's pods."
        "flux events --for {kind}/{name} -n {namespace}"
    }
    FluxNeverReconciled "UCP308" Unknown "Flux has not looked at an object" {
        "A Flux object is older than --stuck-after and has no Ready condition."
        "Check that the controller for its kind runs."
        "kubectl get deployments -A -l app.kubernetes.io/part-of=flux"
    }
    FluxDeletionStuck "UCP309" Stuck "the deletion of a Flux object does not come to an end" {
        "deletionTimestamp of a Flux object is older than --stuck-after, or its uninstallation failed: a finalizer waits until its controller has removed what the object applied."
        "See what is left and correct what holds it. Without the finalizer the object goes at once and everything it applied stays."
        "flux events --for {kind}/{name} -n {namespace}"
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
        "drift: within an hour there were five events UpdatedExternalResource or more, and more of them than changes of the declaration, or some after the last change; or metadata.generation has grown to 30 or more at a pace of four and more an hour, while both the provider and somebody else wrote the declaration. Two controllers, or a controller and the cloud's own defaults, undo each other."
        "See which field changes: kubectl get {object} -o yaml --show-managed-fields -w. Give it one owner, or declare what the cloud makes of it."
        "kubectl get events -A --field-selector reason=UpdatedExternalResource,involvedObject.name={name}"
    }
    ObjectOutOfSync "UCP511" Drifted "an object is not as Git declares it" {
        "drift: status.resources of an Argo CD Application says OutOfSync for it."
        "Sync the Application with 'argocd app sync', or find out who changed the object; drift --repo shows the fields."
        "kubectl get {object} -o yaml --show-managed-fields"
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
        "drift: status.lastAppliedRevision of a Kustomization is not the revision of its source's artifact, or a HelmRelease is not Ready: the cluster does not hold what Git declares."
        "Read its Ready condition. If it is suspended, find out why before you resume it."
        "flux reconcile {flux} --with-source"
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
        let namespace = object.namespace.as_deref().unwrap_or_default();
        let in_namespace = if namespace.is_empty() { String::new() } else { format!(" -n {namespace}") };
        let application = match namespace {
            "" => object.name.clone(),
            namespace => format!("{namespace}/{}", object.name),
        };
        self.info()
            .command
            .replace("{object}", &object.to_string())
            .replace("{application}", &application)
            .replace("{flux}", &format!("{} {}{in_namespace}", flux_kind(&object.kind), object.name))
            .replace("{kind}", &object.kind)
            .replace("{namespace}", namespace)
            .replace("{name}", &object.name)
    }
}

/// A kind as the subcommands of `flux reconcile` and `flux resume` name it.
fn flux_kind(kind: &str) -> String {
    let source = match kind {
        "GitRepository" => "git",
        "OCIRepository" => "oci",
        "HelmRepository" => "helm",
        "HelmChart" => "chart",
        "Bucket" => "bucket",
        other => return other.to_ascii_lowercase(),
    };
    format!("source {source}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::object::ObjectName;
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

    #[test]
    fn the_next_command_names_the_object_as_its_tool_does() {
        let object = |api_version: &str, kind: &str, name: &str| ObjectName {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            namespace: Some("team".to_owned()),
            name: name.to_owned(),
        };
        let application = object("argoproj.io/v1alpha1", "Application", "shop");
        assert_eq!(Code::OutOfSync.command_for(&application), "argocd app diff team/shop");
        let source = object("source.toolkit.fluxcd.io/v1", "GitRepository", "fleet");
        assert_eq!(Code::FluxNotReady.command_for(&source), "flux reconcile source git fleet -n team");
        let release = object("helm.toolkit.fluxcd.io/v2", "HelmRelease", "shop");
        assert_eq!(
            Code::RevisionNotApplied.command_for(&release),
            "flux reconcile helmrelease shop -n team --with-source"
        );
        assert_eq!(Code::FluxStalled.command_for(&release), "flux events --for HelmRelease/shop -n team");
    }

    /// What changes something comes after the look that the advice asks for.
    #[test]
    fn the_next_command_looks_first() {
        for code in Code::ALL {
            let command = code.info().command;
            let changes = ["resume", "annotate", "patch", "delete", "app sync", "apply", "edit"];
            assert!(!changes.iter().any(|verb| command.contains(verb)), "{code:?}: {command}");
        }
    }
}
