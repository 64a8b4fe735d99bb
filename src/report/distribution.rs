//! The document `SecretDistribution`: the state of the copies of the core cluster's Secrets in app clusters.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;

use super::Header;
use super::findings::finding_with_hint;
use super::sources::{
    CombineSources, DocumentSource, DocumentSources, Sourced, set_finding_sources, set_sources, without_sources,
};
use ucp_core::engine::code::Code;
use ucp_core::error::Outcome;
use ucp_core::failure::Failure;
use ucp_core::model::finding::Finding;
use ucp_core::model::grounds::{Grounds, ListReading};
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::{ClusterState, Origin, Unreadable};
use ucp_core::model::variant_words::variant_words;
use ucp_core::model::verdict::Verdict;
use ucp_features::adopt::names::NamespacedName;
use ucp_features::distribution::app::SurveyedCluster;
use ucp_features::distribution::sync::live::WriteOutcome;
use ucp_features::distribution::sync::{SyncAction, SyncStep};
use ucp_features::distribution::{CopyRow, CopyState, CoreSecrets, Declarer};

/// The document `SecretDistribution`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretDistribution {
    /// `apiVersion`, `kind` and `source`, which is the core cluster.
    #[serde(flatten)]
    pub header: Header,
    /// The app clusters that were examined.
    pub clusters: Vec<Sourced<ExaminedCluster>>,
    /// One item for each Secret of each app cluster, worst first.
    pub items: Vec<SecretItem>,
    /// The same problems as findings, in the format of `status`.
    pub findings: Vec<Sourced<Finding>>,
    /// Objects and kinds that could not be read, with their source.
    pub unreadable: Vec<Sourced<Unreadable>>,
}

impl CombineSources for SecretDistribution {
    fn name_sources(&mut self, sources: Vec<DocumentSource>) {
        self.header.source = DocumentSources::Several(sources);
    }

    fn unreadable(&mut self) -> &mut Vec<Sourced<Unreadable>> {
        &mut self.unreadable
    }

    fn mark(&mut self, source: &Arc<Origin>) {
        set_sources(&mut self.clusters, source);
        self.items.iter_mut().for_each(|item| item.core = Some(Arc::clone(source)));
        set_finding_sources(&mut self.findings, source);
    }

    fn add(&mut self, other: Self) {
        self.clusters.extend(other.clusters);
        self.items.extend(other.items);
        self.findings.extend(other.findings);
    }

    fn sort(&mut self) {
        self.items.sort_by_key(|item| item.state);
    }
}

/// An app cluster that was examined.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct ExaminedCluster {
    /// The name of the app cluster.
    pub name: String,
    /// The identity that was used to read it; absent for a snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<String>,
    /// The API server that was read; absent for a snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The reason why the cluster could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// One Secret of one app cluster.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretItem {
    /// The source Secret in the core cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SecretSourceItem>,
    /// The core cluster, in a document about several. Other documents call it `source`, which is the Secret here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core: Option<Arc<Origin>>,
    /// The name of the app cluster.
    pub cluster: String,
    /// The namespace in the app cluster.
    pub namespace: String,
    /// The name in the app cluster.
    pub name: String,
    /// The state of the copy.
    pub state: CopyState,
    /// The severity of the state.
    pub verdict: Verdict,
    /// The objects that declare the copy; empty if there are none.
    pub declared_by: Vec<Declarer>,
    /// Keys whose values differ, or that only one of the two Secrets has.
    pub differing_keys: BTreeSet<String>,
    /// The workloads that need the Secret.
    pub demanded_by: Vec<ObjectName>,
    /// The provider config whose credentials the Secret holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credentials_of: Option<ObjectName>,
    /// The reason why it is never copied, or why its declaration is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forbidden: Option<String>,
    /// A sentence that explains the state.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The planned or executed action of `secrets sync`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<SyncAction>,
    /// The progress of the action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub course: Option<WriteProgress>,
    /// The grounds of the action: the lists and objects that were read for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounds: Option<Grounds>,
    /// The reason why the action is done, not done, or failed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub action_reason: String,
}

/// The executed steps, by cluster and Secret.
pub type ExecutedSteps = BTreeMap<(String, NamespacedName), (SyncStep, WriteOutcome)>;

/// The progress of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum WriteProgress {
    /// The write is planned.
    Planned,
    /// The write succeeded.
    Done,
    /// The write failed.
    Failed,
}

variant_words!(WriteProgress { Planned = "planned", Done = "done", Failed = "failed" });

/// A source Secret in the core cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct SecretSourceItem {
    /// The namespace in the core cluster.
    pub namespace: String,
    /// The name in the core cluster.
    pub name: String,
    /// The managed resource, claim or composite that writes the Secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writer: Option<ObjectName>,
}

impl SecretDistribution {
    /// Builds the document from the rows of the comparison.
    pub fn from_rows(state: &ClusterState, core: &CoreSecrets, apps: &[&SurveyedCluster], rows: &[CopyRow]) -> Self {
        let mut unreadable = state.unreadable.clone();
        for app in apps {
            match &app.reading {
                Ok(reading) => unreadable.extend(reading.unreadable.iter().cloned()),
                Err(reason) => {
                    unreadable
                        .push(Unreadable { what: format!("cluster {}", app.name), reason: reason.clone().into() });
                }
            }
        }
        // Files may be of other kinds only.
        if matches!(state.origin, Origin::Snapshot { .. }) && state.list_reading("", "Secret") == ListReading::NotServed
        {
            let reason = "the files have no list of Secrets".to_owned();
            unreadable.push(Unreadable { what: "secrets".to_owned(), reason });
        }
        unreadable.sort();
        unreadable.dedup();
        let plain = core.plain.iter().map(|object| {
            finding_with_hint(
                Code::SecretInStatus,
                object.clone(),
                "status.atProvider.manifest holds the values of a Secret".to_owned(),
            )
        });
        let asked = |app: &&SurveyedCluster| ExaminedCluster {
            name: app.name.clone(),
            access: app.reading.as_ref().ok().and_then(|reading| reading.access.clone()),
            server: app.reading.as_ref().ok().and_then(|reading| reading.server.clone()),
            reason: app.reading.as_ref().err().map(Failure::to_string),
        };
        Self {
            header: Header::new("SecretDistribution", state.origin.clone()),
            clusters: without_sources(apps.iter().map(asked)),
            findings: without_sources(rows.iter().flat_map(row_findings).chain(plain)),
            items: rows.iter().map(SecretItem::from_row).collect(),
            unreadable: without_sources(unreadable),
        }
    }

    /// Adds the planned steps. `steps` has the order of the items.
    pub fn add_plan(&mut self, steps: &[SyncStep]) {
        for (item, step) in self.items.iter_mut().zip(steps) {
            item.action = Some(step.action);
            item.course = step.action.writes().then_some(WriteProgress::Planned);
            item.grounds = step.write().map(|write| write.grounds().clone());
            item.action_reason.clone_from(&step.reason);
        }
    }

    /// Adds the executed steps, by cluster and Secret, and returns the number of failures.
    pub fn add_results(&mut self, done: &ExecutedSteps) -> usize {
        let mut failed = 0;
        for item in &mut self.items {
            let Some((step, outcome)) = done.get(&item.key()) else { continue };
            item.action = Some(step.action);
            item.grounds = step.write().map(|write| write.grounds().clone());
            item.action_reason.clone_from(&step.reason);
            match outcome {
                None => {}
                Some(Ok(())) => item.course = Some(WriteProgress::Done),
                Some(Err(reason)) => {
                    failed += 1;
                    item.course = Some(WriteProgress::Failed);
                    item.action_reason = reason.to_string();
                }
            }
        }
        failed
    }

    /// Adds deleted Secrets from the document before the writes, because they are no longer found in the cluster.
    pub fn add_deleted(&mut self, planned: Self, done: &ExecutedSteps) {
        let remaining: BTreeSet<_> = self.items.iter().map(SecretItem::key).collect();
        let deleted = planned.items.into_iter().filter(|item| {
            let key = item.key();
            let is_deleted = matches!(done.get(&key), Some((step, Some(Ok(())))) if step.action == SyncAction::Prune);
            is_deleted && !remaining.contains(&key)
        });
        let deleted: Vec<SecretItem> = deleted
            .map(|item| SecretItem { course: Some(WriteProgress::Done), verdict: Verdict::Ok, ..item })
            .collect();
        self.items.extend(deleted);
        self.sort();
    }

    /// Returns true if every Secret that could be read is where it should be.
    pub fn is_well(&self) -> bool {
        let is_bad = |item: &SecretItem| !matches!(item.verdict, Verdict::Ok | Verdict::Unknown);
        !self.items.iter().any(is_bad) && !self.findings.iter().any(|finding| finding.verdict == Verdict::Failed)
    }

    /// Returns the exit outcome of a read-only command. With `strict`, problems count as findings.
    pub fn outcome(&self, strict: bool) -> Outcome {
        match (self.is_well(), self.is_incomplete()) {
            (false, _) if strict => Outcome::Findings,
            (_, true) => Outcome::Incomplete,
            // Nothing to check is not a clean answer to a check.
            _ if strict && self.items.is_empty() => Outcome::Incomplete,
            _ => Outcome::Clean,
        }
    }

    /// Returns true if the state of anything is unknown.
    pub fn is_incomplete(&self) -> bool {
        !self.unreadable.is_empty() || self.items.iter().any(|item| item.state == CopyState::Unknown)
    }
}

impl SecretItem {
    fn from_row(row: &CopyRow) -> Self {
        Self {
            core: None,
            source: row.source.as_ref().map(|source| SecretSourceItem {
                namespace: source.namespace.clone(),
                name: source.name.clone(),
                writer: row.writer.clone(),
            }),
            cluster: row.cluster.clone(),
            namespace: row.target.namespace.clone(),
            name: row.target.name.clone(),
            state: row.judgement.state,
            verdict: match row.credentials_of {
                Some(_) => row.judgement.state.verdict(),
                None => row.verdict(),
            },
            declared_by: row.declared_by.clone(),
            differing_keys: row.judgement.differing.clone(),
            demanded_by: row.demanded_by.clone(),
            credentials_of: row.credentials_of.clone(),
            forbidden: row.forbidden.clone(),
            reason: row.judgement.reason.clone(),
            action: None,
            course: None,
            grounds: None,
            action_reason: String::new(),
        }
    }

    /// Returns the app cluster and the Secret in it.
    fn key(&self) -> (String, NamespacedName) {
        (self.cluster.clone(), NamespacedName { namespace: self.namespace.clone(), name: self.name.clone() })
    }

    /// Returns true if the Secret is as it should be.
    pub fn is_well(&self) -> bool {
        self.verdict == Verdict::Ok
    }
}

/// Returns the findings of a row.
pub fn row_findings(row: &CopyRow) -> Vec<Finding> {
    let secret = row.target.secret();
    let place = |text: &str| format!("cluster {}: {text}", row.cluster);
    let code = match row.judgement.state {
        CopyState::Missing => Some(Code::SecretMissing),
        CopyState::Collision => Some(Code::SecretCollision),
        CopyState::SourceMissing | CopyState::Poorer => Some(Code::SecretSource),
        CopyState::Foreign => Some(Code::SecretForeign),
        CopyState::Stale | CopyState::Different => Some(Code::SecretDrifted),
        CopyState::Orphaned => Some(Code::SecretOrphaned),
        CopyState::Unknown | CopyState::UsedOld | CopyState::Undeclared | CopyState::Current => None,
    };
    let mut found: Vec<Finding> =
        code.into_iter().map(|code| finding_with_hint(code, secret.clone(), place(&row.description()))).collect();
    if let Some(config) = &row.credentials_of {
        let reason = format!("it contains the credentials of {} {}", config.kind, config.name);
        found.push(finding_with_hint(Code::ProviderCredentialsDistributed, secret, place(&reason)));
    }
    found
}
