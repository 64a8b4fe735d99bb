//! Splits one page of a list into its objects while it is received, with at most one object in memory at a time.

use memchr::memchr2;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::limit::ResponseLimit;
use super::read_error::ReadError;
use super::response::ResponseSink;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::weight::KeptWeight;

/// Callback for each object of a page, as sent by the server.
pub(super) type TakeRawObject<'a> = dyn FnMut(&[u8]) -> Result<(), ReadError> + Send + 'a;

/// The fields of `metav1.ListMeta` for paging and watching.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PageMetadata {
    #[serde(rename = "continue")]
    pub(super) continue_token: Option<String>,
    pub(super) resource_version: String,
    remaining_item_count: Option<i64>,
    /// `apiVersion` and kind of the list.
    #[serde(skip)]
    list: (Option<String>, Option<String>),
}

/// Lists that may hold objects of any kind.
const GENERIC_LISTS: [(&str, &str); 2] = [("v1", "List"), ("meta.k8s.io/v1", "PartialObjectMetadataList")];

impl PageMetadata {
    /// Returns the token of the next page, or `None` if this is the last one.
    ///
    /// # Errors
    /// Fails when the page is of another kind, or ends the list before its last object.
    pub(super) fn next_page(&self, kind: &ResourceKind) -> Result<Option<&str>, ReadError> {
        let expected = kind.api_version();
        let (version, list) = (self.list.0.as_deref().unwrap_or(&expected), self.list.1.as_deref());
        let is_generic = GENERIC_LISTS.contains(&(version, list.unwrap_or("List")));
        let is_own = version == expected && list.is_none_or(|list| is_list_of(list, kind));
        if !is_generic && !is_own {
            let sent = list.unwrap_or("a list");
            return Err(ReadError::Malformed(format!(
                "a list of {} was requested, and {sent} of {version} was sent",
                kind.qualified_plural()
            )));
        }
        let token = self.continue_token.as_deref().filter(|token| !token.is_empty());
        match self.remaining_item_count {
            Some(count) if count > 0 && token.is_none() => {
                Err(ReadError::Malformed(format!("the list ends {count} objects before its last one")))
            }
            _ => Ok(token),
        }
    }
}

/// Returns true if a list may be of a kind, by its name. A definition may choose that of its list.
fn is_list_of(list: &str, kind: &ResourceKind) -> bool {
    let is_built_in = !kind.group.contains('.') || kind.group.ends_with(".k8s.io");
    list.strip_suffix("List").is_some_and(|one| one.is_empty() || one == kind.kind) || !is_built_in
}

/// A page that is being read.
#[derive(Default)]
pub(super) struct PageReader {
    /// The page without its objects.
    envelope: Vec<u8>,
    /// The beginning of an object that is not complete yet.
    object: Vec<u8>,
    /// What it takes in memory.
    weight: KeptWeight,
    lexer: Lexer,
    place: PagePosition,
    /// The last string at the top level of the page, with quotes: before a list, its key.
    key: Vec<u8>,
}

/// The current position in a page.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum PagePosition {
    /// Before or after the objects.
    #[default]
    Envelope,
    /// At the first object, or the end of an empty list.
    First,
    /// At an object after a comma.
    Next,
}

/// Nesting depth of the page's fields, and of its objects.
const TOP: usize = 1;
const AMONG_OBJECTS: usize = 2;

impl PageReader {
    /// Reads the next part of the text.
    pub(super) fn read(&mut self, mut text: &[u8], take: &mut TakeRawObject<'_>) -> Result<(), ReadError> {
        while !text.is_empty() {
            text = match self.place {
                PagePosition::Envelope => self.read_envelope(text),
                PagePosition::First | PagePosition::Next => self.read_object(text, take)?,
            };
        }
        Ok(())
    }

    /// Reads until the objects begin, and returns the rest of the text.
    fn read_envelope<'text>(&mut self, text: &'text [u8]) -> &'text [u8] {
        for (index, byte) in text.iter().enumerate() {
            self.envelope.push(*byte);
            let was = self.lexer.text;
            self.lexer.step(*byte);
            if self.lexer.depth == TOP {
                match (was, self.lexer.text) {
                    (StringState::Outside, StringState::Inside) => self.key = vec![*byte],
                    (StringState::Outside, StringState::Outside) => {}
                    _ => self.key.push(*byte),
                }
            }
            let begins = *byte == b'[' && was == StringState::Outside && self.lexer.depth == AMONG_OBJECTS;
            if begins && self.key == br#""items""# {
                self.place = PagePosition::First;
                return &text[index + 1..];
            }
        }
        &[]
    }

    /// Reads until an object ends, and returns the rest of the text.
    fn read_object<'text>(
        &mut self,
        text: &'text [u8],
        take: &mut TakeRawObject<'_>,
    ) -> Result<&'text [u8], ReadError> {
        let Some(end) = self.lexer.end_of_object(text) else {
            self.weight.grow(text.len())?;
            self.object.extend_from_slice(text);
            return Ok(&[]);
        };
        let is_last = match text[end] {
            b',' => false,
            b']' => true,
            _ => return Err(ReadError::Malformed("a bracket closes what it did not open".to_owned())),
        };
        let whole = if self.object.is_empty() {
            &text[..end]
        } else {
            self.object.extend_from_slice(&text[..end]);
            &self.object
        };
        match (whole.trim_ascii().is_empty(), is_last, self.place) {
            (false, ..) => take(whole)?,
            (true, true, PagePosition::First) => {}
            (true, ..) => return Err(ReadError::Malformed("an object is missing next to a comma".to_owned())),
        }
        self.object.clear();
        self.weight = KeptWeight::default();
        self.place = PagePosition::Next;
        if is_last {
            self.envelope.push(b']');
            self.lexer.depth = TOP;
            self.place = PagePosition::Envelope;
        }
        Ok(&text[end + 1..])
    }

    /// Checks the size of the incomplete object, and of the text around the objects.
    fn check_held(&self) -> Result<(), ReadError> {
        ReadError::check_limit(ResponseLimit::Object, self.object.len())?;
        ReadError::check_limit(ResponseLimit::Small, self.envelope.len().saturating_add(self.key.len()))
    }

    /// Returns the metadata of a complete page.
    pub(super) fn finish(self) -> Result<PageMetadata, ReadError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Envelope {
            #[serde(default)]
            api_version: Option<String>,
            #[serde(default)]
            kind: Option<String>,
            #[serde(default)]
            metadata: PageMetadata,
            /// Go encodes an empty list as `null`; a page must have the field.
            #[serde(rename = "items", deserialize_with = "Option::deserialize")]
            _items: Option<Vec<IgnoredAny>>,
        }
        let Envelope { api_version, kind, metadata, .. } =
            serde_json::from_slice(&self.envelope).map_err(|error| ReadError::Malformed(error.to_string()))?;
        Ok(PageMetadata { list: (api_version, kind), ..metadata })
    }
}

/// A minimal JSON lexer that finds the end of values.
#[derive(Default)]
struct Lexer {
    /// Nesting depth of brackets and braces.
    depth: usize,
    text: StringState,
}

/// The position in relation to strings.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum StringState {
    #[default]
    Outside,
    Inside,
    /// After a backslash in a string.
    Escaped,
}

impl Lexer {
    fn step(&mut self, byte: u8) {
        match (self.text, byte) {
            (StringState::Outside, b'"') | (StringState::Escaped, _) => self.text = StringState::Inside,
            (StringState::Outside, b'{' | b'[') => self.depth += 1,
            (StringState::Outside, b'}' | b']') => self.depth = self.depth.saturating_sub(1),
            (StringState::Inside, b'"') => self.text = StringState::Outside,
            (StringState::Inside, b'\\') => self.text = StringState::Escaped,
            (StringState::Outside | StringState::Inside, _) => {}
        }
    }

    /// The index of the comma or bracket after an object; `None` if the text ends before.
    fn end_of_object(&mut self, text: &[u8]) -> Option<usize> {
        let mut index = 0;
        loop {
            // Most of the text is in strings, so these are skipped quickly.
            if self.text == StringState::Inside {
                index += memchr2(b'"', b'\\', text.get(index..)?)?;
            }
            let byte = *text.get(index)?;
            if self.text == StringState::Outside && self.depth == AMONG_OBJECTS && matches!(byte, b',' | b']' | b'}') {
                return Some(index);
            }
            self.step(byte);
            index += 1;
        }
    }
}

/// Converts each object of a page, in any number of attempts to read it.
pub(super) struct PageSink<'a, T> {
    page: PageReader,
    make: &'a mut ConvertObject<'a, T>,
    objects: &'a mut Vec<T>,
    /// The number of objects before this page.
    before: usize,
    /// Bytes of this page so far.
    bytes: usize,
}

/// Limit for objects per page. Some servers ignore `limit` and send a whole list.
const MOST_OBJECTS: usize = 250_000;

/// Callback that converts an object.
pub(crate) type ConvertObject<'a, T> = dyn FnMut(&[u8]) -> Result<T, ReadError> + Send + 'a;

impl<'a, T> PageSink<'a, T> {
    /// Creates a sink that appends to `objects`.
    pub(super) fn new(objects: &'a mut Vec<T>, make: &'a mut ConvertObject<'a, T>) -> Self {
        Self { page: PageReader::default(), make, before: objects.len(), objects, bytes: 0 }
    }

    /// Returns the size of the page as received.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the metadata of a complete page.
    pub(super) fn finish(&mut self) -> Result<PageMetadata, ReadError> {
        std::mem::take(&mut self.page).finish()
    }
}

impl<T: Send> ResponseSink for PageSink<'_, T> {
    fn begin(&mut self) {
        self.page = PageReader::default();
        self.bytes = 0;
        self.objects.truncate(self.before);
    }

    fn take(&mut self, text: &[u8]) -> Result<(), ReadError> {
        self.bytes = self.bytes.saturating_add(text.len());
        ReadError::check_limit(ResponseLimit::StreamedPage, self.bytes)?;
        let Self { page, make, objects, before, .. } = self;
        page.read(text, &mut |object| {
            if objects.len() - *before >= MOST_OBJECTS {
                return Err(ReadError::Malformed(format!("a page of the list has more than {MOST_OBJECTS} objects")));
            }
            objects.push(make(object)?);
            Ok(())
        })?;
        page.check_held()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The objects and resource version of a page that arrives in parts of this size.
    fn read(text: &str, part: usize) -> Result<(Vec<String>, String), ReadError> {
        let mut objects = Vec::new();
        let mut make = |object: &[u8]| Ok(String::from_utf8_lossy(object).trim().to_owned());
        let mut sink = PageSink::new(&mut objects, &mut make);
        text.as_bytes().chunks(part).try_for_each(|part| sink.take(part))?;
        let version = sink.finish()?.resource_version;
        Ok((objects, version))
    }

    /// The result of a parser with the whole text.
    fn read_at_once(text: &str) -> Option<(Vec<serde_json::Value>, String)> {
        let page: serde_json::Value = serde_json::from_str(text).ok()?;
        let items = match page.get("items")? {
            serde_json::Value::Null => Vec::new(),
            items => items.as_array()?.clone(),
        };
        let version = page.pointer("/metadata/resourceVersion").and_then(serde_json::Value::as_str).unwrap_or_default();
        Some((items, version.to_owned()))
    }

    const WELL: [&str; 7] = [
        r#"{"kind":"List","metadata":{"resourceVersion":"7","items":[1]},"items":[{"a":"]},{[\\"},{"b":[{"c":"\""}]}]}"#,
        r#"{ "items" : [ { "a": "\\\"items\": [" } , {"items":[1,2]} ] , "metadata" : { "resourceVersion" : "8" } }"#,
        r#"{"items":[],"metadata":{"resourceVersion":"9"}}"#,
        r#"{"items":null,"metadata":{"resourceVersion":"9"}}"#,
        r#"{"other":["items",[3]],"also":"items","items":[ ]}"#,
        r#"{"note":"items","list":[{"x":1}],"items":[{"größe":"ü"},null,7,"a,b"]}"#,
        r#"{"x\"items":[5],"items":[{"y":"\u005d"}]}"#,
    ];

    #[test]
    fn a_page_is_parsed_the_same_in_parts_of_any_size() {
        for text in WELL {
            let expected = read_at_once(text).unwrap();
            for part in 1..=text.len() {
                let (objects, version) = read(text, part).unwrap();
                let objects: Vec<_> = objects.iter().map(|one| serde_json::from_str(one).unwrap()).collect();
                assert_eq!((objects, version), expected, "{text} in parts of {part}");
            }
        }
    }

    #[test]
    fn an_invalid_page_is_an_error_and_not_an_empty_list() {
        let torn = (1..WELL[0].len()).map(|end| &WELL[0][..end]);
        let others = [
            r#"{"kind":"Status","status":"Success"}"#,
            r#"{"items":[{"a":1},]}"#,
            r#"{"items":[,{"a":1}]}"#,
            r#"{"items":[{"a":1}}]}"#,
            r#"{"items":[{"a":1}},"metadata":{}}"#,
            r#"{"items":[1}[,2]}"#,
            r#"{"items":{}}"#,
            r#"{"items":[],"items":[{"a":1}]}"#,
            r#"{"items":[]}}"#,
            r#"[{"items":[{"a":1}]}]"#,
            r#"["items",[{"a":1}]]"#,
            "",
        ];
        for text in torn.chain(others) {
            for part in [1, 7, text.len().max(1)] {
                assert!(matches!(read(text, part), Err(ReadError::Malformed(_))), "{text}");
            }
        }
    }

    #[test]
    fn a_page_that_is_inconsistent_does_not_end_a_list() {
        let kind = ResourceKind { version: "v1".to_owned(), ..ResourceKind::guess("apps", "Deployment") };
        let end = |text: &str| {
            let mut reader = PageReader::default();
            reader.read(text.as_bytes(), &mut |_| Ok(())).unwrap();
            reader
                .finish()
                .unwrap()
                .next_page(&kind)
                .map(|token| token.map(str::to_owned))
                .map_err(|error| error.to_string())
        };
        for whole in [
            r#"{"items":[]}"#,
            r#"{"apiVersion":"apps/v1","metadata":{"remainingItemCount":0},"items":[]}"#,
            r#"{"apiVersion":"apps/v1","kind":"DeploymentList","metadata":{"continue":""},"items":[]}"#,
            r#"{"apiVersion":"v1","kind":"List","metadata":{},"items":[]}"#,
            r#"{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadataList","metadata":{},"items":[]}"#,
        ] {
            assert_eq!(end(whole), Ok(None), "{whole}");
        }
        let more = r#"{"metadata":{"continue":"x","remainingItemCount":3},"items":[]}"#;
        assert_eq!(end(more), Ok(Some("x".to_owned())));
        for other in [
            r#"{"metadata":{"remainingItemCount":3},"items":[]}"#,
            r#"{"apiVersion":"batch/v1","metadata":{},"items":[]}"#,
            r#"{"apiVersion":"apps/v1beta1","metadata":{},"items":[]}"#,
            r#"{"apiVersion":"v1","kind":"PodList","metadata":{},"items":[]}"#,
            r#"{"apiVersion":"apps/v1","kind":"StatefulSetList","metadata":{},"items":[]}"#,
            r#"{"apiVersion":"meta.k8s.io/v1","kind":"Status","metadata":{},"items":[]}"#,
        ] {
            assert!(end(other).is_err(), "{other}");
        }
    }

    #[test]
    fn another_attempt_starts_the_page_again_and_keeps_other_pages() {
        let mut objects = vec!["of the page before".to_owned()];
        let mut make = |object: &[u8]| Ok(String::from_utf8_lossy(object).into_owned());
        let mut sink = PageSink::new(&mut objects, &mut make);
        sink.take(br#"{"items":[{"a":1},{"b":"#).unwrap();
        sink.begin();
        sink.take(br#"{"items":[{"c":3}]}"#).unwrap();
        sink.finish().unwrap();
        assert_eq!(objects, ["of the page before", r#"{"c":3}"#]);
    }
}
