//! The comparison of a checkout with clusters: finds the deployers of the checkout, renders it, and sends dry runs to
//! the servers.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::Value;

use crate::cli::Context;
use crate::cli::app_clusters::EngineNamespaceArgs;
use crate::cli::rendering::RenderArgs;
use crate::render::words::join_limited;
use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_client::source::kubeconfig;
use ucp_client::source::live::{self, api::Api};
use ucp_core::engine::argocd::GROUP as ARGO_GROUP;
use ucp_core::error::{Error, Result};
use ucp_core::failure::Failure;
use ucp_core::model::state::{ClusterState, Unreadable};
use ucp_core::model::text::one_line;
use ucp_features::adopt::homes::EngineNamespaces;
use ucp_features::adopt::{argocd, flux};
use ucp_features::plan::compositions::CompositionPreview;
use ucp_features::plan::destinations::{DestinationConnector, DestinationContext};
use ucp_features::plan::examine::ComparisonPurpose;
use ucp_features::plan::outcome::PlanOutcome;
use ucp_features::plan::run::{application_namespaces, run_plan};
use ucp_repo::manifests::capabilities::ClusterCapabilities;
use ucp_repo::manifests::chart_library::ChartLibrary;
use ucp_repo::manifests::chart_puller::ChartPuller;
use ucp_repo::manifests::checkout::{CheckoutTree, GitCheckout};
use ucp_repo::manifests::deployer_set::DeployerSet;
use ucp_repo::manifests::release_values::SecretValues;
use ucp_repo::manifests::renderer::RendererPermissions;
use ucp_repo::manifests::required_programs::missing_programs;
use ucp_repo::manifests::selection::{ChartSearch, DeploymentSelection, SelectionOptions, repository_paths};
use ucp_repo::manifests::side::{self, RenderSurroundings, RenderedSide};

/// Number of deployers in a message that are named.
const MOST_DEPLOYERS: usize = 10;

/// How a checkout is matched with what deploys from it, and how the clusters are reached.
#[derive(Debug, Clone, Args)]
pub(super) struct ComparisonArgs {
    /// Only sources that track this branch or tag, or none in particular
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub(super) target_revision: Option<String>,
    /// The repository URL that Applications use, if it is not the URL of a remote
    #[arg(long, value_name = "URL", hide_short_help = true)]
    pub(super) repo_url: Option<String>,
    /// Connect to an app cluster through a context of your kubeconfig; may be repeated
    #[arg(long, value_name = "CLUSTER=CONTEXT", hide_short_help = true)]
    pub(super) destination: Vec<DestinationContext>,
    /// A directory with charts of HelmReleases and Applications, as 'helm pull' writes them; may be repeated
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, hide_short_help = true)]
    pub(super) charts: Vec<PathBuf>,
    /// Read values of HelmReleases from Secrets: only for a checkout that you trust, whose charts could print them in any form
    #[arg(long, hide_short_help = true)]
    pub(super) allow_secret_values: bool,
    #[command(flatten)]
    rendering: RenderArgs,
}

impl ComparisonArgs {
    /// Returns the arguments of a command line without any of them.
    pub(super) fn standard() -> Self {
        Self {
            target_revision: None,
            repo_url: None,
            destination: Vec::new(),
            charts: Vec::new(),
            allow_secret_values: false,
            rendering: RenderArgs::standard(),
        }
    }
}

/// A checkout, and the selection of its deployers.
pub(super) struct ComparedCheckout<'a> {
    pub(super) checkout: GitCheckout,
    context: &'a Context,
    args: &'a ComparisonArgs,
    namespaces: EngineNamespaceArgs,
    options: SelectionOptions,
}

impl<'a> ComparedCheckout<'a> {
    /// Opens the checkout that contains the paths.
    pub(super) fn open(
        context: &'a Context,
        args: &'a ComparisonArgs,
        namespaces: EngineNamespaceArgs,
        paths: &[PathBuf],
    ) -> Result<Self> {
        if context.globals.connection.from.is_some() {
            return Err(Error::usage("--from is not supported here: a checkout is compared with live clusters"));
        }
        let first = paths.first().ok_or_else(|| Error::usage("a PATH is needed"))?;
        let checkout = GitCheckout::containing(first)?;
        let options = SelectionOptions {
            paths: repository_paths(&checkout, paths)?,
            url: args.repo_url.clone(),
            revision: args.target_revision.clone(),
            charts: ChartSearch {
                directories: args.charts.clone(),
                pulls: args.rendering.renderer().reach != RendererPermissions::Checkout,
            },
        };
        Ok(Self { checkout, context, args, namespaces, options })
    }

    /// Compares a tree with a base, or with the live objects if there is no base. With a preview, the Compositions are
    /// run too.
    pub(super) fn compare(
        &self,
        state: &ClusterState,
        base: Option<&CheckoutTree>,
        head: &CheckoutTree,
        question: (ComparisonPurpose, Option<&CompositionPreview<'_>>),
    ) -> Result<PlanOutcome> {
        live::runtime()?.block_on(self.outcome(state, base, head, question))
    }

    async fn outcome(
        &self,
        state: &ClusterState,
        base: Option<&CheckoutTree>,
        head: &CheckoutTree,
        question: (ComparisonPurpose, Option<&CompositionPreview<'_>>),
    ) -> Result<PlanOutcome> {
        let flags = &self.context.globals.connection;
        let api = Api::connect(&kubeconfig::load(flags)?, flags.request_timeout)?;
        let core = ConnectedCluster::open(None, api).await?;
        let core = Arc::new(core);
        let mut apps = DeployerSet::from_state(state);
        let namespace = self.context.globals.scope.namespace.as_deref();
        let (live, unreadable) = templating_deployers(&core, namespace).await;
        live.iter().for_each(|object| apps.add_live(object));
        let selection = DeploymentSelection::new(&self.checkout, self.options.clone());
        let capabilities = capabilities(&core).await?;
        let secrets = if self.args.allow_secret_values { SecretValues::Read } else { SecretValues::Withheld };
        let puller = ChartPuller::new(self.args.rendering.renderer())?;
        let mut surroundings = RenderSurroundings {
            core: &core,
            capabilities: &capabilities,
            charts: ChartLibrary { directories: &self.args.charts, puller: puller.as_ref() },
            deployed: None,
            secrets,
        };
        for (programs, deployers) in missing_programs(head, &apps, &selection) {
            let names: Vec<String> = deployers.iter().map(ToString::to_string).collect();
            let names = join_limited(&names, MOST_DEPLOYERS);
            self.context.ui.message(&match programs {
                [one] => format!("{one} is not installed, which is needed to render {names}"),
                several => {
                    format!("neither {} is installed, one of which is needed to render {names}", several.join(" nor "))
                }
            });
        }
        let base_tree = base;
        let base = match base {
            Some(base) => Some(self.render(base, &apps, &selection, surroundings, "rendering the base").await),
            None => None,
        };
        surroundings.deployed = base_tree;
        let head = self.render(head, &apps, &selection, surroundings, "rendering").await;
        let sides: Vec<&RenderedSide> = base.iter().chain([&head]).collect();
        if sides.iter().all(|side| side.rendered.is_empty()) {
            if !state.unreadable.is_empty() {
                return Err(nothing_checked(self.context, &state.unreadable));
            }
            if !apps.has_source_of(&selection) {
                return Err(self.unknown_repository(&apps));
            }
            return Err(Error::failed("no Application, Kustomization or HelmRelease deploys from this repository")
                .hint(
                    "see their sources with 'kubectl get applications,kustomizations -A', or name the repository with --repo-url",
                ));
        }
        // Of one namespace alone, it is not known whether it is an engine's.
        let is_part = self.context.globals.scope.namespace.is_some();
        let or_default =
            |given: &Option<String>, namespace: &str| given.clone().or_else(|| is_part.then(|| namespace.to_owned()));
        let argocd = or_default(&self.namespaces.argocd_namespace, argocd::DEFAULT_NAMESPACE);
        let flux = or_default(&self.namespaces.flux_namespace, flux::DEFAULT_NAMESPACE);
        let homes = EngineNamespaces::find(state, argocd.as_deref(), flux.as_deref());
        let registry = homes.registry(application_namespaces(&sides).iter().map(String::as_str));
        let own = &self.args.destination;
        let ways = DestinationConnector { core, flags, own, registry, homes };
        let progress = self.context.ui.progress("asking the servers");
        let outcome = run_plan(&ways, base.as_ref(), &head, question, &|done, all| progress.show(done, all)).await;
        let mut outcome = outcome?;
        outcome.unreadable.extend(unreadable);
        Ok(outcome)
    }

    /// Returns the error for a repository that no deployer refers to. It is never guessed, since equal directory names
    /// prove nothing.
    fn unknown_repository(&self, apps: &DeployerSet) -> Error {
        let shown = |urls: BTreeSet<&str>| {
            let urls: Vec<_> = urls.into_iter().map(one_line).collect();
            join_limited(&urls, 5)
        };
        let here = match (&self.options.url, self.checkout.remotes.as_slice()) {
            (Some(url), _) => one_line(url),
            (None, []) => "this checkout, which has no remote".to_owned(),
            (None, remotes) => format!("this checkout ({})", shown(remotes.iter().map(String::as_str).collect())),
        };
        let known = shown(apps.urls().collect());
        let failed = Error::failed(format!("no Application or Kustomization deploys from {here}"));
        match known.as_str() {
            "" => failed
                .hint("no Application or Kustomization has a Git repository; choose another cluster with --context"),
            known => failed.hint(format!("pass --repo-url with one of: {known}")),
        }
    }

    async fn render(
        &self,
        tree: &CheckoutTree,
        apps: &DeployerSet,
        selection: &DeploymentSelection,
        surroundings: RenderSurroundings<'_>,
        title: &'static str,
    ) -> RenderedSide {
        let renderer = self.args.rendering.renderer();
        let progress = self.context.ui.progress(title);
        let show = |done, all| progress.show(done, all);
        side::render_side(tree, apps.clone(), selection, renderer, Some(surroundings), &show).await
    }
}

/// Returns the HelmReleases and ApplicationSets of the core cluster.
async fn templating_deployers(core: &ConnectedCluster, namespace: Option<&str>) -> (Vec<Value>, Vec<Unreadable>) {
    let (mut objects, mut unreadable) = (Vec::new(), Vec::new());
    for (group, kind) in [("helm.toolkit.fluxcd.io", "HelmRelease"), (ARGO_GROUP, "ApplicationSet")] {
        let kind = match core.find_preferred(group, kind).await {
            Ok(Some(kind)) => kind,
            Ok(None) => continue,
            Err(error) => {
                unreadable.push(Unreadable { what: format!("{kind}.{group}"), reason: error.to_string() });
                continue;
            }
        };
        match core.list_objects(&kind.path(namespace).with_query("limit", "500")).await {
            Ok(found) => objects.extend(found),
            Err(error) => {
                let what = format!("{}.{}", kind.plural, kind.group);
                unreadable.push(Unreadable { what, reason: error.to_string() });
            }
        }
    }
    (objects, unreadable)
}

async fn capabilities(core: &ConnectedCluster) -> Result<ClusterCapabilities, Failure> {
    let version =
        core.api.version().await.map_err(|error| format!("cannot read the version of the server: {error}"))?;
    Ok(ClusterCapabilities { version: version.git_version, api_versions: core.api_versions() })
}

/// Returns an error with every reason in full, since the messages of renderers name the file.
pub(super) fn nothing_checked(context: &Context, unreadable: &[Unreadable]) -> Error {
    let reasons: Vec<_> = unreadable.iter().map(|entry| format!("{}: {}", entry.what, entry.reason)).collect();
    let message = format!("nothing could be checked\n{}", reasons.join("\n"));
    context.failed_to_read(message, unreadable)
}
