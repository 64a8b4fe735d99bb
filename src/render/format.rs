//! The `-o` flag.

use crate::render::custom_columns::CustomColumns;
use crate::render::jsonpath::{JsonPathTemplate, ResultLayout};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::nearest::did_you_mean;
use ucp_core::model::text::plain;
use ucp_core::model::variant_words::variant_words;

/// An output format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputFormat {
    /// A table with the columns that fit the terminal.
    Table,
    /// A table with all columns.
    Wide,
    /// The `ucp/v1` document as JSON.
    Json,
    /// The `ucp/v1` document as YAML.
    Yaml,
    /// One object per line.
    Name,
    /// GitHub-flavored markdown.
    Markdown,
    /// A self-contained HTML file.
    Html,
    /// A diagram, for trees.
    Drawing(DiagramFormat),
    /// Metrics, for `status`.
    Prometheus,
    /// A script with the steps, for `teardown`.
    Commands,
    /// The result of a template: `jsonpath=`, `jsonpath-file=`, or `jsonpath-as-json=`.
    JsonPath(JsonPathTemplate),
    /// A table with user-defined columns: `custom-columns=` or `custom-columns-file=`.
    CustomColumns(CustomColumns),
}

/// Commands that support `-o html`.
pub const HTML: [&str; 7] = ["status", "resources", "images", "drift", "plan", "tree", "history"];

/// A diagram format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiagramFormat {
    /// The Graphviz DOT language.
    Dot,
    /// Mermaid, which GitHub renders in a code fence.
    Mermaid,
    /// An SVG image.
    Svg,
}

variant_words!(DiagramFormat { Dot = "dot", Mermaid = "mermaid", Svg = "svg" });

impl OutputFormat {
    /// Formats without an argument.
    pub const NAMES: [&str; 7] = ["table", "wide", "json", "yaml", "name", "markdown", "html"];
    /// Formats that only some commands support.
    const SPECIAL: [&str; 5] = ["prometheus", "commands", "dot", "mermaid", "svg"];
    /// Formats whose name is followed by `=` and a template or a file.
    pub const TEMPLATES: [&str; 5] =
        ["jsonpath", "jsonpath-file", "jsonpath-as-json", "custom-columns", "custom-columns-file"];
}

impl OutputFormat {
    /// Returns the names of the formats without an argument that a command supports.
    pub fn names_for(command: &str) -> Vec<&'static str> {
        let is_supported = |name: &&str| {
            let format = Self::parse(name, |_| Err(std::io::ErrorKind::Unsupported.into()));
            format.is_ok_and(|format| format.only_for().is_none_or(|(commands, _)| commands.contains(&command)))
        };
        Self::NAMES.into_iter().chain(Self::SPECIAL).filter(is_supported).collect()
    }

    /// Returns the commands that support this format, and a description of the format; `None` if all commands support
    /// it.
    pub fn only_for(&self) -> Option<(&'static [&'static str], String)> {
        match self {
            Self::Drawing(drawing) => Some((&["tree"], format!("-o {} draws a tree", drawing.as_str()))),
            Self::Prometheus => Some((&["status"], "-o prometheus prints counts by verdict".to_owned())),
            Self::Commands => Some((&["teardown"], "-o commands writes a script of the steps".to_owned())),
            Self::Html => Some((&HTML, "-o html is a page for a browser".to_owned())),
            _ => None,
        }
    }

    /// Parses a format. Templates are parsed as well, so that an invalid one is a usage error; `read` reads the file of
    /// a template.
    ///
    /// # Errors
    /// Returns the reason, for the user.
    pub fn parse(text: &str, read: impl Fn(&str) -> std::io::Result<String>) -> Result<Self, Failure> {
        let in_file = |name, path| in_file(name, path, &read);
        let (name, argument) = text.split_once('=').unwrap_or((text, ""));
        Ok(match name {
            "jsonpath" => Self::JsonPath(JsonPathTemplate::parse(argument, ResultLayout::Text)?),
            "jsonpath-as-json" => Self::JsonPath(JsonPathTemplate::parse(argument, ResultLayout::JsonArrays)?),
            "jsonpath-file" => Self::JsonPath(
                in_file(name, argument)?.parse(|text| JsonPathTemplate::parse(text, ResultLayout::Text))?,
            ),
            "custom-columns" => Self::CustomColumns(CustomColumns::parse(argument)?),
            "custom-columns-file" => Self::CustomColumns(in_file(name, argument)?.parse(CustomColumns::parse_file)?),
            _ => match text {
                "table" => Self::Table,
                "wide" => Self::Wide,
                "json" => Self::Json,
                "yaml" => Self::Yaml,
                "name" => Self::Name,
                "markdown" | "md" => Self::Markdown,
                "html" => Self::Html,
                "prometheus" => Self::Prometheus,
                "commands" => Self::Commands,
                "dot" => Self::Drawing(DiagramFormat::Dot),
                "mermaid" => Self::Drawing(DiagramFormat::Mermaid),
                "svg" => Self::Drawing(DiagramFormat::Svg),
                _ => {
                    let meant = did_you_mean(text, Self::NAMES);
                    return fail!(
                        "expected table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE, jsonpath-file=PATH, \
                         jsonpath-as-json=TEMPLATE, custom-columns=SPEC or custom-columns-file=PATH{meant}"
                    );
                }
            },
        })
    }
}

/// A template that was read from a file, with the path of the file.
struct TemplateFile<'path> {
    path: &'path str,
    text: String,
}

impl TemplateFile<'_> {
    /// Escapes the message, since it may quote the file and clap prints it verbatim.
    fn parse<T>(self, parse: impl Fn(&str) -> Result<T, Failure>) -> Result<T, Failure> {
        parse(&self.text).map_err(|error| format!("{}: {}", self.path, plain(error.as_str())).into())
    }
}

fn in_file<'path>(
    format: &str,
    path: &'path str,
    read: impl Fn(&str) -> std::io::Result<String>,
) -> Result<TemplateFile<'path>, Failure> {
    if path.is_empty() {
        return fail!("{format} needs a file: {format}=PATH");
    }
    let text = read(path).map_err(|error| format!("error reading template {path}: {error}"))?;
    Ok(TemplateFile { path, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_offers_the_formats_that_it_supports() {
        let offers = |command, name| OutputFormat::names_for(command).contains(&name);
        assert!(offers("status", "prometheus") && offers("status", "html") && !offers("status", "svg"));
        assert!(offers("tree", "svg") && offers("teardown", "commands") && !offers("clusters", "html"));
    }

    fn parse(text: &str) -> Result<OutputFormat, Failure> {
        OutputFormat::parse(text, |path| match path {
            "template" => Ok("{.a}\n".to_owned()),
            "broken" => Ok("{.a}\n{x\u{1b}}".to_owned()),
            "columns" => Ok("A B\n.a .b\n".to_owned()),
            _ => Err(std::io::ErrorKind::NotFound.into()),
        })
    }

    fn complaint(text: &str) -> String {
        parse(text).unwrap_err().into()
    }

    #[test]
    fn templates_are_parsed_with_the_flag() {
        let template = |source| OutputFormat::JsonPath(JsonPathTemplate::parse(source, ResultLayout::Text).unwrap());
        assert_eq!(parse("jsonpath={.a}={.b}"), Ok(template("{.a}={.b}")));
        assert_ne!(parse("jsonpath-as-json={.a}"), Ok(template("{.a}")));
        assert_eq!(
            parse("custom-columns=A:.a"),
            Ok(OutputFormat::CustomColumns(CustomColumns::parse("A:.a").unwrap()))
        );
        assert!(complaint("jsonpath={.a").contains("unclosed action at character 4"));
        assert!(complaint("jsonpath").contains("no template given"));
        assert!(complaint("custom-columns=A").contains("expected <header>:<json-path-expr>"));
        assert!(complaint("jsonpath-file=").contains("jsonpath-file=PATH"));
        assert!(complaint("jsonpath-file=/no/such/file").contains("/no/such/file"));
        assert!(complaint("table=x").contains("expected table"));
    }

    #[test]
    fn templates_come_from_files() {
        let template = JsonPathTemplate::parse("{.a}\n", ResultLayout::Text).unwrap();
        assert_eq!(parse("jsonpath-file=template"), Ok(OutputFormat::JsonPath(template)));
        let complaint = complaint("jsonpath-file=broken");
        assert!(
            complaint.ends_with("broken: error parsing jsonpath: unrecognized identifier x\\u{1b} at character 7"),
            "{complaint}"
        );
        assert_eq!(
            parse("custom-columns-file=columns"),
            Ok(OutputFormat::CustomColumns(CustomColumns::parse("A:.a,B:.b").unwrap()))
        );
    }
}
