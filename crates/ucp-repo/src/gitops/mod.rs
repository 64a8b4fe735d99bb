//! Declarations in Git repositories of kustomizations: services, environments, effective versions. Reads files, and
//! changes none.
//! own accord.

pub mod catalog;
pub mod config;
pub mod declared;
pub mod declared_since;
pub mod discover;
pub mod effective;
pub mod entry_index;
pub mod environment;
pub mod files;
pub mod freeze;
pub mod kustomization;
pub mod markers;
pub mod membership;
pub mod names;
pub mod order;
pub mod path;
pub mod pattern;
pub mod purpose;
pub mod repository;
pub mod soak;
pub mod workload;
