//! One row per Secret that is declared for, used in, or found in an app cluster.

use std::collections::{BTreeMap, BTreeSet};

use super::app::{AppClusterReading, SecretDemand, SurveyedCluster};
use super::core_secrets::CoreSecrets;
use super::intent::{ClusterReference, CopyIntent, Declarer};
use super::judge::{CopyCase, CopyJudgement, judge};
use super::mark::CopyMark;
use super::secret::{SecretFacts, compare};
use super::state::CopyState;
use crate::adopt::candidate::CONNECTION;
use crate::adopt::names::NamespacedName;
use ucp_core::model::object::ObjectName;
use ucp_core::model::verdict::Verdict;

/// One Secret of one app cluster.
#[derive(Debug, Clone)]
pub struct CopyRow {
    /// The app cluster.
    pub cluster: String,
    /// Index of the cluster in the inventory; `None` if no cluster of that name is known.
    pub position: Option<usize>,
    /// Namespace and name in the app cluster.
    pub target: NamespacedName,
    /// Source Secret on the core cluster, if known.
    pub source: Option<NamespacedName>,
    /// Object that writes the source.
    pub writer: Option<ObjectName>,
    /// Objects that declare the copy.
    pub declared_by: Vec<Declarer>,
    /// Declarations of the copy.
    pub intents: Vec<CopyIntent>,
    /// Workloads that use the copy.
    pub demanded_by: Vec<ObjectName>,
    /// Provider config whose credentials this Secret holds: it must never be in an app cluster.
    pub credentials_of: Option<ObjectName>,
    /// Reason why it is not copied, independent of its state: the Secret is never copied, its declaration does not
    /// count, or the cluster receives no Secrets.
    pub forbidden: Option<String>,
    /// The candidate sources, if several Secrets have its name.
    pub candidates: Vec<NamespacedName>,
    /// How the source was found.
    pub origin: SourceOrigin,
    /// Secret of the core cluster that the user named and that is not the declared source.
    pub misnamed: Option<NamespacedName>,
    /// State with its reason.
    pub judgement: CopyJudgement,
}

/// How the source of a copy was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceOrigin {
    /// A declaration, the user, or the annotations of the copy name it with its namespace.
    Stated,
    /// It has the name of the copy.
    Name,
}

impl CopyRow {
    /// Returns the verdict of the row.
    pub fn verdict(&self) -> Verdict {
        match self.credentials_of {
            Some(_) => Verdict::Failed,
            None if self.forbidden.is_some() && self.judgement.state.verdict() == Verdict::Ok => Verdict::NeedsHuman,
            None => self.judgement.state.verdict(),
        }
    }

    /// Returns true for a Secret of this name, or of `NAMESPACE/NAME` in one of the clusters.
    pub fn is_called(&self, name: &str) -> bool {
        let source = self.source.as_ref();
        match name.parse::<NamespacedName>() {
            Ok(key) => source == Some(&key) || self.target == key || self.candidates.contains(&key),
            Err(_) => self.target.name == name || source.is_some_and(|source| source.name == name),
        }
    }

    /// Describes state, reason, and waiting workloads in a sentence without Secret values.
    pub fn description(&self) -> String {
        let state = self.judgement.state.as_str();
        let mut told = match self.judgement.reason.as_str() {
            "" => state.to_owned(),
            reason => format!("{state}: {reason}"),
        };
        if self.judgement.state.verdict() != Verdict::Ok
            && let [first, others @ ..] = self.demanded_by.as_slice()
        {
            let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
            let verb = if others.is_empty() { "asks" } else { "ask" };
            told.push_str(&format!("; {} {}{more} {verb} for it", first.kind, first.name));
        }
        told
    }
}

/// Declarations and uses of one Secret in an app cluster.
#[derive(Default)]
struct CopyContext<'a> {
    intents: Vec<CopyIntent>,
    demands: Vec<&'a SecretDemand>,
}

/// Computes all rows. `chosen` are the Secrets that the user named with their namespaces.
pub fn survey(core: &CoreSecrets, apps: &[SurveyedCluster], chosen: &[NamespacedName]) -> Vec<CopyRow> {
    let mut rows: Vec<CopyRow> = core.intents.iter().filter_map(|intent| unknown_cluster_row(core, intent)).collect();
    for (position, app) in apps.iter().enumerate() {
        let mut places: BTreeMap<NamespacedName, CopyContext<'_>> = BTreeMap::new();
        let is_here = |intent: &&CopyIntent| is_at(apps, &intent.cluster, position);
        for intent in core.intents.iter().filter(is_here) {
            places.entry(intent.target.clone()).or_default().intents.push(intent.clone());
        }
        if let Ok(reading) = &app.reading {
            add_from(core, reading, &mut places);
        }
        rows.extend(
            places.into_iter().filter_map(|(target, known)| row((core, apps, chosen), (position, app), target, known)),
        );
    }
    rows.sort_by(|left, right| {
        let key = |row: &CopyRow| (row.judgement.state, row.cluster.clone(), row.target.clone());
        key(left).cmp(&key(right))
    });
    rows
}

/// Returns true if a declaration is for a cluster, under this name or another name of the same cluster.
fn is_at(apps: &[SurveyedCluster], place: &ClusterReference, position: usize) -> bool {
    let identity = |at: usize| apps.get(at)?.reading.as_ref().ok()?.identity.as_ref();
    match place {
        ClusterReference::Known(known) => {
            *known == position || identity(*known).is_some_and(|one| identity(position) == Some(one))
        }
        ClusterReference::Unknown(_) | ClusterReference::Several(_) => false,
    }
}

/// Returns a declaration of the same copy for a cluster that may be this one under another name.
fn possible_declaration<'a>(
    core: &'a CoreSecrets,
    apps: &[SurveyedCluster],
    position: usize,
    target: &NamespacedName,
) -> Option<&'a CopyIntent> {
    let identity = |at: usize| apps.get(at)?.reading.as_ref().ok()?.identity.as_ref();
    core.intents.iter().filter(|intent| intent.can_be_at(target)).find(|intent| match intent.cluster {
        ClusterReference::Known(known) => {
            identity(known).zip(identity(position)).is_none_or(|(one, other)| one == other)
        }
        ClusterReference::Unknown(_) | ClusterReference::Several(_) => true,
    })
}

/// Returns the row of a declaration for an unknown cluster.
fn unknown_cluster_row(core: &CoreSecrets, intent: &CopyIntent) -> Option<CopyRow> {
    let (ClusterReference::Unknown(name) | ClusterReference::Several(name)) = &intent.cluster else { return None };
    let judgement = match core.sources.gap() {
        _ if matches!(intent.cluster, ClusterReference::Several(_)) => CopyJudgement::new(
            CopyState::Missing,
            format!("more than one app cluster has the name '{name}', and no engine's registration has it"),
        ),
        Some(_) => {
            CopyJudgement::unknown(format!("it is unknown whether cluster '{name}' exists: not all Secrets were read"))
        }
        None => CopyJudgement::new(CopyState::Missing, format!("no app cluster has the name '{name}'")),
    };
    Some(CopyRow {
        cluster: name.clone(),
        position: None,
        target: intent.target.clone(),
        writer: writer(core, intent.source.as_ref()),
        credentials_of: intent.source.as_ref().and_then(|source| core.sources.provider_config(source)).cloned(),
        source: intent.source.clone(),
        forbidden: core.authority.objection(intent),
        candidates: Vec::new(),
        origin: SourceOrigin::Stated,
        misnamed: None,
        declared_by: vec![intent.declarer.clone()],
        intents: vec![intent.clone()],
        demanded_by: Vec::new(),
        judgement,
    })
}

fn writer(core: &CoreSecrets, source: Option<&NamespacedName>) -> Option<ObjectName> {
    core.sources.get(source?)?.writer.clone()
}

/// Adds the data of an app cluster itself: uses, its own declarations, and existing Secrets.
fn add_from<'a>(
    core: &CoreSecrets,
    reading: &'a AppClusterReading,
    places: &mut BTreeMap<NamespacedName, CopyContext<'a>>,
) {
    let names = core.sources.names();
    let is_meant = |target: &NamespacedName| core.sources.is_connection_name(&target.name);
    for intent in &reading.intents {
        // Secrets from other sources are ignored, unless they have the name of a connection Secret.
        if is_meant(&intent.target) || places.contains_key(&intent.target) {
            places.entry(intent.target.clone()).or_default().intents.push(intent.clone());
        }
    }
    for demand in &reading.demands {
        let is_wanted = !demand.usage.is_optional && is_meant(&demand.secret);
        if is_wanted || places.contains_key(&demand.secret) || reading.secrets.contains_key(&demand.secret) {
            places.entry(demand.secret.clone()).or_default().demands.push(demand);
        }
    }
    // A Secret that was listed and may not be read can be a copy, too.
    for target in reading.denied.keys() {
        places.entry(target.clone()).or_default();
    }
    for (target, copy) in &reading.secrets {
        if names.contains(target.name.as_str()) || CopyMark::read(&copy.metadata).is_some() {
            places.entry(target.clone()).or_default();
        }
    }
}

fn row(
    (core, apps, chosen): (&CoreSecrets, &[SurveyedCluster], &[NamespacedName]),
    (position, app): (usize, &SurveyedCluster),
    target: NamespacedName,
    mut known: CopyContext<'_>,
) -> Option<CopyRow> {
    let reading = app.reading.as_ref();
    let copy = reading.ok().and_then(|reading| reading.secrets.get(&target));
    let objection = retain_authorized(core, &mut known);
    let (source, origin, candidates) = match source(core, &target, &known.intents, copy, chosen) {
        SourceMatch::Nothing => (None, SourceOrigin::Name, Vec::new()),
        SourceMatch::One(source, origin) => (Some(source), origin, Vec::new()),
        SourceMatch::Several(candidates) => (None, SourceOrigin::Name, candidates),
    };
    let misnamed = chosen.iter().find(|key| **key == target && source.as_ref() != Some(key) && may_exist(core, key));
    let exposed = exposed(core, &target, copy);
    let case = CopyCase {
        core,
        app,
        target: &target,
        intents: &known.intents,
        demands: &known.demands,
        source: source.as_ref(),
        candidates: &candidates,
        claimed: &|| possible_declaration(core, apps, position, &target),
        copy,
    };
    let is_asked = known.demands.iter().any(|demand| !demand.usage.is_optional);
    let is_only_found = known.intents.is_empty() && !is_asked;
    let judgement = match judge(&case) {
        _ if is_only_found && exposed.is_none() && !is_copy(core, source.as_ref(), copy) => return None,
        None if exposed.is_none() => return None,
        None => CopyJudgement::new(CopyState::Undeclared, String::new()),
        Some(judgement) => judgement,
    };
    let mut declared_by: Vec<Declarer> = known.intents.iter().map(|intent| intent.declarer.clone()).collect();
    declared_by.sort();
    declared_by.dedup();
    let mut demanded_by: Vec<ObjectName> = known.demands.iter().map(|demand| demand.workload.clone()).collect();
    demanded_by.sort();
    demanded_by.dedup();
    let protection = source.as_ref().and_then(|source| Some((source, core.sources.protection(source)?)));
    let never = protection.map(|(source, what)| format!("Secret {source} is never copied: it is {what}"));
    let forbidden = never.or(objection).or_else(|| core.objections.get(position)?.clone());
    let declared_credentials = source.as_ref().and_then(|source| core.sources.provider_config(source));
    Some(CopyRow {
        cluster: app.name.clone(),
        position: Some(position),
        writer: writer(core, source.as_ref()),
        credentials_of: exposed.or(declared_credentials).cloned(),
        target,
        source,
        forbidden,
        candidates,
        origin,
        misnamed: misnamed.cloned(),
        declared_by,
        intents: known.intents,
        demanded_by,
        judgement,
    })
}

/// Removes declarations that do not count if others do; else returns the reason. They are kept then, so that their
/// Secrets are shown and not treated as orphaned.
fn retain_authorized(core: &CoreSecrets, known: &mut CopyContext<'_>) -> Option<String> {
    let objection = known.intents.iter().find_map(|intent| core.authority.objection(intent));
    if known.intents.iter().all(|intent| core.authority.objection(intent).is_some()) {
        return objection;
    }
    known.intents.retain(|intent| core.authority.objection(intent).is_none());
    None
}

/// Source of a copy.
enum SourceMatch {
    Nothing,
    One(NamespacedName, SourceOrigin),
    /// Several candidates, of which none is declared.
    Several(Vec<NamespacedName>),
}

/// Returns true if a Secret of the core cluster exists, is to be written, or could not be read.
fn may_exist(core: &CoreSecrets, key: &NamespacedName) -> bool {
    core.sources.get(key).is_some() || core.sources.gap_at(key).is_some()
}

/// Determines the source of a copy: as declared, as chosen by the user, from our mark, or by name. Of several with the
/// same name, the one with equal values.
fn source(
    core: &CoreSecrets,
    target: &NamespacedName,
    intents: &[CopyIntent],
    copy: Option<&SecretFacts>,
    chosen: &[NamespacedName],
) -> SourceMatch {
    if let Some(declared) = intents.iter().find_map(|intent| intent.source.clone()) {
        return SourceMatch::One(declared, SourceOrigin::Stated);
    }
    // A Secret that the user names with its namespace is the source, of whatever type it is: no other one takes its place.
    let named: BTreeSet<&NamespacedName> =
        chosen.iter().filter(|key| key.name == target.name && core.sources.get(key).is_some()).collect();
    match named.first() {
        Some(one) if named.len() == 1 => return SourceMatch::One((*one).clone(), SourceOrigin::Stated),
        Some(_) => return SourceMatch::Several(named.into_iter().cloned().collect()),
        None => {}
    }
    let candidates = core.sources.candidates(&target.name);
    if let Some(mark) = copy.and_then(|copy| CopyMark::read(&copy.metadata)) {
        return SourceMatch::One(mark.source, SourceOrigin::Stated);
    }
    let is_equal = |key: &&&NamespacedName| {
        let source = core.sources.facts(key);
        source.zip(copy).is_some_and(|(source, copy)| compare(&source.values, &copy.values) == Default::default())
    };
    match (candidates.as_slice(), candidates.iter().find(is_equal)) {
        ([], _) => SourceMatch::Nothing,
        (_, Some(equal)) => SourceMatch::One((*equal).clone(), SourceOrigin::Name),
        ([one], None) => SourceMatch::One((*one).clone(), SourceOrigin::Name),
        (several, None) => SourceMatch::Several(several.iter().map(|key| (*key).clone()).collect()),
    }
}

/// Returns true if a Secret that is neither declared nor used is a copy, rather than an unrelated Secret of that name.
fn is_copy(core: &CoreSecrets, source: Option<&NamespacedName>, copy: Option<&SecretFacts>) -> bool {
    let Some(copy) = copy else { return false };
    if let Some(mark) = CopyMark::read(&copy.metadata) {
        return core.id.as_ref().is_none_or(|id| *id == mark.core);
    }
    let source = source.and_then(|source| core.sources.facts(source));
    let is_like = |source: &SecretFacts| {
        let difference = compare(&source.values, &copy.values);
        !source.is_empty() && difference.differing.is_empty()
    };
    copy.kind == CONNECTION || source.is_some_and(is_like)
}

/// Returns the provider config whose credentials a Secret holds: one of its values is equal to one of theirs.
fn exposed<'a>(core: &'a CoreSecrets, target: &NamespacedName, copy: Option<&SecretFacts>) -> Option<&'a ObjectName> {
    let copy = copy?;
    let is_it = |key: &NamespacedName| {
        let source = core.sources.facts(key);
        source.is_some_and(|source| {
            source
                .values
                .values()
                .filter(|value| !value.is_empty())
                .any(|value| copy.values.values().any(|other| value.is_same_as(other) == Some(true)))
        })
    };
    core.sources.credentials_called(&target.name).find(|(key, _)| is_it(key)).map(|(_, config)| config)
}
