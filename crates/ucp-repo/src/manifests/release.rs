//! HelmReleases of Flux: their chart, values, and policies.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::manifests::deployment::{
    DecryptionMode, Deployment, DeploymentDestination, DeploymentPart, ImmutableHandling, PruningMode, ReconcileMode,
    RenderMethod, SourceFetch, SyncTrigger, clean_path,
};
use crate::manifests::kustomization_deployment::dependencies;
use crate::manifests::release_recipe::{
    ChartOrigin, CrdPolicy, FailedRelease, HelmReleaseIdentity, ReleaseRecipe, ValuesReference,
};
use crate::manifests::remote_chart::{ChartAddress, RemoteChart, is_exact};
use ucp_core::model::body::flux::{CommonMetadata, FluxDependency, FluxSpec, SourceReference};
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::metadata::null_as_default;
use ucp_core::model::object::ObjectName;

/// `spec` of a HelmRelease.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HelmReleaseSpec {
    /// Template of the chart.
    pub chart: Option<ChartTemplate>,
    /// An OCIRepository or HelmChart instead of the template.
    pub chart_ref: Option<SourceReference>,
    release_name: Option<String>,
    target_namespace: Option<String>,
    suspend: bool,
    values: Value,
    #[serde(deserialize_with = "null_as_default")]
    values_from: Vec<ValuesReference>,
    #[serde(deserialize_with = "null_as_default")]
    install: ReleaseAction,
    #[serde(deserialize_with = "null_as_default")]
    upgrade: ReleaseAction,
    #[serde(deserialize_with = "null_as_default")]
    post_renderers: Vec<Value>,
    post_render_strategy: Option<String>,
    #[serde(deserialize_with = "null_as_default")]
    common_metadata: CommonMetadata,
    #[serde(deserialize_with = "null_as_default")]
    drift_detection: DriftDetection,
    kube_config: Value,
    service_account_name: Option<String>,
    #[serde(deserialize_with = "null_as_default")]
    depends_on: Vec<FluxDependency>,
}

/// `spec.chart`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ChartTemplate {
    /// `spec.chart.spec`.
    pub spec: ChartTemplateSpec,
}

/// `spec.chart.spec`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ChartTemplateSpec {
    /// Name of the chart, or its directory.
    pub chart: String,
    /// A version or a range of versions.
    pub version: Option<String>,
    /// The source of the chart.
    #[serde(deserialize_with = "null_as_default")]
    pub source_ref: SourceReference,
    /// `ChartVersion` or `Revision`.
    pub reconcile_strategy: Option<String>,
    /// Files that replace the chart's `values.yaml`.
    #[serde(deserialize_with = "null_as_default")]
    pub values_files: Vec<String>,
    /// True if missing values files are ignored.
    pub ignore_missing_values_files: bool,
}

/// `spec.install` or `spec.upgrade`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ReleaseAction {
    crds: Option<String>,
    create_namespace: bool,
    preserve_values: bool,
    disable_hooks: bool,
    #[serde(rename = "skipCRDs")]
    skip_crds: bool,
    #[serde(deserialize_with = "null_as_default")]
    remediation: ReleaseRemediation,
}

impl ReleaseAction {
    /// Returns the state of the objects after the action fails.
    fn on_failure(&self, is_upgrade: bool) -> FailedRelease {
        let is_remediated = self.remediation.remediate_last_failure.unwrap_or(self.remediation.retries != 0);
        match self.remediation.strategy.as_deref() {
            _ if !is_remediated => FailedRelease::Stays,
            Some("uninstall") if is_upgrade => FailedRelease::Uninstalled,
            _ => FailedRelease::RolledBack,
        }
    }
}

/// `spec.install.remediation` and `spec.upgrade.remediation`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ReleaseRemediation {
    retries: i64,
    remediate_last_failure: Option<bool>,
    strategy: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
struct DriftDetection {
    mode: Option<String>,
}

/// Facts about a HelmRelease in the cluster.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReleaseHistory {
    /// Version of the deployed chart; `None` before the first release.
    pub deployed_version: Option<String>,
    /// The spec in the cluster.
    pub spec: Option<HelmReleaseSpec>,
    /// True if the status lists the objects of the release.
    pub has_inventory: bool,
}

impl ReleaseHistory {
    /// Reads the status of a live HelmRelease.
    pub fn from_live(object: &Value) -> Self {
        let latest = object.pointer("/status/history/0");
        let text = |key: &str| latest.and_then(|latest| latest.get(key)?.as_str()).map(str::to_owned);
        Self {
            deployed_version: text("chartVersion"),
            spec: object.get("spec").and_then(|spec| serde_json::from_value(spec.clone()).ok()),
            has_inventory: object.pointer("/status/inventory").is_some(),
        }
    }
}

impl HelmReleaseSpec {
    /// Returns the deployment of a HelmRelease with the given chart.
    pub fn deployment(&self, object: ObjectName, chart: ChartOrigin, history: &ReleaseHistory) -> Deployment {
        let own_namespace = object.namespace.clone().unwrap_or_default();
        let namespace = self.target_namespace.clone().unwrap_or_else(|| own_namespace.clone());
        let name = self.release_name.clone().unwrap_or_else(|| match &self.target_namespace {
            Some(target) => format!("{target}-{}", object.name),
            None => object.name.clone(),
        });
        let is_upgrade = history.deployed_version.is_some();
        let action = if is_upgrade { &self.upgrade } else { &self.install };
        let template = self.chart.as_ref().map(|chart| chart.spec.clone()).unwrap_or_default();
        let mut unknown = Vec::new();
        if is_upgrade && action.preserve_values {
            unknown.push(
                "upgrade.preserveValues adds the values of the last release, which are in Helm's storage".to_owned(),
            );
        }
        let corrects = self.drift_detection.mode.as_deref() == Some("enabled");
        let is_unchanged = history.spec.as_ref() == Some(self) && !matches!(chart, ChartOrigin::Checkout { .. });
        let path = match &chart {
            ChartOrigin::Checkout { path, .. } => path.clone(),
            ChartOrigin::Registry(_) | ChartOrigin::Unknown(_) => String::new(),
        };
        let recipe = ReleaseRecipe {
            chart,
            values_files: template.values_files,
            ignore_missing_values_files: template.ignore_missing_values_files,
            values: self.values.clone(),
            values_from: self.values_from.clone(),
            post_renderers: self.post_renderers.clone(),
            post_renders_hooks: self.post_render_strategy.as_deref().is_none_or(|strategy| strategy == "combined"),
            crds: crd_policy(action, is_upgrade),
            is_upgrade,
            unknown,
        };
        let on_deletion = if self.suspend { PruningMode::Off } else { PruningMode::Automatic };
        let flux = FluxSpec {
            kube_config: serde_json::from_value(self.kube_config.clone()).ok().flatten(),
            ..FluxSpec::default()
        };
        Deployment {
            engine: GitOps::Flux,
            parts: vec![DeploymentPart {
                path,
                revision: String::new(),
                recipe: RenderMethod::Release(Box::new(recipe)),
            }],
            elsewhere: Vec::new(),
            destination: DeploymentDestination::of_flux(&own_namespace, &flux),
            fetch: SourceFetch::Fetched,
            release: Some(HelmReleaseIdentity {
                name,
                namespace: namespace.clone(),
                waits_for_upgrade: (is_unchanged && is_upgrade && !corrects)
                    .then(|| "its HelmRelease is unchanged, so Helm corrects this only at the next upgrade".to_owned()),
                has_inventory: history.has_inventory,
                on_failure: action.on_failure(is_upgrade),
                creates_namespace: self.target_namespace.is_some() && !is_upgrade && action.create_namespace,
            }),
            application_set: None,
            references: BTreeMap::new(),
            namespace: Some(namespace),
            pruning: PruningMode::Automatic,
            on_deletion,
            sync_options: Vec::new(),
            ignored: Vec::new(),
            common: self.common_metadata.clone(),
            post_build: None,
            decryption: DecryptionMode::Off,
            deployed: Vec::new(),
            mode: if self.suspend { ReconcileMode::Suspended } else { ReconcileMode::Active },
            service_account: self.service_account_name.clone().filter(|name| !name.is_empty()),
            project: None,
            trigger: SyncTrigger::Automatic,
            namespace_metadata: None,
            immutables: ImmutableHandling::Fail,
            depends_on: dependencies(&object, &self.depends_on),
            object,
        }
    }

    /// Returns the chart of a HelmRelease. `source` returns the spec of a source, and true if it is the checkout.
    pub fn chart_origin(
        &self,
        history: &ReleaseHistory,
        source: impl Fn(&SourceReference) -> Option<(FluxSpec, bool)>,
    ) -> ChartOrigin {
        match (&self.chart, &self.chart_ref) {
            (Some(template), _) => self.origin_of_template(&template.spec, history, source),
            (None, Some(reference)) if reference.kind == "OCIRepository" => match source(reference) {
                Some((spec, _)) => of_oci_repository(&spec, reference),
                None => unknown_source(reference),
            },
            (None, Some(reference)) => {
                ChartOrigin::Unknown(format!("its chart is {} {}, which is not read", reference.kind, reference.name))
            }
            (None, None) => ChartOrigin::Unknown("it names no chart".to_owned()),
        }
    }

    fn origin_of_template(
        &self,
        template: &ChartTemplateSpec,
        history: &ReleaseHistory,
        source: impl Fn(&SourceReference) -> Option<(FluxSpec, bool)>,
    ) -> ChartOrigin {
        let reference = &template.source_ref;
        let found = source(reference);
        match (reference.kind.as_str(), found) {
            ("GitRepository", Some((_, true))) => ChartOrigin::Checkout {
                path: clean_path(&template.chart),
                only_by_version: template.reconcile_strategy.as_deref() != Some("Revision"),
            },
            ("GitRepository", Some((_, false))) => ChartOrigin::Unknown(format!(
                "its chart is in another repository, GitRepository {}; run 'plan' in a checkout of that one for its chart",
                reference.name
            )),
            ("HelmRepository", found) => {
                let wanted = template.version.as_deref().unwrap_or("*");
                let deployed = history.spec.as_ref().and_then(|spec| spec.chart.as_ref());
                let is_same = deployed.is_some_and(|deployed| {
                    deployed.spec.version == template.version && deployed.spec.chart == template.chart
                });
                let version = match &history.deployed_version {
                    Some(deployed) if is_same && !is_exact(wanted) => deployed.clone(),
                    _ => wanted.to_owned(),
                };
                let url = found.and_then(|(spec, _)| spec.url).unwrap_or_default();
                let address = match url.starts_with("oci://") {
                    true => {
                        let reference = format!("{}/{}", url.trim_end_matches('/'), template.chart);
                        ChartAddress { reference, repository: None }
                    }
                    false => ChartAddress {
                        reference: template.chart.clone(),
                        repository: Some(url).filter(|url| !url.is_empty()),
                    },
                };
                ChartOrigin::Registry(RemoteChart { name: template.chart.clone(), version, address })
            }
            (_, None) => unknown_source(reference),
            (kind, _) => ChartOrigin::Unknown(format!("its chart is in {kind} {}, which is not read", reference.name)),
        }
    }
}

fn crd_policy(action: &ReleaseAction, is_upgrade: bool) -> CrdPolicy {
    match action.crds.as_deref() {
        Some("Skip") => CrdPolicy::Skip,
        Some("CreateReplace") => CrdPolicy::CreateReplace,
        None if !is_upgrade && action.skip_crds => CrdPolicy::Skip,
        // helm-controller's default for both actions (`DefaultCRDPolicy`).
        _ => CrdPolicy::Create,
    }
}

fn unknown_source(reference: &SourceReference) -> ChartOrigin {
    ChartOrigin::Unknown(format!("its {} {} was not found", reference.kind, reference.name))
}

fn of_oci_repository(spec: &FluxSpec, reference: &SourceReference) -> ChartOrigin {
    let url = spec.url.clone().unwrap_or_default();
    let name = url.rsplit('/').next().unwrap_or_default().to_owned();
    let git = spec.reference.clone().unwrap_or_default();
    match git.semver.or(git.tag) {
        Some(version) => {
            let address = ChartAddress { reference: url, repository: None };
            ChartOrigin::Registry(RemoteChart { name, version, address })
        }
        None => ChartOrigin::Unknown(format!(
            "OCIRepository {} has neither a tag nor versions, and only the registry knows which chart that is",
            reference.name
        )),
    }
}
