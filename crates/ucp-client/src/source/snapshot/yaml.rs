//! Parses YAML documents to values. Errors never quote the text, which may be a Secret.

use std::io::Read;

use serde::de::DeserializeSeed as _;
use serde_json::Value;
use serde_saphyr::options::DuplicateKeyPolicy;

use super::json;
use super::text::NOT_TEXT;
use ucp_core::failure::Failure;
use ucp_core::model::weight;

/// Reads a file that holds one document of any kind. Errors contain the location and never quote the text.
pub fn parse_document(name: &str, bytes: &[u8]) -> Result<Value, Failure> {
    let text = std::str::from_utf8(bytes).map_err(|_| format!("{name}: {NOT_TEXT}"))?;
    parse_lenient(text.trim_start_matches('\u{feff}'))
        .map_err(|(offset, reason)| format!("{name}:{}: {reason}", offset + 1).into())
}

/// Reads all documents of a file without merging keys (`<<`), and with an error for keys that occur twice: for files whose
/// other readers may merge in another order. Errors contain the location and never quote the text.
///
/// # Errors
/// Fails when a document is not valid YAML, or when a key occurs twice.
pub fn parse_unmerged(name: &str, bytes: &[u8]) -> Result<Vec<Value>, Failure> {
    let text = std::str::from_utf8(bytes).map_err(|_| format!("{name}: {NOT_TEXT}"))?;
    let mut options = document_options(DuplicateKeyPolicy::Error, text.len());
    options.merge_keys = serde_saphyr::options::MergeKeyPolicy::AsOrdinary;
    weight::from_yaml_documents(text.trim_start_matches('\u{feff}'), options).map_err(|error| {
        let (offset, reason) = broken(&error).into_parts();
        format!("{name}:{}: {reason}", offset + 1).into()
    })
}

/// The error of a YAML document, with its line offset from the first line. It never quotes the text, which may be a
/// Secret.
pub(super) enum YamlDocumentError {
    DuplicateKey { offset: usize },
    Otherwise { offset: usize, reason: String },
}

impl YamlDocumentError {
    /// The line offset, and the reason.
    fn into_parts(self) -> (usize, String) {
        match self {
            Self::DuplicateKey { offset } => (offset, "a key occurs twice".to_owned()),
            Self::Otherwise { offset, reason } => (offset, reason),
        }
    }
}

/// Parses one YAML document. As in kubectl, the last of duplicate keys is used.
pub(super) fn parse_lenient(document: &str) -> Result<Value, (usize, String)> {
    parse(document, DuplicateKeyPolicy::LastWins).map_err(YamlDocumentError::into_parts)
}

/// Parses one YAML document, with an error for duplicate keys.
pub(super) fn parse_strict(document: &str) -> Result<Value, YamlDocumentError> {
    parse(document, DuplicateKeyPolicy::Error)
}

fn parse(document: &str, duplicate_keys: DuplicateKeyPolicy) -> Result<Value, YamlDocumentError> {
    let options = document_options(duplicate_keys, document.len());
    let value = weight::from_yaml_with_options::<Option<Value>>(document, options);
    value.map(Option::unwrap_or_default).map_err(|error| broken(&error))
}

fn document_options(duplicate_keys: DuplicateKeyPolicy, length: usize) -> serde_saphyr::Options {
    options(
        duplicate_keys,
        length,
        serde_saphyr::budget! {
            max_events: 60_000_000,
            max_nodes: 20_000_000,
            max_total_scalar_bytes: 1 << 30,
            max_depth: DEEPEST,
        },
    )
}

/// The length from which the limits for aliases of a document of unknown length are derived.
const STREAMED: usize = 4 << 20;
/// The schemas of some CRDs are nested deeper than the default limit of 64.
const DEEPEST: usize = 256;

fn options(
    duplicate_keys: DuplicateKeyPolicy,
    length: usize,
    budget: Option<serde_saphyr::Budget>,
) -> serde_saphyr::Options {
    serde_saphyr::options! {
        with_snippet: false,
        legacy_octal_numbers: true,
        duplicate_keys: duplicate_keys,
        alias_limits: weight::alias_limits(length),
        budget: budget,
    }
}

/// Parses one large document, object by object. Its size is not limited, but the expansion of aliases is.
pub(super) fn stream(document: impl Read, top: json::DocumentSeed<'_>) -> Result<Option<Value>, (usize, String)> {
    let options = options(
        DuplicateKeyPolicy::PassThrough,
        STREAMED,
        serde_saphyr::budget! {
            max_reader_input_bytes: None,
            max_events: usize::MAX,
            max_nodes: usize::MAX,
            max_total_scalar_bytes: usize::MAX,
            max_depth: DEEPEST,
        },
    );
    let read = serde_saphyr::with_deserializer_from_reader_with_options(document, options, |deserializer| {
        top.deserialize(deserializer)
    });
    read.map_err(|error| broken(&error).into_parts())
}

fn broken(error: &serde_saphyr::Error) -> YamlDocumentError {
    let reason = error.without_snippet().to_string();
    let Some(location) = error.location() else {
        return YamlDocumentError::Otherwise { offset: 0, reason: format!("it is not valid YAML: {reason}") };
    };
    // The parser counts lines from the beginning of the document, the reader from that of the file.
    let relative = format!(" at line {}, column {}", location.line(), location.column());
    let offset = usize::try_from(location.line()).unwrap_or(1).saturating_sub(1);
    match error.without_snippet() {
        serde_saphyr::Error::DuplicateMappingKey { .. } => YamlDocumentError::DuplicateKey { offset },
        _ => YamlDocumentError::Otherwise {
            offset,
            reason: format!("it is not valid YAML: {}", reason.replace(&relative, "")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ambiguous_yaml_is_shown_or_refused() {
        let read = |text: &str| parse_unmerged("f", text.as_bytes());
        assert_eq!(read("a: &x {b: 1}\n---\n---\nc: 2\n").unwrap(), [json!({"a": {"b": 1}}), json!({"c": 2})]);
        assert_eq!(read("<<: {a: 1}\nb: 2\n").unwrap(), [json!({"<<": {"a": 1}, "b": 2})]);
        // As other readers decode it.
        assert_eq!(read("a: !!binary aHR0cDovL2g=\n").unwrap(), [json!({"a": "http://h"})]);
        for hostile in ["a: 1\na: 2\n", "a: ["] {
            assert!(read(hostile).is_err(), "{hostile}: {:?}", read(hostile));
        }
    }
}
