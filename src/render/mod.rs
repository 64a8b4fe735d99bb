//! Renders reports as text: tables, JSON, YAML, names, markdown, and templates.

mod adoption;
mod bootstrap;
mod clusters;
mod conflicts;
pub mod custom_columns;
pub mod cut;
pub mod diff;
mod distribution;
mod doctor;
pub mod drift;
pub mod events;
mod explanation;
mod findings;
pub(crate) mod fitting;
pub mod format;
pub mod history;
pub mod html;
mod images;
mod import;
pub mod jsonpath;
mod metrics;
mod pipeline;
mod plan;
mod plan_groups;
mod plan_markdown;
mod plan_words;
mod promotion;
mod promotion_check;
mod provenance;
pub mod rehearsal;
mod resources;
mod script;
mod service;
mod snapshot;
mod snapshot_diff;
pub mod sort;
mod status;
mod style;
pub mod table;
mod teardown;
pub mod tree;
mod version;
mod wait;
mod whole;
pub mod words;

pub use format::{DiagramFormat, OutputFormat};
pub use sort::SortBy;
pub use style::{DetailLevel, HeaderVisibility, TableStyle};

use serde::Serialize;

use crate::report::promotion::RepositoryPath;
use crate::ui::pager::LongLineMode;
use ucp_core::error::{Error, Result};
use ucp_core::model::secrecy::hide_known_values;
use ucp_core::model::state::Origin;
use ucp_core::model::text::{escape, is_unsafe};
use ucp_repo::yaml::ordered::{self, OrderedValue};

/// A document of `ucp/v1` that can be rendered in the output formats.
pub trait Report: Serialize {
    /// Returns the text for a terminal. May contain styles; external text is sanitized.
    fn table(&self, style: &TableStyle) -> String;

    /// Returns the handling of long lines: wrapped by default, scrolled for a single table.
    fn long_lines(&self) -> LongLineMode {
        LongLineMode::Wrap
    }

    /// Returns optional fields, which are not reported as missing for a template without results.
    fn optional_fields(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns advice for a template that was written for another document.
    fn advice_on_templates(&self) -> &'static str {
        ""
    }

    /// Returns one `kind.group/name` per line, as `kubectl get -o name` does.
    fn names(&self) -> Vec<String>;

    /// Returns GitHub-flavored markdown, for pull requests and chats.
    fn markdown(&self) -> String;

    /// Returns the time of the cluster state, if no field of the document has it.
    fn state_moment(&self) -> Option<jiff::Timestamp> {
        None
    }

    /// Returns the repository that the document is about, if its source is no cluster.
    fn repository(&self) -> Option<&RepositoryPath> {
        None
    }

    /// Returns the cluster or snapshot that was read in addition to the source of the document.
    fn cluster(&self) -> Option<&Origin> {
        None
    }

    /// Returns true for a document that is published and compared with that of a later run, such as a comment on a pull request:
    /// it names no cluster and no time.
    fn is_published(&self) -> bool {
        false
    }

    /// Returns a diagram.
    ///
    /// # Errors
    /// Returns a usage error for a document without a diagram.
    fn drawing(&self, drawing: DiagramFormat) -> Result<String> {
        Err(Error::usage(format!("-o {} draws trees: it is for 'kubectl ucp tree'", drawing.as_str())))
    }

    /// Returns an HTML page.
    ///
    /// # Errors
    /// Returns a usage error for a document without an HTML page.
    fn html(&self) -> Result<html::HtmlPage> {
        Err(Error::usage(format!("-o html is not supported here: it is for {}", format::HTML.join(", "))))
    }

    /// Returns metrics in the Prometheus text format.
    ///
    /// # Errors
    /// Returns a usage error for a document without metrics.
    fn metrics(&self) -> Result<String> {
        Err(Error::usage("-o prometheus prints counts by verdict: it is for 'kubectl ucp status'"))
    }

    /// Returns a shell script of the required steps.
    ///
    /// # Errors
    /// Returns a usage error for a document without steps.
    fn script(&self) -> Result<String> {
        Err(Error::usage("-o commands writes the steps of 'kubectl ucp teardown' for one core cluster"))
    }
}

/// Renders a report in an output format. The text ends with a newline unless it is empty, or a JSONPath template
/// defines its end.
///
/// # Errors
/// Fails when a template does not match the document.
pub fn render(report: &impl Report, format: &OutputFormat, style: &TableStyle) -> Result<String> {
    let text = format_report(report, format, style)?;
    // A Secret may have been read later than a text that quotes one of its values.
    Ok(hide_known_values(&text).unwrap_or(text))
}

fn format_report(report: &impl Report, format: &OutputFormat, style: &TableStyle) -> Result<String> {
    let mut text = match format {
        OutputFormat::Table => report.table(style),
        OutputFormat::Wide => report.table(&TableStyle { detail: DetailLevel::Wide, ..*style }),
        OutputFormat::Name => report.names().join("\n"),
        OutputFormat::Markdown => match provenance(report)? {
            Some(line) => format!("{}\n\n<sub>{}</sub>", report.markdown().trim_end(), words::markdown_cell(&line)),
            None => report.markdown(),
        },
        OutputFormat::Drawing(drawing) => report.drawing(*drawing)?,
        OutputFormat::Prometheus => report.metrics()?,
        OutputFormat::Commands => report.script()?,
        OutputFormat::Html => return Ok(page(report)?.render()),
        OutputFormat::Json => escape(&serde_json::to_string_pretty(report)?),
        OutputFormat::Yaml => yaml(report)?,
        OutputFormat::CustomColumns(columns) => columns.render(&serde_json::to_value(report)?, style.headers)?,
        OutputFormat::JsonPath(template) => return template.render(&serde_json::to_value(report)?),
    };
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// Returns the HTML page of a report, with the line about its sources at the top.
fn page(report: &impl Report) -> Result<html::HtmlPage> {
    let mut page = report.html()?;
    let line = provenance(report)?.map(|line| html::HtmlPagePart::Line(html::TextTone::Faint, line));
    page.parts.splice(0..0, line);
    Ok(page)
}

fn provenance(report: &impl Report) -> Result<Option<String>> {
    if report.is_published() {
        return Ok(None);
    }
    let mut document = serde_json::to_value(report)?;
    if let Some(cluster) = report.cluster() {
        document["source"] = serde_json::to_value(cluster)?;
    } else if let Some(repository) = report.repository() {
        document["source"] = serde_json::json!({"repository": repository.path});
    }
    if let Some(moment) = report.state_moment() {
        document["moment"] = serde_json::to_value(moment)?;
    }
    Ok(provenance::provenance(&document, jiff::Timestamp::now()))
}

/// Returns a message with the template field that no object has, if the template has no results.
///
/// # Errors
/// Fails when the report cannot be serialized as JSON.
pub fn unmatched(report: &impl Report, format: &OutputFormat) -> Result<Option<String>> {
    let document = || serde_json::to_value(report);
    let missing = match format {
        OutputFormat::JsonPath(template) => template.unmatched(&document()?, report.optional_fields()),
        OutputFormat::CustomColumns(columns) => columns.unmatched(&document()?, report.optional_fields()),
        _ => None,
    };
    let advice = match report.advice_on_templates() {
        "" => String::new(),
        advice => format!(" ({advice})"),
    };
    Ok(missing.map(|missing| format!("no object has a field {}{}{advice}", missing.path, missing.meant)))
}

/// Serializes a value as YAML without terminal control characters.
///
/// # Errors
/// Fails when the value cannot be serialized as YAML.
pub fn yaml(report: &impl Serialize) -> Result<String> {
    let failed = |error: &dyn std::fmt::Display| Error::failed(format!("{error}"));
    let text = serde_saphyr::to_string(report).map_err(|error| failed(&error))?;
    if !text.chars().any(|character| character != '\n' && is_unsafe(character)) {
        return Ok(text);
    }
    // Escapes only work in double quotes, so texts with such characters are quoted.
    let document: OrderedValue = serde_json::from_str(&serde_json::to_string(report)?)?;
    ordered::write(&document).map_err(|error| failed(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_escapes_control_characters_without_changing_its_meaning() {
        let value = serde_json::json!({"message": "a\u{9b}31m\u{202e}b\u{1b}\nc"});
        let text = escape(&serde_json::to_string_pretty(&value).unwrap());
        assert!(!text.chars().any(|character| character != '\n' && ucp_core::model::text::is_unsafe(character)));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }

    #[test]
    fn yaml_escapes_hostile_text_without_changing_its_meaning() {
        let value = serde_json::json!({
            "message": "a\u{9b}31m\u{202e}b\u{1b}\u{7f}\nc\td: #", "n": "\u{feff}",
            "block": "a:\n\tb\n", "plain": "a\u{200d}b", "key\u{200e}": 1,
        });
        let text = yaml(&value).unwrap();
        assert!(!text.chars().any(|character| character != '\n' && ucp_core::model::text::is_unsafe(character)));
        assert_eq!(serde_saphyr::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
