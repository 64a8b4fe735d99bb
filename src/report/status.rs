//! The document `Status`: the health of the control plane, and its problems in order of priority.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Serialize, Serializer};

use crate::report::distribution::{SecretDistribution, SecretItem};
use crate::report::last_seen::{self, LastSeen};
use crate::report::sources::{
    CombineSources, DocumentSource, DocumentSources, Sourced, set_finding_sources, set_sources, without_sources,
};
use crate::report::{Header, findings};
use ucp_core::engine::{Assessment, ENGINES, Engine, JudgedObject, any, engine_of};
use ucp_core::model::finding::Finding;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::{ClusterState, Origin, Unreadable};
use ucp_core::model::verdict::Verdict;

/// The document `Status`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusReport {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// The time of the cluster state.
    pub moment: Timestamp,
    /// The label selector, if one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// All engines that have objects in the cluster.
    pub engines: Vec<Sourced<EngineStatus>>,
    /// The number of objects by verdict.
    pub counts: VerdictCounts,
    /// Findings, worst first.
    pub findings: Vec<Sourced<Finding>>,
    /// Objects that are unknown without a finding that explains it, by name.
    pub unknown: Vec<Sourced<UnknownObject>>,
    /// Other clusters whose Applications were OK when Argo CD last saw them.
    pub last_seen: Vec<Sourced<LastSeen>>,
    /// Objects and kinds that could not be read.
    pub unreadable: Vec<Sourced<Unreadable>>,
    /// The length of the text output.
    #[serde(skip)]
    pub page: PageLength,
}

/// The length of the text output of a [`StatusReport`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PageLength {
    /// The worst findings in full, the others in one line each.
    #[default]
    Short,
    /// All findings in full: `--full`.
    Full,
}

/// An object whose state is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnknownObject {
    /// The object.
    pub object: ObjectName,
    /// The reason why it is unknown, or the message that is not understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl UnknownObject {
    /// Returns the objects that are unknown and that no finding reports or holds up, by name.
    fn without_finding(assessment: &Assessment<'_>, worst_of_each: &[Option<Verdict>]) -> Vec<Self> {
        let entries = assessment.judged.iter().zip(worst_of_each);
        let unknown =
            entries.filter(|(entry, finding)| entry.judgement.verdict == Verdict::Unknown && finding.is_none());
        let mut found: Vec<Self> = unknown
            .map(|(entry, _)| Self {
                object: entry.resource.name(),
                message: entry.judgement.message.as_ref().map(|message| message.as_str().to_owned()),
            })
            .collect();
        found.sort_by(|left, right| left.object.cmp(&right.object));
        found
    }
}

impl From<&SecretItem> for UnknownObject {
    fn from(item: &SecretItem) -> Self {
        let object = ObjectName::secret(&item.namespace, &item.name);
        Self { object, message: Some(format!("in app cluster {}: {}", item.cluster, item.reason)) }
    }
}

/// The health of one engine.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EngineStatus {
    /// The name of the engine.
    pub name: String,
    /// The version, if known from its workloads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The worst verdict of its objects and findings; at best `Unknown` if some objects could not be read.
    pub verdict: Verdict,
    /// The reason why the state of its objects is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The number of its objects by verdict.
    pub counts: VerdictCounts,
    /// The number of its objects by category, such as `managed resources`.
    pub kinds: BTreeMap<String, usize>,
}

/// Numbers of objects by verdict, worst first, without zero entries.
#[derive(Debug, Clone, Default, PartialEq, Eq, schemars::JsonSchema)]
pub struct VerdictCounts(pub BTreeMap<Verdict, usize>);

impl VerdictCounts {
    /// Returns the sum over all verdicts.
    pub fn total(&self) -> usize {
        self.0.values().sum()
    }
}

impl FromIterator<Verdict> for VerdictCounts {
    fn from_iter<I: IntoIterator<Item = Verdict>>(verdicts: I) -> Self {
        let mut counts = Self::default();
        for verdict in verdicts {
            *counts.0.entry(verdict).or_default() += 1;
        }
        counts
    }
}

impl Serialize for VerdictCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(verdict, number)| (verdict.as_str(), number)))
    }
}

impl StatusReport {
    /// Returns true if the state of an object or of an engine is unknown.
    pub fn has_unknown(&self) -> bool {
        !self.unknown.is_empty() || self.engines.iter().any(|engine| engine.verdict == Verdict::Unknown)
    }

    /// Builds the document from the assessment.
    pub fn from_assessment(state: &ClusterState, assessment: &Assessment<'_>) -> Self {
        let (findings, worst) = findings::gather_with_verdicts(assessment);
        let row = |engine: &&dyn Engine| EngineStatus::from_engine(*engine, state, assessment, (&findings, &worst));
        let engines = ENGINES.iter().filter_map(row).chain(EngineStatus::rows_of_other_groups(assessment));
        Self {
            header: Header::new("Status", state.origin.clone()),
            moment: state.moment,
            selector: None,
            engines: without_sources(engines),
            counts: assessment.judged.iter().map(|entry| entry.judgement.verdict).collect(),
            findings: without_sources(findings),
            unknown: without_sources(UnknownObject::without_finding(assessment, &worst)),
            last_seen: without_sources(last_seen::gather(assessment)),
            unreadable: without_sources(state.unreadable.iter().cloned()),
            page: PageLength::default(),
        }
    }

    /// Returns the document with this page length.
    #[must_use]
    pub fn with_page(self, page: PageLength) -> Self {
        Self { page, ..self }
    }
}

impl CombineSources for StatusReport {
    fn name_sources(&mut self, sources: Vec<DocumentSource>) {
        self.header.source = DocumentSources::Several(sources);
    }

    fn moment(&self) -> Option<Timestamp> {
        Some(self.moment)
    }

    fn unreadable(&mut self) -> &mut Vec<Sourced<Unreadable>> {
        &mut self.unreadable
    }

    fn mark(&mut self, source: &Arc<Origin>) {
        set_sources(&mut self.engines, source);
        set_finding_sources(&mut self.findings, source);
        set_sources(&mut self.unknown, source);
        set_sources(&mut self.last_seen, source);
    }

    fn add(&mut self, other: Self) {
        self.moment = self.moment.max(other.moment);
        self.engines.extend(other.engines);
        for (verdict, number) in other.counts.0 {
            *self.counts.0.entry(verdict).or_default() += number;
        }
        self.findings.extend(other.findings);
        self.unknown.extend(other.unknown);
        self.last_seen.extend(other.last_seen);
    }

    fn sort(&mut self) {
        // Engines remain in the order of the clusters given by the user.
        self.findings.sort_by(|left, right| findings::worst_first(left, right));
    }
}

impl StatusReport {
    /// Records that only objects with some labels were judged. Engines without such objects and without problems are
    /// left out.
    #[must_use]
    pub fn with_selector(mut self, selector: &str) -> Self {
        self.engines.retain(|engine| engine.counts.total() > 0 || engine.verdict != Verdict::Ok);
        self.selector = Some(selector.to_owned());
        self
    }

    /// Adds the state of the Secrets that workloads in app clusters need.
    #[must_use]
    pub fn with_secrets(mut self, secrets: SecretDistribution) -> Self {
        let counts: VerdictCounts = secrets.items.iter().map(|item| item.verdict).collect();
        let worst = secrets.findings.iter().map(|finding| finding.verdict).chain(counts.0.keys().copied()).min();
        if let Some(verdict) = worst {
            let kinds = BTreeMap::from([("Secrets in app clusters".to_owned(), counts.total())]);
            for (verdict, number) in &counts.0 {
                *self.counts.0.entry(*verdict).or_default() += number;
            }
            let engine =
                EngineStatus { name: "Secrets".to_owned(), version: None, verdict, reason: None, counts, kinds };
            self.engines.push(engine.into());
        }
        // No finding is about a copy whose state is unknown.
        let unknown = secrets.items.iter().filter(|item| item.verdict == Verdict::Unknown);
        self.unknown.extend(without_sources(unknown.map(UnknownObject::from)));
        self.findings.extend(secrets.findings);
        self.sort();
        let new: Vec<_> = secrets.unreadable.into_iter().filter(|entry| !self.unreadable.contains(entry)).collect();
        self.unreadable.extend(new);
        self
    }

    /// Returns the source of an item.
    pub fn source_of<'a, T>(&'a self, item: &'a Sourced<T>) -> Option<&'a Origin> {
        match &self.header.source {
            DocumentSources::One(source) => Some(source),
            DocumentSources::Several(_) => item.source.as_deref(),
        }
    }

    /// Returns the selector if no object matches it, so that nothing was judged.
    pub fn selects_nothing(&self) -> Option<&str> {
        self.selector.as_deref().filter(|_| self.counts.total() == 0)
    }
}

impl EngineStatus {
    /// Returns the rows of API groups that no engine handles, by name; those of Kubernetes share one row.
    fn rows_of_other_groups(assessment: &Assessment<'_>) -> Vec<Self> {
        let mut groups: BTreeMap<&str, Vec<&JudgedObject<'_>>> = BTreeMap::new();
        for entry in assessment.judged.iter().filter(|entry| entry.engine == any::NAME) {
            let group = entry.resource.kind.group.as_str();
            groups.entry(if any::is_of_kubernetes(group) { "Kubernetes" } else { group }).or_default().push(entry);
        }
        let row = |(name, own): (&str, Vec<&JudgedObject<'_>>)| {
            let counts: VerdictCounts = own.iter().map(|entry| entry.judgement.verdict).collect();
            let mut kinds = BTreeMap::new();
            for entry in &own {
                *kinds.entry(ucp_core::engine::noun(entry.resource)).or_default() += 1;
            }
            let verdict = counts.0.keys().next().copied().unwrap_or(Verdict::Ok);
            Self { name: name.to_owned(), version: None, verdict, reason: None, counts, kinds }
        };
        groups.into_iter().map(row).collect()
    }

    /// Returns the row of an engine, if it has objects or runs in the cluster.
    fn from_engine(
        engine: &dyn Engine,
        state: &ClusterState,
        assessment: &Assessment<'_>,
        (findings, worst_of_each): (&[Finding], &[Option<Verdict>]),
    ) -> Option<Self> {
        let is_own = |entry: &&JudgedObject<'_>| entry.engine == engine.name();
        let own: Vec<_> = assessment.judged.iter().filter(is_own).collect();
        let version = engine.version(state);
        // Controllers are found in all namespaces, even if only one namespace was requested.
        if own.is_empty() && (version.is_none() || state.namespace.is_some()) {
            return None;
        }
        let mut kinds = BTreeMap::new();
        for entry in &own {
            *kinds.entry(ucp_core::engine::noun(entry.resource)).or_default() += 1;
        }
        let counts: VerdictCounts = own.iter().map(|entry| entry.judgement.verdict).collect();
        let worst = counts.0.keys().next().copied().unwrap_or(Verdict::Ok);
        let about = findings.iter().filter(|finding| concerns_engine(engine, &finding.object, state, assessment));
        let of_each = assessment.judged.iter().zip(worst_of_each).filter(|(entry, _)| is_own(entry));
        let of_own = of_each.filter_map(|(_, verdict)| *verdict);
        let reason = unreadable_kinds_reason(engine, state)
            .or_else(|| assessment.controllers.unknown_reason(engine).filter(|_| !own.is_empty()).map(str::to_owned));
        let unknown = reason.as_ref().map(|_| Verdict::Unknown);
        let verdict = about.map(|finding| finding.verdict).chain(of_own).chain(unknown).fold(worst, Verdict::min);
        Some(Self { name: engine.name().to_owned(), version, verdict, reason, counts, kinds })
    }
}

/// Returns true if an object that is a cause belongs to an engine, although it is not judged: a controller, or a
/// missing provider config.
fn concerns_engine(
    engine: &dyn Engine,
    object: &ObjectName,
    state: &ClusterState,
    assessment: &Assessment<'_>,
) -> bool {
    if assessment.controllers.engine_of(object) == Some(engine.name()) {
        return true;
    }
    let mut kinds = state.kinds.iter().filter(|kind| kind.group == object.group() && kind.kind == object.kind);
    kinds.any(|kind| engine_of(kind).is_some_and(|found| found.name() == engine.name()))
}

/// Returns the reason if some objects of the engine could not be read.
fn unreadable_kinds_reason(engine: &dyn Engine, state: &ClusterState) -> Option<String> {
    let own = state.kinds.iter().filter(|kind| engine.want(kind).is_some());
    let denied: Vec<String> =
        own.filter(|kind| is_unreadable(kind, state)).map(|kind| kind.qualified_plural()).collect();
    match denied.as_slice() {
        [] => None,
        [one] => Some(format!("{one} could not be read")),
        [first, more @ ..] => Some(format!("{first} and {} more kinds could not be read", more.len())),
    }
}

/// Returns true if a kind, or an object of it, could not be read.
fn is_unreadable(kind: &ResourceKind, state: &ClusterState) -> bool {
    let name = kind.qualified_plural();
    // The entry of a broken object is `PLURAL NAME` for a live cluster, and `KIND NAME in PLACE` for a snapshot.
    let beginnings = [format!("{name} "), format!("{} ", kind.kind)];
    state.unreadable.iter().any(|entry| {
        entry.what == name || beginnings.iter().any(|beginning| entry.what.starts_with(beginning.as_str()))
    })
}
