//! Hides literal values in objects, and in the documents of their texts.

use serde_json::{Map, Value};

use super::{
    LiteralExceptions, LiteralPlace, is_annotations, is_arguments, is_kept_annotation, is_named_values,
    may_be_document, may_have_literals,
};
use ucp_core::model::secrecy::{Placeholders, for_each_variable, is_innocuous};
use ucp_core::model::weight::{from_yaml_documents, yaml_options};

/// Longest text that is searched as a document; a longer one is hidden.
const LONGEST_DOCUMENT: usize = 1 << 20;

/// Returns the maps and lists in a text in YAML or JSON; `None` if it contains something else.
fn documents(text: &str) -> Option<Vec<Value>> {
    let documents: Vec<Value> = from_yaml_documents(text, yaml_options(text.len())).ok()?;
    documents.iter().all(|document| document.is_object() || document.is_array()).then_some(documents)
}

/// Hides the literal values of one object.
pub(super) struct LiteralHider<'a> {
    pub(super) exceptions: &'a LiteralExceptions,
    pub(super) placeholders: &'a Placeholders,
}

impl LiteralHider<'_> {
    /// Hides the literal values of an object, and returns their number. The values of a ConfigMap itself are left.
    pub(super) fn hide_in_object(&self, value: &mut Value) -> usize {
        match value {
            Value::Object(fields) => fields.iter_mut().map(|(name, value)| self.field(name, value)).sum(),
            other => self.walk(other),
        }
    }

    fn walk(&self, value: &mut Value) -> usize {
        match value {
            Value::Object(fields) => {
                let hidden = self.hide_config_map(fields) + self.hide_patch(fields);
                hidden + fields.iter_mut().map(|(name, value)| self.field(name, value)).sum::<usize>()
            }
            Value::Array(items) => items.iter_mut().map(|item| self.walk(item)).sum(),
            Value::String(text)
                if text.contains(['\n', '{', '[']) && (may_be_document(text) || may_have_literals(text)) =>
            {
                let (changed, hidden) = self.text(text);
                if hidden > 0 {
                    *value = Value::String(changed);
                }
                hidden
            }
            _ => 0,
        }
    }

    /// Hides the literal values of a document in a text, such as Helm values.
    fn text(&self, text: &str) -> (String, usize) {
        if text.len() > LONGEST_DOCUMENT {
            return (self.placeholders.placeholder(text), 1);
        }
        let Some(mut documents) = documents(text) else {
            let (rendered, of_template) = self.template(text);
            let (shown, of_program) = self.program(&rendered);
            return (shown, of_template + of_program);
        };
        let hidden = documents.iter_mut().map(|document| self.walk(document)).sum();
        let documents: Vec<String> = documents.iter().map(Value::to_string).collect();
        (documents.join("\n---\n"), hidden)
    }

    fn field(&self, name: &str, value: &mut Value) -> usize {
        match value {
            Value::Object(annotations) if is_annotations(name) => self.hide_annotations(annotations),
            Value::Object(_) | Value::Array(_) if is_named_values(name) => self.hide_variables(value),
            Value::String(block) if is_named_values(name) && block.contains('\n') => {
                let (changed, hidden) = self.hide_block(block);
                *block = changed;
                hidden
            }
            Value::Array(items) if is_arguments(name) => {
                let is_command = matches!(name, "args" | "command");
                self.hide_arguments(items, is_command)
            }
            Value::Object(flags) if is_arguments(name) => {
                let hide = |(flag, value): (&String, &mut Value)| self.hide_flag(flag, value);
                flags.iter_mut().map(hide).sum()
            }
            Value::String(line) if is_arguments(name) && !line.contains('\n') => {
                let (changed, hidden) = self.hide_line(line);
                *line = changed;
                hidden
            }
            Value::String(script) if is_arguments(name) => {
                *value = Value::String(self.placeholders.placeholder(script));
                1
            }
            other => self.walk(other),
        }
    }

    fn hide_variables(&self, variables: &mut Value) -> usize {
        let mut hidden = 0;
        for_each_variable(variables, &mut |name, value| hidden += self.hide_variable(name, value));
        hidden
    }

    /// Hides variables in a text, which charts put into a manifest.
    fn hide_block(&self, block: &str) -> (String, usize) {
        let Some(mut documents) = documents(block) else { return (self.placeholders.placeholder(block), 1) };
        let hidden = documents.iter_mut().map(|document| self.hide_variables(document)).sum();
        (documents.iter().map(Value::to_string).collect::<Vec<_>>().join("\n---\n"), hidden)
    }

    /// Hides the values of a ConfigMap within another object.
    fn hide_config_map(&self, fields: &mut Map<String, Value>) -> usize {
        if fields.get("kind").and_then(Value::as_str) != Some("ConfigMap") {
            return 0;
        }
        let metadata = |field: &str| fields.get("metadata")?.get(field)?.as_str();
        let name = format!("{}/{}", metadata("namespace").unwrap_or_default(), metadata("name").unwrap_or_default());
        if self.exceptions.keep(LiteralPlace::ConfigMap, &name) {
            return 0;
        }
        let values = fields
            .iter_mut()
            .filter(|(field, value)| matches!(field.as_str(), "data" | "binaryData") && value.is_object());
        values.map(|(_, values)| self.placeholders.hide_all(values).0).sum()
    }

    /// Hides the value of a JSON patch below variables, arguments, or annotations.
    fn hide_patch(&self, fields: &mut Map<String, Value>) -> usize {
        let Some(path) = fields.get("path").and_then(Value::as_str).filter(|path| path.starts_with('/')) else {
            return 0;
        };
        let segments: Vec<String> = path.split('/').map(|part| part.replace("~1", "/").replace("~0", "~")).collect();
        let is_place = |name: &String| is_named_values(name) || is_arguments(name) || is_annotations(name);
        let Some(at) = segments.iter().rposition(is_place) else { return 0 };
        let Some(value) = fields.get_mut("value") else { return 0 };
        let last = segments.last().map(String::as_str).unwrap_or_default();
        let is_entry = last == "-" || last.bytes().all(|byte| byte.is_ascii_digit());
        let place = &segments[at];
        match value {
            _ if at + 1 == segments.len() => self.field(place, value),
            Value::String(text) if is_annotations(place) && is_kept_annotation(last, text, self.exceptions) => 0,
            Value::Object(_) if is_entry && is_named_values(place) => {
                self.hide_entry(value, |all| self.hide_variables(all))
            }
            Value::String(_) if is_entry && is_arguments(place) => {
                self.hide_entry(value, |all| all.as_array_mut().map_or(0, |items| self.hide_arguments(items, false)))
            }
            Value::String(_) => self.hide_variable(last, value),
            other => self.walk(other),
        }
    }

    /// Hides in one element of a list.
    fn hide_entry(&self, entry: &mut Value, hide: impl FnOnce(&mut Value) -> usize) -> usize {
        let mut list = Value::Array(vec![entry.take()]);
        let hidden = hide(&mut list);
        if let Some(one) = list.as_array_mut().and_then(Vec::pop) {
            *entry = one;
        }
        hidden
    }

    fn hide_annotations(&self, annotations: &mut Map<String, Value>) -> usize {
        let hidden = annotations.iter_mut().filter(|(key, value)| {
            value.as_str().is_some_and(|value| !is_kept_annotation(key, value, self.exceptions))
        });
        hidden.map(|(_, value)| self.placeholders.hide_all(value).0).sum()
    }

    fn hide_variable(&self, name: &str, value: &mut Value) -> usize {
        let is_kept = value.as_str().is_none_or(is_innocuous) || self.exceptions.keep(LiteralPlace::Environment, name);
        if is_kept { 0 } else { self.placeholders.hide_all(value).0 }
    }

    /// Hides the value of a flag in a map of flags.
    fn hide_flag(&self, flag: &str, value: &mut Value) -> usize {
        let is_kept = match value.as_str() {
            Some(text) => is_innocuous(text),
            None => !value.is_array() && !value.is_object(),
        };
        let flag = flag.trim_start_matches('-');
        if is_kept || self.exceptions.keep(LiteralPlace::Argument, flag) {
            0
        } else {
            self.placeholders.hide_all(value).0
        }
    }

    /// Hides arguments in one text.
    fn hide_line(&self, line: &str) -> (String, usize) {
        let Some(words) = shlex::split(line) else { return (self.placeholders.placeholder(line), 1) };
        let mut words: Vec<Value> = words.into_iter().map(Value::String).collect();
        match self.hide_arguments(&mut words, true) {
            0 => (line.to_owned(), 0),
            hidden => (words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "), hidden),
        }
    }

    /// Hides arguments except the names of flags and the program.
    fn hide_arguments(&self, items: &mut [Value], is_command: bool) -> usize {
        let mut hidden = 0;
        let mut flag = String::new();
        for (at, item) in items.iter_mut().enumerate() {
            if item.is_object() {
                // `{name, value}`
                let flag = item.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
                hidden += item.get_mut("value").map_or(0, |value| self.hide_flag(&flag, value));
                continue;
            }
            let Some(text) = item.as_str() else { continue };
            let (name, value) = match text.split_once('=') {
                Some((name, value)) if text.starts_with('-') => (name.to_owned(), Some(value)),
                _ => (text.to_owned(), None),
            };
            let is_long = text.starts_with("--") && is_word(name.trim_start_matches('-'));
            let is_short = text.starts_with('-') && text.len() <= 2;
            let is_kept = |name: &str| self.exceptions.keep(LiteralPlace::Argument, name.trim_start_matches('-'));
            match value {
                Some(value) if is_innocuous(value) || is_kept(&name) => {}
                Some(value) => {
                    *item = Value::String(format!("{name}={}", self.placeholders.placeholder(value)));
                    hidden += 1;
                }
                None if is_long || is_short || is_innocuous(text) || is_kept(&flag) => {}
                None if at == 0 && is_command && is_program(text) => {}
                None => {
                    let placeholder = self.placeholders.placeholder(text);
                    *item = Value::String(placeholder);
                    hidden += 1;
                }
            }
            flag = name;
        }
        hidden
    }
}

fn is_word(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

/// Returns true if the first word is a program, a path or a subcommand.
fn is_program(text: &str) -> bool {
    text.len() <= 128
        && text
            .chars()
            .all(|c| c.is_ascii_lowercase() || "-_./".contains(c) || c.is_ascii_digit() && text.contains('/'))
}
