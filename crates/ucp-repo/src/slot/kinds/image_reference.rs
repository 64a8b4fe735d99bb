//! `image: repository:tag`, under any key for an image, in workloads, custom resources, patches, and values; with a
//! registry, under any key.

use super::conventions::{fold_key, label};
use super::slot_claim::{SlotClaim, SlotKind};
use crate::slot::artifact::ArtifactKind;
use crate::slot::site::ScalarContext;
use crate::slot::version;

pub(super) const KIND: SlotKind = SlotKind { name: "image", claim };

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    let key = fold_key(label(site)?);
    // A bundle of Tekton is an image, too.
    let is_bundle = key == "bundle" && site.group() == Some("tekton.dev");
    let is_image = key.contains("image") || is_bundle || names_registry(site.text());
    if !is_image || key.ends_with("policy") || key.ends_with("repository") {
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

/// Returns true for a reference that begins with the host of a registry, and ends with a tag with a number, or a digest.
fn names_registry(text: &str) -> bool {
    let text = text.trim_end();
    let Some((host, rest)) = text.split_once('/') else { return false };
    let (name, port) = host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port)));
    let is_label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    let labels: Vec<&str> = name.split('.').collect();
    let is_top =
        labels.last().is_some_and(|label| label.len() > 1 && label.bytes().all(|byte| byte.is_ascii_lowercase()));
    let is_host = labels.len() > 1
        && is_top
        && labels.iter().all(|label| is_label(label))
        && port.is_none_or(|port| port.parse::<u16>().is_ok());
    let (repository, digest) = rest.split_once('@').map_or((rest, None), |(left, digest)| (left, Some(digest)));
    let (repository, tag) = repository.split_once(':').map_or((repository, None), |(left, tag)| (left, Some(tag)));
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-/".contains(c);
    let is_tag = |tag: &str| {
        tag.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
            && tag.contains(|c: char| c.is_ascii_digit())
    };
    let is_digest = |digest: &str| digest.starts_with("sha256:") && digest.len() == 71;
    is_host
        && !repository.is_empty()
        && repository.chars().all(is_part)
        && (tag.is_some() || digest.is_some())
        && tag.is_none_or(is_tag)
        && digest.is_none_or(is_digest)
}

#[cfg(test)]
mod tests {
    use crate::slot::slots_in;

    #[test]
    fn a_reference_with_a_registry_is_an_image_under_any_key() {
        let text = "versions:\n  arborist: registry.example.org/team/arborist:2024.05\n  portal: r.example.org:5000/portal:v1\n";
        let slots = slots_in("manifest.yaml", text).unwrap();
        let found: Vec<_> = slots.iter().map(|slot| (slot.artifact.as_deref(), slot.version.as_str())).collect();
        let expected =
            [(Some("registry.example.org/team/arborist"), "2024.05"), (Some("r.example.org:5000/portal"), "v1")];
        assert_eq!(found, expected);
        for other in
            ["host.example.org/path:8080/x", "example/team:v1", "1.2.3.4/a:5", "host.example.org/a: b", "a.b/c"]
        {
            assert_eq!(slots_in("a.yaml", &format!("key: \"{other}\"\n")).unwrap(), [], "{other}");
        }
    }
}
