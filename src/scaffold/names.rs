//! Names in texts, as whole words: `quotes` in `prod-quotes` and in `quotes.default.svc`, never in `unquotes`.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::yaml::tree::{Content, Node, parse};

/// What becomes of names: others, or themselves where they are those of something that is not copied. The longest one that
/// stands at a place decides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names(BTreeMap<String, String>);

/// Keys of which the value says where something is kept: an image, a repository, a chart.
const KEPT: [&str; 6] = ["image", "newName", "repoURL", "url", "repository", "chart"];

/// The path of a URL, and all of an address for git.
static ADDRESS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"[A-Za-z][A-Za-z0-9+.-]*://[^\s/'"<>]*(/[^\s'"<>]*)|(git@[^\s'"]+)"#).ok());

impl Names {
    /// Says what a name becomes.
    pub fn call(&mut self, old: &str, new: &str) {
        self.0.insert(old.to_owned(), new.to_owned());
    }

    /// Says that a name stays, unless it was said what it becomes.
    pub fn keep(&mut self, name: &str) {
        if self.0.keys().any(|known| known != name && places(name, known).next().is_some()) {
            self.0.entry(name.to_owned()).or_insert_with(|| name.to_owned());
        }
    }

    /// A text under the new names, but for what stands in `kept`.
    pub fn in_text(&self, text: &str, kept: &[Range<usize>]) -> String {
        let mut after = String::with_capacity(text.len());
        let mut done = 0;
        while let Some((range, new)) = self.next(text, done) {
            let is_kept = kept.iter().any(|span| span.start < range.end && range.start < span.end);
            after.push_str(&text[done..range.start]);
            after.push_str(if is_kept { &text[range.clone()] } else { new });
            done = range.end;
        }
        after.push_str(&text[done..]);
        after
    }

    /// A file under the new names: addresses, images and charts stay.
    pub fn in_file(&self, text: &str) -> String {
        self.in_text(text, &kept(text))
    }

    /// A value as [`Names::in_file`] has it, where it stands under a key.
    pub fn in_value(&self, key: &str, text: &str) -> String {
        if KEPT.contains(&key) { text.to_owned() } else { self.in_text(text, &addresses(text)) }
    }

    /// What keeps the old name, of a file: addresses, images and charts, each as a whole.
    pub fn left_in(&self, text: &str) -> Vec<String> {
        let is_edge = |c: char| c.is_whitespace() || "'\"<>{}[],".contains(c);
        let mut left: Vec<String> = Vec::new();
        for span in kept(text).into_iter().filter(|span| self.in_text(&text[span.clone()], &[]) != text[span.clone()]) {
            let start = text[..span.start].rfind(is_edge).map_or(0, |at| at + 1);
            let whole = text[start..span.end].trim_matches(is_edge);
            if !left.iter().any(|known| known == whole) {
                left.push(whole.to_owned());
            }
        }
        left
    }

    /// The next place of a name, and what it becomes.
    fn next(&self, text: &str, from: usize) -> Option<(Range<usize>, &str)> {
        let found = self.0.iter().filter_map(|(old, new)| Some((places_from(text, old, from).next()?, new.as_str())));
        found.min_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)))
    }
}

/// Where a name stands in a text as a whole word.
fn places<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    places_from(text, name, 0)
}

fn places_from<'t>(text: &'t str, name: &'t str, from: usize) -> impl Iterator<Item = Range<usize>> + 't {
    let is_end = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    let found = text[from..].match_indices(name).map(move |(start, found)| from + start..from + start + found.len());
    found.filter(move |place| {
        !place.is_empty() && is_end(text[..place.start].chars().next_back()) && is_end(text[place.end..].chars().next())
    })
}

fn addresses(text: &str) -> Vec<Range<usize>> {
    let found = ADDRESS.iter().flat_map(|address| address.captures_iter(text));
    found.filter_map(|found| found.get(1).or_else(|| found.get(2)).map(|part| part.range())).collect()
}

/// What stays in a text: addresses, and in YAML what images, repositories and charts are called.
fn kept(text: &str) -> Vec<Range<usize>> {
    let mut kept = addresses(text);
    for document in parse(text).unwrap_or_default() {
        for node in document.walk() {
            keep(node, &mut kept);
        }
    }
    kept
}

fn keep(node: &Node, kept: &mut Vec<Range<usize>>) {
    for (key, value) in node.entries() {
        let key = key.text().unwrap_or_default();
        if KEPT.contains(&key) && matches!(value.content, Content::Scalar(..)) {
            kept.push(value.span.clone());
        }
        if key == "images" {
            let names = value.items().iter().filter_map(|item| item.get("name"));
            kept.extend(names.map(|name| name.span.clone()));
            kept.extend(value.items().iter().filter(|item| item.text().is_some()).map(|item| item.span.clone()));
        }
    }
}

/// What stands before and behind a name in a longer one, as words; `None` where it is not in it as a whole.
pub fn around<'n>(longer: &'n str, name: &'n str) -> Option<Vec<&'n str>> {
    let place = places(longer, name).next()?;
    let split = |part: &'n str| part.split(['-', '_', '.']).filter(|word| !word.is_empty());
    Some(split(&longer[..place.start]).chain(split(&longer[place.end..])).collect())
}

/// A longer name, in which one is another; `None` where it is not in it as a whole.
pub fn replaced(longer: &str, name: &str, new: &str) -> Option<String> {
    let place = places(longer, name).next()?;
    Some(format!("{}{new}{}", &longer[..place.start], &longer[place.end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        let mut names = Names::default();
        names.call("quotes", "orders");
        names.keep("quotes-db");
        names.keep("web");
        names
    }

    #[test]
    fn whole_words_change_and_nothing_else() {
        for (before, after) in [
            ("name: quotes # of quotes", "name: orders # of orders"),
            ("host: quotes.shop.svc:80", "host: orders.shop.svc:80"),
            ("a: quotes-conn, unquotes, quotes2, QUOTES", "a: orders-conn, unquotes, quotes2, QUOTES"),
            ("db: quotes-db, prod-quotes-db.svc, quotes-dbs", "db: quotes-db, prod-quotes-db.svc, orders-dbs"),
            ("path: ./quotes/overlays/prod", "path: ./orders/overlays/prod"),
            ("api: http://quotes:80/quotes", "api: http://orders:80/quotes"),
            ("repoURL: https://git.example.org/acme/quotes.git", "repoURL: https://git.example.org/acme/quotes.git"),
            ("image: quotes.example.org/quotes:v1", "image: quotes.example.org/quotes:v1"),
            ("images:\n- name: quotes\n  newTag: quotes", "images:\n- name: quotes\n  newTag: orders"),
        ] {
            assert_eq!(names().in_file(before), after);
        }
        assert_eq!(names().left_in("image: 'r/quotes:v1'\nname: quotes"), ["r/quotes:v1"]);
    }

    #[test]
    fn a_name_stands_in_longer_ones() {
        assert_eq!(around("prod-quotes", "quotes"), Some(vec!["prod"]));
        assert_eq!(around("quotes-db", "quotes"), Some(vec!["db"]));
        assert_eq!(around("myquotes", "quotes"), None);
        assert_eq!(replaced("a-quotes-b", "quotes", "orders").as_deref(), Some("a-orders-b"));
    }

    proptest::proptest! {
        /// Only whole words change, and back again they are what they were.
        #[test]
        fn back_again_no_byte_has_changed(text in "(quotes|unquotes|quotes-db|db|[a-z :/\r\n.#'\"-]){0,12}") {
            let mut back = Names::default();
            back.call("xorders", "quotes");
            let mut there = Names::default();
            there.call("quotes", "xorders");
            there.keep("quotes-db");
            proptest::prop_assert_eq!(back.in_text(&there.in_text(&text, &[]), &[]), text);
        }
    }
}
