//! `--help` of every command: one sentence first, examples last, and the examples work.

use clap::Command;

use crate::command_lists::{EXAMPLES_ALONE, EXAMPLES_ON_A_SNAPSHOT};
use crate::installation::Installation;

/// Examples that need a cluster, a repository, or time, which a test of its own provides.
const RUN_ELSEWHERE: &[&str] = &[
    "--watch",
    "completion install",
    "--context",
    "--all-contexts",
    "version",
    "--probe",
    "snapshot.yaml",
    ".tar.gz",
    "--orphans",
    "bucket.s3",
    "drift --repo",
    "teardown namespace/",
    "teardown --merge",
    "doctor --package",
    "doctor --crds",
];
/// The words of an example as a shell would pass them on; everything in front of the plugin, after a pipe or after a
/// redirection is left out.
fn words(example: &str) -> Vec<String> {
    let example = example.split(" | ").next().unwrap().split(" > ").next().unwrap();
    let output = std::process::Command::new("sh").args(["-c", &format!("printf '%s\\n' {example}")]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

fn after_help(command: &Command) -> String {
    command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string).unwrap_or_default()
}

fn examples(command: &Command) -> Vec<String> {
    let help = after_help(command).replace("\\\n", " ");
    help.lines().filter_map(|line| Some(line.strip_prefix("  ")?.split_once("kubectl ucp ")?.1.to_owned())).collect()
}

fn commands() -> Vec<Command> {
    ucp::cli::command().get_subcommands().filter(|command| !command.is_hide_set()).cloned().collect()
}

#[test]
fn every_command_has_a_description_and_examples() {
    for command in commands() {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        assert!(!about.is_empty() && !about.contains(". ") && !about.ends_with('.'), "{}: {about}", command.get_name());
        assert!(!examples(&command).is_empty(), "{} has no examples", command.get_name());
    }
}

#[test]
fn the_help_ends_with_the_place_for_problems() {
    let help = ucp::cli::command().render_help().to_string();
    let last = format!("Problems and questions: https://github.com/{}/issues", crate::release::address());
    assert_eq!(help.trim_end().lines().next_back(), Some(last.as_str()));
    assert!(help.lines().count() < 70, "{help}");
}

#[test]
fn every_example_fits_into_eighty_columns() {
    for command in commands() {
        for line in after_help(&command).lines().filter(|line| line.starts_with("  ")) {
            assert!(line.chars().count() <= 80, "{}: {line}", command.get_name());
        }
    }
}

#[test]
fn every_example_is_a_command_line_that_is_understood() {
    for example in commands().iter().flat_map(examples) {
        let words = std::iter::once("kubectl-ucp".to_owned()).chain(words(&example));
        if let Err(error) = ucp::cli::command().try_get_matches_from(words) {
            panic!("{example}: {error}");
        }
    }
}

#[test]
fn every_example_that_can_run_offline_does() {
    let here = Installation::create();
    let mut count = 0;
    for command in commands() {
        for example in examples(&command) {
            if RUN_ELSEWHERE.iter().any(|part| example.contains(part)) {
                continue;
            }
            let mut run = here.command("kubectl");
            run.arg("ucp").args(words(&example));
            if EXAMPLES_ON_A_SNAPSHOT.contains(&command.get_name()) && !example.contains("--from") {
                run.args(["--from", "tests/fixtures/quotes"]);
            } else if !EXAMPLES_ALONE.contains(&command.get_name()) && !example.contains("--from") {
                continue;
            }
            let output = run.output().unwrap();
            // Findings, and a snapshot that leaves something out, are no failures.
            assert!(
                matches!(output.status.code(), Some(0 | 1 | 4)),
                "{example}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            count += 1;
        }
    }
    assert!(count >= 8, "only {count} examples ran");
}

#[test]
fn the_bare_command_shows_groups() {
    let output = Installation::create().kubectl(["ucp"]);
    let text = String::from_utf8(output.stderr).unwrap() + &String::from_utf8(output.stdout).unwrap();
    let place = |heading: &str| text.find(heading).unwrap_or_else(|| panic!("no {heading} in\n{text}"));
    assert!(
        place("Inspect:") < place("Compare:")
            && place("Compare:") < place("Set up:")
            && place("Set up:") < place("'kubectl ucp COMMAND -h'")
    );
    let commands = &text[place("Inspect:")..place("'kubectl ucp COMMAND -h'")];
    assert!(commands.lines().all(|line| line.chars().count() <= 80), "a line is wrapped on 80 columns:\n{commands}");
    assert!(place("Inspect:") < place("  status ") && place("  status ") < place("Compare:"));
}
