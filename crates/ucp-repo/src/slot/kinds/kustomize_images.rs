//! `images` of a kustomization, and of a Flux Kustomization: `newTag`, `digest`, and a version inside of `newName`.

use super::slot_claim::{SlotClaim, SlotKind};
use crate::slot::artifact::ArtifactKind;
use crate::slot::site::ScalarContext;
use crate::slot::version;
use ucp_core::model::image::ImageVersion;

pub(super) const KIND: SlotKind = SlotKind { name: "kustomize images", claim };

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    let listed = ["images", "imageTags"].iter().any(|list| {
        ["newTag", "digest", "newName"]
            .iter()
            .any(|key| site.is_at(&[list, "[]", key]) || site.is_at(&["spec", list, "[]", key]))
    });
    let name = site.sibling("name").filter(|_| listed)?;
    let image = |entry: ImageVersion| SlotClaim {
        entry: Some(entry),
        ..SlotClaim::whole(site, ArtifactKind::Image, Some(name)).text()
    };
    if site.key() != Some("newName") {
        let filled = |key: &str| site.sibling(key).filter(|text| !text.is_empty()).map(str::to_owned);
        return Some(image(ImageVersion { tag: filled("newTag"), digest: filled("digest") }));
    }
    let part = version::image(site.text())?;
    let entry = ImageVersion::parse(&site.text()[part.range.clone()]);
    Some(SlotClaim { range: part.range, ..image(entry) })
}
