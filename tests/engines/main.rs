//! The commands beside the real engines: each scenario breaks one thing, waits until the engine itself says so, and
//! compares what `kubectl ucp` says. CONTRIBUTING.md says how to add one.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each engine uses its own part")]
#![allow(unreachable_pub, reason = "modules of one test")]

#[path = "../support/mod.rs"]
mod support;

mod adoption;
mod argocd;
mod binaries;
mod crossplane;
mod flux;
mod forge;
mod nodes;
mod program;
mod scenario;
mod world;
