//! `image: repository:tag`, under any key for an image, in workloads, custom resources, patches, and values.

use super::conventions::{fold_key, label};
use super::{SlotClaim, SlotKind};
use crate::slot::artifact::ArtifactKind;
use crate::slot::site::ScalarContext;
use crate::slot::version;

pub(super) const KIND: SlotKind = SlotKind { name: "image", claim };

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    let key = fold_key(label(site)?);
    // A bundle of Tekton is an image, too.
    let is_bundle = key == "bundle" && site.group() == Some("tekton.dev");
    if !(key.contains("image") || is_bundle) || key.ends_with("policy") || key.ends_with("repository") {
        return None;
    }
    let text = site.text().trim_end();
    if text.contains(char::is_whitespace) {
        return None;
    }
    let offset = text.find("://").map_or(0, |scheme| scheme + 3);
    let part = version::image(&text[offset..])?;
    let name = site.sibling("name").or_else(|| site.object_name());
    let claim = SlotClaim::whole(site, ArtifactKind::Image, part.artifact.as_deref()).text().named(name);
    Some(SlotClaim { range: part.range.start + offset..part.range.end + offset, ..claim })
}
