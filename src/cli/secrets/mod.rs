//! `kubectl ucp secrets`

mod declare;
pub(super) mod follow;
mod list;
pub(super) mod look;
pub(super) mod reach;
mod rights;
mod sync;
mod verify;
mod watch;

use clap::Subcommand;

use crate::cli::Context;
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights, Several, Snapshot};
use crate::cli::spec::{CommandSpec, SECRETS_ROLES, SNAPSHOTS_OF_APPS, always};
use ucp_core::error::{Outcome, Result};

/// Show whether app clusters have the Secrets that they need
///
/// A database that Crossplane created writes its password to a Secret of the core cluster; the workload that needs it runs in
/// an app cluster. One row for each Secret that is declared for an app cluster (by a Syncer, PushSecret, Object, ManifestSync or
/// Flux), that a pod there refers to, or that is found there: compared with its source, by a keyed hash. Values, hashes and
/// lengths are never shown; differences name keys.
///
/// App clusters are accessed as you: through a context of your kubeconfig for the same server and authority, or --context-map.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  kubectl ucp secrets
  kubectl ucp secrets aws-database-conn --context-map gcp-k8s-prod=prod
  kubectl ucp secrets --from core.tar.gz
  kubectl ucp secrets verify
  kubectl ucp secrets sync --dry-run

Exit codes: 0 shown; 1 with --exit-code or verify: a Secret is not OK; 2 usage; 3 failed; 4 something is unknown.")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<SecretsAction>,
    #[command(flatten)]
    list: list::Args,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    dependent: &[SNAPSHOTS_OF_APPS],
    roles: &[always(SECRETS_ROLES)],
    reads_crossplane: true,
    subcommands: &[&declare::SPEC, &sync::SPEC],
    ..CommandSpec::new("secrets", &[Cluster, Snapshot, Several, Namespace, Output, Rights])
};

#[derive(Debug, Subcommand)]
enum SecretsAction {
    Sync(sync::Args),
    Declare(declare::Args),
    Verify(verify::Args),
}

impl Args {
    /// Returns true if the command prints its own rights.
    pub(super) fn has_own_rights(&self) -> bool {
        matches!(&self.action, Some(SecretsAction::Sync(args)) if args.is_by_name())
    }
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    match &args.action {
        Some(SecretsAction::Sync(args)) if args.is_by_name() && context.globals.output.print_rbac => {
            rights::print(context, args)
        }
        Some(SecretsAction::Sync(args)) if args.watch => watch::run(context, args),
        Some(SecretsAction::Sync(args)) => sync::run(context, args),
        Some(SecretsAction::Declare(args)) => declare::run(context, args),
        Some(SecretsAction::Verify(args)) => verify::run(context, args),
        None => list::run(context, &args.list),
    }
}
