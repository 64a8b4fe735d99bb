//! Applications as deployments of a checkout.

use std::collections::BTreeMap;

use crate::manifests::argo_environment::substitute_environment;
use crate::manifests::deployment::{
    DecryptionMode, Deployment, DeploymentDestination, DeploymentPart, ImmutableHandling, KnownSources,
    ProjectMembership, PruningMode, PulledChart, ReconcileMode, RenderMethod, SourceFetch, SyncTrigger, clean_path,
};
use crate::manifests::kustomization::KustomizationEdits;
use crate::manifests::remote_chart::RemoteChart;
use ucp_client::prediction::ignore::IgnoreRule;
use ucp_core::model::body::argocd::{self, ApplicationSource};
use ucp_core::model::body::flux::CommonMetadata;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::ObjectName;

impl Deployment {
    /// Reads an Application; `None` if none of its sources is in the checkout or a chart that can be found.
    pub fn of_application(
        object: ObjectName,
        spec: &argocd::ApplicationSpec,
        repository: &dyn KnownSources,
    ) -> Option<Self> {
        Some(Self::of_any_application(object, spec, repository)).filter(|deployment| !deployment.parts.is_empty())
    }

    /// Reads an Application, wherever its sources are.
    pub fn of_any_application(
        object: ObjectName,
        spec: &argocd::ApplicationSpec,
        repository: &dyn KnownSources,
    ) -> Self {
        let (mut parts, mut elsewhere) = (Vec::new(), Vec::new());
        // The hydrator's output is deployed, which is in a branch of its own.
        let hydrator = spec.source_hydrator.as_ref();
        let dry = hydrator.map(|settings| &settings.dry_source);
        let is_staged = hydrator.is_some_and(|settings| settings.hydrate_to.is_some());
        for source in dry.into_iter().chain(spec.all_sources().filter(|_| dry.is_none())) {
            let path = source.path.as_deref().map(clean_path);
            if let Some(chart) = RemoteChart::from_source(source).filter(|chart| repository.has_chart(chart)) {
                parts.push(pulled_part(&object.name, spec, (source, chart), repository));
                continue;
            }
            match &path {
                Some(path) if source.chart.is_none() && repository.is_checkout(&source.repo_url, path) => {
                    parts.push(DeploymentPart {
                        path: path.clone(),
                        revision: normalize_revision(source.target_revision.as_deref()),
                        recipe: render_method(&object.name, spec, source),
                    });
                }
                // The source only provides files for other sources.
                None if source.reference.is_some() && source.chart.is_none() => {}
                _ => elsewhere.push(source.repo_url.clone()),
            }
        }
        let destination = &spec.destination;
        Self {
            object,
            engine: GitOps::ArgoCd,
            parts,
            elsewhere,
            fetch: SourceFetch::Fetched,
            destination: match (&destination.name, &destination.server) {
                _ if destination.is_this_cluster() => DeploymentDestination::Here,
                (Some(name), _) if !name.is_empty() => DeploymentDestination::Named(name.clone()),
                (_, server) => DeploymentDestination::Server(server.clone().unwrap_or_default()),
            },
            namespace: destination.namespace.clone().filter(|namespace| !namespace.is_empty()),
            pruning: match spec.sync_policy.automatic() {
                Some(automated) if automated.prune && automated.allow_empty => PruningMode::Automatic,
                Some(automated) if automated.prune => PruningMode::UnlessEmpty,
                _ => PruningMode::ByHand,
            },
            // Argo CD deletes them only if the Application has a finalizer.
            on_deletion: PruningMode::Off,
            sync_options: spec.sync_policy.sync_options.clone(),
            ignored: spec.ignore_differences.iter().map(IgnoreRule::from).collect(),
            common: CommonMetadata::default(),
            post_build: None,
            decryption: DecryptionMode::Off,
            deployed: Vec::new(),
            release: None,
            application_set: None,
            references: references(spec, repository),
            mode: if is_staged { ReconcileMode::Staged } else { ReconcileMode::Active },
            service_account: None,
            project: Some(ProjectMembership {
                name: spec.project_name().to_owned(),
                sources: dry.into_iter().chain(spec.all_sources()).map(|source| source.repo_url.clone()).collect(),
            }),
            trigger: match spec.sync_policy.automatic() {
                Some(_) => SyncTrigger::Automatic,
                None => SyncTrigger::Manual,
            },
            namespace_metadata: spec.sync_policy.managed_namespace_metadata.clone(),
            immutables: ImmutableHandling::Fail,
            depends_on: Vec::new(),
        }
    }
}

fn normalize_revision(revision: Option<&str>) -> String {
    revision.filter(|revision| *revision != "HEAD").unwrap_or_default().to_owned()
}

/// Returns the part of an Application with a chart of another repository.
fn pulled_part(
    application: &str,
    spec: &argocd::ApplicationSpec,
    (source, chart): (&ApplicationSource, RemoteChart),
    repository: &dyn KnownSources,
) -> DeploymentPart {
    let named: BTreeMap<_, _> =
        spec.all_sources().filter_map(|other| Some((other.reference.as_deref()?, other))).collect();
    let own = |file: &String| {
        let (name, path) = file.strip_prefix('$')?.split_once('/')?;
        let other = named.get(name).filter(|other| repository.is_checkout(&other.repo_url, ""))?;
        Some((clean_path(path), normalize_revision(other.target_revision.as_deref())))
    };
    let helm = source.helm.clone().unwrap_or_default();
    let options = substitute_environment(application, spec, source, &helm);
    let helm = options.as_ref().unwrap_or(&helm);
    let parameters = helm.file_parameters.iter().map(|parameter| &parameter.path);
    let (files, revisions): (Vec<_>, Vec<_>) = helm.value_files.iter().chain(parameters).filter_map(own).unzip();
    DeploymentPart {
        path: String::new(),
        revision: revisions.into_iter().next().unwrap_or_default(),
        recipe: RenderMethod::Pulled(Box::new(PulledChart { chart, options, files })),
    }
}

/// Returns the sources of an Application that others refer to.
fn references(spec: &argocd::ApplicationSpec, repository: &dyn KnownSources) -> BTreeMap<String, Option<String>> {
    let named = spec.all_sources().filter_map(|source| Some((source.reference.clone()?, &source.repo_url)));
    named.map(|(name, url)| (name, (!repository.is_checkout(url, "")).then(|| url.clone()))).collect()
}

fn render_method(application: &str, spec: &argocd::ApplicationSpec, source: &ApplicationSource) -> RenderMethod {
    if source.plugin.is_some() {
        return RenderMethod::Unsupported("it is rendered by a config management plugin of Argo CD".to_owned());
    }
    match (&source.helm, &source.kustomize, &source.directory) {
        (Some(helm), ..) => match substitute_environment(application, spec, source, helm) {
            Ok(options) => RenderMethod::Helm(Box::new(options)),
            Err(reason) => RenderMethod::Unsupported(reason.into()),
        },
        (None, Some(kustomize), _) => RenderMethod::Kustomize(KustomizationEdits::from(kustomize)),
        (None, None, Some(directory)) => RenderMethod::Directory(directory.clone()),
        (None, None, None) => RenderMethod::Detect,
    }
}
