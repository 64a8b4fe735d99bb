//! Documents about several core clusters or snapshots: one document, in which everything says where it was read.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use anyhow::anyhow;
use jiff::Timestamp;
use serde::Serialize;

use crate::error::{Error, ErrorKind, Result};
use crate::model::finding::Finding;
use crate::model::state::{Origin, Unreadable};
use crate::report::command::command_at;

/// Where a document was read: `source`, or `sources` where there are several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub enum Sources {
    /// One cluster or snapshot.
    #[serde(rename = "source")]
    One(Origin),
    /// Several, in the order in which they were named. Every item has its own `source`.
    #[serde(rename = "sources")]
    Several(Vec<Source>),
}

/// One of several sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Source {
    /// Which.
    #[serde(flatten)]
    pub origin: Arc<Origin>,
    /// The moment that its part of the document speaks of; absent where it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moment: Option<Timestamp>,
}

impl Sources {
    /// The moment that an item speaks of, where it is one of several sources.
    pub fn moment_of<T>(&self, item: &Sourced<T>) -> Option<Timestamp> {
        let Self::Several(sources) = self else { return None };
        sources.iter().find(|source| item.source.as_ref() == Some(&source.origin))?.moment
    }

    /// All of them, where there are several.
    pub fn several(&self) -> &[Source] {
        match self {
            Self::One(_) => &[],
            Self::Several(sources) => sources,
        }
    }
}

impl Source {
    /// What a document has of this source.
    pub fn of<'a, T>(&'a self, items: &'a [Sourced<T>]) -> impl Iterator<Item = &'a Sourced<T>> {
        items.iter().filter(|item| item.source.as_ref() == Some(&self.origin))
    }

    /// Whether it could be read at all.
    pub fn was_read(&self, unreadable: &[Sourced<Unreadable>]) -> bool {
        !self.of(unreadable).any(|entry| is_whole(entry))
    }
}

/// Something of a document, and where it was read, if the document is about several sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Sourced<T> {
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Arc<Origin>>,
    /// What.
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

/// Items of a document that is about one source, so far.
pub fn unmarked<T>(items: impl IntoIterator<Item = T>) -> Vec<Sourced<T>> {
    items.into_iter().map(Sourced::from).collect()
}

/// Writes on every item where it was read.
pub fn mark<T>(items: &mut [Sourced<T>], source: &Arc<Origin>) {
    items.iter_mut().for_each(|item| item.source = Some(Arc::clone(source)));
}

/// The same of findings. The next command to run has to name the cluster.
pub fn mark_findings(findings: &mut [Sourced<Finding>], source: &Arc<Origin>) {
    mark(findings, source);
    findings.iter_mut().for_each(|finding| ask_at(finding, source));
}

/// Has the next command of a finding name the cluster.
pub fn ask_at(finding: &mut Finding, source: &Origin) {
    finding.hint = finding.hint.take().map(|hint| command_at(&hint, source));
}

/// Something that could not be read, whether or not it says of which source.
pub trait Unread {
    /// What, and why.
    fn entry(&self) -> &Unreadable;

    /// Where, in a document about several sources.
    fn source(&self) -> Option<&Origin> {
        None
    }
}

impl Unread for Unreadable {
    fn entry(&self) -> &Unreadable {
        self
    }
}

impl Unread for Sourced<Unreadable> {
    fn entry(&self) -> &Unreadable {
        &self.item
    }

    fn source(&self) -> Option<&Origin> {
        self.source.as_deref()
    }
}

/// What came of asking one source.
#[derive(Debug)]
pub struct Answer<T> {
    /// Which.
    pub source: Arc<Origin>,
    /// The answer, or why there is none.
    pub result: Result<T>,
}

impl<T> Answer<T> {
    /// What stands for a source that could not be read at all.
    pub fn unreadable(source: &Arc<Origin>, error: &Error) -> Sourced<Unreadable> {
        let what = match source.as_ref() {
            Origin::Cluster { .. } => WHOLE_CLUSTER,
            Origin::Snapshot { .. } => WHOLE_SNAPSHOT,
        };
        let entry = Unreadable { what: what.to_owned(), reason: error.message() };
        Sourced { source: Some(Arc::clone(source)), item: entry }
    }
}

/// What could not be read, where it is all of a cluster.
const WHOLE_CLUSTER: &str = "the cluster";
/// The same of a snapshot.
const WHOLE_SNAPSHOT: &str = "the snapshot";

/// Whether an entry stands for all of a source.
pub fn is_whole(entry: &Unreadable) -> bool {
    [WHOLE_CLUSTER, WHOLE_SNAPSHOT].contains(&entry.what.as_str())
}

/// A document that may be about several sources.
pub trait Combine: Sized {
    /// Writes at its beginning where it was read.
    fn name_sources(&mut self, sources: Vec<Source>);

    /// The moment that it speaks of, where it matters to it.
    fn moment(&self) -> Option<Timestamp> {
        None
    }

    /// What could not be read.
    fn unreadable(&mut self) -> &mut Vec<Sourced<Unreadable>>;

    /// Writes on everything in it where it was read, but for what could not be.
    fn mark(&mut self, source: &Arc<Origin>);

    /// Takes in the document about another source, but for what could not be read.
    fn add(&mut self, other: Self);

    /// Says of a source that it could not be read.
    fn lack(&mut self, unread: Sourced<Unreadable>) {
        self.unreadable().push(unread);
    }

    /// Puts what is worst first, over all sources.
    fn sort(&mut self);
}

/// One document from the answers of several sources. A source that could not be read stands among what is unreadable; one
/// that does not have what was asked for by name has nothing to add.
///
/// # Errors
/// When no source could be read, or none has what was asked for.
pub fn combined<R: Combine>(answers: Vec<Answer<R>>) -> Result<R> {
    let mut sources = Vec::with_capacity(answers.len());
    let (mut whole, mut absent, mut failed): (Option<R>, _, _) = (None, None, Vec::new());
    for Answer { source, result } in answers {
        let moment = result.as_ref().ok().and_then(Combine::moment);
        sources.push(Source { origin: Arc::clone(&source), moment });
        match result {
            Ok(mut report) => {
                report.mark(&source);
                mark(report.unreadable(), &source);
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
    let Some(mut whole) = whole else { return Err(nothing(absent, &failed)) };
    failed.iter().for_each(|(source, error)| whole.lack(Answer::<R>::unreadable(source, error)));
    whole.name_sources(sources);
    whole.sort();
    Ok(whole)
}

/// Why there is nothing to show.
pub fn nothing(absent: Option<Error>, failed: &[(Arc<Origin>, Error)]) -> Error {
    let reasons = failed.iter().map(|(source, error)| format!("\n  {}: {}", source.label(), error.message()));
    let reasons: String = reasons.collect();
    match absent {
        Some(absent) if failed.is_empty() => absent,
        Some(absent) => Error::failed(anyhow!("{}; and these could not be read:{reasons}", absent.message())),
        None => Error::failed(anyhow!("no core cluster could be read:{reasons}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_written_as_before_where_there_is_one_source() {
        let entry = || Unreadable { what: "a".into(), reason: "b".into() };
        let plain = serde_json::to_string(&entry()).unwrap();
        assert_eq!(serde_json::to_string(&Sourced::from(entry())).unwrap(), plain);
        let source = Arc::new(Origin::Snapshot { path: "x".into() });
        let marked = serde_json::to_value(Sourced { source: Some(source), item: entry() }).unwrap();
        assert_eq!(marked, serde_json::json!({"source": {"path": "x"}, "what": "a", "reason": "b"}));
    }
}
