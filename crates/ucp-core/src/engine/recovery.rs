//! Errors of Flux, Argo CD and Crossplane by what ends them: the next attempt, a change of the declaration, or a person.
//! An error that is not in the table may end by itself.

/// What ends an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// The next attempt of the engine, when another object or the network is ready.
    ByItself,
    /// A new version at the source, for which the engine looks again after its interval, or a change of the declaration.
    AtSource,
    /// A change of the declaration: the same attempt fails again.
    Change,
    /// A person who grants, raises, or approves something.
    Human,
}

/// A reason or a part of a message, in lower case, and what ends it.
struct KnownError {
    words: &'static str,
    /// Words of which the same sentence has to contain one; none are required if empty. A noun alone is no error.
    beside: &'static [&'static str],
    nature: ErrorNature,
    recovery: Recovery,
    source: &'static str,
}

/// The importance of an error within its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ErrorNature {
    /// Only says that something failed; any other error of the message is the cause.
    Summary,
    /// A cause.
    Cause,
    /// Something does not exist yet, or is still being deleted. A refusal in the same sentence is a consequence.
    Absence,
}

const fn known(words: &'static str, recovery: Recovery, source: &'static str) -> KnownError {
    KnownError { words, beside: &[], nature: ErrorNature::Cause, recovery, source }
}

/// A noun, which is an error only next to one of some other words.
const fn noun(
    words: &'static str,
    beside: &'static [&'static str],
    recovery: Recovery,
    source: &'static str,
) -> KnownError {
    KnownError { words, beside, nature: ErrorNature::Cause, recovery, source }
}

const fn summary(words: &'static str, recovery: Recovery, source: &'static str) -> KnownError {
    KnownError { words, beside: &[], nature: ErrorNature::Summary, recovery, source }
}

const fn absence(words: &'static str, source: &'static str) -> KnownError {
    KnownError { words, beside: &[], nature: ErrorNature::Absence, recovery: Recovery::ByItself, source }
}

const SCHEDULER: &str = "https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/";
const AGGREGATION: &str = "https://kubernetes.io/docs/tasks/extend-kubernetes/setup-extension-api-server/";
const FLUX_KUSTOMIZATIONS: &str = "https://fluxcd.io/flux/components/kustomize/kustomizations/#kustomization-status";
const FLUX_RELEASES: &str = "https://fluxcd.io/flux/components/helm/helmreleases/#helmrelease-status";
const FLUX_CHARTS: &str = "https://github.com/fluxcd/source-controller/blob/main/internal/helm/chart/errors.go";
const FLUX_SOURCES: &str = "https://fluxcd.io/flux/components/source/gitrepositories/#gitrepository-status";
const ARGO_SYNC: &str = "https://argo-cd.readthedocs.io/en/stable/user-guide/auto_sync/#automated-sync-semantics";
const ARGO_ERRORS: &str = "https://github.com/argoproj/argo-cd/blob/master/pkg/apis/application/v1alpha1/types.go";
const ARGO_REPOSITORIES: &str = "https://argo-cd.readthedocs.io/en/stable/operator-manual/high_availability/";
const CROSSPLANE_MANAGED: &str = "https://docs.crossplane.io/latest/managed-resources/managed-resources/#conditions";
const CROSSPLANE_RUNTIME: &str =
    "https://github.com/crossplane/crossplane-runtime/blob/main/pkg/reconciler/managed/reconciler.go";
const UPJET: &str = "https://github.com/crossplane/upjet/blob/main/pkg/controller/external_tfpluginsdk.go";
const CROSSPLANE_COMPOSITES: &str = "https://docs.crossplane.io/latest/composition/compositions/";
const CROSSPLANE_PACKAGES: &str = "https://docs.crossplane.io/latest/packages/providers/#provider-conditions";
const KUBERNETES: &str =
    "https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go";
const VALIDATION: &str = "https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/apimachinery/pkg/util/validation/field/errors.go";
const WEBHOOKS: &str = "https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/";
const QUOTAS: &str = "https://kubernetes.io/docs/concepts/policy/resource-quotas/";
const GO_NET: &str = "https://pkg.go.dev/net#Error";
const HTTP: &str = "https://www.rfc-editor.org/rfc/rfc9110#name-server-error-5xx";
const REGISTRY: &str = "https://github.com/opencontainers/distribution-spec/blob/main/spec.md#error-codes";
const GIT: &str = "https://pkg.go.dev/github.com/go-git/go-git/v5/plumbing/transport#pkg-variables";
const AWS: &str = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html";
const AZURE: &str =
    "https://learn.microsoft.com/en-us/azure/azure-resource-manager/troubleshooting/common-deployment-errors";
const GCP: &str = "https://cloud.google.com/apis/design/errors#error_codes";

const DENIALS: &str = "https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html";
/// Words by which credentials are refused, rather than absent.
const BAD_CREDENTIALS: &[&str] =
    &["invalid", "expired", "wrong", "incorrect", "bad", "revoked", "refused", "rejected", "not valid"];

/// All known errors. In one sentence, the last one decides: errors are wrapped from the outside in.
const KNOWN: &[KnownError] = &[
    // Flux: waits for another object, and tries again within seconds.
    known("dependencynotready", Recovery::ByItself, FLUX_KUSTOMIZATIONS),
    known("artifact not found", Recovery::ByItself, FLUX_KUSTOMIZATIONS),
    known("retrying in", Recovery::ByItself, FLUX_KUSTOMIZATIONS),
    known("sourcenotready", Recovery::ByItself, FLUX_RELEASES),
    known("has not been reconciled", Recovery::ByItself, FLUX_RELEASES),
    known("no artifact available", Recovery::ByItself, FLUX_RELEASES),
    known("storageoperationfailed", Recovery::ByItself, FLUX_SOURCES),
    // Flux: has given up, or fails with the same source again.
    known("retriesexceeded", Recovery::Change, FLUX_RELEASES),
    known("missingrollbacktarget", Recovery::Change, FLUX_RELEASES),
    known("urlinvalid", Recovery::Change, FLUX_SOURCES),
    known("invalidurl", Recovery::Change, FLUX_SOURCES),
    known("invalidpath", Recovery::Change, FLUX_SOURCES),
    known("kustomization path not found", Recovery::Change, FLUX_KUSTOMIZATIONS),
    known("kustomize build failed", Recovery::Change, FLUX_KUSTOMIZATIONS),
    known("invalidcelexpression", Recovery::Change, FLUX_KUSTOMIZATIONS),
    known("invalidchartreference", Recovery::Change, FLUX_RELEASES),
    known("chartpullerror", Recovery::ByItself, FLUX_CHARTS),
    // The reason of older versions of source-controller.
    known("chartpullfailed", Recovery::ByItself, FLUX_CHARTS),
    known("chart with version matching", Recovery::AtSource, FLUX_CHARTS),
    noun("\" not found in", &["chart"], Recovery::AtSource, FLUX_CHARTS),
    known("metadatapatcherror", Recovery::Change, FLUX_CHARTS),
    known("valuesfileserror", Recovery::Change, FLUX_CHARTS),
    known("status: 'inprogress'", Recovery::ByItself, FLUX_KUSTOMIZATIONS),
    known("no chart name found", Recovery::Change, FLUX_RELEASES),
    known("no chart version found", Recovery::Change, FLUX_RELEASES),
    known("don't meet the specifications of the schema", Recovery::Change, FLUX_RELEASES),
    known("execution error at", Recovery::Change, FLUX_RELEASES),
    known("could not load values", Recovery::ByItself, FLUX_RELEASES),
    known("accessdenied: ", Recovery::Human, FLUX_KUSTOMIZATIONS),
    known("gitoperationfailed: ", Recovery::ByItself, FLUX_SOURCES),
    // Kubernetes: a node is added, or an endpoint becomes ready.
    known("unschedulable", Recovery::ByItself, SCHEDULER),
    known("missingendpoints", Recovery::ByItself, AGGREGATION),
    // Argo CD.
    known("failed to sync after", Recovery::Change, ARGO_SYNC),
    summary("one or more objects failed to apply", Recovery::Change, ARGO_SYNC),
    summary("one or more synchronization tasks completed unsuccessfully", Recovery::Change, ARGO_SYNC),
    summary("one or more synchronization tasks are not valid", Recovery::Change, ARGO_SYNC),
    absence("crd is installed on the destination cluster", ARGO_SYNC),
    absence("the kubernetes api could not find", ARGO_SYNC),
    known("invalidspecerror", Recovery::Change, ARGO_ERRORS),
    known("app path does not exist", Recovery::Change, ARGO_ERRORS),
    known("manifest generation error", Recovery::Change, ARGO_ERRORS),
    known("is not permitted in project", Recovery::Human, ARGO_ERRORS),
    known("is not permitted to use project", Recovery::Human, ARGO_ERRORS),
    known("failed to load live state", Recovery::ByItself, ARGO_REPOSITORIES),
    known("unable to resolve", Recovery::Change, ARGO_ERRORS),
    // Crossplane.
    known("cannot resolve references", Recovery::ByItself, CROSSPLANE_MANAGED),
    known("referenced resource may not yet be ready", Recovery::ByItself, CROSSPLANE_MANAGED),
    known("cannot track resourceproviderconfig usage", Recovery::ByItself, CROSSPLANE_RUNTIME),
    known("cannot determine creation result", Recovery::Human, CROSSPLANE_RUNTIME),
    known("cannot run composition pipeline step", Recovery::ByItself, CROSSPLANE_COMPOSITES),
    known("returned a fatal result", Recovery::Change, CROSSPLANE_COMPOSITES),
    known("cannot fetch environment", Recovery::ByItself, CROSSPLANE_COMPOSITES),
    known("cannot find an active functionrevision", Recovery::ByItself, CROSSPLANE_COMPOSITES),
    known("not compatible with crossplane version", Recovery::Change, CROSSPLANE_PACKAGES),
    known("incompatible crossplane version", Recovery::Change, CROSSPLANE_PACKAGES),
    known("cannot unpack package", Recovery::ByItself, CROSSPLANE_PACKAGES),
    known("missing dependencies", Recovery::ByItself, CROSSPLANE_PACKAGES),
    known("incompatible dependencies", Recovery::Change, CROSSPLANE_PACKAGES),
    known("informer to sync", Recovery::ByItself, CROSSPLANE_COMPOSITES),
    known("requires replacing it", Recovery::Change, UPJET),
    // The API server.
    known("object has been modified", Recovery::ByItself, KUBERNETES),
    known("the server is currently unable to handle the request", Recovery::ByItself, KUBERNETES),
    known("the server was unable to return a response in the time allotted", Recovery::ByItself, KUBERNETES),
    absence("no matches for kind", KUBERNETES),
    absence("could not find the requested resource", KUBERNETES),
    absence("because it is being terminated", KUBERNETES),
    // `secrets "a" not found`, of any kind of object.
    absence("\" not found", KUBERNETES),
    absence("' not found", KUBERNETES),
    known("operation cannot be fulfilled", Recovery::ByItself, KUBERNETES),
    known("forbidden", Recovery::Human, KUBERNETES),
    known("unauthorized", Recovery::Human, KUBERNETES),
    known("client to provide credentials", Recovery::Human, KUBERNETES),
    known("is invalid: ", Recovery::Change, KUBERNETES),
    known("invalid value: ", Recovery::Change, VALIDATION),
    known("unsupported value: ", Recovery::Change, VALIDATION),
    known("required value", Recovery::Change, VALIDATION),
    known("immutable", Recovery::Change, VALIDATION),
    known("unknown field", Recovery::Change, VALIDATION),
    known("strict decoding error", Recovery::Change, VALIDATION),
    known("denied the request", Recovery::Change, WEBHOOKS),
    known("failed calling webhook", Recovery::ByItself, WEBHOOKS),
    noun("quota", &["exceed", "insufficient", "not enough", "failed quota", "limit"], Recovery::Human, QUOTAS),
    known(
        "progressdeadlineexceeded",
        Recovery::Change,
        "https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#failed-deployment",
    ),
    // The network.
    known("connection refused", Recovery::ByItself, GO_NET),
    known("connection reset", Recovery::ByItself, GO_NET),
    known("context deadline exceeded", Recovery::ByItself, GO_NET),
    known("i/o timeout", Recovery::ByItself, GO_NET),
    known("tls handshake timeout", Recovery::ByItself, GO_NET),
    known("no such host", Recovery::ByItself, GO_NET),
    known("server misbehaving", Recovery::ByItself, GO_NET),
    known("unexpected eof", Recovery::ByItself, GO_NET),
    known("no route to host", Recovery::ByItself, GO_NET),
    known("service unavailable", Recovery::ByItself, HTTP),
    known("bad gateway", Recovery::ByItself, HTTP),
    known("gateway timeout", Recovery::ByItself, HTTP),
    // Registries.
    known("manifest unknown", Recovery::AtSource, REGISTRY),
    known("manifest_unknown", Recovery::AtSource, REGISTRY),
    known("name unknown", Recovery::AtSource, REGISTRY),
    known("name_unknown", Recovery::AtSource, REGISTRY),
    // Git servers.
    known("repository not found", Recovery::Change, GIT),
    known("couldn't find remote ref", Recovery::Change, GIT),
    known("reference not found", Recovery::Change, GIT),
    known("authentication required", Recovery::Human, GIT),
    known("authorization failed", Recovery::Human, GIT),
    // Clouds.
    known("too many requests", Recovery::ByItself, AWS),
    known("throttl", Recovery::ByItself, AWS),
    known("requestlimitexceeded", Recovery::ByItself, AWS),
    known("internalerror", Recovery::ByItself, AWS),
    known("dependencyviolation", Recovery::ByItself, AWS),
    known("operationaborted", Recovery::ByItself, AWS),
    known("currently in progress", Recovery::ByItself, AWS),
    known("concurrentmodification", Recovery::ByItself, AWS),
    known("accessdenied", Recovery::Human, AWS),
    known("unauthorizedoperation", Recovery::Human, AWS),
    known("authfailure", Recovery::Human, AWS),
    known("invalidclienttokenid", Recovery::Human, AWS),
    known("expiredtoken", Recovery::Human, AWS),
    known("limitexceeded", Recovery::Human, AWS),
    known("invalidparameter", Recovery::Change, AWS),
    known("validationexception", Recovery::Change, AWS),
    known("validationerror", Recovery::Change, AWS),
    known("bucketalreadyexists", Recovery::Change, AWS),
    known("authorizationfailed", Recovery::Human, AZURE),
    known("quotaexceeded", Recovery::Human, AZURE),
    known("skunotavailable", Recovery::Change, AZURE),
    known("toomanyrequests", Recovery::ByItself, AZURE),
    known("permission_denied", Recovery::Human, GCP),
    known("permission denied", Recovery::Human, GCP),
    known("no permission", Recovery::Human, GCP),
    noun("permission", &["denied"], Recovery::Human, GCP),
    noun("credential", BAD_CREDENTIALS, Recovery::Human, GCP),
    known("unauthenticated", Recovery::Human, GCP),
    known("invalid_argument", Recovery::Change, GCP),
    known("ratelimitexceeded", Recovery::ByItself, GCP),
    // Refusals in any program's words.
    known("is denied", Recovery::Human, DENIALS),
    known("was denied", Recovery::Human, DENIALS),
    known("access denied", Recovery::Human, DENIALS),
    known("denied: ", Recovery::Human, DENIALS),
    known("denied by", Recovery::Human, DENIALS),
    known("explicit deny", Recovery::Human, DENIALS),
    known("not authorized", Recovery::Human, DENIALS),
];

/// What ends an error, and the sentence that says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecoveryEvidence<'message> {
    /// What ends it.
    pub recovery: Recovery,
    /// The part of the message.
    pub sentence: &'message str,
    /// The documentation of that error.
    pub source: &'static str,
}

/// Returns what ends an error, by the sentences of its message; `None` if they are not known. One sentence that needs a
/// change or a person decides.
pub fn recovery_of(message: &str) -> Option<RecoveryEvidence<'_>> {
    let found = message.split(['\n', ';']).filter_map(|sentence| Some((sentence, known_error(sentence)?)));
    // The first of the most important ones.
    let (sentence, known) =
        found.min_by_key(|(_, known)| (known.nature == ErrorNature::Summary, known.recovery == Recovery::ByItself))?;
    Some(RecoveryEvidence { recovery: known.recovery, sentence: sentence.trim(), source: known.source })
}

/// Returns the error that a sentence is about: the innermost cause. A refusal next to an absence is not one.
fn known_error(sentence: &str) -> Option<&'static KnownError> {
    let lower = sentence.to_lowercase();
    let found: Vec<(usize, &KnownError)> = KNOWN
        .iter()
        .filter(|known| known.beside.is_empty() || known.beside.iter().any(|word| lower.contains(*word)))
        .filter_map(|known| Some((lower.rfind(known.words)? + known.words.len(), known)))
        .collect();
    let is_absent = found.iter().any(|(_, known)| known.nature == ErrorNature::Absence);
    let causes = found.into_iter().filter(|(_, known)| !(is_absent && known.recovery == Recovery::Human));
    causes
        .max_by_key(|(end, known)| (known.nature != ErrorNature::Summary, *end, known.words.len()))
        .map(|(_, known)| known)
}

/// Returns true if an error is known to end by itself.
pub fn ends_by_itself(message: &str) -> bool {
    recovery_of(message).is_some_and(|evidence| evidence.recovery == Recovery::ByItself)
}

/// Returns the evidence that an error does not end by itself, if there is any, whatever the engine does.
pub fn lasting_evidence(message: &str) -> Option<RecoveryEvidence<'_>> {
    recovery_of(message).filter(|evidence| matches!(evidence.recovery, Recovery::Change | Recovery::Human))
}

/// Returns the evidence that an error does not end by itself although the engine has tried for longer than its interval:
/// like [`lasting_evidence`], and what its source still does not have.
pub fn evidence_after_patience(message: &str) -> Option<RecoveryEvidence<'_>> {
    recovery_of(message).filter(|evidence| evidence.recovery != Recovery::ByItself)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_table_names_each_error_once_with_its_source() {
        let words: BTreeSet<&str> = KNOWN.iter().map(|known| known.words).collect();
        assert_eq!(words.len(), KNOWN.len());
        for known in KNOWN {
            assert!(known.source.starts_with("https://"), "{}", known.words);
            assert_eq!(known.words, known.words.to_lowercase(), "compared with a message in lower case");
        }
    }

    #[test]
    fn messages_of_the_engines_end_by_what_they_say() {
        use Recovery::{AtSource, ByItself, Change, Human};
        for (message, expected) in [
            ("ArtifactFailed: Source artifact not found, retrying in 5s", Some(ByItself)),
            (
                "SourceNotReady: HelmChart 'team/a' is not ready: latest generation of object has not been reconciled",
                Some(ByItself),
            ),
            ("kustomization path not found: stat /tmp/a: no such file or directory", Some(Change)),
            (
                "Deployment/a dry-run failed (Invalid): Deployment.apps \"a\" is invalid: spec.selector: Invalid value: {}: field is immutable",
                Some(Change),
            ),
            ("pods \"a\" is forbidden: exceeded quota: small, requested: cpu=2", Some(Human)),
            (
                "failed calling webhook \"a.example.org\": Post \"https://a\": dial tcp 10.0.0.1:443: connect: connection refused",
                Some(ByItself),
            ),
            ("admission webhook \"a.example.org\" denied the request: no", Some(Change)),
            (
                "failed to checkout and determine revision: unable to clone 'https://git/a': repository not found",
                Some(Change),
            ),
            ("dial tcp: lookup git on 10.0.0.10:53: no such host", Some(ByItself)),
            ("cannot resolve references: mg.Spec.ForProvider.VPCID: referenced field was empty", Some(ByItself)),
            ("create failed: api error UnauthorizedOperation: you are not", Some(Human)),
            (
                "kustomize build failed: accumulating resources: Get \"https://a\": dial tcp: i/o timeout",
                Some(ByItself),
            ),
            (
                "could not find the requested resource; Nope/nope: Make sure the \"Nope\" CRD is installed on the destination cluster.",
                Some(ByItself),
            ),
            (
                "one or more synchronization tasks are not valid: The Kubernetes API could not find example.org/Nope",
                Some(ByItself),
            ),
            ("one or more objects failed to apply; dial tcp: i/o timeout", Some(ByItself)),
            ("one or more objects failed to apply", Some(Change)),
            // What does not exist yet is no refusal, and neither is a noun.
            ("cannot get credentials secret: Secret \"quota-denied\" not found", Some(ByItself)),
            ("cannot get provider config: ProviderConfig \"default\" not found", Some(ByItself)),
            ("AuthenticationFailed: failed to get secret 'a/b': secrets \"b\" not found", Some(ByItself)),
            (
                "unable to create new content because it is being terminated: namespaces \"d\" is forbidden: x",
                Some(ByItself),
            ),
            ("cannot get credentials", None),
            ("cannot list quotas", None),
            ("the server has asked for the client to provide credentials", Some(Human)),
            ("oauth2: the credentials are expired", Some(Human)),
            ("requested access to the resource is denied", Some(Human)),
            ("Permission 'storage.buckets.create' denied on resource 'a'", Some(Human)),
            ("googleapi: Error 403: Insufficient regional quota to satisfy request: short '2.0'", Some(Human)),
            ("User: a is not authorized to perform: s3:CreateBucket", Some(Human)),
            ("update failed: OperationAborted: A conflicting operation is currently in progress", Some(ByItself)),
            ("Timeout: failed waiting for *unstructured.Unstructured Informer to sync", Some(ByItself)),
            ("ChartPullError: chart pull error: failed to download chart: EOF", Some(ByItself)),
            ("ChartPullError: chart pull error: no 'a' chart with version matching '9' found", Some(AtSource)),
            ("chart \"a\" version \"9\" not found in https://charts.example.org repository", Some(AtSource)),
            ("cannot unpack package: GET https://a: MANIFEST_UNKNOWN: manifest unknown", Some(AtSource)),
            ("cannot unpack package: failed to fetch package digest: dial tcp: i/o timeout", Some(ByItself)),
            ("something else", None),
            ("", None),
        ] {
            assert_eq!(recovery_of(message).map(|evidence| evidence.recovery), expected, "{message}");
        }
        let evidence = recovery_of("dial tcp: i/o timeout; ConfigMap \"a\" is invalid: data: Too long").unwrap();
        assert_eq!((evidence.recovery, evidence.sentence), (Change, "ConfigMap \"a\" is invalid: data: Too long"));
        assert!(lasting_evidence("connection refused").is_none());
        let absent = "no 'a' chart with version matching '9' found";
        assert_eq!((lasting_evidence(absent).is_some(), evidence_after_patience(absent).is_some()), (false, true));
    }
}
