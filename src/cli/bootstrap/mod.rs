//! `kubectl ucp bootstrap`

mod look;

use std::path::PathBuf;
use std::time::Duration;

use crate::bootstrap::Action;
use crate::cli::Context;
use crate::cli::app_clusters::AppClusterArgs;
use crate::error::{Outcome, Result};
use crate::model::apply::Conflicts;
use crate::model::time::parse_duration;
use crate::render::{Format, yaml};
use crate::report::bootstrap::BootstrapPlan;

use look::Look;

/// Show what an empty cluster lacks to become the core cluster of a repository
///
/// Reads a checkout of the platform repository: what installs Argo CD or Flux, the root Applications or Kustomizations,
/// and everything that these deploy, Crossplane, its providers and their credentials among it. Compares that with the
/// cluster, and shows what lacks, in the order in which it has to come.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp bootstrap --dry-run
  kubectl ucp bootstrap clusters/core --dry-run -o json
  kubectl ucp bootstrap platform --repo-url https://git.example.org/platform.git --dry-run

Exit codes: 0 done; 2 usage; 3 failed; 4 some of it could not be read.")]
pub(super) struct Args {
    /// A directory or file of the checkout; the current directory by default
    #[arg(value_name = "PATH", default_value = ".", hide_default_value = true)]
    path: PathBuf,
    /// The repository URL that Applications and Kustomizations use, if no remote has it
    #[arg(long, value_name = "URL")]
    repo_url: Option<String>,
    /// Time limit for each renderer
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "2m")]
    render_timeout: Duration,
    /// Show the plan and change nothing; with -o yaml, the manifests without the Secrets
    #[arg(long, required = true)]
    dry_run: bool,
    /// Take over fields that others manage
    #[arg(long)]
    force_conflicts: bool,
    #[command(flatten)]
    access: AppClusterArgs,
}

impl Args {
    fn conflicts(&self) -> Conflicts {
        if self.force_conflicts { Conflicts::Force } else { Conflicts::Respect }
    }
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let look = Look::at(context, args)?;
    let report = look.report();
    if args.dry_run && context.globals.output.output == Format::Yaml {
        context.ui.data(&manifests(&look)?)?;
        context.warn_of_unreadable(&report.unreadable);
    } else {
        context.print(&report)?;
    }
    context.hint_at_rights(&report.unreadable);
    context.ui.message("Dry run: nothing was written.");
    Ok(outcome(&report))
}

fn outcome(report: &BootstrapPlan) -> Outcome {
    if report.unreadable.is_empty() { Outcome::Clean } else { Outcome::Incomplete }
}

/// What would be applied, without Secrets: nobody has been asked for them.
fn manifests(look: &Look) -> Result<String> {
    let mut text = String::new();
    for (wanted, step) in look.to_apply() {
        if matches!(step.action, Action::Create | Action::Update) {
            text.push_str(&format!(
                "---\n# from {}\n{}",
                crate::model::text::one_line(&wanted.from),
                yaml(&wanted.manifest)?
            ));
        }
    }
    Ok(text)
}
