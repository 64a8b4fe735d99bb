//! `set-version`: versions of every kind, by the names that people type.

use crate::gitops::{Gitops, deployment};

/// An application of every layout: a HelmRelease with its source, values per environment, a table of rings, a workload.
fn repository() -> Gitops {
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: api}\nspec:\n  chart:\n    spec:\n      chart: \
                   api-chart\n      version: 1.0.0 # the chart\n  values:\n    image:\n      repository: ghcr.io/example/api\n      tag: v2.0.0 \
                   # {\"$imagepolicy\": \"flux-system:api-policy:tag\"}\n";
    Gitops::with(&[
        ("apps/api/helmrelease.yaml", release),
        ("charts/web/values-stage.yaml", "image:\n  repository: ghcr.io/example/web\n  tag: 1.4.0\nreplicas: 1\n"),
        ("charts/web/values-prod.yaml", "image:\n  repository: ghcr.io/example/web\n  tag: 1.3.0\nreplicas: 9\n"),
        (
            "rings.json",
            "{\n  \"queue\": {\"ring1\": \"1.1.0\", \"prod\": \"1.0.0\"},\n  \"cache\": {\"ring1\": \"3.1.0\", \"prod\": \"3.0.0\"}\n}\n",
        ),
        ("jobs/one.yaml", &deployment("one", "busybox:1.36")),
        ("jobs/two.yaml", &deployment("two", "busybox:1.36")),
        ("jobs/old.yaml", &deployment("old", "alpine:3.18")),
        ("jobs/new.yaml", &deployment("new", "alpine:3.20")),
    ])
}

/// The changes, as `file: line` pairs of the new text.
fn changed(repository: &Gitops) -> Vec<String> {
    let diff = repository.git(["diff", "--unified=0", "--no-color"]);
    let lines = diff.lines().filter(|line| line.starts_with('+') && !line.starts_with("+++"));
    lines.map(|line| line[1..].trim().to_owned()).collect()
}

#[test]
fn a_version_is_found_by_any_common_name() {
    for (arguments, expected) in [
        (&["ghcr.io/example/api=v2.1.0"][..], "tag: v2.1.0 # {\"$imagepolicy\": \"flux-system:api-policy:tag\"}"),
        (&["flux-system:api-policy=v2.1.0"], "tag: v2.1.0 # {\"$imagepolicy\": \"flux-system:api-policy:tag\"}"),
        (&["api-chart=1.1.0"], "version: 1.1.0 # the chart"),
        (&["prod", "web=1.4.0"], "tag: 1.4.0"),
        (&["prod", "queue=1.1.0"], "\"queue\": {\"ring1\": \"1.1.0\", \"prod\": \"1.1.0\"},"),
        (&["alpine=3.20"], "image: alpine:3.20"),
    ] {
        let repository = repository();
        repository.ucp(["set-version", "--yes"].into_iter().chain(arguments.iter().copied())).exits(0);
        assert_eq!(changed(&repository), [expected], "{arguments:?}");
        let again = repository.ucp(["set-version", "--yes"].into_iter().chain(arguments.iter().copied()));
        again.exits(0).prints("Nothing to do");
    }
}

/// A format does not choose between artifacts: an omitted artifact may be the right one.
#[test]
fn a_format_does_not_choose_between_artifacts() {
    let repository = Gitops::with(&[
        // One artifact in two formats.
        ("onco/core.yaml", &deployment("core", "example/onco:3.0.6")),
        ("onco/beta.yaml", &deployment("beta", "example/onco:3.0.7-resistance.0")),
        // The named artifact has another format than its neighbor.
        ("time/db.yaml", &deployment("db", "example/timescale:latest-pg16")),
        ("time/connect.yaml", &deployment("connect", "example/connect:latest")),
        ("web/app.yaml", &deployment("app", "example/web:sha-0a1b2c3")),
        ("web/proxy.yaml", &deployment("proxy", "nginx:1.25.0")),
        // A base whose version overlays override.
        ("apps/api/base/kustomization.yaml", "resources: [d.yaml]\n"),
        ("apps/api/base/d.yaml", &deployment("api", "example/api:v1.9.1")),
        (
            "apps/api/overlays/stage/kustomization.yaml",
            "resources: [../../base]\nimages: [{name: example/api, newTag: v1.12.2}]\n",
        ),
        (
            "apps/api/overlays/prod/kustomization.yaml",
            "resources: [../../base]\nimages: [{name: example/api, newTag: v1.12.1}]\n",
        ),
    ]);
    for request in ["example/onco=3.0.8-alpha.0", "timescale=2.22.1", "web=1.26.0", "api=v1.12.3"] {
        let ran = repository.ucp(["set-version", request, "--yes"]);
        assert_ne!(ran.code, Some(0), "{request}");
        assert_eq!(changed(&repository), Vec::<String>::new(), "{request}");
    }
    repository.ucp(["set-version", "nginx=1.26.0", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["image: nginx:1.26.0"]);
}

/// Addresses, selectors, and the versions of protocols are no versions of software.
#[test]
fn addresses_selectors_and_protocol_versions_are_not_versions() {
    let of = |number: usize| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  selector: {{matchLabels: {{app: web, version: v1.{number}}}}}\n\
             \x20 template:\n    spec:\n      containers:\n      - name: web\n        image: example/web:v1.{number}.0\n\
             \x20       args: [--db=postgres://10.{number}.0.5:5432/app, --up=http://10.{number}.0.5:9090/, --m=mongodb://10.{number}.0.5:27017]\n\
             ---\napiVersion: v1\nkind: Service\nmetadata: {{name: web}}\nspec: {{selector: {{version: v1.{number}}}}}\n\
             ---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web}}\ndata: {{AT: '10:{number}0', DB: 'redis://10.{number}.0.5:6379/0', \
             TLS_SERVE_VERSION: '1.{number}', ignition: '{{\"ignition\": {{\"version\": \"3.{number}.0\"}}}}'}}\n"
        )
    };
    let (stage, prod) = (of(3), of(2));
    let repository = Gitops::with(&[("web/stage/d.yaml", &stage), ("web/prod/d.yaml", &prod)]);
    repository.ucp(["promote", "stage", "prod", "--all", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["image: example/web:v1.3.0"]);
}

/// An edit through a link would change another environment.
#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    let overlay = "resources: [../../base]\nimages: [{name: example/api, newTag: v1.0.0}]\n";
    let repository = Gitops::with(&[
        ("api/base/kustomization.yaml", "resources: [d.yaml]\n"),
        ("api/base/d.yaml", &deployment("api", "example/api:v1.0.0")),
        ("api/overlays/dev/kustomization.yaml", overlay),
        ("api/overlays/prod/d.yaml", "a: b\n"),
    ]);
    let link = repository.top().join("api/overlays/prod/kustomization.yaml");
    std::os::unix::fs::symlink("../dev/kustomization.yaml", link).unwrap();
    repository.git(["add", "."]);
    repository.git(["commit", "-qm", "link"]);
    let ran = repository.ucp(["set-version", "prod", "api=v1.1.0", "--yes"]);
    assert_ne!(ran.code, Some(0));
    assert_eq!(changed(&repository), Vec::<String>::new());
}

#[test]
fn places_with_the_same_version_are_set_together_and_others_are_listed() {
    let repository = repository();
    repository.ucp(["set-version", "busybox=1.37", "--yes"]).exits(0).prints("jobs/one.yaml").prints("jobs/two.yaml");
    assert_eq!(changed(&repository), ["image: busybox:1.37", "image: busybox:1.37"]);
    let several = repository.ucp(["set-version", "alpine=3.21", "--yes"]).exits(2);
    several.prints("jobs/old.yaml").prints("jobs/new.yaml").prints("3.18");
    let environments = repository.ucp(["set-version", "web=2.0.0", "--yes"]).exits(2);
    environments.prints("values-prod.yaml").prints("values-stage.yaml").prints("several environments");
    assert_eq!(changed(&repository).len(), 2, "ambiguous places are not written");
    repository.ucp(["set-version", "prod", "quue=2.0.0", "--yes"]).exits(2).prints("did you mean");
    repository.ucp(["set-version", "prood", "web=2.0.0", "--yes"]).exits(2).prints("did you mean 'prod'?");
}

#[test]
fn older_versions_of_charts_and_tables_are_guarded_like_images() {
    let repository = repository();
    repository.ucp(["set-version", "api-chart=0.9.0", "--yes"]).exits(1).prints("--allow-downgrade");
    repository.ucp(["set-version", "prod", "queue=0.9.0", "--yes"]).exits(1).prints("--allow-downgrade");
    assert!(changed(&repository).is_empty());
    repository.ucp(["set-version", "api-chart=0.9.0", "--yes", "--allow-downgrade"]).exits(0);
    assert_eq!(changed(&repository), ["version: 0.9.0 # the chart"]);
}

#[test]
fn set_image_does_not_change_charts() {
    let repository = repository();
    repository.ucp(["set-image", "api-chart=1.1.0", "--yes"]).exits(2).prints("no service or artifact is named");
    repository.ucp(["set-image", "api=v2.1.0", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["tag: v2.1.0 # {\"$imagepolicy\": \"flux-system:api-policy:tag\"}"]);
}

#[test]
fn without_an_environment_the_base_is_set_for_all() {
    let repository = Gitops::with(&[
        ("echo/base/kustomization.yaml", "resources: [deployment.yaml]\n"),
        ("echo/base/deployment.yaml", &deployment("echo", "r/echo:v1")),
        ("echo/overlays/stage/kustomization.yaml", "resources: [../../base]\n"),
        ("echo/overlays/prod/kustomization.yaml", "resources: [../../base]\n"),
    ]);
    repository.ucp(["set-version", "echo=v2", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["image: r/echo:v2"]);
}

#[test]
fn a_version_that_another_setting_overrides_is_refused() {
    let overlay = "echo/overlays/prod/kustomization.yaml";
    let cases = [
        (
            "transformers: [tag.yaml]\n",
            Some((
                "tag.yaml",
                "apiVersion: builtin\nkind: ImageTagTransformer\nmetadata: {name: t}\nimageTag: {name: r/echo, newTag: v9}\n",
            )),
            "transformer",
        ),
        (
            "replacements:\n- source: {kind: ConfigMap, name: v, fieldPath: data.image}\n  targets: [{select: {kind: Deployment}, fieldPaths: \
             [spec.template.spec.containers.0.image]}]\n",
            None,
            "replacements",
        ),
        ("", Some((".argocd-source-echo.yaml", "kustomize: {images: ['r/echo:v9']}\n")), "Argo CD"),
    ];
    for (more, file, reason) in cases {
        let repository = Gitops::with(&[
            ("echo/base/kustomization.yaml", "resources: [deployment.yaml]\n"),
            ("echo/base/deployment.yaml", &deployment("echo", "r/echo:v1")),
            (
                "echo/overlays/stage/kustomization.yaml",
                "resources: [../../base]\nimages: [{name: r/echo, newTag: v2}]\n",
            ),
            (overlay, &format!("resources: [../../base]\nimages: [{{name: r/echo, newTag: v1}}]\n{more}")),
        ]);
        if let Some((name, text)) = file {
            repository.write(&format!("echo/overlays/prod/{name}"), text);
        }
        let before = repository.read(overlay);
        repository.ucp(["set-image", "prod", "echo=v2", "--yes"]).exits(1).prints(reason);
        repository.ucp(["promote", "stage", "prod", "echo", "--yes"]).exits(1).prints(reason);
        assert_eq!(repository.read(overlay), before);
    }
}

/// A stage that is ahead of prod, and something that decides about prod's image in the place of its entry.
fn overruled(files: &[(&str, &str)]) -> Gitops {
    let overlay = |tag: &str| format!("resources: [../../base]\nimages:\n- name: r/echo\n  newTag: {tag}\n");
    let repository = Gitops::with(&[
        ("echo/base/kustomization.yaml", "resources: [deployment.yaml]\n"),
        ("echo/base/deployment.yaml", &deployment("echo", "r/echo:v0")),
        ("echo/overlays/stage/kustomization.yaml", &overlay("v2")),
        ("echo/overlays/prod/kustomization.yaml", &overlay("v1")),
    ]);
    files.iter().for_each(|(path, text)| repository.write(path, text));
    repository
}

#[test]
fn a_later_patch_or_an_application_that_decides_is_named() {
    let patch = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: echo}\nspec: {template: {spec: {containers: [{name: echo, image: \
                 'r/echo:v9'}]}}}\n";
    let application = |source: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: echo}}\nspec:\n  source: {source}\n  destination: {{name: prod}}\n"
        )
    };
    let images = application("{path: echo/overlays/prod, kustomize: {images: ['r/echo=mirror/echo:v9']}}");
    let root = "resources: [../echo/overlays/prod]\npatches: [{path: pin.yaml}]\n";
    let cases: [(&[(&str, &str)], &str); 2] = [
        (&[("live/kustomization.yaml", root), ("live/pin.yaml", patch)], "a patch in live/pin.yaml"),
        (&[("argo/echo.yaml", &images)], "of Argo CD (argo/echo.yaml)"),
    ];
    for (files, reason) in cases {
        let repository = overruled(files);
        let before = repository.read("echo/overlays/prod/kustomization.yaml");
        for command in [
            &["set-version", "prod", "echo=v2"][..],
            &["promote", "stage", "prod", "echo"],
            &["set-image", "prod", "echo=v2"],
        ] {
            let run = repository.ucp(command.iter().copied().chain(["--yes"])).exits(1);
            run.prints(reason).prints("no effect");
            assert!(!run.stderr.contains("PATH") && !run.stdout.contains("PATH"), "a line that was not planned");
        }
        assert_eq!(repository.read("echo/overlays/prod/kustomization.yaml"), before);
    }
    // A parameter takes precedence over the values file next to it.
    let values = "image: {repository: r/echo, tag: v1}\n";
    let parameters = application(
        "{path: chart, helm: {valueFiles: [values-prod.yaml], parameters: [{name: image.tag, value: v9}]}}",
    );
    let repository = Gitops::with(&[("chart/values-prod.yaml", values), ("argo/echo.yaml", &parameters)]);
    let file = ["set-version", "prod", "r/echo=v2", "--yes"];
    repository.ucp(file).exits(1).prints("argo/echo.yaml").prints("no effect");
    assert_eq!(repository.read("chart/values-prod.yaml"), values);
}

#[test]
fn every_refusal_has_a_help_text() {
    let repository = overruled(&[]);
    let refused = |arguments: &[&str]| {
        let run = repository.ucp(arguments.iter().copied().chain(["--dry-run", "-o", "json"])).exits(1).json();
        let refused = run["refused"].as_array().unwrap().clone();
        assert!(!refused.is_empty(), "{arguments:?}");
        refused.iter().map(|left| left["help"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join("\n")
    };
    assert!(refused(&["promote", "prod", "stage", "echo"]).contains("--allow-downgrade"));
    repository.write(
        "echo/overlays/prod/kustomization.yaml",
        "resources: [../../base]\nimages:\n- name: .*/echo\n  newTag: v1\n",
    );
    let line = refused(&["promote", "stage", "prod", "echo"]);
    assert!(line.contains("promote: [{file: kustomization.yaml, paths: [\"images[0].newTag\"]}]"), "{line}");
    // The line that it names does help.
    let (_, rest) = line.split_once(".ucp.yaml, '").unwrap();
    repository.write(".ucp.yaml", &format!("{}\n", rest.split_once('\'').unwrap().0));
    repository.ucp(["promote", "stage", "prod", "echo", "--yes"]).exits(0);
    assert!(repository.read("echo/overlays/prod/kustomization.yaml").contains("name: .*/echo\n  newTag: v2"));
}

#[test]
fn rules_assign_versions_to_services_and_environments() {
    let repository = Gitops::with(&[
        ("eu/north/api.conf.yaml", "release: {build: r7}\n"),
        ("eu/south/api.conf.yaml", "release: {build: r6}\n"),
        (".ucp.yaml", "versions:\n- file: eu/{environment}/{service}.conf.yaml\n  paths: [release.build]\n"),
    ]);
    repository.ucp(["set-version", "south", "api=r7", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["release: {build: r7}"]);
    repository.ucp(["images"]).exits(0).prints("NORTH").prints("SOUTH");
}

#[test]
fn a_failed_commit_undoes_its_edit() {
    let repository = repository();
    repository.git(["config", "commit.gpgsign", "true"]);
    repository.git(["config", "gpg.program", "false"]);
    let set = ["set-version", "api-chart=1.1.0", "--commit", "--yes"];
    repository.ucp(set).exits(3).prints("undone");
    assert!(changed(&repository).is_empty());
    repository.git(["config", "commit.gpgsign", "false"]);
    repository.ucp(set).exits(0).prints("Committed");
}

#[test]
fn output_of_a_failing_hook_is_shown_and_a_silent_hook_is_named() {
    let repository = repository();
    let hook = |text: &str| {
        repository.write(".git/hooks/pre-commit", &format!("#!/bin/sh\n{text}\nexit 1\n"));
        let path = repository.top().join(".git/hooks/pre-commit");
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let run = repository.ucp(["set-version", "api-chart=1.1.0", "--commit", "--yes"]).exits(3);
        assert!(changed(&repository).is_empty(), "undone");
        run
    };
    hook("echo 'yamllint: line 3 is too long'; echo 'error: 1 check failed' >&2")
        .prints("yamllint: line 3 is too long")
        .prints("error: 1 check failed");
    let run = hook("echo 'cannot reach https://bot:s3cret@lint.example.org' >&2");
    assert!(run.stderr.contains("lint.example.org") && !run.stderr.contains("s3cret"), "{}", run.stderr);
    hook("").prints(".git/hooks");
}

#[test]
fn an_uncommitted_edit_of_an_earlier_run_is_committed() {
    let repository = service(&["r/one", "r/two"]);
    let overlay = |environment: &str| format!("shop/overlays/{environment}/kustomization.yaml");
    let set = ["promote", "stage", "prod", "shop", "--commit", "--yes"];
    repository.write(&overlay("stage"), &repository.read(&overlay("stage")).replace("v1", "v2"));
    repository.git(["commit", "--quiet", "--all", "-m", "Stage"]);
    // A run that was killed behind its last write.
    repository.write(&overlay("prod"), &repository.read(&overlay("prod")).replace("v1", "v2"));
    repository.ucp(set).exits(0).prints("earlier run").prints("Committed");
    assert_eq!(repository.git(["status", "--porcelain"]), "");
    assert_eq!(repository.git(["rev-list", "--count", "HEAD"]), "4");
    repository.ucp(set).exits(0).prints("Nothing to do");
    // Changes of others in the file are not committed.
    repository.write(&overlay("stage"), &repository.read(&overlay("stage")).replace("v2", "v3"));
    repository.git(["commit", "--quiet", "--all", "-m", "Stage"]);
    repository.write(&overlay("prod"), &format!("{}# mine\n", repository.read(&overlay("prod")).replace("v2", "v3")));
    repository.ucp(set).exits(1).prints("not committed").prints("shop/overlays/prod");
}

/// Overlays of a service with these images, at v1 in prod.
fn service(images: &[&str]) -> Gitops {
    let manifests: Vec<(String, String)> = images
        .iter()
        .enumerate()
        .map(|(index, image)| (format!("shop/base/{index}.yaml"), deployment(&format!("w{index}"), image)))
        .collect();
    let names: Vec<String> = (0..images.len()).map(|index| format!("{index}.yaml")).collect();
    let repository = Gitops::with(&[("shop/base/kustomization.yaml", &format!("resources: [{}]\n", names.join(", ")))]);
    manifests.iter().for_each(|(path, text)| repository.write(path, text));
    for environment in ["stage", "prod"] {
        let entries: String = images.iter().map(|image| format!("- name: {image}\n  newTag: v1\n")).collect();
        let text = format!("resources: [../../base]\nimages:\n{entries}");
        repository.write(&format!("shop/overlays/{environment}/kustomization.yaml"), &text);
    }
    repository.git(["add", "--all"]);
    repository.git(["commit", "--quiet", "-m", "Overlays"]);
    repository
}

#[test]
fn an_ambiguous_name_can_be_assigned_in_the_settings() {
    let repository = service(&["r/shop-backend", "r/shop-frontend"]);
    repository.write(
        "shop/overlays/prod/kustomization.yaml",
        &repository.read("shop/overlays/prod/kustomization.yaml").replacen("v1", "v0", 1),
    );
    let set = ["set-version", "prod", "shop=v2", "--yes"];
    repository.ucp(set).exits(2).prints("names: {shop: shop-backend}");
    repository.write(".ucp.yaml", "names: {shop: shop-backend}\n");
    repository.ucp(set).exits(0);
    let text = repository.read("shop/overlays/prod/kustomization.yaml");
    assert!(text.contains("r/shop-backend\n  newTag: v2") && text.contains("r/shop-frontend\n  newTag: v1"), "{text}");
}

#[test]
fn names_of_a_command_resolve_each_others_ambiguity() {
    let release = |name: &str, version: &str| {
        let flux = format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}}}\nspec:\n  images:\n  - name: controller\n    \
             newTag: {version}\n"
        );
        let source = format!(
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {{name: {name}}}\nspec:\n  url: oci://r/{name}-operator\n  \
             ref:\n    tag: {version}\n"
        );
        [(format!("oci/{name}/deploy-flux.yaml"), flux), (format!("oci/{name}/source.yaml"), source)]
    };
    let files: Vec<(String, String)> =
        [("alpha", "v1.0.0"), ("beta", "v0.5.0")].iter().flat_map(|(name, version)| release(name, version)).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let repository = Gitops::with(&files);
    repository.ucp(["set-version", "deploy-flux=v0.6.0", "--yes"]).exits(2);
    repository.ucp(["set-version", "deploy-flux=v0.6.0", "beta=v0.6.0", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["newTag: v0.6.0", "tag: v0.6.0"]);
}

#[test]
fn samples_entries_without_an_image_and_ranges_are_not_set() {
    let repository = service(&["r/shop"]);
    let prod = "shop/overlays/prod/kustomization.yaml";
    repository.write(prod, &format!("{}- name: shop\n  newTag: v0\n", repository.read(prod)));
    repository.write("examples/shop.yaml", &deployment("shop", "r/shop:v0"));
    repository.write("depends.yaml", "dependsOn:\n- {provider: r/shop, version: '>=v0'}\n");
    repository.git(["add", "--all"]);
    // An entry of another name in the same file makes the last part of the name ambiguous.
    repository.ucp(["set-version", "prod", "shop=v2", "--yes"]).exits(2);
    repository.ucp(["set-version", "prod", "r/shop=v2", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["newTag: v2"]);
    assert!(repository.read(prod).ends_with("newTag: v0\n"));
}

#[test]
fn a_rule_selects_one_of_several_places_of_an_image() {
    let (canary, stable) = (deployment("canary", "r.io/team/shop:1.1.0"), deployment("stable", "r.io/team/shop:1.0.0"));
    let files = [("shop/canary.yaml", canary.as_str()), ("shop/stable.yaml", stable.as_str())];
    Gitops::with(&files).ucp(["set-version", "shop=1.2.0", "--yes"]).exits(2).prints("is found in several places");
    let rules = "versions:\n- {file: shop/canary*, service: shop}\n- {file: shop/stable*, service: shop-stable}\n";
    let ruled = Gitops::with(&[files[0], files[1], (".ucp.yaml", rules)]);
    ruled.ucp(["set-version", "shop=1.2.0", "--yes"]).exits(0);
    assert_eq!(changed(&ruled), ["image: r.io/team/shop:1.2.0"]);
    assert!(ruled.git(["diff", "--name-only"]).contains("canary"));
}

#[test]
fn parts_of_a_service_that_are_released_together_move_together() {
    let source = |chart: &str, tag: &str| {
        format!(
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {{name: {chart}}}\nspec:\n  url: \
             oci://r.io/charts/{chart}\n  ref:\n    tag: {tag}\n"
        )
    };
    let with = |cluster: &str| {
        Gitops::with(&[
            ("apps/storage/app/ocirepository.yaml", &source("storage", "v1.2.0")),
            ("apps/storage/cluster/ocirepository.yaml", &source("storage-cluster", cluster)),
        ])
    };
    let together = with("v1.2.0");
    together.ucp(["set-version", "storage=v1.3.0", "--yes"]).exits(0);
    assert_eq!(changed(&together), ["tag: v1.3.0", "tag: v1.3.0"]);
    let apart = with("v1.1.0");
    apart.ucp(["set-version", "storage=v1.3.0", "--yes"]).exits(0);
    assert_eq!(changed(&apart), ["tag: v1.3.0"], "one that has another version is another thing");
    let alone = with("v1.2.0");
    alone.ucp(["set-version", "storage-cluster=v1.3.0", "--yes"]).exits(0);
    assert_eq!(changed(&alone), ["tag: v1.3.0"], "one part that is named is one part");
}

#[test]
fn a_path_that_images_shows_can_be_set() {
    let repository = Gitops::with(&[("envs/prod/apps.yaml", "chartVersions:\n  shopApi: 1.0.0\n  queueApi: 1.0.0\n")]);
    repository.ucp(["images"]).exits(0).prints("chartVersions.shopApi");
    repository.ucp(["set-version", "prod", "chartVersions.shopApi=1.1.0", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["shopApi: 1.1.0"]);
}

#[test]
fn an_unknown_target_of_a_configured_name_is_reported() {
    let repository =
        Gitops::with(&[("jobs/one.yaml", &deployment("one", "busybox:1.36")), (".ucp.yaml", "names: {box: bsybox}\n")]);
    let run = repository.ucp(["set-version", "box=1.37", "--yes"]).exits(2);
    run.prints("no service or artifact is named \"bsybox\"")
        .prints("'names' in .ucp.yaml")
        .prints("did you mean 'busybox'");
}

/// A HelmRelease with a chart and an image.
fn release(name: &str, chart: &str, image: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: &app {name}}}\nspec:\n  chart:\n    spec: {{chart: \
         app-template, version: {chart}}}\n  values:\n    controllers:\n      *app :\n        image: {{repository: {image}, tag: 1.4.0}}\n"
    )
}

#[test]
fn a_value_below_an_alias_key_is_found() {
    let repository = Gitops::with(&[("apps/web/helmrelease.yaml", &release("web", "1.0.0", "ghcr.io/example/web"))]);
    repository.ucp(["set-version", "web=1.5.0", "--yes"]).exits(0);
    let text = repository.read("apps/web/helmrelease.yaml");
    assert!(text.contains("tag: 1.5.0") && text.contains("version: 1.0.0"), "{text}");
}

#[test]
fn a_name_in_several_services_is_set_everywhere_only_with_the_flag() {
    let repository = Gitops::with(&[
        ("apps/web/deployment.yaml", &deployment("web", "ghcr.io/example/proxy:1.2.0")),
        ("apps/shop/deployment.yaml", &deployment("shop", "ghcr.io/example/proxy:1.2.0")),
    ]);
    let refused = repository.ucp(["set-version", "proxy=1.3.0", "--yes"]).exits(2);
    refused.prints("--everywhere").prints("kubectl ucp set-version --file apps/").prints("=1.3.0");
    assert!(changed(&repository).is_empty());
    repository.ucp(["set-version", "example/proxy=1.3.0", "--everywhere", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["image: ghcr.io/example/proxy:1.3.0"; 2]);
}

#[test]
fn another_artifact_is_never_set_instead() {
    let chart = "apiVersion: v2\nname: ingress\nversion: 3.35.0\ndependencies:\n- name: ingress\n  repository: https://c.example.org\n  \
                 version: 3.35.0\n";
    let repository = Gitops::with(&[
        ("system/ingress/Chart.yaml", chart),
        ("apps/web/deployment.yaml", &deployment("web", "ghcr.io/example/web:1.25.1-alpine")),
        ("apps/old/deployment.yaml", &deployment("old", "ghcr.io/example/old:0.0.3")),
        ("apps/own/Chart.yaml", "apiVersion: v2\nname: own\nversion: 1.0.0\nappVersion: 1.0.0\n"),
    ]);
    for unlike in ["web=1.26.0", "web=v1.26.0-alpine", "web=2.65.0-5.1", "old=2.65.0", "ingress=v3.36.0"] {
        repository
            .ucp(["set-version", unlike, "--yes", "--allow-downgrade"])
            .exits(1)
            .prints("probably another artifact");
    }
    assert!(changed(&repository).is_empty());
    repository.ucp(["set-version", "ingress=3.36.0", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["version: 3.36.0"], "the dependency, and not the chart itself");
    repository.ucp(["set-version", "web=1.26.0-alpine3", "--yes"]).exits(0);
}

#[test]
fn a_file_of_a_repository_and_an_image_of_another_owner_are_two_artifacts() {
    let with = |image: &str| {
        Gitops::with(&[
            (
                "proxy/kustomization.yaml",
                "resources:\n- https://raw.githubusercontent.com/example/proxy/v1.2.0/crds.yaml\n",
            ),
            ("proxy/workload.yaml", &deployment("proxy", &format!("{image}:v1.2.0"))),
        ])
    };
    let apart = with("proxy");
    apart.ucp(["set-version", "proxy=v1.3.0", "--yes"]).exits(2).prints("several artifacts");
    assert!(changed(&apart).is_empty());
    apart.ucp(["set-image", "proxy=v1.3.0", "--yes"]).exits(0);
    assert_eq!(changed(&apart).len(), 1, "only the image");
    let together = with("ghcr.io/example/proxy");
    together.ucp(["set-version", "proxy=v1.3.0", "--yes"]).exits(0);
    assert_eq!(changed(&together).len(), 2, "the image is built from the repository");
}

#[test]
fn data_of_other_programs_contains_no_versions() {
    let repository = Gitops::with(&[
        (
            "board.json",
            "{\"panels\": [{\"pluginVersion\": \"1.0.0\"}], \"schemaVersion\": 36, \"revision\": \"1.0.0\"}\n",
        ),
        (
            "crd.yaml",
            "kind: CustomResourceDefinition\nmetadata:\n  name: x\n  annotations: {controller-gen.kubebuilder.io/version: v0.14.0}\n",
        ),
        ("Chart.lock", "dependencies:\n- name: x\n  repository: https://c.example.org\n  version: 1.0.0\n"),
        ("cni.json", "{\"cniVersion\": \"1.0.0\", \"name\": \"x\"}\n"),
        ("labels.yaml", "kind: Service\nmetadata:\n  name: x\n  labels: {app.kubernetes.io/version: 1.0.0}\n"),
    ]);
    let listed = repository.ucp(["images", "-o", "json"]).exits(0);
    assert!(!listed.stdout.contains("1.0.0") && !listed.stdout.contains("v0.14.0"), "{}", listed.stdout);
    repository.ucp(["images", "--labels"]).exits(0).prints("1.0.0");
    repository.ucp(["set-version", "x=1.1.0", "--yes"]).exits(2);
    assert!(changed(&repository).is_empty());
}

#[test]
fn the_new_name_of_an_entry_and_the_owner_are_names() {
    let entry =
        "resources: [deployment.yaml]\nimages:\n- name: web\n  newName: ghcr.io/example/web-admin\n  newTag: 1.2.0\n";
    for name in ["web-admin", "ghcr.io/example/web-admin"] {
        let repository =
            Gitops::with(&[("web/kustomization.yaml", entry), ("web/deployment.yaml", &deployment("web", "web"))]);
        repository.ucp(["set-version", &format!("{name}=1.3.0"), "--yes"]).exits(0);
        assert_eq!(changed(&repository), ["newTag: 1.3.0"], "{name}");
    }
    let base = "resources:\n- https://github.com/example/operator//config/default?ref=v1.2.0\n";
    let repository = Gitops::with(&[("system/kustomization.yaml", base)]);
    repository.ucp(["set-version", "operator=v1.3.0", "--yes"]).exits(0);
    assert!(repository.read("system/kustomization.yaml").contains("?ref=v1.3.0"));
}

/// A HelmRelease with the chart of a database.
fn database(name: &str, version: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: {name}}}\nspec:\n  chart:\n    spec: {{chart: \
         pg-{name}, version: {version}}}\n"
    )
}

#[test]
fn a_name_of_a_location_does_not_choose_between_artifacts() {
    // A name that others contain may be short for any of them.
    let repository = Gitops::with(&[
        ("system/queue/database.yaml", &database("database", "1.18.0")),
        ("teams/shop/shop-database.yaml", &database("shop-database", "1.20.1")),
    ]);
    let refused = repository.ucp(["set-version", "database=1.21.0", "--yes"]).exits(2);
    refused
        .prints("system/queue/database.yaml")
        .prints("teams/shop/shop-database.yaml")
        .prints("names: {database: pg-shop-database}");
    // A chart and an image of one directory, whether or not they have one version.
    for version in ["1.2.0", "1.1.9"] {
        let images = format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: shop}}\nspec:\n  images:\n  - name: \
             front\n    newName: r.example.org/front\n    newTag: {version}\n"
        );
        let repository =
            Gitops::with(&[("apps/shop/hr.yaml", &database("shop", "1.2.0")), ("apps/shop/ks.yaml", &images)]);
        let refused = repository.ucp(["set-version", "shop=1.3.0", "--yes"]).exits(2);
        refused.prints("apps/shop/hr.yaml").prints("apps/shop/ks.yaml");
        assert!(changed(&repository).is_empty());
        repository.ucp(["set-version", "pg-shop=1.3.0", "--yes"]).exits(0);
        assert_eq!(changed(&repository).len(), 1);
    }
}

#[test]
fn overrides_with_the_version_of_their_base_are_listed() {
    let values = |tag: &str| format!("image: {{repository: r.example.org/web, tag: {tag}}}\n");
    let level = [
        ("charts/web/values.yaml", values("1.3.0")),
        ("charts/web/values-prod.yaml", values("1.3.0")),
        ("charts/web/values-stage.yaml", values("1.2.0")),
    ];
    let repository = Gitops::with(&level.each_ref().map(|(file, text)| (*file, text.as_str())));
    let refused = repository.ucp(["set-version", "r.example.org/web=1.4.0", "--yes"]).exits(2);
    refused.prints("several places").prints("set-version --file charts/web/values.yaml .image.tag=1.4.0");
    assert!(changed(&repository).is_empty());
    repository.ucp(["set-version", "prod", "web=1.4.0", "--yes"]).exits(0);
    assert_eq!(changed(&repository).len(), 1);
}

#[test]
fn a_commit_suffix_of_a_release_is_not_a_bare_commit() {
    let repository = Gitops::with(&[(
        "clusters/tool/values.yaml",
        "tool:\n  k8s_version: v1.29.7-build-2f46c53\n  image: {repository: r.example.org/x, tag: 8998307}\n",
    )]);
    let refused = repository.ucp(["set-version", "tool=07980b9", "--yes"]);
    assert_ne!(refused.code, Some(0));
    assert!(changed(&repository).is_empty());
}
