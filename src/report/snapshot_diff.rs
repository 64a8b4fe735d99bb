//! The document `SnapshotDiff`: the changes between two snapshots. Facts that change continuously, such as times and
//! observations that equal the declaration, do not count as changes.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Serialize;

use super::drift::DriftReport;
use super::{API_VERSION, findings};
use ucp_core::engine::{Assessment, ENGINES, controller};
use ucp_core::model::body::Body;
use ucp_core::model::finding::Finding;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, Origin, Unreadable};
use ucp_core::model::verdict::Verdict;

/// The document `SnapshotDiff`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotDiff {
    /// Always [`API_VERSION`].
    pub api_version: &'static str,
    /// Always `SnapshotDiff`.
    pub kind: &'static str,
    /// The older snapshot.
    pub before: DiffSide,
    /// The newer snapshot.
    pub after: DiffSide,
    /// Changed versions of engines, packages and workloads, and changed revisions of deployers.
    pub versions: Vec<VersionChange>,
    /// Objects whose verdict changed, and objects that were added or removed.
    pub verdicts: Vec<VerdictChange>,
    /// Findings in only one of the snapshots.
    pub findings: Vec<FindingChange>,
    /// Drift in only one of the snapshots.
    pub drift: Vec<DriftChange>,
}

/// One of the two snapshots.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DiffSide {
    /// The source of the state.
    pub source: Origin,
    /// The time of the state.
    pub moment: Timestamp,
    /// Objects and kinds that could not be read.
    pub unreadable: Vec<Unreadable>,
}

/// A changed version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VersionChange {
    /// An engine, an object, or an object with the name of a component.
    pub what: String,
    /// The version before; absent if it did not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The version after; absent if it no longer exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// An object whose verdict changed.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictChange {
    /// The object.
    pub object: ObjectName,
    /// The verdict before; absent if the object did not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Verdict>,
    /// The verdict after; absent if the object no longer exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Verdict>,
    /// The engine's message after the change, or before it if the object no longer exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The direction of a change between snapshots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum DiffDirection {
    /// Only in the newer snapshot.
    Appeared,
    /// Only in the older snapshot.
    Gone,
}

/// A finding in only one of the snapshots.
#[derive(Debug, Clone, Serialize)]
pub struct FindingChange {
    /// The direction of the change.
    pub change: DiffDirection,
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
}

/// Drift in only one of the snapshots.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct DriftChange {
    /// The direction of the change.
    pub change: DiffDirection,
    /// The object that drifts.
    pub object: ObjectName,
    /// The stable code of the finding.
    pub code: String,
    /// The path of the field, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// The evaluated content of one snapshot.
pub struct EvaluatedSnapshot<'a> {
    /// The cluster state.
    pub state: &'a ClusterState,
    /// The judgements of the engines.
    pub assessment: Assessment<'a>,
    /// The drift in the cluster state.
    pub drift: DriftReport,
}

impl SnapshotDiff {
    /// Returns the changes between two snapshots.
    pub fn between(before: &EvaluatedSnapshot<'_>, after: &EvaluatedSnapshot<'_>) -> Self {
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

    /// Returns true if anything changed.
    pub fn has_changes(&self) -> bool {
        !self.versions.is_empty() || !self.verdicts.is_empty() || !self.findings.is_empty() || !self.drift.is_empty()
    }

    /// Returns true if anything could not be compared.
    pub fn is_incomplete(&self) -> bool {
        !self.before.unreadable.is_empty() || !self.after.unreadable.is_empty()
    }
}

fn side(taken: &EvaluatedSnapshot<'_>) -> DiffSide {
    DiffSide {
        source: taken.state.origin.clone(),
        moment: taken.state.moment,
        unreadable: taken.state.unreadable.clone(),
    }
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
        // A package revision has a fixed version.
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
        let one = |judged: &ucp_core::engine::JudgedObject<'_>| {
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
    // In grouped findings, each object counts separately.
    let said = |findings: &[Finding]| -> BTreeSet<(String, ObjectKey)> {
        let of = |finding: &Finding| -> Vec<(String, ObjectKey)> {
            let objects = std::iter::once(&finding.object).chain(&finding.also);
            objects.map(|object| (finding.code.clone(), ObjectKey::from(object))).collect()
        };
        findings.iter().flat_map(of).collect()
    };
    let (said_before, said_after) = (said(&before), said(&after));
    let only =
        |findings: Vec<Finding>, others: &BTreeSet<(String, ObjectKey)>, change: DiffDirection| -> Vec<FindingChange> {
            let is_new =
                |code: &str, object: &ObjectName| !others.contains(&(code.to_owned(), ObjectKey::from(object)));
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
    let mut changes = only(after, &said_before, DiffDirection::Appeared);
    changes.extend(only(before, &said_after, DiffDirection::Gone));
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
    let mut changes = only(&(&after - &before), DiffDirection::Appeared);
    changes.extend(only(&(&before - &after), DiffDirection::Gone));
    changes
}
