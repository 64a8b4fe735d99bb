//! Argo CD's Applications and ApplicationSets: `targetRevision` of a chart or repository, `kustomize.images`.

use super::slot_claim::{SlotClaim, SlotKind};
use crate::slot::artifact::ArtifactKind;
use crate::slot::site::ScalarContext;
use crate::slot::version;
use crate::yaml::tree::YamlNode;

pub(super) const KIND: SlotKind = SlotKind { name: "Argo CD", claim };

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    if site.key() == Some("targetRevision") {
        let chart = site.sibling("chart").filter(|chart| !chart.is_empty());
        let what = if chart.is_some() { ArtifactKind::Chart } else { ArtifactKind::Git };
        let artifact = chart.or_else(|| site.sibling("repoURL"));
        return Some(SlotClaim::whole(site, what, artifact).text().named(site.object_name()));
    }
    if let Some(source) = filled_in_by(site) {
        let chart = source.text_at("chart").filter(|chart| !chart.is_empty());
        let what = if chart.is_some() { ArtifactKind::Chart } else { ArtifactKind::Git };
        let artifact = chart.or_else(|| source.text_at("repoURL"));
        return Some(SlotClaim::whole(site, what, artifact).text().named(site.object_name()));
    }
    if !site.is_at(&["**", "kustomize", "images", "[]"]) {
        return None;
    }
    // `name=repository:tag`, or without the name.
    let start = site.text().find('=').map_or(0, |equals| equals + 1);
    let part = version::image(&site.text()[start..])?;
    let range = part.range.start + start..part.range.end + start;
    let claim = SlotClaim::whole(site, ArtifactKind::Image, part.artifact.as_deref()).text().named(site.object_name());
    Some(SlotClaim { range, ..claim })
}

/// Returns the source of an ApplicationSet whose `targetRevision` is set by an element of a list generator.
fn filled_in_by<'a>(site: &ScalarContext<'_, 'a>) -> Option<&'a YamlNode> {
    if site.kind() != Some("ApplicationSet") || !site.is_at(&["**", "list", "elements", "[]", "*"]) {
        return None;
    }
    let key = site.key()?;
    let spec = site.root.get("spec")?.get("template")?.get("spec")?;
    let sources = spec.get("source").into_iter().chain(spec.get("sources").map(YamlNode::items).unwrap_or_default());
    sources.into_iter().find(|source| {
        let filled =
            source.text_at("targetRevision").and_then(|text| text.trim().strip_prefix("{{")?.strip_suffix("}}"));
        filled.is_some_and(|name| name.trim().trim_start_matches('.') == key)
    })
}
