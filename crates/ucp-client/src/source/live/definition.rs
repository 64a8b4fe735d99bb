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

/// The beginning of the reason for definitions that could not be listed.
const NOT_COMPARED: &str = "whether the server lists every kind is unknown";
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
        let kind = if is_denied { PossibleKind::Denied } else { PossibleKind::Any };
        Self { kind, entry: not_compared(error) }
    }

    /// Creates the entry for a kind that the index of a snapshot does not list.
    pub(in crate::source) fn of_snapshot(kind: ResourceKind) -> Self {
        let what = kind.qualified_plural();
        let reason = "the index of the snapshot does not list this kind, though it is defined".to_owned();
        Self { kind: PossibleKind::Known(kind), entry: Unreadable { what, reason } }
    }

    /// Creates the entry for a snapshot whose index does not list the definitions, or counts more than are in its files.
    pub(in crate::source) fn any_of_snapshot(reason: &str) -> Self {
        Self { kind: PossibleKind::Any, entry: not_compared(reason) }
    }

    /// Creates the entry for definitions that were not read for a snapshot, from the entry in its index: the list failed or was
    /// denied, and only what failed was reported for all kinds, too.
    pub(in crate::source) fn from_index(entries: &[Unreadable]) -> Option<Self> {
        let what = format!("{PLURAL}.{GROUP}");
        let mut of_definitions = entries.iter().filter(|entry| entry.what == what);
        let failed = of_definitions.clone().find(|entry| entry.reason.starts_with(NOT_COMPARED));
        match failed {
            Some(entry) => Some(Self { kind: PossibleKind::Any, entry: entry.clone() }),
            None => {
                let denied = of_definitions.next()?;
                Some(Self { kind: PossibleKind::Denied, entry: not_compared(&denied.reason) })
            }
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

fn not_compared(reason: impl std::fmt::Display) -> Unreadable {
    Unreadable { what: format!("{PLURAL}.{GROUP}"), reason: format!("{NOT_COMPARED}: {reason}") }
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

/// Returns true if the server serves the kind of a definition.
pub(in crate::source) fn is_established(definition: &Value) -> bool {
    let conditions = definition.pointer("/status/conditions").and_then(Value::as_array);
    let text = |condition: &Value, field: &str| condition.get(field).and_then(Value::as_str).map(str::to_owned);
    conditions.into_iter().flatten().any(|condition| {
        text(condition, "type").as_deref() == Some("Established")
            && text(condition, "status").as_deref() == Some("True")
    })
}
