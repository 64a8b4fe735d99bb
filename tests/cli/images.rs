//! `images`: common layouts, and the environments and versions that are found in them.

use crate::gitops::{Gitops, deployment};

/// A repository of these services in stage and prod, with the directory of each from a pattern.
fn layout(pattern: &str, base: &str, services: &[&str]) -> Gitops {
    let repository = Gitops::with(&[]);
    for service in services {
        let base = base.replace("SERVICE", service);
        repository.write(&format!("{base}/kustomization.yaml"), "resources: [deployment.yaml]\n");
        repository.write(&format!("{base}/deployment.yaml"), &deployment(service, &format!("r/{service}")));
        for (environment, tag) in [("dev", "v3"), ("stage", "v2"), ("prod", "v1")] {
            let directory = pattern.replace("SERVICE", service).replace("ENV", environment);
            let up = "../".repeat(directory.split('/').count());
            let text = format!("resources: [{up}{base}]\nimages: [{{name: r/{service}, newTag: {tag}}}]\n");
            repository.write(&format!("{directory}/kustomization.yaml"), &text);
        }
    }
    repository
}

/// `SERVICE IMAGE` and the versions by environment, as text.
fn rows(repository: &Gitops) -> (Vec<String>, Vec<String>) {
    let run = repository.ucp(["images"]).exits(0);
    let mut lines = run.stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let header = lines.next().unwrap_or_default();
    (header.split(' ').skip(2).map(str::to_lowercase).collect(), lines.collect())
}

#[test]
fn layouts_are_found_by_following_the_kustomizations() {
    for (pattern, base) in [
        ("SERVICE/overlays/ENV", "SERVICE/base"),
        ("overlays/ENV/SERVICE", "base/SERVICE"),
        ("apps/ENV/SERVICE", "bases/SERVICE"),
        ("ENV/SERVICE", "common/SERVICE"),
        ("services/SERVICE/deploy/ENV", "services/SERVICE/deploy/base"),
        ("clusters/ENV/apps/SERVICE/kustomize", "library/SERVICE"),
        ("apps/SERVICE-ENV", "apps/SERVICE"),
    ] {
        let (environments, rows) = rows(&layout(pattern, base, &["api", "web"]));
        assert_eq!(environments, ["dev", "stage", "prod"], "{pattern}");
        assert_eq!(rows.len(), 2, "{pattern}: {rows:?}");
        for (row, service) in rows.iter().zip(["api", "web"]) {
            assert!(row.starts_with(service) && row.ends_with(&format!("r/{service} v3 v2 v1")), "{pattern}: {row}");
        }
    }
}

#[test]
fn the_only_service_of_a_repository_is_named_after_its_image() {
    let repository = layout("envs/ENV", "base", &["app"]);
    let (environments, rows) = rows(&repository);
    assert_eq!((environments.len(), rows), (3, vec!["app r/app v3 v2 v1".to_owned()]));
}

#[test]
fn environments_may_have_any_name() {
    let repository = layout("SERVICE/overlays/ENV", "SERVICE/base", &["api", "web"]);
    for service in ["api", "web"] {
        for (old, new) in [("dev", "blue"), ("stage", "green")] {
            repository.git(["mv", "-k", "a", "b"]);
            std::fs::rename(
                repository.top().join(format!("{service}/overlays/{old}")),
                repository.top().join(format!("{service}/overlays/{new}")),
            )
            .unwrap();
        }
    }
    let (mut environments, rows) = rows(&repository);
    environments.sort();
    assert_eq!((environments, rows.len()), (vec!["blue".to_owned(), "green".to_owned(), "prod".to_owned()], 2));
}

#[test]
fn components_collections_and_middle_bases_are_not_overlays() {
    let repository = layout("apps/SERVICE/overlays/ENV", "apps/SERVICE/base", &["api", "web"]);
    repository.write(
        "clusters/prod/kustomization.yaml",
        "resources: [../../apps/api/overlays/prod, ../../apps/web/overlays/prod]\n",
    );
    repository.write("apps/api/component/kustomization.yaml", "kind: Component\nimages: [{name: r/api, newTag: v7}]\n");
    repository.write("apps/api/overlays/nonprod/kustomization.yaml", "resources: [../../base]\n");
    repository
        .write("apps/api/overlays/dev/kustomization.yaml", "resources: [../nonprod]\ncomponents: [../../component]\n");
    let (environments, rows) = rows(&repository);
    assert_eq!(environments, ["dev", "stage", "prod"]);
    assert_eq!(rows, ["api r/api v7 v2 v1", "web r/web v3 v2 v1"]);
    let explained = repository.ucp(["images", "--explain"]).exits(0);
    explained.prints("a collection of overlays").prints("a component").prints("a base of other kustomizations");
    let json = repository.ucp(["images", "--explain", "-o", "json"]).exits(0).json();
    assert_eq!(json["discovery"]["others"]["apps/api/component"], "a component");
}

#[test]
fn a_base_shared_by_services_defines_no_environment() {
    let repository = Gitops::with(&[
        ("common/kustomization.yaml", "resources: [pod.yaml]\n"),
        ("common/pod.yaml", "kind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: r/a}]}\n"),
    ]);
    for service in ["api", "web"] {
        let overlay = "resources: [../../common]\nimages: [{name: r/a, newTag: v1}]\n";
        repository.write(&format!("{service}/prod/kustomization.yaml"), overlay);
    }
    assert_eq!(rows(&repository), (vec!["prod".to_owned()], vec!["api r/a v1".to_owned(), "web r/a v1".to_owned()]));
}

#[test]
fn a_service_in_a_single_environment_uses_the_layout_of_the_others() {
    let repository = layout("SERVICE/overlays/ENV", "SERVICE/base", &["api", "web"]);
    std::fs::remove_dir_all(repository.top().join("web/overlays/dev")).unwrap();
    std::fs::remove_dir_all(repository.top().join("web/overlays/stage")).unwrap();
    let (_, rows) = rows(&repository);
    assert_eq!(rows, ["api r/api v3 v2 v1", "web r/web - - v1"]);
}

#[test]
fn settings_of_the_repository_override_detected_environments() {
    let repository = layout("SERVICE/overlays/ENV", "SERVICE/base", &["api", "web"]);
    repository.write(".ucp.yaml", "environments: [prod, dev]\nignore: [web]\n");
    let (environments, found) = rows(&repository);
    assert_eq!(
        (environments, found),
        (vec!["prod".into(), "dev".into(), "stage".into()], vec!["api r/api v1 v3 v2".to_owned()])
    );
    repository.write(".ucp.yaml", "paths: ['{environment}/overlays/{service}']\n");
    let (environments, _) = rows(&repository);
    assert_eq!(environments, ["api", "web"]);
    repository.write(".ucp.yaml", "pathes: []\n");
    repository.ucp(["images"]).exits(2).prints(".ucp.yaml").prints("pathes");
}

#[test]
fn the_document_keeps_its_contract() {
    let repository = Gitops::paper("v2", "v1");
    let mut matrix = repository.ucp(["images", "-o", "json"]).exits(0).json();
    assert!(matrix["source"]["path"].as_str().unwrap().ends_with("/apps"));
    matrix.as_object_mut().unwrap().remove("source");
    let slots = |environment: &str| {
        let file = format!("echo/overlays/{environment}/kustomization.yaml");
        let text = repository.read(&file);
        let line = text.lines().position(|line| line.contains("newTag")).unwrap() + 1;
        serde_json::json!([{"file": file, "line": line, "path": "images[0].newTag", "by": "kustomize images"}])
    };
    let expected = serde_json::json!({
        "apiVersion": "ucp/v1", "kind": "ImageMatrix", "environments": ["stage", "prod"],
        "services": [{"name": "echo", "images": [{
            "name": "dagandersen/echo-server", "kind": "image",
            "versions": {"prod": {"declared": "v1", "slots": slots("prod")}, "stage": {"declared": "v2", "slots": slots("stage")}},
        }]}],
        "unreadable": [],
    });
    assert_eq!(matrix, expected);
    repository
        .ucp(["images", "-o", "markdown"])
        .exits(0)
        .prints("| echo | dagandersen/echo-server | **v2** | **v1** |")
        .prints("<sub>repository ");
    repository.ucp(["images", "-o", "name"]).exits(0).prints("echo/dagandersen/echo-server");
    repository.ucp(["images", "ecko"]).exits(2).prints("did you mean 'echo'?");
}

/// An Application of stage that runs a version.
pub(crate) fn application(version: &str, health: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: stage-echo, namespace: argocd}}\nspec:\n  project: default\n  \
         source: {{repoURL: 'https://example.org/apps.git', path: ./echo/overlays/stage}}\n  destination: {{name: stage}}\nstatus:\n  \
         sync: {{status: Synced}}\n  health: {{status: {health}, lastTransitionTime: '2026-11-20T09:00:00Z'}}\n  \
         summary: {{images: ['dagandersen/echo-server:{version}']}}\n  reconciledAt: '2026-11-20T09:20:00Z'\n  \
         history: [{{id: 0, deployedAt: '2026-11-20T09:00:00Z', deployStartedAt: '2026-11-20T09:00:00Z', revision: a}}]\n"
    )
}

#[test]
fn running_versions_are_shown_next_to_declared_versions() {
    let repository = Gitops::paper("v2", "v1");
    let snapshot = repository.outside().join("snapshot.yaml");
    let from = ["--from", snapshot.to_str().unwrap()];
    std::fs::write(&snapshot, application("v1", "Healthy")).unwrap();
    repository.ucp(["images"].into_iter().chain(from)).exits(0).prints("v2 (runs v1)");
    std::fs::write(&snapshot, application("v2", "Healthy")).unwrap();
    let matrix = repository.ucp(["images", "-o", "json"].into_iter().chain(from)).exits(0).json();
    let versions = &matrix["services"][0]["images"][0]["versions"];
    assert_eq!((&versions["stage"]["declared"], &versions["stage"]["running"]), (&"v2".into(), &"v2".into()));
    assert_eq!((&versions["prod"]["declared"], versions["prod"].get("running")), (&"v1".into(), None));
}

/// A Kustomization of Flux that applied the overlay of stage: a workload that runs a version, ready or not.
fn kustomization(version: &str, ready: &str) -> String {
    let time = "2026-11-20T09:00:00Z";
    let labels = "{kustomize.toolkit.fluxcd.io/name: stage, kustomize.toolkit.fluxcd.io/namespace: flux-system}";
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: stage, namespace: flux-system}}\nspec:\n  \
         path: ./echo/overlays/stage\n  sourceRef: {{kind: GitRepository, name: apps}}\nstatus:\n  lastAppliedRevision: main@sha1:a\n  \
         lastAttemptedRevision: main@sha1:a\n  conditions: [{{type: Ready, status: '{ready}', reason: R, lastTransitionTime: '{time}'}}]\n\
         ---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {{name: apps, namespace: flux-system}}\n\
         spec: {{url: 'https://example.org/apps.git'}}\n\
         ---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: echo\n  namespace: default\n  labels: {labels}\n\
         spec: {{template: {{spec: {{containers: [{{name: echo, image: 'dagandersen/echo-server:{version}'}}]}}}}}}\n\
         status: {{observedGeneration: 1, replicas: 1, readyReplicas: 1, updatedReplicas: 1, availableReplicas: 1}}\n\
         ---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: kustomize-controller, namespace: flux-system}}\n\
         spec: {{template: {{spec: {{containers: [{{name: manager, image: 'ghcr.io/fluxcd/kustomize-controller:v1.9.0'}}]}}}}}}\n\
         status: {{readyReplicas: 1}}\n\
         ---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: source-controller, namespace: flux-system}}\n\
         spec: {{template: {{spec: {{containers: [{{name: manager, image: 'ghcr.io/fluxcd/source-controller:v1.9.0'}}]}}}}}}\n\
         status: {{readyReplicas: 1}}\n\
         ---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: other, namespace: default}}\n\
         spec: {{template: {{spec: {{containers: [{{name: echo, image: 'dagandersen/echo-server:v9'}}]}}}}}}\n"
    )
}

#[test]
fn versions_applied_by_flux_count_as_running() {
    let repository = Gitops::paper("v2", "v1");
    let snapshot = repository.outside().join("snapshot.yaml");
    let from = ["--from", snapshot.to_str().unwrap()];
    let promote = || repository.ucp(["promote", "stage", "prod", "--all", "--verify", "--yes"].into_iter().chain(from));
    std::fs::write(&snapshot, kustomization("v1", "True")).unwrap();
    repository.ucp(["images"].into_iter().chain(from)).exits(0).prints("v2 (runs v1)");
    promote().exits(1).prints("Kustomization flux-system/stage runs v1");
    std::fs::write(&snapshot, kustomization("v2", "False")).unwrap();
    promote().exits(1).prints("Kustomization flux-system/stage is R");
    std::fs::write(&snapshot, kustomization("v2", "True")).unwrap();
    promote().exits(0);
}

#[test]
fn verify_only_promotes_versions_that_run_and_are_healthy() {
    let repository = Gitops::paper("v2", "v1");
    let snapshot = repository.outside().join("snapshot.yaml");
    let promote = |text: &str, more: &[&str]| {
        std::fs::write(&snapshot, text).unwrap();
        let fixed =
            ["promote", "stage", "prod", "echo", "--dry-run", "-o", "json", "--from", snapshot.to_str().unwrap()];
        repository.ucp(fixed.into_iter().chain(more.iter().copied()))
    };
    let refusal = |text: &str, more: &[&str]| {
        let run = promote(text, more);
        let reason = run.json()["refused"][0]["reason"].as_str().unwrap_or_default().to_owned();
        assert_eq!(run.code, Some(i32::from(!reason.is_empty())), "{run:?}");
        reason
    };
    assert!(refusal(&application("v1", "Healthy"), &["--verify"]).contains("runs v1"));
    assert!(refusal(&application("v2", "Progressing"), &["--verify"]).contains("Progressing"));
    let shown = ["promote", "stage", "prod", "echo", "--verify", "--dry-run", "--from", snapshot.to_str().unwrap()];
    assert!(!repository.ucp(shown).exits(1).stdout.contains("+++"), "a refused change has no diff");
    assert_eq!(refusal(&application("v2", "Healthy"), &["--verify"]), "");
    // The snapshot speaks of its newest moment: twenty minutes after the deployment.
    assert_eq!(refusal(&application("v2", "Healthy"), &["--soak", "20m"]), "");
    assert!(refusal(&application("v2", "Healthy"), &["--soak", "21m"]).contains("--soak requires 21m"));
    repository.ucp(["promote", "stage", "prod", "echo", "--dry-run"]).exits(0).prints("was not verified");
    repository.write(".ucp.yaml", "verify: {soak: 21m}\n");
    assert!(refusal(&application("v2", "Healthy"), &[]).contains("--soak"));
    let refused = ["promote", "stage", "prod", "echo", "--dry-run", "--no-verify", "-o", "json"];
    assert_eq!(repository.ucp(refused).exits(0).json()["refused"].as_array().map(Vec::len), Some(0));
}

#[test]
fn manifests_of_build_tools_declare_no_deployed_versions() {
    let repository = layout("SERVICE/overlays/ENV", "SERVICE/base", &["api"]);
    let expected = rows(&repository);
    repository.write("Cargo.toml", "[workspace.dependencies]\nserde = { version = \"1.0.200\" }\n");
    repository.write("tools/package.json", "{\"name\": \"tools\", \"version\": \"1.4.2\"}\n");
    assert_eq!(rows(&repository), expected);
}

#[test]
fn a_missing_resource_does_not_affect_other_images() {
    let repository = layout("SERVICE/overlays/ENV", "SERVICE/base", &["api"]);
    repository.write("api/base/kustomization.yaml", "resources: [deployment.yaml, gone.yaml]\n");
    let run = repository.ucp(["images"]).exits(4);
    run.prints("api/base/gone.yaml").prints("v3").prints("v1");
    let promoted = repository.ucp(["promote", "stage", "prod", "api", "--yes"]).exits(0);
    promoted.prints("the overlay was not read completely").prints("gone.yaml");
    assert!(repository.read("api/overlays/prod/kustomization.yaml").contains("newTag: v2"));
}

#[test]
fn a_pointer_of_git_lfs_and_several_documents_are_named() {
    let repository = layout("SERVICE/overlays/ENV", "SERVICE/base", &["api"]);
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0a\nsize 12\n";
    repository.write("api/overlays/stage/kustomization.yaml", pointer);
    repository.write("api/overlays/prod/kustomization.yaml", "images: []\n---\nimages: []\n");
    let run = repository.ucp(["images"]).exits(4);
    run.prints("api/overlays/stage/kustomization.yaml: a Git LFS pointer").prints("git lfs pull");
    run.prints("api/overlays/prod/kustomization.yaml: line").prints("more than one document");
    let file = repository.top().join("api/overlays/stage/kustomization.yaml");
    repository.ucp(["set-version", "--file", file.to_str().unwrap(), ".size=13", "--yes"]).exits(3).prints("Git LFS");
    assert_eq!(repository.read("api/overlays/stage/kustomization.yaml"), pointer);
}

#[test]
fn with_many_environments_each_version_is_a_row() {
    let repository = Gitops::with(&[]);
    for index in 0..12 {
        let tag = if index < 7 { "1.4.0" } else { "1.3.0" };
        let text = format!("image:\n  repository: r/api\n  tag: {tag}\n");
        repository.write(&format!("clusters/c{index}/api.yaml"), &text);
    }
    let run = repository.ucp(["images"]).exits(0);
    run.prints("ENVIRONMENTS").prints("c0, c1, c2, c3, c4, c5, c6");
    assert_eq!(run.stdout.lines().count(), 3, "{}", run.stdout);
    repository.ucp(["images", "-o", "markdown"]).exits(0).prints("| api | r/api | 1.3.0 | c10, c11, c7, c8, c9 |");
}

#[test]
fn variants_that_share_a_base_are_not_environments() {
    let repository = layout("SERVICE/overlays/ENV", "SERVICE/base", &["api", "web"]);
    for variant in ["with-mesh", "with-storage"] {
        repository.write(
            &format!("web/extra/{variant}/kustomization.yaml"),
            "resources: [../../base]\nimages: [{name: r/web, newTag: v9}]\n",
        );
    }
    repository.write("tests/api/stage/kustomization.yaml", "resources: [../../../api/base]\n");
    let (environments, _) = rows(&repository);
    assert_eq!(environments, ["all", "dev", "stage", "prod"]);
}
