//! kubectl's JSONPath templates: literal text and `{…}` expressions, as in client-go's `util/jsonpath`.
//!
//! Syntax, results, and output follow client-go (v0.36), including its quirks: `['a.b']` is two fields, `{.}` is
//! nothing while `{@}` is everything, and a `range` without an `end` extends to the end of the template.
//!
//! Differences from client-go, with reasons:
//!
//! - The values of an object are sorted by key. client-go's order is random.
//! - An empty list among several gives no result. client-go stops there and drops the results of the following lists.
//! - `[?(@.list[0])]` is false for an empty list, and for a value that is not a list. client-go evaluates it to true.
//! - The body of a `range` over nothing is not evaluated. client-go evaluates it without a value, which can fail or
//!   panic.
//! - Unknown identifiers and operators, and an `end` without `range`, are errors of the parser. client-go reports them
//!   during evaluation.
//! - A null is always `null`. client-go prints `<no value>` for a null in a `range`.
//! - A template without braces that starts like a path is that path. kubectl prints the template.
//! - Control characters are escaped, except for newlines and tabs; in the text of the template, also except for NUL and
//!   Windows line endings, so that `{"\x00"}` for `xargs -0` works.

mod evaluator;
mod go;
mod parser;
mod path;
mod unmatched;

use std::borrow::Cow;

use serde_json::Value;

use evaluator::EvaluatedItem;
use path::TemplateNode;
use ucp_core::error::{Error, Result};
use ucp_core::failure::{Failure, fail};

pub(in crate::render) use go::sprint;
pub use unmatched::UnmatchedField;

/// A parsed template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonPathTemplate {
    source: String,
    nodes: Vec<TemplateNode>,
    layout: ResultLayout,
}

/// The output format of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultLayout {
    /// `-o jsonpath`: raw strings, objects and lists as compact JSON, separated by a space.
    Text,
    /// `-o jsonpath-as-json`: the results of each expression as an indented JSON array.
    JsonArrays,
}

impl JsonPathTemplate {
    /// Returns the template as it was given.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Parses a template.
    ///
    /// # Errors
    /// Returns the reason and the position as a character index.
    pub fn parse(source: &str, layout: ResultLayout) -> Result<Self, Failure> {
        if source.is_empty() {
            return fail!("template format specified but no template given");
        }
        let is_bare_path = source.starts_with(['.', '$', '@', '[']) && !source.contains(['{', '}']);
        let braced = if is_bare_path { Cow::Owned(format!("{{{source}}}")) } else { Cow::Borrowed(source) };
        let nodes = parser::parse(&braced).map_err(|mut error| {
            error.position -= usize::from(is_bare_path && error.position > 1);
            format!("error parsing jsonpath: {error}")
        })?;
        Ok(Self { source: source.to_owned(), nodes, layout })
    }

    /// Renders the template for a document.
    ///
    /// # Errors
    /// Fails when the template does not match the document, such as an index that is out of bounds.
    pub fn render(&self, document: &Value) -> Result<String> {
        let mut text = String::new();
        for results in self.results(document)? {
            match self.layout {
                ResultLayout::Text => {
                    for (index, item) in results.iter().enumerate() {
                        if index > 0 {
                            text.push(' ');
                        }
                        print(item, &mut text);
                    }
                }
                ResultLayout::JsonArrays => {
                    let results = results.into_iter().map(|item| item.into_value().into_owned()).collect();
                    text.push_str(&go::indented_json(&Value::Array(results)));
                    text.push('\n');
                }
            }
        }
        Ok(text)
    }

    fn results<'a>(&'a self, document: &'a Value) -> Result<Vec<Vec<EvaluatedItem<'a>>>> {
        evaluator::evaluate(&self.nodes, document).map_err(|error| {
            Error::from(anyhow::anyhow!("{error}").context(format!("error executing jsonpath {:?}", self.source)))
        })
    }
}

fn print(item: &EvaluatedItem<'_>, text: &mut String) {
    match item {
        EvaluatedItem::Text(literal) => text.push_str(&go::visible_literal(literal)),
        EvaluatedItem::Value(Value::String(string)) => text.push_str(&go::visible(string)),
        EvaluatedItem::Value(value @ (Value::Array(_) | Value::Object(_))) => text.push_str(&go::compact_json(value)),
        EvaluatedItem::Value(Value::Number(number)) => text.push_str(&go::number(number)),
        EvaluatedItem::Value(value @ (Value::Null | Value::Bool(_))) => text.push_str(&value.to_string()),
        EvaluatedItem::Byte(byte) => text.push_str(&byte.to_string()),
    }
}

/// A path in kubectl's relaxed syntax for `custom-columns` and `--sort-by`: `metadata.name`, `.metadata.name`,
/// `{metadata.name}`, or `{.metadata.name}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonPath(JsonPathTemplate);

impl JsonPath {
    /// Parses a path. The empty path has no results.
    ///
    /// # Errors
    /// Returns the reason.
    pub fn parse(source: &str) -> Result<Self, Failure> {
        let inner = source.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(source);
        if inner.contains(['{', '}']) || (inner.is_empty() && !source.is_empty()) {
            return fail!(
                "unexpected path {source:?}, expected 'name1.name2' or '.name1.name2' or '{{name1.name2}}' or '{{.name1.name2}}'"
            );
        }
        let braced = match inner {
            "" => String::new(),
            // kubectl only removes a leading dot if another character follows.
            "." => "{..}".into(),
            _ => format!("{{.{}}}", inner.strip_prefix('.').unwrap_or(inner)),
        };
        let nodes =
            parser::parse(&braced).map_err(|error| format!("error parsing path {source:?}: {}", error.message))?;
        Ok(Self(JsonPathTemplate { source: braced, nodes, layout: ResultLayout::Text }))
    }

    /// Returns the field of the path that none of the values has, unless it is optional.
    pub fn unmatched(&self, rows: &[Value], optional: &[&str]) -> Option<UnmatchedField> {
        self.0.unmatched_in(rows, "", optional)
    }

    /// Returns the values at the path, in document order.
    ///
    /// # Errors
    /// Fails when the path does not match the document, such as an index that is out of bounds.
    pub fn find<'a>(&'a self, document: &'a Value) -> Result<Vec<Cow<'a, Value>>> {
        Ok(self.0.results(document)?.into_iter().flatten().map(EvaluatedItem::into_value).collect())
    }
}

impl std::fmt::Display for JsonPath {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0.source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn document() -> Value {
        json!({
            "kind": "List",
            "items": [
                {"name": "one", "ready": true, "n": 3, "labels": {"app.kubernetes.io/name": "x"}, "tags": ["a", "b"]},
                {"name": "two", "ready": false, "n": 5, "tags": []},
                {"name": "three", "n": 2.5, "tags": ["c"]},
            ],
        })
    }

    fn render(template: &str) -> String {
        JsonPathTemplate::parse(template, ResultLayout::Text).unwrap().render(&document()).unwrap()
    }

    fn failure(template: &str) -> String {
        let error = JsonPathTemplate::parse(template, ResultLayout::Text).unwrap().render(&document()).unwrap_err();
        assert_eq!(error.kind(), ucp_core::error::ErrorKind::Failed);
        error.report()
    }

    fn complaint(template: &str) -> String {
        JsonPathTemplate::parse(template, ResultLayout::Text).unwrap_err().into()
    }

    #[test]
    fn text_and_paths() {
        assert_eq!(render("kind is {.kind}!"), "kind is List!");
        assert_eq!(render("{.items[*].name}"), "one two three");
        assert_eq!(render("{$.items[-1].name}{\"\\t\"}{.items[0:2].n}"), "three\t3 5");
        assert_eq!(render(r"{.items[0].labels.app\.kubernetes\.io/name}"), "x");
        assert_eq!(render("{.items[0].labels}{.items[2].n}"), r#"{"app.kubernetes.io/name":"x"}2.5"#);
        assert_eq!(render("{.nothing.here}{.items[0].name.deeper}"), "");
        assert_eq!(render("{..name}"), "one two three");
    }

    #[test]
    fn ranges() {
        assert_eq!(
            render(r#"{range .items[*]}{.name}:{range .tags[*]} {@}{end}{"\n"}{end}done"#),
            "one: a b\ntwo:\nthree: c\ndone"
        );
        // As in kubectl: after the last iteration, the rest is evaluated once more outside of the range.
        assert_eq!(render("{range .items[*]}{.name}{.kind},"), "one,two,three,List,");
    }

    #[test]
    fn filters() {
        assert_eq!(render(r#"{.items[?(@.name=="two")].n}"#), "5");
        assert_eq!(render("{.items[?(@.ready)].name}"), "one two");
        assert_eq!(render("{.items[?(@.ready==true)].name}"), "one");
        assert_eq!(render(r#"{.items[?(@.name<="three")].name}"#), "one three");
        assert!(failure("{.items[?(@.n>2)].name}").contains("incompatible types for comparison"));
        assert!(failure("{.kind[?(@.n>2)]}").contains("cannot be filtered"));
    }

    #[test]
    fn an_invalid_template_is_refused_with_the_position() {
        assert!(complaint("{.items[").ends_with("unterminated array at character 8"), "{}", complaint("{.items["));
        assert!(complaint("ab{.kind").ends_with("unclosed action at character 9"));
        assert!(complaint("{foo}").ends_with("unrecognized identifier foo at character 2"));
        assert!(complaint(".a.b[x]").ends_with("invalid array index x at character 5"));
        assert!(complaint("a{end}").contains("not in range, nothing to end"));
        assert!(complaint(".items[?(@.a=~\"x\")]").contains("unrecognized character in action: U+007E '~'"));
        assert!(complaint("{.items[?(@.a=1)]}").contains("unrecognized filter operator ="));
        assert!(complaint("").contains("no template given"));
    }

    #[test]
    fn an_index_out_of_bounds_is_an_error() {
        assert!(failure("{.items[3]}").contains("array index out of bounds: index 3, length 3"));
        assert!(failure("{.items[-4]}").contains("array index out of bounds: index -1, length 3"));
        assert!(failure("{.items[*].tags[0]}").contains("array index out of bounds: index 0, length 0"));
    }

    #[test]
    fn differences_from_client_go() {
        assert_eq!(render("{.items[*].tags[*]}"), "a b c", "an empty list drops nothing");
        assert_eq!(render("{.items[?(@.tags[0])].name}"), "one three", "nothing does not exist");
        assert_eq!(render(".items[1].name"), "two", "a bare path is a path");
        assert_eq!(render("no path"), "no path");
    }

    #[test]
    fn control_characters_show_as_escapes() {
        let document = json!({"a": "x\u{1b}[31m\ty\n\u{202e}", "b": {"c": "\u{9b}<"}});
        let render =
            |template: &str| JsonPathTemplate::parse(template, ResultLayout::Text).unwrap().render(&document).unwrap();
        assert_eq!(render("{.a}"), "x\\u{1b}[31m\ty\n\\u{202e}");
        assert_eq!(render("{.b}"), r#"{"c":"\u009b\u003c"}"#);
        assert_eq!(render("\u{1b}\r\n{\"\\x00\\x1b\\r\"}"), "\\u{1b}\r\n\0\\u{1b}\\r");
    }

    #[test]
    fn json_arrays() {
        let template = JsonPathTemplate::parse("{.items[*].n}{.items[1].tags}", ResultLayout::JsonArrays).unwrap();
        assert_eq!(template.render(&document()).unwrap(), "[\n    3,\n    5,\n    2.5\n]\n[\n    []\n]\n");
    }

    #[test]
    fn relaxed_paths() {
        for path in ["kind", ".kind", "{kind}", "{.kind}"] {
            let path = JsonPath::parse(path).unwrap();
            assert_eq!(path.find(&document()).unwrap(), [Cow::<Value>::Owned(json!("List"))]);
        }
        assert!(JsonPath::parse("").unwrap().find(&document()).unwrap().is_empty());
        assert!(JsonPath::parse("{.a}{.b}").is_err());
        assert!(JsonPath::parse("{}").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_a_template_or_an_error(text in ".{0,60}") {
            let _ = JsonPathTemplate::parse(&text, ResultLayout::Text);
            let _ = JsonPath::parse(&text);
        }

        #[test]
        fn nothing_that_looks_like_a_template_panics(text in r#"(\{(range |end)?[\[\]{}().@?*:,'"\\$ =<!~&a-c0-9+-]{0,14}\}?\\?){1,3}"#) {
            if let Ok(template) = JsonPathTemplate::parse(&text, ResultLayout::Text) {
                let _ = template.render(&json!({"a": [{"b": "c", "c": null}, {"b": [1, 2.5, []]}], "b": {"a": true}}));
            }
        }

        #[test]
        fn a_key_with_escaped_dots_finds_its_value(key in "[a-z./-]{1,12}") {
            let document = json!({ key.as_str(): "found" });
            let path = format!("{{.{}}}", key.replace('.', "\\."));
            prop_assert_eq!(JsonPathTemplate::parse(&path, ResultLayout::Text).unwrap().render(&document).unwrap(), "found");
        }
    }
}
