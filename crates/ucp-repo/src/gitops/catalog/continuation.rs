//! Several versions of one name, of which only one continues in the requested version.

use crate::gitops::catalog::CatalogPlace;
use crate::gitops::catalog::likeness::{common_numbers, is_next, is_other_line, is_same_line, shape};
use crate::gitops::catalog::naming::NameFit;
use crate::gitops::catalog::query::NamedPlaces;

/// Returns the places of the version that the requested one continues, if no other can be meant: the words of all others
/// name other lines of releases, or, for the name of a location, their first numbers differ. Places that already have the
/// requested version are kept.
pub(super) fn continued<'c>(named: &NamedPlaces<'c>, best: NameFit, version: &str) -> Option<Vec<&'c CatalogPlace>> {
    // A name of a location is not more precise for an object than for its directory.
    let counts = |fit: NameFit| fit == best || best.is_weak();
    let (kept, open): (Vec<&CatalogPlace>, Vec<&CatalogPlace>) = named
        .iter()
        .filter(|(fit, _)| counts(*fit))
        .map(|(_, place)| *place)
        .partition(|place| place.slot.version == version);
    let chosen = in_line(&open, version).or_else(|| best.is_weak().then(|| by_numbers(&open, version)).flatten())?;
    let first = *chosen.first()?;
    let is_one = |place: &&CatalogPlace| {
        place.slot.version == first.slot.version && (std::ptr::eq(*place, first) || place.shares_artifact(first))
    };
    let is_best = |place: &&CatalogPlace| named.iter().any(|(fit, one)| *fit == best && std::ptr::eq(*one, *place));
    let kept = kept.into_iter().filter(|place| place.shares_artifact(first));
    (chosen.iter().all(is_one) && chosen.iter().any(is_best)).then(|| kept.chain(chosen.iter().copied()).collect())
}

/// Returns the places whose versions have the words of the requested one, if all others have other words.
fn in_line<'c>(open: &[&'c CatalogPlace], version: &str) -> Option<Vec<&'c CatalogPlace>> {
    let (same, others): (Vec<&CatalogPlace>, Vec<&CatalogPlace>) =
        open.iter().copied().partition(|place| is_same_line(&place.slot.version, version));
    others.iter().all(|place| is_other_line(&place.slot.version, version)).then_some(same)
}

/// Returns the places whose first numbers the requested version has, if those of all others differ: in several numbers, or
/// so much that they cannot be followed.
fn by_numbers<'c>(open: &[&'c CatalogPlace], version: &str) -> Option<Vec<&'c CatalogPlace>> {
    let near = |place: &&CatalogPlace| common_numbers(&place.slot.version, version);
    let (alike, others): (Vec<&CatalogPlace>, Vec<&CatalogPlace>) = open.iter().copied().partition(|place| {
        let before = place.slot.version.as_str();
        near(place) > 0 && shape(before) == shape(version) && is_next(before, version)
    });
    let has_several = alike.iter().all(|place| near(place) > 1);
    let is_far = |place: &&CatalogPlace| near(place) == 0 && (has_several || !is_next(&place.slot.version, version));
    others.iter().all(is_far).then_some(alike)
}
