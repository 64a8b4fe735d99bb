//! Labels and annotations that contain a version.

use super::conventions::fold_key;
use super::slot_claim::{SlotClaim, SlotKind};
use crate::slot::artifact::ArtifactKind;
use crate::slot::site::ScalarContext;
use crate::slot::version;

pub(super) const KIND: SlotKind = SlotKind { name: super::kind_names::METADATA, claim };

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    let known = match site.key()? {
        key if site.is_at(&["**", "metadata", "labels", "*"]) || site.is_at(&["**", "commonLabels", "*"]) => {
            let name = key.rsplit('/').next().unwrap_or(key);
            matches!(name, "chart" | "revision" | "tag") || fold_key(name).ends_with("version")
        }
        key if site.is_at(&["**", "metadata", "annotations", "*"]) => {
            let name = key.rsplit('/').next().unwrap_or(key);
            // Flux 1 pinned images with `fluxcd.io/tag.CONTAINER`.
            name.starts_with("tag.") || fold_key(name).ends_with("version")
        }
        _ => return None,
    };
    (known && version::may_be_version(site.text().trim()))
        .then(|| SlotClaim::whole(site, ArtifactKind::Package, None).text().named(site.object_name()))
}
