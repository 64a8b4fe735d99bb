//! The ownership of a hub: the repositories that its root objects come from, and workloads without a declaration.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::desire::deploys;
use super::gather::default_engine_namespace;
use super::wave::is_deployer;
use ucp_client::prediction::cluster::text_at;
use ucp_core::engine;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::graph::{Graph, NodeIdentity};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::grounds::{Grounded, Grounds, GroundsEvidence, Ungrounded};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::secrecy::scrub;
use ucp_core::model::state::ClusterState;
use ucp_repo::git::identity;
use ucp_repo::manifests::deployment::clean_path;
use ucp_repo::manifests::selection::DeploymentSelection;

/// Kinds of workloads.
const WORKLOADS: [(&str, &str); 4] =
    [("apps", "Deployment"), ("apps", "StatefulSet"), ("apps", "DaemonSet"), ("batch", "CronJob")];
/// Kinds of deployers and their sources. All of them must be read before ownership can be determined.
const DEPLOYERS: [(&str, &str); 7] = [
    ("argoproj.io", "Application"),
    ("argoproj.io", "ApplicationSet"),
    ("kustomize.toolkit.fluxcd.io", "Kustomization"),
    ("helm.toolkit.fluxcd.io", "HelmRelease"),
    ("source.toolkit.fluxcd.io", "GitRepository"),
    ("source.toolkit.fluxcd.io", "OCIRepository"),
    ("source.toolkit.fluxcd.io", "Bucket"),
];
/// Prefixes of namespaces whose workloads are part of a cluster: `kube-` is reserved by Kubernetes, the others are
/// those of distributions and managed offerings.
const OF_CLUSTERS: [&str; 7] =
    ["kube-", "gke-", "gmp-", "calico-", "tigera-operator", "local-path-storage", "openshift-"];

/// A source of manifests, normalized for comparison.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ManifestSource {
    repository: String,
    /// The path in the repository, or the name of a chart.
    path: String,
    /// True for a chart, which many hubs may use.
    is_chart: bool,
}

/// Sources, each with its display form without credentials.
type ManifestSources = BTreeMap<ManifestSource, String>;

fn add_source(found: &mut ManifestSources, url: &str, path: &str, chart: &str) {
    let path = if chart.is_empty() { clean_path(path) } else { chart.to_owned() };
    let place = if path.is_empty() { String::new() } else { format!(" ({path})") };
    let shown = format!("{}{place}", scrub(url));
    found.insert(ManifestSource { repository: identity::normalize(url), path, is_chart: !chart.is_empty() }, shown);
}

/// A root object of the hub that does not come from the checkout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForeignRoot {
    /// The root object.
    pub object: ObjectName,
    /// The sources that it deploys from: URLs, each with its path.
    pub sources: Vec<String>,
    /// The sources of this object according to the checkout, if that declares it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub declared: Vec<String>,
}

/// Evidence against writing a checkout to a cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HubOwnership {
    /// Root objects from other repositories or other paths. With any, the cluster is the hub of another repository.
    pub foreign_roots: Vec<ForeignRoot>,
    /// Workloads and external resources that the checkout does not declare, on a cluster that is not its hub yet.
    pub undeclared: Vec<ObjectName>,
    /// The URLs that the deployers of the checkout use for it.
    pub sources: Vec<String>,
}

impl HubOwnership {
    /// Returns true if there is no evidence against writing.
    pub fn is_free(&self) -> bool {
        self.foreign_roots.is_empty() && self.undeclared.is_empty()
    }
}

/// The field `hub` of the document `BootstrapPlan`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HubReport {
    /// The text that the user enters to write anyway: the name of the context, or the server if there is no context.
    pub name: String,
    /// The evidence against writing.
    #[serde(flatten)]
    pub ownership: HubOwnership,
    /// The lists that the evidence is based on.
    pub grounds: Grounds,
}

/// Returns the kinds of deployers for which `is_meant` returns true, given their group and kind, as `plural.group`.
pub fn deployer_names(is_meant: impl Fn(&str, &str) -> bool) -> Vec<String> {
    let meant = DEPLOYERS.iter().filter(|(group, kind)| is_meant(group, kind));
    meant.map(|(group, kind)| ResourceKind::guess(group, kind).qualified_plural()).collect()
}

/// Returns the parts of a kind to read.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    if is_deployer(&kind.group, &kind.kind) {
        return Some(
            engine::want(kind).map_or(KindRequest::whole(BodyShape::Any), |want| KindRequest::whole(want.shape)),
        );
    }
    (is_workload(kind) || has_external_resource(kind)).then_some(KindRequest::all(BodyShape::Metadata))
}

fn is_workload(kind: &ResourceKind) -> bool {
    WORKLOADS.contains(&(kind.group.as_str(), kind.kind.as_str()))
}

fn has_external_resource(kind: &ResourceKind) -> bool {
    matches!(role(kind), Some(CrossplaneRole::Managed | CrossplaneRole::Composite | CrossplaneRole::Claim))
        || engine::outside(kind).is_some()
}

/// The declarations of a checkout, and the repositories that it is a checkout of.
pub struct CheckoutDeclarations<'a> {
    declared: BTreeMap<ObjectKey, &'a Value>,
    selection: &'a DeploymentSelection,
}

impl<'a> CheckoutDeclarations<'a> {
    /// Returns a checkout with these objects. `selection` contains its URLs.
    pub fn new(objects: impl Iterator<Item = &'a Value>, selection: &'a DeploymentSelection) -> Self {
        let declared = objects.map(|object| (ObjectKey::from(&ObjectName::from_manifest(object)), object)).collect();
        Self { declared, selection }
    }

    /// Returns the sources that are in this checkout.
    fn own_sources<'s>(&self, sources: &'s ManifestSources) -> BTreeMap<&'s ManifestSource, &'s String> {
        sources.iter().filter(|(one, _)| self.selection.has_url(&one.repository)).collect()
    }

    /// Compares the sources of a live object with those of its declaration. Returns `None` if either has no sources.
    fn compare(&self, declared: &ManifestSources, live: &ManifestSources) -> Option<DeclaredOrigin> {
        if declared.is_empty() || live.is_empty() {
            return None;
        }
        let own = self.own_sources(declared);
        let is_shared = |source: &ManifestSource| live.contains_key(source);
        Some(match own.is_empty() {
            false if own.keys().any(|source| is_shared(source)) => DeclaredOrigin::Checkout,
            true if declared.keys().any(is_shared) => DeclaredOrigin::SameElsewhere,
            _ => DeclaredOrigin::Foreign,
        })
    }
}

/// The origin of a live object that the checkout declares.
enum DeclaredOrigin {
    /// The object comes from the checkout.
    Checkout,
    /// The object comes from the declared source, which is another repository.
    SameElsewhere,
    /// The object comes from another source than declared.
    Foreign,
}

/// Compares the root objects of a cluster with those of a checkout.
///
/// # Errors
/// Fails when a required list could not be read.
pub fn examine(
    state: &ClusterState,
    checkout: &CheckoutDeclarations<'_>,
) -> Result<Grounded<HubOwnership>, Ungrounded<HubOwnership>> {
    let mut evidence = GroundsEvidence::new();
    for (group, kind) in DEPLOYERS {
        evidence.require_list(state, None, group, kind);
    }
    let (is_ours, mut ownership) = compare_roots(state, checkout);
    if !is_ours {
        for (group, kind) in WORKLOADS {
            evidence.require_list(state, None, group, kind);
        }
        for entry in &state.unreadable {
            evidence.add_gap(entry.clone());
        }
        ownership.undeclared = undeclared(state, checkout);
    }
    evidence.establish(ownership)
}

/// Returns true if any deployer comes from the checkout, and the root objects of the cluster that come from elsewhere.
pub fn compare_roots(state: &ClusterState, checkout: &CheckoutDeclarations<'_>) -> (bool, HubOwnership) {
    let objects = live_deployers(state);
    let live: BTreeMap<&ObjectKey, ManifestSources> =
        objects.iter().map(|(key, object)| (key, sources(key, object, &|key| objects.get(key).copied()))).collect();
    let source_at = |key: &ObjectKey| checkout.declared.get(key).or_else(|| objects.get(key)).copied();
    let deployers = checkout.declared.iter().filter(|(key, _)| is_deployer(&key.group, &key.kind));
    let declared: BTreeMap<&ObjectKey, ManifestSources> =
        deployers.map(|(key, object)| (key, sources(key, object, &source_at))).collect();
    let (mut is_ours, mut foreign) = (false, Vec::new());
    for (key, wanted) in &declared {
        let Some(found) = live.get(key) else { continue };
        match checkout.compare(wanted, found) {
            Some(DeclaredOrigin::Foreign) => foreign.push((*key, found, display_sources(wanted.values()))),
            // A source does not determine the objects that are deployed from it.
            Some(DeclaredOrigin::Checkout) => is_ours |= deploys(&key.kind),
            Some(DeclaredOrigin::SameElsewhere) | None => {}
        }
    }
    if !is_ours {
        let others = root_deployers(state, &live).into_iter().filter(|key| !declared.contains_key(key));
        foreign.extend(others.filter_map(|key| Some((key, live.get(key)?, Vec::new()))));
    }
    let object = |key: &ObjectKey| state.resources.iter().find(|resource| resource.key() == *key).map(Resource::name);
    let foreign_roots = foreign.into_iter().filter_map(|(key, sources, declared)| {
        Some(ForeignRoot { object: object(key)?, sources: display_sources(sources.values()), declared })
    });
    let own: BTreeMap<&ManifestSource, &String> =
        declared.values().flat_map(|sources| checkout.own_sources(sources)).collect();
    let urls: BTreeSet<String> =
        own.into_values().map(|shown| shown.split(" (").next().unwrap_or(shown).to_owned()).collect();
    let (foreign_roots, sources) = (foreign_roots.collect(), urls.into_iter().collect());
    (is_ours, HubOwnership { foreign_roots, undeclared: Vec::new(), sources })
}

/// Returns the other repositories that the deployers of a cluster use, with the number of deployers of each.
pub fn other_repositories(state: &ClusterState, checkout: &CheckoutDeclarations<'_>) -> BTreeMap<String, usize> {
    let objects = live_deployers(state);
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for (key, object) in objects.iter().filter(|(key, _)| deploys(&key.kind)) {
        let sources = sources(key, object, &|key| objects.get(key).copied());
        let others = sources.into_keys().filter(|source| !checkout.selection.has_url(&source.repository));
        for repository in others.map(|source| scrub(&source.repository).into_owned()).collect::<BTreeSet<_>>() {
            *found.entry(repository).or_default() += 1;
        }
    }
    found
}

fn display_sources<'a>(sources: impl Iterator<Item = &'a String>) -> Vec<String> {
    sources.collect::<BTreeSet<_>>().into_iter().cloned().collect()
}

fn live_deployers(state: &ClusterState) -> BTreeMap<ObjectKey, &Value> {
    let deployers = state.resources.iter().filter(|one| is_deployer(&one.kind.group, &one.kind.kind));
    deployers.filter_map(|one| Some((one.key(), one.whole.as_deref()?))).collect()
}

/// Returns the sources that an object deploys from.
fn sources<'a>(
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
    let url = text_at(spec, "/url");
    if !url.is_empty() {
        add_source(&mut found, url, "", "");
    }
    for pointer in ["/sourceRef", "/chartRef", "/chart/spec/sourceRef"] {
        let Some(reference) = spec.pointer(pointer) else { continue };
        let namespace = Some(text_at(reference, "/namespace")).filter(|namespace| !namespace.is_empty());
        let source = ObjectKey {
            group: "source.toolkit.fluxcd.io".to_owned(),
            kind: text_at(reference, "/kind").to_owned(),
            namespace: namespace.map(str::to_owned).or_else(|| key.namespace.clone()),
            name: text_at(reference, "/name").to_owned(),
        };
        let url = source_at(&source).map(|object| text_at(object, "/spec/url")).unwrap_or_default();
        if !url.is_empty() {
            add_source(&mut found, url, text_at(spec, "/path"), text_at(spec, "/chart/spec/chart"));
        }
    }
    found
}

/// Finds all `repoURL` fields below a value: sources, and the generators and templates of ApplicationSets.
fn repositories(value: &Value, found: &mut ManifestSources) {
    match value {
        Value::Object(fields) => {
            let url = text_at(value, "/repoURL");
            if !url.is_empty() {
                add_source(found, url, text_at(value, "/path"), text_at(value, "/chart"));
            }
            fields.values().for_each(|below| repositories(below, found));
        }
        Value::Array(items) => items.iter().for_each(|below| repositories(below, found)),
        _ => {}
    }
}

/// Returns the deployers of a cluster that no other deployer applies. A chart is a root only if it applies deployers.
fn root_deployers<'a>(
    state: &ClusterState,
    live: &BTreeMap<&'a ObjectKey, ManifestSources>,
) -> BTreeSet<&'a ObjectKey> {
    let graph = Graph::from_objects_only(state, engine::links);
    let mut parents: BTreeMap<&ObjectKey, BTreeSet<ObjectKey>> = BTreeMap::new();
    for key in live.keys().copied().filter(|key| deploys(&key.kind)) {
        let above = graph.find(key).map(|node| graph.origins(node)).unwrap_or_default();
        let above = above.into_iter().filter_map(|node| match &graph.node(node).thing {
            NodeIdentity::Object(above) if deploys(&above.kind) && above != key && live.contains_key(above) => {
                Some(above.clone())
            }
            _ => None,
        });
        parents.insert(key, above.collect());
    }
    let brings: BTreeSet<&ObjectKey> = parents.values().flatten().collect();
    let is_chart = |key: &ObjectKey| live.get(key).is_none_or(|sources| sources.keys().all(|source| source.is_chart));
    let is_root = |key: &&ObjectKey| brings.contains(*key) || !is_chart(key);
    let first: BTreeSet<&ObjectKey> =
        parents.iter().filter(|(_, above)| above.is_empty()).map(|(key, _)| *key).filter(is_root).collect();
    // If deployers apply each other, none of them is the first.
    if first.is_empty() { parents.keys().copied().filter(is_root).collect() } else { first }
}

/// Returns workloads and objects with external resources that the checkout does not declare.
fn undeclared(state: &ClusterState, checkout: &CheckoutDeclarations<'_>) -> Vec<ObjectName> {
    let homes = [GitOps::ArgoCd, GitOps::Flux].map(default_engine_namespace);
    let comes_with_clusters = |resource: &Resource| {
        let namespace = resource.metadata.namespace.as_deref().unwrap_or_default();
        let is_of_cluster = OF_CLUSTERS.iter().any(|begin| namespace.starts_with(begin));
        // An engine without roots deploys nothing yet.
        is_workload(&resource.kind) && (is_of_cluster || homes.contains(&namespace))
    };
    let counts = |resource: &&Resource| {
        (is_workload(&resource.kind) || has_external_resource(&resource.kind))
            && !comes_with_clusters(resource)
            && resource.metadata.controller().is_none()
            && !checkout.declared.contains_key(&resource.key())
    };
    let mut found: Vec<ObjectName> = state.resources.iter().filter(counts).map(Resource::name).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn application(spec: &Value) -> ManifestSources {
        let object = json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
            "metadata": {"name": "root", "namespace": "argocd"}, "spec": spec});
        sources(&ObjectKey::from(&ObjectName::from_manifest(&object)), &object, &|_| None)
    }

    fn is_alike(one: &ManifestSources, other: &ManifestSources) -> bool {
        one.keys().any(|source| other.contains_key(source))
    }

    #[test]
    fn spellings_of_one_source_are_equal_and_other_paths_are_not() {
        let at = |url: &str, path: &str| application(&json!({"source": {"repoURL": url, "path": path}}));
        let same = at("git@git.example.org:acme/platform", "./apps/");
        let spelled = at("https://user:secret@GIT.example.org:443/acme/platform.git", "apps");
        assert!(is_alike(&same, &spelled));
        assert!(!is_alike(&same, &at("https://git.example.org/acme/platform", "other")));
        assert!(!is_alike(&same, &at("https://git.example.org/acme/other", "apps")));
        let shown = display_sources(spelled.values());
        assert!(!shown[0].contains("secret") && shown[0].ends_with("platform.git (apps)"), "{shown:?}");
    }

    #[test]
    fn a_chart_that_many_share_does_not_make_two_hubs_one() {
        let with = |values: &str| {
            application(&json!({"sources": [
                {"repoURL": "https://charts.example.org", "chart": "root"}, {"repoURL": values, "ref": "values"}]}))
        };
        assert!(!is_alike(&with("https://git.example.org/a"), &with("https://git.example.org/b")));
        let chart = application(&json!({"source": {"repoURL": "https://charts.example.org", "chart": "root"}}));
        assert!(chart.keys().all(|source| source.is_chart));
    }

    #[test]
    fn generators_and_templates_name_repositories() {
        let found = application(&json!({"generators": [{"git": {"repoURL": "https://git.example.org/a"}}],
            "template": {"spec": {"source": {"repoURL": "https://git.example.org/b", "path": "x"}}}}));
        assert_eq!(found.len(), 2);
    }
}
