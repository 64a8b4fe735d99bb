//! What happens when objects, or a whole core cluster, are deleted: what goes outside, what stays and goes on costing,
//! what blocks, and in which order it has to be done. Everything is told from reads: Crossplane's webhook for Usages
//! takes a dry run of a deletion for a deletion.

mod blocks;
mod cascade;
mod contents;
mod harm;
mod look;
mod nature;
mod needs;
mod reading;
pub mod remains;
pub mod removal;
mod safeguards;
mod steps;
mod storage;

use std::collections::BTreeSet;

use crate::engine::code::Code;
use crate::engine::crossplane::usage::is_usage;
use crate::engine::crossplane::{Role, role};
use crate::engine::{self, Assessment, Clock, Purpose, purpose};
use crate::graph::NodeId;
use crate::model::body::{Keep, Shape, Want};
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::state::{ClusterState, Unreadable};

pub use harm::{Harm, Shared};
pub use nature::is_meant;
pub use reading::{Needs, want_contents};
pub use remains::Remains;
pub use steps::{RunsIn, Step};

/// What to read of a kind.
pub fn want(kind: &ResourceKind) -> Option<Want> {
    let want = match is_usage(kind) {
        true => Want::all(Shape::Any),
        false => engine::want(kind)?,
    };
    Some(Want { keep: Keep::Whole, ..want })
}

/// What is to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The whole core cluster, in the order of the plan.
    All,
    /// These, by their positions in the state, at once and as they are.
    Objects(Vec<NodeId>),
    /// These, by the engines that deployed them, once a path is removed from Git.
    Merge {
        /// The path in its repository.
        path: String,
        /// Their positions in the state.
        roots: Vec<NodeId>,
    },
}

impl Target {
    /// The objects that are deleted first; none for the whole core cluster, which has an order of its own.
    fn roots(&self) -> Option<&[NodeId]> {
        match self {
            Self::All => None,
            Self::Objects(roots) | Self::Merge { roots, .. } => Some(roots),
        }
    }
}

/// What becomes of one object.
#[derive(Debug, Clone)]
pub struct Item {
    /// Its position in the state.
    pub node: NodeId,
    /// The object.
    pub object: ObjectName,
    /// What becomes of it, and of what it stands for.
    pub fate: Fate,
    /// The name of what it stands for.
    pub external: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// What keeps it from going.
    pub blocks: Vec<Block>,
}

/// What becomes of an object and of what it stands for, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Fate {
    /// It stays, half deleted, until somebody helps.
    Stuck,
    /// The object goes, and what it stands for stays, and goes on costing.
    Orphaned,
    /// The object goes; what that does outside is not known.
    Unknown,
    /// Both go.
    Deleted,
    /// The object goes; nothing outside is touched, as before.
    Left,
    /// The object goes; it stands for nothing.
    Removed,
    /// It stays in the cluster: nothing deletes it.
    Kept,
}

impl Fate {
    /// The word for it.
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

/// One thing that keeps an object from going.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub code: Code,
    /// The fields that show it.
    pub reason: String,
    /// The command that helps.
    pub mend: String,
}

/// Everything that happens, and what to do in which order.
#[derive(Debug)]
pub struct Teardown {
    /// What was asked for.
    pub targets: Vec<ObjectName>,
    /// The path in Git whose removal deletes them.
    pub merge: Option<String>,
    /// What becomes of each object, worst first.
    pub items: Vec<Item>,
    /// What app clusters that go leave behind.
    pub remains: Vec<Remains>,
    /// Who would make it again.
    pub restored_by: Vec<ObjectName>,
    /// What it does to objects that stay.
    pub harms: Vec<Harm>,
    /// What goes and could not be read.
    pub unread: Vec<Unreadable>,
    /// What to do.
    pub steps: Vec<Step>,
}

/// What has to be read besides what [`want`] asks for, before [`plan`] knows the consequences.
pub fn needs(state: &ClusterState, assessment: &Assessment<'_>, roots: &[NodeId]) -> Needs {
    Needs::of(state, &cascade::of(state, assessment, roots))
}

/// Tells what happens.
pub fn plan(state: &ClusterState, assessment: &Assessment<'_>, target: &Target, clock: &Clock) -> Teardown {
    let cascade = match target.roots() {
        None => cascade::all(state),
        Some(roots) => cascade::of(state, assessment, roots),
    };
    let usages = look::Usages::of(state);
    let look = look::Look { state, assessment, cascade: &cascade, target, usages, clock };
    let mut items: Vec<Item> =
        cascade.going.iter().map(|(node, way)| item(state, *node, blocks::of(&look, *node, way))).collect();
    let harms = target.roots().map(|_| harm::harms(&look)).unwrap_or_default();
    items.extend(cascade.kept.iter().map(|(node, reason)| Item {
        node: *node,
        object: state.resources[*node].name(),
        fate: Fate::Kept,
        external: None,
        reason: Some(reason.clone()),
        // Nothing has to let it go.
        blocks: Vec::new(),
    }));
    items.sort_by(|left, right| (left.fate, &left.object).cmp(&(right.fate, &right.object)));
    let roots: Vec<NodeId> = target.roots().map_or_else(|| cascade::tops(state), <[NodeId]>::to_vec);
    let unread = reading::unread(state, &cascade);
    let going: BTreeSet<NodeId> = cascade.going.keys().copied().collect();
    let restoring = match target {
        Target::All => cascade::appliers(state),
        Target::Objects(_) => cascade::restoring(state, assessment, &roots, &going),
        // Git does not declare them any more.
        Target::Merge { .. } => Vec::new(),
    };
    // What has to be deleted before its provider comes back, too.
    let is_first = |item: &&Item| item.blocks.iter().any(|block| block.code == Code::ProviderGoesFirst);
    let first: Vec<NodeId> = items.iter().filter(is_first).map(|item| item.node).collect();
    let makers = match target {
        Target::All | Target::Merge { .. } => restoring.clone(),
        Target::Objects(_) => cascade::restoring(state, assessment, &[roots.as_slice(), &first].concat(), &going),
    };
    let in_order = cascade::stopped_in_order(state, assessment, &makers);
    let stops: Vec<_> = in_order.into_iter().map(|node| (node, makers.contains(&node))).collect();
    Teardown {
        targets: target.roots().unwrap_or_default().iter().map(|node| state.resources[*node].name()).collect(),
        merge: match target {
            Target::Merge { path, .. } => Some(path.clone()),
            Target::All | Target::Objects(_) => None,
        },
        remains: Vec::new(),
        steps: steps::of(state, target, &roots, &items, &stops, &unread),
        harms,
        unread,
        restored_by: restoring.iter().map(|node| state.resources[*node].name()).collect(),
        items,
    }
}

impl Teardown {
    /// What goes outside, or will once nothing blocks it.
    pub fn going_outside(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| matches!(item.fate, Fate::Deleted | Fate::Stuck))
    }

    /// With things outside that objects which stay stand for, too.
    pub fn sharing(mut self, shared: Vec<Shared>) -> Self {
        self.harms.extend(shared.into_iter().map(Harm::from));
        self
    }

    /// With what app clusters leave behind, which has to go before them.
    pub fn with(mut self, remains: Vec<Remains>) -> Self {
        if !remains.is_empty() {
            let first = self.steps.iter().position(|step| step.title == steps::SUSPEND).map_or(0, |at| at + 1);
            self.steps.insert(first, remains::step(&remains));
        }
        self.remains = remains;
        self
    }
}

fn item(state: &ClusterState, node: NodeId, mut blocks: Vec<Block>) -> Item {
    let resource = &state.resources[node];
    let object = resource.name();
    let (mut fate, mut external, mut reason) = (Fate::Removed, None, None);
    if purpose(&resource.kind) == Some(Purpose::External) {
        // Without its fields, nothing is known of its policies.
        let removal = resource.whole.as_deref().map(|whole| removal::of(&resource.kind, whole));
        external = removal.as_ref().and_then(|removal| removal.name.clone());
        reason = removal.as_ref().and_then(|removal| removal.kept().map(str::to_owned));
        fate = match removal.map(|removal| removal.end) {
            Some(removal::End::Deleted) => Fate::Deleted,
            Some(removal::End::Orphaned(_)) => Fate::Orphaned,
            Some(removal::End::Left(_)) => Fate::Left,
            Some(removal::End::Held(why)) => {
                blocks.push(blocks::paused(&object, why));
                Fate::Stuck
            }
            None => Fate::Unknown,
        };
    } else if let Some(known) = storage::consequence(state, resource) {
        storage::Consequence { fate, external, reason } = known;
    }
    // Without a finalizer nobody waits for the controller: the object goes, and the thing stays.
    if resource.metadata.finalizers.is_empty()
        && let Some(position) = blocks.iter().position(|block| block.code == Code::FinalizerUnserved)
    {
        let block = blocks.remove(position);
        if fate == Fate::Deleted {
            (fate, reason) = (Fate::Orphaned, Some(block.reason));
        }
    }
    if let Some(block) = blocks.first() {
        (fate, reason) = (Fate::Stuck, Some(block.reason.clone()));
    }
    Item { node, object, fate, external, reason, blocks }
}

/// Whether an object is a provider.
fn is_provider(resource: &Resource) -> bool {
    role(&resource.kind) == Some(Role::Package) && resource.kind.kind == "Provider"
}
