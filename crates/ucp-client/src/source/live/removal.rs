//! Tells a kind that was removed after discovery from one that a server does not answer for at the moment.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIGroupList, APIResourceList};

use super::api::{Api, JSON, OBJECT_METADATA, ReadError, parse};
use super::limit::ResponseLimit;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::request_path::RequestPath;

/// API group of definitions of kinds.
pub(super) const GROUP: &str = "apiextensions.k8s.io";
/// Plural of definitions of kinds.
pub(super) const PLURAL: &str = "customresourcedefinitions";

/// Returns true if a kind, whose list answered 404, was removed: neither its version nor its definition names it any more.
/// A replica of the API server that starts or is behind, and a gateway, answer 404 as well.
///
/// # Errors
/// Fails when that cannot be read.
pub(crate) async fn is_removed(api: &Api, kind: &ResourceKind) -> Result<bool, ReadError> {
    is_unserved(api, (&kind.group, &kind.version, &kind.plural)).await
}

/// Returns true if the server serves no objects at a path, which answered 404, by the same evidence.
///
/// # Errors
/// Fails when that cannot be read.
pub(super) async fn is_path_unserved(api: &Api, path: &RequestPath) -> Result<bool, ReadError> {
    let path = path.to_string();
    let segments: Vec<&str> = path.split('?').next().unwrap_or_default().trim_start_matches('/').split('/').collect();
    let (group, version, rest) = match segments.as_slice() {
        ["api", version, rest @ ..] => ("", *version, rest),
        ["apis", group, version, rest @ ..] => (*group, *version, rest),
        _ => return Ok(false),
    };
    let plural = match rest {
        ["namespaces", _, plural, ..] | [plural, ..] => *plural,
        [] => return Ok(false),
    };
    is_unserved(api, (group, version, plural)).await
}

async fn is_unserved(api: &Api, (group, version, plural): (&str, &str, &str)) -> Result<bool, ReadError> {
    let is_listed = match api.get(RequestPath::for_version(group, version), JSON, ResponseLimit::Small).await {
        Ok(body) => parse::<APIResourceList>(&body)?.resources.iter().any(|resource| resource.name == plural),
        Err(ReadError::NotServed) => is_group_listed(api, group).await?,
        Err(error) => return Err(error),
    };
    if is_listed {
        return Ok(false);
    }
    match api.get(definition_path(&format!("{plural}.{group}")), OBJECT_METADATA, ResponseLimit::Object).await {
        Ok(_) => Ok(false),
        Err(ReadError::NotFound) => Ok(true),
        // A server without definitions.
        Err(ReadError::NotServed) => is_group_listed(api, GROUP).await.map(|is_listed| !is_listed),
        Err(error) => Err(error),
    }
}

/// Returns true if the server lists a group; the core group is always there.
pub(super) async fn is_group_listed(api: &Api, group: &str) -> Result<bool, ReadError> {
    if group.is_empty() {
        return Ok(true);
    }
    let body = api.get("/apis", JSON, ResponseLimit::Discovery).await?;
    Ok(parse::<APIGroupList>(&body)?.groups.iter().any(|listed| listed.name == group))
}

/// Returns the path of the definition of a kind: `plural.group`.
pub(super) fn definition_path(name: &str) -> RequestPath {
    RequestPath::for_version(GROUP, "v1").below(PLURAL).below(name)
}
