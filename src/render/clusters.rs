//! Renders a `ClusterList`.

use jiff::Timestamp;

use crate::render::table::{TableColumn, table};
use crate::render::{DetailLevel, Report, TableStyle, words};
use crate::report::clusters::{ClusterItem, ClusterList, CredentialItem, ProbeItem};
use crate::report::sources::Sourced;
use crate::ui::pager::LongLineMode;
use crate::ui::{style, styled};
use ucp_core::model::text::one_line;
use ucp_core::model::time::human_duration;
use ucp_features::adopt::cluster::State;

impl Report for ClusterList {
    fn state_moment(&self) -> Option<jiff::Timestamp> {
        (!self.header.has_several_sources()).then_some(self.moment)
    }

    fn table(&self, style: &TableStyle) -> String {
        let is_wide = style.detail == DetailLevel::Wide;
        let is_probed = self.items.iter().any(|item| item.probe.is_some());
        let mut columns = Vec::new();
        if self.header.has_several_sources() {
            columns.push(TableColumn::Fixed(words::SOURCE));
        }
        columns.extend([
            TableColumn::Fixed("NAME"),
            TableColumn::Fixed("STATE"),
            TableColumn::Flexible("PROVISIONED-BY"),
        ]);
        columns.extend([TableColumn::Flexible("CREDENTIAL"), TableColumn::Fixed("REGISTERED")]);
        if is_probed {
            columns.extend([TableColumn::Fixed("VERSION"), TableColumn::Fixed("LATENCY")]);
        }
        if is_wide {
            columns.extend([
                TableColumn::Flexible("SERVER"),
                TableColumn::Flexible("SECRET"),
                TableColumn::Flexible("REASON"),
            ]);
        }
        let rows = self.items.iter().map(|item| {
            let mut row: Vec<String> = item.source.iter().map(|source| one_line(source.label())).collect();
            row.extend([one_line(&item.name), state(item.state)]);
            row.push(item.provisioned_by.as_ref().map(|object| one_line(&object.kind_and_name())).unwrap_or_default());
            row.push(credential(&item.credential, self.moment_of(item)));
            row.push(registered(item));
            if is_probed {
                row.extend([version(item.probe.as_ref()), latency(item.probe.as_ref())]);
            }
            if is_wide {
                row.push(item.server.as_deref().map(one_line).unwrap_or_default());
                row.push(item.secret.as_ref().map(words::object).unwrap_or_default());
                row.push(item.reason.as_deref().map(one_line).unwrap_or_default());
            }
            row
        });
        let mut text = table(&columns, rows, style);
        if !is_wide {
            add_reasons(&mut text, &self.items, style);
        }
        text
    }

    fn long_lines(&self) -> LongLineMode {
        LongLineMode::Scroll
    }

    fn names(&self) -> Vec<String> {
        self.items.iter().map(|item| one_line(&item.name)).collect()
    }

    fn markdown(&self) -> String {
        let (name, line) = if self.header.has_several_sources() { ("| Context ", "|---") } else { ("", "") };
        let mut text =
            format!("{name}| Cluster | State | Provisioned by | Credential | Registered | Server | Reason |\n");
        text.push_str(&format!("{line}|---|---|---|---|---|---|---|\n"));
        for item in &self.items {
            let provisioner = item.provisioned_by.as_ref().map(|object| object.to_string()).unwrap_or_default();
            let cells = [
                item.name.as_str(),
                item.state.as_str(),
                &provisioner,
                &credential(&item.credential, self.moment_of(item)),
                &registered(item),
                item.server.as_deref().unwrap_or_default(),
                item.reason.as_deref().unwrap_or_default(),
            ];
            let cells = cells.map(words::markdown_cell).join(" | ");
            text.push_str(&format!("{}| {cells} |\n", words::markdown_source(item)));
        }
        text.push_str(&words::markdown_unreadable(&words::unreadable(&self.unreadable)));
        text
    }
}

impl ClusterList {
    fn moment_of(&self, item: &Sourced<ClusterItem>) -> Timestamp {
        self.header.source.moment_of(item).unwrap_or(self.moment)
    }
}

/// Adds the reasons below the table, where long sentences fit a narrow terminal in full.
fn add_reasons(text: &mut String, items: &[Sourced<ClusterItem>], style: &TableStyle) {
    let mut before = "\n";
    for item in items {
        let Some(reason) = &item.reason else { continue };
        text.push_str(std::mem::take(&mut before));
        let place = item.source.as_ref().map(|source| format!("{} ", source.label())).unwrap_or_default();
        words::add_wrapped(text, &format!("{place}{}: {reason}", item.name), "", style, usize::MAX);
    }
}

fn state(state: State) -> String {
    let look = match state {
        State::Duplicated | State::Unreachable => style::BAD,
        State::Stale | State::Unusable | State::Unknown => style::WARN,
        State::Adoptable => style::BUSY,
        State::Adopted => style::GOOD,
    };
    styled(look, state.as_str())
}

/// Renders a credential: `client certificate admin, 364d`.
fn credential(credential: &CredentialItem, moment: Timestamp) -> String {
    let mut text = credential.kind.as_str().to_owned();
    if let Some(subject) = &credential.subject {
        text.push(' ');
        text.push_str(&one_line(subject));
    }
    if let Some(end) = credential.expires {
        let left = end.as_second() - moment.as_second();
        text.push_str(&match left {
            ..=0 => ", expired".to_owned(),
            left => format!(", {}", human_duration(left)),
        });
    }
    text
}

fn registered(item: &ClusterItem) -> String {
    let mut engines: Vec<_> = item.registered_with.iter().map(|registration| registration.engine.as_str()).collect();
    engines.dedup();
    engines.join(",")
}

fn version(probe: Option<&ProbeItem>) -> String {
    probe.and_then(|probe| probe.version.as_deref()).map(one_line).unwrap_or_default()
}

fn latency(probe: Option<&ProbeItem>) -> String {
    probe.and_then(|probe| probe.latency_milliseconds).map(|latency| format!("{latency}ms")).unwrap_or_default()
}
