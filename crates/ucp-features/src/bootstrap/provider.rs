//! The providers of the kinds that a bootstrap waits for, and the kinds without a provider.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::controller::EngineController;
use super::desire::DesiredState;
use super::family::{self, KindSupply};
use super::wave::is_deployer;
use ucp_client::prediction::cluster::text_at;
use ucp_core::engine::controller::repository;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::{ObjectName, group_of};
use ucp_core::model::secrecy::scrub;
use ucp_repo::git::identity;
use ucp_repo::manifests::selection::DeploymentSelection;

/// Names of declarations with unknown content that may provide a kind.
pub type PossibleProviders = BTreeSet<String>;

/// The declarations in a repository that can provide kinds.
#[derive(Debug, Default)]
pub struct KindProviders {
    /// Kinds defined by CRDs and XRDs.
    defined: BTreeSet<(String, String)>,
    /// Charts that are not rendered here.
    charts: BTreeSet<String>,
    /// Images of workloads.
    images: BTreeSet<String>,
    /// Names of workloads.
    workloads: BTreeSet<String>,
    /// Groups and kinds of all objects.
    kinds: BTreeSet<(String, String)>,
    /// Providers of Crossplane: references in a registry, or names of objects without one.
    providers: BTreeSet<String>,
    /// Configurations of Crossplane, whose XRDs and dependencies are known only from the packages.
    configurations: PossibleProviders,
    /// Sources with unknown content: other repositories, the Applications of ApplicationSets, and values of charts.
    unread: PossibleProviders,
}

impl KindProviders {
    /// Returns the providers among all objects that a checkout declares for the core cluster.
    pub fn from_objects<'a>(objects: impl IntoIterator<Item = &'a Value>, selection: &DeploymentSelection) -> Self {
        let mut found = Self::default();
        for object in objects {
            let (group, kind) = (group_of(text_at(object, "/apiVersion")), text_at(object, "/kind"));
            found.kinds.insert((group.to_owned(), kind.to_owned()));
            match (group, kind) {
                ("apiextensions.k8s.io", "CustomResourceDefinition")
                | ("apiextensions.crossplane.io", "CompositeResourceDefinition") => {
                    let names = ["/spec/names/kind", "/spec/claimNames/kind"].map(|pointer| text_at(object, pointer));
                    let group = text_at(object, "/spec/group");
                    found.defined.extend(names.map(|kind| (group.to_owned(), kind.to_owned())));
                }
                ("pkg.crossplane.io", "Provider") => {
                    let package = Some(text_at(object, "/spec/package")).filter(|package| !package.is_empty());
                    let package = package.unwrap_or_else(|| text_at(object, "/metadata/name"));
                    found.providers.insert(package.to_owned());
                }
                ("pkg.crossplane.io", "Configuration") => {
                    found.configurations.insert(ObjectName::from_manifest(object).kind_and_name());
                }
                ("apps", _) => {
                    found.workloads.insert(text_at(object, "/metadata/name").to_owned());
                    images(object, &mut found.images);
                }
                (_, "ApplicationSet") => {
                    found.unread.insert(ObjectName::from_manifest(object).kind_and_name());
                }
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
                "" => self.add_repository(text_at(source, "/repoURL"), selection),
                chart => self.add_chart(chart, source.get("helm")),
            }
        }
        for pointer in ["/chart/spec/chart", "/chartRef/name", "/chart"] {
            let chart = text_at(spec, pointer);
            if !chart.is_empty() {
                self.add_chart(chart, Some(spec));
            }
        }
        match text_at(object, "/kind") {
            "GitRepository" => self.add_repository(text_at(spec, "/url"), selection),
            "Bucket" => drop(self.unread.insert(ObjectName::from_manifest(object).kind_and_name())),
            // The image of an OCIRepository holds manifests or a chart.
            "OCIRepository" => drop(self.unread.insert(ObjectName::from_manifest(object).kind_and_name())),
            _ => {}
        }
    }

    fn add_repository(&mut self, url: &str, selection: &DeploymentSelection) {
        if !selection.has_url(&identity::normalize(url)) {
            self.unread.insert(format!("the repository {}", scrub(url)));
        }
    }

    /// Adds a chart. The values of Crossplane's chart may list packages.
    fn add_chart(&mut self, chart: &str, settings: Option<&Value>) {
        const REFERENCES: [&str; 2] = ["valueFiles", "valuesFrom"];
        let settings = settings.unwrap_or(&Value::Null);
        let has_packages = ["values", "valuesObject", "parameters"]
            .iter()
            .any(|field| settings.get(field).is_some_and(|values| values.to_string().contains("packages")));
        let has_files = REFERENCES.iter().any(|field| settings.get(field).is_some());
        if is_crossplane(chart) && (has_packages || has_files) {
            self.unread.insert(format!("the values of the chart {chart}"));
        }
        self.charts.insert(chart.to_owned());
    }

    fn installs_crossplane(&self) -> bool {
        self.charts.iter().chain(&self.images).any(|name| is_crossplane(name))
    }

    /// Returns the declarations that may provide a kind, an empty set if nothing does. Returns `None` if something certainly
    /// provides it, now or once it runs.
    fn possible(&self, kind: &ResourceKind, serves: &dyn Fn(&str, &str) -> bool) -> Option<PossibleProviders> {
        let is_defined = self.defined.contains(&(kind.group.clone(), kind.kind.clone()));
        if is_defined || serves(&kind.group, &kind.kind) {
            return None;
        }
        let mut possible = self.unread.clone();
        let mut add = |supply: KindSupply, name: &dyn Fn() -> String| match supply {
            KindSupply::Certain => None,
            KindSupply::Possible => {
                possible.insert(name());
                Some(())
            }
            KindSupply::Impossible => Some(()),
        };
        let is_own = is_of_crossplane(&kind.group);
        if is_own && self.installs_crossplane() {
            return None;
        }
        for chart in self.charts.iter().filter(|chart| !is_crossplane(chart)) {
            add(family::chart_supply(chart, &kind.group), &|| format!("the chart {chart}"))?;
        }
        if is_own {
            return Some(possible);
        }
        for package in &self.providers {
            add(family::provider_supply(package, &kind.group), &|| format!("the package {package}"))?;
        }
        possible.extend(self.configurations.iter().cloned());
        // An operator may define the kinds that it handles when it starts.
        if !is_of_provider(&kind.group) {
            let operators = self.workloads.iter().filter(|workload| !is_part_of_engine(workload));
            possible.extend(operators.map(|workload| format!("the workload {workload}")));
            let settings = self.kinds.iter().filter(|(group, _)| is_of_operator(group, &kind.group));
            possible.extend(settings.map(|(group, kind)| format!("{kind} of {group}")));
        }
        Some(possible)
    }

    /// Returns the declarations that may install a controller, an empty set if nothing does. Returns `None` if something
    /// certainly installs it.
    pub(super) fn controller(&self, controller: EngineController) -> Option<PossibleProviders> {
        let is_installed = self.workloads.iter().any(|workload| controller.is_called(workload))
            || self.charts.iter().any(|chart| controller.is_in_chart(chart))
            || self.kinds.iter().any(|(group, kind)| controller.is_installed_by(group, kind));
        if is_installed {
            return None;
        }
        let charts = self.charts.iter().filter(|chart| !family::is_known_chart(chart));
        // An ApplicationSet generates nothing before its controller runs.
        let can_install =
            |name: &&String| controller != EngineController::ArgoApplicationSet || !name.starts_with("applicationset.");
        Some(
            self.unread
                .iter()
                .filter(can_install)
                .cloned()
                .chain(charts.map(|chart| format!("the chart {chart}")))
                .collect(),
        )
    }
}

/// Returns true if a chart or an image is Crossplane.
fn is_crossplane(name: &str) -> bool {
    matches!(repository(name), "crossplane" | "universal-crossplane" | "uxp" | "upbound-crossplane")
}

/// Returns true if Crossplane itself defines the kinds of a group.
fn is_of_crossplane(group: &str) -> bool {
    ["pkg", "apiextensions", "ops", "protection"].iter().any(|label| group == format!("{label}.crossplane.io"))
}

/// Returns true if a group is one of Crossplane's providers.
fn is_of_provider(group: &str) -> bool {
    group.ends_with(".upbound.io") || group.ends_with(".crossplane.io")
}

/// Returns true if a group has the settings of the operator that defines the kinds of another group, such as
/// `operator.cluster.x-k8s.io` for `cluster.x-k8s.io`.
fn is_of_operator(settings: &str, group: &str) -> bool {
    let parent = settings.strip_prefix("operator.").or_else(|| settings.strip_prefix("core."));
    parent.is_some_and(|parent| group == parent || group.ends_with(&format!(".{parent}")))
}

/// Returns true if a workload belongs to Argo CD, Flux or Crossplane, by its name.
fn is_part_of_engine(workload: &str) -> bool {
    const OTHERS: [&str; 4] = ["argocd", "argo-cd", "notification-controller", "crossplane"];
    let is_controller = EngineController::ALL.iter().any(|controller| controller.is_called(workload));
    is_controller || OTHERS.iter().any(|part| workload.contains(part))
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

/// The objects of one kind, and the declarations that may provide it; none if nothing does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnprovidedKind {
    /// The objects.
    pub objects: Vec<ObjectName>,
    /// The declarations that may provide their kind.
    pub possible: PossibleProviders,
}

/// Returns the objects to wait for, and the objects to apply, whose kind nothing certainly provides, by group and kind.
pub fn unprovided_kinds(
    desire: &DesiredState,
    providers: &KindProviders,
    serves: &dyn Fn(&str, &str) -> bool,
) -> BTreeMap<(String, String), UnprovidedKind> {
    let mut found: BTreeMap<(String, String), UnprovidedKind> = BTreeMap::new();
    // Kinds of deployers belong to an engine, whose controllers are checked separately.
    let is_other = |object: &&ObjectName| !is_deployer(object.group(), &object.kind);
    for object in desire.followed.iter().chain(&desire.applied).map(|wanted| &wanted.object).filter(is_other) {
        let kind = ResourceKind::guess(object.group(), &object.kind);
        if let Some(possible) = providers.possible(&kind, serves) {
            let unprovided = found.entry((kind.group.clone(), kind.kind.clone())).or_default();
            unprovided.objects.push(object.clone());
            unprovided.possible = possible;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use ucp_repo::manifests::checkout::GitCheckout;
    use ucp_repo::manifests::selection::SelectionOptions;

    /// Returns `None` if something provides the kind, and otherwise the possible providers.
    fn possible(objects: &[Value], group: &str, kind: &str) -> Option<Vec<String>> {
        let directory = tempfile::tempdir().unwrap();
        let options = SelectionOptions { url: Some("https://git.example.org/own".into()), ..Default::default() };
        let selection = DeploymentSelection::new(&GitCheckout::containing(directory.path()).unwrap(), options);
        let providers = KindProviders::from_objects(objects, &selection);
        let possible = providers.possible(&ResourceKind::guess(group, kind), &|_, _| false);
        possible.map(|possible| possible.into_iter().collect())
    }

    fn app(source: &Value) -> Value {
        json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "spec": {"source": source}})
    }

    fn chart(name: &str) -> Value {
        app(&json!({"repoURL": "https://charts.example.org", "chart": name}))
    }

    fn package(kind: &str, name: &str) -> Value {
        json!({"apiVersion": "pkg.crossplane.io/v1", "kind": kind, "metadata": {"name": name}})
    }

    fn nothing() -> Option<Vec<String>> {
        Some(Vec::new())
    }

    #[test]
    fn crossplane_is_provided_by_its_chart_or_its_image() {
        let git = |url: &str| app(&json!({"repoURL": url, "path": "x"}));
        let provider = |objects: &[Value]| possible(objects, "pkg.crossplane.io", "Provider");
        assert_eq!(provider(&[chart("crossplane")]), None);
        let without =
            [chart("argo-cd"), chart("cert-manager"), git("git@git.example.org:own.git"), package("Function", "a")];
        assert_eq!(provider(&without), nothing());
        let elsewhere = provider(&[git("https://user:secret@git.example.org/other")]).unwrap();
        assert!(
            elsewhere[0].starts_with("the repository https://") && !elsewhere[0].contains("secret"),
            "{elsewhere:?}"
        );
        let release = json!({"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease",
            "spec": {"chart": {"spec": {"chart": "crossplane"}}}});
        assert_eq!(provider(&[release]), None);
        let workload = json!({"apiVersion": "apps/v1", "kind": "Deployment",
            "spec": {"template": {"spec": {"containers": [{"image": "xpkg.crossplane.io/crossplane/crossplane:v2.0.0"}]}}}});
        assert_eq!(provider(&[workload]), None);
        let set = json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet",
            "metadata": {"name": "apps"}, "spec": {}});
        assert_eq!(provider(&[set]), Some(vec!["applicationset.argoproj.io/apps".to_owned()]));
    }

    #[test]
    fn a_kind_of_a_cloud_is_provided_by_a_provider_of_its_family() {
        let config = |objects: &[Value]| possible(objects, "aws.upbound.io", "ProviderConfig");
        assert_eq!(config(&[package("Provider", "provider-aws")]), None);
        let others =
            [chart("crossplane"), package("Provider", "provider-gcp"), package("Function", "function-auto-ready")];
        assert_eq!(config(&others), nothing());
        // Its dependencies are known from the package alone.
        let platform = config(&[package("Configuration", "platform")]);
        assert_eq!(platform, Some(vec!["configuration.pkg.crossplane.io/platform".to_owned()]));
        assert_eq!(config(&[chart("platform")]), Some(vec!["the chart platform".to_owned()]));
        let packages = json!({"values": "provider: {packages: [xpkg.example.org/aws:v1]}"});
        let crossplane =
            app(&json!({"repoURL": "https://charts.example.org", "chart": "crossplane", "helm": packages}));
        assert_eq!(config(&[crossplane]), Some(vec!["the values of the chart crossplane".to_owned()]));
    }

    #[test]
    fn other_kinds_are_provided_by_definitions_and_maybe_by_operators() {
        let xrd = json!({"apiVersion": "apiextensions.crossplane.io/v1", "kind": "CompositeResourceDefinition",
            "spec": {"group": "example.org", "names": {"kind": "XDatabase"}, "claimNames": {"kind": "Database"}}});
        assert_eq!(possible(std::slice::from_ref(&xrd), "example.org", "Database"), None);
        let workload =
            |name: &str| json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": {}});
        let cluster = |name: &str| possible(&[workload(name)], "cluster.example.org", "Cluster");
        assert_eq!(cluster("argocd-server"), nothing());
        assert_eq!(cluster("clusters-operator"), Some(vec!["the workload clusters-operator".to_owned()]));
        let settings = json!({"apiVersion": "core.cnrm.cloud.google.com/v1beta1", "kind": "ConfigConnector"});
        let google = possible(&[settings], "container.cnrm.cloud.google.com", "ContainerCluster");
        assert_eq!(google, Some(vec!["ConfigConnector of core.cnrm.cloud.google.com".to_owned()]));
        assert_eq!(possible(&[chart("kube-prometheus-stack")], "monitoring.coreos.com", "ServiceMonitor"), None);
    }
}
