//! Predicts the state of a cluster after a manifest is applied, by a server-side dry run, and compares it with the
//! current state.

pub mod cluster;
pub mod difference;
pub mod dry_run;
pub mod fields;
pub mod ignore;
pub mod jq;
pub mod overlay;
