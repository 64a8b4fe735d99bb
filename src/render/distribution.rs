//! How a `SecretDistribution` looks.

use crate::distribution::State;
use crate::model::text::one_line;
use crate::model::verdict::Verdict;
use crate::render::table::{Column, table};
use crate::render::{Detail, Report, Style, words};
use crate::report::distribution::{SecretDistribution, SecretItem};
use crate::ui::pager::LongLines;
use crate::ui::{style, styled};

impl Report for SecretDistribution {
    fn table(&self, style: &Style) -> String {
        let is_wide = style.detail == Detail::Wide;
        let mut columns = vec![Column::Fixed("CLUSTER"), Column::Fixed("NAMESPACE"), Column::Flexible("NAME")];
        columns.extend([Column::Fixed("STATE"), Column::Flexible("DECLARED-BY"), Column::Flexible("SOURCE")]);
        if is_wide {
            columns.extend([Column::Flexible("SECRET"), Column::Flexible("DEMANDED-BY"), Column::Flexible("REASON")]);
        }
        let rows = self.items.iter().map(|item| {
            let mut row = vec![one_line(&item.cluster), one_line(&item.namespace), one_line(&item.name)];
            row.extend([state(item), declared_by(item), writer(item)]);
            if is_wide {
                row.extend([source(item), demanded_by(item), one_line(&reason(item))]);
            }
            row
        });
        let mut text = if self.items.is_empty() { String::new() } else { table(&columns, rows, style) };
        if !is_wide {
            self.add_reasons(&mut text, style);
        }
        text
    }

    fn long_lines(&self) -> LongLines {
        LongLines::Scroll
    }

    fn optional_fields(&self) -> &'static [&'static str] {
        &["source", "writer", "access", "reason", "credentialsOf", "hint", "context", "server", "path"]
    }

    fn names(&self) -> Vec<String> {
        self.items.iter().map(|item| one_line(&format!("{}/{}/{}", item.cluster, item.namespace, item.name))).collect()
    }

    fn markdown(&self) -> String {
        let mut text = String::from("| Cluster | Namespace | Name | State | Declared by | Source | Reason |\n");
        text.push_str("|---|---|---|---|---|---|---|\n");
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
            text.push_str(&format!("| {} |\n", cells.map(words::markdown_cell).join(" | ")));
        }
        text.push_str(&words::markdown_unreadable(&words::unreadable(&self.unreadable)));
        text
    }
}

impl SecretDistribution {
    /// Reasons are sentences, and what a person came for: below the table they are whole on a narrow terminal too.
    fn add_reasons(&self, text: &mut String, style: &Style) {
        let mut before = if text.is_empty() { "" } else { "\n" };
        let told = self.items.iter().filter(|item| item.state != State::Current || item.credentials_of.is_some());
        for item in told {
            let reason = reason(item);
            let who = demanded_by(item);
            let who = if who.is_empty() { String::new() } else { format!(" (for {who})") };
            if reason.is_empty() && who.is_empty() {
                continue;
            }
            text.push_str(std::mem::take(&mut before));
            let reason = if reason.is_empty() { item.state.as_str() } else { &reason };
            let line = format!("{} {}/{}: {reason}{who}", item.cluster, item.namespace, item.name);
            words::add_wrapped(text, &line, "", style, usize::MAX);
        }
        for finding in self.findings.iter().filter(|finding| finding.code == "UCP858") {
            text.push_str(std::mem::take(&mut before));
            let line = format!("{} {}: {}", finding.code, words::object(&finding.object), finding.message);
            words::add_wrapped(text, &line, "", style, usize::MAX);
        }
    }
}

fn state(item: &SecretItem) -> String {
    let look = match (item.state, item.verdict) {
        (State::Unknown, _) | (_, Verdict::Drifted) => style::WARN,
        (State::Current, _) if item.credentials_of.is_none() => style::GOOD,
        (State::Undeclared | State::UsedOld, _) => style::BUSY,
        _ => style::BAD,
    };
    styled(look, item.state.as_str())
}

fn reason(item: &SecretItem) -> String {
    let credentials = item.credentials_of.as_ref();
    let credentials = credentials
        .map(|config| format!("it holds the credentials of {} {}, which never belong here", config.kind, config.name));
    let all: Vec<String> =
        credentials.into_iter().chain(Some(item.reason.clone())).filter(|one| !one.is_empty()).collect();
    all.join("; ")
}

fn declared_by(item: &SecretItem) -> String {
    let names: Vec<String> = item
        .declared_by
        .iter()
        .map(|declarer| one_line(&format!("{} {}", declarer.by.as_str(), declarer.object.name)))
        .collect();
    if names.is_empty() { "nobody".to_owned() } else { words::some(&names, 2) }
}

fn demanded_by(item: &SecretItem) -> String {
    let names: Vec<String> =
        item.demanded_by.iter().map(|object| one_line(&format!("{} {}", object.kind, object.name))).collect();
    words::some(&names, 3)
}

/// The object that wrote the source, or the source itself.
fn writer(item: &SecretItem) -> String {
    match item.source.as_ref().and_then(|source| source.writer.as_ref()) {
        Some(writer) => one_line(&writer.kind_and_name()),
        None => source(item),
    }
}

fn source(item: &SecretItem) -> String {
    item.source.as_ref().map(|source| one_line(&format!("{}/{}", source.namespace, source.name))).unwrap_or_default()
}
