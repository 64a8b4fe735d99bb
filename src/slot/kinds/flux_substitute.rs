//! Variables of a Flux Kustomization, `postBuild.substitute`, whose value is a version.

use super::conventions::stem;
use super::{Claim, Kind};
use crate::slot::artifact::What;
use crate::slot::site::Site;
use crate::slot::version;

pub(super) const KIND: Kind = Kind { name: "Flux substitute", claim };

fn claim(site: &Site<'_, '_>) -> Option<Claim> {
    if !site.is_at(&["spec", "postBuild", "substitute", "*"]) {
        return None;
    }
    let key = site.key()?;
    let said = stem(key).is_some() && version::may_be_version(site.text().trim());
    (said || version::is_numbered(site.text()))
        .then(|| Claim::whole(site, What::Package, None).text().named(stem(key).or(Some(key))))
}
