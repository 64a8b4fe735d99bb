//! What every command that reads a control plane does: ask the source, show progress, judge, print.

use std::time::Duration;

use anyhow::anyhow;
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::Context;
use crate::engine::Clock;
use crate::error::{Error, Outcome, Result};
use crate::model::body::Want;
use crate::model::kind::ResourceKind;
use crate::model::state::{ClusterState, Unreadable};
use crate::model::time::parse_duration;
use crate::render::{self, Detail, Headers, Report, Style};
use crate::source::live::watch::Occasion;
use crate::source::{self, Query};
use crate::ui::Volume;

/// When progress becomes a problem.
#[derive(Debug, Clone, Copy, Args)]
pub struct PatienceArgs {
    /// Progressing for longer than this is stuck
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "15m")]
    pub stuck_after: Duration,
}

impl PatienceArgs {
    /// The clock for a state.
    pub fn clock(self, state: &ClusterState) -> Clock {
        Clock { now: state.moment, stuck_after: self.stuck_after }
    }
}

impl Context {
    /// Reads the kinds that are wanted, with a progress bar where a person waits.
    ///
    /// # Errors
    /// When nothing could be read.
    pub fn read(&self, want: &(dyn Fn(&ResourceKind) -> Option<Want> + Sync)) -> Result<ClusterState> {
        self.read_in(self.globals.scope.namespace.as_deref(), want)
    }

    /// The same in another namespace than `-n` says, or in all.
    ///
    /// # Errors
    /// When nothing could be read.
    pub fn read_in(
        &self,
        namespace: Option<&str>,
        want: &(dyn Fn(&ResourceKind) -> Option<Want> + Sync),
    ) -> Result<ClusterState> {
        let bar = self.progress_bar();
        let progress = |done: usize, total: usize| {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        };
        let query = Query { want, namespace, progress: &progress };
        let state = source::read(&self.globals.connection, &query);
        bar.finish_and_clear();
        state
    }

    /// Shows a report again and again, whenever the cluster changed: in place on a terminal, one after another in a
    /// pipe, where nothing is written while nothing but the time has changed.
    ///
    /// # Errors
    /// When the first reading fails, or the output is closed.
    pub fn watch<R: Report>(
        &self,
        want: &(dyn Fn(&ResourceKind) -> Option<Want> + Sync),
        report: impl Fn(&ClusterState) -> R,
    ) -> Result<()> {
        let query = Query { want, namespace: self.globals.scope.namespace.as_deref(), progress: &|_, _| {} };
        let mut listed = Vec::new();
        source::watch(&self.globals.connection, &query, &mut |occasion, state| {
            let report = report(state);
            let text = render::render(&report, &self.globals.output.output, &self.style())?;
            if self.ui.stdout_is_terminal() {
                return self.ui.redraw(&text);
            }
            // Time alone may make something stuck.
            let names = report.names();
            if occasion == Occasion::Change || names != listed {
                listed = names;
                self.ui.data(&text)?;
            }
            Ok(())
        })
    }

    pub(super) fn progress_bar(&self) -> ProgressBar {
        let style = ProgressStyle::with_template("reading {pos}/{len} kinds {wide_bar}");
        let is_shown = self.globals.connection.from.is_none() && self.ui.volume() == Volume::Normal;
        match (is_shown, style) {
            // indicatif itself is silent where standard error is no terminal.
            (true, Ok(style)) => ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style),
            _ => ProgressBar::hidden(),
        }
    }

    /// Progress of something that is done one by one, shown where a person waits.
    pub fn steps(&self, title: &'static str) -> Steps {
        let style = ProgressStyle::with_template("{msg} {pos}/{len} {wide_bar}");
        let bar = match style {
            Ok(style) => ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style),
            Err(_) => ProgressBar::hidden(),
        };
        bar.set_message(title);
        Steps(bar)
    }

    /// How tables should look.
    pub fn style(&self) -> Style {
        Style {
            width: self.ui.width(),
            detail: Detail::Normal,
            headers: if self.globals.output.no_headers { Headers::Hidden } else { Headers::Shown },
        }
    }

    /// Prints a report in the format that was asked for.
    ///
    /// # Errors
    /// When it cannot be rendered or written.
    pub fn print(&self, report: &impl Report) -> Result<()> {
        self.ui.data(&render::render(report, &self.globals.output.output, &self.style())?)
    }

    /// Says on standard error where the rights of a command are written down, where some of them were missing.
    pub fn hint_at_rights(&self, role: &str, unreadable: &[Unreadable]) {
        if let Some(hint) = rights_hint(role, unreadable) {
            self.ui.message(&format!("hint: {hint}"));
        }
    }

    /// Says on standard error what could not be read, for output that has no place for it.
    pub fn warn_of_unreadable(&self, unreadable: &[Unreadable]) {
        for line in render::words::unreadable(unreadable) {
            self.ui.warn(&format!("could not be read, so it is unknown: {line}"));
        }
    }
}

/// A progress bar.
#[derive(Debug)]
pub struct Steps(ProgressBar);

impl Steps {
    /// So many are done, of so many.
    pub fn show(&self, done: usize, total: usize) {
        self.0.set_length(total as u64);
        self.0.set_position(done as u64);
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// Where the rights of a command are written down, where some of them were missing.
fn rights_hint(role: &str, unreadable: &[Unreadable]) -> Option<String> {
    let is_denied = |entry: &Unreadable| entry.reason.contains(" is forbidden: User ");
    unreadable.iter().any(is_denied).then(|| format!("role '{role}' of docs/permissions.md has the rights for this"))
}

/// A failure of a command that could not read enough, with the same hint.
pub fn failed_to_read(message: String, role: &str, unreadable: &[Unreadable]) -> Error {
    let failed = Error::failed(anyhow!(message));
    match rights_hint(role, unreadable) {
        Some(hint) => failed.hint(hint),
        None => failed,
    }
}

/// The outcome of a command that only shows: incomplete where something could not be read.
pub fn outcome(unreadable: &[Unreadable]) -> Outcome {
    if unreadable.is_empty() { Outcome::Clean } else { Outcome::Incomplete }
}
