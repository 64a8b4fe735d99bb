//! What of a core cluster would not come back from Git alone, if it were gone: the difference between what it is, or was in a
//! snapshot, and what a first day makes of the repository.

mod origin;
mod outside;
mod secrets;
mod writers;

use serde::Serialize;

use super::desire::Desire;
use super::gather::{Brought, Gathered};
use super::wave::is_deployer;
use crate::distribution::source::Sources;
use crate::engine;
use crate::engine::crossplane::{Role, role};
use crate::model::body::{Shape, Want};
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::state::{ClusterState, Unreadable};
use crate::teardown;
use origin::{Origin, Origins};
use writers::writers;

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
    /// Objects of which nobody can say.
    pub unknown: Vec<Unreadable>,
}

impl Recovery {
    /// Notes what was found of an object; whether it comes back.
    fn note(&mut self, resource: &Resource, found: Result<Option<Concern>, String>) -> bool {
        match found {
            Ok(None) => return true,
            Ok(Some(concern)) => self.concerns.push(concern),
            Err(reason) => self.unknown.push(Unreadable { what: resource.name().to_string(), reason }),
        }
        false
    }
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
    brought: &[Brought<'_>],
    desire: &Desire,
    sources: &Sources,
) -> Recovery {
    let origins = Origins::of(state, gathered, brought);
    let mut recovery = Recovery { concerns: Vec::new(), returning: 0, unknown: Vec::new() };
    for resource in state.resources.iter().filter(|resource| matters(&resource.kind)) {
        let comes_back = recovery.note(resource, of(resource, &origins));
        recovery.returning += usize::from(comes_back);
    }
    secrets::add(&mut recovery, state, &origins, desire, sources);
    recovery.concerns.sort_by(|one, other| (one.outcome, &one.object).cmp(&(other.outcome, &other.object)));
    recovery
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

fn of(resource: &Resource, origins: &Origins<'_>) -> Result<Option<Concern>, String> {
    if role(&resource.kind) == Some(Role::Managed) || engine::outside(&resource.kind).is_some() {
        return outside::concern(resource, &origins.origin(resource));
    }
    let is_there = match origins.origin(resource) {
        Origin::Git(_) | Origin::WithOther => true,
        Origin::Ambiguous(why) => return Err(why.to_owned()),
        Origin::Nowhere => is_made_by_itself(resource)?,
    };
    Ok((!is_there).then(|| {
        Concern::of(resource, Outcome::Lost, "nothing in Git declares it")
            .remedy("declare it in Git, or delete it if nobody needs it")
    }))
}

/// What an engine makes without being told to: its default project, and the packages that others depend on.
///
/// # Errors
/// Why that is not known.
fn is_made_by_itself(resource: &Resource) -> Result<bool, String> {
    if resource.kind.kind == "AppProject" {
        return Ok(resource.metadata.name == "default");
    }
    if role(&resource.kind) != Some(Role::Package) {
        return Ok(false);
    }
    let writers = writers(resource, &["/spec".to_owned()])
        .ok_or("nothing in Git declares it, and no managedFields tell who made it")?;
    Ok(writers.iter().all(|manager| *manager == "crossplane"))
}
