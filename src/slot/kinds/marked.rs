//! Value with a marker comment: Flux's setter or Renovate's comment names its artifact.

use super::{Claim, Kind};
use crate::slot::artifact::What;
use crate::slot::marker::{Marker, SetterField};
use crate::slot::site::Site;
use crate::slot::version;

pub(super) const KIND: Kind = Kind { name: "marker", claim };

fn claim(site: &Site<'_, '_>) -> Option<Claim> {
    let what = match site.marker()? {
        Marker::Flux { field: SetterField::Name, .. } => return None,
        Marker::Flux { .. } => What::Image,
        Marker::Renovate { datasource, .. } => match datasource.as_deref() {
            Some("docker") => What::Image,
            Some("helm") => What::Chart,
            Some("git-refs" | "git-tags") => What::Git,
            _ => What::Package,
        },
    };
    if let Some(part) = version::part(site.text()) {
        return Some(Claim::part(site, part));
    }
    version::may_be_version(site.text().trim()).then(|| Claim::whole(site, what, None))
}
