//! The external layer: differences between the declaration and the external resource.

mod managed;
mod other_engines;
mod unchecked;

use crate::drift::{DriftChoice, LayerFindings};
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::engine::outage::Controllers;
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::state::ClusterState;

/// Returns the data to read of a kind with external resources; `None` if it has none.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    match role(kind) {
        Some(CrossplaneRole::Managed) => Some(KindRequest::all(BodyShape::Managed)),
        _ => other_engines::want(kind),
    }
}

/// Compares the chosen objects of a state.
pub fn findings(state: &ClusterState, controllers: &Controllers<'_>, is_chosen: &DriftChoice<'_>) -> LayerFindings {
    let mut findings = managed::managed_findings(state, controllers, is_chosen);
    findings.extend(other_engines::findings(state, controllers, is_chosen));
    findings
}
