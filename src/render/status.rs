//! Renders a `Status` on one page: problems first, everything healthy as counts only.

mod lines;
mod unknown;

use std::fmt::Write as _;

use jiff::Timestamp;

use crate::render::cut::cut_in_the_middle;
use crate::render::html::{HtmlCell, HtmlPage, HtmlPagePart, HtmlTable, TextTone, source_cell, source_column};
use crate::render::table::{TableColumn, table};
use crate::render::tree::shorten_revision;
use crate::render::{DetailLevel, HeaderVisibility, Report, TableStyle, metrics, words};
use crate::report::last_seen::LastSeen;
use crate::report::sources::{DocumentSource, DocumentSources, Sourced};
use crate::report::status::{EngineStatus, PageLength, StatusReport, VerdictCounts};
use crate::ui::{style as look, styled};
use ucp_core::error::Result;
use ucp_core::model::finding::Finding;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::Origin;
use ucp_core::model::text::one_line;
use ucp_core::model::time::age;
use ucp_core::model::verdict::Verdict;

/// The maximum number of lines of a message; unlimited with `-o wide`.
const MESSAGE_LINES: usize = 6;
/// The maximum width of a message in a comment on a pull request.
const LONGEST_MESSAGE: usize = 400;
/// The command that connects to the clusters themselves.
const PROBE: &str = "kubectl ucp clusters --probe";
/// The maximum number of findings that are shown in full on a terminal; the others are one line each, unless `--full`
/// is set.
const FINDINGS_IN_FULL: usize = 10;
/// The maximum number of objects of one finding that are named.
const NAMED: usize = 3;

impl Report for StatusReport {
    fn html(&self) -> Result<HtmlPage> {
        Ok(page(self))
    }

    fn table(&self, style: &TableStyle) -> String {
        let mut text = String::new();
        if style.headers == HeaderVisibility::Shown {
            let _ = writeln!(text, "{}\n", self.title());
        }
        text.push_str(&self.engine_table(style));
        for line in self.unknown_reasons() {
            words::add_wrapped(&mut text, &line, "", style, usize::MAX);
        }
        if let Some(selector) = self.selects_nothing() {
            let _ = writeln!(text, "\n{}", styled(look::WARN, &format!("No objects match -l {}.", one_line(selector))));
        } else if self.findings.is_empty() && self.unknown.is_empty() && !self.engines.is_empty() {
            let is_complete = self.is_complete();
            let all = if is_complete { "No problems." } else { "No problems in what could be read." };
            let verdict = if is_complete { look::GOOD } else { look::WARN };
            let _ = writeln!(text, "\n{}", styled(verdict, all));
        }
        let (in_full, in_one_line) = self.findings.split_at(self.number_in_full(style));
        for finding in in_full {
            text.push('\n');
            self.add_finding(&mut text, finding, style);
        }
        if !in_one_line.is_empty() {
            let _ = writeln!(text, "\n{} more problems; --full shows them like those above:", in_one_line.len());
            text.push_str(&self.finding_lines(in_one_line, style));
        }
        self.add_unknown(&mut text, style);
        if let Some(note) = self.remote_applications_note() {
            text.push('\n');
            words::add_wrapped(&mut text, &note, "", style, usize::MAX);
            let _ = writeln!(text, "  {}", styled(look::FAINT, &format!("→ {PROBE}")));
        }
        let unreadable = words::unreadable(&self.unreadable);
        if !unreadable.is_empty() {
            let _ = writeln!(text, "\n{}", styled(look::WARN, "Could not be read (unknown):"));
            for line in unreadable {
                words::add_wrapped(&mut text, &line, "  ", style, usize::MAX);
            }
        }
        text
    }

    fn names(&self) -> Vec<String> {
        let objects = self.findings.iter().flat_map(|finding| std::iter::once(&finding.object).chain(&finding.also));
        objects.map(|object| one_line(&object.kind_and_name())).collect()
    }

    fn metrics(&self) -> Result<String> {
        Ok(metrics::of_status(self))
    }

    fn markdown(&self) -> String {
        let mut text = format!("### {}\n\n", words::markdown_cell(&self.title()));
        let (name, line) = if self.header.has_several_sources() { ("| Context ", "|---") } else { ("", "") };
        text.push_str(&format!("{name}| Engine | Version | Verdict | Objects |\n{line}|---|---|---|---|\n"));
        for engine in &self.engines {
            let version = words::markdown_cell(engine.version.as_deref().unwrap_or_default());
            let counts = counts(&engine.counts).collect::<Vec<_>>().join(", ");
            let source = words::markdown_source(engine);
            let _ = writeln!(text, "{source}| {} | {version} | {} | {counts} |", engine.name, engine.verdict);
        }
        if let Some(selector) = self.selects_nothing() {
            let _ = writeln!(text, "\nNo objects match {}.", words::markdown_cell(selector));
        }
        if !self.findings.is_empty() {
            text.push_str(&format!("\n{name}| Verdict | Code | Object | Since | Cause | Holds up |\n"));
            text.push_str(&format!("{line}|---|---|---|---|---|---|\n"));
        }
        for finding in &self.findings {
            let cells = [
                finding.verdict.as_str().to_owned(),
                finding.code.clone(),
                words::markdown_cell(&with_alike(finding)),
                finding.since.map(|since| age(since, self.moment_of(finding))).unwrap_or_default(),
                words::markdown_cell(&cut_in_the_middle(&one_line(&finding.message), LONGEST_MESSAGE)),
                words::markdown_cell(&words::join_objects_limited(&finding.holds_up, NAMED)),
            ];
            let _ = writeln!(text, "{}| {} |", words::markdown_source(finding), cells.join(" | "));
        }
        text.push_str(&self.unknown_markdown());
        for line in self.unknown_reasons() {
            let _ = writeln!(text, "\n{}", words::markdown_cell(&line));
        }
        if let Some(note) = self.remote_applications_note() {
            let _ = writeln!(text, "\n{}: `{PROBE}`", words::markdown_cell(&note));
        }
        text.push_str(&words::markdown_unreadable(&words::unreadable(&self.unreadable)));
        text
    }
}

impl StatusReport {
    fn moment_of<T>(&self, item: &Sourced<T>) -> Timestamp {
        self.header.source.moment_of(item).unwrap_or(self.moment)
    }

    /// Returns true if everything that may have a problem was read.
    fn is_complete(&self) -> bool {
        let is_seen = |engine: &Sourced<EngineStatus>| engine.verdict != Verdict::Unknown && engine.reason.is_none();
        self.unreadable.is_empty() && self.engines.iter().all(is_seen)
    }

    fn title(&self) -> String {
        let source = match &self.header.source {
            DocumentSources::One(source) => source,
            DocumentSources::Several(sources) => {
                let names: Vec<_> = sources.iter().map(|source| one_line(source.origin.label())).collect();
                return format!("Control planes {}", names.join(", "));
            }
        };
        match source {
            Origin::Cluster { context, server } if context.is_empty() => {
                format!("Control plane at {}", one_line(server))
            }
            Origin::Cluster { context, server } => {
                format!("Control plane {} at {}", one_line(context), one_line(server))
            }
            Origin::Snapshot { path } => {
                format!("Control plane in {}, as of {}", one_line(path), self.moment.strftime("%Y-%m-%d %H:%M UTC"))
            }
        }
    }

    /// Returns a note on Applications of other clusters whose state cannot be determined from this cluster.
    fn remote_applications_note(&self) -> Option<String> {
        let cluster = |seen: &Sourced<LastSeen>| {
            let place = words::source_sentence_prefix(seen);
            let changed = seen.changed.map(|then| format!(", last change {} ago", age(then, self.moment_of(seen))));
            let applications = words::count(seen.applications, "applications");
            format!("{place}{} ({applications}{})", one_line(&seen.cluster), changed.unwrap_or_default())
        };
        let clusters: Vec<_> = self.last_seen.iter().map(cluster).collect();
        (!clusters.is_empty()).then(|| {
            format!(
                "OK when Argo CD last checked them: {}. The API does not show whether Argo CD can still reach them.",
                words::join_limited(&clusters, NAMED)
            )
        })
    }

    /// Returns the reasons why engines are unknown, each once with all of its engines.
    fn unknown_reasons(&self) -> Vec<String> {
        let mut reasons: Vec<((&str, String), Vec<&str>)> = Vec::new();
        for engine in &self.engines {
            let Some(reason) = engine.reason.as_deref() else { continue };
            let key = (reason, words::source(engine));
            match reasons.iter_mut().find(|(known, _)| *known == key) {
                Some((_, engines)) => engines.push(&engine.name),
                None => reasons.push((key, vec![&engine.name])),
            }
        }
        let line = |((reason, source), engines): ((&str, String), Vec<&str>)| match source.as_str() {
            "" => format!("{}: {reason}", engines.join(", ")),
            source => format!("{source}: {}: {reason}", engines.join(", ")),
        };
        reasons.into_iter().map(line).collect()
    }

    fn engine_table(&self, style: &TableStyle) -> String {
        if self.engines.is_empty() && !self.header.has_several_sources() {
            if self.selector.is_some() {
                return String::new();
            }
            return match self.unreadable.as_slice() {
                [] => "No engine was found: no objects of Crossplane, Argo CD or Flux.\n".to_owned(),
                _ => "No engine was found in what could be read.\n".to_owned(),
            };
        }
        let mut columns: Vec<_> =
            self.header.has_several_sources().then_some(TableColumn::Fixed(words::SOURCE)).into_iter().collect();
        columns.extend([TableColumn::Fixed("ENGINE"), TableColumn::Fixed("VERSION"), TableColumn::Fixed("VERDICT")]);
        columns.push(TableColumn::Flexible("OBJECTS"));
        let mut named = String::new();
        let rows = self.engines.iter().flat_map(|engine| {
            let version = engine.version.as_deref().map(one_line).unwrap_or_default();
            // The source is only shown for its first engine.
            let source = engine.source.is_some().then(|| words::source(engine));
            let source = source.map(|source| {
                if source == named {
                    String::new()
                } else {
                    named.clone_from(&source);
                    source
                }
            });
            let mut head: Vec<String> = source.into_iter().collect();
            head.extend([engine.name.clone(), version, words::verdict(engine.verdict)]);
            // Counts continue on the next line rather than being truncated.
            let objects = engine.objects(style);
            objects.into_iter().map(move |line| {
                let empty = vec![String::new(); head.len()];
                let mut row = std::mem::replace(&mut head, empty);
                row.push(line);
                row
            })
        });
        let rows: Vec<_> = rows.chain(self.rows_without_engine()).collect();
        table(&columns, rows, style)
    }

    /// Returns rows of sources without an engine, and of sources that could not be read.
    fn rows_without_engine(&self) -> Vec<Vec<String>> {
        let sources = self.header.source.several().iter();
        let row = |source: &DocumentSource| {
            let name = one_line(source.origin.label());
            let (verdict, why) = match source.was_read(&self.unreadable) {
                true => (String::new(), "no engine was found"),
                false => (words::verdict(Verdict::Unknown), "could not be read"),
            };
            vec![name, String::new(), String::new(), verdict, why.to_owned()]
        };
        sources.filter(|source| source.items_from(&self.engines).next().is_none()).map(row).collect()
    }

    /// Returns the number of findings to show in full: all without a terminal, with `--full`, and with `-o wide`.
    fn number_in_full(&self, style: &TableStyle) -> usize {
        let is_short = self.page == PageLength::Short && style.detail == DetailLevel::Normal && style.width.is_some();
        if is_short && self.findings.len() > FINDINGS_IN_FULL + 1 { FINDINGS_IN_FULL } else { self.findings.len() }
    }

    fn add_finding(&self, text: &mut String, finding: &Sourced<Finding>, style: &TableStyle) {
        // Before the name, which may be longer than the width of the terminal.
        let since = finding.since.map(|since| format!("{}  ", age(since, self.moment_of(finding)))).unwrap_or_default();
        let (verdict, code) = (words::verdict(finding.verdict), styled(look::FAINT, &finding.code));
        let before = format!("{verdict}  {code}  {}{since}", words::source_line_prefix(finding));
        words::add_heading(text, &before, &styled(look::STRONG, &with_alike(finding)), style);
        let lines = if style.detail == DetailLevel::Wide { usize::MAX } else { MESSAGE_LINES };
        words::add_wrapped(text, &finding.message, "  ", style, lines);
        if let Some(line) = preceding_line(finding, self.moment_of(finding)) {
            words::add_wrapped(text, &line, "  ", style, usize::MAX);
        }
        let named = if style.detail == DetailLevel::Wide { usize::MAX } else { NAMED };
        if style.detail == DetailLevel::Wide && !finding.also.is_empty() {
            words::add_wrapped(
                text,
                &format!("also {}", words::join_objects_limited(&finding.also, named)),
                "  ",
                style,
                usize::MAX,
            );
        }
        if !finding.holds_up.is_empty() {
            let held = words::join_objects_limited(&finding.holds_up, named);
            words::add_wrapped(text, &format!("holds up {}: {held}", finding.holds_up.len()), "  ", style, usize::MAX);
        }
        if let Some(hint) = &finding.hint {
            let _ = writeln!(text, "  {}", styled(look::FAINT, &format!("→ {}", one_line(hint))));
        }
    }
}

/// Returns when a problem began, and the deployment right before it: "since 03:12 UTC, after commit 4f3a2b1c (web:v2)".
fn preceding_line(finding: &Finding, moment: Timestamp) -> Option<String> {
    let (since, after) = (finding.since?, finding.after.as_ref()?);
    let format =
        if since.strftime("%F").to_string() == moment.strftime("%F").to_string() { "%H:%M" } else { "%F %H:%M" };
    let since = since.strftime(format);
    let revision = after.revision.split(", ").map(shorten_revision).collect::<Vec<_>>().join(", ");
    let is_commit = revision != after.revision;
    let what = match &after.chart {
        Some(chart) => format!("chart {chart} {revision}"),
        None if is_commit => format!("commit {revision}"),
        None => format!("revision {revision}"),
    };
    let images = if after.images.is_empty() { String::new() } else { format!(" ({})", after.images.join(", ")) };
    Some(format!("since {since} UTC, after {what}{images}"))
}

impl EngineStatus {
    /// Returns the counts of objects, wrapped to the width of the last column.
    fn objects(&self, style: &TableStyle) -> Vec<String> {
        let mut lines = Vec::new();
        if !matches!(self.counts.0.keys().next(), None | Some(Verdict::Ok)) {
            lines.extend(wrap(counts(&self.counts), style));
        }
        lines.extend(wrap(self.kinds.iter().map(|(noun, number)| words::count(*number, noun)), style));
        lines
    }
}

/// The width of the other columns of the engine table, for the longest likely name, version, and verdict.
const OTHER_COLUMNS: usize = 37;

/// Joins items with commas, and wraps lines between items.
fn wrap(items: impl Iterator<Item = String>, style: &TableStyle) -> Vec<String> {
    let width = style.width.unwrap_or(words::WIDTH).saturating_sub(OTHER_COLUMNS);
    let mut lines: Vec<String> = Vec::new();
    for item in items {
        match lines.last_mut() {
            Some(line) if line.len() + 2 + item.len() <= width => line.extend([", ", &item]),
            Some(line) => {
                line.push(',');
                lines.push(item);
            }
            None => lines.push(item),
        }
    }
    lines
}

fn with_alike(finding: &Finding) -> String {
    match finding.also.len() {
        0 => words::object(&finding.object),
        more => format!("{} and {more} more", words::object(&finding.object)),
    }
}

fn counts(counts: &VerdictCounts) -> impl Iterator<Item = String> {
    counts.0.iter().map(|(verdict, number)| format!("{number} {verdict}"))
}

fn page(status: &StatusReport) -> HtmlPage {
    let mut page = HtmlPage::new(status.title());
    let several = status.header.has_several_sources();
    let engines = status.engines.iter().map(|engine| {
        let counts = engine.counts.0.iter().map(|(verdict, number)| format!("{number} {verdict}"));
        let kinds = engine.kinds.iter().map(|(noun, number)| words::count(*number, noun));
        let rest = [
            HtmlCell::new(&engine.name),
            HtmlCell::new(engine.version.as_deref().unwrap_or_default()),
            HtmlCell::verdict(engine.verdict),
            HtmlCell::new(counts.collect::<Vec<_>>().join(", ")),
            HtmlCell::new(kinds.collect::<Vec<_>>().join(", ")),
        ];
        source_cell(engine).chain(rest).collect()
    });
    let columns = source_column(several).chain(["Engine", "Version", "Verdict", "Objects", "Kinds"]);
    page.parts.push(HtmlPagePart::Table(HtmlTable::new(columns, engines)));
    status.unknown_reasons().iter().for_each(|line| page.line(TextTone::Warning, line));
    if let Some(selector) = status.selects_nothing() {
        page.line(TextTone::Warning, format!("No objects match -l {selector}."));
    } else if status.findings.is_empty() && status.unknown.is_empty() && !status.engines.is_empty() {
        let (tone, text) = match status.is_complete() {
            true => (TextTone::Good, "No problems."),
            false => (TextTone::Warning, "No problems in what could be read."),
        };
        page.line(tone, text);
    }
    if !status.findings.is_empty() {
        page.heading("Problems, worst first");
        let findings = status.findings.iter().map(|finding| {
            let since = finding.since.map(|since| age(since, status.moment_of(finding))).unwrap_or_default();
            let objects = |tone, objects: &mut dyn Iterator<Item = &ObjectName>| {
                HtmlCell::objects(tone, finding.source.as_ref(), objects.map(|object| (words::object(object), object)))
            };
            let rest = [
                HtmlCell::verdict(finding.verdict),
                HtmlCell::new(&finding.code),
                HtmlCell::age(since, finding.since),
                objects(TextTone::Strong, &mut std::iter::once(&finding.object).chain(&finding.also)),
                HtmlCell::new(&finding.message),
                objects(TextTone::Plain, &mut finding.holds_up.iter()),
                HtmlCell::toned(TextTone::Faint, finding.hint.as_deref().unwrap_or_default()),
            ];
            source_cell(finding).chain(rest).collect()
        });
        let columns = ["Verdict", "Code", "Since", "Object", "Cause", "Holds up", "Next"];
        page.parts.push(HtmlPagePart::Table(HtmlTable::new(source_column(several).chain(columns), findings)));
    }
    status.add_unknown_to_page(&mut page);
    if let Some(note) = status.remote_applications_note() {
        page.line(TextTone::Faint, note);
    }
    page.unreadable(&words::unreadable(&status.unreadable));
    page
}
