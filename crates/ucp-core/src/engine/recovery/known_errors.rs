//! The known errors of engines, servers, networks and clouds, as data.

use super::ending::Recovery;

/// A reason or a part of a message, in lower case, and what ends it.
pub(super) struct KnownError {
    pub(super) words: &'static str,
    /// Words of which the same sentence has to contain one; none are required if empty.
    pub(super) beside: &'static [&'static str],
    pub(super) nature: ErrorNature,
    pub(super) recovery: Recovery,
    pub(super) source: &'static str,
}

/// The importance of an error within its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ErrorNature {
    /// A cause.
    Cause,
    /// Something does not exist yet, or is still being deleted. A refusal in the same sentence is a consequence.
    Absence,
}

const fn known(words: &'static str, recovery: Recovery, source: &'static str) -> KnownError {
    KnownError { words, beside: &[], nature: ErrorNature::Cause, recovery, source }
}

/// Words that are an error, or end in another way, only next to one of some other words.
const fn noun(
    words: &'static str,
    beside: &'static [&'static str],
    recovery: Recovery,
    source: &'static str,
) -> KnownError {
    KnownError { words, beside, nature: ErrorNature::Cause, recovery, source }
}

const fn absence(words: &'static str, source: &'static str) -> KnownError {
    KnownError { words, beside: &[], nature: ErrorNature::Absence, recovery: Recovery::ByItself, source }
}

const SCHEDULER: &str = "https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/";
const IMAGES: &str = "https://kubernetes.io/docs/concepts/containers/images/#imagepullbackoff";
const AGGREGATION: &str = "https://kubernetes.io/docs/tasks/extend-kubernetes/setup-extension-api-server/";
const FLUX_KUSTOMIZATIONS: &str = "https://fluxcd.io/flux/components/kustomize/kustomizations/#kustomization-status";
const KUSTOMIZE: &str = "https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/";
const HELM_TEMPLATES: &str = "https://helm.sh/docs/chart_template_guide/debugging/";
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
const GRPC: &str = "https://grpc.io/docs/guides/status-codes/";
const CURL: &str = "https://curl.se/libcurl/c/libcurl-errors.html";
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

/// Words for a build of manifests.
const BUILDS: &[&str] = &["kustomize build", "accumulating resources", "manifest generation error", "helm template"];

/// All known errors. In one sentence, the last one decides: errors are wrapped from the outside in. Words that only name
/// the failed operation, such as `kustomize build failed`, are no error of their own.
pub(super) const KNOWN: &[KnownError] = &[
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
    // Sources from which no manifests can be built.
    noun("no such file", BUILDS, Recovery::Change, FLUX_KUSTOMIZATIONS),
    noun("unable to find one of 'kustomization", BUILDS, Recovery::Change, KUSTOMIZE),
    known("may not add resource with an already registered id", Recovery::Change, KUSTOMIZE),
    known("invalid kustomization", Recovery::Change, KUSTOMIZE),
    known("error converting yaml to json", Recovery::Change, KUSTOMIZE),
    known("error parsing yaml", Recovery::Change, KUSTOMIZE),
    known("yaml parse error", Recovery::Change, HELM_TEMPLATES),
    noun("executing \"", &["helm", "chart", "/templates/"], Recovery::Change, HELM_TEMPLATES),
    // Kubernetes: a node is added, or an endpoint becomes ready.
    known("unschedulable", Recovery::ByItself, SCHEDULER),
    known("missingendpoints", Recovery::ByItself, AGGREGATION),
    // The kubelet pulls again.
    known("imagepullbackoff", Recovery::ByItself, IMAGES),
    known("errimagepull", Recovery::ByItself, IMAGES),
    known("back-off pulling image", Recovery::ByItself, IMAGES),
    known("failed to pull image", Recovery::ByItself, IMAGES),
    // Argo CD.
    known("failed to sync after", Recovery::Change, ARGO_SYNC),
    absence("crd is installed on the destination cluster", ARGO_SYNC),
    absence("the kubernetes api could not find", ARGO_SYNC),
    known("invalidspecerror", Recovery::Change, ARGO_ERRORS),
    known("app path does not exist", Recovery::Change, ARGO_ERRORS),
    known("is not permitted in project", Recovery::Human, ARGO_ERRORS),
    known("is not permitted to use project", Recovery::Human, ARGO_ERRORS),
    known("failed to load live state", Recovery::ByItself, ARGO_REPOSITORIES),
    noun("unable to resolve", &["to a commit sha"], Recovery::AtSource, ARGO_ERRORS),
    // Crossplane.
    known("cannot resolve references", Recovery::ByItself, CROSSPLANE_MANAGED),
    known("referenced resource may not yet be ready", Recovery::ByItself, CROSSPLANE_MANAGED),
    known("cannot track resourceproviderconfig usage", Recovery::ByItself, CROSSPLANE_RUNTIME),
    known("cannot determine creation result", Recovery::Human, CROSSPLANE_RUNTIME),
    known("cannot run composition pipeline step", Recovery::ByItself, CROSSPLANE_COMPOSITES),
    known("returned a fatal result", Recovery::Change, CROSSPLANE_COMPOSITES),
    // The status of a sibling may not be there yet, and core may be granted its rights by the RBAC manager later.
    noun("nil pointer evaluating", &["fatal result"], Recovery::ByItself, CROSSPLANE_COMPOSITES),
    noun("map has no entry for key", &["fatal result"], Recovery::ByItself, CROSSPLANE_COMPOSITES),
    noun(": required value", &["compose"], Recovery::ByItself, CROSSPLANE_COMPOSITES),
    noun("is forbidden: user ", &["compose"], Recovery::ByItself, CROSSPLANE_COMPOSITES),
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
    // As a reason.
    absence("secretnotfound", KUBERNETES),
    absence("configmapnotfound", KUBERNETES),
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
    // Behind a denial: the object that the webhook waits for.
    noun("not ready", &["denied the request"], Recovery::ByItself, WEBHOOKS),
    noun("not yet ready", &["denied the request"], Recovery::ByItself, WEBHOOKS),
    noun("failed to load context", &["denied the request"], Recovery::ByItself, WEBHOOKS),
    noun("is starting", &["denied the request"], Recovery::ByItself, WEBHOOKS),
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
    known("client.timeout exceeded", Recovery::ByItself, GO_NET),
    known("awaiting headers", Recovery::ByItself, GO_NET),
    known("net/http: request canceled", Recovery::ByItself, GO_NET),
    known("timeout awaiting response", Recovery::ByItself, GO_NET),
    known("connection timed out", Recovery::ByItself, GO_NET),
    known("operation timed out", Recovery::ByItself, GO_NET),
    known("request timed out", Recovery::ByItself, GO_NET),
    known("deadlineexceeded desc", Recovery::ByItself, GRPC),
    known("code = unavailable", Recovery::ByItself, GRPC),
    known("transport is closing", Recovery::ByItself, GRPC),
    known("connection closed", Recovery::ByItself, GO_NET),
    known("connection lost", Recovery::ByItself, GO_NET),
    known("closed network connection", Recovery::ByItself, GO_NET),
    known("broken pipe", Recovery::ByItself, GO_NET),
    known("network is unreachable", Recovery::ByItself, GO_NET),
    known("host is unreachable", Recovery::ByItself, GO_NET),
    known("host is down", Recovery::ByItself, GO_NET),
    known(": eof", Recovery::ByItself, GO_NET),
    known("no such host", Recovery::ByItself, GO_NET),
    known("temporary failure in name resolution", Recovery::ByItself, GO_NET),
    known("could not resolve host", Recovery::ByItself, CURL),
    known("could not resolve proxy", Recovery::ByItself, CURL),
    known("failed to connect to", Recovery::ByItself, CURL),
    known("couldn't connect to server", Recovery::ByItself, CURL),
    known("empty reply from server", Recovery::ByItself, CURL),
    known("timeout was reached", Recovery::ByItself, CURL),
    known("early eof", Recovery::ByItself, CURL),
    known("hung up unexpectedly", Recovery::ByItself, CURL),
    known("server misbehaving", Recovery::ByItself, GO_NET),
    known("unexpected eof", Recovery::ByItself, GO_NET),
    known("no route to host", Recovery::ByItself, GO_NET),
    known("internal server error", Recovery::ByItself, HTTP),
    known("requested url returned error: 5", Recovery::ByItself, CURL),
    known("http error: 5", Recovery::ByItself, HTTP),
    known("http status 5", Recovery::ByItself, HTTP),
    known("status code 5", Recovery::ByItself, HTTP),
    known("status code: 5", Recovery::ByItself, HTTP),
    known("statuscode: 5", Recovery::ByItself, HTTP),
    known("service unavailable", Recovery::ByItself, HTTP),
    known("temporarily unavailable", Recovery::ByItself, HTTP),
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
