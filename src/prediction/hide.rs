//! Keeps secret values out of everything that is shown. Values of Secrets, and of fields that are called like one, are
//! replaced before anything is compared in the open: by a number for each value, told apart by a keyed hash. The
//! number says which values are the same and nothing else, and is the same in the next run.

use std::collections::HashMap;

use ring::hmac;
use ring::rand::SystemRandom;
use serde_json::Value;

/// Words that tell a field with a secret value, in lower case and without separators.
const TELLING: [&str; 14] = [
    "password",
    "passwd",
    "token",
    "secretkey",
    "privatekey",
    "apikey",
    "accesskey",
    "credentials",
    "clientsecret",
    "passphrase",
    "connectionstring",
    "secretstring",
    "userdata",
    "customdata",
];
/// What comes after such a word where only a reference, a name or a setting is meant.
const HARMLESS_ENDINGS: [&str; 12] =
    ["ref", "refs", "selector", "name", "namespace", "key", "path", "file", "policy", "length", "version", "seconds"];

/// Hides the secret values of some objects.
pub struct Hider {
    key: hmac::Key,
    numbers: HashMap<Vec<u8>, usize>,
}

impl Hider {
    /// A hider with a key of its own.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn new() -> Result<Self, String> {
        let key = hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new())
            .map_err(|_| "the system has no random numbers".to_owned())?;
        Ok(Self { key, numbers: HashMap::new() })
    }

    /// Hides every secret value of an object.
    pub fn hide(&mut self, object: &mut Value) {
        let is_secret = is_secret(object);
        let Value::Object(fields) = object else { return };
        for (name, value) in fields {
            match name.as_str() {
                "data" | "stringData" if is_secret => self.hide_all(value),
                _ => self.hide_telling(name, value),
            }
        }
    }

    fn hide_telling(&mut self, name: &str, value: &mut Value) {
        let is_secret = is_secret(value);
        match value {
            Value::Object(fields) => {
                let named = fields.get("name").and_then(Value::as_str).is_some_and(is_telling);
                for (name, value) in fields {
                    // `{name: DB_PASSWORD, value: …}`, as containers have it.
                    let within_secret = is_secret && matches!(name.as_str(), "data" | "stringData");
                    if within_secret || named && name == "value" {
                        self.hide_all(value);
                    } else {
                        self.hide_telling(name, value);
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide_telling(name, item)),
            Value::String(text) if (is_telling(name) || holds_secret(text)) && !text.is_empty() => self.hide_all(value),
            // A JSON document in a string, such as the container definitions of ECS.
            Value::String(text) => {
                if let Some(mut document) = crate::model::comparison::document(text) {
                    let before = document.clone();
                    self.hide_telling("", &mut document);
                    if document != before {
                        *value = Value::String(document.to_string());
                    }
                }
            }
            _ => {}
        }
    }

    fn hide_all(&mut self, value: &mut Value) {
        match value {
            Value::Object(fields) => fields.values_mut().for_each(|value| self.hide_all(value)),
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide_all(item)),
            Value::Null => {}
            other => {
                let next = self.numbers.len() + 1;
                let text = other.as_str().map_or_else(|| other.to_string(), str::to_owned);
                let tag = hmac::sign(&self.key, text.as_bytes()).as_ref().to_vec();
                let number = *self.numbers.entry(tag).or_insert(next);
                *other = Value::String(format!("<hidden value {number}>"));
            }
        }
    }
}

/// Takes the secret values of an object out of a text about it, as an API server's refusal may quote them.
pub fn scrub(text: &str, object: &Value) -> String {
    let mut secrets = Vec::new();
    collect(None, is_secret(object), object, &mut secrets);
    // The longest first: one may be part of another.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets.into_iter().fold(text.to_owned(), |text, secret| text.replace(&secret, "<hidden>"))
}

fn collect(name: Option<&str>, all: bool, value: &Value, secrets: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let named = fields.get("name").and_then(Value::as_str).is_some_and(is_telling);
            for (field, value) in fields {
                let inside = match (name, field.as_str()) {
                    (None, "data" | "stringData") => all,
                    (None, _) => false,
                    (_, "value") if named => true,
                    _ => all,
                };
                collect(Some(field), inside, value, secrets);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(name, all, item, secrets)),
        Value::String(text) if text.len() > 2 && (all || name.is_some_and(is_telling)) => secrets.push(text.clone()),
        _ => {}
    }
}

fn is_secret(object: &Value) -> bool {
    object.get("kind").and_then(Value::as_str) == Some("Secret")
        && object.get("apiVersion").and_then(Value::as_str) == Some("v1")
}

/// Whether a text is a secret by its own looks: a private key, or a URL with a password.
fn holds_secret(text: &str) -> bool {
    let has_password = |rest: &str| {
        let authority = rest.split(['/', '?', '#', ' ']).next().unwrap_or_default();
        authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'))
    };
    text.contains("PRIVATE KEY-----") || text.split("://").skip(1).any(has_password)
}

fn is_telling(name: &str) -> bool {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    TELLING.iter().any(|word| {
        plain.rfind(word).is_some_and(|start| {
            let rest = &plain[start + word.len()..];
            !HARMLESS_ENDINGS.iter().any(|ending| rest.ends_with(ending))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_go_and_keys_stay() {
        let mut hider = Hider::new().unwrap();
        let mut before = json!({"apiVersion": "v1", "kind": "Secret", "data": {"a": "Y2FuYXJ5", "b": "eA=="}});
        let mut after = json!({"apiVersion": "v1", "kind": "Secret", "data": {"a": "b3RoZXI=", "b": "eA=="}});
        hider.hide(&mut before);
        hider.hide(&mut after);
        assert_eq!(before["data"], json!({"a": "<hidden value 1>", "b": "<hidden value 2>"}));
        assert_eq!(after["data"], json!({"a": "<hidden value 3>", "b": "<hidden value 2>"}));
    }

    #[test]
    fn fields_that_are_called_like_secrets_are_hidden_everywhere() {
        let mut hider = Hider::new().unwrap();
        let mut object = json!({
            "kind": "Deployment",
            "spec": {
                "masterPassword": "canary",
                "passwordSecretRef": {"name": "s", "key": "password"},
                "env": [{"name": "DB_PASSWORD", "value": "canary"}, {"name": "MODE", "value": "shown"}],
                "access_token": "canary",
                "automountServiceAccountToken": true,
            },
        });
        hider.hide(&mut object);
        let text = object.to_string();
        assert!(!text.contains("canary") && text.contains("shown") && text.contains("\"key\":\"password\""), "{text}");
        assert_eq!(object["spec"]["automountServiceAccountToken"], json!(true));
    }

    #[test]
    fn secrets_hide_in_documents_and_manifests_too() {
        let mut object = json!({"spec": {"forProvider": {
            "containers": "[{\"environment\": [{\"name\": \"DB_PASSWORD\", \"value\": \"canary\"}], \"image\": \"shown\"}]",
            "manifest": {"apiVersion": "v1", "kind": "Secret", "stringData": {"key": "canary"}},
            "url": "postgres://user:canary@db/shop",
            "plain": "https://example.org/a:b@c",
            "key": "-----BEGIN PRIVATE KEY-----\ncanary",
        }}});
        Hider::new().unwrap().hide(&mut object);
        let text = object.to_string();
        assert!(!text.contains("canary") && text.contains("shown") && text.contains("a:b@c"), "{text}");
    }

    #[test]
    fn refusals_do_not_quote_them() {
        let object = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"a": "canary"}});
        assert_eq!(scrub("Secret s: invalid \"canary\"", &object), "Secret s: invalid \"<hidden>\"");
        let object =
            json!({"kind": "X", "spec": {"password": "canary", "env": [{"name": "API_TOKEN", "value": "bird"}]}});
        assert_eq!(scrub("canary bird", &object), "<hidden> <hidden>");
    }
}
