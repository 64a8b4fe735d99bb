//! What of a core cluster would not come back from Git alone, if it were gone: the difference between what it is, or was in a
//! snapshot, and what a first day makes of the repository.

mod origin;
mod outside;
mod secrets;

use serde::Serialize;

use super::desire::Desire;
use super::gather::{Gathered, Scopes};
use super::wave::is_deployer;
use crate::distribution::source::Sources;
use crate::engine;
use crate::engine::crossplane::{Role, role};
use crate::model::body::{Shape, Want};
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;
use crate::teardown;
use origin::{Origin, Origins};

/// What becomes of something that does not simply come back, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// It exists nowhere else.
    Lost,
    /// What it stands for stays outside, and nobody looks after it.
    Orphaned,
    /// A second one is made outside, beside the one that is there.
    Duplicated,
    /// A person has to bring it: no repository holds it.
    Asked,
    /// Its controller gets it again by itself.
    Fetched,
}

impl Outcome {
    /// Whether something is missing or wrong afterwards, whatever people do on that day.
    pub const fn is_loss(self) -> bool {
        matches!(self, Self::Lost | Self::Orphaned | Self::Duplicated)
    }
}

/// One object that does not simply come back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Concern {
    /// What becomes of it.
    pub outcome: Outcome,
    /// The object.
    pub object: ObjectName,
    /// The name of what it stands for outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external: Option<String>,
    /// Why.
    pub reason: String,
    /// What to do before that day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Concern {
    fn of(resource: &Resource, outcome: Outcome, reason: impl Into<String>) -> Self {
        Self { outcome, object: resource.name(), external: None, reason: reason.into(), remedy: None }
    }

    fn remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..self }
    }

    fn external(self, external: Option<String>) -> Self {
        Self { external, ..self }
    }
}

/// What comes back, and what does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovery {
    /// What does not simply come back, worst first.
    pub concerns: Vec<Concern>,
    /// How many objects do.
    pub returning: usize,
}

/// What to read of a kind.
pub fn want(kind: &ResourceKind) -> Option<Want> {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Secret") => Some(Want::whole(Shape::Secret)),
        _ => teardown::want(kind),
    }
}

/// Compares a core cluster with what a checkout makes of an empty one.
pub fn rehearse(
    state: &ClusterState,
    gathered: &Gathered,
    desire: &Desire,
    sources: &Sources,
    scopes: Scopes<'_>,
) -> Recovery {
    let origins = Origins::of(state, gathered, scopes);
    let mut concerns = Vec::new();
    let mut returning = 0;
    for resource in state.resources.iter().filter(|resource| matters(&resource.kind)) {
        match of(resource, &origins) {
            Some(concern) => concerns.push(concern),
            None => returning += 1,
        }
    }
    concerns.extend(secrets::concerns(state, &origins, desire, sources));
    concerns.sort_by(|one, other| (one.outcome, &one.object).cmp(&(other.outcome, &other.object)));
    Recovery { concerns, returning }
}

/// Whether an object of a kind is somebody's intent, or stands for something outside.
fn matters(kind: &ResourceKind) -> bool {
    let is_intent = match role(kind) {
        Some(Role::Revision) => false,
        Some(_) => true,
        None => is_deployer(&kind.group, &kind.kind),
    };
    is_intent || engine::outside(kind).is_some()
}

fn of(resource: &Resource, origins: &Origins<'_>) -> Option<Concern> {
    if role(&resource.kind) == Some(Role::Managed) || engine::outside(&resource.kind).is_some() {
        return outside::concern(resource, &origins.origin(resource));
    }
    let is_there = !matches!(origins.origin(resource), Origin::Nowhere) || is_made_by_itself(resource);
    (!is_there).then(|| {
        Concern::of(resource, Outcome::Lost, "nothing in Git declares it")
            .remedy("declare it in Git, or delete it if nobody needs it")
    })
}

/// What an engine makes without being told to: its default project, and the packages that others depend on.
fn is_made_by_itself(resource: &Resource) -> bool {
    if resource.kind.kind == "AppProject" {
        return resource.metadata.name == "default";
    }
    let entries = resource.whole.as_deref().and_then(|whole| whole.pointer("/metadata/managedFields")?.as_array());
    let mut declaring = entries.into_iter().flatten().filter(|entry| entry.pointer("/fieldsV1/f:spec").is_some());
    let is_package = role(&resource.kind) == Some(Role::Package);
    is_package && declaring.clone().next().is_some() && declaring.all(|entry| entry["manager"] == "crossplane")
}
