//! What a cluster would hold after a manifest is applied: a server-side dry run, told apart from what it holds now.

pub mod cluster;
pub mod difference;
pub mod dry_run;
pub mod fields;
pub mod ignore;
pub mod jq;
pub mod overlay;
