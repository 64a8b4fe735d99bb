//! OpenShift's ImageStreams: `from: {kind: DockerImage, name: repository:tag}`.

use super::slot_claim::{SlotClaim, SlotKind};
use crate::slot::site::ScalarContext;
use crate::slot::version;

pub(super) const KIND: SlotKind = SlotKind { name: "ImageStream", claim };

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    if site.key() != Some("name") || site.sibling("kind") != Some("DockerImage") {
        return None;
    }
    Some(SlotClaim::part(site, version::image(site.text())?).text().named(site.object_name()))
}
