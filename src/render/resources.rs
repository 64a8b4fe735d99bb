//! How a `ResourceList` looks.

use crate::model::text::one_line;
use crate::model::verdict::Verdict;
use crate::render::cut::cut_in_the_middle;
use crate::render::table::{Column, table};
use crate::render::{Detail, Report, Style, words};
use crate::report::resources::{Naming, ResourceItem, ResourceList};
use crate::ui::pager::LongLines;
use crate::ui::{style, styled};

impl Report for ResourceList {
    fn table(&self, style: &Style) -> String {
        let is_wide = style.detail == Detail::Wide;
        let namespaced = self.items.iter().any(|item| item.object.namespace.is_some());
        let mut columns = vec![Column::Fixed("VERDICT")];
        if namespaced {
            columns.push(Column::Fixed("NAMESPACE"));
        }
        columns.extend([Column::Fixed("NAME"), Column::Spare("READY"), Column::Spare("SYNCED"), Column::Spare("AGE")]);
        if is_wide {
            columns.extend(["EXTERNAL-NAME", "PROVIDER-CONFIG", "OWNER", "MANAGED-BY"].map(Column::Flexible));
        }
        columns.push(Column::Flexible("WHY"));
        let labels = self.label_columns.names();
        columns.extend(labels.iter().map(|name| Column::Flexible(name)));
        let rows = self.items.iter().map(|item| {
            let mut row = Vec::with_capacity(columns.len());
            row.push(words::verdict(item.verdict));
            if namespaced {
                row.push(item.object.namespace.as_deref().map(one_line).unwrap_or_default());
            }
            row.push(look(item.verdict, &self.name_of(item)));
            row.extend([truth(item.ready), truth(item.synced), item.age.clone()]);
            if is_wide {
                row.push(item.external_name.as_deref().map(one_line).unwrap_or_default());
                row.push(item.provider_config.as_deref().map(one_line).unwrap_or_default());
                row.push(item.owner.as_ref().map(words::object).unwrap_or_default());
                row.push(item.managed_by.as_ref().map(words::object).unwrap_or_default());
            }
            row.push(item.message.as_deref().map(one_line).unwrap_or_default());
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
                item.ready.unwrap_or_default().to_owned(),
                item.synced.unwrap_or_default().to_owned(),
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

    fn advice_on_templates(&self) -> &'static str {
        "--whole prints whole objects, for templates made for kubectl"
    }

    fn optional_fields(&self) -> &'static [&'static str] {
        &[
            "since",
            "externalName",
            "providerConfig",
            "provider",
            "owner",
            "managedBy",
            "created",
            "message",
            "labels",
            "namespace",
            "ready",
            "synced",
            "context",
            "path",
        ]
    }
}

impl ResourceList {
    fn name_of(&self, item: &ResourceItem) -> String {
        match self.naming {
            Naming::KindAndName => one_line(&item.object.kind_and_name()),
            Naming::Name => one_line(&item.object.name),
        }
    }
}

/// A comment on a pull request has room for so much of one message.
const LONGEST_MESSAGE: usize = 300;

fn truth(status: Option<&str>) -> String {
    match status {
        None => "-".to_owned(),
        Some("True") => "True".to_owned(),
        Some("False") => styled(style::BAD, "False"),
        Some(other) => styled(style::WARN, other),
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
