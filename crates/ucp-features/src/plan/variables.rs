//! The variables that Flux substitutes, before and after a merge.

use std::collections::BTreeMap;

use futures::StreamExt as _;

use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::object::ObjectKey;
use ucp_repo::manifests::side::{RenderedDeployment, RenderedSide};
use ucp_repo::manifests::variables::variable_source;

/// Number of Kustomizations whose ConfigMaps are read concurrently.
const CONCURRENT: usize = 8;

/// The variables of each Kustomization of one side, or the reason why they are unknown.
pub(super) type SideVariables = BTreeMap<ObjectKey, Result<BTreeMap<String, String>, Failure>>;

/// Returns the variables of one side. `before` is the side before the merge, if this is the one after it.
pub(super) async fn side_variables(
    core: &ConnectedCluster,
    side: &RenderedSide,
    before: Option<&RenderedSide>,
) -> SideVariables {
    let with_variables = side.rendered.iter().filter(|(_, rendered)| rendered.deployment.post_build.is_some());
    futures::stream::iter(with_variables)
        .map(|(key, rendered)| async move {
            let variables = match removed_source(rendered, side, before) {
                Some(name) => fail!("it substitutes values of ConfigMap {name}, which the merge removes"),
                None => side.variables(core, &rendered.deployment).await,
            };
            (key.clone(), variables)
        })
        .buffer_unordered(CONCURRENT)
        .collect()
        .await
}

/// Returns a ConfigMap with variables that only the side before the merge declares.
fn removed_source<'a>(
    rendered: &'a RenderedDeployment,
    side: &RenderedSide,
    before: Option<&RenderedSide>,
) -> Option<&'a str> {
    let before = before?;
    let mut sources = rendered.deployment.post_build.iter().flat_map(|build| &build.substitute_from);
    let removed = sources.find(|source| {
        let wanted = variable_source(&rendered.deployment, source);
        before.declares(&wanted) && !side.declares(&wanted)
    });
    removed.map(|source| source.name.as_str())
}
