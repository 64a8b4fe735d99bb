//! URLs that contain a version: `?ref=`, a release's download, a raw file of a Git repository, `oci://…:tag`.

use super::{Claim, Kind};
use crate::slot::site::Site;
use crate::slot::version;

pub(super) const KIND: Kind = Kind { name: "URL", claim };

fn claim(site: &Site<'_, '_>) -> Option<Claim> {
    let text = site.text().trim_end();
    if text.contains(char::is_whitespace) || !(text.contains("://") || text.contains("?ref=")) {
        return None;
    }
    let part = version::url(text)?;
    let claim = Claim::whole(site, part.what, part.artifact.as_deref()).text().named(site.object_name());
    Some(Claim { range: part.range, ..claim })
}
