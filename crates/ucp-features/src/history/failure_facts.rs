//! Facts about a failure, and about the changes before it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::commits::DeploymentIdentity;
use super::effects::DependencyPath;
use super::occurrence::{ChangeSort, Occurrence, OccurrenceCertainty};
use super::words::has_word;
use ucp_core::model::object::{ObjectKey, ObjectName};

/// A change with the latest time at which it happened may have happened this long before.
const LATE: SignedDuration = SignedDuration::from_mins(10);
/// An object that was healthy this long before a failure did not fail because of an earlier change.
const CALM: SignedDuration = SignedDuration::from_secs(30);
/// The first deployment of an object comes this soon after its creation.
const NEW: SignedDuration = SignedDuration::from_mins(2);
/// Words of failures about credentials, in lower case.
const CREDENTIALS: [&str; 9] = [
    "authentication",
    "authorization failed",
    "unauthorized",
    "invalid credentials",
    "access denied",
    "accessdenied",
    "bad credentials",
    "password",
    "invalid token",
];

/// Facts about the changes before a failure, in addition to the occurrences.
#[derive(Debug, Default)]
pub struct CauseFacts {
    /// The objects that failures mention.
    pub obstacles: BTreeSet<ObjectKey>,
    /// The objects that failures report as not found.
    pub missing: BTreeSet<ObjectKey>,
    /// The deployments of which no commit changes the deployed path.
    pub unchanged: BTreeSet<DeploymentIdentity>,
}

/// Facts about a failure.
#[derive(Clone, Copy)]
pub(super) struct FailureFacts<'a> {
    /// The object whose failure is explained.
    pub(super) object: &'a ObjectName,
    pub(super) failure: &'a Occurrence,
    /// The beginning of the failure, which may be before its last report.
    pub(super) start: Timestamp,
    /// The latest time at which it may have begun.
    pub(super) latest: Timestamp,
    /// The messages of the failures in its episode.
    pub(super) messages: &'a str,
    /// All occurrences, sorted by time.
    pub(super) occurrences: &'a [Occurrence],
    /// The objects that can affect the one that failed first, if that is a need of the object.
    pub(super) reach: Option<&'a BTreeMap<ObjectKey, DependencyPath>>,
    pub(super) facts: &'a CauseFacts,
}

impl FailureFacts<'_> {
    /// Returns the time from a change to the failure. A change at the latest at a time is as old as its commit, if that is known.
    pub(super) fn lead(&self, change: &Occurrence, commit: Option<&Occurrence>) -> SignedDuration {
        if self.is_within(change) {
            return SignedDuration::ZERO;
        }
        let lead = self.start.duration_since(change.time);
        let is_late = lead < SignedDuration::ZERO && change.certainty == OccurrenceCertainty::AtLatest && lead >= -LATE;
        match commit {
            _ if !is_late => lead,
            Some(commit) => self.start.duration_since(commit.time),
            None => SignedDuration::ZERO,
        }
    }

    /// Returns true if a change happened in the period in which the failure began: it may have come before it.
    pub(super) fn is_within(&self, change: &Occurrence) -> bool {
        change.time > self.start && change.time <= self.latest
    }

    /// Returns the name of the object of a change, if this failure reports that it was not found.
    pub(super) fn missing<'n>(&self, change: &'n Occurrence) -> Option<&'n str> {
        let is_named = |object: &&ObjectName| has_word(self.messages, &object.name.to_ascii_lowercase());
        let mut missing = change.objects().filter(|object| self.facts.missing.contains(&ObjectKey::from(*object)));
        missing.find(is_named).map(|object| object.name.as_str())
    }

    /// Returns true for the name of an object that failures report as not found.
    pub(super) fn is_missing_name(&self, name: &str) -> bool {
        self.facts.missing.iter().any(|key| key.name == name)
    }

    /// Returns the name of the object that the first report does not find.
    pub(super) fn first_missing(&self) -> Option<&str> {
        let first = self.failure.what.to_ascii_lowercase();
        let mut named = self.facts.missing.iter().map(|key| key.name.as_str());
        named.find(|name| has_word(&first, &name.to_ascii_lowercase()))
    }

    /// Returns true if a change may affect what failed first: a change of a workload does not stop a node.
    pub(super) fn is_within_reach(&self, change: &Occurrence) -> bool {
        self.reach.is_none_or(|reach| change.objects().any(|object| reach.contains_key(&ObjectKey::from(object))))
    }

    /// Returns the evidence against a change from what happened to its object later.
    pub(super) fn later_evidence(&self, change: &Occurrence) -> Vec<(i32, &'static str)> {
        let later = self.occurrences.iter().filter(|one| {
            one.object == change.object && one.time > change.time && one.time < self.start && *one != change
        });
        let (mut evidence, later): (_, Vec<&Occurrence>) = (Vec::new(), later.collect());
        if change.change == ChangeSort::Deployed && later.iter().any(|one| one.change == ChangeSort::Deployed) {
            evidence.push((-10, "a later deployment replaced it"));
        }
        let is_calm = |one: &Occurrence| self.start.duration_since(one.time) >= CALM;
        if later.iter().any(|one| one.change == ChangeSort::TurnedGood && is_calm(one)) {
            evidence.push((-15, "its object was healthy after it"));
        }
        evidence
    }

    /// Returns true if a deployment without a known one before is not a new version of what was there: a chart is fetched again for
    /// each version, and only its last version is known.
    pub(super) fn is_first_deployment(&self, change: &Occurrence) -> bool {
        let is_creation = |one: &&Occurrence| one.change == ChangeSort::Created && one.object == change.object;
        let created = self.occurrences.iter().find(is_creation).map(|one| one.time);
        let is_new = created.is_some_and(|created| change.time.duration_since(created) <= NEW);
        is_new || !change.what.starts_with("fetched")
    }

    /// Returns true if the messages of the failure are about credentials.
    pub(super) fn is_about_credentials(&self) -> bool {
        CREDENTIALS.iter().any(|words| self.messages.contains(words))
    }
}
