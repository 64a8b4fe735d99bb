//! Proposals for versions that are not written: lines of `.ucp.yaml` and commands. Each is planned before it is printed,
//! and dropped unless it covers the intended place and changes nothing else.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::promote::effect;
use crate::promote::facts::PlanningFacts;
use crate::promote::place_address::PlaceAddress;
use crate::promote::single;
use crate::report::promotion::{ConfigLine, PromotionPlan, Remedy, UnchangedValue, VersionUpdate};
use ucp_core::model::image::ImageVersion;
use ucp_repo::gitops::catalog::likeness::{common_numbers, has_same_words, shape};
use ucp_repo::gitops::catalog::naming::normalize_name;
use ucp_repo::gitops::catalog::{Catalog, CatalogPlace};
use ucp_repo::gitops::config::RepositoryConfig;
use ucp_repo::gitops::discover::discover;
use ucp_repo::gitops::effective::builder::KustomizationBuilder;
use ucp_repo::gitops::purpose::Purpose;
use ucp_repo::gitops::repository::Repository;
use ucp_repo::slot::version::is_moving;

/// The maximum number of lines that are planned: each reads the repository once more.
const PLANNED: usize = 2;

/// The maximum number of commands for one value.
pub(crate) const COMMANDS: usize = 6;

/// A place that a version is meant for.
pub(crate) struct IntendedPlace {
    address: PlaceAddress,
    version: String,
}

impl IntendedPlace {
    pub(crate) fn new(place: &CatalogPlace, version: &str) -> Self {
        Self { address: PlaceAddress::of_place(place), version: version.to_owned() }
    }
}

/// What a proposal is for: how to plan again, and where the version belongs.
pub(crate) struct Intention<'i> {
    /// Makes the plan with other facts.
    pub(crate) plan: &'i dyn Fn(&PlanningFacts<'_>) -> Option<PromotionPlan>,
    /// Returns the places that a refused value is meant for, with the version.
    pub(crate) places: &'i dyn Fn(&UnchangedValue) -> Vec<IntendedPlace>,
}

/// Returns the command that sets a place by its path, if it changes this place and nothing else, and no program overwrites
/// it.
pub(crate) fn command(facts: &PlanningFacts<'_>, place: &CatalogPlace, version: &str) -> Option<String> {
    if place.purpose == Purpose::Generated {
        return None;
    }
    let version = whole_version(&place.slot.version, version)?;
    let version = if place.slot.value.contains("://") { with_prefix(&place.slot.version, version) } else { version };
    let assignment = format!(".{}={version}", place.slot.path);
    let text = facts.repository.read_text(&place.file).ok()?;
    let (command, line) = single::command(&place.file, &text, &assignment, facts.policy)?;
    (line == place.slot.line).then_some(command)
}

/// Returns a version with the tag that it has in a value with a tag and a digest, if only its digest is given. The digest of
/// another release is not known to belong to the tag.
fn whole_version(before: &str, version: &str) -> Option<String> {
    let (old, new) = (ImageVersion::parse(before), ImageVersion::parse(version));
    match (&old.tag, &old.digest, &new.tag) {
        (Some(tag), Some(_), None) => is_moving(tag).then(|| format!("{tag}@{version}")),
        _ => Some(version.to_owned()),
    }
}

/// Returns a version with the `v` that the tags of a repository begin with: a URL without it leads nowhere.
fn with_prefix(before: &str, version: String) -> String {
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    match before.strip_prefix('v').is_some_and(is_number) && is_number(&version) {
        true => format!("v{version}"),
        false => version,
    }
}

/// Returns places in the order in which a version is probably meant for them: first those whose versions are most like
/// the new one, then those that a name fits best. A moving tag is like no version.
pub(crate) fn by_likeness<'c>(places: &[&'c CatalogPlace], (name, version): (&str, &str)) -> Vec<&'c CatalogPlace> {
    let mut ordered: Vec<&CatalogPlace> =
        places.iter().copied().filter(|place| place.slot.version != version).collect();
    // Whether a version begins with `v` says less than its numbers.
    let bare = |version| str::strip_prefix(version, 'v').unwrap_or(version);
    let (new, wanted) = (bare(version), normalize_name(name));
    ordered.sort_by_key(|place| {
        let before = bare(place.slot.version.as_str());
        let is_unlike = shape(before) != shape(new) || !has_same_words(before, new);
        let fit = place.names.get(&wanted).copied().map_or((true, None), |fit| (false, Some(fit)));
        let likeness = (is_unlike, Reverse(common_numbers(before, new)));
        let first = if is_moving(version) { (Some(fit), likeness, None) } else { (None, likeness, Some(fit)) };
        (first, shape(&place.slot.version) != shape(version))
    });
    ordered
}

/// Returns commands for places, one a line, in the order of their likeness.
pub(crate) fn commands(facts: &PlanningFacts<'_>, places: &[&CatalogPlace], assigned: (&str, &str)) -> String {
    let ordered = by_likeness(places, assigned).into_iter();
    let commands = ordered.filter_map(|place| command(facts, place, assigned.1));
    let commands: Vec<String> = commands.take(COMMANDS).collect();
    commands.join("\n")
}

/// Verifies the lines of `.ucp.yaml` in the remedies of a plan. A line that does not help is replaced by the commands
/// for the intended places.
pub(crate) fn verify(facts: &PlanningFacts<'_>, plan: &mut PromotionPlan, intention: &Intention<'_>) {
    let mut planned: Vec<(String, Option<PromotionPlan>)> = Vec::new();
    let before = changed(plan);
    let was_refused: BTreeSet<(Option<String>, String)> =
        plan.refused.iter().map(|left| (left.service.clone(), left.image.clone())).collect();
    for left in &mut plan.refused {
        let Some(Remedy { advice, line: Some(ConfigLine { text: line, .. }) }) = left.help.clone() else { continue };
        let places = (intention.places)(left);
        if !planned.iter().any(|(known, _)| *known == line) && planned.len() < PLANNED {
            let new = with_line(facts, &line, intention.plan);
            planned.push((line.clone(), new));
        }
        let new = planned.iter().find(|(known, _)| *known == line).and_then(|(_, new)| new.as_ref());
        let helps = new.is_some_and(|new| {
            let is_refused = |other: &UnchangedValue| other.service == left.service && other.image == left.image;
            let refuses_more =
                new.refused.iter().any(|other| !was_refused.contains(&(other.service.clone(), other.image.clone())));
            let rest: Vec<&VersionUpdate> =
                new.changes.iter().filter(|change| !before.contains(&key(change))).collect();
            let is_meant = |change: &&VersionUpdate| {
                places.iter().any(|place| place.address.file == change.file && place.version == change.after)
            };
            !new.refused.iter().any(is_refused)
                && !refuses_more
                && !rest.is_empty()
                && rest.iter().all(is_meant)
                && before.is_subset(&changed(new))
        });
        if !helps {
            left.help = by_path(facts, advice, &places);
        }
    }
}

/// Returns the remedy without its line: the advice, and the commands for the places.
fn by_path(facts: &PlanningFacts<'_>, advice: String, places: &[IntendedPlace]) -> Option<Remedy> {
    // A version that another declaration overrides is not set by its path either.
    let takes_effect = |place: &&CatalogPlace| effect::check_place(facts, place).is_ok();
    let commands = places
        .iter()
        .filter_map(|place| command(facts, place.address.place(facts.catalog).filter(takes_effect)?, &place.version));
    let commands: Vec<String> = commands.take(COMMANDS).collect();
    let parts = [advice, commands.join(" and ")];
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then(|| Remedy::from(parts.join("; ")))
}

fn key(change: &VersionUpdate) -> (String, usize, String) {
    (change.file.clone(), change.line, change.after.clone())
}

fn changed(plan: &PromotionPlan) -> BTreeSet<(String, usize, String)> {
    plan.changes.iter().map(key).collect()
}

/// Makes a plan as if `.ucp.yaml` had a further line.
fn with_line(
    facts: &PlanningFacts<'_>,
    line: &str,
    plan: &dyn Fn(&PlanningFacts<'_>) -> Option<PromotionPlan>,
) -> Option<PromotionPlan> {
    let more: RepositoryConfig = serde_saphyr::from_str(line).ok()?;
    let mut repository = Repository::read(&facts.repository.top, &facts.repository.name).ok()?;
    repository.config.extend(more);
    let discovery = discover(&repository);
    let catalog = Catalog::read(&repository, &discovery);
    let builder = KustomizationBuilder::new(&repository);
    plan(&PlanningFacts {
        repository: &repository,
        discovery: &discovery,
        builder: &builder,
        catalog: &catalog,
        policy: facts.policy,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_keeps_the_tag_of_a_digest() {
        let digest = |byte: &str| format!("sha256:{}", byte.repeat(32));
        let (old, new) = (digest("0a"), digest("1b"));
        let whole = |before: &str| whole_version(before, &new);
        assert_eq!(whole(&format!("staging@{old}")), Some(format!("staging@{new}")));
        assert_eq!(whole(&format!("1.2.3@{old}")), None);
        for before in ["staging", old.as_str()] {
            assert_eq!(whole(before), Some(new.clone()));
        }
        assert_eq!(whole_version(&format!("1.2.3@{old}"), "1.2.4"), Some("1.2.4".to_owned()));
    }

    #[test]
    fn a_url_keeps_the_prefix_of_its_tags() {
        for (before, version, expected) in [
            ("v1.2.3", "1.2.4", "v1.2.4"),
            ("v1.2.3", "v1.2.4", "v1.2.4"),
            ("1.2.3", "1.2.4", "1.2.4"),
            ("v1.2.3", "main", "main"),
        ] {
            assert_eq!(with_prefix(before, version.to_owned()), expected);
        }
    }
}
