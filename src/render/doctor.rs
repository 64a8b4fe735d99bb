//! Renders a `DoctorReport`: findings with remedies, worst first, then unknown checks, then passed checks.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::render::table::{TableColumn, table};
use crate::render::{DetailLevel, Report, TableStyle, words};
use crate::report::doctor::{CheckOutcome, CheckResult, DoctorFinding, DoctorReport};
use crate::report::sources::{DocumentSource, Sourced};
use crate::ui::{style as look, styled};
use ucp_core::model::text::one_line;
use ucp_core::model::time::age;
use ucp_features::doctor::FindingSeverity;

/// The maximum number of objects of one finding that are named.
const NAMED: usize = 5;
/// The maximum number of lines of one message.
const LINES: usize = 4;

impl DoctorReport {
    fn head(&self, finding: &Sourced<DoctorFinding>) -> String {
        let colour = match finding.severity {
            FindingSeverity::Error => look::BAD,
            FindingSeverity::Warning => look::WARN,
            FindingSeverity::Info => look::FAINT,
        };
        let moment = self.header.source.moment_of(finding).unwrap_or(self.moment);
        let since = finding.finding.since.map(|since| format!(", for {}", age(since, moment)));
        format!(
            "{} {} {}{}{}",
            styled(colour, &finding.severity.as_str().to_uppercase()),
            styled(look::FAINT, &finding.finding.code),
            words::source_line_prefix(finding),
            finding.title(),
            since.unwrap_or_default(),
        )
    }

    fn objects(finding: &DoctorFinding) -> String {
        let finding = &finding.finding;
        let all: Vec<_> = std::iter::once(&finding.object).chain(&finding.also).cloned().collect();
        words::join_objects_limited(&all, NAMED)
    }

    fn of_outcome(&self, outcome: CheckOutcome) -> Vec<&Sourced<CheckResult>> {
        self.checks.iter().filter(|check| check.outcome == outcome).collect()
    }

    fn summary(&self) -> String {
        let mut counts: BTreeMap<FindingSeverity, usize> = BTreeMap::new();
        for finding in &self.findings {
            *counts.entry(finding.severity).or_default() += 1;
        }
        let noun = |severity: FindingSeverity, number: usize| match severity {
            FindingSeverity::Error => words::count(number, "errors"),
            FindingSeverity::Warning => words::count(number, "warnings"),
            FindingSeverity::Info => format!("{number} for information"),
        };
        let told: Vec<_> = counts.into_iter().map(|(severity, number)| noun(severity, number)).collect();
        let found = if told.is_empty() { "Nothing found".to_owned() } else { told.join(", ") };
        let passed = self.of_outcome(CheckOutcome::Passed).len();
        let unknown = self.checks.iter().filter(|check| !check.unknown.is_empty()).count();
        let unknown = if unknown > 0 { format!(", {unknown} unknown") } else { String::new() };
        let skipped = self.of_outcome(CheckOutcome::NotApplicable).len();
        let skipped = if skipped > 0 { format!(", {skipped} not applicable") } else { String::new() };
        let checks = words::count(self.checks.len(), "checks") + &self.core_cluster_count();
        let target = self.target.as_ref().map(|target| format!(" for Crossplane {target}")).unwrap_or_default();
        format!("{found}{target}. Of {checks}, {passed} passed{unknown}{skipped}.")
    }

    /// Returns the number of core clusters that were checked, if there are several.
    fn core_cluster_count(&self) -> String {
        let sources = self.header.source.several();
        let read = sources.iter().filter(|source| source.was_read(&self.unreadable)).count();
        match (read, sources.len()) {
            (_, 0) => String::new(),
            (read, all) if read == all => format!(" in {}", words::count(all, "core clusters")),
            (read, all) => format!(" in {read} of {}", words::count(all, "core clusters")),
        }
    }

    /// Returns the reasons why checks may be incomplete: one line for each reason and source.
    fn unknown(&self) -> Vec<String> {
        let mut reasons: BTreeMap<(String, &str), Vec<&str>> = BTreeMap::new();
        for check in &self.checks {
            for reason in &check.unknown {
                reasons.entry((words::source_sentence_prefix(check), reason)).or_default().push(&check.name);
            }
        }
        // A reason that applies to all sources is printed once.
        reasons
            .into_iter()
            .map(|((place, reason), checks)| {
                format!("{place}{}: {}", words::join_limited(&checks, 4), one_line(reason))
            })
            .collect()
    }

    /// Renders one row for each of several core clusters, worst first.
    fn overview(&self, style: &TableStyle) -> String {
        let columns = [words::SOURCE, "ERRORS", "WARNINGS", "INFO", "UNKNOWN", "PASSED"].map(TableColumn::Fixed);
        let row = |source: &DocumentSource| {
            let found =
                |severity| source.items_from(&self.findings).filter(|finding| finding.severity == severity).count();
            let ended = |outcome| source.items_from(&self.checks).filter(|check| check.outcome == outcome).count();
            let unknown = source.items_from(&self.checks).filter(|check| !check.unknown.is_empty()).count();
            let is_read = source.was_read(&self.unreadable);
            let counts = [FindingSeverity::Error, FindingSeverity::Warning, FindingSeverity::Info].map(found);
            let key = (Reverse(counts[0]), is_read, Reverse(unknown), Reverse(counts[1]), Reverse(counts[2]));
            let mut cells = vec![one_line(source.origin.label())];
            match is_read {
                true => cells.extend(
                    [&counts[..], &[unknown, ended(CheckOutcome::Passed)]].concat().iter().map(usize::to_string),
                ),
                false => cells.extend(["-", "-", "-", "all", "-"].map(str::to_owned)),
            }
            (key, cells)
        };
        let mut rows: Vec<_> = self.header.source.several().iter().map(row).collect();
        rows.sort_by_key(|(key, _)| *key);
        table(&columns, rows.into_iter().map(|(_, cells)| cells), style)
    }
}

impl Report for DoctorReport {
    fn table(&self, style: &TableStyle) -> String {
        let mut text = String::new();
        if self.header.has_several_sources() {
            text = self.overview(style) + "\n";
        }
        for finding in &self.findings {
            let _ = writeln!(text, "{}", self.head(finding));
            let _ = writeln!(text, "  {}", styled(look::STRONG, &Self::objects(finding)));
            words::add_wrapped(&mut text, &finding.finding.message, "  ", style, LINES);
            if let Some(command) = &finding.finding.hint {
                let _ = writeln!(text, "  {} {}", styled(look::FAINT, "→"), one_line(command));
            }
            text.push('\n');
        }
        if style.detail == DetailLevel::Wide {
            for (outcome, title) in [(CheckOutcome::Passed, "Passed"), (CheckOutcome::NotApplicable, "Not applicable")]
            {
                // Sorted by source, so that the checks of a source are adjacent.
                for alike in self.of_outcome(outcome).chunk_by(|left, right| left.source == right.source) {
                    let names: Vec<_> = alike.iter().map(|check| check.name.as_str()).collect();
                    let line = format!("{}{title}: {}", words::source_sentence_prefix(alike[0]), names.join(", "));
                    words::add_wrapped(&mut text, &line, "", style, usize::MAX);
                }
            }
        }
        let _ = writeln!(text, "{}", self.summary());
        let unknown = self.unknown();
        if !unknown.is_empty() {
            text.push_str("\nNot known, so not counted as passed:\n");
            unknown.iter().for_each(|line| words::add_wrapped(&mut text, line, "  ", style, LINES));
        }
        text.push_str(&words::listed_unreadable(&words::unreadable(&self.unreadable)));
        text
    }

    fn names(&self) -> Vec<String> {
        let objects =
            self.findings.iter().flat_map(|one| std::iter::once(&one.finding.object).chain(&one.finding.also));
        objects.map(|object| one_line(&object.kind_and_name())).collect()
    }

    fn markdown(&self) -> String {
        let mut text = format!("{}\n", words::markdown_cell(&self.summary()));
        if !self.findings.is_empty() {
            let (context, line) = if self.header.has_several_sources() { ("| Context ", "|---") } else { ("", "") };
            text.push_str(&format!(
                "\n{context}| Severity | Code | Object | Evidence | Fix |\n{line}|---|---|---|---|---|\n"
            ));
        }
        for finding in &self.findings {
            let cells = [
                finding.severity.as_str(),
                &finding.finding.code,
                &Self::objects(finding),
                &finding.finding.message,
                finding.finding.hint.as_deref().unwrap_or_default(),
            ];
            let cells = cells.map(words::markdown_cell).join(" | ");
            text.push_str(&format!("{}| {cells} |\n", words::markdown_source(finding)));
        }
        text.extend(self.unknown().iter().map(|line| format!("\nNot known: {}\n", words::markdown_cell(line))));
        text.push_str(&words::markdown_unreadable(&words::unreadable(&self.unreadable)));
        text
    }
}
