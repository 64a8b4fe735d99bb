//! Names of versions: the service, and all other names that the user may type.

use std::collections::BTreeMap;

use crate::gitops::catalog::layout::{EnvironmentLabel, stem};
use crate::gitops::purpose::{is_plain_directory, is_plain_file};
use crate::slot::artifact::{ArtifactKind, normalized_name, short_name};

/// Keys that occur in the path of any version.
const PLAIN_KEYS: [&str; 40] = [
    "spec",
    "values",
    "valuesobject",
    "data",
    "template",
    "containers",
    "initcontainers",
    "image",
    "images",
    "tag",
    "version",
    "newtag",
    "newname",
    "targetrevision",
    "ref",
    "reference",
    "digest",
    "branch",
    "semver",
    "commit",
    "source",
    "sources",
    "chart",
    "resources",
    "postbuild",
    "substitute",
    "helm",
    "parameters",
    "value",
    "dependencies",
    "releases",
    "helmcharts",
    "global",
    "controllers",
    "package",
    "patches",
    "patch",
    "items",
    "url",
    "metadata",
];

/// Precision of a name for a version, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameFit {
    /// A marker's policy, or the artifact as written.
    Exact,
    /// The last part of the artifact's name.
    Artifact,
    /// The service, the object, or a key.
    Service,
    /// A parent directory.
    Directory,
}

impl NameFit {
    /// Returns true if a name describes the location of a version, and not its artifact.
    pub fn is_weak(self) -> bool {
        self >= Self::Service
    }
}

/// Input for the naming of a version.
#[derive(Debug, Clone, Copy, Default)]
pub struct NamingContext<'a> {
    /// File, relative to the root of the repository.
    pub file: &'a str,
    /// Keys above the version.
    pub keys: &'a [&'a str],
    /// Kind and name of the object that contains it.
    pub object: Option<(&'a str, &'a str)>,
    /// Artifact, and the last part of its name.
    pub artifact: Option<(&'a str, &'a str)>,
}

/// Normalizes the spelling of a name: `wbaasApi`, `wbaas_api`, and `wbaas-api` are equal.
pub fn normalize_name(name: &str) -> String {
    let mut plain = String::with_capacity(name.len() + 4);
    let mut before = '-';
    for character in name.chars() {
        if character.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
            plain.push('-');
        }
        match character.is_alphanumeric() {
            true => plain.extend(character.to_lowercase()),
            false if plain.ends_with('-') || plain.is_empty() => {}
            false => plain.push('-'),
        }
        before = character;
    }
    plain.truncate(plain.trim_end_matches('-').len());
    plain
}

/// Returns the service of a place that neither an overlay nor a rule names.
pub fn service(site: &NamingContext<'_>, labels: &[EnvironmentLabel]) -> Option<String> {
    let parts: Vec<&str> = site.file.split('/').collect();
    let is_label = |index: usize| labels.iter().any(|label| label.part == Some(index));
    if let Some(place) =
        site.keys.iter().position(|key| labels.iter().any(|label| label.part.is_none() && label.name == *key))
    {
        // `api: {staging: 1.2}` and `staging: {api: {tag: 1.2}}`.
        let telling = |key: &&&str| !is_plain(key, &PLAIN_KEYS) && key.parse::<usize>().is_err();
        let found = site.keys[..place].iter().rev().find(telling).or(site.keys[place + 1..].iter().find(telling));
        if let Some(found) = found {
            return Some((*found).to_owned());
        }
    }
    let last = parts.len() - 1;
    if let Some(name) = telling_stem(site) {
        let Some(label) = labels.iter().find(|label| label.part == Some(last)) else { return Some(name) };
        // `shop` for `shop-prod.yaml`.
        let subject = name.strip_suffix(&label.name).map(|subject| subject.trim_end_matches(['-', '_', '.']));
        if let Some(subject) = subject.filter(|subject| !subject.is_empty() && !is_plain_file(subject)) {
            return Some(subject.to_owned());
        }
    }
    let directories = parts[..last].iter().enumerate().rev();
    let telling = directories.filter(|(index, part)| !is_label(*index) && !is_plain_directory(part));
    let named = telling.map(|(_, part)| (*part).to_owned()).next();
    named.or_else(|| site.object.map(|(_, name)| name.to_owned()).filter(|name| !name.is_empty()))
}

/// Returns the name of a place by its keys, as a fallback: `shop` for `SHOP_TAG` and `shop.image.tag`.
pub fn by_keys(keys: &[&str]) -> Option<String> {
    let telling = |key: &&&str| !is_plain(key, &PLAIN_KEYS) && key.parse::<usize>().is_err();
    let names = keys.iter().filter(telling).map(|key| without_version_words(&normalize_name(key)).to_owned());
    names.into_iter().find(|name| !name.is_empty() && !is_plain(name, &PLAIN_KEYS))
}

/// Returns the stem of a file if it is more than the kind of the object in it.
fn telling_stem(site: &NamingContext<'_>) -> Option<String> {
    let name = stem(site.file).trim_start_matches('.');
    let name =
        name.strip_suffix(".values").or(name.strip_suffix("-values")).or(name.strip_prefix("values-")).unwrap_or(name);
    let flat = normalize_name(name);
    let kind = site.object.map(|(kind, _)| normalize_name(kind)).unwrap_or_default();
    let without_dashes = |text: &str| text.replace('-', "");
    // Without an extension, the name does not describe a format.
    let is_plain = is_plain_file(name) && site.file.rsplit('/').next() != Some(name);
    if is_plain || without_dashes(&flat) == without_dashes(&kind) {
        return None;
    }
    // `mongodb-statefulset` as well as `mongodb-stateful-set`.
    let spellings = [without_dashes(&kind), kind];
    let ends = |kind: &String| if kind.is_empty() { None } else { flat.strip_suffix(kind.as_str()) };
    let short = spellings.iter().find_map(ends).map(|rest| rest.trim_end_matches('-'));
    Some(short.filter(|short| !short.is_empty()).map_or_else(|| name.to_owned(), str::to_owned))
}

fn is_plain(name: &str, words: &[&str]) -> bool {
    words.contains(&name.to_ascii_lowercase().as_str())
}

/// Returns all names of a place, with their precision.
pub fn names(
    site: &NamingContext<'_>,
    service: &str,
    policy: Option<&str>,
    labels: &[EnvironmentLabel],
) -> BTreeMap<String, NameFit> {
    let mut names: BTreeMap<String, NameFit> = BTreeMap::new();
    let mut add = |name: &str, fit: NameFit| {
        let name = normalize_name(name);
        if !name.is_empty() {
            names.entry(name).and_modify(|old| *old = fit.min(*old)).or_insert(fit);
        }
    };
    if let Some(policy) = policy {
        add(policy, NameFit::Exact);
        add(policy.rsplit(':').next().unwrap_or(policy), NameFit::Artifact);
    }
    if let Some((artifact, short)) = site.artifact {
        add(artifact, if artifact.contains('/') { NameFit::Exact } else { NameFit::Artifact });
        add(short, NameFit::Artifact);
    }
    add(service, NameFit::Service);
    add(service.rsplit('/').next().unwrap_or(service), NameFit::Service);
    if let Some((_, name)) = site.object {
        add(name, NameFit::Service);
    }
    if let Some(name) = telling_stem(site) {
        add(&name, NameFit::Service);
    }
    // `kfdef` for kfdef.yaml and `katib-configmap` for katib-configmap.yaml, for any kind of object.
    if !is_plain_file(stem(site.file)) {
        add(stem(site.file), NameFit::Service);
    }
    let mut keys = site.keys.iter().filter(|key| key.parse::<usize>().is_err() && !is_plain(key, &PLAIN_KEYS));
    for key in keys.by_ref() {
        add(key, NameFit::Service);
        add(without_version_words(&normalize_name(key)), NameFit::Service);
    }
    let parts: Vec<&str> = site.file.split('/').collect();
    let mut path: Vec<String> = Vec::new();
    for (index, part) in parts[..parts.len() - 1].iter().enumerate() {
        if !is_plain_directory(part) && !labels.iter().any(|label| label.part == Some(index)) {
            add(part, NameFit::Directory);
            path.push(normalize_name(part));
        }
    }
    path.extend(telling_stem(site).map(|name| normalize_name(&name)));
    for (index, pair) in path.windows(2).enumerate() {
        let fit = if index + 2 == path.len() { NameFit::Service } else { NameFit::Directory };
        names.entry(pair.join("/")).or_insert(fit);
    }
    names
}

/// Adds the name of an artifact, and its last part, to the names of a place.
pub fn add_artifact(names: &mut BTreeMap<String, NameFit>, artifact: &str) {
    let whole = if artifact.contains('/') { NameFit::Exact } else { NameFit::Artifact };
    for (name, fit) in [(artifact, whole), (short_name(artifact), NameFit::Artifact)] {
        names.entry(normalize_name(name)).and_modify(|old| *old = fit.min(*old)).or_insert(fit);
    }
}

/// Returns the key of a name that is qualified by the directory above: `team/api`; `None` for other names.
pub fn qualified_name(name: &str) -> Option<String> {
    let (above, name) = name.split_once('/').filter(|(_, name)| !name.contains('/'))?;
    Some(format!("{}/{}", normalize_name(above), normalize_name(name)))
}

/// Returns the owner and name of an artifact that names its registry or host too: `o/r` for
/// `https://github.com/o/r//deploy`, `o/n` for `ghcr.io/o/n`.
pub fn with_owner(artifact: &str, what: ArtifactKind) -> Option<String> {
    let name = normalized_name(artifact).replace(':', "/");
    let parts: Vec<&str> = name.split('/').filter(|part| !part.is_empty()).collect();
    let [host, owner, .., last] = parts.as_slice() else { return None };
    let name = if what == ArtifactKind::Git { parts[2].trim_end_matches(".git") } else { last };
    let is_owned = host.contains('.') && (what == ArtifactKind::Git || parts.len() == 3);
    is_owned.then(|| format!("{owner}/{name}"))
}

/// Returns a name without the parts that name an environment, in which names may differ: `shop` for `shop-stage` and
/// `stage-shop`.
pub fn without_environment(name: &str, environment: &str) -> String {
    let separated = format!("-{}-", name.replace(['_', '.'], "-"));
    let part = format!("-{}-", environment.replace(['_', '.'], "-"));
    if environment.is_empty() || !separated.contains(&part) {
        return name.to_owned();
    }
    separated.replace(&part, "-").trim_matches('-').to_owned()
}

/// Strips words for versions: `radix-operator` for `radix-operator-image-tag`, `api` for `api-docker-tag`.
fn without_version_words(key: &str) -> &str {
    let mut key = key;
    while let Some(rest) = ["-tag", "-version", "-revision", "-image", "-ref", "-docker", "-container", "-digest"]
        .iter()
        .find_map(|word| key.strip_suffix(word))
    {
        key = rest;
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service_of(file: &str, keys: &[&str], object: Option<(&str, &str)>) -> Option<String> {
        service(&NamingContext { file, keys, object, artifact: None }, &[])
    }

    #[test]
    fn services_get_their_most_specific_name() {
        assert_eq!(
            service_of("apps/default/sonarr/app/helmrelease.yaml", &["spec"], Some(("HelmRelease", "x"))),
            Some("sonarr".into())
        );
        assert_eq!(service_of("charts/config/tags/prod/chat", &["image_tag"], None), Some("chat".into()));
        assert_eq!(service_of("a/mongodb-statefulset.yaml", &[], Some(("StatefulSet", "m"))), Some("mongodb".into()));
        assert_eq!(service_of("env/ui.values.yaml.gotmpl", &["image", "tag"], None), Some("ui".into()));
        assert_eq!(service_of("apps/kustomization.yaml", &["images", "0"], None), None);
        let labels = crate::gitops::catalog::layout::key_labels(["api", "prod", "tag"]);
        let site = NamingContext { file: "versions.yaml", keys: &["api", "prod", "tag"], ..NamingContext::default() };
        assert_eq!(service(&site, &labels), Some("api".into()));
        let site = NamingContext { file: "versions.yaml", keys: &["prod", "api", "tag"], ..NamingContext::default() };
        assert_eq!(service(&site, &labels), Some("api".into()));
    }

    #[test]
    fn names_may_contain_their_environment() {
        for (name, environment) in [("shop-stage", "stage"), ("prod-shop", "prod"), ("shop", "prod")] {
            assert_eq!(without_environment(name, environment), "shop");
        }
        assert_eq!(without_environment("shop_prod-eu_api", "prod-eu"), "shop-api");
        assert_eq!(without_environment("producer", "prod"), "producer");
    }

    #[test]
    fn artifacts_have_owners() {
        let git = |url: &str| with_owner(url, ArtifactKind::Git);
        assert_eq!(git("https://github.com/o/r//deploy"), Some("o/r".into()));
        assert_eq!(git("github.com/o/r/manifests/install"), Some("o/r".into()));
        assert_eq!(git("git@github.com:o/r.git"), Some("o/r".into()));
        assert_eq!(with_owner("ghcr.io/o/n", ArtifactKind::Image), Some("o/n".into()));
        assert_eq!(with_owner("o/n", ArtifactKind::Image), None);
    }

    #[test]
    fn a_directory_qualifies_a_name() {
        let names_of = |file: &str| names(&NamingContext { file, ..NamingContext::default() }, "api", None, &[]);
        let key = qualified_name("red/API").unwrap();
        assert_eq!(names_of("services/red/api/values.yaml").get(&key), Some(&NameFit::Service));
        assert_eq!(names_of("services/red/api.yaml").get(&key), Some(&NameFit::Service));
        assert_eq!(names_of("services/red/api/job.yaml").get(&key), Some(&NameFit::Directory));
        assert_eq!(names_of("services/blue/api/values.yaml").get(&key), None);
        assert_eq!((qualified_name("api"), qualified_name("ghcr.io/red/api")), (None, None));
    }

    #[test]
    fn names_include_the_forms_that_people_type() {
        let site = NamingContext {
            file: "clusters/prod/build.yaml",
            keys: &["spec", "postBuild", "substitute", "RADIX_OPERATOR_TAG"],
            object: Some(("Kustomization", "flux")),
            artifact: Some(("ghcr.io/a/operator", "operator")),
        };
        let names = names(&site, "build", Some("flux-system:radix"), &[]);
        assert_eq!(names.get("radix-operator"), Some(&NameFit::Service));
        assert_eq!(names.get("operator"), Some(&NameFit::Artifact));
        assert_eq!(names.get(normalize_name("flux-system:radix").as_str()), Some(&NameFit::Exact));
        assert_eq!(names.get("build/prod"), None);
        assert_eq!(normalize_name("chartVersions"), "chart-versions");
        assert_eq!(normalize_name("wbaas_API"), "wbaas-api");
    }
}
