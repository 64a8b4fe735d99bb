//! What every command that reads a control plane does: ask the source, show progress, judge, print.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::anyhow;
use clap::Args;

use crate::cli::Context;
use crate::engine::{self, Clock};
use crate::error::{Error, Outcome, Result};
use crate::model::body::Want;
use crate::model::kind::ResourceKind;
use crate::model::state::{ClusterState, Origin, Unreadable};
use crate::model::text::one_line;
use crate::model::time::parse_duration;
use crate::render::{self, Detail, Format, Headers, Report, Style};
use crate::report::sources::Unread;
use crate::source::live::watch::Occasion;
use crate::source::{self, Query, kubeconfig};
use crate::ui::pager::LongLines;
use crate::ui::progress::Progress;

/// When progress becomes a problem.
#[derive(Debug, Clone, Copy, Args)]
pub struct PatienceArgs {
    /// How long an object may be Progressing before it counts as Stuck
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
        let progress = self.reading();
        let groups = Mutex::new(BTreeSet::new());
        let noting = |kind: &ResourceKind| {
            groups.lock().unwrap_or_else(PoisonError::into_inner).insert(kind.group.clone());
            want(kind)
        };
        let query = Query { want: &noting, namespace, progress: &|done, total| progress.show(done, total) };
        let mut state = source::read(&self.globals.connection, &query)?;
        if self.globals.connection.from.is_none() {
            let listed = groups.into_inner().unwrap_or_else(PoisonError::into_inner);
            let hidden = engine::hidden_groups(&state, &listed).into_iter();
            let is_told = |entry: &Unreadable| state.unreadable.iter().any(|told| told.what.starts_with(&entry.what));
            let hidden: Vec<Unreadable> = hidden.filter(|entry| !is_told(entry)).collect();
            state.unreadable.extend(hidden);
        }
        drop(progress);
        state.notes.iter().for_each(|note| self.ui.warn(note));
        Ok(state)
    }

    /// Why a check has nothing to look at, where no object of an engine is in the cluster or snapshot.
    pub(super) fn nothing_to_check(&self, state: &ClusterState) -> Option<Unreadable> {
        if engine::is_present(state) {
            return None;
        }
        let question = match &state.origin {
            Origin::Snapshot { .. } => "is this a snapshot of the core cluster?".to_owned(),
            Origin::Cluster { context, .. } => {
                let known = kubeconfig::contexts(&self.globals.connection).unwrap_or_default();
                let others: Vec<String> =
                    known.iter().filter(|one| one.name != *context).map(|one| one_line(&one.name)).collect();
                match others.as_slice() {
                    [] => "is this the core cluster?".to_owned(),
                    others => {
                        format!("is this the core cluster? The kubeconfig also has {}", render::words::some(others, 5))
                    }
                }
            }
        };
        let reason =
            format!("no object of Crossplane, Argo CD or Flux was found, so there is nothing to check: {question}");
        Some(Unreadable { what: "engines".to_owned(), reason })
    }

    /// The same context without `-n`.
    pub(super) fn of_all_namespaces(&self) -> Self {
        let mut all = self.clone();
        all.globals.scope.namespace = None;
        all
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
        let mut listed = Vec::new();
        self.follow(want, report, |occasion, report| {
            let text = self.rendered(report)?;
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

    /// Hands over a report again and again, whenever the cluster changed or some time passed.
    ///
    /// # Errors
    /// When the first reading fails, or `show` does.
    pub(super) fn follow<R: Report>(
        &self,
        want: &(dyn Fn(&ResourceKind) -> Option<Want> + Sync),
        report: impl Fn(&ClusterState) -> R,
        mut show: impl FnMut(Occasion, &R) -> Result<()>,
    ) -> Result<()> {
        let query = Query { want, namespace: self.globals.scope.namespace.as_deref(), progress: &|_, _| {} };
        source::watch(&self.globals.connection, &query, &mut |occasion, state| show(occasion, &report(state)))
    }

    /// Progress of reading; a snapshot is there at once.
    pub(super) fn reading(&self) -> Progress {
        match self.globals.connection.from {
            None => self.ui.progress("reading kinds").patient(self.server()),
            Some(_) => Progress::hidden(),
        }
    }

    /// Names the server, for somebody who waits for it.
    pub(super) fn server(&self) -> impl Fn() -> String + Send + 'static {
        let connection = self.globals.connection.clone();
        move || match kubeconfig::load(&connection) {
            Ok(connection) => connection.server,
            Err(_) => "the API server".to_owned(),
        }
    }

    /// How tables should look.
    pub fn style(&self) -> Style {
        Style {
            width: self.ui.width(),
            detail: Detail::Normal,
            headers: if self.globals.output.no_headers { Headers::Hidden } else { Headers::Shown },
        }
    }

    /// Prints a report in the format that was asked for, as the last thing that a command does: through a pager where the
    /// terminal is too small for it.
    ///
    /// # Errors
    /// When it cannot be rendered or written.
    pub fn print(&self, report: &impl Report) -> Result<()> {
        let long_lines = match self.globals.output.output {
            Format::Table | Format::Wide => report.long_lines(),
            Format::CustomColumns(_) => LongLines::Scroll,
            _ => LongLines::Wrap,
        };
        let text = self.rendered(report)?;
        if let Some(complaint) = render::unmatched(report, &self.globals.output.output)? {
            self.ui.warn(&complaint);
        }
        self.ui.page(&text, long_lines)
    }

    /// Prints a report that something comes after: a question, or more of the same.
    ///
    /// # Errors
    /// When it cannot be rendered or written.
    pub fn print_and_go_on(&self, report: &impl Report) -> Result<()> {
        self.ui.data(&self.rendered(report)?)
    }

    /// A report in the format that was asked for.
    ///
    /// # Errors
    /// When a template does not fit it.
    pub(super) fn rendered(&self, report: &impl Report) -> Result<String> {
        render::render(report, &self.globals.output.output, &self.style())
    }

    /// Says on standard error how to print the rights of this command, where some of them were missing.
    pub fn hint_at_rights(&self, unreadable: &[impl Unread]) {
        if let Some(hint) = rights_hint(&self.needs_rights, unreadable) {
            self.ui.message(&format!("hint: {hint}"));
        }
    }

    /// A failure of a command that could not read enough, with the same hint.
    pub fn failed_to_read(&self, message: String, unreadable: &[impl Unread]) -> Error {
        let failed = Error::failed(anyhow!(message));
        match rights_hint(&self.needs_rights, unreadable) {
            Some(hint) => failed.hint(hint),
            None => failed,
        }
    }

    /// Says on standard error what could not be read, for output that has no place for it.
    pub fn warn_of_unreadable(&self, unreadable: &[impl Unread]) {
        for line in render::words::unreadable(unreadable) {
            self.ui.warn(&format!("could not be read (unknown): {line}"));
        }
    }
}

/// How to print the rights of a command, where some of them were missing.
fn rights_hint(command: &str, unreadable: &[impl Unread]) -> Option<String> {
    let is_denied = |entry: &_| Unread::entry(entry).reason.contains(" is forbidden: User ");
    unreadable.iter().any(is_denied).then(|| format!("'kubectl ucp {command} --print-rbac' prints the rights for this"))
}

/// The outcome of a command that only shows: incomplete where something could not be read.
pub fn outcome(unreadable: &[impl Unread]) -> Outcome {
    if unreadable.is_empty() { Outcome::Clean } else { Outcome::Incomplete }
}
