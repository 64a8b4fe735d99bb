//! Grounds: the lists and objects, completely read in this run, that support a promise, a write, or a deletion.
//!
//! A [`Grounded`] value can only be created from [`GroundsEvidence`] without a gap. Code that writes, deletes, or promises
//! requires a `Grounded` value, so an action without grounds cannot be carried out.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::model::kind::ResourceKind;
use crate::model::object::ObjectName;
use crate::model::state::{ClusterState, Unreadable};

/// Completeness of one list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListReading {
    /// Every object of the kind was read.
    Complete,
    /// The cluster does not serve the kind, and discovery of its group was complete.
    NotServed,
    /// Some or all objects are missing.
    Incomplete(Unreadable),
}

impl ClusterState {
    /// Returns the completeness of the list of this group and kind. Failed discovery of the group, a failed list, and a
    /// single object that could not be parsed all make the list incomplete. Call it only for kinds that the command
    /// requests: a kind that was not requested looks like one that is not served.
    pub fn list_reading(&self, group: &str, kind: &str) -> ListReading {
        let mut served = self.kinds.iter().filter(|known| known.group == group && known.kind == kind).peekable();
        if served.peek().is_some() {
            let failed = served.find_map(|known| self.unreadable.iter().find(|entry| entry.is_of(known)));
            return failed.map_or(ListReading::Complete, |entry| ListReading::Incomplete(entry.clone()));
        }
        let kind = ResourceKind::guess(group, kind);
        let failed = self.unreadable.iter().find(|entry| entry.hides_group(group) || entry.is_of(&kind));
        failed.map_or(ListReading::NotServed, |entry| ListReading::Incomplete(entry.clone()))
    }
}

impl Unreadable {
    /// Returns true if this entry is a failed discovery, of `group` or `group/version`, that can hide kinds of the
    /// group.
    pub fn hides_group(&self, group: &str) -> bool {
        let discovery = self.what.split_once('/').map_or(self.what.as_str(), |(named, _)| named);
        discovery == group || (group.is_empty() && self.what == "v1")
    }
}

/// Grounds of one line of a plan. JSON: `grounds{lists[], objects[]}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Grounds {
    /// Lists that were read completely in this run: `secrets`, `deployments.apps in prod`.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub lists: BTreeSet<String>,
    /// Objects that were read in this run, with their UIDs: `secret/db -n shop (uid 6f…)`.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub objects: BTreeSet<String>,
}

/// Collects the grounds of one line and their gaps.
#[derive(Debug, Clone, Default)]
pub struct GroundsEvidence {
    grounds: Grounds,
    gaps: Vec<Unreadable>,
}

impl GroundsEvidence {
    /// Creates evidence without grounds and gaps.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns evidence of everything that was requested of a cluster: the lists of its kinds, and all gaps.
    pub fn from_state(state: &ClusterState) -> Self {
        let mut evidence = Self::new();
        evidence.require_kinds(state, state.kinds.iter().map(AsRef::as_ref)).add_gaps(&state.unreadable);
        evidence
    }

    /// Requires the complete list of a kind. `cluster` is the name of the cluster if it is not the core cluster. A kind
    /// that the cluster does not serve counts as read: it has no objects.
    pub fn require_list(&mut self, state: &ClusterState, cluster: Option<&str>, group: &str, kind: &str) -> &mut Self {
        let name = match group {
            "" => kind.to_ascii_lowercase(),
            group => format!("{}.{group}", kind.to_ascii_lowercase()),
        };
        let place = cluster.map(|cluster| format!(" in {cluster}")).unwrap_or_default();
        match state.list_reading(group, kind) {
            ListReading::Complete | ListReading::NotServed => self.add_list(format!("{name}{place}")),
            ListReading::Incomplete(entry) => {
                self.add_gap(Unreadable { what: format!("{}{place}", entry.what), reason: entry.reason })
            }
        }
    }

    /// Requires the complete lists of several kinds of the core cluster.
    pub fn require_kinds<'a>(
        &mut self,
        state: &ClusterState,
        kinds: impl IntoIterator<Item = &'a ResourceKind>,
    ) -> &mut Self {
        for kind in kinds {
            self.require_list(state, None, &kind.group, &kind.kind);
        }
        self
    }

    /// Adds a list that was read completely.
    pub fn add_list(&mut self, list: String) -> &mut Self {
        self.grounds.lists.insert(list);
        self
    }

    /// Adds an object that was read in this run. An empty UID is a gap: the object cannot be distinguished from a later
    /// one with the same name.
    pub fn add_object(&mut self, object: &ObjectName, uid: &str) -> &mut Self {
        if uid.is_empty() {
            return self.add_gap(Unreadable { what: object.to_string(), reason: "its UID is not known".to_owned() });
        }
        self.grounds.objects.insert(format!("{object} (uid {uid})"));
        self
    }

    /// Adds an object of an app cluster, as [`Self::add_object`] does for one of the core cluster.
    pub fn add_object_in(&mut self, cluster: &str, object: &ObjectName, uid: &str) -> &mut Self {
        if uid.is_empty() {
            return self.add_object(object, uid);
        }
        self.grounds.objects.insert(format!("{object} in {cluster} (uid {uid})"));
        self
    }

    /// Adds a gap: something that the line requires and that could not be read.
    pub fn add_gap(&mut self, gap: Unreadable) -> &mut Self {
        if !self.gaps.contains(&gap) {
            self.gaps.push(gap);
        }
        self
    }

    /// Adds several gaps.
    pub fn add_gaps<'a>(&mut self, gaps: impl IntoIterator<Item = &'a Unreadable>) -> &mut Self {
        for gap in gaps {
            self.add_gap(gap.clone());
        }
        self
    }

    /// Merges other evidence into this one.
    pub fn join(&mut self, other: &Self) -> &mut Self {
        self.grounds.lists.extend(other.grounds.lists.iter().cloned());
        self.grounds.objects.extend(other.grounds.objects.iter().cloned());
        self.add_gaps(&other.gaps)
    }

    /// Returns the gaps.
    pub fn gaps(&self) -> &[Unreadable] {
        &self.gaps
    }

    /// Binds a value to its grounds. Fails with the gaps if there are any, or if there is no evidence at all.
    pub fn establish<T>(self, value: T) -> Result<Grounded<T>, Ungrounded<T>> {
        let is_bare = self.grounds.lists.is_empty() && self.grounds.objects.is_empty();
        if is_bare || !self.gaps.is_empty() {
            return Err(Ungrounded { value, gaps: self.gaps });
        }
        Ok(Grounded { value, grounds: self.grounds })
    }
}

/// A value with its grounds. Only [`GroundsEvidence::establish`] creates it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grounded<T> {
    value: T,
    grounds: Grounds,
}

impl<T> Grounded<T> {
    /// Returns the value.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// Returns the grounds.
    pub fn grounds(&self) -> &Grounds {
        &self.grounds
    }

    /// Returns the value to carry out.
    pub fn into_value(self) -> T {
        self.value
    }

    /// Returns the value and its evidence, to which the next step of a preparation adds what it reads.
    pub fn reopen(self) -> (T, GroundsEvidence) {
        (self.value, GroundsEvidence { grounds: self.grounds, gaps: Vec::new() })
    }
}

/// A value without sufficient grounds: it is reported, but not carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ungrounded<T> {
    /// The action or promise.
    pub value: T,
    /// The gaps. Empty if there is no evidence at all.
    pub gaps: Vec<Unreadable>,
}

impl<T> Ungrounded<T> {
    /// Returns one sentence for the user: the missing lists and the reason.
    pub fn reason(&self) -> String {
        match self.gaps.as_slice() {
            [] => "nothing that was read in this run supports it".to_owned(),
            [gap] => format!("{} could not be read: {}", gap.what, gap.reason),
            [gap, rest @ ..] => format!("{} and {} more could not be read: {}", gap.what, rest.len(), gap.reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap() -> Unreadable {
        Unreadable { what: "syncers.sync.example.org".to_owned(), reason: "forbidden".to_owned() }
    }

    #[test]
    fn complete_evidence_establishes_a_value_with_its_grounds() {
        let mut evidence = GroundsEvidence::new();
        evidence.add_list("secrets in prod".to_owned()).add_object(&ObjectName::secret("shop", "db"), "6f");
        let grounded = evidence.establish("delete").expect("complete");
        assert_eq!(*grounded.value(), "delete");
        assert_eq!(grounded.grounds().objects.first().map(String::as_str), Some("secret/db -n shop (uid 6f)"));
        let (value, mut evidence) = grounded.reopen();
        evidence.add_object(&ObjectName::secret("shop", "other"), "7a");
        assert_eq!(evidence.clone().establish(value).expect("complete").grounds().objects.len(), 2);
        evidence.add_gap(gap());
        assert!(evidence.establish(value).is_err());
    }

    #[test]
    fn a_gap_or_missing_evidence_leaves_a_value_without_grounds() {
        let mut evidence = GroundsEvidence::new();
        evidence.add_list("secrets".to_owned()).add_gap(gap()).add_gap(gap());
        let ungrounded = evidence.establish(()).expect_err("a gap");
        assert_eq!(ungrounded.reason(), "syncers.sync.example.org could not be read: forbidden");
        assert!(GroundsEvidence::new().establish(()).is_err());
        let mut unnamed = GroundsEvidence::new();
        unnamed.add_object(&ObjectName::secret("shop", "db"), "");
        assert!(unnamed.establish(()).is_err());
    }

    #[test]
    fn a_failed_discovery_hides_the_kinds_of_its_group_only() {
        let entry = |what: &str| Unreadable { what: what.to_owned(), reason: String::new() };
        assert!(entry("sync.example.org/v1").hides_group("sync.example.org"));
        assert!(entry("sync.example.org").hides_group("sync.example.org"));
        assert!(!entry("other.example.org/v1").hides_group("sync.example.org"));
        assert!(entry("v1").hides_group(""));
    }
}
