//! `PromotionPlan`: which versions move, which stay and why, which are refused.

use serde::Serialize;

use crate::promote::order::Direction;
use crate::render::table::{Column, table};
use crate::render::{Detail, Report, Style, diff};
use crate::ui::{one_line, style as looks, styled};

/// What `promote` and `set-image` are about to do, or have done.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PromotionPlan {
    api_version: &'static str,
    kind: &'static str,
    /// Where the files are.
    pub source: Repository,
    /// The environment that versions come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The environment that they go to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Values that change.
    pub changes: Vec<Change>,
    /// Values that stay.
    pub kept: Vec<Left>,
    /// Values that would have to change and must not. Where there is one, nothing is written.
    pub refused: Vec<Left>,
    /// What to know before saying yes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The commit that was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The branch at the remote that the commit is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pushed: Option<String>,
    /// The page to open a pull request, or the one that was opened, as the server answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<String>,
    /// The files before and after.
    #[serde(skip)]
    pub files: Vec<FileEdit>,
}

/// Where files were read.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Repository {
    /// The top of the work tree, the URL of the repository, or a single file.
    pub path: String,
}

/// One value that changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The service, where there is a repository of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// The image as the workloads name it, or the file and path of a value.
    pub image: String,
    /// The file, seen from the top of the repository.
    pub file: String,
    /// The line of the entry; the line after the last where it is added.
    pub line: usize,
    /// The version so far; empty where none was declared.
    pub before: String,
    /// The version to be.
    pub after: String,
    /// Where that leads.
    pub direction: Direction,
}

/// One value that stays, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// The service, where there is a repository of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// The image, or the file and path of a value.
    pub image: String,
    /// Why it stays, and what to do about it.
    pub reason: String,
}

/// A file before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// The path from the top of the repository, or as it was given.
    pub path: String,
    /// What it holds.
    pub before: String,
    /// What it shall hold.
    pub after: String,
}

impl PromotionPlan {
    /// A plan that does nothing yet.
    pub fn new(source: Repository) -> Self {
        Self {
            api_version: "ucp/v1",
            kind: "PromotionPlan",
            source,
            from: None,
            to: None,
            changes: Vec::new(),
            kept: Vec::new(),
            refused: Vec::new(),
            warnings: Vec::new(),
            commit: None,
            pushed: None,
            pull_request: None,
            files: Vec::new(),
        }
    }

    fn diffs(&self) -> impl Iterator<Item = String> + '_ {
        self.files.iter().map(|file| {
            diff::unified(&file.before, &file.after, &format!("a/{}", file.path), &format!("b/{}", file.path))
        })
    }
}

/// Digests at the length that tells them apart.
fn short(version: &str) -> String {
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
    fn table(&self, style: &Style) -> String {
        let version = |text: &str| or_dash(&if style.detail == Detail::Wide { text.to_owned() } else { short(text) });
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
            Column::Fixed("SERVICE"),
            Column::Flexible("IMAGE"),
            Column::Fixed("BEFORE"),
            Column::Fixed("AFTER"),
            Column::Fixed("CHANGE"),
            Column::Flexible("FILE"),
        ];
        let mut text = if self.changes.is_empty() { String::new() } else { table(&columns, rows, style) };
        let left = |items: &[Left], verdict: String| {
            let rows = items.iter().map(|left| {
                vec![service(&left.service), one_line(&left.image), verdict.clone(), one_line(&left.reason)]
            });
            // A reason is what the reader needs most: it is never cut.
            let columns =
                [Column::Fixed("SERVICE"), Column::Fixed("IMAGE"), Column::Fixed("VERDICT"), Column::Fixed("REASON")];
            table(&columns, rows.collect::<Vec<_>>(), &Style { width: None, ..*style })
        };
        for (items, verdict) in [
            (&self.refused[..], styled(looks::BAD, "refused")),
            (if style.detail == Detail::Wide { &self.kept[..] } else { &[] }, styled(looks::FAINT, "kept")),
        ] {
            if !items.is_empty() {
                text.push_str(if text.is_empty() { "" } else { "\n" });
                text.push_str(&left(items, verdict));
            }
        }
        for diff in self.diffs().filter(|diff| !diff.is_empty()) {
            text.push_str(if text.is_empty() { "" } else { "\n" });
            text.push_str(&diff);
        }
        text
    }

    fn names(&self) -> Vec<String> {
        let name = |change: &Change| match &change.service {
            Some(service) => format!("{}/{}", one_line(service), one_line(&change.image)),
            None => one_line(&change.image),
        };
        self.changes.iter().map(name).collect()
    }

    fn markdown(&self) -> String {
        let cell = |text: &str| format!("`{}`", one_line(text).replace('`', "'").replace('|', "\\|"));
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
                one_line(&left.reason)
            ));
        }
        text
    }
}
