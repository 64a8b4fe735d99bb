//! How a `ResourceList` looks.

use crate::model::text::one_line;
use crate::model::verdict::Verdict;
use crate::render::cut::cut_in_the_middle;
use crate::render::table::{Column, table};
use crate::render::{Detail, Report, Style, words};
use crate::report::resources::ResourceList;
use crate::ui::pager::LongLines;
use crate::ui::{style, styled};

impl Report for ResourceList {
    fn table(&self, style: &Style) -> String {
        let namespaced = self.items.iter().any(|item| item.object.namespace.is_some());
        let mut columns = Vec::new();
        if namespaced {
            columns.push(Column::Fixed("NAMESPACE"));
        }
        columns.extend([Column::Fixed("NAME"), Column::Fixed("READY"), Column::Fixed("SYNCED")]);
        columns.push(Column::Flexible("EXTERNAL-NAME"));
        columns.push(Column::Fixed("AGE"));
        if style.detail == Detail::Wide {
            columns.extend(["VERDICT", "PROVIDER-CONFIG", "OWNER", "MANAGED-BY", "MESSAGE"].map(Column::Flexible));
        }
        let labels = self.label_columns.names();
        columns.extend(labels.iter().map(|name| Column::Flexible(name)));
        let rows = self.items.iter().map(|item| {
            let mut row = Vec::with_capacity(columns.len());
            if namespaced {
                row.push(item.object.namespace.as_deref().map(one_line).unwrap_or_default());
            }
            row.push(look(item.verdict, &one_line(&item.object.kind_and_name())));
            row.extend([truth(item.ready), truth(item.synced)]);
            row.push(item.external_name.as_deref().map(one_line).unwrap_or_default());
            row.push(item.age.clone());
            if style.detail == Detail::Wide {
                row.push(words::verdict(item.verdict));
                row.push(item.provider_config.as_deref().map(one_line).unwrap_or_default());
                row.push(item.owner.as_ref().map(words::object).unwrap_or_default());
                row.push(item.managed_by.as_ref().map(words::object).unwrap_or_default());
                row.push(item.message.as_deref().map(one_line).unwrap_or_default());
            }
            row.extend(self.label_columns.values(&item.labels).iter().map(|value| one_line(value)));
            row
        });
        table(&columns, rows, style)
    }

    fn long_lines(&self) -> LongLines {
        LongLines::Scroll
    }

    fn names(&self) -> Vec<String> {
        self.items.iter().map(|item| one_line(&item.object.kind_and_name())).collect()
    }

    fn markdown(&self) -> String {
        let mut text = String::from("| Verdict | Resource | Ready | Synced | External name | Age | Message |\n");
        text.push_str("|---|---|---|---|---|---|---|\n");
        for item in &self.items {
            let cells = [
                item.verdict.as_str().to_owned(),
                words::markdown_cell(&item.object.to_string()),
                item.ready.to_owned(),
                item.synced.to_owned(),
                words::markdown_cell(item.external_name.as_deref().unwrap_or_default()),
                item.age.clone(),
                words::markdown_cell(&cut_in_the_middle(item.message.as_deref().unwrap_or_default(), LONGEST_MESSAGE)),
            ];
            text.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
        for line in words::unreadable(&self.unreadable) {
            text.push_str(&format!("\nCould not be read: {}\n", words::markdown_cell(&line)));
        }
        text
    }
}

/// A comment on a pull request has room for so much of one message.
const LONGEST_MESSAGE: usize = 300;

fn truth(status: &str) -> String {
    match status {
        "True" => status.to_owned(),
        "False" => styled(style::BAD, status),
        _ => styled(style::WARN, status),
    }
}

fn look(verdict: Verdict, name: &str) -> String {
    match verdict {
        Verdict::Failed | Verdict::NeedsHuman => styled(style::BAD, name),
        Verdict::Stuck | Verdict::Drifted | Verdict::Unknown => styled(style::WARN, name),
        Verdict::Paused => styled(style::FAINT, name),
        Verdict::Progressing | Verdict::Ok => name.to_owned(),
    }
}
