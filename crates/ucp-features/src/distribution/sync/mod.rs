//! Plans the writes of `secrets sync`, and the reasons against them, without requests and without Secret values.

pub mod live;
pub mod manifest;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::app::SurveyedCluster;
use super::core_secrets::CoreSecrets;
use super::grounds;
use super::intent::{CopiedPart, CopyIntent, DECLARING};
use super::mark::{CopyMark, holder};
use super::secret::{OPAQUE, SecretFacts, compare};
use super::state::CopyState;
use super::survey::{CopyRow, SourceOrigin};
use crate::adopt::names::NamespacedName;
use crate::adopt::secrets::CONSUMERS;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::apply::{ConflictPolicy, FIELD_MANAGER};
use ucp_core::model::body::consumer::SecretUseKind;
use ucp_core::model::grounds::{Grounded, GroundsEvidence};
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::Unreadable;
use ucp_core::model::variant_words::variant_words;

/// Options that the user consents to.
#[derive(Debug, Clone, Copy)]
pub struct SyncConsent {
    /// Secrets to write: if the user names them, undeclared ones are written, too.
    pub scope: SyncScope,
    /// Handling of values that other field managers own.
    pub conflicts: ConflictPolicy,
    /// Handling of copies that have more than their source.
    pub poorer: PoorerSourcePolicy,
    /// Handling of orphaned copies.
    pub prune: PrunePolicy,
}

/// Secrets to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncScope {
    /// Declared ones. Otherwise anyone who can create a Deployment could request any connection Secret.
    Declared,
    /// Those that the user named.
    Named,
}

/// Handling of a copy that has more than its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoorerSourcePolicy {
    /// The copy is kept: it may be the last one.
    Kept,
    /// The copy is replaced.
    Replaced,
}

/// Handling of an orphaned copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrunePolicy {
    /// The copy is kept.
    Never,
    /// The copy is deleted if everything that may use it was read.
    Orphaned,
    /// The copy is deleted, even if the user's rights do not include some kinds that may use it.
    OrphanedAmongReadable,
}

/// Planned or completed action on a Secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SyncAction {
    /// The copy is created.
    Create,
    /// Its values are written.
    Update,
    /// The copy is deleted.
    Prune,
    /// The copy is not changed: it is correct, or no change was requested.
    Keep,
    /// The copy should be changed, but a rule or its state forbids it.
    Refuse,
}

variant_words!(SyncAction { Create = "create", Update = "update", Prune = "prune", Keep = "keep", Refuse = "refuse" });

impl SyncAction {
    /// Returns true if the action changes an app cluster.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Create | Self::Update | Self::Prune)
    }
}

/// Planned action on one Secret, with its reason.
#[derive(Debug, Clone)]
pub struct SyncStep {
    /// The action.
    pub action: SyncAction,
    /// Reason for or against the action; empty if the state is self-explanatory.
    pub reason: String,
    /// Operation to execute.
    pub deed: SyncOperation,
}

/// Operation of a step.
#[derive(Debug, Clone)]
pub enum SyncOperation {
    /// No operation.
    Nothing,
    /// A write or deletion with its grounds.
    Ready(Box<Grounded<CopyWrite>>),
    /// No operation, because its grounds were not read.
    Ungrounded,
}

impl SyncStep {
    /// Returns the write to execute, if any.
    pub fn write(&self) -> Option<&Grounded<CopyWrite>> {
        match &self.deed {
            SyncOperation::Ready(write) => Some(write),
            SyncOperation::Nothing | SyncOperation::Ungrounded => None,
        }
    }
}

/// Parameters of a write.
#[derive(Debug, Clone)]
pub struct CopyWrite {
    /// Index of the app cluster in the inventory.
    pub position: usize,
    /// Secret in the app cluster.
    pub target: NamespacedName,
    /// Annotations of the copy, with its source.
    pub mark: CopyMark,
    /// Map from the keys of the copy to the keys of the source; `None` for all keys.
    pub keys: Option<BTreeMap<String, String>>,
    /// Type of the copy, which is immutable.
    pub kind: String,
    /// The copy as seen, as a precondition against concurrent changes; `None` if it did not exist.
    pub seen: Option<SeenCopy>,
    /// Objects that wanted the copy when it was written and were in no list: none of them may exist when it is deleted.
    pub gone: Vec<ObjectName>,
}

/// State of a copy at the time of planning.
#[derive(Debug, Clone)]
pub struct SeenCopy {
    /// `metadata.uid`.
    pub uid: String,
    /// `metadata.resourceVersion`.
    pub version: String,
    /// Keys that we wrote.
    pub our_keys: BTreeSet<String>,
}

/// Reason for keeping a copy that may be the last one.
const LAST_COPY: &str = "the copy may be the last one; delete it with --allow-poorer";
/// Maximum number of objects that are recorded in a copy as wanting it.
const MOST_RECORDED: usize = 16;

/// Plans one step per row.
pub fn plan(core: &CoreSecrets, apps: &[SurveyedCluster], rows: &[CopyRow], consent: SyncConsent) -> Vec<SyncStep> {
    rows.iter().map(|row| SyncPlanner { core, apps, row, consent }.step()).collect()
}

struct SyncPlanner<'a> {
    core: &'a CoreSecrets,
    apps: &'a [SurveyedCluster],
    row: &'a CopyRow,
    consent: SyncConsent,
}

fn keep(reason: impl Into<String>) -> SyncStep {
    SyncStep { action: SyncAction::Keep, reason: reason.into(), deed: SyncOperation::Nothing }
}

fn refuse(reason: impl Into<String>) -> SyncStep {
    SyncStep { action: SyncAction::Refuse, reason: reason.into(), deed: SyncOperation::Nothing }
}

/// Returns a step that is executed if its grounds are complete, and is otherwise only reported.
fn establish(action: SyncAction, reason: String, evidence: GroundsEvidence, write: CopyWrite) -> SyncStep {
    match evidence.establish(write) {
        Ok(write) => SyncStep { action, reason, deed: SyncOperation::Ready(Box::new(write)) },
        Err(ungrounded) => SyncStep {
            action: SyncAction::Refuse,
            reason: format!("not enough data to {}: {}", action.as_str(), ungrounded.reason()),
            deed: SyncOperation::Ungrounded,
        },
    }
}

impl SyncPlanner<'_> {
    fn step(&self) -> SyncStep {
        let row = self.row;
        let state = row.judgement.state;
        if let Some(config) = &row.credentials_of {
            return refuse(format!("the credentials of {} {} are never distributed", config.kind, config.name));
        }
        match state {
            CopyState::Current | CopyState::Undeclared | CopyState::UsedOld if row.forbidden.is_none() => {
                return keep("");
            }
            CopyState::Orphaned => return self.prune_step(),
            _ if row.forbidden.is_some() => return refuse(row.forbidden.clone().unwrap_or_default()),
            _ if row.intents.is_empty() && self.consent.scope == SyncScope::Declared => {
                return keep("nothing declares it: declare it, or pass its name to copy it");
            }
            CopyState::Collision | CopyState::SourceMissing | CopyState::Foreign | CopyState::Unknown => {
                return refuse("");
            }
            _ if !row.candidates.is_empty() => return refuse("pass it with its namespace: NAMESPACE/NAME"),
            _ if self.misnaming().is_some() => return refuse(self.misnaming().unwrap_or_default()),
            CopyState::Poorer
                if row.judgement.only_in_copy.is_empty() || self.consent.poorer == PoorerSourcePolicy::Kept =>
            {
                let way_out = if row.judgement.only_in_copy.is_empty() { "" } else { "replace it with --allow-poorer" };
                return refuse(way_out);
            }
            CopyState::Missing | CopyState::Poorer | CopyState::Stale | CopyState::Different => {}
            // States that need no write returned `Keep` above.
            CopyState::Current | CopyState::Undeclared | CopyState::UsedOld => return keep(""),
        }
        match self.copied_keys() {
            Ok(keys) => self.write_step(keys),
            Err(reason) => refuse(reason),
        }
    }

    /// Returns the reason why the name that the user passed does not select this row.
    fn misnaming(&self) -> Option<String> {
        let (named, source) = (self.row.misnamed.as_ref()?, self.row.source.as_ref()?);
        Some(format!(
            "{named} selects a Secret of the core cluster, and this copy is made from {source}: pass {source}"
        ))
    }

    fn prune_step(&self) -> SyncStep {
        if self.consent.prune == PrunePolicy::Never {
            return keep("remove it with --prune");
        }
        let (Some(mut write), Some(copy), Some(reading)) = (self.write(None), self.copy(), self.reading()) else {
            return refuse("it has no record of its source");
        };
        let source = self.core.sources.facts(&write.mark.source);
        if let Some(holder) = holder(copy, source) {
            return refuse(holder.words);
        }
        let mut evidence = self.core.declarations.absent.clone();
        evidence.join(&grounds::demand_evidence(&self.row.cluster, reading, &write.target.namespace));
        grounds::add_place(&mut evidence, &self.row.cluster, reading, &write.target);
        match source {
            _ if self.consent.poorer == PoorerSourcePolicy::Replaced => {}
            Some(source) => {
                if let Some(reason) = worth_keeping(source, copy) {
                    return refuse(reason);
                }
                evidence.add_object(&source.key.secret(), &source.metadata.uid.to_string());
            }
            None => match self.core.sources.gap_at(&write.mark.source) {
                Some(gap) => {
                    let what = write.mark.source.secret().to_string();
                    evidence.add_gap(Unreadable { what, reason: gap.to_owned() });
                }
                None => return refuse(format!("its source {} does not exist: {LAST_COPY}", write.mark.source)),
            },
        }
        let recorded = CopyMark::read(&copy.metadata).map(|mark| mark.wanted_by).unwrap_or_default();
        for object in &recorded {
            let is_served = |kinds: &[std::sync::Arc<ucp_core::model::kind::ResourceKind>]| {
                kinds.iter().any(|kind| kind.group == object.group() && kind.kind == object.kind)
            };
            if is_declaring(object) && !is_served(&self.core.declarations.kinds) {
                let reason = "it declared the copy, but its kind is no longer served".to_owned();
                evidence.add_gap(Unreadable { what: object.to_string(), reason });
            }
        }
        let was_read = |object: &ObjectName| {
            let name = object.to_string();
            self.core.declarations.objects.contains(&name) || reading.objects.contains(&name)
        };
        write.gone = recorded.into_iter().filter(|object| !was_read(object)).collect();
        let unchecked: Vec<&str> = reading.unchecked.iter().map(String::as_str).collect();
        let reason = match (unchecked.as_slice(), self.consent.prune) {
            ([], _) => String::new(),
            (kinds, PrunePolicy::OrphanedAmongReadable) => {
                format!("not checked, because they could not be read: {}", kinds.join(", "))
            }
            (kinds, _) => {
                let what = format!("{} of cluster {}", kinds.join(", "), self.row.cluster);
                let reason =
                    "your rights do not include them, and one of them may use it; --allow-unchecked deletes it anyway";
                evidence.add_gap(Unreadable { what, reason: reason.to_owned() });
                String::new()
            }
        };
        establish(SyncAction::Prune, reason, evidence, write)
    }

    /// Returns the keys that are copied as declared, or the reason why none are.
    fn copied_keys(&self) -> Result<Option<BTreeMap<String, String>>, Failure> {
        match self.row.intents.first() {
            Some(intent) if intent.declarer.by.is_elsewhere() => {
                let declarer = &intent.declarer;
                fail!("{} {} creates it in the app cluster", declarer.by.as_str(), declarer.object.name)
            }
            Some(CopyIntent { part: CopiedPart::Rendered, declarer, .. }) => {
                fail!("{} {} renders it", declarer.by.as_str(), declarer.object.name)
            }
            Some(CopyIntent { part: CopiedPart::Keys(keys), .. }) => Ok(Some(keys.clone())),
            Some(CopyIntent { part: CopiedPart::Whole, .. }) | None => Ok(None),
        }
    }

    fn write_step(&self, keys: Option<BTreeMap<String, String>>) -> SyncStep {
        let Some(write) = self.write(keys) else { return refuse("") };
        let evidence = self.evidence(&write);
        let Some(copy) = self.copy() else {
            let namespaces = self.reading().and_then(|reading| reading.namespaces.as_ref());
            let is_there = namespaces.is_none_or(|namespaces| namespaces.contains(&write.target.namespace));
            return match is_there {
                true => establish(SyncAction::Create, String::new(), evidence, write),
                false => refuse(format!("create namespace {} first", write.target.namespace)),
            };
        };
        if copy.metadata.deletion_timestamp.is_some() {
            return refuse("it is being deleted");
        }
        if copy.is_immutable {
            return refuse("it is immutable: delete it, and it will be created again");
        }
        if self.row.judgement.differing.is_empty() {
            return refuse("its type cannot change: delete it, and it will be created again");
        }
        if let Some(before) = CopyMark::read(&copy.metadata).map(|mark| mark.source)
            && before != write.mark.source
            && self.consent.scope == SyncScope::Declared
        {
            return refuse(format!("it was copied from {before}: pass {} to replace it", write.mark.source));
        }
        let others = self.other_managers(copy);
        match (others.is_empty(), self.consent.conflicts) {
            (false, ConflictPolicy::Respect) => {
                refuse(format!("its values are managed by {}: take them over with --force-conflicts", listed(&others)))
            }
            (is_ours, _) => {
                let reason =
                    if is_ours { String::new() } else { format!("takes its values over from {}", listed(&others)) };
                establish(SyncAction::Update, reason, evidence, write)
            }
        }
    }

    /// Returns the grounds of a write: all declarations, all credentials, the source, and the target. A source that is known
    /// only by its name may share it with anything that was not read.
    fn evidence(&self, write: &CopyWrite) -> GroundsEvidence {
        let mut evidence = self.core.declarations.read.clone();
        evidence.join(&self.core.credentials);
        self.core.declarations.add_declarers(&mut evidence, &self.row.intents);
        let source = self.core.sources.facts(&write.mark.source);
        let uid = source.map(|source| source.metadata.uid.to_string()).unwrap_or_default();
        evidence.add_object(&write.mark.source.secret(), &uid);
        if self.row.origin == SourceOrigin::Name {
            evidence.join(&self.core.names);
        }
        if let Some(reading) = self.reading() {
            // Declared copies are read by name, without any list.
            if !reading.coverage.is_empty() {
                evidence.join(&grounds::maker_evidence(&self.row.cluster, reading, &write.target.namespace));
            }
            grounds::add_place(&mut evidence, &self.row.cluster, reading, &write.target);
        }
        evidence
    }

    /// Returns the objects that want the copy now, to be recorded in it. Pods are short-lived: they are recorded only
    /// if no other object wants it.
    fn wanted_by(&self) -> Vec<ObjectName> {
        let declarers = self.row.intents.iter().map(|intent| &intent.declarer.object).filter(|one| is_declaring(one));
        let is_workload = |object: &&ObjectName| {
            let is_it =
                |(group, _, _, kind): &(&str, &str, &str, &str)| *group == object.group() && *kind == object.kind;
            CONSUMERS.iter().any(is_it)
        };
        let mut all: Vec<ObjectName> =
            declarers.chain(self.row.demanded_by.iter().filter(is_workload)).cloned().collect();
        if all.iter().any(|object| object.kind != "Pod") {
            all.retain(|object| object.kind != "Pod");
        }
        all.sort();
        all.dedup();
        all.truncate(MOST_RECORDED);
        all
    }

    /// Returns other field managers of the values that would be overwritten.
    fn other_managers(&self, copy: &SecretFacts) -> BTreeSet<String> {
        let differing = self.row.judgement.differing.iter();
        let managers = differing.filter_map(|key| copy.writers.get(key)).flatten();
        managers.filter(|manager| manager.as_str() != FIELD_MANAGER).cloned().collect()
    }

    fn reading(&self) -> Option<&super::app::AppClusterReading> {
        self.apps.get(self.row.position?)?.reading.as_ref().ok()
    }

    fn copy(&self) -> Option<&SecretFacts> {
        self.reading()?.secrets.get(&self.row.target)
    }

    fn write(&self, keys: Option<BTreeMap<String, String>>) -> Option<CopyWrite> {
        let copy = self.copy();
        let source = self.row.source.clone()?;
        let version = self.core.sources.facts(&source);
        Some(CopyWrite {
            position: self.row.position?,
            target: self.row.target.clone(),
            mark: CopyMark {
                source,
                version: version.map(|facts| facts.version.clone()).unwrap_or_default(),
                core: self.core.id.clone()?,
                wanted_by: self.wanted_by(),
            },
            keys,
            kind: copy.map_or_else(|| self.new_type(), |copy| copy.kind.clone()),
            seen: copy.map(seen_copy),
            gone: Vec::new(),
        })
    }

    /// Returns the type of a new copy: no controller of Crossplane looks for it in the app cluster, and only image
    /// pulls require a certain type.
    fn new_type(&self) -> String {
        const LOGIN: &str = ".dockerconfigjson";
        let source = self.row.source.as_ref().and_then(|source| self.core.sources.facts(source));
        let pulls = self.reading().is_some_and(|reading| {
            let mut here = reading.demands.iter().filter(|demand| demand.secret == self.row.target);
            here.any(|demand| demand.usage.way == SecretUseKind::Pull)
        });
        match source.is_some_and(|source| source.values.contains_key(LOGIN)) && pulls {
            true => "kubernetes.io/dockerconfigjson".to_owned(),
            false => OPAQUE.to_owned(),
        }
    }
}

/// Records the state of a copy.
fn seen_copy(copy: &SecretFacts) -> SeenCopy {
    let is_ours = |(_, writers): &(&String, &BTreeSet<String>)| writers.contains(FIELD_MANAGER);
    SeenCopy {
        uid: copy.metadata.uid.to_string(),
        version: copy.version.clone(),
        our_keys: copy.writers.iter().filter(is_ours).map(|(key, _)| key.clone()).collect(),
    }
}

/// Returns the reason for keeping an orphaned copy: it contains values that exist nowhere else.
fn worth_keeping(source: &SecretFacts, copy: &SecretFacts) -> Option<String> {
    let difference = compare(&source.values, &copy.values);
    if !difference.only_in_copy.is_empty() {
        let keys = listed(&difference.only_in_copy);
        return Some(format!("it has {keys}, which its source {} does not have: {LAST_COPY}", source.key));
    }
    let managers = difference.differing.iter().filter_map(|key| copy.writers.get(key)).flatten();
    let others: BTreeSet<String> = managers.filter(|manager| manager.as_str() != FIELD_MANAGER).cloned().collect();
    (!others.is_empty()).then(|| format!("its values are managed by {}: {LAST_COPY}", listed(&others)))
}

fn is_declaring(object: &ObjectName) -> bool {
    DECLARING.iter().any(|(group, kind, _)| *group == object.group() && *kind == object.kind)
}

fn listed(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}
