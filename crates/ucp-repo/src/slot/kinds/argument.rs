//! Version in a command line argument, an environment variable, or a generator's literal: `--version=v1.2`, `TAG=v1`.

use super::conventions::{fold_key, names_interface};
use super::slot_claim::{SlotClaim, SlotKind};
use crate::slot::artifact::ArtifactKind;
use crate::slot::site::ScalarContext;
use crate::slot::version;

pub(super) const KIND: SlotKind = SlotKind { name: "argument", claim };

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    let listed = ["args", "command", "literals", "arguments", "env", "environment", "extraArgs", "set"];
    if !listed.iter().any(|list| site.is_at(&["**", list, "[]"])) {
        return None;
    }
    let text = site.text().trim_end();
    let (name, value) = text.split_once('=')?;
    let key = fold_key(name.trim_start_matches('-'));
    let start = name.len() + 1;
    if let Some(part) = version::image(value).filter(|_| key.contains("image")) {
        let claim = SlotClaim::whole(site, ArtifactKind::Image, part.artifact.as_deref()).text();
        return Some(SlotClaim { range: part.range.start + start..part.range.end + start, ..claim });
    }
    let what = if key.ends_with("tag") { ArtifactKind::Image } else { ArtifactKind::Package };
    let said = ["version", "tag", "revision"].iter().any(|ending| key.ends_with(ending));
    (said && !names_interface(name) && version::may_be_version(value)).then(|| {
        // A variable names its artifact; an option does not.
        let variable = Some(name).filter(|name| !name.starts_with('-'));
        let claim = SlotClaim::whole(site, what, variable).text().named(Some(name.trim_start_matches('-')));
        SlotClaim { range: start..text.len(), ..claim }
    })
}
