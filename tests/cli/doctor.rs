//! `doctor`: each seeded situation is told, and none is invented where all is well.

use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::command::{Ran, run, ucp, ucp_from, ucp_on};
use crate::support::hub::{self, QUOTES};
use crate::support::objects::{object, snapshot, with};

/// The moment of the snapshots: nothing in them is newer.
const NOW: &str = "2026-11-20T09:00:00Z";

/// The same objects beside one that is as old as the moment.
fn doctor(objects: &[Value], arguments: &[&str]) -> (TempDir, Ran) {
    doctor_at(NOW, objects, arguments)
}

/// The same at another moment.
fn doctor_at(now: &str, objects: &[Value], arguments: &[&str]) -> (TempDir, Ran) {
    let directory = tempfile::tempdir().unwrap();
    let clock = object("v1", "Namespace", "clock", json!({"metadata": {"creationTimestamp": now}}));
    let path = snapshot(&directory, "core.json", &[objects, &[clock]].concat()).unwrap();
    let mut command = ucp(["doctor", "--from"]);
    command.arg(path).args(arguments);
    (directory, run(command))
}

struct Situation {
    name: &'static str,
    objects: Vec<Value>,
    arguments: &'static [&'static str],
    check: &'static str,
    /// Code, severity, and a part of the evidence.
    told: Option<(&'static str, &'static str, &'static str)>,
}

fn composition(name: &str, spec: Value) -> Value {
    let spec = json!({"spec": spec});
    with(object("apiextensions.crossplane.io/v1", "Composition", name, json!({})), &[spec])
}

fn provider(name: &str, spec: Value) -> Value {
    object(
        "pkg.crossplane.io/v1",
        "Provider",
        name,
        json!({"spec": spec, "status": {"currentRevision": format!("{name}-2"), "conditions": [
            {"type": "Installed", "status": "True", "lastTransitionTime": "2026-11-01T09:00:00Z"},
            {"type": "Healthy", "status": "True", "lastTransitionTime": "2026-11-01T09:00:00Z"},
        ]}}),
    )
}

fn revision(package: &str, name: &str, state: &str, kinds: &[&str]) -> Value {
    let kinds: Vec<_> = kinds
        .iter()
        .map(|name| json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "name": name}))
        .collect();
    object(
        "pkg.crossplane.io/v1",
        "ProviderRevision",
        name,
        json!({
            "metadata": {"labels": {"pkg.crossplane.io/package": package}},
            "spec": {"desiredState": state, "image": "xpkg.example.org/p:v1", "revision": 1}, "status": {"objectRefs": kinds},
        }),
    )
}

fn deployment(name: &str, version: &str, rest: Value) -> Value {
    let part_of = name.split('-').next().unwrap();
    with(
        object(
            "apps/v1",
            "Deployment",
            name,
            json!({
                "metadata": {"namespace": "system", "labels": {"app.kubernetes.io/part-of": part_of}},
                "spec": {"replicas": 1, "selector": {}, "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [
                    {"name": "main", "image": format!("xpkg.example.org/{part_of}/{part_of}:v{version}")},
                ]}}},
                "status": {"readyReplicas": 1, "replicas": 1},
            }),
        ),
        &[rest],
    )
}

fn bucket(name: &str, rest: Value) -> Value {
    with(
        object(
            "s3.aws.upbound.io/v1beta1",
            "Bucket",
            name,
            json!({"spec": {"forProvider": {"region": "eu-west-1"}, "providerConfigRef": {"name": "default"}}}),
        ),
        &[rest],
    )
}

fn definition(versions: Value, stored: &[&str]) -> Value {
    object(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "buckets.s3.aws.upbound.io",
        json!({
            "spec": {"group": "s3.aws.upbound.io", "scope": "Cluster", "versions": versions,
                "names": {"kind": "Bucket", "plural": "buckets", "categories": ["managed"]}},
            "status": {"storedVersions": stored},
        }),
    )
}

fn version(name: &str, served: bool, storage: bool, deprecated: bool) -> Value {
    json!({"name": name, "served": served, "storage": storage, "deprecated": deprecated, "schema": {"openAPIV3Schema": {"type": "object"}}})
}

fn secret(name: &str, kind: &str, data: &[(&str, &str)], rest: Value) -> Value {
    let data: serde_json::Map<_, _> =
        data.iter().map(|(key, value)| ((*key).to_owned(), json!(BASE64.encode(value)))).collect();
    with(
        object("v1", "Secret", name, json!({"metadata": {"namespace": "system"}, "type": kind, "data": data})),
        &[rest],
    )
}

/// A Secret as somebody left it who hid its values.
fn hidden(name: &str, data: Value) -> Value {
    with(secret(name, "Opaque", &[], json!({})), &[json!({"data": data})])
}

/// A certificate from one day of 2026 to another.
fn certificate(from: (u8, u8), until: (i32, u8, u8)) -> String {
    let mut params = rcgen::CertificateParams::default();
    params.not_before = rcgen::date_time_ymd(2026, from.0, from.1);
    params.not_after = rcgen::date_time_ymd(until.0, until.1, until.2);
    params.self_signed(&rcgen::KeyPair::generate().unwrap()).unwrap().pem()
}

fn tls(name: &str, until: (i32, u8, u8)) -> Value {
    secret(name, "kubernetes.io/tls", &[("tls.crt", &certificate((1, 1), until)), ("tls.key", "hidden")], json!({}))
}

/// A kubeconfig with a token that lives from the first of the month.
fn kubeconfig(until: &str) -> Value {
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let second = |text: &str| text.parse::<jiff::Timestamp>().unwrap().as_second();
    let claims = json!({"iat": second("2026-11-01T00:00:00Z"), "exp": second(until)}).to_string();
    let token = format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(claims));
    let text = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": "https://prod.example.org"}}],
        "users": [{"name": "u", "user": {"token": token}}],
    });
    secret("prod-conn", "connection.crossplane.io/v1alpha1", &[("kubeconfig", &text.to_string())], json!({}))
}

fn settings(data: Value) -> Value {
    object(
        "v1",
        "ConfigMap",
        "argocd-cm",
        json!({
            "metadata": {"namespace": "argocd", "labels": {"app.kubernetes.io/part-of": "argocd"}}, "data": data,
        }),
    )
}

fn application(name: &str, destination: &str, resources: Value) -> Value {
    object(
        "argoproj.io/v1alpha1",
        "Application",
        name,
        json!({
            "metadata": {"namespace": "argocd"},
            "spec": {"destination": {"server": destination}, "project": "default"},
            "status": {"sync": {"status": "Synced"}, "health": {"status": "Healthy"}, "resources": resources},
        }),
    )
}

const HERE: &str = "https://kubernetes.default.svc";

fn syncer() -> Value {
    json!([{"group": "dagandersen.com", "version": "v1", "kind": "Syncer", "name": "secret-syncer", "namespace": "default", "status": "Synced"}])
}

fn paused(since: &str) -> Value {
    bucket(
        "b",
        json!({
            "metadata": {"annotations": {"crossplane.io/paused": "true"}, "managedFields": [
                {"manager": "kubectl-annotate", "operation": "Update", "apiVersion": "s3.aws.upbound.io/v1beta1", "time": since,
                    "fieldsV1": {"f:metadata": {"f:annotations": {"f:crossplane.io/paused": {}}}}},
                {"manager": "crossplane-s3", "operation": "Update", "apiVersion": "s3.aws.upbound.io/v1beta1", "time": NOW, "subresource": "status",
                    "fieldsV1": {"f:status": {}}},
            ]},
            "status": {"conditions": [{"type": "Synced", "status": "False", "reason": "ReconcilePaused", "lastTransitionTime": since}]},
        }),
    )
}

fn webhook(policy: &str) -> Value {
    object(
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
        "crossplane-no-usages",
        json!({"webhooks": [{
            "name": "nousages.protection.crossplane.io", "failurePolicy": policy,
            "clientConfig": {"service": {"namespace": "system", "name": "crossplane-webhooks"}},
        }]}),
    )
}

fn service() -> Value {
    object("v1", "Service", "crossplane-webhooks", json!({"metadata": {"namespace": "system"}}))
}

fn slice(ready: bool) -> Value {
    object(
        "discovery.k8s.io/v1",
        "EndpointSlice",
        "crossplane-webhooks-x",
        json!({
            "metadata": {"namespace": "system", "labels": {"kubernetes.io/service-name": "crossplane-webhooks"}},
            "endpoints": [{"addresses": ["10.0.0.1"], "conditions": {"ready": ready}}],
        }),
    )
}

fn writer(version: &str, subresource: Option<&str>) -> Value {
    let mut writer = json!({"manager": "argocd-controller", "operation": "Apply", "apiVersion": format!("s3.aws.upbound.io/{version}"), "fieldsV1": {}});
    if let Some(subresource) = subresource {
        writer["subresource"] = json!(subresource);
    }
    bucket("b", json!({"metadata": {"managedFields": [writer]}}))
}

fn config(secret: Value) -> Value {
    object(
        "aws.upbound.io/v1beta1",
        "ProviderConfig",
        "default",
        json!({
            "spec": {"credentials": {"source": "Secret", "secretRef": secret}},
        }),
    )
}

fn kustomization(name: &str, entry: &str) -> Value {
    object(
        "kustomize.toolkit.fluxcd.io/v1",
        "Kustomization",
        name,
        json!({
            "metadata": {"namespace": "flux-system"}, "spec": {"prune": true}, "status": {"inventory": {"entries": [{"id": entry, "v": "v1"}]}},
        }),
    )
}

fn claim(rest: Value) -> Value {
    with(
        object(
            "platform.example.org/v1",
            "Database",
            "db",
            json!({
                "metadata": {"namespace": "shop"},
                "spec": {"compositionRef": {"name": "c"}, "resourceRef": {"name": "x", "apiVersion": "platform.example.org/v1", "kind": "XDatabase"}},
            }),
        ),
        &[rest],
    )
}

fn core(version: &str) -> Vec<Value> {
    vec![provider("p", json!({"package": "xpkg.example.org/p:v1"})), deployment("crossplane", version, json!({}))]
}

/// Crossplane's core with the rights of its role, and a Composition of buckets and CronJobs.
fn composing(rules: Value) -> Vec<Value> {
    let base = |api_version: &str, kind: &str| json!({"name": kind, "base": {"apiVersion": api_version, "kind": kind}});
    let input = json!({"kind": "Resources", "resources": [base("s3.aws.upbound.io/v1beta1", "Bucket"), base("batch/v1", "CronJob")]});
    let account = json!({"kind": "ServiceAccount", "namespace": "system", "name": "xp"});
    let pod = json!({"spec": {"template": {"spec": {"serviceAccountName": "xp"}}}});
    let role = |name: &str, rest: Value| object("rbac.authorization.k8s.io/v1", "ClusterRole", name, rest);
    vec![
        deployment("crossplane", "2.9.0", pod),
        composition("c", json!({"mode": "Pipeline", "pipeline": [{"step": "compose", "input": input}]})),
        role("crossplane", json!({"aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"to": "core"}}]}})),
        role(
            "buckets",
            json!({"metadata": {"labels": {"to": "core"}}, "rules": [
                {"apiGroups": ["s3.aws.upbound.io"], "resources": ["*"], "verbs": ["*"]},
            ]}),
        ),
        role("more", json!({"metadata": {"labels": {"to": "core"}}, "rules": [rules]})),
        role("everything", json!({"rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]})),
        object(
            "rbac.authorization.k8s.io/v1",
            "ClusterRoleBinding",
            "crossplane",
            json!({
                "roleRef": {"kind": "ClusterRole", "name": "crossplane"}, "subjects": [account],
            }),
        ),
        object(
            "rbac.authorization.k8s.io/v1",
            "ClusterRoleBinding",
            "other",
            json!({
                "roleRef": {"kind": "ClusterRole", "name": "everything"},
                "subjects": [{"kind": "ServiceAccount", "namespace": "elsewhere", "name": "xp"}],
            }),
        ),
    ]
}

fn on_cron_jobs(verbs: &[&str]) -> Value {
    json!({"apiGroups": ["batch"], "resources": ["cronjobs"], "verbs": verbs})
}

#[allow(clippy::too_many_lines, reason = "a table")]
fn situations() -> Vec<Situation> {
    let case = |name, check, objects: Vec<Value>, told| Situation { name, objects, arguments: &[], check, told };
    let with_flag = |arguments, situation: Situation| Situation { arguments, ..situation };
    let native = || vec![composition("old", json!({"resources": [{"name": "a"}]}))];
    let path = "upgrade-path";
    let stores = "external-secret-stores";
    let old_and_new = || json!([version("v1beta1", true, false, true), version("v1beta2", true, true, false)]);
    let exclude = |groups: &str| {
        settings(
            json!({"resource.exclusions": format!("- apiGroups: [\"{groups}\"]\n  kinds: [\"*\"]\n  clusters: [\"*\"]\n")}),
        )
    };
    let deploys_claim = || {
        application(
            "a",
            HERE,
            json!([{"group": "platform.example.org", "version": "v1", "kind": "Database", "name": "db", "namespace": "shop"}]),
        )
    };
    vec![
        case(
            "native patches",
            "native-patch-and-transform",
            native(),
            Some(("UCP401", "warning", "spec.mode is absent")),
        ),
        with_flag(
            &["--for", "2.0"],
            case(
                "native patches, before 2",
                "native-patch-and-transform",
                native(),
                Some(("UCP401", "error", "spec.resources is set")),
            ),
        ),
        with_flag(
            &["--for", "1.20"],
            case("native patches, within 1", "native-patch-and-transform", native(), Some(("UCP401", "info", ""))),
        ),
        case(
            "a pipeline",
            "native-patch-and-transform",
            vec![composition("new", json!({"mode": "Pipeline", "pipeline": []}))],
            None,
        ),
        case(
            "a controller config",
            "controller-config",
            vec![object("pkg.crossplane.io/v1alpha1", "ControllerConfig", "debug", json!({}))],
            Some(("UCP402", "warning", "no ControllerConfig")),
        ),
        case(
            "a reference to one",
            "controller-config",
            vec![provider("p", json!({"package": "x.io/p:v1", "controllerConfigRef": {"name": "debug"}}))],
            Some(("UCP402", "warning", "names debug")),
        ),
        case(
            "a runtime config",
            "controller-config",
            vec![provider("p", json!({"package": "x.io/p:v1", "runtimeConfigRef": {"name": "debug"}}))],
            None,
        ),
        case(
            "crossplane's own store",
            stores,
            vec![object(
                "secrets.crossplane.io/v1alpha1",
                "StoreConfig",
                "default",
                json!({"spec": {"defaultScope": "crossplane-system"}}),
            )],
            None,
        ),
        case(
            "a store in vault",
            stores,
            vec![object("secrets.crossplane.io/v1alpha1", "StoreConfig", "vault", json!({"spec": {"type": "Plugin"}}))],
            Some(("UCP403", "warning", "StoreConfig")),
        ),
        case(
            "the default store of a composition",
            stores,
            vec![composition(
                "c",
                json!({"mode": "Pipeline", "publishConnectionDetailsWithStoreConfigRef": {"name": "default"}}),
            )],
            None,
        ),
        case(
            "another store of a composition",
            stores,
            vec![composition(
                "c",
                json!({"mode": "Pipeline", "publishConnectionDetailsWithStoreConfigRef": {"name": "vault"}}),
            )],
            Some(("UCP403", "warning", "names vault")),
        ),
        case(
            "a resource that publishes",
            stores,
            vec![bucket("b", json!({"spec": {"publishConnectionDetailsTo": {"name": "x"}}}))],
            Some(("UCP403", "warning", "publishConnectionDetailsTo")),
        ),
        case(
            "a composite that crossplane lets publish",
            stores,
            vec![object(
                "platform.example.org/v1",
                "XDatabase",
                "x",
                json!({"metadata": {"uid": "u"}, "spec": {"resourceRefs": [], "publishConnectionDetailsTo": {"name": "u"}}}),
            )],
            None,
        ),
        case(
            "a flag of the core",
            stores,
            vec![deployment(
                "crossplane",
                "1.20.1",
                json!({"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "x/crossplane:v1.20.1", "args": ["core", "start", "--enable-external-secret-stores"]}]}}}}),
            )],
            Some(("UCP403", "warning", "--enable-external-secret-stores")),
        ),
        case(
            "no registry",
            "unqualified-package-source",
            vec![provider("p", json!({"package": "crossplane-contrib/provider-nop:v1"}))],
            Some(("UCP404", "warning", "crossplane-contrib/provider-nop")),
        ),
        case(
            "a registry",
            "unqualified-package-source",
            vec![provider("p", json!({"package": "xpkg.crossplane.io/crossplane-contrib/provider-nop:v1"}))],
            None,
        ),
        case(
            "connection details of a claim",
            "composite-connection-details",
            vec![claim(json!({"spec": {"writeConnectionSecretToRef": {"name": "s"}}}))],
            Some(("UCP405", "info", "writeConnectionSecretToRef")),
        ),
        case(
            "keys of a definition",
            "composite-connection-details",
            vec![object(
                "apiextensions.crossplane.io/v1",
                "CompositeResourceDefinition",
                "d",
                json!({"spec": {"connectionSecretKeys": ["password"]}}),
            )],
            Some(("UCP405", "info", "connectionSecretKeys")),
        ),
        with_flag(
            &["--for", "2.0"],
            case("1.18 to 2", path, core("1.18.2"), Some(("UCP406", "error", "an upgrade to 2.0 requires 1.20"))),
        ),
        with_flag(&["--for", "2.0"], case("1.20 to 2", path, core("1.20.5"), None)),
        with_flag(&["--for", "v2.3.1"], case("2.0 to 2.3", path, core("2.0.2"), Some(("UCP406", "error", "2.1, 2.2")))),
        with_flag(&["--for", "2.1"], case("back", path, core("2.2.0"), Some(("UCP406", "error", "older")))),
        case(
            "two active revisions",
            "active-revisions",
            vec![
                provider("p", json!({"package": "x.io/p:v2"})),
                revision("p", "p-1", "Active", &[]),
                revision("p", "p-2", "Active", &[]),
            ],
            Some(("UCP411", "error", "p-1 and p-2")),
        ),
        case(
            "one active revision",
            "active-revisions",
            vec![
                provider("p", json!({"package": "x.io/p:v2"})),
                revision("p", "p-1", "Inactive", &[]),
                revision("p", "p-2", "Active", &[]),
            ],
            None,
        ),
        case(
            "a stored version that is not served",
            "storage-versions",
            vec![definition(
                json!([version("v1alpha1", false, false, false), version("v1beta1", true, true, false)]),
                &["v1alpha1", "v1beta1"],
            )],
            Some(("UCP412", "error", "names v1alpha1")),
        ),
        case(
            "a stored version that is gone",
            "storage-versions",
            vec![definition(json!([version("v1beta1", true, true, false)]), &["v1alpha1", "v1beta1"])],
            Some(("UCP412", "error", "names v1alpha1")),
        ),
        case(
            "two served and stored versions",
            "storage-versions",
            vec![definition(
                json!([version("v1beta1", true, false, false), version("v1beta2", true, true, false)]),
                &["v1beta1", "v1beta2"],
            )],
            None,
        ),
        case(
            "somebody writes a deprecated version",
            "deprecated-versions",
            vec![definition(old_and_new(), &["v1beta2"]), writer("v1beta1", None)],
            Some(("UCP413", "warning", "argocd-controller writes it as")),
        ),
        case(
            "only its controller writes a deprecated version",
            "deprecated-versions",
            vec![definition(old_and_new(), &["v1beta2"]), writer("v1beta1", Some("status"))],
            None,
        ),
        case(
            "the new version is written",
            "deprecated-versions",
            vec![definition(old_and_new(), &["v1beta2"]), writer("v1beta2", None)],
            None,
        ),
        case(
            "a kind that nobody installs",
            "kinds-without-provider",
            vec![
                provider("p", json!({"package": "x.io/p:v1"})),
                revision("p", "p-2", "Active", &["queues.sqs.aws.upbound.io"]),
                bucket("b", json!({})),
            ],
            Some(("UCP414", "error", "buckets.s3.aws.upbound.io")),
        ),
        case(
            "a kind of an inactive revision",
            "kinds-without-provider",
            vec![
                provider("p", json!({"package": "x.io/p:v1"})),
                revision("p", "p-1", "Inactive", &["buckets.s3.aws.upbound.io"]),
                bucket("b", json!({})),
            ],
            Some(("UCP414", "error", "buckets.s3.aws.upbound.io")),
        ),
        case(
            "a kind of an active revision",
            "kinds-without-provider",
            vec![
                provider("p", json!({"package": "x.io/p:v1"})),
                revision("p", "p-2", "Active", &["buckets.s3.aws.upbound.io"]),
                bucket("b", json!({})),
            ],
            None,
        ),
        case(
            "no secret of a provider",
            "provider-credentials",
            vec![
                config(json!({"name": "aws", "namespace": "system", "key": "creds"})),
                secret("other", "Opaque", &[], json!({})),
            ],
            Some(("UCP421", "error", "system/aws does not exist")),
        ),
        case(
            "no key in it",
            "provider-credentials",
            vec![
                config(json!({"name": "aws", "namespace": "system", "key": "creds"})),
                secret("aws", "Opaque", &[("credentials", "x")], json!({})),
            ],
            Some(("UCP421", "error", "has credentials")),
        ),
        case(
            "no value in it",
            "provider-credentials",
            vec![
                config(json!({"name": "aws", "namespace": "system", "key": "creds"})),
                secret("aws", "Opaque", &[("creds", "")], json!({})),
            ],
            Some(("UCP421", "error", "has an empty value for key creds")),
        ),
        case(
            "secret and key of a provider",
            "provider-credentials",
            vec![
                config(json!({"name": "aws", "namespace": "system", "key": "creds"})),
                secret("aws", "Opaque", &[("creds", "x")], json!({})),
            ],
            None,
        ),
        case(
            "a kubeconfig that has ended",
            "cluster-credentials",
            vec![kubeconfig("2026-11-20T08:00:00Z")],
            Some(("UCP422", "error", "its token for https://prod.example.org expired 60m ago")),
        ),
        case(
            "a kubeconfig that ends soon",
            "cluster-credentials",
            vec![kubeconfig("2026-11-22T09:00:00Z")],
            Some(("UCP422", "warning", "expires in 2d")),
        ),
        case("a kubeconfig that lives on", "cluster-credentials", vec![kubeconfig("2027-11-22T09:00:00Z")], None),
        case(
            "a certificate that ends soon",
            "certificates",
            vec![tls("web", (2026, 12, 1))],
            Some(("UCP423", "warning", "tls.crt expires in")),
        ),
        case(
            "a certificate that has ended",
            "certificates",
            vec![tls("web", (2026, 11, 1))],
            Some(("UCP423", "error", "tls.crt expired")),
        ),
        case("a certificate that lives on", "certificates", vec![tls("web", (2027, 12, 1))], None),
        case(
            "a certificate of cert-manager",
            "certificates",
            vec![
                object(
                    "cert-manager.io/v1",
                    "Certificate",
                    "web",
                    json!({"metadata": {"namespace": "shop"}, "spec": {"secretName": "web"}, "status": {"notBefore": "2026-08-25T09:00:00Z", "notAfter": "2026-11-23T09:00:00Z"}}),
                ),
                secret("other", "Opaque", &[], json!({})),
            ],
            Some(("UCP423", "warning", "status.notAfter")),
        ),
        case(
            "two certificates of cert-manager in one Secret",
            "certificates",
            {
                let written = |name: &str, until: &str| {
                    object(
                        "cert-manager.io/v1",
                        "Certificate",
                        name,
                        json!({"metadata": {"namespace": "shop"}, "spec": {"secretName": "web"}, "status": {"notBefore": "2026-08-25T09:00:00Z", "notAfter": until}}),
                    )
                };
                let ends = written("ends", "2026-11-23T09:00:00Z");
                vec![ends, written("lives", "2027-11-23T09:00:00Z"), secret("other", "Opaque", &[], json!({}))]
            },
            Some(("UCP423", "warning", "status.notAfter")),
        ),
        case(
            "a sealing key that ends",
            "sealing-keys",
            vec![with(
                tls("key", (2026, 12, 1)),
                &[json!({"metadata": {"labels": {"sealedsecrets.bitnami.com/sealed-secrets-key": "active"}}})],
            )],
            Some(("UCP424", "warning", "newest sealing key expires")),
        ),
        case(
            "a sealing key that is not renewed",
            "sealing-keys",
            vec![with(
                tls("key", (2035, 1, 1)),
                &[
                    json!({"metadata": {"creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"sealedsecrets.bitnami.com/sealed-secrets-key": "active"}}}),
                ],
            )],
            Some(("UCP424", "info", "renewed every 30 days")),
        ),
        case(
            "a new sealing key beside an old one",
            "sealing-keys",
            vec![
                with(
                    tls("key", (2026, 12, 1)),
                    &[
                        json!({"metadata": {"creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"sealedsecrets.bitnami.com/sealed-secrets-key": "active"}}}),
                    ],
                ),
                with(
                    tls("new", (2036, 12, 1)),
                    &[json!({"metadata": {"labels": {"sealedsecrets.bitnami.com/sealed-secrets-key": "active"}}})],
                ),
            ],
            None,
        ),
        case(
            "tracking by label",
            "tracking-method",
            vec![settings(json!({"application.resourceTrackingMethod": "label"}))],
            Some(("UCP431", "warning", "is label")),
        ),
        case(
            "tracking by annotation and label",
            "tracking-method",
            vec![settings(json!({"application.resourceTrackingMethod": "annotation+label"}))],
            None,
        ),
        case(
            "managed resources are excluded",
            "excluded-kinds",
            vec![exclude("*.upbound.io"), bucket("b", json!({}))],
            Some(("UCP432", "warning", "buckets.s3.aws.upbound.io")),
        ),
        case("others are excluded", "excluded-kinds", vec![exclude("*.example.org"), bucket("b", json!({}))], None),
        case(
            "a claim without health check",
            "health-checks",
            vec![settings(json!({})), claim(json!({})), deploys_claim()],
            Some(("UCP433", "warning", "databases.platform.example.org")),
        ),
        case(
            "a claim with a health check",
            "health-checks",
            vec![
                settings(json!({"resource.customizations": "\"*.example.org/*\":\n  health.lua: |\n    return {}\n"})),
                claim(json!({})),
                deploys_claim(),
            ],
            None,
        ),
        case(
            "git is not polled",
            "git-polling",
            vec![settings(json!({"timeout.reconciliation": "0s"}))],
            Some(("UCP434", "info", "is 0s")),
        ),
        // The two databases of the thesis.
        case(
            "two syncers of one name",
            "declared-twice",
            vec![application("aws-database", HERE, syncer()), application("gcp-database", HERE, syncer())],
            Some(("UCP451", "warning", "Application aws-database and Application gcp-database deploy it")),
        ),
        case(
            "one syncer in each of two clusters",
            "declared-twice",
            vec![
                application("aws-database", HERE, syncer()),
                application("gcp-database", "https://prod.example.org", syncer()),
            ],
            None,
        ),
        case(
            "two kustomizations of one object",
            "declared-twice",
            vec![kustomization("a", "shop_settings__ConfigMap"), kustomization("b", "shop_settings__ConfigMap")],
            Some(("UCP451", "warning", "Kustomization a and Kustomization b")),
        ),
        case(
            "paused a fortnight ago",
            "paused",
            vec![paused("2026-11-02T09:00:00Z")],
            Some(("UCP441", "warning", "paused for 18d by kubectl-annotate")),
        ),
        case("paused yesterday", "paused", vec![paused("2026-11-19T09:00:00Z")], None),
        case(
            "a kind that core may not watch",
            "core-rights",
            composing(json!({"apiGroups": ["batch"], "resources": ["cronjobs"], "verbs": ["*"], "resourceNames": ["one"]})),
            Some(("UCP415", "error", "system/xp, to: list/watch cronjobs.batch, create/patch/delete cronjobs.batch")),
        ),
        case(
            "a kind that core may only read",
            "core-rights",
            composing(on_cron_jobs(&["get", "list", "watch"])),
            Some(("UCP415", "warning", "system/xp, to: create/patch/delete cronjobs.batch")),
        ),
        case("kinds that core may write", "core-rights", composing(on_cron_jobs(&["*"])), None),
        case(
            "a kind that only a composite names",
            "core-rights",
            [
                composing(on_cron_jobs(&["*"])),
                vec![
                    object("apiextensions.crossplane.io/v2", "CompositeResourceDefinition", "crates.example.org", json!({
                        "spec": {"group": "example.org", "names": {"kind": "Crate", "plural": "crates"}, "versions": []},
                    })),
                    object("example.org/v1", "Crate", "x", json!({
                        "metadata": {"namespace": "shop"},
                        "spec": {"crossplane": {"compositionRef": {"name": "c"}, "resourceRefs": [
                            {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "name": "x-1"},
                        ]}},
                    })),
                ],
            ]
            .concat(),
            Some(("UCP415", "error", "list/watch networkpolicies.networking.k8s.io")),
        ),
        case(
            "a webhook without its service",
            "webhook-services",
            vec![webhook("Fail"), object("v1", "Service", "other", json!({"metadata": {"namespace": "system"}}))],
            Some(("UCP442", "error", "system/crossplane-webhooks does not exist")),
        ),
        case(
            "a webhook that nobody answers",
            "webhook-services",
            vec![webhook("Fail"), service(), slice(false)],
            Some(("UCP442", "error", "no ready endpoint")),
        ),
        case("a webhook that is answered", "webhook-services", vec![webhook("Fail"), service(), slice(true)], None),
        case("a webhook that may fail", "webhook-services", vec![webhook("Ignore"), service(), slice(false)], None),
        case(
            "half an upgrade",
            "mixed-versions",
            vec![
                deployment("crossplane", "2.2.0", json!({})),
                deployment("crossplane-rbac-manager", "2.1.3", json!({})),
            ],
            Some(("UCP443", "warning", "crossplane-rbac-manager runs 2.1.3")),
        ),
        case(
            "a whole upgrade",
            "mixed-versions",
            vec![
                deployment("crossplane", "2.2.0", json!({})),
                deployment("crossplane-rbac-manager", "2.2.0", json!({})),
            ],
            None,
        ),
        case(
            "an old version",
            "supported-versions",
            core("1.18.2"),
            Some(("UCP444", "warning", "Crossplane 1.18 is running")),
        ),
        case("a new version", "supported-versions", core("2.9.0"), None),
    ]
}

#[test]
fn every_situation_is_told_and_none_is_invented() {
    for Situation { name, objects, arguments, check, told } in situations() {
        let (_directory, ran) = doctor(&objects, &[arguments, &["--only", check, "-o", "json"]].concat());
        let document = ran.json();
        let findings = document["findings"].as_array().unwrap();
        let is_unknown = document["checks"][0]["unknown"].is_array();
        let code = match told {
            Some((_, "error", _)) => 1,
            _ if is_unknown => 4,
            _ => 0,
        };
        assert_eq!(ran.code, Some(code), "{name}: {ran:?}");
        let Some((code, severity, evidence)) = told else {
            assert_eq!(findings, &Vec::<Value>::new(), "{name}");
            assert_ne!(document["checks"][0]["outcome"], "notApplicable", "{name}: {document}");
            continue;
        };
        assert_eq!(findings.len(), 1, "{name}: {document}");
        let finding = &findings[0];
        assert_eq!((&finding["code"], &finding["severity"]), (&json!(code), &json!(severity)), "{name}: {finding}");
        assert!(finding["message"].as_str().unwrap().contains(evidence), "{name}: {finding}");
        assert!(finding["hint"].as_str().unwrap().starts_with("kubectl ") || code == "UCP406", "{name}: {finding}");
        assert_eq!(document["checks"][0]["outcome"], "found", "{name}");
    }
}

#[test]
fn an_engine_is_held_against_the_version_of_kubernetes() {
    let Some(cluster) = hub::quotes() else { return };
    let look = |ran: Ran| {
        let document = ran.json();
        let check = document["checks"][0].clone();
        assert_eq!(document["checks"].as_array().unwrap().len(), 1, "{document}");
        (document["findings"].clone(), check)
    };
    let arguments = ["doctor", "--only", "kubernetes-version", "-o", "json"];
    // Warnings alone exit 0. Argo CD 3.2 was tested with 1.31 to 1.34. Whether Crossplane is content depends on the day.
    let (live, _) = look(run(ucp_on(cluster, arguments)).expect(0));
    let messages: Vec<&str> = live.as_array().unwrap().iter().filter_map(|one| one["message"].as_str()).collect();
    let message = messages.iter().find(|message| message.starts_with("Argo CD 3.2 runs on Kubernetes 1."));
    assert!(message.is_some_and(|message| message.ends_with("; upstream tests it with 1.31 to 1.34")), "{live}");
    // A snapshot of ours knows the server's version, and a plain dump does not.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("core.tar.gz").display().to_string();
    run(ucp_on(cluster, ["snapshot", &path])).expect(0);
    assert_eq!(look(run(ucp_from(&path, arguments)).expect(0)).0, live);
    // Crossplane asks for no version, only for one that Kubernetes still mends.
    let unpacked = directory.path().join("unpacked");
    std::fs::create_dir(&unpacked).unwrap();
    let tar = Command::new("tar").arg("-xzf").arg(&path).arg("-C").arg(&unpacked).status().unwrap();
    assert!(tar.success());
    let index = unpacked.join("ucp-snapshot.yaml");
    let mut text: Value = serde_saphyr::from_str(&std::fs::read_to_string(&index).unwrap()).unwrap();
    text["serverVersion"] = json!("v1.30.14");
    std::fs::write(&index, text.to_string()).unwrap();
    let (old, _) = look(run(ucp_from(&unpacked.display().to_string(), arguments)).expect(0));
    let ended = "upstream requires a version that Kubernetes still supports, and its support ended by 2025-07-15";
    assert!(
        old.as_array().unwrap().iter().any(|one| {
            let message = one["message"].as_str().unwrap();
            message.starts_with("Crossplane 2.") && message.ends_with(ended)
        }),
        "{old}"
    );
    let (findings, check) = look(run(ucp_from(QUOTES, arguments)).expect(4));
    assert_eq!((findings, &check["outcome"]), (json!([]), &json!("unknown")), "{check}");
}

#[test]
fn a_check_by_an_old_table_is_unknown() {
    let check = ["--only", "supported-versions"];
    let (_directory, ran) = doctor(&core("2.3.4"), &check);
    assert!(!ran.expect(0).stdout.contains("the table of supported versions"));
    // No time of an object is later than now, but that of a snapshot may be.
    let directory = tempfile::tempdir().unwrap();
    snapshot(&directory, "core.json", &core("2.3.4")).unwrap();
    let index =
        "apiVersion: ucp/v1\nkind: Snapshot\ntool: x\nserver: https://core\ntakenAt: 2029-01-01T00:00:00Z\nkinds: []\n";
    std::fs::write(directory.path().join("ucp-snapshot.yaml"), index).unwrap();
    let mut command = ucp(["doctor", "--from"]);
    command.arg(directory.path()).args(check);
    let ran = run(command).expect(4);
    assert!(ran.stdout.contains("the table of supported versions was created in"), "{}", ran.stdout);
}

/// What was not read is unknown, and nothing is well because of it.
#[test]
fn what_could_not_be_looked_at_is_unknown() {
    for (objects, check, reason) in [
        (vec![webhook("Fail"), service()], "webhook-services", "no EndpointSlice was read"),
        (vec![bucket("b", json!({}))], "storage-versions", "no CustomResourceDefinition was read"),
        (vec![bucket("b", json!({}))], "certificates", "no Secret was read"),
        (composing(on_cron_jobs(&["*"]))[..2].to_vec(), "core-rights", "no ClusterRole was read"),
        (composing(on_cron_jobs(&["*"]))[1..].to_vec(), "core-rights", "Crossplane's core was not found"),
        (vec![application("a", HERE, json!([]))], "tracking-method", "argocd-cm was not found"),
        (vec![bucket("b", json!({}))], "webhook-services", "no ValidatingWebhookConfiguration was read"),
        // A version that the tables do not know is not passed.
        (core("99.0.0"), "supported-versions", "is newer than the versions in the table"),
        (vec![hidden("x", json!({"kubeconfig": "<hidden>"}))], "cluster-credentials", "the kubeconfig in secret/x"),
        (vec![hidden("x", json!({"tls.crt": "<hidden>"}))], "certificates", "tls.crt in secret/x -n system is hidden"),
        // As somebody hid it who encoded that, too.
        (
            vec![hidden("x", json!({"tls.crt": "UkVEQUNURUQ="}))],
            "certificates",
            "tls.crt in secret/x -n system is hidden",
        ),
        // cert-manager does not say until when either.
        (
            vec![
                hidden("x", json!({"tls.crt": "<hidden>"})),
                object(
                    "cert-manager.io/v1",
                    "Certificate",
                    "x",
                    json!({"metadata": {"namespace": "system"}, "spec": {"secretName": "x"}}),
                ),
            ],
            "certificates",
            "tls.crt in secret/x -n system is hidden",
        ),
        (
            vec![with(
                hidden("x", json!({"tls.crt": "<hidden>"})),
                &[json!({"metadata": {"labels": {"sealedsecrets.bitnami.com/sealed-secrets-key": "active"}}})],
            )],
            "sealing-keys",
            "tls.crt in secret/x -n system is hidden",
        ),
    ] {
        let (_directory, ran) = doctor(&objects, &["--only", check]);
        assert!(ran.clone().expect(4).stdout.contains(reason), "{check}: {ran:?}");
        let (_directory, ran) = doctor(&objects, &["--only", check, "-o", "json"]);
        assert_eq!(ran.expect(4).json()["checks"][0]["outcome"], "unknown", "{check}");
    }
}

#[test]
fn a_healthy_hub_has_no_errors() {
    for path in [QUOTES, "tests/fixtures/night", "tests/fixtures/real/healthy"] {
        let ran = run(ucp(["doctor", "--from", path, "-o", "json"])).expect(4);
        let document = ran.json();
        let codes: Vec<_> = document["findings"].as_array().unwrap().iter().map(|one| one["code"].clone()).collect();
        // These run an Argo CD that is older than what upstream mends.
        assert!(codes.iter().all(|code| code == "UCP444"), "{path}: {codes:?}");
    }
}

#[test]
fn a_pause_is_ended_by_the_command_beside_it() {
    let old = |rest: Value| json!({"metadata": {"creationTimestamp": "2026-10-01T09:00:00Z"}, "spec": rest});
    let by = |field: &str| {
        json!({"metadata": {"managedFields": [
            {"manager": "jane", "operation": "Update", "apiVersion": "v1", "time": "2026-10-02T09:00:00Z", "fieldsV1": {"f:spec": {field: {}}}},
        ]}})
    };
    let unmarked = with(kustomization("a", "shop_settings__ConfigMap"), &[old(json!({"suspend": true}))]);
    let suspended = with(unmarked.clone(), &[by("f:suspend")]);
    let observed = bucket("b", with(old(json!({"managementPolicies": []})), &[by("f:managementPolicies")]));
    for (object, expected) in [
        (paused("2026-11-02T09:00:00Z"), "kubectl annotate bucket.s3.aws.upbound.io/b crossplane.io/paused-"),
        (
            suspended,
            r#"kubectl patch kustomization.kustomize.toolkit.fluxcd.io/a -n flux-system --type=merge -p '{"spec":{"suspend":false}}'"#,
        ),
        // What shall stand there instead, nobody knows.
        (observed, "kubectl get bucket.s3.aws.upbound.io/b -o yaml --show-managed-fields"),
    ] {
        let (_directory, ran) = doctor(&[object], &["--only", "paused", "-o", "json"]);
        assert_eq!(ran.json()["findings"][0]["hint"], expected, "{ran:?}");
    }
    // Where nothing tells since when, it may have been for long.
    let (_directory, ran) = doctor(&[unmarked], &["--only", "paused"]);
    assert!(ran.clone().expect(4).stdout.contains("since when kustomization"), "{ran:?}");
}

#[test]
fn a_person_sees_the_worst_first_and_what_mends_it() {
    let objects = [
        composition("old", json!({})),
        provider("p", json!({"package": "x.io/p:v2"})),
        revision("p", "p-1", "Active", &[]),
        revision("p", "p-2", "Active", &[]),
        kubeconfig("2026-11-22T09:00:00Z"),
    ];
    let (_directory, ran) = doctor(&objects, &["--skip", "argocd,versions"]);
    let text = ran.expect(1).stdout;
    assert!(text.starts_with("ERROR UCP411 two revisions of one package are active, for 19d\n"), "{text}");
    let mend = "  → kubectl patch providerrevision.pkg.crossplane.io/p-1 --type=merge -p '{\"spec\":{\"desiredState\":\"Inactive\"}}'\n";
    assert!(text.contains(mend), "{text}");
    assert!(text.contains("\n1 error, 2 warnings. Of "), "{text}");
    let (_directory, ran) = doctor(&objects, &["--skip", "argocd,versions", "--severity", "error", "-o", "name"]);
    assert_eq!(ran.expect(1).stdout, "providerrevision.pkg.crossplane.io/p-1\n");
    let (_directory, ran) = doctor(&objects, &["--skip", "argocd,versions", "-o", "markdown"]);
    assert!(ran.expect(1).stdout.contains("| error | UCP411 | "));
    let (_directory, ran) = doctor(&objects, &["--only", "upgraed"]);
    assert!(ran.expect(2).stderr.contains("no group of checks, check or code is called 'upgraed'"));
}
