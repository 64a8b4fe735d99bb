//! Incidents that a person causes with kubectl.

use serde_json::json;

use super::{Files, Incident, config, deploy, is, is_stalled, web};
use crate::flux;
use crate::world::{World, delete, kubectl, namespace, patch};

/// Namespaces with a Deployment that no engine deploys.
const PLAIN: [&str; 6] = ["by-hand", "quota", "priority", "pod-security", "limits", "node-lost"];

pub const INCIDENTS: [Incident; 13] = [
    Incident {
        name: "image changed by hand",
        about: "deployment/web -n by-hand",
        culprits: &[("deployment/web", "image")],
        strike: |world, _| kubectl(&world.hub, "set image deployment/web web=example.org/web:missing -n by-hand"),
        is_broken: |world| is_stalled(world, "deployment/web -n by-hand"),
    },
    Incident {
        name: "quota",
        about: "deployment/web -n quota",
        culprits: &[("resourcequota/pods", "created")],
        strike: |world, _| {
            kubectl(&world.hub, "create quota pods --hard=pods=1 -n quota");
            // No controller counts.
            let counted = json!({"status": {"hard": {"pods": "1"}, "used": {"pods": "1"}}});
            patch(&world.hub, "resourcequota/pods -n quota --subresource=status", &counted);
            std::thread::sleep(super::APART);
            kubectl(&world.hub, "scale deployment/web --replicas=3 -n quota");
        },
        is_broken: |world| is(world, "deployment/web -n quota", "ReplicaFailure", "True"),
    },
    Incident {
        name: "missing priority class",
        about: "deployment/web -n priority",
        culprits: &[("deployment/web", "priorityClassName")],
        strike: |world, _| {
            let change = json!({"spec": {"template": {"spec": {"priorityClassName": "ghost"}}}});
            patch(&world.hub, "deployment/web -n priority", &change);
        },
        is_broken: |world| is_stalled(world, "deployment/web -n priority"),
    },
    Incident {
        name: "stricter Pod Security",
        about: "deployment/web -n pod-security",
        culprits: &[("namespace/pod-security", "label")],
        strike: |world, _| {
            kubectl(&world.hub, "label namespace pod-security pod-security.kubernetes.io/enforce=restricted");
            std::thread::sleep(super::APART);
            kubectl(&world.hub, "rollout restart deployment/web -n pod-security");
        },
        is_broken: |world| is_stalled(world, "deployment/web -n pod-security"),
    },
    Incident {
        name: "limit range",
        about: "deployment/web -n limits",
        culprits: &[("limitrange/small", "created")],
        strike: |world, _| {
            world.hub.apply(&json!({
                "apiVersion": "v1", "kind": "LimitRange", "metadata": {"namespace": "limits", "name": "small"},
                "spec": {"limits": [{"type": "Container", "max": {"memory": "10Mi"}}]},
            }));
            std::thread::sleep(super::APART);
            kubectl(&world.hub, "rollout restart deployment/web -n limits");
        },
        is_broken: |world| is_stalled(world, "deployment/web -n limits"),
    },
    Incident {
        name: "node lost",
        about: "deployment/web -n node-lost",
        culprits: &[("node/worker", "")],
        strike: |world, _| {
            let now = k8s_openapi::jiff::Timestamp::now().to_string();
            let lost = json!({"status": {"conditions": [{
                "type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown",
                "message": "Kubelet stopped posting node status.", "lastTransitionTime": now,
            }]}});
            let text = lost.to_string();
            let mut command =
                world.hub.kubectl(["patch", "node", "worker", "--subresource=status", "--type=merge", "-p", &text]);
            assert!(command.output().unwrap().status.success());
            world.lives("worker", false);
        },
        is_broken: |world| is_stalled(world, "deployment/web -n node-lost"),
    },
    Incident {
        name: "deletion that a finalizer holds",
        about: "namespace/held",
        culprits: &[("namespace/held", "delet"), ("configmap/holder", "")],
        strike: |world, _| delete(&world.hub, "namespace/held"),
        is_broken: |world| is(world, "namespace/held", "NamespaceFinalizersRemaining", "True"),
    },
    Incident {
        name: "deleted namespace",
        about: "kustomization/deleted -n flux-system",
        culprits: &[("namespace/deleted", "")],
        strike: |world, _| kubectl(&world.hub, "delete namespace deleted"),
        is_broken: |world| is(world, "kustomization/deleted -n flux-system", "Ready", "False"),
    },
    Incident {
        name: "webhook without a server",
        about: "kustomization/hooked -n flux-system",
        culprits: &[("validatingwebhookconfiguration/policy", "")],
        strike: |world, _| {
            world.hub.apply(&json!({
                "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
                "metadata": {"name": "policy"},
                "webhooks": [{
                    "name": "check.policy.example.org", "admissionReviewVersions": ["v1"], "sideEffects": "None",
                    "clientConfig": {"service": {"namespace": "default", "name": "nowhere"}}, "failurePolicy": "Fail",
                    "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "hooked"}},
                    "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["*"]}],
                }],
            }));
        },
        is_broken: |world| is(world, "kustomization/hooked -n flux-system", "Ready", "False"),
    },
    Incident {
        name: "definition changed",
        about: "kustomization/widgets -n flux-system",
        culprits: &[("customresourcedefinition/widgets.example.org", "")],
        strike: |world, _| {
            patch(
                &world.hub,
                "crd/widgets.example.org",
                &json!({"spec": {"versions": [version("v1", false), version("v2", true)]}}),
            )
        },
        is_broken: |world| is(world, "kustomization/widgets -n flux-system", "Ready", "False"),
    },
    Incident {
        name: "credentials rotated",
        about: "gitrepository/private -n flux-system",
        culprits: &[("secret/git-login", "password")],
        strike: |world, _| {
            patch(
                &world.hub,
                "secret/git-login -n flux-system",
                &json!({"stringData": {"password": "rotated-too-early"}}),
            )
        },
        is_broken: |world| is(world, "gitrepository/private -n flux-system", "Ready", "False"),
    },
    Incident {
        name: "URL changed by hand",
        about: "gitrepository/moved -n flux-system",
        culprits: &[("gitrepository/moved", "url")],
        strike: |world, _| {
            let url = world.forge.url("nowhere");
            patch(&world.hub, "gitrepository/moved -n flux-system", &json!({"spec": {"url": url}}));
        },
        is_broken: |world| is(world, "gitrepository/moved -n flux-system", "Ready", "False"),
    },
    Incident {
        name: "rights removed",
        about: "kustomization/rights -n flux-system",
        culprits: &[("role/deployer", "rules")],
        strike: |world, _| patch(&world.hub, "role/deployer -n rights", &json!({"rules": []})),
        is_broken: |world| is(world, "kustomization/rights -n flux-system", "Ready", "False"),
    },
];

fn version(name: &str, is_current: bool) -> serde_json::Value {
    json!({"name": name, "served": is_current, "storage": is_current, "schema": {"openAPIV3Schema": {
        "type": "object", "x-kubernetes-preserve-unknown-fields": true,
    }}})
}

pub fn set_up(world: &mut World, files: &mut Files) {
    world.hub.apply(&json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "worker"}}));
    for space in PLAIN {
        world.hub.apply(&namespace(space));
        let more = if space == "node-lost" { json!({"nodeName": "worker"}) } else { json!({}) };
        let mut object = web(space, &more);
        if space == "limits" {
            object["spec"]["template"]["spec"]["containers"][0]["resources"] = json!({"limits": {"memory": "1Gi"}});
        }
        world.hub.apply(&object);
    }
    world.hub.apply(&namespace("held"));
    world.hub.apply(&json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"namespace": "held", "name": "holder", "finalizers": ["example.org/hold"]},
    }));
    for name in ["deleted", "hooked", "rights"] {
        files.set(&format!("{name}/config.yaml"), config(name, "config"));
    }
    deploy(world, "deleted", json!({}));
    deploy(world, "hooked", json!({}));
    deploy(world, "rights", json!({"serviceAccountName": "deployer"}));
    world.hub.apply(&json!({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"namespace": "flux-system", "name": "deployer"}},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"namespace": "rights", "name": "deployer"},
         "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["*"]}]},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"namespace": "rights", "name": "deployer"},
         "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "deployer"},
         "subjects": [{"kind": "ServiceAccount", "namespace": "flux-system", "name": "deployer"}]},
    ]}));
    world.hub.apply(&json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.example.org"},
        "spec": {"group": "example.org", "scope": "Namespaced", "names": {"kind": "Widget", "plural": "widgets"}, "versions": [version("v1", true)]},
    }));
    let widget =
        json!({"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"namespace": "widgets", "name": "one"}});
    files.set("widgets/one.yaml", widget.to_string());
    deploy(world, "widgets", json!({}));
    let private = world.forge.commit("private/x", &[("config.yaml", config("default", "private"))]);
    assert!(!private.is_empty());
    std::fs::write(world.hub.directory().join("repositories/private/password"), "right").unwrap();
    world.hub.apply(&json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "flux-system", "name": "git-login"},
        "stringData": {"username": "git", "password": "right"},
    }));
    let mut repository = flux::repository("private", &world.forge.url("private/x"));
    repository["spec"]["secretRef"] = json!({"name": "git-login"});
    world.hub.apply(&repository);
    world.forge.commit("moved", &[("config.yaml", config("default", "moved"))]);
    world.hub.apply(&flux::repository("moved", &world.forge.url("moved")));
}
