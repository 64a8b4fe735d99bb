//! The groups of commands that `kubectl ucp` without arguments shows.

use clap::Command;

/// Headings, and the commands below each. Commands that are not in this build are left out.
const GROUPS: &[(&str, &[&str])] = &[
    ("Inspect", &["status", "ui", "resources", "tree", "history", "wait", "images", "clusters", "secrets"]),
    ("Compare", &["drift", "plan", "teardown", "conflicts"]),
    ("Promote", &["promote", "pipeline", "set-version", "set-image"]),
    ("Start", &["new", "import"]),
    ("App clusters", &["adopt-cluster", "release-cluster"]),
    ("Understand", &["explain", "doctor", "snapshot"]),
    ("Set up", &["bootstrap", "completion", "mcp", "options", "version"]),
];

/// The last line of the help.
const SUPPORT: &str = concat!("\n\nProblems and questions: ", env!("CARGO_PKG_REPOSITORY"), "/issues\n");

/// Replaces clap's flat list of commands with the groups.
pub(super) fn grouped(command: Command) -> Command {
    let width = command.get_subcommands().map(|command| command.get_name().len()).max().unwrap_or_default();
    let header = command.get_styles().get_header();
    let literal = command.get_styles().get_literal();
    let mut text = String::new();
    for (heading, names) in GROUPS {
        let members: Vec<_> = names.iter().filter_map(|name| command.find_subcommand(name)).collect();
        if members.is_empty() {
            continue;
        }
        text.push_str(&format!("{header}{heading}:{header:#}\n"));
        for member in members {
            let about = member.get_about().map(ToString::to_string).unwrap_or_default();
            text.push_str(&format!("  {literal}{:width$}{literal:#}  {about}\n", member.get_name()));
        }
        text.push('\n');
    }
    text.push_str(&format!("{header}Options:{header:#}\n"));
    let template =
        format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{text}{{options}}{SUPPORT}{{after-help}}");
    command.help_template(template)
}

/// Places the examples of each command above its flags, and leaves rarely used shared flags to `--help` and `options`.
pub(super) fn with_examples_first(command: Command) -> Command {
    const SHARED: &str =
        "{all-args}\n\n'kubectl ucp options' lists the flags that commands share; --help explains more.\n";
    let command = command.mut_arg("color", |color| color.hide_short_help(true));
    command.mut_subcommands(|below| {
        let head = "{before-help}{about-with-newline}\n{usage-heading} {usage}{after-help}\n\n";
        below.help_template(format!("{head}{SHARED}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        for command in crate::cli::command().get_subcommands().filter(|command| !command.is_hide_set()) {
            let groups = GROUPS.iter().filter(|(_, names)| names.contains(&command.get_name())).count();
            assert_eq!(groups, 1, "{}", command.get_name());
        }
    }
}
