//! `version`, `fooVersion`, `FOO_VERSION`: a version by the name of its key alone.

use super::conventions::{folded, label};
use super::{Claim, Kind};
use crate::slot::artifact::What;
use crate::slot::site::Site;
use crate::slot::version;

pub(super) const KIND: Kind = Kind { name: "version", claim };

/// Keys that end like versions and are none: of schemas and protocols.
const OTHERS: [&str; 8] = [
    "apiversion",
    "schemaversion",
    "formatversion",
    "resourceversion",
    "minversion",
    "maxversion",
    "configversion",
    "httpversion",
];

fn claim(site: &Site<'_, '_>) -> Option<Claim> {
    let key = folded(label(site)?);
    let text = site.text().trim();
    if !key.ends_with("version") || OTHERS.iter().any(|other| key.ends_with(other)) || !version::may_be_version(text) {
        return None;
    }
    // `group`, `version` and `kind` name an API.
    if key == "version" && (site.sibling("kind").is_some() || site.sibling("group").is_some()) && site.kind().is_none()
    {
        return None;
    }
    Some(Claim::whole(site, What::Package, None))
}
