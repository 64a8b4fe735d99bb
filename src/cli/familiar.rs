//! Errors of the command line: each ends with the help of its own command, and commands of kubectl and other tools lead to those
//! of this plugin.

use std::ffi::OsString;
use std::io::Write as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use ucp_core::model::nearest::nearest;
use ucp_core::model::secrecy::scrub;

/// Prints an error of the command line, with the help of the command that was typed.
///
/// # Errors
/// Fails when standard error cannot be written.
pub(super) fn print_error(
    mut error: clap::Error,
    root: &mut clap::Command,
    arguments: &[OsString],
) -> std::io::Result<()> {
    root.build();
    let mut command = typed_command(root, arguments);
    correct(&mut error, &mut command);
    let name = command.get_bin_name().unwrap_or(command.get_name()).to_owned();
    let text = error.render().ansi().to_string();
    let text = text.split("For more information").next().unwrap_or_default().trim_end();
    // A message quotes what was typed; a usage and a help do not.
    let usage = match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => 0,
        _ => text.rfind("Usage:").unwrap_or(text.len()),
    };
    let (message, usage) = text.split_at(usage);
    writeln!(anstream::stderr(), "{}{usage}\n\nSee '{name} --help'.", scrub(message))
}

/// Returns the innermost command that was typed.
fn typed_command(root: &clap::Command, arguments: &[OsString]) -> clap::Command {
    let words = arguments.iter().skip(1).filter_map(|word| word.to_str()).take_while(|word| *word != "--");
    words.fold(root, |command, word| command.find_subcommand(word).unwrap_or(command)).clone()
}

/// Replaces the tip of an error, and a usage line that consists of the tip.
fn correct(error: &mut clap::Error, command: &mut clap::Command) {
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && let Some(tip) = tip(word)
    {
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    if error.kind() == ErrorKind::UnknownArgument {
        let meant = match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(flag)) => {
                let flags = command.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(clap::Arg::get_long);
                nearest(flag.trim_start_matches('-'), flags).map(|flag| format!("--{flag}"))
            }
            _ => None,
        };
        error.remove(ContextKind::SuggestedArg);
        if let Some(meant) = meant {
            error.insert(ContextKind::SuggestedArg, ContextValue::String(meant));
        }
    }
    if error.get(ContextKind::Usage).is_some() {
        error.insert(ContextKind::Usage, ContextValue::StyledStr(command.render_usage()));
    }
}

fn tip(word: &str) -> Option<&'static str> {
    Some(match word {
        "get" | "list" | "ls" => "'kubectl ucp resources [KIND[/NAME]]' lists resources with a verdict and its cause",
        "describe" | "trace" => "'kubectl ucp tree KIND/NAME' shows an object with everything it depends on",
        "top" | "health" | "check" => "'kubectl ucp status' shows what to fix first",
        "render" | "preview" | "apply" => "'kubectl ucp plan PATH' shows what merging a checkout would change",
        "events" | "rollout" => "'kubectl ucp history [KIND/NAME]' shows what happened, when, and by whom",
        "logs" => "'kubectl ucp history KIND/NAME' shows events and restarts; 'kubectl logs' prints the log of a Pod",
        "edit" | "set" | "bump" => "'kubectl ucp set-version ENVIRONMENT NAME=VERSION' sets a version in Git",
        "watch" | "monitor" => "'kubectl ucp status --watch' and 'kubectl ucp ui' follow the cluster",
        "delete" | "rm" => "'kubectl ucp teardown KIND/NAME' shows the effects of a deletion",
        "adopt" => "'kubectl ucp adopt-cluster NAME' registers an app cluster",
        "release" => "'kubectl ucp release-cluster NAME' removes the registration of an app cluster",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kubectl_command_gets_a_suggestion_for_the_equivalent_command() {
        let printed = |word: &str| {
            let mut error = crate::cli::command().try_get_matches_from(["kubectl-ucp", word]).expect_err(word);
            correct(&mut error, &mut crate::cli::command());
            assert_eq!(error.exit_code(), 2);
            error.render().to_string()
        };
        let expected = [
            ("get", "resources"),
            ("ls", "resources"),
            ("describe", "tree"),
            ("trace", "tree"),
            ("events", "history"),
            ("edit", "set-version"),
            ("watch", "status"),
        ];
        for (word, command) in expected {
            assert!(printed(word).contains(&format!("kubectl ucp {command} ")), "{}", printed(word));
        }
        assert!(printed("top").contains("kubectl ucp status"));
        assert_eq!(tip("frobnicate"), None);
    }
}
