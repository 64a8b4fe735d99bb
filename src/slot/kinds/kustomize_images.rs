//! `images` of a kustomization, and of a Flux Kustomization: `newTag`, `digest`, and a version inside of `newName`.

use super::{Claim, Kind};
use crate::slot::artifact::What;
use crate::slot::site::Site;
use crate::slot::version;

pub(super) const KIND: Kind = Kind { name: "kustomize images", claim };

fn claim(site: &Site<'_, '_>) -> Option<Claim> {
    let listed = ["images", "imageTags"].iter().any(|list| {
        ["newTag", "digest", "newName"]
            .iter()
            .any(|key| site.is_at(&[list, "[]", key]) || site.is_at(&["spec", list, "[]", key]))
    });
    let name = site.sibling("name").filter(|_| listed)?;
    if site.key() != Some("newName") {
        return Some(Claim::whole(site, What::Image, Some(name)).text());
    }
    let part = version::image(site.text())?;
    Some(Claim { range: part.range, ..Claim::whole(site, What::Image, Some(name)).text() })
}
