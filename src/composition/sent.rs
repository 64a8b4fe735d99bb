//! What functions are told: nothing that is secret, unless somebody asks for it.

use std::collections::BTreeMap;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;

use crate::composition::pipeline::Fetch;
use crate::composition::view::View;
use crate::model::object::ObjectName;
use crate::prediction::cluster::text;

/// Secret values that functions may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Secrets that steps name as their credentials.
    Credentials,
    /// What the connection Secrets of composites and of what they are made of hold.
    ConnectionDetails,
    /// Secrets that are composed or required.
    Secrets,
}

impl Confidence {
    /// Every word of `--send`.
    pub const WORDS: [&'static str; 3] = ["credentials", "connection-details", "secrets"];
}

impl FromStr for Confidence {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "credentials" => Ok(Self::Credentials),
            "connection-details" => Ok(Self::ConnectionDetails),
            "secrets" => Ok(Self::Secrets),
            _ => Err(format!("expected one of {}", Self::WORDS.join(", "))),
        }
    }
}

/// The cluster, as functions may see it.
pub struct Sent<'a> {
    /// The core cluster, as it would be.
    pub view: &'a View,
    /// What secrets they may be sent.
    pub confidence: &'a [Confidence],
}

impl Sent<'_> {
    fn may(&self, what: Confidence) -> bool {
        self.confidence.contains(&what)
    }

    /// An object, without the Secrets in it that functions are not sent.
    pub fn discreet(&self, object: &Value) -> Value {
        let mut object = object.clone();
        if !self.may(Confidence::Secrets) {
            empty_secrets(&mut object);
        }
        object
    }

    /// What an object's connection Secret holds, where functions are sent that.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn connection_details(&self, object: &Value) -> Result<BTreeMap<String, Vec<u8>>, String> {
        let name = text(object, "/spec/writeConnectionSecretToRef/name");
        if name.is_empty() || !self.may(Confidence::ConnectionDetails) {
            return Ok(BTreeMap::new());
        }
        let own = text(object, "/spec/writeConnectionSecretToRef/namespace");
        let namespace = if own.is_empty() { text(object, "/metadata/namespace") } else { own };
        self.data(namespace, name).await
    }

    async fn data(&self, namespace: &str, name: &str) -> Result<BTreeMap<String, Vec<u8>>, String> {
        let secret = self.view.object(&secret(namespace, name)).await?;
        let data = secret.as_ref().and_then(|secret| secret.get("data")?.as_object());
        let entries = data.into_iter().flatten();
        Ok(entries.filter_map(|(key, value)| Some((key.clone(), BASE64.decode(value.as_str()?).ok()?))).collect())
    }

    fn allow(&self, kind: &str, api_version: &str) -> Result<(), String> {
        if kind == "Secret" && api_version == "v1" && !self.may(Confidence::Secrets) {
            return Err("functions are sent no Secrets, unless '--send secrets' is given".to_owned());
        }
        Ok(())
    }
}

impl Fetch for Sent<'_> {
    async fn one(&self, name: ObjectName) -> Result<Option<Value>, String> {
        self.allow(&name.kind, &name.api_version)?;
        let found = self.view.object(&name).await?;
        Ok(found.map(|object| self.discreet(&object)))
    }

    async fn all(
        &self,
        api_version: &str,
        kind: &str,
        namespace: Option<&str>,
        labels: &BTreeMap<String, String>,
    ) -> Result<Vec<Value>, String> {
        self.allow(kind, api_version)?;
        let found = self.view.list(api_version, kind, namespace, labels).await?;
        Ok(found.iter().map(|object| self.discreet(object)).collect())
    }

    async fn secret(&self, namespace: &str, name: &str) -> Result<BTreeMap<String, Vec<u8>>, String> {
        if !self.may(Confidence::Credentials) {
            return Err("functions are sent no credentials, unless '--send credentials' is given".to_owned());
        }
        if self.view.object(&secret(namespace, name)).await?.is_none() {
            return Err(format!("there is no Secret {name} in namespace {namespace}"));
        }
        self.data(namespace, name).await
    }
}

fn secret(namespace: &str, name: &str) -> ObjectName {
    ObjectName {
        api_version: "v1".to_owned(),
        kind: "Secret".to_owned(),
        namespace: Some(namespace.to_owned()),
        name: name.to_owned(),
    }
}

/// Takes the data out of a Secret, and out of every Secret within an object.
fn empty_secrets(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            let is = |field: &str, wanted: &str| fields.get(field).and_then(Value::as_str) == Some(wanted);
            if is("kind", "Secret") && is("apiVersion", "v1") {
                fields.remove("data");
                fields.remove("stringData");
                if let Some(annotations) = fields.get_mut("metadata").and_then(|one| one.get_mut("annotations")) {
                    let own = annotations.as_object_mut();
                    own.and_then(|own| own.remove("kubectl.kubernetes.io/last-applied-configuration"));
                }
            }
            fields.values_mut().for_each(empty_secrets);
        }
        Value::Array(values) => values.iter_mut().for_each(empty_secrets),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_within_objects_are_emptied() {
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}, "data": {"a": "b"}});
        let mut object = json!({"kind": "Object", "spec": {"forProvider": {"manifest": secret}}, "data": {"a": 1}});
        empty_secrets(&mut object);
        assert_eq!(object.pointer("/spec/forProvider/manifest/data"), None);
        assert_eq!(object["data"]["a"], 1);
    }
}
