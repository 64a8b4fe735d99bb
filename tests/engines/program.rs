//! A controller as a process, which a scenario may end and start again.

use std::path::{Path, PathBuf};

use crate::support::process::Process;

/// A program, and its process while it runs.
#[derive(Debug)]
pub struct Program {
    binary: PathBuf,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    log: PathBuf,
    process: Option<Process>,
}

impl Program {
    /// Starts it; its output is written to a file next to those of its cluster.
    pub fn start(binary: &Path, arguments: &[&str], environment: &[(&str, &str)], log: &Path) -> Self {
        let mut program = Self {
            binary: binary.to_owned(),
            arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
            environment: environment.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect(),
            log: log.to_owned(),
            process: None,
        };
        program.restart();
        program
    }

    /// Starts it again, as it was started before.
    pub fn restart(&mut self) {
        self.stop();
        let process = Process::start_with(&self.binary, &self.arguments, &self.environment, &self.log);
        self.process = Some(process.expect("the program starts"));
    }

    /// Ends it at once, as a node that fails would.
    pub fn stop(&mut self) {
        self.process = None;
    }

    /// Returns true if it runs now.
    pub fn runs(&mut self) -> bool {
        self.process.as_mut().is_some_and(|process| matches!(process.ended(), Ok(None)))
    }

    /// The end of its output.
    pub fn last_words(&self) -> String {
        self.process.as_ref().map(Process::last_words).unwrap_or_default()
    }
}
