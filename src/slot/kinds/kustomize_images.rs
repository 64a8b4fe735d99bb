//! `images` of a kustomization, and of a Flux Kustomization: `newTag`, `digest`, and a version inside of `newName`.

use super::{Claim, Kind};
use crate::model::image::Version;
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
    let image = |entry: Version| Claim { entry: Some(entry), ..Claim::whole(site, What::Image, Some(name)).text() };
    if site.key() != Some("newName") {
        let filled = |key: &str| site.sibling(key).filter(|text| !text.is_empty()).map(str::to_owned);
        return Some(image(Version { tag: filled("newTag"), digest: filled("digest") }));
    }
    let part = version::image(site.text())?;
    let entry = Version::parse(&site.text()[part.range.clone()]);
    Some(Claim { range: part.range, ..image(entry) })
}
