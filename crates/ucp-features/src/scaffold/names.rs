//! Names in texts, as whole words: `quotes` in `prod-quotes` and in `quotes.default.svc`, but not in `unquotes`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;

use granit_parser::ScalarStyle;
use regex::Regex;

use super::fields;
use super::spans::{Spans, word_positions, word_positions_in};
use ucp_repo::yaml::splice::Splice;
use ucp_repo::yaml::tree::{NodeContent, YamlNode, parse};

/// The new names: names that are not copied map to themselves. If several names match at a position, the longest one is
/// used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewNames {
    called: BTreeMap<String, String>,
    /// Mount paths of volumes. Names in these paths change with the content of the volumes.
    mounted: BTreeSet<String>,
}

/// Keys whose value is a location: an image, a repository, a chart.
const KEPT: [&str; 6] = ["image", "newName", "repoURL", "url", "repository", "chart"];

/// The path of a URL, and a complete Git SSH address.
static ADDRESS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"[A-Za-z][A-Za-z0-9+.-]*://[^\s/'"<>]*(/[^\s'"<>]*)|(git@[^\s'"]+)"#).ok());

impl NewNames {
    /// Registers the new name of a name.
    pub fn rename(&mut self, old: &str, new: &str) {
        self.called.insert(old.to_owned(), new.to_owned());
    }

    /// Registers the mount path of a volume.
    pub fn mount(&mut self, directory: &str) {
        self.mounted.insert(directory.to_owned());
    }

    /// Registers a name that remains, unless it has a new name already.
    pub fn keep(&mut self, name: &str) {
        if self.called.keys().any(|known| known != name && word_positions(name, known).next().is_some()) {
            self.called.entry(name.to_owned()).or_insert_with(|| name.to_owned());
        }
    }

    /// Returns a text with the new names, except in the `kept` ranges.
    pub fn in_text(&self, text: &str, kept: &[Range<usize>]) -> String {
        self.changed(text, 0..text.len(), kept, &[])
    }

    /// Returns a file with the new names, except in addresses, images, charts, and the syntax of its format.
    pub fn in_file(&self, text: &str) -> String {
        self.in_text(text, &self.kept(text))
    }

    /// Returns a part of a file like [`NewNames::in_file`], with the given splices applied instead where they are.
    pub fn in_part(&self, text: &str, part: Range<usize>, said: &[Splice]) -> String {
        self.changed(text, part, &self.kept(text), said)
    }

    /// Returns the value of a key, renamed like [`NewNames::in_file`].
    pub fn in_value(&self, key: &str, text: &str) -> String {
        match KEPT.contains(&key) {
            true => text.to_owned(),
            false if fields::is_program(key) => self.in_text(text, &fields::paths_inside(text, &self.mounted)),
            false if text.contains('\n') => self.in_file(text),
            false => self.in_text(text, &addresses(text)),
        }
    }

    fn changed(&self, text: &str, part: Range<usize>, kept: &[Range<usize>], said: &[Splice]) -> String {
        let within = |range: &Range<usize>| part.start <= range.start && range.end <= part.end;
        let mut changes: Vec<(Range<usize>, &str)> = said
            .iter()
            .filter(|splice| within(&splice.range))
            .map(|splice| (splice.range.clone(), splice.text.as_str()))
            .collect();
        let stays = Spans::merged(kept.iter().chain(said.iter().map(|splice| &splice.range)));
        changes.extend(self.found(text, &part).into_iter().filter(|(range, _)| !stays.overlaps(range)));
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

    /// Returns the places in a part of a file that keep the old name in the copy: addresses, images and charts, each as
    /// a whole, and hosts of services that are not copied. The given splices are excluded.
    pub fn left_in(&self, text: &str, part: &Range<usize>, said: &[Splice]) -> Vec<String> {
        let stays = Spans::merged(places_of_others(text).iter());
        let is_said = Spans::merged(said.iter().map(|splice| &splice.range));
        let kept = self.kept(text);
        let is_edge = |c: char| c.is_whitespace() || "'\"<>{}[],".contains(c);
        let mut left: Vec<String> = Vec::new();
        for (range, new) in self.found(text, part) {
            let is_kept = new == &text[range.clone()];
            let is_left = if is_kept { is_host(text, &range) } else { stays.overlaps(&range) };
            if !is_left || is_said.overlaps(&range) {
                continue;
            }
            let start = part.start + text[part.start..range.start].trim_end_matches(|c: char| !is_edge(c)).len();
            let end = text[range.end..part.end].find(is_edge).map_or(part.end, |at| range.end + at);
            let whole = self.changed(text, start..end, &kept, said);
            if !left.contains(&whole) {
                left.push(whole);
            }
        }
        left
    }

    /// Returns all matches of names in a part of a text, with the new names: of names that start at one position, the
    /// longest.
    fn found<'n>(&'n self, text: &str, part: &Range<usize>) -> Vec<(Range<usize>, &'n str)> {
        let of = |(old, new): (&String, &'n String)| {
            let places: Vec<_> =
                word_positions_in(text, old, part.clone()).map(|range| (range, new.as_str())).collect();
            places
        };
        let mut all: Vec<(Range<usize>, &str)> = self.called.iter().flat_map(of).collect();
        all.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        let mut at = part.start;
        all.retain(|(range, _)| {
            let is_free = range.start >= at;
            at = if is_free { range.end } else { at };
            is_free
        });
        all
    }

    /// Returns the ranges that remain: addresses, names of images, repositories and charts, and the syntax of the
    /// format.
    fn kept(&self, text: &str) -> Vec<Range<usize>> {
        let mut kept = addresses(text);
        kept.extend(fields::chart_value_paths(text));
        match parse(text) {
            Ok(documents) => documents.iter().for_each(|document| self.keep_in(text, document, &mut kept)),
            Err(_) => kept.extend(fields::keys_and_values_in_lines(text, &|key| KEPT.contains(&key))),
        }
        kept
    }

    fn keep_in(&self, text: &str, document: &YamlNode, kept: &mut Vec<Range<usize>>) {
        fields::keep(text, document, &self.mounted, kept);
        for node in document.walk() {
            keep(node, kept);
            // A document in a literal block scalar has the same lines as the scalar.
            let NodeContent::Scalar(value, ScalarStyle::Literal) = &node.content else { continue };
            let is_one = |inner: &YamlNode| !inner.entries().is_empty() || !inner.items().is_empty();
            let inner = parse(value).unwrap_or_default();
            let mut found = Vec::new();
            inner.iter().filter(|inner| is_one(inner)).for_each(|inner| self.keep_in(value, inner, &mut found));
            kept.extend(found.into_iter().filter_map(|range| outside(text, node, value, &range)));
        }
    }
}

/// Returns true if a name is that of a host: in an address, or of a Service with its namespace.
fn is_host(text: &str, name: &Range<usize>) -> bool {
    let before = &text[..name.start];
    let is_part = |c: char| c.is_ascii_alphanumeric() || ".-".contains(c);
    let rest = &text[name.end..];
    let host = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
    before.ends_with("://") || before.ends_with('@') || host.split('.').skip(1).any(|part| part == "svc")
}

fn addresses(text: &str) -> Vec<Range<usize>> {
    let found = ADDRESS.iter().flat_map(|address| address.captures_iter(text));
    found.filter_map(|found| found.get(1).or_else(|| found.get(2)).map(|part| part.range())).collect()
}

/// Returns the ranges of a text with locations that belong to others.
fn places_of_others(text: &str) -> Vec<Range<usize>> {
    let mut kept = addresses(text);
    match parse(text) {
        Ok(documents) => documents.iter().flat_map(YamlNode::walk).for_each(|node| keep(node, &mut kept)),
        Err(_) => kept.extend(fields::values_in_lines(text, &|key| KEPT.contains(&key))),
    }
    kept
}

/// Returns the range in the file for a range in a block scalar.
fn outside(text: &str, node: &YamlNode, value: &str, range: &Range<usize>) -> Option<Range<usize>> {
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

fn keep(node: &YamlNode, kept: &mut Vec<Range<usize>>) {
    for (key, value) in node.entries() {
        let key = key.text().unwrap_or_default();
        if KEPT.contains(&key) && matches!(value.content, NodeContent::Scalar(..)) {
            kept.push(value.span.clone());
        }
        if key == "images" {
            let names = value.items().iter().filter_map(|item| item.get("name"));
            kept.extend(names.map(|name| name.span.clone()));
            kept.extend(value.items().iter().filter(|item| item.text().is_some()).map(|item| item.span.clone()));
        }
    }
}

/// Returns the words before and after a name in a longer one; `None` if it does not contain the name as a whole.
pub fn around<'n>(longer: &'n str, name: &'n str) -> Option<Vec<&'n str>> {
    let place = word_positions(longer, name).next()?;
    let split = |part: &'n str| part.split(['-', '_', '.']).filter(|word| !word.is_empty());
    Some(split(&longer[..place.start]).chain(split(&longer[place.end..])).collect())
}

/// Returns a longer name with a part replaced; `None` if it does not contain the name as a whole.
pub fn replaced(longer: &str, name: &str, new: &str) -> Option<String> {
    let place = word_positions(longer, name).next()?;
    Some(format!("{}{new}{}", &longer[..place.start], &longer[place.end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> NewNames {
        let mut names = NewNames::default();
        names.rename("quotes", "orders");
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
            // Documents in texts, and files that a ConfigMap is generated from.
            ("patch: |-\n  image: a/quotes\n  name: quotes\n", "patch: |-\n  image: a/quotes\n  name: orders\n"),
            (
                "host: {{ .Values.quotes.host }}\nquotes: x\nname: quotes",
                "host: {{ .Values.quotes.host }}\nquotes: x\nname: orders",
            ),
        ] {
            assert_eq!(names().in_file(before), after);
        }
    }

    #[test]
    fn remaining_old_names_are_reported_as_written_in_the_copy() {
        let left = |text: &str| names().left_in(text, &(0..text.len()), &[]);
        for (text, expected) in [
            ("image: 'r/quotes:v1'\nname: quotes", vec!["r/quotes:v1"]),
            ("{{ if x }}\n  - image: \"r/quotes:v1\"\nquotes: a\n{{ end }}", vec!["r/quotes:v1"]),
            ("u: 'http://quotes:80/quotes'", vec!["http://orders:80/quotes"]),
            ("x: 'postgres://quotes-db/quotes'", vec!["postgres://quotes-db/quotes"]),
            ("[a: quotes-db.default.svc, b: quotes-db, c: quotes-db.txt]", vec!["quotes-db.default.svc"]),
            ("v: http://quotes-db:80/x", vec!["http://quotes-db:80/x"]),
            ("v: http://quotes:80/x, http://quotes2/unquotes", vec![]),
        ] {
            assert_eq!(left(text), expected, "{text}");
        }
        let text = "image: r/quotes:v1\nurl: a/quotes\n";
        let said = [Splice { range: 7..18, text: "r/orders:v9".into() }];
        assert_eq!(names().left_in(text, &(0..text.len()), &said), ["a/quotes"]);
        assert_eq!(names().left_in(text, &(0..18), &said), Vec::<String>::new(), "only the given part");
    }

    /// The name of a program and the paths of its files belong to the image; mount paths of volumes do not.
    #[test]
    fn programs_and_their_paths_are_not_renamed() {
        let mut names = NewNames::default();
        names.rename("app", "orders");
        for (text, after) in [
            ("command: [app-server, app, /etc/app/app.conf]", "command: [app-server, orders, /etc/app/app.conf]"),
            ("args: ['--config=/app/app.conf', --name=app]", "args: ['--config=/app/app.conf', --name=orders]"),
            ("workingDir: /app\nname: app", "workingDir: /app\nname: orders"),
            ("command: [/app/bin]", "command: [/app/bin]"),
        ] {
            assert_eq!(names.in_file(text), after);
        }
        names.mount("/etc/app");
        let text = "command: [/etc/app/run, /etc/app/app.conf, /app/x]\nmountPath: /etc/app";
        let after = "command: [/etc/orders/run, /etc/orders/orders.conf, /app/x]\nmountPath: /etc/orders";
        assert_eq!(names.in_file(text), after);
    }

    #[test]
    fn the_time_to_rename_grows_linearly_with_a_file() {
        let text = "name: quotes\nurl: http://a/quotes\n".repeat(20_000);
        let after = names().in_file(&text);
        assert_eq!(after.matches("name: orders").count(), 20_000);
    }

    #[test]
    fn a_service_may_have_the_name_of_a_field() {
        let rename = |old: &str, text: &str| {
            let mut names = NewNames::default();
            names.rename(old, "orders");
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
        assert_eq!(rename("quotes", map), map.replace("quotes", "orders"), "references to a key are renamed with it");
        let paths = "fieldPaths: ['spec.containers.[name=name].env', data.name.conf]";
        assert_eq!(rename("name", paths), "fieldPaths: ['spec.containers.[name=orders].env', data.orders.conf]");
        assert_eq!(rename("image", "services:\n  image: {image: 1}\n"), "services:\n  orders: {image: 1}\n");
    }

    #[test]
    fn a_name_is_found_as_a_part_of_longer_names() {
        assert_eq!(around("prod-quotes", "quotes"), Some(vec!["prod"]));
        assert_eq!(around("quotes-db", "quotes"), Some(vec!["db"]));
        assert_eq!(around("myquotes", "quotes"), None);
        assert_eq!(replaced("a-quotes-b", "quotes", "orders").as_deref(), Some("a-orders-b"));
    }

    proptest::proptest! {
        /// Only whole words change, and renaming back restores the original text.
        #[test]
        fn renaming_and_renaming_back_changes_no_byte(text in "(quotes|unquotes|quotes-db|db|[a-z :/\r\n.#'\"-]){0,12}") {
            let mut back = NewNames::default();
            back.rename("xorders", "quotes");
            let mut there = NewNames::default();
            there.rename("quotes", "xorders");
            there.keep("quotes-db");
            proptest::prop_assert_eq!(back.in_text(&there.in_text(&text, &[]), &[]), text);
        }
    }
}
