//! Value with a marker comment: Flux's setter or Renovate's comment names its artifact.

use super::slot_claim::{SlotClaim, SlotKind};
use crate::slot::artifact::ArtifactKind;
use crate::slot::marker::{Marker, SetterField};
use crate::slot::site::ScalarContext;
use crate::slot::version;

pub(super) const KIND: SlotKind = SlotKind { name: "marker", claim };

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    let what = match site.marker()? {
        Marker::Flux { field: SetterField::Name, .. } => return None,
        Marker::Flux { .. } => ArtifactKind::Image,
        Marker::Renovate { datasource, .. } => match datasource.as_deref() {
            Some("docker") => ArtifactKind::Image,
            Some("helm") => ArtifactKind::Chart,
            Some("git-refs" | "git-tags") => ArtifactKind::Git,
            _ => ArtifactKind::Package,
        },
    };
    if let Some(part) = version::embedded_version(site.text()) {
        return Some(SlotClaim::part(site, part));
    }
    version::may_be_version(site.text().trim()).then(|| SlotClaim::whole(site, what, None))
}
