//! Plans for external resources, and for objects that need others.

use serde_json::{Value, json};

use super::{Repository, application, apply_manifests, create, document, item, names, plan, stderr, stdout};
use crate::support::{self, Options};

/// A managed resource whose CRD declares immutable fields, and a composite with its claim.
pub(super) fn platform_crds() -> Vec<Value> {
    let crd = |kind: &str, scope: &str, category: &str, spec: Value| {
        let plural = format!("{}s", kind.to_lowercase());
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.plan.example.org")},
            "spec": {
                "group": "plan.example.org", "scope": scope,
                "names": {"kind": kind, "plural": plural, "singular": kind.to_lowercase(), "categories": [category]},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                    "type": "object", "properties": {"spec": spec},
                }}}],
            },
        })
    };
    let free = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let bucket = json!({"type": "object", "properties": {
        "deletionPolicy": {"type": "string"},
        "managementPolicies": {"type": "array", "items": {"type": "string"}},
        "forProvider": {"type": "object", "properties": {
            "location": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "location stays"}]},
            "storageClass": {"type": "string", "description": "The class. Changing this forces a new resource to be created."},
            "size": {"type": "integer", "maximum": 10},
            "password": {"type": "string"},
        }},
    }});
    vec![
        crd("Bucket", "Cluster", "managed", bucket),
        crd("XStore", "Cluster", "composite", free.clone()),
        crd("Store", "Namespaced", "claim", free.clone()),
        crd("ProviderConfig", "Cluster", "crossplane", free),
    ]
}

fn bucket(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: plan.example.org/v1\nkind: Bucket\nmetadata: {{name: {name}, annotations: {{crossplane.io/external-name: ext-{name}}}}}\nspec: {spec}\n---\n"
    )
}

pub(super) fn buckets(entries: &[(&str, &str)]) -> String {
    entries.iter().map(|(name, spec)| bucket(name, spec)).collect()
}

pub(super) const CLAIM: &str = "apiVersion: plan.example.org/v1\nkind: Store\nmetadata: {name: shop, namespace: quotes}\nspec: {size: small, resourceRef: {apiVersion: plan.example.org/v1, kind: XStore, name: shop-x}}\n";

#[test]
fn a_plan_lists_the_changes_to_external_resources() {
    let Some(cluster) = support::start(Options::named("plan-outside")) else { return };
    let before = buckets(&[
        ("size", "{forProvider: {size: 1}}"),
        ("located", "{forProvider: {location: EU}}"),
        ("classed", "{forProvider: {storageClass: A}}"),
        ("observed", "{managementPolicies: [Observe], forProvider: {size: 1}}"),
        ("too-big", "{forProvider: {size: 1}}"),
        ("deleted", "{forProvider: {size: 1}}"),
        ("orphaned", "{deletionPolicy: Orphan, forProvider: {size: 1}}"),
        ("used", "{forProvider: {size: 1}}"),
        ("sized", "{forProvider: {size: 1, password: canary-old}}"),
    ]);
    let after = buckets(&[
        ("size", "{forProvider: {size: 2}}"),
        ("located", "{forProvider: {location: US}}"),
        ("classed", "{forProvider: {storageClass: B}}"),
        ("observed", "{managementPolicies: [Observe], forProvider: {size: 2}}"),
        ("too-big", "{forProvider: {size: 11}}"),
        ("sized", "{forProvider: {size: 1, password: canary-new}}"),
        ("made", "{forProvider: {size: 3}}"),
    ]);
    let repository = Repository::new(&[("infra/buckets.yaml", &before), ("infra/claim.yaml", CLAIM)]);
    let parts = [
        json!({"apiVersion": "plan.example.org/v1", "kind": "XStore", "metadata": {"name": "shop-x"}, "spec": {
            "resourceRefs": [{"apiVersion": "plan.example.org/v1", "kind": "Bucket", "name": "shop-b"}],
        }}),
        json!({"apiVersion": "plan.example.org/v1", "kind": "Bucket", "metadata": {"name": "shop-b"}, "spec": {"forProvider": {"size": 1}}}),
    ];
    let quotes = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "quotes"}});
    create(&cluster, [platform_crds(), vec![quotes, application("infra", "infra", json!({}))]].concat());
    create(&cluster, [platform_crds(), parts.to_vec()].concat());
    apply_manifests(&cluster, &repository.path().join("infra"));
    let used = cluster.kubectl(["label", "bucket/used", "crossplane.io/in-use=true"]).output().unwrap();
    assert!(used.status.success(), "{}", stderr(&used));
    repository.branch("feature", &[("infra/buckets.yaml", &after)], &["infra/claim.yaml"]);

    let output = plan(&cluster, &repository, &["--base", "main", "--head", "feature", "-o", "json"]);
    let (plan_document, code) = document(&output);
    assert_eq!((code, &plan_document["unreadable"]), (1, &json!([])), "{plan_document:#}");
    let outside = |name: &str| {
        let external = &item(&plan_document, "Bucket", name)["external"];
        format!("{} {}", external["name"].as_str().unwrap_or("-"), external["effect"].as_str().unwrap_or("-"))
    };
    assert_eq!(outside("size"), "ext-size update");
    assert_eq!(outside("observed"), "ext-observed keep");
    assert_eq!(outside("deleted"), "ext-deleted delete");
    assert_eq!(outside("orphaned"), "ext-orphaned keep");
    assert_eq!(outside("made"), "ext-made import");
    let immutable = |name: &str| {
        let difference = &item(&plan_document, "Bucket", name)["differences"][0];
        (difference["path"].clone(), difference["external"].clone(), difference["immutable"]["by"].clone())
    };
    assert_eq!(immutable("size"), (json!("spec.forProvider.size"), json!(true), Value::Null));
    assert_eq!(immutable("classed"), (json!("spec.forProvider.storageClass"), json!(true), json!("description")));
    assert_eq!(immutable("located").2, json!("validation"));
    for (name, words) in
        [("located", "location stays"), ("too-big", "less than or equal to 10"), ("used", "a Usage protects it")]
    {
        let rejected = item(&plan_document, "Bucket", name);
        assert_eq!(rejected["check"], json!("rejected"));
        assert!(rejected["message"].as_str().unwrap().contains(words), "{rejected:#}");
    }
    let claim = item(&plan_document, "Store", "shop");
    assert_eq!(claim["action"], json!("remove"));
    let part = claim["composed"].as_array().unwrap().iter().find(|part| part["object"]["name"] == "shop-b").unwrap();
    assert_eq!(part["external"]["effect"], json!("delete"));
    assert!(!stdout(&output).contains("canary"));
    // Deletions are last.
    let order = names(&plan_document);
    let first_removal = order.iter().position(|name| name.starts_with("remove")).unwrap();
    assert!(order[first_removal..].iter().all(|name| name.starts_with("remove")), "{order:?}");
    let markdown = stdout(&plan(&cluster, &repository, &["--base", "main", "--head", "feature", "-o", "markdown"]));
    assert!(markdown.contains("outside, ext-deleted would be deleted") && markdown.contains("<details"), "{markdown}");
}

#[test]
fn objects_that_need_new_objects_are_ordered_and_unchecked() {
    let Some(cluster) = support::start(Options::named("plan-new")) else { return };
    let crd = serde_json::to_string(&platform_crds()[0]).unwrap();
    let child = application("child", "child", json!({"destination": {"name": "in-cluster", "namespace": "fresh"}}));
    let repository = Repository::new(&[("apps/empty.yaml", "# nothing yet\n")]);
    create(
        &cluster,
        vec![application("parent", "apps", json!({"destination": {"name": "in-cluster", "namespace": "argocd"}}))],
    );
    repository.branch(
        "feature",
        &[
            ("apps/child.yaml", &child.to_string()),
            ("child/crd.yaml", &crd),
            ("child/bucket.yaml", &bucket("new", "{forProvider: {size: 1}}")),
            ("child/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: b}\n"),
            ("child/namespace.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: fresh}\n"),
        ],
        &[],
    );
    let (plan_document, code) =
        document(&plan(&cluster, &repository, &["--base", "main", "--head", "feature", "-o", "json"]));
    assert_eq!((code, &plan_document["unreadable"]), (1, &json!([])));
    assert_eq!(
        names(&plan_document),
        [
            "add Namespace/fresh",
            "add CustomResourceDefinition/buckets.plan.example.org",
            "add ConfigMap/m",
            "add Application/child",
            "add Bucket/new",
        ]
    );
    let check = |kind: &str, name: &str| item(&plan_document, kind, name)["check"].clone();
    assert_eq!(check("Bucket", "new"), json!("unchecked"));
    assert_eq!(check("ConfigMap", "m"), json!("unchecked"));
    assert_eq!(item(&plan_document, "ConfigMap", "m")["object"]["namespace"], json!("fresh"));
    assert_eq!(check("Application", "child"), json!("accepted"));
}
