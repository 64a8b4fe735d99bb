//! `kubectl ucp conflicts`

use std::path::PathBuf;

use crate::cli::Context;
use crate::conflict;
use crate::error::{Error, Outcome, Result};
use crate::model::state::ClusterState;
use crate::report::conflicts::ConflictList;
use crate::source::{self, ConnectionArgs, Query};
use crate::ui::progress::Progress;

/// Find external resources that several objects claim
///
/// Two managed resources, of one engine or of two, in one core cluster or in several, that stand for one thing outside: each
/// undoes what the other does, and deleting one may delete it for both. What has the cloud's own name is certain; what is
/// alike as far as can be seen, or carries somebody else's tags, is suspected. Objects that only observe are in nobody's way.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp conflicts
  kubectl ucp conflicts --contexts core-blue,core-green
  kubectl ucp conflicts --from blue.tar.gz --from green.tar.gz

Exit codes: 0 none; 1 conflicts, suspected ones too; 2 usage; 3 failed; 4 none in what could be read.")]
pub(super) struct Args {
    /// Read a snapshot instead of a cluster; several are several core clusters
    #[arg(id = "from", long = "from", value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    #[arg(help_heading = "Where state comes from")]
    from: Vec<PathBuf>,
    /// The kubeconfig contexts of several core clusters
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with_all = ["from", "context"])]
    #[arg(help_heading = "Where state comes from")]
    contexts: Vec<String>,
    /// Leave out what is only suspected
    #[arg(long)]
    certain: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let states = sources(context, args).iter().map(|flags| read(context, flags)).collect::<Result<Vec<_>>>()?;
    states.iter().flat_map(|state| &state.notes).for_each(|note| context.ui.warn(note));
    let mut conflicts = conflict::find(&states);
    if args.certain {
        conflicts.retain(|conflict| conflict.certainty == crate::model::comparison::Certainty::Certain);
    }
    let list = ConflictList::of(&states, conflicts);
    context.print(&list)?;
    let unreadable: Vec<_> = list.unreadable.iter().map(|entry| entry.entry.clone()).collect();
    context.hint_at_rights(&unreadable);
    Ok(match (list.items.is_empty(), unreadable.is_empty()) {
        (false, _) => Outcome::Findings,
        (true, false) => Outcome::Incomplete,
        (true, true) => Outcome::Clean,
    })
}

/// The flags for each cluster or snapshot.
fn sources(context: &Context, args: &Args) -> Vec<ConnectionArgs> {
    let flags = &context.globals.connection;
    if !args.from.is_empty() {
        return args.from.iter().map(|path| ConnectionArgs { from: Some(path.clone()), ..flags.clone() }).collect();
    }
    if args.contexts.is_empty() {
        return vec![flags.clone()];
    }
    args.contexts.iter().map(|name| ConnectionArgs { context: Some(name.clone()), ..flags.clone() }).collect()
}

fn read(context: &Context, flags: &ConnectionArgs) -> Result<ClusterState, Error> {
    let progress = match flags.from {
        None => context.ui.progress("reading kinds"),
        Some(_) => Progress::hidden(),
    };
    let show = |done, total| progress.show(done, total);
    let namespace = context.globals.scope.namespace.as_deref();
    source::read(flags, &Query { want: &conflict::want, namespace, progress: &show })
}
