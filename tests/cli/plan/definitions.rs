//! A merge that changes a CRD shows what happens to the objects of its kind.

use serde_json::{Value, json};

use super::{Repository, application, create, document, item, plan, stdout};
use crate::support::{self, Options};

fn gadgets(fields: Value) -> String {
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "gadgets.plan.example.org"},
        "spec": {
            "group": "plan.example.org", "scope": "Namespaced", "names": {"kind": "Gadget", "plural": "gadgets"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": {"type": "object", "properties": fields}},
            }}}],
        },
    });
    definition.to_string()
}

#[test]
fn a_changed_definition_lists_what_happens_to_live_objects() {
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
