//! Candidates that are effects of another candidate, such as the write of a deployer during its sync. They do not compete with it.

use std::collections::BTreeMap;

use super::actor::ActorKind;
use super::commits::identity_of;
use super::deletions::{Deletions, is_deletion};
use super::effect_kind::{EffectKind, TOLERANCE, rank};
use super::effects::{Dependencies, DependencyPath};
use super::evidence::CandidateCause;
use super::failure_facts::CauseFacts;
use super::mentions::{MENTIONED, is_mention};
use super::occurrence::{ChangeSort, Occurrence};
use ucp_core::model::object::{ObjectKey, ObjectName};

/// Removes the candidates that are effects of others, and gives their mentions in the failure to those.
pub(super) fn absorb_effects(
    candidates: &mut Vec<CandidateCause>,
    occurrences: &[Occurrence],
    dependencies: &Dependencies<'_, '_>,
    facts: &CauseFacts,
) {
    let mut paths: BTreeMap<&ObjectName, BTreeMap<ObjectKey, DependencyPath>> = BTreeMap::new();
    let mut cause_of = |effect: &CandidateCause| {
        let effect = &occurrences[effect.id];
        let kind = EffectKind::from_change(effect)?;
        let own = paths.entry(&effect.object).or_insert_with(|| dependencies.paths(&effect.object));
        let is_above = |object: &ObjectName| own.get(&ObjectKey::from(object)).is_some_and(|path| !path.is_need);
        let is_cause = |cause: &CandidateCause| {
            let cause = &occurrences[cause.id];
            let is_unchanged = || identity_of(cause).is_some_and(|identity| facts.unchanged.contains(&identity));
            // The revision stands for the write that it came from.
            let is_manual = || kind == EffectKind::Revision && is_written_by_hand(effect, occurrences);
            let is_path =
                || kind.is_of_package(effect, cause) || std::iter::once(&cause.object).chain(&cause.also).any(is_above);
            kind.is_effect(effect, cause)
                && !is_unchanged()
                && is_path()
                && (cause.change != ChangeSort::Deployed || !is_manual())
        };
        // The farthest one is the origin of the others.
        let causes = candidates.iter().enumerate().filter(|(_, cause)| is_cause(cause));
        causes.min_by_key(|(_, cause)| (rank(&occurrences[cause.id]), -cause.points)).map(|(index, _)| index)
    };
    let deletions = Deletions::find(occurrences);
    // The deletion of a namespace or of a definition deletes its objects.
    let deletion_of = |effect: &CandidateCause| {
        let is_request = |cause: &&usize| occurrences[**cause].object != occurrences[effect.id].object;
        let cause = deletions.cause(effect.id).as_ref().filter(is_request).copied()?;
        candidates.iter().position(|candidate| candidate.id == cause)
    };
    let by_deletion: Vec<Option<usize>> = candidates
        .iter()
        .map(|effect| if is_deletion(&occurrences[effect.id]) { deletion_of(effect) } else { None })
        .collect();
    let causes: Vec<Option<usize>> =
        candidates.iter().zip(by_deletion).map(|(effect, deletion)| deletion.or_else(|| cause_of(effect))).collect();
    for (index, cause) in causes.iter().enumerate() {
        let Some(mut origin) = *cause else { continue };
        // A cause has a lower rank than its effect, so that this ends.
        while let Some(next) = causes[origin] {
            origin = next;
        }
        let mention = candidates[index].evidence_for.iter().find(|text| is_mention(text)).cloned();
        let origin = &mut candidates[origin];
        if let Some(mention) = mention.filter(|_| !origin.evidence_for.iter().any(|text| is_mention(text))) {
            origin.points += MENTIONED;
            origin.evidence_for.push(format!("{mention}, which followed from it"));
        }
    }
    let mut is_effect = causes.iter().map(Option::is_some);
    candidates.retain(|_| !is_effect.next().unwrap_or_default());
}

/// Returns true if a person wrote the object of a revision right before.
fn is_written_by_hand(revision: &Occurrence, occurrences: &[Occurrence]) -> bool {
    occurrences.iter().any(|one| {
        one.change == ChangeSort::Written
            && one.object == revision.object
            && one.by.as_ref().is_some_and(|by| by.kind == ActorKind::User)
            && revision.time.duration_since(one.time).abs() <= TOLERANCE
    })
}

#[cfg(test)]
mod tests {
    use super::super::actor::Actor;
    use super::super::evidence::Confidence;
    use super::super::mentions::MENTIONS;
    use super::super::samples::{object, occurrence};
    use super::*;
    use ucp_client::source::snapshot::resources_from_objects;
    use ucp_core::graph::Graph;
    use ucp_core::graph::link::{Link, LinkEnd, Relation};
    use ucp_core::model::state::{ClusterState, Origin};

    /// Returns the changes that are left, and their points. Each object owns the next one.
    fn left(owners: &[&ObjectName], occurrences: &[Occurrence], mentioned: usize) -> Vec<(usize, i32)> {
        let bodies: Vec<_> = owners
            .iter()
            .map(|one| {
                serde_json::json!({"apiVersion": one.api_version, "kind": one.kind,
                    "metadata": {"name": one.name, "namespace": one.namespace}})
            })
            .collect();
        let bodies: Vec<_> = bodies.iter().collect();
        let all = |_: &_| Some(ucp_core::model::body::KindRequest::all(ucp_core::model::body::BodyShape::Metadata));
        let resources = resources_from_objects(&bodies, &all);
        let origin = Origin::Snapshot { path: String::new() };
        let empty = ClusterState::empty(origin, "2026-11-20T04:00:00Z".parse().unwrap());
        let state = ClusterState { resources, ..empty };
        let end = |one: &&ObjectName| LinkEnd::Object((*one).clone());
        let links: Vec<Link> =
            owners.windows(2).map(|pair| Link::new(end(&pair[0]), Relation::Owns, end(&pair[1]))).collect();
        let graph = Graph::from_state(&state, |_| Vec::new(), &links, &std::collections::BTreeSet::new());
        let candidate = |id| CandidateCause {
            id,
            confidence: Confidence::Possible,
            evidence_for: if id == mentioned { vec![format!("{MENTIONS}x")] } else { Vec::new() },
            evidence_against: Vec::new(),
            points: if id == mentioned { MENTIONED } else { 0 },
        };
        let mut candidates: Vec<_> = (0..occurrences.len()).map(candidate).collect();
        absorb_effects(&mut candidates, occurrences, &Dependencies::new(&graph), &CauseFacts::default());
        candidates.iter().map(|one| (one.id, one.points)).collect()
    }

    #[test]
    fn effects_of_a_sync_are_attributed_to_it() {
        let (app, web, pod) = (object("Application", "web"), object("Deployment", "web"), object("Pod", "web-1"));
        let written = |manager: &str| {
            occurrence("11:00:02", &web, ChangeSort::Written, "was changed: image").by(Actor::from_manager(manager))
        };
        let all = |manager: &str| {
            [
                occurrence("11:00:02", &app, ChangeSort::Deployed, "synced b"),
                written(manager),
                occurrence("11:00:03", &web, ChangeSort::Deployed, "got revision 2"),
                occurrence("11:00:03", &pod, ChangeSort::Created, "was created"),
            ]
        };
        let owners = [&app, &web, &pod];
        assert_eq!(left(&owners, &all("argocd-controller"), 1), [(0, MENTIONED)]);
        let by_hand = left(&owners, &all("kubectl-edit"), 1);
        assert_eq!(by_hand.iter().map(|one| one.0).collect::<Vec<_>>(), [0, 1], "a person is no deployer");
        let revision_only = [all("")[0].clone(), all("")[2].clone()];
        assert_eq!(left(&owners, &revision_only, 1), [(0, MENTIONED)]);
        let mut late = all("argocd-controller");
        late[0].time = "2026-11-20T10:40:00Z".parse().unwrap();
        assert_eq!(left(&owners, &late, 1), [(0, 0), (1, MENTIONED)], "the sync was long before");
    }

    #[test]
    fn the_change_of_a_package_by_a_person_is_before_the_definition_that_it_installs() {
        let named = |api: &str, kind: &str| ObjectName {
            api_version: api.to_owned(),
            kind: kind.to_owned(),
            namespace: None,
            name: "a".to_owned(),
        };
        let provider = named("pkg.crossplane.io/v1", "Provider");
        let definition = named("apiextensions.k8s.io/v1", "CustomResourceDefinition");
        let by = |manager: &str, clock: &str, object: &ObjectName| {
            occurrence(clock, object, ChangeSort::Written, "was changed").by(Actor::from_manager(manager))
        };
        let installed = by("crossplane", "09:21:00", &definition);
        let patched = by("kubectl-patch", "09:20:00", &provider);
        assert_eq!(left(&[], &[patched.clone(), installed.clone()], 1), [(0, MENTIONED)]);
        let late = Occurrence { time: "2026-11-20T09:30:00Z".parse().unwrap(), ..installed };
        assert_eq!(left(&[], &[patched, late], 1).len(), 2);
    }
}
