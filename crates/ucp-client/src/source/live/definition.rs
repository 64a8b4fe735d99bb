//! The definitions of kinds that discovery does not list: a server may omit a kind for a moment, and then looks like one
//! without it.

use std::sync::Arc;

use futures::StreamExt as _;
use serde_json::Value;

use super::api::{Api, JSON, OBJECT_METADATA, ReadError, parse};
use super::freshness::Freshness;
use super::limit::ResponseLimit;
use super::list::{ListScope, list};
use super::removal::{GROUP, PLURAL, definition_path, is_group_listed};
use crate::source::snapshot::kinds::defined;
pub use crate::source::unlisted::UnlistedKind;
use crate::source::unlisted::is_established;
use ucp_core::engine::ListedNames;
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::state::Unreadable;

/// The reason for a kind that is defined and established.
const UNLISTED: &str = "the server does not list this kind, though it is defined";
/// Definitions that are read one by one; if more kinds are not listed, discovery as a whole is incomplete.
const MOST_READ: usize = 200;
/// Limit for concurrent requests.
const CONCURRENT: usize = 8;

/// The meaning of a definition that the user may not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeniedDefinition {
    /// It is unknown whether the kind is defined: for what a command deletes, or creates because nothing else is there.
    Unknown,
    /// Discovery is trusted: the kind is not defined.
    Absent,
}

/// Returns an entry for each kind, as `plural.group`, that has a CustomResourceDefinition, or whose definition cannot be looked
/// up. Call it for kinds that discovery does not list.
pub async fn hidden_kinds(api: &Api, names: &[String], denied: DeniedDefinition) -> Vec<Unreadable> {
    let asked = names.iter().map(async |name| {
        let reason = match api.get(definition_path(name), OBJECT_METADATA, ResponseLimit::Object).await {
            Ok(_) => UNLISTED.to_owned(),
            Err(ReadError::NotFound) => return None,
            // A server without definitions.
            Err(ReadError::NotServed) if is_group_listed(api, GROUP).await == Ok(false) => return None,
            Err(ReadError::Denied { .. }) if denied == DeniedDefinition::Absent => return None,
            Err(error) => format!("the server does not list this kind, and whether it is defined is unknown: {error}"),
        };
        Some(Unreadable { what: name.clone(), reason })
    });
    futures::future::join_all(asked).await.into_iter().flatten().collect()
}

/// Returns the entry for definitions that could not be listed, so that every kind may be missing.
pub fn not_compared(error: &ReadError) -> UnlistedKind {
    match error {
        ReadError::Denied { .. } => UnlistedKind::denied(error),
        _ => UnlistedKind::any(error),
    }
}

/// Returns the kinds that a definition serves and that are not listed; if the definitions cannot be read, this may be any kind.
pub async fn possible_unlisted_kinds(api: &Api, listed: &ListedNames) -> Vec<UnlistedKind> {
    unlisted_kinds(api, listed).await.unwrap_or_else(|error| vec![not_compared(&error)])
}

/// Compares all CustomResourceDefinitions with discovery. Returns the kinds that a definition serves and that are not listed.
///
/// # Errors
/// Fails when the definitions cannot be listed.
pub async fn unlisted_kinds(api: &Api, listed: &ListedNames) -> Result<Vec<UnlistedKind>, ReadError> {
    let kind = ResourceKind { version: "v1".to_owned(), ..ResourceKind::guess(GROUP, "CustomResourceDefinition") };
    let freshness = Freshness::newest();
    let all = list(api, &Arc::new(kind), KindRequest::all(BodyShape::Metadata), ListScope::default(), &freshness).await;
    if let Some(error) = all.error {
        return Err(error);
    }
    // A server without definitions has none to compare with, and a list of none that is not served is not one.
    if !listed.has(&format!("{PLURAL}.{GROUP}")) {
        return Err(ReadError::NotFound);
    }
    let names = all.resources.iter().map(|definition| definition.metadata.name.clone());
    let mut missing: Vec<String> = names.filter(|name| !listed.has(name)).collect();
    let rest = missing.split_off(missing.len().min(MOST_READ));
    let mut unlisted: Vec<UnlistedKind> = futures::stream::iter(missing)
        .map(|name| unlisted_kind(api, name))
        .buffered(CONCURRENT)
        .filter_map(std::future::ready)
        .collect()
        .await;
    if !rest.is_empty() {
        let what = format!("{} more kinds", rest.len());
        unlisted.push(UnlistedKind::possible(Unreadable { what, reason: UNLISTED.to_owned() }));
    }
    Ok(unlisted)
}

async fn unlisted_kind(api: &Api, name: String) -> Option<UnlistedKind> {
    let read =
        api.get(definition_path(&name), JSON, ResponseLimit::Object).await.and_then(|body| parse::<Value>(&body));
    match read {
        // Nothing serves a kind before its definition is established, or without a served version.
        Ok(definition) if is_established(&definition) => {
            let entry = Unreadable { what: name, reason: UNLISTED.to_owned() };
            Some(UnlistedKind::known(defined(&definition)?, entry))
        }
        Ok(_) | Err(ReadError::NotFound) => None,
        Err(error) => {
            let reason = format!("the server does not list this kind, and its definition cannot be read: {error}");
            Some(UnlistedKind::possible(Unreadable { what: name, reason }))
        }
    }
}
