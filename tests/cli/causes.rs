//! Causes: small states in which a hasty conclusion would be wrong.

use serde_json::{Value, json};

use crate::support::command::{run, run_with_input, ucp, ucp_from};

/// `status` of some objects, as JSON.
fn status(objects: &[Value]) -> Value {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
    run_with_input(ucp(["status", "--from", "-", "-o", "json"]), list.to_string()).expect(0).json()
}

/// Code, object and blocked objects of every finding.
fn findings(objects: &[Value]) -> Vec<(String, String, Vec<String>)> {
    let name = |object: &Value| object["name"].as_str().unwrap().to_owned();
    let names = |list: &Value| list.as_array().into_iter().flatten().map(name).collect();
    let findings = status(objects)["findings"].take();
    let row = |finding: &Value| {
        (finding["code"].as_str().unwrap().to_owned(), name(&finding["object"]), names(&finding["holdsUp"]))
    };
    findings.as_array().unwrap().iter().map(row).collect()
}

fn finding(code: &str, object: &str, holds_up: &[&str]) -> (String, String, Vec<String>) {
    (code.to_owned(), object.to_owned(), holds_up.iter().map(|name| (*name).to_owned()).collect())
}

/// A healthy object, so that the snapshot speaks of this moment.
fn now() -> Value {
    json!({
        "apiVersion": "example.org/v1", "kind": "Clock", "metadata": {"name": "clock"},
        "spec": {"forProvider": {}},
        "status": {"conditions": [
            condition("Ready", "True", "Available", "12:00:00", ""),
            condition("Synced", "True", "ReconcileSuccess", "12:00:00", ""),
        ]},
    })
}

fn condition(kind: &str, status: &str, reason: &str, since: &str, message: &str) -> Value {
    json!({
        "type": kind, "status": status, "reason": reason, "message": message,
        "lastTransitionTime": format!("2026-11-20T{since}Z"),
    })
}

fn managed(name: &str, conditions: &[Value]) -> Value {
    json!({
        "apiVersion": "storage.example.org/v1", "kind": "Bucket",
        "metadata": {"name": name, "creationTimestamp": "2026-11-20T09:00:00Z"},
        "spec": {"forProvider": {}, "providerConfigRef": {"name": "absent"}},
        "status": {"conditions": conditions},
    })
}

fn failed(name: &str) -> Value {
    managed(name, &[condition("Synced", "False", "ReconcileError", "10:00:00", "no such project")])
}

fn provider_config(name: &str) -> Value {
    json!({"apiVersion": "example.org/v1", "kind": "ProviderConfig", "metadata": {"name": name}, "spec": {}})
}

fn composite(kind: &str, name: &str, of: (&str, &str, &str)) -> Value {
    json!({
        "apiVersion": "platform.example.org/v1", "kind": kind, "metadata": {"name": name},
        "spec": {"crossplane": {"resourceRefs": [{"apiVersion": of.0, "kind": of.1, "name": of.2}]}},
        "status": {"conditions": [condition("Ready", "False", "Creating", "10:00:00", "Unready resources: x")]},
    })
}

#[test]
fn a_chain_of_composites_has_a_single_cause() {
    let objects = [
        now(),
        provider_config("other"),
        failed("logs"),
        composite("XStore", "store", ("storage.example.org/v1", "Bucket", "logs")),
        composite("XShop", "shop", ("platform.example.org/v1", "XStore", "store")),
    ];
    assert_eq!(findings(&objects), [finding("UCP104", "absent", &["shop", "store", "logs"])]);
}

#[test]
fn nested_apps_of_apps_have_a_single_cause() {
    let application = |name: &str, child: &str| {
        json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
            "metadata": {"name": name, "namespace": "argocd"},
            "status": {
                "reconciledAt": "2026-11-20T12:00:00Z", "sync": {"status": "Synced"},
                "health": {"status": "Degraded", "lastTransitionTime": "2026-11-20T11:00:00Z"},
                "resources": [{"group": "argoproj.io", "kind": "Application", "namespace": "argocd", "name": child}],
            },
        })
    };
    let objects = [application("root", "prod"), application("prod", "shop"), application("shop", "none")];
    assert_eq!(findings(&objects), [finding("UCP201", "shop", &["root", "prod"])]);
    // In a circle, there is no single cause, and no object is omitted.
    let circle = [application("one", "two"), application("two", "one")];
    assert_eq!(findings(&circle), [finding("UCP201", "one", &["two"]), finding("UCP201", "two", &["one"])]);
}

/// A composite with two parts, which reports that something was not found.
fn masked(message: &str) -> Value {
    let part = |name: &str| json!({"apiVersion": "storage.example.org/v1", "kind": "Bucket", "name": name});
    json!({
        "apiVersion": "platform.example.org/v1", "kind": "XStore",
        "metadata": {"name": "store", "creationTimestamp": "2026-11-20T09:00:00Z"},
        "spec": {"compositionRef": {"name": "stores"}, "resourceRefs": [part("good"), part("other")]},
        "status": {"conditions": [
            condition("Synced", "False", "ReconcileError", "10:00:00", message),
            condition("Ready", "False", "Creating", "10:00:00", ""),
        ]},
    })
}

#[test]
fn a_failed_or_missing_part_is_the_cause_of_a_not_found_error() {
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "xstores.platform.example.org", "creationTimestamp": "2026-11-20T09:00:00Z"},
        "spec": {
            "group": "platform.example.org", "scope": "Cluster",
            "names": {"kind": "XStore", "plural": "xstores", "categories": ["composite"]},
            "versions": [{"name": "v1", "served": true, "storage": true}],
        },
        "status": {"conditions": [{"type": "Established", "status": "True"}]},
    });
    let refused = "cannot compose resources: cannot apply composed resource \"gone\": buckets \"gone\" not found";
    let healthy = |name: &str| {
        let mut object = now();
        object["apiVersion"] = json!("storage.example.org/v1");
        object["kind"] = json!("Bucket");
        object["metadata"]["name"] = json!(name);
        object
    };
    let found = findings(&[definition.clone(), masked(refused), healthy("good"), failed("other")]);
    assert_eq!(found, [finding("UCP110", "other", &["store"])]);
    let found = findings(&[definition.clone(), masked(refused), healthy("good"), now()]);
    assert_eq!(found, [finding("UCP120", "other", &["store"])]);
    // With all parts, and with another error, the composite itself reports it.
    for (message, parts) in [(refused, ["good", "other"]), ("cannot compose resources: no", ["good", "elsewhere"])] {
        let objects = [definition.clone(), masked(message), healthy(parts[0]), healthy(parts[1])];
        assert_eq!(findings(&objects), [finding("UCP120", "store", &[])], "{message}");
    }
}

#[test]
fn a_failed_deployed_object_is_the_cause_of_a_degraded_application() {
    let application = |server: &str| {
        json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
            "metadata": {"name": "shop", "namespace": "argocd"},
            "spec": {"destination": {"server": server}},
            "status": {
                "reconciledAt": "2026-11-20T12:00:00Z", "sync": {"status": "Synced"},
                "health": {"status": "Degraded", "lastTransitionTime": "2026-11-20T11:00:00Z"},
                "resources": [
                    {"group": "storage.example.org", "kind": "Bucket", "name": "images"},
                    {"group": "storage.example.org", "kind": "Bucket", "name": "logs"},
                ],
            },
        })
    };
    let well = managed("images", &[condition("Ready", "True", "Available", "10:00:00", "")]);
    let bucket = || failed("logs");
    let config = provider_config("absent");
    let here = [now(), config.clone(), well.clone(), bucket(), application("https://kubernetes.default.svc")];
    assert_eq!(findings(&here), [finding("UCP110", "logs", &["shop"])]);
    // Namesakes in another cluster are other objects.
    let elsewhere = [now(), config, well, bucket(), application("https://10.0.0.1")];
    assert_eq!(findings(&elsewhere), [finding("UCP110", "logs", &[]), finding("UCP201", "shop", &[])]);
}

#[test]
fn an_interrupted_creation_is_not_attributed_to_the_provider_config() {
    let mut interrupted = failed("logs");
    interrupted["metadata"]["annotations"] = json!({"crossplane.io/external-create-pending": "2026-11-20T09:30:00Z"});
    let objects = [now(), provider_config("other"), failed("images"), interrupted];
    assert_eq!(findings(&objects), [finding("UCP104", "absent", &["images"]), finding("UCP112", "logs", &[])]);
}

#[test]
fn a_creation_in_progress_is_not_reported_as_interrupted() {
    let creating = |pending: &str, message: &str| {
        let conditions = [
            condition("Ready", "False", "Creating", "11:59:00", ""),
            condition(
                "Synced",
                if message.is_empty() { "True" } else { "False" },
                "ReconcileError",
                "11:59:00",
                message,
            ),
        ];
        let mut object = managed("logs", &conditions);
        object["metadata"]["annotations"] = json!({"crossplane.io/external-create-pending": pending});
        findings(&[now(), object])
    };
    let given_up = "cannot determine creation result - remove the crossplane.io/external-create-pending annotation if it is safe to proceed";
    let just_now = "2026-11-20T11:59:58Z";
    assert_eq!(creating(just_now, ""), []);
    assert_eq!(creating(just_now, given_up), [finding("UCP112", "logs", &[])]);
    assert_eq!(creating("2026-11-20T09:00:00Z", ""), [finding("UCP112", "logs", &[])]);
}

#[test]
fn three_forms_of_a_pause_are_found_and_the_first_command_only_reads() {
    let synced = [condition("Synced", "False", "ReconcilePaused", "10:00:00", "")];
    let with = |field: &str, value: Value| {
        let mut object = managed("logs", &synced);
        *object.pointer_mut(field).unwrap() = value;
        let finding = status(&[now(), object])["findings"][0].take();
        assert_eq!(finding["code"], "UCP114");
        assert_eq!(finding["since"], "2026-11-20T10:00:00Z");
        assert_eq!(finding["hint"], "kubectl get bucket.storage.example.org/logs -o yaml");
        finding["message"].as_str().unwrap().to_owned()
    };
    let metadata = |paused: &str| json!({"name": "logs", "annotations": {"crossplane.io/paused": paused}});
    let spec = json!({"forProvider": {}, "providerConfigRef": {"name": "x"}, "managementPolicies": []});
    assert_eq!(with("/metadata", metadata("true")), "annotation crossplane.io/paused is set");
    assert_eq!(with("/spec", spec), "spec.managementPolicies is empty");
    assert_eq!(with("/metadata", metadata("false")), "condition Synced has reason ReconcilePaused");
}

#[test]
fn a_change_that_flux_has_not_seen_yet_is_not_stuck() {
    let kustomization = json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
        "metadata": {"name": "apps", "namespace": "flux-system", "generation": 2},
        "spec": {"sourceRef": {"kind": "GitRepository", "name": "apps"}},
        "status": {
            "observedGeneration": 1,
            "conditions": [condition("Ready", "True", "ReconciliationSucceeded", "09:00:00", "Applied revision: main")],
        },
    });
    let status = status(&[now(), kustomization]);
    assert_eq!(status["findings"], json!([]));
    assert_eq!(status["counts"], json!({"Progressing": 1, "OK": 1}));
}

#[test]
fn flux_waits_for_sources_and_dependencies() {
    let flux = |kind: &str, name: &str, spec: Value, ready: Value| {
        let group = match kind {
            "Kustomization" => "kustomize.toolkit.fluxcd.io/v1",
            "HelmRelease" => "helm.toolkit.fluxcd.io/v2",
            _ => "source.toolkit.fluxcd.io/v1",
        };
        json!({
            "apiVersion": group, "kind": kind, "metadata": {"name": name, "namespace": "flux-system"},
            "spec": spec, "status": {"conditions": [ready]},
        })
    };
    let failed = |reason: &str| condition("Ready", "False", reason, "10:00:00", "no");
    let source = |kind: &str, name: &str| json!({"kind": kind, "name": name, "namespace": "flux-system"});
    let objects = [
        now(),
        flux("GitRepository", "git", json!({}), failed("GitOperationFailed")),
        flux("Kustomization", "infra", json!({"sourceRef": source("GitRepository", "git")}), failed("ArtifactFailed")),
        flux("Kustomization", "apps", json!({"dependsOn": [{"name": "infra"}]}), failed("DependencyNotReady")),
        flux("HelmRepository", "charts", json!({}), failed("IndexationFailed")),
        flux(
            "HelmRelease",
            "loki",
            json!({"chart": {"spec": {"sourceRef": {"kind": "HelmRepository", "name": "charts"}}}}),
            failed("SourceNotReady"),
        ),
        flux("OCIRepository", "chart", json!({}), failed("OCIPullFailed")),
        flux("HelmRelease", "tempo", json!({"chartRef": source("OCIRepository", "chart")}), failed("SourceNotReady")),
    ];
    assert_eq!(
        findings(&objects),
        [
            finding("UCP302", "git", &["infra", "apps"]),
            finding("UCP302", "charts", &["loki"]),
            finding("UCP302", "chart", &["tempo"]),
        ]
    );
    // A failure of its own is no dependency's fault.
    let own = [
        now(),
        flux("Kustomization", "infra", json!({}), failed("BuildFailed")),
        flux("Kustomization", "apps", json!({"dependsOn": [{"name": "infra"}]}), failed("PruneFailed")),
    ];
    assert_eq!(findings(&own), [finding("UCP302", "apps", &[]), finding("UCP302", "infra", &[])]);
}

#[test]
fn a_package_of_unknown_health_is_found_after_a_while() {
    let provider = |since: &str| {
        json!({
            "apiVersion": "pkg.crossplane.io/v1", "kind": "Provider", "metadata": {"name": "provider-aws"},
            "spec": {"package": "example.org/provider-aws:v1"},
            "status": {"conditions": [
                condition("Installed", "True", "ActivePackageRevision", "09:00:00", ""),
                condition("Healthy", "Unknown", "UnknownPackageRevisionHealth", since, ""),
            ]},
        })
    };
    assert_eq!(findings(&[now(), provider("11:58:00")]), []);
    assert_eq!(findings(&[now(), provider("10:00:00")]), [finding("UCP102", "provider-aws", &[])]);
}

#[test]
fn a_missing_controller_is_reported_only_if_workloads_were_read() {
    assert_eq!(findings(&[failed("logs")]), [finding("UCP110", "logs", &[])]);
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "shop", "namespace": "shop"}, "spec": {},
    });
    assert_eq!(
        findings(&[failed("logs"), deployment]),
        [finding("UCP110", "logs", &[]), finding("UCP011", "crossplane", &[])]
    );
}

/// Argo CD stores the health of each resource where its settings require it.
#[test]
fn a_degraded_child_is_reported_with_its_own_message() {
    let application = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "shop", "namespace": "argocd"},
        "spec": {"destination": {"server": "https://10.0.0.1"}},
        "status": {
            "reconciledAt": "2026-11-20T12:00:00Z", "sync": {"status": "Synced"},
            "health": {"status": "Degraded", "lastTransitionTime": "2026-11-20T11:00:00Z"},
            "resources": [
                {"kind": "Service", "name": "web", "health": {"status": "Healthy"}},
                {"group": "apps", "kind": "Deployment", "name": "web",
                 "health": {"status": "Degraded", "message": "exceeded its progress deadline"}},
            ],
        },
    });
    let status = status(&[now(), application]);
    let message = status["findings"][0]["message"].as_str().unwrap();
    assert_eq!(message, "health is Degraded: Deployment/web is Degraded (exceeded its progress deadline)");
}

#[test]
fn a_finalizer_that_is_not_crossplanes_is_named() {
    let mut deleted = managed("logs", &[condition("Ready", "False", "Deleting", "09:30:00", "")]);
    deleted["metadata"]["deletionTimestamp"] = json!("2026-11-20T09:30:00Z");
    deleted["metadata"]["finalizers"] = json!(["finalizer.managedresource.crossplane.io", "example.org/hold"]);
    let status = status(&[now(), provider_config("absent"), deleted]);
    assert_eq!(status["findings"][0]["code"], "UCP115");
    let message = status["findings"][0]["message"].as_str().unwrap();
    assert_eq!(message, "deleting; held by finalizer example.org/hold, which is not Crossplane's");
}

/// Crossplane's core, which runs.
fn core() -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "crossplane", "namespace": "xp", "labels": {"app.kubernetes.io/part-of": "crossplane"}},
        "spec": {"replicas": 1, "template": {
            "metadata": {"labels": {"app": "crossplane"}},
            "spec": {"serviceAccountName": "core", "containers": [{"name": "main", "image": "xpkg.example.org/crossplane/crossplane:v2.9.0"}]},
        }},
        "status": {"replicas": 1, "readyReplicas": 1},
    })
}

/// A Deployment that a composite composes itself, with the condition of its rollout.
fn composed_deployment(progressing: &str) -> Value {
    let reason = if progressing == "True" { "NewReplicaSetAvailable" } else { "ProgressDeadlineExceeded" };
    let ready = i32::from(progressing == "True");
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop", "generation": 1, "creationTimestamp": "2026-11-20T09:00:00Z"},
        "spec": {"replicas": 1},
        "status": {
            "observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "readyReplicas": ready, "availableReplicas": ready,
            "conditions": [condition("Progressing", progressing, reason, "10:00:00", "")],
        },
    })
}

/// The findings about objects of the shop.
fn of_shop(objects: &[Value]) -> Vec<(String, String, Vec<String>)> {
    findings(objects).into_iter().filter(|(_, object, _)| ["web", "shop"].contains(&object.as_str())).collect()
}

#[test]
fn a_composed_workload_that_failed_is_a_cause() {
    let mut shop = composite("XShop", "shop", ("apps/v1", "Deployment", "web"));
    shop["metadata"]["namespace"] = json!("shop");
    assert_eq!(of_shop(&[now(), core(), shop.clone(), composed_deployment("True")]), [finding("UCP121", "shop", &[])]);
    assert_eq!(
        of_shop(&[now(), core(), shop.clone(), composed_deployment("False")]),
        [finding("UCP601", "web", &["shop"])]
    );
    // A pipeline may not look at it.
    let good = [
        condition("Synced", "True", "ReconcileSuccess", "10:00:00", ""),
        condition("Ready", "True", "Available", "10:00:00", ""),
    ];
    shop["status"] = json!({"conditions": good});
    assert_eq!(
        of_shop(&[now(), core(), shop.clone(), composed_deployment("False")]),
        [finding("UCP601", "web", &["shop"])]
    );
    assert_eq!(of_shop(&[now(), core(), shop.clone(), composed_deployment("True")]), []);
    // An error of the composite itself stays visible.
    shop["status"] = json!({"conditions": [condition("Synced", "False", "ReconcileError", "10:00:00", "pipeline step \"a\" is invalid")]});
    let mut codes: Vec<_> =
        of_shop(&[now(), core(), shop, composed_deployment("False")]).into_iter().map(|(code, ..)| code).collect();
    codes.sort();
    assert_eq!(codes, ["UCP120", "UCP601"]);
}

#[test]
fn rights_that_core_does_not_have_are_a_cause() {
    let base = json!({"name": "web", "base": {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress"}});
    let composition = json!({
        "apiVersion": "apiextensions.crossplane.io/v1", "kind": "Composition", "metadata": {"name": "shops"},
        "spec": {"mode": "Pipeline", "pipeline": [{"step": "a", "input": {"kind": "Resources", "resources": [base]}}]},
    });
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "core"},
        "roleRef": {"kind": "ClusterRole", "name": "core"},
        "subjects": [{"kind": "ServiceAccount", "namespace": "xp", "name": "core"}],
    });
    let role = |verbs: &[&str]| {
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "core"},
            "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": verbs}],
        })
    };
    let message = "cannot compose resources: cannot get composed resource: Timeout: failed waiting for *unstructured.Unstructured Informer to sync";
    let mut shop = composite("XShop", "shop", ("apps/v1", "Deployment", "web"));
    shop["metadata"]["creationTimestamp"] = json!("2026-11-19T10:00:00Z");
    shop["spec"]["crossplane"]["compositionRef"] = json!({"name": "shops"});
    shop["status"] = json!({"conditions": [condition("Synced", "False", "ReconcileError", "10:00:00", message)]});
    let found = |rights: &[Value]| {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("hub.json");
        let objects: Vec<_> =
            [now(), core(), composition.clone(), shop.clone()].into_iter().chain(rights.iter().cloned()).collect();
        std::fs::write(&path, json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string()).unwrap();
        let status = run(ucp_from(path.to_str().unwrap(), ["status", "-o", "json"])).expect(0).json();
        let all = status["findings"].as_array().unwrap().clone();
        all.into_iter()
            .filter(|found| ["UCP120", "UCP415"].contains(&found["code"].as_str().unwrap()))
            .collect::<Vec<_>>()
    };
    let doctor = json!("kubectl ucp doctor --only core-rights");
    let missing = found(&[binding.clone(), role(&["get"])]);
    assert_eq!(
        (missing.len(), &missing[0]["code"], &missing[0]["holdsUp"][0]["name"]),
        (1, &json!("UCP415"), &json!("shop")),
        "{missing:#?}"
    );
    assert!(missing[0]["message"].as_str().unwrap().contains("list/watch ingresses.networking.k8s.io"), "{missing:#?}");
    let there = found(&[binding, role(&["*"])]);
    assert_eq!((there.len(), &there[0]["code"]), (1, &json!("UCP120")), "{there:#?}");
    assert_ne!(there[0]["hint"], doctor);
    // Without the roles, the rights are not known.
    let unknown = found(&[]);
    assert_eq!((unknown.len(), &unknown[0]["hint"]), (1, &doctor), "{unknown:#?}");
}
