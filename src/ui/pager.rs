//! Shows output that does not fit the terminal in a pager, like git.

use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGINT;
use signal_hook::flag;

use super::Ui;
use ucp_core::error::Result;
use ucp_core::model::text::columns;
use ucp_core::scratch::InterruptIsForAnother;

/// The environment variable with the user's pager, as a shell command.
const VARIABLE: &str = "PAGER";
/// The default pager.
const DEFAULT: &str = "less";
/// Options of `less`: keep colors, and keep the text on the screen on exit.
const LESS: &str = "RX";
/// Options of `less` for tables: additionally cut rows at the edge and scroll with →, since wrapped tables are
/// unreadable.
const LESS_OF_TABLES: &str = "RXS";

/// Selects if a pager may be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PagingMode {
    /// Only for output that does not fit the terminal.
    AsNeeded,
    /// `--no-pager`.
    Never,
}

/// The handling of lines that are longer than the width of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongLineMode {
    /// The terminal may wrap them.
    Wrap,
    /// Rows of a wide table, which a pager scrolls horizontally.
    Scroll,
}

/// The pager to start.
enum Pager {
    /// The user's pager, as a shell command.
    Chosen(String),
    /// The default pager.
    Default,
}

impl Pager {
    /// Returns the pager; `None` if the user disabled it, or if the terminal cannot move the cursor.
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

    fn start(&self, long_lines: LongLineMode) -> std::io::Result<Child> {
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
            // The user's options are kept, with -R added: without it, less shows the escape sequences of colors.
            Ok(chosen) => command.env("LESS", format!("-R {chosen}")),
            Err(_) => command.env("LESS", if long_lines == LongLineMode::Scroll { LESS_OF_TABLES } else { LESS }),
        };
        command.stdin(Stdio::piped()).spawn()
    }
}

impl Ui {
    /// Writes data to standard output as the last action of a command. Uses a pager if standard output is a terminal
    /// that is too small.
    ///
    /// # Errors
    /// Fails when standard output cannot be written.
    pub fn page(&self, text: &str, long_lines: LongLineMode) -> Result<()> {
        let is_needed = || {
            let (width, height) = self.screen()?;
            (!fits(text, width, height, long_lines)).then_some(())
        };
        let is_allowed = self.paging == PagingMode::AsNeeded && self.stdout_is_terminal();
        match if is_allowed { is_needed().and_then(|()| Pager::chosen()) } else { None } {
            Some(pager) if self.run(&pager, text, long_lines) => Ok(()),
            _ => self.data(text),
        }
    }

    /// Returns true if the pager showed the text.
    fn run(&self, pager: &Pager, text: &str, long_lines: LongLineMode) -> bool {
        // The pager handles Ctrl-C as a key. No interruptible work follows.
        let _ = flag::register(SIGINT, Arc::new(AtomicBool::new(false)));
        let _for_the_pager = InterruptIsForAnother::new();
        let Ok(mut child) = pager.start(long_lines) else { return false };
        if let Some(mut input) = child.stdin.take() {
            // The user may quit the pager before reading everything.
            let _ = input.write_all(self.painted(text).as_bytes());
        }
        // Exit codes of a shell for a missing or non-executable command.
        let is_missing = child.wait().is_ok_and(|status| matches!(status.code(), Some(126 | 127)));
        if let (true, Pager::Chosen(command)) = (is_missing, pager) {
            self.warn(&format!("{VARIABLE} names no program that can be started: {command}"));
        }
        !is_missing
    }
}

/// Returns true if a text and the prompt below it fit the screen.
fn fits(text: &str, width: usize, height: usize, long_lines: LongLineMode) -> bool {
    let width = width.max(1);
    let mut rows = 0;
    text.lines().all(|line| {
        let columns = columns(line);
        rows += columns.div_ceil(width).max(1);
        rows < height && (columns <= width || long_lines == LongLineMode::Wrap)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::{style, styled};

    #[test]
    fn text_fits_only_if_a_line_remains_for_the_prompt() {
        let fits = |text: &str| fits(text, 10, 4, LongLineMode::Wrap);
        assert!(fits("one\ntwo\nthree\n"));
        assert!(!fits("one\ntwo\nthree\nfour\n"));
        assert!(fits("0123456789\n\n\n"));
        assert!(!fits("0123456789+\n\n\n"), "the first line takes two");
        assert!(fits(&format!("{}\n\n\n", styled(style::BAD, "größe 6789"))), "styles take no room");
    }

    #[test]
    fn a_wide_table_does_not_fit_a_narrow_terminal() {
        assert!(fits("0123456789+\n", 10, 4, LongLineMode::Wrap));
        assert!(!fits("0123456789+\n", 10, 4, LongLineMode::Scroll));
        assert!(fits("0123456789\n", 10, 4, LongLineMode::Scroll));
    }
}
