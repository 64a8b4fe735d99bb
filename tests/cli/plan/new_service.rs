//! The files of `new service`, planned against the cluster to which they are deployed.

use std::process::Command;

use serde_json::json;

use super::{Repository, application, create, document, names, plan};
use crate::support::{self, Options};

/// An Application of Applications, and one service.
fn repository() -> Repository {
    let app = application("quotes", "quotes/overlays/prod", json!({}));
    Repository::new(&[
        ("apps/quotes.yaml", &app.to_string()),
        (
            "quotes/base/kustomization.yaml",
            "resources: [deployment.yaml]\nconfigMapGenerator:\n- name: quotes\n  literals: [a=b]\n",
        ),
        (
            "quotes/base/deployment.yaml",
            &json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "quotes"}, "spec": {
                "selector": {"matchLabels": {"app": "quotes"}},
                "template": {"metadata": {"labels": {"app": "quotes"}}, "spec": {"containers": [{
                    "name": "quotes", "image": "r/quotes", "envFrom": [{"configMapRef": {"name": "quotes"}}]}]}},
            }})
            .to_string(),
        ),
        (
            "quotes/overlays/prod/kustomization.yaml",
            "resources: [../../base]\nimages:\n- name: r/quotes\n  newTag: v1\n",
        ),
    ])
}

#[test]
fn the_plan_for_a_new_service_only_adds_its_objects() {
    let Some(cluster) = support::start(Options::named("plan-new-service")) else { return };
    let repository = repository();
    let apps = [application("root", "apps", json!({})), application("quotes", "quotes/overlays/prod", json!({}))];
    create(&cluster, apps.to_vec());
    assert!(cluster.kubectl(["create", "namespace", "quotes"]).status().unwrap().success());
    repository.git(&["switch", "--quiet", "--create", "orders"]);
    let mut ucp = Command::new(crate::support::command::program());
    ucp.args(["new", "service", "orders", "--like", "quotes", "--yes", "-C"]).arg(repository.path());
    let output = ucp.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    repository.commit(&[]);
    let (plan, code) = document(&plan(&cluster, &repository, &["--base", "main", "--head", "orders", "-o", "json"]));
    assert_eq!((code, &plan["unreadable"]), (1, &json!([])), "{plan:#}");
    let mut names = names(&plan);
    names.sort();
    let config = names.iter().find(|name| name.starts_with("add ConfigMap/orders-")).cloned().unwrap_or_default();
    assert_eq!(names, ["add Application/orders", config.as_str(), "add Deployment/orders"], "{plan:#}");
}
