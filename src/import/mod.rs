//! What exists outside already, and comes under an engine's control: manifests that only observe it, and once it was
//! observed, manifests that own it. Nothing here asks a cluster.

mod ack;
pub mod address;
pub mod difference;
pub mod embedded;
pub mod fields;
pub mod identity;
pub mod observe;
pub mod own;
pub mod place;
pub mod provider_config;
pub mod replace;
pub mod schema;
pub mod takeover;
pub mod terraform;
