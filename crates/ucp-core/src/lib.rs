//! Types and pure rules that all other crates use: objects, secrecy, engines, links.
//!
//! `src/lib.rs` of the repository has the map of all modules.

#![warn(missing_docs)]

pub mod engine;
pub mod error;
pub mod failure;
pub mod graph;
pub mod model;
pub mod program;
pub mod regular_file;
pub mod scratch;
