//! The formats that versions stand in, all read into one tree of nodes that know their bytes.

mod key_value;
mod toml;

use std::borrow::Cow;

use crate::yaml::YamlError;
use crate::yaml::template;
use crate::yaml::tree::{self, Node};

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// YAML, with any number of documents; Go templates of YAML as well.
    Yaml,
    /// JSON.
    Json,
    /// TOML.
    Toml,
    /// Lines of `KEY=VALUE`.
    KeyValue,
}

/// Endings of file names, by format. What has another ending is of no known format.
const ENDINGS: [(&str, Format); 12] = [
    (".yaml", Format::Yaml),
    (".yml", Format::Yaml),
    (".yaml.gotmpl", Format::Yaml),
    (".yml.gotmpl", Format::Yaml),
    (".gotmpl", Format::Yaml),
    (".yaml.tmpl", Format::Yaml),
    (".yaml.tpl", Format::Yaml),
    (".json", Format::Json),
    (".toml", Format::Toml),
    (".env", Format::KeyValue),
    (".properties", Format::KeyValue),
    (".webmanifest", Format::Json),
];

impl Format {
    /// The format of a file by its name, or by its text where the name has no ending.
    pub fn of(file: &str, text: &str) -> Option<Self> {
        let name = file.rsplit(['/', '\\']).next().unwrap_or(file).to_ascii_lowercase();
        let ending = ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, format)| *format);
        let ending = ending.or_else(|| name.starts_with(".env.").then_some(Format::KeyValue));
        match ending {
            // What is called .env may hold YAML all the same.
            Some(Self::KeyValue) | None if ending.is_some() || !name.contains('.') => Self::by_text(text),
            ending => ending,
        }
    }

    fn by_text(text: &str) -> Option<Self> {
        if key_value::parse(text).is_ok() {
            return Some(Self::KeyValue);
        }
        let documents = Self::Yaml.parse(text).ok()?.documents;
        let collection = |node: &Node| !node.entries().is_empty() || !node.items().is_empty();
        documents.iter().any(collection).then_some(Self::Yaml)
    }

    /// The documents of a text.
    ///
    /// # Errors
    /// Where the text is not of this format.
    pub fn parse(self, text: &str) -> Result<Parsed, YamlError> {
        let plain = |documents| Parsed { documents, reading: Reading::AsWritten };
        match self {
            Self::Yaml => match tree::parse(text) {
                Err(error) if text.contains("{{") => match tree::parse(&template::mask(text)) {
                    Ok(documents) => Ok(Parsed { documents, reading: Reading::Template }),
                    Err(_) => Err(error),
                },
                result => result.map(plain),
            },
            Self::Json => tree::parse(text).map(plain),
            Self::Toml => Ok(plain(vec![toml::parse(text)?])),
            Self::KeyValue => Ok(plain(vec![key_value::parse(text)?])),
        }
    }
}

/// The documents of a text, and how they were read.
#[derive(Debug)]
pub struct Parsed {
    /// The roots of the documents.
    pub documents: Vec<Node>,
    /// How.
    pub reading: Reading,
}

/// Whether a text is read as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// It is.
    AsWritten,
    /// It is a Go template that is no YAML before it is filled in: its expressions are masked.
    Template,
}

impl Reading {
    /// The text as parsers of its format take it.
    pub(crate) fn of(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::AsWritten => Cow::Borrowed(text),
            Self::Template => Cow::Owned(template::mask(text)),
        }
    }
}
