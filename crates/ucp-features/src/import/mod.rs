//! Imports existing external resources: manifests that only observe them, and once they were observed, manifests that
//! own them. This module sends no requests to a cluster.

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
pub mod takeover;
pub mod terraform;
