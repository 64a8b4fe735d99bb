//! Entries of lists and mappings: adding and removing them as text.

use std::ops::Range;

use ucp_repo::yaml::YamlError;
use ucp_repo::yaml::insert::newline;
use ucp_repo::yaml::splice::Splice;
use ucp_repo::yaml::tree::{NodeDecoration, YamlNode};

/// The byte span of an entry: an item of a list, or a key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListEntry {
    /// The span from the first byte to the last, without comments.
    span: Range<usize>,
    /// The sort key in a sorted list.
    key: String,
    form: EntryForm,
}

/// The form of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryForm {
    /// An item of a list, after its dash.
    Item,
    /// A key with its value.
    Pair,
}

impl ListEntry {
    /// Returns an item of a list, with its sort key.
    pub fn item(text: &str, item: &YamlNode, key: &str) -> Self {
        Self { span: whole(text, item.span.start, item), key: key.to_owned(), form: EntryForm::Item }
    }

    /// Returns a key with its value.
    pub fn pair(text: &str, (key, value): &(YamlNode, YamlNode)) -> Self {
        let written = whole(text, key.span.start, value);
        let key_text = key.text().unwrap_or_default().to_owned();
        Self { span: written.start..written.end.max(key.span.end), key: key_text, form: EntryForm::Pair }
    }

    /// Returns the lines of an entry, or only its span in a flow collection.
    pub fn written<'t>(&self, text: &'t str, is_flow: bool) -> &'t str {
        &text[self.place(text, is_flow)]
    }

    /// Returns the range of [`ListEntry::written`].
    pub fn place(&self, text: &str, is_flow: bool) -> Range<usize> {
        if is_flow {
            return self.span.clone();
        }
        let lines = lines(text, &self.span);
        lines.start..lines.end - usize::from(text[lines.clone()].ends_with('\r'))
    }
}

/// Returns the entries of a list, with the texts of its items or the values of one of their keys as sort keys, or those
/// of a mapping.
pub fn entries(text: &str, parent: &YamlNode, key: Option<&str>) -> Vec<ListEntry> {
    let sorts = |item: &YamlNode| key.map_or(item.text(), |key| item.text_at(key)).unwrap_or_default().to_owned();
    let items = parent.items().iter().map(|item| ListEntry::item(text, item, &sorts(item)));
    items.chain(parent.entries().iter().map(|pair| ListEntry::pair(text, pair))).collect()
}

fn whole(text: &str, start: usize, value: &YamlNode) -> Range<usize> {
    let last = value.walk().iter().map(|node| node.span.end).max().unwrap_or(value.span.end);
    let trimmed = start + text[start..last.max(start)].trim_end().len();
    start..if value.is_flow() { trimmed.max(value.span.end) } else { trimmed }
}

/// Returns the complete lines of a span, without the last line break.
fn lines(text: &str, span: &Range<usize>) -> Range<usize> {
    let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    start..text[span.end..].find('\n').map_or(text.len(), |at| span.end + at)
}

/// Adds a copy of an entry: after it, or at its position in a sorted list.
///
/// # Errors
/// Fails when the entries do not start on separate lines.
pub fn insert_copy(
    text: &str,
    all: &[ListEntry],
    at: usize,
    is_flow: bool,
    (key, copy): (&str, &str),
) -> Result<Splice, YamlError> {
    let is_sorted = all.len() > 1 && all.windows(2).all(|pair| pair[0].key < pair[1].key);
    let behind = match is_sorted {
        true => all.iter().rposition(|entry| entry.key.as_str() < key),
        false => Some(at),
    };
    let Some(entry) = all.get(at) else { return Err(YamlError::new(0, "there is no such entry")) };
    if is_flow {
        return Ok(match behind.and_then(|behind| all.get(behind)) {
            Some(before) => Splice::insert(before.span.end, format!(", {copy}")),
            None => Splice::insert(all[0].span.start, format!("{copy}, ")),
        });
    }
    first_line(text, entry)?;
    Ok(match behind.and_then(|behind| all.get(behind)) {
        Some(before) => {
            let end = lines(text, &before.span).end;
            let end = end - usize::from(text[..end].ends_with('\r'));
            Splice::insert(end, format!("{}{copy}", newline(text)))
        }
        None => Splice::insert(first_line(text, &all[0])?, format!("{copy}{}", newline(text))),
    })
}

/// Removes an entry with its lines.
///
/// # Errors
/// Fails when the entry does not start on a separate line.
pub fn remove_entry(text: &str, all: &[ListEntry], at: usize, is_flow: bool) -> Result<Splice, YamlError> {
    let Some(entry) = all.get(at) else { return Err(YamlError::new(0, "there is no such entry")) };
    let range = if is_flow {
        match (at.checked_sub(1), all.get(at + 1)) {
            (_, Some(next)) => entry.span.start..next.span.start,
            (Some(before), None) => all[before].span.end..entry.span.end,
            (None, None) => entry.span.clone(),
        }
    } else {
        first_line(text, entry)?;
        let lines = lines(text, &entry.span);
        match text[lines.end..].starts_with('\n') {
            true => lines.start..lines.end + 1,
            // The last line of a file without a final line break.
            false => lines.start.saturating_sub(newline(text).len())..lines.end,
        }
    };
    Ok(Splice { range, text: String::new() })
}

/// Returns the start of an entry's first line. Only the dash of an item may precede it there, and nothing may precede a
/// key.
fn first_line(text: &str, entry: &ListEntry) -> Result<usize, YamlError> {
    let start = lines(text, &entry.span).start;
    let dash = match entry.form {
        EntryForm::Item => "-",
        EntryForm::Pair => "",
    };
    if text[start..entry.span.start].trim_start_matches([' ', '\u{feff}']).trim_end() == dash {
        return Ok(start);
    }
    let line = text[..start].matches('\n').count() + 1;
    Err(YamlError::new(line, "the entry does not start on its own line, so its lines cannot be separated from others"))
}

/// Checks that no value of an entry has an anchor: a second anchor of that name would change the aliases below it.
///
/// # Errors
/// Fails when a value has an anchor.
pub fn check_anchors<'n>(nodes: impl IntoIterator<Item = &'n YamlNode>) -> Result<(), YamlError> {
    let mut nodes = nodes.into_iter().flat_map(YamlNode::walk);
    match nodes.find(|node| matches!(node.decoration, NodeDecoration::Anchor(_))) {
        Some(node) => {
            Err(YamlError::new(node.line, "the entry has an anchor (&) that other values of the file may refer to"))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ucp_repo::yaml::splice;
    use ucp_repo::yaml::tree::parse_one;

    fn edit(text: &str, edit: impl Fn(&[ListEntry], bool) -> Splice) -> String {
        let root = parse_one(text).unwrap();
        let list = root.get("l").unwrap();
        let key = |item: &YamlNode| item.text().or_else(|| item.text_at("name")).unwrap_or_default().to_owned();
        let mut all: Vec<ListEntry> = list.items().iter().map(|item| ListEntry::item(text, item, &key(item))).collect();
        all.extend(list.entries().iter().map(|pair| ListEntry::pair(text, pair)));
        splice::apply(text, &[edit(&all, list.is_flow())]).unwrap()
    }

    fn add(text: &str) -> String {
        edit(text, |all, is_flow| {
            let at = all.iter().position(|entry| entry.key == "q").unwrap();
            let copy = all[at].written(text, is_flow).replace('q', "o");
            insert_copy(text, all, at, is_flow, ("o", &copy)).unwrap()
        })
    }

    #[test]
    fn a_copy_is_inserted_next_to_its_original_or_in_sorted_order() {
        for (before, after) in [
            ("l:\n  - q # ours\n  - a\n", "l:\n  - q # ours\n  - o # ours\n  - a\n"),
            ("l:\n- a\n- q", "l:\n- a\n- o\n- q"),
            ("l:\n- q\n- r", "l:\n- o\n- q\n- r"),
            ("l:\r\n- q\r\n- a\r\n", "l:\r\n- q\r\n- o\r\n- a\r\n"),
            ("l:\r\n- z\r\n- q", "l:\r\n- z\r\n- q\r\n- o"),
            ("l: [q, a]\n", "l: [q, o, a]\n"),
            ("l: [a, q]\n", "l: [a, o, q]\n"),
            (
                "l:\n  - name: q\n    port: 1\n\n  # next\n  - name: a\n",
                "l:\n  - name: q\n    port: 1\n  - name: o\n    port: 1\n\n  # next\n  - name: a\n",
            ),
            ("l:\n  q: {x: 1}\n  r:\n    x: 2\n", "l:\n  o: {x: 1}\n  q: {x: 1}\n  r:\n    x: 2\n"),
        ] {
            assert_eq!(add(before), after);
        }
    }

    /// If the dash is not on the line of its entry, or a key is on it, whole lines are not those of one entry.
    #[test]
    fn an_entry_that_shares_its_lines_is_refused() {
        for text in ["l:\n- # ours\n  name: q\n- name: z\n", "l:\n-\n  name: q\n- name: z\n", "l:\n- &q\n  name: q\n"] {
            let root = parse_one(text).unwrap();
            let list = root.get("l").unwrap();
            let all = entries(text, list, Some("name"));
            // After the entry and before it.
            for key in ["o", "r"] {
                assert!(insert_copy(text, &all, 0, false, (key, "- name: o")).is_err(), "{text}");
            }
            if let Some(last) = all.len().checked_sub(1).filter(|last| *last > 0) {
                assert!(insert_copy(text, &all, last, false, ("o", "- name: o")).is_err(), "before the first: {text}");
            }
            assert!(remove_entry(text, &all, 0, false).is_err(), "{text}");
        }
        let text = "l:\n- q: {port: 1}\n  w: {port: 2}\n";
        let root = parse_one(text).unwrap();
        let all = entries(text, &root.get("l").unwrap().items()[0], None);
        assert!(insert_copy(text, &all, 0, false, ("o", "o: {}")).is_err());
        assert!(insert_copy(text, &all, 1, false, ("x", "  x: {}")).is_ok(), "{text}");
    }

    #[test]
    fn an_entry_is_removed_with_its_lines() {
        let remove = |text: &str| {
            edit(text, |all, is_flow| {
                let at = all.iter().position(|entry| entry.key == "q").unwrap();
                remove_entry(text, all, at, is_flow).unwrap()
            })
        };
        for (before, after) in [
            ("l:\n- a\n- q # ours\n- b\n", "l:\n- a\n- b\n"),
            ("l:\r\n- a\r\n- q", "l:\r\n- a"),
            ("l: [a, q]", "l: [a]"),
            ("l: [q, a]", "l: [a]"),
            ("l: [q]", "l: []"),
        ] {
            assert_eq!(remove(before), after);
        }
    }
}
