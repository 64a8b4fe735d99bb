//! `image: {repository: …, tag: …}`, and other ways of charts to separate name and tag.

use super::conventions::{fold_key, label, repository, stem};
use super::slot_claim::{SlotClaim, SlotKind};
use crate::slot::artifact::ArtifactKind;
use crate::slot::siblings;
use crate::slot::site::ScalarContext;
use crate::slot::version;
use crate::yaml::tree::YamlNode;

pub(super) const KIND: SlotKind = SlotKind { name: "Helm values", claim };

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    let label = label(site)?;
    let key = fold_key(label);
    let text = site.text().trim();
    let is_named_digest = (key.ends_with("digest") || key.ends_with("sha")) && text.contains("sha256:");
    let is_digest = is_named_digest || !key.ends_with("tag") && siblings::is_digest_of_tag(site);
    if !(key.ends_with("tag") || is_digest) || !version::may_be_version(text) {
        return None;
    }
    let artifact = parameter(site).or_else(|| site.mapping().and_then(|mapping| repository(mapping, label)));
    // A digest without a named artifact may be of any content.
    let pins = || {
        !is_named_digest || site.mapping().is_some_and(|mapping| mapping.entries().iter().any(|(key, _)| is_tag(key)))
    };
    if is_digest && !key.ends_with("tag") && artifact.is_none() && !pins() {
        return None;
    }
    Some(SlotClaim::whole(site, ArtifactKind::Image, artifact.as_deref()).named(stem(label)))
}

fn is_tag(key: &YamlNode) -> bool {
    key.text().is_some_and(|key| fold_key(key).ends_with("tag"))
}

/// Returns the value of the parameter `image.repository` beside `image.tag`.
fn parameter(site: &ScalarContext<'_, '_>) -> Option<String> {
    let name = site.sibling("name")?;
    let prefix = &name[..name.rfind('.')? + 1];
    let parameters = site.around(1)?.items().iter();
    let mut named = parameters.filter(|item| {
        let other = item.text_at("name").and_then(|other| other.strip_prefix(prefix));
        matches!(other, Some("repository" | "name" | "image"))
    });
    named.find_map(|item| item.text_at("value")).map(str::to_owned)
}
