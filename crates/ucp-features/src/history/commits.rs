//! Commits that a deployment brought: the Git source of the object that deploys, and the revisions before and after.

use std::collections::{BTreeSet, VecDeque};

use jiff::Timestamp;

use super::actor::{Actor, ActorKind};
use super::commit_changes::{self, CommittedChange};
use super::occurrence::{ChangeSort, Occurrence, OccurrenceCertainty};
use ucp_core::engine;
use ucp_core::graph::link::GitSource;
use ucp_core::graph::{Graph, NodeIdentity};
use ucp_core::model::object::{ObjectKey, ObjectName};

/// A deployment from Git.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct GitDeployment {
    /// The object that deployed.
    pub object: ObjectName,
    /// The URL of the repository.
    pub repository: String,
    /// The path in it; empty for all of it.
    pub path: String,
    /// The hash before, if known.
    pub before: Option<String>,
    /// The deployed hash.
    pub after: String,
    /// The time of the deployment, or the latest one.
    pub time: Timestamp,
    /// True if it deployed from several sources, and the hash may be one of another source.
    pub is_one_of_several: bool,
}

/// Returns the deployments among some occurrences that have a repository and the hash of a commit.
pub fn git_deployments(occurrences: &[Occurrence], graph: &Graph<'_>) -> BTreeSet<GitDeployment> {
    let deployed = occurrences.iter().filter(|one| one.change == ChangeSort::Deployed);
    let deployments = deployed.flat_map(|occurrence| {
        let steps = revision_steps(occurrence);
        let is_one_of_several = steps.len() > 1;
        let objects = std::iter::once(&occurrence.object).chain(&occurrence.also);
        objects.flat_map(move |object| {
            let sources = sources(graph, object).into_iter().filter(|source| source.chart.is_none());
            let deployments = sources.flat_map(|source| {
                let deployment = |(before, after): &(Option<String>, String)| GitDeployment {
                    object: object.clone(),
                    repository: source.repository.clone(),
                    path: source.path.clone().unwrap_or_default(),
                    before: before.clone(),
                    after: after.clone(),
                    time: occurrence.time,
                    is_one_of_several,
                };
                steps.iter().map(deployment).collect::<Vec<_>>()
            });
            deployments.collect::<Vec<_>>()
        })
    });
    deployments.collect()
}

/// Returns the hash before, if known, and after a deployment, for each of its sources.
fn revision_steps(occurrence: &Occurrence) -> Vec<(Option<String>, String)> {
    let hashes = |revisions: &str| revisions.split(", ").map(|revision| hash(revision).to_owned()).collect::<Vec<_>>();
    let after = occurrence.after.as_deref().map(hashes).unwrap_or_default();
    let before = occurrence.before.as_deref().map(hashes).filter(|before| before.len() == after.len());
    let before = before.map_or_else(|| vec![None; after.len()], |before| before.into_iter().map(Some).collect());
    before.into_iter().zip(after).collect()
}

impl GitDeployment {
    /// Returns the identity of the deployment among those of an object.
    pub fn identity(&self) -> DeploymentIdentity {
        (ObjectKey::from(&self.object), self.after.clone())
    }
}

/// The object that deployed, and the hash of the commit.
pub type DeploymentIdentity = (ObjectKey, String);

/// Returns the identity of a deployment from one source.
pub(super) fn identity_of(occurrence: &Occurrence) -> Option<DeploymentIdentity> {
    let after = occurrence.after.as_deref().filter(|after| !after.contains(", "))?;
    Some((ObjectKey::from(&occurrence.object), hash(after).to_owned()))
}

/// Returns the hash in a revision of Argo CD, or of Flux: `main@sha1:HASH`.
fn hash(revision: &str) -> &str {
    revision.rsplit_once(':').map_or(revision, |(_, hash)| hash)
}

/// Returns the Git sources that declare an object, directly or through the object of a source, which has no path: it is
/// in the object that deploys from it.
fn sources(graph: &Graph<'_>, object: &ObjectName) -> Vec<GitSource> {
    let Some(root) = graph.find(&ObjectKey::from(object)) else { return Vec::new() };
    let deployed_path = || graph.resource(root).and_then(engine::deploys).map(str::to_owned);
    let (mut open, mut found) = (VecDeque::from([(root, 0)]), Vec::new());
    while let Some((node, steps)) = open.pop_front() {
        for edge in graph.up(node).iter().filter(|edge| !edge.relation.is_need() && steps < 2) {
            match graph.node(edge.node).thing {
                NodeIdentity::Git(source) => {
                    let path = source.path.clone().or_else(deployed_path);
                    found.push(GitSource { path, ..source });
                }
                _ => open.push_back((edge.node, steps + 1)),
            }
        }
        // Sources of objects farther up declare other things.
        if !found.is_empty() {
            break;
        }
    }
    found
}

/// A commit that a deployment brought.
#[derive(Debug, Clone, Copy)]
pub struct DeployedCommit<'a> {
    /// The full hash.
    pub hash: &'a str,
    /// The name of the author.
    pub author: &'a str,
    /// The first line of the message.
    pub subject: &'a str,
    /// The changed files.
    pub files: &'a [String],
    /// The changes in them, as far as they are known.
    pub changes: &'a [CommittedChange],
}

/// Returns the occurrence of a commit that a deployment brought.
pub fn committed(deployment: &GitDeployment, time: Timestamp, commit: DeployedCommit<'_>) -> Occurrence {
    let DeployedCommit { hash, author, subject, files, changes } = commit;
    let hash = &hash[..hash.len().min(10)];
    let listed = match files {
        [] => String::new(),
        [one] => format!(" ({one})"),
        [one, more @ ..] => format!(" ({one} and {} more)", more.len()),
    };
    let promotion = commit_changes::promotion(subject).map(|promotion| format!("{promotion}, ")).unwrap_or_default();
    let (changed, before, after) = match changes {
        [] => (String::new(), None, None),
        [one] => (format!(": {}", one.subject()), one.before.clone(), one.after.clone()),
        several => (format!(": {}", commit_changes::describe(several)), None, None),
    };
    let what = format!("{promotion}commit {hash} \u{201c}{subject}\u{201d}{listed}{changed}");
    let by = Actor { kind: ActorKind::Commit, name: author.to_owned() };
    // Authors choose the time of a commit, but it was made before it was deployed.
    let certainty = if time > deployment.time { OccurrenceCertainty::AtLatest } else { OccurrenceCertainty::Exact };
    let time = time.min(deployment.time);
    let occurrence = Occurrence::at(time, deployment.object.clone(), ChangeSort::Committed, what).by(Some(by));
    let occurrence = Occurrence { certainty, ..occurrence };
    // One of several values is only known by more than a plain word.
    let is_specific = |value: &String| changes.len() == 1 || value.chars().any(|letter| !letter.is_alphabetic());
    let values = changes.iter().filter_map(|change| change.after.clone()).filter(is_specific).collect();
    Occurrence { fields: files.to_vec(), values, ..occurrence.with_values(before, after) }
}
