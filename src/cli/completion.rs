//! `kubectl ucp completion`

use std::path::PathBuf;

use clap::Subcommand;
use clap_complete::Shell;

use crate::cli::spec::CommandSpec;
use crate::cli::{Context, command};
use crate::complete::install::{InstalledCompletion, install, planned_link};
use crate::ui::Interaction;
use ucp_core::error::{Error, Outcome, Result};

/// Print completion scripts, or set up `kubectl ucp <TAB>`
///
/// kubectl's shell completion runs a program called kubectl_complete-ucp to complete 'kubectl ucp'. Krew does not
/// install that program; 'completion install' does, and asks first. kubectl's own completion must be loaded, too: see
/// 'kubectl completion --help'. The scripts complete kubectl-ucp, for those who call it by that
/// name.
#[derive(Debug, clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(after_help = "Examples:
  kubectl ucp completion install
  kubectl ucp completion bash
  kubectl ucp completion zsh")]
pub(super) struct Args {
    #[command(subcommand)]
    action: CompletionAction,
}

pub(super) static SPEC: CommandSpec = CommandSpec::new("completion", &[]);

#[derive(Debug, Subcommand)]
enum CompletionAction {
    /// Print the script for bash
    Bash,
    /// Print the script for zsh
    Zsh,
    /// Print the script for fish
    Fish,
    /// Print the script for PowerShell
    #[command(name = "powershell")]
    PowerShell,
    /// Print the script for elvish
    Elvish,
    /// Make `kubectl ucp <TAB>` work: link kubectl_complete-ucp to kubectl-ucp
    Install {
        /// A directory on the PATH; by default the one where kubectl-ucp is
        #[arg(value_name = "DIRECTORY", value_hint = clap::ValueHint::DirPath)]
        directory: Option<PathBuf>,
        /// Do not ask before the link is made
        #[arg(short, long)]
        yes: bool,
    },
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let shell = match &args.action {
        CompletionAction::Bash => Shell::Bash,
        CompletionAction::Zsh => Shell::Zsh,
        CompletionAction::Fish => Shell::Fish,
        CompletionAction::PowerShell => Shell::PowerShell,
        CompletionAction::Elvish => Shell::Elvish,
        CompletionAction::Install { directory, yes } => {
            let place = planned_link(directory.as_deref())?;
            let is_asked = !yes && context.ui.interaction() == Interaction::Person;
            let question =
                format!("Link {} to kubectl-ucp?", ucp_core::model::text::plain(&place.display().to_string()));
            if is_asked && !context.ui.confirm(&question)? {
                return Err(Error::refused("nothing was done"));
            }
            let InstalledCompletion { link, news, is_on_path } = install(directory.as_deref())?;
            context.ui.data(&format!(
                "{} {}\n",
                ucp_core::model::text::plain(&link.display().to_string()),
                news.words()
            ))?;
            if !is_on_path {
                context.ui.warn("this directory is not on the PATH, so kubectl cannot find the link");
            }
            return Ok(Outcome::Clean);
        }
    };
    context.ui.data(&script(shell))?;
    Ok(Outcome::Clean)
}

/// Returns the completion script of a shell for `kubectl-ucp`.
pub fn script(shell: Shell) -> String {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command(), "kubectl-ucp", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}
