//! The groups of commands that `kubectl ucp` without arguments shows.

use clap::Command;

use super::GROUPS;

/// The last line of the help.
const SUPPORT: &str = concat!("\n\nProblems and questions: ", env!("CARGO_PKG_REPOSITORY"), "/issues\n");

/// Replaces clap's flat list of commands with the groups.
pub(super) fn grouped(command: Command) -> Command {
    let width = command.get_subcommands().map(|command| command.get_name().len()).max().unwrap_or_default();
    let header = command.get_styles().get_header();
    let literal = command.get_styles().get_literal();
    let mut text = String::new();
    for (heading, specs) in GROUPS {
        text.push_str(&format!("{header}{heading}:{header:#}\n"));
        for member in specs.iter().filter_map(|spec| command.find_subcommand(spec.name)) {
            let about = member.get_about().map(ToString::to_string).unwrap_or_default();
            text.push_str(&format!("  {literal}{:width$}{literal:#}  {about}\n", member.get_name()));
        }
        text.push('\n');
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{text}\
         'kubectl ucp COMMAND -h' lists the flags of a command, 'kubectl ucp options' those that commands share.{SUPPORT}"
    );
    command.help_template(template)
}

/// The number of examples that `-h` shows.
const FEW: usize = 4;

/// Places the examples of each command above its flags, and leaves most of them to `--help`.
pub(super) fn with_examples_first(command: Command) -> Command {
    const SHARED: &str =
        "{all-args}\n\n'kubectl ucp options' lists the flags that commands share; --help explains more.\n";
    command.mut_subcommands(|below| {
        let head = "{before-help}{about-with-newline}\n{usage-heading} {usage}{after-help}\n\n";
        let examples = below.get_after_help().map(ToString::to_string).unwrap_or_default();
        let below = match few_examples(&examples) {
            few if few == examples => below,
            few => below.after_long_help(examples).after_help(few),
        };
        with_examples_first(below).help_template(format!("{head}{SHARED}"))
    })
}

/// Returns the first examples, without the text below them.
fn few_examples(text: &str) -> String {
    let is_example = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let mut seen = 0;
    let shown = text.lines().enumerate().take_while(|(number, line)| {
        seen += usize::from(is_example(line));
        seen <= FEW && (*number == 0 || line.starts_with("  "))
    });
    shown.map(|(_, line)| line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the lines of `-h` at 80 columns.
    fn lines(command: &mut Command) -> usize {
        let mut command = command.clone().term_width(80).max_term_width(80);
        command.render_help().to_string().lines().count()
    }

    fn long_helps(command: &mut Command, long: &mut Vec<(String, usize)>) {
        let lines = lines(command);
        if lines > 50 {
            long.push((command.get_name().to_owned(), lines));
        }
        command.get_subcommands_mut().for_each(|below| long_helps(below, long));
    }

    #[test]
    fn the_short_help_of_every_command_fits_a_screen() {
        let mut command = crate::cli::command();
        command.build();
        let mut long = Vec::new();
        long_helps(&mut command, &mut long);
        assert_eq!(long, []);
    }

    #[test]
    fn the_table_of_the_readme_has_the_groups_and_order_of_the_help() {
        let readme = include_str!("../../README.md");
        let table =
            readme.split("## Commands\n").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap_or_default();
        let mut position = 0;
        for (heading, specs) in GROUPS {
            let names = specs.iter().map(|spec| format!("`{}", spec.name));
            for word in std::iter::once(format!("| **{heading}** |")).chain(names) {
                let found = table[position..].find(&word);
                position += found.unwrap_or_else(|| panic!("{word} is not below the row before it"));
            }
        }
    }

    #[test]
    fn every_command_is_in_exactly_one_group() {
        for command in crate::cli::command().get_subcommands().filter(|command| !command.is_hide_set()) {
            let groups =
                GROUPS.iter().flat_map(|(_, specs)| *specs).filter(|spec| spec.name == command.get_name()).count();
            assert_eq!(groups, 1, "{}", command.get_name());
        }
    }
}
