//! The `-o` flag.

use std::str::FromStr;

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
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "table" => Self::Table,
            "wide" => Self::Wide,
            "json" => Self::Json,
            "yaml" => Self::Yaml,
            "name" => Self::Name,
            "markdown" | "md" => Self::Markdown,
            _ => return Err("expected table, wide, json, yaml, name, markdown, jsonpath=… or custom-columns=…".into()),
        })
    }
}
