//! The objects of a core cluster that could not be restored from Git alone: the difference between its current state,
//! or that of a snapshot, and the result of a bootstrap from the repository.

mod origin;
mod outside;
mod recovery;
mod secrets;
mod writers;

pub use recovery::{Recovery, RecoveryConcern, RecoveryOutcome};

use super::desire::DesiredState;
use super::gather::{CheckoutContents, DeployedObjects};
use super::wave::is_deployer;
use crate::distribution::source::SourceSecrets;
use crate::teardown;
use origin::{RecoveryOrigin, RecoveryOrigins};
use ucp_core::engine;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::failure::Failure;
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;
use writers::writers;

/// The kind of claims of volumes. Their data are in no repository.
const VOLUME_CLAIM: (&str, &str) = ("", "PersistentVolumeClaim");

/// Returns the parts of a kind to read.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Secret") => Some(KindRequest::whole(BodyShape::Secret)),
        VOLUME_CLAIM => Some(KindRequest::all(BodyShape::Metadata)),
        _ => teardown::want(kind),
    }
}

/// Compares a core cluster with the result of bootstrapping an empty one from a checkout.
pub fn rehearse(
    state: &ClusterState,
    gathered: &CheckoutContents,
    brought: &[DeployedObjects<'_>],
    desire: &DesiredState,
    sources: &SourceSecrets,
) -> Recovery {
    let origins = RecoveryOrigins::from_state(state, gathered, brought);
    let mut recovery = Recovery { concerns: Vec::new(), returning: 0, unknown: Vec::new() };
    for resource in state.resources.iter().filter(|resource| is_relevant_kind(&resource.kind)) {
        let comes_back = recovery.record(resource, assess_recovery(resource, &origins));
        recovery.returning += usize::from(comes_back);
    }
    let claims = state.resources.iter().filter(|one| (one.kind.group.as_str(), one.kind.kind.as_str()) == VOLUME_CLAIM);
    recovery.concerns.extend(claims.map(|claim| {
        RecoveryConcern::from_resource(claim, RecoveryOutcome::Lost, "the data of its volume are in no repository")
            .remedy("back up its volume")
    }));
    secrets::add_concerns(&mut recovery, state, &origins, desire, sources);
    recovery.concerns.sort_by(|one, other| (one.outcome, &one.object).cmp(&(other.outcome, &other.object)));
    recovery
}

/// Returns true if objects of a kind declare intent, or have an external resource.
fn is_relevant_kind(kind: &ResourceKind) -> bool {
    let is_intent = match role(kind) {
        Some(CrossplaneRole::Revision) => false,
        Some(_) => true,
        None => is_deployer(&kind.group, &kind.kind),
    };
    is_intent || engine::outside(kind).is_some()
}

fn assess_recovery(resource: &Resource, origins: &RecoveryOrigins<'_>) -> Result<Option<RecoveryConcern>, Failure> {
    if role(&resource.kind) == Some(CrossplaneRole::Managed) || engine::outside(&resource.kind).is_some() {
        return outside::concern(resource, &origins.origin(resource));
    }
    let is_there = match origins.origin(resource) {
        RecoveryOrigin::Git(_) | RecoveryOrigin::WithOther => true,
        RecoveryOrigin::Ambiguous(why) => return Err(why.into()),
        RecoveryOrigin::Nowhere => is_made_by_itself(resource)?,
    };
    Ok((!is_there).then(|| {
        RecoveryConcern::from_resource(resource, RecoveryOutcome::Lost, "nothing in Git declares it")
            .remedy("declare it in Git, or delete it if it is not needed")
    }))
}

/// Returns true if an engine creates the object itself: its default project, and packages that others depend on.
///
/// # Errors
/// Fails with the reason why this is unknown.
fn is_made_by_itself(resource: &Resource) -> Result<bool, Failure> {
    if resource.kind.kind == "AppProject" {
        return Ok(resource.metadata.name == "default");
    }
    if role(&resource.kind) != Some(CrossplaneRole::Package) {
        return Ok(false);
    }
    let writers = writers(resource, &["/spec".to_owned()])
        .ok_or("nothing in Git declares it, and no managedFields show who created it")?;
    Ok(writers.iter().all(|manager| *manager == "crossplane"))
}
