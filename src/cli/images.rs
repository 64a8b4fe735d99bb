//! `kubectl ucp images`

use std::collections::BTreeSet;

use crate::cli::Context;
use crate::cli::reading::outcome;
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights, Several, Snapshot};
use crate::cli::spec::{CommandSpec, IMAGE_ROLES, RUNNING, ToolRepository, ToolSpec, always};
use crate::cli::working_copy::RepositoryArgs;
use crate::complete::CompletionValues;
use crate::promote::matrix::{LabelRows, MatrixFilter, RunningInput, explained, matrix};
use crate::promote::policy::Policy;
use crate::promote::running::{self, RunningDeployers};
use crate::report::images::ImageMatrix;
use crate::report::sources::{DocumentSource, SourceResult, combine, without_sources};
use ucp_client::source::live::definition::DeniedDefinition;
use ucp_core::error::{Error, Outcome, Result};
use ucp_repo::slot::artifact::ArtifactKind;

/// Show which versions each environment declares and runs
///
/// Reads the versions of images, charts, packages and Git repositories in kustomizations, Helm values, HelmReleases,
/// Applications, workloads and settings files. Kustomizations are read the way kustomize builds them. With a cluster or
/// a snapshot, also shows what is running: as Argo CD reports it, or from the workloads and charts that Flux applied,
/// in this cluster and in app clusters. "*" marks a version that no object that was read deploys.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp images
  kubectl ucp images echo-server -o markdown
  kubectl ucp images --kind chart,git
  kubectl ucp images --context core
  kubectl ucp images --contexts core-eu,core-us
  kubectl ucp images --explain")]
#[command(after_long_help = "Examples:
  kubectl ucp images
  kubectl ucp images echo-server -o markdown
  kubectl ucp images --kind chart,git
  kubectl ucp images --context core
  kubectl ucp images --contexts core-eu,core-us
  kubectl ucp images --explain

A file .ucp.yaml at the top of the repository can override what is detected:
  environments: [dev, stage, prod]             columns, in order of promotion
  flow: {dev: [stage], stage: [prod]}          where versions may go
  paths: ['{service}/overlays/{environment}']  where overlays are
  ignore: [load-test]                          services to ignore
  names: {shop: shop-backend}                  more names for the command line
  versions:                                    service and environment of a file
  - file: config/{environment}/{service}.yaml  * and ** match any text
    paths: [release.version]                   more places with versions
  promote:                                     what else is promoted
  - file: version.yml                          from the overlay
  - file: /charts/{service}/values-{environment}.yaml   from the top
    paths: [image.tag]                         only these values of it
  verify: {context: core, soak: 30m}           promote --verify by default

Exit codes: 0 done; 2 usage; 3 failed; 4 something could not be read.")]
pub(super) struct Args {
    /// Only these services
    #[arg(value_name = "SERVICE")]
    services: Vec<String>,
    /// Only versions of these kinds: image, chart, package, git
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    kind: Vec<ArtifactKind>,
    /// Also show versions in labels and annotations, which repeat those that are declared elsewhere
    #[arg(long)]
    labels: bool,
    /// Show what is running in the cluster; implied by --from, --context, --contexts, --kubeconfig and --server
    #[arg(long)]
    running: bool,
    /// Explain how services and environments were detected
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    repository: RepositoryArgs,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    dependent: &[RUNNING],
    roles: &[always(IMAGE_ROLES)],
    completions: &[("services", CompletionValues::Services)],
    tool: Some(ToolSpec {
        repository: ToolRepository::Required,
        ..ToolSpec::new::<ImageMatrix>(10, &["services", "kind"])
    }),
    ..CommandSpec::new("images", &[Cluster, Snapshot, Several, Namespace, Output, Rights])
};

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let matrix = gather(context, args)?;
    context.print(&matrix)?;
    context.warn_of_unreadable(&matrix.unreadable);
    if matrix.services.is_empty() {
        context.ui.message(
            "No versions found; 'kubectl ucp images --explain' shows what was detected, and .ucp.yaml can add more.",
        );
    }
    Ok(outcome(&matrix.unreadable))
}

/// Returns the versions that the repository declares and, if asked for, those that run.
///
/// # Errors
/// Fails when the repository or what runs cannot be read.
pub(super) fn gather(context: &Context, args: &Args) -> Result<ImageMatrix> {
    let checkout = args.repository.open(&context.ui)?;
    let survey = checkout.survey(&checkout.top)?;
    survey.check([], args.services.iter().map(String::as_str))?;
    let is_asked = args.running || context.names_a_cluster();
    let running = if is_asked { context.read_each_source(Context::read_running_versions)? } else { Vec::new() };
    let remotes = checkout.remotes()?;
    let services: BTreeSet<String> = args.services.iter().cloned().collect();
    let labels = if args.labels { LabelRows::Shown } else { LabelRows::Hidden };
    let filter = MatrixFilter { services, kinds: args.kind.clone(), labels };
    let policy = Policy::STRICT;
    // Each kustomization is built once for all core clusters.
    let mut matrix = survey.with_facts(policy, |facts| {
        let of = |running: Option<&RunningDeployers>| {
            matrix(facts, &filter, running.map(|running| RunningInput { running, remotes: &remotes }))
        };
        if !context.has_several_sources() {
            let answer = running.into_iter().next();
            let core = answer.map(|answer| Ok::<_, Error>((answer.source, answer.result?))).transpose()?;
            let (mut matrix, doubts) = of(core.as_ref().map(|(_, running)| running));
            matrix.core = core.map(|(origin, running)| DocumentSource { origin, moment: Some(running.moment) });
            matrix.unreadable.extend(without_sources(doubts));
            matrix.unreadable.sort_by(|left, right| left.item.cmp(&right.item));
            matrix.unreadable.dedup();
            return Ok(matrix);
        }
        let mut of_repository = Vec::new();
        let answers = running.into_iter().map(|SourceResult { source, result }| SourceResult {
            source,
            result: result.map(|running| {
                let (mut matrix, doubts) = of(Some(&running));
                of_repository = std::mem::replace(&mut matrix.unreadable, without_sources(doubts));
                matrix
            }),
        });
        let mut matrix = combine(answers.collect())?;
        matrix.unreadable.splice(..0, of_repository);
        Ok::<_, Error>(matrix)
    })?;
    matrix.unreadable.extend(without_sources(checkout.sparse_gap()?));
    matrix.source.path.clone_from(&checkout.shown);
    if args.explain {
        matrix.discovery = Some(survey.discovery.clone());
        matrix.slots = survey.with_facts(policy, |facts| explained(facts, &filter));
    }
    Ok(matrix)
}

impl Context {
    /// Returns true if the command line names a cluster or snapshot.
    pub(super) fn names_a_cluster(&self) -> bool {
        let connection = &self.globals.connection;
        connection.from.is_some()
            || connection.sources.is_multiple()
            || connection.context.is_some()
            || connection.kubeconfig.is_some()
            || connection.server.is_some()
            || connection.cluster.is_some()
    }

    /// Reads the deployers in the cluster, and the versions that run there and in app clusters.
    ///
    /// # Errors
    /// Fails when they cannot be read completely, since unread objects may run any version.
    pub(super) fn read_running_versions(&self) -> Result<RunningDeployers> {
        // A deployer of a kind that the server does not list may deploy the same versions.
        let namespace = self.globals.scope.namespace.as_deref();
        let state = self.read_established(namespace, &RunningDeployers::want, DeniedDefinition::Absent)?;
        let Some(first) = state.unreadable.first() else {
            self.hint_at_core_cluster(&state);
            let progress = self.ui.progress("asking app clusters");
            let elsewhere = running::read_app_clusters(&self.globals.connection, &state)?;
            drop(progress);
            return Ok(RunningDeployers::from_state(&state, &elsewhere));
        };
        let message = format!("cannot read {}: {}", first.what, first.reason);
        Err(self.failed_to_read(message, &state.unreadable))
    }
}
