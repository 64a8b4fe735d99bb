//! From a report to text: tables for people, JSON, YAML, names, markdown and templates for programs.

mod adoption;
mod bootstrap;
mod clusters;
mod conflicts;
pub mod custom_columns;
mod cut;
pub mod diff;
mod distribution;
mod doctor;
pub mod drift;
mod explanation;
mod findings;
pub mod format;
pub mod html;
mod images;
mod import;
pub mod jsonpath;
mod metrics;
mod plan;
mod plan_markdown;
mod plan_words;
mod promotion;
mod rehearsal;
mod resources;
mod script;
mod service;
mod snapshot;
mod snapshot_diff;
pub mod sort;
mod status;
pub mod table;
mod teardown;
mod tree;
mod version;
mod wait;
mod whole;
pub mod words;

pub use format::{Drawing, Format};
pub use sort::SortBy;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::model::text::{escape, is_unsafe};
use crate::ui::pager::LongLines;
use crate::yaml::ordered::{self, Ordered};

/// What is common to every table.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Columns of the terminal; `None` in a pipe, where nothing is cut.
    pub width: Option<usize>,
    /// More columns, and nothing cut.
    pub detail: Detail,
    /// Whether the first line names the columns.
    pub headers: Headers,
}

/// How much a table shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// What fits and matters.
    Normal,
    /// Every column, at its full width: `-o wide`.
    Wide,
}

/// Whether a table's first line names its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headers {
    /// It does.
    Shown,
    /// `--no-headers`.
    Hidden,
}

/// A document of `ucp/v1`, and how people and scripts like to see it.
pub trait Report: Serialize {
    /// The text for a person at a terminal. May hold styles; text from outside is made plain.
    fn table(&self, style: &Style) -> String;

    /// What that text's lines are, where the terminal is too narrow for them: sentences, unless it is one table.
    fn long_lines(&self) -> LongLines {
        LongLines::Wrap
    }

    /// Fields that an object may have and need not, for a template that finds none.
    fn optional_fields(&self) -> &'static [&'static str] {
        &[]
    }

    /// What somebody may do whose template was made for another document.
    fn advice_on_templates(&self) -> &'static str {
        ""
    }

    /// One `kind.group/name` a line, as `kubectl get -o name` prints it.
    fn names(&self) -> Vec<String>;

    /// GitHub-flavoured markdown, for pull requests and chats.
    fn markdown(&self) -> String;

    /// A diagram.
    ///
    /// # Errors
    /// A usage error for a document that is none.
    fn drawing(&self, drawing: Drawing) -> Result<String> {
        Err(Error::usage(format!("-o {} draws a tree: it is for 'kubectl ucp tree'", drawing.as_str())))
    }

    /// A page for a browser.
    ///
    /// # Errors
    /// A usage error for a document that has none.
    fn html(&self) -> Result<html::Page> {
        Err(Error::usage(format!("this has no form for browsers: -o html is for {}", format::HTML.join(", "))))
    }

    /// Numbers in Prometheus' text format.
    ///
    /// # Errors
    /// A usage error for a document that has none.
    fn metrics(&self) -> Result<String> {
        Err(Error::usage("-o prometheus counts what is well and what is not: it is for 'kubectl ucp status'"))
    }

    /// A shell script of what has to be done.
    ///
    /// # Errors
    /// A usage error for a document that has no steps.
    fn script(&self) -> Result<String> {
        Err(Error::usage("-o commands writes the steps of 'kubectl ucp teardown' for one core cluster"))
    }
}

/// Renders a report in the format that was asked for. The text ends with a newline unless it is empty, or a JSONPath
/// template says how it ends.
///
/// # Errors
/// When a template does not fit the document.
pub fn render(report: &impl Report, format: &Format, style: &Style) -> Result<String> {
    let mut text = match format {
        Format::Table => report.table(style),
        Format::Wide => report.table(&Style { detail: Detail::Wide, ..*style }),
        Format::Name => report.names().join("\n"),
        Format::Markdown => report.markdown(),
        Format::Drawing(drawing) => report.drawing(*drawing)?,
        Format::Prometheus => report.metrics()?,
        Format::Commands => report.script()?,
        Format::Html => return Ok(report.html()?.render()),
        Format::Json => escape(&serde_json::to_string_pretty(report)?),
        Format::Yaml => yaml(report)?,
        Format::CustomColumns(columns) => columns.render(&serde_json::to_value(report)?, style.headers)?,
        Format::JsonPath(template) => return template.render(&serde_json::to_value(report)?),
    };
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// Says which field of a template no object has, where it finds nothing at all.
///
/// # Errors
/// When the report has no form in JSON.
pub fn unmatched(report: &impl Report, format: &Format) -> Result<Option<String>> {
    let document = || serde_json::to_value(report);
    let missing = match format {
        Format::JsonPath(template) => template.unmatched(&document()?, report.optional_fields()),
        Format::CustomColumns(columns) => columns.unmatched(&document()?, report.optional_fields()),
        _ => None,
    };
    let advice = match report.advice_on_templates() {
        "" => String::new(),
        advice => format!(" ({advice})"),
    };
    Ok(missing.map(|missing| format!("no object has a field {}{}{advice}", missing.path, missing.meant)))
}

/// Writes YAML that no terminal obeys.
///
/// # Errors
/// When the value has no form in YAML.
pub fn yaml(report: &impl Serialize) -> Result<String> {
    let failed = |error: &dyn std::fmt::Display| Error::failed(anyhow::anyhow!("{error}"));
    let text = serde_saphyr::to_string(report).map_err(|error| failed(&error))?;
    if !text.chars().any(|character| character != '\n' && is_unsafe(character)) {
        return Ok(text);
    }
    // An escape stands for its character in double quotes only, so what has such characters is quoted.
    let document: Ordered = serde_json::from_str(&serde_json::to_string(report)?)?;
    ordered::write(&document).map_err(|error| failed(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_escapes_what_a_terminal_would_obey_and_keeps_its_meaning() {
        let value = serde_json::json!({"message": "a\u{9b}31m\u{202e}b\u{1b}\nc"});
        let text = escape(&serde_json::to_string_pretty(&value).unwrap());
        assert!(!text.chars().any(|character| character != '\n' && crate::model::text::is_unsafe(character)));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }

    #[test]
    fn yaml_of_hostile_text_stays_yaml() {
        let value = serde_json::json!({
            "message": "a\u{9b}31m\u{202e}b\u{1b}\u{7f}\nc\td: #", "n": "\u{feff}",
            "block": "a:\n\tb\n", "plain": "a\u{200d}b", "key\u{200e}": 1,
        });
        let text = yaml(&value).unwrap();
        assert!(!text.chars().any(|character| character != '\n' && crate::model::text::is_unsafe(character)));
        assert_eq!(serde_saphyr::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
