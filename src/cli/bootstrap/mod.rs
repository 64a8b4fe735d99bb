//! `kubectl ucp bootstrap`

mod adopter;
mod answers;
mod carry_out;
mod completion;
mod deferred;
mod follow;
mod hub;
mod look;
mod rehearse;

use std::path::PathBuf;
use std::time::Duration;

use crate::cli::Context;
use crate::cli::app_clusters::AppClusterArgs;
use crate::cli::missing::interaction_mode;
use crate::cli::reading::outcome;
use crate::cli::rendering::RenderArgs;
use crate::cli::spec::FlagGroup::{Cluster, Output, Rights, Snapshot};
use crate::cli::spec::{CommandSpec, ENGINE_NAMESPACES, HAZARDS, always, groups_only_with, only_without};
use crate::render::{OutputFormat, words, yaml};
use crate::report::adoption::AdoptionState;
use crate::report::bootstrap::BootstrapPlan;
use crate::report::wait::WaitOutcome;
use ucp_core::error::{Outcome, Result};
use ucp_core::model::apply::ConflictPolicy;
use ucp_core::model::text::one_line;
use ucp_core::model::time::{human_duration, parse_duration};
use ucp_features::bootstrap::BootstrapAction;
use ucp_features::bootstrap::desire::namespace;

use adopter::AppClusterAdoptions;
use answers::SecretArgs;
use carry_out::carry_out;
use follow::{BootstrapResult, BootstrapWait, follow};
use look::BootstrapComparison;

/// Turn an empty cluster into the core cluster of a repository
///
/// Reads a checkout of the platform repository: the files that install Argo CD or Flux, the root Applications or
/// Kustomizations, and everything that these deploy, including Crossplane, its providers and their
/// credentials. Compares this with the cluster, shows what is missing, in order and with the reasons,
/// and asks for confirmation. Applies the objects that no engine deploys, with server-side apply; asks for Secrets that nothing declares; waits until everything is OK; adopts app clusters as they
/// appear, as adopt-cluster does; and ends with doctor and status.
///
/// If it is interrupted, a second run completes it. A run on a finished cluster writes nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp bootstrap --dry-run
  kubectl ucp bootstrap
  kubectl ucp bootstrap clusters/core --yes \\
    --secret-file crossplane-system/gcp-creds=key.json
  pass gcp-key | kubectl ucp bootstrap --yes \\
    --secret-file crossplane-system/gcp-creds=-
  kubectl ucp bootstrap --dry-run -o json
  kubectl ucp bootstrap --rehearse --from last-night.tar.gz

Exit codes: 0 everything is OK; 1 something cannot become OK, doctor found an error,
or the cluster is the hub of another repository; 2 usage; 3 failed; 4 timed out, or something could not be read;
130 canceled. --rehearse: 1 something would be lost, orphaned or duplicated.")]
pub(super) struct Args {
    /// A directory or file of the checkout; the current directory by default
    #[arg(value_name = "PATH", default_value = ".", hide_default_value = true)]
    path: PathBuf,
    /// The repository URL that Applications and Kustomizations use, if it is not the URL of a remote
    #[arg(long, value_name = "URL", hide_short_help = true)]
    repo_url: Option<String>,
    #[command(flatten)]
    rendering: RenderArgs,
    /// How long to wait until everything is OK; 0 checks once
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "60m")]
    timeout: Duration,
    /// Show the plan and change nothing; with -o yaml, the manifests without the Secrets
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Show what could not be restored from Git alone if this cluster, or the cluster of a snapshot, were lost
    #[arg(long, conflicts_with_all = ["yes", "dry_run", "force_conflicts"])]
    rehearse: bool,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
    /// Take over fields that others manage
    #[arg(long, hide_short_help = true)]
    force_conflicts: bool,
    /// Write to this hub although its roots come from another repository, or it has undeclared objects
    ///
    /// NAME is the name in the error message: the context of the cluster. Another name is refused.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["dry_run", "rehearse"], hide_short_help = true)]
    hub: Option<String>,
    #[command(flatten)]
    secrets: SecretArgs,
    #[command(flatten)]
    access: AppClusterArgs,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    dependent: &[
        only_without(ENGINE_NAMESPACES, "rehearse"),
        groups_only_with(&[Snapshot], &["rehearse"]),
        // A rehearsal asks for nothing, waits for nothing, and adopts nothing.
        only_without(&["secret_file", "secret_env", "timeout"], "rehearse"),
        only_without(HAZARDS, "rehearse"),
    ],
    roles: &[always(&["kubectl-ucp-bootstrap"])],
    ..CommandSpec::new("bootstrap", &[Cluster, Snapshot, Output, Rights])
};

impl Args {
    fn conflicts(&self) -> ConflictPolicy {
        if self.force_conflicts { ConflictPolicy::Force } else { ConflictPolicy::Respect }
    }
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    if args.rehearse {
        return rehearse::run(context, args);
    }
    let look = BootstrapComparison::at(context, args)?;
    let mut report = look.report();
    if args.dry_run {
        return dry_run(context, &look, &report);
    }
    if !report.unreadable.is_empty() {
        context.print(&report)?;
        context.hint_at_rights(&report.unreadable);
        context.ui.message("Nothing was written, because something could not be read.");
        return Ok(Outcome::Incomplete);
    }
    warn_of_unnamed(context, &look);
    look.completion.uncertain().iter().for_each(|reason| context.ui.warn(reason));
    hub::confirm_hub(context, args, &look)?;
    let (writes, adopted) = (report.write_count(), look.to_adopt());
    let settled =
        args.secrets.resolve_sources(&look.desire.demands, &look.steps, interaction_mode(context, args.yes))?;
    if writes == 0 {
        context.ui.message("Nothing to write.");
    }
    if writes > 0 || !adopted.is_empty() {
        context.confirm_plan(&report, &question(writes, adopted.len()), args.yes)?;
        let answers = settled.read(context)?;
        carry_out(context, &look, &answers, args.conflicts())?;
    }
    if report.deferred_count() > 0 {
        let objects = words::count(report.deferred_count(), "objects");
        context.ui.message(&format!("{objects} will be applied as soon as the cluster has the kind."));
    }
    let followed = follow(context, args, &look)?;
    let ended = report_end(context, args, &look, &followed);
    if is_for_people(&context.globals.output.output) {
        return finish(context, &followed, ended);
    }
    // Programs get one document, with the current state.
    report = BootstrapComparison::at(context, args)?.report();
    let doctor = super::doctor::outcome(&super::doctor::examine(context, &super::defaults()?)?);
    report.findings = followed.awaited.finished().map(|waited| waited.result.findings.clone()).unwrap_or_default();
    context.print(&report)?;
    Ok(if ended == Outcome::Clean { doctor.max(outcome(&report.unreadable)) } else { ended })
}

fn question(writes: usize, adopted: usize) -> String {
    let clusters = || format!("adopt {}", words::count(adopted, "app clusters"));
    match (writes, adopted) {
        (0, _) => format!("{}?", clusters().replacen('a', "A", 1)),
        (_, 0) => format!("Write {}?", words::count(writes, "objects")),
        _ => format!("Write {}, and {}?", words::count(writes, "objects"), clusters()),
    }
}

fn dry_run(context: &Context, look: &BootstrapComparison, report: &BootstrapPlan) -> Result<Outcome> {
    if context.globals.output.output == OutputFormat::Yaml {
        context.ui.data(&manifests(look)?)?;
        context.warn_of_unreadable(&report.unreadable);
    } else {
        context.print(report)?;
    }
    context.hint_at_rights(&report.unreadable);
    let unnamed = warn_of_unnamed(context, look);
    look.completion.uncertain().iter().for_each(|reason| context.ui.warn(reason));
    let hub = hub::warn_of_blockers(context, look);
    context.ui.message("Dry run: nothing was written.");
    Ok(outcome(&report.unreadable).max(unnamed).max(hub))
}

/// Warns of objects that are left out, since only the cluster knows their names.
fn warn_of_unnamed(context: &Context, look: &BootstrapComparison) -> Outcome {
    if look.desire.unnamed.is_empty() {
        return Outcome::Clean;
    }
    let names: Vec<String> = look.desire.unnamed.iter().map(words::object).collect();
    let names = words::join_limited(&names, 5);
    let reason = "because their names contain variables of the cluster";
    context.ui.warn(&format!("skipped, {reason}: {names}"));
    Outcome::Incomplete
}

/// Warns of objects that were not applied, reached, or adopted, and returns the outcome of the command.
fn report_end(context: &Context, args: &Args, look: &BootstrapComparison, followed: &BootstrapResult<'_>) -> Outcome {
    let unnamed = warn_of_unnamed(context, look);
    for (wanted, reason) in &followed.left {
        context.ui.warn(&format!("{} was not applied: {reason}", words::object(&wanted.object)));
    }
    let left = if followed.left.is_empty() { Outcome::Clean } else { Outcome::Incomplete };
    let left = left.max(unnamed);
    wait_outcome(context, args, &followed.awaited).max(adoption_outcome(context, args, look, followed)).max(left)
}

/// Returns `Clean` if every app cluster to adopt is registered now.
fn adoption_outcome(
    context: &Context,
    args: &Args,
    look: &BootstrapComparison,
    followed: &BootstrapResult<'_>,
) -> Outcome {
    let items = match &followed.app_clusters {
        AppClusterAdoptions::Unwanted => return Outcome::Clean,
        AppClusterAdoptions::Unread(reason) => {
            context.ui.warn(&format!("app clusters were not adopted: {reason}"));
            return Outcome::Incomplete;
        }
        AppClusterAdoptions::Looked(items) => items,
    };
    let (registered, unread) = look::registered_clusters(context, args, &look.desire);
    context.warn_of_unreadable(&unread);
    let mut worst = outcome(&unread);
    for name in look.to_adopt().into_iter().filter(|name| !registered.contains(*name)) {
        let item = items.iter().find(|item| item.cluster == name);
        let reason = item.and_then(|item| item.reason.as_deref()).unwrap_or("it has no credentials yet");
        context.ui.warn(&format!("app cluster {} was not adopted: {reason}", one_line(name)));
        let is_failed = item.is_some_and(|item| item.state == AdoptionState::Failed);
        worst = worst.max(if is_failed { Outcome::Findings } else { Outcome::Incomplete });
    }
    worst
}

fn wait_outcome(context: &Context, args: &Args, awaited: &BootstrapWait) -> Outcome {
    let waited = match awaited {
        BootstrapWait::Nothing => return Outcome::Clean,
        BootstrapWait::Unanswered => {
            context.ui.error("error: the server did not respond in time; run the command again to continue waiting");
            return Outcome::Incomplete;
        }
        BootstrapWait::Over(waited) => waited,
    };
    let open = waited.result.items.iter().filter(|item| !item.reached).count();
    let total = waited.result.items.len();
    match waited.result.outcome {
        WaitOutcome::Reached => {
            context.ui.message(&format!("All {total} objects are OK."));
            Outcome::Clean
        }
        WaitOutcome::Failed => {
            context
                .ui
                .error(&format!("error: {open} of {total} objects are not OK, and some of them need manual action"));
            Outcome::Findings
        }
        WaitOutcome::Timeout => {
            let limit = human_duration(i64::try_from(args.timeout.as_secs()).unwrap_or(i64::MAX));
            context.ui.error(&format!("error: timed out after {limit}: {open} of {total} objects are not OK; run the command again to continue waiting"));
            Outcome::Incomplete
        }
        WaitOutcome::Unreadable => {
            context.warn_of_unreadable(&waited.denied);
            Outcome::Incomplete
        }
    }
}

/// Ends with the output of `doctor` and `status`, which are the first to run on a new cluster.
fn finish(context: &Context, followed: &BootstrapResult<'_>, ended: Outcome) -> Result<Outcome> {
    if let Some(waited) = followed.awaited.finished().filter(|waited| waited.result.outcome != WaitOutcome::Reached) {
        context.print_and_go_on(&waited.result)?;
    }
    context.ui.data("\n")?;
    let doctor = super::doctor::run(context, &super::defaults()?)?;
    context.ui.data("\n")?;
    let status = super::status::run(context, &super::defaults()?)?;
    // An object that was not OK in time is a finding of both commands too.
    Ok(if ended == Outcome::Clean { doctor.max(status) } else { ended })
}

fn is_for_people(format: &OutputFormat) -> bool {
    matches!(format, OutputFormat::Table | OutputFormat::Wide | OutputFormat::Markdown)
}

/// Returns the manifests that would be applied, without Secrets: the user has not been asked for their values yet, and
/// values from Git are confidential.
fn manifests(look: &BootstrapComparison) -> Result<String> {
    let is_secret = |manifest: &serde_json::Value| manifest["kind"] == "Secret";
    let mut text = String::new();
    let made = look.steps.iter().filter(|step| step.action == BootstrapAction::Create && step.from.is_none());
    for step in made.filter(|step| step.object.kind == "Namespace") {
        text.push_str(&format!("---\n{}", yaml(&namespace(&step.object.name))?));
    }
    for (wanted, step) in look.to_apply() {
        if step.is_written_by_bootstrap() && !is_secret(&wanted.manifest) {
            text.push_str(&format!("---\n# from {}\n", one_line(&wanted.from)));
            // The scope of the kind is not known yet.
            if let Some(home) = wanted.home.as_ref().filter(|_| step.is_deferred() && wanted.object.namespace.is_none())
            {
                text.push_str(&format!("# in namespace {}, if its kind has namespaces\n", one_line(home)));
            }
            text.push_str(&yaml(&wanted.manifest)?);
        }
    }
    Ok(text)
}
