//! Files, pipes and directories to objects.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use anyhow::anyhow;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};
use serde_saphyr::options::DuplicateKeyPolicy;

use super::container::{self, Form};
use super::index::{APP_CLUSTERS, AppClusterEntry, FILE, Index};
use super::json;
use super::layout::{Layout, Place};
use crate::error::{Error, Result};
use crate::model::secrecy::{HIDDEN, scrub};
use crate::model::state::Unreadable;

/// One object, and where it stands.
pub(crate) struct Document {
    pub(crate) object: Value,
    /// `file:line`, or the file for an object in a list.
    pub(crate) place: String,
}

impl Document {
    pub(crate) fn text(&self, key: &str) -> &str {
        self.object.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// Namespace and name; objects that have no name are all of one.
    pub(crate) fn full_name(&self) -> (String, String) {
        let text = |path| self.object.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
        (text("/metadata/namespace"), text("/metadata/name"))
    }

    /// Kind and name, for messages.
    pub(crate) fn title(&self) -> String {
        let name = self.object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or("without a name");
        format!("{} {name}", self.text("kind"))
    }
}

/// Everything that a snapshot holds.
#[derive(Default)]
pub(crate) struct Manifests {
    pub(crate) documents: Vec<Document>,
    /// Files, or parts of them, that are no manifests.
    pub(crate) unreadable: Vec<Unreadable>,
    /// What was read, and hardly meant so.
    pub(crate) notes: Vec<String>,
    /// `gitVersion` of the server, where another program wrote it down.
    pub(super) server_version: Option<String>,
    /// What the snapshot says of itself, where it is one of ours.
    pub(super) index: Option<Index>,
    /// Whether it is many files, of which some may say what others say.
    pub(super) is_many: bool,
}

/// Reads a file, a directory or archive with everything in it, or standard input.
///
/// # Errors
/// When there is nothing to read, or the one thing that was named is broken.
pub(crate) fn read(path: &Path) -> Result<Manifests> {
    let mut reader = Reader::default();
    let walked = container::each(path, &mut |entry| reader.take(entry));
    match walked {
        Ok(form) => reader.manifests.is_many = form == Form::Many,
        Err(error) if reader.manifests.documents.is_empty() => {
            let what = if path == Path::new("-") {
                "the snapshot from standard input".to_owned()
            } else {
                format!("snapshot {}", path.display())
            };
            return Err(Error::failed(anyhow::Error::from(error).context(format!("cannot read {what}"))));
        }
        Err(error) => {
            reader.manifests.is_many = true;
            reader.manifests.unreadable.push(Unreadable {
                what: path.display().to_string(),
                reason: format!("the archive is broken behind this: {error}"),
            });
        }
    }
    if !reader.manifests.is_many
        && let Some(entry) = reader.failure
    {
        return Err(Error::failed(anyhow!("snapshot {}: {}", entry.what, entry.reason)));
    }
    Ok(reader.done())
}

/// The snapshots of app clusters within a snapshot, by their directories, and what its index says of them.
///
/// # Errors
/// When it cannot be read.
pub(super) fn read_app_clusters(path: &Path) -> Result<(Vec<AppClusterEntry>, BTreeMap<String, Manifests>)> {
    let mut readers: BTreeMap<String, Reader> = BTreeMap::new();
    let mut top = Reader::default();
    let walked = container::each(path, &mut |entry| {
        let parts: Vec<&str> = entry.path.split('/').collect();
        match parts.iter().position(|part| *part == APP_CLUSTERS).map(|above| &parts[above + 1..]) {
            Some([directory, rest @ ..]) => {
                let (directory, path) = ((*directory).to_owned(), rest.join("/"));
                readers.entry(directory).or_default().take(container::Entry { path, ..entry });
            }
            None if parts.last() == Some(&FILE) => top.take(entry),
            _ => {}
        }
    });
    walked.map_err(|error| anyhow!(error).context(format!("cannot read snapshot {}", path.display())))?;
    let many = |mut reader: Reader| {
        reader.manifests.is_many = true;
        reader.done()
    };
    let entries = top.done().index.map(|index| index.app_clusters).unwrap_or_default();
    Ok((entries, readers.into_iter().map(|(directory, reader)| (directory, many(reader))).collect()))
}

/// Takes file after file.
#[derive(Default)]
struct Reader {
    manifests: Manifests,
    layout: Layout,
    /// Files without objects, and what was said of them.
    broken: Vec<(String, std::ops::Range<usize>)>,
    failure: Option<Unreadable>,
}

impl Reader {
    fn take(&mut self, entry: container::Entry) {
        let container::Entry { name, path, bytes } = entry;
        let place = self.layout.place(&path);
        if place == Place::Elsewhere {
            return;
        }
        let manifests = &mut self.manifests;
        let (objects, complaints) = (manifests.documents.len(), manifests.unreadable.len());
        let result = match bytes {
            Ok(bytes) => manifests.add_from(&name, bytes, &place),
            Err(error) => Err(Unreadable { what: name.clone(), reason: error.to_string() }),
        };
        if let Err(entry) = result {
            self.failure.get_or_insert_with(|| entry.clone());
            manifests.unreadable.push(entry);
        }
        let is_new = manifests.unreadable.len() > complaints;
        if is_new && manifests.documents.len() == objects {
            self.broken.push((path, complaints..manifests.unreadable.len()));
        }
    }

    /// Programs that collect more than objects put it beside them.
    fn done(self) -> Manifests {
        let Self { mut manifests, layout, broken, .. } = self;
        for (_, range) in broken.into_iter().rev().filter(|(path, _)| layout.is_beside(path)) {
            manifests.unreadable.drain(range);
        }
        // Somebody else may call a directory so.
        if layout.has_app_clusters && manifests.index.is_none() {
            manifests
                .notes
                .push(format!("files in directories called {APP_CLUSTERS} are of other clusters, and not of this one"));
        }
        manifests
    }
}

impl Manifests {
    /// Adds the objects of one file; on an error what stands before it is kept.
    pub(crate) fn add(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), Unreadable> {
        self.add_from(name, bytes, &Place::Objects)
    }

    /// The same of a file in a place that says more of it.
    fn add_from(&mut self, name: &str, bytes: Vec<u8>, place: &Place) -> Result<(), Unreadable> {
        let unreadable = |place: String, reason: String| Unreadable { what: place, reason };
        let text = String::from_utf8(bytes).map_err(|_| unreadable(name.to_owned(), "it is not UTF-8".to_owned()))?;
        let text = without_logs(text.trim_start_matches('\u{feff}'));
        let text = text.as_ref();
        if text.trim_start().starts_with(['{', '[']) {
            for document in serde_json::Deserializer::from_str(text).into_iter::<json::Document>() {
                let document = document.map_err(|error| {
                    let place = format!(" at line {} column {}", error.line(), error.column());
                    let reason = error.to_string().replace(&place, "");
                    unreadable(format!("{name}:{}", error.line()), format!("it is no JSON: {reason}"))
                })?;
                if document.has_duplicates {
                    self.notes.push(format!("{name}: a key stands there twice; the last one counts"));
                }
                self.add_value(document.value, name, place);
            }
            return Ok(());
        }
        for (line, document) in documents(text) {
            let complaint = |(offset, reason)| unreadable(format!("{name}:{}", line + offset), reason);
            let value = match yaml_strictly(document) {
                Ok(value) => value,
                Err(YamlError::DuplicateKey { offset }) => {
                    let place = format!("{name}:{}", line + offset);
                    self.notes.push(format!("{place}: a key stands there twice; the last one counts"));
                    yaml(document).map_err(complaint)?
                }
                Err(YamlError::Broken { offset, reason }) => return Err(complaint((offset, reason))),
            };
            self.add_value(value, &format!("{name}:{line}"), place);
        }
        Ok(())
    }

    /// Adds what one document holds.
    fn add_value(&mut self, value: Value, name: &str, place: &Place) {
        match (value, place) {
            (Value::Array(reasons), Place::Errors(what)) => {
                let reasons = reasons.iter().filter_map(Value::as_str);
                self.unreadable.extend(
                    reasons.map(|reason| Unreadable { what: what.clone(), reason: scrub(reason).into_owned() }),
                );
            }
            (Value::Object(reasons), Place::Errors(what)) => {
                for (key, reason) in reasons {
                    // Of custom resources it is their kind that has no objects, of others a namespace.
                    let kind = key.split('/').next().filter(|kind| kind.contains('.'));
                    let reason = scrub(reason.as_str().unwrap_or("it could not be read")).into_owned();
                    self.unreadable.push(Unreadable { what: kind.unwrap_or(what).to_owned(), reason });
                }
            }
            (_, Place::Errors(_)) => {}
            (value, Place::ServerVersion) => {
                self.server_version = value.pointer("/info/gitVersion").and_then(Value::as_str).map(str::to_owned);
            }
            (Value::Array(items), Place::ObjectsOf(version, kind)) => {
                let list = json!({"apiVersion": version, "kind": format!("{kind}List"), "items": items});
                self.add_object(list, name);
            }
            (Value::Array(items), _) => items.into_iter().for_each(|item| self.add_object(item, name)),
            (value, _) if Index::is_one(&value) => match serde_json::from_value(value) {
                Ok(index) => self.index = Some(index),
                Err(error) => self.unreadable.push(Unreadable {
                    what: name.to_owned(),
                    reason: format!("it is no index of a snapshot: {error}"),
                }),
            },
            (value, _) => self.add_object(value, name),
        }
    }

    /// Adds an object, or the items of a list.
    fn add_object(&mut self, mut object: Value, place: &str) {
        if object.is_null() {
            return;
        }
        let list = object.get("kind").and_then(Value::as_str).and_then(|kind| kind.strip_suffix("List"));
        // Go writes an empty list as null, too.
        if list.is_some() && object.get("items").is_some_and(Value::is_null) {
            return;
        }
        if let Some(Value::Array(items)) = object.get_mut("items").map(Value::take) {
            let list = object.get("kind").and_then(Value::as_str).and_then(|kind| kind.strip_suffix("List"));
            let (kind, version) = (list.map(Value::from), object.get("apiVersion").cloned());
            for mut item in items {
                // The items of a typed list may leave out what the list says.
                if let (Value::Object(fields), Some(kind), Some(version)) = (&mut item, &kind, &version) {
                    fields.entry("kind").or_insert_with(|| kind.clone());
                    fields.entry("apiVersion").or_insert_with(|| version.clone());
                }
                self.add_object(item, place);
            }
            return;
        }
        forget_elided(&mut object);
        let document = Document { object, place: place.to_owned() };
        if document.text("apiVersion").is_empty() || document.text("kind").is_empty() {
            self.unreadable.push(Unreadable {
                what: place.to_owned(),
                reason: "it is not a Kubernetes object: apiVersion or kind is missing".to_owned(),
            });
        } else {
            self.documents.push(document);
        }
    }
}

/// What `oc adm inspect` writes in the place of a Secret's values (`pkg/cli/admin/inspect/secret.go`) is no value: two that are
/// as long would be the same.
fn forget_elided(object: &mut Value) {
    const ELIDED: &str = " bytes long";
    let is_elided = |value: &Value| {
        let bytes = value.as_str().and_then(|text| BASE64.decode(text).ok());
        let text = bytes.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok()?.strip_suffix(ELIDED));
        text.is_some_and(|size| !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if object.get("kind").and_then(Value::as_str) != Some("Secret") {
        return;
    }
    let data = object.get_mut("data").and_then(Value::as_object_mut);
    data.into_iter().flat_map(|data| data.values_mut()).filter(|value| is_elided(value)).for_each(|value| {
        *value = Value::from(HIDDEN);
    });
}

/// What `kubectl cluster-info dump` prints has the logs of pods between its lists.
fn without_logs(text: &str) -> Cow<'_, str> {
    const LOGS: &str = "==== START logs for container ";
    if !text.starts_with(LOGS) && !text.contains(&format!("\n{LOGS}")) {
        return Cow::Borrowed(text);
    }
    let mut is_log = false;
    let lines = text.split_inclusive('\n').filter(|line| {
        is_log |= line.starts_with(LOGS);
        let is_kept = !is_log;
        is_log &= !line.starts_with("==== END logs for container ");
        is_kept
    });
    Cow::Owned(lines.collect())
}

/// Reads a file that holds one document, of whatever kind. The reason names the place and never quotes the text.
pub(crate) fn one(name: &str, bytes: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| format!("{name}: it is not UTF-8"))?;
    yaml(text.trim_start_matches('\u{feff}')).map_err(|(offset, reason)| format!("{name}:{}: {reason}", offset + 1))
}

/// The documents of a YAML stream, each with the number of its first line.
fn documents(text: &str) -> Vec<(usize, &str)> {
    let mut documents = Vec::new();
    let (mut start, mut start_line, mut offset) = (0, 1, 0);
    for (index, line) in text.split_inclusive('\n').enumerate() {
        // At the first column this can be nothing else, not even inside of a block scalar.
        if line.starts_with("---") && line[3..].trim_start().len() < line.len() - 3 || line.trim_end() == "---" {
            documents.push((start_line, &text[start..offset]));
            (start, start_line) = (offset, index + 1);
        }
        offset += line.len();
    }
    documents.push((start_line, &text[start..]));
    documents
}

/// What is wrong with a YAML document, at a line below its first. No text of it is quoted: it may be a Secret.
enum YamlError {
    DuplicateKey { offset: usize },
    Broken { offset: usize, reason: String },
}

/// Parses one YAML document, in which the last of duplicate keys counts, as for kubectl.
fn yaml(document: &str) -> Result<Value, (usize, String)> {
    parse(document, DuplicateKeyPolicy::LastWins).map_err(|error| match error {
        YamlError::DuplicateKey { offset } => (offset, "a key stands there twice".to_owned()),
        YamlError::Broken { offset, reason } => (offset, reason),
    })
}

/// The same, and duplicate keys are an error.
fn yaml_strictly(document: &str) -> Result<Value, YamlError> {
    parse(document, DuplicateKeyPolicy::Error)
}

fn parse(document: &str, duplicate_keys: DuplicateKeyPolicy) -> Result<Value, YamlError> {
    let options = serde_saphyr::options! {
        with_snippet: false,
        legacy_octal_numbers: true,
        duplicate_keys: duplicate_keys,
        budget: serde_saphyr::budget! {
            max_events: 60_000_000,
            max_nodes: 20_000_000,
            max_total_scalar_bytes: 1 << 30,
            // The schemas of some CRDs are deeper than the default of 64.
            max_depth: 256,
        },
    };
    serde_saphyr::from_str_with_options::<Option<Value>>(document, options).map(Option::unwrap_or_default).map_err(
        |error| {
            let reason = error.without_snippet().to_string();
            let Some(location) = error.location() else {
                return YamlError::Broken { offset: 0, reason: format!("it is no YAML: {reason}") };
            };
            // The parser counts from the document's first line, the reader from the file's.
            let relative = format!(" at line {}, column {}", location.line(), location.column());
            let offset = usize::try_from(location.line()).unwrap_or(1).saturating_sub(1);
            match error.without_snippet() {
                serde_saphyr::Error::DuplicateMappingKey { .. } => YamlError::DuplicateKey { offset },
                _ => YamlError::Broken { offset, reason: format!("it is no YAML: {}", reason.replace(&relative, "")) },
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> (Vec<String>, Vec<String>) {
        let mut manifests = Manifests::default();
        if let Err(entry) = manifests.add("f", text.as_bytes().to_vec()) {
            manifests.unreadable.push(entry);
        }
        (
            manifests.documents.iter().map(Document::title).collect(),
            manifests.unreadable.into_iter().map(|entry| format!("{}: {}", entry.what, entry.reason)).collect(),
        )
    }

    #[test]
    fn takes_documents_lists_and_json() {
        let (titles, broken) = read_text(
            "# comment\n---\napiVersion: v1\nkind: A\nmetadata: {name: one}\n--- # two\napiVersion: v1\nkind: BList\nitems:\n- metadata: {name: two}\n---\n",
        );
        assert_eq!((titles, broken), (vec!["A one".to_owned(), "B two".to_owned()], vec![]));
        let (titles, _) = read_text(
            r#"{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"C","metadata":{"name":"x"}}]}"#,
        );
        assert_eq!(titles, ["C x"]);
    }

    #[test]
    fn says_where_it_is_broken_and_keeps_what_stands_before() {
        let (titles, broken) = read_text("apiVersion: v1\nkind: A\n---\napiVersion: v1\nkind: [\nsecret: hunter2\n");
        assert_eq!(titles, ["A without a name"]);
        assert!(broken[0].starts_with("f:") && !broken[0].contains("hunter2"), "{broken:?}");
        let (_, broken) = read_text("hello: world\n");
        assert!(broken[0].starts_with("f:1: it is not a Kubernetes object"), "{broken:?}");
    }

    #[test]
    fn an_alias_bomb_is_refused() {
        let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for level in 1..12 {
            let alias = format!("*a{}, ", level - 1);
            text.push_str(&format!("a{level}: &a{level} [{}]\n", alias.repeat(9)));
        }
        assert!(read_text(&text).1[0].contains("it is no YAML"));
    }
}
