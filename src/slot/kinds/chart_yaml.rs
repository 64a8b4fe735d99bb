//! `Chart.yaml`: its dependencies, its version, and its `appVersion`.

use super::{Claim, Kind};
use crate::slot::artifact::What;
use crate::slot::site::Site;

pub(super) const KIND: Kind = Kind { name: "Chart.yaml", claim };

fn claim(site: &Site<'_, '_>) -> Option<Claim> {
    if site.is_at(&["dependencies", "[]", "version"]) {
        let name = site.sibling("name")?;
        site.sibling("repository")
            .or_else(|| site.sibling("condition"))
            .or_else(|| site.sibling("alias"))
            .or(is_chart(site))?;
        return Some(Claim::whole(site, What::Chart, Some(name)).text());
    }
    is_chart(site)?;
    if site.is_at(&["version"]) {
        return Some(Claim::whole(site, What::Chart, site.sibling("name")).text());
    }
    site.is_at(&["appVersion"]).then(|| Claim::whole(site, What::Package, site.sibling("name")).text())
}

/// Returns the file name if the file is a chart, by its name or its fields.
fn is_chart<'a>(site: &Site<'_, 'a>) -> Option<&'a str> {
    let named = ["Chart.yaml", "Chart.yml", "requirements.yaml"].contains(&site.file_name());
    let fields = matches!(site.root.text_at("apiVersion"), Some("v1" | "v2")) && site.root.get("kind").is_none();
    (named || fields).then_some(site.file_name())
}
