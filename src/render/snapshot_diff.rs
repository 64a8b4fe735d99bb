//! Renders a `SnapshotDiff`: added objects with +, removed ones with -, changed ones with both sides.

use crate::render::{Report, TableStyle, words};
use crate::report::snapshot_diff::{DiffDirection, SnapshotDiff};
use ucp_core::model::text::one_line;
use ucp_core::model::verdict::Verdict;

impl SnapshotDiff {
    fn sections(&self) -> Vec<(&'static str, Vec<String>)> {
        let versions = self.versions.iter().map(|change| {
            let side = |version: &Option<String>| version.as_deref().map_or_else(|| "none".to_owned(), one_line);
            format!("{}: {} -> {}", one_line(&change.what), side(&change.before), side(&change.after))
        });
        let verdicts = self.verdicts.iter().map(|change| {
            let side = |verdict: Option<Verdict>| verdict.map_or("not there", Verdict::as_str);
            let message =
                change.message.as_deref().map(|message| format!(": {}", one_line(message))).unwrap_or_default();
            format!("{}: {} -> {}{message}", words::object(&change.object), side(change.before), side(change.after))
        });
        let findings = self.findings.iter().map(|change| {
            let finding = &change.finding;
            let more = match finding.also.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let object = words::object(&finding.object);
            format!("{} {} {object}{more}: {}", sign(change.change), finding.code, one_line(&finding.message))
        });
        let drift = self.drift.iter().map(|change| {
            let path = change.path.as_deref().map(|path| format!(" {}", one_line(path))).unwrap_or_default();
            format!("{} {} {}{path}", sign(change.change), change.code, words::object(&change.object))
        });
        [
            ("Versions", versions.collect::<Vec<_>>()),
            ("Verdicts", verdicts.collect()),
            ("Findings", findings.collect()),
            ("Drift", drift.collect()),
        ]
        .into_iter()
        .filter(|(_, lines)| !lines.is_empty())
        .collect()
    }

    fn head(&self) -> String {
        let moment = |moment: jiff::Timestamp| moment.strftime("%Y-%m-%d %H:%M:%SZ").to_string();
        format!("From {} to {}", moment(self.before.moment), moment(self.after.moment))
    }

    fn unreadable(&self) -> Vec<String> {
        let of = |side: &crate::report::snapshot_diff::DiffSide, name: &str| -> Vec<String> {
            words::unreadable(&side.unreadable).iter().map(|line| format!("{name}: {line}")).collect()
        };
        [of(&self.before, "before"), of(&self.after, "after")].concat()
    }
}

fn sign(change: DiffDirection) -> char {
    match change {
        DiffDirection::Appeared => '+',
        DiffDirection::Gone => '-',
    }
}

impl Report for SnapshotDiff {
    fn table(&self, _style: &TableStyle) -> String {
        let mut text = format!("{}\n", self.head());
        for (title, lines) in self.sections() {
            text.push_str(&format!("\n{title}:\n"));
            lines.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        }
        if !self.has_changes() {
            text.push_str("\nNothing changed.\n");
        }
        text.push_str(&words::listed_unreadable(&self.unreadable()));
        text
    }

    fn names(&self) -> Vec<String> {
        self.verdicts.iter().map(|change| one_line(&change.object.kind_and_name())).collect()
    }

    fn markdown(&self) -> String {
        let mut text = format!("{}\n", self.head());
        for (title, lines) in self.sections() {
            text.push_str(&format!("\n### {title}\n\n"));
            lines.iter().for_each(|line| text.push_str(&format!("- {}\n", words::markdown_cell(line))));
        }
        if !self.has_changes() {
            text.push_str("\nNothing changed.\n");
        }
        text.push_str(&words::markdown_unreadable(&self.unreadable()));
        text
    }
}
