//! Progress of long operations on standard error; only shown on a terminal, and not with `--quiet`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Ui, Volume};
use ucp_core::model::text::one_line;

/// The time without progress after which the pending server is shown.
const SILENCE: Duration = Duration::from_secs(2);
/// The template for counted progress.
const COUNTED: &str = "{msg} {pos}/{len} {wide_bar}";
/// The template for operations without a known length.
const WAITING: &str = "{msg} …";

/// A progress line, which is cleared on drop.
#[derive(Debug)]
pub struct Progress {
    line: ProgressBar,
    title: &'static str,
    beat: Option<Sender<()>>,
    /// True if the line shows the pending server instead of the progress.
    is_waiting: Arc<AtomicBool>,
}

/// Lines that are updated in place during an operation, and cleared on drop.
#[derive(Debug)]
pub struct LiveLines {
    line: ProgressBar,
    width: usize,
}

impl LiveLines {
    /// Shows lines, truncated to the width of the terminal.
    pub fn show(&self, lines: &[String]) {
        let cut = |line: &String| line.chars().take(self.width).collect::<String>();
        self.line.set_message(lines.iter().map(cut).collect::<Vec<_>>().join("\n"));
    }

    /// Returns true if the lines are visible.
    pub fn is_visible(&self) -> bool {
        !self.line.is_hidden()
    }
}

impl Drop for LiveLines {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}

impl Ui {
    /// Creates lines that are updated in place.
    pub fn lines(&self) -> LiveLines {
        LiveLines { line: self.bar("{msg}"), width: self.screen().map_or(80, |(width, _)| width).saturating_sub(1) }
    }

    /// Creates a progress line for counted steps.
    pub fn progress(&self, title: &'static str) -> Progress {
        self.line(title, COUNTED)
    }

    /// Creates a progress line for an operation of unknown length. It is drawn only once, so that it does not overwrite
    /// the passphrase prompt of another program.
    pub fn waiting_progress(&self, title: &'static str) -> Progress {
        let progress = self.line(title, WAITING);
        progress.line.tick();
        progress
    }

    fn bar(&self, template: &str) -> ProgressBar {
        match (self.volume(), ProgressStyle::with_template(template)) {
            // indicatif hides progress if standard error is not a terminal.
            (Volume::Normal, Ok(style)) if self.part.is_none() => {
                ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style)
            }
            _ => ProgressBar::hidden(),
        }
    }

    fn line(&self, title: &'static str, template: &str) -> Progress {
        let line = self.bar(template);
        // `set_message` would draw the line immediately, before there is any progress.
        Progress { line: line.with_message(title), title, beat: None, is_waiting: Arc::default() }
    }
}

impl Progress {
    /// Creates an invisible progress line.
    pub fn hidden() -> Self {
        Self { line: ProgressBar::hidden(), title: "", beat: None, is_waiting: Arc::default() }
    }

    /// Shows `waiting for SERVER` after two seconds without progress.
    #[must_use]
    pub fn show_pending_server(mut self, server: impl Fn() -> String + Send + 'static) -> Self {
        if self.line.is_hidden() {
            return self;
        }
        let (beat, beats) = mpsc::channel();
        let (line, is_waiting) = (self.line.clone(), Arc::clone(&self.is_waiting));
        std::thread::spawn(move || {
            let mut words = String::new();
            loop {
                match beats.recv_timeout(SILENCE) {
                    Ok(()) => {}
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => {
                        let before = std::mem::replace(&mut words, one_line(&server()));
                        if is_waiting.load(Ordering::Relaxed) && words == before {
                            continue;
                        }
                        is_waiting.store(true, Ordering::Relaxed);
                        if let Ok(style) = ProgressStyle::with_template(WAITING) {
                            line.set_style(style);
                        }
                        line.set_message(format!("waiting for {words}"));
                        line.tick();
                    }
                }
            }
        });
        self.beat = Some(beat);
        self
    }

    /// Sets the number of completed steps, and the total.
    pub fn show(&self, done: usize, total: usize) {
        if let Some(beat) = &self.beat {
            let _ = beat.send(());
            if self.is_waiting.swap(false, Ordering::Relaxed) {
                if let Ok(style) = ProgressStyle::with_template(COUNTED) {
                    self.line.set_style(style);
                }
                self.line.set_message(self.title);
            }
        }
        self.line.set_length(total as u64);
        self.line.set_position(done as u64);
    }

    /// Sets the total, with no completed steps.
    pub fn set_total(&self, total: usize) {
        self.show(0, total);
        self.line.tick();
    }

    /// Adds a completed step.
    pub fn add_step(&self) {
        self.line.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        // Stopped before the line is cleared, so that it is not drawn again.
        self.beat = None;
        self.line.finish_and_clear();
    }
}
