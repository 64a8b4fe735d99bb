//! The document `SnapshotDiff`: what changed between two snapshots. Facts that move by themselves, such as times and
//! observations that are as declared, are no change.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Serialize;

use super::drift::DriftReport;
use super::{API_VERSION, findings};
use crate::engine::{Assessment, ENGINES, controller};
use crate::model::body::Body;
use crate::model::finding::Finding;
use crate::model::object::{ObjectKey, ObjectName};
use crate::model::resource::Resource;
use crate::model::state::{ClusterState, Origin, Unreadable};
use crate::model::verdict::Verdict;

/// The document `SnapshotDiff`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotDiff {
    /// Always [`API_VERSION`].
    pub api_version: &'static str,
    /// Always `SnapshotDiff`.
    pub kind: &'static str,
    /// The snapshot before.
    pub before: Side,
    /// The one after.
    pub after: Side,
    /// Versions of engines, packages and workloads, and revisions of what deploys from Git.
    pub versions: Vec<VersionChange>,
    /// Objects whose verdict is another, or that came or went.
    pub verdicts: Vec<VerdictChange>,
    /// Findings that only one of them has.
    pub findings: Vec<FindingChange>,
    /// Drift that only one of them has.
    pub drift: Vec<DriftChange>,
}

/// One of the two.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Side {
    /// Where it was read.
    pub source: Origin,
    /// The moment that it speaks of.
    pub moment: Timestamp,
    /// What it does not tell.
    pub unreadable: Vec<Unreadable>,
}

/// A version that is another one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VersionChange {
    /// An engine, an object, or an object and what of it.
    pub what: String,
    /// Absent where it was not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Absent where it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// An object whose verdict is another one.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictChange {
    /// The object.
    pub object: ObjectName,
    /// Absent where it was not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Verdict>,
    /// Absent where it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Verdict>,
    /// The engine's words, of after, or of before where it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Which of the two has something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// Only the one after.
    Appeared,
    /// Only the one before.
    Gone,
}

/// A finding that only one of them has.
#[derive(Debug, Clone, Serialize)]
pub struct FindingChange {
    /// Which.
    pub change: Change,
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
}

/// Drift that only one of them has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct DriftChange {
    /// Which.
    pub change: Change,
    /// The object.
    pub object: ObjectName,
    /// Stable code.
    pub code: String,
    /// The field, where one is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// What was read of one snapshot.
pub struct Taken<'a> {
    /// The state.
    pub state: &'a ClusterState,
    /// What the engines say of it.
    pub assessment: Assessment<'a>,
    /// Where it drifts.
    pub drift: DriftReport,
}

impl SnapshotDiff {
    /// Compares two.
    pub fn of(before: &Taken<'_>, after: &Taken<'_>) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "SnapshotDiff",
            before: side(before),
            after: side(after),
            versions: versions(before.state, after.state),
            verdicts: verdicts(&before.assessment, &after.assessment),
            findings: finding_changes(&before.assessment, &after.assessment),
            drift: drift_changes(&before.drift, &after.drift),
        }
    }

    /// Whether anything changed.
    pub fn has_changes(&self) -> bool {
        !self.versions.is_empty() || !self.verdicts.is_empty() || !self.findings.is_empty() || !self.drift.is_empty()
    }

    /// Whether something could not be compared.
    pub fn is_incomplete(&self) -> bool {
        !self.before.unreadable.is_empty() || !self.after.unreadable.is_empty()
    }
}

fn side(taken: &Taken<'_>) -> Side {
    Side { source: taken.state.origin.clone(), moment: taken.state.moment, unreadable: taken.state.unreadable.clone() }
}

fn versions(before: &ClusterState, after: &ClusterState) -> Vec<VersionChange> {
    let (before, after) = (all_versions(before), all_versions(after));
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    names
        .into_iter()
        .filter(|name| before.get(*name) != after.get(*name))
        .map(|name| VersionChange {
            what: name.clone(),
            before: before.get(name).cloned(),
            after: after.get(name).cloned(),
        })
        .collect()
}

fn all_versions(state: &ClusterState) -> BTreeMap<String, String> {
    let engines = ENGINES
        .iter()
        .filter_map(|engine| Some((engine.name().to_owned(), controller::version(state, engine.part_of())?)));
    engines.chain(state.resources.iter().flat_map(object_versions)).collect()
}

fn object_versions(resource: &Resource) -> Vec<(String, String)> {
    let name = resource.name();
    let one = |version: Option<&String>| -> Vec<(String, String)> {
        version.map(|version| (name.to_string(), version.clone())).into_iter().collect()
    };
    match &resource.body {
        // A revision is of one version.
        Body::Package(package) if package.desired_state.is_none() => one(package.image.as_ref()),
        Body::Workload(workload) => {
            let images = workload.images.iter().filter_map(|image| {
                let (repository, version) =
                    image.split_once('@').or_else(|| image.rsplit_once(':').filter(|(_, tag)| !tag.contains('/')))?;
                let repository = repository
                    .rsplit_once(':')
                    .filter(|(_, tag)| !tag.contains('/'))
                    .map_or(repository, |(name, _)| name);
                Some((format!("{name} {repository}"), version.to_owned()))
            });
            images.collect()
        }
        Body::Application(application) => {
            let sync = &application.status.sync;
            let revisions = Some(sync.revisions.join(", ")).filter(|joined| !joined.is_empty());
            one(sync.revision.as_ref().filter(|revision| !revision.is_empty()).or(revisions.as_ref()))
        }
        Body::Flux(flux) => {
            let artifact = flux.status.artifact.as_ref().map(|artifact| &artifact.revision);
            one(flux.status.last_applied_revision.as_ref().or(artifact))
        }
        _ => Vec::new(),
    }
}

fn verdicts(before: &Assessment<'_>, after: &Assessment<'_>) -> Vec<VerdictChange> {
    let all = |assessment: &Assessment<'_>| -> BTreeMap<ObjectKey, (ObjectName, Verdict, Option<String>)> {
        let one = |judged: &crate::engine::Judged<'_>| {
            let judgement = &judged.judgement;
            (
                judged.resource.key(),
                (judged.resource.name(), judgement.verdict, judgement.message.as_deref().map(str::to_owned)),
            )
        };
        assessment.judged.iter().map(one).collect()
    };
    let (before, after) = (all(before), all(after));
    let keys: BTreeSet<&ObjectKey> = before.keys().chain(after.keys()).collect();
    let mut changes: Vec<_> = keys
        .into_iter()
        .filter_map(|key| {
            let (old, new) = (before.get(key), after.get(key));
            let verdict = |entry: Option<&(ObjectName, Verdict, Option<String>)>| entry.map(|(_, verdict, _)| *verdict);
            let (object, _, message) = new.or(old)?;
            (verdict(old) != verdict(new)).then(|| VerdictChange {
                object: object.clone(),
                before: verdict(old),
                after: verdict(new),
                message: message.clone(),
            })
        })
        .collect();
    changes.sort_by(|left, right| {
        let worst = |change: &VerdictChange| change.after.unwrap_or(Verdict::Ok);
        (worst(left), &left.object).cmp(&(worst(right), &right.object))
    });
    changes
}

fn finding_changes(before: &Assessment<'_>, after: &Assessment<'_>) -> Vec<FindingChange> {
    let (before, after) = (findings::gather(before), findings::gather(after));
    // Of findings that are alike, each object counts.
    let said = |findings: &[Finding]| -> BTreeSet<(String, ObjectKey)> {
        let of = |finding: &Finding| -> Vec<(String, ObjectKey)> {
            let objects = std::iter::once(&finding.object).chain(&finding.also);
            objects.map(|object| (finding.code.clone(), ObjectKey::from(object))).collect()
        };
        findings.iter().flat_map(of).collect()
    };
    let (said_before, said_after) = (said(&before), said(&after));
    let only = |findings: Vec<Finding>, others: &BTreeSet<(String, ObjectKey)>, change: Change| -> Vec<FindingChange> {
        let is_new = |code: &str, object: &ObjectName| !others.contains(&(code.to_owned(), ObjectKey::from(object)));
        let mut changes = Vec::new();
        for mut finding in findings {
            let code = finding.code.clone();
            let mut objects: Vec<_> = std::iter::once(finding.object.clone()).chain(finding.also).collect();
            objects.retain(|object| is_new(&code, object));
            let mut objects = objects.into_iter();
            if let Some(first) = objects.next() {
                (finding.object, finding.also) = (first, objects.collect());
                changes.push(FindingChange { change, finding });
            }
        }
        changes
    };
    let mut changes = only(after, &said_before, Change::Appeared);
    changes.extend(only(before, &said_after, Change::Gone));
    changes
}

fn drift_changes(before: &DriftReport, after: &DriftReport) -> Vec<DriftChange> {
    let all = |report: &DriftReport| -> BTreeSet<(ObjectName, String, Option<String>)> {
        let of = |item: &super::drift::DriftItem| -> Vec<(ObjectName, String, Option<String>)> {
            let paths = item.differences.iter().map(|difference| Some(difference.path.clone()));
            let paths: Vec<_> = if item.differences.is_empty() { vec![None] } else { paths.collect() };
            paths.into_iter().map(|path| (item.object.clone(), item.code.clone(), path)).collect()
        };
        report.items.iter().flat_map(|item| of(item)).collect()
    };
    let (before, after) = (all(before), all(after));
    let only = |those: &BTreeSet<(ObjectName, String, Option<String>)>, change| -> Vec<DriftChange> {
        let one = |(object, code, path): &(ObjectName, String, Option<String>)| DriftChange {
            change,
            object: object.clone(),
            code: code.clone(),
            path: path.clone(),
        };
        those.iter().map(one).collect()
    };
    let mut changes = only(&(&after - &before), Change::Appeared);
    changes.extend(only(&(&before - &after), Change::Gone));
    changes
}
