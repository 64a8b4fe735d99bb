//! The providers of the kinds that a bootstrap waits for, and the kinds without a provider.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::desire::{DesiredState, deploys};
use super::wave::is_deployer;
use ucp_client::prediction::cluster::text_at;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::{ObjectName, group_of};
use ucp_repo::git::identity;
use ucp_repo::manifests::selection::DeploymentSelection;

/// The declarations in a repository that can provide kinds.
#[derive(Debug, Default)]
pub struct KindProviders {
    /// Kinds defined by CRDs and XRDs.
    defined: BTreeSet<(String, String)>,
    /// Charts that are not rendered here.
    charts: BTreeSet<String>,
    /// Images of workloads.
    images: BTreeSet<String>,
    /// True if the repository declares Crossplane packages, whose kinds are known only from the packages.
    has_packages: bool,
    /// True if it deploys from sources with unknown content: other repositories, and the output of an ApplicationSet.
    has_unread_sources: bool,
}

impl KindProviders {
    /// Returns the providers among all objects that a checkout declares for the core cluster.
    pub fn from_objects<'a>(objects: impl IntoIterator<Item = &'a Value>, selection: &DeploymentSelection) -> Self {
        let mut found = Self::default();
        for object in objects {
            let (group, kind) = (group_of(text_at(object, "/apiVersion")), text_at(object, "/kind"));
            match (group, kind) {
                ("apiextensions.k8s.io", "CustomResourceDefinition")
                | ("apiextensions.crossplane.io", "CompositeResourceDefinition") => {
                    let names = ["/spec/names/kind", "/spec/claimNames/kind"].map(|pointer| text_at(object, pointer));
                    let group = text_at(object, "/spec/group");
                    found.defined.extend(names.map(|kind| (group.to_owned(), kind.to_owned())));
                }
                ("pkg.crossplane.io", _) => found.has_packages = true,
                ("apps", _) => images(object, &mut found.images),
                (_, "ApplicationSet") => found.has_unread_sources = true,
                _ if is_deployer(group, kind) => found.add_sources(object, selection),
                _ => {}
            }
        }
        found
    }

    fn add_sources(&mut self, object: &Value, selection: &DeploymentSelection) {
        let Some(spec) = object.get("spec") else { return };
        let listed = spec.get("sources").and_then(Value::as_array).into_iter().flatten();
        for source in listed.chain(spec.get("source")) {
            match text_at(source, "/chart") {
                "" => self.has_unread_sources |= !selection.has_url(&identity::normalize(text_at(source, "/repoURL"))),
                chart => drop(self.charts.insert(chart.to_owned())),
            }
        }
        for pointer in ["/chart/spec/chart", "/chartRef/name", "/chart"] {
            let chart = text_at(spec, pointer);
            if !chart.is_empty() {
                self.charts.insert(chart.to_owned());
            }
        }
        let url = text_at(spec, "/url");
        let is_git = text_at(object, "/kind") == "GitRepository";
        self.has_unread_sources |= is_git && !selection.has_url(&identity::normalize(url));
    }

    fn installs_crossplane(&self) -> bool {
        let is_crossplane = |name: &String| {
            let name = name.rsplit('/').next().unwrap_or(name);
            let name = name.split([':', '@']).next().unwrap_or(name);
            matches!(name, "crossplane" | "universal-crossplane" | "uxp" | "upbound-crossplane")
        };
        self.charts.iter().chain(&self.images).any(is_crossplane)
    }

    /// Returns true if anything provides a kind, now or once it runs.
    fn provides(&self, kind: &ResourceKind, serves: &dyn Fn(&str, &str) -> bool) -> bool {
        let is_defined = self.defined.contains(&(kind.group.clone(), kind.kind.clone()));
        if is_defined || self.has_unread_sources || serves(&kind.group, &kind.kind) {
            return true;
        }
        match role(kind) {
            Some(CrossplaneRole::Package | CrossplaneRole::Composition | CrossplaneRole::Revision) => {
                self.installs_crossplane()
            }
            Some(
                CrossplaneRole::Managed
                | CrossplaneRole::ProviderConfig
                | CrossplaneRole::Composite
                | CrossplaneRole::Claim,
            ) => self.has_packages,
            None => !self.charts.is_empty() || self.has_packages,
        }
    }
}

fn images(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("image").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|below| images(below, found));
        }
        Value::Array(items) => items.iter().for_each(|below| images(below, found)),
        _ => {}
    }
}

/// Returns the objects to wait for whose kind nothing provides, by kind.
pub fn objects_without_provider(
    desire: &DesiredState,
    providers: &KindProviders,
    serves: &dyn Fn(&str, &str) -> bool,
) -> BTreeMap<(String, String), Vec<ObjectName>> {
    let mut found: BTreeMap<(String, String), Vec<ObjectName>> = BTreeMap::new();
    // Kinds of deployers belong to an engine, which is checked separately.
    let waited = desire.followed.iter().filter(|wanted| !deploys(&wanted.object.kind));
    for wanted in waited {
        let kind = ResourceKind::guess(wanted.object.group(), &wanted.object.kind);
        if !providers.provides(&kind, serves) {
            found.entry((kind.group.clone(), kind.kind.clone())).or_default().push(wanted.object.clone());
        }
    }
    found
}

/// Returns true if a workload with this name is the controller that deploys for an engine.
pub fn is_controller(engine: GitOps, name: &str) -> bool {
    match engine {
        GitOps::ArgoCd => name.contains("application-controller"),
        GitOps::Flux => name.contains("kustomize-controller"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use ucp_repo::manifests::checkout::GitCheckout;
    use ucp_repo::manifests::selection::SelectionOptions;

    fn brings(objects: &[Value], group: &str, kind: &str) -> bool {
        let directory = tempfile::tempdir().unwrap();
        let options = SelectionOptions { url: Some("https://git.example.org/own".into()), ..Default::default() };
        let selection = DeploymentSelection::new(&GitCheckout::containing(directory.path()).unwrap(), options);
        KindProviders::from_objects(objects, &selection).provides(&ResourceKind::guess(group, kind), &|_, _| false)
    }

    #[test]
    fn a_kind_has_a_provider_or_has_none() {
        let app = |source: Value| json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "spec": {"source": source}});
        let chart = |name: &str| app(json!({"repoURL": "https://charts.example.org", "chart": name}));
        let git = |url: &str| app(json!({"repoURL": url, "path": "x"}));
        let package = json!({"apiVersion": "pkg.crossplane.io/v1", "kind": "Provider"});
        let provider = |objects: &[Value]| brings(objects, "pkg.crossplane.io", "Provider");
        assert!(provider(&[chart("crossplane")]));
        assert!(!provider(&[chart("argo-cd"), chart("cert-manager"), git("git@git.example.org:own.git")]));
        assert!(provider(&[git("https://git.example.org/other")]), "it may be there");
        let release = json!({"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease",
            "spec": {"chart": {"spec": {"chart": "crossplane"}}}});
        assert!(provider(&[release]));
        let workload = json!({"apiVersion": "apps/v1", "kind": "Deployment",
            "spec": {"template": {"spec": {"containers": [{"image": "xpkg.crossplane.io/crossplane/crossplane:v2.0.0"}]}}}});
        assert!(provider(&[workload]));
        let config = |objects: &[Value]| brings(objects, "aws.upbound.io", "ProviderConfig");
        assert!(config(std::slice::from_ref(&package)) && !config(&[chart("crossplane")]));
        let xrd = json!({"apiVersion": "apiextensions.crossplane.io/v1", "kind": "CompositeResourceDefinition",
            "spec": {"group": "example.org", "names": {"kind": "XDatabase"}, "claimNames": {"kind": "Database"}}});
        assert!(brings(std::slice::from_ref(&xrd), "example.org", "Database"));
    }
}
