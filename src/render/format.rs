//! The `-o` flag.

use std::str::FromStr;

use crate::model::nearest::did_you_mean;
use crate::render::custom_columns::Columns;
use crate::render::jsonpath::{Layout, Template};

/// An output format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// Columns that fit the terminal.
    Table,
    /// Every column.
    Wide,
    /// The `ucp/v1` document as JSON.
    Json,
    /// The `ucp/v1` document as YAML.
    Yaml,
    /// One object a line.
    Name,
    /// GitHub-flavoured markdown.
    Markdown,
    /// What a template makes of the document: `jsonpath=`, `jsonpath-file=` or `jsonpath-as-json=`.
    JsonPath(Template),
    /// A table of the user's own columns: `custom-columns=` or `custom-columns-file=`.
    CustomColumns(Columns),
}

impl Format {
    /// Formats that need no more than their name.
    pub const NAMES: [&str; 6] = ["table", "wide", "json", "yaml", "name", "markdown"];
    /// Formats whose name is followed by `=` and a template or a file.
    pub const TEMPLATES: [&str; 5] =
        ["jsonpath", "jsonpath-file", "jsonpath-as-json", "custom-columns", "custom-columns-file"];
}

impl FromStr for Format {
    type Err = String;

    /// Templates are parsed here, and read where they are in a file, so that a bad one is a usage error.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, argument) = text.split_once('=').unwrap_or((text, ""));
        Ok(match name {
            "jsonpath" => Self::JsonPath(Template::parse(argument, Layout::Text)?),
            "jsonpath-as-json" => Self::JsonPath(Template::parse(argument, Layout::JsonArrays)?),
            "jsonpath-file" => Self::JsonPath(in_file(name, argument, |text| Template::parse(text, Layout::Text))?),
            "custom-columns" => Self::CustomColumns(Columns::parse(argument)?),
            "custom-columns-file" => Self::CustomColumns(in_file(name, argument, Columns::parse_file)?),
            _ => match text {
                "table" => Self::Table,
                "wide" => Self::Wide,
                "json" => Self::Json,
                "yaml" => Self::Yaml,
                "name" => Self::Name,
                "markdown" | "md" => Self::Markdown,
                _ => {
                    let meant = did_you_mean(text, Self::NAMES);
                    return Err(format!(
                        "expected table, wide, json, yaml, name, markdown, jsonpath=TEMPLATE, jsonpath-file=PATH, \
                         jsonpath-as-json=TEMPLATE, custom-columns=SPEC or custom-columns-file=PATH{meant}"
                    ));
                }
            },
        })
    }
}

fn in_file<T>(format: &str, path: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<T, String> {
    if path.is_empty() {
        return Err(format!("{format} needs a file: {format}=PATH"));
    }
    let text = std::fs::read_to_string(path).map_err(|error| format!("error reading template {path}: {error}"))?;
    // The message may quote the file, and clap prints it as it is.
    parse(&text).map_err(|error| format!("{path}: {}", crate::ui::plain(&error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(text: &str) -> String {
        text.parse::<Format>().unwrap_err()
    }

    #[test]
    fn templates_are_parsed_with_the_flag() {
        let template = |source| Format::JsonPath(Template::parse(source, Layout::Text).unwrap());
        assert_eq!("jsonpath={.a}={.b}".parse(), Ok(template("{.a}={.b}")));
        assert_ne!("jsonpath-as-json={.a}".parse(), Ok(template("{.a}")));
        assert_eq!("custom-columns=A:.a".parse(), Ok(Format::CustomColumns(Columns::parse("A:.a").unwrap())));
        assert!(complaint("jsonpath={.a").contains("unclosed action at character 4"));
        assert!(complaint("jsonpath").contains("no template given"));
        assert!(complaint("custom-columns=A").contains("expected <header>:<json-path-expr>"));
        assert!(complaint("jsonpath-file=").contains("jsonpath-file=PATH"));
        assert!(complaint("jsonpath-file=/no/such/file").contains("/no/such/file"));
        assert!(complaint("table=x").contains("expected table"));
    }

    #[test]
    fn templates_come_from_files() {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str, contents: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, contents).unwrap();
            path.display().to_string()
        };
        let template = file("template", "{.a}\n");
        assert_eq!(
            format!("jsonpath-file={template}").parse(),
            Ok(Format::JsonPath(Template::parse("{.a}\n", Layout::Text).unwrap()))
        );
        let complaint = complaint(&format!("jsonpath-file={}", file("broken", "{.a}\n{x\u{1b}}")));
        assert!(
            complaint.ends_with("broken: error parsing jsonpath: unrecognized identifier x\\u{1b} at character 7"),
            "{complaint}"
        );
        let columns = file("columns", "A B\n.a .b\n");
        assert_eq!(
            format!("custom-columns-file={columns}").parse(),
            Ok(Format::CustomColumns(Columns::parse("A:.a,B:.b").unwrap()))
        );
    }
}
