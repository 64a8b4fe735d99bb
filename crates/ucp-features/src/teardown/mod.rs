//! Plans the deletion of objects or of a whole core cluster: the external resources that are deleted, those that remain
//! and still incur costs, the blocks, and the order of steps. All facts are from reads: Crossplane's webhook for Usages
//! treats a dry run of a deletion as a deletion.

mod blocks;
mod cascade;
mod cluster;
mod contents;
mod credentials;
mod harm;
mod look;
mod nature;
mod needs;
mod reading;
pub mod remains;
pub mod removal;
mod requested;
mod safeguards;
mod settings;
mod steps;
mod storage;

use std::collections::BTreeSet;

use ucp_core::engine::code::Code;
use ucp_core::engine::crossplane::usage::is_usage;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::engine::{self, Assessment, AssessmentClock, ExternalRole, purpose};
use ucp_core::graph::link::Relation;
use ucp_core::graph::{Graph, NodeId};
use ucp_core::model::body::{BodyShape, KeepAmount, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, Origin, Unreadable};

pub use harm::{DeletionHarm, SharedExternal};
pub use nature::{is_secret, matches_word};
pub use reading::{RequiredReads, has_consequence, want_contents};
pub use remains::RemainingExternal;
pub use requested::{CredentialPresence, RequestedCredentials};
pub use steps::{RunsIn, TeardownStep};

/// Returns the data to read of a kind.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    let want = match is_usage(kind) {
        true => KindRequest::all(BodyShape::Any),
        false => engine::want(kind)?,
    };
    Some(KindRequest { keep: KeepAmount::Whole, ..want })
}

/// The objects to delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TeardownTarget {
    /// The whole core cluster, in the order of the plan.
    All,
    /// These objects, by their positions in the state, at once and in their current state.
    Objects(Vec<NodeId>),
    /// These, by the engines that deployed them, once a path is removed from Git.
    Merge {
        /// The path in its repository.
        path: String,
        /// Their positions in the state.
        roots: Vec<NodeId>,
    },
}

impl TeardownTarget {
    /// The objects that are deleted first; none for the whole core cluster, which has an order of its own.
    fn roots(&self) -> Option<&[NodeId]> {
        match self {
            Self::All => None,
            Self::Objects(roots) | Self::Merge { roots, .. } => Some(roots),
        }
    }
}

/// The consequence for one object.
#[derive(Debug, Clone)]
pub struct DeletionItem {
    /// Position of the object in the state.
    pub node: NodeId,
    /// The object.
    pub object: ObjectName,
    /// The consequence for the object and its external resource.
    pub fate: DeletionOutcome,
    /// Name of the external resource.
    pub external: Option<String>,
    /// The reason for the consequence.
    pub reason: Option<String>,
    /// The blocks that prevent the deletion.
    pub blocks: Vec<DeletionBlock>,
}

/// The consequence for an object and its external resource, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum DeletionOutcome {
    /// The object remains with a pending deletion until a user intervenes.
    Stuck,
    /// The object is deleted; its external resource remains and still incurs costs.
    Orphaned,
    /// The object is deleted; the external effect is unknown.
    Unknown,
    /// Both are deleted.
    Deleted,
    /// The object is deleted; its external resource remains, as it was only observed.
    Left,
    /// The object is deleted; it has no external resource.
    Removed,
    /// The object remains in the cluster: nothing deletes it.
    Kept,
}

impl DeletionOutcome {
    /// Returns the word for output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stuck => "stuck",
            Self::Orphaned => "orphaned",
            Self::Unknown => "unknown",
            Self::Deleted => "deleted outside",
            Self::Left => "left outside",
            Self::Removed => "removed",
            Self::Kept => "kept",
        }
    }
}

/// A block that prevents the deletion of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletionBlock {
    /// Code of the finding.
    pub code: Code,
    /// The fields that show it.
    pub reason: String,
    /// The command that removes the block.
    pub command: String,
}

/// The consequences of a deletion, and the steps in their order.
#[derive(Debug)]
pub struct Teardown {
    /// The objects that the user asked to delete.
    pub targets: Vec<ObjectName>,
    /// The path in Git whose removal deletes them.
    pub merge: Option<String>,
    /// The consequence for each object, worst first.
    pub items: Vec<DeletionItem>,
    /// External resources that deleted app clusters leave behind.
    pub remains: Vec<RemainingExternal>,
    /// The objects that would create the targets again.
    pub restored_by: Vec<ObjectName>,
    /// Harms to objects that remain.
    pub harms: Vec<DeletionHarm>,
    /// Objects that are deleted, and contents of app clusters, that could not be read.
    pub unread: Vec<Unreadable>,
    /// The steps to take.
    pub steps: Vec<TeardownStep>,
}

/// Returns the reads that [`plan_teardown`] requires in addition to [`want`].
pub fn required_reads(state: &ClusterState, assessment: &Assessment<'_>, roots: &[NodeId]) -> RequiredReads {
    RequiredReads::from_cascade(state, &cascade::cascade_from(state, assessment, roots))
}

/// Returns the Secrets to request by name before [`plan_teardown`]: those of the provider configs that delete outside.
pub fn required_credentials(
    state: &ClusterState,
    assessment: &Assessment<'_>,
    target: &TeardownTarget,
) -> BTreeSet<ObjectName> {
    credentials::unread_credentials(state, assessment, target.roots())
}

/// Plans a deletion.
pub fn plan_teardown(
    state: &ClusterState,
    assessment: &Assessment<'_>,
    target: &TeardownTarget,
    credentials: &RequestedCredentials,
    clock: &AssessmentClock,
) -> Teardown {
    let cascade = match target.roots() {
        None => cascade::whole_cluster(state),
        Some(roots) => cascade::cascade_from(state, assessment, roots),
    };
    let usages = look::UsageIndex::from_state(state);
    let look = look::DeletionContext { state, assessment, cascade: &cascade, target, usages, credentials, clock };
    let mut items: Vec<DeletionItem> = cascade
        .going
        .iter()
        .map(|(node, way)| {
            let item = item(state, &assessment.graph, *node, blocks::blocks_of(&look, *node, way));
            match needs::unread_dependency(&look, *node).filter(|_| item.fate == DeletionOutcome::Deleted) {
                Some(reason) => DeletionItem { fate: DeletionOutcome::Unknown, reason: Some(reason), ..item },
                None => item,
            }
        })
        .collect();
    hold_containers(state, &mut items);
    keep_applied_objects(state, &cascade, &mut items);
    let harms = target.roots().map(|_| harm::find_harms(&look)).unwrap_or_default();
    items.extend(cascade.kept.iter().map(|(node, reason)| DeletionItem {
        node: *node,
        object: state.resources[*node].name(),
        fate: DeletionOutcome::Kept,
        external: None,
        reason: Some(reason.clone()),
        // Kept objects are not deleted, so nothing blocks.
        blocks: Vec::new(),
    }));
    items.sort_by(|left, right| (left.fate, &left.object).cmp(&(right.fate, &right.object)));
    let roots: Vec<NodeId> = target.roots().map_or_else(|| cascade::top_level_objects(state), <[NodeId]>::to_vec);
    let mut unread = reading::unread_consequences(state, &cascade);
    unread.extend(credentials.unread());
    let going: BTreeSet<NodeId> = cascade.going.keys().copied().collect();
    let restoring = match target {
        TeardownTarget::All => cascade::automatic_deployers(state),
        TeardownTarget::Objects(_) => cascade::restoring_objects(state, assessment, &roots, &going),
        // Git does not declare them any more.
        TeardownTarget::Merge { .. } => Vec::new(),
    };
    // An object that has to be deleted before its provider would be created again, too.
    let is_first = |item: &&DeletionItem| item.blocks.iter().any(|block| block.code == Code::ProviderGoesFirst);
    let first: Vec<NodeId> = items.iter().filter(is_first).map(|item| item.node).collect();
    let makers = match target {
        TeardownTarget::All | TeardownTarget::Merge { .. } => restoring.clone(),
        TeardownTarget::Objects(_) => {
            cascade::restoring_objects(state, assessment, &[roots.as_slice(), &first].concat(), &going)
        }
    };
    let in_order = cascade::stop_order(state, assessment, &makers);
    let stops: Vec<_> = in_order.into_iter().map(|node| (node, makers.contains(&node))).collect();
    Teardown {
        targets: target.roots().unwrap_or_default().iter().map(|node| state.resources[*node].name()).collect(),
        merge: match target {
            TeardownTarget::Merge { path, .. } => Some(path.clone()),
            TeardownTarget::All | TeardownTarget::Objects(_) => None,
        },
        remains: Vec::new(),
        steps: steps::teardown_steps(state, target, &roots, &items, &stops, &unread),
        harms,
        unread,
        restored_by: restoring.iter().map(|node| state.resources[*node].name()).collect(),
        items,
    }
}

impl Teardown {
    /// Returns the items whose external resource is deleted, or may be, or will be once nothing blocks.
    pub fn deleted_externals(&self) -> impl Iterator<Item = &DeletionItem> {
        self.items.iter().filter(|item| {
            matches!(item.fate, DeletionOutcome::Deleted | DeletionOutcome::Unknown | DeletionOutcome::Stuck)
        })
    }

    /// Adds the external resources that remaining objects share.
    pub fn with_shared(mut self, shared: Vec<SharedExternal>) -> Self {
        self.harms.extend(shared.into_iter().map(DeletionHarm::from));
        self
    }

    /// Adds the external resources that app clusters leave behind, which have to be deleted first, and those that are unknown. No
    /// step deletes a cluster with unknown ones; those for the whole core cluster begin in the app clusters.
    pub fn with_remains(
        mut self,
        state: &ClusterState,
        target: &TeardownTarget,
        (remains, unread): (Vec<RemainingExternal>, Vec<Unreadable>),
    ) -> Self {
        let is_unknown = !unread.is_empty();
        self.unread.extend(unread);
        if is_unknown && *target != TeardownTarget::All {
            self.steps = steps::unread_clusters_steps(state, target, &self.items, &self.unread);
        }
        if !remains.is_empty() {
            let first = self.steps.iter().position(|step| step.title == steps::SUSPEND).map_or(0, |at| at + 1);
            self.steps.insert(first, remains::remains_step(&remains));
        }
        self.remains = remains;
        self
    }
}

fn item(state: &ClusterState, graph: &Graph<'_>, node: NodeId, mut blocks: Vec<DeletionBlock>) -> DeletionItem {
    let resource = &state.resources[node];
    let object = resource.name();
    let (mut fate, mut external, mut reason) = (DeletionOutcome::Removed, None, None);
    if purpose(&resource.kind) == Some(ExternalRole::External) {
        // Without its fields, its policies are unknown.
        let removal = resource.whole.as_deref().map(|whole| removal::external_removal(&resource.kind, whole));
        external = removal.as_ref().and_then(|removal| removal.name.clone());
        reason = removal.as_ref().and_then(|removal| removal.reason_kept().map(str::to_owned));
        fate = match removal.map(|removal| removal.end) {
            Some(removal::RemovalEffect::Deleted) => DeletionOutcome::Deleted,
            Some(removal::RemovalEffect::Orphaned(_)) => DeletionOutcome::Orphaned,
            Some(removal::RemovalEffect::Left(_)) => DeletionOutcome::Left,
            Some(removal::RemovalEffect::Held(why)) => {
                blocks.push(blocks::paused_block(&object, why));
                DeletionOutcome::Stuck
            }
            None => DeletionOutcome::Unknown,
        };
        if fate == DeletionOutcome::Deleted
            && role(&resource.kind) == Some(CrossplaneRole::Managed)
            && let Some(name) = nature::foreign_finalizer(&resource.metadata.finalizers)
        {
            let why = format!("finalizer {name} is not its provider's, so it is unknown what releases it");
            (fate, reason) = (DeletionOutcome::Unknown, Some(why));
        }
        if fate == DeletionOutcome::Deleted && !may_have_provider(state, graph, node) {
            let (without, effect) = match resource.metadata.finalizers.is_empty() {
                true => {
                    (DeletionOutcome::Orphaned, "and it has no finalizer, so nothing deletes its external resource")
                }
                false => (DeletionOutcome::Unknown, "so it is unknown whether a provider deletes it"),
            };
            (fate, reason) = (without, Some(format!("no installed package has its kind, {effect}")));
        }
    } else if let Some(known) = storage::storage_consequence(state, resource) {
        storage::StorageConsequence { fate, external, reason } = known;
    }
    // Without a finalizer, the deletion does not wait for the controller: the object is deleted, and the external
    // resource remains.
    if resource.metadata.finalizers.is_empty()
        && let Some(position) = blocks.iter().position(|block| needs_controller(block.code))
    {
        let block = blocks.remove(position);
        if fate == DeletionOutcome::Deleted {
            (fate, reason) = (DeletionOutcome::Orphaned, Some(block.reason));
        }
    }
    if fate == DeletionOutcome::Deleted
        && resource.metadata.finalizers.is_empty()
        && role(&resource.kind) == Some(CrossplaneRole::Managed)
    {
        let why = "it has no finalizer: it is gone before its provider deletes anything";
        (fate, reason) = (DeletionOutcome::Orphaned, Some(why.to_owned()));
    }
    if let Some(block) = blocks.first() {
        (fate, reason) = (DeletionOutcome::Stuck, Some(block.reason.clone()));
    }
    DeletionItem { node, object, fate, external, reason, blocks }
}

/// Marks namespaces and definitions as stuck if one of their objects is.
fn hold_containers(state: &ClusterState, items: &mut [DeletionItem]) {
    let stuck: BTreeSet<NodeId> =
        items.iter().filter(|item| item.fate == DeletionOutcome::Stuck).map(|item| item.node).collect();
    for item in items.iter_mut().filter(|item| item.fate == DeletionOutcome::Removed && !stuck.is_empty()) {
        let contents = contents::contents_of(state, &state.resources[item.node]);
        if let Some(held) = contents.into_iter().find(|node| stuck.contains(node)) {
            let held = state.resources[held].name();
            (item.fate, item.reason) = (DeletionOutcome::Stuck, Some(format!("{held} is stuck in it")));
        }
    }
}

/// Marks the objects that a stuck deployer would delete as kept: it deletes nothing while it is stuck.
fn keep_applied_objects(state: &ClusterState, cascade: &cascade::DeletionCascade, items: &mut [DeletionItem]) {
    let is_stuck = |item: &&DeletionItem| item.fate == DeletionOutcome::Stuck;
    let stuck: BTreeSet<NodeId> = items.iter().filter(is_stuck).map(|item| item.node).collect();
    for item in items {
        let by = cascade.going.get(&item.node).and_then(|way| way.by).filter(|by| stuck.contains(by));
        if let Some(by) = by.filter(|_| item.fate != DeletionOutcome::Stuck) {
            let reason = format!("{} is stuck, and deletes nothing until it is released", state.resources[by].name());
            (item.fate, item.reason) = (DeletionOutcome::Kept, Some(reason));
        }
    }
}

/// Returns true for a block because nothing releases a finalizer.
fn needs_controller(code: Code) -> bool {
    matches!(code, Code::FinalizerUnserved | Code::ProviderGoesFirst)
}

/// Returns false for a managed resource whose kind no installed package has. A snapshot may be of managed resources only.
fn may_have_provider(state: &ClusterState, graph: &Graph<'_>, node: NodeId) -> bool {
    let is_snapshot = matches!(state.origin, Origin::Snapshot { .. });
    role(&state.resources[node].kind) != Some(CrossplaneRole::Managed)
        || is_snapshot && !state.has_read("pkg.crossplane.io", "ProviderRevision")
        || graph.down(node).iter().any(|edge| edge.relation == Relation::ReconciledBy)
}

/// Returns true if the object is a provider.
fn is_provider(resource: &Resource) -> bool {
    role(&resource.kind) == Some(CrossplaneRole::Package) && resource.kind.kind == "Provider"
}
