//! `kubectl ucp teardown`

use anyhow::anyhow;

use crate::cli::Context;
use crate::cli::reading::PatienceArgs;
use crate::engine;
use crate::error::{Error, Outcome, Result};
use crate::graph::NodeId;
use crate::model::state::ClusterState;
use crate::render::words;
use crate::report::teardown::TeardownPlan;
use crate::teardown::{self, Target};

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

Exit codes: 0 all would go; 1 something would be orphaned or stuck; 2 usage;
3 failed; 4 all would go, as far as could be read.")]
pub(super) struct Args {
    /// What is to go; KIND may be plural, short, or KIND.GROUP
    #[arg(value_name = "KIND/NAME", required_unless_present = "all", conflicts_with = "all")]
    objects: Vec<String>,
    /// The whole core cluster
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    patience: PatienceArgs,
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
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
    let report = TeardownPlan::of(&state, teardown::plan(&state, &assessment, &target));
    context.print(&report)?;
    context.hint_at_rights(&report.unreadable);
    Ok(match (report.has_trouble(), report.unreadable.is_empty()) {
        (true, _) => Outcome::Findings,
        (false, false) => Outcome::Incomplete,
        (false, true) => Outcome::Clean,
    })
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
