//! Engines: what Crossplane, Argo CD and Flux wrote into the API, judged by their own rules. All of it is pure: a
//! [`crate::model::state::ClusterState`] goes in, judgements come out. Adding an engine is a file here and a line in [`ENGINES`].

mod adapter;
mod adapters;
pub mod any;
pub mod argocd;
mod assessment;
pub mod code;
pub mod controller;
pub mod course;
pub mod crossplane;
mod declared;
mod farewell;
pub mod flux;
mod helm;
mod judgement;
pub mod outside;
mod presence;
mod select;
pub mod standing;
#[cfg(test)]
mod toy;
pub mod upkeep;

pub use adapter::{Engine, Members, Ownership, Purpose};
pub use assessment::{Assessment, OtherWorkloads, assess, assess_with};
pub use judgement::{Cause, Clock, Facts, Judged, Judgement, Problem};
pub use presence::{hidden_groups, is_present};

use crate::graph::link::{self, Link};
use crate::model::body::Want;
use crate::model::kind::ResourceKind;
use crate::model::resource::Resource;

use code::Code;
use course::Course;
pub use farewell::{leaves_behind, restores};
use outside::Outside;

/// Every engine, in the order that output names them. A new one is its file and a line here: `toy.rs` proves it.
pub const ENGINES: &[&dyn Engine] = &[
    &crossplane::Crossplane,
    &argocd::ArgoCd,
    &flux::Flux,
    &adapters::flux_images::ENGINE,
    &adapters::flux_operator::ENGINE,
    &adapters::image_updater::ENGINE,
    &adapters::kyverno::Kyverno,
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
    &toy::Toy,
];

/// What a person calls a number of such objects, such as `managed resources`.
pub fn noun(resource: &Resource) -> String {
    let own = engine_of(&resource.kind).and_then(|engine| engine.noun(&resource.kind));
    own.map_or_else(|| resource.kind.plural.clone(), str::to_owned)
}

/// What any engine wants of a kind.
pub fn want(kind: &ResourceKind) -> Option<Want> {
    controller::want(kind).or_else(|| ENGINES.iter().find_map(|engine| engine.want(kind)))
}

/// Every code of every engine, and those of none, in order.
pub fn codes() -> Vec<Code> {
    let mut codes: Vec<Code> = code::ALL
        .iter()
        .chain(any::CODES)
        .chain(declared::CODES)
        .chain(upkeep::ALL)
        .chain(farewell::ALL)
        .chain(ENGINES.iter().flat_map(|engine| engine.codes()))
        .copied()
        .collect();
    codes.sort();
    codes
}

/// Finds a code by its text, in any case.
pub fn parse_code(text: &str) -> Option<Code> {
    codes().into_iter().find(|code| code.info().code.eq_ignore_ascii_case(text))
}

/// Everything that an object has to do with others.
pub fn links(resource: &Resource) -> Vec<Link> {
    let of_engines = ENGINES.iter().flat_map(|engine| engine.links(resource));
    of_engines.chain(helm::release_of(resource)).chain(link::owners(resource)).collect()
}

/// How far what is asked of an object has come.
pub fn course(resource: &Resource) -> Course {
    engine_of(&resource.kind).map_or_else(|| Course::of_conditions(resource), |engine| engine.course(resource))
}

/// The directory of its source, or the chart, that an object deploys.
pub fn deploys(resource: &Resource) -> Option<&str> {
    engine_of(&resource.kind)?.deploys(resource)
}

/// How objects of a kind account for others; `None` where they do not.
pub fn ownership(kind: &ResourceKind) -> Option<Ownership> {
    ENGINES.iter().find_map(|engine| engine.ownership(kind))
}

/// Whether objects of a kind own others, by being a claim or a composite, or by applying them.
pub fn may_own(kind: &ResourceKind) -> bool {
    ownership(kind).is_some()
}

/// Whether an object lists everything that it applied.
pub fn lists_all(resource: &Resource) -> bool {
    ENGINES.iter().any(|engine| engine.lists_all(resource))
}

/// What objects of a kind have to do with what is outside.
pub fn purpose(kind: &ResourceKind) -> Option<Purpose> {
    engine_of(kind).and_then(|engine| engine.purpose(kind))
}

/// What becomes of what objects of a kind stand for.
pub fn outside(kind: &ResourceKind) -> Option<&'static Outside> {
    engine_of(kind).and_then(|engine| engine.outside(kind))
}

/// Where the objects are that come of an object and that it does not list by name.
pub fn members(resource: &Resource) -> Option<Members> {
    engine_of(&resource.kind)?.members(resource)
}

/// Whether objects of a kind say how those of others are.
pub fn tells_of_others(kind: &ResourceKind) -> bool {
    ENGINES.iter().any(|engine| engine.tells_of_others(kind))
}

/// Whether objects of a kind are what `resources` lists.
pub fn is_listed(kind: &ResourceKind) -> bool {
    ENGINES.iter().any(|engine| engine.is_listed(kind))
}

/// Whether a word means a kind, by name or by category.
pub fn is_meant(kind: &ResourceKind, word: &str) -> bool {
    let by_category = || match word.to_ascii_lowercase().as_str() {
        "managed" => purpose(kind) == Some(Purpose::External),
        "composite" => purpose(kind) == Some(Purpose::Composite),
        "claim" => purpose(kind) == Some(Purpose::Claim),
        category => kind.in_category(category),
    };
    kind.is_called(word) || by_category()
}

/// The engine that a kind belongs to.
pub fn engine_of(kind: &ResourceKind) -> Option<&'static dyn Engine> {
    ENGINES.iter().copied().find(|engine| engine.want(kind).is_some())
}
