//! Answers of bounded length. A document is divided into the elements of its lists; a page contains as many elements as
//! fit, and all other fields of the document. Each page counts the elements on other pages, so that a page without
//! `unreadable` is not mistaken for a document without it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::Serialize;
use serde_json::{Map, Value};

use super::untrusted;

/// Lists that are placed first: without them, the others are misread.
const FIRST: [&str; 4] = ["unreadable", "engines", "targets", "findings"];

/// Characters of a string. Messages of controllers need no more, and untrusted text gets no more.
const LONGEST_STRING: usize = 4_000;

/// Number of warnings on a page.
const MOST_NOTES: usize = 20;

/// Number of documents that are kept for their next pages.
const KEPT: usize = 16;

/// Characters that they may have together; the newest is kept in any case.
const KEPT_CHARACTERS: usize = 256 << 20;

/// The position of a page in its document.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Page {
    /// The elements of each list of the document that are on this page.
    lists: BTreeMap<String, PageExtent>,
    /// Pass it as `cursor` to get the next page of the same document; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    /// Elements that are longer than a page, in parts: each part has some of the elements of its own lists.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<PagePart>,
    /// Warnings of the command.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// Fields of this page with text from clusters or repositories. It is data, and never an instruction.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    untrusted: BTreeSet<String>,
}

/// The author of the text of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextAuthor {
    /// This program alone.
    ThisProgram,
    /// Everyone who may write to the clusters and repositories that were read.
    Others,
}

/// The number of elements of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
struct PageExtent {
    /// Elements on earlier pages.
    before: usize,
    /// Elements on this page.
    here: usize,
    /// Elements in total. 0 means that there are none on any page.
    of: usize,
}

/// A part of an element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct PagePart {
    /// The name of the list.
    list: String,
    /// The position of the element in the list of this page.
    position: usize,
    /// The number of the part, from 1.
    part: usize,
    /// The number of parts.
    of: usize,
}

/// A document in pieces.
#[derive(Debug)]
pub(super) struct PagedDocument {
    /// The fields that are not lists.
    head: Map<String, Value>,
    pieces: Vec<DocumentPiece>,
    /// Number of elements of each list; the parts of an element count as one.
    lengths: BTreeMap<String, usize>,
    notes: Vec<String>,
    length: usize,
    author: TextAuthor,
}

/// An element, or a part of one.
#[derive(Debug)]
struct DocumentPiece {
    list: String,
    /// The element as JSON.
    text: String,
    /// The number of the part, from 1, and the number of parts.
    part: (usize, usize),
}

impl PagedDocument {
    /// Divides a document into pieces. No piece is longer than `characters`, except for elements that cannot be
    /// divided.
    pub(super) fn from_document(
        document: Map<String, Value>,
        notes: Vec<String>,
        characters: usize,
        author: TextAuthor,
    ) -> Self {
        let (mut head, mut lists) = (Map::new(), Vec::new());
        for (key, value) in document {
            match truncate_strings(value) {
                Value::Array(elements) => lists.push((key, elements)),
                value => drop(head.insert(key, value)),
            }
        }
        lists.sort_by_key(|(key, _)| FIRST.iter().position(|first| first == key).unwrap_or(FIRST.len()));
        let lengths = lists.iter().map(|(key, elements)| (key.clone(), elements.len())).collect();
        let mut pieces = Vec::new();
        for (list, elements) in lists {
            for element in elements {
                let texts: Vec<String> = divide_element(element, characters).iter().map(Value::to_string).collect();
                let of = texts.len();
                let part = |(index, text)| DocumentPiece { list: list.clone(), text, part: (index + 1, of) };
                pieces.extend(texts.into_iter().enumerate().map(part));
            }
        }
        let length = pieces.iter().map(|piece| piece.text.len()).sum();
        let notes = shorten_notes(notes);
        Self { head, pieces, lengths, notes, length, author }
    }

    /// Returns the page that starts at a piece, and the piece at which the next page starts.
    fn page(&self, from: usize, characters: usize) -> (Map<String, Value>, Page, usize) {
        let mut extents: BTreeMap<String, PageExtent> = self
            .lengths
            .iter()
            .map(|(list, of)| (list.clone(), PageExtent { of: *of, ..PageExtent::default() }))
            .collect();
        let mut lists: BTreeMap<&str, Vec<Value>> =
            self.lengths.keys().map(|list| (list.as_str(), Vec::new())).collect();
        for piece in self.pieces[..from].iter().filter(|piece| piece.part.0 == piece.part.1) {
            extents.entry(piece.list.clone()).or_default().before += 1;
        }
        let (mut length, mut next, mut parts) = (0, from, Vec::new());
        while let Some(piece) = self.pieces.get(next) {
            length += piece.text.len();
            if next > from && length > characters {
                break;
            }
            let here = lists.entry(&piece.list).or_default();
            // The text was serialized from JSON.
            here.push(serde_json::from_str(&piece.text).unwrap_or_default());
            if piece.part.1 > 1 {
                let (part, of) = piece.part;
                parts.push(PagePart { list: piece.list.clone(), position: here.len() - 1, part, of });
            }
            extents.entry(piece.list.clone()).or_default().here += 1;
            next += 1;
        }
        let mut document = self.head.clone();
        document.extend(lists.into_iter().map(|(list, elements)| (list.to_owned(), Value::Array(elements))));
        let untrusted = match self.author {
            TextAuthor::ThisProgram => BTreeSet::new(),
            TextAuthor::Others => untrusted::fields(&document),
        };
        (document, Page { lists: extents, cursor: None, parts, notes: self.notes.clone(), untrusted }, next)
    }
}

/// Divides an element into parts that are short enough, by halving its longest list.
fn divide_element(element: Value, characters: usize) -> Vec<Value> {
    if element.to_string().len() <= characters {
        return vec![element];
    }
    let Some(path) = longest_list_path(&element) else { return vec![element] };
    let (mut first, mut second) = (element.clone(), element);
    match (first.pointer_mut(&path), second.pointer_mut(&path)) {
        (Some(Value::Array(first)), Some(Value::Array(second))) => {
            let half = first.len() / 2;
            first.truncate(half);
            second.drain(..half);
        }
        (Some(Value::Object(first)), Some(Value::Object(second))) => {
            let half: Vec<String> = first.keys().take(first.len() / 2).cloned().collect();
            first.retain(|key, _| half.contains(key));
            second.retain(|key, _| !half.contains(key));
        }
        _ => return vec![first],
    }
    [divide_element(first, characters), divide_element(second, characters)].concat()
}

/// Returns the path of the longest list with several elements, or of the longest table of objects by name.
fn longest_list_path(value: &Value) -> Option<String> {
    fn look(value: &Value, path: &str, best: &mut Option<(usize, String)>) {
        let is_table = |object: &Map<String, Value>| object.len() > 1 && object.values().all(Value::is_object);
        let is_list = match value {
            Value::Array(elements) => elements.len() > 1,
            Value::Object(object) => !path.is_empty() && is_table(object),
            _ => false,
        };
        let length = value.to_string().len();
        if is_list && best.as_ref().is_none_or(|(known, _)| length > *known) {
            *best = Some((length, path.to_owned()));
        }
        match value {
            Value::Array(elements) => {
                elements
                    .iter()
                    .enumerate()
                    .for_each(|(index, element)| look(element, &format!("{path}/{index}"), best));
            }
            Value::Object(object) => object.iter().for_each(|(key, member)| {
                let key = key.replace('~', "~0").replace('/', "~1");
                look(member, &format!("{path}/{key}"), best);
            }),
            _ => {}
        }
    }
    let mut best = None;
    look(value, "", &mut best);
    best.map(|(_, path)| path)
}

/// Returns the first warnings, each truncated, and the number of those that are omitted.
fn shorten_notes(mut notes: Vec<String>) -> Vec<String> {
    let omitted = notes.len().saturating_sub(MOST_NOTES);
    notes.truncate(MOST_NOTES);
    notes.extend((omitted > 0).then(|| format!("{omitted} more warnings")));
    notes.iter().map(|note| shorten(note)).collect()
}

/// Truncates a long text, and appends the number of removed characters.
pub(super) fn shorten(text: &str) -> String {
    match text.char_indices().nth(LONGEST_STRING) {
        Some((end, _)) => format!("{}… ({} more characters)", &text[..end], text[end..].chars().count()),
        None => text.to_owned(),
    }
}

/// Truncates long strings, and appends the number of removed characters.
fn truncate_strings(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(shorten(&text)),
        Value::Array(elements) => elements.into_iter().map(truncate_strings).collect(),
        Value::Object(object) => object.into_iter().map(|(key, member)| (key, truncate_strings(member))).collect(),
        other => other,
    }
}

/// The newest documents that have further pages.
#[derive(Debug, Default)]
pub(super) struct DocumentCache {
    documents: VecDeque<(usize, PagedDocument)>,
    number: usize,
}

/// The error for a cursor whose document is not kept.
pub(super) const NOT_KEPT: &str = "this cursor is unknown or has expired: call the tool again without a cursor";

impl DocumentCache {
    /// Stores a document as long as it has a next page, and returns its first page.
    pub(super) fn first_page(&mut self, document: PagedDocument, characters: usize) -> Value {
        self.number += 1;
        let number = self.number;
        let (value, next) = answer(&document, number, 0, characters);
        if next.is_some() {
            self.documents.push_back((number, document));
        }
        let is_too_much = |documents: &VecDeque<(usize, PagedDocument)>| {
            let length: usize = documents.iter().map(|(_, document)| document.length).sum();
            documents.len() > KEPT || (documents.len() > 1 && length > KEPT_CHARACTERS)
        };
        while is_too_much(&self.documents) {
            self.documents.pop_front();
        }
        value
    }

    /// Returns the page of a cursor.
    ///
    /// # Errors
    /// Fails when the document is no longer stored.
    pub(super) fn next_page(&self, cursor: &str, characters: usize) -> Result<Value, &'static str> {
        let place = cursor.split_once('.').and_then(|(number, from)| Some((number.parse().ok()?, from.parse().ok()?)));
        let (number, from): (usize, usize) = place.ok_or(NOT_KEPT)?;
        let known = self.documents.iter().find(|(known, _)| *known == number);
        let (_, document) = known.filter(|(_, document)| from < document.pieces.len()).ok_or(NOT_KEPT)?;
        Ok(answer(document, number, from, characters).0)
    }
}

/// Returns a page as an answer, and the piece at which the next page starts.
fn answer(document: &PagedDocument, number: usize, from: usize, characters: usize) -> (Value, Option<usize>) {
    let (mut value, mut page, next) = document.page(from, characters);
    let next = (next < document.pieces.len()).then_some(next);
    page.cursor = next.map(|next| format!("{number}.{next}"));
    // Warnings contain names and messages of servers.
    if document.author == TextAuthor::Others && !page.notes.is_empty() {
        page.untrusted.insert("page.notes[]".to_owned());
    }
    // Strings and numbers always serialize.
    value.insert("page".to_owned(), serde_json::to_value(page).unwrap_or_default());
    (Value::Object(value), next)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(object) => object,
            other => panic!("{other}"),
        }
    }

    /// Returns all pages of a document.
    fn pages(value: Value, characters: usize) -> Vec<Value> {
        let mut kept = DocumentCache::default();
        let document = PagedDocument::from_document(object(value), Vec::new(), characters, TextAuthor::Others);
        let mut pages = vec![kept.first_page(document, characters)];
        while let Some(cursor) = pages[pages.len() - 1]["page"]["cursor"].as_str() {
            pages.push(kept.next_page(cursor, characters).unwrap());
        }
        pages
    }

    #[test]
    fn each_page_counts_the_items_of_the_other_pages() {
        let items: Vec<Value> = (0..10).map(|number| json!({"name": format!("item-{number}")})).collect();
        let document = json!({"kind": "List", "items": items, "unreadable": [{"what": "a"}], "findings": []});
        let pages = pages(document, 60);
        assert_eq!(pages[0]["unreadable"], json!([{"what": "a"}]));
        assert_eq!(pages[0]["page"]["lists"]["items"], json!({"before": 0, "here": 2, "of": 10}));
        assert_eq!(pages[1]["page"]["lists"]["items"], json!({"before": 2, "here": 3, "of": 10}));
        for page in &pages {
            assert_eq!(page["kind"], "List");
            assert_eq!(page["page"]["lists"]["unreadable"]["of"], 1);
            assert_eq!(page["page"]["lists"]["findings"], json!({"before": 0, "here": 0, "of": 0}));
        }
        assert_eq!(pages[pages.len() - 1]["page"].get("cursor"), None);
    }

    #[test]
    fn an_element_longer_than_a_page_is_split() {
        let differences: Vec<Value> = (0..50).map(|number| json!({"path": format!("spec.field{number}")})).collect();
        let pages = pages(json!({"items": [{"name": "a", "differences": differences}, {"name": "b"}]}), 200);
        let mut seen = Vec::new();
        for page in &pages {
            assert!(page["items"].to_string().len() <= 210, "{page}");
            for item in page["items"].as_array().unwrap().iter().filter(|item| item["name"] == "a") {
                seen.extend(item["differences"].as_array().unwrap().clone());
            }
        }
        assert_eq!(seen, differences);
        assert_eq!(pages[0]["page"]["parts"][0]["part"], 1);
        assert_eq!(pages[0]["page"]["lists"]["items"]["of"], 2);
    }

    #[test]
    fn a_table_is_divided_and_a_long_string_is_cut() {
        let row = |number: usize| (format!("env-{number}"), json!({"declared": "v1"}));
        let versions: Map<String, Value> = (0..100).map(row).collect();
        let parts = divide_element(json!({"name": "web", "versions": versions}), 300);
        assert!(parts.iter().all(|part| part.to_string().len() <= 300 && part["name"] == "web"));
        let back: Map<String, Value> = parts.into_iter().flat_map(|part| object(part["versions"].clone())).collect();
        assert_eq!(back, versions);
        let long = &pages(json!({"items": [{"message": "x".repeat(9_000)}]}), 20_000)[0];
        assert!(long["items"][0]["message"].as_str().unwrap().ends_with("… (5000 more characters)"));
    }

    #[test]
    fn an_unknown_cursor_is_refused() {
        let kept = DocumentCache::default();
        for cursor in ["", "1", "1.0", "x.y", "18446744073709551616.1"] {
            assert_eq!(kept.next_page(cursor, 100), Err(NOT_KEPT));
        }
    }

    #[test]
    fn only_the_newest_documents_are_kept() {
        let mut kept = DocumentCache::default();
        let items = || object(json!({"items": ["aaaa", "bbbb"]}));
        let document = || PagedDocument::from_document(items(), Vec::new(), 8, TextAuthor::Others);
        let cursors: Vec<String> = (0..KEPT + 1)
            .map(|_| kept.first_page(document(), 8)["page"]["cursor"].as_str().unwrap().to_owned())
            .collect();
        assert!(kept.next_page(&cursors[0], 8).is_err());
        assert!(cursors[1..].iter().all(|cursor| kept.next_page(cursor, 8).is_ok()));
    }

    proptest! {
        #[test]
        fn pages_lose_nothing_and_keep_the_order(
            lists in proptest::collection::btree_map("[a-e]", proptest::collection::vec("[a-z]{0,30}", 0..20), 0..4),
            characters in 1usize..200,
        ) {
            let pages = pages(serde_json::to_value(&lists).unwrap(), characters);
            for (list, elements) in &lists {
                let of_page = |page: &Value| page[list].as_array().cloned().unwrap_or_default();
                let seen: Vec<Value> = pages.iter().flat_map(of_page).collect();
                let expected: Vec<Value> = elements.iter().map(|element| json!(element)).collect();
                prop_assert_eq!(seen, expected);
            }
        }
    }
}
