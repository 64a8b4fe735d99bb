//! Hides secrets in texts that are not YAML, not even as templates: line by line, and rather too much than too little.

use serde_json::json;

use super::placeholder::PLACEHOLDER;
use ucp_core::model::secrecy::has_secret;

/// Returns a text without the values of secret keys, and without the value of every `value:`, whose key is unknown.
pub(super) fn hidden(text: &str) -> String {
    let mut hidden = String::with_capacity(text.len());
    // The indentation of the key above, and whether items with the same indentation belong to it.
    let mut below: Option<(usize, bool)> = None;
    for line in text.split_inclusive('\n') {
        let body = line.trim_start();
        let depth = line.len() - body.len();
        let end = &line[line.trim_end().len()..];
        let is_item = body.starts_with("- ");
        let is_below = |(above, is_list): (usize, bool)| depth > above || depth == above && is_item && is_list;
        if below.is_some_and(is_below) && !body.trim().is_empty() {
            hidden.push_str(&format!("{}{PLACEHOLDER}{end}", &line[..depth]));
            continue;
        }
        below = None;
        let telling = colons(line).find(|colon| {
            let key = line[..*colon].rsplit(['{', ',', ' ']).next().unwrap_or_default().trim_matches(['"', '\'']);
            key == "value" || is_secret_key(key)
        });
        let Some(colon) = telling else {
            hidden.push_str(line);
            continue;
        };
        let value = line[colon + 1..].trim();
        // A value filled in by a template is not a secret.
        let is_filled_in = value.starts_with("{{") && value.ends_with("}}");
        below = Some((depth, value.is_empty()));
        match value.is_empty() || is_filled_in {
            true => hidden.push_str(line),
            false => hidden.push_str(&format!("{} {PLACEHOLDER}{end}", &line[..=colon])),
        }
    }
    hidden
}

fn colons(line: &str) -> impl Iterator<Item = usize> + '_ {
    line.match_indices(':').map(|(at, _)| at).filter(|at| line[at + 1..].starts_with([' ', '\r', '\n']))
}

fn is_secret_key(key: &str) -> bool {
    !key.is_empty() && has_secret(&json!({ key: "x" }))
}
