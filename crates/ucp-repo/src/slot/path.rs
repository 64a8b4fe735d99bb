//! Paths of values: `spec.values.image.tag`, `images[0].newTag`, `data["app.version"]`, `#2.spec.package`.
//!
//! `|` enters the YAML or JSON embedded in a text, as in `data["config.yaml"]|.image.tag`; `#N.` selects a document,
//! counted from zero, if several have the path. A path on a command line starts with a dot.

use std::fmt;

use ucp_core::failure::{Failure, fail};

/// Path of a value in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValuePath {
    /// Index of the document; `None` if only one has the path.
    pub document: Option<usize>,
    /// Steps from the document's root to the value.
    pub steps: Vec<PathStep>,
}

/// Step of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PathStep {
    /// The value under a key.
    Key(String),
    /// An item of a list, counted from zero.
    Index(usize),
    /// A document of the YAML or JSON embedded in a text.
    Embedded(Option<usize>),
}

impl ValuePath {
    /// Parses a path, with or without the leading dot.
    ///
    /// # Errors
    /// Fails with the position of the invalid part of the text.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let mut reader = PathParser { text, rest: text };
        reader.rest = reader.rest.strip_prefix('.').unwrap_or(reader.rest);
        let document = reader.document()?;
        let mut steps = Vec::new();
        // The first key may have no dot.
        if !reader.rest.is_empty() && !reader.rest.starts_with(['.', '[', '|']) {
            steps.push(reader.key()?);
        }
        while !reader.rest.is_empty() {
            steps.push(reader.step()?);
        }
        if !steps.iter().any(|step| !matches!(step, PathStep::Embedded(_))) {
            return fail!("{text:?} is not the path of a value");
        }
        Ok(Self { document, steps })
    }

    /// Returns the last key of the path.
    pub fn key(&self) -> Option<&str> {
        self.steps.iter().rev().find_map(|step| match step {
            PathStep::Key(key) => Some(key.as_str()),
            PathStep::Index(_) | PathStep::Embedded(_) => None,
        })
    }

    /// Returns the path of the value under another key of the same mapping, without the index of its document.
    pub(crate) fn with_last_key(&self, key: &str) -> Self {
        let mut path = self.clone().without_numbers();
        path.steps.pop();
        path.steps.push(PathStep::Key(key.to_owned()));
        path
    }

    /// Returns the path without the indices of documents.
    pub fn without_numbers(mut self) -> Self {
        self.document = None;
        for step in &mut self.steps {
            if let PathStep::Embedded(document) = step {
                *document = None;
            }
        }
        self
    }

    /// Returns the index of the innermost step with a key.
    pub fn key_position(&self, key: &str) -> Option<usize> {
        self.steps.iter().rposition(|step| matches!(step, PathStep::Key(other) if other == key))
    }

    /// Returns the path with a wildcard in place of one step: equal for paths that differ only in it.
    pub fn with_wildcard(&self, step: usize) -> String {
        let part = |steps: &[PathStep]| Self { document: None, steps: steps.to_vec() }.to_string();
        let (before, after) = (part(&self.steps[..step]), part(&self.steps[step + 1..]));
        let star = match (&self.steps[step], before.is_empty()) {
            (PathStep::Index(_), _) => "[*]",
            (_, true) => "*",
            (_, false) => ".*",
        };
        let dot = if after.is_empty() || after.starts_with(['[', '|']) { "" } else { "." };
        format!("{before}{star}{dot}{after}")
    }

    /// Returns the path with the names of list items and of the object in place of their numbers, for people to read.
    /// `items` are the names of the innermost lists.
    pub fn with_names(&self, object: Option<&str>, items: &[Option<String>]) -> String {
        let lists = self.steps.iter().filter(|step| matches!(step, PathStep::Index(_))).count();
        let unknown = lists.saturating_sub(items.len());
        let mut names = std::iter::repeat_n(&None, unknown).chain(items);
        let mut text = self.document.and(object).map(|name| format!("#{name}")).unwrap_or_default();
        for step in &self.steps {
            let name = if matches!(step, PathStep::Index(_)) { names.next().and_then(Option::as_ref) } else { None };
            let part = match name {
                Some(name) => format!("[{name}]"),
                None => Self { document: None, steps: vec![step.clone()] }.to_string(),
            };
            if !text.is_empty() && !part.starts_with(['[', '|']) {
                text.push('.');
            }
            text.push_str(&part);
        }
        text
    }

    /// Returns the keys of the path, outermost first.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match step {
            PathStep::Key(key) => Some(key.as_str()),
            PathStep::Index(_) | PathStep::Embedded(_) => None,
        })
    }
}

struct PathParser<'a> {
    text: &'a str,
    rest: &'a str,
}

impl PathParser<'_> {
    fn fault<T>(&self, expected: &str) -> Result<T, Failure> {
        let at = self.text.len() - self.rest.len();
        fail!("{:?} is not a path: expected {expected} at character {}", self.text, at + 1)
    }

    fn number(&mut self) -> Result<usize, Failure> {
        let length = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let Ok(number) = self.rest[..length].parse() else { return self.fault("a number") };
        self.rest = &self.rest[length..];
        Ok(number)
    }

    fn document(&mut self) -> Result<Option<usize>, Failure> {
        let Some(rest) = self.rest.strip_prefix('#') else { return Ok(None) };
        self.rest = rest;
        self.number().map(Some)
    }

    fn key(&mut self) -> Result<PathStep, Failure> {
        let length = self.rest.find(['.', '[', '|']).unwrap_or(self.rest.len());
        if length == 0 {
            return self.fault("a key");
        }
        let key = self.rest[..length].to_owned();
        self.rest = &self.rest[length..];
        Ok(PathStep::Key(key))
    }

    fn step(&mut self) -> Result<PathStep, Failure> {
        if let Some(rest) = self.rest.strip_prefix('|') {
            self.rest = rest;
            return self.document().map(PathStep::Embedded);
        }
        if let Some(rest) = self.rest.strip_prefix('.') {
            self.rest = rest;
            if !rest.starts_with('[') {
                return self.key();
            }
        }
        let Some(rest) = self.rest.strip_prefix('[') else { return self.fault("a dot, [ or |") };
        self.rest = rest;
        let step = if rest.starts_with('"') {
            let mut keys = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            let Some(Ok(key)) = keys.next() else { return self.fault("a key in double quotes") };
            self.rest = &rest[keys.byte_offset()..];
            PathStep::Key(key)
        } else {
            PathStep::Index(self.number()?)
        };
        let Some(rest) = self.rest.strip_prefix(']') else { return self.fault("]") };
        self.rest = rest;
        Ok(step)
    }
}

impl fmt::Display for ValuePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut dot = "";
        if let Some(document) = self.document {
            write!(formatter, "#{document}")?;
            dot = ".";
        }
        for step in &self.steps {
            match step {
                PathStep::Key(key) if is_plain(key) => write!(formatter, "{dot}{key}")?,
                PathStep::Key(key) => write!(formatter, "[{}]", serde_json::Value::from(key.as_str()))?,
                PathStep::Index(index) => write!(formatter, "[{index}]")?,
                PathStep::Embedded(None) => formatter.write_str("|")?,
                PathStep::Embedded(Some(document)) => write!(formatter, "|#{document}")?,
            }
            dot = ".";
        }
        Ok(())
    }
}

fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|character| character.is_alphanumeric() || "_-".contains(character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_paths_are_read_back_unchanged() {
        let paths = [
            "spec.values.image.tag",
            "images[0].newTag",
            "data[\"app.version\"]",
            "[\"https://a.b/c d\"].x",
            "data[\"config.yaml\"]|.image.tag",
            "data.list|[0].recipients[1]",
            "#2.spec.package",
            "a|#1.b|#0[3]",
            "[2].name",
        ];
        for text in paths {
            let path = ValuePath::parse(text).unwrap();
            assert_eq!(path.to_string(), text);
            assert_eq!(ValuePath::parse(&format!(".{text}")).unwrap(), path);
        }
        assert_eq!(ValuePath::parse(".a.[\"b\"]").unwrap(), ValuePath::parse("a.b").unwrap());
    }

    #[test]
    fn lists_are_shown_with_the_names_of_their_items() {
        let shown = |path: &str, object: Option<&str>, items: &[Option<&str>]| {
            let items: Vec<Option<String>> = items.iter().map(|name| name.map(str::to_owned)).collect();
            ValuePath::parse(path).unwrap().with_names(object, &items)
        };
        assert_eq!(shown("apps[1].imageTag", None, &[Some("web")]), "apps[web].imageTag");
        assert_eq!(shown("#2.spec.values.image.tag", Some("api"), &[]), "#api.spec.values.image.tag");
        assert_eq!(shown("a[0].b|[1][2].tag", None, &[Some("x"), None]), "a[0].b|[x][2].tag");
    }

    #[test]
    fn an_invalid_path_is_reported_with_the_position() {
        for (text, reason) in [
            ("", "not the path of a value"),
            ("a..b", "a key"),
            ("a[x]", "a number"),
            ("a[0", "]"),
            ("a[0]b", "a dot"),
            ("|", "not the path of a value"),
        ] {
            assert!(ValuePath::parse(text).unwrap_err().as_str().contains(reason), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_key_is_read_back_from_a_written_path(keys in proptest::collection::vec("\\PC{1,8}", 1..4), document: Option<usize>) {
            let steps = keys.into_iter().map(PathStep::Key).collect();
            let path = ValuePath { document, steps };
            proptest::prop_assert_eq!(ValuePath::parse(&format!(".{path}")).unwrap(), path);
        }
    }
}
