//! The definitions of kinds that discovery does not list: a server may omit a kind for a moment, and then looks like one
//! without it.

use super::api::{Api, ReadError};
use ucp_core::model::request_path::RequestPath;
use ucp_core::model::state::Unreadable;

/// The media types to accept for an object of which only the metadata is needed.
const METADATA: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

/// Returns an entry for each kind, as `plural.group`, that has a CustomResourceDefinition, or whose definition cannot be looked
/// up. Call it for kinds that discovery does not list. A user who may not read definitions trusts discovery.
pub async fn hidden_kinds(api: &Api, names: &[String]) -> Vec<Unreadable> {
    let asked = names.iter().map(async |name| {
        let kind = RequestPath::for_version("apiextensions.k8s.io", "v1").below("customresourcedefinitions");
        let reason = match api.get(kind.below(name), METADATA).await {
            Ok(_) => "the server does not list this kind, though it is defined".to_owned(),
            Err(ReadError::NotFound | ReadError::Denied { .. }) => return None,
            Err(error) => format!("the server does not list this kind, and whether it is defined is unknown: {error}"),
        };
        Some(Unreadable { what: name.clone(), reason })
    });
    futures::future::join_all(asked).await.into_iter().flatten().collect()
}
