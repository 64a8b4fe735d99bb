//! Resolution of names in small repositories.

use crate::gitops::catalog::Catalog;
use crate::gitops::catalog::choose::{NameResolutionError, resolve_places};
use crate::gitops::catalog::query::{PlaceSpread, VersionQuery};
use crate::gitops::discover::discover;
use crate::gitops::repository::Repository;

/// Returns the files and paths that a name refers to, or the reason why it refers to none.
fn meant(files: &[(&str, &str)], name: &str, version: &str) -> Result<Vec<String>, &'static str> {
    let directory = tempfile::tempdir().unwrap();
    for (file, text) in files {
        let path = directory.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let repository = Repository::read(directory.path(), "repository").unwrap();
    let catalog = Catalog::read(&repository, &discover(&repository));
    let spread = PlaceSpread::Together;
    let question = VersionQuery { environment: None, name, version, kinds: &[], image: None, spread };
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
fn a_directory_above_chooses_between_services_with_one_name() {
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
fn a_neighbor_with_the_requested_numbers_is_not_left_out() {
    let image = |name: &str, tag: &str| format!("image: {{repository: r.example.org/{name}, tag: {tag}}}\n");
    let (own, other) = (image("logs", "3.3.7"), image("search", "6.8.12"));
    let files = [("logs/values.yaml", own.as_str()), ("logs/search.yaml", other.as_str())];
    assert_eq!(meant(&files, "logs", "6.8.13"), Err("several"));
    assert_eq!(meant(&files, "logs", "6.2.0"), Err("several"));
    assert_eq!(meant(&files, "logs", "4.0.0").map(|places| places.len()), Ok(1));
}
