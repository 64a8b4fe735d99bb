//! Finding codes of `doctor`: problems that do not have an effect yet, but will soon or after the next upgrade.

use crate::engine::code::codes;

codes! {
    NativePatches "UCP401" NeedsHuman "a Composition uses native patch and transform" {
        "doctor: spec.mode of a Composition is not Pipeline, or it has spec.resources or spec.patchSets. Crossplane 2 has composition functions only. Same check as 'crossplane beta upgrade check' of the 1.20 CLI."
        "Convert it with the 1.20 CLI and install function-patch-and-transform before the upgrade: crossplane beta convert pipeline-composition."
        "kubectl get {object} -o yaml"
    }
    ControllerConfigUsed "UCP402" NeedsHuman "a ControllerConfig is used" {
        "doctor: a ControllerConfig exists, or a Provider or Function has spec.controllerConfigRef. Crossplane 2 has removed that kind, and the settings are lost. Same check as 'crossplane beta upgrade check'."
        "Convert it to a DeploymentRuntimeConfig (crossplane beta convert deployment-runtime), refer to it by spec.runtimeConfigRef, and delete the ControllerConfig."
        "kubectl get {object} -o yaml"
    }
    SecretStoreUsed "UCP403" NeedsHuman "an external secret store is used" {
        "doctor: Crossplane runs with --enable-external-secret-stores, a StoreConfig other than the default one exists, a Composition names one, or an object has spec.publishConnectionDetailsTo. Crossplane 2 has removed this, and the connection details are no longer written. Same check as 'crossplane beta upgrade check'."
        "Write the details to a Secret (spec.writeConnectionSecretToRef) and distribute it with External Secrets."
        "kubectl get {object} -o yaml"
    }
    PackageUnqualified "UCP404" NeedsHuman "a package source names no registry" {
        "doctor: spec.package of a Provider, Configuration or Function has no registry host. Crossplane 2 has no default registry, so the package is not found. Same check as 'crossplane beta upgrade check'."
        "Write the registry in front, such as xpkg.crossplane.io/."
        "kubectl get {object} -o yaml"
    }
    ConnectionDetailsComposed "UCP405" NeedsHuman "connection details of a composite are used" {
        "doctor: an XRD has connectionSecretKeys, a Composition publishes connectionDetails, or a composite or claim has spec.writeConnectionSecretToRef. Crossplane 2 still supports this for these legacy composites; composites of v2 XRDs have no connection details. Information, as in 'crossplane beta upgrade check'."
        "No action is required for the upgrade. Before an XRD moves to v2, let its Composition compose a Secret."
        "kubectl get {object} -o yaml"
    }
    UpgradePath "UCP406" NeedsHuman "an upgrade of Crossplane requires intermediate versions" {
        "doctor --for: upstream does not support an upgrade from the running version to the requested version: Crossplane 2 requires 1.20, minor versions are upgraded one after the other, and downgrades are not supported."
        "Upgrade to each intermediate version, and run doctor again after each."
        "helm search repo crossplane-stable/crossplane --versions"
    }
    ActiveRevisionsTwice "UCP411" Failed "two revisions of one package are active" {
        "doctor: spec.desiredState of two or more revisions of a package is Active. Two controllers reconcile the same objects, undo each other's changes, and try to own the same CRDs."
        "Deactivate all but the one in status.currentRevision."
        "kubectl get providerrevisions,functionrevisions,configurationrevisions"
    }
    StoredVersionUnserved "UCP412" Failed "objects may be stored in a version that is not served" {
        "doctor: status.storedVersions of a CRD names a version that spec.versions does not serve. The API server refuses an update of the CRD that drops the version, so the next version of its package cannot be installed (crossplane#5932, #6148); objects that are still stored in it cannot be read after it is removed."
        "Rewrite the objects in the storage version, and then remove the old version from status.storedVersions."
        "kubectl get {object} -o yaml"
    }
    VersionDeprecated "UCP413" Drifted "a deprecated API version is in use" {
        "doctor: according to metadata.managedFields, an object is written in an API version that its CRD marks as deprecated, or a CRD still stores objects in one. A later version of the package will remove the API version, and these writes will fail."
        "Change apiVersion where the objects are declared."
        "kubectl get {object} -o yaml --show-managed-fields"
    }
    KindWithoutProvider "UCP414" Failed "no active provider installs the kind of an object" {
        "doctor: managed resources exist whose CRD is in status.objectRefs of no active ProviderRevision: the provider was removed, or its family member was. Nothing reconciles them, and when they are deleted, their finalizers are never released."
        "Install the provider again, or set managementPolicies that orphan the external resources before you delete the objects."
        "kubectl get providerrevisions"
    }
    CoreRightsMissing "UCP415" Failed "Crossplane's core may not manage a kind that it composes" {
        "doctor: a Composition composes a kind, in a base of its pipeline or in an object that a composite refers to, and no ClusterRole that is bound to the ServiceAccount of Crossplane's core by a ClusterRoleBinding allows it to list and watch, or to create, patch and delete the kind. Core reports this only as 'failed waiting for Informer to sync', or not at all (crossplane#6544, #6895, #7398). Rights in individual namespaces are not counted."
        "Create a ClusterRole with these rights and the label rbac.crossplane.io/aggregate-to-crossplane: \"true\"."
        "kubectl get {object} -o yaml"
    }
    CredentialSecretMissing "UCP421" Failed "a Secret with a provider's credentials is missing" {
        "doctor: a ProviderConfig or ClusterProviderConfig refers to a Secret that does not exist, or to a key that it does not have. The provider uses the values that it has read until it restarts."
        "Create the Secret, or correct the reference."
        "kubectl describe {object}"
    }
    ClusterCredentialEnds "UCP422" NeedsHuman "the credentials for an app cluster expire soon" {
        "doctor: the certificate or token in a kubeconfig Secret, or in a registration with Argo CD or Flux, has expired or expires soon: less than a fifth of its lifetime, and at most 30 days, are left. Tokens with a lifetime of less than a day are renewed by their provider, and are reported only after they have expired."
        "Register the cluster again with a fresh credential: kubectl ucp adopt-cluster NAME --rotate."
        "kubectl ucp clusters"
    }
    TlsCertificateEnds "UCP423" NeedsHuman "a TLS certificate expires soon" {
        "doctor: tls.crt of a Secret, or status.notAfter of a Certificate of cert-manager, has expired or expires soon: less than a fifth of its lifetime, and at most 30 days, are left. cert-manager renews certificates after two thirds of their lifetime, so the renewal has failed."
        "Find out who issues it and why it was not renewed. Crossplane's own certificates are created again when their Secrets are deleted and Crossplane restarts."
        "kubectl describe {object}"
    }
    SealingKeyEnds "UCP424" NeedsHuman "the sealing key of SealedSecrets expires soon" {
        "doctor: the newest active key of sealed-secrets (label sealedsecrets.bitnami.com/sealed-secrets-key) has a certificate that has expired or expires soon: kubeseal refuses it. Or the key is older than 60 days, so the monthly renewal does not work."
        "Check the log of the controller and --key-renew-period. Keep a backup of the keys: without them, no SealedSecret can be decrypted."
        "kubectl get secrets -A -l sealedsecrets.bitnami.com/sealed-secrets-key"
    }
    TrackingByLabel "UCP431" Drifted "Argo CD tracks its objects by label" {
        "doctor: application.resourceTrackingMethod in argocd-cm is label. The label app.kubernetes.io/instance is truncated to 63 characters and is also set by Helm charts and composites, so Argo CD may treat other objects as its own and prune them, or miss its own objects."
        "Set application.resourceTrackingMethod to annotation, the default since Argo CD 3.0, and sync all Applications."
        "kubectl get {object} -o yaml"
    }
    KindsExcluded "UCP432" Drifted "Argo CD ignores kinds that it should observe" {
        "doctor: resource.exclusions in argocd-cm excludes, or resource.inclusions leaves out, managed resources, composites or claims that exist. Argo CD neither applies nor shows them: an Application remains Synced and Healthy although objects below it failed."
        "Exclude only ProviderConfigUsage, as Crossplane recommends."
        "kubectl get {object} -o yaml"
    }
    HealthUnchecked "UCP433" Drifted "Argo CD has no health check for a kind that it deploys" {
        "doctor: an Application deploys composites or claims of a group for which Argo CD has no health check: its own cover *.crossplane.io and *.upbound.io, and neither resource.customizations nor resource.customizations.health.GROUP_KIND in argocd-cm names it. Their failure leaves the Application Healthy, and sync waves do not wait for them."
        "Add a health check for the group; Crossplane's guide for Argo CD has one for all groups."
        "kubectl get {object} -o yaml"
    }
    GitNotPolled "UCP434" NeedsHuman "Argo CD does not poll Git" {
        "doctor: timeout.reconciliation in argocd-cm is 0. Changes in Git are detected only through webhooks, and drift of the cluster only after a refresh."
        "Set it to 180s, or make sure that webhooks arrive."
        "kubectl get {object} -o yaml"
    }
    PausedForLong "UCP441" Paused "something has been paused for longer than a week" {
        "doctor: the object is Paused, and metadata.managedFields, or otherwise its condition, shows since when and by whom. The declared and the external state may drift apart unnoticed, and all differences are applied at once when it is resumed."
        "Ask the person who paused it. Compare first, then resume."
        "kubectl get {object} -o yaml --show-managed-fields"
    }
    WebhookDown "UCP442" Failed "a required webhook has no endpoint" {
        "doctor: failurePolicy of a webhook is Fail, and the Service that it names does not exist or has no ready endpoint. Every request that matches the webhook is refused: for Crossplane's Usages, every deletion of what is in use; for a provider's conversion, every read."
        "Fix the workload that serves it. Do not delete the webhook of Crossplane's Usages: protected objects could be deleted."
        "kubectl get {object} -o yaml"
    }
    VersionsMixed "UCP443" Drifted "parts of one engine run different versions" {
        "doctor: workloads of one engine that run the same image do so with different tags, or those of Flux carry different versions. An upgrade is incomplete."
        "Finish the upgrade."
        "kubectl get deployments,statefulsets -A -o wide"
    }
    VersionUnsupported "UCP444" NeedsHuman "an engine's version is no longer supported" {
        "doctor: for Crossplane, Argo CD and Flux, upstream supports the three newest minor versions, and this version is older than those of November 2026, when this table was created. It no longer receives security fixes."
        "Upgrade it, one minor version after the other; for Crossplane see doctor --for VERSION first."
        "kubectl ucp version"
    }
    KubernetesUnsupported "UCP445" NeedsHuman "an engine does not support this version of Kubernetes" {
        "doctor: the API server is older or newer than the versions that upstream tests this minor version of Argo CD with, or older than the version that this Flux requires (flux check). Crossplane requires a version that Kubernetes itself still supports. For versions that are newer than the table, only the lower bound is checked."
        "Upgrade the engine before Kubernetes, or Kubernetes before the engine, until both fit."
        "kubectl ucp version"
    }
    DeclaredTwice "UCP451" Drifted "one object is deployed from two places" {
        "doctor: status.resources of two Applications, or the inventories of two objects of Flux, name the same object of the same cluster. Each sync overwrites what the other one wrote, and with pruning each may delete it for both."
        "Rename one of the two objects, or remove one of the declarations."
        "kubectl get {object} -o yaml --show-managed-fields"
    }
    RightsMissing "UCP461" NeedsHuman "rights that a command needs are missing" {
        "doctor: according to a SelfSubjectRulesReview, the current credentials do not have all rights of the roles in docs/permissions.md. Rights in individual namespaces are not counted."
        "Bind the role that 'kubectl ucp COMMAND --print-rbac' prints."
        "kubectl auth can-i --list"
    }
    DefinitionRefused "UCP471" Failed "a new definition cannot replace the installed one" {
        "doctor --crds or --package: the new definition changes spec.scope or spec.names.kind of the installed CRD, drops a version that status.storedVersions names, or has not exactly one version with storage: true. The API server refuses such an update, so the package cannot be installed. Whether the definition is valid as such is not examined."
        "Rewrite the objects in the storage version and remove the old one from status.storedVersions (see UCP412). If an immutable field changes, migrate the objects to a new CRD."
        "kubectl get {object} -o yaml"
    }
    VersionWithdrawn "UCP472" Failed "a version in use is no longer served" {
        "doctor --crds or --package: the installed CRD serves an API version that the new definition does not serve. An error if a field manager wrote a live object in that version, according to metadata.managedFields: its next write fails. Information if none did."
        "Change apiVersion where the objects are declared, before the upgrade."
        "kubectl get {object} -o yaml --show-managed-fields"
    }
    FieldsRemoved "UCP473" Failed "a new definition removes fields of live objects" {
        "doctor --crds or --package: live objects have fields that the schema of the new definition does not declare. The API server drops them when it reads the object, so the provider no longer sees them, and they are lost with the next write. Information for fields of the status, which its controller writes again."
        "Read the release notes of the new version: the field may have another name. Change the declarations before or with the upgrade."
        "kubectl get {object} -o yaml"
    }
    ObjectsInvalid "UCP474" Failed "live objects do not satisfy a new definition" {
        "doctor --crds or --package: a field of a live object has another type, is missing, or breaks an enum, a limit, a pattern or a rule of the new schema. The API server refuses to create the object again, and changes of that field; before Kubernetes 1.30, it refuses every update of the object, that of its status included."
        "Change the declarations before or with the upgrade."
        "kubectl get {object} -o yaml"
    }
    DefaultsAdded "UCP475" Drifted "a new definition sets fields of live objects" {
        "doctor --crds or --package: the new schema has a default for a field that live objects do not have. The API server fills it in, and a provider may apply it to the external resource."
        "Set the field in the declaration if the default is not the current state."
        "kubectl get {object} -o yaml"
    }
    KindWithdrawn "UCP476" Failed "a new package does not have a kind in use" {
        "doctor --package: live managed resources have a kind that is in status.objectRefs of the package's active revision and not in the new package. The CRD and the objects stay, but nothing reconciles them, and their finalizers are never released."
        "Install the package that has the kind now, or set managementPolicies that orphan the external resources before you delete the objects."
        "kubectl get {object} -o yaml"
    }
    CompositionOutdated "UCP477" Failed "a Composition does not fit a new definition" {
        "doctor --crds or --package: the base of a composed resource has an API version that is no longer served, or the base or a patch of function-patch-and-transform names a field that the new schema does not declare. Templates of other functions are not examined; the objects that they composed are, as live objects."
        "Change the Composition, and update it together with the package."
        "kubectl get {object} -o yaml"
    }
    KindLeftInactive "UCP478" NeedsHuman "a new package leaves a kind in use inactive" {
        "doctor --crds or --package: a provider with the capability safe-start, or a ManagedResourceDefinition without state: Active, defines the kind of live objects, no active ManagedResourceDefinition of that kind is installed, and no ManagedResourceActivationPolicy names it. Crossplane then does not install or update the CRD of the kind."
        "Name the kind in a ManagedResourceActivationPolicy: spec.activate, before the upgrade. It cannot be deactivated again."
        "kubectl get managedresourceactivationpolicies -o yaml"
    }
}
