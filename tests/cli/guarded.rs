//! Checks of `promote` and `set-version` that refuse or warn, a test for each. Each was seen to fail without its check.

use crate::gitops::{Gitops, deployment};

const STAGE: &str = "echo/overlays/stage/kustomization.yaml";
const PROD: &str = "echo/overlays/prod/kustomization.yaml";

/// A service of one workload, with these overlays.
fn service(workload: &str, stage: &str, prod: &str) -> Gitops {
    Gitops::with(&[
        ("echo/base/kustomization.yaml", "resources: [deployment.yaml]\n"),
        ("echo/base/deployment.yaml", workload),
        (STAGE, &format!("resources: [../../base]\n{stage}")),
        (PROD, &format!("resources: [../../base]\n{prod}")),
    ])
}

fn entry(name: &str, version: &str) -> String {
    format!("images:\n- name: {name}\n  {version}\n")
}

#[track_caller]
fn is_refused(repository: &Gitops, arguments: &[&str], reason: &str) {
    repository.ucp(arguments.iter().copied()).exits(1).prints(reason);
    assert_eq!(repository.git(["status", "--porcelain"]), "");
}

#[test]
fn an_older_image_is_refused() {
    let (stage, prod) = (entry("r/echo", "newTag: v1.2.0"), entry("r/echo", "newTag: v1.3.0"));
    let repository = service(&deployment("echo", "r/echo"), &stage, &prod);
    is_refused(&repository, &["promote", "stage", "prod", "echo", "--yes"], "v1.2.0 is older than v1.3.0");
    is_refused(&repository, &["set-image", "prod", "echo=v1.2.9", "--yes"], "--allow-downgrade");
    repository.ucp(["promote", "stage", "prod", "echo", "--yes", "--allow-downgrade"]).exits(0);
    assert!(repository.read(PROD).contains("newTag: v1.2.0"));
}

#[test]
fn a_manifest_that_a_replacement_overrides_is_refused() {
    let later = "resources: [deployment.yaml]\nreplacements:\n- source: {kind: ConfigMap, name: v, fieldPath: data.image}\n  targets: \
                 [{select: {kind: Deployment}, fieldPaths: [spec.template.spec.containers.0.image]}]\n";
    let repository =
        Gitops::with(&[("app/kustomization.yaml", later), ("app/deployment.yaml", &deployment("echo", "r/echo:v1"))]);
    is_refused(&repository, &["set-version", "r/echo=v2", "--yes"], "replacements of app/kustomization.yaml sets it");
}

#[test]
fn a_branch_for_a_chart_with_a_version_is_refused() {
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: api}\nspec: {chart: {spec: {chart: \
                   api-chart, version: 1.0.0}}}\n";
    let repository = Gitops::with(&[("api/release.yaml", release)]);
    is_refused(
        &repository,
        &["set-version", "api-chart=main", "--yes"],
        "api-chart has no version that main could replace",
    );
}

#[test]
fn an_environment_with_several_versions_of_an_image_is_refused() {
    let workload = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: echo}\nspec: {template: {spec: {containers: [{name: a, \
                    image: 'r/echo:v1'}, {name: b, image: 'r/echo:v0'}]}}}\n";
    let repository = service(workload, &entry("r/echo", "newTag: v2"), "");
    is_refused(
        &repository,
        &["promote", "stage", "prod", "echo", "--yes"],
        "prod deploys it in several versions: v0, v1",
    );
}

#[test]
fn a_digest_for_an_image_with_a_base_pinned_to_its_tag_is_refused() {
    let digest = format!("digest: sha256:{}", "0a".repeat(32));
    let pinned =
        |tag: &str, version: &str| format!("- https://github.com/o/r//deploy?ref={tag}\n{}", entry("r/echo", version));
    let overlay = |text: String| format!("resources:\n- ../../base\n{text}");
    let repository = service(&deployment("echo", "r/echo"), "", "");
    repository.write(STAGE, &overlay(pinned("v2", &digest)));
    repository.write(PROD, &overlay(pinned("v1", "newTag: v1")));
    repository.git(["commit", "--quiet", "--all", "-m", "Pin"]);
    is_refused(&repository, &["promote", "stage", "prod", "echo", "--yes"], "a digest does not identify a commit");
}

#[test]
fn an_entry_that_no_workload_uses_is_reported() {
    let (stage, prod) = (entry("r/gone", "newTag: v2"), entry("r/gone", "newTag: v1"));
    let repository = service(&deployment("echo", "r/echo:v1"), &stage, &prod);
    repository.ucp(["promote", "stage", "prod", "echo", "--yes"]).prints("no workload uses it");
}

#[test]
fn aliases_of_a_changed_value_are_refused_or_reported() {
    let text = "image: {repository: r/echo, tag: &tag v1.0.0}\ncopy: *tag\n";
    let repository = Gitops::with(&[("a.yaml", text)]);
    let run = repository.ucp(["set-version", "--file", "a.yaml", "r/echo=v1.1.0", "--yes"]).exits(1);
    run.prints("the value carries an anchor (&), and an alias of it (line ");
    assert_eq!(repository.read("a.yaml"), text);
    // One rule for a file and a repository.
    repository.ucp(["set-version", "r/echo=v1.1.0", "--yes"]).exits(1).prints("an alias of it (line ");
    assert_eq!(repository.read("a.yaml"), text);
    for text in [
        "image: {repository: r/echo, tag: &tag v1.0.0}\nworker: {repository: r/echo, tag: *tag}\n",
        "image: {repository: &name r/echo, tag: &tag v1.0.0}\nworker: {repository: *name, tag: *tag}\n",
        "image: &image\n  repository: r/echo\n  tag: v1.0.0\nworker:\n  image: *image\n",
        "image: &image r/echo:v1.0.0\nworker:\n  image: *image\n",
    ] {
        repository.write("a.yaml", text);
        let run = repository.ucp(["set-version", "--file", "a.yaml", "r/echo=v1.1.0", "--yes"]).exits(0);
        run.prints("aliases (*) refer to this value and also change: line");
        assert_eq!(repository.read("a.yaml"), text.replace("v1.0.0", "v1.1.0"));
    }
}

#[test]
fn another_artifact_at_the_same_place_is_not_promoted() {
    let values = |name: &str, tag: &str| format!("image:\n  repository: r/{name}\n  tag: {tag}\n");
    let repository = Gitops::with(&[
        ("web/values-stage.yaml", &values("alpha", "v2.0.0")),
        ("web/values-prod.yaml", &values("beta", "v1.0.0")),
    ]);
    let run = repository.ucp(["promote", "stage", "prod", "--all", "--yes"]);
    run.prints("stage has alpha there, and prod has beta");
    assert_eq!(repository.git(["status", "--porcelain"]), "");
}

#[test]
fn a_sample_next_to_a_deployed_manifest_is_not_changed() {
    let repository = Gitops::with(&[
        ("apps/web.yaml", &deployment("web", "r/web:v1.0.0")),
        ("examples/web.yaml", &deployment("web", "r/web:v1.0.0")),
    ]);
    repository.ucp(["set-version", "r/web=v1.1.0", "--yes"]).exits(0);
    assert!(repository.read("apps/web.yaml").contains("v1.1.0"));
    assert!(repository.read("examples/web.yaml").contains("v1.0.0"), "a sample stays");
}

/// A HelmRelease of a chart, with an image.
fn release(name: &str, chart: &str, version: &str, image: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: {name}}}\nspec:\n  chart: {{spec: {{chart: {chart}, \
         version: {version}}}}}\n  values:\n    image: {image}\n"
    )
}

#[test]
fn a_version_of_another_form_than_the_requested_one() {
    let text = release("web", "web", "1.2.0", "{repository: r/web, tag: sha-40ce543}");
    let repository = Gitops::with(&[("apps/web/release.yaml", &text)]);
    repository.ucp(["set-version", "web=1.3.0", "--yes"]).exits(0);
    assert_eq!(repository.read("apps/web/release.yaml"), text.replace("1.2.0", "1.3.0"));
}

#[test]
fn a_name_of_both_a_chart_and_an_image_is_refused_as_ambiguous() {
    let text = release("web", "web-chart", "0.16.2", "{repository: r/web, tag: 7.8.0}");
    let repository = Gitops::with(&[("apps/web/release.yaml", &text)]);
    let run = repository.ucp(["set-version", "web=0.16.3", "--yes", "--allow-downgrade"]).exits(2);
    run.prints("is found in several places").prints("web-chart 0.16.2").prints("r/web 7.8.0");
    assert_eq!(repository.git(["status", "--porcelain"]), "");
}
