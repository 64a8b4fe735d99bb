//! Commits that carry versions from one environment to another.

use std::collections::BTreeSet;

use ucp::promote::copy;
use ucp::promote::facts::PlanningFacts;
use ucp::promote::request::{PromotionRequest, ServiceSelection};
use ucp_repo::gitops::catalog::CatalogPlace;

use crate::change::{self, Target};
use crate::request::{EnvironmentSpot, counterpart, environment, environments, rank};
use crate::score::{Texts, Verdict, apply, verdict};

/// A commit as a promotion.
pub(crate) struct Promotion {
    from: String,
    to: String,
    services: BTreeSet<String>,
    only: Vec<String>,
}

impl Promotion {
    /// Returns the promotion that a commit is, if another environment had all of its versions.
    pub(crate) fn of_commit(facts: &PlanningFacts<'_>, targets: &[Target]) -> Option<Self> {
        let spots: Vec<(String, EnvironmentSpot)> = targets.iter().map(environment).collect::<Option<_>>()?;
        let to = spots.first()?.0.clone();
        if spots.iter().any(|(name, _)| *name != to) {
            return None;
        }
        let mut others: Vec<&str> = environments().filter(|other| rank(other) < rank(&to)).collect();
        others.reverse();
        others.into_iter().find_map(|other| {
            let holder =
                |(target, (_, spot)): (&Target, &(String, EnvironmentSpot))| holder(facts, target, &to, spot, other);
            let files: Vec<String> = targets.iter().zip(&spots).map(holder).collect::<Option<_>>()?;
            Some(Self::between(facts, targets, (other, &files[0]), (&to, &spots[0].1)))
        })
    }

    /// Names environments and services as `images` does.
    fn between(
        facts: &PlanningFacts<'_>,
        targets: &[Target],
        (other, file): (&str, &str),
        (to, spot): (&str, &EnvironmentSpot),
    ) -> Self {
        let places = &facts.catalog.places;
        let own = |target: &Target| {
            let path = target.path.trim_start_matches('.');
            places.iter().find(|place| place.file == target.file && place.slot.path.to_string() == path)
        };
        let own: Vec<&CatalogPlace> = targets.iter().filter_map(own).collect();
        let named = |place: Option<&CatalogPlace>, name: &str| {
            place.and_then(CatalogPlace::environment).unwrap_or(name).to_owned()
        };
        let (from, to) = match spot {
            EnvironmentSpot::Key(_) => (other.to_owned(), to.to_owned()),
            EnvironmentSpot::Part(_) => {
                (named(places.iter().find(|place| place.file == file), other), named(own.first().copied(), to))
            }
        };
        let services = own.iter().map(|place| place.service.clone()).collect();
        Self { from, to, services, only: own.iter().map(|place| place.artifact()).collect() }
    }

    pub(crate) fn replay(&self, facts: &PlanningFacts<'_>, targets: &[Target], texts: &Texts) -> (Verdict, String) {
        let Self { from, to, services, only } = self;
        let text = format!("promote {from} {to} {}", services.iter().cloned().collect::<Vec<_>>().join(" "));
        if services.is_empty() || from == to {
            return (Verdict::Refused, format!("{text}: not listed: {} {}", targets[0].file, targets[0].path));
        }
        let ask = |only: Vec<String>| {
            let services = ServiceSelection::Named(services.clone());
            let request = PromotionRequest { from: from.clone(), to: to.clone(), services, only };
            copy::plan(facts, &request, None, None)
        };
        let expected = [apply(&targets.iter().collect::<Vec<_>>(), texts)];
        let whole = verdict(ask(Vec::new()), &expected, text.clone());
        if whole.0 == Verdict::Right {
            return whole;
        }
        // The commit may have moved one of several versions.
        let selected = verdict(ask(only.clone()), &expected, format!("{text} --only {}", only.join(" --only ")));
        if selected.0 == Verdict::Right { selected } else { whole }
    }
}

/// Returns the file in which another environment has the new value of a target.
fn holder(
    facts: &PlanningFacts<'_>,
    target: &Target,
    environment: &str,
    spot: &EnvironmentSpot,
    other: &str,
) -> Option<String> {
    let (file, keys) = counterpart(target, environment, spot, other);
    let text = std::fs::read_to_string(facts.repository.top.join(&file)).ok()?;
    let same = |leaf: &change::Leaf| leaf.keys == keys && leaf.artifact == target.artifact && leaf.text == target.value;
    change::leaves(&file, &text)?.iter().any(same).then_some(file)
}
