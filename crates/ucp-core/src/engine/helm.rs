//! Helm without a controller: the annotations of `helm install` name the release of an object.

use crate::graph::link::{External, ExternalHealth, Link, LinkEnd, Relation};
use crate::model::resource::Resource;

/// Annotations that Helm sets on all installed objects: `release-name` and `release-namespace`.
const NAME: &str = "meta.helm.sh/release-name";
const NAMESPACE: &str = "meta.helm.sh/release-namespace";
/// Label of Flux that is set in addition, and is the better origin.
const OF_FLUX: &str = "helm.toolkit.fluxcd.io/name";

/// Returns the release of an object that no controller manages.
pub(super) fn release_of(resource: &Resource) -> Option<Link> {
    let metadata = &resource.metadata;
    let name = metadata.annotation(NAME).filter(|name| !name.is_empty() && metadata.label(OF_FLUX).is_none())?;
    let release = External {
        kind: "HelmRelease".to_owned(),
        namespace: metadata.annotation(NAMESPACE).map(str::to_owned),
        name: name.to_owned(),
        cluster: None,
        health: ExternalHealth::Inherited,
    };
    Some(Link::to_declaring_object(LinkEnd::External(release), Relation::Applies))
}
