//! `set-version --file` by name, and names in a repository: the artifact that can have the version is set, or none.

use crate::gitops::{Gitops, deployment};

/// The lines that changed.
fn changed(repository: &Gitops) -> Vec<String> {
    let diff = repository.git(["diff", "--unified=0", "--no-color"]);
    let lines = diff.lines().filter(|line| line.starts_with('+') && !line.starts_with("+++"));
    lines.map(|line| line[1..].trim().to_owned()).collect()
}

/// Sets a version in a file, and returns the lines that changed.
fn set(repository: &Gitops, file: &str, assignment: &str, code: i32) -> Vec<String> {
    repository.ucp(["set-version", "--file", file, assignment, "--yes"]).exits(code);
    let lines = changed(repository);
    repository.git(["checkout", "--quiet", "."]);
    lines
}

fn release(name: &str, rest: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: {name}}}\nspec:\n  chart:\n    spec: \
         {{chart: board, version: 0.3.2}}\n{rest}"
    )
}

#[test]
fn a_chart_and_an_image_of_the_same_name_differ_by_the_form_of_versions() {
    let values = "  values:\n    image: {repository: r.example.org/board, tag: v2026.7.18-1-gabcdef1}\n";
    let repository = Gitops::with(&[("board.yaml", &release("board", values))]);
    let image = set(&repository, "board.yaml", "board=v2026.7.19-1-gabcdef2", 0);
    assert_eq!(image, ["image: {repository: r.example.org/board, tag: v2026.7.19-1-gabcdef2}"]);
    assert_eq!(set(&repository, "board.yaml", "board=0.4.0", 0), ["spec: {chart: board, version: 0.4.0}"]);
    // Nothing else has the name.
    assert_eq!(set(&repository, "board.yaml", "r.example.org/board=main", 0).len(), 1);
    // A reference that is given completely must be of the same image.
    let whole = set(&repository, "board.yaml", "r.example.org/board=r.example.org/board:v2026.7.19-1-gabcdef2", 0);
    assert_eq!(whole, image);
    assert!(set(&repository, "board.yaml", "r.example.org/board=r.example.org/other:v2026.7.19", 1).is_empty());
}

#[test]
fn a_label_is_set_by_its_path_only() {
    let object = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: api, labels: {app.kubernetes.io/version: 1.2.0}}\nspec: \
                  {template: {spec: {containers: [{name: api, image: r.example.org/api}]}}}\n";
    let repository = Gitops::with(&[("api.yaml", object)]);
    assert!(set(&repository, "api.yaml", "api=1.3.0", 2).is_empty());
    assert_eq!(set(&repository, "api.yaml", ".metadata.labels[\"app.kubernetes.io/version\"]=1.3.0", 0).len(), 1);
}

#[test]
fn places_of_an_artifact_with_the_same_version_are_set_together() {
    let pod = |args: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: job}}\nspec:\n  containers:\n  - {{name: a, image: 'r.example.org/job:5.0.0'}}\n  - \
             {{name: b, image: 'r.example.org/job:{args}'}}\n"
        )
    };
    let two = format!("{}---\n{}", release("inner", ""), release("outer", ""));
    let repository = Gitops::with(&[("one.yaml", &pod("5.0.0")), ("old.yaml", &pod("4.0.0")), ("two.yaml", &two)]);
    assert_eq!(set(&repository, "one.yaml", "r.example.org/job=5.1.0", 0).len(), 2);
    // Other versions, and other objects, are selected by one of the commands.
    for (file, assignment) in [("old.yaml", "r.example.org/job=5.1.0"), ("two.yaml", "board=0.4.0")] {
        let run = repository.ucp(["set-version", "--file", file, assignment, "--yes"]).exits(2);
        let commands: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("kubectl ucp")).collect();
        assert_eq!(commands.len(), 2, "{}", run.stderr);
        let words = commands[1].trim_start_matches("kubectl ucp ").replace('\'', "");
        repository.ucp(words.split(' ').chain(["--yes"])).exits(0);
        assert_eq!(changed(&repository).len(), 1, "{words}");
        repository.git(["checkout", "--quiet", "."]);
    }
}

#[test]
fn setting_a_tag_with_a_digest_by_path_replaces_the_digest() {
    let [old, new] = ["0a", "1b"].map(|byte| format!("sha256:{}", byte.repeat(32)));
    let values = format!("image: {{repository: r/api, tag: v1, digest: '{old}'}}\n");
    let entries = format!("resources: [api.yaml]\nimages:\n- name: r/api\n  newTag: v1\n  digest: {old}\n");
    let repository = Gitops::with(&[
        ("values.yaml", &values),
        ("kustomization.yaml", &entries),
        ("api.yaml", &deployment("api", "r/api")),
    ]);
    for (file, path) in [("values.yaml", ".image.tag"), ("kustomization.yaml", ".images[0].newTag")] {
        let text = repository.read(file);
        repository.ucp(["set-version", "--file", file, &format!("{path}=v2@{new}"), "--yes"]).exits(0);
        assert_eq!(repository.read(file), text.replace("v1", "v2").replace(&old, &new));
        let alone = ["set-version", "--file", file, &format!("{path}=v3"), "--yes"];
        repository.ucp(alone).exits(0).prints("takes precedence over the tag");
    }
}

#[test]
fn a_generated_file_is_set_with_a_warning() {
    let header = format!("# This manifest was generated by flux. DO NOT EDIT.\n{}", deployment("api", "r/api:v1"));
    let repository =
        Gitops::with(&[("system/all.yaml", &header), ("rendered/api.yaml", &deployment("api", "r/api:v1"))]);
    for file in ["system/all.yaml", "rendered/api.yaml"] {
        repository.ucp(["set-version", "--file", file, "r/api=v2", "--yes"]).exits(0).prints("is generated");
    }
}

#[test]
fn the_own_version_of_a_chart_is_not_mistaken_for_that_of_its_application() {
    let chart = "apiVersion: v2\nname: board\nversion: 0.10.0-dev\nappVersion: 0.1.0\ndependencies:\n- {name: store, version: 4.1.0, \
                 repository: 'https://charts.example.org'}\n";
    let values = "proxy: {image: {repository: r.example.org/proxy, tag: 1.30.1}}\n";
    let repository = Gitops::with(&[("board/Chart.yaml", chart), ("board/values.yaml", values)]);
    let run = repository.ucp(["set-version", "board=0.10.1", "--yes"]).exits(2);
    run.prints("board/Chart.yaml .version=0.10.1");
    assert!(changed(&repository).is_empty());
    repository.ucp(["set-version", "board=0.1.1", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["appVersion: 0.1.1"]);
}

#[test]
fn an_entry_with_an_alias_has_the_version_that_kustomize_reads() {
    let entries = |tag: &str| format!("- {{name: r/migrate, newTag: {tag}}}\n");
    let stage = format!("resources: [../../base]\nimages:\n- {{name: r/web, newTag: &v v2}}\n{}", entries("*v"));
    let prod = format!("resources: [../../base]\nimages:\n- {{name: r/web, newTag: v1}}\n{}", entries("v1"));
    let base = format!("{}---\n{}", deployment("web", "r/web"), deployment("migrate", "r/migrate:v0"));
    let repository = Gitops::with(&[
        ("web/base/kustomization.yaml", "resources: [all.yaml]\n"),
        ("web/base/all.yaml", &base),
        ("web/overlays/stage/kustomization.yaml", &stage),
        ("web/overlays/prod/kustomization.yaml", &prod),
    ]);
    // The base has no effect here, and is not proposed.
    let run = repository.ucp(["set-version", "stage", "r/migrate=v3", "--yes"]);
    assert!(run.code != Some(0) && !run.stderr.contains("omit the environment"), "{}", run.stderr);
    repository.ucp(["promote", "stage", "prod", "web", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["- {name: r/web, newTag: v2}", "- {name: r/migrate, newTag: v2}"]);
}

#[test]
fn a_tag_in_a_patch_of_a_release_is_promoted() {
    let patch = |tag: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: board}}\nspec: {{values: {{image: {{tag: {tag}}}}}}}\n"
        )
    };
    let overlay = "resources: [../base]\npatches: [{path: values.yaml}]\n";
    let repository = Gitops::with(&[
        ("apps/base/kustomization.yaml", "resources: [release.yaml]\n"),
        ("apps/base/release.yaml", &release("board", "")),
        ("apps/stage/kustomization.yaml", overlay),
        ("apps/stage/values.yaml", &patch("6.7.0")),
        ("apps/prod/kustomization.yaml", overlay),
        ("apps/prod/values.yaml", &patch("6.5.0")),
    ]);
    repository.ucp(["promote", "stage", "prod", "--all", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["spec: {values: {image: {tag: 6.7.0}}}"]);
}

#[test]
fn directories_that_only_deployers_distinguish_are_paired() {
    let deployer = |cluster: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: apps}}\nspec: {{path: ./apps/{cluster}}}\n"
        )
    };
    let values = |tag: &str| release("board", &format!("  values: {{image: {{repository: r/board, tag: {tag}}}}}\n"));
    let repository = Gitops::with(&[
        ("clusters/north/apps.yaml", &deployer("north")),
        ("clusters/south/apps.yaml", &deployer("south")),
        ("apps/north/kustomization.yaml", "resources: [board/release.yaml]\n"),
        ("apps/north/board/release.yaml", &values("v1.2.0")),
        ("apps/south/kustomization.yaml", "resources: [board/release.yaml]\n"),
        ("apps/south/board/release.yaml", &values("v1.1.0")),
    ]);
    repository.ucp(["promote", "north", "south", "--all", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["values: {image: {repository: r/board, tag: v1.2.0}}"]);
}

#[test]
fn a_place_that_a_parameter_overrides_is_not_proposed() {
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: echo}\nspec:\n  source: {path: chart, helm: \
                       {valueFiles: [values-prod.yaml], parameters: [{name: image.tag, value: v9}]}}\n  destination: {name: prod}\n";
    let values = "image: {repository: r/echo, tag: v1}\n";
    let repository = Gitops::with(&[("chart/values-prod.yaml", values), ("argo/echo.yaml", application)]);
    let run = repository.ucp(["set-version", "prod", "r/echo=v2", "--yes"]).exits(1);
    run.prints("no effect");
    assert!(!format!("{}{}", run.stdout, run.stderr).contains("--file chart/values-prod.yaml"), "{}", run.stdout);
}

#[test]
fn a_release_has_a_name_of_its_own() {
    let releases = "releases:\n- {name: trust, chart: jetstack/trust-manager, version: v0.8.0}\n- {name: queue-a, chart: bitnami/rabbitmq, \
                    version: 12.6.0}\n- {name: queue-b, chart: bitnami/rabbitmq, version: 12.6.0}\n";
    let two = format!("{}---\n{}", release("inner", ""), release("outer", ""));
    let repository = Gitops::with(&[("helmfile.yaml", releases), ("apps/board/release.yaml", &two)]);
    for (name, version, line) in [
        ("trust", "v0.9.0", "- {name: trust, chart: jetstack/trust-manager, version: v0.9.0}"),
        ("queue-a", "12.7.0", "- {name: queue-a, chart: bitnami/rabbitmq, version: 12.7.0}"),
        ("outer", "0.4.0", "spec: {chart: board, version: 0.4.0}"),
    ] {
        repository.ucp(["set-version", &format!("{name}={version}"), "--yes"]).exits(0);
        assert_eq!(changed(&repository), [line]);
        repository.git(["checkout", "--quiet", "."]);
    }
}

#[test]
fn a_chart_is_not_accepted_as_an_image() {
    let repository = Gitops::with(&[("board.yaml", &release("inner", ""))]);
    for arguments in [&["set-image", "board=0.5.0"][..], &["set-version", "inner=r.example.org/board:0.5.0"]] {
        let run = repository.ucp(arguments.iter().copied().chain(["--yes"])).exits(2);
        run.prints("'kubectl ucp set-version NAME=VERSION'");
    }
}

#[test]
fn a_version_of_another_form_lists_every_place_of_the_name() {
    let chart = "apiVersion: v2\nname: shop\nversion: 1.0.0\ndependencies:\n- {name: store, version: ~18.1.0, repository: \
                 'https://charts.example.org'}\n";
    let values = "store: {image: {repository: r.example.org/store, tag: 7.2.0}}\n";
    let repository = Gitops::with(&[("shop/Chart.yaml", chart), ("shop/values.yaml", values)]);
    repository.ucp(["set-version", "store=18.2.0", "--yes"]).exits(1).prints("shop/Chart.yaml:5");
    assert!(changed(&repository).is_empty());
}

#[test]
fn an_image_of_a_service_is_ambiguous_like_the_service() {
    let values =
        |tag: &str| release("sync", &format!("  values: {{image: {{repository: r.example.org/sync, tag: {tag}}}}}\n"));
    let overlay = "resources: [release.yaml]\n";
    // Two services of this name in one environment have the names of their directories.
    let repository = Gitops::with(&[
        ("clusters-of/main/apps/system/sync/app/release.yaml", &values("0.17.6")),
        ("clusters-of/staging/apps/system/sync/app/release.yaml", &values("0.17.5")),
        ("clusters-of/staging/apps/system/sync/app/kustomization.yaml", overlay),
        ("clusters-of/staging/apps/media/sync/app/release.yaml", &deployment("sync", "r.example.org/other:1.0.0")),
        ("clusters-of/staging/apps/media/sync/app/kustomization.yaml", overlay),
    ]);
    let image = "sync=r.example.org/sync:0.17.7";
    repository.ucp(["set-version", image, "--yes"]).exits(2);
    assert!(changed(&repository).is_empty());
    repository.ucp(["set-version", "staging", image, "--yes"]).exits(0);
    assert!(repository.read("clusters-of/staging/apps/system/sync/app/release.yaml").contains("0.17.7"));
    assert_eq!(changed(&repository).len(), 1);
}

/// A release that has its own name, its chart's version, and the tag of an image with the name of the release.
fn named_release(chart: &str, tag: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: films}}\nspec:\n  chart: {{spec: {{chart: template, \
         version: {chart}}}}}\n  values: {{image: {{repository: r.example.org/o/films, tag: '{tag}'}}}}\n"
    )
}

#[test]
fn the_chart_of_a_release_is_not_set_if_its_image_has_the_name_and_a_nearer_version() {
    let digest = |byte: &str| format!("sha256:{}", byte.repeat(32));
    let pinned = format!("3.6.2@{}", digest("0a"));
    let repository = Gitops::with(&[
        ("plain.yaml", &named_release("3.5.1", "3.6.2")),
        ("pinned.yaml", &named_release("3.5.1", &pinned)),
    ]);
    let run = repository.ucp(["set-version", "--file", "plain.yaml", "films=3.6.3", "--yes"]).exits(2);
    // The likelier one comes first.
    let first = run.stderr.lines().find(|line| line.contains("set-version --file")).unwrap_or_default();
    assert!(first.contains(".spec.values.image.tag=3.6.3"), "{}", run.stderr);
    assert!(changed(&repository).is_empty());
    assert!(set(&repository, "plain.yaml", "films=3.5.2", 0)[0].contains("version: 3.5.2"));
    let version = format!("3.6.3@{}", digest("1b"));
    assert!(set(&repository, "pinned.yaml", &format!("films={version}"), 0)[0].contains(&version));
}

#[test]
fn a_name_that_a_file_does_not_have_lists_what_the_version_fits() {
    let keys = "board_image_version: 0.31.1\nboard_chart_version: 1.5.6\nother_tag: 0a1b2c3\n";
    let repository = Gitops::with(&[("versions.yaml", keys)]);
    let run = repository.ucp(["set-version", "--file", "versions.yaml", "panel=0.36.5", "--yes"]).exits(2);
    run.prints("versions.yaml .board_image_version=0.36.5");
    assert!(!run.stderr.contains("other_tag"), "{}", run.stderr);
    assert!(changed(&repository).is_empty());
}

#[test]
fn the_name_of_a_chart_in_its_file_means_its_application_if_its_version_is_nearer() {
    let chart = "apiVersion: v2\nname: board\nversion: 0.1.1\nappVersion: 0.7.0\n";
    let repository = Gitops::with(&[("charts/board/Chart.yaml", chart)]);
    assert_eq!(set(&repository, "charts/board/Chart.yaml", "board=0.7.1", 0), ["appVersion: 0.7.1"]);
    assert!(set(&repository, "charts/board/Chart.yaml", "board=0.1.2", 2).is_empty());
}

#[test]
fn the_name_of_the_directory_of_a_file_means_the_only_version_that_can_follow() {
    let values = "image: {tag: 1.1.9}\nproxy: {image: {tag: v2.30.0}}\n";
    let repository = Gitops::with(&[("apps/breaker/values-prod.yaml", values)]);
    let file = "apps/breaker/values-prod.yaml";
    assert_eq!(set(&repository, file, "breaker=1.2.0", 0), ["image: {tag: 1.2.0}"]);
    // Neither does another name, nor a version that is far.
    for assignment in ["circuit=1.2.0", "breaker=4.2.0"] {
        assert!(set(&repository, file, assignment, 2).is_empty(), "{assignment}");
    }
}

#[test]
fn two_uses_of_a_chart_in_one_file_are_two_releases() {
    let source = |name: &str| {
        format!(
            "- {{name: {name}, source: {{repoURL: 'https://charts.example.org', chart: generic, targetRevision: 1.0.1}}}}\n"
        )
    };
    let list = format!("applications:\n{}{}", source("login"), source("stats"));
    let repository = Gitops::with(&[("apps/values.yaml", &list)]);
    assert!(set(&repository, "apps/values.yaml", "generic=1.0.4", 2).is_empty());
    assert_eq!(set(&repository, "apps/values.yaml", ".applications[1].source.targetRevision=1.0.4", 0).len(), 1);
}
