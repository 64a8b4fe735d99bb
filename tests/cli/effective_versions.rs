//! Effective versions are kustomize's own: the same repositories, built by `kubectl kustomize` and seen by `images`.

use crate::gitops::{Gitops, deployment};

/// The origins and versions that `images` lists for one environment, as `kubectl kustomize` prints them.
fn declared(repository: &Gitops, environment: &str) -> Vec<String> {
    let matrix = repository.ucp(["images", "-o", "json"]).exits(0).json();
    let mut versions = Vec::new();
    for service in matrix["services"].as_array().unwrap() {
        for image in service["images"].as_array().unwrap() {
            if let Some(version) = image["versions"].get(environment) {
                versions.push(version.get("declared").and_then(|text| text.as_str()).unwrap_or_default().to_owned());
            }
        }
    }
    versions.sort();
    versions
}

/// The versions of images that kustomize builds.
fn built(repository: &Gitops, directory: &str) -> Vec<String> {
    let images = repository.kustomize(directory);
    let mut versions: Vec<String> = images
        .iter()
        .map(|image| {
            let (rest, digest) =
                image.split_once('@').map_or((image.as_str(), None), |(rest, digest)| (rest, Some(digest)));
            let tag = rest.rsplit('/').next().unwrap().split_once(':').map_or("", |(_, tag)| tag);
            digest.map_or_else(|| tag.to_owned(), |digest| format!("{tag}@{digest}"))
        })
        .collect();
    versions.sort();
    versions
}

#[track_caller]
fn agrees(files: &[(&str, &str)]) {
    let repository = Gitops::with(files);
    for environment in ["stage", "prod"] {
        let directory = format!("a/overlays/{environment}");
        assert_eq!(declared(&repository, environment), built(&repository, &directory), "{environment}");
    }
}

fn base(image: &str) -> [(&'static str, String); 2] {
    [
        ("a/base/kustomization.yaml", "resources: [deployment.yaml]\n".to_owned()),
        ("a/base/deployment.yaml", deployment("a", image)),
    ]
}

#[track_caller]
fn overlays(image: &str, stage: &str, prod: &str) {
    let base = base(image);
    let overlay = |text: &str| format!("resources: [../../base]\n{text}");
    agrees(&[
        (base[0].0, &base[0].1),
        (base[1].0, &base[1].1),
        ("a/overlays/stage/kustomization.yaml", &overlay(stage)),
        ("a/overlays/prod/kustomization.yaml", &overlay(prod)),
    ]);
}

const DIGEST: &str = "sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a";

#[test]
fn tags_and_digests_replace_those_of_the_base() {
    overlays("r/a:v1", "images: [{name: r/a, newTag: v2}]", "");
    overlays(
        &format!("r/a:v1@{DIGEST}"),
        "images: [{name: r/a, newTag: v2}]",
        &format!("images: [{{name: r/a, newTag: v3, digest: '{DIGEST}'}}]"),
    );
    overlays(
        "r/a:v1",
        &format!("images: [{{name: r/a, digest: '{DIGEST}'}}]"),
        "images: [{name: r/a, newName: other/b}]",
    );
}

#[test]
fn names_match_as_patterns_and_are_not_normalized() {
    overlays(
        "docker.io/library/nginx:v1",
        "images: [{name: nginx, newTag: v2}, {name: docker.io/library/nginx, newTag: v3}]",
        "",
    );
    overlays("gcr.io/a:v1", "images: [{name: gcrxio/a, newTag: v2}]", "images: [{name: gcr.io/a, newTag: v2}]");
    overlays("r/a:v1", "images: [{name: '.*/a', newTag: v2}]", "images: [{name: 'r/.', newTag: v2}]");
    overlays("alpine:v1", "images: [{name: 'alpine:v1', newTag: v2}]", "images: [{name: 'alpine:v9', newTag: v2}]");
    overlays(
        "localhost:5000/a",
        "images: [{name: 'localhost:5000/a', newTag: v2}]",
        "images: [{name: localhost, newTag: v2}]",
    );
}

#[test]
fn entries_apply_in_order_after_those_of_the_base() {
    overlays(
        "r/a:v1",
        "images: [{name: r/a, newName: r/b}, {name: r/b, newTag: v2}]",
        "images: [{name: r/b, newTag: v3}]",
    );
    let base_text = "resources: [deployment.yaml]\nimages: [{name: r/a, newName: r/b, newTag: v1}]\n";
    agrees(&[
        ("a/base/kustomization.yaml", base_text),
        ("a/base/deployment.yaml", &deployment("a", "r/a")),
        ("a/overlays/stage/kustomization.yaml", "resources: [../../base]\nimages: [{name: r/b, newTag: v2}]\n"),
        ("a/overlays/prod/kustomization.yaml", "resources: [../../base]\nimages: [{name: r/a, newTag: v2}]\n"),
    ]);
}

#[test]
fn versions_in_components_and_patches_are_applied() {
    let component =
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nimages: [{name: r/a, newTag: v5}]\n";
    let stage = "resources: [../../base]\ncomponents: [../../component]\n";
    let prod = "resources: [../../base]\nnamePrefix: p-\npatches:\n- path: version.yml\n- target: {kind: Deployment, name: b.*}\n  patch: |-\n    - op: replace\n      path: /spec/template/spec/containers/0/image\n      value: r/b:v8\n";
    let version = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{name: a, image: 'r/a:v7'}, {name: new, image: 'r/n:v1'}]}}}\n";
    agrees(&[
        ("a/base/kustomization.yaml", "resources: [deployment.yaml, other.yaml]\n"),
        ("a/base/deployment.yaml", &deployment("a", "r/a:v1")),
        ("a/base/other.yaml", &deployment("b", "r/b:v1")),
        ("a/component/kustomization.yaml", component),
        ("a/overlays/stage/kustomization.yaml", stage),
        ("a/overlays/prod/kustomization.yaml", prod),
        ("a/overlays/prod/version.yml", version),
    ]);
}

#[test]
fn lists_init_containers_and_definitions() {
    let list = format!(
        "apiVersion: v1\nkind: List\nitems:\n- {}\n",
        deployment("a", "r/a:v1").trim_end().replace('\n', "\n  ")
    );
    let pods = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  initContainers: [{name: i, image: 'r/i:v1'}]\n  containers: [{name: c, image: r/c}]\n---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x.example.org}\nspec: {group: example.org}\n";
    agrees(&[
        ("a/base/kustomization.yaml", "resources: [list.yaml, pods.yaml]\n"),
        ("a/base/list.yaml", &list),
        ("a/base/pods.yaml", pods),
        (
            "a/overlays/stage/kustomization.yaml",
            "resources: [../../base]\nimages: [{name: r/i, newTag: v2}, {name: r/c, newTag: v2}]\n",
        ),
        ("a/overlays/prod/kustomization.yaml", "resources: [../../base]\n"),
    ]);
}

#[test]
fn the_deprecated_list_of_image_tags_is_read() {
    overlays("r/a:v1", "imageTags: [{name: r/a, newTag: v2}]", "");
}

/// Tags that YAML misreads are written so that kustomize reads them as text.
#[test]
fn kustomize_reads_back_every_tag_that_is_written() {
    let tags = [
        "1.10",
        "0777",
        "on",
        "1e3",
        "12e4567",
        "1_000",
        "20240102",
        "2024-01-02",
        "0x1f",
        "null",
        "y",
        "v1",
        "1.2.3",
        "0b1",
        "08",
    ];
    let entries: Vec<String> = (0..tags.len()).map(|index| format!("- {{name: r/i{index}, newTag: v0}}\n")).collect();
    let containers: Vec<String> =
        (0..tags.len()).map(|index| format!("{{name: c{index}, image: r/i{index}}}")).collect();
    let pod = format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec: {{containers: [{}]}}\n",
        containers.join(", ")
    );
    let repository = Gitops::with(&[
        ("kustomization.yaml", &format!("resources: [pod.yaml]\nimages:\n{}", entries.concat())),
        ("pod.yaml", &pod),
    ]);
    let images: Vec<String> = tags.iter().enumerate().map(|(index, tag)| format!("r/i{index}:{tag}")).collect();
    let fixed = ["set-image", "--file", ".", "--yes", "--allow-downgrade"].map(str::to_owned);
    repository.ucp(fixed.into_iter().chain(images.clone())).exits(0);
    let mut expected = images;
    expected.sort();
    assert_eq!(repository.kustomize("."), expected);
}

#[test]
fn json_patches_and_deletions_change_the_deployed_versions() {
    let two = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  selector: {}\n  template:\n    spec:\n      containers:\n      \
               - {name: app, image: 'r/a:v1'}\n      - {name: side, image: 'r/side:v2'}\n      - {name: log, image: 'r/log:v3'}\n";
    let patch = |operations: &str| {
        format!("resources: [../../base]\npatches:\n- target: {{kind: Deployment}}\n  patch: |\n{operations}")
    };
    let operations = "    - {op: add, path: /spec/template/spec/containers/-, value: {name: added, image: 'r/added:v5'}}\n    \
                      - {op: add, path: /spec/template/spec/initContainers, value: [{name: init, image: 'r/init:v6'}]}\n    \
                      - {op: replace, path: /spec/template/spec/containers/1, value: {name: side, image: 'r/other:v7'}}\n";
    let removed = "    - {op: remove, path: /spec/template/spec/containers/0}\n    \
                   - {op: replace, path: /spec/template/spec/containers/0/image, value: 'r/side:v8'}\n    \
                   - {op: add, path: /spec/template/spec/containers/0, value: {name: first, image: 'r/first'}}\n";
    let deleted = "resources: [../../base]\npatches:\n- patch: |\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {name: a}\n    \
                   spec: {template: {spec: {containers: [{name: side, $patch: delete}]}}}\n";
    let gone = "resources: [../../base, ../../other]\npatches:\n- patch: |\n    apiVersion: apps/v1\n    kind: Deployment\n    \
                metadata: {name: a}\n    $patch: delete\n";
    for (stage, prod) in [(patch(operations), patch(removed)), (deleted.to_owned(), gone.to_owned())] {
        agrees(&[
            ("a/base/kustomization.yaml", "resources: [deployment.yaml]\n"),
            ("a/base/deployment.yaml", two),
            ("a/other/kustomization.yaml", "resources: [deployment.yaml]\n"),
            ("a/other/deployment.yaml", &deployment("b", "r/b:v9")),
            ("a/overlays/stage/kustomization.yaml", &stage),
            ("a/overlays/prod/kustomization.yaml", &prod),
        ]);
    }
}
