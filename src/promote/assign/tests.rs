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
    // What the user specifies is written.
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
fn bases_of_one_repository_are_one_artifact() {
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
