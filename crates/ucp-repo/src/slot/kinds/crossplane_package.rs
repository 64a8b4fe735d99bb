//! Crossplane's packages: `spec.package` of a Provider, Configuration, or Function, and the dependencies of a package.

use super::slot_claim::{SlotClaim, SlotKind};
use crate::slot::artifact::ArtifactKind;
use crate::slot::site::ScalarContext;
use crate::slot::version;

pub(super) const KIND: SlotKind = SlotKind { name: "Crossplane package", claim };

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    if site.is_at(&["spec", "package"]) {
        let part = version::image(site.text())?;
        let claim = SlotClaim::part(site, part).text().named(site.object_name());
        return Some(SlotClaim { what: ArtifactKind::Package, ..claim });
    }
    if !site.is_at(&["spec", "dependsOn", "[]", "version"]) {
        return None;
    }
    let names = ["package", "provider", "configuration", "function"];
    let package = names.iter().find_map(|name| site.sibling(name))?;
    Some(SlotClaim::whole(site, ArtifactKind::Package, Some(package)).text().named(site.object_name()))
}
