//! `kubectl ucp <TAB>`: kubectl's completion protocol for plugins.
//!
//! kubectl runs `kubectl_complete-ucp` with the words after `ucp`, the last of which is in progress, and shows its
//! output: one `value<TAB>description` per line, and then a line with a colon and a number for the shell's next action
//! (`cobra.ShellCompDirective`). The user is waiting, so values that are not known in time are left out, and nothing is
//! an error.

mod answer;
mod cluster;
mod cursor;
pub mod install;
mod repository;
mod values;

use std::sync::mpsc;
use std::time::Duration;

use clap::Command;

use answer::Completion;
use cursor::Cursor;
pub use values::{CompletionValues, DeclaredValues};

/// The time that a user waits for a list without noticing.
const PATIENCE: Duration = Duration::from_millis(600);

/// Name of the program when kubectl requests completions.
pub const PROGRAM: &str = "kubectl_complete-ucp";

/// The command by which [`PROGRAM`] calls this program if it is a script; as in Cobra.
pub const COMMAND: &str = "__complete";

/// Returns the completion output for these words, after 600 ms at most.
pub fn complete_words(mut command: Command, declared: DeclaredValues, words: Vec<String>) -> String {
    let (sender, receiver) = mpsc::channel();
    // A thread that takes too long is abandoned, and ends with the process.
    std::thread::spawn(move || {
        command.build();
        let _ = sender.send(values::complete_cursor(&Cursor::find(&command, &words), declared));
    });
    receiver.recv_timeout(PATIENCE).unwrap_or_else(|_| Completion::empty()).to_string()
}
