//! The terminal: streams of data and messages, colors, and prompts.

pub mod pager;
mod picker;
pub mod progress;
pub mod screen;

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write as _};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use pager::PagingMode;
pub use picker::PickerChoice;
use ucp_core::error::{Error, Result};
use ucp_core::model::secrecy::scrub;
use ucp_core::model::text::plain;

/// Variable that overrides the width of the terminal; in a pipe, lines are cut only if it is set.
const COLUMNS: &str = "COLUMNS";

/// Styles, by meaning.
pub mod style {
    use super::{AnsiColor, Style};

    /// Errors.
    pub const BAD: Style = AnsiColor::Red.on_default().bold();
    /// Warnings.
    pub const WARN: Style = AnsiColor::Yellow.on_default();
    /// Success; also added lines.
    pub const GOOD: Style = AnsiColor::Green.on_default();
    /// Progress.
    pub const BUSY: Style = AnsiColor::Cyan.on_default();
    /// Headings.
    pub const STRONG: Style = Style::new().bold();
    /// Secondary text.
    pub const FAINT: Style = Style::new().dimmed();
}

/// Wraps text in a style. The writer of the text decides if the style is shown.
pub fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// Availability of a user to answer prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interaction {
    /// Standard input and standard error are terminals: prompts are possible.
    Person,
    /// A pipe, a script, or CI: prompts are not possible.
    Unattended,
}

/// Amount of output on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Volume {
    /// Progress, notes, warnings and errors.
    Normal,
    /// Errors, and the subjects of prompts.
    Quiet,
}

/// Output streams: data goes to standard output, everything else to standard error.
#[derive(Debug, Clone)]
pub struct Ui {
    color: ColorChoice,
    width: Option<usize>,
    interaction: Interaction,
    volume: Volume,
    paging: PagingMode,
    /// Prefix of warnings: the thing that they concern, if the command works on several.
    part: Option<String>,
}

impl Ui {
    /// Detects the terminal's properties. `color` is the value of `--color`, `paging` the value of `--no-pager`.
    pub fn new(color: ColorChoice, volume: Volume, paging: PagingMode) -> Self {
        let width = std::env::var(COLUMNS).ok().and_then(|columns| columns.parse().ok());
        let terminal = || screen().map(|(width, _)| width);
        Self {
            color,
            volume,
            paging,
            part: None,
            width: width.or_else(|| io::stdout().is_terminal().then(terminal).flatten()),
            interaction: if io::stdin().is_terminal() && io::stderr().is_terminal() {
                Interaction::Person
            } else {
                Interaction::Unattended
            },
        }
    }

    /// Returns the columns available for a table; `None` in a pipe, where lines are not cut.
    pub fn width(&self) -> Option<usize> {
        self.width
    }

    /// Returns the columns and lines of the terminal, if there is one.
    fn screen(&self) -> Option<(usize, usize)> {
        let (width, height) = screen()?;
        Some((self.width.unwrap_or(width), height))
    }

    /// Returns the availability of a user to answer prompts.
    pub fn interaction(&self) -> Interaction {
        self.interaction
    }

    /// Returns true if standard output is a terminal.
    pub fn stdout_is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// Writes data to standard output. Styles are removed if the stream does not show them.
    ///
    /// # Errors
    /// Fails when standard output cannot be written; a closed pipe is [`Error::is_broken_pipe`].
    pub fn data(&self, text: &str) -> Result<()> {
        // Text without an escape has no style to remove, and `AutoStream` would also remove the NUL of a template's
        // `{"\x00"}`.
        let color = if text.contains('\u{1b}') { self.color } else { ColorChoice::AlwaysAnsi };
        let mut stdout = AutoStream::new(io::stdout().lock(), color);
        stdout.write_all(text.as_bytes())?;
        stdout.flush()?;
        Ok(())
    }

    /// Returns true if standard output shows colors.
    pub fn shows_color(&self) -> bool {
        self.color_on(&io::stdout()) != ColorChoice::Never
    }

    /// Returns true if standard input and standard output are a terminal that can move its cursor, which a full screen needs.
    pub fn has_full_screen(&self) -> bool {
        let is_dumb = std::env::var_os("TERM").is_some_and(|kind| kind == "dumb");
        io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb
    }

    /// Returns the text for standard output, without styles if they are turned off.
    fn painted<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.color_on(&io::stdout()) {
            ColorChoice::Never => Cow::Owned(anstream::adapter::strip_str(text).to_string()),
            _ => Cow::Borrowed(text),
        }
    }

    /// Returns the choice of colors for a stream.
    fn color_on(&self, stream: &impl anstream::stream::RawStream) -> ColorChoice {
        match self.color {
            ColorChoice::Auto => AutoStream::choice(stream),
            chosen => chosen,
        }
    }

    /// Returns a copy for work on one of several things in parallel: its warnings are prefixed with the name.
    #[must_use]
    pub fn for_part(&self, name: &str) -> Self {
        Self { part: Some(name.to_owned()), ..self.clone() }
    }

    /// Returns the amount of output on standard error.
    pub fn volume(&self) -> Volume {
        self.volume
    }

    /// Returns a copy with this amount of output on standard error.
    #[must_use]
    pub fn with_volume(&self, volume: Volume) -> Self {
        Self { volume, ..self.clone() }
    }

    /// Writes one message to standard error, unless output is quiet.
    pub fn message(&self, text: &str) {
        if self.volume == Volume::Normal {
            self.error(text);
        }
    }

    /// Writes to standard error even if output is quiet, without secrets. Write errors are ignored.
    pub fn error(&self, text: &str) {
        let mut stderr = AutoStream::new(io::stderr().lock(), self.color);
        let _ = writeln!(stderr, "{}", scrub(text));
    }

    /// Writes a warning to standard error.
    pub fn warn(&self, text: &str) {
        let part = self.part.as_ref().map(|part| format!("{part}: ")).unwrap_or_default();
        self.message(&format!("{} {}", styled(style::WARN, "warning:"), plain(&format!("{part}{text}"))));
    }

    /// Asks a yes/no question; the default is "no".
    ///
    /// # Errors
    /// Fails with a usage error when no user can answer: the caller should have been given `--yes`. Also fails when the
    /// user cancels.
    pub fn confirm(&self, question: &str) -> Result<bool> {
        if self.interaction == Interaction::Unattended {
            return Err(Error::usage("this command asks for confirmation, but standard input is not a terminal")
                .hint("pass --yes to continue without confirmation, or --dry-run to show only the plan"));
        }
        let answer = self.ask(&format!("{question} [y/N]"), |_| None)?;
        Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
    }
}

/// Returns the columns and lines of the terminal, from whichever stream is connected to one.
pub fn screen() -> Option<(usize, usize)> {
    terminal_size::terminal_size().map(|(width, height)| (usize::from(width.0), usize::from(height.0)))
}
