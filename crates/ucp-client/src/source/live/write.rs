//! Requests to an API server that write: server-side apply as `kubectl-ucp`, creation, and deletion.

use std::fmt;
use std::ops::Deref;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Method, Request, StatusCode};
use kube::client::Body;
use serde_json::{Value, json};

use super::api::{self, Api, JSON, OBJECT_METADATA, ReadError};
use super::limit::ResponseLimit;
use super::removal::is_path_unserved;
use super::response::BufferedResponse;
use crate::source::kubeconfig::Connection;
use ucp_core::model::apply::{ConflictPolicy, FIELD_MANAGER};
use ucp_core::model::kind::{ResourceKind, ResourceScope};
use ucp_core::model::object::ObjectName;
use ucp_core::model::request_path::RequestPath;
use ucp_core::model::secrecy::register_secrets_of;
use ucp_core::model::uid::Uid;
use ucp_core::model::weight;

const RBAC: &str = "rbac.authorization.k8s.io";
const APPLY: &str = "application/apply-patch+yaml";
const MERGE: &str = "application/merge-patch+json";
/// Attempts for an idempotent write.
const ATTEMPTS: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_millis(300);

/// Path of one object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectPath(RequestPath);

impl ObjectPath {
    /// The path of an object of a discovered kind.
    pub fn at(kind: &ResourceKind, namespace: Option<&str>, name: &str) -> Self {
        let namespace = namespace.filter(|_| kind.scope == ResourceScope::Namespaced);
        Self(kind.path(namespace).below(name))
    }

    /// The path of the object's status subresource.
    #[must_use]
    pub fn status(self) -> Self {
        Self(self.0.below("status"))
    }

    /// The path for requests.
    pub fn request(&self) -> &RequestPath {
        &self.0
    }

    /// The path of a CustomResourceDefinition.
    pub fn of_definition(name: &str) -> Self {
        Self(RequestPath::from("/apis/apiextensions.k8s.io/v1/customresourcedefinitions").below(name))
    }

    /// The path of an object; `None` for kinds that kubectl ucp never writes.
    pub fn from_object_name(name: &ObjectName) -> Option<Self> {
        let (group, plural) = match name.kind.as_str() {
            "Secret" => ("", "secrets"),
            "ConfigMap" => ("", "configmaps"),
            "Namespace" => ("", "namespaces"),
            "ServiceAccount" => ("", "serviceaccounts"),
            "ClusterRole" => (RBAC, "clusterroles"),
            "ClusterRoleBinding" => (RBAC, "clusterrolebindings"),
            "Role" => (RBAC, "roles"),
            "RoleBinding" => (RBAC, "rolebindings"),
            _ => return None,
        };
        let version = RequestPath::for_version(group, "v1");
        let collection = match &name.namespace {
            Some(namespace) => version.below("namespaces").below(namespace).below(plural),
            None => version.below(plural),
        };
        (name.group() == group).then(|| Self(collection.below(&name.name)))
    }
}

impl fmt::Display for ObjectPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Without its namespace, an object does not exist either.
fn without_namespace<T>(error: ReadError) -> Result<Option<T>, ReadError> {
    match error {
        ReadError::Rejected { code: 404, .. } => Ok(None),
        error => Err(error),
    }
}

impl Api {
    /// Fetches an object; `None` if it does not exist.
    ///
    /// # Errors
    /// Returns the server's error.
    pub async fn find(&self, path: &ObjectPath) -> Result<Option<Value>, ReadError> {
        let Some(body) = self.find_body(path, JSON).await? else { return Ok(None) };
        parse(&body).map(Some).inspect(|object| object.iter().for_each(register_secrets_of))
    }

    /// Fetches an object, as [`Api::find`] does; `None` if its namespace does not exist, too.
    ///
    /// # Errors
    /// Returns the server's error.
    pub async fn read_object(&self, path: &ObjectPath) -> Result<Option<Value>, ReadError> {
        self.find(path).await.or_else(without_namespace)
    }

    /// Fetches the UID of an object, without its contents; `None` if it or its namespace does not exist.
    ///
    /// # Errors
    /// Returns the server's error.
    pub async fn find_uid(&self, path: &ObjectPath) -> Result<Option<Uid>, ReadError> {
        let Some(body) = self.find_body(path, OBJECT_METADATA).await.or_else(without_namespace)? else {
            return Ok(None);
        };
        let object = parse(&body)?;
        match object.pointer("/metadata/uid").and_then(Value::as_str) {
            Some(uid) => Ok(Some(uid.into())),
            None => Err(ReadError::Malformed("the answer is not an object".to_owned())),
        }
    }

    async fn find_body(&self, path: &ObjectPath, accept: &str) -> Result<Option<Bytes>, ReadError> {
        match self.get(path.request(), accept, ResponseLimit::Object).await {
            Ok(body) => Ok(Some(body)),
            Err(ReadError::NotFound) => Ok(None),
            Err(ReadError::NotServed) if is_path_unserved(self, path.request()).await? => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Sends a review, such as a SelfSubjectAccessReview, which stores nothing.
    ///
    /// # Errors
    /// Returns the server's error.
    pub async fn review(&self, path: &'static str, question: &Value) -> Result<Value, ReadError> {
        let request = request(Method::POST, &path.into(), JSON, question.to_string())?;
        parse(&self.exchange(request, ResponseLimit::Small).await.map_err(|(error, _)| error)?)
    }

    /// Returns true if the credential has a right: `spec.resourceAttributes` of a SelfSubjectAccessReview.
    ///
    /// # Errors
    /// Returns the server's error.
    pub async fn is_allowed(&self, attributes: &Value) -> Result<bool, ReadError> {
        let question = json!({
            "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": attributes},
        });
        let answer = self.review("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", &question).await?;
        Ok(answer.pointer("/status/allowed").and_then(Value::as_bool).unwrap_or(false))
    }
}

/// A connection that may write. It reads as [`Api`] does, which cannot write.
#[derive(Clone)]
pub struct ApiWriter(Api);

impl Deref for ApiWriter {
    type Target = Api;

    fn deref(&self) -> &Api {
        &self.0
    }
}

impl ApiWriter {
    /// Connects to a server for writing. No request is sent yet.
    ///
    /// # Errors
    /// Fails when the credentials or certificates of the kubeconfig cannot be used.
    pub fn connect(connection: &Connection, timeout: Duration) -> ucp_core::error::Result<Self> {
        Api::connect(connection, timeout).map(Self)
    }

    /// Returns the same connection for many requests. If the server stops responding, the remaining ones fail at once.
    pub fn for_many(&self) -> Self {
        Self(self.0.for_many())
    }

    /// Writes an object with server-side apply. Retried while the server is busy, since it is idempotent.
    ///
    /// # Errors
    /// Returns the server's error; its message may name fields and managers, and never values.
    pub async fn apply(
        &self,
        path: &ObjectPath,
        object: &Value,
        conflicts: ConflictPolicy,
    ) -> Result<Value, ReadError> {
        Ok(self.apply_with_effect(path, object, conflicts).await?.0)
    }

    /// Writes an object as [`Self::apply`] does, and also returns its effect on the object.
    ///
    /// # Errors
    /// The same as of [`Self::apply`].
    pub async fn apply_with_effect(
        &self,
        path: &ObjectPath,
        object: &Value,
        conflicts: ConflictPolicy,
    ) -> Result<(Value, WriteEffect), ReadError> {
        let force = (conflicts == ConflictPolicy::Force).then_some("true");
        let uri = strict_path(path).with_optional_query("force", force);
        let answer = self.write_with_retries(Method::PATCH, &uri, APPLY, object.to_string()).await?;
        let written =
            if answer.status == Some(StatusCode::CREATED) { WriteEffect::Created } else { WriteEffect::Updated };
        Ok((parse(&answer.bytes)?, written))
    }

    /// Adds fields to an object with a merge patch, if it still has this resource version.
    ///
    /// # Errors
    /// Returns the server's error; 409 if it was changed.
    pub async fn add(&self, path: &ObjectPath, version: &str, fields: &Value) -> Result<Value, ReadError> {
        let mut patch = fields.clone();
        patch["metadata"]["resourceVersion"] = Value::String(version.to_owned());
        parse(&self.write(Method::PATCH, &strict_path(path), MERGE, patch.to_string()).await?.bytes)
    }

    /// Creates an object. Never retried, since an existing object could be that of another client.
    ///
    /// # Errors
    /// Returns the server's error; 409 if an object of this name exists.
    pub async fn create_new(&self, path: &ObjectPath, object: &Value) -> Result<Value, ReadError> {
        let collection = ObjectPath(path.0.parent());
        parse(&self.write(Method::POST, &strict_path(&collection), JSON, object.to_string()).await?.bytes)
    }

    /// Creates something that is not an object, such as a token. Never retried.
    ///
    /// # Errors
    /// Returns the server's error.
    pub async fn create(&self, path: &RequestPath, object: &Value) -> Result<Value, ReadError> {
        parse(&self.write(Method::POST, path, JSON, object.to_string()).await?.bytes)
    }

    /// Deletes an object with these `DeleteOptions`. Succeeds if it does not exist any more.
    pub(super) async fn delete_with(&self, path: &ObjectPath, options: String) -> Result<(), ReadError> {
        match self.write_with_retries(Method::DELETE, &path.0, JSON, options).await {
            Ok(_) | Err(ReadError::NotFound) => Ok(()),
            Err(ReadError::NotServed) if is_path_unserved(self, path.request()).await? => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn write_with_retries(
        &self,
        method: Method,
        uri: &RequestPath,
        content_type: &str,
        body: String,
    ) -> Result<BufferedResponse, ReadError> {
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
        uri: &RequestPath,
        content_type: &str,
        body: String,
    ) -> Result<BufferedResponse, ReadError> {
        let request = request(method, uri, content_type, body)?;
        let mut answer = BufferedResponse::within(ResponseLimit::Object);
        self.exchange_into(request, &mut answer).await.map_err(|(error, _)| error)?;
        Ok(answer)
    }
}

/// The effect of a write on an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteEffect {
    /// The object was created: 201.
    Created,
    /// The object existed.
    Updated,
}

fn request(method: Method, uri: &RequestPath, content_type: &str, body: String) -> Result<Request<Body>, ReadError> {
    let builder = Request::builder().method(method).uri(api::uri(uri)?).header(CONTENT_TYPE, content_type);
    builder.body(Body::from(body.into_bytes())).map_err(|error| ReadError::Malformed(error.to_string()))
}

/// The request path of a write that fails on unknown fields.
fn strict_path(path: &ObjectPath) -> RequestPath {
    path.0.clone().with_query("fieldManager", FIELD_MANAGER).with_query("fieldValidation", "Strict")
}

fn parse(body: &[u8]) -> Result<Value, ReadError> {
    // The parser's error is left out, since the response may contain a token and the error could quote it.
    weight::from_json(body).map_err(|_| ReadError::Malformed("it is not valid JSON".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_a_spec_cannot_change_the_request_path() {
        let mut name = ObjectName::secret("shop", "login");
        let path = |name: &ObjectName| ObjectPath::from_object_name(name).map(|path| path.to_string());
        assert_eq!(path(&name).as_deref(), Some("/api/v1/namespaces/shop/secrets/login"));
        name.namespace = Some("../kube-system".to_owned());
        name.name = "login?dryRun=All#".to_owned();
        let refused = ObjectPath::from_object_name(&name).and_then(|path| path.request().uri().err());
        assert!(refused.is_some(), "a server decodes a path before it splits it");
        name.namespace = Some("shop".to_owned());
        assert_eq!(path(&name).as_deref(), Some("/api/v1/namespaces/shop/secrets/login%3FdryRun%3DAll%23"));
        name.api_version = "v1/namespaces/kube-system/services/x/proxy?a=".to_owned();
        assert_eq!(path(&name), None, "the version is not one of ours");
        name.kind = "Pod".to_owned();
        assert_eq!(path(&name), None, "a kind that is never written has no path");
    }
}
