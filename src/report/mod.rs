//! The documents of `ucp/v1`: separate structs with facts from the engines, which change only by addition.

pub mod adoption;
pub mod bootstrap;
pub mod clusters;
pub mod command;
pub mod conflicts;
pub mod distribution;
pub mod doctor;
pub mod document_list;
pub mod drift;
pub mod events;
pub mod explanation;
pub mod findings;
pub mod history;
pub mod history_moment;
pub mod images;
pub mod import;
pub mod last_seen;
pub mod pipeline;
pub mod plan;
pub mod promotion;
pub mod promotion_check;
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

use sources::DocumentSources;

/// The `apiVersion` of every document.
pub const API_VERSION: &str = "ucp/v1";

/// The common fields of every document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    /// Always [`API_VERSION`].
    pub api_version: &'static str,
    /// The kind of the document.
    pub kind: &'static str,
    /// The clusters or snapshots that were read.
    #[serde(flatten)]
    pub source: DocumentSources,
}

impl Header {
    /// Returns the header of a document about one source.
    pub fn new(kind: &'static str, source: ucp_core::model::state::Origin) -> Self {
        Self { api_version: API_VERSION, kind, source: DocumentSources::One(source) }
    }

    /// Returns true if the document is about several sources.
    pub fn has_several_sources(&self) -> bool {
        matches!(self.source, DocumentSources::Several(_))
    }
}
