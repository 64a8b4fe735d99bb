//! The terminal: where data and messages go, in which colours, and what a person is asked.

pub mod pager;
mod picker;
pub mod progress;

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write as _};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use crate::error::{Error, Result};
use crate::model::secrecy::scrub;
use crate::model::text::plain;
use pager::Paging;
pub use picker::Choice;

/// Overrides the width of the terminal, also in a pipe, where nothing is cut without it.
const COLUMNS: &str = "COLUMNS";

/// Styles used throughout, by meaning.
pub mod style {
    use super::{AnsiColor, Style};

    /// Something is wrong.
    pub const BAD: Style = AnsiColor::Red.on_default().bold();
    /// Something needs a look.
    pub const WARN: Style = AnsiColor::Yellow.on_default();
    /// All is well; also added lines.
    pub const GOOD: Style = AnsiColor::Green.on_default();
    /// In motion.
    pub const BUSY: Style = AnsiColor::Cyan.on_default();
    /// Headings.
    pub const STRONG: Style = Style::new().bold();
    /// What the eye may skip.
    pub const FAINT: Style = Style::new().dimmed();
}

/// Wraps text in a style. Whether it shows is decided where the text is written.
pub fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// Writes a line of a protocol to standard error, from deep inside, where no [`Ui`] is.
pub fn trace(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", plain(&scrub(line)));
}

/// How much a command says besides its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interaction {
    /// A person sits at the terminal: questions may be asked.
    Person,
    /// A pipe, a script or CI: nobody answers.
    Unattended,
}

/// How much is said on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Volume {
    /// Progress, notes, warnings and errors.
    Normal,
    /// Errors, and what a question is about.
    Quiet,
}

/// Where output goes. Data on standard output, everything else on standard error.
#[derive(Debug, Clone)]
pub struct Ui {
    color: ColorChoice,
    width: Option<usize>,
    interaction: Interaction,
    volume: Volume,
    paging: Paging,
    /// What all that is said is about, where it is about one of several.
    part: Option<String>,
}

impl Ui {
    /// Looks at the terminal once. `color` is the answer to `--color`, `paging` that to `--no-pager`.
    pub fn new(color: ColorChoice, volume: Volume, paging: Paging) -> Self {
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

    /// Columns that a table may take; `None` in a pipe, where nothing is cut.
    pub fn width(&self) -> Option<usize> {
        self.width
    }

    /// Columns and lines of the terminal, where there is one.
    fn screen(&self) -> Option<(usize, usize)> {
        let (width, height) = screen()?;
        Some((self.width.unwrap_or(width), height))
    }

    /// Whether somebody can answer a question.
    pub fn interaction(&self) -> Interaction {
        self.interaction
    }

    /// Whether standard output is a terminal.
    pub fn stdout_is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// Writes data to standard output. Styles are dropped where they do not belong.
    ///
    /// # Errors
    /// When standard output cannot be written; a closed pipe is [`Error::is_broken_pipe`].
    pub fn data(&self, text: &str) -> Result<()> {
        // Text without an escape has no style to drop, and AutoStream would drop the NUL of a template's `{"\x00"}` too.
        let color = if text.contains('\u{1b}') { self.color } else { ColorChoice::AlwaysAnsi };
        let mut stdout = AutoStream::new(io::stdout().lock(), color);
        stdout.write_all(text.as_bytes())?;
        stdout.flush()?;
        Ok(())
    }

    /// Puts a page in the place of the last one. What does not fit the terminal is cut, and said.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub fn redraw(&self, text: &str) -> Result<()> {
        let mut stdout = io::stdout().lock();
        let text = self.painted(text);
        let height = screen().map_or(usize::MAX, |(_, height)| height.max(2) - 1);
        let lines: Vec<&str> = text.lines().collect();
        let fitting = if lines.len() > height { height - 1 } else { lines.len() };
        // From the first column of the first line on; each line's rest is cleared, and then everything below.
        let mut page = String::from("\x1b[H");
        for line in &lines[..fitting] {
            page.push_str(line);
            page.push_str("\x1b[K\n");
        }
        if fitting < lines.len() {
            page.push_str(&format!("… {} more lines\x1b[K", lines.len() - fitting));
        }
        page.push_str("\x1b[J");
        stdout.write_all(page.as_bytes())?;
        stdout.flush()?;
        Ok(())
    }

    /// The text as standard output may have it: without styles where nobody wants them.
    fn painted<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.color_on(&io::stdout()) {
            ColorChoice::Never => Cow::Owned(anstream::adapter::strip_str(text).to_string()),
            _ => Cow::Borrowed(text),
        }
    }

    /// Whether a stream shows styles.
    fn color_on(&self, stream: &impl anstream::stream::RawStream) -> ColorChoice {
        match self.color {
            ColorChoice::Auto => AutoStream::choice(stream),
            chosen => chosen,
        }
    }

    /// The same terminal for work on one of several things at once: what it says names the thing, and progress is not its
    /// own.
    #[must_use]
    pub fn for_part(&self, name: &str) -> Self {
        Self { part: Some(name.to_owned()), ..self.clone() }
    }

    /// How much to say besides data.
    pub fn volume(&self) -> Volume {
        self.volume
    }

    /// Writes one message to standard error, unless all is to be quiet.
    pub fn message(&self, text: &str) {
        if self.volume == Volume::Normal {
            self.error(text);
        }
    }

    /// Writes to standard error what must be said, without secrets. What cannot be written is lost: there is nobody to
    /// tell.
    pub fn error(&self, text: &str) {
        let mut stderr = AutoStream::new(io::stderr().lock(), self.color);
        let _ = writeln!(stderr, "{}", scrub(text));
    }

    /// Writes a warning to standard error.
    pub fn warn(&self, text: &str) {
        let part = self.part.as_ref().map(|part| format!("{part}: ")).unwrap_or_default();
        self.message(&format!("{} {}", styled(style::WARN, "warning:"), plain(&format!("{part}{text}"))));
    }

    /// Asks a yes/no question; "no" is the default.
    ///
    /// # Errors
    /// A usage error where nobody can answer: the caller should have been given `--yes`. Else when the person leaves.
    pub fn confirm(&self, question: &str) -> Result<bool> {
        if self.interaction == Interaction::Unattended {
            return Err(Error::usage("this asks for confirmation, and there is no terminal to answer at")
                .hint("pass --yes to go ahead, or --dry-run to see the plan only"));
        }
        let answer = self.ask(&format!("{question} [y/N]"), |_| None)?;
        Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
    }
}

/// Columns and lines of the terminal, whichever stream leads there.
pub fn screen() -> Option<(usize, usize)> {
    terminal_size::terminal_size().map(|(width, height)| (usize::from(width.0), usize::from(height.0)))
}
