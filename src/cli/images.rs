//! `kubectl ucp images`

use std::collections::BTreeSet;

use crate::cli::Context;
use crate::cli::checkout::RepositoryArgs;
use crate::cli::reading::outcome;
use crate::error::{Outcome, Result};
use crate::promote::matrix::matrix;
use crate::promote::policy::{Downgrades, MutableTags, Policy};
use crate::promote::running::Running;

/// Show which image versions each environment declares and runs
///
/// Reads the kustomizations of a Git repository as kustomize builds them: through bases, components, patches and images.
/// With a cluster or a snapshot it says what runs too: as Argo CD sees it, or as the workloads say that Flux applied.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp images
  kubectl ucp images echo-server -o markdown
  kubectl ucp images --context core
  kubectl ucp images --explain

The file .ucp.yaml at the top of the repository, where there is one, says better what is detected:
  environments: [dev, stage, prod]             columns, in order of promotion
  flow: {dev: [stage], stage: [prod]}          where versions may go
  paths: ['{service}/overlays/{environment}']  where overlays are
  ignore: [load-test]                          services to leave out
  promote:                                     what moves besides images
  - file: version.yml                          as seen from the overlay
  - file: /charts/{service}/values-{environment}.yaml   from the top
    paths: [image.tag]                         only these values of it
  verify: {context: core, soak: 30m}           promote --verify by default

Exit codes: 0 done; 2 usage; 3 failed; 4 some overlays cannot be built.")]
pub(super) struct Args {
    /// Only these services
    #[arg(value_name = "SERVICE")]
    services: Vec<String>,
    /// Ask the cluster what runs; implied by --from, --context, --kubeconfig and --server
    #[arg(long)]
    running: bool,
    /// Say how services and environments were found
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    repository: RepositoryArgs,
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let checkout = args.repository.open(&context.ui)?;
    let survey = checkout.survey(&checkout.top)?;
    survey.check([], args.services.iter().map(String::as_str))?;
    let running = if args.running || context.names_a_cluster() { Some(context.running()?) } else { None };
    let remotes = checkout.remotes()?;
    let services: BTreeSet<String> = args.services.iter().cloned().collect();
    let policy = Policy { downgrades: Downgrades::Refused, mutable_tags: MutableTags::Refused };
    let running = running.as_ref().map(|running| (running, remotes.as_slice()));
    let mut matrix = survey.with_facts(policy, |facts| matrix(facts, &services, running));
    matrix.source.path.clone_from(&checkout.shown);
    if args.explain {
        matrix.discovery = Some(survey.discovery.clone());
    }
    context.print(&matrix)?;
    context.warn_of_unreadable(&matrix.unreadable);
    if survey.discovery.overlays.is_empty() {
        context.ui.message(
            "No overlays found; 'kubectl ucp images --explain' says what was seen, and .ucp.yaml can name them.",
        );
    }
    Ok(outcome(&matrix.unreadable))
}

impl Context {
    /// Whether the command line says which cluster or snapshot to look at.
    pub(super) fn names_a_cluster(&self) -> bool {
        let connection = &self.globals.connection;
        connection.from.is_some()
            || connection.context.is_some()
            || connection.kubeconfig.is_some()
            || connection.server.is_some()
            || connection.cluster.is_some()
    }

    /// Reads what deploys from Git in the cluster.
    ///
    /// # Errors
    /// When they cannot be read, in whole or in part: what is not seen may run anything.
    pub(super) fn running(&self) -> Result<Running> {
        let state = self.read(&Running::want)?;
        let Some(first) = state.unreadable.first() else { return Ok(Running::of(&state)) };
        let message = format!("cannot read {}: {}", first.what, first.reason);
        Err(self.failed_to_read(message, &state.unreadable))
    }
}
