//! Redaction of texts for output: values that are secret by their key or by their content are hidden.

mod lines;
mod placeholder;
mod shadow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::documents::chunks;
use placeholder::PLACEHOLDER;
use ucp_core::model::secrecy::scrub;
use ucp_repo::yaml::splice::{self, Splice};
use ucp_repo::yaml::template;
use ucp_repo::yaml::tree::{self, NodeContent, YamlNode};

/// Shorter lines occur everywhere by chance.
const SHORTEST_LINE: usize = 6;

/// Shorter words do as well, and are hidden only if they are the whole value.
const SHORTEST_WORD: usize = 4;

/// The maximum depth of documents embedded in texts of documents.
const DEEPEST: usize = 3;

/// Returns a text without its secrets, in any notation: with quotes and escapes, or over several lines.
pub fn hidden(text: &str) -> String {
    let mut secrets = FoundSecretValues::default();
    let shown: String = chunks(text).into_iter().map(|chunk| hide_document(&text[chunk], 0, &mut secrets)).collect();
    scrub(&secrets.hidden_elsewhere(shown)).into_owned()
}

/// The hidden values of a text.
#[derive(Default)]
struct FoundSecretValues {
    values: Vec<String>,
    /// Keys and names of the text, which may be equal to a password.
    names: Vec<String>,
}

impl FoundSecretValues {
    fn add(&mut self, value: &str) {
        let decoded = BASE64.decode(value.trim()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        self.values.extend(decoded.into_iter().chain([value.to_owned()]));
    }

    /// Hides the values in comments and in other values, as a whole or line by line.
    fn hidden_elsewhere(&self, mut text: String) -> String {
        let whole = self.values.iter().map(|value| value.trim()).filter(|value| value.len() >= SHORTEST_WORD);
        let several = self.values.iter().filter(|value| value.contains('\n'));
        let lines = several.flat_map(|value| value.lines()).map(str::trim).filter(|line| line.len() >= SHORTEST_LINE);
        let mut words: Vec<&str> = whole.chain(lines).filter(|word| !PLACEHOLDER.contains(word)).collect();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        words.dedup();
        for word in words.into_iter().filter(|word| !self.names.iter().any(|name| name == word)) {
            let is_like_a_name = word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
            text = if is_like_a_name { replace_word(&text, word) } else { text.replace(word, PLACEHOLDER) };
        }
        text
    }
}

/// Replaces a word, unless it is part of a name.
fn replace_word(text: &str, word: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let mut replaced = String::with_capacity(text.len());
    let mut at = 0;
    for (start, _) in text.match_indices(word) {
        let end = start + word.len();
        if !text[..start].ends_with(is_part) && !text[end..].starts_with(is_part) {
            replaced.push_str(&text[at..start]);
            replaced.push_str(PLACEHOLDER);
            at = end;
        }
    }
    replaced + &text[at..]
}

/// Returns a document without its secret values.
fn hide_document(text: &str, depth: usize, secrets: &mut FoundSecretValues) -> String {
    let Some((documents, values)) = template::parse(text).ok().and_then(|documents| {
        let values = shadow::find_secrets(&documents)?;
        Some((documents, values))
    }) else {
        return lines::hidden(text);
    };
    for node in documents.iter().flat_map(YamlNode::walk) {
        let named = node.text_at("name").into_iter().chain(node.entries().iter().filter_map(|(key, _)| key.text()));
        secrets.names.extend(named.map(str::to_owned));
    }
    let mut splices = Vec::new();
    for node in documents.iter().flat_map(YamlNode::walk) {
        let NodeContent::Scalar(value, _) = &node.content else { continue };
        let raw = text.get(node.span.clone()).unwrap_or_default().trim_end();
        let is_within_reach = depth < DEEPEST && is_document(value);
        let mut within = FoundSecretValues::default();
        let is_changed = is_within_reach && hide_document(value, depth + 1, &mut within) != *value;
        let mut parts = within.values;
        let mut is_whole = is_changed && parts.is_empty();
        for marked in values.get(&node.span.start).into_iter().flatten() {
            is_whole |= marked.is_whole;
            parts.extend(marked.parts.iter().cloned());
        }
        parts.retain(|part| !template::is_filled_in(part));
        let is_short = |part: &String| part.trim().len() < SHORTEST_WORD;
        let is_otherwise = |part: &String| value.matches(part.as_str()).count() > raw.matches(part.as_str()).count();
        is_whole &= !template::is_filled_in(value);
        is_whole |= parts.iter().any(|part| is_short(part) || is_otherwise(part));
        parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
        let shown = match is_whole {
            true => PLACEHOLDER.to_owned(),
            false => parts.iter().fold(raw.to_owned(), |shown, part| shown.replace(part.as_str(), PLACEHOLDER)),
        };
        if shown != raw {
            splices.push(Splice { range: node.span.start..node.span.start + raw.len(), text: shown });
        }
        parts.iter().for_each(|part| secrets.add(part));
    }
    splice::apply(text, &splices).unwrap_or_else(|_| lines::hidden(text))
}

fn is_document(text: &str) -> bool {
    text.contains('\n')
        && tree::parse(text).is_ok_and(|documents| {
            documents.iter().any(|document| !document.entries().is_empty() || !document.items().is_empty())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_in_every_notation() {
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
            "a: 1\na: 2\nenv: [{name: DB_PASSWORD, value: canary}]\nnext: shown\n",
            "password: canary\npassword: bird1\nnext: shown\n",
            "? [x]\n: y\napiKeys:\n- canary\n- bird2\nnext: shown\n",
            "x: &p canary\npassword: *p\nnext: shown\n",
            "x: &p {key: canary}\nkind: Secret\ndata: *p\nnext: shown\n",
            "{{- if .x }}\nkind: Secret\nstringData: {dsn: canary}\n{{- end }}\nnext: shown\n",
            "{{ if .x }}\n- {value: canary, name: A_TOKEN}\n- value: bird3\n  name: B_TOKEN\n{{ end }}\n- next: shown\n",
            "{{ if .x }}\npasswords:\n- canary\n- {{ .y }}\n{{ end }}\nnext: shown\n",
            "password: {{ .Values.password | default \"canary\" }}\nnext: shown\n",
            "password: canary-{{ .Values.suffix }}\nnext: shown\n",
            "a: [\npasswords:\n- canary\n- bird4\n- {value: canary, name: A}\nnext: shown\n",
            "password: 48151canary\nurl: \"x://48151canary@y\"\nnext: shown\n",
        ] {
            let shown = hidden(text);
            assert!(!shown.contains("canary") && !shown.contains("bird") && shown.contains("shown"), "{text}\n{shown}");
            assert!(shown.lines().count() <= text.lines().count(), "{shown}");
        }
        let shown =
            hidden("a: 1\n---\nkind: Pod\nspec: {containers: [{env: [{name: PASSWORD, value: hunter2hunter2}]}]}");
        assert!(shown.contains("name: PASSWORD") && !shown.contains("hunter2"), "{shown}");
        // A short value occurs in other words by chance.
        let shown = hidden("password: v1\nimages:\n- name: quotes\n  newTag: v1.2\n");
        assert!(!shown.contains("password: v1") && shown.ends_with("newTag: v1.2\n"), "{shown}");
        let shown = hidden("host: quotes.db\nmetadata:\n  name: quotes\nauth:\n  password: quotes\n");
        assert_eq!(shown, "host: quotes.db\nmetadata:\n  name: quotes\nauth:\n  password: (hidden)\n");
        let shown = hidden("password: 4815162342\n# 4815162342, shop\nname: my-shop\ntoken: shop\n");
        assert_eq!(shown, "password: (hidden)\n# (hidden), (hidden)\nname: my-shop\ntoken: (hidden)\n");
        let shown = hidden(
            "kind: ExternalSecret\nmetadata: {name: orders-password}\ndata:\n- secretKey: password\n  remoteRef: {key: a}\n",
        );
        assert!(shown.contains("orders-password"), "{shown}");
        for text in [
            "{{ if x }}\npassword: {{ .Values.password }}\n",
            "a: |\n  b: c\n  d: e\nport: 1\n",
            "kind: Secret\nstringData:\n  a: {{ .Values.a }}\n",
        ] {
            assert_eq!(hidden(text), text);
        }
    }
}
