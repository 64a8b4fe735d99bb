//! Output that does not fit the terminal goes through a pager, as git's does.

use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGINT;
use signal_hook::flag;

use super::Ui;
use crate::error::Result;
use crate::model::text::columns;
use crate::scratch::InterruptIsForAnother;

/// What a person chose, as a command for a shell.
const VARIABLE: &str = "PAGER";
/// What most people have.
const DEFAULT: &str = "less";
/// `less` is asked to keep colours, and to leave the text on the screen when it goes.
const LESS: &str = "RX";
/// And to cut the rows of a table at the edge, where → goes on: a table that wraps is none any more.
const LESS_OF_TABLES: &str = "RXS";

/// Whether a pager may be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paging {
    /// For output that does not fit the terminal.
    AsNeeded,
    /// `--no-pager`.
    Never,
}

/// What becomes of lines that are longer than the terminal is wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongLines {
    /// The terminal may wrap them.
    Wrap,
    /// They are rows of a table that is meant to be wide, which a pager shows a part of at a time.
    Scroll,
}

/// The pager that is to be started.
enum Pager {
    /// The one that a person chose, by a command for a shell.
    Chosen(String),
    /// The one that most people have.
    Default,
}

impl Pager {
    /// `None` where a person turned it off, or the terminal can only type.
    fn chosen() -> Option<Self> {
        if std::env::var("TERM").is_ok_and(|terminal| terminal == "dumb") {
            return None;
        }
        match std::env::var(VARIABLE) {
            Err(_) => Some(Self::Default),
            Ok(command) if matches!(command.trim(), "" | "cat") => None,
            Ok(command) => Some(Self::Chosen(command)),
        }
    }

    fn start(&self, long_lines: LongLines) -> std::io::Result<Child> {
        let mut command = match self {
            Self::Default => Command::new(DEFAULT),
            Self::Chosen(chosen) => {
                let (shell, option) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
                let mut command = Command::new(shell);
                command.arg(option).arg(chosen);
                command
            }
        };
        match std::env::var("LESS") {
            // What a person chose stays, and colours with it: without -R less shows their escapes.
            Ok(chosen) => command.env("LESS", format!("-R {chosen}")),
            Err(_) => command.env("LESS", if long_lines == LongLines::Scroll { LESS_OF_TABLES } else { LESS }),
        };
        command.stdin(Stdio::piped()).spawn()
    }
}

impl Ui {
    /// Writes data to standard output, as the last thing that a command does: through a pager where standard output is a
    /// terminal that it does not fit.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub fn page(&self, text: &str, long_lines: LongLines) -> Result<()> {
        let is_needed = || {
            let (width, height) = self.screen()?;
            (!fits(text, width, height, long_lines)).then_some(())
        };
        let is_allowed = self.paging == Paging::AsNeeded && self.stdout_is_terminal();
        match if is_allowed { is_needed().and_then(|()| Pager::chosen()) } else { None } {
            Some(pager) if self.run(&pager, text, long_lines) => Ok(()),
            _ => self.data(text),
        }
    }

    /// Whether the pager showed the text.
    fn run(&self, pager: &Pager, text: &str, long_lines: LongLines) -> bool {
        // Ctrl-C is a key of the pager's. Nothing comes after it that could be interrupted.
        let _ = flag::register(SIGINT, Arc::new(AtomicBool::new(false)));
        let _for_the_pager = InterruptIsForAnother::new();
        let Ok(mut child) = pager.start(long_lines) else { return false };
        if let Some(mut input) = child.stdin.take() {
            // Whoever has seen enough leaves before the end.
            let _ = input.write_all(self.painted(text).as_bytes());
        }
        // By these a shell says that there is no such command.
        let is_missing = child.wait().is_ok_and(|status| matches!(status.code(), Some(126 | 127)));
        if let (true, Pager::Chosen(command)) = (is_missing, pager) {
            self.warn(&format!("{VARIABLE} names no program that can be started: {command}"));
        }
        !is_missing
    }
}

/// Whether a text and the prompt below it fit a screen.
fn fits(text: &str, width: usize, height: usize, long_lines: LongLines) -> bool {
    let width = width.max(1);
    let mut rows = 0;
    text.lines().all(|line| {
        let columns = columns(line);
        rows += columns.div_ceil(width).max(1);
        rows < height && (columns <= width || long_lines == LongLines::Wrap)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::{style, styled};

    #[test]
    fn what_fits_leaves_a_line_for_the_prompt() {
        let fits = |text: &str| fits(text, 10, 4, LongLines::Wrap);
        assert!(fits("one\ntwo\nthree\n"));
        assert!(!fits("one\ntwo\nthree\nfour\n"));
        assert!(fits("0123456789\n\n\n"));
        assert!(!fits("0123456789+\n\n\n"), "the first line takes two");
        assert!(fits(&format!("{}\n\n\n", styled(style::BAD, "größe 6789"))), "styles take no room");
    }

    #[test]
    fn a_wide_table_does_not_fit_a_narrow_terminal() {
        assert!(fits("0123456789+\n", 10, 4, LongLines::Wrap));
        assert!(!fits("0123456789+\n", 10, 4, LongLines::Scroll));
        assert!(fits("0123456789\n", 10, 4, LongLines::Scroll));
    }
}
