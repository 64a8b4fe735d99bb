//! The list of all engines, in the order of output.

use super::adapter::Engine;
#[cfg(test)]
use super::toy;
use super::{adapters, argocd, crossplane, flux, helm};
use crate::graph::link::{self, Link};
use crate::model::kind::ResourceKind;
use crate::model::resource::Resource;

/// All engines, in the order of output. A new one is one file and one line here, as tested by `toy.rs`.
pub const ENGINES: &[&dyn Engine] = &[
    &crossplane::CrossplaneEngine,
    &argocd::ArgoCdEngine,
    &flux::FluxEngine,
    &adapters::flux_images::ENGINE,
    &adapters::flux_operator::ENGINE,
    &adapters::image_updater::ENGINE,
    &adapters::kyverno::KyvernoEngine,
    &adapters::cert_manager::ENGINE,
    &adapters::external_secrets::ENGINE,
    &adapters::sealed_secrets::ENGINE,
    &adapters::external_dns::ENGINE,
    &adapters::ack::ENGINE,
    &adapters::config_connector::ENGINE,
    &adapters::azure_service_operator::ENGINE,
    &adapters::cluster_api::ENGINE,
    &adapters::atlas::ENGINE,
    &adapters::mongodb_atlas::ENGINE,
    &adapters::tofu_controller::ENGINE,
    &adapters::hcp_terraform::ENGINE,
    &adapters::kro::ENGINE,
    &adapters::argo_rollouts::ENGINE,
    &adapters::kargo::ENGINE,
    &adapters::gitops_promoter::ENGINE,
    #[cfg(test)]
    &toy::ToyEngine,
];

/// Returns the links of an object, of all engines.
pub fn links(resource: &Resource) -> Vec<Link> {
    let of_engines = ENGINES.iter().flat_map(|engine| engine.links(resource));
    of_engines.chain(helm::release_of(resource)).chain(link::owners(resource)).collect()
}

/// Returns the engine of a kind.
pub fn engine_of(kind: &ResourceKind) -> Option<&'static dyn Engine> {
    ENGINES.iter().copied().find(|engine| engine.want(kind).is_some())
}
