//! The sources that deployers read: repository, path, and revision.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use ucp_client::prediction::cluster::text_at;
use ucp_core::model::object::ObjectKey;
use ucp_core::model::secrecy::scrub;
use ucp_repo::git::identity;
use ucp_repo::manifests::deployment::clean_path;

/// The revision of a source of Argo CD that specifies none: the default branch of the repository.
pub(super) const DEFAULT_REVISION: &str = "HEAD";
/// The revision of a GitRepository that specifies none, according to the documentation of Flux.
const DEFAULT_FLUX_REVISION: &str = "branch master";
const FLUX_SOURCES: &str = "source.toolkit.fluxcd.io";

/// A source of manifests, normalized for comparison.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ManifestSource {
    pub(super) repository: String,
    /// The path in the repository, or the name of a chart.
    pub(super) path: String,
    /// True for a chart, which many hubs may use.
    pub(super) is_chart: bool,
}

/// Details of a source that do not identify it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SourceDetails {
    /// The display form without credentials.
    pub(super) shown: String,
    /// The revisions of Git. Versions of charts and tags of images are no revisions.
    pub(super) revisions: BTreeSet<String>,
}

/// Sources, each with its details.
pub(super) type ManifestSources = BTreeMap<ManifestSource, SourceDetails>;

fn add_source(found: &mut ManifestSources, url: &str, path: &str, chart: &str, revision: Option<String>) {
    let path = if chart.is_empty() { clean_path(path) } else { chart.to_owned() };
    let place = if path.is_empty() { String::new() } else { format!(" ({path})") };
    let source = ManifestSource { repository: identity::normalize(url), path, is_chart: !chart.is_empty() };
    let details = found.entry(source).or_default();
    details.shown = format!("{}{place}", scrub(url));
    details.revisions.extend(revision.filter(|_| chart.is_empty()));
}

/// Returns the sources that an object deploys from. `source_at` finds the source objects of Flux.
pub(super) fn sources<'a>(
    key: &ObjectKey,
    object: &'a Value,
    source_at: &dyn Fn(&ObjectKey) -> Option<&'a Value>,
) -> ManifestSources {
    let spec = object.get("spec").unwrap_or(&Value::Null);
    let mut found = ManifestSources::new();
    if key.group == "argoproj.io" {
        repositories(spec, &mut found);
        // A chart next to the Git repository of its values may be used by many hubs.
        if found.keys().any(|source| !source.is_chart) {
            found.retain(|source, _| !source.is_chart);
        }
        return found;
    }
    if key.group == super::flux_instance::FLUX_INSTANCE.0 {
        let sync = spec.get("sync").unwrap_or(&Value::Null);
        let (url, reference) = (text_at(sync, "/url"), text_at(sync, "/ref"));
        if !url.is_empty() {
            let branch = reference.strip_prefix("refs/heads/").map(|branch| format!("branch {branch}"));
            let revision = branch.unwrap_or_else(|| reference.to_owned());
            let is_git = ["", "GitRepository"].contains(&text_at(sync, "/kind"));
            add_source(&mut found, url, text_at(sync, "/path"), "", is_git.then_some(revision));
        }
        return found;
    }
    if key.group == FLUX_SOURCES {
        let url = flux_url(spec);
        if !url.is_empty() {
            add_source(&mut found, &url, "", "", flux_revision(&key.kind, spec));
        }
        return found;
    }
    for pointer in ["/sourceRef", "/chartRef", "/chart/spec/sourceRef"] {
        let Some(reference) = spec.pointer(pointer) else { continue };
        let namespace = Some(text_at(reference, "/namespace")).filter(|namespace| !namespace.is_empty());
        let source = ObjectKey {
            group: FLUX_SOURCES.to_owned(),
            kind: text_at(reference, "/kind").to_owned(),
            namespace: namespace.map(str::to_owned).or_else(|| key.namespace.clone()),
            name: text_at(reference, "/name").to_owned(),
        };
        let Some(from) = source_at(&source).and_then(|object| object.get("spec")) else { continue };
        let url = flux_url(from);
        if !url.is_empty() {
            let revision = flux_revision(&source.kind, from);
            add_source(&mut found, &url, text_at(spec, "/path"), text_at(spec, "/chart/spec/chart"), revision);
        }
    }
    found
}

/// Returns the URL of a source of Flux. A Bucket has an endpoint and a name instead.
fn flux_url(spec: &Value) -> String {
    let (url, endpoint, bucket) = (text_at(spec, "/url"), text_at(spec, "/endpoint"), text_at(spec, "/bucketName"));
    match (url, endpoint) {
        ("", "") => String::new(),
        ("", endpoint) => format!("{}/{bucket}", endpoint.trim_end_matches('/')),
        (url, _) => url.to_owned(),
    }
}

/// Returns the revision of a GitRepository: the field of `ref` that takes precedence.
fn flux_revision(kind: &str, spec: &Value) -> Option<String> {
    const PRECEDENCE: [&str; 5] = ["commit", "name", "semver", "tag", "branch"];
    if kind != "GitRepository" {
        return None;
    }
    let field = PRECEDENCE.into_iter().find_map(|field| {
        let value = spec.get("ref")?.get(field)?.as_str().filter(|value| !value.is_empty())?;
        Some(match (field, value.strip_prefix("refs/heads/"), value.strip_prefix("refs/tags/")) {
            ("name", Some(branch), _) => format!("branch {branch}"),
            ("name", None, Some(tag)) => format!("tag {tag}"),
            _ => format!("{field} {value}"),
        })
    });
    Some(field.unwrap_or_else(|| DEFAULT_FLUX_REVISION.to_owned()))
}

/// Finds all `repoURL` fields below a value: sources, and the generators and templates of ApplicationSets.
fn repositories(value: &Value, found: &mut ManifestSources) {
    match value {
        Value::Object(fields) => {
            let url = text_at(value, "/repoURL");
            if !url.is_empty() {
                let revision = ["/targetRevision", "/revision"].into_iter().map(|pointer| text_at(value, pointer));
                let revision = revision.into_iter().find(|revision| !revision.is_empty()).unwrap_or(DEFAULT_REVISION);
                let revision = revision.strip_prefix("refs/heads/").unwrap_or(revision).to_owned();
                add_source(found, url, text_at(value, "/path"), text_at(value, "/chart"), Some(revision));
            }
            fields.values().for_each(|below| repositories(below, found));
        }
        Value::Array(items) => items.iter().for_each(|below| repositories(below, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use ucp_core::model::object::ObjectName;

    fn application(spec: &Value) -> ManifestSources {
        let object = json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
            "metadata": {"name": "root", "namespace": "argocd"}, "spec": spec});
        sources(&ObjectKey::from(&ObjectName::from_manifest(&object)), &object, &|_| None)
    }

    fn flux(kind: &str, spec: &Value) -> ManifestSources {
        let object = json!({"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": kind,
            "metadata": {"name": "flux-system", "namespace": "flux-system"}, "spec": spec});
        sources(&ObjectKey::from(&ObjectName::from_manifest(&object)), &object, &|_| None)
    }

    fn is_alike(one: &ManifestSources, other: &ManifestSources) -> bool {
        one.keys().any(|source| other.contains_key(source))
    }

    fn revisions(sources: &ManifestSources) -> Vec<&str> {
        sources.values().flat_map(|details| &details.revisions).map(String::as_str).collect()
    }

    #[test]
    fn spellings_of_a_source_are_equal_and_other_paths_are_not() {
        let at = |url: &str, path: &str| application(&json!({"source": {"repoURL": url, "path": path}}));
        let same = at("git@git.example.org:acme/platform", "./apps/");
        let spelled = at("https://user:secret@GIT.example.org:443/acme/platform.git", "apps");
        assert!(is_alike(&same, &spelled));
        assert!(!is_alike(&same, &at("https://git.example.org/acme/platform", "other")));
        assert!(!is_alike(&same, &at("https://git.example.org/acme/other", "apps")));
        let shown: Vec<&str> = spelled.values().map(|details| details.shown.as_str()).collect();
        assert!(!shown[0].contains("secret") && shown[0].ends_with("platform.git (apps)"), "{shown:?}");
    }

    #[test]
    fn hubs_that_share_a_chart_are_different() {
        let with = |values: &str| {
            application(&json!({"sources": [
                {"repoURL": "https://charts.example.org", "chart": "root"}, {"repoURL": values, "ref": "values"}]}))
        };
        assert!(!is_alike(&with("https://git.example.org/a"), &with("https://git.example.org/b")));
        let chart = application(
            &json!({"source": {"repoURL": "https://charts.example.org", "chart": "root", "targetRevision": "1.2.3"}}),
        );
        assert!(chart.keys().all(|source| source.is_chart) && revisions(&chart).is_empty());
    }

    #[test]
    fn generators_and_templates_name_repositories() {
        let found =
            application(&json!({"generators": [{"git": {"repoURL": "https://git.example.org/a", "revision": "x"}}],
            "template": {"spec": {"source": {"repoURL": "https://git.example.org/b", "path": "x"}}}}));
        assert_eq!((found.len(), revisions(&found)), (2, vec!["x", "HEAD"]));
    }

    #[test]
    fn a_flux_instance_has_the_source_of_its_root() {
        let object = json!({"apiVersion": "fluxcd.controlplane.io/v1", "kind": "FluxInstance",
            "metadata": {"name": "flux", "namespace": "flux-system"},
            "spec": {"sync": {"kind": "GitRepository", "url": "https://git.example.org/a", "ref": "refs/heads/main", "path": "./core"}}});
        let found = sources(&ObjectKey::from(&ObjectName::from_manifest(&object)), &object, &|_| None);
        assert_eq!(
            found.values().next().map(|details| details.shown.as_str()),
            Some("https://git.example.org/a (core)")
        );
        assert_eq!(revisions(&found), ["branch main"]);
    }

    #[test]
    fn spellings_of_a_revision_are_equal_and_it_has_a_default() {
        let argo = |revision: Value| {
            let source = json!({"repoURL": "https://git.example.org/a", "targetRevision": revision});
            revisions(&application(&json!({"source": source}))).join(" ")
        };
        assert_eq!([Value::Null, json!(""), json!("HEAD")].map(argo), ["HEAD", "HEAD", "HEAD"]);
        assert_eq!([json!("prod"), json!("refs/heads/prod")].map(argo), ["prod", "prod"]);
        let git = |reference: Value| {
            let found = flux("GitRepository", &json!({"url": "https://git.example.org/a", "ref": reference}));
            revisions(&found).join(" ")
        };
        assert_eq!([Value::Null, json!({}), json!({"branch": "master"})].map(git), ["branch master"; 3]);
        assert_eq!([json!({"branch": "a"}), json!({"name": "refs/heads/a", "tag": "b"})].map(git), ["branch a"; 2]);
        assert_eq!(git(json!({"branch": "a", "tag": "b", "commit": "c"})), "commit c");
    }

    #[test]
    fn a_bucket_is_a_source() {
        let bucket = |name: &str| flux("Bucket", &json!({"endpoint": "minio.example.org:9000", "bucketName": name}));
        assert_eq!(bucket("a").len(), 1);
        assert!(is_alike(&bucket("a"), &bucket("a")) && !is_alike(&bucket("a"), &bucket("b")));
        assert!(revisions(&bucket("a")).is_empty());
    }
}
