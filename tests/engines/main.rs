//! The commands compared with real engines: each scenario breaks one thing, waits until the engine reports it, and
//! compares this with the output of `kubectl ucp`. CONTRIBUTING.md describes how to add one.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each engine uses its own part")]
#![allow(unreachable_pub, reason = "modules of one test")]

#[path = "../support/mod.rs"]
mod support;

mod adapters;
mod adoption;
mod argocd;
mod binaries;
mod cert_manager;
mod crossplane;
mod external_secrets;
mod first_day;
mod flux;
mod foretold;
mod forge;
mod history;
mod kro;
mod nodes;
mod program;
mod rollouts;
mod scenario;
mod troubleshoot;
mod world;

/// Everything that the scenarios start, built one after the other, so that none of them has to share the machine with a
/// compiler: `.ci/engines` does this first.
#[test]
#[ignore = "each scenario builds what it needs"]
fn build_everything() {
    let missing = support::binaries::Binaries::find(support::binaries::ControllerManager::Needed).err();
    assert!(missing.is_none(), "{}", missing.unwrap());
    let engines = [&forge::BUILD, &crossplane::BUILD, &crossplane::functions::OTHERS, &flux::BUILD, &argocd::BUILD];
    for build in engines.into_iter().chain([
        &troubleshoot::BUILD,
        &external_secrets::BUILD,
        &cert_manager::BUILD,
        &kro::BUILD,
        &rollouts::BUILD,
    ]) {
        build.directory();
    }
}
