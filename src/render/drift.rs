//! Renders a `DriftReport`: unified diffs grouped by object, worst first, then orphans, then the coverage of the
//! checks.

use std::collections::HashMap;
use std::fmt::Write as _;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::render::diff::unified_with_context;
use crate::render::html::{HtmlCell, HtmlPage, HtmlPagePart, TextTone, source_cell};
use crate::render::table::{TableColumn, table};
use crate::render::{DetailLevel, Report, TableStyle, words};
use crate::report::drift::{DriftItem, DriftReport, DriftSides, FieldsNotCompared};
use crate::report::sources::Sourced;
use crate::ui::{style as look, styled};
use ucp_core::error::Result;
use ucp_core::model::comparison::{Certainty, parse_document};
use ucp_core::model::field_owner::Origin;
use ucp_core::model::text::one_line;
use ucp_core::model::time::age;
use ucp_features::drift::DriftLayer;
use ucp_features::drift::uncompared::UncomparedReason;

/// The names of both sides. As in `kubectl diff`, `+` is the declared side.
const OBSERVED: &str = "observed";
const DECLARED: &str = "declared";
/// The limit for markdown, below the 65,536 characters that GitHub accepts in a comment. A diff that does not fit is
/// omitted, but its fields are listed.
const LARGEST_MARKDOWN: usize = 60_000;

/// The number of fields of one kind that are listed as not compared.
const MOST_FIELDS: usize = 8;
/// The indentation of lines that belong to the line above.
const INDENT: &str = "  ";

/// A report with the number of context lines.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct DriftView<'report> {
    /// The report to render.
    pub report: &'report DriftReport,
    /// The number of context lines around a change.
    #[serde(skip)]
    pub context_lines: usize,
}

impl Report for DriftView<'_> {
    fn html(&self) -> Result<HtmlPage> {
        Ok(page(self))
    }

    fn table(&self, style: &TableStyle) -> String {
        let mut text = String::new();
        let (orphans, others): (Vec<_>, Vec<_>) =
            self.report.items.iter().partition(|item| item.layer == DriftLayer::Orphan);
        for group in group_unknown(&others) {
            self.add_items(&mut text, &group, style);
            text.push('\n');
        }
        if !orphans.is_empty() {
            text.push_str(&self.orphan_table(&orphans, style));
            text.push('\n');
        }
        for line in self.summary() {
            // Reasons are indented, and may be long.
            match line.strip_prefix(INDENT) {
                Some(reason) => words::add_wrapped(&mut text, reason, INDENT, style, usize::MAX),
                None => text.extend([line.as_str(), "\n"]),
            }
        }
        text
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.report.items.iter().map(|item| one_line(&item.object.kind_and_name())).collect();
        // One object may have differences in two layers.
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        names
    }

    fn markdown(&self) -> String {
        let (name, line) = if self.report.header.has_several_sources() { ("| Context ", "|---") } else { ("", "") };
        let mut text = format!("{name}| Layer | Certainty | Code | Object | Fields | What happens next |\n");
        text.push_str(&format!("{line}|---|---|---|---|---|---|\n"));
        for item in &self.report.items {
            let paths: Vec<_> = item.differences.iter().map(|difference| difference.path.as_str()).collect();
            let cells = [
                item.layer.as_str().to_owned(),
                item.certainty.as_str().to_owned(),
                item.code.clone(),
                words::markdown_cell(&object_title(item)),
                words::markdown_cell(&paths.join(", ")),
                words::markdown_cell(&item.message),
            ];
            let row = format!("{}| {} |\n", words::markdown_source(item), cells.join(" | "));
            if text.len() + row.len() > LARGEST_MARKDOWN {
                text.push_str("\nThe other differences are omitted because of the size limit of a comment.\n");
                break;
            }
            text.push_str(&row);
        }
        for item in &self.report.items {
            let Some(sides) = &item.sides else { continue };
            let diff = anstream::adapter::strip_str(&self.diff(sides)).to_string();
            let fence = "`".repeat(longest_run_of_backticks(&diff).max(2) + 1);
            let name = words::markdown_cell(&object_title(item));
            let folded = format!("\n<details><summary>{name}</summary>\n\n{fence}diff\n{diff}{fence}\n\n</details>\n");
            if text.len() + folded.len() <= LARGEST_MARKDOWN {
                text.push_str(&folded);
            }
        }
        text.push('\n');
        for line in self.summary() {
            let _ = writeln!(text, "{}\n", words::markdown_cell(&anstream::adapter::strip_str(&line).to_string()));
        }
        text
    }
}

impl DriftView<'_> {
    fn moment_of(&self, item: &Sourced<DriftItem>) -> Timestamp {
        self.report.header.source.moment_of(item).unwrap_or(self.report.moment)
    }

    /// Returns the number of differences, the number of checked objects, and the number of unknown results.
    pub fn summary(&self) -> Vec<String> {
        summary(self.report)
    }

    /// Adds objects whose state is unknown for the same reason, or a single object.
    fn add_items(&self, text: &mut String, items: &[&Sourced<DriftItem>], style: &TableStyle) {
        let Some((item, more)) = items.split_first() else { return };
        let since = item.since.map(|since| format!("  {}", age(since, self.moment_of(item)))).unwrap_or_default();
        let look = match item.certainty {
            Certainty::Certain => look::BAD,
            Certainty::Suspected | Certainty::Unknown => look::WARN,
        };
        let title = match more.len() {
            0 => object_title(item),
            number => format!("{} and {number} more", object_title(item)),
        };
        let (certainty, code) = (styled(look, item.certainty.as_str()), styled(look::FAINT, &item.code));
        let before = format!("{certainty}  {code}  {}", words::source_line_prefix(item));
        words::add_heading(text, &before, &format!("{}{since}", styled(look::STRONG, &title)), style);
        words::add_wrapped(text, &item.message, INDENT, style, usize::MAX);
        let is_wide = style.detail == DetailLevel::Wide;
        if is_wide && !more.is_empty() {
            let titles: Vec<String> = more.iter().map(|item| object_title(item)).collect();
            words::add_wrapped(text, &format!("also {}", titles.join(", ")), INDENT, style, usize::MAX);
        }
        if let Some(manager) = item.managed_by.as_ref().filter(|_| is_wide) {
            let line = format!("deployed by {}", words::object(manager));
            words::add_wrapped(text, &line, INDENT, style, usize::MAX);
        }
        if let Some(sides) = &item.sides {
            for line in self.diff(sides).lines() {
                let _ = writeln!(text, "  {line}");
            }
        }
        for difference in &item.differences {
            let Some(owner) = &difference.set_by else { continue };
            let line = match owner.origin {
                Origin::LateInitialized => {
                    format!("{} was filled in by its provider and is not declared", difference.path)
                }
                Origin::Declared if is_wide => format!("{} was set by {}", difference.path, owner.manager),
                Origin::Declared => continue,
            };
            let _ = writeln!(text, "  {}", styled(look::FAINT, &one_line(&line)));
        }
    }

    fn diff(&self, sides: &DriftSides) -> String {
        let [observed, declared] = yaml_sides(sides);
        unified_with_context(&observed, &declared, OBSERVED, DECLARED, self.context_lines)
    }

    fn orphan_table(&self, orphans: &[&Sourced<DriftItem>], style: &TableStyle) -> String {
        let mut columns = Vec::new();
        if self.report.header.has_several_sources() {
            columns.push(TableColumn::Fixed(words::SOURCE));
        }
        columns.extend([
            TableColumn::Fixed("ORPHAN"),
            TableColumn::Fixed("NAMESPACE"),
            TableColumn::Fixed("AGE"),
            TableColumn::Fixed("CERTAINTY"),
            TableColumn::Flexible("WHY"),
        ]);
        let rows = orphans.iter().map(|item| {
            let mut row: Vec<String> = item.source.iter().map(|source| one_line(source.label())).collect();
            row.extend([
                one_line(&item.object.kind_and_name()),
                item.object.namespace.as_deref().map(one_line).unwrap_or_default(),
                item.since.map(|since| age(since, self.moment_of(item))).unwrap_or_default(),
                item.certainty.as_str().to_owned(),
                one_line(&item.message),
            ]);
            row
        });
        table(&columns, rows, style)
    }
}

/// Groups objects whose state is unknown for the same reason, such as all objects of a provider that is down.
fn group_unknown<'report>(items: &[&'report Sourced<DriftItem>]) -> Vec<Vec<&'report Sourced<DriftItem>>> {
    let mut groups: Vec<Vec<&Sourced<DriftItem>>> = Vec::new();
    let mut known: HashMap<(&str, &str, Option<&str>), usize> = HashMap::new();
    for item in items {
        let is_unknown = item.certainty == Certainty::Unknown && item.differences.is_empty();
        let likeness = (item.code.as_str(), item.message.as_str(), item.source.as_ref().map(|source| source.label()));
        match known.get(&likeness).filter(|_| is_unknown) {
            Some(group) => groups[*group].push(item),
            None => {
                if is_unknown {
                    known.insert(likeness, groups.len());
                }
                groups.push(vec![item]);
            }
        }
    }
    groups
}

/// Returns the name of an object, with its cluster if it is another one.
fn object_title(item: &DriftItem) -> String {
    match &item.cluster {
        Some(cluster) => format!("{} in {}", words::object(&item.object), one_line(cluster)),
        None => words::object(&item.object),
    }
}

/// Returns both sides as YAML, the observed side first. Strings with JSON are split into lines and lists of scalars are
/// sorted, so that a diff only shows relevant differences.
pub fn yaml_sides(sides: &DriftSides) -> [String; 2] {
    let (mut observed, mut declared) = (sides.observed.clone(), sides.declared.clone());
    line_up(&mut observed, &mut declared);
    [observed, declared].map(|side| serde_saphyr::to_string(&side).unwrap_or_else(|_| format!("{side:#}\n")))
}

fn line_up(observed: &mut Value, declared: &mut Value) {
    match (observed, declared) {
        (Value::Object(observed), Value::Object(declared)) => {
            for (name, value) in observed {
                if let Some(other) = declared.get_mut(name) {
                    line_up(value, other);
                }
            }
        }
        (Value::Array(observed), Value::Array(declared)) => {
            let is_scalar = |value: &Value| !value.is_object() && !value.is_array();
            if observed.iter().chain(declared.iter()).all(is_scalar) {
                let place = |value: &Value| declared.iter().position(|other| other == value).unwrap_or(usize::MAX);
                observed.sort_by_key(place);
            } else {
                observed.iter_mut().zip(declared).for_each(|(observed, declared)| line_up(observed, declared));
            }
        }
        (Value::String(left), Value::String(right)) if left != right => {
            if let (Some(mut observed), Some(mut declared)) = (parse_document(left), parse_document(right)) {
                line_up(&mut observed, &mut declared);
                *left = format!("{observed:#}\n");
                *right = format!("{declared:#}\n");
            }
        }
        _ => {}
    }
}

fn summary(report: &DriftReport) -> Vec<String> {
    let mut lines: Vec<String> = [
        (DriftLayer::External, "External", "differ"),
        (DriftLayer::Gitops, "Git", "differ"),
        (DriftLayer::Orphan, "Orphans", "found"),
    ]
    .into_iter()
    .map(|(layer, name, differ)| layer_summary(report, layer, name, differ))
    .collect();
    for (reason, title) in [
        (UncomparedReason::NotObserved, "Not compared, since they are declared but not reported:"),
        (UncomparedReason::NotDeclared, "Not compared, since they are reported but not declared:"),
    ] {
        let mut fields = report.not_compared.iter().filter(|entry| entry.reason == reason).peekable();
        if fields.peek().is_some() {
            lines.push(styled(look::FAINT, title));
            lines.extend(fields.map(|entry| format!("{INDENT}{}", not_compared(entry))));
        }
    }
    let unreadable = words::unreadable(&report.unreadable);
    if !unreadable.is_empty() {
        lines.push(styled(look::WARN, "Could not be checked (unknown):"));
        lines.extend(unreadable.into_iter().map(|line| format!("{INDENT}{line}")));
    }
    lines
}

fn not_compared(entry: &Sourced<FieldsNotCompared>) -> String {
    let place = entry.source.as_ref().map(|source| format!("{}: ", one_line(source.label()))).unwrap_or_default();
    let fields: Vec<String> = entry.fields.iter().map(|field| one_line(field)).collect();
    let fields = words::join_limited(&fields, MOST_FIELDS);
    format!("{place}{} ({}): {fields}", entry.what, entry.objects)
}

fn layer_summary(report: &DriftReport, layer: DriftLayer, name: &str, differ: &str) -> String {
    let Some(checked) = report.checked.get(layer.as_str()) else {
        return styled(look::FAINT, &format!("{name}: not checked; pass --orphans"));
    };
    let number = |certainty: Certainty| {
        report.items.iter().filter(|item| item.layer == layer && item.certainty == certainty).count()
    };
    let [certain, suspected, unknown] = [Certainty::Certain, Certainty::Suspected, Certainty::Unknown].map(number);
    let mut text = format!("{name}: {checked} checked, ");
    let mut parts = Vec::new();
    match certain {
        // Without any completed check, there is no evidence for zero differences.
        0 if *checked == 0 && unknown > 0 => {}
        0 => parts.push(format!("none {differ}")),
        number => parts.push(format!("{number} {differ}")),
    }
    if suspected > 0 {
        parts.push(format!("{suspected} may differ"));
    }
    if unknown > 0 {
        parts.push(format!("{unknown} unknown"));
    }
    text.push_str(&parts.join(", "));
    let look = match (certain, suspected + unknown, *checked) {
        (1.., ..) => look::BAD,
        (0, 1.., _) | (0, 0, 0) => look::WARN,
        _ => look::GOOD,
    };
    styled(look, &text)
}

fn longest_run_of_backticks(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

fn page(view: &DriftView<'_>) -> HtmlPage {
    let mut page = HtmlPage::new("Drift");
    view.summary().into_iter().for_each(|line| page.line(TextTone::Plain, line));
    for item in &view.report.items {
        let tone = match item.certainty {
            Certainty::Certain => TextTone::Bad,
            Certainty::Suspected | Certainty::Unknown => TextTone::Warning,
        };
        let mut head: Vec<HtmlCell> = source_cell(item).collect();
        head.extend([
            HtmlCell::toned(tone, item.certainty.as_str()),
            HtmlCell::toned(TextTone::Faint, &item.code),
            match &item.cluster {
                Some(_) => HtmlCell::toned(TextTone::Strong, object_title(item)),
                None => {
                    let named = [(object_title(item), &item.object)];
                    HtmlCell::objects(TextTone::Strong, item.source.as_ref(), named)
                }
            },
        ]);
        head.extend(item.since.map(|since| HtmlCell::new(age(since, view.moment_of(item)))));
        let mut body = vec![HtmlPagePart::Line(TextTone::Plain, item.message.clone())];
        body.extend(item.sides.as_ref().map(|sides| HtmlPagePart::Code(view.diff(sides))));
        page.parts.push(HtmlPagePart::Fold { head, is_open: item.certainty == Certainty::Certain, body });
    }
    page
}
