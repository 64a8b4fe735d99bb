//! Releases of a helmfile, and similar lists: the name of a chart with its version.

use super::slot_claim::{SlotClaim, SlotKind};
use crate::slot::artifact::ArtifactKind;
use crate::slot::site::ScalarContext;

pub(super) const KIND: SlotKind = SlotKind { name: super::kind_names::HELMFILE_RELEASE, claim };

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    let key = site.key()?;
    if !matches!(key, "version" | "chartVersion" | "chart_version" | "targetRevision") {
        return None;
    }
    let chart = ["chart", "chartName", "chart_name", "chart_ref"].iter().find_map(|key| site.sibling(key))?;
    let name = ["name", "releaseName", "release"].iter().find_map(|key| site.sibling(key));
    Some(SlotClaim::whole(site, ArtifactKind::Chart, Some(chart)).text().named(name))
}
