//! Progress of long work, on a terminal's standard error; nothing in a pipe, and nothing with `--quiet`.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Ui, Volume};

/// A line that shows how far something is. It goes away when this does.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Ui {
    /// Progress of something that is done one by one.
    pub fn progress(&self, title: &'static str) -> Progress {
        self.line(title, "{msg} {pos}/{len} {wide_bar}")
    }

    /// Says what is waited for, where nobody knows how far it is. The line is drawn once, so that a program that asks for a
    /// passphrase meanwhile is not drawn over.
    pub fn waiting(&self, title: &'static str) -> Progress {
        let line = self.line(title, "{msg} …");
        line.0.tick();
        line
    }

    fn line(&self, title: &'static str, template: &str) -> Progress {
        let line = match (self.volume(), ProgressStyle::with_template(template)) {
            // indicatif itself is silent where standard error is no terminal.
            (Volume::Normal, Ok(style)) => {
                ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style)
            }
            _ => ProgressBar::hidden(),
        };
        // Not `set_message`, which would draw it at once, before anything is known.
        Progress(line.with_message(title))
    }
}

impl Progress {
    /// Progress that nobody sees.
    pub fn hidden() -> Self {
        Self(ProgressBar::hidden())
    }

    /// So many are done, of so many.
    pub fn show(&self, done: usize, total: usize) {
        self.0.set_length(total as u64);
        self.0.set_position(done as u64);
    }

    /// Of so many, none is done.
    pub fn begin(&self, total: usize) {
        self.show(0, total);
        self.0.tick();
    }

    /// One more is done.
    pub fn step(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
