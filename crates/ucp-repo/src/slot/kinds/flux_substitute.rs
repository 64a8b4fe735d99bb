//! Variables of a Flux Kustomization, `postBuild.substitute`, whose value is a version.

use super::conventions::{names_interface, stem};
use super::slot_claim::{SlotClaim, SlotKind};
use crate::slot::archive::is_numbered;
use crate::slot::artifact::ArtifactKind;
use crate::slot::site::ScalarContext;
use crate::slot::version;

pub(super) const KIND: SlotKind = SlotKind { name: "Flux substitute", claim };

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    if !site.is_at(&["spec", "postBuild", "substitute", "*"]) {
        return None;
    }
    let key = site.key().filter(|key| !names_interface(key))?;
    let said = stem(key).is_some() && version::may_be_version(site.text().trim());
    (said || is_numbered(site.text()))
        .then(|| SlotClaim::whole(site, ArtifactKind::Package, None).text().named(stem(key).or(Some(key))))
}
