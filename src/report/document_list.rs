//! The documents `TreeList` and `TeardownPlanList`: one document for each of several core clusters, where what stands in it
//! belongs together. Ids of nodes repeat between clusters, and steps are one after the other.

use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;

use super::sources::{Combine, Source, Sourced, Sources, unmarked};
use super::{API_VERSION, Header};
use crate::error::Error;
use crate::model::state::{Origin, Unreadable};

/// A document for each core cluster.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentList<T> {
    /// Always [`API_VERSION`].
    pub api_version: &'static str,
    /// What the document is called, and `List`.
    pub kind: &'static str,
    /// The clusters or snapshots that were asked.
    pub sources: Vec<Source>,
    /// A document for each of them that has the object, worst first.
    pub items: Vec<T>,
    /// Those that were read and do not have it.
    pub absent: Vec<Sourced<Absence>>,
    /// What could not be read, of the documents too.
    pub unreadable: Vec<Sourced<Unreadable>>,
    /// The moment that it speaks of, while it is about one source.
    #[serde(skip)]
    moment: Option<Timestamp>,
}

/// What is said of a source that does not have an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Absence {
    /// In a sentence.
    pub message: String,
}

/// A document of which there is one for each core cluster.
pub trait Listed {
    /// What a list of them is called.
    const LIST: &'static str;

    /// What it begins with.
    fn header(&self) -> &Header;

    /// What could not be read.
    fn unreadable(&self) -> &[Unreadable];

    /// How bad it is: the worst is the least.
    fn worst(&self) -> impl Ord;

    /// Has every command in it name its source.
    fn ask_at(&mut self, source: &Origin);

    /// What its source is called.
    fn place(&self) -> &str {
        match &self.header().source {
            Sources::One(source) => source.label(),
            Sources::Several(_) => "",
        }
    }
}

impl<T: Listed> DocumentList<T> {
    /// The document of one source, and what this does not have besides.
    pub fn of(document: T, missing: &[Error], moment: Timestamp) -> Self {
        let unreadable = unmarked(document.unreadable().iter().cloned());
        Self { items: vec![document], unreadable, ..Self::without(missing, moment) }
    }

    /// A source that does not have the objects.
    pub fn without(absent: &[Error], moment: Timestamp) -> Self {
        Self {
            api_version: API_VERSION,
            kind: T::LIST,
            sources: Vec::new(),
            items: Vec::new(),
            absent: unmarked(absent.iter().map(|error| Absence { message: error.message() })),
            unreadable: Vec::new(),
            moment: Some(moment),
        }
    }
}

impl<T> DocumentList<T> {
    /// Where it is not, a line for each.
    pub fn absences(&self) -> impl Iterator<Item = String> {
        let place = |absence: &Sourced<Absence>| absence.source.as_ref().map(|source| format!("{}: ", source.label()));
        self.absent.iter().map(move |absence| format!("{}{}", place(absence).unwrap_or_default(), absence.message))
    }
}

impl<T: Listed> Combine for DocumentList<T> {
    fn name_sources(&mut self, sources: Vec<Source>) {
        self.sources = sources;
    }

    fn moment(&self) -> Option<Timestamp> {
        self.moment
    }

    fn unreadable(&mut self) -> &mut Vec<Sourced<Unreadable>> {
        &mut self.unreadable
    }

    /// A document says itself where it was read.
    fn mark(&mut self, source: &Arc<Origin>) {
        super::sources::mark(&mut self.absent, source);
        self.items.iter_mut().for_each(|item| item.ask_at(source));
    }

    fn add(&mut self, other: Self) {
        self.items.extend(other.items);
        self.absent.extend(other.absent);
    }

    fn sort(&mut self) {
        self.items.sort_by(|left, right| left.worst().cmp(&right.worst()));
    }
}
