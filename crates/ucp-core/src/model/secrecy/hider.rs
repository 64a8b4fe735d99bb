//! Secret values in objects: in Secrets, in fields with secret-like names, and in texts.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use ring::hmac;
use ring::rand::SystemRandom;
use serde_json::Value;

use super::literal::replace_variables;
use super::names::{is_public_name, is_secret_name};
use super::neutral::replace_neutral;
use super::ordinary::SecretOrigin;
use super::registry;
use super::text::{HIDDEN, find_secrets, replace_in_object, scrub};
use crate::failure::Failure;
use crate::model::path::{FieldPath, FieldPathStep};

/// Replaces secret values before anything is compared in the open: each value by a number, identified by a keyed hash.
/// The number only shows which values are equal, and is the same in the next run.
pub struct SecretHider {
    key: hmac::Key,
    numbers: HashMap<Vec<u8>, usize>,
    /// Secret values that are hidden everywhere, the longest first.
    known: Vec<String>,
}

/// Shorter values occur everywhere by chance.
const SHORTEST_KNOWN: usize = 6;

impl SecretHider {
    /// Creates a hider with its own random key.
    ///
    /// # Errors
    /// Fails when the system has no random numbers.
    pub fn new() -> Result<Self, Failure> {
        let key = hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new())
            .map_err(|_| "the system has no random numbers")?;
        Ok(Self { key, numbers: HashMap::new(), known: Vec::new() })
    }

    /// Hides these values in every object from now on, in any field, since they may have been copied.
    pub fn add_known(&mut self, secrets: impl IntoIterator<Item = String>) {
        self.known.extend(secrets.into_iter().filter(|secret| secret.len() >= SHORTEST_KNOWN));
        self.known.sort_by(|left, right| right.len().cmp(&left.len()).then_with(|| left.cmp(right)));
        self.known.dedup();
    }

    /// Hides every secret value of an object, those with neutral names too.
    pub fn hide(&mut self, object: &mut Value) {
        replace_secrets(object, |secret| self.number(secret));
        if !self.known.is_empty() {
            self.hide_known(object);
        }
    }

    /// Hides every secret value of an object that is shown as a whole, and the values of variables, whatever their names.
    pub fn hide_whole(&mut self, object: &mut Value) {
        self.hide(object);
        replace_variables(object, &mut |value| self.number(value));
    }

    /// Returns the path of a field in an object of which secrets are hidden, since names of fields may be secrets.
    pub fn hidden_path(&mut self, path: &FieldPath) -> FieldPath {
        let mut object = Value::Null;
        path.set(&mut object, Value::Null);
        self.hide(&mut object);
        let mut place = &object;
        let steps = path.0.iter().map(|step| {
            let (inner, name) = match place {
                Value::Object(fields) => fields.iter().next().map(|(name, inner)| (inner, Some(name))),
                Value::Array(items) => items.first().map(|inner| (inner, None)),
                _ => None,
            }
            .unwrap_or((&Value::Null, None));
            place = inner;
            name.map_or_else(|| step.clone(), |name| FieldPathStep::Field(name.clone()))
        });
        FieldPath(steps.collect())
    }

    fn hide_known(&mut self, value: &mut Value) {
        match value {
            Value::Object(fields) => {
                // Secrets are not searched for within a field name, but a whole name may be a value.
                let named: Vec<String> = fields.keys().filter(|name| self.known.contains(name)).cloned().collect();
                for name in named {
                    let value = fields.remove(&name).unwrap_or_default();
                    fields.insert(self.number(&name), value);
                }
                fields.values_mut().for_each(|value| self.hide_known(value));
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide_known(item)),
            Value::String(text) => self.hide_text(text),
            _ => {}
        }
    }

    /// Hides the known values in a text.
    pub fn hide_text(&mut self, text: &mut String) {
        let found: Vec<String> = self.known.iter().filter(|secret| text.contains(*secret)).cloned().collect();
        for secret in found {
            *text = text.replace(&secret, &self.number(&secret));
        }
    }

    fn number(&mut self, secret: &str) -> String {
        let next = self.numbers.len() + 1;
        let tag = hmac::sign(&self.key, secret.as_bytes()).as_ref().to_vec();
        let number = *self.numbers.entry(tag).or_insert(next);
        format!("<hidden value {number}>")
    }
}

/// Hides a token of this program in every text from now on: as it is, in base64, percent-encoded, or escaped.
pub fn register_secret(value: &str) {
    register_text(value, SecretOrigin::Secret);
}

/// Hides a value that was read from a Secret in every text from now on. The name of its key decides how short it may be.
pub fn register_secret_value(name: &str, value: &[u8]) {
    let origin = match () {
        () if is_secret_name(name) => SecretOrigin::Secret,
        () if is_public_name(name) => SecretOrigin::Public,
        () => SecretOrigin::Any,
    };
    match std::str::from_utf8(value) {
        Ok(text) => register_text(text, origin),
        Err(_) => registry::add_bytes(value),
    }
}

/// The label of Argo CD's registrations of clusters, and its value.
pub const REGISTRATION_LABEL: (&str, &str) = ("argocd.argoproj.io/secret-type", "cluster");
/// Keys of such a registration that identify the cluster, and are shown: names of clusters are names of objects.
pub const REGISTRATION_FACTS: [&str; 5] = ["name", "server", "namespaces", "project", "shard"];

/// Hides a value of a Secret in every text from now on. `label` returns a label of the Secret.
pub fn register_value_of_secret<'a>(label: impl Fn(&str) -> Option<&'a str>, name: &str, value: &[u8]) {
    let is_registration = label(REGISTRATION_LABEL.0) == Some(REGISTRATION_LABEL.1);
    if !(is_registration && REGISTRATION_FACTS.contains(&name)) {
        register_secret_value(name, value);
    }
}

/// Hides the values of a Secret, or of each Secret in a list, as the API server returns it.
pub fn register_secrets_of(object: &Value) {
    let is_secret = |object: &Value| object.get("kind").and_then(Value::as_str) == Some("Secret");
    let items = object.get("items").and_then(Value::as_array).into_iter().flatten();
    let is_list = object.get("kind").and_then(Value::as_str) == Some("SecretList");
    for secret in
        std::iter::once(object).filter(|one| is_secret(one)).chain(items.filter(|one| is_list || is_secret(one)))
    {
        let values = |field: &str| secret.get(field).and_then(Value::as_object).into_iter().flatten();
        let labels = secret.get("metadata").and_then(|metadata| metadata.get("labels"));
        let label = |name: &str| labels?.get(name)?.as_str();
        for (name, value) in values("data") {
            if let Some(bytes) = value.as_str().and_then(|encoded| BASE64.decode(encoded.trim()).ok()) {
                register_value_of_secret(label, name, &bytes);
            }
        }
        for (name, value) in values("stringData") {
            register_value_of_secret(label, name, value.as_str().unwrap_or_default().as_bytes());
        }
    }
}

/// Records that a name is that of an object, which is shown even if it is also the value of a Secret.
pub fn register_object_name(name: &str) {
    registry::add_name(name);
}

/// Hides a text. Of a kubeconfig, a registration, or settings, hides each secret in it.
fn register_text(value: &str, origin: SecretOrigin) {
    let value = value.trim();
    // A snapshot of our own has placeholders.
    if value.starts_with("<hidden") {
        return;
    }
    if value.contains('\n') || value.starts_with(['{', '[']) {
        register_parts(value);
        // Lines that no document has. Certificates are public.
        if !value.contains("-BEGIN CERTIFICATE") {
            let lines = value.lines().map(str::trim).filter(|line| !line.contains([' ', ':', '=', '"', '#', '-']));
            lines.for_each(|line| registry::add(line, SecretOrigin::Public));
        }
        return;
    }
    registry::add(value, origin);
    if value.contains("://") {
        register_parts(value);
        let parts = value.split(['/', '?', '&', '=', '#', '@']).skip(2);
        parts.for_each(|part| registry::add(part, SecretOrigin::Public));
    }
}

/// Hides the secrets in a text. The user of a URL without a password may be a token, or an ordinary name.
fn register_parts(text: &str) {
    for part in find_secrets(text).into_iter().filter(|part| !part.contains('\n')) {
        let is_userinfo = text.contains(&format!("://{part}@"));
        let password = part.split_once(':').map(|(_, password)| password).filter(|_| is_userinfo);
        let is_user = is_userinfo && password.is_none();
        registry::add(part, if is_user { SecretOrigin::Any } else { SecretOrigin::Secret });
        if let Some(password) = password {
            registry::add(password, SecretOrigin::Secret);
        }
    }
}

/// Removes secrets from a text about some objects, since an API server's rejection may quote them: secrets that are
/// recognizable in the text, and the secret values of these objects.
pub fn scrub_about<'a>(text: &str, objects: impl IntoIterator<Item = &'a Value>) -> String {
    let text = secrets_of(objects).into_iter().fold(text.to_owned(), |text, secret| text.replace(&secret, HIDDEN));
    scrub(&text).into_owned()
}

/// Returns true if a [`SecretHider`] would change an object.
pub fn has_secret(object: &Value) -> bool {
    let mut found = false;
    replace_secrets(&mut object.clone(), |secret| {
        found = true;
        secret.to_owned()
    });
    found
}

/// Returns the secret values of some objects, encoded and decoded, the longest first: one may be part of another.
pub fn secrets_of<'a>(objects: impl IntoIterator<Item = &'a Value>) -> Vec<String> {
    let mut secrets: Vec<String> = Vec::new();
    for object in objects {
        replace_in_object(&mut object.clone(), &mut |secret| {
            let decoded = BASE64.decode(secret).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            secrets.extend(decoded.into_iter().chain([secret.to_owned()]));
            HIDDEN.to_owned()
        });
    }
    // Values this short occur everywhere by chance.
    secrets.retain(|secret| secret.len() > 2);
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets
}

/// Replaces every secret in an object by the result of `replacement`, those with neutral names too.
pub fn replace_secrets(object: &mut Value, mut replacement: impl FnMut(&str) -> String) {
    replace_in_object(object, &mut replacement);
    replace_neutral(object, &mut replacement);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn known_values_are_hidden_in_every_field() {
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "data": {"a": "Y2FuYXJ5LW9uZQ==", "b": "eA=="}});
        let mut hider = SecretHider::new().unwrap();
        hider.add_known(secrets_of([&secret]));
        let mut copied =
            json!({"kind": "ConfigMap", "data": {"plain": "is canary-one", "raw": "Y2FuYXJ5LW9uZQ==", "x": "x"}});
        hider.hide(&mut copied);
        assert!(!copied.to_string().contains("canary") && !copied.to_string().contains("Y2Fu"), "{copied}");
        assert_eq!(copied["data"]["x"], "x");
        let mut key = json!({"kind": "ConfigMap", "data": {"canary-one": "x", "not canary-one": "y"}});
        hider.hide(&mut key);
        assert_eq!(key["data"], json!({"<hidden value 1>": "x", "not canary-one": "y"}), "a whole name may be a value");
        let mut text = "Invalid value: canary-one".to_owned();
        hider.hide_text(&mut text);
        assert_eq!(text, "Invalid value: <hidden value 1>");
    }

    #[test]
    fn paths_are_those_of_the_hidden_object() {
        let mut hider = SecretHider::new().unwrap();
        let mut object = json!({"items": [{"tokens": {"CanaryQx7310": {"a": 1}}}], "plain": {"CanaryQx7310": 1}});
        let path = |token: &str| {
            let mut path = FieldPath::from_fields(&["items", "tokens", token, "a"]);
            path.0.insert(1, FieldPathStep::Element(0));
            path
        };
        hider.hide(&mut object);
        let shown = hider.hidden_path(&path("CanaryQx7310"));
        assert_eq!(shown.find(&object), Some(&json!(1)), "{shown} {object}");
        assert_eq!(object["plain"]["CanaryQx7310"], 1);
        assert_eq!(hider.hidden_path(&path("plain")), path("plain"));
    }

    #[test]
    fn values_of_secrets_are_hidden_and_keys_are_kept() {
        let mut hider = SecretHider::new().unwrap();
        let mut before = json!({"apiVersion": "v1", "kind": "Secret", "data": {"a": "Y2FuYXJ5", "b": "eA=="}});
        let mut after = json!({"apiVersion": "v1", "kind": "Secret", "data": {"a": "b3RoZXI=", "b": "eA=="}});
        hider.hide(&mut before);
        hider.hide(&mut after);
        assert_eq!(before["data"], json!({"a": "<hidden value 1>", "b": "<hidden value 2>"}));
        assert_eq!(after["data"], json!({"a": "<hidden value 3>", "b": "<hidden value 2>"}));
        let once = before.clone();
        hider.hide(&mut before);
        assert_eq!(before, once);
    }

    #[test]
    fn fields_that_are_called_like_secrets_are_hidden_everywhere() {
        let mut hider = SecretHider::new().unwrap();
        assert!(
            has_secret(&json!({"masterPassword": "x"})) && !has_secret(&json!({"passwordSecretRef": {"name": "x"}}))
        );
        let mut object = json!({
            "kind": "Deployment",
            "spec": {
                "masterPassword": "canary",
                "passwordSecretRef": {"name": "s", "key": "password"},
                "env": [{"name": "DB_PASSWORD", "value": "canary"}, {"name": "MODE", "value": "shown"}],
                "access_token": "canary",
                "tokens": ["canary"],
                "automountServiceAccountToken": true,
                "data": [{"secretKey": "password", "remoteRef": {"key": "shop"}}],
                "aws": {"secretKey": "canary"},
            },
        });
        hider.hide(&mut object);
        let text = object.to_string();
        assert!(!text.contains("canary") && text.contains("shown") && text.contains("\"key\":\"password\""), "{text}");
        assert_eq!(object["spec"]["automountServiceAccountToken"], json!(true));
        assert_eq!(object["spec"]["data"][0]["secretKey"], "password", "a name");
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
        SecretHider::new().unwrap().hide(&mut object);
        let text = object.to_string();
        assert!(!text.contains("canary") && text.contains("shown") && text.contains("a:b@c"), "{text}");
        // The rest of a connection string is kept, since it shows changes.
        assert!(text.contains("@db/shop"), "{text}");
    }

    #[test]
    fn a_changed_password_in_a_connection_string_still_differs() {
        let mut hider = SecretHider::new().unwrap();
        let mut hidden = |url: &str| {
            let mut object = json!({ "url": url });
            hider.hide(&mut object);
            object
        };
        let (one, same, other) = (hidden("redis://:a@r/0"), hidden("redis://:a@r/0"), hidden("redis://:b@r/0"));
        assert!(one == same && one != other, "{one} {other}");
    }

    #[test]
    fn variables_of_whole_objects_are_hidden_regardless_of_their_names() {
        let mut object = json!({"kind": "Workspace", "spec": {"forProvider": {
            "source": "Inline", "module": "variable \"greeting\" {\n  default = \"canary\"\n}", "region": "eu-central-1",
            "vars": [{"key": "greeting", "value": "canary"}, {"key": "size", "value": "5"}],
            "env": [{"name": "GREETING", "value": "canary"}, {"name": "B", "secretKeyRef": {"name": "shown", "key": "b"}}],
            "varmap": {"db": {"greeting": "canary", "on": "true"}},
            "environment": [{"variables": {"GREETING": "canary"}}],
            "envVars": ["GREETING=canary", "LEVEL=debug"],
        }}, "status": {"atProvider": {"outputs": {"greeting": "canary"}}}});
        SecretHider::new().unwrap().hide_whole(&mut object);
        let text = object.to_string();
        assert!(!text.contains("canary"), "{text}");
        for kept in ["eu-central-1", "\"5\"", "shown", "\"true\"", "LEVEL=debug", "GREETING=<hidden value"] {
            assert!(text.contains(kept), "{kept} {text}");
        }
        let ordinary = json!({
            "kind": "Thing", "spec": {"environment": "prod", "module": "a\nb", "variables": [{"name": "a", "expression": "b"}],
            "schema": {"openAPIV3Schema": {"properties": {"env": {"type": "array", "description": "of programs"}}}}},
        });
        let mut shown = ordinary.clone();
        SecretHider::new().unwrap().hide_whole(&mut shown);
        assert_eq!(shown, ordinary);
    }

    #[test]
    fn refusals_do_not_quote_them() {
        let object =
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"a": "Y2FuYXJ5"}});
        let scrubbed = scrub_about("Secret s: invalid \"canary\" (Y2FuYXJ5)", [&object]);
        assert_eq!(scrubbed, "Secret s: invalid \"<hidden>\" (<hidden>)");
        let object =
            json!({"kind": "X", "spec": {"password": "canary", "env": [{"name": "API_TOKEN", "value": "bird"}]}});
        assert_eq!(scrub_about("canary bird at redis://:x@y", [&object]), "<hidden> <hidden> at redis://<hidden>@y");
    }
}
