//! Fields of checked objects that were not compared, counted for each kind.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use ucp_core::model::path::{FieldPath, FieldPattern};
use ucp_core::model::resource::Resource;
use ucp_core::model::uncompared::UncomparedFields;

/// Why fields were not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum UncomparedReason {
    /// They are declared, and the provider or engine does not report them.
    NotObserved,
    /// They are observed in a map of tags that is declared without them.
    NotDeclared,
}

/// The fields that were not compared, and the number of their objects, for each reason and kind.
#[derive(Debug, Clone, Default)]
pub struct UncomparedCounts(pub BTreeMap<(UncomparedReason, String), (usize, BTreeSet<FieldPath>)>);

impl UncomparedCounts {
    /// Counts one object.
    pub(super) fn count(&mut self, resource: &Resource, fields: &UncomparedFields) {
        for (reason, paths) in [
            (UncomparedReason::NotObserved, &fields.not_observed),
            (UncomparedReason::NotDeclared, &fields.not_declared),
        ] {
            if !paths.is_empty() {
                let (objects, known) = self.0.entry((reason, resource.kind.qualified_plural())).or_default();
                *objects += 1;
                known.extend(paths.iter().cloned());
            }
        }
    }

    /// Adds the counts of another comparison.
    pub(super) fn extend(&mut self, other: Self) {
        for (kind, (objects, paths)) in other.0 {
            let (number, known) = self.0.entry(kind).or_default();
            *number += objects;
            known.extend(paths);
        }
    }

    /// Removes ignored fields.
    pub(super) fn ignore_paths(&mut self, ignored: &[FieldPattern]) {
        self.0.retain(|_, (_, paths)| {
            paths.retain(|path| !ignored.iter().any(|pattern| pattern.covers(path)));
            !paths.is_empty()
        });
    }
}
