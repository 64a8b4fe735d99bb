//! Helm without a controller: what `helm install` put into a cluster says which release it belongs to.

use crate::graph::link::{End, External, Health, Link, Relation};
use crate::model::resource::Resource;

/// Annotations that Helm writes on everything that it installs, `release-name` and `release-namespace`.
const NAME: &str = "meta.helm.sh/release-name";
const NAMESPACE: &str = "meta.helm.sh/release-namespace";
/// Flux writes it beside them, and is a better origin.
const OF_FLUX: &str = "helm.toolkit.fluxcd.io/name";

/// The release that an object belongs to, where no controller looks after it.
pub(super) fn release_of(resource: &Resource) -> Option<Link> {
    let metadata = &resource.metadata;
    let name = metadata.annotation(NAME).filter(|name| !name.is_empty() && metadata.label(OF_FLUX).is_none())?;
    let release = External {
        kind: "HelmRelease".to_owned(),
        namespace: metadata.annotation(NAMESPACE).map(str::to_owned),
        name: name.to_owned(),
        cluster: None,
        health: Health::Inherited,
    };
    Some(Link::into(End::External(release), Relation::Applies))
}
