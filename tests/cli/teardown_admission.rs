//! `teardown` of objects whose deletion an API server checks with policies and webhooks, compared with the server.

use serde_json::{Value, json};

use crate::support::command::{run, ucp_on};
use crate::support::objects::{object, provider_of, with};
use crate::support::{self, Cluster, Options, load};
use crate::teardown_kinds::{codes, fate};

const ADMISSION: &str = "admissionregistration.k8s.io/v1";
const GROUP: &str = "guarded.example.org";

fn definition(plural: &str, group: &str, kind: &str, category: &str) -> Value {
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {
            "group": group, "scope": "Cluster", "names": {"kind": kind, "plural": plural, "categories": [category]},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}],
        },
    })
}

fn managed(kind: &str, name: &str, rest: Value) -> Value {
    let base = json!({
        "metadata": {"labels": {"case": name}, "finalizers": ["finalizer.managedresource.crossplane.io"]},
        "spec": {"forProvider": {"size": 1}, "providerConfigRef": {"name": "default"}},
    });
    with(object(&format!("{GROUP}/v1"), kind, name, base), &[rest])
}

fn rules(plural: &str) -> Value {
    json!([{"apiGroups": [GROUP], "apiVersions": ["*"], "resources": [plural], "operations": ["DELETE"]}])
}

fn selector(name: &str) -> Value {
    json!({"matchLabels": {"case": name}})
}

/// A policy for objects with the label, with one expression, and its binding.
fn policy(name: &str, expression: &str, rest: Value, action: &str) -> Vec<Value> {
    let base = json!({"spec": {
        "matchConstraints": {"resourceRules": rules("*"), "objectSelector": selector(name)},
        "validations": [{"expression": expression, "message": format!("{name} is protected")}],
    }});
    let binding = json!({"spec": {"policyName": name, "validationActions": [action]}});
    vec![
        with(object(ADMISSION, "ValidatingAdmissionPolicy", name, base), &[rest]),
        object(ADMISSION, "ValidatingAdmissionPolicyBinding", name, binding),
    ]
}

fn webhook(kind: &str, name: &str, rest: Value) -> Value {
    let base = json!({
        "name": format!("{name}.example.org"), "admissionReviewVersions": ["v1"], "sideEffects": "None",
        "failurePolicy": "Fail", "clientConfig": {"url": "https://127.0.0.1:1/check"},
        "rules": rules("disks"), "objectSelector": selector(name),
    });
    object(ADMISSION, kind, name, json!({"webhooks": [with(base, &[rest])]}))
}

/// Objects, the reaction of the server, and the prediction.
const CASES: [(&str, bool, &str); 12] = [
    ("plain", true, "deleted"),
    ("denied", false, "stuck"),
    // The policy for failures does not decide about an expression that is false.
    ("ignored", false, "stuck"),
    ("warned", true, "deleted"),
    ("permitted", true, "deleted"),
    ("unconditional", true, "deleted"),
    ("excluded", true, "deleted"),
    ("by-user", true, "unknown"),
    ("fails", false, "stuck"),
    ("guarded", false, "unknown"),
    ("mutated", false, "unknown"),
    ("unasked", true, "deleted"),
];

fn admission() -> Vec<Value> {
    let of_delete = json!([{"name": "a", "expression": "oldObject.spec.forProvider.size > 1"}]);
    let excluded = json!({"spec": {"matchConstraints": {"excludeResourceRules": rules("disks/*")}}});
    [
        policy("denied", "!has(oldObject.metadata.labels.case)", json!({}), "Deny"),
        policy("ignored", "oldObject.spec.forProvider.size > 1", json!({"spec": {"failurePolicy": "Ignore"}}), "Deny"),
        policy("warned", "false", json!({}), "Warn"),
        policy("permitted", "request.operation == 'DELETE' && oldObject.spec.forProvider.size == 1", json!({}), "Deny"),
        policy("unconditional", "false", json!({"spec": {"matchConditions": of_delete}}), "Deny"),
        policy("excluded", "false", excluded, "Deny"),
        policy("by-user", "request.userInfo.username != ''", json!({}), "Deny"),
        policy("fails", "oldObject.spec.missing == 1", json!({}), "Deny"),
        policy("tape", "false", json!({}), "Deny"),
        vec![
            webhook("ValidatingWebhookConfiguration", "guarded", json!({})),
            webhook("MutatingWebhookConfiguration", "mutated", json!({})),
            webhook("ValidatingWebhookConfiguration", "unasked", json!({"matchConditions": of_delete})),
        ],
    ]
    .concat()
}

fn is_deleted(cluster: &Cluster, object: &str) -> bool {
    cluster.kubectl(["delete", object, "--dry-run=server"]).output().unwrap().status.success()
}

#[test]
fn objects_that_admission_refuses_to_delete_are_not_deleted() {
    let Some(cluster) = support::start(Options::named("admission")) else { return };
    let mut objects = provider_of("store", &format!("disks.{GROUP}"), 1);
    let tapes = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "name": format!("tapes.{GROUP}")});
    objects[1]["status"]["objectRefs"].as_array_mut().unwrap().push(tapes);
    let config = json!({"spec": {"credentials": {"source": "InjectedIdentity"}}});
    objects.extend([
        definition("disks", GROUP, "Disk", "managed"),
        definition("tapes", GROUP, "Tape", "managed"),
        definition("providerconfigs", GROUP, "ProviderConfig", "crossplane"),
        object(&format!("{GROUP}/v1"), "ProviderConfig", "default", config),
        managed("Tape", "tape", json!({"metadata": {"finalizers": []}})),
    ]);
    objects.extend(CASES.map(|(name, ..)| managed("Disk", name, json!({}))));
    objects.extend(admission());
    // Of objects without an effect outside, only the metadata is read.
    let settings = json!({"metadata": {"namespace": "team", "labels": {"case": "settings"}}, "data": {"a": "b"}});
    let of_settings =
        json!([{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["DELETE"]}]);
    let of_settings = json!({"spec": {"matchConstraints": {"resourceRules": of_settings}}});
    objects.extend(policy("settings", "oldObject.data.a != 'b'", of_settings, "Deny"));
    objects.extend([
        object("v1", "Namespace", "team", json!({})),
        object("v1", "ConfigMap", "one", settings.clone()),
        object("v1", "ConfigMap", "two", settings),
        object("v1", "ConfigMap", "free", json!({"metadata": {"namespace": "team"}})),
    ]);
    support::run(async || load::load_objects(&cluster.client(), objects).await).unwrap();
    for (name, is_gone, expected) in CASES {
        let disk = format!("disks.{GROUP}/{name}");
        // Policies take effect some time after they were created.
        support::run(async || {
            support::eventually(async || (is_deleted(&cluster, &disk) == is_gone).then_some(())).await;
        });
        let ran = run(ucp_on(&cluster, ["teardown", &disk, "-o", "json"]));
        let document = ran.json();
        assert_eq!(fate(&document, name), expected, "{ran:?}");
        let code = match expected {
            "deleted" => 0,
            "stuck" => 1,
            _ => 4,
        };
        assert_eq!(ran.code, Some(code), "{name}: {ran:?}");
        if expected == "stuck" {
            assert_eq!(codes(&document), ["UCP923"], "{ran:?}");
            let text = document["items"].to_string();
            let message = match name {
                "fails" => {
                    "expression 'oldObject.spec.missing == 1' resulted in error: no such key: missing".to_owned()
                }
                name => format!("{name} is protected"),
            };
            assert!(text.contains(&format!("denies its deletion: {message}")), "{ran:?}");
        } else if expected == "unknown" {
            let text = document["items"].to_string();
            assert!(text.contains(name) && text.contains("may refuse its deletion"), "{ran:?}");
        }
    }
    let document = run(ucp_on(&cluster, ["teardown", "namespace/team", "-o", "json"])).expect(4).json();
    assert_eq!(fate(&document, "team"), "unknown", "{document:#}");
    let text = document["items"].to_string();
    assert_eq!(
        text.matches("validatingadmissionpolicy.admissionregistration.k8s.io/settings is asked").count(),
        1,
        "{text}"
    );
    // The objects of a definition are deleted without a question.
    let tapes = format!("tapes.{GROUP}");
    support::run(async || {
        let tape = format!("{tapes}/tape");
        support::eventually(async || (!is_deleted(&cluster, &tape)).then_some(())).await;
    });
    let document = run(ucp_on(&cluster, ["teardown", &format!("{tapes}/tape"), "-o", "json"])).expect(1).json();
    assert_eq!((fate(&document, "tape"), codes(&document)), ("stuck", vec!["UCP923"]), "{document:#}");
    let document = run(ucp_on(&cluster, ["teardown", &format!("crd/{tapes}"), "-o", "json"])).json();
    assert_eq!(fate(&document, "tape"), "orphaned", "{document:#}");
    let deleted = cluster.kubectl(["delete", "crd", &tapes, "--timeout=60s"]).output().unwrap();
    assert!(deleted.status.success(), "{deleted:?}");
}

/// Objects that provider-kubernetes manages in the core cluster itself.
#[test]
fn objects_of_provider_kubernetes_delete_their_resources_in_this_cluster() {
    let Some(cluster) = support::start(Options::named("own-objects")) else { return };
    let mut objects = provider_of("store", &format!("disks.{GROUP}"), 1);
    let references = objects[1]["status"]["objectRefs"].as_array_mut().unwrap();
    for name in ["objects.kubernetes.crossplane.io", "releases.helm.crossplane.io"] {
        references
            .push(json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "name": name}));
    }
    let config =
        |version: &str, name: &str, spec: Value| object(version, "ProviderConfig", name, json!({"spec": spec}));
    let inside = || json!({"credentials": {"source": "InjectedIdentity"}});
    let kubeconfig = json!({"credentials": {"source": "Secret", "secretRef": {"namespace": "default", "name": "kubeconfig", "key": "k"}}});
    let kubernetes = "kubernetes.crossplane.io/v1alpha1";
    let managing = |name: &str, config: &str, manifest: Value, rest: Value| {
        let base = json!({
            "metadata": {"finalizers": ["finalizer.managedresource.crossplane.io"]},
            "spec": {"forProvider": {"manifest": manifest}, "providerConfigRef": {"name": config}},
        });
        with(object("kubernetes.crossplane.io/v1alpha2", "Object", name, base), &[rest])
    };
    let namespace = || json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}});
    let disk = || json!({"apiVersion": format!("{GROUP}/v1"), "kind": "Disk", "metadata": {"name": "data"}});
    let settings = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "shop"}});
    let released = json!({"metadata": {"annotations": {
        "meta.helm.sh/release-name": "db", "meta.helm.sh/release-namespace": "shop",
    }}});
    let release = json!({
        "metadata": {"finalizers": ["finalizer.managedresource.crossplane.io"]},
        "spec": {"forProvider": {"namespace": "shop", "chart": {"name": "db"}}, "providerConfigRef": {"name": "own"}},
    });
    objects.extend([
        definition("disks", GROUP, "Disk", "managed"),
        definition("providerconfigs", GROUP, "ProviderConfig", "crossplane"),
        definition("releases", "helm.crossplane.io", "Release", "managed"),
        definition("providerconfigs", "helm.crossplane.io", "ProviderConfig", "crossplane"),
        config(&format!("{GROUP}/v1"), "default", inside()),
        config(kubernetes, "own", inside()),
        config(kubernetes, "other", kubeconfig),
        config("helm.crossplane.io/v1", "own", inside()),
        object("v1", "Secret", "kubeconfig", json!({"metadata": {"namespace": "default"}, "stringData": {"k": "x"}})),
        namespace(),
        object(
            "v1",
            "PersistentVolumeClaim",
            "disk",
            json!({
                "metadata": {"namespace": "shop"},
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
            }),
        ),
        managed("Disk", "data", json!({"spec": {"deletionPolicy": "Orphan"}})),
        managed("Disk", "released", released),
        managing("namespace", "own", namespace(), json!({})),
        managing("kept", "own", namespace(), json!({"spec": {"managementPolicies": ["Observe", "Create", "Update"]}})),
        managing("observed", "own", disk(), json!({"spec": {"managementPolicies": ["Observe"]}})),
        managing("disk", "own", disk(), json!({})),
        managing("elsewhere", "other", namespace(), json!({})),
        managing("settings", "other", settings, json!({})),
        object("helm.crossplane.io/v1", "Release", "db", release),
    ]);
    support::run(async || load::load_objects(&cluster.client(), objects).await).unwrap();
    let teardown = |target: &str| run(ucp_on(&cluster, ["teardown", target, "-o", "json"]));
    let object = |name: &str| teardown(&format!("objects.kubernetes.crossplane.io/{name}"));
    let document = object("namespace").json();
    assert_eq!((fate(&document, "shop"), fate(&document, "disk")), ("removed", "removed"), "{document:#}");
    let whole = teardown("namespace/shop").json();
    for item in whole["items"].as_array().unwrap() {
        assert!(document["items"].as_array().unwrap().contains(item), "{item:#} {document:#}");
    }
    let document = object("disk").expect(1).json();
    assert_eq!((fate(&document, "disk"), fate(&document, "data")), ("deleted", "orphaned"), "{document:#}");
    for (name, expected, code) in
        [("kept", "orphaned", 1), ("observed", "left", 0), ("elsewhere", "unknown", 4), ("settings", "deleted", 0)]
    {
        let ran = object(name).expect(code);
        assert_eq!(fate(&ran.json(), name), expected, "{ran:?}");
        assert_eq!(ran.json()["items"].as_array().unwrap().len(), 1, "{ran:?}");
    }
    let document = teardown("releases.helm.crossplane.io/db").expect(4).json();
    assert_eq!((fate(&document, "db"), fate(&document, "released")), ("unknown", "deleted"), "{document:#}");
    // It would be created again.
    let document = teardown(&format!("disks.{GROUP}/data")).json();
    assert!(codes(&document).contains(&"UCP910"), "{document:#}");
    let text = document["findings"].to_string();
    assert!(text.contains("object.kubernetes.crossplane.io/disk creates it again"), "{document:#}");
}
