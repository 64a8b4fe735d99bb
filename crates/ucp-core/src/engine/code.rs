//! Finding codes: meaning, severity, and remedy. This file declares those without an engine; each engine declares its
//! own. `kubectl ucp explain CODE` prints an entry. A code is never reused.

use std::fmt;

use crate::model::shell::quote_word;
use crate::model::verdict::Verdict;

/// The description of a code, as printed by `explain`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CodeInfo {
    /// The stable identifier, `UCPnnn`.
    pub code: &'static str,
    /// The verdict of an object with this finding.
    pub verdict: Verdict,
    /// A summary in one line.
    pub title: &'static str,
    /// The way in which the finding is detected: the controller and the field.
    pub meaning: &'static str,
    /// The recommended action.
    pub advice: &'static str,
    /// The next command; one that only reads has precedence over one that makes changes. Placeholders: `{object}` for
    /// `KIND.GROUP/NAME [-n NAMESPACE]`, `{kind}`, `{namespace}`, and `{name}`. No command of the engines themselves,
    /// which require another program or a login.
    pub command: &'static str,
}

/// The stable code of a kind of problem. Engines declare their codes as associated constants, which are used like the
/// variants of an enum.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(&'static CodeInfo);

impl fmt::Debug for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.code)
    }
}

/// Declares codes: `Name "UCP000" Verdict "title" { "meaning" "advice" "command" }`. They become constants of [`Code`],
/// and the list [`ALL`] of the declaring module.
macro_rules! codes {
    ($($name:ident $code:literal $verdict:ident $title:literal { $meaning:literal $advice:literal $command:literal })*) => {
        #[allow(non_upper_case_globals, reason = "they read like the variants of an enum that any adapter adds to")]
        impl $crate::engine::code::Code {
            $(
                #[doc = $title]
                pub const $name: Self = Self::new(&$crate::engine::code::CodeInfo {
                    code: $code,
                    verdict: $crate::model::verdict::Verdict::$verdict,
                    title: $title,
                    meaning: $meaning,
                    advice: $advice,
                    command: $command,
                });
            )*
        }

        /// All codes that are declared in this module.
        pub(in $crate::engine) const ALL: &[$crate::engine::code::Code] = &[$($crate::engine::code::Code::$name,)*];
    };
}
pub(crate) use codes;

codes! {
    ControllerDown "UCP010" Failed "a controller is not running" {
        "An essential Deployment or StatefulSet of an engine is scaled to 0 or has no ready replica: its core, the runtime of a provider or function, the application-controller, repo-server or Redis of Argo CD, a controller of Flux. Its objects are not reconciled, so none of them counts as OK."
        "Look at its pods and their events."
        "kubectl describe {object}"
    }
    ControllerMissing "UCP011" Unknown "no controller was found" {
        "Objects of an engine exist, and all workloads were listed, but none of them is the engine's controller by its labels, name, image or owner. The controller is missing or runs elsewhere, so the status of its objects may be out of date."
        "Install it. If it runs elsewhere, declare that with --external-controllers NAME or KUBECTL_UCP_EXTERNAL_CONTROLLERS."
        "kubectl get deployments,statefulsets -A"
    }
    ExternalDrift "UCP501" Drifted "an external resource is not as declared" {
        "drift: a field of spec.forProvider is set, and status.atProvider differs. Compared by value: numbers, sets, JSON strings, durations and quantities with the same meaning are equal; references, selectors and secrets are not compared."
        "With full management policies, Crossplane corrects it automatically. If the difference returns, find the other writer of the field. Without Update, correct the declaration or the external resource."
        "kubectl describe {object}"
    }
    ExternalSpelling "UCP502" Drifted "an external resource may not be as declared" {
        "drift: spec.forProvider and status.atProvider differ in ways that may mean the same: a link and a name, upper and lower case, a version and its prefix; or the provider reports a list element, or does not report a tag, that may be its own."
        "Compare the values. If they have the same meaning, write the declaration in the form that the cloud reports."
        "kubectl describe {object}"
    }
    ExternalStale "UCP503" Unknown "the state of an external resource is out of date" {
        "drift: reconciliation is paused, or the provider cannot observe (Synced is False with 'connect failed' or 'observe failed'), so status.atProvider is out of date."
        "Resume it, or correct the credentials of the provider. Then compare again."
        "kubectl describe {object}"
    }
    ExternalFight "UCP504" Drifted "an external resource is updated again and again" {
        "drift: within an hour there were five events UpdatedExternalResource or more, and more of them than changes of the declaration, or some after the last change; or metadata.generation has grown to 30 or more at a pace of four and more an hour, while both the provider and another field manager wrote the declaration. Two controllers, or a controller and the cloud's defaults, revert each other's changes."
        "See which field changes: kubectl get {object} -o yaml --show-managed-fields -w. Make sure that only one of them sets it, or declare the value that the cloud sets."
        "kubectl get events -A --field-selector reason=UpdatedExternalResource,involvedObject.name={name}"
    }
    ObjectOutOfSync "UCP511" Drifted "an object is not as Git declares it" {
        "drift: status.resources of an Argo CD Application reports it as OutOfSync."
        "Sync the Application, or find out who changed the object. drift --repo shows the fields."
        "kubectl get {object} -o yaml --show-managed-fields"
    }
    ObjectNotInGit "UCP512" Drifted "an object is no longer in Git" {
        "drift: status.resources of an Argo CD Application reports requiresPruning for it: it was applied from Git earlier and is no longer declared."
        "Sync the Application with pruning, or declare the object again."
        "kubectl describe {object}"
    }
    ObjectNotInCluster "UCP513" Drifted "an object is declared and not in the cluster" {
        "drift: status.resources of an Argo CD Application reports it as OutOfSync with health Missing."
        "Sync the Application."
        "kubectl get {object}"
    }
    RevisionNotApplied "UCP514" Drifted "Flux has not applied the revision of its source" {
        "drift: status.lastAppliedRevision of a Kustomization is not the revision of its source's artifact, or a HelmRelease is not Ready: the cluster does not match Git."
        "Read its Ready condition. If it is suspended, find out why before you resume it."
        "kubectl describe {object}"
    }
    Orphan "UCP521" Drifted "nothing declares or owns an object" {
        "drift --orphans: no Application, Kustomization, HelmRelease, composite, claim or ownerReference declares or owns it, and Kubernetes does not create it automatically. It would be missing if the cluster were rebuilt from Git."
        "Declare it in Git or delete it; drift --ignore KIND/NAME ignores it."
        "kubectl get {object} -o yaml"
    }
    ExternalShared "UCP801" NeedsHuman "two objects claim one external resource" {
        "conflicts: both manage the same resource by the cloud's own name (status.atProvider.arn, selfLink or id, status.ackResourceMetadata.arn), or are of one kind, external name, place and account; and each may write or delete it. Crossplane allows this and does not report it."
        "Decide who owns it. Set managementPolicies [Observe] on the other object first, and delete it after that: with the deletion policy Delete, its deletion would delete the resource."
        "kubectl get {object} -o yaml"
    }
    ExternalSharedMaybe "UCP802" NeedsHuman "two objects may claim one external resource" {
        "conflicts: both are of one kind, external name and place, with provider configs that are identical. It is unknown whether these use one account, and the cloud's own name is not known for both."
        "Compare the accounts of the two provider configs, and the tags of the external resource. A tag with the name of the core cluster distinguishes two core clusters."
        "kubectl get {object} -o yaml"
    }
    ForeignOwner "UCP803" NeedsHuman "the tags of an external resource name another owner" {
        "conflicts: the tags crossplane-kind or crossplane-name in status.atProvider name another object. upjet's AWS provider writes them for the object that it reconciles. This is only a hint: a renamed object keeps its old tags until the next update, and an object that is deployed from the same repository to another cluster writes the same tags. Or labels there (cnrm-lease-holder-id, managed-by-cnrm) show that Config Connector manages it."
        "Look for the other object, in this and in other core clusters: kubectl ucp conflicts --contexts A,B."
        "kubectl get {object} -o yaml"
    }
    ManagementConflict "UCP804" Failed "Config Connector reports that another instance manages it" {
        "conflicts: a condition of the object has reason ManagementConflict: another Config Connector holds the lease in the labels cnrm-lease-holder-id and cnrm-lease-expiration."
        "Find the other cluster that declares it, and remove one of the objects: set the annotation cnrm.cloud.google.com/deletion-policy to abandon, and then delete the object."
        "kubectl describe {object}"
    }
    SecretMissing "UCP851" Failed "a Secret is not where a workload needs it" {
        "secrets: something declares a copy of a Secret of the core cluster for an app cluster, or a pod there refers to a Secret that only the core cluster has, by the name of a connection Secret; but the Secret or its namespace does not exist there."
        "Declare it (kubectl ucp secrets declare) or copy it (kubectl ucp secrets sync). If the namespace is missing, create it first."
        "kubectl ucp secrets {name}"
    }
    SecretCollision "UCP852" Failed "two declarations mean one Secret" {
        "secrets: two Syncers, PushSecrets, Objects or others declare the same Secret of the same app cluster, or two Applications apply one declaration by the same name. Each overwrites the other, and both report success."
        "Keep one of them, or give them different names."
        "kubectl ucp secrets {name}"
    }
    SecretSource "UCP853" NeedsHuman "the source of a Secret is missing or has fewer keys" {
        "secrets: the source of a declared copy does not exist in the core cluster, is empty, or does not have keys that the copy has or that a workload refers to. Crossplane receives some passwords only when it creates a resource: if the core cluster was rebuilt, the copy may be the last one."
        "Keep the copy. Find out which object should write the source, and whether the value can be retrieved again. If not, reset the password of the external resource."
        "kubectl get secrets -A --field-selector metadata.name={name}"
    }
    SecretForeign "UCP854" NeedsHuman "a Secret with this name belongs to another owner" {
        "secrets: the Secret in the app cluster has an owner, or is marked by a controller that does not declare it as a copy: Helm, Argo CD, Flux, External Secrets, cert-manager, or kubectl ucp of another core cluster."
        "Decide who owns it. Give the copy another name or namespace, or remove the Secret from its owner."
        "kubectl ucp secrets {name}"
    }
    SecretDrifted "UCP855" Drifted "a Secret differs from its source" {
        "secrets: values of the copy differ from the source in the core cluster. Compared by HMAC with a key that is generated for each run; only the names of keys are shown. The copy is stale if the source was written last."
        "Copy it again, or find out why its controller does not: PushSecrets do not watch their source, and report Synced until the next interval."
        "kubectl ucp secrets sync {name} --dry-run"
    }
    SecretOrphaned "UCP856" Drifted "a copy is no longer declared" {
        "secrets: kubectl ucp copied it from this core cluster, and nothing declares or refers to it now."
        "Remove it, or declare it again."
        "kubectl ucp secrets sync --prune --dry-run"
    }
    ProviderCredentialsDistributed "UCP857" Failed "credentials of a provider are in an app cluster" {
        "secrets: a Secret of an app cluster has a value of the Secret that a ProviderConfig takes its credentials from (spec.credentials.secretRef), or something declares such a copy. Anyone who can read it there can do everything that the provider can."
        "Remove the declaration and the copy, and replace the credentials in the cloud."
        "kubectl ucp secrets {name}"
    }
    SecretInStatus "UCP858" NeedsHuman "an Object contains the values of a Secret in clear text" {
        "secrets: provider-kubernetes keeps what it observed in status.atProvider.manifest, values of Secrets as well, unless it runs with --sanitize-secrets (default false). Anyone who may read Objects can read the Secret."
        "Run provider-kubernetes with --sanitize-secrets (args of a DeploymentRuntimeConfig), and restrict who may read Objects."
        "kubectl get {object} -o name"
    }
}

impl Code {
    /// Returns true for codes that `status` reports. Of the others, UCP4xx belong to `doctor`, UCP5xx to `drift`,
    /// UCP6xx to `resources --any`, UCP8xx to `conflicts` and `secrets`, and UCP91x to `teardown`.
    pub fn is_of_status(self) -> bool {
        !["UCP4", "UCP5", "UCP6", "UCP8", "UCP91", "UCP92"].iter().any(|other| self.info().code.starts_with(other))
    }

    /// Creates the code of an entry.
    pub const fn new(info: &'static CodeInfo) -> Self {
        Self(info)
    }

    /// Returns the description of the code.
    pub const fn info(self) -> &'static CodeInfo {
        self.0
    }

    /// Returns the next command for an object.
    pub fn command_for(self, object: &crate::model::object::ObjectName) -> String {
        let namespace = object.namespace.as_deref().unwrap_or_default();
        let (kind, name, namespace) = (quote_word(&object.kind), quote_word(&object.name), quote_word(namespace));
        let object = object.to_string();
        // Replaced in a single pass, since a name may look like a placeholder.
        filled(self.info().command, |place| match place {
            "object" => Some(object.as_str()),
            "kind" => Some(&kind),
            "namespace" => Some(&namespace),
            "name" => Some(&name),
            _ => None,
        })
    }
}

/// Replaces the placeholders of a command, such as `{name}`.
fn filled<'t>(template: &str, value: impl Fn(&str) -> Option<&'t str>) -> String {
    let (mut text, mut rest) = (String::new(), template);
    while let Some(open) = rest.find('{') {
        text.push_str(&rest[..open]);
        rest = &rest[open..];
        let place = rest.find('}').and_then(|close| Some((value(&rest[1..close])?, close + 1)));
        let (found, length) = place.unwrap_or(("{", 1));
        text.push_str(found);
        rest = &rest[length..];
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{codes, parse_code};
    use crate::model::object::ObjectName;
    use std::collections::BTreeSet;

    /// The name of a ClusterRole may contain any character except a slash.
    #[test]
    fn a_name_is_always_a_single_word_of_its_command() {
        let words = |code: &Code, name: &str| {
            let object = ObjectName {
                api_version: "rbac.authorization.k8s.io/v1".to_owned(),
                kind: "ClusterRole".to_owned(),
                namespace: None,
                name: name.to_owned(),
            };
            let words = shlex::split(&code.command_for(&object)).unwrap();
            let flags: Vec<String> = words.iter().filter(|word| word.starts_with('-')).cloned().collect();
            (words.len(), flags)
        };
        for name in ["$(touch x)", "{name};id", "a'b", "{object} | sh", "--all", "-n", "--yes=true", "-"] {
            for code in &codes() {
                assert_eq!(words(code, name).0, words(code, "plain").0, "{name}: {}", code.info().command);
                let flags = words(code, name).1.into_iter().filter(|flag| flag != "-");
                assert_eq!(flags.collect::<Vec<_>>(), words(code, "plain").1, "{name}: {}", code.info().command);
            }
        }
    }

    #[test]
    fn codes_are_unique_and_found_by_their_text() {
        let all: BTreeSet<_> = codes().iter().map(|code| code.info().code).collect();
        assert_eq!(all.len(), codes().len());
        for code in &codes() {
            assert_eq!(parse_code(&code.info().code.to_lowercase()), Some(*code));
        }
        assert_eq!(parse_code("UCP999"), None);
    }

    #[test]
    fn the_next_command_names_the_object() {
        let object = |api_version: &str, kind: &str, name: &str| ObjectName {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            namespace: Some("team".to_owned()),
            name: name.to_owned(),
        };
        let application = object("argoproj.io/v1alpha1", "Application", "shop");
        assert_eq!(Code::OutOfSync.command_for(&application), "kubectl ucp drift application.argoproj.io/shop -n team");
        let release = object("helm.toolkit.fluxcd.io/v2", "HelmRelease", "shop");
        let described = "kubectl describe helmrelease.helm.toolkit.fluxcd.io/shop -n team";
        assert_eq!(Code::FluxStalled.command_for(&release), described);
    }

    /// Commands that make changes follow the check that the advice recommends.
    #[test]
    fn the_next_command_only_reads() {
        for code in &codes() {
            let command = code.info().command;
            let changes = ["resume", "annotate", "patch", "delete", "reconcile", "sync ", "apply", "edit"];
            let needs_login = ["argocd ", "flux "].iter().any(|program| command.starts_with(program));
            assert!(!needs_login, "{code:?}: {command}: use tree, drift, wait, or kubectl describe");
            let is_rehearsed = command.contains("--dry-run");
            assert!(is_rehearsed || !changes.iter().any(|verb| command.contains(verb)), "{code:?}: {command}");
        }
    }
}
