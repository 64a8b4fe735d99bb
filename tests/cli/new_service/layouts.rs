//! The layouts of repositories, and the form of a copy in each.

use super::{DEPLOYMENT, files, quotes};
use crate::gitops::Gitops;

#[test]
fn the_layout_of_the_paper_is_copied_byte_for_byte_except_for_the_name() {
    let repository = quotes();
    let before = files(&repository);
    repository
        .new_service(&["orders", "--like", "quotes", "--yes"])
        .exits(0)
        .prints("ConfigMap orders-settings-")
        .prints("the copy keeps https://git.example.org/acme/quotes.git");
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
    // Existing files are unchanged, except for the lists.
    let after = files(&repository);
    let changed: Vec<&str> =
        before.iter().filter(|file| !after.contains(file)).map(|(path, _)| path.as_str()).collect();
    assert_eq!(changed, ["argocd/prod/kustomization.yaml", "argocd/stage/kustomization.yaml"]);
    assert_eq!(after.len(), before.len() + 7);
    // It is a service like any other.
    repository.new_service(&["orders", "--like", "quotes", "--yes"]).exits(0).prints("Nothing to do");
    repository.ucp(["set-image", "stage", "orders=v3", "--yes"]).exits(0);
    repository.ucp(["promote", "stage", "prod", "orders", "--yes"]).exits(0);
    assert!(repository.read("orders/overlays/prod/kustomization.yaml").contains("newTag: \"v3\""));
    assert!(repository.read("quotes/overlays/prod/kustomization.yaml").contains("newTag: \"v1\""));
}

/// A link to a directory and a submodule, which overlays build on.
#[cfg(unix)]
#[test]
fn bases_behind_links_and_in_nested_repositories_are_rendered() {
    let repository = quotes();
    let common = "resources: [map.yaml]\n";
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: common}\n";
    for (directory, suffix) in [("shared/common", "a"), ("vendor/common", "b")] {
        repository.write(&format!("{directory}/kustomization.yaml"), &format!("nameSuffix: -{suffix}\n{common}"));
        repository.write(&format!("{directory}/map.yaml"), map);
    }
    repository.write("vendor/.git", "gitdir: ../.git/modules/vendor\n");
    std::os::unix::fs::symlink("shared", repository.top().join("linked")).unwrap();
    let base = repository.read("quotes/base/kustomization.yaml");
    let more = "resources:\n  - ../../linked/common\n  - ../../vendor/common\n";
    repository.write("quotes/base/kustomization.yaml", &base.replace("resources:\n", more));
    let refused = repository.new_service(&["orders", "--like", "quotes", "--dry-run"]).exits(1);
    for name in ["common-a", "common-b"] {
        refused.prints(&format!("ConfigMap {name} is deployed by both quotes and orders"));
    }
    let printed = format!("{}{}", refused.stdout, refused.stderr);
    assert!(!printed.contains("cannot be rendered"), "{printed}");
}

#[test]
fn an_own_image_is_set_in_every_overlay_and_wherever_its_tag_is_repeated() {
    let repository = quotes();
    let arguments = ["orders", "--like", "quotes", "--image", "ghcr.io/acme/orders:v0.1", "--yes", "-o", "json"];
    let plan = repository.new_service(&arguments).exits(0).json();
    assert_eq!(plan["refused"], serde_json::json!([]));
    let overlay = repository.read("orders/overlays/prod/kustomization.yaml");
    assert!(overlay.contains("- name: ghcr.io/acme/orders # the frontend\n  newTag: \"v0.1\""), "{overlay}");
    assert!(repository.read("orders/base/deployment.yaml").contains("image: ghcr.io/acme/orders:v0.1\n"));
    for (image, words) in [
        ("ghcr.io/acme/b", "has no tag"),
        ("ghcr.io/acme/b:v 1", "not an image tag"),
        ("ghcr.io/acme/b@sha256:12", "not a digest"),
        ("ghcr.io//b:v1", "not an image name"),
    ] {
        repository.new_service(&["b", "--like", "quotes", "--image", image, "--yes"]).exits(2).prints(words);
    }
}

/// If entries of kustomizations replace the name of an image, they still do so in the copy.
#[test]
fn the_digest_and_the_new_name_of_an_image_are_replaced() {
    let repository = quotes();
    for environment in ["prod", "stage"] {
        let file = format!("quotes/overlays/{environment}/kustomization.yaml");
        let overlay = repository.read(&file);
        let (head, rest) = overlay.split_once("replacements:").map(|(head, _)| (head, "")).unwrap();
        let entry = "# the frontend\n  newName: mirror.example.org/acme/quotes";
        repository.write(&file, &format!("{}{rest}", head.replace("# the frontend", entry)));
    }
    let digest = format!("sha256:{}", "0a".repeat(32));
    let typed = format!("ghcr.io/acme/orders@{digest}");
    repository.new_service(&["orders", "--like", "quotes", "--image", &typed, "--yes"]).exits(0);
    let overlay = repository.read("orders/overlays/prod/kustomization.yaml");
    let expected = format!(
        "- name: dagandersen/quote-frontend # the frontend\n  newName: ghcr.io/acme/orders\n  digest: \"{digest}\"\n"
    );
    assert!(overlay.contains(&expected), "{overlay}");
    assert_eq!(repository.kustomize("orders/overlays/prod"), [typed]);
}

/// `app` and `image` are keys, and the names of services.
#[test]
fn a_service_that_is_called_like_a_field_is_copied() {
    for name in ["app", "image", "name"] {
        let deployment = format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\n  labels: {{app: {name}, app.kubernetes.io/name: {name}}}\n\
             spec:\n  selector: {{matchLabels: {{app: {name}}}}}\n  template:\n    metadata: {{labels: {{app: {name}}}}}\n    spec:\n      \
             containers:\n      - name: {name}\n        image: r/server:v1\n        env:\n        - name: POD\n          valueFrom: {{fieldRef: {{fieldPath: metadata.name}}}}\n        envFrom:\n        - configMapRef: {{name: {name}-settings}}\n"
        );
        let settings = format!("image: r/{name}/server\nname: {name}\n");
        let base = format!(
            "resources: [deployment.yaml]\nconfigMapGenerator:\n- name: {name}-settings\n  files: [settings.yaml]\n"
        );
        let patch = "patches:\n- patch: |-\n    - op: add\n      path: /spec/template/spec/containers/0/imagePullPolicy\n      value: Always\n  target: {kind: Deployment}\n";
        let overlay = format!("resources: [../../base]\nimages: [{{name: r/server, newTag: v1}}]\n{patch}");
        let path = |file: &str| format!("services/{name}/{file}");
        let repository = Gitops::with(&[
            (&path("base/kustomization.yaml"), &base),
            (&path("base/deployment.yaml"), &deployment),
            (&path("base/settings.yaml"), &settings),
            (&path("overlays/prod/kustomization.yaml"), &overlay),
            (&path("overlays/stage/kustomization.yaml"), &overlay),
        ]);
        repository.new_service(&["orders", "--like", name, "--yes"]).exits(0);
        let value = |text: &str| text.replace(&format!(": {name}"), ": orders").replace(": orderss/", ": apps/");
        assert_eq!(repository.read("services/orders/base/deployment.yaml"), value(&deployment));
        assert_eq!(repository.read("services/orders/base/settings.yaml"), value(&settings));
        assert_eq!(repository.read("services/orders/overlays/prod/kustomization.yaml"), overlay);
    }
}

/// Files of its own that do not have its name in theirs stay where they are called so, and are found.
#[test]
fn files_of_a_service_with_a_longer_name_are_not_copied() {
    let repository = quotes();
    let deployment = crate::gitops::deployment("quotes-app", "r/quotes-app");
    repository.write("quotes-app/kustomization.yaml", "resources: [deployment.yaml]\n");
    repository.write("quotes-app/deployment.yaml", &deployment);
    let application = repository.read("argocd/prod/prod-quotes.yaml");
    repository.write(
        "argocd/prod/prod-quotes-app.yaml",
        &application.replace("prod-quotes", "prod-quotes-app").replace("./quotes/overlays/prod", "./quotes-app"),
    );
    let own = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: quotes-extra}\n";
    repository.write("quotes/base/quotes-extra.yaml", own);
    let base = repository.read("quotes/base/kustomization.yaml");
    repository
        .write("quotes/base/kustomization.yaml", &base.replace("resources:\n", "resources:\n  - quotes-extra.yaml\n"));
    repository.new_service(&["orders", "--like", "quotes", "--yes"]).exits(0);
    assert!(!repository.top().join("orders-app").exists());
    assert!(!repository.top().join("argocd/prod/prod-orders-app.yaml").exists());
    assert_eq!(repository.read("orders/base/quotes-extra.yaml"), own.replace("quotes", "orders"));
}

#[test]
fn an_omitted_environment_gets_no_files() {
    let repository = quotes();
    repository.new_service(&["orders", "--like", "quotes", "--environments", "stage", "--yes"]).exits(0);
    let changed = repository.git(["status", "--porcelain", "--untracked-files=all"]);
    assert!(!changed.contains("prod"), "{changed}");
    assert_eq!(changed.lines().count(), 6, "{changed}");
    // And later files are added to it.
    repository.new_service(&["orders", "--like", "quotes", "--yes"]).exits(0);
    assert!(repository.read("argocd/prod/kustomization.yaml").contains("prod-orders.yaml"));
    repository
        .new_service(&["b", "--like", "quotes", "--environments", "stge"])
        .exits(2)
        .prints("did you mean 'stage'");
}

#[test]
fn flux_kustomizations_are_copied_within_their_file() {
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
    repository.new_service(&arguments).exits(0).prints("nothing was rendered");
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
