//! URLs that contain a version: `?ref=`, a release's download, a raw file of a Git repository, `oci://…:tag`.

use super::slot_claim::{SlotClaim, SlotKind};
use crate::slot::site::ScalarContext;
use crate::slot::version;

pub(super) const KIND: SlotKind = SlotKind { name: "URL", claim };

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    let text = site.text().trim_end();
    if text.contains(char::is_whitespace) || !(text.contains("://") || text.contains("?ref=")) {
        return None;
    }
    let part = version::url(text)?;
    let claim = SlotClaim::whole(site, part.what, part.artifact.as_deref()).text().named(site.object_name());
    Some(SlotClaim { range: part.range, ..claim })
}
