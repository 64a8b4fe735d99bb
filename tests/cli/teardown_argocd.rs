//! `teardown` of Applications: objects that their Argo CD deletes by its settings, its registrations and its own rules.

use serde_json::{Value, json};

use crate::support::command::{run, ucp};
use crate::support::objects::{object, with};
use crate::teardown_kinds::{codes, fate, teardown};
use crate::teardown_stays::application;

const TRACKING: &str = "argocd.argoproj.io/tracking-id";
const CLUSTERS: &str = "argocd.argoproj.io/secret-type";

fn logs(rest: Value) -> Value {
    let base = json!({
        "metadata": {"uid": "logs", "finalizers": ["finalizer.managedresource.crossplane.io"]},
        "spec": {"forProvider": {"region": "eu-west-1", "forceDestroy": true}, "providerConfigRef": {"name": "default"}},
    });
    with(object("s3.aws.upbound.io/v1beta1", "Bucket", "logs", base), &[rest])
}

fn annotated(key: &str, value: &str) -> Value {
    json!({"metadata": {"annotations": {key: value}}})
}

fn tracked() -> Value {
    annotated(TRACKING, "shop:s3.aws.upbound.io/Bucket:default/logs")
}

fn labelled() -> Value {
    json!({"metadata": {"labels": {"app.kubernetes.io/instance": "shop"}}})
}

fn project(rest: Value) -> Value {
    let all = json!([{"group": "*", "kind": "*"}]);
    let spec = json!({"clusterResourceWhitelist": all, "destinations": [{"server": "*", "namespace": "*"}]});
    let base = json!({"metadata": {"namespace": "argocd"}, "spec": with(spec, &[rest])});
    object("argoproj.io/v1alpha1", "AppProject", "team", base)
}

fn settings(data: Value) -> Value {
    object("v1", "ConfigMap", "argocd-cm", json!({"metadata": {"namespace": "argocd"}, "data": data}))
}

fn parameters(data: Value) -> Value {
    object("v1", "ConfigMap", "argocd-cmd-params-cm", json!({"metadata": {"namespace": "argocd"}, "data": data}))
}

fn registration(name: &str, server: &str, rest: Value) -> Value {
    let data = json!({"metadata": {"namespace": "argocd", "labels": {CLUSTERS: "cluster"}},
        "stringData": {"name": name, "server": server}});
    with(object("v1", "Secret", name, data), &[rest])
}

fn workload(kind: &str, name: &str, version: &str, replicas: i64) -> Value {
    let containers = json!([{"name": "main", "image": format!("quay.io/argoproj/argocd:{version}")}]);
    object(
        "apps/v1",
        kind,
        &format!("argocd-{name}"),
        json!({
            "metadata": {"namespace": "argocd", "labels": {"app.kubernetes.io/part-of": "argocd"}},
            "spec": {"replicas": replicas, "template": {"spec": {"containers": containers}}},
            "status": {"replicas": replicas, "readyReplicas": replicas, "updatedReplicas": replicas, "availableReplicas": replicas},
        }),
    )
}

fn crossplane() -> Value {
    let own = json!({"metadata": {"name": "crossplane", "namespace": "crossplane-system", "labels": {
        "app": "crossplane", "app.kubernetes.io/part-of": "crossplane",
    }}});
    with(workload("Deployment", "core", "v2.0.0", 1), &[own])
}

/// The core of Crossplane, and an Argo CD of a version, with a number of repo-servers.
fn argo_cd(version: &str, renderers: i64) -> Vec<Value> {
    vec![
        workload("StatefulSet", "application-controller", version, 1),
        workload("Deployment", "repo-server", version, renderers),
        workload("Deployment", "applicationset-controller", version, 1),
        crossplane(),
    ]
}

/// Fails unless the bucket and the Application have these fates.
fn check(name: &str, objects: &[Value], expected: (&str, &str)) -> Value {
    let objects = [objects, &[project(json!({}))]].concat();
    check_whole(name, &objects, expected)
}

fn check_whole(name: &str, objects: &[Value], (bucket, application): (&str, &str)) -> Value {
    let document = teardown(objects, &["application/shop"]).json();
    assert_eq!(fate(&document, "logs"), bucket, "{name}: {document:#}");
    assert_eq!(fate(&document, "shop"), application, "{name}: {document:#}");
    document
}

#[test]
fn argo_cd_deletes_objects_marked_by_its_tracking_method() {
    let method = |method: &str| settings(json!({"application.resourceTrackingMethod": method}));
    let both = || with(tracked(), &[labelled()]);
    for (name, more, rest, expected) in [
        ("only the label, version 3", argo_cd("v3.2.0", 1), labelled(), "kept"),
        ("the annotation, version 3", argo_cd("v3.2.0", 1), tracked(), "deleted"),
        ("only the label, version 2", argo_cd("v2.14.0", 1), labelled(), "deleted"),
        ("only the annotation, version 2", argo_cd("v2.14.0", 1), tracked(), "kept"),
        ("only the label, unknown version", Vec::new(), labelled(), "unknown"),
        ("by label, only the annotation", vec![method("label")], tracked(), "kept"),
        ("by label", vec![method("label")], labelled(), "deleted"),
        ("by both, only the label", vec![method("annotation+label")], labelled(), "kept"),
        ("by both", vec![method("annotation+label")], both(), "deleted"),
        ("a malformed ID", Vec::new(), annotated(TRACKING, "shop"), "kept"),
        (
            "another label",
            vec![settings(json!({
                "application.resourceTrackingMethod": "label", "application.instanceLabelKey": "example.org/app",
            }))],
            labelled(),
            "kept",
        ),
    ] {
        check(name, &[more, vec![application(json!({})), logs(rest)]].concat(), (expected, "removed"));
    }
}

#[test]
fn argo_cd_keeps_objects_that_its_settings_exclude() {
    let all = "- apiGroups: ['*.upbound.io']\n  kinds: ['*']\n  clusters: ['*']\n";
    let some = "- apiGroups: ['*.upbound.io']\n  clusters: ['https://192.0.2.1']\n";
    let apps = "- apiGroups: [apps]\n";
    let installed = || with(tracked(), &[annotated("argocd.argoproj.io/installation-id", "mine")]);
    for (data, rest, expected) in [
        (json!({}), tracked(), "deleted"),
        (json!({"resource.exclusions": all}), tracked(), "kept"),
        (json!({"resource.exclusions": some}), tracked(), "unknown"),
        (json!({"resource.exclusions": apps}), tracked(), "deleted"),
        (json!({"resource.inclusions": apps}), tracked(), "kept"),
        (json!({"resource.inclusions": all}), tracked(), "deleted"),
        (json!({"installationID": "mine"}), tracked(), "kept"),
        (json!({"installationID": "mine"}), installed(), "deleted"),
        (json!({"installationID": "other"}), installed(), "kept"),
        (json!({}), installed(), "kept"),
        (json!({"installationID": "<hidden 1>"}), tracked(), "unknown"),
        (json!({"cluster.inClusterEnabled": "false"}), tracked(), "kept"),
    ] {
        let name = data.to_string();
        check(&name, &[settings(data), application(json!({})), logs(rest)], (expected, "removed"));
    }
    let own = |data: Value| registration("own", "https://kubernetes.default.svc", json!({"stringData": data}));
    for (data, expected) in [
        (json!({}), "deleted"),
        (json!({"namespaces": "shop"}), "kept"),
        (json!({"namespaces": "shop", "clusterResources": "true"}), "unknown"),
    ] {
        let name = data.to_string();
        check(&name, &[own(data), application(json!({})), logs(tracked())], (expected, "removed"));
    }
}

#[test]
fn an_application_deletes_only_in_its_own_cluster() {
    let to =
        |destination: Value| application(json!({"spec": {"destination": destination}, "status": {"resources": []}}));
    let spoke = || registration("spoke", "https://spoke.example.org", json!({}));
    let here = json!({"server": "https://kubernetes.default.svc", "name": null});
    for (name, destination, expected) in [
        ("its own", here, "deleted"),
        ("another one", json!({"server": null, "name": "spoke"}), "unknown"),
        ("another one, by its URL", json!({"server": "https://spoke.example.org/"}), "unknown"),
        ("not registered", json!({"server": null, "name": "gone"}), "kept"),
        ("a URL that is not registered", json!({"server": "https://gone.example.org"}), "kept"),
        ("a name and a URL", json!({"name": "in-cluster"}), "kept"),
        ("none", json!({"server": null}), "kept"),
    ] {
        check(name, &[spoke(), to(destination), logs(tracked())], (expected, "removed"));
    }
    // Without any Secret, it is not known which clusters are registered.
    check("no list", &[to(json!({"server": null, "name": "gone"})), logs(tracked())], ("unknown", "removed"));
}

#[test]
fn flux_deletes_in_the_cluster_of_its_kubeconfig() {
    let kustomization = object(
        "kustomize.toolkit.fluxcd.io/v1",
        "Kustomization",
        "shop",
        json!({
            "metadata": {"namespace": "flux", "finalizers": ["finalizers.fluxcd.io"]},
            "spec": {"prune": true, "kubeConfig": {"secretRef": {"name": "spoke"}}},
            "status": {"inventory": {"entries": [{"id": "_logs_s3.aws.upbound.io_Bucket", "v": "v1beta1"}]}},
        }),
    );
    let marks = json!({"metadata": {"labels": {
        "kustomize.toolkit.fluxcd.io/name": "shop", "kustomize.toolkit.fluxcd.io/namespace": "flux",
    }}});
    let document = teardown(&[kustomization, logs(marks)], &["kustomization/shop"]).expect(4).json();
    assert_eq!(fate(&document, "logs"), "unknown", "{document:#}");
}

#[test]
fn an_application_outside_of_the_namespaces_of_its_argo_cd_is_stuck() {
    let in_shop = || application(json!({"metadata": {"namespace": "shop"}}));
    let its = || logs(annotated(TRACKING, "shop_shop:s3.aws.upbound.io/Bucket:default/logs"));
    let watched = |list: &str| parameters(json!({"application.namespaces": list}));
    let permitting = |list: Value| project(json!({"sourceNamespaces": list}));
    for (name, list, permitted, expected) in [
        ("both", "other, sh*", json!(["shop"]), ("deleted", "removed")),
        ("not watched", "", json!(["shop"]), ("kept", "stuck")),
        ("not permitted", "shop", json!([]), ("kept", "stuck")),
        ("an expression", "/sh.*/", json!(["shop"]), ("unknown", "removed")),
        ("an expression of its project", "shop", json!(["/sh.*/"]), ("unknown", "removed")),
    ] {
        check_whole(name, &[watched(list), permitting(permitted), in_shop(), its()], expected);
    }
    let objects = |tracking: Value| vec![watched("shop"), permitting(json!(["shop"])), in_shop(), logs(tracking)];
    check_whole("tracked for another one", &objects(tracked()), ("kept", "removed"));
    let flagged = with(
        workload("StatefulSet", "application-controller", "v3.2.0", 1),
        &[json!({"spec": {"template": {"spec": {"containers": [
            {"name": "main", "image": "quay.io/argoproj/argocd:v3.2.0", "args": ["--application-namespaces=shop"]},
        ]}}}})],
    );
    let objects = [flagged, watched(""), permitting(json!(["shop"])), in_shop(), its()];
    let more = argo_cd("v3.2.0", 1).into_iter().skip(1);
    check_whole("a flag", &objects.into_iter().chain(more).collect::<Vec<_>>(), ("deleted", "removed"));
}

#[test]
fn argo_cd_deletes_nothing_while_an_operation_is_in_progress() {
    let running = |started: &str| {
        application(json!({
            "operation": {"sync": {}},
            "status": {"operationState": {"phase": "Running", "startedAt": started, "operation": {"sync": {}}}},
        }))
    };
    let newest = json!({"metadata": {"creationTimestamp": "2026-11-20T09:00:00Z"}});
    let objects = |started| [running(started), logs(with(tracked(), std::slice::from_ref(&newest)))];
    check("for a moment", &objects("2026-11-20T08:59:00Z"), ("unknown", "removed"));
    let document = check("for a day", &objects("2026-11-19T09:00:00Z"), ("kept", "stuck"));
    assert!(codes(&document).contains(&"UCP912"), "{document:#}");
}

#[test]
fn argo_cd_only_renders_hooks_for_a_deletion() {
    let hooks = |when: &str| {
        let finalizer = format!("{when}-delete-finalizer.argocd.argoproj.io");
        application(json!({"metadata": {"finalizers": ["resources-finalizer.argocd.argoproj.io", finalizer]}}))
    };
    for (name, application, expected) in [
        ("without hooks", application(json!({})), ("deleted", "removed")),
        ("hooks before", hooks("pre"), ("kept", "stuck")),
        ("hooks after", hooks("post"), ("deleted", "unknown")),
    ] {
        check(name, &[argo_cd("v3.2.0", 0), vec![application, logs(tracked())]].concat(), expected);
    }
    let stopped = workload("StatefulSet", "application-controller", "v3.2.0", 0);
    check(
        "without its controller",
        &[stopped, crossplane(), application(json!({})), logs(tracked())],
        ("kept", "stuck"),
    );
}

/// Files without an index may be a part of a cluster.
#[test]
fn a_controller_that_a_dump_does_not_contain_is_unknown() {
    let directory = tempfile::tempdir().unwrap();
    let answer = |command: &str, target: &[&str], workloads: Vec<Value>| {
        let objects = [vec![application(json!({})), project(json!({})), logs(tracked())], workloads].concat();
        let path = directory.path().join("dump.json");
        std::fs::write(&path, json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string()).unwrap();
        let mut program = ucp([command, "-o", "json", "--from", path.to_str().unwrap()]);
        program.args(target);
        run(program).json()
    };
    let deployments = || argo_cd("v3.2.0", 1).into_iter().skip(1).collect::<Vec<_>>();
    for (name, workloads) in [
        ("no StatefulSet", deployments()),
        ("another one", [deployments(), vec![workload("StatefulSet", "redis", "v3.2.0", 1)]].concat()),
    ] {
        let document = answer("teardown", &["application/shop"], workloads);
        assert_eq!(fate(&document, "shop"), "unknown", "{name}: {document:#}");
        assert_eq!(fate(&document, "logs"), "unknown", "{name}: {document:#}");
    }
    let document = answer("status", &[], deployments());
    assert!(!document.to_string().contains("no workload of it was found"), "{document:#}");
    assert!(document.to_string().contains("not all workloads could be read"), "{document:#}");
}
