//! Crossplane: classic, upjet, and namespaced providers. Kinds are recognized by their categories, not by a list of
//! providers, so that any provider works.

mod codes;
mod composition;
mod controllers;
mod course;
mod credentials;
mod extensions;
mod kind_role;
mod links;
pub mod managed;
mod masked;
mod package;
mod patience;
pub mod policies;
mod provider_config;
mod second_opinion;
#[cfg(test)]
mod tests;
pub mod usage;
mod waiting;
mod workloads;

use crate::engine::adapter::{Engine, ExternalRole, OwnershipKind};
use crate::engine::code::Code;
use crate::engine::controller::description::Controller;
use crate::engine::course::ObjectProgress;
use crate::engine::judgement::{AssessmentClock, AssessmentFacts, Cause, JudgedObject, Judgement};
use crate::graph::link::Link;
use crate::model::body::KindRequest;
use crate::model::body::{Body, BodyShape};
use crate::model::kind::ResourceKind;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

pub use controllers::core;
pub use credentials::BLIND;
use extensions::EXTENSIONS;
pub use kind_role::{COMPOSITE_LABEL, CrossplaneRole, EXTERNAL_NAME, PACKAGE_LABEL, PAUSED, role};
pub use managed::CORE_RIGHTS;
pub use provider_config::reference_of;

/// The Crossplane engine.
pub struct CrossplaneEngine;

impl Engine for CrossplaneEngine {
    fn name(&self) -> &'static str {
        "Crossplane"
    }

    fn part_of(&self) -> &'static str {
        "crossplane"
    }

    fn want(&self, kind: &ResourceKind) -> Option<KindRequest> {
        let Some(role) = role(kind) else { return EXTENSIONS.want(kind) };
        Some(match role {
            CrossplaneRole::Managed | CrossplaneRole::Composite | CrossplaneRole::Claim => {
                KindRequest::ruled(BodyShape::Crossplane)
            }
            CrossplaneRole::Package | CrossplaneRole::Revision => KindRequest::all(BodyShape::Package),
            CrossplaneRole::ProviderConfig => KindRequest::all(BodyShape::ProviderConfig),
            CrossplaneRole::Composition => KindRequest::all(BodyShape::Composition),
        })
    }

    fn judge(&self, resource: &Resource, clock: &AssessmentClock) -> Option<Judgement> {
        let Some(role) = role(&resource.kind) else { return EXTENSIONS.judge(resource, clock) };
        match (role, &resource.body) {
            (CrossplaneRole::Managed, Body::Crossplane(body)) => {
                Some(managed::judge(resource, body, clock, managed::MANAGED))
            }
            (CrossplaneRole::Composite | CrossplaneRole::Claim, Body::Crossplane(body)) => {
                Some(managed::judge(resource, body, clock, managed::COMPOSED))
            }
            (CrossplaneRole::Package, Body::Package(body)) => Some(package::judge(resource, body, clock)),
            // A revision is reported through its package; a provider config only if it is missing.
            _ => None,
        }
    }

    fn reconsider(&self, judged: &mut [JudgedObject<'_>], _clock: &AssessmentClock) {
        usage::add_refused_deletions(judged);
    }

    fn course(&self, resource: &Resource) -> ObjectProgress {
        course::crossplane_progress(resource)
    }

    fn codes(&self) -> &'static [Code] {
        codes::ALL
    }

    fn links(&self, resource: &Resource) -> Vec<Link> {
        let mut links = links::list_links(resource);
        links.extend(EXTENSIONS.links(resource));
        links
    }

    fn external_name(&self, resource: &Resource) -> Option<String> {
        resource.metadata.annotation(EXTERNAL_NAME).map(str::to_owned)
    }

    fn ownership(&self, kind: &ResourceKind) -> Option<OwnershipKind> {
        matches!(role(kind), Some(CrossplaneRole::Composite | CrossplaneRole::Claim)).then_some(OwnershipKind::Composes)
    }

    fn purpose(&self, kind: &ResourceKind) -> Option<ExternalRole> {
        match role(kind)? {
            CrossplaneRole::Managed => Some(ExternalRole::External),
            CrossplaneRole::Composite => Some(ExternalRole::Composite),
            CrossplaneRole::Claim => Some(ExternalRole::Claim),
            _ => None,
        }
    }

    fn tells_of_others(&self, kind: &ResourceKind) -> bool {
        matches!(
            role(kind),
            Some(
                CrossplaneRole::Package
                    | CrossplaneRole::Revision
                    | CrossplaneRole::ProviderConfig
                    | CrossplaneRole::Composition
            )
        )
    }

    fn noun(&self, kind: &ResourceKind) -> Option<&'static str> {
        match role(kind)? {
            CrossplaneRole::Managed => Some("managed resources"),
            CrossplaneRole::Composite => Some("composites"),
            CrossplaneRole::Claim => Some("claims"),
            _ => None,
        }
    }

    fn refers_to(&self, kind: &ResourceKind, other: &ResourceKind) -> bool {
        let is_in_family = kind.group == other.group || kind.group.ends_with(&format!(".{}", other.group));
        is_in_family
            && (role(kind), role(other)) == (Some(CrossplaneRole::Managed), Some(CrossplaneRole::ProviderConfig))
    }

    fn controllers<'state>(&self, state: &'state ClusterState) -> Vec<Controller<'state>> {
        controllers::list_controllers(state)
    }

    fn unfounded(&self, facts: &AssessmentFacts<'_, '_>) -> Vec<(usize, Judgement)> {
        let mut found = provider_config::without_config(facts);
        found.extend(composition::without_parts(facts));
        found
    }

    fn causes(&self, facts: &AssessmentFacts<'_, '_>) -> Vec<Cause> {
        let mut causes = package::unhealthy_package_causes(facts);
        causes.extend(provider_config::missing_config_causes(facts));
        causes.extend(credentials::refused_credential_causes(facts));
        causes.extend(composition::waiting_composite_causes(facts));
        causes.extend(masked::masked_part_causes(facts));
        causes.extend(workloads::failed_workload_causes(facts));
        causes.extend(extensions::inactive_definition_causes(facts));
        causes
    }
}
