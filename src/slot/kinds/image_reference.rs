//! `image: repository:tag`, under any key for an image, in workloads, custom resources, patches, and values.

use super::conventions::{folded, label};
use super::{Claim, Kind};
use crate::slot::artifact::What;
use crate::slot::site::Site;
use crate::slot::version;

pub(super) const KIND: Kind = Kind { name: "image", claim };

fn claim(site: &Site<'_, '_>) -> Option<Claim> {
    let key = folded(label(site)?);
    // A bundle of Tekton is an image, too.
    let is_bundle = key == "bundle" && site.group() == Some("tekton.dev");
    if !(key.contains("image") || is_bundle) || key.ends_with("policy") || key.ends_with("repository") {
        return None;
    }
    let text = site.text().trim_end();
    if text.contains(char::is_whitespace) {
        return None;
    }
    let offset = text.find("://").map_or(0, |scheme| scheme + 3);
    let part = version::image(&text[offset..])?;
    let name = site.sibling("name").or_else(|| site.object_name());
    let claim = Claim::whole(site, What::Image, part.artifact.as_deref()).text().named(name);
    Some(Claim { range: part.range.start + offset..part.range.end + offset, ..claim })
}
