//! Reads files, pipes and directories to objects.

use std::io::{BufReader, Cursor, Read};

use serde::de::DeserializeSeed as _;
use serde_json::Value;

use super::elided::redact_elided;
use super::index::SnapshotIndex;
use super::json::{self, ListHead};
use super::layout::FileContent;
use super::located::LocatedObject;
use super::meter::Meter;
use super::remarks::Remarks;
use super::text::{NOT_TEXT, TextReader};
use super::yaml::{self, YamlDocumentError};
use ucp_core::model::secrecy::scrub;
use ucp_core::model::state::Unreadable;
use ucp_core::model::weight::settle_aliases;

/// The objects of several files.
#[derive(Default)]
pub struct Manifests {
    /// The objects, in the order of the files; of a list, its items.
    pub documents: Vec<LocatedObject>,
    /// Files, or parts of them, that are not valid manifests.
    pub unreadable: Vec<Unreadable>,
}

impl Manifests {
    /// Adds the objects of one file. On an error, the objects before it are kept.
    pub fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), Unreadable> {
        let mut remarks = Remarks::default();
        let mut refused = None;
        let mut take = |mut document: LocatedObject, _: Option<&SnapshotIndex>| match document.keep() {
            Ok(()) => self.documents.push(document),
            Err(overweight) => {
                refused.get_or_insert(Unreadable { what: document.place, reason: overweight.to_string() });
            }
        };
        let mut file =
            ManifestFile { name, place: &FileContent::Objects, remarks: &mut remarks, take: &mut take, large: LARGE };
        let read = file.read(&mut &*bytes);
        remarks.sum_up();
        self.unreadable.append(&mut remarks.unreadable);
        self.unreadable.extend(refused);
        read
    }
}

/// Callback for each object, with the index once it was read.
pub(super) type TakeLocatedObject<'a> = &'a mut dyn FnMut(LocatedObject, Option<&SnapshotIndex>);

/// The reason for lists that a server returned in parts.
const INCOMPLETE_LIST: &str = "the list has a continue token: it has only a part of the objects";
/// Documents up to this size are read completely, which is faster; larger ones object by object.
pub(super) const LARGE: usize = 4 << 20;
/// Size limit of an object as a multiple of [`LARGE`], 128 MiB: an API server stores at most 1.5 MiB. List items that
/// are buffered until the list's kind is known count as one object.
const OBJECT: usize = 32;

/// A file that is being read.
pub(super) struct ManifestFile<'a> {
    pub(super) name: &'a str,
    pub(super) place: &'a FileContent,
    pub(super) remarks: &'a mut Remarks,
    pub(super) take: TakeLocatedObject<'a>,
    /// The size from which documents are read object by object.
    pub(super) large: usize,
}

impl ManifestFile<'_> {
    /// Passes on the objects of the file. On an error, the objects before it were passed on.
    pub(super) fn read(&mut self, content: &mut dyn Read) -> Result<(), Unreadable> {
        let name = self.name;
        let unreadable = |reason: String| Unreadable { what: name.to_owned(), reason };
        let mut text = TextReader::new(content).map_err(|error| unreadable(error.to_string()))?;
        if !text.is_json().map_err(|error| unreadable(error.to_string()))? {
            while text.next_document() {
                let line = text.line();
                let read = self.yaml(line, &mut text.document());
                text.failure().map_or(read, |reason| Err(unreadable(reason)))?;
            }
            return Ok(());
        }
        let (begin, is_whole) = begin(&mut text, self.large).map_err(|error| unreadable(error.to_string()))?;
        let meter = Meter::within(self.large.saturating_mul(OBJECT).max(1 << 20));
        let read = match is_whole {
            true => self.json(serde_json::Deserializer::from_slice(&begin), &meter),
            false => {
                let whole = BufReader::with_capacity(64 << 10, meter.read(Cursor::new(begin).chain(&mut text)));
                self.json(serde_json::Deserializer::from_reader(whole), &meter)
            }
        };
        if let Some(reason) = meter.complaint() {
            return Err(unreadable(reason));
        }
        let read = read.map_err(|error| {
            let place = format!(" at line {} column {}", error.line(), error.column());
            let reason = error.to_string().replace(&place, "");
            Unreadable { what: format!("{name}:{}", error.line()), reason: format!("it is not valid JSON: {reason}") }
        });
        text.failure().map_or(read, |reason| Err(unreadable(reason)))
    }

    fn json<'de, R: serde_json::de::Read<'de>>(
        &mut self,
        mut deserializer: serde_json::Deserializer<R>,
        meter: &Meter,
    ) -> serde_json::Result<()> {
        while deserializer.end().is_err() {
            self.streamed(self.name, meter, |top| top.deserialize(&mut deserializer))?;
        }
        Ok(())
    }

    /// Reads a document, and adds the items of a list while it is read, or any other value at its end.
    fn streamed<E>(
        &mut self,
        place: &str,
        meter: &Meter,
        read: impl FnOnce(json::DocumentSeed<'_>) -> Result<Option<Value>, E>,
    ) -> Result<(), E> {
        let remarks = json::DocumentRemarks::default();
        let mut take = |item| {
            meter.restart();
            self.add_item(item, place);
        };
        let scale = meter.scale();
        let rest = read(json::DocumentSeed { take: &mut take, remarks: &remarks, scale });
        if remarks.has_duplicates.get() {
            self.note_duplicate_key(place);
        }
        if remarks.has_more.get() {
            self.remarks.refuse(place, INCOMPLETE_LIST);
        }
        meter.restart();
        if let Some(value) = rest? {
            self.add_value(value, place);
        }
        Ok(())
    }

    fn note_duplicate_key(&mut self, place: &str) {
        self.remarks.note(format!("{place}: a key occurs twice; the last one is used"));
    }

    /// Reads one YAML document. `line` is the number of its first line.
    fn yaml(&mut self, line: usize, document: &mut dyn Read) -> Result<(), Unreadable> {
        let name = self.name;
        let complaint =
            |(offset, reason): (usize, String)| Unreadable { what: format!("{name}:{}", line + offset), reason };
        let (begin, is_whole) = begin(document, self.large).map_err(|error| complaint((0, error.to_string())))?;
        let place = format!("{name}:{line}");
        if !is_whole {
            let meter = Meter::within(self.large.saturating_mul(OBJECT).max(1 << 20));
            let rest = meter.read(Cursor::new(begin).chain(document));
            let read = self.streamed(&place, &meter, |top| yaml::stream(rest, top));
            settle_aliases(meter.scale().nodes(), meter.bytes());
            return meter.complaint().map_or(read, |reason| Err((0, reason))).map_err(complaint);
        }
        let document = str::from_utf8(&begin).map_err(|_| complaint((0, NOT_TEXT.to_owned())))?;
        let value = match yaml::parse_strict(document) {
            Ok(value) => value,
            Err(YamlDocumentError::DuplicateKey { offset }) => {
                self.note_duplicate_key(&format!("{name}:{}", line + offset));
                yaml::parse_lenient(document).map_err(complaint)?
            }
            Err(YamlDocumentError::Otherwise { offset, reason }) => return Err(complaint((offset, reason))),
        };
        self.add_value(value, &place);
        Ok(())
    }

    /// Adds an item of a list or array.
    fn add_item(&mut self, mut item: Value, name: &str) {
        match self.place {
            FileContent::Errors(what) => {
                let reason = item.as_str().map(|reason| scrub(reason).into_owned());
                if let Some(reason) = reason {
                    self.remarks.refuse(what, &reason);
                }
            }
            FileContent::ObjectsOf(version, kind) => {
                ListHead { kind: Some((*kind).into()), version: Some((*version).into()) }.complete(&mut item);
                self.add_object(item, name);
            }
            FileContent::Objects => self.add_object(item, name),
            FileContent::ServerVersion | FileContent::Elsewhere => {}
        }
    }

    /// Adds the content of one document.
    fn add_value(&mut self, value: Value, name: &str) {
        match (value, self.place) {
            (Value::Array(items), _) => items.into_iter().for_each(|item| self.add_item(item, name)),
            (Value::Object(reasons), FileContent::Errors(what)) => {
                for (key, reason) in reasons {
                    // For custom resources the key is their kind, for others a namespace.
                    let kind = key.split('/').next().filter(|kind| kind.contains('.'));
                    let reason = scrub(reason.as_str().unwrap_or("it could not be read")).into_owned();
                    self.remarks.refuse(kind.unwrap_or(what), &reason);
                }
            }
            (_, FileContent::Errors(_)) => {}
            (value, FileContent::ServerVersion) => {
                self.remarks.server_version =
                    value.pointer("/info/gitVersion").and_then(Value::as_str).map(str::to_owned);
            }
            (value, _) if SnapshotIndex::is_index(&value) => match serde_json::from_value(value) {
                Ok(index) => self.remarks.index = Some(index),
                Err(error) => self.remarks.refuse(name, &format!("it is not a snapshot index: {error}")),
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
        // Go encodes an empty list as null, too.
        if list.is_some() && object.get("items").is_some_and(Value::is_null) {
            return;
        }
        // Some kinds end in `List` and have names, unlike a list.
        let has_items = object.get("items").is_some_and(Value::is_array);
        if list.is_some() && !has_items && object.pointer("/metadata/name").is_none() {
            self.remarks.refuse(place, "its items are not a list");
            return;
        }
        if let Some(Value::Array(items)) = object.get_mut("items").filter(|items| items.is_array()).map(Value::take) {
            if object.as_object().is_some_and(json::has_more) {
                self.remarks.refuse(place, INCOMPLETE_LIST);
            }
            let head = object.as_object().map(ListHead::from_list).unwrap_or_default();
            for mut item in items {
                head.complete(&mut item);
                self.add_object(item, place);
            }
            return;
        }
        redact_elided(&mut object);
        let document = LocatedObject::new(object, place);
        if document.text("apiVersion").is_empty() || document.text("kind").is_empty() {
            self.remarks.refuse(place, "it is not a Kubernetes object: apiVersion or kind is missing");
        } else {
            (self.take)(document, self.remarks.index.as_ref());
        }
    }
}

/// Reads the beginning of a document, and returns true with it if that is all.
fn begin(document: &mut dyn Read, large: usize) -> std::io::Result<(Vec<u8>, bool)> {
    let mut begin = Vec::new();
    document.take(large as u64).read_to_end(&mut begin)?;
    let is_whole = begin.len() < large;
    Ok((begin, is_whole))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn read_text(text: &str) -> (Vec<String>, Vec<String>) {
        let mut manifests = Manifests::default();
        if let Err(entry) = manifests.add("f", text.as_bytes()) {
            manifests.unreadable.push(entry);
        }
        (
            manifests.documents.iter().map(LocatedObject::title).collect(),
            manifests.unreadable.into_iter().map(|entry| format!("{}: {}", entry.what, entry.reason)).collect(),
        )
    }

    #[test]
    fn documents_lists_and_json_are_read() {
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
    fn a_list_with_invalid_items_is_refused() {
        for items in ["\"x\"", "{\"a\": 1}", "5"] {
            for kind in ["List", "BucketList"] {
                let text = format!("{{\"apiVersion\": \"v1\", \"kind\": \"{kind}\", \"items\": {items}}}");
                let (titles, refused) = read_text(&text);
                assert!(titles.is_empty() && refused[0].contains("its items are not a list"), "{text}: {refused:?}");
            }
        }
        let (titles, refused) = read_text("{\"apiVersion\": \"v1\", \"kind\": \"BucketList\", \"metadata\": {}}");
        assert!(titles.is_empty() && refused.len() == 1, "{refused:?}");
        for text in [
            "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": null}",
            "{\"apiVersion\": \"a/v1\", \"kind\": \"AccessList\", \"metadata\": {\"name\": \"x\"}}",
        ] {
            assert_eq!(read_text(text).1, Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn an_error_has_its_line_and_objects_before_it_are_kept() {
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
        assert!(read_text(&text).1[0].contains("it is not valid YAML"));
    }

    /// A snapshot without end until it is stopped, which counts the bytes that were read.
    struct Endless<'a> {
        rest: Vec<u8>,
        item: &'a str,
        asked: &'a Cell<usize>,
        is_over: &'a Cell<bool>,
    }

    impl Read for Endless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if self.rest.is_empty() && !self.is_over.get() {
                self.rest.extend_from_slice(self.item.as_bytes());
            }
            let length = self.rest.len().min(buffer.len());
            buffer[..length].copy_from_slice(&self.rest[..length]);
            self.rest.drain(..length);
            self.asked.set(self.asked.get() + length);
            Ok(length)
        }
    }

    #[test]
    fn objects_are_handed_over_before_the_snapshot_has_ended() {
        const BUFFERS: usize = 512 << 10;
        let text = "x".repeat(4 << 10);
        let json = format!("{{\"apiVersion\":\"v1\",\"kind\":\"A\",\"spec\":\"{text}\"}},\n");
        for (head, item) in [
            ("{\"apiVersion\":\"v1\",\"items\":[", &json),
            ("[", &json),
            ("kind: List\nitems:\n", &format!("- apiVersion: v1\n  kind: A\n  spec: {text}\n")),
            ("", &format!("---\napiVersion: v1\nkind: A\nspec: {text}\n")),
        ] {
            let (asked, is_over) = (Cell::new(0), Cell::new(false));
            let mut endless = Endless { rest: head.into(), item, asked: &asked, is_over: &is_over };
            let (mut taken, mut remarks) = (0, Remarks::default());
            let mut take = |_: LocatedObject, _: Option<&SnapshotIndex>| {
                taken += item.len();
                assert!(asked.get() <= taken + BUFFERS, "{head}: {} bytes for {taken}", asked.get());
                is_over.set(taken > 3 * BUFFERS);
            };
            let (place, large) = (&FileContent::Objects, 16 << 10);
            // It ends in the middle of a list.
            let _ = ManifestFile { name: "f", place, remarks: &mut remarks, take: &mut take, large }.read(&mut endless);
            assert!(taken > 3 * BUFFERS, "{head}: {taken}");
        }
    }

    #[test]
    fn an_endless_object_is_refused_without_using_memory() {
        for head in ["{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"spec\":\"", "apiVersion: v1\nkind: Pod\nspec: \""] {
            let large = 16 << 10;
            let mut endless = head.as_bytes().chain(std::io::repeat(b'x')).take(1 << 30);
            let mut remarks = Remarks::default();
            let mut take = |_: LocatedObject, _: Option<&SnapshotIndex>| {};
            let place = &FileContent::Objects;
            let failed =
                ManifestFile { name: "f", place, remarks: &mut remarks, take: &mut take, large }.read(&mut endless);
            assert!(failed.unwrap_err().reason.contains("an object in it is larger than"), "{head}");
            assert!(endless.limit() > (1 << 30) - (4 << 20), "{head}: {} were left", endless.limit());
        }
    }

    #[test]
    fn large_documents_are_read_with_the_same_result_as_small_documents() {
        let list = |items: &str| format!("apiVersion: v1\nitems:\n{items}kind: ConfigMapList\nmetadata: {{}}\n");
        for text in [
            list(
                "- data: {a: '1', b: 0x10, c: 2.5, d: ~, e: [x, y]}\n  metadata: {name: one}\n- metadata: {name: two}\n",
            ),
            "---\n".to_owned()
                + &list("- apiVersion: v1\n  kind: Other\n  metadata: {name: &name three, uid: *name}\n"),
            "apiVersion: v1\nkind: A\nmetadata: {name: x}\nspec: |\n  ---\n  y\n---\nkind: [".to_owned(),
            "{\"apiVersion\":\"v1\",\"kind\":\"AList\",\"items\":[{\"metadata\":{\"name\":\"a\"}},{}]} {\"a\": }"
                .to_owned(),
        ] {
            let read = |large: usize| {
                let (mut objects, mut remarks) = (Vec::new(), Remarks::default());
                let mut take = |document: LocatedObject, _: Option<&SnapshotIndex>| {
                    objects.push((document.object, document.place))
                };
                let mut file = ManifestFile {
                    name: "f",
                    place: &FileContent::Objects,
                    remarks: &mut remarks,
                    take: &mut take,
                    large,
                };
                let failed = file.read(&mut text.as_bytes()).err().map(|entry| (entry.what, entry.reason));
                (objects, remarks.notes, failed)
            };
            assert_eq!(read(LARGE), read(1), "{text}");
        }
    }
}
