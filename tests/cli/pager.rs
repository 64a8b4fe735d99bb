//! Output that does not fit into a terminal is paged, and nothing else is.

use std::path::Path;
use std::process::Command;

use crate::gitops::Gitops;
use crate::terminal::{Terminal, is_installed};

const UCP: crate::support::command::ProgramPath = crate::support::command::ProgramPath;
const QUOTES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/quotes");
/// Wide enough for the table of resources, and not for its wide form; too low for all of them.
const SIZE: (u16, u16) = (120, 12);

fn resources(arguments: &str) -> String {
    format!("{UCP} resources --from {QUOTES} {arguments}")
}

/// The output of a run without a terminal.
fn printed(arguments: &str) -> String {
    let output =
        Command::new("sh").args(["-c", &resources(arguments)]).env("COLUMNS", SIZE.0.to_string()).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn home() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn terminal(home: &Path) -> Option<Terminal> {
    let mut tmux = Command::new("tmux");
    tmux.current_dir(home);
    Terminal::plain(tmux, SIZE)
}

/// A pager that saves its input, prints a word, and fails.
const KEEPER: &str = r#"PAGER="cat > page; echo pag''ed; false""#;

#[test]
fn long_output_is_paged_and_the_exit_code_is_kept() {
    let home = home();
    let Some(terminal) = terminal(home.path()) else { return };
    terminal.run(&format!("{KEEPER} {} --color never", resources("")));
    let screen = terminal.until("ended=0");
    assert!(screen.contains("paged"), "{screen}");
    assert_eq!(std::fs::read_to_string(home.path().join("page")).unwrap(), printed(""));
    // A pager that stops reading early is no broken pipe.
    terminal.run(&format!("PAGER='head -n 1' {}", resources("")));
    let screen = terminal.until("ended=0");
    assert!(!screen.contains("error"), "{screen}");
    terminal.run(&format!("PAGER=true {UCP} drift --from {QUOTES} -o yaml"));
    terminal.until("ended=4");
}

#[test]
fn paged_output_has_colors_unless_they_are_disabled() {
    let home = home();
    let Some(terminal) = terminal(home.path()) else { return };
    let page = |before: &str, arguments: &str| {
        terminal.run(&format!("{KEEPER} {before} {UCP} explain {arguments}"));
        terminal.until("ended=0");
        std::fs::read_to_string(home.path().join("page")).unwrap()
    };
    assert!(page("", "").contains("\u{1b}["));
    for (before, arguments) in [("NO_COLOR=1", ""), ("", "--color never")] {
        assert!(!page(before, arguments).contains('\u{1b}'), "{before} {arguments}");
    }
}

#[test]
fn short_output_and_output_with_paging_disabled_are_not_paged() {
    let home = home();
    let Some(terminal) = terminal(home.path()) else { return };
    let explain = format!("{UCP} explain UCP110");
    for line in [
        format!("{KEEPER} {}", resources("nodepool")),
        format!("{KEEPER} {explain}"),
        format!("{KEEPER} {}", resources("--no-pager")),
        format!("{KEEPER} {} | tail", resources("")),
        format!("{KEEPER} {} > file", resources("")),
        format!("PAGER= {}", resources("")),
        format!("PAGER=cat {}", resources("")),
        format!("TERM=dumb {KEEPER} {}", resources("")),
    ] {
        terminal.run(&line);
        let screen = terminal.until("ended=0");
        assert!(!screen.contains("paged"), "{line}\n{screen}");
    }
    // The list of codes is longer than the screen.
    terminal.run(&format!("{KEEPER} {UCP} explain"));
    terminal.until("paged");
}

#[test]
fn less_pages_the_output_and_scrolls_wide_tables() {
    let home = home();
    let Some(terminal) = is_installed("less").then(|| terminal(home.path())).flatten() else { return };
    terminal.run(&resources(""));
    terminal.until("\n:");
    assert!(terminal.screen().starts_with("VERDICT "), "{}", terminal.screen());
    // Ctrl-C is a key of less's, and ends neither.
    terminal.press(&["C-c"]);
    terminal.press_until("G", "(END)");
    terminal.press(&["q"]);
    let screen = terminal.until("ended=0");
    assert!(screen.contains("stage.dagandersen.com"), "the text stays:\n{screen}");

    terminal.run(&resources("nodepool -o wide --show-kind"));
    let screen = terminal.until("(END)");
    assert!(screen.contains("NAME") && !screen.contains("PROVIDER-CONFIG"), "{screen}");
    assert_eq!(screen.matches("nodepool.container").count(), 2, "no line is wrapped:\n{screen}");
    terminal.press(&["Right"]);
    terminal.until("PROVIDER-CONFIG");
    terminal.press(&["q"]);
    terminal.until("ended=0");
}

#[test]
fn a_missing_pager_is_a_warning_and_the_output_is_printed() {
    let home = home();
    let Some(terminal) = terminal(home.path()) else { return };
    terminal.run(&format!("PAGER=no-such-pager {}", resources("")));
    let screen = terminal.until("ended=0");
    assert!(screen.contains("stage.dagandersen.com"), "{screen}");
    let warning = "warning: PAGER names no program that can be started: no-such-pager";
    assert_eq!(terminal.history().matches(warning).count(), 1, "{}", terminal.history());
    // Without less nothing is missed.
    terminal.run(&format!("PATH=/nonexistent {}", resources("")));
    let screen = terminal.until("ended=0");
    assert!(screen.contains("stage.dagandersen.com") && !screen.contains("warning"), "{screen}");
}

#[test]
fn a_plan_before_a_question_is_not_paged() {
    let repository = Gitops::paper("v2", "v1");
    let Some(terminal) = Terminal::plain(repository.command("tmux"), (80, 8)) else { return };
    terminal.run(&format!("{KEEPER} {UCP} promote stage prod echo"));
    terminal.until("[y/N]");
    terminal.enter("n");
    let screen = terminal.until("ended=0");
    assert!(!screen.contains("paged"), "{screen}");
    // Where nothing is asked it is.
    terminal.run(&format!("{KEEPER} {UCP} promote stage prod echo --dry-run"));
    terminal.until("paged");
}
