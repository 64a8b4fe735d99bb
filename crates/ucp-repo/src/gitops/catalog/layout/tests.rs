//! Environments in paths.

use super::*;

fn names(files: &[&str], file: &str) -> Vec<String> {
    EnvironmentLayout::from_files(files.iter().copied(), []).labels(file).into_iter().map(|label| label.name).collect()
}

#[test]
fn environments_are_read_from_directories_and_file_names() {
    for (file, expected) in [
        ("envs/prod/api.yaml", "prod"),
        ("clusters/c3/api.yaml", "c3"),
        ("api/values-prod.yaml", "prod"),
        ("api/prod.values.yaml", "prod"),
        ("env/staging/api.values.yaml.gotmpl", "staging"),
        ("config/prod.yaml", "prod"),
        ("config/prod.env", "prod"),
        ("terraform/config/prod.tfvars.json", "prod"),
        ("tags/integration/api", "integration"),
    ] {
        assert_eq!(names(&[file], file), [expected], "{file}");
    }
    assert_eq!(names(&["clusters/eu/prod/a.yaml"], "clusters/eu/prod/a.yaml"), ["eu", "prod"]);
    assert_eq!(names(&["a/values-eu.yaml", "a/values-prod.yaml"], "a/values-eu.yaml"), ["eu"]);
}

#[test]
fn a_name_that_only_contains_an_environment_needs_similar_siblings() {
    assert_eq!(names(&["apps/dev-portal/a.yaml"], "apps/dev-portal/a.yaml"), [""; 0]);
    let siblings = ["apps/dev-eu/a.yaml", "apps/prod-eu/a.yaml"];
    assert_eq!(names(&siblings, siblings[1]), ["prod-eu"]);
    assert_eq!(names(&["apps/load-generator/a.yaml", "apps/prod/a.yaml"], "apps/load-generator/a.yaml"), [""; 0]);
    assert_eq!(names(&["overlays/base/a.yaml"], "overlays/base/a.yaml"), [""; 0]);
    let family = ["apps/shop-dev/a.yaml", "apps/shop-prod/a.yaml", "apps/shop-test/a.yaml", "apps/web-test/a.yaml"];
    assert_eq!(names(&family, family[2]), ["shop-test"]);
    assert_eq!(names(&family, family[3]), [""; 0]);
}

#[test]
fn an_ambiguous_word_among_applications_is_an_application() {
    let of = |names_of_directories: &[&str], name: &str| {
        let files: Vec<String> = names_of_directories.iter().map(|name| format!("apps/{name}/values.yaml")).collect();
        names(&files.iter().map(String::as_str).collect::<Vec<_>>(), &format!("apps/{name}/values.yaml"))
    };
    for name in ["demo", "live", "preview"] {
        assert_eq!(of(&["demo", "live", "preview", "web"], name), [""; 0], "{name}");
        assert_eq!(of(&["demo", "live", "preview", "base"], name), [name]);
        assert_eq!(of(&["demo", "live", "preview", "web", "prod"], name), [name]);
    }
    assert_eq!(of(&["prod", "web"], "prod"), ["prod"]);
    assert_eq!(of(&["dev-to-stage", "stage-to-prod"], "dev-to-stage"), [""; 0]);
    let files = ["apps/demo.yaml", "apps/web.yaml"];
    assert_eq!(names(&files, files[0]), [""; 0]);
    assert_eq!(names(&["apps/demo.yaml", "apps/kustomization.yaml"], files[0]), ["demo"]);
}

#[test]
fn a_sibling_of_environments_in_several_services_is_an_environment() {
    let teams = ["a", "b", "c"];
    let file = |team: &str, name: &str| format!("apps/{team}/{name}/x.yaml");
    let files: Vec<String> = teams
        .iter()
        .flat_map(|team| ["stage", "prod", "ithc", "base"].map(|name| file(team, name)))
        .chain([file("a", "api")])
        .collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    assert_eq!(names(&files, "apps/a/ithc/x.yaml"), ["ithc"]);
    assert_eq!(names(&files, "apps/a/api/x.yaml"), [""; 0]);
    assert_eq!(names(&files, "apps/a/base/x.yaml"), [""; 0]);
    let values: Vec<String> = teams.iter().map(|chart| format!("{chart}/values-roundtable.yaml")).collect();
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    assert_eq!(names(&values, values[0]), ["roundtable"]);
    assert_eq!(names(&values[..2], values[0]), [""; 0]);
}

#[test]
fn suffixes_of_files_with_the_same_prefix_are_environments() {
    let files = ["values/shop-dev.yaml", "values/shop-prod.yaml", "values/shop-db.yaml", "values/web-prod.yaml"];
    assert_eq!(names(&files, files[1]), ["prod"]);
    for other in &files[2..] {
        assert_eq!(names(&files, other), [""; 0], "{other}");
    }
    assert_eq!(names(&["a/x-pre-prod.yaml", "a/x-qa.yaml"], "a/x-pre-prod.yaml"), ["pre-prod"]);
    assert_eq!(names(&["a/x-demo.yaml", "a/x-live.yaml"], "a/x-demo.yaml"), [""; 0]);
}

#[test]
fn a_single_cluster_is_divided_by_topics() {
    let files = ["cluster/apps/a/x.yaml", "cluster/core/a/x.yaml", "clusters/eu/x.yaml", "clusters/apps/x.yaml"];
    for (file, expected) in [(files[0], ""), (files[1], ""), (files[2], "eu"), (files[3], "")] {
        assert_eq!(names(&files, file).concat(), expected, "{file}");
    }
    let namespaces = ["cluster/mail/a/x.yaml", "cluster/media/a/x.yaml"];
    assert_eq!(names(&namespaces, namespaces[0]), [""; 0]);
    assert_eq!(names(&["cluster/dev-eu/x.yaml", "cluster/us/x.yaml"], "cluster/us/x.yaml"), ["us"]);
    assert_eq!(names(&["env/apps/x.yaml", "env/eu/x.yaml"], "env/eu/x.yaml"), [""; 0]);
    assert_eq!(names(&["env/base/x.yaml", "env/eu/x.yaml"], "env/eu/x.yaml"), ["eu"]);
}

#[test]
fn files_of_clusters_are_environments() {
    assert_eq!(names(&["clusters/c1.yaml", "clusters/c2.yaml"], "clusters/c1.yaml"), ["c1"]);
    let built = ["clusters/c1.yaml", "clusters/kustomization.yaml"];
    assert_eq!(names(&built, built[0]), [""; 0]);
}

#[test]
fn environments_can_be_keys() {
    let labels = key_labels(["api", "staging", "tag"]);
    assert_eq!(labels.len(), 1);
    assert_eq!(labels[0].name, "staging");
}
