//! References of other services, and objects that are deployed once: none of them change, and nothing is declared twice.

use super::{DEPLOYMENT, quotes};
use crate::gitops::Gitops;

const LIKE: [&str; 3] = ["orders", "--like", "quotes"];

fn refuses(repository: &Gitops, more: &[&str], words: &str) {
    repository.new_service(&[&LIKE[..], more, &["--yes"]].concat()).exits(1).prints(words);
    assert_eq!(repository.git(["status", "--porcelain"]).trim(), "", "nothing was written");
}

fn overlay_in(repository: &Gitops, service: &str, environment: &str) -> String {
    let file = format!("{service}/overlays/{environment}/kustomization.yaml");
    let text = repository.read(&file);
    let text = format!("namespace: {service}-{environment}\n{text}");
    repository.write(&file, &text);
    text
}

/// A quota, a project and a neighbour that is let in name the namespaces of the service; it is deployed into its own.
#[test]
fn a_namespace_is_renamed_although_others_refer_to_it() {
    let repository = quotes();
    for environment in ["prod", "stage"] {
        overlay_in(&repository, "quotes", environment);
    }
    repository.write(
        "platform/quota.yaml",
        "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: quotes-prod}\n---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: all}\nspec: {tls: [{secretName: quotes-tls}]}\n",
    );
    repository.write(
        "platform/project.yaml",
        "apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: shop}\nspec:\n  destinations:\n  - namespace: quotes-prod\n    server: s\n",
    );
    repository.write(
        "quotes/base/cert.yaml",
        "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: quotes-cert}\nspec: {secretName: quotes-tls}\n",
    );
    let base = repository.read("quotes/base/kustomization.yaml");
    repository.write("quotes/base/kustomization.yaml", &base.replace("resources:\n", "resources:\n  - cert.yaml\n"));
    let theirs = repository.read("echo/base/kustomization.yaml");
    repository
        .write("echo/base/kustomization.yaml", &format!("{theirs}\nconfigMapGenerator:\n- name: quotes-settings\n"));
    repository.new_service(&[&LIKE[..], &["--yes"]].concat()).exits(0);
    assert!(repository.read("orders/overlays/prod/kustomization.yaml").starts_with("namespace: orders-prod\n"));
    assert!(repository.read("orders/base/cert.yaml").contains("secretName: orders-tls"));
    assert!(repository.read("orders/base/kustomization.yaml").contains("name: orders-settings"));
    assert!(repository.read("platform/project.yaml").contains("- namespace: orders-prod\n    server: s\n"));
}

/// Nothing renders lists of Applications, so they are compared as they are written.
#[test]
fn an_application_without_the_name_of_the_service_is_not_declared_again() {
    let repository = quotes();
    let application = repository.read("argocd/prod/prod-quotes.yaml");
    let other = application.replace("name: prod-quotes", "name: frontend");
    repository.write("argocd/prod/prod-quotes.yaml", &format!("{application}\n---\n{other}\n"));
    repository.git(["add", "-A"]);
    repository.git(["commit", "-qm", "x"]);
    refuses(&repository, &[], "argocd/prod/prod-quotes.yaml line 15 declares Application frontend");
}

/// A kustomization of the service gives it a namespace of its own.
#[test]
fn objects_in_separate_namespaces_may_have_the_same_name() {
    let repository = quotes();
    for environment in ["prod", "stage"] {
        let text = overlay_in(&repository, "quotes", environment);
        let file = format!("quotes/overlays/{environment}/kustomization.yaml");
        repository.write(&file, &text.replace("- ../../base\n", "- ../../base\n- release.yaml\n"));
        let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: cache}\nspec: {}\n";
        repository.write(&format!("quotes/overlays/{environment}/release.yaml"), release);
    }
    repository.new_service(&[&LIKE[..], &["--yes"]].concat()).exits(0);
}

#[test]
fn a_document_that_is_copied_as_a_whole_is_not_edited_too() {
    let set = |name: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: {name}}}\nspec:\n  generators:\n  - list:\n      elements:\n      \
             - path: {name}/overlays/prod\n        env: prod\n      - path: {name}/overlays/stage\n        env: stage\n"
        )
    };
    let project = |name: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {{name: {name}}}\nspec:\n  destinations:\n  - namespace: {name}\n    server: s\n"
        )
    };
    let repository = quotes();
    let all = |names: &[&str]| names.iter().map(|name| set(name)).collect::<Vec<_>>().join("---\n");
    repository.write("sets/all.yaml", &all(&["quotes", "echo"]));
    repository.write("sets/projects.yaml", &format!("{}---\n{}", project("quotes"), project("echo")));
    repository.new_service(&[&LIKE[..], &["--yes"]].concat()).exits(0);
    assert_eq!(repository.read("sets/all.yaml"), all(&["quotes", "orders", "echo"]));
    let projects = ["quotes", "orders", "echo"].map(project).join("---\n");
    assert_eq!(repository.read("sets/projects.yaml"), projects);
    // The copy of a document omits an environment that was not requested, as the copy of a file does.
    let repository = quotes();
    repository.write("sets/all.yaml", &all(&["quotes", "echo"]));
    repository.new_service(&[&LIKE[..], &["--environments", "stage", "--yes"]].concat()).exits(0);
    let stage = set("orders").replace("      - path: orders/overlays/prod\n        env: prod\n", "");
    assert_eq!(repository.read("sets/all.yaml"), [set("quotes"), stage, set("echo")].join("---\n"));
}

#[test]
fn copying_two_secrets_to_the_same_target_is_refused() {
    let object = "apiVersion: kubernetes.crossplane.io/v1alpha2\nkind: Object\nmetadata: {name: copy-secret}\nspec:\n  references:\n  - patchesFrom: {apiVersion: v1, kind: Secret, name: quotes-db-conn, namespace: default, fieldPath: data.p}\n    toFieldPath: data.p\n  forProvider: {manifest: {apiVersion: v1, kind: Secret, metadata: {name: db-creds, namespace: default}}}\n";
    let push = "apiVersion: external-secrets.io/v1alpha1\nkind: PushSecret\nmetadata: {name: quotes-db-push, namespace: default}\nspec:\n  secretStoreRefs: [{name: prod}]\n  selector: {secret: {name: quotes-db-conn}}\n  data:\n  - match: {secretKey: p, remoteRef: {remoteKey: db-creds}}\n";
    for (text, by) in [(object, "Object copy-secret"), (push, "PushSecret quotes-db-push")] {
        let repository = quotes();
        repository.write(
            "core/claim.yaml",
            "apiVersion: g/v1\nkind: Database\nmetadata: {name: quotes-db, namespace: default}\nspec:\n  writeConnectionSecretToRef: {name: quotes-db-conn}\n",
        );
        repository.write("core/pass.yaml", text);
        repository.write(
            "quotes/base/deployment.yaml",
            &format!("{DEPLOYMENT}        - secretRef: {{name: quotes-db-conn}}\n"),
        );
        repository.git(["add", "-A"]);
        repository.git(["commit", "-qm", "x"]);
        let more = ["--database", "orders-db", "--database-like", "quotes-db"];
        refuses(&repository, &more, &format!("would write the same target as {by} in core/pass.yaml line 1"));
    }
}

/// Files, and entries in files, of other services.
#[test]
fn references_in_files_of_other_services_are_not_changed() {
    let repository = quotes();
    let values = "upstreams:\n- name: quotes\n  port: 80\n- name: x\n  port: 81\n";
    for (file, text) in [
        ("echo/base/quotes.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: echo-quotes}\n"),
        ("echo/base/config/quotes.json", "{\"url\": \"http://quotes\"}\n"),
        ("echo/values.yaml", values),
    ] {
        repository.write(file, text);
    }
    let base = "resources: [deployment.yaml, quotes.yaml]\nconfigMapGenerator:\n- name: echo-c\n  files: [config/quotes.json]\n";
    repository.write("echo/base/kustomization.yaml", base);
    let before = repository.git(["ls-files", "--others", "echo"]);
    repository
        .new_service(&[&LIKE[..], &["--yes"]].concat())
        .exits(0)
        .prints("by hand: entries in echo/values.yaml: line 2 refers to quotes");
    assert_eq!(repository.git(["ls-files", "--others", "echo"]), before);
    assert_eq!(repository.read("echo/base/kustomization.yaml"), base);
    assert_eq!(repository.read("echo/values.yaml"), values);
}

/// An element that is removed with its environment, of which the dash is on a line of its own.
#[test]
fn an_element_that_cannot_be_removed_separately_is_refused() {
    let repository = quotes();
    repository.write(
        "sets/quotes.yaml",
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: quotes}\nspec:\n  generators:\n  - list:\n      elements:\n      - # first\n        env: prod\n      - env: stage\n",
    );
    repository.git(["add", "-A"]);
    repository.git(["commit", "-qm", "x"]);
    refuses(&repository, &["--environments", "stage"], "sets/quotes.yaml: line 9");
}
