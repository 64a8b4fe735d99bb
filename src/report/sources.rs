//! Documents about several core clusters or snapshots: one document in which every item has its source.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;

use crate::report::command::command_at;
use ucp_core::error::{Error, ErrorKind, Result};
use ucp_core::model::finding::Finding;
use ucp_core::model::state::{Origin, Unreadable};

/// The sources of a document: `source`, or `sources` if there are several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub enum DocumentSources {
    /// One cluster or snapshot.
    #[serde(rename = "source")]
    One(Origin),
    /// Several sources, in the order given by the user. Every item has its own `source`.
    #[serde(rename = "sources")]
    Several(Vec<DocumentSource>),
}

/// One of several sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct DocumentSource {
    /// The cluster or snapshot.
    #[serde(flatten)]
    pub origin: Arc<Origin>,
    /// The time of the state from this source; absent if it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moment: Option<Timestamp>,
}

impl DocumentSources {
    /// Returns the time of the state that an item comes from, if there are several sources.
    pub fn moment_of<T>(&self, item: &Sourced<T>) -> Option<Timestamp> {
        let Self::Several(sources) = self else { return None };
        sources.iter().find(|source| item.source.as_ref() == Some(&source.origin))?.moment
    }

    /// Returns all sources if there are several, otherwise an empty slice.
    pub fn several(&self) -> &[DocumentSource] {
        match self {
            Self::One(_) => &[],
            Self::Several(sources) => sources,
        }
    }
}

impl DocumentSource {
    /// Returns the items of this source.
    pub fn items_from<'a, T>(&'a self, items: &'a [Sourced<T>]) -> impl Iterator<Item = &'a Sourced<T>> {
        items.iter().filter(|item| item.source.as_ref() == Some(&self.origin))
    }

    /// Returns true if the source could be read at all.
    pub fn was_read(&self, unreadable: &[Sourced<Unreadable>]) -> bool {
        !self.items_from(unreadable).any(|entry| is_whole_source(entry))
    }
}

/// An item of a document, with its source if the document is about several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Sourced<T> {
    /// The source of the item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Arc<Origin>>,
    /// The item itself.
    #[serde(flatten)]
    pub item: T,
}

impl<T> From<T> for Sourced<T> {
    fn from(item: T) -> Self {
        Self { source: None, item }
    }
}

impl<T> Deref for Sourced<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.item
    }
}

impl<T> DerefMut for Sourced<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.item
    }
}

/// Returns items without a source, for a document about one source.
pub fn without_sources<T>(items: impl IntoIterator<Item = T>) -> Vec<Sourced<T>> {
    items.into_iter().map(Sourced::from).collect()
}

/// Sets the source of every item.
pub fn set_sources<T>(items: &mut [Sourced<T>], source: &Arc<Origin>) {
    items.iter_mut().for_each(|item| item.source = Some(Arc::clone(source)));
}

/// Sets the source of every finding, and adds the flags of the source to its next command.
pub fn set_finding_sources(findings: &mut [Sourced<Finding>], source: &Arc<Origin>) {
    set_sources(findings, source);
    findings.iter_mut().for_each(|finding| add_source_to_hint(finding, source));
}

/// Adds the flags of the source to the next command of a finding.
pub fn add_source_to_hint(finding: &mut Finding, source: &Origin) {
    finding.hint = finding.hint.take().map(|hint| command_at(&hint, source));
}

/// An object or kind that could not be read, with or without its source.
pub trait UnreadableEntry {
    /// Returns the object or kind, and the reason.
    fn entry(&self) -> &Unreadable;

    /// Returns the source, in a document about several.
    fn source(&self) -> Option<&Origin> {
        None
    }
}

impl UnreadableEntry for Unreadable {
    fn entry(&self) -> &Unreadable {
        self
    }
}

impl UnreadableEntry for Sourced<Unreadable> {
    fn entry(&self) -> &Unreadable {
        &self.item
    }

    fn source(&self) -> Option<&Origin> {
        self.source.as_deref()
    }
}

/// The result of reading one source.
#[derive(Debug)]
pub struct SourceResult<T> {
    /// The source that was read.
    pub source: Arc<Origin>,
    /// The document, or the error.
    pub result: Result<T>,
}

impl<T> SourceResult<T> {
    /// Returns the entry for a source that could not be read at all.
    pub fn unreadable_entry(source: &Arc<Origin>, error: &Error) -> Sourced<Unreadable> {
        let what = match source.as_ref() {
            Origin::Cluster { .. } => WHOLE_CLUSTER,
            Origin::Snapshot { .. } => WHOLE_SNAPSHOT,
        };
        let entry = Unreadable { what: what.to_owned(), reason: error.message() };
        Sourced { source: Some(Arc::clone(source)), item: entry }
    }
}

/// The entry for a cluster that could not be read at all.
const WHOLE_CLUSTER: &str = "the cluster";
/// The entry for a snapshot that could not be read at all.
const WHOLE_SNAPSHOT: &str = "the snapshot";

/// Returns true if an entry stands for all of a source.
pub fn is_whole_source(entry: &Unreadable) -> bool {
    [WHOLE_CLUSTER, WHOLE_SNAPSHOT].contains(&entry.what.as_str())
}

/// A document that can combine several sources.
pub trait CombineSources: Sized {
    /// Sets the sources in the header.
    fn name_sources(&mut self, sources: Vec<DocumentSource>);

    /// Returns the time of the state, if the document has one.
    fn moment(&self) -> Option<Timestamp> {
        None
    }

    /// Returns the objects and kinds that could not be read.
    fn unreadable(&mut self) -> &mut Vec<Sourced<Unreadable>>;

    /// Sets the source of all items except the unreadable entries.
    fn mark(&mut self, source: &Arc<Origin>);

    /// Adds the items of another document, except the unreadable entries.
    fn add(&mut self, other: Self);

    /// Adds an entry for a source that could not be read.
    fn add_unreadable(&mut self, unread: Sourced<Unreadable>) {
        self.unreadable().push(unread);
    }

    /// Sorts the items of all sources, worst first.
    fn sort(&mut self);
}

/// Combines the results of several sources into one document. A source that could not be read becomes an unreadable
/// entry; a source without the requested object adds no items.
///
/// # Errors
/// Fails when no source could be read, or none has the requested object.
pub fn combine<R: CombineSources>(answers: Vec<SourceResult<R>>) -> Result<R> {
    let mut sources = Vec::with_capacity(answers.len());
    let (mut whole, mut absent, mut failed): (Option<R>, _, _) = (None, None, Vec::new());
    for SourceResult { source, result } in answers {
        let moment = result.as_ref().ok().and_then(CombineSources::moment);
        sources.push(DocumentSource { origin: Arc::clone(&source), moment });
        match result {
            Ok(mut report) => {
                report.mark(&source);
                set_sources(report.unreadable(), &source);
                match &mut whole {
                    Some(whole) => {
                        whole.unreadable().append(report.unreadable());
                        whole.add(report);
                    }
                    None => whole = Some(report),
                }
            }
            Err(error) if matches!(error.kind(), ErrorKind::Usage | ErrorKind::Absent) => {
                absent = absent.or(Some(error))
            }
            Err(error) => failed.push((source, error)),
        }
    }
    let Some(mut whole) = whole else { return Err(no_result_error(absent, &failed)) };
    failed.iter().for_each(|(source, error)| whole.add_unreadable(SourceResult::<R>::unreadable_entry(source, error)));
    whole.name_sources(sources);
    whole.sort();
    Ok(whole)
}

/// Returns the error for a combined result without any document.
pub fn no_result_error(absent: Option<Error>, failed: &[(Arc<Origin>, Error)]) -> Error {
    let reasons = failed.iter().map(|(source, error)| format!("\n  {}: {}", source.label(), error.message()));
    let reasons: String = reasons.collect();
    match absent {
        Some(absent) if failed.is_empty() => absent,
        Some(absent) => Error::failed(format!("{}; and these could not be read:{reasons}", absent.message())),
        None => Error::failed(format!("no core cluster could be read:{reasons}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_a_single_source_an_item_has_no_source_field() {
        let entry = || Unreadable { what: "a".into(), reason: "b".into() };
        let plain = serde_json::to_string(&entry()).unwrap();
        assert_eq!(serde_json::to_string(&Sourced::from(entry())).unwrap(), plain);
        let source = Arc::new(Origin::Snapshot { path: "x".into() });
        let marked = serde_json::to_value(Sourced { source: Some(source), item: entry() }).unwrap();
        assert_eq!(marked, serde_json::json!({"source": {"path": "x"}, "what": "a", "reason": "b"}));
    }
}
