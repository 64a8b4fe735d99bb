//! Chart of a Flux HelmRelease, in the current and the older API.

use super::slot_claim::{SlotClaim, SlotKind};
use crate::slot::artifact::ArtifactKind;
use crate::slot::site::ScalarContext;

pub(super) const KIND: SlotKind = SlotKind { name: "HelmRelease chart", claim };

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    let name = site.object_name().or_else(|| site.root.get("spec")?.text_at("releaseName"));
    if site.is_at(&["spec", "chart", "spec", "version"]) {
        return Some(SlotClaim::whole(site, ArtifactKind::Chart, site.sibling("chart")).text().named(name));
    }
    if site.is_at(&["spec", "chart", "version"]) {
        // The name of a chart is often the name of the image that it runs.
        let chart = site.sibling("name").map(|chart| match site.sibling("repository") {
            Some(repository) => format!("{}/{chart}", repository.trim_end_matches('/')),
            None => chart.to_owned(),
        });
        return Some(SlotClaim::whole(site, ArtifactKind::Chart, chart.as_deref()).text().named(name));
    }
    // The older API supports charts in Git as well.
    (site.is_at(&["spec", "chart", "ref"]))
        .then(|| SlotClaim::whole(site, ArtifactKind::Git, site.sibling("git")).text().named(name))
}
