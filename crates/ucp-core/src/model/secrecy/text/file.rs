//! Documents in objects whose keys or paths name a file with secrets.

use serde_json::Value;

use super::super::files::FileContent;
use super::super::innocuous::is_innocuous;
use super::super::names::meaning;
use super::value::is_masked;

/// Replaces a document whose name is that of a file with secrets, or the values of its variables. Returns false for others.
pub(super) fn replace_in_file(name: &str, value: &mut Value, replacement: &mut dyn FnMut(&str) -> String) -> bool {
    match (meaning(name).file, &mut *value) {
        (Some(FileContent::Secrets), Value::String(text)) if !text.trim().is_empty() => {
            *text = replacement(text);
            true
        }
        (Some(FileContent::Variables), Value::String(text)) => {
            *text = replace_variables(text, replacement);
            true
        }
        _ => false,
    }
}

/// Returns true if a text is the name or path of a file with secrets.
pub(in super::super) fn names_file(text: &str) -> bool {
    meaning(text).file.is_some()
}

/// Returns true if a text is the name of a file of which everything is secret.
pub(super) fn is_secret_file(text: &str) -> bool {
    meaning(text).file == Some(FileContent::Secrets)
}

/// Replaces the values of a file of variables: `NAME=value`, `name = "value"` with lists, or JSON.
fn replace_variables(text: &str, replacement: &mut dyn FnMut(&str) -> String) -> String {
    if let Some(mut document) = crate::model::comparison::parse_document(text) {
        replace_leaves(&mut document, replacement);
        return document.to_string();
    }
    text.split_inclusive('\n').map(|line| replace_in_line(line, replacement)).collect()
}

fn replace_leaves(value: &mut Value, replacement: &mut dyn FnMut(&str) -> String) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(|value| replace_leaves(value, replacement)),
        Value::Array(items) => items.iter_mut().for_each(|item| replace_leaves(item, replacement)),
        Value::String(text) if !is_harmless(text) => *text = replacement(text),
        _ => {}
    }
}

fn replace_in_line(line: &str, replacement: &mut dyn FnMut(&str) -> String) -> String {
    let body = line.trim_end();
    if body.trim_start().starts_with(['#', ';']) || body.trim_start().starts_with("//") {
        return line.to_owned();
    }
    // A line of a list has no name.
    let start = match body.find('=') {
        Some(equals) => equals + 1,
        None if body.contains(['"', '\'']) => 0,
        None => return line.to_owned(),
    };
    let value = body[start..].trim().trim_end_matches(',');
    let inner = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote)).unwrap_or(value);
    let opens = matches!(inner, "{" | "[" | "(" | "<<EOT" | "<<-EOT" | "<<EOF" | "<<-EOF");
    if opens || is_harmless(inner) {
        return line.to_owned();
    }
    let at = start + body[start..].find(inner).unwrap_or_default();
    format!("{}{}{}", &line[..at], replacement(inner), &line[at + inner.len()..])
}

fn is_harmless(value: &str) -> bool {
    is_innocuous(value) || is_masked(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::SecretHider;

    fn shown(name: &str, text: &str) -> String {
        let mut object = json!({"kind": "ConfigMap", "data": {name: text}});
        SecretHider::new().unwrap().hide(&mut object);
        object["data"][name].as_str().unwrap().to_owned()
    }

    #[test]
    fn documents_of_files_with_secrets_are_hidden() {
        assert_eq!(shown("auth.json", "{\"foo\":\"canary\"}"), "<hidden value 1>");
        assert_eq!(shown("app.env", "# a\nMODE=true\nA=canary\n"), "# a\nMODE=true\nA=<hidden value 1>\n");
        assert_eq!(shown("a.tfvars", "a = \"canary\"\nb = [\n"), "a = \"<hidden value 1>\"\nb = [\n");
        assert_eq!(shown("a.tfvars.json", "{\"a\":\"canary\",\"b\":3}"), "{\"a\":\"<hidden value 1>\",\"b\":3}");
        assert_eq!(shown("app.json", "{\"foo\":\"canary\"}"), "{\"foo\":\"canary\"}");
        let mut file = json!({"files": [{"path": "/etc/app/auth.json", "content": "{\"foo\":\"canary\"}"}]});
        assert!(!super::super::super::is_clean(&file.to_string(), &|_| false));
        SecretHider::new().unwrap().hide(&mut file);
        assert_eq!(file["files"][0]["content"], "<hidden value 1>");
    }
}
