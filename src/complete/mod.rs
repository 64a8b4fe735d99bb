//! `kubectl ucp <TAB>`: kubectl's completion protocol for plugins.
//!
//! kubectl runs `kubectl_complete-ucp` with the words behind `ucp`, the last of which is being typed, and shows what it
//! prints: a `value<TAB>description` a line, and then a line with a colon and a number that says how to go on
//! (`cobra.ShellCompDirective`). Somebody waits, so whatever is not known in time is left out, and nothing is an error.

mod answer;
mod cluster;
mod cursor;
pub mod install;
mod repository;
mod values;

use std::sync::mpsc;
use std::time::Duration;

use clap::Command;

use answer::Answer;
use cursor::Cursor;

/// How long a person waits for a list without noticing.
const PATIENCE: Duration = Duration::from_millis(600);

/// The program's name when kubectl asks it for completions.
pub const PROGRAM: &str = "kubectl_complete-ucp";

/// The command under which [`PROGRAM`], where it is a script, calls this one; as in Cobra.
pub const COMMAND: &str = "__complete";

/// The text that answers kubectl for these words, complete after 600 ms at the latest.
pub fn answer(mut command: Command, words: Vec<String>) -> String {
    let (sender, receiver) = mpsc::channel();
    // The thread is left behind when it takes too long, and ends with the process.
    std::thread::spawn(move || {
        command.build();
        let _ = sender.send(values::answer(&Cursor::find(&command, &words)));
    });
    receiver.recv_timeout(PATIENCE).unwrap_or_else(|_| Answer::nothing()).to_string()
}
