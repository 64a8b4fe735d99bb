//! Discovery: which groups, versions and kinds there are.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use kube::core::Version;
use serde_json::{Value, json};

use super::objects::ServedCluster;
use ucp_core::model::kind::{ResourceKind, ResourceScope};

impl ServedCluster {
    /// Returns the versions of each group, without the core group.
    fn groups(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (group, version, _) in self.kinds.keys().filter(|(group, _, _)| !group.is_empty()) {
            let versions = groups.entry(group).or_default();
            if !versions.contains(&version.as_str()) {
                versions.push(version);
            }
        }
        // The order of a server: stable versions first, and higher numbers first.
        groups
            .values_mut()
            .for_each(|versions| versions.sort_by_key(|version| Reverse(Version::parse(version).priority())));
        groups
    }

    pub(super) fn core_versions(&self) -> Value {
        let has_core = self.kinds.keys().any(|(group, _, _)| group.is_empty());
        json!({"kind": "APIVersions", "versions": if has_core { vec!["v1"] } else { vec![] }})
    }

    pub(super) fn group_list(&self) -> Value {
        let groups: Vec<_> =
            self.groups().into_iter().map(|(group, versions)| group_document(group, &versions)).collect();
        json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
    }

    pub(super) fn group(&self, group: &str) -> Option<Value> {
        let mut document = group_document(group, self.groups().get(group)?);
        document["kind"] = json!("APIGroup");
        document["apiVersion"] = json!("v1");
        Some(document)
    }

    /// Returns the kinds of a group and version.
    pub(super) fn resource_list(&self, group: &str, version: &str) -> Option<Value> {
        let kinds =
            self.kinds.iter().filter(|((of_group, of_version, _), _)| of_group == group && of_version == version);
        let resources: Vec<_> = kinds.map(|(_, served)| resource_document(&served.kind)).collect();
        let name = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
        let list = json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": name, "resources": resources});
        (!resources.is_empty()).then_some(list)
    }
}

fn group_document(group: &str, versions: &[&str]) -> Value {
    let version = |version: &&str| json!({"groupVersion": format!("{group}/{version}"), "version": version});
    json!({
        "name": group,
        "versions": versions.iter().map(version).collect::<Vec<_>>(),
        "preferredVersion": versions.first().map(version),
    })
}

fn resource_document(kind: &ResourceKind) -> Value {
    let singular = kind.kind.to_ascii_lowercase();
    let mut short: Vec<&str> = kind.aliases.iter().filter(|alias| **alias != singular).map(String::as_str).collect();
    let mut categories: Vec<&str> = kind.categories.iter().map(String::as_str).collect();
    // A snapshot without discovery: the names of built-in kinds are known.
    if short.is_empty() && categories.is_empty() {
        let known = BUILTIN_NAMES.iter().find(|(group, plural, ..)| *group == kind.group && *plural == kind.plural);
        if let Some((.., names, in_all)) = known {
            short.extend(*names);
            categories.extend(in_all.then_some("all"));
        }
    }
    let mut document = json!({
        "name": kind.plural,
        "singularName": singular,
        "namespaced": kind.scope == ResourceScope::Namespaced,
        "kind": kind.kind,
        "verbs": ["get", "list", "watch"],
    });
    if !short.is_empty() {
        document["shortNames"] = json!(short);
    }
    if !categories.is_empty() {
        document["categories"] = json!(categories);
    }
    document
}

/// Group, plural, short names, and membership of the category `all` of built-in kinds, as `kubectl api-resources -o wide`
/// lists them (v1.36).
static BUILTIN_NAMES: &[(&str, &str, &[&str], bool)] = &[
    ("", "componentstatuses", &["cs"], false),
    ("", "configmaps", &["cm"], false),
    ("", "endpoints", &["ep"], false),
    ("", "events", &["ev"], false),
    ("", "limitranges", &["limits"], false),
    ("", "namespaces", &["ns"], false),
    ("", "nodes", &["no"], false),
    ("", "persistentvolumeclaims", &["pvc"], false),
    ("", "persistentvolumes", &["pv"], false),
    ("", "pods", &["po"], true),
    ("", "replicationcontrollers", &["rc"], true),
    ("", "resourcequotas", &["quota"], false),
    ("", "serviceaccounts", &["sa"], false),
    ("", "services", &["svc"], true),
    ("apiextensions.k8s.io", "customresourcedefinitions", &["crd", "crds"], false),
    ("apps", "daemonsets", &["ds"], true),
    ("apps", "deployments", &["deploy"], true),
    ("apps", "replicasets", &["rs"], true),
    ("apps", "statefulsets", &["sts"], true),
    ("autoscaling", "horizontalpodautoscalers", &["hpa"], true),
    ("batch", "cronjobs", &["cj"], true),
    ("batch", "jobs", &[], true),
    ("certificates.k8s.io", "certificatesigningrequests", &["csr"], false),
    ("events.k8s.io", "events", &["ev"], false),
    ("networking.k8s.io", "ingresses", &["ing"], false),
    ("networking.k8s.io", "networkpolicies", &["netpol"], false),
    ("policy", "poddisruptionbudgets", &["pdb"], false),
    ("scheduling.k8s.io", "priorityclasses", &["pc"], false),
    ("storage.k8s.io", "storageclasses", &["sc"], false),
];
