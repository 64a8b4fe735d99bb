//! Charts that kustomize inflates: `helmCharts`, and the older `helmChartInflationGenerator`.

use super::slot_claim::{SlotClaim, SlotKind};
use crate::slot::artifact::ArtifactKind;
use crate::slot::site::ScalarContext;

pub(super) const KIND: SlotKind = SlotKind { name: "kustomize helmCharts", claim };

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    let chart = if site.is_at(&["helmCharts", "[]", "version"]) {
        site.sibling("name")
    } else if site.is_at(&["helmChartInflationGenerator", "[]", "chartVersion"]) {
        site.sibling("chartName")
    } else {
        return None;
    };
    Some(SlotClaim::whole(site, ArtifactKind::Chart, chart).text().named(site.sibling("releaseName")))
}
