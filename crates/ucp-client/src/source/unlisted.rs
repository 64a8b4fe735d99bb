//! Kinds that definitions serve and that a server or the index of a snapshot does not list.

use std::fmt::Display;

use serde_json::Value;

use ucp_core::model::kind::ResourceKind;
use ucp_core::model::state::Unreadable;

/// The list of definitions.
const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";
/// The beginning of the reason for definitions that could not be listed.
const NOT_COMPARED: &str = "whether the server lists every kind is unknown";

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
    pub fn any(error: impl Display) -> Self {
        Self::possible(not_compared(error))
    }

    /// Creates the same entry for a user who may not list the definitions.
    pub(in crate::source) fn denied(error: impl Display) -> Self {
        Self { kind: PossibleKind::Denied, entry: not_compared(error) }
    }

    /// Creates an entry that may be about any kind.
    pub(in crate::source) fn possible(entry: Unreadable) -> Self {
        Self { kind: PossibleKind::Any, entry }
    }

    /// Creates the entry for a kind.
    pub(in crate::source) fn known(kind: ResourceKind, entry: Unreadable) -> Self {
        Self { kind: PossibleKind::Known(kind), entry }
    }

    /// Creates the entry for a kind that the index of a snapshot does not list.
    pub(in crate::source) fn of_snapshot(kind: ResourceKind) -> Self {
        let what = kind.qualified_plural();
        let reason = "the server does not list this kind, though it is defined".to_owned();
        Self::known(kind, Unreadable { what, reason })
    }

    /// Creates the entry for definitions that were not read for a snapshot, from the entry in its index: the list failed or was
    /// denied, and only what failed was reported for all kinds, too.
    pub(in crate::source) fn from_index(entries: &[Unreadable]) -> Option<Self> {
        let mut of_definitions = entries.iter().filter(|entry| entry.what == DEFINITIONS);
        let failed = of_definitions.clone().find(|entry| entry.reason.starts_with(NOT_COMPARED));
        match failed {
            Some(entry) => Some(Self::possible(entry.clone())),
            None => {
                let denied = of_definitions.next()?;
                Some(Self::denied(&denied.reason))
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

fn not_compared(reason: impl Display) -> Unreadable {
    Unreadable { what: DEFINITIONS.to_owned(), reason: format!("{NOT_COMPARED}: {reason}") }
}

/// Returns true if the server serves the kind of a definition.
pub(super) fn is_established(definition: &Value) -> bool {
    let conditions = definition.pointer("/status/conditions").and_then(Value::as_array);
    let text = |condition: &Value, field: &str| condition.get(field).and_then(Value::as_str).map(str::to_owned);
    conditions.into_iter().flatten().any(|condition| {
        text(condition, "type").as_deref() == Some("Established")
            && text(condition, "status").as_deref() == Some("True")
    })
}
