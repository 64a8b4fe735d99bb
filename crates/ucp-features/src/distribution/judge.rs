//! Computes the state of one copy.

use std::collections::{BTreeMap, BTreeSet};

use super::app::{SecretDemand, SurveyedCluster};
use super::core_secrets::CoreSecrets;
use super::fingerprint::Fingerprint;
use super::grounds;
use super::intent::{ClusterReference, CopiedPart, CopyIntent, DeclarationKind, Declarer};
use super::mark::{CopyMark, SecretHolder, holder};
use super::secret::{SecretFacts, ValueDifference, compare};
use super::state::CopyState;
use crate::adopt::names::NamespacedName;
use ucp_core::model::apply::FIELD_MANAGER;
use ucp_core::model::body::consumer::SecretUseKind;
use ucp_core::model::nearest::did_you_mean_name;

/// State of a copy with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyJudgement {
    /// State of the copy.
    pub state: CopyState,
    /// Reason, in a sentence without Secret values; empty if the state is self-explanatory.
    pub reason: String,
    /// Keys whose values differ.
    pub differing: BTreeSet<String>,
    /// Differing keys that exist only in the copy.
    pub only_in_copy: BTreeSet<String>,
}

impl CopyJudgement {
    pub(super) fn new(state: CopyState, reason: impl Into<String>) -> Self {
        Self { state, reason: reason.into(), differing: BTreeSet::new(), only_in_copy: BTreeSet::new() }
    }

    pub(super) fn unknown(reason: impl Into<String>) -> Self {
        Self::new(CopyState::Unknown, reason)
    }

    fn with(self, difference: ValueDifference) -> Self {
        Self { differing: difference.differing, only_in_copy: difference.only_in_copy, ..self }
    }
}

/// Input for the judgement of one copy.
pub(super) struct CopyCase<'a> {
    pub(super) core: &'a CoreSecrets,
    pub(super) app: &'a SurveyedCluster,
    pub(super) target: &'a NamespacedName,
    pub(super) intents: &'a [CopyIntent],
    pub(super) demands: &'a [&'a SecretDemand],
    pub(super) source: Option<&'a NamespacedName>,
    /// The candidate sources, if several Secrets have its name.
    pub(super) candidates: &'a [NamespacedName],
    /// Finds a declaration of the same copy for a cluster that may be this one.
    pub(super) claimed: &'a dyn Fn() -> Option<&'a CopyIntent>,
    pub(super) copy: Option<&'a SecretFacts>,
}

/// Judges a copy; returns `None` if the Secret is not a copy.
pub(super) fn judge(case: &CopyCase<'_>) -> Option<CopyJudgement> {
    if let Some(reason) = case.collision() {
        return Some(CopyJudgement::new(CopyState::Collision, reason));
    }
    let mark = case.copy.and_then(|copy| CopyMark::read(&copy.metadata));
    if let Some(mark) = &mark
        && let Some(judgement) = case.judge_mark(mark)
    {
        return Some(judgement);
    }
    if !case.candidates.is_empty() {
        return Some(case.judge_ambiguous());
    }
    let denied = case.app.reading.as_ref().ok().and_then(|reading| reading.denied.get(case.target));
    let Some(source) = case.source else { return denied.map(|reason| CopyJudgement::unknown(reason.clone())) };
    let facts = match case.source_facts(source) {
        Ok(facts) => facts,
        Err(judgement) => return Some(judgement),
    };
    let reading = match &case.app.reading {
        Ok(reading) => reading,
        Err(reason) => return Some(CopyJudgement::unknown(reason.clone())),
    };
    if let Some(reason) = denied {
        return Some(CopyJudgement::unknown(reason.clone()));
    }
    let Some(copy) = case.copy else {
        return Some(
            reading.gap.as_ref().map_or_else(|| case.judge_missing(source), |gap| CopyJudgement::unknown(gap.clone())),
        );
    };
    if copy.metadata.deletion_timestamp.is_some() {
        return Some(CopyJudgement::new(
            CopyState::Missing,
            format!("it is being deleted: {}", copy.metadata.describe_finalizers()),
        ));
    }
    if let Some(holder) = holder(copy, Some(facts)).filter(|holder| !case.is_declarer(holder)) {
        return Some(CopyJudgement::new(CopyState::Foreign, holder.words));
    }
    Some(case.compared(facts, copy, mark.as_ref()))
}

impl CopyCase<'_> {
    /// Returns the reason why several declarations conflict.
    fn collision(&self) -> Option<String> {
        let declarers: BTreeSet<_> = self.intents.iter().map(|intent| &intent.declarer).collect();
        let sources: BTreeSet<_> = self.intents.iter().filter_map(|intent| intent.source.as_ref()).collect();
        if declarers.len() > 1 {
            let names: Vec<_> =
                declarers.iter().map(|one| format!("{} {}", one.by.as_str(), one.object.name)).collect();
            return Some(format!("{} declare it, and each overwrites the others", names.join(" and ")));
        }
        if sources.len() > 1 {
            let names: Vec<_> = sources.iter().map(ToString::to_string).collect();
            return Some(format!("one declaration copies {} to it", names.join(" and ")));
        }
        let (declarer, by) =
            declarers.iter().find_map(|declarer| Some((declarer, self.core.shared.get(&declarer.object)?)))?;
        let names: Vec<_> = by.iter().map(|object| format!("{} {}", object.kind, object.name)).collect();
        Some(format!(
            "{} apply one {} {}: each sync overwrites the other one",
            names.join(" and "),
            declarer.by.as_str(),
            declarer.object.name
        ))
    }

    /// Judges a copy that has our mark, by its core cluster and by whether it is still declared or used.
    fn judge_mark(&self, mark: &CopyMark) -> Option<CopyJudgement> {
        let is_wanted = !self.intents.is_empty() || !self.demands.is_empty();
        match &self.core.id {
            Some(id) if *id != mark.core && is_wanted => {
                Some(CopyJudgement::new(CopyState::Foreign, "kubectl ucp copied it from another core cluster"))
            }
            Some(id) if *id == mark.core && !is_wanted => Some(self.judge_unwanted(mark)),
            None if !is_wanted => Some(CopyJudgement::unknown(
                "it is unknown whether this core cluster copied it: namespace kube-system was not read",
            )),
            _ => None,
        }
    }

    /// Judges a copy of ours that nothing declares or uses. It is orphaned only if everything was read.
    fn judge_unwanted(&self, mark: &CopyMark) -> CopyJudgement {
        let prefix = "it is unknown whether anything declares or refers to it";
        if let Some(intent) = (self.claimed)() {
            let Declarer { by, object } = &intent.declarer;
            let place = match &intent.cluster {
                ClusterReference::Known(_) => "a cluster that may be this one under another name".to_owned(),
                ClusterReference::Unknown(name) | ClusterReference::Several(name) => {
                    format!("{name}, which may refer to this cluster")
                }
            };
            return CopyJudgement::unknown(format!(
                "{prefix}: {} {} declares it for {place}",
                by.as_str(),
                object.name
            ));
        }
        let mut evidence = self.core.declarations.read.clone();
        if let Ok(reading) = &self.app.reading {
            evidence.join(&grounds::demand_evidence(&self.app.name, reading, &self.target.namespace));
        }
        match evidence.establish(()) {
            Ok(_) => CopyJudgement::new(
                CopyState::Orphaned,
                format!("it was copied from {}, and nothing declares or refers to it", mark.source),
            ),
            Err(ungrounded) => CopyJudgement::unknown(format!("{prefix}: {}", ungrounded.reason())),
        }
    }

    /// Judges a copy whose name matches several Secrets.
    fn judge_ambiguous(&self) -> CopyJudgement {
        let names: Vec<String> = self.candidates.iter().map(ToString::to_string).collect();
        let reason = format!(
            "{} have this name, and no declaration selects one of them: select one with NAMESPACE/NAME",
            names.join(" and ")
        );
        match (&self.app.reading, self.copy) {
            (Err(reason), _) => CopyJudgement::unknown(reason.clone()),
            (Ok(_), Some(_)) => CopyJudgement::unknown(reason),
            (Ok(reading), None) => match reading.gap.as_ref().or(reading.denied.get(self.target)) {
                Some(gap) => CopyJudgement::unknown(gap.clone()),
                None => CopyJudgement::new(CopyState::Missing, reason),
            },
        }
    }

    fn source_facts(&self, key: &NamespacedName) -> Result<&SecretFacts, CopyJudgement> {
        let source = self.core.sources.get(key);
        let facts = source.and_then(|source| source.facts.as_ref());
        match (facts, self.core.sources.gap_at(key)) {
            (Some(facts), _) if !facts.is_empty() => Ok(facts),
            (Some(_), _) if self.copy.is_some_and(|copy| !copy.is_empty()) => Err(CopyJudgement::new(
                CopyState::Poorer,
                format!("its source {key} is empty: the copy may be the last one"),
            )
            .with(compare(&BTreeMap::new(), self.copy.map_or(&BTreeMap::new(), |copy| &copy.values)))),
            (Some(_), _) => Err(CopyJudgement::new(CopyState::SourceMissing, format!("its source {key} is empty"))),
            (None, Some(gap)) => Err(CopyJudgement::unknown(format!("its source {key} was not read: {gap}"))),
            (None, None) => {
                let writer = source.and_then(|source| source.writer.as_ref());
                let why = match writer {
                    Some(writer) => format!("{} {} has not written it", writer.kind, writer.name),
                    None => format!(
                        "it does not exist{}",
                        did_you_mean_name(&key.name, self.core.sources.in_namespace(&key.namespace))
                    ),
                };
                let last = if self.copy.is_some() { "; the copy may be the last one" } else { "" };
                Err(CopyJudgement::new(CopyState::SourceMissing, format!("its source is {key}, and {why}{last}")))
            }
        }
    }

    fn judge_missing(&self, source: &NamespacedName) -> CopyJudgement {
        let namespaces = self.app.reading.as_ref().ok().and_then(|reading| reading.namespaces.as_ref());
        let reason = match namespaces {
            Some(namespaces) if !namespaces.contains(&self.target.namespace) => {
                format!("namespace {} does not exist there", self.target.namespace)
            }
            _ if self.intents.is_empty() => format!("nothing declares it; the core cluster has {source}"),
            _ => String::new(),
        };
        CopyJudgement::new(CopyState::Missing, reason)
    }

    /// Returns true if the holder of the Secret is its declarer.
    fn is_declarer(&self, holder: &SecretHolder) -> bool {
        self.intents.iter().any(|intent| match intent.declarer.by {
            DeclarationKind::ExternalSecret | DeclarationKind::ClusterExternalSecret => {
                matches!(holder.kind.as_str(), "ExternalSecret" | "ClusterExternalSecret")
            }
            DeclarationKind::SealedSecret => holder.kind == "SealedSecret",
            DeclarationKind::Substitution => {
                holder.kind == "Kustomization" && holder.name == intent.declarer.object.name
            }
            DeclarationKind::Syncer
            | DeclarationKind::PushSecret
            | DeclarationKind::Object
            | DeclarationKind::ManifestSync => false,
        })
    }

    fn compared(&self, source: &SecretFacts, copy: &SecretFacts, mark: Option<&CopyMark>) -> CopyJudgement {
        let part = self.intents.first().map_or(&CopiedPart::Whole, |intent| &intent.part);
        let mut difference = match part {
            CopiedPart::Whole => compare(&source.values, &copy.values),
            CopiedPart::Keys(keys) => compare_keys(keys, &source.values, &copy.values),
            CopiedPart::Rendered => compare_rendered(&source.values, &copy.values),
        };
        let extra = if mark.is_some() { extra_keys(source, copy) } else { BTreeSet::new() };
        difference.differing.retain(|key| !extra.contains(key));
        difference.only_in_copy.retain(|key| !extra.contains(key));
        if !difference.only_in_copy.is_empty() {
            let keys = listed(&difference.only_in_copy);
            let reason = format!(
                "the copy has {keys}, which its source {} does not have: the copy may be the last one",
                source.key
            );
            return CopyJudgement::new(CopyState::Poorer, reason).with(difference);
        }
        if !difference.differing.is_empty() {
            let state = if is_newer(source, copy, mark) { CopyState::Stale } else { CopyState::Different };
            let held = if copy.is_immutable { "; it is immutable, so it has to be replaced" } else { "" };
            let reason = format!(
                "{} differ{}{held}",
                listed(&difference.differing),
                if difference.differing.len() == 1 { "s" } else { "" }
            );
            return CopyJudgement::new(state, reason).with(difference);
        }
        if !difference.incomparable.is_empty() {
            let reason = format!(
                "{} cannot be compared: the values were hidden with different keys, or are rendered into other values",
                listed(&difference.incomparable)
            );
            return CopyJudgement::unknown(reason);
        }
        self.judge_equal_data(source, copy, &extra)
    }

    /// Judges a copy whose data are equal; type and other fields may still differ.
    fn judge_equal_data(&self, source: &SecretFacts, copy: &SecretFacts, extra: &BTreeSet<String>) -> CopyJudgement {
        if let Some(demand) =
            self.demands.iter().find(|demand| demand.usage.way == SecretUseKind::Pull && !is_login(&copy.kind))
        {
            let reason = format!(
                "its type is {}, and {} {} pulls images with it",
                copy.kind, demand.workload.kind, demand.workload.name
            );
            return CopyJudgement::new(CopyState::Different, reason);
        }
        let lacking = self.demands.iter().filter(|demand| !demand.usage.is_optional).find_map(|demand| {
            let key = demand.usage.keys.iter().find(|key| !copy.values.contains_key(*key))?;
            Some((demand, key))
        });
        if let Some((demand, key)) = lacking {
            let workload = &demand.workload;
            let reason =
                format!("{} {} refers to key {key}, which {} does not have", workload.kind, workload.name, source.key);
            return CopyJudgement::new(CopyState::Poorer, reason);
        }
        let old: BTreeSet<String> = self
            .demands
            .iter()
            .filter(|demand| demand.is_older_than(copy.changed))
            .map(|demand| format!("{} {}", demand.workload.kind, demand.workload.name))
            .collect();
        if !old.is_empty() {
            let names: Vec<_> = old.into_iter().collect();
            return CopyJudgement::new(
                CopyState::UsedOld,
                format!("{} started before it changed: restart it", names.join(", ")),
            );
        }
        let note = if extra.is_empty() { String::new() } else { format!("others added {}", listed(extra)) };
        match self.intents.first() {
            Some(_) => CopyJudgement::new(CopyState::Current, note),
            None => CopyJudgement::new(CopyState::Undeclared, note),
        }
    }
}

/// Returns true for types of Secrets with which images are pulled.
fn is_login(kind: &str) -> bool {
    matches!(kind, "kubernetes.io/dockerconfigjson" | "kubernetes.io/dockercfg")
}

/// Compares some keys of a source, renamed as in the copy. Other keys of the copy are ignored.
fn compare_keys(
    keys: &BTreeMap<String, String>,
    source: &BTreeMap<String, Fingerprint>,
    copy: &BTreeMap<String, Fingerprint>,
) -> ValueDifference {
    let wanted = keys.iter().filter_map(|(to, from)| Some((to.clone(), source.get(from)?.clone()))).collect();
    let has = copy.iter().filter(|(key, _)| keys.contains_key(*key));
    compare(&wanted, &has.map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// Compares rendered values: a value equal to one of the source is correct, a different value under a key of the source
/// is wrong, and all others are incomparable.
fn compare_rendered(source: &BTreeMap<String, Fingerprint>, copy: &BTreeMap<String, Fingerprint>) -> ValueDifference {
    let mut difference = ValueDifference::default();
    for (key, value) in copy {
        let is_one = source.values().any(|known| known.is_same_as(value) == Some(true));
        match source.get(key).map(|known| known.is_same_as(value)) {
            _ if is_one => {}
            Some(Some(false)) => {
                difference.differing.insert(key.clone());
            }
            _ => {
                difference.incomparable.insert(key.clone());
            }
        }
    }
    difference
}

/// Returns keys that others added to a copy of ours: they are kept and are not an error.
fn extra_keys(source: &SecretFacts, copy: &SecretFacts) -> BTreeSet<String> {
    let is_extra = |key: &&String| {
        let writers = copy.writers.get(*key);
        !source.values.contains_key(*key) && writers.is_some_and(|writers| !writers.contains(FIELD_MANAGER))
    };
    copy.values.keys().filter(is_extra).cloned().collect()
}

/// Returns true if the source changed after the copy was written, by the time of the last write or by the copied
/// version.
fn is_newer(source: &SecretFacts, copy: &SecretFacts, mark: Option<&CopyMark>) -> bool {
    match (source.changed, copy.changed) {
        (Some(source), Some(copy)) if source != copy => source > copy,
        _ => mark.is_some_and(|mark| mark.version != source.version),
    }
}

/// Formats key names for a sentence.
fn listed(keys: &BTreeSet<String>) -> String {
    let noun = if keys.len() == 1 { "key" } else { "keys" };
    format!("{noun} {}", keys.iter().map(String::as_str).collect::<Vec<_>>().join(", "))
}
