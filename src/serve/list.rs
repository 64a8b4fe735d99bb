//! Lists and watches: which objects, and in which form.

use std::time::Duration;

use jiff::Timestamp;
use percent_encoding::percent_decode_str;
use serde::Deserialize as _;
use serde_json::{Value, json};

use super::objects::ServedKind;
use super::table::{RowObject, metadata_only, table};
use ucp_core::failure::Failure;
use ucp_core::model::metadata::Metadata;
use ucp_core::model::selector::LabelSelector;

/// The form of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResponseForm {
    Objects,
    Metadata,
    Table,
}

impl ResponseForm {
    /// Returns the form of the first media type that can be served; `None` if there is none.
    pub(super) fn from_accept(accept: &str) -> Option<Self> {
        if accept.trim().is_empty() {
            return Some(Self::Objects);
        }
        accept.split(',').find_map(|media_type| {
            let mut parts = media_type.split(';').map(str::trim);
            if !matches!(parts.next()?, "application/json" | "application/*" | "*/*") {
                return None;
            }
            match parts.find_map(|parameter| parameter.strip_prefix("as=")) {
                None => Some(Self::Objects),
                Some("Table") => Some(Self::Table),
                Some("PartialObjectMetadata" | "PartialObjectMetadataList") => Some(Self::Metadata),
                Some(_) => None,
            }
        })
    }
}

/// The parameters of a request.
#[derive(Debug, Default)]
pub(super) struct ListQuery {
    parameters: Vec<(String, String)>,
    labels: LabelSelector,
}

impl ListQuery {
    /// Parses a query.
    ///
    /// # Errors
    /// Returns the reason why the label selector is invalid.
    pub(super) fn parse(query: &str) -> Result<Self, Failure> {
        let decode = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
        let pair = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (decode(name), decode(value))
        };
        let parameters: Vec<_> = query.split('&').filter(|part| !part.is_empty()).map(pair).collect();
        let mut query = Self { parameters, labels: LabelSelector::default() };
        query.labels = query.value("labelSelector").unwrap_or_default().parse()?;
        Ok(query)
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn is_set(&self, name: &str) -> bool {
        matches!(self.value(name), Some("true" | "1"))
    }

    pub(super) fn field_selector(&self) -> &str {
        self.value("fieldSelector").unwrap_or_default()
    }

    pub(super) fn selects(&self, object: &Value) -> bool {
        if self.labels.is_empty() {
            return true;
        }
        let metadata = object.get("metadata").and_then(|metadata| Metadata::deserialize(metadata).ok());
        metadata.is_some_and(|metadata| self.labels.matches(&metadata))
    }

    pub(super) fn is_watch(&self) -> bool {
        self.is_set("watch")
    }

    /// Returns the time for which a watch stays open. Clients that come back when it ends give one.
    pub(super) fn watch_time(&self) -> Duration {
        Duration::from_secs(self.value("timeoutSeconds").and_then(|seconds| seconds.parse().ok()).unwrap_or_default())
    }

    fn row_object(&self) -> RowObject {
        RowObject::from_query(self.value("includeObject"))
    }
}

/// Returns the list of the selected objects, or the part of it that was requested.
///
/// # Errors
/// Returns the reason when `continue` is no token of this server.
pub(super) fn list(
    served: &ServedKind,
    selected: &[&Value],
    form: ResponseForm,
    query: &ListQuery,
    now: Timestamp,
) -> Result<Value, Failure> {
    let limit = query.value("limit").and_then(|limit| limit.parse().ok()).filter(|limit| *limit > 0);
    let start: usize = match query.value("continue").filter(|token| !token.is_empty()) {
        Some(token) => token.parse().map_err(|_| "continue key is not valid")?,
        None => 0,
    };
    let rest = selected.get(start..).unwrap_or_default();
    let page = &rest[..limit.unwrap_or(usize::MAX).min(rest.len())];
    let mut metadata = json!({"resourceVersion": revision(now)});
    let left = rest.len() - page.len();
    if left > 0 {
        metadata["continue"] = json!((start + page.len()).to_string());
        metadata["remainingItemCount"] = json!(left);
    }
    let kind = &served.kind;
    Ok(match form {
        ResponseForm::Table => table(served, page, now, query.row_object(), metadata),
        ResponseForm::Metadata => json!({
            "kind": "PartialObjectMetadataList",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": metadata,
            "items": page.iter().map(|object| metadata_only(object)).collect::<Vec<_>>(),
        }),
        ResponseForm::Objects => json!({
            "kind": format!("{}List", kind.kind),
            "apiVersion": kind.api_version(),
            "metadata": metadata,
            "items": page,
        }),
    })
}

/// Returns one object in a form.
pub(super) fn single(
    served: &ServedKind,
    object: &Value,
    form: ResponseForm,
    query: &ListQuery,
    now: Timestamp,
) -> Value {
    match form {
        ResponseForm::Objects => object.clone(),
        ResponseForm::Metadata => metadata_only(object),
        ResponseForm::Table => {
            let revision = object.pointer("/metadata/resourceVersion").cloned().unwrap_or_default();
            table(served, &[object], now, query.row_object(), json!({"resourceVersion": revision}))
        }
    }
}

/// Returns the events of a watch: the objects, unless the client has them.
pub(super) fn events(
    served: &ServedKind,
    selected: &[&Value],
    form: ResponseForm,
    query: &ListQuery,
    now: Timestamp,
) -> Vec<Value> {
    let is_initial = query.is_set("sendInitialEvents");
    let knows_them = !matches!(query.value("resourceVersion"), None | Some("" | "0"));
    let mut events = Vec::new();
    if is_initial || !knows_them {
        let added = |object: &&Value| json!({"type": "ADDED", "object": single(served, object, form, query, now)});
        events.extend(selected.iter().map(added));
    }
    if is_initial {
        let (kind, version) = match form {
            ResponseForm::Objects => (served.kind.kind.clone(), served.kind.api_version()),
            ResponseForm::Metadata => ("PartialObjectMetadata".to_owned(), "meta.k8s.io/v1".to_owned()),
            ResponseForm::Table => ("Table".to_owned(), "meta.k8s.io/v1".to_owned()),
        };
        let metadata = json!({
            "resourceVersion": revision(now),
            "annotations": {"k8s.io/initial-events-end": "true"},
        });
        events.push(json!({"type": "BOOKMARK", "object": {"kind": kind, "apiVersion": version, "metadata": metadata}}));
    }
    events
}

/// Returns the revision of all lists: nothing changes.
fn revision(now: Timestamp) -> String {
    now.as_second().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_supported_form_of_the_accept_header_is_served() {
        const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
        for (accept, form) in [
            ("", Some(ResponseForm::Objects)),
            ("*/*", Some(ResponseForm::Objects)),
            (TABLE, Some(ResponseForm::Table)),
            ("application/vnd.kubernetes.protobuf,application/json", Some(ResponseForm::Objects)),
            (
                "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json",
                Some(ResponseForm::Objects),
            ),
            ("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", Some(ResponseForm::Metadata)),
            ("application/vnd.kubernetes.protobuf", None),
        ] {
            assert_eq!(ResponseForm::from_accept(accept), form, "{accept}");
        }
    }
}
