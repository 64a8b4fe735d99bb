//! A kind that discovery omits for a moment: `plan` must not answer that nothing is removed.

use serde_json::{Value, json};

use super::{Repository, application, create, names};
use crate::failing_reads::rules;
use crate::support::command::{Ran, run, ucp};
use crate::support::proxy::Proxy;
use crate::support::{self, Options};

const LIST: &str = "/apis/plan.example.org/v1/namespaces/quotes/widgets";

fn definition() -> Value {
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.plan.example.org"},
        "spec": {"group": "plan.example.org", "scope": "Namespaced", "names": {"kind": "Widget", "plural": "widgets"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}]},
    })
}

fn widget(name: &str, size: u32) -> String {
    format!(
        "apiVersion: plan.example.org/v1\nkind: Widget\nmetadata: {{namespace: quotes, name: {name}}}\nspec: {{size: {size}}}\n"
    )
}

#[test]
fn a_kind_that_discovery_omits_is_not_a_removed_kind() {
    let Some(cluster) = support::start(Options::named("plan-hidden-kind")) else { return };
    let repository =
        Repository::new(&[("widgets/kept.yaml", &widget("kept", 1)), ("widgets/old.yaml", &widget("old", 1))]);
    create(&cluster, vec![definition(), application("widgets", "widgets", json!({}))]);
    cluster.apply(&json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "quotes"}}));
    for name in ["kept", "old"] {
        cluster.apply(&serde_saphyr::from_str::<Value>(&widget(name, 1)).unwrap());
    }
    repository.branch("removal", &[("widgets/kept.yaml", &widget("kept", 1))], &["widgets/old.yaml"]);
    repository.branch("change", &[("widgets/kept.yaml", &widget("kept", 2))], &[]);
    let proxy = Proxy::start(&cluster).unwrap();
    let plan = |head: &str| -> Ran {
        let mut command = ucp(["plan", "--base", "main", "--head", head, "-o", "json"]);
        command.arg(repository.path()).env("KUBECONFIG", proxy.kubeconfig());
        run(command)
    };
    assert_eq!(names(&plan("removal").expect(1).json()), ["remove Widget/old"]);
    assert_eq!(names(&plan("change").expect(1).json()), ["change Widget/kept"]);
    for fault in ["undiscovered", "unlisted"] {
        for head in ["removal", "change"] {
            rules(LIST, fault).into_iter().for_each(|rule| proxy.add(rule));
            let ran = plan(head).expect(4);
            assert!(
                ran.json()["unreadable"].to_string().contains("widgets.plan.example.org"),
                "{head} {fault}: {ran:?}"
            );
            proxy.clear();
        }
    }
}
