//! Replaces manifests in their file. The rest of the file remains unchanged, and the result is verified.

use std::ops::Range;

use serde_json::Value;

use ucp_core::failure::{Failure, fail};
use ucp_core::model::weight::{from_yaml_documents, yaml_options};
use ucp_repo::gitops::declared::DeclaredObject;
use ucp_repo::yaml::insert::newline;
use ucp_repo::yaml::ordered::{self, OrderedValue};
use ucp_repo::yaml::splice::{self, Splice};
use ucp_repo::yaml::tree;

/// Returns the text of a file after replacing some of its objects by manifests.
///
/// # Errors
/// Fails when an object's position is ambiguous, or when the resulting file would not have the intended content.
pub fn replace_objects(before: &str, replacements: &[(&DeclaredObject, &OrderedValue)]) -> Result<String, Failure> {
    let mut splices = Vec::new();
    for (object, manifest) in replacements {
        if object.document.is_flow() {
            return fail!("{} is written as JSON, which is not edited", object.file);
        }
        let range = object_range(before, object);
        let mut text = ordered::write(manifest)?;
        if range.end < before.len() {
            // The end of the last line is kept.
            text.truncate(text.strip_suffix('\n').map_or(text.len(), str::len));
        }
        splices.push(Splice { range, text: text.replace('\n', newline(before)) });
    }
    let after = splice::apply(before, &splices)?;
    match has_intended_content(before, &after, replacements) {
        true => Ok(after),
        false => {
            let file = replacements.first().map(|(object, _)| object.file.as_str()).unwrap_or_default();
            fail!("the format of {file} is not supported, so it is not edited: write the manifest manually")
        }
    }
}

/// Returns the lines of an object: from its first key to the end of its last line, including a trailing comment.
fn object_range(text: &str, object: &DeclaredObject) -> Range<usize> {
    let start = text[..object.span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let is_indented = text[start..object.span.start].bytes().all(|byte| byte == b' ');
    let start = if is_indented { start } else { object.span.start };
    let end = text[object.span.end..].find('\n').map_or(text.len(), |newline| object.span.end + newline);
    start..if text[..end].ends_with('\r') { end - 1 } else { end }
}

/// Returns true if a file has the same documents as before, except the replaced ones, which have the intended content.
fn has_intended_content(before: &str, after: &str, replacements: &[(&DeclaredObject, &OrderedValue)]) -> bool {
    let documents = |text: &str| -> Option<Vec<(usize, Value)>> {
        let roots = tree::parse(text).ok()?;
        let starts = roots.iter().map(|root| root.span.start);
        let values: Vec<Value> = from_yaml_documents(text, yaml_options(text.len())).ok()?;
        let with_value = roots.iter().filter(|root| !root.is_null()).count();
        (with_value == values.len()).then(|| {
            starts.zip(&roots).filter(|(_, root)| !root.is_null()).map(|(start, _)| start).zip(values).collect()
        })
    };
    let (Some(was), Some(is)) = (documents(before), documents(after)) else { return false };
    let meant = was.into_iter().map(|(start, value)| {
        let replacement = replacements.iter().find(|(object, _)| object.span.start == start);
        replacement.map_or(value, |(_, manifest)| manifest.to_value())
    });
    meant.eq(is.into_iter().map(|(_, value)| value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use ucp_repo::gitops::declared::in_text;

    fn put(before: &str, spec: Value) -> Result<String, Failure> {
        let objects = in_text("f.yaml", before);
        let object = objects.iter().find(|object| object.kind == "B").unwrap();
        let manifest = OrderedValue::from_fields([
            ("apiVersion", OrderedValue::text("g/v1")),
            ("kind", OrderedValue::text("B")),
            ("metadata", OrderedValue::from_fields([("name", OrderedValue::text("b"))])),
            ("spec", spec.into()),
        ]);
        replace_objects(before, &[(object, &manifest)])
    }

    const NEW: &str = "apiVersion: g/v1\nkind: B\nmetadata:\n  name: b\nspec:\n";

    #[test]
    fn nothing_else_of_the_file_changes() {
        let old = "kind: B\napiVersion: g/v1\nmetadata:\n  name: b";
        for (before, behind, after) in [
            ("", "\n", "\n"),
            ("# head\n", "\nspec:\n  x: 1 # a comment inside goes\n\n# end\n", "\n\n# end\n"),
            ("---\n", "\nspec:\n", "\n"),
            ("---\n", "\nspec: # none\n", "\n"),
            ("", "\nspec:", "\n"),
            ("", "", "\n"),
            ("\u{feff}", "\n", "\n"),
            ("a: 1\n--- # second\n", "\nspec:\n  text: |+\n    x\n\n\n---\nc: |\n  y", "\n\n\n---\nc: |\n  y"),
            ("a: 1\n---\n", "\n...\n---\nb: 2\n", "\n...\n---\nb: 2\n"),
            ("---\n---\n", "\n---\n", "\n---\n"),
        ] {
            let text = format!("{before}{old}{behind}");
            let put = put(&text, json!({"x": "a"})).unwrap_or_else(|error| panic!("{text:?}: {error}"));
            assert_eq!(put, format!("{before}{NEW}  x: a{after}"), "{text:?}");
        }
        let crlf = format!("# head\r\n{}\r\n# end\r\n", old.replace('\n', "\r\n"));
        let after = put(&crlf, json!({"x": "a"})).unwrap();
        assert_eq!(after, format!("# head\n{NEW}  x: a\n# end\n").replace('\n', "\r\n"));
    }

    #[test]
    fn texts_at_the_end_of_a_manifest_are_read_back_unchanged() {
        let old = "kind: B\napiVersion: g/v1\nmetadata:\n  name: b\n";
        for value in
            ["a\n", "a", "a\nb", "a\nb\n\n", "\n", "a\tb\n", "a # b\n", "\u{200d}\n", "  a\n b\n", "a\n ", "a\r\nb\n"]
        {
            for behind in ["", "\n\n# end\n", "---\nc: 1\n", "  # ours\n"] {
                let text = format!("{old}{behind}");
                let after =
                    put(&text, json!({"z": value})).unwrap_or_else(|error| panic!("{value:?} {text:?}: {error}"));
                assert!(after.ends_with(behind), "{after:?}");
                let found = in_text("f.yaml", &after).into_iter().find(|object| object.kind == "B").unwrap();
                assert_eq!(found.text(&["spec", "z"]), Some(value), "{after:?}");
            }
        }
    }

    #[test]
    fn edits_that_cannot_be_made_safely_are_refused() {
        assert!(
            put("{\"apiVersion\": \"g/v1\", \"kind\": \"B\", \"metadata\": {\"name\": \"b\"}}\n", json!({})).is_err()
        );
        assert!(put("--- &a\napiVersion: g/v1\nkind: B\nmetadata: &m {name: b}\n", json!({"x": 1})).is_ok());
        assert!(
            put("--- !b\napiVersion: g/v1\nkind: B\nmetadata: {name: b}\n", json!({"x": 1}))
                .is_ok_and(|text| text.starts_with("--- !b\n"))
        );
        // A comment as deep as a block scalar would become part of it.
        let deep = "apiVersion: g/v1\nkind: B\nmetadata: {name: b}\n      # deep\n";
        assert!(put(deep, json!({"z": "a\nb\n"})).is_err());
    }
}
