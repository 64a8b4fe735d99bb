//! The documents of `ucp/v1`: facts from the engines, in structs of their own, that change only by addition.

pub mod adoption;
pub mod bootstrap;
pub mod clusters;
pub mod command;
pub mod conflicts;
pub mod distribution;
pub mod doctor;
pub mod document_list;
pub mod drift;
pub mod explanation;
pub mod findings;
pub mod images;
pub mod import;
pub mod last_seen;
pub mod plan;
pub mod promotion;
pub mod rehearsal;
pub mod resources;
pub mod service;
pub mod snapshot;
pub mod snapshot_diff;
pub mod sources;
pub mod status;
pub mod teardown;
pub mod tree;
pub mod version;
pub mod wait;
pub mod whole;

use serde::Serialize;

use sources::Sources;

/// `apiVersion` of every document.
pub const API_VERSION: &str = "ucp/v1";

/// What every document begins with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    /// Always [`API_VERSION`].
    pub api_version: &'static str,
    /// Which document it is.
    pub kind: &'static str,
    /// Where it was read.
    #[serde(flatten)]
    pub source: Sources,
}

impl Header {
    /// The header of a document of some kind.
    pub fn new(kind: &'static str, source: crate::model::state::Origin) -> Self {
        Self { api_version: API_VERSION, kind, source: Sources::One(source) }
    }

    /// Whether it is about several sources.
    pub fn is_of_several(&self) -> bool {
        matches!(self.source, Sources::Several(_))
    }
}
