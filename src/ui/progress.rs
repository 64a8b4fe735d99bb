//! Progress of long work, on a terminal's standard error; nothing in a pipe, and nothing with `--quiet`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Ui, Volume};
use crate::model::text::one_line;

/// How long nothing may happen before a person is told what is waited for.
const SILENCE: Duration = Duration::from_secs(2);
/// How far something is.
const COUNTED: &str = "{msg} {pos}/{len} {wide_bar}";
/// What is waited for.
const WAITING: &str = "{msg} …";

/// A line that shows how far something is. It goes away when this does.
#[derive(Debug)]
pub struct Progress {
    line: ProgressBar,
    title: &'static str,
    beat: Option<Sender<()>>,
    /// Whether the line says what is waited for, instead of how far it is.
    is_waiting: Arc<AtomicBool>,
}

/// Lines that change while something goes on. They go away when this does.
#[derive(Debug)]
pub struct Lines {
    line: ProgressBar,
    width: usize,
}

impl Lines {
    /// Shows these lines, each cut where the terminal ends.
    pub fn show(&self, lines: &[String]) {
        let cut = |line: &String| line.chars().take(self.width).collect::<String>();
        self.line.set_message(lines.iter().map(cut).collect::<Vec<_>>().join("\n"));
    }

    /// Whether anybody sees them.
    pub fn are_seen(&self) -> bool {
        !self.line.is_hidden()
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}

impl Ui {
    /// Lines that change.
    pub fn lines(&self) -> Lines {
        Lines { line: self.bar("{msg}"), width: self.screen().map_or(80, |(width, _)| width).saturating_sub(1) }
    }

    /// Progress of something that is done one by one.
    pub fn progress(&self, title: &'static str) -> Progress {
        self.line(title, COUNTED)
    }

    /// Says what is waited for, where nobody knows how far it is. The line is drawn once, so that a program that asks for a
    /// passphrase meanwhile is not drawn over.
    pub fn waiting(&self, title: &'static str) -> Progress {
        let progress = self.line(title, WAITING);
        progress.line.tick();
        progress
    }

    fn bar(&self, template: &str) -> ProgressBar {
        match (self.volume(), ProgressStyle::with_template(template)) {
            // indicatif itself is silent where standard error is no terminal.
            (Volume::Normal, Ok(style)) if self.part.is_none() => {
                ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style)
            }
            _ => ProgressBar::hidden(),
        }
    }

    fn line(&self, title: &'static str, template: &str) -> Progress {
        let line = self.bar(template);
        // Not `set_message`, which would draw it at once, before anything is known.
        Progress { line: line.with_message(title), title, beat: None, is_waiting: Arc::default() }
    }
}

impl Progress {
    /// Progress that nobody sees.
    pub fn hidden() -> Self {
        Self { line: ProgressBar::hidden(), title: "", beat: None, is_waiting: Arc::default() }
    }

    /// Says after two seconds of silence what is waited for: `waiting for SERVER`.
    #[must_use]
    pub fn patient(mut self, server: impl Fn() -> String + Send + 'static) -> Self {
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

    /// So many are done, of so many.
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

    /// Of so many, none is done.
    pub fn begin(&self, total: usize) {
        self.show(0, total);
        self.line.tick();
    }

    /// One more is done.
    pub fn step(&self) {
        self.line.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        // Before the line goes, so that nothing is drawn behind it.
        self.beat = None;
        self.line.finish_and_clear();
    }
}
