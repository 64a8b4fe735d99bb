//! Tables of versions: mappings from environments, services, or charts whose values are all versions.

use super::conventions::selects_or_configures;
use super::slot_claim::{SlotClaim, SlotKind};
use crate::slot::artifact::ArtifactKind;
use crate::slot::site::ScalarContext;
use crate::slot::version;
use crate::yaml::tree::YamlNode;

pub(super) const KIND: SlotKind = SlotKind { name: "table", claim };

/// Number of sibling tables to inspect.
const LOOK: usize = 4;

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    if site.root.get("apiVersion").is_some() || !is_strict(site.text()) || selects_or_configures(site) {
        return None;
    }
    let table = site.mapping()?;
    let all = |table: &YamlNode| {
        let values = table.entries().iter().take(LOOK);
        values.clone().count() > 0 && values.into_iter().all(|(_, value)| value.text().is_some_and(is_strict))
    };
    // A table with one line counts only beside other tables.
    let neighbours =
        || site.around(1).is_some_and(|around| around.entries().iter().take(LOOK).all(|(_, value)| all(value)));
    if !all(table) || (table.entries().len() == 1 && site.frames.len() > 1 && !neighbours()) {
        return None;
    }
    let row = match site.frames.len() {
        1 => site.key(),
        _ => site.frames.iter().rev().nth(1).and_then(|frame| frame.key()),
    };
    Some(SlotClaim::whole(site, ArtifactKind::Package, None).named(row))
}

/// Returns true for at least three numbers, or a commit, which excludes ports, sizes, percentages, and addresses.
fn is_strict(text: &str) -> bool {
    let text = text.trim_end();
    let body = text.strip_prefix('v').unwrap_or(text);
    let numbers: Vec<&str> = body.split(['-', '+']).next().unwrap_or(body).split('.').collect();
    let numbered =
        numbers.len() == 3 && numbers.iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    let commit = text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    (numbered && version::may_be_version(text)) || commit
}
