//! Renders a `PromotionPlan`.

use crate::render::table::{TableColumn, table};
use crate::render::words::markdown_cell as cell;
use crate::render::{DetailLevel, Report, TableStyle, diff};
use crate::report::promotion::{PromotionPlan, ReasonImportance, RepositoryPath, UnchangedValue, VersionUpdate};
use crate::ui::{style as looks, styled};
use ucp_core::model::text::one_line;
use ucp_features::scaffold::hidden::hidden;
use ucp_repo::gitops::files::FileEdit;
use ucp_repo::gitops::order::Direction;

/// Returns a version with its digest shortened to a distinguishable length.
pub(in crate::render) fn shorten_digest(version: &str) -> String {
    const DIGITS: usize = 12;
    match version.split_once("sha256:") {
        Some((before, digest)) if digest.len() > DIGITS && digest.is_ascii() => {
            format!("{before}sha256:{}…", &digest[..DIGITS])
        }
        _ => version.to_owned(),
    }
}

fn or_dash(text: &str) -> String {
    if text.is_empty() { "-".to_owned() } else { one_line(text) }
}

impl Report for PromotionPlan {
    fn repository(&self) -> Option<&RepositoryPath> {
        Some(&self.source)
    }

    fn table(&self, style: &TableStyle) -> String {
        let version = |text: &str| {
            or_dash(&if style.detail == DetailLevel::Wide { text.to_owned() } else { shorten_digest(text) })
        };
        let service = |service: &Option<String>| or_dash(service.as_deref().unwrap_or_default());
        let rows = self.changes.iter().map(|change| {
            let direction = match change.direction {
                Direction::Upgrade => styled(looks::GOOD, "upgrade"),
                Direction::Downgrade => styled(looks::BAD, "downgrade"),
                Direction::Unknown => "change".to_owned(),
            };
            let file = format!("{}:{}", one_line(&change.file), change.line);
            let (before, after) = (version(&change.before), version(&change.after));
            vec![service(&change.service), one_line(&change.image), before, after, direction, file]
        });
        let columns = [
            TableColumn::Fixed("SERVICE"),
            TableColumn::Flexible("IMAGE"),
            TableColumn::Fixed("BEFORE"),
            TableColumn::Fixed("AFTER"),
            TableColumn::Fixed("CHANGE"),
            TableColumn::Flexible("FILE"),
        ];
        let mut text = if self.changes.is_empty() { String::new() } else { table(&columns, rows, style) };
        let left = |items: &[&UnchangedValue], verdict: String| {
            let rows = items.iter().map(|left| {
                vec![
                    service(&left.service),
                    one_line(&left.image),
                    verdict.clone(),
                    one_line(&left.reason_with_remedy()),
                ]
            });
            // Reasons are never truncated, since they are most important.
            let columns = [
                TableColumn::Fixed("SERVICE"),
                TableColumn::Fixed("IMAGE"),
                TableColumn::Fixed("VERDICT"),
                TableColumn::Fixed("REASON"),
            ];
            table(&columns, rows.collect::<Vec<_>>(), &TableStyle { width: None, ..*style })
        };
        let is_shown =
            |left: &&UnchangedValue| style.detail == DetailLevel::Wide || left.weight != ReasonImportance::Level;
        for (items, verdict) in
            [(&self.refused, styled(looks::BAD, "refused")), (&self.kept, styled(looks::FAINT, "kept"))]
        {
            let items: Vec<&UnchangedValue> = items.iter().filter(is_shown).collect();
            if !items.is_empty() {
                text.push_str(if text.is_empty() { "" } else { "\n" });
                text.push_str(&left(&items, verdict));
            }
        }
        for diff in diffs(&self.files).filter(|diff| !diff.is_empty()) {
            text.push_str(if text.is_empty() { "" } else { "\n" });
            text.push_str(&diff);
        }
        text
    }

    fn names(&self) -> Vec<String> {
        let name = |change: &VersionUpdate| match &change.service {
            Some(service) => format!("{}/{}", one_line(service), one_line(&change.image)),
            None => one_line(&change.image),
        };
        self.changes.iter().map(name).collect()
    }

    fn markdown(&self) -> String {
        let mut text = String::from("| Service | Image | Before | After | Change |\n|---|---|---|---|---|\n");
        for change in &self.changes {
            let direction = match change.direction {
                Direction::Upgrade => "upgrade",
                Direction::Downgrade => "**downgrade**",
                Direction::Unknown => "change",
            };
            let service = change.service.as_deref().map_or_else(|| "-".to_owned(), cell);
            let before = if change.before.is_empty() { "-".to_owned() } else { cell(&change.before) };
            let (image, after) = (cell(&change.image), cell(&change.after));
            text.push_str(&format!("| {service} | {image} | {before} | {after} | {direction} |\n"));
        }
        for left in &self.refused {
            let service = left.service.as_deref().unwrap_or("-");
            text.push_str(&format!(
                "\n**Refused**: {} {}: {}\n",
                cell(service),
                cell(&left.image),
                one_line(&left.reason_with_remedy())
            ));
        }
        text
    }
}

/// Returns the changes of files in the format of `git diff`, with adjacent secrets hidden.
/// Absolute paths are shown as there, with a single slash.
pub(in crate::render) fn diffs(files: &[FileEdit]) -> impl Iterator<Item = String> + '_ {
    files.iter().map(|file| {
        let path = file.path.trim_start_matches('/');
        let old = file.before.as_ref().map_or_else(|| "/dev/null".to_owned(), |_| format!("a/{path}"));
        let before = hidden(file.before.as_deref().unwrap_or_default());
        diff::unified(&before, &hidden(&file.after), &old, &format!("b/{path}"))
    })
}
