//! Answers to requests.

use std::time::Duration;

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::fields::FieldSelector;
use super::list::{self, ListQuery, ResponseForm};
use super::objects::{ServedCluster, ServedKind};
use super::openapi;
use super::path::{ApiPath, ObjectPath};
use super::review::answer_review;
use ucp_core::model::kind::ResourceScope;

/// A request for a path below the server's root.
#[derive(Debug, Clone, Copy)]
pub struct ApiRequest<'a> {
    /// The path.
    pub path: &'a str,
    /// The query, without a question mark.
    pub query: &'a str,
    /// The media types that the client accepts.
    pub accept: &'a str,
    /// The body of a `POST`; `None` for other methods.
    pub posted: Option<&'a [u8]>,
}

/// The answer to a request.
#[derive(Debug)]
pub struct ApiAnswer {
    /// The HTTP status.
    pub status: u16,
    /// What is missing from the body.
    pub warnings: Vec<String>,
    /// The body.
    pub body: ApiBody,
}

/// The body of an answer.
#[derive(Debug)]
pub enum ApiBody {
    /// A JSON document.
    Document(Value),
    /// Plain text.
    Text(&'static str),
    /// The events of a watch, which ends after a time.
    Watch(Vec<Value>, Duration),
}

impl ApiAnswer {
    fn document(document: Value) -> Self {
        Self { status: 200, warnings: Vec::new(), body: ApiBody::Document(document) }
    }

    /// Returns a `Status` of the API.
    pub fn failure(status: u16, reason: &str, message: &str) -> Self {
        let document = json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": message,
            "reason": reason,
            "code": status,
        });
        Self { status, warnings: Vec::new(), body: ApiBody::Document(document) }
    }

    fn not_found(message: &str) -> Self {
        Self::failure(404, "NotFound", message)
    }
}

const NO_PATH: &str = "the server could not find the requested resource";

impl ServedCluster {
    /// Answers a request.
    pub fn answer(&self, request: &ApiRequest<'_>) -> ApiAnswer {
        if let Some(body) = request.posted {
            let refused = || ApiAnswer::failure(405, "MethodNotAllowed", "a snapshot can only be read");
            return answer_review(body)
                .map_or_else(refused, |review| ApiAnswer { status: 201, ..ApiAnswer::document(review) });
        }
        let decoded = percent_decode_str(request.path).decode_utf8_lossy();
        let found = match ApiPath::parse(&decoded) {
            Some(ApiPath::Version) => Some(self.version()),
            Some(ApiPath::Health) => {
                return ApiAnswer { body: ApiBody::Text("ok"), ..ApiAnswer::document(Value::Null) };
            }
            Some(ApiPath::CoreVersions) => Some(self.core_versions()),
            Some(ApiPath::Groups) => Some(self.group_list()),
            Some(ApiPath::Group(group)) => self.group(group),
            Some(ApiPath::GroupVersion(group, version)) => self.resource_list(group, version),
            Some(ApiPath::OpenApiIndex) => Some(openapi::index(self)),
            Some(ApiPath::OpenApi(group, version)) => openapi::document(self, group, version),
            Some(ApiPath::Objects(path)) => {
                return self.objects(&path, request).unwrap_or_else(|failure| failure);
            }
            None => None,
        };
        found.map_or_else(|| ApiAnswer::not_found(NO_PATH), ApiAnswer::document)
    }

    fn version(&self) -> Value {
        let mut numbers = self.server_version.trim_start_matches('v').split('.');
        let (major, minor) = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
        json!({"major": major, "minor": minor, "gitVersion": self.server_version, "platform": "snapshot"})
    }

    fn objects(&self, path: &ObjectPath<'_>, request: &ApiRequest<'_>) -> Result<ApiAnswer, ApiAnswer> {
        let key = (path.group.to_owned(), path.version.to_owned(), path.plural.to_owned());
        let served = self.kinds.get(&key).ok_or_else(|| ApiAnswer::not_found(NO_PATH))?;
        let is_namespaced = served.kind.scope == ResourceScope::Namespaced;
        if path.namespace.is_some() && !is_namespaced {
            return Err(ApiAnswer::not_found(NO_PATH));
        }
        self.require_read(served, path)?;
        let form = ResponseForm::from_accept(request.accept).ok_or_else(|| {
            ApiAnswer::failure(406, "NotAcceptable", "only application/json is served, also as a Table")
        })?;
        let query =
            ListQuery::parse(request.query).map_err(|reason| ApiAnswer::failure(400, "BadRequest", reason.as_str()))?;
        match path.name {
            Some(name) => self.object(served, path, name, form, &query).map(ApiAnswer::document),
            None => self.list(served, path, form, &query),
        }
        .map(|answer| ApiAnswer { warnings: served.missing.clone(), ..answer })
    }

    /// Refuses what was not read, which is not the same as what does not exist.
    fn require_read(&self, served: &ServedKind, path: &ObjectPath<'_>) -> Result<(), ApiAnswer> {
        let what = served.kind.qualified_plural();
        if let Some(reason) = &served.unreadable {
            let message = format!("{what} is not in the snapshot: {reason}");
            return Err(ApiAnswer::failure(403, "Forbidden", &message));
        }
        match &self.namespace {
            Some(only) if served.kind.scope == ResourceScope::Namespaced && path.namespace != Some(only) => {
                let message = format!("{what}: the snapshot was taken of namespace {only} alone");
                Err(ApiAnswer::failure(403, "Forbidden", &message))
            }
            _ => Ok(()),
        }
    }

    fn object(
        &self,
        served: &ServedKind,
        path: &ObjectPath<'_>,
        name: &str,
        form: ResponseForm,
        query: &ListQuery,
    ) -> Result<Value, ApiAnswer> {
        let what = served.kind.qualified_plural();
        if let Some(subresource) = path.subresource.filter(|subresource| *subresource != "status") {
            return Err(ApiAnswer::not_found(&format!("the snapshot has no {subresource} of {what}")));
        }
        let found = served.objects.iter().find(|object| {
            let text = |field: &str| object.pointer(field).and_then(Value::as_str);
            text("/metadata/name") == Some(name) && text("/metadata/namespace") == path.namespace
        });
        let object = found.ok_or_else(|| {
            let mut answer = ApiAnswer::not_found(&format!("{what} \"{name}\" not found"));
            if let ApiBody::Document(document) = &mut answer.body {
                document["details"] = json!({"name": name, "group": path.group, "kind": path.plural});
            }
            answer
        })?;
        Ok(list::single(served, object, form, query, self.moment))
    }

    fn list(
        &self,
        served: &ServedKind,
        path: &ObjectPath<'_>,
        form: ResponseForm,
        query: &ListQuery,
    ) -> Result<ApiAnswer, ApiAnswer> {
        let none = Vec::new();
        let selectable = served.custom.as_ref().map_or(&none, |custom| &custom.selectable);
        let fields = FieldSelector::parse(query.field_selector(), path, selectable)
            .map_err(|reason| ApiAnswer::failure(400, "BadRequest", reason.as_str()))?;
        let selected = served
            .objects
            .iter()
            .filter(|object| {
                let namespace = object.pointer("/metadata/namespace").and_then(Value::as_str);
                path.namespace.is_none() || namespace == path.namespace
            })
            .filter(|object| query.selects(object) && fields.matches(object))
            .collect::<Vec<_>>();
        if query.is_watch() {
            let events = list::events(served, &selected, form, query, self.moment);
            return Ok(ApiAnswer {
                body: ApiBody::Watch(events, query.watch_time()),
                ..ApiAnswer::document(Value::Null)
            });
        }
        list::list(served, &selected, form, query, self.moment)
            .map(ApiAnswer::document)
            .map_err(|reason| ApiAnswer::failure(400, "BadRequest", reason.as_str()))
    }
}
