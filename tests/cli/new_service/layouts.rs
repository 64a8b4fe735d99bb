//! The layouts of repositories, and what a copy is in each.

use super::{DEPLOYMENT, files, quotes};
use crate::gitops::Gitops;

#[test]
fn the_layout_of_the_paper_is_copied_byte_for_byte_but_for_the_name() {
    let repository = quotes();
    let before = files(&repository);
    repository
        .new_service(&["orders", "--like", "quotes", "--yes"])
        .exits(0)
        .says("ConfigMap orders-settings-")
        .says("the copy keeps https://git.example.org/acme/quotes.git");
    assert_eq!(
        repository.read("orders/base/deployment.yaml"),
        DEPLOYMENT
            .replace("quotes-settings", "orders-settings")
            .replace(": quotes", ": orders")
            .replace("# quotes,", "# orders,")
    );
    let service = repository.read("quotes/base/service.yaml");
    assert_eq!(
        repository.read("orders/base/service.yaml"),
        service.replace("quotes", "orders"),
        "CRLF and quotes stay"
    );
    for environment in ["prod", "stage"] {
        let overlay = format!("quotes/overlays/{environment}/kustomization.yaml");
        assert_eq!(
            repository.read(&overlay.replace("quotes", "orders")),
            repository.read(&overlay).replace("quotes", "orders")
        );
        let application = repository.read(&format!("argocd/{environment}/{environment}-orders.yaml"));
        assert!(
            application.contains("acme/quotes.git")
                && application.contains(&format!("./orders/overlays/{environment}"))
        );
        assert!(application.ends_with("namespace: default"), "no line break is added");
        assert_eq!(
            repository.read(&format!("argocd/{environment}/kustomization.yaml")),
            format!(
                "resources:\n- {environment}-echo.yaml\n- {environment}-orders.yaml\n- {environment}-quotes.yaml\n"
            )
        );
    }
    // What was there is as it was, but for the lists.
    let after = files(&repository);
    let changed: Vec<&str> =
        before.iter().filter(|file| !after.contains(file)).map(|(path, _)| path.as_str()).collect();
    assert_eq!(changed, ["argocd/prod/kustomization.yaml", "argocd/stage/kustomization.yaml"]);
    assert_eq!(after.len(), before.len() + 7);
    // It is a service like any other.
    repository.new_service(&["orders", "--like", "quotes", "--yes"]).exits(0).says("Nothing to do");
    repository.ucp(["set-image", "stage", "orders=v3", "--yes"]).exits(0);
    repository.ucp(["promote", "stage", "prod", "orders", "--yes"]).exits(0);
    assert!(repository.read("orders/overlays/prod/kustomization.yaml").contains("newTag: \"v3\""));
    assert!(repository.read("quotes/overlays/prod/kustomization.yaml").contains("newTag: \"v1\""));
}

#[test]
fn an_image_of_its_own_stands_in_every_overlay_and_what_repeats_its_tag_follows() {
    let repository = quotes();
    let arguments = ["orders", "--like", "quotes", "--image", "ghcr.io/acme/orders:v0.1", "--yes", "-o", "json"];
    let plan = repository.new_service(&arguments).exits(0).json();
    assert_eq!(plan["refused"], serde_json::json!([]));
    let overlay = repository.read("orders/overlays/prod/kustomization.yaml");
    assert!(overlay.contains("- name: ghcr.io/acme/orders # the frontend\n  newTag: \"v0.1\""), "{overlay}");
    assert!(repository.read("orders/base/deployment.yaml").contains("image: ghcr.io/acme/orders:v0.1\n"));
    repository
        .new_service(&["b", "--like", "quotes", "--image", "ghcr.io/acme/b", "--yes"])
        .exits(2)
        .says("has no tag");
}

#[test]
fn an_environment_that_is_left_out_gets_nothing() {
    let repository = quotes();
    repository.new_service(&["orders", "--like", "quotes", "--environments", "stage", "--yes"]).exits(0);
    let changed = repository.git(["status", "--porcelain", "--untracked-files=all"]);
    assert!(!changed.contains("prod"), "{changed}");
    assert_eq!(changed.lines().count(), 6, "{changed}");
    // And what comes later is added to it.
    repository.new_service(&["orders", "--like", "quotes", "--yes"]).exits(0);
    assert!(repository.read("argocd/prod/kustomization.yaml").contains("prod-orders.yaml"));
    repository.new_service(&["b", "--like", "quotes", "--environments", "stge"]).exits(2).says("did you mean 'stage'");
}

#[test]
fn flux_kustomizations_are_copied_where_they_stand() {
    let kustomization = |name: &str, environment: &str, more: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: {name}\n  namespace: flux-system\n\
             spec:\n  path: ./apps/{name}/overlays/{environment}\n  sourceRef: {{kind: GitRepository, name: flux-system}}\n{more}"
        )
    };
    let cluster = |environment: &str| {
        let quotes = kustomization("quotes", environment, "");
        let web = kustomization("web", environment, "  dependsOn:\n  - name: quotes\n");
        format!("{quotes}---\n{web}")
    };
    let base = |name: &str| crate::gitops::deployment(name, "ghcr.io/acme/app");
    let overlay = "resources: [../../base]\nimages: [{name: ghcr.io/acme/app, newTag: v1}]\n";
    let repository = Gitops::with(&[
        ("apps/quotes/base/kustomization.yaml", "resources: [deployment.yaml]\n"),
        ("apps/quotes/base/deployment.yaml", &base("quotes")),
        ("apps/quotes/overlays/prod/kustomization.yaml", overlay),
        ("apps/quotes/overlays/stage/kustomization.yaml", overlay),
        ("apps/web/base/kustomization.yaml", "resources: [deployment.yaml]\n"),
        ("apps/web/base/deployment.yaml", &base("web")),
        ("apps/web/overlays/prod/kustomization.yaml", overlay),
        ("apps/web/overlays/stage/kustomization.yaml", overlay),
        ("clusters/prod/apps.yaml", &cluster("prod")),
        ("clusters/stage/apps.yaml", &cluster("stage")),
    ]);
    let prod = repository.read("clusters/prod/apps.yaml");
    repository.new_service(&["orders", "--like", "quotes", "--environments", "stage", "--yes"]).exits(0);
    assert_eq!(repository.read("clusters/prod/apps.yaml"), prod);
    let (quotes, web) =
        (kustomization("quotes", "stage", ""), kustomization("web", "stage", "  dependsOn:\n  - name: quotes\n"));
    let orders = quotes.replace("quotes", "orders");
    assert_eq!(repository.read("clusters/stage/apps.yaml"), format!("{quotes}---\n{orders}---\n{web}"));
    assert_eq!(repository.read("apps/orders/overlays/stage/kustomization.yaml"), overlay);
    repository.ucp(["set-image", "stage", "orders=v2", "--yes"]).exits(0);
}

#[test]
fn values_and_the_elements_of_an_application_set_are_copied() {
    let set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: services}\nspec:\n  generators:\n  - list:\n      \
               elements:\n      - service: quotes # first\n        env: prod\n      - service: quotes\n        env: stage\n      - service: web\n        \
               env: prod\n";
    let values = "image:\n  repository: ghcr.io/acme/quotes\n  tag: v1 # set by CI\nhost: quotes.example.org\n";
    let repository = Gitops::with(&[
        ("applicationset.yaml", set),
        ("services/quotes/values.yaml", "replicas: 1\nname: quotes\n"),
        ("services/quotes/values-prod.yaml", values),
        ("services/quotes/values-stage.yaml", values),
        ("services/web/values.yaml", "name: web\n"),
        ("services/web/values-prod.yaml", &values.replace("quotes", "web")),
        ("services/web/values-stage.yaml", &values.replace("quotes", "web")),
        (
            "umbrella/values.yaml",
            "services:\n    # sorted\n    quotes:\n        enabled: true\n\n    web: {enabled: true}\n",
        ),
        ("CODEOWNERS", "/services/quotes/ @quotes-team\n/services/web/ @web\n"),
    ]);
    let arguments =
        ["orders", "--like", "quotes", "--image", "ghcr.io/acme/orders:v9", "--environments", "prod", "--yes"];
    repository.new_service(&arguments).exits(0).says("nothing was rendered");
    let element = "      - service: quotes # first\n        env: prod\n";
    assert_eq!(
        repository.read("applicationset.yaml"),
        set.replace(element, &format!("{element}{}", element.replace("quotes", "orders")))
    );
    assert_eq!(
        repository.read("services/orders/values-prod.yaml"),
        "image:\n  repository: ghcr.io/acme/orders\n  tag: v9 # set by CI\nhost: orders.example.org\n"
    );
    assert!(!repository.top().join("services/orders/values-stage.yaml").exists());
    assert_eq!(
        repository.read("umbrella/values.yaml"),
        "services:\n    # sorted\n    orders:\n        enabled: true\n    quotes:\n        enabled: true\n\n    web: {enabled: true}\n"
    );
    assert!(repository.read("CODEOWNERS").contains("/services/orders/ @quotes-team\n/services/web/"));
    repository.ucp(["set-image", "prod", "orders=v10", "--yes"]).exits(0);
    assert!(repository.read("services/orders/values-prod.yaml").contains("tag: v10 # set by CI"));
}
