//! Steps that every command for a control plane shares: read the source, show progress, judge, print.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use clap::Args;

use crate::cli::Context;
use crate::cli::live::show_live;
use crate::render::{self, DetailLevel, HeaderVisibility, OutputFormat, Report, TableStyle};
use crate::report::sources::UnreadableEntry;
use crate::ui::pager::LongLineMode;
use crate::ui::progress::Progress;
use ucp_client::source::live::api::Api;
use ucp_client::source::live::definition::{self, DeniedDefinition, UnlistedKind};
use ucp_client::source::live::emptied;
use ucp_client::source::live::watch::Occasion;
use ucp_client::source::{self, ConnectionArgs, Query, kubeconfig, live};
use ucp_core::engine::{self, AssessmentClock, ListedNames};
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::nearest::did_you_mean_name;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, KindIndex, Origin, Unreadable};
use ucp_core::model::text::one_line;
use ucp_core::model::time::parse_duration;

/// When progress becomes a problem.
#[derive(Debug, Clone, Copy, Args)]
pub struct PatienceArgs {
    /// How long an object may be Progressing before it counts as Stuck
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "15m", hide_short_help = true)]
    pub stuck_after: Duration,
}

impl Default for PatienceArgs {
    fn default() -> Self {
        Self { stuck_after: Duration::from_mins(15) }
    }
}

impl PatienceArgs {
    /// Returns the clock for a state.
    pub fn clock(self, state: &ClusterState) -> AssessmentClock {
        let comparison_interval = state.health_rules.comparison_interval;
        AssessmentClock { now: state.moment, stuck_after: self.stuck_after, comparison_interval }
    }
}

/// Adds a gap for each unlisted kind that is wanted, unless it is reported already.
pub(super) fn add_unlisted(
    state: &mut ClusterState,
    unlisted: &[UnlistedKind],
    is_wanted: impl Fn(&ResourceKind) -> bool,
) {
    for entry in unlisted.iter().filter_map(|kind| kind.entry_if(&is_wanted)) {
        if !state.unreadable.iter().any(|known| known.what == entry.what) {
            state.unreadable.push(entry.clone());
        }
    }
}

impl Context {
    /// Reads the wanted kinds, with a progress bar on a terminal.
    ///
    /// # Errors
    /// Fails when nothing could be read.
    pub fn read(&self, want: &(dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync)) -> Result<ClusterState> {
        self.read_in(self.globals.scope.namespace.as_deref(), want)
    }

    /// Like [`Self::read`], in the given namespace instead of that of `-n`, or in all.
    ///
    /// # Errors
    /// Fails when nothing could be read.
    pub fn read_in(
        &self,
        namespace: Option<&str>,
        want: &(dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync),
    ) -> Result<ClusterState> {
        self.read_from(namespace, want, source::read)
    }

    /// Like [`Self::read_in`], and reports the wanted kinds that the server defines but does not list. If the user may not read
    /// definitions, that is a gap or a warning.
    ///
    /// # Errors
    /// Fails when nothing could be read.
    pub fn read_established(
        &self,
        namespace: Option<&str>,
        want: &(dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync),
        denied: DeniedDefinition,
    ) -> Result<ClusterState> {
        let (mut state, unlisted) = self.read_with_definitions(namespace, want)?;
        match denied {
            DeniedDefinition::Unknown => {
                state.unreadable.extend(unlisted.iter().filter_map(UnlistedKind::denied_entry).cloned());
            }
            DeniedDefinition::Absent => self.warn_of_denied_definitions(&unlisted),
        }
        Ok(state)
    }

    /// Returns the kinds that a live server defines but does not list. If the definitions cannot be read, this may be any kind.
    ///
    /// # Errors
    /// Fails when no connection is configured.
    pub(super) fn unlisted_kinds(&self, listed: &ListedNames) -> Result<Vec<UnlistedKind>> {
        let connection = &self.globals.connection;
        if connection.from.is_some() {
            return Ok(Vec::new());
        }
        live::runtime()?.block_on(async {
            let api = Api::connect(&kubeconfig::load(connection)?, connection.request_timeout)?;
            Ok(definition::possible_unlisted_kinds(&api, listed).await)
        })
    }

    /// Adds a gap for each list of a live server that has no objects, although one exists to which another object refers.
    ///
    /// # Errors
    /// Fails when no connection is configured.
    fn report_contradicted_lists(
        &self,
        state: &mut ClusterState,
        want: &(dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync),
    ) -> Result<()> {
        let connection = &self.globals.connection;
        let is_whole = |kind: &ResourceKind| want(kind).is_some_and(|request| request.selector.is_none());
        let absences = match connection.from {
            Some(_) => Vec::new(),
            None => engine::referenced_absences(state, is_whole),
        };
        if absences.is_empty() {
            return Ok(());
        }
        let gaps = live::runtime()?.block_on(async {
            let api = Api::connect(&kubeconfig::load(connection)?, connection.request_timeout)?;
            Ok::<_, Error>(emptied::contradicted_lists(&api, absences).await)
        })?;
        state.unreadable.extend(gaps);
        Ok(())
    }

    /// Warns a user who may not read definitions: most tenants may not, and their answers rest on discovery alone.
    pub(super) fn warn_of_denied_definitions(&self, unlisted: &[UnlistedKind]) {
        for entry in unlisted.iter().filter_map(UnlistedKind::denied_entry) {
            self.ui.warn(&entry.reason);
        }
    }

    /// Reads the wanted kinds, and adds gaps for those that the server defines but does not list, or lists without objects to
    /// which others refer. Also returns all kinds that it defines but does not list.
    ///
    /// # Errors
    /// Fails when nothing could be read.
    pub(super) fn read_with_definitions(
        &self,
        namespace: Option<&str>,
        want: &(dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync),
    ) -> Result<(ClusterState, Vec<UnlistedKind>)> {
        let mut unlisted = Vec::new();
        let mut state = self.read_from(namespace, want, |connection, query| {
            let (state, found) = source::read_with_definitions(connection, query)?;
            unlisted = found;
            Ok(state)
        })?;
        add_unlisted(&mut state, &unlisted, |kind| want(kind).is_some());
        self.report_contradicted_lists(&mut state, want)?;
        Ok((state, unlisted))
    }

    fn read_from(
        &self,
        namespace: Option<&str>,
        want: &(dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync),
        read: impl FnOnce(&ConnectionArgs, &Query<'_>) -> Result<ClusterState>,
    ) -> Result<ClusterState> {
        let progress = self.reading_progress();
        let traces = self.traces.as_deref();
        let query = Query { want, namespace, progress: &|done, total| progress.show(done, total), traces };
        let mut state = read(&self.globals.connection, &query)?;
        if state.kind_index == KindIndex::Complete {
            let listed: ListedNames = state.listed.iter().map(AsRef::as_ref).collect();
            engine::report_hidden_groups(&mut state, &listed);
        }
        drop(progress);
        state.notes.iter().for_each(|note| self.ui.warn(note));
        let is_in = |resource: &Resource| resource.metadata.namespace.as_deref() == namespace;
        if namespace.is_some() && !state.resources.iter().any(is_in) {
            self.warn_of_unknown_namespace();
        }
        Ok(state)
    }

    /// Warns if the namespace of `-n` does not exist; for commands that found nothing in it.
    pub(super) fn warn_of_unknown_namespace(&self) {
        let Some(namespace) = self.globals.scope.namespace.as_deref() else { return };
        if self.globals.connection.from.as_deref() == Some(Path::new("-")) {
            return;
        }
        // A snapshot may be without the namespaces of its objects.
        let is_snapshot = self.globals.connection.from.is_some();
        let want =
            |kind: &ResourceKind| (is_snapshot || kind.is_namespace()).then(|| KindRequest::all(BodyShape::Metadata));
        let query = Query::all(&want);
        let Ok(known) = source::read(&self.globals.connection, &query) else { return };
        let name = |resource: &Resource| match resource.kind.is_namespace() {
            true => Some(resource.metadata.name.to_string()),
            false => resource.metadata.namespace.as_ref().map(ToString::to_string),
        };
        let names: BTreeSet<String> = known.resources.iter().filter_map(name).collect();
        // A list that could not be read, or a snapshot without namespaces, shows nothing.
        if !names.is_empty() && known.unreadable.is_empty() && !names.contains(namespace) {
            let meant = did_you_mean_name(namespace, names.iter().map(String::as_str));
            let found = if is_snapshot { "not found in the snapshot" } else { "not found" };
            self.ui.warn(&format!("namespace '{namespace}' {found}{meant}"));
        }
    }

    /// Returns the reason why there is nothing to check, if the cluster or snapshot has no object of an engine.
    pub(super) fn nothing_to_check(&self, state: &ClusterState) -> Option<Unreadable> {
        (!engine::is_present(state)).then(|| self.no_engine_entry(&state.origin))
    }

    /// Returns the reason why this is no core cluster, if it has no engine but those that app clusters run, too.
    pub(super) fn no_core_engine(&self, state: &ClusterState) -> Option<Unreadable> {
        (!engine::has_core_engine(state)).then(|| self.no_engine_entry(&state.origin))
    }

    /// Prints a hint if this is no core cluster, so that an empty list is not taken for one of a core cluster.
    pub(super) fn hint_at_core_cluster(&self, state: &ClusterState) {
        if let Some(nothing) = self.no_core_engine(state) {
            self.ui.message(&format!("hint: {}", nothing.reason));
        }
    }

    fn no_engine_entry(&self, origin: &Origin) -> Unreadable {
        let question = self.core_cluster_question(origin);
        let reason =
            format!("no object of Crossplane, Argo CD or Flux was found, so there is nothing to check: {question}");
        Unreadable { what: "engines".to_owned(), reason }
    }

    /// Returns the question if this is the right cluster, with the other contexts of the kubeconfig.
    pub(super) fn core_cluster_question(&self, origin: &Origin) -> String {
        let known = match origin {
            Origin::Snapshot { .. } => Vec::new(),
            Origin::Cluster { .. } => kubeconfig::contexts(&self.globals.connection).unwrap_or_default(),
        };
        let names: Vec<&str> = known.iter().map(|context| context.name.as_str()).collect();
        core_cluster_question(origin, &names)
    }

    /// Returns the same context without `-n`.
    pub(super) fn for_all_namespaces(&self) -> Self {
        let mut all = self.clone();
        all.globals.scope.namespace = None;
        all
    }

    /// Shows a report whenever the cluster changes: on a page of its own on a terminal, one after another in a pipe, where
    /// nothing is written if only the time has changed.
    ///
    /// # Errors
    /// Fails when the first read fails, or the output is closed.
    pub fn watch<R: Report + Send + Sync + 'static>(
        &self,
        want: &(dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync),
        report: impl Fn(&ClusterState) -> R + Sync,
    ) -> Result<()> {
        if self.ui.has_full_screen() {
            return show_live(self, want, report);
        }
        let mut listed = Vec::new();
        self.follow(want, report, |occasion, report| {
            // Objects may become stuck as time passes.
            let names = report.names();
            if occasion == Occasion::Change || names != listed {
                listed = names;
                self.ui.data(&self.render_report(report)?)?;
            }
            Ok(())
        })
    }

    /// Calls `show` with a report whenever the cluster changes or some time has passed.
    ///
    /// # Errors
    /// Fails when the first read fails, or `show` does.
    pub(super) fn follow<R>(
        &self,
        want: &(dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync),
        report: impl Fn(&ClusterState) -> R,
        mut show: impl FnMut(Occasion, &R) -> Result<()>,
    ) -> Result<()> {
        let query = Query { namespace: self.globals.scope.namespace.as_deref(), ..Query::all(want) };
        source::watch(&self.globals.connection, &query, &mut |occasion, state| show(occasion, &report(state)))
    }

    /// Calls `show` with the state whenever the cluster changes or some time has passed.
    ///
    /// # Errors
    /// Fails when the first read fails, or `show` does.
    pub(super) fn follow_state(
        &self,
        want: &(dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync),
        mut show: impl FnMut(Occasion, &ClusterState) -> Result<()>,
    ) -> Result<()> {
        let query = Query { namespace: self.globals.scope.namespace.as_deref(), ..Query::all(want) };
        source::watch(&self.globals.connection, &query, &mut show)
    }

    /// Returns the progress of a read; hidden for a snapshot, which is read at once.
    pub(super) fn reading_progress(&self) -> Progress {
        match self.globals.connection.from {
            None => self.ui.progress("reading kinds").show_pending_server(self.server_name()),
            Some(_) => Progress::hidden(),
        }
    }

    /// Returns a function for the name of the server, which is shown during long reads.
    pub(super) fn server_name(&self) -> impl Fn() -> String + Send + 'static {
        let connection = self.globals.connection.clone();
        move || match kubeconfig::load(&connection) {
            Ok(connection) => connection.server,
            Err(_) => "the API server".to_owned(),
        }
    }

    /// Returns the style of tables.
    pub fn style(&self) -> TableStyle {
        TableStyle {
            width: self.ui.width(),
            detail: DetailLevel::Normal,
            headers: if self.globals.output.no_headers { HeaderVisibility::Hidden } else { HeaderVisibility::Shown },
        }
    }

    /// Prints a report in the requested format, as the last output of a command: through a pager if the terminal is too
    /// small.
    ///
    /// # Errors
    /// Fails when it cannot be rendered or written.
    pub fn print(&self, report: &impl Report) -> Result<()> {
        let long_lines = match self.globals.output.output {
            OutputFormat::Table | OutputFormat::Wide => report.long_lines(),
            OutputFormat::CustomColumns(_) => LongLineMode::Scroll,
            _ => LongLineMode::Wrap,
        };
        let text = self.render_report(report)?;
        if let Some(complaint) = render::unmatched(report, &self.globals.output.output)? {
            self.ui.warn(&complaint);
        }
        self.ui.page(&text, long_lines)
    }

    /// Prints a report that more output follows, such as a question.
    ///
    /// # Errors
    /// Fails when it cannot be rendered or written.
    pub fn print_and_go_on(&self, report: &impl Report) -> Result<()> {
        self.ui.data(&self.render_report(report)?)
    }

    /// Returns a report in the requested format.
    ///
    /// # Errors
    /// Fails when a template does not fit the report.
    pub(super) fn render_report(&self, report: &impl Report) -> Result<String> {
        render::render(report, &self.globals.output.output, &self.style())
    }

    /// Prints on standard error how to print the rights of this command, if some of them are missing.
    pub fn hint_at_rights(&self, unreadable: &[impl UnreadableEntry]) {
        if let Some(hint) = rights_hint(&self.needs_rights, unreadable) {
            self.ui.message(&format!("hint: {hint}"));
        }
    }

    /// Returns the error of a command that could not read enough, with the same hint.
    pub fn failed_to_read(&self, message: String, unreadable: &[impl UnreadableEntry]) -> Error {
        let failed = Error::failed(message);
        match rights_hint(&self.needs_rights, unreadable) {
            Some(hint) => failed.hint(hint),
            None => failed,
        }
    }

    /// Prints unreadable objects on standard error, for formats that do not include them.
    pub fn warn_of_unreadable(&self, unreadable: &[impl UnreadableEntry]) {
        for line in render::words::unreadable(unreadable) {
            self.ui.warn(&format!("could not be read (unknown): {line}"));
        }
    }
}

fn core_cluster_question(origin: &Origin, contexts: &[&str]) -> String {
    let context = match origin {
        Origin::Snapshot { .. } => return "is this a snapshot of the core cluster?".to_owned(),
        Origin::Cluster { context, .. } => context.as_str(),
    };
    let others: Vec<String> = contexts.iter().filter(|name| **name != context).map(|name| one_line(name)).collect();
    match others.as_slice() {
        [] => "is this the core cluster?".to_owned(),
        others => {
            let others = render::words::join_limited(others, 5);
            format!("is this the core cluster? The kubeconfig also has these contexts: {others}")
        }
    }
}

/// Returns a hint about printing the rights of a command, if some of them are missing.
fn rights_hint(command: &str, unreadable: &[impl UnreadableEntry]) -> Option<String> {
    let is_denied = |entry: &_| UnreadableEntry::entry(entry).reason.contains(" is forbidden: User ");
    unreadable.iter().any(is_denied).then(|| format!("'kubectl ucp {command} --print-rbac' prints the required rights"))
}

/// Returns the outcome of a command that only reads: incomplete if something could not be read.
pub fn outcome(unreadable: &[impl UnreadableEntry]) -> Outcome {
    if unreadable.is_empty() { Outcome::Clean } else { Outcome::Incomplete }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_context_gets_the_names_of_other_contexts() {
        let cluster =
            || Origin::Cluster { context: "app-1".to_owned(), server: "https://app-1.example.org".to_owned() };
        for (origin, contexts, expected) in [
            (Origin::Snapshot { path: "a.yaml".to_owned() }, &["core"][..], "is this a snapshot of the core cluster?"),
            (cluster(), &["app-1"][..], "is this the core cluster?"),
            (
                cluster(),
                &["core", "app-1", "b", "c", "d", "e", "f"][..],
                "is this the core cluster? The kubeconfig also has these contexts: core, b, c, d, e and 1 more",
            ),
        ] {
            assert_eq!(core_cluster_question(&origin, contexts), expected);
        }
    }
}
