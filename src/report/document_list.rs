//! The documents `TreeList` and `TeardownPlanList`: one document for each of several core clusters. Their contents
//! cannot be merged: IDs of nodes repeat between clusters, and steps have an order.

use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;

use super::sources::{CombineSources, DocumentSource, DocumentSources, Sourced, without_sources};
use super::{API_VERSION, Header};
use ucp_core::error::Error;
use ucp_core::model::state::{Origin, Unreadable};

/// A list with one document for each core cluster.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentList<T> {
    /// Always [`API_VERSION`].
    pub api_version: &'static str,
    /// The kind of the documents, with the suffix `List`.
    pub kind: &'static str,
    /// The clusters or snapshots that were read.
    pub sources: Vec<DocumentSource>,
    /// One document for each source that has the object, worst first.
    pub items: Vec<T>,
    /// The sources that were read and do not have the object.
    pub absent: Vec<Sourced<Absence>>,
    /// Objects and kinds that could not be read, including those of the documents.
    pub unreadable: Vec<Sourced<Unreadable>>,
    /// The time of the cluster state, while the document is about one source.
    #[serde(skip)]
    moment: Option<Timestamp>,
}

/// The message for a source that does not have an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Absence {
    /// The message as a sentence.
    pub message: String,
}

/// A document that can be an item of a [`DocumentList`].
pub trait ListableDocument {
    /// The `kind` of the list.
    const LIST: &'static str;

    /// Returns the header of the document.
    fn header(&self) -> &Header;

    /// Returns the objects and kinds that could not be read.
    fn unreadable(&self) -> &[Unreadable];

    /// Returns the severity of the document; the worst sorts first.
    fn worst(&self) -> impl Ord;

    /// Adds the flags of the source to all commands in the document.
    fn ask_at(&mut self, source: &Origin);

    /// Returns the label of its source.
    fn place(&self) -> &str {
        match &self.header().source {
            DocumentSources::One(source) => source.label(),
            DocumentSources::Several(_) => "",
        }
    }
}

impl<T: ListableDocument> DocumentList<T> {
    /// Returns the document of one source, and the errors for objects that this source does not have.
    pub fn from_document(document: T, missing: &[Error], moment: Timestamp) -> Self {
        let unreadable = without_sources(document.unreadable().iter().cloned());
        Self { items: vec![document], unreadable, ..Self::from_absent(missing, moment) }
    }

    /// Returns the document of a source that does not have the objects.
    pub fn from_absent(absent: &[Error], moment: Timestamp) -> Self {
        Self {
            api_version: API_VERSION,
            kind: T::LIST,
            sources: Vec::new(),
            items: Vec::new(),
            absent: without_sources(absent.iter().map(|error| Absence { message: error.message() })),
            unreadable: Vec::new(),
            moment: Some(moment),
        }
    }
}

impl<T> DocumentList<T> {
    /// Returns one line for each source that does not have the object.
    pub fn absences(&self) -> impl Iterator<Item = String> {
        let place = |absence: &Sourced<Absence>| absence.source.as_ref().map(|source| format!("{}: ", source.label()));
        self.absent.iter().map(move |absence| format!("{}{}", place(absence).unwrap_or_default(), absence.message))
    }
}

impl<T: ListableDocument> CombineSources for DocumentList<T> {
    fn name_sources(&mut self, sources: Vec<DocumentSource>) {
        self.sources = sources;
    }

    fn moment(&self) -> Option<Timestamp> {
        self.moment
    }

    fn unreadable(&mut self) -> &mut Vec<Sourced<Unreadable>> {
        &mut self.unreadable
    }

    /// A document already contains its source.
    fn mark(&mut self, source: &Arc<Origin>) {
        super::sources::set_sources(&mut self.absent, source);
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
