//! Names of charts. The `appVersion` in the `Chart.yaml` of a chart is the version of the application that it deploys.

use crate::gitops::catalog::likeness::{can_follow, common_numbers, is_near, shape};
use crate::gitops::catalog::naming::NameFit;
use crate::gitops::catalog::query::{NamedPlaces, VersionQuery};
use crate::gitops::catalog::unresolved::NameResolutionError;
use crate::gitops::catalog::{Catalog, CatalogPlace};
use crate::gitops::path;
use crate::gitops::purpose::Purpose;
use crate::slot::artifact::ArtifactKind;

/// Places with the name of a chart.
pub(super) struct ChartName<'c> {
    /// The own versions of charts.
    pub(super) own: NamedPlaces<'c>,
    /// All other places.
    pub(super) used: NamedPlaces<'c>,
}

type Resolved<'c> = Result<Vec<&'c CatalogPlace>, NameResolutionError<'c>>;

/// Returns the places that a name refers to, which charts may have. `resolve` chooses between places without regard to
/// charts.
///
/// A chart that is used comes before the own versions of a chart. What is only located by the chart, such as its
/// dependencies and sidecars, comes after its `appVersion`.
pub(super) fn resolve<'c>(
    catalog: &Catalog,
    named: ChartName<'c>,
    question: &VersionQuery<'_>,
    resolve: &dyn Fn(NamedPlaces<'c>) -> Resolved<'c>,
) -> Resolved<'c> {
    let ChartName { own, mut used } = named;
    let is_application = |(fit, place): &&(NameFit, &CatalogPlace)| {
        *fit <= NameFit::Artifact
            && place.slot.what == ArtifactKind::Package
            && question.environment.is_none_or(|environment| catalog.is_in(place, environment))
    };
    let application: NamedPlaces<'c> = own.iter().filter(is_application).copied().collect();
    // Samples and tests count only if nothing else has the name.
    if application.iter().any(|(_, place)| place.purpose == Purpose::Deployed) {
        used.retain(|(_, place)| place.purpose == Purpose::Deployed);
    }
    let version = question.version;
    let near = |place: &CatalogPlace| common_numbers(&place.slot.version, version);
    if application.is_empty() || used.iter().any(|(fit, _)| !fit.is_weak()) {
        if used.is_empty() {
            return resolve(own);
        }
        let found = resolve(used)?;
        // A release of the chart, and the chart itself, whose version the new one continues.
        let nearest = found.iter().map(|place| near(place)).max();
        let is_nearer = |(fit, place): &&(NameFit, &CatalogPlace)| {
            *fit <= NameFit::Artifact
                && place.purpose == Purpose::Deployed
                && question.is_in_environment(catalog, place)
                && place.slot.version != version
                && Some(near(place)) > nearest
                && fits(place, version)
        };
        let rivals: Vec<&CatalogPlace> = own.iter().filter(is_nearer).map(|(_, place)| *place).collect();
        return match rivals.is_empty() {
            true => Ok(found),
            false => Err(NameResolutionError::Several(found.into_iter().chain(rivals).collect())),
        };
    }
    let fitting: NamedPlaces<'c> = application.iter().copied().filter(|(_, place)| fits(place, version)).collect();
    let nearest = fitting.iter().map(|(_, place)| near(place)).max();
    // A dependency, or a URL in the values, is not known by the name of the chart.
    let is_rival = |place: &CatalogPlace| {
        let what = place.slot.what;
        let is_named = place.is_in_release() || place.is_own_version_of_chart();
        (is_named || matches!(what, ArtifactKind::Image | ArtifactKind::Package))
            && place.slot.version != version
            && fits(place, version)
            && nearest.is_none_or(|nearest| match place.is_own_version_of_chart() {
                true => near(place) > nearest,
                false => near(place) >= nearest,
            })
    };
    let others = if used.is_empty() { &own } else { &used };
    let is_application = |place: &CatalogPlace| application.iter().any(|(_, one)| std::ptr::eq(*one, place));
    let rivals = |named: &NamedPlaces<'c>| -> Vec<&'c CatalogPlace> {
        named.iter().map(|(_, place)| *place).filter(|place| !is_application(place) && is_rival(place)).collect()
    };
    // The version of the chart itself, if the new version continues it rather than that of the application.
    let own_rivals = rivals(&own);
    let has_rival = !own_rivals.is_empty() || !rivals(&used).is_empty();
    if !fitting.is_empty() && !has_rival && !used.iter().any(|(_, place)| is_main_image(place, &application)) {
        return resolve(fitting);
    }
    let places = |named: &NamedPlaces<'c>| named.iter().map(|(_, place)| *place).collect::<Vec<_>>();
    let with_application = |others: Vec<&'c CatalogPlace>| {
        let mut all = places(&application);
        for place in own_rivals.iter().copied().chain(others) {
            if !all.iter().any(|one| std::ptr::eq(*one, place)) {
                all.push(place);
            }
        }
        all
    };
    let is_own_nearer = |found: &[&CatalogPlace]| {
        let nearest = found.iter().map(|place| near(place)).max();
        own_rivals.iter().any(|place| Some(near(place)) > nearest)
    };
    let is_set = |place: &CatalogPlace| place.slot.version == version;
    match resolve(others.clone()) {
        // The version of the chart has this value, but that of its application does not.
        Ok(found) if used.is_empty() && found.iter().all(|place| is_set(place)) && fitting.is_empty() => {
            Err(NameResolutionError::Unlike(with_application(found)))
        }
        Ok(found) if used.is_empty() => Ok(found),
        Ok(found) if found.iter().all(|place| is_main_image(place, &application)) && !is_own_nearer(&found) => {
            Ok(found)
        }
        Ok(found) | Err(NameResolutionError::Several(found)) => {
            Err(NameResolutionError::Several(with_application(found)))
        }
        Err(NameResolutionError::Unlike(found)) => Err(NameResolutionError::Unlike(with_application(found))),
        Err(other) => Err(other),
    }
}

/// Returns true if a version can be the next one of a place.
fn fits(place: &CatalogPlace, version: &str) -> bool {
    let before = place.slot.version.as_str();
    let is_alike = shape(before) == shape(version) || can_follow(before, version, place.slot.what);
    before == version || is_alike && is_near(before, version)
}

/// Returns true for `image.tag` in the values of a chart, which usually overrides its `appVersion`.
fn is_main_image(place: &CatalogPlace, application: &[(NameFit, &CatalogPlace)]) -> bool {
    let is_beside = |(_, chart): &(NameFit, &CatalogPlace)| path::parent(&chart.file) == path::parent(&place.file);
    place.slot.what == ArtifactKind::Image
        && place.slot.path.keys().next() == Some("image")
        && application.iter().any(is_beside)
}
