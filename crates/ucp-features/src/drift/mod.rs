//! Differences between declared, live and external state, in three layers. Each layer is a module without side effects.
//!
//! A layer reports the number of checked objects, and those that it could not check: "could not check" is never "no
//! drift".

mod correction;
pub mod external;
pub mod fight;
pub mod gitops;
mod inventory;
pub mod markers;
pub mod orphans;
pub mod repository;
mod system;
pub mod uncompared;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use ucp_core::engine::code::Code;
use ucp_core::model::comparison::{Certainty, ObservedDifference};
use ucp_core::model::field_owner::FieldOwner;
use ucp_core::model::object::ObjectName;
use ucp_core::model::path::FieldPattern;
use ucp_core::model::state::Unreadable;
use ucp_core::model::variant_words::variant_words;
use uncompared::UncomparedCounts;

/// The two states between which there is a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DriftLayer {
    /// Between the cluster's declaration and the external resource.
    External,
    /// Between Git's declaration and the cluster.
    Gitops,
    /// In the cluster without a declaration.
    Orphan,
}

variant_words!(DriftLayer { External = "external", Gitops = "gitops", Orphan = "orphan" });

/// An object that differs, or whose difference is unknown.
#[derive(Debug, Clone)]
pub struct ObjectDrift {
    /// The object.
    pub object: ObjectName,
    /// The layer of the difference.
    pub layer: DriftLayer,
    /// The highest certainty among its differences.
    pub certainty: Certainty,
    /// Code of the finding.
    pub code: Code,
    /// The expected correction, or the reason why the difference is unknown.
    pub message: String,
    /// Start of the difference, if an engine reports it.
    pub since: Option<Timestamp>,
    /// True if an engine corrects it automatically; `None` if it depends on the change.
    pub will_be_corrected: Option<bool>,
    /// The Application or Flux object that manages it.
    pub managed_by: Option<ObjectName>,
    /// Its cluster, if that is not the core cluster.
    pub cluster: Option<String>,
    /// The differing fields, if they are known.
    pub differences: Vec<(ObservedDifference, Option<FieldOwner>)>,
    /// The declaration that contains the fields.
    pub declaration: Option<Value>,
}

impl ObjectDrift {
    /// Creates a difference without known fields.
    pub fn of_object(object: ObjectName, layer: DriftLayer, code: Code, message: impl Into<String>) -> Self {
        Self {
            object,
            layer,
            certainty: Certainty::Certain,
            code,
            message: message.into(),
            since: None,
            will_be_corrected: None,
            managed_by: None,
            cluster: None,
            differences: Vec::new(),
            declaration: None,
        }
    }
}

/// Selects the objects to check, by an object and its managing Application, if any.
pub type DriftChoice<'a> = dyn Fn(&ObjectName, Option<&ObjectName>) -> bool + 'a;

/// The findings of one layer.
#[derive(Debug, Default)]
pub struct LayerFindings {
    /// Objects that differ.
    pub drifts: Vec<ObjectDrift>,
    /// Number of objects that were compared.
    pub checked: usize,
    /// Objects that could not be compared, with the reason.
    pub unchecked: Vec<Unreadable>,
    /// Fields of the checked objects that were not compared.
    pub uncompared: UncomparedCounts,
}

impl LayerFindings {
    /// Adds the findings of another comparison.
    pub fn extend(&mut self, other: Self) {
        self.drifts.extend(other.drifts);
        self.checked += other.checked;
        self.unchecked.extend(other.unchecked);
        self.uncompared.extend(other.uncompared);
    }

    /// Removes ignored fields, and objects without other differences.
    pub fn ignore_paths(&mut self, ignored: &[FieldPattern]) {
        self.uncompared.ignore_paths(ignored);
        self.drifts.retain_mut(|drift| {
            let before = drift.differences.len();
            drift.differences.retain(|(difference, _)| !ignored.iter().any(|pattern| pattern.covers(&difference.path)));
            if drift.differences.len() == before {
                return true;
            }
            let surest = drift.differences.iter().map(|(difference, _)| difference.certainty).min();
            match (drift.code, surest) {
                (
                    Code::ExternalDrift | Code::ExternalSpelling | Code::ObjectOutOfSync | Code::RevisionNotApplied,
                    None,
                ) => return false,
                (Code::ExternalDrift, Some(Certainty::Suspected)) => drift.code = Code::ExternalSpelling,
                _ => {}
            }
            if let (Some(surest), Certainty::Certain) = (surest, drift.certainty) {
                drift.certainty = surest;
            }
            true
        });
    }
}
