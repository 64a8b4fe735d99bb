//! Flux's sources: the `ref` of an OCIRepository or GitRepository, the `version` of a HelmChart.

use super::slot_claim::{SlotClaim, SlotKind};
use crate::slot::artifact::ArtifactKind;
use crate::slot::site::ScalarContext;

pub(super) const KIND: SlotKind = SlotKind { name: "Flux source", claim };

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    let spec = site.root.get("spec");
    if site.is_at(&["spec", "version"]) && site.kind() == Some("HelmChart") {
        return Some(
            SlotClaim::whole(site, ArtifactKind::Chart, spec?.text_at("chart")).text().named(site.object_name()),
        );
    }
    let fields = ["tag", "digest", "semver", "branch", "commit", "name"];
    let in_ref = ["ref", "reference"].iter().any(|key| fields.iter().any(|field| site.is_at(&["spec", key, field])));
    let url = spec.and_then(|spec| spec.text_at("url"));
    if !in_ref || (url.is_none() && !matches!(site.kind(), Some("OCIRepository" | "GitRepository"))) {
        return None;
    }
    let (what, artifact) = match url.and_then(|url| url.strip_prefix("oci://")) {
        Some(address) if is_chart(site, address) => (ArtifactKind::Chart, Some(address)),
        Some(address) => (ArtifactKind::Package, Some(address)),
        None if site.kind() == Some("OCIRepository") => (ArtifactKind::Package, url),
        None => (ArtifactKind::Git, url),
    };
    Some(SlotClaim::whole(site, what, artifact).text().named(site.object_name()))
}

fn is_chart(site: &ScalarContext<'_, '_>, address: &str) -> bool {
    let layer = site.root.get("spec").and_then(|spec| spec.get("layerSelector")?.text_at("mediaType"));
    layer.is_some_and(|layer| layer.contains("helm")) || address.split('/').any(|part| part.contains("chart"))
}
