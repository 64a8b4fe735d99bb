//! `kubectl ucp secrets sync`

use super::list::show;
use super::look::{LookArgs, SecretsLook, look, look_again};
use crate::cli::Context;
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights};
use crate::cli::spec::{CommandSpec, SNAPSHOTS_OF_APPS, always};
use crate::render::{self, OutputFormat, words};
use crate::report::distribution::{ExecutedSteps, SecretDistribution, WriteProgress};
use ucp_client::source::live::api::Api;
use ucp_client::source::{kubeconfig, live};
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::model::apply::ConflictPolicy;
use ucp_features::distribution::sync::live::{CoreAccess, carry_out};
use ucp_features::distribution::sync::{
    self, PoorerSourcePolicy, PrunePolicy, SyncAction, SyncConsent, SyncOperation, SyncScope, SyncStep, manifest,
};
use ucp_features::distribution::{CopyRow, CopyState};

/// Copy Secrets of the core cluster to where app clusters need them
///
/// Shows what would be written, asks, writes by server-side apply, and compares again. Without NAME, only declared Secrets
/// are written: a Secret that is referenced but not declared must be named. A copy that may be the last
/// one of a password is kept. Only values are copied, with annotations of this tool: no owner references, tracking marks or types. A second run writes nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp secrets sync --dry-run
  kubectl ucp secrets sync --app-cluster gcp-k8s-stage --yes
  kubectl ucp secrets sync orders-conn --app-cluster gcp-k8s-prod
  kubectl ucp secrets sync --prune
  kubectl ucp secrets sync --watch
  kubectl ucp secrets sync --watch --print-rbac

Exit codes: 0 all are OK now; 1 some are not OK or were refused; 2 usage; 3 failed; 4 some are unknown; 130 canceled.")]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) look: LookArgs,
    /// Take over values that another field manager owns
    #[arg(long, hide_short_help = true)]
    force_conflicts: bool,
    /// Replace a copy even if its source has fewer keys: the copy may be the last one of a password
    #[arg(long)]
    allow_poorer: bool,
    /// Delete copies of this tool that nothing declares or refers to any more
    #[arg(long)]
    prune: bool,
    /// Delete them even if your rights do not include some kinds that may use a copy
    #[arg(long, requires = "prune")]
    allow_unchecked: bool,
    /// Show the plan and change nothing; with -o yaml, the manifests without their values
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
    /// Keep running: write declared Secrets, and again whenever a Secret or a declaration changes, without asking
    ///
    /// Without NAME, Secrets are read and watched by name, where declarations name them: see --print-rbac.
    #[arg(long, conflicts_with_all = ["dry_run", "force_conflicts", "allow_poorer", "allow_unchecked"])]
    pub(super) watch: bool,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    dependent: &[SNAPSHOTS_OF_APPS],
    roles: &[always(&["kubectl-ucp-secrets-credentials", "kubectl-ucp-secrets-sync", "kubectl-ucp-secrets-sync-app"])],
    followed: &["kubectl-ucp-clusters", "kubectl-ucp-clusters-secrets", "kubectl-ucp-secrets-app"],
    ..CommandSpec::new("secrets sync", &[Cluster, Namespace, Output, Rights])
};

impl Args {
    /// Returns true if Secrets are read by the names in declarations, and no others are read.
    pub(super) fn is_by_name(&self) -> bool {
        self.watch && self.look.names.is_empty()
    }

    /// Checks combinations of flags.
    ///
    /// # Errors
    /// Fails when the flags need undeclared copies, which are not read by name.
    pub(super) fn check(&self) -> Result<()> {
        match self.prune && self.is_by_name() {
            true => Err(Error::usage("--watch --prune requires NAME: without it, only declared Secrets are read")
                .hint("'kubectl ucp secrets sync --prune' deletes copies that nothing declares any more")),
            false => Ok(()),
        }
    }

    /// Returns the arguments for a look of `--watch`.
    pub(super) fn watch_args(&self) -> LookArgs {
        let look = self.look.declared_only();
        if self.prune { look.for_deletion() } else { look }
    }

    pub(super) fn consent(&self) -> SyncConsent {
        SyncConsent {
            scope: if self.look.names.is_empty() { SyncScope::Declared } else { SyncScope::Named },
            conflicts: if self.force_conflicts { ConflictPolicy::Force } else { ConflictPolicy::Respect },
            poorer: if self.allow_poorer { PoorerSourcePolicy::Replaced } else { PoorerSourcePolicy::Kept },
            prune: match (self.prune, self.allow_unchecked) {
                (false, _) => PrunePolicy::Never,
                (true, false) => PrunePolicy::Orphaned,
                (true, true) => PrunePolicy::OrphanedAmongReadable,
            },
        }
    }
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let look_args = if args.prune { args.look.for_deletion() } else { args.look.for_copies() };
    let seen = look(context, &look_args)?;
    check_rows(&seen, &look_args.names)?;
    let steps = sync::plan(&seen.core, &seen.apps, &seen.rows, args.consent());
    let mut report = seen.report();
    report.add_plan(&steps);
    let writes = steps.iter().filter(|step| step.action.writes()).count();
    if writes > 0 {
        check_core_id(&seen, "secrets sync")?;
    }
    if args.dry_run || writes == 0 {
        if args.dry_run && context.globals.output.output == OutputFormat::Yaml {
            context.ui.data(&manifests(&seen, &steps)?)?;
        } else {
            show(context, &report)?;
        }
        context.ui.message(match (args.dry_run, writes) {
            (true, _) => "Dry run: nothing was written.",
            (false, _) => "Nothing to write.",
        });
        // No Secrets on a cluster without an engine is more likely the wrong cluster.
        if let Some(nothing) = context.nothing_to_check(&seen.state).filter(|_| report.items.is_empty()) {
            context.ui.warn(&nothing.reason);
            return Ok(Outcome::Incomplete);
        }
        return Ok(outcome(&report, &steps));
    }
    context.confirm_plan(&report, &format!("Write {}?", words::count(writes, "Secrets")), args.yes)?;
    let outcomes = write(context, args, &seen, &steps)?;
    let again = look_again(context, &look_args)?;
    let mut after = again.report();
    let done = results_by_secret(&seen, &steps, outcomes);
    let failed = after.add_results(&done);
    after.add_deleted(report, &done);
    show(context, &after)?;
    if failed > 0 {
        return Err(Error::failed(format!("{} could not be written", words::count(failed, "Secrets")))
            .hint("the others were written; fix the cause and run the command again"));
    }
    Ok(outcome(&after, &steps))
}

/// Fails when no app cluster needs a named Secret, since a mistyped name would report no problem.
fn check_rows(seen: &SecretsLook, names: &[String]) -> Result<()> {
    match names.iter().find(|name| !seen.rows.iter().any(|row| row.is_called(name))) {
        None => Ok(()),
        Some(name) => Err(Error::absent(format!(
            "nothing declares or refers to a copy of Secret '{name}', and no app cluster has one"
        ))
        .hint("'kubectl ucp secrets' lists what app clusters need")),
    }
}

/// Fails when the core cluster has no ID, which copies record as their origin.
pub(super) fn check_core_id(seen: &SecretsLook, command: &str) -> Result<()> {
    if seen.core.id.is_some() {
        return Ok(());
    }
    Err(Error::failed("the core cluster cannot be identified: its namespace kube-system was not read")
        .hint(format!("'kubectl ucp {command} --print-rbac' prints the required rights")))
}

/// Returns the results, by cluster and Secret.
pub(super) fn results_by_secret(
    seen: &SecretsLook,
    steps: &[SyncStep],
    written: Vec<sync::live::WriteOutcome>,
) -> ExecutedSteps {
    let key = |row: &CopyRow| (row.cluster.clone(), row.target.clone());
    seen.rows
        .iter()
        .zip(steps.iter().zip(written))
        .map(|(row, (step, outcome))| (key(row), (step.clone(), outcome)))
        .collect()
}

pub(super) fn write(
    context: &Context,
    args: &Args,
    seen: &SecretsLook,
    steps: &[SyncStep],
) -> Result<Vec<sync::live::WriteOutcome>> {
    let flags = &context.globals.connection;
    let ways = args.look.reach.ways(context, &seen.state)?;
    let progress = context.ui.progress("writing Secrets");
    let written = live::runtime()?.block_on(async {
        let api = Api::connect(&kubeconfig::load(flags)?, flags.request_timeout)?;
        let core = CoreAccess { api: &api, read: &seen.state.resources, declaring: &seen.core.declarations.kinds };
        Ok::<_, Error>(carry_out(&core, &seen.inventory, &ways, steps).await)
    });
    drop(progress);
    written
}

/// Returns the manifests that would be applied, without values.
fn manifests(seen: &SecretsLook, steps: &[SyncStep]) -> Result<String> {
    let mut text = String::new();
    for (row, step) in seen.rows.iter().zip(steps) {
        let Some(write) = step.write().filter(|_| matches!(step.action, SyncAction::Create | SyncAction::Update))
        else {
            continue;
        };
        let write = write.value();
        let source = seen.core.sources.facts(&write.mark.source);
        let all = || source.map(|facts| facts.values.keys().cloned().collect()).unwrap_or_default();
        let keys: Vec<String> = write.keys.as_ref().map_or_else(all, |keys| keys.keys().cloned().collect());
        text.push_str(&format!("---\n# In cluster {}\n", ucp_core::model::text::one_line(&row.cluster)));
        text.push_str(&render::yaml(&manifest::redacted(write, keys))?);
    }
    Ok(text)
}

/// Returns the outcome. Refused copies are findings, and so are written copies that are not OK. Copies that were not to
/// be written are findings of `verify`.
fn outcome(report: &SecretDistribution, steps: &[SyncStep]) -> Outcome {
    let is_refused =
        |step: &&SyncStep| step.action == SyncAction::Refuse && !matches!(step.deed, SyncOperation::Ungrounded);
    let refused = steps.iter().filter(is_refused).count();
    let is_ungrounded = steps.iter().any(|step| matches!(step.deed, SyncOperation::Ungrounded));
    let unknown = report.items.iter().filter(|item| item.state == CopyState::Unknown).count();
    let is_bad = report.items.iter().any(|item| item.course == Some(WriteProgress::Done) && !item.is_well());
    match (is_bad || refused > unknown, is_ungrounded || report.is_incomplete()) {
        (true, _) => Outcome::Findings,
        (false, true) => Outcome::Incomplete,
        (false, false) => Outcome::Clean,
    }
}
