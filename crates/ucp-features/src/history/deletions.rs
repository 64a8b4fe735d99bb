//! Deletions that follow from others: the objects of a deleted namespace or definition, and the end of a deletion that was
//! requested.

use std::collections::HashMap;

use super::actor::ActorKind;
use super::occurrence::{ChangeSort, Occurrence, OccurrenceCertainty};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::{ObjectKeyRef, ObjectName};

/// The indexes of deletions, in the order of their times.
pub(super) struct Deletions<'a> {
    occurrences: &'a [Occurrence],
    by_namespace: HashMap<&'a str, Vec<usize>>,
    /// By the names of the definitions.
    by_definition: HashMap<&'a str, Vec<usize>>,
    requests: HashMap<ObjectKeyRef<'a>, Vec<usize>>,
}

/// Returns true for the request or the end of a deletion.
pub(super) fn is_deletion(occurrence: &Occurrence) -> bool {
    matches!(occurrence.change, ChangeSort::Deleted | ChangeSort::DeletionRequested)
}

fn is_namespace(object: &ObjectName) -> bool {
    object.group().is_empty() && object.kind == "Namespace"
}

fn is_definition(object: &ObjectName) -> bool {
    object.group() == "apiextensions.k8s.io" && object.kind == "CustomResourceDefinition"
}

impl<'a> Deletions<'a> {
    /// Finds the deletions among occurrences that are sorted by time.
    pub(super) fn find(occurrences: &'a [Occurrence]) -> Self {
        let mut found =
            Self { occurrences, by_namespace: HashMap::new(), by_definition: HashMap::new(), requests: HashMap::new() };
        for (index, one) in occurrences.iter().enumerate().filter(|(_, one)| is_deletion(one)) {
            for object in one.objects() {
                if is_namespace(object) {
                    found.by_namespace.entry(&object.name).or_default().push(index);
                }
                if is_definition(object) {
                    found.by_definition.entry(&object.name).or_default().push(index);
                }
                if one.change == ChangeSort::DeletionRequested {
                    found.requests.entry(object.key_ref()).or_default().push(index);
                }
            }
        }
        found
    }

    /// Returns the index of the deletion from which another one follows.
    pub(super) fn cause(&self, index: usize) -> Option<usize> {
        let effect = &self.occurrences[index];
        let request = || {
            let own = self.requests.get(&effect.object.key_ref()).filter(|_| effect.change == ChangeSort::Deleted)?;
            self.last_before(own, index)
        };
        // A user deletes an object on its own.
        let is_by_user = effect.by.as_ref().is_some_and(|by| by.kind == ActorKind::User);
        let of_whole = || self.of_namespace(index).or_else(|| self.of_definition(index));
        (!is_by_user).then(of_whole).flatten().or_else(request)
    }

    /// Returns the deletion of the namespace of all objects of an effect.
    fn of_namespace(&self, index: usize) -> Option<usize> {
        let effect = &self.occurrences[index];
        let namespace = effect.object.namespace.as_deref()?;
        let is_inside = effect.also.iter().all(|object| object.namespace.as_deref() == Some(namespace));
        self.first_of(self.by_namespace.get(namespace).filter(|_| is_inside)?, index)
    }

    /// Returns the deletion of the definition of the kind of an effect.
    fn of_definition(&self, index: usize) -> Option<usize> {
        let object = &self.occurrences[index].object;
        if self.by_definition.is_empty() || object.group().is_empty() {
            return None;
        }
        let definition = ResourceKind::guess(object.group(), &object.kind).qualified_plural();
        self.first_of(self.by_definition.get(definition.as_str())?, index)
    }

    /// Returns the last of some deletions after which another one may have happened: a request, if there is one.
    fn first_of(&self, own: &[usize], index: usize) -> Option<usize> {
        // The objects go between the request and the end.
        let is_request = |place: &usize| self.occurrences[*place].change == ChangeSort::DeletionRequested;
        let requests: Vec<usize> = own.iter().copied().filter(is_request).collect();
        self.last_before(&requests, index).or_else(|| self.last_before(own, index))
    }

    /// Returns the last deletion after which another one may have happened.
    fn last_before(&self, own: &[usize], index: usize) -> Option<usize> {
        let effect = &self.occurrences[index];
        let may_follow = |place: &usize| {
            let cause = &self.occurrences[*place];
            // A period begins with a snapshot in which the object still is.
            let is_in_time = match cause.certainty {
                OccurrenceCertainty::Between => cause.time == effect.time || cause.time < effect.latest(),
                OccurrenceCertainty::Exact | OccurrenceCertainty::AtLatest => cause.time <= effect.latest(),
            };
            *place != index && is_in_time
        };
        own.iter().rev().copied().find(may_follow)
    }
}

#[cfg(test)]
mod tests {
    use super::super::actor::Actor;
    use super::super::samples::{object, occurrence};
    use super::*;

    fn namespace(name: &str) -> ObjectName {
        ObjectName { api_version: "v1".into(), kind: "Namespace".into(), namespace: None, name: name.into() }
    }

    fn causes(occurrences: &[Occurrence]) -> Vec<Option<usize>> {
        let deletions = Deletions::find(occurrences);
        (0..occurrences.len()).map(|index| deletions.cause(index)).collect()
    }

    fn between(from: &str, until: &str, object: &ObjectName) -> Occurrence {
        Occurrence {
            until: Some(format!("2026-11-20T{until}Z").parse().unwrap()),
            certainty: OccurrenceCertainty::Between,
            ..occurrence(from, object, ChangeSort::Deleted, "was deleted")
        }
    }

    #[test]
    fn the_objects_of_a_deleted_namespace_follow_from_its_deletion() {
        let (shop, web) = (namespace("shop"), object("Deployment", "web"));
        let requested = occurrence("03:10:00", &shop, ChangeSort::DeletionRequested, "is being deleted");
        let gone = between("03:05:00", "03:20:00", &web);
        let ended = between("03:20:00", "03:30:00", &shop);
        assert_eq!(causes(&[gone.clone(), requested.clone(), ended.clone()]), [Some(1), None, Some(1)]);
        // Only periods are known: both are in the same one.
        assert_eq!(causes(&[between("03:20:00", "03:30:00", &web), ended.clone()]), [Some(1), None]);
        assert_eq!(causes(&[between("03:05:00", "03:20:00", &web), ended]), [None, None], "it was gone before");
        let other = ObjectName { namespace: Some("other".into()), ..web.clone() };
        assert_eq!(causes(&[between("03:05:00", "03:20:00", &other), requested.clone()]), [None, None]);
        let early = occurrence("03:09:59", &web, ChangeSort::Deleted, "was deleted");
        let by = |name: &str| Some(Actor { kind: ActorKind::User, name: name.to_owned() });
        let late = occurrence("03:10:01", &web, ChangeSort::Deleted, "was deleted").by(by("jane"));
        assert_eq!(causes(&[early, requested, late]), [None, None, None], "it was before, or by a user");
    }

    #[test]
    fn the_objects_of_a_deleted_definition_follow_from_its_deletion() {
        let named = |api_version: &str, kind: &str, name: &str| ObjectName {
            api_version: api_version.into(),
            kind: kind.into(),
            namespace: None,
            name: name.into(),
        };
        let definition = named("apiextensions.k8s.io/v1", "CustomResourceDefinition", "policies.example.org");
        let requested = |clock: &str, object: &ObjectName| {
            occurrence(clock, object, ChangeSort::DeletionRequested, "is being deleted")
        };
        let all = |group: &str| {
            let policy = named(&format!("{group}/v1"), "Policy", "a");
            causes(&[requested("03:10:00", &definition), requested("03:10:01", &policy)])
        };
        assert_eq!(all("example.org"), [None, Some(0)]);
        assert_eq!(all("example.com"), [None, None]);
    }

    #[test]
    fn the_end_of_a_deletion_follows_from_its_request() {
        let web = object("Deployment", "web");
        let requested = occurrence("03:10:00", &web, ChangeSort::DeletionRequested, "is being deleted");
        let ended = occurrence("04:10:00", &web, ChangeSort::Deleted, "was deleted");
        assert_eq!(causes(&[requested, ended]), [None, Some(0)]);
    }
}
