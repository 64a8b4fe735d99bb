//! Git repositories: YAML edits, versions, kustomizations, manifests.
//!
//! `src/lib.rs` of the repository has the map of all modules.

#![warn(missing_docs)]

pub mod git;
pub mod gitops;
pub mod manifests;
pub mod slot;
pub mod yaml;
