//! Limits the data that is sent to functions: no secrets, unless the user allows them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;

use crate::composition::answer::SentSecrets;
use crate::composition::protocol::RunFunctionRequest;
use crate::composition::view::PlannedClusterView;
use ucp_client::prediction::cluster::text_at;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::object::ObjectName;

/// Secret values that functions may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum SendableSecrets {
    /// Secrets that steps name as their credentials.
    Credentials,
    /// What the connection Secrets of composites and of what they are made of hold.
    ConnectionDetails,
    /// Secrets that are composed or required.
    Secrets,
}

/// The cluster as functions may see it.
pub struct FunctionView<'a> {
    /// The core cluster after the change.
    pub view: &'a PlannedClusterView,
    /// Kinds of secrets that functions may receive.
    pub confidence: &'a [SendableSecrets],
    /// Secret values that were sent to any function.
    told: Mutex<BTreeSet<String>>,
}

impl<'a> FunctionView<'a> {
    /// Creates a view from which nothing was sent yet.
    pub fn new(view: &'a PlannedClusterView, confidence: &'a [SendableSecrets]) -> Self {
        Self { view, confidence, told: Mutex::default() }
    }

    /// Returns all secret values that were sent to a function; its responses may contain them anywhere.
    pub fn sent_secret_values(&self) -> BTreeSet<String> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn may_send(&self, what: SendableSecrets) -> bool {
        self.confidence.contains(&what)
    }

    /// Returns an object without the data of the Secrets in it, unless functions may receive Secrets.
    pub fn without_secrets(&self, object: &Value) -> Value {
        let mut object = object.clone();
        if !self.may_send(SendableSecrets::Secrets) {
            empty_secrets(&mut object);
        }
        object
    }

    /// Returns the data of an object's connection Secret, or nothing if functions may not receive connection details.
    ///
    /// # Errors
    /// Fails when the Secret cannot be read.
    pub async fn connection_details(&self, object: &Value) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
        let name = text_at(object, "/spec/writeConnectionSecretToRef/name");
        if name.is_empty() || !self.may_send(SendableSecrets::ConnectionDetails) {
            return Ok(BTreeMap::new());
        }
        let own = text_at(object, "/spec/writeConnectionSecretToRef/namespace");
        let namespace = if own.is_empty() { text_at(object, "/metadata/namespace") } else { own };
        self.secret_data(namespace, name).await
    }

    async fn secret_data(&self, namespace: &str, name: &str) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
        let secret = self.view.object(&ObjectName::secret(namespace, name)).await?;
        let data = secret.as_ref().and_then(|secret| secret.get("data")?.as_object());
        let entries = data.into_iter().flatten();
        Ok(entries.filter_map(|(key, value)| Some((key.clone(), BASE64.decode(value.as_str()?).ok()?))).collect())
    }

    fn check_allowed(&self, kind: &str, api_version: &str) -> Result<(), Failure> {
        if kind == "Secret" && api_version == "v1" && !self.may_send(SendableSecrets::Secrets) {
            return fail!("Secrets are sent to functions only with '--send secrets'");
        }
        Ok(())
    }

    /// Records the secret values of a request.
    pub fn record_secrets(&self, request: &RunFunctionRequest) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.extend(SentSecrets::from_request(request).into_values());
    }

    /// Returns the secret values to redact from a function's messages: those of every request so far, which it may have
    /// kept.
    pub fn sent_secrets(&self) -> SentSecrets {
        SentSecrets::from_values(self.sent_secret_values())
    }

    /// Returns the object of a name that a function requires.
    ///
    /// # Errors
    /// Fails when it cannot be read, or when functions may not receive it.
    pub async fn required_object(&self, name: ObjectName) -> Result<Option<Value>, Failure> {
        self.check_allowed(&name.kind, &name.api_version)?;
        let found = self.view.object(&name).await?;
        Ok(found.map(|object| self.without_secrets(&object)))
    }

    /// Returns all objects of a kind with the given labels that a function requires.
    ///
    /// # Errors
    /// Fails when they cannot be read, or when functions may not receive them.
    pub async fn required_objects(
        &self,
        api_version: &str,
        kind: &str,
        namespace: Option<&str>,
        labels: &BTreeMap<String, String>,
    ) -> Result<Vec<Value>, Failure> {
        self.check_allowed(kind, api_version)?;
        let found = self.view.list(api_version, kind, namespace, labels).await?;
        Ok(found.iter().map(|object| self.without_secrets(object)).collect())
    }

    /// Returns the data of a Secret that a step names as its credentials.
    ///
    /// # Errors
    /// Fails when it cannot be read, or when functions may not receive credentials.
    pub async fn step_credentials(&self, namespace: &str, name: &str) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
        if !self.may_send(SendableSecrets::Credentials) {
            return fail!("credentials are sent to functions only with '--send credentials'");
        }
        if self.view.object(&ObjectName::secret(namespace, name)).await?.is_none() {
            return fail!("Secret {name} not found in namespace {namespace}");
        }
        self.secret_data(namespace, name).await
    }
}

/// Annotation in which kubectl records the manifest that it applied.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Removes the data of a Secret, and of every Secret nested in an object.
fn empty_secrets(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            let is = |field: &str, wanted: &str| fields.get(field).and_then(Value::as_str) == Some(wanted);
            if is("kind", "Secret") && is("apiVersion", "v1") {
                fields.remove("data");
                fields.remove("stringData");
            }
            // Contains a whole object, including the Secrets in it.
            fields.remove(LAST_APPLIED);
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

    #[test]
    fn last_applied_annotations_are_removed_everywhere() {
        let noted = json!({"annotations": {LAST_APPLIED: "{\"kind\":\"Secret\"}", "mine": "1"}});
        let mut object = json!({"kind": "Object", "metadata": noted, "spec": {"manifest": {"metadata": noted}}});
        empty_secrets(&mut object);
        assert!(!object.to_string().contains("Secret"), "{object}");
        assert_eq!(object["spec"]["manifest"]["metadata"]["annotations"]["mine"], "1");
    }
}
