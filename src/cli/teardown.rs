//! `kubectl ucp teardown`

use std::sync::Arc;

use anyhow::anyhow;

use crate::adopt::cluster::AppCluster;
use crate::adopt::live::remote;
use crate::adopt::{inventory, provisioner};
use crate::cli::Context;
use crate::cli::app_clusters::AppClusterArgs;
use crate::cli::reading::PatienceArgs;
use crate::cli::side_by_side::side_by_side;
use crate::engine;
use crate::error::{Error, Outcome, Result};
use crate::graph::NodeId;
use crate::model::object::ObjectName;
use crate::model::secrecy::scrub;
use crate::model::state::{ClusterState, Unreadable};
use crate::render::words;
use crate::report::teardown::TeardownPlan;
use crate::source::live::MOST_CLUSTERS;
use crate::source::{Query, snapshot};
use crate::teardown::{self, Remains, Target, Teardown};

/// Show what a deletion deletes, orphans or leaves stuck
///
/// Of objects, such as a claim, an Application or a provider, or of the whole core cluster: what is deleted outside, what
/// stays there and goes on costing, what blocks, and what to do in which order, as commands. Writes nothing: it plans from
/// what it reads, and sends no dry run, which the webhook of Crossplane's Usages would take for a deletion.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp teardown --all
  kubectl ucp teardown application/gcp-database
  kubectl ucp teardown provider/provider-aws -o markdown
  kubectl ucp teardown database/quotes -n team-a --from core.tar.gz
  kubectl ucp teardown cluster/gcp-k8s-prod --app-clusters

Exit codes: 0 all would go; 1 something would be orphaned or stuck; 2 usage;
3 failed; 4 all would go, as far as could be read.")]
pub(super) struct Args {
    /// What is to go; KIND may be plural, short, or KIND.GROUP
    #[arg(value_name = "KIND/NAME", required_unless_present = "all", conflicts_with = "all")]
    objects: Vec<String>,
    /// The whole core cluster
    #[arg(long)]
    all: bool,
    /// Look into app clusters that go for load balancers and disks that they would leave behind
    #[arg(long)]
    app_clusters: bool,
    #[command(flatten)]
    access: AppClusterArgs,
    #[command(flatten)]
    patience: PatienceArgs,
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    if args.app_clusters {
        context.needs_rereadable_source("--app-clusters")?;
    }
    // What goes with an object may be anywhere.
    let state = context.read_in(None, &teardown::want)?;
    let target = match args.all {
        true => Target::All,
        false => {
            let found = args.objects.iter().map(|text| find(context, &state, text)).collect::<Result<Vec<_>>>()?;
            Target::Objects(found)
        }
    };
    let assessment = engine::assess(&state, &args.patience.clock(&state));
    let plan = teardown::plan(&state, &assessment, &target);
    let (remains, unread) = remains(context, args, &state, &plan)?;
    let report = TeardownPlan::of(&state, plan.with(remains), unread);
    context.print(&report)?;
    context.hint_at_rights(&report.unreadable);
    Ok(match (report.has_trouble(), report.unreadable.is_empty()) {
        (true, _) => Outcome::Findings,
        (false, false) => Outcome::Incomplete,
        (false, true) => Outcome::Clean,
    })
}

/// What is in an app cluster, or why nobody knows.
type Contents = std::result::Result<Arc<ClusterState>, String>;

/// What the app clusters that go leave behind, and what nobody looked into.
fn remains(
    context: &Context,
    args: &Args,
    state: &ClusterState,
    plan: &Teardown,
) -> Result<(Vec<Remains>, Vec<Unreadable>)> {
    let makers: Vec<&ObjectName> = plan
        .going_outside()
        .filter(|item| provisioner::is_cluster(&state.resources[item.node].kind))
        .map(|item| &item.object)
        .collect();
    let (mut remains, mut unread) = (Vec::new(), Vec::new());
    let mut lost = |cluster: &str, reason: String| {
        unread.push(Unreadable { what: format!("load balancers and disks of app cluster {cluster}"), reason });
    };
    if makers.is_empty() || !args.app_clusters {
        makers.iter().for_each(|maker| lost(&maker.name, "--app-clusters looks into it".to_owned()));
        return Ok((remains, unread));
    }
    // What leads to a cluster may be anywhere.
    let all = context.of_all_namespaces();
    let gathered = all.gather_clusters(&args.access)?;
    let inventory = inventory::take(&gathered.state, &gathered.kinds, &args.access.view(&all));
    let query = Query { want: &teardown::remains::want, namespace: None, progress: &|_, _| {} };
    let snapshot = context.globals.connection.from.as_deref();
    let leads_to = |maker: &ObjectName| {
        let made_by = |cluster: &&AppCluster| cluster.provisioner.as_ref().is_some_and(|one| one.object == *maker);
        inventory.clusters.iter().find(made_by)
    };
    let answers: Vec<Option<(&AppCluster, Contents)>> = match snapshot {
        Some(path) => {
            let taken = snapshot::read_app_clusters(path, &query)?;
            let missing =
                || "it is not in the snapshot: take one with 'kubectl ucp snapshot --app-clusters'".to_owned();
            let of = |cluster: &AppCluster| taken.get(&cluster.name, &cluster.server().unwrap_or_default(), missing);
            makers.iter().map(|maker| leads_to(maker).map(|cluster| (cluster, of(cluster)))).collect()
        }
        None => {
            let read = |cluster| {
                let access = args.access.way(cluster, state.moment)?;
                remote::read(access, context.globals.connection.request_timeout, &query).map(Arc::new)
            };
            side_by_side(&makers, MOST_CLUSTERS, |maker| {
                leads_to(maker).map(|cluster| (cluster, read(cluster).map_err(|error| error.message())))
            })
        }
    };
    for (maker, answer) in makers.iter().zip(answers) {
        match answer {
            None => lost(&maker.name, "nothing here leads to it".to_owned()),
            Some((cluster, Ok(contents))) => {
                remains.extend(teardown::remains::of(&cluster.name, maker, &contents));
                let missing = contents.unreadable.iter();
                missing.for_each(|entry| lost(&cluster.name, format!("{}: {}", entry.what, entry.reason)));
            }
            Some((cluster, Err(reason))) => lost(&cluster.name, scrub(&reason).into_owned()),
        }
    }
    Ok((remains, unread))
}

/// The one object that a person means.
fn find(context: &Context, state: &ClusterState, text: &str) -> Result<NodeId> {
    let Some((kind, name)) = text.split_once('/').filter(|(kind, name)| !kind.is_empty() && !name.is_empty()) else {
        return Err(Error::usage(format!("'{text}' is not KIND/NAME")));
    };
    let namespace = context.globals.scope.namespace.as_deref();
    let found: Vec<NodeId> = (state.resources.iter().enumerate())
        .filter(|(_, resource)| resource.kind.is_called(kind) && resource.metadata.name == name)
        .filter(|(_, resource)| {
            let own = resource.metadata.namespace.as_deref();
            namespace.is_none() || own.is_none() || own == namespace
        })
        .map(|(node, _)| node)
        .collect();
    match found.as_slice() {
        [one] => Ok(*one),
        [] if !state.kinds.iter().any(|known| known.is_called(kind)) => {
            Err(Error::failed(anyhow!("no kind that an engine looks after is called '{kind}'"))
                .hint("an object of another kind has nothing outside: kubectl delete"))
        }
        [] => Err(Error::failed(anyhow!("{kind} '{name}' does not exist"))),
        several => {
            let names: Vec<_> = several.iter().map(|node| state.resources[*node].name().to_string()).collect();
            Err(Error::usage(format!("'{text}' are {}", words::some(&names, 3)))
                .hint("name one: KIND.GROUP/NAME and -n NAMESPACE"))
        }
    }
}
