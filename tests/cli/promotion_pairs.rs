//! Places of one thing in two environments, which `promote` pairs.

use crate::gitops::{Gitops, deployment};

/// A release in a base, and an overlay for each environment that patches the version of its chart, in a file that repeats
/// the name of the environment.
fn releases(stage: (&str, &str), prod: (&str, &str)) -> Gitops {
    let base = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: query}\nspec: {chart: {spec: {chart: query}}}\n";
    let patch = |version: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: query}}\nspec: {{chart: {{spec: {{version: \
             {version}}}}}}}\n"
        )
    };
    let overlay = |file: &str| format!("resources: [../../base/query]\npatches: [{{path: {file}}}]\n");
    let files = [
        ("apps/base/query/kustomization.yaml".to_owned(), "resources: [release.yaml]\n".to_owned()),
        ("apps/base/query/release.yaml".to_owned(), base.to_owned()),
        ("apps/staging/query/kustomization.yaml".to_owned(), overlay(stage.0)),
        (format!("apps/staging/query/{}", stage.0), patch(stage.1)),
        ("apps/production/query/kustomization.yaml".to_owned(), overlay(prod.0)),
        (format!("apps/production/query/{}", prod.0), patch(prod.1)),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    Gitops::with(&files)
}

#[test]
fn files_that_repeat_the_name_of_their_environment_are_paired() {
    let repository = releases(("values-staging.yaml", "0.1.27"), ("values-production.yaml", "0.1.24"));
    repository.ucp(["promote", "staging", "production", "query", "--yes"]).exits(0);
    let after = repository.read("apps/production/query/values-production.yaml");
    assert!(after.contains("version: 0.1.27"), "{after}");
}

#[test]
fn files_with_the_name_of_another_environment_are_paired_by_their_names() {
    let files = ["stage", "prod"].map(|environment| {
        let own = if environment == "prod" { ["1.0.0", "1.1.0"] } else { ["2.0.0", "2.1.0"] };
        ["stage", "prod"].iter().zip(own).map(move |(name, version)| {
            (format!("envs/{environment}/{name}-issuer.yaml"), format!("issuer:\n  version: {version}\n"))
        })
    });
    let files: Vec<(String, String)> = files.into_iter().flatten().collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    let repository = Gitops::with(&files);
    repository.ucp(["promote", "stage", "prod", "--all", "--yes"]).exits(0);
    for (name, version) in [("stage", "2.0.0"), ("prod", "2.1.0")] {
        let after = repository.read(&format!("envs/prod/{name}-issuer.yaml"));
        assert!(after.contains(version), "{name}: {after}");
    }
}

#[test]
fn a_repository_may_have_the_name_of_its_environment_in_the_middle() {
    let overlay = |repository: &str, tag: &str| {
        format!(
            "resources: [../../base]\nimages:\n- {{name: web, newName: r.example.org/{repository}, newTag: {tag}}}\n"
        )
    };
    let with = |stage: &str, prod: &str| {
        Gitops::with(&[
            ("web/base/kustomization.yaml", "resources: [app.yaml]\n"),
            ("web/base/app.yaml", &deployment("web", "web")),
            ("web/overlays/staging/kustomization.yaml", &overlay(stage, "sha-0a1b2c3")),
            ("web/overlays/prod/kustomization.yaml", &overlay(prod, "sha-1b2c3d4")),
        ])
    };
    let repository = with("shop-staging-web-k8s", "shop-prod-web-k8s");
    repository.ucp(["promote", "staging", "prod", "web", "--yes"]).exits(0);
    assert!(repository.read("web/overlays/prod/kustomization.yaml").contains("sha-0a1b2c3"));
    let other = with("shop-staging-web-k8s", "shop-prod-api-k8s");
    other.ucp(["promote", "staging", "prod", "web", "--yes"]).exits(1);
    assert!(other.read("web/overlays/prod/kustomization.yaml").contains("sha-1b2c3d4"));
}
