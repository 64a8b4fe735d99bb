//! Clusters and snapshots: connections, lists, watches, dry runs.
//!
//! `src/lib.rs` of the repository has the map of all modules.

#![warn(missing_docs)]

pub mod prediction;
pub mod source;
