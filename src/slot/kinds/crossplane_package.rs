//! Crossplane's packages: `spec.package` of a Provider, Configuration, or Function, and the dependencies of a package.

use super::{Claim, Kind};
use crate::slot::artifact::What;
use crate::slot::site::Site;
use crate::slot::version;

pub(super) const KIND: Kind = Kind { name: "Crossplane package", claim };

fn claim(site: &Site<'_, '_>) -> Option<Claim> {
    if site.is_at(&["spec", "package"]) {
        let part = version::image(site.text())?;
        let claim = Claim::part(site, part).text().named(site.object_name());
        return Some(Claim { what: What::Package, ..claim });
    }
    if !site.is_at(&["spec", "dependsOn", "[]", "version"]) {
        return None;
    }
    let names = ["package", "provider", "configuration", "function"];
    let package = names.iter().find_map(|name| site.sibling(name))?;
    Some(Claim::whole(site, What::Package, Some(package)).text().named(site.object_name()))
}
