//! Applications whose manifests are rendered into a branch: the merge changes the source of these manifests.

use serde_json::json;

use super::{Repository, URL, application, create, document, item, plan};
use crate::support::{self, Options};

#[test]
fn the_dry_source_of_an_application_is_rendered() {
    let Some(cluster) = support::start(Options::named("plan-hydrated")) else { return };
    let hydrated = |name: &str, more: serde_json::Value| {
        let mut settings = json!({
            "drySource": {"repoURL": URL, "path": name, "targetRevision": "HEAD", "kustomize": {"namePrefix": "my-"}},
            "syncSource": {"targetBranch": "environments/prod", "path": name},
        });
        settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let mut object = application(name, name, json!({"sourceHydrator": settings}));
        object["spec"].as_object_mut().unwrap().remove("source");
        object
    };
    let staged = json!({"hydrateTo": {"targetBranch": "environments/prod-next"}});
    create(&cluster, vec![hydrated("direct", json!({})), hydrated("staged", staged)]);
    let map = |name: &str, value: &str| {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": value}}).to_string()
    };
    let kustomization = "resources: [all.yaml]\nnamespace: default\n";
    let repository = Repository::new(&[
        ("direct/kustomization.yaml", kustomization),
        ("staged/kustomization.yaml", kustomization),
        ("direct/all.yaml", &map("direct", "1")),
        ("staged/all.yaml", &map("staged", "1")),
        ("README.md", "text\n"),
    ]);
    let planned = |branch: &str, files: &[(&str, &str)]| {
        repository.branch(branch, files, &[]);
        document(&plan(&cluster, &repository, &["--base=main", "--head", branch, "-o=json"]))
    };
    let (same, code) = planned("readme", &[("README.md", "other\n")]);
    assert!(!same.to_string().contains("hydrateTo") && code == 0, "{same:#}");
    let (direct, code) = planned("direct", &[("direct/all.yaml", &map("direct", "2"))]);
    assert!(item(&direct, "ConfigMap", "my-direct").to_string().contains("\"2\"") && code == 1, "{direct:#}");
    let (staged, code) = planned("staged", &[("staged/all.yaml", &map("staged", "2"))]);
    assert_eq!((&staged["items"], code), (&json!([]), 0), "{staged:#}");
    assert!(staged["remarks"].to_string().contains("hydrateTo"), "{staged:#}");
}
