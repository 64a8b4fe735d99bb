//! `kubectl ucp release-cluster`

use crate::cli::Context;
use crate::cli::app_clusters::{AppClusterArgs, BootstrapArgs, candidate, find_cluster, missing_name};
use crate::cli::missing::interaction_mode;
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights};
use crate::cli::spec::{CommandSpec, always};
use crate::complete::CompletionValues;
use crate::report::adoption::{AdoptionAction, AdoptionItem, AdoptionPlan, AdoptionState, AdoptionVerb, CORE};
use ucp_client::source::live::definition::DeniedDefinition;
use ucp_client::source::live::write::ApiWriter;
use ucp_client::source::{kubeconfig, live};
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::grounds::Grounded;
use ucp_features::adopt::holder::AccountHolder;
use ucp_features::adopt::inventory::{self, AppClusterInventory};
use ucp_features::adopt::live::gather;
use ucp_features::adopt::live::prepare_account::AdoptionContext;
use ucp_features::adopt::live::release::{self, ClusterRelease, Force};
use ucp_features::adopt::plan::AdoptionRefusal;

/// Remove an app cluster from Argo CD or Flux
///
/// Removes the rights, token and ServiceAccount of the engine, and of 'kubectl ucp secrets', from the app cluster, then the
/// registration. The connection
/// Secret and the cluster itself are not changed. If the app cluster no longer exists, lists what could not be removed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp release-cluster gcp-k8s-stage
  kubectl ucp release-cluster gcp-k8s-stage --engine flux --dry-run
  kubectl ucp release-cluster gcp-k8s-stage --bootstrap-context stage-admin")]
pub(super) struct Args {
    /// Name of the cluster, as 'kubectl ucp clusters' lists it
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Engines to remove it from; all by default
    #[arg(long, value_name = "ENGINE,…", value_delimiter = ',', value_enum)]
    engine: Vec<GitOps>,
    /// Remove only the ServiceAccount of 'kubectl ucp secrets'
    #[arg(long, conflicts_with = "engine")]
    secrets: bool,
    /// Release it even if something deploys to it, someone else registered it, or the app cluster cannot be cleaned up
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    bootstrap: BootstrapArgs,
    #[command(flatten)]
    app_clusters: AppClusterArgs,
    /// Show what would be done, and exit
    #[arg(long)]
    dry_run: bool,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    roles: &[always(&[
        "kubectl-ucp-clusters",
        "kubectl-ucp-clusters-secrets",
        "kubectl-ucp-adopt",
        "kubectl-ucp-adopt-app",
    ])],
    completions: &[("bootstrap_context", CompletionValues::Contexts), ("name", CompletionValues::AppClusters)],
    ..CommandSpec::new("release-cluster", &[Cluster, Namespace, Output, Rights])
};

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let connection = &context.globals.connection;
    if connection.from.is_some() {
        return Err(Error::usage("a snapshot cannot be changed; omit --from"));
    }
    let mut gathered = context.gather_clusters(&args.app_clusters)?;
    gather::report_hidden_deployers(connection, &mut gathered, DeniedDefinition::Unknown)?;
    let inventory = inventory::build_inventory(&gathered.state, &gathered.kinds, &args.app_clusters.view(context));
    let cluster = find_cluster(&inventory, &name(context, args, &inventory)?)?;
    let is_named = |holder: AccountHolder| args.engine.iter().any(|engine| holder == *engine);
    let is_meant = |holder: AccountHolder| match args.secrets {
        true => holder == AccountHolder::Secrets,
        false => args.engine.is_empty() || is_named(holder),
    };
    let mut registrations: Vec<_> =
        cluster.all_registrations().filter(|registration| is_meant(registration.holder)).collect();
    // An engine's credential may be the only one that can remove the account of 'kubectl ucp secrets'.
    registrations.sort_by_key(|registration| registration.holder != AccountHolder::Secrets);
    if registrations.is_empty() {
        inventory.grounds.require_registrations().map_err(|incomplete| {
            Error::failed(format!("whether {} is registered is unknown: {}", cluster.name, incomplete.0))
        })?;
        context.ui.message(&format!("{} is not registered; nothing to do.", cluster.name));
        return Ok(Outcome::Clean);
    }
    let (force, allowed) = (if args.force { Force::Yes } else { Force::No }, args.app_clusters.allowed());
    live::runtime()?.block_on(async {
        let core = ApiWriter::connect(&kubeconfig::load(connection)?, connection.request_timeout)?;
        let bootstrap = args.bootstrap.connect(connection, 1)?;
        let tools = AdoptionContext { core: &core, bootstrap: bootstrap.as_ref(), timeout: connection.request_timeout };
        let mut releases = Vec::new();
        for registration in &registrations {
            let prepared = release::prepare(&inventory, cluster, registration, force, &allowed, &tools).await;
            releases.push((registration.holder, prepared));
        }
        let items = releases.iter().map(|(holder, release)| item(&cluster.name, *holder, release)).collect();
        let mut report = AdoptionPlan::from_items(gathered.state.origin.clone(), items);
        // One refusal stops the whole release, since a partial release is never wanted.
        let is_refused = report.worst() == Some(AdoptionState::Refused);
        if is_refused || args.dry_run {
            context.print(&report)?;
            return Ok(if is_refused { Outcome::Findings } else { Outcome::Clean });
        }
        context.confirm_plan(&report, "Continue?", args.yes)?;
        let mut is_lost = false;
        for (item, (holder, release)) in report.items.iter_mut().zip(releases) {
            match release {
                Ok(_) if is_lost => {
                    item.reason = Some(format!(
                        "skipped, because the account of {} must be removed first",
                        AccountHolder::Secrets.title()
                    ));
                }
                Ok(release) => carry_out(item, release, &tools).await,
                Err(_) => {}
            }
            is_lost |= holder == AccountHolder::Secrets && item.state == AdoptionState::Failed;
        }
        context.print(&report)?;
        if report.worst() == Some(AdoptionState::Failed) {
            return Err(Error::failed(format!("{} could not be released", cluster.name))
                .hint("the registration was kept; fix the cause and run the command again"));
        }
        let is_clean = report.items.iter().all(|item| item.left.is_empty());
        Ok(if is_clean { Outcome::Clean } else { Outcome::Incomplete })
    })
}

/// Returns the name on the command line, or the registered cluster that the user picks.
fn name(context: &Context, args: &Args, inventory: &AppClusterInventory) -> Result<String> {
    if let Some(name) = &args.name {
        return Ok(name.clone());
    }
    let missing = missing_name("Release which cluster?", "kubectl ucp release-cluster NAME");
    let registered = inventory.clusters.iter().filter(|cluster| cluster.all_registrations().next().is_some());
    let candidates: Vec<_> = registered.map(candidate).collect();
    let name = context.pick(interaction_mode(context, args.yes), &missing, &candidates)?;
    context.show_equivalent_command([name.as_str()], None);
    Ok(name)
}

async fn carry_out(item: &mut AdoptionItem, release: Grounded<ClusterRelease>, tools: &AdoptionContext<'_>) {
    match release::carry_out(release, tools).await {
        Ok(left) => {
            item.state = AdoptionState::Released;
            (item.left, item.reason) = left.map_or((Vec::new(), None), |(left, reason)| (left, Some(reason)));
        }
        Err(reason) => {
            item.state = AdoptionState::Failed;
            item.reason = Some(reason.into());
        }
    }
}

fn item(
    cluster: &str,
    holder: AccountHolder,
    release: &Result<Grounded<ClusterRelease>, AdoptionRefusal>,
) -> AdoptionItem {
    let (release, grounds) = match release {
        Ok(release) => (release.value(), release.grounds()),
        Err(AdoptionRefusal { reason, hint, .. }) => {
            return AdoptionItem::refused(cluster, holder, reason.clone(), hint.clone());
        }
    };
    let delete = |object: &ucp_core::model::object::ObjectName, place: &str| AdoptionAction {
        verb: AdoptionVerb::Delete,
        object: object.clone(),
        cluster: place.to_owned(),
    };
    let mut actions: Vec<_> = release.objects.iter().map(|seen| delete(&seen.object, cluster)).collect();
    actions.push(delete(&release.registration.object, CORE));
    let (left, reason) = release.left.clone().map_or((Vec::new(), None), |(left, reason)| (left, Some(reason)));
    AdoptionItem {
        cluster: cluster.to_owned(),
        engine: holder.engine(),
        purpose: AdoptionItem::purpose(holder),
        actions,
        grants: None,
        server_change: None,
        grounds: Some(grounds.clone()),
        state: AdoptionState::Planned,
        reason,
        hint: None,
        left,
    }
}
