//! Texts as they may be shown: values that are secret by what they are called, or by what they look like, are hidden.

use serde_json::{Value, json};

use super::documents::chunks;
use crate::model::secrecy::{has_secret, scrub, secrets_of};
use crate::yaml::splice::{self, Splice};
use crate::yaml::tree::{self, Content, Node};

const PLACEHOLDER: &str = "(hidden)";

/// Shorter lines stand everywhere by chance.
const SHORTEST_LINE: usize = 6;

/// Shorter words do, too, and are hidden where they are the whole value.
const SHORTEST_WORD: usize = 4;

/// Documents in texts in documents are read this deep.
const DEEPEST: usize = 3;

/// A text without its secrets, however they are written: with quotes and escapes, or over several lines.
pub fn hidden(text: &str) -> String {
    let secrets = secrets_in(text, 0);
    let mut hidden: String = chunks(text).into_iter().map(|chunk| covered(&text[chunk], &secrets, 0)).collect();
    // A comment may repeat one, or a line of one.
    let whole = secrets.iter().map(String::as_str).filter(|secret| secret.trim().len() >= SHORTEST_WORD);
    let lines = secrets.iter().filter(|secret| secret.contains('\n')).flat_map(|secret| secret.lines()).map(str::trim);
    let mut words: Vec<&str> = whole.chain(lines.filter(|line| line.len() >= SHORTEST_LINE)).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.dedup();
    for word in words {
        hidden = hidden.replace(word, PLACEHOLDER);
    }
    scrub(&hidden).into_owned()
}

/// The secret values of a text, and of documents in its texts.
fn secrets_in(text: &str, depth: usize) -> Vec<String> {
    let values: Vec<Value> =
        chunks(text).into_iter().filter_map(|chunk| serde_saphyr::from_str(&text[chunk]).ok()).collect();
    let mut secrets = secrets_of(&values);
    if depth < DEEPEST {
        let mut open: Vec<&Value> = values.iter().filter(|value| value.is_object() || value.is_array()).collect();
        while let Some(value) = open.pop() {
            match value {
                Value::Object(fields) => open.extend(fields.values()),
                Value::Array(items) => open.extend(items),
                Value::String(text) if text.contains('\n') => secrets.extend(secrets_in(text, depth + 1)),
                _ => {}
            }
        }
    }
    secrets
}

/// A document without the values in which a secret is written otherwise than it is.
fn covered(text: &str, secrets: &[String], depth: usize) -> String {
    let Ok(documents) = tree::parse(text) else { return by_lines(text) };
    let mut splices = Vec::new();
    for node in documents.iter().flat_map(Node::walk) {
        let Content::Scalar(value, _) = &node.content else { continue };
        let raw = text.get(node.span.clone()).unwrap_or_default().trim_end();
        let is_otherwise =
            |secret: &&String| value.matches(secret.as_str()).count() > raw.matches(secret.as_str()).count();
        let is_short = |secret: &&String| secret.trim().len() < SHORTEST_WORD && !secret.is_empty() && value == *secret;
        let is_within = || depth < DEEPEST && is_document(value) && covered(value, secrets, depth + 1) != *value;
        if secrets.iter().any(|secret| is_otherwise(&secret) || is_short(&secret)) || is_within() {
            splices.push(Splice { range: node.span.start..node.span.start + raw.len(), text: PLACEHOLDER.to_owned() });
        }
    }
    splice::apply(text, &splices).unwrap_or_else(|_| by_lines(text))
}

fn is_document(text: &str) -> bool {
    text.contains('\n')
        && tree::parse(text).is_ok_and(|documents| {
            documents.iter().any(|document| !document.entries().is_empty() || !document.items().is_empty())
        })
}

/// What is no YAML, such as a template, line by line.
fn by_lines(text: &str) -> String {
    let mut hidden = String::with_capacity(text.len());
    let mut below: Option<usize> = None;
    let mut is_labelled = false;
    for line in text.split_inclusive('\n') {
        let body = line.trim_start();
        let depth = line.len() - body.len();
        let end = &line[line.trim_end().len()..];
        if below.is_some_and(|above| depth > above && !body.trim().is_empty()) {
            hidden.push_str(&format!("{}{PLACEHOLDER}{end}", &line[..depth]));
            continue;
        }
        below = None;
        let entry = body.strip_prefix("- ").unwrap_or(body);
        let Some((key, value)) = entry.split_once(':') else {
            hidden.push_str(line);
            continue;
        };
        let plain = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
        let (key, value) = (plain(key), value.trim());
        let tells = is_telling(&key) || is_labelled && key == "value";
        match key.as_str() {
            "name" | "key" => is_labelled = is_telling(&plain(value)),
            "value" => {}
            _ => is_labelled = false,
        }
        // What a template fills in is none.
        if tells && !value.is_empty() && !plain(value).starts_with("{{") {
            below = Some(depth);
            let colon = line.find(':').map_or(line.len(), |at| at + 1);
            hidden.push_str(&format!("{} {PLACEHOLDER}{end}", &line[..colon]));
        } else {
            hidden.push_str(line);
        }
    }
    hidden
}

fn is_telling(key: &str) -> bool {
    !key.is_empty() && has_secret(&json!({ key: "x" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_however_they_are_written() {
        for text in [
            "password: \"canary\\u002dbird\\nx\"\nnext: shown\n",
            "password: 'canary''bird'\nnext: shown\n",
            "password: |\n  canary-one\n  canary-two\nnext: shown\n",
            "password: >-\n  canary one\n  canary two\nnext: shown\n",
            "password: canary\n  bird\nnext: shown\n",
            "env:\n- name: PASSWORD\n  value: |-\n    canary\n    bird\n- name: NEXT\n  value: shown\n",
            "data:\n  settings.yaml: |\n    password: \"canary\\tbird\"\nnext: shown\n",
            "data:\n  settings.yaml: |\n    password: |\n      canary-one\n      canary-two\nnext: shown\n",
            "data: \"password: canary-bird\\nuser: x\\n\"\nnext: shown\n",
            "# it was canary-one-two\npassword: |\n  canary-one-two\n  canary-three\nnext: shown\n",
            "{{ if .Values.x }}\npassword: |\n  canary-one\n  canary-two\n{{ end }}\nnext: shown\n",
            "{{ if .Values.x }}\n- name: PASSWORD\n  value: \"canary\"\n{{ end }}\nnext: shown\n",
            "{\"password\": \"canary\\/bird\", \"next\": \"shown\"}",
        ] {
            let shown = hidden(text);
            assert!(!shown.contains("canary") && !shown.contains("bird") && shown.contains("shown"), "{text}\n{shown}");
            assert!(shown.lines().count() <= text.lines().count(), "{shown}");
        }
        let shown =
            hidden("a: 1\n---\nkind: Pod\nspec: {containers: [{env: [{name: PASSWORD, value: hunter2hunter2}]}]}");
        assert!(shown.contains("name: PASSWORD") && !shown.contains("hunter2"), "{shown}");
        // A short one stands in other words by chance.
        let shown = hidden("password: v1\nimages:\n- name: quotes\n  newTag: v1.2\n");
        assert!(!shown.contains("password: v1") && shown.ends_with("newTag: v1.2\n"), "{shown}");
        for text in ["{{ if x }}\npassword: {{ .Values.password }}\n", "a: |\n  b: c\n  d: e\nport: 1\n"] {
            assert_eq!(hidden(text), text);
        }
    }
}
