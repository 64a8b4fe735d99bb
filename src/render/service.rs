//! Renders a `ServicePlan`: included and excluded parts, and the diffs of both repositories.

use crate::render::promotion::diffs;
use crate::render::table::{TableColumn, table};
use crate::render::words::{self, markdown_cell as cell};
use crate::render::{Report, TableStyle};
use crate::report::service::{ServicePlan, ServiceReference};
use crate::ui::{style as look, styled};
use ucp_core::model::text::one_line;

impl Report for ServicePlan {
    fn table(&self, style: &TableStyle) -> String {
        let mut text = String::new();
        for repository in &self.repositories {
            text.push_str(&format!("{}\n", styled(look::STRONG, &one_line(&repository.path))));
            for diff in diffs(&repository.files).filter(|diff| !diff.is_empty()) {
                text.push_str(&diff);
                text.push('\n');
            }
        }
        if !self.joins.is_empty() {
            let rows = self.joins.iter().map(|join| {
                let by = match &join.written_by {
                    Some(by) => one_line(by),
                    None => styled(look::BAD, "none"),
                };
                vec![one_line(&join.environment), name(join), one_line(&join.by), by]
            });
            let columns = [
                TableColumn::Fixed("ENVIRONMENT"),
                TableColumn::Flexible("REFERS TO"),
                TableColumn::Flexible("BY"),
                TableColumn::Flexible("WRITTEN BY"),
            ];
            text.push_str(&table(&columns, rows, style));
        }
        let lines = [("by hand:", look::BUSY, &self.by_hand), ("refused:", look::BAD, &self.refused)];
        for (label, colour, lines) in lines {
            for line in lines {
                let mut wrapped = String::new();
                words::add_wrapped(&mut wrapped, &format!("{label} {line}"), "", style, 3);
                text.push_str(&wrapped.replacen(label, &styled(colour, label), 1));
            }
        }
        text
    }

    fn names(&self) -> Vec<String> {
        self.repositories
            .iter()
            .flat_map(|one| one.added.iter().chain(&one.changed))
            .map(|file| one_line(file))
            .collect()
    }

    fn markdown(&self) -> String {
        let mut text = String::from("| Environment | Refers to | By | Written by |\n|---|---|---|---|\n");
        for join in &self.joins {
            let by = join.written_by.as_deref().unwrap_or("**none**");
            text.push_str(&format!(
                "| {} | {} | {} | {} |\n",
                cell(&join.environment),
                cell(&name(join)),
                cell(&join.by),
                cell(by)
            ));
        }
        for repository in &self.repositories {
            text.push_str(&format!("\n{}\n\n", cell(&repository.path)));
            repository.added.iter().for_each(|file| text.push_str(&format!("- new: {}\n", cell(file))));
            repository.changed.iter().for_each(|file| text.push_str(&format!("- changed: {}\n", cell(file))));
        }
        self.by_hand.iter().for_each(|one| text.push_str(&format!("\n**By hand**: {}\n", cell(one))));
        self.refused.iter().for_each(|reason| text.push_str(&format!("\n**Refused**: {}\n", cell(reason))));
        text
    }
}

fn name(join: &ServiceReference) -> String {
    format!("{} {}", one_line(&join.kind), one_line(&join.name))
}
