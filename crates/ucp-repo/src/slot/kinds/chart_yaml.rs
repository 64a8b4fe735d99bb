//! `Chart.yaml`: its dependencies, its version, and its `appVersion`.

use super::slot_claim::{SlotClaim, SlotKind};
use crate::slot::artifact::ArtifactKind;
use crate::slot::site::ScalarContext;

pub(super) const KIND: SlotKind = SlotKind { name: super::kind_names::CHART_FILE, claim };

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    if site.is_at(&["dependencies", "[]", "version"]) {
        let name = site.sibling("name")?;
        site.sibling("repository")
            .or_else(|| site.sibling("condition"))
            .or_else(|| site.sibling("alias"))
            .or(is_chart(site))?;
        return Some(SlotClaim::whole(site, ArtifactKind::Chart, Some(name)).text());
    }
    is_chart(site)?;
    if site.is_at(&["version"]) {
        return Some(SlotClaim::whole(site, ArtifactKind::Chart, site.sibling("name")).text());
    }
    site.is_at(&["appVersion"]).then(|| SlotClaim::whole(site, ArtifactKind::Package, site.sibling("name")).text())
}

/// Returns the file name if the file is a chart, by its name or its fields.
fn is_chart<'a>(site: &ScalarContext<'_, 'a>) -> Option<&'a str> {
    let named = ["Chart.yaml", "Chart.yml", "requirements.yaml"].contains(&site.file_name());
    let has_fields = site.root.get("kind").is_none() && site.root.get("name").is_some();
    let fields = matches!(site.root.text_at("apiVersion"), Some("v1" | "v2")) && has_fields;
    (named || fields).then_some(site.file_name())
}
