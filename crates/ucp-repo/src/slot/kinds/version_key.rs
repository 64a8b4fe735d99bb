//! `version`, `fooVersion`, `FOO_VERSION`: a version by the name of its key alone.

use super::conventions::{fold_key, is_listed_number, label, selects_or_configures, stem};
use super::slot_claim::{SlotClaim, SlotKind};
use crate::slot::archive::is_numbered;
use crate::slot::artifact::ArtifactKind;
use crate::slot::site::ScalarContext;
use crate::slot::version;
use ucp_core::model::image::ImageReference;

pub(super) const KIND: SlotKind = SlotKind { name: "version", claim };

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    let label = label(site)?;
    let text = site.text().trim();
    let key = fold_key(label);
    if !version::may_be_version(text) {
        return None;
    }
    if key == "version" && is_of_schema(site, text) || selects_or_configures(site) || is_listed_number(site) {
        return None;
    }
    // `chartVersions: {api: 1.2.3}`.
    let listed = || {
        site.frames
            .iter()
            .rev()
            .nth(1)
            .and_then(|frame| frame.key())
            .is_some_and(|key| fold_key(key).ends_with("versions"))
    };
    if !key.ends_with("version") {
        return (is_numbered(text) && listed())
            .then(|| SlotClaim::whole(site, ArtifactKind::Package, None).named(Some(label)));
    }
    // `group`, `version`, and `kind` name an API; so does `v1beta1` anywhere.
    if is_api_version(text) && (site.sibling("kind").is_some() || site.sibling("group").is_some()) {
        return None;
    }
    let what = if key.contains("chart") { ArtifactKind::Chart } else { ArtifactKind::Package };
    let artifact = beside(site, label);
    Some(
        SlotClaim::whole(site, what, artifact)
            .named(stem(label).or_else(|| site.sibling("name")).or_else(|| site.object_name())),
    )
}

/// Returns the artifact from the keys beside the version: `addonChart` beside `addonChartVersion`.
fn beside<'a>(site: &ScalarContext<'_, 'a>, label: &str) -> Option<&'a str> {
    let own = label.len().checked_sub("version".len()).and_then(|length| label.get(..length))?;
    let own = own.trim_end_matches(['_', '-']);
    if !own.is_empty() {
        return site.sibling(own).or_else(|| site.sibling(&format!("{own}Name"))).filter(|name| !name.is_empty());
    }
    let named = ["package", "source", "repository"].iter().find_map(|key| site.sibling(key));
    named.or_else(|| site.sibling("image").map(name_of_image))
}

/// Returns the name of an image without its tag and digest.
fn name_of_image(image: &str) -> &str {
    &image[..ImageReference::split(image).name.len()]
}

/// Returns true if a `version` is that of the format of its document: a dashboard, a Compose file, the settings of a
/// tool.
fn is_of_schema(site: &ScalarContext<'_, '_>, text: &str) -> bool {
    // A panel of a dashboard has a counter as well, alone or in a library.
    const BESIDE: [&str; 9] = [
        "panels",
        "schemaVersion",
        "$schema",
        "templating",
        "dashboard",
        "plugins",
        "gridPos",
        "fieldConfig",
        "libraryPanel",
    ];
    let is_counter = text.len() < 5 && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some(mapping) = site.mapping() else { return false };
    let is_root = site.frames.len() == 1;
    let is_compose = is_root && mapping.get("services").is_some_and(|services| services.text().is_none());
    // The language of a policy of AWS.
    let is_policy = mapping.get("Statement").is_some();
    let is_data_source = is_counter && site.is_below("datasources");
    let is_panel = is_counter
        && (site.key_above() == Some("model") && mapping.get("type").is_some()
            || mapping.get("model").is_some_and(|model| model.get("type").is_some()));
    // `info` of a description of an API.
    let is_interface = mapping.get("title").is_some() && site.key_above() == Some("info");
    // The major version of the program that renders a source of Argo CD.
    let is_renderer = site.key_above() == Some("helm") && matches!(text, "v2" | "v3" | "v4");
    is_compose
        || is_renderer
        || is_panel
        || is_interface
        || is_policy
        || is_data_source
        || (is_counter && (is_root || BESIDE.iter().any(|key| mapping.get(key).is_some())))
}

fn is_api_version(text: &str) -> bool {
    text.strip_prefix('v').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit()) && rest.chars().all(|c| c.is_ascii_alphanumeric())
    })
}
