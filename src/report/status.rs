//! The document `Status`: is the control plane well, and if not, what first.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Serialize, Serializer};

use crate::engine::{Assessment, ENGINES, Engine, Judged, any, engine_of};
use crate::model::finding::Finding;
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectName;
use crate::model::state::{ClusterState, Origin, Unreadable};
use crate::model::verdict::Verdict;
use crate::report::distribution::SecretDistribution;
use crate::report::last_seen::{self, LastSeen};
use crate::report::sources::{Combine, Source, Sourced, Sources, mark, mark_findings, unmarked};
use crate::report::{Header, findings};

/// The document `Status`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
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
    pub engines: Vec<Sourced<EngineStatus>>,
    /// Objects by verdict.
    pub counts: Counts,
    /// What a person should know of, worst first.
    pub findings: Vec<Sourced<Finding>>,
    /// Other clusters whose Applications are well as Argo CD last saw them.
    pub last_seen: Vec<Sourced<LastSeen>>,
    /// What could not be read.
    pub unreadable: Vec<Sourced<Unreadable>>,
    /// How long its page on a terminal is.
    #[serde(skip)]
    pub page: PageLength,
}

/// How long the page of a [`Status`] is on a terminal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PageLength {
    /// The worst findings in full, the others in a line each.
    #[default]
    Short,
    /// Every finding in full: `--full`.
    Full,
}

/// How one engine is doing.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EngineStatus {
    /// Its name.
    pub name: String,
    /// Its version, where its workloads tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The worst of its objects and of its findings; no better than `Unknown` where not all could be seen.
    pub verdict: Verdict,
    /// Why it is unknown whether its objects are as they say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its objects by verdict.
    pub counts: Counts,
    /// Its objects by kind of thing, such as `managed resources`.
    pub kinds: BTreeMap<String, usize>,
}

/// Numbers of objects by verdict, worst first; verdicts without objects are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, schemars::JsonSchema)]
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
        let (findings, worst) = findings::gather_with_verdicts(assessment);
        let row = |engine: &&dyn Engine| EngineStatus::of(*engine, state, assessment, (&findings, &worst));
        let engines = ENGINES.iter().filter_map(row).chain(EngineStatus::of_groups(assessment));
        Self {
            header: Header::new("Status", state.origin.clone()),
            moment: state.moment,
            selector: None,
            engines: unmarked(engines),
            counts: assessment.judged.iter().map(|entry| entry.judgement.verdict).collect(),
            findings: unmarked(findings),
            last_seen: unmarked(last_seen::gather(assessment)),
            unreadable: unmarked(state.unreadable.iter().cloned()),
            page: PageLength::default(),
        }
    }

    /// The same with a page of this length.
    #[must_use]
    pub fn with_page(self, page: PageLength) -> Self {
        Self { page, ..self }
    }
}

impl Combine for Status {
    fn name_sources(&mut self, sources: Vec<Source>) {
        self.header.source = Sources::Several(sources);
    }

    fn moment(&self) -> Option<Timestamp> {
        Some(self.moment)
    }

    fn unreadable(&mut self) -> &mut Vec<Sourced<Unreadable>> {
        &mut self.unreadable
    }

    fn mark(&mut self, source: &Arc<Origin>) {
        mark(&mut self.engines, source);
        mark_findings(&mut self.findings, source);
        mark(&mut self.last_seen, source);
    }

    fn add(&mut self, other: Self) {
        self.moment = self.moment.max(other.moment);
        self.engines.extend(other.engines);
        for (verdict, number) in other.counts.0 {
            *self.counts.0.entry(verdict).or_default() += number;
        }
        self.findings.extend(other.findings);
        self.last_seen.extend(other.last_seen);
    }

    fn sort(&mut self) {
        // Engines stay together as their clusters were named.
        self.findings.sort_by(|left, right| findings::worst_first(left, right));
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

    /// Adds what app clusters say of Secrets that their workloads need.
    #[must_use]
    pub fn with_secrets(mut self, secrets: SecretDistribution) -> Self {
        let counts: Counts = secrets.items.iter().map(|item| item.verdict).collect();
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
        self.findings.extend(secrets.findings);
        self.sort();
        let new: Vec<_> = secrets.unreadable.into_iter().filter(|entry| !self.unreadable.contains(entry)).collect();
        self.unreadable.extend(new);
        self
    }

    /// Where something in it was read.
    pub fn source_of<'a, T>(&'a self, item: &'a Sourced<T>) -> Option<&'a Origin> {
        match &self.header.source {
            Sources::One(source) => Some(source),
            Sources::Several(_) => item.source.as_deref(),
        }
    }

    /// The labels that no object has, so that nothing was judged.
    pub fn selects_nothing(&self) -> Option<&str> {
        self.selector.as_deref().filter(|_| self.counts.total() == 0)
    }
}

impl EngineStatus {
    /// The rows of groups whose kinds no engine knows, by name; those of Kubernetes itself are one.
    fn of_groups(assessment: &Assessment<'_>) -> Vec<Self> {
        let mut groups: BTreeMap<&str, Vec<&Judged<'_>>> = BTreeMap::new();
        for entry in assessment.judged.iter().filter(|entry| entry.engine == any::NAME) {
            let group = entry.resource.kind.group.as_str();
            groups.entry(if any::is_of_kubernetes(group) { "Kubernetes" } else { group }).or_default().push(entry);
        }
        let row = |(name, own): (&str, Vec<&Judged<'_>>)| {
            let counts: Counts = own.iter().map(|entry| entry.judgement.verdict).collect();
            let mut kinds = BTreeMap::new();
            for entry in &own {
                *kinds.entry(crate::engine::noun(entry.resource)).or_default() += 1;
            }
            let verdict = counts.0.keys().next().copied().unwrap_or(Verdict::Ok);
            Self { name: name.to_owned(), version: None, verdict, reason: None, counts, kinds }
        };
        groups.into_iter().map(row).collect()
    }

    /// The row of an engine, where it has objects or runs here.
    fn of(
        engine: &dyn Engine,
        state: &ClusterState,
        assessment: &Assessment<'_>,
        (findings, worst_of_each): (&[Finding], &[Option<Verdict>]),
    ) -> Option<Self> {
        let is_own = |entry: &&Judged<'_>| entry.engine == engine.name();
        let own: Vec<_> = assessment.judged.iter().filter(is_own).collect();
        let version = engine.version(state);
        // The controllers of other namespaces are seen, too.
        if own.is_empty() && (version.is_none() || state.namespace.is_some()) {
            return None;
        }
        let mut kinds = BTreeMap::new();
        for entry in &own {
            *kinds.entry(crate::engine::noun(entry.resource)).or_default() += 1;
        }
        let counts: Counts = own.iter().map(|entry| entry.judgement.verdict).collect();
        let worst = counts.0.keys().next().copied().unwrap_or(Verdict::Ok);
        let about = findings.iter().filter(|finding| is_about(engine, &finding.object, state, assessment));
        let of_each = assessment.judged.iter().zip(worst_of_each).filter(|(entry, _)| is_own(entry));
        let of_own = of_each.filter_map(|(_, verdict)| *verdict);
        let reason = unseen(engine, state)
            .or_else(|| assessment.controllers.doubt(engine).filter(|_| !own.is_empty()).map(str::to_owned));
        let unknown = reason.as_ref().map(|_| Verdict::Unknown);
        let verdict = about.map(|finding| finding.verdict).chain(of_own).chain(unknown).fold(worst, Verdict::min);
        Some(Self { name: engine.name().to_owned(), version, verdict, reason, counts, kinds })
    }
}

/// Whether an object that is to blame belongs to an engine, although it is not judged: a controller, a missing provider
/// config.
fn is_about(engine: &dyn Engine, object: &ObjectName, state: &ClusterState, assessment: &Assessment<'_>) -> bool {
    if assessment.controllers.engine_of(object) == Some(engine.name()) {
        return true;
    }
    let mut kinds = state.kinds.iter().filter(|kind| kind.group == object.group() && kind.kind == object.kind);
    kinds.any(|kind| engine_of(kind).is_some_and(|found| found.name() == engine.name()))
}

/// What of an engine's objects could not be read.
fn unseen(engine: &dyn Engine, state: &ClusterState) -> Option<String> {
    let own = state.kinds.iter().filter(|kind| engine.want(kind).is_some());
    let denied: Vec<String> =
        own.filter(|kind| is_unreadable(kind, state)).map(|kind| kind.qualified_plural()).collect();
    match denied.as_slice() {
        [] => None,
        [one] => Some(format!("{one} could not be read")),
        [first, more @ ..] => Some(format!("{first} and {} more kinds could not be read", more.len())),
    }
}

/// Whether a kind, or an object of it, could not be read.
fn is_unreadable(kind: &ResourceKind, state: &ClusterState) -> bool {
    let name = kind.qualified_plural();
    // An object that is broken stands as `PLURAL NAME` in a live cluster, as `KIND NAME in PLACE` in a snapshot.
    let beginnings = [format!("{name} "), format!("{} ", kind.kind)];
    state.unreadable.iter().any(|entry| {
        entry.what == name || beginnings.iter().any(|beginning| entry.what.starts_with(beginning.as_str()))
    })
}
