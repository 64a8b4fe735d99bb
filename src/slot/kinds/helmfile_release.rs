//! Releases of a helmfile, and similar lists: the name of a chart with its version.

use super::{Claim, Kind};
use crate::slot::artifact::What;
use crate::slot::site::Site;

pub(super) const KIND: Kind = Kind { name: "chart", claim };

fn claim(site: &Site<'_, '_>) -> Option<Claim> {
    let key = site.key()?;
    if !matches!(key, "version" | "chartVersion" | "chart_version" | "targetRevision") {
        return None;
    }
    let chart = ["chart", "chartName", "chart_name", "chart_ref"].iter().find_map(|key| site.sibling(key))?;
    let name = ["name", "releaseName", "release"].iter().find_map(|key| site.sibling(key));
    Some(Claim::whole(site, What::Chart, Some(chart)).text().named(name))
}
