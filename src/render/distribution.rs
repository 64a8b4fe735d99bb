//! Renders a `SecretDistribution`.

use crate::render::table::{TableColumn, table};
use crate::render::{DetailLevel, Report, TableStyle, words};
use crate::report::distribution::{ExaminedCluster, SecretDistribution, SecretItem, WriteProgress};
use crate::report::sources::Sourced;
use crate::ui::pager::LongLineMode;
use crate::ui::{style, styled};
use ucp_core::engine::code::Code;
use ucp_core::model::text::one_line;
use ucp_core::model::verdict::Verdict;
use ucp_features::distribution::CopyState;
use ucp_features::distribution::sync::SyncAction;

impl Report for SecretDistribution {
    fn table(&self, style: &TableStyle) -> String {
        let is_wide = style.detail == DetailLevel::Wide;
        let is_of_several = self.header.has_several_sources();
        let mut columns: Vec<TableColumn> =
            is_of_several.then_some(TableColumn::Fixed(words::SOURCE)).into_iter().collect();
        columns.extend([TableColumn::Fixed("CLUSTER"), TableColumn::Fixed("NAMESPACE"), TableColumn::Flexible("NAME")]);
        columns.push(TableColumn::Fixed("STATE"));
        let is_plan = self.items.iter().any(|item| item.action.is_some());
        columns.extend(is_plan.then_some(TableColumn::Fixed("ACTION")));
        columns.extend([TableColumn::Flexible("DECLARED-BY"), TableColumn::Flexible("SOURCE")]);
        if is_wide {
            columns.extend([
                TableColumn::Flexible("SECRET"),
                TableColumn::Flexible("DEMANDED-BY"),
                TableColumn::Flexible("REASON"),
            ]);
        }
        // A plan omits healthy copies that are kept.
        let is_shown = |item: &&SecretItem| {
            item.action != Some(SyncAction::Keep) || !item.is_well() || item.credentials_of.is_some()
        };
        let rows = self.items.iter().filter(is_shown).map(|item| {
            let mut row: Vec<String> = item.core.iter().map(|core| one_line(core.label())).collect();
            row.extend([&item.cluster, &item.namespace, &item.name].map(|text| one_line(text)));
            row.push(state(item));
            if is_plan {
                row.push(action(item));
            }
            row.extend([declared_by(item), writer(item)]);
            if is_wide {
                row.extend([source(item), demanded_by(item), one_line(&reason(item))]);
            }
            row
        });
        let rows: Vec<_> = rows.collect();
        let mut text = if rows.is_empty() { String::new() } else { table(&columns, rows, style) };
        if !is_wide {
            self.add_reasons(&mut text, style);
        }
        text
    }

    fn long_lines(&self) -> LongLineMode {
        LongLineMode::Scroll
    }

    fn optional_fields(&self) -> &'static [&'static str] {
        &[
            "source",
            "core",
            "writer",
            "access",
            "reason",
            "credentialsOf",
            "forbidden",
            "grounds",
            "hint",
            "action",
            "course",
            "actionReason",
            "context",
            "server",
            "path",
        ]
    }

    fn names(&self) -> Vec<String> {
        self.items.iter().map(|item| one_line(&format!("{}/{}/{}", item.cluster, item.namespace, item.name))).collect()
    }

    fn markdown(&self) -> String {
        let (name, line) = if self.header.has_several_sources() { ("| Context ", "|---") } else { ("", "") };
        let mut text = format!("{name}| Cluster | Namespace | Name | State | Declared by | Source | Reason |\n");
        text.push_str(&format!("{line}|---|---|---|---|---|---|---|\n"));
        for item in &self.items {
            let cells = [
                item.cluster.as_str(),
                &item.namespace,
                &item.name,
                item.state.as_str(),
                &declared_by(item),
                &source(item),
                &reason(item),
            ];
            let core = item.core.as_ref().map(|core| format!("| {} ", words::markdown_cell(core.label())));
            let cells = cells.map(words::markdown_cell).join(" | ");
            text.push_str(&format!("{}| {cells} |\n", core.unwrap_or_default()));
        }
        text.push_str(&words::markdown_unreadable(&words::unreadable(&self.unreadable)));
        text
    }
}

impl SecretDistribution {
    /// Adds the reasons below the table, where long sentences fit a narrow terminal in full.
    fn add_reasons(&self, text: &mut String, style: &TableStyle) {
        let mut before = if text.is_empty() { "" } else { "\n" };
        let is_plan = self.items.iter().any(|item| item.course.is_some());
        let written = |cluster: &&Sourced<ExaminedCluster>| {
            self.items.iter().any(|item| item.cluster == cluster.name && item.course.is_some())
        };
        for cluster in self.clusters.iter().filter(|_| is_plan).filter(written) {
            let Some(access) = cluster.access.as_deref() else { continue };
            text.push_str(std::mem::take(&mut before));
            let server = cluster.server.as_ref().map(|server| format!(" at {}", one_line(server))).unwrap_or_default();
            let line = format!("{} is accessed as {access}{server}.", cluster.name);
            words::add_wrapped(text, &line, "", style, usize::MAX);
        }
        let is_reported = |item: &&SecretItem| item.state != CopyState::Current || !item.is_well();
        for item in self.items.iter().filter(is_reported) {
            let reason = reason(item);
            let who = demanded_by(item);
            let who = if who.is_empty() { String::new() } else { format!(" (for {who})") };
            if reason.is_empty() && who.is_empty() {
                continue;
            }
            text.push_str(std::mem::take(&mut before));
            let reason = if reason.is_empty() { item.state.as_str() } else { &reason };
            let core = item.core.as_ref().map(|core| format!("{}: ", core.label())).unwrap_or_default();
            let line = format!("{core}{} {}/{}: {reason}{who}", item.cluster, item.namespace, item.name);
            words::add_wrapped(text, &line, "", style, usize::MAX);
        }
        for finding in self.findings.iter().filter(|finding| finding.code == Code::SecretInStatus.info().code) {
            text.push_str(std::mem::take(&mut before));
            let line = format!("{} {}: {}", finding.code, words::object(&finding.object), finding.message);
            words::add_wrapped(text, &line, "", style, usize::MAX);
        }
    }
}

fn state(item: &SecretItem) -> String {
    let look = match (item.state, item.verdict) {
        (CopyState::Unknown, _) | (_, Verdict::Drifted) => style::WARN,
        (CopyState::Current, _) if item.credentials_of.is_none() => style::GOOD,
        (CopyState::Undeclared | CopyState::UsedOld, _) => style::BUSY,
        _ => style::BAD,
    };
    styled(look, item.state.as_str())
}

/// Renders the planned or completed action.
fn action(item: &SecretItem) -> String {
    let Some(action) = item.action else { return String::new() };
    match (action, item.course) {
        (SyncAction::Keep, _) => String::new(),
        (SyncAction::Refuse, _) => styled(style::WARN, action.as_str()),
        (_, Some(WriteProgress::Failed)) => styled(style::BAD, &format!("{} failed", action.as_str())),
        (_, Some(WriteProgress::Done)) => styled(style::GOOD, &format!("{} done", action.as_str())),
        _ => action.as_str().to_owned(),
    }
}

fn reason(item: &SecretItem) -> String {
    let credentials = item.credentials_of.as_ref();
    let credentials = credentials.map(|config| {
        format!("it contains the credentials of {} {}, which must not be in an app cluster", config.kind, config.name)
    });
    // A plan already gives it as the reason of its refusal.
    let forbidden = item.forbidden.as_ref().filter(|_| item.action.is_none());
    let forbidden = forbidden.map(|why| format!("it must not be copied: {why}")).unwrap_or_default();
    let all: Vec<String> = credentials
        .into_iter()
        .chain([item.reason.clone(), forbidden, action_reason(item)])
        .filter(|one| !one.is_empty())
        .collect();
    all.join("; ")
}

/// Returns the reason why a copy is not written, with the remedy, or a restriction of what is written.
fn action_reason(item: &SecretItem) -> String {
    let what = match (item.action, item.course) {
        _ if item.action_reason.is_empty() => return String::new(),
        (_, Some(WriteProgress::Failed)) => "failed",
        (Some(SyncAction::Refuse), _) => "refused",
        (Some(SyncAction::Keep), _) if !item.is_well() => "not written",
        (Some(SyncAction::Prune | SyncAction::Update), _) => return item.action_reason.clone(),
        _ => return String::new(),
    };
    format!("{what}: {}", item.action_reason)
}

fn declared_by(item: &SecretItem) -> String {
    let names: Vec<String> = item
        .declared_by
        .iter()
        .map(|declarer| one_line(&format!("{} {}", declarer.by.as_str(), declarer.object.name)))
        .collect();
    if names.is_empty() { "none".to_owned() } else { words::join_limited(&names, 2) }
}

fn demanded_by(item: &SecretItem) -> String {
    let names: Vec<String> =
        item.demanded_by.iter().map(|object| one_line(&format!("{} {}", object.kind, object.name))).collect();
    words::join_limited(&names, 3)
}

/// Returns the object that wrote the source, or the source itself.
fn writer(item: &SecretItem) -> String {
    match item.source.as_ref().and_then(|source| source.writer.as_ref()) {
        Some(writer) => one_line(&writer.kind_and_name()),
        None => source(item),
    }
}

fn source(item: &SecretItem) -> String {
    item.source.as_ref().map(|source| one_line(&format!("{}/{}", source.namespace, source.name))).unwrap_or_default()
}
