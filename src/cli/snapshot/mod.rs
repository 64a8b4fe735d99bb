//! `kubectl ucp snapshot`

mod diff;
mod serve;
mod take;

use clap::Subcommand;

use crate::cli::Context;
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights};
use crate::cli::spec::{CommandSpec, always};
use ucp_core::error::{Outcome, Result};

/// Save everything that these commands read, without secrets
///
/// Writes an archive (FILE.tar.gz) or a directory, to be read later or elsewhere: every command that reads a cluster also
/// reads a snapshot, with --from FILE. The layout is that of must-gather. An index, ucp-snapshot.yaml, lists the
/// objects, the refused requests with their reasons, and the hidden values. Secret values are replaced before anything is written. 'snapshot
/// diff' shows what changed between two snapshots; 'snapshot serve' is an API server for kubectl and k9s.
///
/// --from also reads OpenShift's must-gather, support bundles of troubleshoot.sh, and 'kubectl cluster-info dump', as
/// directories or archives.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "Examples:
  kubectl ucp snapshot core.tar.gz
  kubectl ucp snapshot core-$(date +%F).tar.gz --app-clusters
  kubectl ucp snapshot --keep 14 /nights
  kubectl ucp status --from core.tar.gz
  kubectl ucp snapshot diff last-night.tar.gz this-morning.tar.gz
  kubectl ucp snapshot serve core.tar.gz -- k9s

Exit codes: 0 done; 1 refused, because the file already exists; 2 usage; 3 failed; 4 written, but something could not be read.
diff: 0 no changes; 1 changes; 4 no changes, but something could not be read. serve: that of its COMMAND.")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<SnapshotAction>,
    #[command(flatten)]
    take: take::Args,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    roles: &[always(&["kubectl-ucp-snapshot"])],
    subcommands: &[&diff::SPEC, &serve::SPEC],
    ..CommandSpec::new("snapshot", &[Cluster, Namespace, Output, Rights])
};

#[derive(Debug, Subcommand)]
enum SnapshotAction {
    Diff(diff::Args),
    Serve(serve::Args),
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    match &args.action {
        Some(SnapshotAction::Diff(args)) => diff::run(context, args),
        Some(SnapshotAction::Serve(args)) => serve::run(context, args),
        None => take::run(context, &args.take),
    }
}
