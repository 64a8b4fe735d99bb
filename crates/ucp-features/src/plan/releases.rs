//! HelmReleases and Applications with charts of other repositories: whether a merge changes one, and those whose objects
//! are out of reach.

use std::collections::{BTreeMap, BTreeSet};

use crate::plan::change::{DeploymentPair, PlannedChange};
use crate::plan::destinations::{Destinations, destination_name};
use crate::plan::examine::ExaminedChange;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::state::Unreadable;
use ucp_repo::manifests::deployment::{Deployment, DeploymentPart};
use ucp_repo::manifests::renderer::RenderError;
use ucp_repo::manifests::side::RenderedSide;

/// Returns true if both sides have the same chart, values and options of a release.
pub(super) fn is_same_recipe(base: &RenderedSide, head: &RenderedSide, key: &ObjectKey) -> bool {
    match (base.rendered.get(key), head.rendered.get(key)) {
        (Some(before), Some(after)) => {
            decides_release(&before.deployment) == decides_release(&after.deployment)
                && before.remarks.values == after.remarks.values
                && before.remarks.chart_version == after.remarks.chart_version
                && (after.remarks.chart_version.is_some() || after.objects.is_err())
        }
        _ => false,
    }
}

/// Returns a deployment without the fields that only decide about the time of its reconciliation.
fn decides_release(deployment: &Deployment) -> Deployment {
    Deployment { depends_on: Vec::new(), ..deployment.clone() }
}

/// Returns true if a release or a chart cannot be rendered, and the merge changes nothing that decides it.
pub(super) fn is_same_release(base: &RenderedSide, head: &RenderedSide, key: &ObjectKey) -> bool {
    let is_unsupported = |side: &RenderedSide| {
        side.rendered.get(key).is_some_and(|one| {
            let Deployment { release, parts, .. } = &one.deployment;
            (release.is_some() || parts.iter().all(DeploymentPart::is_elsewhere))
                && one.remarks.values.is_some()
                && matches!(one.objects, Err(RenderError::Unsupported(_)))
        })
    };
    is_unsupported(base) && is_unsupported(head) && is_same_recipe(base, head, key)
}

/// Returns the HelmReleases whose objects are deleted in clusters that are not connected.
pub(super) fn releases_out_of_reach(
    planned: &[PlannedChange],
    pairs: &BTreeMap<ObjectKey, DeploymentPair>,
    destinations: &Destinations,
) -> Vec<Unreadable> {
    let pairs = planned.iter().filter_map(|change| pairs.get(&change.by));
    let open = pairs.filter(|pair| !destinations.contains_key(&pair.deployment.destination));
    let names: BTreeSet<_> =
        open.map(|pair| (pair.deployment.object.to_string(), destination_name(&pair.deployment.destination))).collect();
    names
        .into_iter()
        .map(|(what, cluster)| Unreadable {
            what,
            reason: format!("its objects in cluster {cluster} are deleted with it"),
        })
        .collect()
}

/// Returns the HelmReleases that change in another cluster, whose own Flux deploys them.
pub(super) fn releases_of_other_clusters(
    base: Option<&RenderedSide>,
    head: &RenderedSide,
    touched: &[(Option<String>, ExaminedChange)],
) -> Vec<Unreadable> {
    let is_known = |object: &ObjectName| {
        let key = ObjectKey::from(object);
        [base, Some(head)]
            .into_iter()
            .flatten()
            .any(|side| side.rendered.contains_key(&key) || side.elsewhere.contains_key(&key))
    };
    let releases = touched.iter().filter(|(cluster, examined)| {
        let object = &examined.planned.object;
        object.group() == "helm.toolkit.fluxcd.io"
            && object.kind == "HelmRelease"
            && (cluster.is_some() || !is_known(object))
    });
    let reason = "only the change of the HelmRelease itself is predicted, not that of its objects";
    releases
        .map(|(cluster, examined)| {
            let place = cluster.as_ref().map(|cluster| format!(" in {cluster}")).unwrap_or_default();
            Unreadable { what: format!("{}{place}", examined.planned.object), reason: reason.to_owned() }
        })
        .collect()
}
