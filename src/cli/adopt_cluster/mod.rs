//! `kubectl ucp adopt-cluster`

mod args;
mod targets;
mod watch;
mod work;

use std::time::Duration;

use crate::cli::Context;
use crate::cli::app_clusters::AppClusterArgs;
use crate::cli::missing::interaction_mode;
use crate::cli::spec::CommandSpec;
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights, Selector, Snapshot};
use crate::complete::CompletionValues;
use crate::render::{OutputFormat, yaml};
use crate::report::adoption::{AdoptionItem, AdoptionPlan, AdoptionState};
use crate::ui::Interaction;
use crate::ui::pager::LongLineMode;
use ucp_client::source::live::definition::DeniedDefinition;
use ucp_client::source::live::write::ApiWriter;
use ucp_client::source::{kubeconfig, live};
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::model::selector::LabelSelector;
use ucp_core::model::state::Origin;
use ucp_core::model::text::one_line;
use ucp_core::model::time::parse_duration;
use ucp_features::adopt::git::{self, CredentialManifest, ManifestCluster};
use ucp_features::adopt::inventory::{self, AppClusterInventory};
use ucp_features::adopt::live::gather;
use ucp_features::adopt::live::prepare_account::AdoptionContext;
use ucp_features::adopt::plan;
use ucp_features::adopt::request::AdoptionRequest;
use ucp_features::adopt::watch_role;

use args::{AdoptionArgs, engines};
use targets::{AdoptionTarget, TargetArgs};
pub(super) use watch::adopt_what_is_ready;
use work::AdoptionWork;

/// Register app clusters with Argo CD or Flux
///
/// Starts from the kubeconfig that Crossplane, or another provisioner, wrote to a Secret. Creates a ServiceAccount for
/// the engine in the app cluster, grants it the rights that you choose, tests its token, and only then writes the
/// registration to the core cluster. Crossplane's own credential is used for this, and is not changed. Run the command
/// again after the cluster, its address or its certificate authority has changed. If there is nothing
/// to do, nothing is written.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp adopt-cluster gcp-k8s-prod
  kubectl ucp adopt-cluster gcp-k8s-prod --bootstrap-context prod-admin
  kubectl ucp adopt-cluster --all --engine argocd --label environment=prod --yes
  kubectl ucp adopt-cluster gcp-k8s-dev --namespaces shop --read-only --dry-run
  kubectl ucp adopt-cluster gcp-k8s-prod --dry-run -o yaml \\
    --credential external-secret --secret-store vault
  kubectl ucp adopt-cluster gcp-k8s-prod --rotate --token-ttl 24h
  kubectl ucp adopt-cluster --print-rbac -n clusters | kubectl apply -f -")]
pub(super) struct Args {
    #[command(flatten)]
    targets: TargetArgs,
    #[command(flatten)]
    adoption: AdoptionArgs,
    #[command(flatten)]
    app_clusters: AppClusterArgs,
    /// Show what would be done, and exit; with -o yaml, print the manifests
    #[arg(long)]
    dry_run: bool,
    /// How the manifests of --dry-run -o yaml represent the credential
    #[arg(
        long,
        value_enum,
        value_name = "FORM",
        default_value = "left-out",
        requires = "dry_run",
        hide_short_help = true
    )]
    credential: CredentialManifest,
    /// The ClusterSecretStore that an ExternalSecret reads the token from
    #[arg(long, value_name = "NAME", required_if_eq("credential", "external-secret"), hide_short_help = true)]
    secret_store: Option<String>,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
    /// Keep running: adopt new clusters and renew credentials before they expire, without asking
    #[arg(long, conflicts_with_all = ["dry_run", "names", "secret", "from_kubeconfig"])]
    watch: bool,
    /// How often --watch checks
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "30s", requires = "watch", hide_short_help = true)]
    interval: Duration,
    /// Print the minimum RBAC that --watch needs in the core cluster, limited to -n NAMESPACE if given, and exit
    #[arg(long, hide_short_help = true)]
    print_rbac: bool,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    completions: &[("bootstrap_context", CompletionValues::Contexts), ("names", CompletionValues::AppClusters)],
    ..CommandSpec::new("adopt-cluster", &[Cluster, Snapshot, Namespace, Selector, Output, Rights])
};

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let connection = &context.globals.connection;
    if args.print_rbac {
        let view = args.app_clusters.view(context);
        for manifest in watch_role::manifests(&view, &args.adoption.holders()) {
            context.ui.data(&format!("---\n{}", yaml(&manifest)?))?;
        }
        return Ok(Outcome::Clean);
    }
    if connection.from.is_some() && !args.dry_run {
        return Err(Error::usage("a snapshot cannot be changed; omit --from"));
    }
    args.adoption.check_flags(args.watch)?;
    if args.watch {
        return watch::run(context, args);
    }
    let survey = survey(context, &args.app_clusters, &args.adoption, interaction_mode(context, args.yes))?;
    let chosen = args.targets.complete(context, &survey.inventory, &survey.selector, args.yes)?;
    if args.dry_run && context.globals.output.output == OutputFormat::Yaml {
        return print_manifests(context, args, &chosen, &survey);
    }
    live::runtime()?.block_on(async {
        let core = ApiWriter::connect(&kubeconfig::load(connection)?, connection.request_timeout)?;
        let targets = chosen.resolve(&survey.inventory, &survey.selector, &core).await?;
        if args.adoption.name.is_some() && targets.len() != 1 {
            return Err(Error::usage("--name needs exactly one cluster"));
        }
        let bootstrap = chosen.bootstrap(&args.adoption.bootstrap, connection, targets.len())?;
        let tools = AdoptionContext { core: &core, bootstrap: bootstrap.as_ref(), timeout: connection.request_timeout };
        let progress = context.ui.progress("checking the clusters");
        let works = work::prepare_all(&survey.inventory, &targets, &survey.requests, &tools, &progress).await;
        drop(progress);
        let mut report =
            AdoptionPlan::from_items(survey.origin.clone(), works.iter().map(AdoptionWork::item).collect());
        if !report.is_planned() || args.dry_run {
            context.print(&report)?;
            return outcome(&report);
        }
        context.confirm_plan(&report, question(&report), args.yes)?;
        let progress = context.ui.progress("adopting clusters");
        report.items = work::carry_out_all(works, &tools, survey.requests[0].conflicts, &progress).await;
        drop(progress);
        context.print(&report)?;
        outcome(&report)
    })
}

/// The inventory of the core cluster, and the requests for each engine and for `kubectl ucp secrets`.
struct AdoptionSurvey {
    origin: Origin,
    inventory: AppClusterInventory,
    requests: Vec<AdoptionRequest>,
    selector: LabelSelector,
}

fn survey(
    context: &Context,
    access: &AppClusterArgs,
    adoption: &AdoptionArgs,
    person: Interaction,
) -> Result<AdoptionSurvey> {
    let mut gathered = context.gather_clusters(access)?;
    gather::report_hidden_deployers(&context.globals.connection, &mut gathered, DeniedDefinition::Absent)?;
    context.warn_of_unreadable(&gathered.state.unreadable);
    let inventory = inventory::build_inventory(&gathered.state, &gathered.kinds, &access.view(context));
    let engines = engines(adoption, &inventory)?;
    let allowed = access.allowed();
    let requests = adoption.requests(&engines, &allowed, person);
    let selector = context.selector()?;
    Ok(AdoptionSurvey { origin: gathered.state.origin, inventory, requests, selector })
}

/// Prints complete manifests for Git. Sends no request to app clusters.
fn print_manifests(context: &Context, args: &Args, chosen: &TargetArgs, survey: &AdoptionSurvey) -> Result<Outcome> {
    let targets = match &context.globals.connection.from {
        Some(_) => chosen.resolve_offline(&survey.inventory, &survey.selector)?,
        None => live::runtime()?.block_on(async {
            let connection = &context.globals.connection;
            let core = ApiWriter::connect(&kubeconfig::load(connection)?, connection.request_timeout)?;
            chosen.resolve(&survey.inventory, &survey.selector, &core).await
        })?,
    };
    let mut outcome = Outcome::Clean;
    let mut text = String::new();
    for AdoptionTarget { cluster, origin, .. } in &targets {
        for request in survey.requests.iter().filter(|request| request.is_for(cluster)) {
            let planned = origin.clone().and_then(|origin| {
                let origin = origin.offline(cluster, request.holder);
                plan::plan(&survey.inventory, cluster, &origin, request)
            });
            match planned {
                Ok(plan) => {
                    for (place, manifest) in git::manifests(plan.value(), args.credential, args.secret_store.as_deref())
                    {
                        let place = match place {
                            ManifestCluster::App => format!("the app cluster {}", one_line(&cluster.name)),
                            ManifestCluster::Core => "the core cluster".to_owned(),
                        };
                        text.push_str(&format!("---\n# in {place}\n{}", yaml(&manifest)?));
                    }
                }
                Err(refusal) => {
                    context.ui.warn(&format!("{}: {}", cluster.name, refusal.reason));
                    outcome = Outcome::Findings;
                }
            }
        }
    }
    context.ui.page(&text, LongLineMode::Wrap)?;
    Ok(outcome)
}

/// Returns the confirmation question.
fn question(report: &AdoptionPlan) -> &'static str {
    let is_unproven = |item: &AdoptionItem| item.server_change.as_ref().is_some_and(|one| one.unproven.is_some());
    match report.items.iter().any(is_unproven) {
        true => "A server changed, and its identity could not be verified. Continue with the new server?",
        false => "Continue?",
    }
}

/// Maps failed items to an error, and refused items to findings.
fn outcome(report: &AdoptionPlan) -> Result<Outcome> {
    match report.worst() {
        Some(AdoptionState::Failed) => Err(Error::failed("not every cluster could be adopted").hint(
            "objects that remain in an app cluster are listed above; run the command again to complete the adoption",
        )),
        Some(AdoptionState::Refused) => Ok(Outcome::Findings),
        _ => Ok(Outcome::Clean),
    }
}
