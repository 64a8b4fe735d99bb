//! Where declared, live and external state differ: three layers, each a file, each pure.
//!
//! A layer says of how many objects it can speak, and of which it cannot: "could not check" is never "no drift".

pub mod external;
pub mod fight;
pub mod gitops;
pub mod markers;
pub mod orphans;
pub mod repository;
mod system;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::engine::code::Code;
use crate::model::comparison::{Certainty, Difference};
use crate::model::field_owner::FieldOwner;
use crate::model::object::ObjectName;
use crate::model::path::FieldPattern;
use crate::model::state::Unreadable;

/// Between which two states something differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// What the cluster declares and what exists outside.
    External,
    /// What Git declares and what the cluster holds.
    Gitops,
    /// What the cluster holds and nobody declared.
    Orphan,
}

impl Layer {
    /// The word for it in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::External => "external",
            Self::Gitops => "gitops",
            Self::Orphan => "orphan",
        }
    }
}

/// One object that differs, or of which nobody can tell.
#[derive(Debug, Clone)]
pub struct Drift {
    /// The object.
    pub object: ObjectName,
    /// Between what.
    pub layer: Layer,
    /// The surest of its differences.
    pub certainty: Certainty,
    /// What kind of difference.
    pub code: Code,
    /// What becomes of it, or why nobody can tell.
    pub message: String,
    /// Since when, where an engine says.
    pub since: Option<Timestamp>,
    /// Whether an engine corrects it by itself; `None` where that depends.
    pub will_be_corrected: Option<bool>,
    /// The Application or Flux object that answers for it.
    pub managed_by: Option<ObjectName>,
    /// The cluster it is in, where it is not the core cluster.
    pub cluster: Option<String>,
    /// The fields, where they are known.
    pub differences: Vec<(Difference, Option<FieldOwner>)>,
    /// The declaration that they are part of.
    pub declaration: Option<Value>,
}

impl Drift {
    /// A difference of which no field is known.
    pub fn of_object(object: ObjectName, layer: Layer, code: Code, message: impl Into<String>) -> Self {
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

/// Which objects somebody asked about: an object, and the Application that answers for it, if any.
pub type Choice<'a> = dyn Fn(&ObjectName, Option<&ObjectName>) -> bool + 'a;

/// What one layer says.
#[derive(Debug, Default)]
pub struct LayerFindings {
    /// What differs.
    pub drifts: Vec<Drift>,
    /// How many objects were compared.
    pub checked: usize,
    /// What could not be compared, and why.
    pub unchecked: Vec<Unreadable>,
}

impl LayerFindings {
    /// Adds what another way of comparing found.
    pub fn extend(&mut self, other: Self) {
        self.drifts.extend(other.drifts);
        self.checked += other.checked;
        self.unchecked.extend(other.unchecked);
    }

    /// Leaves out fields that a person told to ignore, and objects that differ in nothing else.
    pub fn ignore_paths(&mut self, ignored: &[FieldPattern]) {
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
