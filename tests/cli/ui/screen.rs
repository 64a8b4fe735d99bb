//! The whole of `ui` in a terminal: keys, suspension, signals.

use std::process::Command;

use crate::support::hub;
use crate::terminal::{Terminal, line};

fn terminal(size: (u16, u16)) -> Option<Terminal> {
    Terminal::plain(Command::new("tmux"), size)
}

fn ucp_command(arguments: &[&str]) -> Command {
    let mut command = Command::new(crate::support::command::program());
    command.args(arguments);
    command
}

#[test]
fn keys_in_a_terminal_show_a_real_cluster() {
    let Some(cluster) = hub::bad_day() else { return };
    let Some(terminal) = terminal((100, 30)) else { return };
    let kubeconfig = cluster.kubeconfig();
    terminal.run(&line(&ucp_command(&["ui", "--kubeconfig", kubeconfig.to_str().unwrap()])));
    terminal.until("UCP111");
    terminal.press(&["2"]);
    terminal.until("AGE");
    terminal.press(&["/"]);
    terminal.write("quotes-orders-7k2px");
    terminal.press(&["Enter"]);
    terminal.until("(2)");
    // The tree, and in it the object.
    terminal.press(&["Enter"]);
    terminal.until("r reads again");
    terminal.until("database.platform/quotes-orders");
    terminal.press(&["y"]);
    terminal.until("apiVersion: ");
    terminal.tmux(&["resize-window", "-x", "70", "-y", "20"]);
    // A key at the very time of a resize waits for the next key.
    terminal.until("1–16 of");
    // A key directly after Escape would be one with Alt.
    terminal.press(&["Escape"]);
    terminal.until("r reads again");
    terminal.press(&["h"]);
    terminal.until("No events about this object");
    terminal.press(&["Escape"]);
    terminal.until("r reads again");
    terminal.press(&["C"]);
    terminal.until("kubectl ucp tree");
    terminal.press(&["6"]);
    terminal.until("CLUSTER (");
    terminal.press(&["7"]);
    terminal.until("UCP5");
    terminal.press(&["1"]);
    terminal.press(&["e"]);
    terminal.until("explained");
    terminal.press(&["q"]);
    terminal.until("ended=0");
}

#[test]
fn the_terminal_is_restored_after_a_suspension_and_a_signal() {
    let Some(terminal) = terminal((80, 24)) else { return };
    let snapshot = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/bad-day");
    for (signal, message) in [("-TERM", "Terminated"), ("-QUIT", "Quit")] {
        terminal.enter(&line(&ucp_command(&["ui", "--from", snapshot])));
        terminal.until("1 Findings");
        terminal.press(&["C-z"]);
        terminal.until("Stopped");
        terminal.enter("stty -a | grep -o ' icanon'; fg");
        terminal.until("1 Findings");
        let pid = terminal.tmux(&["display-message", "-p", "#{pane_pid}"]);
        let ended = Command::new("pkill").args([signal, "-P", pid.trim(), "kubectl-ucp"]).status().unwrap();
        assert!(ended.success());
        terminal.until(message);
        terminal.enter("clear; stty -a | grep -o ' echo ' && echo restored");
        let screen = terminal.until("\nrestored");
        assert!(!screen.contains("1 Findings"), "{screen}");
        assert_eq!(
            terminal.tmux(&["display-message", "-p", "#{alternate_on}#{mouse_any_flag}"]).trim(),
            "00",
            "{signal}"
        );
    }
}

#[test]
fn a_terminal_that_cannot_move_its_cursor_has_no_full_screen() {
    let Some(terminal) = terminal((80, 24)) else { return };
    let snapshot = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/bad-day");
    terminal.run(&format!("TERM=dumb {}", line(&ucp_command(&["ui", "--from", snapshot]))));
    let screen = terminal.until("ended=2");
    assert!(screen.contains("'ui' needs a terminal"), "{screen}");
}

#[test]
fn a_snapshot_that_does_not_exist_opens_no_screen() {
    let Some(terminal) = terminal((80, 24)) else { return };
    terminal.run(&line(&ucp_command(&["ui", "--from", "no-such-snapshot"])));
    let screen = terminal.until("ended=3");
    assert!(screen.contains("cannot read snapshot no-such-snapshot"), "{screen}");
}

#[test]
fn watching_on_a_terminal_is_a_page_with_a_clock() {
    let Some(cluster) = hub::bad_day() else { return };
    let Some(terminal) = terminal((80, 12)) else { return };
    let kubeconfig = cluster.kubeconfig();
    terminal.run(&line(&ucp_command(&["status", "--watch", "--kubeconfig", kubeconfig.to_str().unwrap()])));
    let first = terminal.until("more lines ↓");
    assert!(first.contains("Control plane") && first.contains("UTC  q quits"), "{first}");
    terminal.press(&["G"]);
    terminal.until("  end");
    terminal.tmux(&["resize-window", "-x", "60", "-y", "20"]);
    // Narrower, the page is longer.
    terminal.until("more lines ↓");
    terminal.press(&["g"]);
    terminal.until("Control plane");
    terminal.press(&["q"]);
    terminal.until("ended=0");
}

#[test]
fn the_history_on_a_terminal_is_a_page_with_a_clock() {
    let Some(cluster) = hub::bad_day() else { return };
    let Some(terminal) = terminal((100, 12)) else { return };
    let kubeconfig = cluster.kubeconfig();
    let command = ["history", "--watch", "--since", "999h", "--kubeconfig", kubeconfig.to_str().unwrap()];
    terminal.run(&line(&ucp_command(&command)));
    terminal.until("History of");
    terminal.until("more lines ↓");
    terminal.press(&["G"]);
    terminal.until("  end");
    terminal.press(&["q"]);
    terminal.until("ended=0");
}
