//! Resolution of names in small repositories.

use crate::gitops::catalog::Catalog;
use crate::gitops::catalog::choose::resolve_places;
use crate::gitops::catalog::query::{PlaceSpread, VersionQuery};
use crate::gitops::catalog::unresolved::NameResolutionError;
use crate::gitops::discover::discover;
use crate::gitops::repository::Repository;

/// Returns the files and paths that a name refers to, or the reason why it refers to none.
fn meant(files: &[(&str, &str)], name: &str, version: &str) -> Result<Vec<String>, &'static str> {
    meant_in(files, None, name, version)
}

/// Returns what a name refers to in an environment.
fn meant_in(
    files: &[(&str, &str)],
    environment: Option<&str>,
    name: &str,
    version: &str,
) -> Result<Vec<String>, &'static str> {
    let directory = tempfile::tempdir().unwrap();
    for (file, text) in files {
        let path = directory.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let repository = Repository::read(directory.path(), "repository").unwrap();
    let catalog = Catalog::read(&repository, &discover(&repository));
    let spread = PlaceSpread::Together;
    let question = VersionQuery { environment, name, version, kinds: &[], image: None, spread };
    match resolve_places(&catalog, &question, &|_| true) {
        Ok(places) => Ok(places.into_iter().map(|place| format!("{}:{}", place.file, place.slot.path)).collect()),
        Err(NameResolutionError::Unknown) => Err("unknown"),
        Err(NameResolutionError::Several(_)) => Err("several"),
        Err(NameResolutionError::Unlike(_)) => Err("unlike"),
        Err(NameResolutionError::Artifacts(_)) => Err("artifacts"),
        Err(NameResolutionError::Spread(_)) => Err("spread"),
        Err(_) => Err("another environment"),
    }
}

const IMAGE: &str = "image: {repository: r.example.org/o/api, tag: 1.4.0}\n";

#[test]
fn a_parent_directory_selects_among_services_with_the_same_name() {
    let files = [
        ("services/red/api/values.yaml", IMAGE),
        ("services/blue/api/values.yaml", IMAGE),
        ("services/red/api-preview/values.yaml", IMAGE),
    ];
    assert_eq!(meant(&files, "red/api", "1.5.0"), Ok(vec!["services/red/api/values.yaml:image.tag".to_owned()]));
    assert_eq!(meant(&files, "green/api", "1.5.0"), Err("unknown"));
    assert!(meant(&files, "api", "1.5.0").is_err());
    assert_eq!(meant(&files, "red/api", "6.0.0"), Err("unlike"));
}

#[test]
fn an_unnamed_chart_of_a_release_is_not_the_image_with_its_name() {
    let release = |chart: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: login}}\nspec: {{chart: {{spec: \
             {{version: {chart}}}}}}}\n"
        )
    };
    let values = "image:\n  tag: 2025.6.4 # {\"$imagepolicy\": \"flux-system:login:tag\"}\n";
    let one = release("2025.6.2");
    let files = [("apps/login/release.yaml", one.as_str()), ("apps/login/values.yaml", values)];
    assert!(meant(&files, "login", "2025.12.4").is_err());
    let other = release("4.1.0");
    let files = [("apps/login/release.yaml", other.as_str())];
    assert_eq!(meant(&files, "login", "4.2.0").map(|places| places.len()), Ok(1));
}

#[test]
fn the_whole_name_of_an_image_allows_another_prefix() {
    let files = [("apps/api/values.yaml", IMAGE)];
    assert_eq!(meant(&files, "r.example.org/o/api", "v1.5.0").map(|places| places.len()), Ok(1));
    assert_eq!(meant(&files, "api", "v1.5.0"), Err("unlike"));
    assert_eq!(meant(&files, "r.example.org/o/api", "v4.5.0"), Err("unlike"));
}

#[test]
fn a_commit_of_digits_needs_the_name_of_its_image() {
    let files = [("apps/tool/values.yaml", "image: {repository: r.example.org/o/api, tag: 8998307}\n")];
    for name in ["api", "r.example.org/o/api"] {
        assert_eq!(meant(&files, name, "07980b9").map(|places| places.len()), Ok(1), "{name}");
    }
    assert_eq!(meant(&files, "tool", "07980b9"), Err("unlike"));
}

#[test]
fn a_neighbor_with_the_requested_version_is_not_omitted() {
    let image = |name: &str, tag: &str| format!("image: {{repository: r.example.org/{name}, tag: {tag}}}\n");
    let (own, other) = (image("logs", "3.3.7"), image("search", "6.8.12"));
    let files = [("logs/values.yaml", own.as_str()), ("logs/search.yaml", other.as_str())];
    assert_eq!(meant(&files, "logs", "6.8.13"), Err("several"));
    assert_eq!(meant(&files, "logs", "6.2.0"), Err("several"));
    assert_eq!(meant(&files, "logs", "4.0.0").map(|places| places.len()), Ok(1));
}

/// A chart with a dependency.
fn chart(version: &str, application: &str) -> String {
    format!(
        "apiVersion: v2\nname: bridge\nversion: {version}\nappVersion: {application}\ndependencies:\n- {{name: cache, version: 1.1.1, \
         repository: https://charts.example.org}}\n"
    )
}

#[test]
fn the_name_of_a_chart_selects_its_application_version() {
    let file = "apps/bridge/Chart.yaml";
    let application = Ok(vec![format!("{file}:appVersion")]);
    let meant_by = |chart: &str, values: &str, version: &str| {
        meant(&[(file, chart), ("apps/bridge/values.yaml", values)], "bridge", version)
    };
    let sidecar = "proxy: {image: {repository: r.example.org/o/bridge-proxy, tag: 1.0.0}}\n";
    let url = "config: {schema: https://git.example.org/o/schemas/releases/download/1.2.0/schema.zip}\n";
    for (values, before, after) in
        [("{}\n", "1.4.0", "2.0.0"), ("{}\n", "1.0.0", "1.1.0"), (sidecar, "2.6.1", "2.11.1"), (url, "1.6.2", "1.6.3")]
    {
        assert_eq!(meant_by(&chart("1.0.0", before), values, after), application, "{before} {after}");
    }
    // An image in a test is not deployed.
    let (text, test) = (chart("1.0.0", "1.4.0"), "image: r.example.org/o/bridge:1.3.0\n");
    assert_eq!(meant(&[(file, &text), ("tests/data/pod.yaml", test)], "bridge", "1.5.0"), application);
    // The sidecar may be meant if its version is as near.
    assert_eq!(meant_by(&chart("1.0.0", "1.0.1"), sidecar, "1.1.0"), Err("several"));
    // The main image of a chart overrides its application.
    let image = "image: {repository: r.example.org/o/server, tag: 1.5.0}\n";
    let main = Ok(vec!["apps/bridge/values.yaml:image.tag".to_owned()]);
    let alone = text.split("dependencies").next().unwrap_or_default();
    assert_eq!(meant_by(alone, image, "1.6.0"), main);
}

#[test]
fn chart_and_dependency_versions_are_not_taken_for_the_application_version() {
    let file = "apps/bridge/Chart.yaml";
    for (application, version) in [("tickets-4711", "1.0.0"), ("tickets-4711", "2.0.0"), ("7.3.0", "2.0.0")] {
        let text = chart("1.0.0", application);
        assert!(meant(&[(file, &text)], "bridge", version).is_err(), "{application} {version}");
        let alone = text.split("dependencies").next().unwrap_or_default();
        let found = meant(&[(file, alone)], "bridge", version);
        assert!(found.is_err() || version == "2.0.0", "{application} {version}");
    }
    // What is set already is no reason to refuse.
    let text = chart("1.0.0", "1.0.0");
    assert_eq!(meant(&[(file, &text)], "bridge", "1.0.0"), Ok(vec![format!("{file}:appVersion")]));
}

#[test]
fn a_base_that_is_deployed_itself_is_of_no_environment_that_builds_on_it() {
    let workload = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: web, \
                    image: 'r.example.org/o/web:0.3.7'}]}}}\n";
    let own = "resources: [deployment.yaml]\n";
    let dev = "resources: [../../shop/web]\n";
    let base = [("shop/web/deployment.yaml", workload), ("shop/web/kustomization.yaml", own)];
    let meant_by = |more: &[(&str, &str)]| {
        let files: Vec<(&str, &str)> = base.iter().chain(more).copied().collect();
        meant_in(&files, Some("dev"), "web", "0.3.8")
    };
    let overlay = ("shop-dev/web/kustomization.yaml", dev);
    let of_dev = ("environments/dev/shop/kustomization.yaml", "resources: [../../../shop/web]\n");
    assert_eq!(meant_by(&[of_dev]).map(|places| places.len()), Ok(1));
    // Another kustomization builds on it, and nothing builds on that one.
    for overlay in [of_dev, overlay] {
        assert_eq!(meant_by(&[overlay, ("shop/kustomization.yaml", "resources: [web]\n")]), Err("another environment"));
    }
    // An ApplicationSet deploys all directories.
    let set = |directories: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: all}}\nspec:\n  generators:\n  - git: {{directories: \
             [{directories}]}}\n  template: {{spec: {{source: {{path: '{{{{path}}}}'}}}}}}\n"
        )
    };
    let all = set("{path: shop/*}");
    assert_eq!(meant_by(&[of_dev, ("argocd/all.yaml", &all)]), Err("another environment"));
    let others = set("{path: shop/*}, {path: shop/web, exclude: true}");
    assert_eq!(meant_by(&[of_dev, ("argocd/all.yaml", &others)]).map(|places| places.len()), Ok(1));
}

#[test]
fn a_chart_is_not_selected_if_the_image_in_its_values_is_nearer() {
    let releases = "repositories: []\nreleases:\n- {name: cacher, namespace: cache, chart: example/cacher, version: 1.1.1, values: \
                    [config/prod/cacher.yaml]}\n";
    let files = [("helmfile.yaml", releases), ("config/prod/cacher.yaml", "image: {tag: 2.125.0}\n")];
    assert_eq!(meant(&files, "cacher", "2.126.0"), Err("several"));
    assert_eq!(meant(&files, "cacher", "1.1.2").map(|places| places.len()), Ok(1));
}

#[test]
fn a_service_name_is_not_an_abbreviation_of_another_in_its_environment() {
    let values = |name: &str, tag: &str| format!("image: {{repository: r.example.org/o/shop-{name}, tag: {tag}}}\n");
    let (api, shim) = (values("api", "main-0a1b2c3"), values("api-shim", "main-1b2c3d4"));
    let files = [("apps/api/envs/prod/values.yaml", api.as_str()), ("apps/api-shim/envs/prod/values.yaml", &shim)];
    let api = Ok(vec!["apps/api/envs/prod/values.yaml:image.tag".to_owned()]);
    assert_eq!(meant_in(&files, Some("prod"), "api", "main-2c3d4e5"), api);
    assert!(meant_in(&files, Some("prod"), "shop", "main-2c3d4e5").is_err());
}

#[test]
fn a_digest_is_not_for_a_chart() {
    let chart = "apiVersion: v2\nname: vault\nversion: 0.1.0\ndependencies:\n- {name: vault, version: 0.43.1, repository: \
                 https://charts.example.org}\n";
    let digest = |byte: &str| format!("sha256:{}", byte.repeat(32));
    let values = format!("vault: {{image: {{repository: r.example.org/o/server, tag: '1.37.1@{}'}}}}\n", digest("0a"));
    let files = [("apps/vault/Chart.yaml", chart), ("apps/vault/values.yaml", values.as_str())];
    let image = Ok(vec!["apps/vault/values.yaml:vault.image.tag".to_owned()]);
    assert_eq!(meant(&files, "vault", &format!("1.37.2@{}", digest("1b"))), image);
}

#[test]
fn a_base_with_a_mutable_tag_is_not_selected_if_an_overlay_has_a_version() {
    let workload = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: search}\nspec: {template: {spec: {containers: [{name: search, \
                    image: 'r.example.org/o/search-engine:latest'}]}}}\n";
    let overlay = "resources: [../../base]\nimages:\n- {name: r.example.org/o/search-engine, newTag: main-0a1b2c3}\n";
    let files = [
        ("apps/search/base/kustomization.yaml", "resources: [deployment.yaml]\n"),
        ("apps/search/base/deployment.yaml", workload),
        ("apps/search/environments/prod/kustomization.yaml", overlay),
    ];
    let entry = Ok(vec!["apps/search/environments/prod/kustomization.yaml:images[0].newTag".to_owned()]);
    assert_eq!(meant_in(&files, Some("prod"), "search", "main-1b2c3d4"), entry);
}
