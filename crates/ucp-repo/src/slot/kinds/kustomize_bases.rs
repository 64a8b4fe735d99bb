//! Remote bases of a kustomization, by `?ref=` or a version in their URL.

use super::slot_claim::{SlotClaim, SlotKind};
use crate::slot::artifact::ArtifactKind;
use crate::slot::site::ScalarContext;
use crate::slot::version;

pub(super) const KIND: SlotKind = SlotKind { name: "remote base", claim };

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    const LISTS: [&str; 6] = ["resources", "bases", "components", "patches", "patchesStrategicMerge", "crds"];
    if !LISTS.iter().any(|list| site.is_at(&[list, "[]"])) {
        return None;
    }
    let claim = SlotClaim::part(site, version::url(site.text())?).text();
    Some(SlotClaim { what: ArtifactKind::Git, ..claim })
}
