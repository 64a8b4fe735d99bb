//! File formats that contain versions, all parsed into one type of tree with byte positions.

mod key_value;
mod toml;

use std::borrow::Cow;

use crate::yaml::YamlError;
use crate::yaml::template;
use crate::yaml::tree::{self, YamlNode};

/// Format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileFormat {
    /// YAML, with any number of documents, including Go templates of YAML.
    Yaml,
    /// JSON.
    Json,
    /// TOML.
    Toml,
    /// Lines of `KEY=VALUE`.
    KeyValue,
}

/// File extensions by format. Files with other extensions have no known format.
const ENDINGS: [(&str, FileFormat); 12] = [
    (".yaml", FileFormat::Yaml),
    (".yml", FileFormat::Yaml),
    (".yaml.gotmpl", FileFormat::Yaml),
    (".yml.gotmpl", FileFormat::Yaml),
    (".gotmpl", FileFormat::Yaml),
    (".yaml.tmpl", FileFormat::Yaml),
    (".yaml.tpl", FileFormat::Yaml),
    (".json", FileFormat::Json),
    (".toml", FileFormat::Toml),
    (".env", FileFormat::KeyValue),
    (".properties", FileFormat::KeyValue),
    (".webmanifest", FileFormat::Json),
];

impl FileFormat {
    /// Detects the format of a file by its name, or by its text if the name has no extension.
    pub fn detect(file: &str, text: &str) -> Option<Self> {
        match Self::by_name(file) {
            // A file named `.env` may contain YAML.
            Some(Self::KeyValue) => Self::by_text(text),
            None if !file_name(file).contains('.') => Self::by_text(text),
            ending => ending,
        }
    }

    /// Returns the format that the ending of a file name suggests.
    pub fn by_name(file: &str) -> Option<Self> {
        let name = file_name(file).to_ascii_lowercase();
        let ending = ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, format)| *format);
        ending.or_else(|| name.starts_with(".env.").then_some(FileFormat::KeyValue))
    }

    fn by_text(text: &str) -> Option<Self> {
        if key_value::parse(text).is_ok() {
            return Some(Self::KeyValue);
        }
        let documents = Self::Yaml.parse(text).ok()?.documents;
        let collection = |node: &YamlNode| !node.entries().is_empty() || !node.items().is_empty();
        documents.iter().any(collection).then_some(Self::Yaml)
    }

    /// Parses the documents of a text.
    ///
    /// # Errors
    /// Fails when the text does not have this format.
    pub fn parse(self, text: &str) -> Result<ParsedText, YamlError> {
        let plain = |documents| ParsedText { documents, reading: ParseMode::AsWritten };
        match self {
            Self::Yaml => match tree::parse(text) {
                Err(error) if text.contains("{{") => match tree::parse(&template::mask(text)) {
                    Ok(documents) => Ok(ParsedText { documents, reading: ParseMode::Template }),
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

/// Documents of a text, with the mode in which they were parsed.
#[derive(Debug)]
pub struct ParsedText {
    /// Roots of the documents.
    pub documents: Vec<YamlNode>,
    /// Mode in which the text was parsed.
    pub reading: ParseMode,
}

/// Mode of parsing a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParseMode {
    /// The text as written.
    AsWritten,
    /// A Go template that is not valid YAML before it is rendered, with its expressions masked.
    Template,
}

impl ParseMode {
    /// Returns the text as parsers of its format accept it.
    pub(crate) fn prepare(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::AsWritten => Cow::Borrowed(text),
            Self::Template => Cow::Owned(template::mask(text)),
        }
    }
}
fn file_name(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}
