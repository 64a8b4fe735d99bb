//! Remote bases of a kustomization, by `?ref=` or a version in their URL.

use super::{Claim, Kind};
use crate::slot::artifact::What;
use crate::slot::site::Site;
use crate::slot::version;

pub(super) const KIND: Kind = Kind { name: "remote base", claim };

fn claim(site: &Site<'_, '_>) -> Option<Claim> {
    const LISTS: [&str; 6] = ["resources", "bases", "components", "patches", "patchesStrategicMerge", "crds"];
    if !LISTS.iter().any(|list| site.is_at(&[list, "[]"])) {
        return None;
    }
    let claim = Claim::part(site, version::url(site.text())?).text();
    Some(Claim { what: What::Git, ..claim })
}
