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
    let version = RequestPath::for_version(&kind.group, &kind.version);
    let is_listed = match api.get(version, JSON, ResponseLimit::Small).await {
        Ok(body) => parse::<APIResourceList>(&body)?.resources.iter().any(|resource| resource.name == kind.plural),
        Err(ReadError::NotFound) => is_group_listed(api, &kind.group).await?,
        Err(error) => return Err(error),
    };
    if is_listed {
        return Ok(false);
    }
    match api.get(definition_path(&kind.qualified_plural()), OBJECT_METADATA, ResponseLimit::Object).await {
        Ok(_) => Ok(false),
        Err(ReadError::NotFound) => Ok(true),
        Err(error) => Err(error),
    }
}

async fn is_group_listed(api: &Api, group: &str) -> Result<bool, ReadError> {
    // The core group is always there.
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
