//! A merge that changes a CRD lists the effects on the objects of its kind.

use serde_json::{Value, json};

use super::{Repository, application, apply_manifests, create, document, item, plan, stdout};
use crate::support::{self, Options};

fn gadgets(fields: Value) -> String {
    definition(json!([version("v1", true, fields, json!({}))]))
}

fn version(name: &str, is_stored: bool, fields: Value, more: Value) -> Value {
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}});
    let mut version =
        json!({"name": name, "served": true, "storage": is_stored, "schema": {"openAPIV3Schema": schema}});
    more.as_object().unwrap().iter().for_each(|(key, value)| version[key] = value.clone());
    version
}

fn definition(versions: Value) -> String {
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "gadgets.plan.example.org"},
        "spec": {
            "group": "plan.example.org", "scope": "Namespaced", "names": {"kind": "Gadget", "plural": "gadgets"},
            "versions": versions,
        },
    });
    definition.to_string()
}

#[test]
fn a_changed_definition_lists_its_effects_on_live_objects() {
    let Some(cluster) = support::start(Options::named("plan-definitions")) else { return };
    let text = json!({"type": "string"});
    let before = gadgets(json!({"size": {"type": "integer"}, "color": text, "mode": text}));
    let after = gadgets(json!({
        "size": {"type": "integer"}, "mode": {"type": "string", "enum": ["on"]}, "zone": {"type": "string", "default": "z"},
    }));
    let repository = Repository::new(&[("infra/crd.yaml", &before)]);
    cluster.apply(&serde_json::from_str(&before).unwrap());
    let gadget = |name: &str, spec: Value| json!({"apiVersion": "plan.example.org/v1", "kind": "Gadget", "metadata": {"name": name, "namespace": "default"}, "spec": spec});
    create(&cluster, vec![application("infra", "infra", json!({}))]);
    let objects =
        [gadget("a", json!({"color": "canary-color"})), gadget("b", json!({"color": "red", "mode": "canary-mode"}))];
    cluster.apply(&json!({"apiVersion": "v1", "kind": "List", "items": objects}));
    repository.branch("feature", &[("infra/crd.yaml", &after)], &[]);
    let arguments = ["--base", "main", "--head", "feature"];
    let (merge, code) = document(&plan(&cluster, &repository, &[&arguments[..], &["-o", "json"]].concat()));
    assert_eq!((code, &merge["unreadable"]), (1, &json!([])));
    assert_eq!(
        item(&merge, "CustomResourceDefinition", "gadgets.plan.example.org")["notes"],
        json!([
            "live objects become invalid, as spec.mode is none of the allowed values: default/b",
            "removes spec.color of live objects: default/a, default/b",
            "sets spec.zone = \"z\" in live objects: default/a, default/b",
        ])
    );
    let table = stdout(&plan(&cluster, &repository, &arguments));
    assert!(table.contains("removes spec.color of live objects: default/a, default/b"), "{table}");
    assert!(!table.contains("canary") && !merge.to_string().contains("canary"), "{table}");
}

/// Manifests that the merge does not change are compared with the new definition, too.
#[test]
fn a_changed_definition_lists_its_effects_on_manifests() {
    let Some(cluster) = support::start(Options::named("plan-definitions-git")) else { return };
    let text = json!({"type": "string"});
    let old = json!({"color": text, "mode": text});
    let new = json!({"mode": {"type": "string", "enum": ["on"]}});
    let served = |fields: &Value, deprecated: Value, withdrawn: Value| {
        definition(json!([
            version("v1", true, fields.clone(), json!({})),
            version("v1beta1", false, fields.clone(), deprecated),
            version("v1alpha1", false, fields.clone(), withdrawn),
        ]))
    };
    let before = served(&old, json!({}), json!({}));
    let warning = json!({"deprecated": true, "deprecationWarning": "use v1"});
    let after = served(&new, warning, json!({"served": false}));
    let gadget = |version: &str, name: &str, spec: Value| {
        json!({
            "apiVersion": format!("plan.example.org/{version}"), "kind": "Gadget",
            "metadata": {"name": name, "namespace": "default"}, "spec": spec,
        })
        .to_string()
    };
    let files = [
        ("infra/crd.yaml", before.clone()),
        ("infra/a.yaml", gadget("v1", "a", json!({"color": "canary-color"}))),
        ("infra/b.yaml", gadget("v1beta1", "b", json!({"mode": "canary-mode"}))),
        ("infra/c.yaml", gadget("v1alpha1", "c", json!({"mode": "on"}))),
        ("infra/d.yaml", gadget("v1", "d", json!({"mode": "on"}))),
    ];
    let repository = Repository::new(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
    cluster.apply(&serde_json::from_str(&before).unwrap());
    create(&cluster, vec![application("infra", "infra", json!({}))]);
    repository.branch("feature", &[("infra/crd.yaml", &after)], &[]);
    let arguments = ["--base", "main", "--head", "feature", "-o", "json"];
    let (merge, code) = document(&plan(&cluster, &repository, &arguments));
    assert_eq!((code, &merge["unreadable"]), (1, &json!([])));
    assert_eq!(
        item(&merge, "CustomResourceDefinition", "gadgets.plan.example.org")["notes"],
        json!([
            "manifests after the merge are invalid, as spec.mode is none of the allowed values: default/b",
            "manifests after the merge have spec.color, which the new schema does not: default/a",
            "manifests after the merge use v1alpha1, which is no longer served: default/c",
            "manifests after the merge use v1beta1, which is deprecated: use v1: default/b",
        ])
    );
    assert!(!merge.to_string().contains("canary"), "{merge:#}");
    // Once they are live, the field manager is named as well.
    apply_manifests(&cluster, &repository.path().join("infra"));
    let (merge, _) = document(&plan(&cluster, &repository, &arguments));
    let notes = item(&merge, "CustomResourceDefinition", "gadgets.plan.example.org")["notes"].to_string();
    for expected in [
        "argocd-controller writes live objects in v1alpha1, which is no longer served: default/c",
        "argocd-controller writes live objects in v1beta1, which is deprecated: use v1: default/b",
        "live objects become invalid, as spec.mode is none of the allowed values: default/b",
    ] {
        assert!(notes.contains(expected), "{expected}: {notes}");
    }
}
