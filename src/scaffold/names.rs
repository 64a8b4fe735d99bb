//! Names in texts, as whole words: `quotes` in `prod-quotes` and in `quotes.default.svc`, never in `unquotes`.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use granit_parser::ScalarStyle;
use regex::Regex;

use super::fields;
use crate::yaml::splice::Splice;
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
        self.changed(text, 0..text.len(), kept, &[])
    }

    /// A file under the new names: addresses, images, charts, and what is the language of its format stay.
    pub fn in_file(&self, text: &str) -> String {
        self.in_text(text, &kept(text))
    }

    /// A part of a file as [`Names::in_file`] has it, but for some places of which it was said what becomes of them.
    pub fn in_part(&self, text: &str, part: Range<usize>, said: &[Splice]) -> String {
        self.changed(text, part, &kept(text), said)
    }

    /// A value as [`Names::in_file`] has it, where it stands under a key.
    pub fn in_value(&self, key: &str, text: &str) -> String {
        match KEPT.contains(&key) {
            true => text.to_owned(),
            false if text.contains('\n') => self.in_file(text),
            false => self.in_text(text, &addresses(text)),
        }
    }

    fn changed(&self, text: &str, part: Range<usize>, kept: &[Range<usize>], said: &[Splice]) -> String {
        let touches = |one: &Range<usize>, other: &Range<usize>| one.start < other.end && other.start < one.end;
        let within = |range: &Range<usize>| part.start <= range.start && range.end <= part.end;
        let mut changes: Vec<(Range<usize>, &str)> = said
            .iter()
            .filter(|splice| within(&splice.range))
            .map(|splice| (splice.range.clone(), splice.text.as_str()))
            .collect();
        let mut at = part.start;
        while let Some((range, new)) = self.next(text, at).filter(|(range, _)| range.end <= part.end) {
            at = range.end;
            let is_said = said.iter().any(|splice| touches(&splice.range, &range));
            if !is_said && !kept.iter().any(|span| touches(span, &range)) {
                changes.push((range, new));
            }
        }
        changes.sort_by_key(|(range, _)| (range.start, range.end));
        let mut after = String::with_capacity(part.len());
        let mut done = part.start;
        for (range, new) in changes.into_iter() {
            after.push_str(text.get(done..range.start).unwrap_or_default());
            after.push_str(new);
            done = range.end.max(done);
        }
        after.push_str(&text[done..part.end]);
        after
    }

    /// What keeps the old name, of a file: addresses, images and charts, each as a whole.
    pub fn left_in(&self, text: &str) -> Vec<String> {
        let is_edge = |c: char| c.is_whitespace() || "'\"<>{}[],".contains(c);
        let mut left: Vec<String> = Vec::new();
        for span in places_of_others(text)
            .into_iter()
            .filter(|span| self.in_text(&text[span.clone()], &[]) != text[span.clone()])
        {
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

/// What stays in a text: addresses, what images, repositories and charts are called, and the language of the format.
fn kept(text: &str) -> Vec<Range<usize>> {
    let mut kept = addresses(text);
    kept.extend(fields::ways_of_charts(text));
    match parse(text) {
        Ok(documents) => documents.iter().for_each(|document| keep_in(text, document, &mut kept)),
        Err(_) => kept.extend(fields::in_lines(text, &|key| KEPT.contains(&key))),
    }
    kept
}

/// What of a text says where something of somebody else is kept.
fn places_of_others(text: &str) -> Vec<Range<usize>> {
    let mut kept = addresses(text);
    let documents = parse(text).unwrap_or_default();
    documents.iter().flat_map(Node::walk).for_each(|node| keep(node, &mut kept));
    kept
}

fn keep_in(text: &str, document: &Node, kept: &mut Vec<Range<usize>>) {
    fields::keep(text, document, kept);
    for node in document.walk() {
        keep(node, kept);
        // A document in a block of text stands there line by line.
        let Content::Scalar(value, ScalarStyle::Literal) = &node.content else { continue };
        let is_one = |inner: &Node| !inner.entries().is_empty() || !inner.items().is_empty();
        let inner = parse(value).unwrap_or_default();
        let mut found = Vec::new();
        inner.iter().filter(|inner| is_one(inner)).for_each(|inner| keep_in(value, inner, &mut found));
        kept.extend(found.into_iter().filter_map(|range| outside(text, node, value, &range)));
    }
}

/// Where a place of a block of text is in the file around it.
fn outside(text: &str, node: &Node, value: &str, range: &Range<usize>) -> Option<Range<usize>> {
    let line = value[..range.start].matches('\n').count();
    let start = value[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = value[start..].find('\n').map_or(value.len(), |at| start + at);
    let raw = text.get(node.span.clone())?;
    let header = usize::from(raw.starts_with('|'));
    let mut at = node.span.start;
    for (index, raw_line) in raw.split_inclusive('\n').enumerate() {
        let whole = raw_line.trim_end_matches(['\r', '\n']);
        if index == line + header {
            let indent = whole.len().checked_sub(end - start).filter(|_| whole.ends_with(&value[start..end]))?;
            let from = at + indent + range.start - start;
            return Some(from..from + range.len().min(end - range.start));
        }
        at += raw_line.len();
    }
    None
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
            // Documents in texts, and files that a ConfigMap is made of.
            ("patch: |-\n  image: a/quotes\n  name: quotes\n", "patch: |-\n  image: a/quotes\n  name: orders\n"),
            (
                "host: {{ .Values.quotes.host }}\nquotes: x\nname: quotes",
                "host: {{ .Values.quotes.host }}\nquotes: x\nname: orders",
            ),
        ] {
            assert_eq!(names().in_file(before), after);
        }
        assert_eq!(names().left_in("image: 'r/quotes:v1'\nname: quotes"), ["r/quotes:v1"]);
    }

    #[test]
    fn a_service_may_be_called_like_a_field() {
        let rename = |old: &str, text: &str| {
            let mut names = Names::default();
            names.call(old, "orders");
            names.in_file(text)
        };
        let object = |name: &str, labels: &str, image: &str| {
            format!(
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}, labels: {labels}}}\nspec:\n  name: {name}-x\n  \
                 app: {name}\n  image: {image}\n  env:\n  - valueFrom: {{fieldRef: {{fieldPath: metadata.name}}}}\n  \
                 path: [{{key: app, operator: In, values: [{name}]}}, {{op: add, path: /spec/image/name}}]\n"
            )
        };
        for old in ["image", "name", "spec", "app", "apps", "metadata", "env"] {
            let labels = |name: &str| format!("{{app: {name}, app.kubernetes.io/name: {name}, role-of-{name}: a}}");
            assert_eq!(
                rename(old, &object(old, &labels(old), "r/image:v1")),
                object("orders", &labels("orders"), "r/image:v1"),
                "{old}"
            );
        }
        let map = "kind: ConfigMap\ndata:\n  quotes.conf: a\n  quotes: b\nitems: [{key: quotes.conf}]\n";
        assert_eq!(rename("quotes", map), map.replace("quotes", "orders"), "what refers to a key follows it");
        let paths = "fieldPaths: ['spec.containers.[name=name].env', data.name.conf]";
        assert_eq!(rename("name", paths), "fieldPaths: ['spec.containers.[name=orders].env', data.orders.conf]");
        assert_eq!(rename("image", "services:\n  image: {image: 1}\n"), "services:\n  orders: {image: 1}\n");
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
