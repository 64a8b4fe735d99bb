//! The document `Status`: is the control plane well, and if not, what first.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Serialize, Serializer};

use crate::engine::{Assessment, ENGINES, controller};
use crate::model::finding::Finding;
use crate::model::state::{ClusterState, Unreadable};
use crate::model::verdict::Verdict;
use crate::report::last_seen::{self, LastSeen};
use crate::report::{Header, findings};

/// The document `Status`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// The moment that it speaks of.
    pub moment: Timestamp,
    /// The labels that were asked for, where only some objects were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// Every engine that has objects here.
    pub engines: Vec<EngineStatus>,
    /// Objects by verdict.
    pub counts: Counts,
    /// What a person should know of, worst first.
    pub findings: Vec<Finding>,
    /// Other clusters whose Applications are well as Argo CD last saw them.
    pub last_seen: Vec<LastSeen>,
    /// What could not be read.
    pub unreadable: Vec<Unreadable>,
}

/// How one engine is doing.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EngineStatus {
    /// Its name.
    pub name: String,
    /// Its version, where its workloads tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The worst of its objects.
    pub verdict: Verdict,
    /// Its objects by verdict.
    pub counts: Counts,
    /// Its objects by kind of thing, such as `managed resources`.
    pub kinds: BTreeMap<String, usize>,
}

/// Numbers of objects by verdict, worst first; verdicts without objects are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts(pub BTreeMap<Verdict, usize>);

impl Counts {
    /// Of every verdict together.
    pub fn total(&self) -> usize {
        self.0.values().sum()
    }
}

impl FromIterator<Verdict> for Counts {
    fn from_iter<I: IntoIterator<Item = Verdict>>(verdicts: I) -> Self {
        let mut counts = Self::default();
        for verdict in verdicts {
            *counts.0.entry(verdict).or_default() += 1;
        }
        counts
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(verdict, number)| (verdict.as_str(), number)))
    }
}

impl Status {
    /// Gathers the facts.
    pub fn of(state: &ClusterState, assessment: &Assessment<'_>) -> Self {
        let findings = findings::gather(state, assessment);
        let engines = ENGINES
            .iter()
            .filter_map(|engine| {
                let own: Vec<_> = assessment.judged.iter().filter(|entry| entry.engine == engine.name()).collect();
                let version = controller::version(state, engine.part_of());
                if own.is_empty() && version.is_none() {
                    return None;
                }
                let mut kinds = BTreeMap::new();
                for entry in &own {
                    *kinds.entry(crate::engine::noun(entry.resource)).or_default() += 1;
                }
                let counts: Counts = own.iter().map(|entry| entry.judgement.verdict).collect();
                let worst = counts.0.keys().next().copied();
                let down = findings.iter().filter(|finding| is_controller_of(finding, engine.part_of(), state));
                let verdict = down.map(|finding| finding.verdict).chain(worst).min().unwrap_or(Verdict::Ok);
                Some(EngineStatus { name: engine.name().to_owned(), version, verdict, counts, kinds })
            })
            .collect();
        Self {
            header: Header::new("Status", state.origin.clone()),
            moment: state.moment,
            selector: None,
            engines,
            counts: assessment.judged.iter().map(|entry| entry.judgement.verdict).collect(),
            findings,
            last_seen: last_seen::gather(assessment),
            unreadable: state.unreadable.clone(),
        }
    }
}

impl Status {
    /// Says that only the objects with some labels were judged. Engines that have none of them, and no trouble of their
    /// own, are left out.
    #[must_use]
    pub fn of_labels(mut self, selector: &str) -> Self {
        self.engines.retain(|engine| engine.counts.total() > 0 || engine.verdict != Verdict::Ok);
        self.selector = Some(selector.to_owned());
        self
    }

    /// The labels that no object has, so that nothing was judged.
    pub fn selects_nothing(&self) -> Option<&str> {
        self.selector.as_deref().filter(|_| self.counts.total() == 0)
    }
}

/// Whether a finding is about an engine's own workload.
fn is_controller_of(finding: &Finding, part_of: &str, state: &ClusterState) -> bool {
    finding.object.group() == "apps"
        && (finding.object.name == part_of
            || state.resources.iter().any(|resource| {
                resource.name() == finding.object
                    && resource.metadata.label("app.kubernetes.io/part-of") == Some(part_of)
            }))
}
