//! Requests to an API server that write: server-side apply as `kubectl-ucp`, creation and deletion.

use std::fmt;
use std::ops::Deref;
use std::time::Duration;

use http::header::CONTENT_TYPE;
use http::{Method, Request};
use kube::client::Body;
use serde_json::{Value, json};

use super::api::{Api, JSON, ReadError};
use super::path::encode;
use crate::model::apply::{Conflicts, FIELD_MANAGER};
use crate::model::kind::{ResourceKind, Scope};
use crate::model::object::ObjectName;
use crate::source::kubeconfig::Connection;

const APPLY: &str = "application/apply-patch+yaml";
const MERGE: &str = "application/merge-patch+json";
/// How often a write is tried that does the same however often it is sent.
const ATTEMPTS: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_millis(300);

/// Path of an object of a kind that we write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectPath(String);

impl ObjectPath {
    /// The path of an object of a kind that the server has told of.
    pub fn at(kind: &ResourceKind, namespace: Option<&str>, name: &str) -> Self {
        let namespace = namespace.filter(|_| kind.scope == Scope::Namespaced).map(encode);
        Self(format!("{}/{}", kind.path(namespace.as_deref()), encode(name)))
    }

    /// The path of an object; `None` for a kind that we never write.
    pub fn of(name: &ObjectName) -> Option<Self> {
        let plural = match name.kind.as_str() {
            "Secret" => "secrets",
            "ConfigMap" => "configmaps",
            "ServiceAccount" => "serviceaccounts",
            "ClusterRole" => "clusterroles",
            "ClusterRoleBinding" => "clusterrolebindings",
            "Role" => "roles",
            "RoleBinding" => "rolebindings",
            _ => return None,
        };
        let root = if name.group().is_empty() { "/api" } else { "/apis" };
        let namespace = name.namespace.as_ref();
        let namespace = namespace.map(|name| format!("/namespaces/{}", encode(name))).unwrap_or_default();
        Some(Self(format!("{root}/{}{namespace}/{plural}/{}", name.api_version, encode(&name.name))))
    }
}

impl fmt::Display for ObjectPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Api {
    /// Fetches an object; `None` where there is none.
    ///
    /// # Errors
    /// What the server said.
    pub async fn find(&self, path: &ObjectPath) -> Result<Option<Value>, ReadError> {
        match self.get(&path.0, JSON).await {
            Ok(body) => parse(&body).map(Some),
            Err(ReadError::NotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Asks for a review, such as a SelfSubjectAccessReview: the server answers and stores nothing.
    ///
    /// # Errors
    /// What the server said.
    pub async fn review(&self, path: &str, question: &Value) -> Result<Value, ReadError> {
        let request = request(Method::POST, path, JSON, question.to_string())?;
        parse(&self.exchange(request).await.map_err(|(error, _)| error)?)
    }

    /// Whether the credentials may do something: `spec.resourceAttributes` of a SelfSubjectAccessReview.
    ///
    /// # Errors
    /// What the server said.
    pub async fn is_allowed(&self, attributes: &Value) -> Result<bool, ReadError> {
        let question = json!({
            "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": attributes},
        });
        let answer = self.review("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", &question).await?;
        Ok(answer.pointer("/status/allowed").and_then(Value::as_bool).unwrap_or(false))
    }
}

/// A connection that may write. It reads as [`Api`] does; an [`Api`] cannot write.
#[derive(Clone)]
pub struct ApiWriter(Api);

impl Deref for ApiWriter {
    type Target = Api;

    fn deref(&self) -> &Api {
        &self.0
    }
}

impl ApiWriter {
    /// Connects to a server that is to be changed. No request is sent yet.
    ///
    /// # Errors
    /// When the credentials or certificates of the kubeconfig cannot be used.
    pub fn connect(connection: &Connection, timeout: Duration) -> crate::error::Result<Self> {
        Api::connect(connection, timeout).map(Self)
    }

    /// Applies an object on the server. Sent again where the server was busy: it does the same twice.
    ///
    /// # Errors
    /// What the server said; its words may name fields and managers, and never values.
    pub async fn apply(&self, path: &ObjectPath, object: &Value, conflicts: Conflicts) -> Result<Value, ReadError> {
        let force = if conflicts == Conflicts::Force { "&force=true" } else { "" };
        let uri = format!("{path}?fieldManager={FIELD_MANAGER}&fieldValidation=Strict{force}");
        let body = self.patiently(Method::PATCH, &uri, APPLY, object.to_string()).await?;
        parse(&body)
    }

    /// Adds fields to an object that is at a version, and nobody has changed since.
    ///
    /// # Errors
    /// What the server said; 409 where it was changed.
    pub async fn add(&self, path: &ObjectPath, version: &str, fields: &Value) -> Result<Value, ReadError> {
        let mut patch = fields.clone();
        patch["metadata"]["resourceVersion"] = Value::String(version.to_owned());
        let uri = format!("{path}?fieldManager={FIELD_MANAGER}&fieldValidation=Strict");
        parse(&self.write(Method::PATCH, &uri, MERGE, patch.to_string()).await?)
    }

    /// Creates something that is not an object, such as a token. Never sent twice.
    ///
    /// # Errors
    /// What the server said.
    pub async fn create(&self, path: &str, object: &Value) -> Result<Value, ReadError> {
        parse(&self.write(Method::POST, path, JSON, object.to_string()).await?)
    }

    /// Deletes an object and what it owns. That it is gone already is as good.
    ///
    /// # Errors
    /// What the server said.
    pub async fn delete(&self, path: &ObjectPath) -> Result<(), ReadError> {
        let options = r#"{"propagationPolicy":"Background"}"#;
        match self.patiently(Method::DELETE, &path.0, JSON, options.to_owned()).await {
            Ok(_) | Err(ReadError::NotFound) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn patiently(
        &self,
        method: Method,
        uri: &str,
        content_type: &str,
        body: String,
    ) -> Result<bytes::Bytes, ReadError> {
        let mut pause = FIRST_PAUSE;
        for attempt in 1.. {
            match self.write(method.clone(), uri, content_type, body.clone()).await {
                Err(ReadError::Server { code: 429 | 500..=599, .. }) if attempt < ATTEMPTS => {
                    tokio::time::sleep(pause).await;
                    pause *= 2;
                }
                result => return result,
            }
        }
        unreachable!("the loop ends by returning")
    }

    async fn write(
        &self,
        method: Method,
        uri: &str,
        content_type: &str,
        body: String,
    ) -> Result<bytes::Bytes, ReadError> {
        let request = request(method, uri, content_type, body)?;
        self.exchange(request).await.map_err(|(error, _)| error)
    }
}

fn request(method: Method, uri: &str, content_type: &str, body: String) -> Result<Request<Body>, ReadError> {
    let builder = Request::builder().method(method).uri(uri).header(CONTENT_TYPE, content_type);
    builder.body(Body::from(body.into_bytes())).map_err(|error| ReadError::Malformed(error.to_string()))
}

fn parse(body: &[u8]) -> Result<Value, ReadError> {
    // An answer may hold a token, and an error of the parser might quote it.
    serde_json::from_slice(body).map_err(|_| ReadError::Malformed("it is no JSON".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_out_of_a_spec_leads_nowhere_else() {
        let mut name = ObjectName::secret("shop", "login");
        let path = |name: &ObjectName| ObjectPath::of(name).map(|path| path.to_string());
        assert_eq!(path(&name).as_deref(), Some("/api/v1/namespaces/shop/secrets/login"));
        name.namespace = Some("../kube-system".to_owned());
        name.name = "login?dryRun=All#".to_owned();
        let expected = "/api/v1/namespaces/..%2Fkube-system/secrets/login%3FdryRun%3DAll%23";
        assert_eq!(path(&name).as_deref(), Some(expected));
        name.kind = "Pod".to_owned();
        assert_eq!(path(&name), None, "what we never write has no path");
    }
}
