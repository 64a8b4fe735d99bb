//! The document `TreeList`: the trees of one name in several core clusters. Ids of nodes repeat between clusters, so each
//! has a tree of its own.

use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;

use super::API_VERSION;
use super::sources::{Combine, Source, Sourced, ask_at, unmarked};
use super::tree::Tree;
use crate::error::Error;
use crate::model::state::{Origin, Unreadable};
use crate::model::verdict::Verdict;

/// The document `TreeList`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeList {
    /// Always [`API_VERSION`].
    pub api_version: &'static str,
    /// Always `TreeList`.
    pub kind: &'static str,
    /// The clusters or snapshots that were asked.
    pub sources: Vec<Source>,
    /// A `Tree` for each of them that has the object, worst first.
    pub items: Vec<Tree>,
    /// Those that were read and do not have it.
    pub absent: Vec<Sourced<Absence>>,
    /// What could not be read, of the trees too.
    pub unreadable: Vec<Sourced<Unreadable>>,
    /// The moment that it speaks of, while it is about one source.
    #[serde(skip)]
    moment: Option<Timestamp>,
}

/// What is said of a source that does not have the object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Absence {
    /// In a sentence.
    pub message: String,
}

impl TreeList {
    /// The tree of one source.
    pub fn of(tree: Tree, moment: Timestamp) -> Self {
        let unreadable = unmarked(tree.unreadable.iter().cloned());
        Self { items: vec![tree], unreadable, moment: Some(moment), ..Self::empty() }
    }

    /// A source that does not have the object.
    pub fn without(absence: &Error, moment: Timestamp) -> Self {
        let absent = unmarked([Absence { message: absence.message() }]);
        Self { absent, moment: Some(moment), ..Self::empty() }
    }

    /// Where it is not, a line for each.
    pub fn absences(&self) -> impl Iterator<Item = String> {
        let place = |absence: &Sourced<Absence>| absence.source.as_ref().map(|source| format!("{}: ", source.label()));
        self.absent.iter().map(move |absence| format!("{}{}", place(absence).unwrap_or_default(), absence.message))
    }

    fn empty() -> Self {
        Self {
            api_version: API_VERSION,
            kind: "TreeList",
            sources: Vec::new(),
            items: Vec::new(),
            absent: Vec::new(),
            unreadable: Vec::new(),
            moment: None,
        }
    }
}

impl Combine for TreeList {
    fn name_sources(&mut self, sources: Vec<Source>) {
        self.sources = sources;
    }

    fn moment(&self) -> Option<Timestamp> {
        self.moment
    }

    fn unreadable(&mut self) -> &mut Vec<Sourced<Unreadable>> {
        &mut self.unreadable
    }

    /// A tree says itself where it was read.
    fn mark(&mut self, source: &Arc<Origin>) {
        super::sources::mark(&mut self.absent, source);
        let findings = self.items.iter_mut().flat_map(|tree| &mut tree.findings);
        findings.for_each(|finding| ask_at(finding, source));
    }

    fn add(&mut self, other: Self) {
        self.items.extend(other.items);
        self.absent.extend(other.absent);
    }

    fn sort(&mut self) {
        self.items.sort_by_key(Tree::worst);
    }
}

impl Tree {
    /// The worst of its verdicts.
    pub fn worst(&self) -> Verdict {
        self.nodes.iter().map(|node| node.verdict).min().unwrap_or(Verdict::Unknown)
    }

    /// What its source is called.
    pub fn place(&self) -> &str {
        match &self.header.source {
            super::sources::Sources::One(source) => source.label(),
            super::sources::Sources::Several(_) => "",
        }
    }
}
