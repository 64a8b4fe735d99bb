//! Arguments of `set-version` and `set-image`.

use super::*;
use crate::promote::policy::{Downgrades, MutableTags, Policy};
use crate::promote::small::with_facts;
use ucp_repo::gitops::catalog::query::PlaceSpread;

/// Returns the changed lines of an assignment, or its error.
fn lines(
    files: &[(&str, &str)],
    environment: Option<&str>,
    assignment: &str,
) -> std::result::Result<Vec<String>, String> {
    let request = AssignmentRequest {
        environment: environment.map(str::to_owned),
        assignments: vec![assignment.parse().unwrap()],
        kinds: Vec::new(),
        spread: PlaceSpread::Together,
    };
    // Versions that the user specifies are written.
    let policy = Policy { downgrades: Downgrades::Refused, mutable_tags: MutableTags::Warned };
    let answer = with_facts(files, |facts| plan(&PlanningFacts { policy, ..*facts }, &request, None));
    let plan = answer.map_err(|error| error.report())?;
    if let Some(refused) = plan.refused.first() {
        return Err(refused.reason.clone());
    }
    let changed = plan.files.iter().flat_map(|file| {
        let before = file.before.as_deref().unwrap_or_default();
        file.after.lines().filter(move |line| !before.lines().any(|old| old == *line)).map(str::trim)
    });
    Ok(changed.map(str::to_owned).collect())
}

#[test]
fn an_image_that_is_given_needs_no_words_of_its_version() {
    let workload = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: \
                    [{name: web, image: 'r.example.org/pet:prod-q4x0mz7t'}]}}}\n";
    let files = [("teams/prod/pets/manifest.yaml", workload)];
    assert!(lines(&files, Some("prod"), "pets=prod-w8k2hy5d").unwrap_err().contains("another artifact"));
    let changed = lines(&files, Some("prod"), "pets=r.example.org/pet:prod-w8k2hy5d").unwrap();
    assert!(changed.len() == 1 && changed[0].contains("r.example.org/pet:prod-w8k2hy5d"), "{changed:?}");
    let changed = lines(&files, Some("prod"), "pets=r.example.org/pet:2026.1").unwrap();
    assert!(changed.len() == 1 && changed[0].contains("r.example.org/pet:2026.1"), "{changed:?}");
    assert!(lines(&files, Some("prod"), "pets=r.example.org/other:prod-w8k2hy5d").is_err());
}

#[test]
fn an_image_of_a_service_is_not_set_for_its_neighbor() {
    let files = [
        ("tools/hub.json", "{\"containers\": [\n{\"image\": \"r.example.org/web:1.0.0\"}\n]}\n"),
        ("tools/web.yaml", "image: r.example.org/web:1.0.0\n"),
    ];
    assert_eq!(lines(&files, None, "web=r.example.org/web:1.1.0").unwrap(), ["image: r.example.org/web:1.1.0"]);
    assert_eq!(lines(&files, None, "r.example.org/web=1.1.0").unwrap().len(), 2);
}

#[test]
fn bases_of_the_same_repository_are_the_same_artifact() {
    let kustomization = "resources:\n- https://github.com/example/snapshots/client/crd/?ref=v1.0.0\n- \
                         https://github.com/example/snapshots/deploy/controller/?ref=v1.0.0\n";
    let files = [("platform/storage/kustomization.yaml", kustomization)];
    assert_eq!(lines(&files, None, "snapshots=v1.1.0").unwrap().len(), 2);
    assert_eq!(lines(&files, None, "controller=v1.1.0").unwrap().len(), 1);
    let other = [("platform/storage/kustomization.yaml", &*kustomization.replacen("example", "acme", 1))];
    assert!(lines(&other, None, "snapshots=v1.1.0").unwrap_err().contains("several artifacts"));
}

#[test]
fn a_template_that_cannot_be_read_is_not_deployed() {
    let broken = "resources:\n- {{ name }}\n  - web: [\n";
    let refused = |directory: &str| {
        let file = format!("{directory}/overlays/dev/kustomization.yaml");
        let files =
            [("apps/web/deploy.yaml", "web: {image: {repository: r.example.org/web, tag: 1.0.0}}\n"), (&*file, broken)];
        lines(&files, None, "web=1.1.0").err()
    };
    assert!(refused("other").unwrap().contains("could not be read"));
    assert_eq!(refused("service-template"), None);
}

#[test]
fn a_template_of_a_chart_has_its_version_from_values() {
    let refused = |image: &str| {
        let template = format!("labels: [\n{{{{- end }}}}\nspec:\n- image: {image}\n");
        let files = [
            ("charts/web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 0.1.0\n"),
            ("charts/web/values.yaml", "image: {repository: r.example.org/web, tag: 1.0.0}\n"),
            ("charts/web/templates/web.yaml", &*template),
        ];
        lines(&files, None, "web=r.example.org/web:1.1.0").err()
    };
    assert_eq!(refused("'{{ .Values.image.repository }}:{{ .Values.image.tag }}'"), None);
    assert_eq!(refused("r.example.org/web:{{ .Values.image.tag }}"), None);
    assert!(refused("{{ .Values.registry }}/web:1.0.0").unwrap().contains("could not be read"));
}

#[test]
fn a_dependency_on_a_local_chart_is_not_an_artifact() {
    let chart = |name: &str, dependencies: &str| {
        format!("apiVersion: v2\nname: {name}\nversion: 1.0.0\ndependencies:\n{dependencies}\n")
    };
    let values = "web:\n  image:\n    repository: r.example.org/web-server\n    tag: 1.0.0\n";
    for dependency in ["- {name: web, version: 1.0.0}", "- {name: web, version: 1.0.0, repository: 'file://../web'}"] {
        let umbrella = chart("stack", dependency);
        let files = [("apps/stack/Chart.yaml", &*umbrella), ("apps/web/values.yaml", values)];
        assert_eq!(lines(&files, None, "web=1.0.1").unwrap(), ["tag: 1.0.1"], "{dependency}");
    }
    // A dependency on a published chart is one, and a service with the same name may be meant as well.
    let umbrella = chart("stack", "- {name: web, version: 1.0.0, repository: 'https://charts.example.org'}");
    let alone = [("apps/stack/Chart.yaml", &*umbrella)];
    assert_eq!(lines(&alone, None, "web=1.0.1").unwrap().len(), 1);
    let files = [("apps/stack/Chart.yaml", &*umbrella), ("apps/web/values.yaml", values)];
    assert!(lines(&files, None, "web=1.0.1").unwrap_err().contains("several places"));
}

#[test]
fn a_version_without_an_environment_may_belong_to_the_given_environment() {
    let releases = "releases:\n- name: web\n  chart: stable/web\n  version: 1.1.1\n";
    let values = "image: {repository: r.example.org/web-server, tag: 2.126.0}\n";
    let files = [
        ("clusters/blue/helmfile.yaml", releases),
        ("clusters/green/helmfile.yaml", releases),
        ("config/web.yaml", values),
        ("overlays/prod/kustomization.yaml", "images: [{name: a, newTag: v1}]\n"),
        ("overlays/stage/kustomization.yaml", "images: [{name: a, newTag: v1}]\n"),
        ("overlays/prod/helmfile.yaml", releases),
    ];
    assert_eq!(lines(&files, Some("prod"), "web=1.1.2").unwrap(), ["version: 1.1.2"]);
    let refused = lines(&files, Some("prod"), "web=2.127.0").unwrap_err();
    assert!(refused.contains("config/web.yaml"), "{refused}");
}

#[test]
fn a_base_may_be_meant_although_the_environment_has_a_similar_service() {
    let release = |name: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: {name}}}\nspec:\n  values:\n    \
             image: r.example.org/web/frontend:1.2.0\n"
        )
    };
    let (base, trial) = (release("web-frontend"), release("web-frontend-trial"));
    let files = [
        ("apps/web/web-frontend/release.yaml", &*base),
        ("apps/web/web-frontend/kustomization.yaml", "resources: [release.yaml]\n"),
        ("apps/web/prod/kustomization.yaml", "resources: [../web-frontend]\n"),
        ("apps/web/stage/kustomization.yaml", "resources: [../web-frontend, trial.yaml]\n"),
        ("apps/web/stage/trial.yaml", &*trial),
    ];
    let refused = lines(&files, Some("stage"), "web-frontend=1.3.0").unwrap_err();
    assert!(refused.contains("apps/web/web-frontend/release.yaml"), "{refused}");
}

#[test]
fn a_directory_with_the_name_of_the_given_environment_is_in_it() {
    let values = "image: {repository: r.example.org/web, tag: 2.126.0}\n";
    let files = [
        ("clusters/east1.yaml", "releases:\n- name: web\n  chart: stable/server\n  version: 1.1.1\n"),
        ("clusters/west1.yaml", "releases:\n- name: web\n  chart: stable/server\n  version: 1.1.1\n"),
        ("config/east1/web.yaml", values),
        ("config/west1/web.yaml", values),
    ];
    assert_eq!(lines(&files, Some("east1"), "r.example.org/web=2.127.0").unwrap().len(), 1);
    assert!(lines(&files, Some("config"), "r.example.org/web=2.127.0").is_err());
}

#[test]
fn a_file_without_an_extension_is_named_by_its_stem() {
    let tag = "image_tag: v937\n";
    let files =
        [("tags/stage/release", tag), ("tags/stage/web", tag), ("tags/prod/release", tag), ("tags/prod/web", tag)];
    assert_eq!(lines(&files, Some("stage"), "release=v938").unwrap(), ["image_tag: v938"]);
}

#[test]
fn a_place_that_keeps_another_version_is_reported_if_nothing_changes() {
    let workload = |version: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec: {{template: {{spec: {{containers: [{{name: \
             web, image: 'r.example.org/web:{version}'}}]}}}}}}\n"
        )
    };
    let (base, own) = (workload("1.2.0"), workload("1.1.0"));
    let files = [
        ("apps/base/web.yaml", &*base),
        ("apps/base/kustomization.yaml", "resources: [web.yaml]\n"),
        ("apps/overlays/prod/kustomization.yaml", "resources: [../../base]\n"),
        ("apps/overlays/stage/kustomization.yaml", "resources: [own.yaml]\n"),
        ("apps/overlays/stage/own.yaml", &*own),
    ];
    let request = AssignmentRequest {
        environment: Some("stage".to_owned()),
        assignments: vec!["r.example.org/web=1.1.0".parse().unwrap()],
        kinds: Vec::new(),
        spread: PlaceSpread::Together,
    };
    let plan = with_facts(&files, |facts| plan(facts, &request, None).unwrap());
    assert_eq!(plan.warnings, ["r.example.org/web stays at 1.2.0 in apps/base/web.yaml:4"]);
}

#[test]
fn places_with_the_same_renovate_marker_are_the_same_artifact() {
    let marker = "# renovate: datasource=docker depName=r.example.org/team/web";
    let source = format!(
        "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {{name: web-config}}\nspec:\n  ref:\n    \
         {marker}\n    tag: v1.1.0\n  url: oci://r.example.org/kustomize/web\n"
    );
    let deployer = format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: web-config}}\nspec:\n  images:\n  - \
         name: controller\n    newName: r.example.org/team/web\n    {marker}\n    newTag: v1.1.0\n"
    );
    let files = [("web/source.yaml", &*source), ("web/flux-kustomize.yaml", &*deployer)];
    for name in ["web", "r.example.org/team/web"] {
        assert_eq!(lines(&files, None, &format!("{name}=v1.1.6")).unwrap().len(), 2, "{name}");
    }
}

#[test]
fn an_image_in_values_of_an_overlay_is_set() {
    let workload = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: \
                    [{name: web, image: 'r.example.org/pet:1.0.0'}]}}}\n";
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: backup}\nspec:\n  values:\n    \
                   initContainers:\n    - image: r.example.org/plugin:1.2.0\n";
    let files = [
        ("pets/overlays/prod/kustomization.yaml", "resources: [web.yaml, backup.yaml]\n"),
        ("pets/overlays/prod/web.yaml", workload),
        ("pets/overlays/prod/backup.yaml", release),
    ];
    let changed = lines(&files, Some("prod"), "pets=r.example.org/plugin:1.2.1").unwrap();
    assert_eq!(changed, ["- image: r.example.org/plugin:1.2.1"]);
    let unknown = lines(&files, Some("prod"), "pets=r.example.org/none:1.2.1").unwrap_err();
    assert!(unknown.contains("no workload has the image"), "{unknown}");
}

#[test]
fn assignments_name_a_version_and_sometimes_an_image() {
    let parse = |text: &str| text.parse::<ArtifactAssignment>().map(|a| (a.image, a.version));
    let digest = format!("sha256:{}", "0a".repeat(32));
    assert_eq!(parse("echo=v1.2"), Ok((None, "v1.2".into())));
    assert_eq!(parse("echo=r:5000/a/b:v1"), Ok((Some("r:5000/a/b".into()), "v1".into())));
    assert_eq!(parse(&format!("echo=@{digest}")), Ok((None, digest.clone())));
    assert_eq!(parse(&format!("echo={digest}")), Ok((None, digest.clone())));
    assert_eq!(parse(&format!("echo=a/b@{digest}")), Ok((Some("a/b".into()), digest.clone())));
    assert_eq!(parse(&format!("echo=v1@{digest}")), Ok((None, format!("v1@{digest}"))));
    let commit = "0a".repeat(20);
    assert_eq!(parse(&format!("echo=app:{commit}")), Ok((Some("app".into()), commit)));
    assert_eq!(parse("chart=>=1.0.0 <2.0.0"), Ok((None, ">=1.0.0 <2.0.0".into())));
    assert_eq!(parse("base=feature/login"), Ok((None, "feature/login".into())));
    for wrong in ["echo", "=v1", "echo=", "echo=r.io:5000/a/b"] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
}
