//! `promote`: changed versions, kept ones, and refusals. One test per row of the edge cases that people meet.

use crate::gitops::{Gitops, Run, deployment};

const STAGE: &str = "echo/overlays/stage/kustomization.yaml";
const PROD: &str = "echo/overlays/prod/kustomization.yaml";
const DIGEST: &str = "sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a";

/// Overlays with these `images`, on a base that deploys `r/app:v0`.
fn overlays(stage: &str, prod: &str) -> Gitops {
    let overlay = |images: &str| format!("resources:\n- ../../base\n{images}");
    Gitops::with(&[
        ("echo/base/kustomization.yaml", "resources:\n- deployment.yaml\n"),
        ("echo/base/deployment.yaml", &deployment("echo", "r/app:v0")),
        (STAGE, &overlay(stage)),
        (PROD, &overlay(prod)),
    ])
}

fn promote(repository: &Gitops) -> Run {
    repository.ucp(["promote", "stage", "prod", "echo", "--yes"])
}

/// Promotes, and requires that prod's file has this text, and builds the images of stage.
#[track_caller]
fn becomes(stage: &str, prod: &str, expected: &str) -> Run {
    let repository = overlays(stage, prod);
    let run = promote(&repository).exits(0);
    assert_eq!(repository.read(PROD), format!("resources:\n- ../../base\n{expected}"));
    run
}

/// Promotes, and requires that it is refused for this reason, and nothing is written.
#[track_caller]
fn refused(repository: &Gitops, reason: &str) {
    promote(repository).exits(1).prints(reason);
    assert_eq!(repository.git(["status", "--porcelain"]), "");
}

#[test]
fn a_tag_is_copied_and_nothing_else_changes() {
    becomes(
        "images:\n- name: r/app\n  newTag: v2\n",
        "images: # all\n- name: r/app\n  newTag:   'v1'   # ours\nreplicas: [{name: echo, count: 3}]\n",
        "images: # all\n- name: r/app\n  newTag:   'v2'   # ours\nreplicas: [{name: echo, count: 3}]\n",
    );
}

#[test]
fn a_version_that_is_already_set_is_a_success_without_a_change() {
    let same = "images: [{name: r/app, newTag: v1}]\n";
    becomes(same, same, same).prints("Nothing to do");
}

#[test]
fn a_version_inherited_from_the_base_of_the_source_is_resolved() {
    // Stage inherits v0, prod has gone ahead: going back needs the flag, and never writes an empty tag.
    let repository = overlays("", "images: [{name: r/app, newTag: v1}]\n");
    refused(&repository, "v0 is older than v1");
    repository.ucp(["promote", "stage", "prod", "echo", "--yes", "--allow-downgrade"]).exits(0);
    assert!(repository.read(PROD).contains("newTag: v0"));
}

#[test]
fn a_source_without_any_version_changes_nothing() {
    let repository = overlays("images: [{name: r/app, newTag: v1}]\n", "");
    repository.write("echo/base/deployment.yaml", &deployment("echo", "r/app"));
    let run = repository.ucp(["promote", "prod", "stage", "echo", "--yes", "-o", "json"]).exits(1);
    assert!(run.json()["kept"][0]["reason"].as_str().unwrap().contains("no version"));
}

#[test]
fn an_entry_is_added_in_the_style_of_the_file() {
    becomes(
        "images: [{name: r/app, newTag: v2}]\n",
        "images:\n  - {name: other, newTag: v1}\n",
        "images:\n  - {name: other, newTag: v1}\n  - {name: r/app, newTag: v2}\n",
    )
    .prints("from a base or component");
    becomes("images: [{name: r/app, newTag: v2}]\n", "", "images:\n- name: r/app\n  newTag: v2\n");
}

#[test]
fn an_entry_that_only_the_target_has_is_kept_and_reported() {
    let repository = overlays("images: [{name: r/app, newTag: v2}]\n", "images: [{name: r/app, newTag: v1}]\n");
    repository.write("echo/overlays/prod/extra.yaml", &deployment("extra", "r/extra:v5"));
    repository.write(
        PROD,
        "resources: [../../base, extra.yaml]\nimages: [{name: r/app, newTag: v1}, {name: r/extra, newTag: v6}]\n",
    );
    repository.ucp(["promote", "stage", "prod", "echo", "--dry-run"]).exits(0).prints("only prod has it");
    let plan = repository.ucp(["promote", "stage", "prod", "echo", "--yes", "-o", "json"]).exits(0).json();
    assert_eq!(plan["kept"][0]["image"], "r/extra");
    assert!(repository.read(PROD).contains("{name: r/extra, newTag: v6}"));
}

#[test]
fn new_names_never_move() {
    becomes(
        "images:\n- name: r/app\n  newName: stage.example/app\n  newTag: v2\n",
        "images:\n- name: r/app\n  newName: prod.example/app\n  newTag: v1\n",
        "images:\n- name: r/app\n  newName: prod.example/app\n  newTag: v2\n",
    );
}

#[test]
fn a_tag_inside_of_a_new_name_is_edited_in_place() {
    let repository = overlays(
        "images: [{name: r/app, newTag: v2}]\n",
        "images:\n- name: r/app\n  newName: prod:5000/app:v1 # pinned\n",
    );
    repository.write("echo/base/deployment.yaml", &deployment("echo", "r/app"));
    promote(&repository).exits(0);
    assert!(repository.read(PROD).contains("newName: prod:5000/app:v2 # pinned"));
    assert_eq!(repository.kustomize("echo/overlays/prod"), ["prod:5000/app:v2"]);
}

#[test]
fn tags_and_digests_replace_each_other_without_leftovers() {
    let digest = format!("images: [{{name: r/app, digest: '{DIGEST}'}}]\n");
    becomes(
        &digest,
        "images:\n- name: r/app\n  newTag: v1 # c\n",
        &format!("images:\n- name: r/app\n  digest: {DIGEST} # c\n"),
    );
    let both = format!("images: [{{name: r/app, newTag: v2, digest: '{DIGEST}'}}]\n");
    becomes(
        &both,
        "images:\n- name: r/app\n  newTag: v1\n",
        &format!("images:\n- name: r/app\n  newTag: v2\n  digest: {DIGEST}\n"),
    );
    becomes(
        "images: [{name: r/app, newTag: v2}]\n",
        &format!("images:\n- name: r/app\n  newTag: v1\n  digest: {DIGEST}\n"),
        "images:\n- name: r/app\n  newTag: v2\n",
    );
}

#[test]
fn a_tag_suffix_is_not_removed() {
    refused(
        &overlays("images: [{name: r/app, newTag: v2}]\n", "images: [{name: r/app, tagSuffix: -x}]\n"),
        "tagSuffix",
    );
}

#[test]
fn an_entry_that_only_renames_gets_the_tag() {
    becomes(
        "images: [{name: r/app, newTag: v2}]\n",
        "images:\n- name: r/app\n  newName: prod.example/app\nconfigMapGenerator: []\n",
        "images:\n- name: r/app\n  newName: prod.example/app\n  newTag: v2\nconfigMapGenerator: []\n",
    );
}

#[test]
fn after_a_base_that_renames_the_new_name_is_matched() {
    let repository = overlays("images: [{name: new/app, newTag: v2}]\n", "");
    repository.write(
        "echo/base/kustomization.yaml",
        "resources: [deployment.yaml]\nimages: [{name: r/app, newName: new/app}]\n",
    );
    promote(&repository).exits(0);
    assert!(repository.read(PROD).contains("- name: new/app\n  newTag: v2"));
    assert_eq!(repository.kustomize("echo/overlays/prod"), ["new/app:v2"]);
}

/// Overlays of a remote base that is pinned.
fn pinned(stage: (&str, &str), prod: (&str, &str)) -> Gitops {
    let overlay = |(pin, tag): (&str, &str)| {
        format!(
            "resources:\n- https://github.com/example/app//deploy?ref={pin} # pinned\nimages:\n- name: r/app\n  newTag: {tag}\n"
        )
    };
    Gitops::with(&[(STAGE, &overlay(stage)), (PROD, &overlay(prod))])
}

#[test]
fn refs_of_remote_bases_move_in_lockstep() {
    let repository = pinned(("v2", "v2"), ("v1", "v1"));
    promote(&repository).exits(0);
    assert_eq!(repository.read(PROD), repository.read(STAGE));
    refused(&pinned(("v9", "v2"), ("v1", "v1")), "?ref=v9");
    let apart = pinned(("v2", "v2"), ("v0", "v1"));
    promote(&apart).exits(0);
    assert!(apart.read(PROD).contains("?ref=v0") && apart.read(PROD).contains("newTag: v2"));
}

/// A service whose version is in a patch, as `version.yml`.
fn patched() -> Gitops {
    let overlay = "resources: [../../base]\npatches: [{path: version.yml}]\n";
    let version = |tag: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: echo}}\nspec: {{template: {{spec: {{containers: [{{name: echo, image: 'r/app:{tag}'}}]}}}}}}\n"
        )
    };
    let repository = overlays("", "");
    for (environment, tag) in [("stage", "v2"), ("prod", "v1")] {
        repository.write(&format!("echo/overlays/{environment}/kustomization.yaml"), overlay);
        repository.write(&format!("echo/overlays/{environment}/version.yml"), &version(tag));
    }
    repository.git(["add", "--all"]);
    repository.git(["commit", "--quiet", "-m", "Patch"]);
    repository
}

#[test]
fn an_image_in_a_patch_moves_there_or_with_its_file_by_a_rule() {
    let repository = patched();
    promote(&repository).exits(0);
    assert_eq!(repository.kustomize("echo/overlays/prod"), ["r/app:v2"]);
    assert!(!repository.read("echo/overlays/prod/kustomization.yaml").contains("images"));
    let repository = patched();
    repository.write(".ucp.yaml", "promote: [{file: version.yml}]\n");
    let plan = repository.ucp(["promote", "stage", "prod", "echo", "--yes", "-o", "json"]).exits(0).json();
    assert_eq!((&plan["changes"][0]["before"], &plan["changes"][0]["after"]), (&"v1".into(), &"v2".into()));
    let grounds = plan["grounds"]["objects"].as_array().unwrap();
    let edited = grounds[0].as_str().unwrap();
    assert!(grounds.len() == 1 && edited.starts_with("echo/overlays/prod/version.yml (sha256 "), "{grounds:?}");
    assert_eq!(repository.read("echo/overlays/prod/version.yml"), repository.read("echo/overlays/stage/version.yml"));
    assert_eq!(repository.kustomize("echo/overlays/prod"), ["r/app:v2"]);
}

#[test]
fn helm_values_move_by_path_and_keep_the_rest() {
    let repository = Gitops::with(&[
        (
            ".ucp.yaml",
            "paths: ['clusters/{environment}/{service}']\npromote:\n- file: values.yaml\n  paths: [image.tag, port]\n",
        ),
        ("clusters/stage/api/values.yaml", "image: {tag: v2, repository: x}\nport: 81\nreplicas: 1\n"),
        ("clusters/prod/api/values.yaml", "image:\n  tag: \"v1\" # ours\nport: 80\nreplicas: 9\n"),
    ]);
    repository.ucp(["promote", "stage", "prod", "api", "--yes"]).exits(0);
    assert_eq!(
        repository.read("clusters/prod/api/values.yaml"),
        "image:\n  tag: \"v2\" # ours\nport: 81\nreplicas: 9\n"
    );
    repository.ucp(["images"]).exits(0).prints("values.yaml:image.tag");
}

#[test]
fn patterns_duplicates_and_overlaps_are_refused() {
    let stage = "images: [{name: r/app, newTag: v2}]\n";
    refused(&overlays(stage, "images: [{name: '.*/app', newTag: v1}]\n"), "pattern");
    refused(&overlays(stage, "images: [{name: r.app, newTag: v1}]\n"), "pattern");
    refused(
        &overlays(stage, "images: [{name: r/app, newTag: v1}, {name: r/app, newTag: v1}]\n"),
        "more than one entry",
    );
    let repository = overlays(stage, "images: [{name: r/app, newTag: v1}]\n");
    repository.write(
        "echo/base/kustomization.yaml",
        "resources: [deployment.yaml, other.yaml]\nimages: [{name: r/other, newName: r/app}]\n",
    );
    repository.write("echo/base/other.yaml", &deployment("other", "r/other:v0"));
    repository.git(["add", "--all"]);
    repository.git(["commit", "--quiet", "-m", "Overlap"]);
    refused(&repository, "would also change");
}

#[test]
fn aliases_and_anchors_are_refused() {
    let stage = "images: [{name: r/app, newTag: v2}]\n";
    refused(&overlays(stage, "images:\n- name: r/app\n  newTag: &v v1\ncommonAnnotations: {version: *v}\n"), "anchor");
    refused(&overlays(stage, "commonAnnotations: {version: &v v1}\nimages:\n- name: r/app\n  newTag: *v\n"), "alias");
}

#[test]
fn a_version_that_an_image_automation_owns_is_reported() {
    let flux = "images:\n- name: r/app\n  newTag: v1 # {\"$imagepolicy\": \"flux-system:app:tag\"}\n";
    let run = becomes("images: [{name: r/app, newTag: v2}]\n", flux, &flux.replace("v1", "v2"));
    run.prints("Flux image automation owns");
}

#[test]
fn moving_tags_are_refused_until_a_digest_pins_them() {
    refused(&overlays("images: [{name: r/app, newTag: latest}]\n", "images: [{name: r/app, newTag: v1}]\n"), "digest");
    let pinned = format!("images:\n- name: r/app\n  newTag: latest\n  digest: {DIGEST}\n");
    becomes(&pinned, "images:\n- name: r/app\n  newTag: v1\n", &pinned);
}

#[test]
fn a_base_that_another_environment_builds_on_is_not_edited() {
    let repository = overlays("images: [{name: r/app, newTag: v2}]\n", "images: [{name: r/app, newTag: v1}]\n");
    repository.write("echo/overlays/dr/kustomization.yaml", "resources: [../prod]\nnamePrefix: dr-\n");
    repository.write(".ucp.yaml", "paths: ['{service}/overlays/{environment}']\n");
    repository.git(["add", "--all"]);
    repository.git(["commit", "--quiet", "-m", "Standby"]);
    refused(&repository, "would change both");
}

#[test]
fn a_replacement_that_splits_the_image_at_a_colon_is_reported() {
    let replacement = "replacements:\n- source: {kind: Deployment, fieldPath: 'spec.template.spec.containers.0.image', options: {delimiter: ':', index: 1}}\n  targets: []\n";
    let digest = format!("images: [{{name: r/app, newTag: v2, digest: '{DIGEST}'}}]\n");
    let prod = format!("{replacement}images: [{{name: r/app, newTag: v1}}]\n");
    let repository = overlays(&digest, &prod);
    promote(&repository).exits(0).prints("cuts the image at a colon");
}

#[test]
fn two_kustomization_files_and_two_lists_of_images_are_errors() {
    let stage = "images: [{name: r/app, newTag: v2}]\n";
    let repository = overlays(stage, "images: [{name: r/app, newTag: v1}]\n");
    repository.write("echo/overlays/prod/kustomization.yml", "resources: []\n");
    repository.git(["add", "--all"]);
    repository.git(["commit", "--quiet", "-m", "Twice"]);
    repository.ucp(["images"]).exits(4).prints("are in the same directory");
    refused(
        &overlays(stage, "images: [{name: r/app, newTag: v1}]\nimages: [{name: r/app, newTag: v1}]\n"),
        "occurs twice",
    );
}

#[test]
fn the_flow_limits_the_targets_of_a_promotion() {
    let repository = overlays("images: [{name: r/app, newTag: v2}]\n", "images: [{name: r/app, newTag: v1}]\n");
    repository.write(".ucp.yaml", "flow: {dev: [stage], stage: [canary]}\n");
    promote(&repository).exits(1).prints("it allows canary");
    repository.write(".ucp.yaml", "flow: {stage: [prod]}\n");
    promote(&repository).exits(0);
}

#[test]
fn refused_services_are_skipped_and_listed() {
    let repository = overlays("images: [{name: r/app, newTag: latest}]\n", "images: [{name: r/app, newTag: v1}]\n");
    for (path, text) in [
        ("web/base/kustomization.yaml", "resources: [d.yaml]\n".to_owned()),
        ("web/base/d.yaml", deployment("web", "r/web:v0")),
    ] {
        repository.write(path, &text);
    }
    for (environment, tag) in [("stage", "v2"), ("prod", "v1")] {
        let text = format!("resources: [../../base]\nimages: [{{name: r/web, newTag: {tag}}}]\n");
        repository.write(&format!("web/overlays/{environment}/kustomization.yaml"), &text);
    }
    repository.git(["add", "--all"]);
    repository.git(["commit", "--quiet", "-m", "Web"]);
    repository.ucp(["promote", "stage", "prod", "--all", "--dry-run"]).exits(1).prints("refused");
    repository.ucp(["promote", "stage", "prod", "web", "--dry-run"]).exits(0);
    let run = repository.ucp(["promote", "stage", "prod", "--all", "--yes"]).exits(1);
    run.prints("upgrade").prints("refused");
    run.prints("Skipped entirely: echo");
    assert_eq!(repository.git(["status", "--porcelain"]), " M web/overlays/prod/kustomization.yaml");
}

#[test]
fn unknown_names_are_usage_errors_with_the_nearest() {
    let repository = Gitops::paper("v2", "v1");
    repository.ucp(["promote", "stag", "prod", "echo", "--yes"]).exits(2).prints("did you mean 'stage'?");
    repository.ucp(["promote", "stage", "prod", "eco", "--yes"]).exits(2).prints("did you mean 'echo'?");
    repository.ucp(["promote", "stage", "stage", "echo", "--yes"]).exits(2);
    repository.ucp(["promote", "stage", "prod", "--yes"]).exits(2);
    repository.ucp(["promote", "stage", "prod", "echo"]).exits(2).prints("--yes");
    assert_eq!(repository.git(["status", "--porcelain"]), "");
}

#[test]
fn a_dry_run_changes_nothing_and_prints_the_contract() {
    let repository = Gitops::paper("v2", "v1");
    let plan = repository.ucp(["promote", "stage", "prod", "--all", "--dry-run", "-o", "json"]).exits(0).json();
    assert_eq!((plan["apiVersion"].as_str(), plan["kind"].as_str()), (Some("ucp/v1"), Some("PromotionPlan")));
    assert_eq!((plan["from"].as_str(), plan["to"].as_str()), (Some("stage"), Some("prod")));
    let expected = serde_json::json!([{
        "service": "echo", "image": "dagandersen/echo-server", "file": PROD, "line": 6,
        "before": "v1", "after": "v2", "direction": "upgrade",
    }]);
    assert_eq!(plan["changes"], expected);
    assert_eq!(repository.git(["status", "--porcelain"]), "");
    let markdown = repository.ucp(["promote", "stage", "prod", "--all", "--dry-run", "-o", "markdown"]).exits(0);
    markdown.prints("| echo | dagandersen/echo-server | v1 | v2 | upgrade |");
}

#[test]
fn a_plan_is_a_table_and_a_diff() {
    let repository = Gitops::paper("v0.1.4-x86", "v0.1.3-x86");
    let run = repository.ucp(["promote", "stage", "prod", "echo", "--dry-run"]).exits(0);
    snapbox::assert_data_eq!(
        run.stdout,
        snapbox::str![[r#"
SERVICE   IMAGE                     BEFORE       AFTER        CHANGE    FILE
echo      dagandersen/echo-server   v0.1.3-x86   v0.1.4-x86   upgrade   echo/overlays/prod/kustomization.yaml:6

--- a/echo/overlays/prod/kustomization.yaml
+++ b/echo/overlays/prod/kustomization.yaml
@@ -3,4 +3,4 @@
 
 images:
 - name: dagandersen/echo-server
-  newTag: v0.1.3-x86 # ours
/ No newline at end of file
+  newTag: v0.1.4-x86 # ours
/ No newline at end of file

"#]]
    );
}

/// Values of Helm per environment, the chart of each, and a table of rings.
fn layouts() -> Gitops {
    Gitops::with(&[
        ("charts/web/values-stage.yaml", "image: {repository: r/web, tag: 1.4.0}\nreplicas: 1\n"),
        ("charts/web/values-prod.yaml", "image: {repository: r/web, tag: 1.3.0}\nreplicas: 9\n"),
        (
            "charts/api/values-stage.yaml",
            "image: {repository: r/api, tag: 2.0.0}\nsidecar: {image: {repository: r/proxy, tag: 0.2.0}}\n",
        ),
        (
            "charts/api/values-prod.yaml",
            "image: {repository: r/api, tag: 2.1.0}\nsidecar: {image: {repository: r/proxy, tag: 0.1.0}}\n",
        ),
    ])
}

#[test]
fn values_move_between_environments_like_images() {
    let repository = layouts();
    repository.ucp(["promote", "stage", "prod", "web", "--yes"]).exits(0).prints("1.4.0");
    assert_eq!(repository.read("charts/web/values-prod.yaml"), "image: {repository: r/web, tag: 1.4.0}\nreplicas: 9\n");
    repository.ucp(["promote", "stage", "prod", "web", "--yes"]).exits(0).prints("Nothing to do");
}

#[test]
fn a_service_is_promoted_completely_or_skipped() {
    let repository = layouts();
    let api = repository.read("charts/api/values-prod.yaml");
    repository.ucp(["promote", "stage", "prod", "api", "web", "--yes"]).exits(1).prints("--allow-downgrade");
    assert_eq!(repository.read("charts/web/values-prod.yaml"), "image: {repository: r/web, tag: 1.3.0}\nreplicas: 9\n");
    repository.ucp(["promote", "stage", "prod", "--all", "--yes"]).exits(1).prints("Skipped entirely: api");
    assert_eq!(repository.read("charts/api/values-prod.yaml"), api, "not even its proxy");
    assert!(repository.read("charts/web/values-prod.yaml").contains("1.4.0"));
    repository.ucp(["promote", "stage", "prod", "api", "--only", "proxy", "--yes"]).exits(0);
    assert_eq!(repository.read("charts/api/values-prod.yaml"), api.replace("0.1.0", "0.2.0"));
}

#[test]
fn a_name_that_selects_nothing_is_an_error() {
    let overlay = |tag: &str| format!("resources: [../../base]\nimages:\n- name: r.io/web\n  newTag: {tag}\n");
    let repository = Gitops::with(&[
        ("shop/base/kustomization.yaml", "resources: [d.yaml]\n"),
        ("shop/base/d.yaml", &deployment("web", "r.io/web")),
        ("shop/overlays/stage/kustomization.yaml", &overlay("v2")),
        ("shop/overlays/prod/kustomization.yaml", &overlay("v1")),
    ]);
    let run = repository.ucp(["promote", "stage", "prod", "shop", "--only", "r.io/wbe", "--yes"]).exits(1);
    run.prints("--only selects nothing");
    assert_eq!(repository.git(["status", "--porcelain"]), "");
}

#[test]
fn ranges_and_branches_move_only_where_they_are_named() {
    let application = |revision: &str, environment: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: db-{environment}}}\nspec:\n  source: {{repoURL: \
             'https://charts.example.org', chart: db, targetRevision: '{revision}'}}\n"
        )
    };
    let repository = Gitops::with(&[
        ("argocd/stage/db.yaml", &application(">=2.0.0", "stage")),
        ("argocd/prod/db.yaml", &application(">=1.0.0", "prod")),
    ]);
    let ranges = repository.ucp(["promote", "stage", "prod", "--all", "--yes"]).exits(1);
    ranges.prints("a range of versions").prints("Nothing was written: 1 version stays");
    assert!(repository.read("argocd/prod/db.yaml").contains(">=1.0.0"));
    repository.ucp(["promote", "stage", "prod", "--all", "--only", "db", "--yes"]).exits(0);
    assert!(repository.read("argocd/prod/db.yaml").contains(">=2.0.0"));
}

#[test]
fn a_digest_in_a_patch_is_replaced_by_another() {
    let (old, new) = (format!("sha256:{}", "0a".repeat(32)), format!("sha256:{}", "0b".repeat(32)));
    let overlay = "resources: [../../base]\npatches: [{path: version.yml}]\n";
    let patch = |digest: &str| {
        deployment("echo", &format!("r.io/team/echo@{digest}"))
            .replace("metadata: {name: echo}", "metadata: {name: echo} # kept")
    };
    let repository = Gitops::with(&[
        ("echo/base/kustomization.yaml", "resources: [deployment.yaml]\n"),
        ("echo/base/deployment.yaml", &deployment("echo", "r.io/team/echo")),
        ("echo/overlays/stage/kustomization.yaml", overlay),
        ("echo/overlays/stage/version.yml", &patch(&new)),
        ("echo/overlays/prod/kustomization.yaml", overlay),
        ("echo/overlays/prod/version.yml", &patch(&old)),
    ]);
    repository.ucp(["promote", "stage", "prod", "--all", "--yes"]).exits(0);
    assert_eq!(repository.read("echo/overlays/prod/version.yml"), patch(&new));
}

/// A Kustomization of Flux that sets an image.
fn flux_images(version: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: shop}}\nspec:\n  path: ./shop\n  images:\n  - \
         name: web\n    newName: r.example.org/web\n    newTag: {version}\n"
    )
}

#[test]
fn images_of_flux_move_with_and_without_a_selection() {
    for only in [&[][..], &["--only", "web"]] {
        let kustomization = "resources: [shop.yaml]\n";
        let repository = Gitops::with(&[
            ("teams/shop/stage/kustomization.yaml", kustomization),
            ("teams/shop/stage/shop.yaml", &flux_images("1.3.0")),
            ("teams/shop/prod/kustomization.yaml", kustomization),
            ("teams/shop/prod/shop.yaml", &flux_images("1.2.0")),
        ]);
        let command = ["promote", "stage", "prod", "shop", "--yes"].iter().chain(only).copied();
        repository.ucp(command).exits(0);
        assert!(repository.read("teams/shop/prod/shop.yaml").contains("newTag: 1.3.0"), "{only:?}");
    }
}

#[test]
fn a_cluster_is_promoted_by_its_releases() {
    let release = |name: &str, version: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: {name}}}\nspec:\n  chart:\n    spec: {{chart: \
             {name}, version: {version}}}\n"
        )
    };
    let repository = Gitops::with(&[
        ("base/kustomization.yaml", "resources: [controller.yaml]\n"),
        ("base/controller.yaml", &deployment("controller", "r/controller:v1")),
    ]);
    for (environment, version) in [("stage", "1.3.0"), ("prod", "1.2.0")] {
        let resources = "resources: [../../base, third-party/grafana/release.yaml, third-party/velero/release.yaml]\n";
        repository.write(&format!("clusters/{environment}/kustomization.yaml"), resources);
        for name in ["grafana", "velero"] {
            let file = format!("clusters/{environment}/third-party/{name}/release.yaml");
            repository.write(&file, &release(name, version));
        }
    }
    repository.git(["add", "--all"]);
    repository.git(["commit", "--quiet", "-m", "Clusters"]);
    repository.ucp(["promote", "stage", "prod", "grafana", "--yes"]).exits(0);
    let status = repository.git(["status", "--porcelain"]);
    assert_eq!(status.trim(), "M clusters/prod/third-party/grafana/release.yaml");
}

/// Git does not show changes of these files, and a commit would include them.
#[test]
fn hidden_changes_are_not_committed_and_a_rebase_is_not_joined() {
    let commit =
        |repository: &Gitops| repository.ucp(["promote", "stage", "prod", "echo", "--yes", "--commit"]).exits(1);
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let repository = Gitops::paper("v2", "v1");
        repository.git(["update-index", flag, PROD]);
        let text = format!("{}\n# local secret\n", repository.read(PROD));
        repository.write(PROD, &text);
        commit(&repository).prints("ignore changes of these files");
        assert_eq!(repository.read(PROD), text);
    }
    let repository = Gitops::paper("v2", "v1");
    std::fs::create_dir(repository.top().join(".git/rebase-merge")).unwrap();
    commit(&repository).prints("a rebase is in progress");
}

#[test]
fn a_sparse_checkout_makes_the_result_incomplete() {
    let repository = Gitops::with(&[
        ("api/overlays/stage/kustomization.yaml", "images: [{name: r/api, newTag: v2}]\n"),
        ("api/overlays/prod/kustomization.yaml", "images: [{name: r/api, newTag: v1}]\n"),
        ("web/overlays/stage/kustomization.yaml", "images: [{name: r/web, newTag: v1}]\n"),
        ("web/overlays/prod/kustomization.yaml", "images: [{name: r/web, newTag: v1}]\n"),
    ]);
    repository.git(["sparse-checkout", "set", "web"]);
    for words in [
        &["images"][..],
        &["promote", "stage", "prod", "--all", "--check"],
        &["promote", "stage", "prod", "--all", "--yes"],
    ] {
        repository.ucp(words).exits(4).prints("the checkout is sparse: 2 files that Git tracks are not in it");
    }
}
