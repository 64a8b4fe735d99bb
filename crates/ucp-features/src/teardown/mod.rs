//! Plans the deletion of objects or of a whole core cluster: the external resources that are deleted, those that remain
//! and still incur costs, the blocks, and the order of steps. All facts are from reads: Crossplane's webhook for Usages
//! treats a dry run of a deletion as a deletion.

mod accounts;
mod admission;
mod application_namespaces;
mod argocd;
mod argocd_settings;
mod blocks;
mod cascade;
mod cluster;
mod cluster_objects;
mod clusters;
mod contents;
mod credentials;
mod deletion_item;
mod deletion_words;
mod destination;
mod discovery;
mod doubts;
mod finalizers;
mod flux_clusters;
mod harm;
mod holds;
mod inventory;
mod items;
mod locks;
mod look;
pub mod nature;
mod needs;
mod partial;
mod path;
mod projects;
mod provider;
mod reading;
pub mod remains;
pub mod removal;
mod requested;
mod safeguard;
mod safeguard_defaults;
mod safeguards;
mod settings;
mod statefulsets;
mod staying;
mod steps;
mod storage;
mod target;
mod tracking;
mod usages;

use std::collections::BTreeSet;

use holds::Holds;
use path::DeletionCascade;
use ucp_core::engine::code::Code;
use ucp_core::engine::crossplane::usage::is_usage;
use ucp_core::engine::{self, Assessment, AssessmentClock};
use ucp_core::graph::NodeId;
use ucp_core::model::body::{BodyShape, KeepAmount, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::{ClusterState, Unreadable};

pub use admission::needs_version;
pub use deletion_item::{DeletionItem, DeletionOutcome};
pub use harm::{DeletionHarm, SharedExternal};
pub use nature::matches_word;
pub use reading::{RequiredReads, retain_consequential, want_contents, want_in_snapshot};
pub use remains::RemainingExternal;
pub use requested::RequestedCredentials;
pub use steps::{RunsIn, TeardownStep};
pub use target::TeardownTarget;

/// Returns the data to read of a kind.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    let want = match (is_usage(kind), kind.group.as_str(), kind.kind.as_str()) {
        (true, ..) => KindRequest::all(BodyShape::Any),
        _ if admission::is_configuration(kind) => KindRequest::all(BodyShape::Conditions),
        (_, engine::argocd::GROUP, "AppProject") => KindRequest::all(BodyShape::Conditions),
        _ => engine::want(kind)?,
    };
    Some(KindRequest { keep: KeepAmount::Whole, ..want })
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
pub fn required_reads(state: &ClusterState, assessment: &Assessment<'_>, roots: Option<&[NodeId]>) -> RequiredReads {
    RequiredReads::from_cascade(state, &cascade_of(state, assessment, roots, &Holds::new()), roots)
}

/// Returns the Secrets to request by name before [`plan_teardown`]: those of the provider configs that delete outside, and
/// deleted registrations of clusters.
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
    let usages = look::UsageIndex::from_state(state);
    let reviewers = admission::DeletionReviewers::from_state(state);
    let mut holds = Holds::new();
    let whole = cascade_of(state, assessment, target.roots(), &holds);
    let (usages, reviewers) = (&usages, &reviewers);
    let look =
        look::DeletionContext { state, assessment, cascade: &whole, target, usages, reviewers, credentials, clock };
    // What an object holds is not deleted, and may hold others.
    let (mut cascade, mut items) = loop {
        let cascade = cascade_of(state, assessment, target.roots(), &holds);
        let items = items::items_of(&look::DeletionContext { cascade: &cascade, ..look });
        let known = holds.len();
        for (node, hold) in holds::holds_of(&items) {
            holds.entry(node).or_insert(hold);
        }
        if holds.len() == known {
            break (cascade, items);
        }
    };
    holds::add_held_objects(state, &holds, &whole, &mut cascade);
    let look = look::DeletionContext { cascade: &cascade, ..look };
    items::hold_containers(&look, &mut items);
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
    unread.extend(partial::unseen_cluster(state, target));
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

/// Returns the objects that are deleted with the roots, or with the whole core cluster.
fn cascade_of(
    state: &ClusterState,
    assessment: &Assessment<'_>,
    roots: Option<&[NodeId]>,
    holds: &Holds,
) -> DeletionCascade {
    match roots {
        None => cascade::whole_cluster(state, &assessment.graph, holds),
        Some(roots) => cascade::cascade_from(state, assessment, roots, holds),
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
