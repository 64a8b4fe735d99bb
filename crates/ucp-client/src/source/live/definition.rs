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

/// A kind that a CustomResourceDefinition defines and that discovery does not list.
#[derive(Debug, Clone)]
pub struct UnlistedKind {
    kind: PossibleKind,
    entry: Unreadable,
}

/// The kinds that an entry may be about.
#[derive(Debug, Clone)]
enum PossibleKind {
    Known(ResourceKind),
    /// The definition could not be read, or not all of them.
    Any,
    /// The user may not read the definitions.
    Denied,
}

impl UnlistedKind {
    /// Creates the entry for definitions that could not be listed, so that every kind may be missing.
    pub fn any(error: &ReadError) -> Self {
        let is_denied = matches!(error, ReadError::Denied { .. });
        let reason = format!("whether the server lists every kind is unknown: {error}");
        Self {
            kind: if is_denied { PossibleKind::Denied } else { PossibleKind::Any },
            entry: Unreadable { what: format!("{PLURAL}.{GROUP}"), reason },
        }
    }

    /// Returns the entry if the kind is wanted, or may be; `None` if the user may not read the definitions.
    pub fn entry_if(&self, is_wanted: impl Fn(&ResourceKind) -> bool) -> Option<&Unreadable> {
        let is_meant = match &self.kind {
            PossibleKind::Known(kind) => is_wanted(kind),
            PossibleKind::Any => true,
            PossibleKind::Denied => false,
        };
        is_meant.then_some(&self.entry)
    }

    /// Returns the entry.
    pub fn into_entry(self) -> Unreadable {
        self.entry
    }

    /// Returns the entry if the user may not read the definitions, so that nothing was compared.
    pub fn denied_entry(&self) -> Option<&Unreadable> {
        matches!(self.kind, PossibleKind::Denied).then_some(&self.entry)
    }
}

/// Returns the kinds that a definition serves and that are not listed; if the definitions cannot be read, this may be any kind.
pub async fn possible_unlisted_kinds(api: &Api, listed: &ListedNames) -> Vec<UnlistedKind> {
    unlisted_kinds(api, listed).await.unwrap_or_else(|error| vec![UnlistedKind::any(&error)])
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
        unlisted
            .push(UnlistedKind { kind: PossibleKind::Any, entry: Unreadable { what, reason: UNLISTED.to_owned() } });
    }
    Ok(unlisted)
}

async fn unlisted_kind(api: &Api, name: String) -> Option<UnlistedKind> {
    let read =
        api.get(definition_path(&name), JSON, ResponseLimit::Object).await.and_then(|body| parse::<Value>(&body));
    let (kind, reason) = match read {
        // Nothing serves a kind before its definition is established, or without a served version.
        Ok(definition) if is_established(&definition) => {
            (PossibleKind::Known(defined(&definition)?), UNLISTED.to_owned())
        }
        Ok(_) | Err(ReadError::NotFound) => return None,
        Err(error) => {
            let reason = format!("the server does not list this kind, and its definition cannot be read: {error}");
            (PossibleKind::Any, reason)
        }
    };
    Some(UnlistedKind { kind, entry: Unreadable { what: name, reason } })
}

fn is_established(definition: &Value) -> bool {
    let conditions = definition.pointer("/status/conditions").and_then(Value::as_array);
    let text = |condition: &Value, field: &str| condition.get(field).and_then(Value::as_str).map(str::to_owned);
    conditions.into_iter().flatten().any(|condition| {
        text(condition, "type").as_deref() == Some("Established")
            && text(condition, "status").as_deref() == Some("True")
    })
}
