//! The first lines of a plan: equal changes as one, destroyed resources on top, and consequences to act on.

use serde_json::{Value, json};

use super::outside::{buckets, platform_crds};
use super::{Repository, application, apply_manifests, create, document, plan, stdout};
use crate::support::{self, Cluster, Options};

fn deployments(tag: &str) -> String {
    let one = |number: usize| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web-{number}, namespace: default}}\nspec:\n  \
             selector: {{matchLabels: {{app: web-{number}}}}}\n  template:\n    metadata: {{labels: {{app: web-{number}}}}}\n    \
             spec: {{containers: [{{name: app, image: 'web:{tag}'}}]}}\n---\n"
        )
    };
    (0..12).map(one).collect()
}

const CLAIM: &str =
    "apiVersion: plan.example.org/v1\nkind: Store\nmetadata: {name: shop, namespace: default}\nspec: {size: small}\n";

fn start() -> Option<(Cluster, Repository)> {
    let cluster = support::start(Options::named("plan-readable"))?;
    let before = buckets(&[("kept", "{forProvider: {size: 1}}"), ("gone", "{forProvider: {size: 1}}")]);
    let repository = Repository::new(&[
        ("infra/buckets.yaml", &before),
        ("infra/deployments.yaml", &deployments("v1")),
        ("infra/claim.yaml", CLAIM),
    ]);
    create(&cluster, [platform_crds(), vec![application("infra", "infra", json!({}))]].concat());
    apply_manifests(&cluster, &repository.path().join("infra"));
    let branch = |name: &str, files: &[(&str, &str)]| repository.branch(name, files, &[]);
    let size = buckets(&[("kept", "{forProvider: {size: 2}}"), ("gone", "{forProvider: {size: 1}}")]);
    let deleted = buckets(&[("kept", "{forProvider: {size: 2}}")]);
    let refused = buckets(&[("kept", "{forProvider: {size: 11}}"), ("gone", "{forProvider: {size: 1}}")]);
    branch("images", &[("infra/deployments.yaml", &deployments("v2"))]);
    branch("size", &[("infra/buckets.yaml", &size)]);
    branch("deleted", &[("infra/buckets.yaml", &deleted), ("infra/deployments.yaml", &deployments("v2"))]);
    branch("refused", &[("infra/buckets.yaml", &refused)]);
    branch("claim", &[("infra/claim.yaml", &CLAIM.replace("small", "large"))]);
    Some((cluster, repository))
}

#[test]
fn consequences_are_shown_first_and_can_set_the_exit_code() {
    let Some((cluster, repository)) = start() else { return };
    let run = |branch: &str, more: &[&str]| {
        plan(&cluster, &repository, &[&["--base", "main", "--head", branch][..], more].concat())
    };
    let text = stdout(&run("deleted", &[]));
    let place = |word: &str| text.find(word).unwrap_or_else(|| panic!("{word}: {text}"));
    let order = [
        "- remove bucket.plan.example.org/gone",
        "~ change bucket.plan.example.org/kept",
        "~ change 12 deployments.apps",
    ];
    assert!(order.map(place).is_sorted(), "{text}");
    assert!(text.contains(".image: web:v1 → web:v2") && text.contains("default/web-11"), "{text}");
    let markdown = stdout(&run("deleted", &["-o", "markdown"]));
    assert!(markdown.contains("| change | 12 deployments.apps: default/web-0, "), "{markdown}");
    let (whole, _) = document(&run("deleted", &["-o", "json"]));
    assert_eq!(whole["items"].as_array().unwrap().len(), 14, "the document has every object");
    assert_eq!(whole["consequences"], json!({"destruction": 1, "external": 2, "refusal": 0, "unknown": 0}));

    // Exit codes by consequence.
    let code = |branch: &str, only: &str| run(branch, &["--only", only]).status.code().unwrap();
    let codes = |branch: &str| [code(branch, "destruction"), code(branch, "external"), code(branch, "refusal")];
    assert_eq!(codes("images"), [0, 0, 0]);
    assert_eq!(codes("size"), [0, 1, 0]);
    assert_eq!(codes("deleted"), [1, 1, 0]);
    assert_eq!(codes("refused"), [0, 0, 1]);
    // Without functions, the changes of composed resources are not known.
    assert_eq!(codes("claim"), [4, 4, 4]);
    let only = run("deleted", &["--only", "destruction", "-o", "json"]);
    let (only, _) = document(&only);
    let names: Vec<&Value> = only["items"].as_array().unwrap().iter().map(|item| &item["object"]["name"]).collect();
    assert_eq!((names, &only["hidden"], &only["counts"]["change"]), (vec![&json!("gone")], &json!(13), &json!(13)));
    let text = stdout(&run("images", &["--only", "external"]));
    assert!(text.contains("12 changes without the consequences of --only are not shown."), "{text}");
    let unknown = stdout(&run("claim", &["--only", "external"]));
    assert!(unknown.contains("its Composition is not run") && unknown.contains("Not known: "), "{unknown}");

    // Ignored fields.
    let image = "spec.template.spec.containers[*].image";
    let ignored = run("images", &["--ignore-path", image, "-o", "json"]);
    let (none, code) = document(&ignored);
    assert_eq!((code, &none["items"], &none["counts"]["ignored"]), (0, &json!([]), &json!(12)));
    let (rest, code) = document(&run("deleted", &["--ignore-path", image, "--ignore-path", "spec", "-o", "json"]));
    let names: Vec<&Value> = rest["items"].as_array().unwrap().iter().map(|item| &item["object"]["name"]).collect();
    assert_eq!((code, names), (1, vec![&json!("gone")]), "a deletion is not ignored");
    assert_eq!(run("refused", &["--ignore-path", "spec"]).status.code(), Some(1), "a refusal is not ignored");
}
