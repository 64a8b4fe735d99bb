//! OpenShift's ImageStreams: `from: {kind: DockerImage, name: repository:tag}`.

use super::{Claim, Kind};
use crate::slot::site::Site;
use crate::slot::version;

pub(super) const KIND: Kind = Kind { name: "ImageStream", claim };

fn claim(site: &Site<'_, '_>) -> Option<Claim> {
    if site.key() != Some("name") || site.sibling("kind") != Some("DockerImage") {
        return None;
    }
    Some(Claim::part(site, version::image(site.text())?).text().named(site.object_name()))
}
