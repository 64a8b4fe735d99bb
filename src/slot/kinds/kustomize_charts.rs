//! Charts that kustomize inflates: `helmCharts`, and the older `helmChartInflationGenerator`.

use super::{Claim, Kind};
use crate::slot::artifact::What;
use crate::slot::site::Site;

pub(super) const KIND: Kind = Kind { name: "kustomize helmCharts", claim };

fn claim(site: &Site<'_, '_>) -> Option<Claim> {
    let chart = if site.is_at(&["helmCharts", "[]", "version"]) {
        site.sibling("name")
    } else if site.is_at(&["helmChartInflationGenerator", "[]", "chartVersion"]) {
        site.sibling("chartName")
    } else {
        return None;
    };
    Some(Claim::whole(site, What::Chart, chart).text().named(site.sibling("releaseName")))
}
