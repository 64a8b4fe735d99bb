//! Proposals for an ambiguous name: lines of `.ucp.yaml` and commands, each tried before it is printed.

use std::collections::{BTreeMap, BTreeSet};

use super::assignment::{ArtifactAssignment, AssignmentRequest};
use crate::promote::facts::PlanningFacts;
use crate::promote::refusal::quoted;
use crate::promote::{effect, proposals};
use crate::report::promotion::VersionUpdate;
use ucp_core::model::shell::quote_word;
use ucp_repo::gitops::catalog::CatalogPlace;
use ucp_repo::gitops::catalog::choose::resolve_places;
use ucp_repo::gitops::catalog::query::VersionQuery;
use ucp_repo::slot::artifact::{ArtifactKind, short_name};

/// The maximum number of proposals.
const SHOWN: usize = 3;

/// The maximum number of environments that are tried.
const TRIED: usize = 6;

/// Returns the lines that say which of these places is meant: a name for one artifact, if it leads to places of it and
/// to nothing else, and commands with paths otherwise.
pub(super) fn lines(
    facts: &PlanningFacts<'_>,
    request: &AssignmentRequest,
    assignment: &ArtifactAssignment,
    places: &[&CatalogPlace],
) -> String {
    let artifacts: BTreeSet<&str> = places.iter().filter_map(|place| place.slot.artifact.as_deref()).collect();
    let mut names: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    let (mut lines, mut commands) = (Vec::new(), 0);
    for place in proposals::by_likeness(places, (&assignment.name, &assignment.version)) {
        let is_open = names.values().flatten().count() < SHOWN;
        let name = place.slot.artifact.as_deref().filter(|_| artifacts.len() > 1).and_then(|artifact| {
            let leads = |name: &&str| is_open && leads_to(facts, request, assignment, name, artifact, places);
            *names.entry(artifact).or_insert_with(|| [short_name(artifact), artifact].into_iter().find(leads))
        });
        let line = match name {
            Some(name) => {
                let (alias, quoted_name) = (quoted(&assignment.name), quoted(name));
                Some(format!("in .ucp.yaml, 'names: {{{alias}: {quoted_name}}}' makes {name} the meaning"))
            }
            // What no name leads to is set by its path.
            None if commands < proposals::COMMANDS => {
                let command = proposals::command(facts, place, &assignment.version);
                commands += usize::from(command.is_some());
                command
            }
            None => None,
        };
        lines.extend(line.filter(|line| !lines.contains(line)));
    }
    lines.join("\n")
}

/// Returns the commands with an environment that set the version in it alone, one a line, the likeliest first.
pub(super) fn with_environments(
    facts: &PlanningFacts<'_>,
    request: &AssignmentRequest,
    assignment: &ArtifactAssignment,
    places: &[&CatalogPlace],
) -> String {
    // Several assignments are not repeated, and a name in `.ucp.yaml` has another meaning.
    let is_plain = request.assignments.len() == 1 && request.environment.is_none() && assignment.image.is_none();
    let ordered = proposals::by_likeness(places, (&assignment.name, &assignment.version));
    let mut environments: Vec<&str> = Vec::new();
    for environment in ordered.iter().filter_map(|place| place.environment()).filter(|_| is_plain) {
        if !environments.contains(&environment) {
            environments.push(environment);
        }
    }
    let command = if request.kinds == [ArtifactKind::Image] { "set-image" } else { "set-version" };
    let is_set = |environment: &&str| {
        let question = VersionQuery {
            environment: Some(environment),
            name: &assignment.name,
            version: &assignment.version,
            kinds: &request.kinds,
            image: None,
            spread: request.spread,
        };
        let decides = |place: &CatalogPlace| effect::check_place(facts, place).is_ok();
        let request = AssignmentRequest { environment: Some((*environment).to_owned()), ..request.clone() };
        resolve_places(facts.catalog, &question, &decides).is_ok()
            && super::plan_unverified(facts, &request, None).is_ok_and(|plan| {
                let is_at = |change: &VersionUpdate| places.iter().any(|place| place.file == change.file);
                plan.refused.is_empty() && !plan.changes.is_empty() && plan.changes.iter().all(is_at)
            })
    };
    let lines = environments.into_iter().take(TRIED).filter(is_set).take(SHOWN).map(|environment| {
        let assigned = format!("{}={}", assignment.name, assignment.version);
        format!("kubectl ucp {command} {} {}\n", quote_word(environment), quote_word(&assigned))
    });
    lines.collect()
}

/// Returns a name that leads to a place and to nothing else, for the `names` of `.ucp.yaml`.
pub(super) fn name_of(
    facts: &PlanningFacts<'_>,
    request: &AssignmentRequest,
    assignment: &ArtifactAssignment,
    place: &CatalogPlace,
) -> Option<String> {
    let artifact = place.slot.artifact.as_deref()?;
    let mut names = [short_name(artifact), artifact].into_iter().filter(|name| *name != assignment.name);
    names.find(|name| leads_to(facts, request, assignment, name, artifact, &[place])).map(str::to_owned)
}

/// Returns true if a name leads to places of an artifact among these, and to nothing else.
fn leads_to(
    facts: &PlanningFacts<'_>,
    request: &AssignmentRequest,
    assignment: &ArtifactAssignment,
    name: &str,
    artifact: &str,
    places: &[&CatalogPlace],
) -> bool {
    let question = VersionQuery {
        environment: request.environment.as_deref(),
        name,
        version: &assignment.version,
        kinds: &request.kinds,
        image: None,
        spread: request.spread,
    };
    let is_meant = |found: &&CatalogPlace| {
        found.slot.artifact.as_deref() == Some(artifact) && places.iter().any(|place| std::ptr::eq(*place, *found))
    };
    let is_found = resolve_places(facts.catalog, &question, &|place| effect::check_place(facts, place).is_ok())
        .is_ok_and(|found| found.iter().all(is_meant));
    let named = ArtifactAssignment { name: name.to_owned(), ..assignment.clone() };
    let request = AssignmentRequest { assignments: vec![named], ..request.clone() };
    is_found
        && super::plan_unverified(facts, &request, None).is_ok_and(|plan| {
            let is_at = |change: &VersionUpdate| places.iter().any(|place| place.file == change.file);
            plan.refused.is_empty() && !plan.changes.is_empty() && plan.changes.iter().all(is_at)
        })
}

#[cfg(test)]
mod tests {
    use crate::promote::assign::{AssignmentRequest, plan};
    use crate::promote::small::with_facts;
    use ucp_repo::gitops::catalog::query::PlaceSpread;

    /// Returns the error for an ambiguous name.
    fn refusal(files: &[(&str, &str)], assignment: &str) -> String {
        let request = AssignmentRequest {
            environment: None,
            assignments: vec![assignment.parse().unwrap()],
            kinds: Vec::new(),
            spread: PlaceSpread::Together,
        };
        with_facts(files, |facts| plan(facts, &request, None).unwrap_err().report())
    }

    #[test]
    fn every_artifact_of_an_ambiguous_name_has_a_proposal() {
        let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: logs}\nspec:\n  chart: {spec: {chart: \
                       logs, version: 5.15.0}}\n  values: {image: {repository: example/logs, tag: 5.8.4}}\n";
        let refusal = refusal(&[("apps/logs/release.yaml", release)], "logs=5.18.0");
        assert!(refusal.contains("'names: {logs: example/logs}'"), "{refusal}");
        assert!(refusal.contains(".spec.chart.spec.version=5.18.0"), "{refusal}");
    }

    #[test]
    fn commands_begin_with_the_most_similar_versions() {
        let values = |first: &str| {
            let part =
                |name: &str, tag: &str| format!("{name}: {{image: {{repository: r.example.org/pet, tag: {tag}}}}}\n");
            let parts = [
                ("web", first),
                ("office", first),
                ("shop", first),
                ("work", "worker-4d5e6f7"),
                ("job", "worker-5e6f7a8"),
            ];
            parts.map(|(name, tag)| part(name, tag)).concat()
        };
        let text = values("server-0a1b2c3");
        let refusal = refusal(&[("pets/values.yaml", &text)], "r.example.org/pet=worker-7f8a9b0");
        let command = refusal.lines().find(|line| line.contains("set-version --file")).unwrap_or_default();
        assert!(command.contains(".work.image.tag") || command.contains(".job.image.tag"), "{refusal}");
    }

    #[test]
    fn an_artifact_is_shown_in_the_requested_environment() {
        let chart = "apiVersion: v2\nname: shop\nversion: 0.1.0\ndependencies:\n- {name: web, version: 1.0.0, repository: \
                     'https://charts.example.org'}\n";
        let values = "web: {image: {repository: r.example.org/web, tag: 1.0.0}}\n";
        let files = [
            ("shop/dev/Chart.yaml", chart),
            ("shop/dev/values.yaml", values),
            ("shop/stage/Chart.yaml", chart),
            ("shop/stage/values.yaml", values),
        ];
        let request = AssignmentRequest {
            environment: Some("stage".to_owned()),
            assignments: vec!["web=1.1.0".parse().unwrap()],
            kinds: Vec::new(),
            spread: PlaceSpread::Together,
        };
        let refusal = with_facts(&files, |facts| plan(facts, &request, None).unwrap_err().report());
        assert!(refusal.contains("shop/stage/values.yaml") && !refusal.contains("shop/dev"), "{refusal}");
    }

    #[test]
    fn numbers_of_a_version_weigh_more_than_a_leading_v() {
        let entry = |name: &str, tag: &str| format!("{name}: {{image: {{repository: r/operator, tag: {tag}}}}}\n");
        let old = ["a", "b", "c"].map(|name| entry(name, "1.4.1"));
        let text = format!("{}{}", old.concat(), entry("work", "v2.17.0"));
        let refusal = refusal(&[("operators/values.yaml", &text)], "r/operator=2.18.0");
        let command = refusal.lines().find(|line| line.contains("set-version --file")).unwrap_or_default();
        assert!(command.contains(".work.image.tag") || command.contains(".job.image.tag"), "{refusal}");
    }
}
