//! `kubectl ucp adopt-cluster`

use futures::StreamExt as _;

use crate::adopt::account::Change;
use crate::adopt::carry_out::{self, Failure};
use crate::adopt::inventory::{self, AppCluster, Inventory};
use crate::adopt::plan::{self, Origin, Refusal, RefusalSort};
use crate::adopt::prepare::{self, Prepared, Tools};
use crate::adopt::request::Request;
use crate::adopt::state::State;
use crate::cli::Context;
use crate::cli::adoption_args::{AdoptionArgs, engines};
use crate::cli::app_clusters::{AppClusterArgs, choose};
use crate::error::{Error, Outcome, Result};
use crate::report::adoption::{Action, AdoptionItem, AdoptionPlan, AdoptionState, CORE, Verb};
use crate::source::live::api::Api;
use crate::source::live::write::Conflicts;
use crate::source::{kubeconfig, live};

/// Register app clusters with Argo CD or Flux, from the kubeconfigs that their provisioners left in Secrets
///
/// Makes a ServiceAccount for the engine in the app cluster, grants it what you say, proves that its token works, and
/// only then writes the registration into the core cluster. Crossplane's own credential is used for that, and stays
/// where it is. Once adopted, a cluster is brought up to date: run it again after the cluster, its address or its
/// authority changed. A run that has nothing to do writes nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp adopt-cluster gcp-k8s-prod
  kubectl ucp adopt-cluster gcp-k8s-prod --bootstrap-context gke_quotes-demo_europe-west9-a_gcp-k8s-prod
  kubectl ucp adopt-cluster --all --engine argocd --label environment=prod --yes
  kubectl ucp adopt-cluster gcp-k8s-stage --namespaces shop,payments --read-only --dry-run
  kubectl ucp adopt-cluster gcp-k8s-prod --rotate --token-ttl 24h")]
pub(super) struct Args {
    /// Clusters, as 'kubectl ucp clusters' names them
    #[arg(value_name = "NAME", required_unless_present_any = ["all"], conflicts_with = "all")]
    names: Vec<String>,
    /// Every cluster that something in the core cluster provisioned
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    adoption: AdoptionArgs,
    #[command(flatten)]
    app_clusters: AppClusterArgs,
    /// Show what would be done, and stop
    #[arg(long)]
    dry_run: bool,
    /// Do it without asking
    #[arg(short, long)]
    yes: bool,
}

/// Clusters that are asked, and written to, at the same time.
const CONCURRENT_CLUSTERS: usize = 16;

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let connection = &context.globals.connection;
    if connection.from.is_some() {
        return Err(Error::usage("a snapshot cannot be written to: leave out --from"));
    }
    let gathered = context.gather_clusters(&args.app_clusters)?;
    let inventory = inventory::take(&gathered.state, &gathered.kinds, &args.app_clusters.view(context));
    let clusters = chosen(&inventory, args)?;
    let requests: Vec<Request> = engines(&args.adoption, &inventory)?
        .into_iter()
        .map(|engine| args.adoption.request(engine, args.app_clusters.allowed()))
        .collect::<Result<_>>()?;
    let runtime = live::runtime()?;
    let timeout = connection.request_timeout;
    runtime.block_on(async {
        let core = Api::connect(&kubeconfig::load(connection)?, timeout)?;
        let bootstrap = args.adoption.bootstrap.connect(connection, clusters.len())?;
        let tools = Tools { core: &core, bootstrap: bootstrap.as_ref(), timeout };
        let prepared: Vec<Work<'_>> = prepare_all(&inventory, &clusters, &requests, &tools).await;
        let mut report = AdoptionPlan::of(gathered.state.origin.clone(), prepared.iter().map(Work::item).collect());
        if !report.is_planned() || args.dry_run {
            context.print(&report)?;
            return ended(&report, args);
        }
        if !args.yes {
            context.ui.message(&crate::render::Report::table(&report, &context.style()));
            if !context.ui.confirm("Go ahead?")? {
                return Err(Error::refused("nothing was done"));
            }
        }
        report.items = carry_out_all(prepared, &tools, requests[0].conflicts).await;
        context.print(&report)?;
        ended(&report, args)
    })
}

/// The clusters that were named, or all that the core cluster provisioned and that can be adopted or need it.
fn chosen<'a>(inventory: &'a Inventory, args: &Args) -> Result<Vec<&'a AppCluster>> {
    if !args.all {
        return args.names.iter().map(|name| choose(inventory, name)).collect();
    }
    let provisioned = |cluster: &&AppCluster| {
        let ours = cluster.registrations.iter().any(|registration| registration.record.is_some());
        ours || cluster.provisioner.is_some() && cluster.state != State::Duplicated
    };
    Ok(inventory.clusters.iter().filter(provisioned).collect())
}

/// One cluster and one engine, on the way.
struct Work<'a> {
    cluster: &'a AppCluster,
    engine: crate::adopt::engine::Engine,
    prepared: Result<Prepared, Refusal>,
}

async fn prepare_all<'a>(
    inventory: &'a Inventory,
    clusters: &[&'a AppCluster],
    requests: &'a [Request],
    tools: &Tools<'_>,
) -> Vec<Work<'a>> {
    let pairs = clusters.iter().flat_map(|cluster| requests.iter().map(move |request| (*cluster, request)));
    futures::stream::iter(pairs)
        .map(|(cluster, request)| async move {
            let planned =
                Origin::of(cluster, request.engine).and_then(|origin| plan::plan(inventory, cluster, &origin, request));
            let prepared = match planned {
                Ok(plan) => prepare::prepare(plan, tools).await,
                Err(refusal) => Err(refusal),
            };
            Work { cluster, engine: request.engine, prepared }
        })
        .buffered(CONCURRENT_CLUSTERS)
        .collect()
        .await
}

async fn carry_out_all(works: Vec<Work<'_>>, tools: &Tools<'_>, conflicts: Conflicts) -> Vec<AdoptionItem> {
    futures::stream::iter(works)
        .map(|work| async move {
            let mut item = work.item();
            if let (AdoptionState::Planned, Ok(prepared)) = (item.state, work.prepared) {
                item.state = AdoptionState::Adopted;
                if let Err(Failure { reason, left }) = carry_out::carry_out(prepared, tools, conflicts).await {
                    item.state = AdoptionState::Failed;
                    item.reason = Some(reason);
                    item.left = left;
                }
            }
            item
        })
        .buffered(CONCURRENT_CLUSTERS)
        .collect()
        .await
}

impl Work<'_> {
    fn item(&self) -> AdoptionItem {
        let cluster = &self.cluster.name;
        let prepared = match &self.prepared {
            Ok(prepared) => prepared,
            Err(Refusal { reason, hint, .. }) => {
                let mut item = AdoptionItem::refused(cluster, Some(self.engine), reason.clone(), hint.clone());
                if self.is_taken() {
                    item.state = AdoptionState::Unchanged;
                }
                return item;
            }
        };
        let state = if prepared.is_done() { AdoptionState::Unchanged } else { AdoptionState::Planned };
        let account = prepared.account.as_ref();
        let grants = account.map(|work| {
            let account = &work.account.service_account;
            format!("{} to ServiceAccount {account}", work.account.grant.describe())
        });
        AdoptionItem {
            cluster: cluster.clone(),
            engine: Some(self.engine),
            actions: actions(cluster, prepared),
            grants,
            state,
            reason: None,
            hint: None,
            left: Vec::new(),
        }
    }

    /// Somebody else looks after it, which is fine where it was not asked for by name.
    fn is_taken(&self) -> bool {
        matches!(&self.prepared, Err(refusal) if refusal.sort == RefusalSort::Taken)
    }
}

fn actions(cluster: &str, prepared: &Prepared) -> Vec<Action> {
    let mut actions = Vec::new();
    if let Some(work) = &prepared.account {
        let there = |verb, object: &crate::model::object::ObjectName| Action {
            verb,
            object: object.clone(),
            cluster: cluster.to_owned(),
        };
        for step in &work.steps {
            actions.extend(verb(step.change).map(|verb| there(verb, &step.object)));
        }
        actions.extend(work.obsolete.iter().map(|object| there(Verb::Delete, object)));
    }
    let here = |verb| Action { verb, object: prepared.plan.content.object.clone(), cluster: CORE.to_owned() };
    actions.extend(verb(prepared.registration).map(here));
    if let Some(secret) = prepared.account.as_ref().and_then(|work| work.revoked()) {
        actions.push(Action { verb: Verb::Delete, object: secret, cluster: cluster.to_owned() });
    }
    actions
}

fn verb(change: Change) -> Option<Verb> {
    match change {
        Change::None | Change::Foreign => None,
        Change::Create => Some(Verb::Create),
        Change::Update => Some(Verb::Update),
        Change::Replace => Some(Verb::Replace),
    }
}

/// Failures are failures; a refusal is one where the cluster was named.
fn ended(report: &AdoptionPlan, args: &Args) -> Result<Outcome> {
    match report.worst() {
        Some(AdoptionState::Failed) => Err(Error::failed(anyhow::anyhow!("not every cluster could be adopted"))
            .hint("what is left in an app cluster is listed above; running it again completes it")),
        Some(AdoptionState::Refused) if !args.all => Ok(Outcome::Findings),
        _ => Ok(Outcome::Clean),
    }
}
