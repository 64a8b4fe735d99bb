//! An object that is looked for in several core clusters: some have it, some do not, and of some nobody knows.

use jiff::Timestamp;

use crate::error::{Error, ErrorKind, Result};
use crate::model::kind::ResourceKind;
use crate::model::state::{ClusterState, Unreadable};
use crate::report::document_list::{DocumentList, Listed};
use crate::report::sources::{Answer, combined, nothing};

/// What came of looking for an object in one source.
pub(super) enum Sought<T> {
    Found(T),
    /// It was looked for, and is not there; and the moment that this is about.
    Absent(Error, Timestamp),
}

/// What to do about a name that several objects have.
pub(super) const CHOOSE: &str = "choose one with KIND.GROUP/NAME and -n NAMESPACE";

/// One document from what came of looking into each source: those that have the object, with what else they lack.
pub(super) fn listed<T: Listed>(mut answers: Vec<Answer<Sought<Part<T>>>>) -> Result<DocumentList<T>> {
    let is_usage = |answer: &Answer<_>| matches!(&answer.result, Err(error) if error.kind() == ErrorKind::Usage);
    // A name of several objects is to be said more precisely, whatever the other sources have.
    if let Some(index) = answers.iter().position(is_usage) {
        let Answer { source, result } = answers.swap_remove(index);
        let message = result.err().map(|error| error.message()).unwrap_or_default();
        return Err(Error::usage(format!("{}: {message}", source.label())).hint(CHOOSE));
    }
    if !answers.iter().any(|answer| matches!(answer.result, Ok(Sought::Found(_)))) {
        let (mut absent, mut failed) = (None, Vec::new());
        for Answer { source, result } in answers {
            match result {
                Ok(Sought::Absent(error, _)) => absent = absent.or(Some(error)),
                Ok(Sought::Found(_)) => {}
                Err(error) => failed.push((source, error)),
            }
        }
        return Err(nothing(absent, &failed));
    }
    let listed = |sought| match sought {
        Sought::Found(Part { document, missing, moment }) => DocumentList::of(document, &missing, moment),
        Sought::Absent(error, moment) => DocumentList::without(&[error], moment),
    };
    combined(
        answers.into_iter().map(|Answer { source, result }| Answer { source, result: result.map(listed) }).collect(),
    )
}

/// The document of one source.
pub(super) struct Part<T> {
    pub(super) document: T,
    /// Of several objects, those that are not there.
    pub(super) missing: Vec<Error>,
    /// What it is about.
    pub(super) moment: Timestamp,
}

/// What could not be read, and may have an object of a kind: not where that is of another kind.
pub(super) fn may_have(state: &ClusterState, is_kind: impl Fn(&ResourceKind) -> bool) -> Option<&Unreadable> {
    state.unreadable.iter().find(|entry| {
        let mut kinds = state.kinds.iter().filter(|kind| entry.is_of(kind)).peekable();
        kinds.peek().is_none() || kinds.any(|kind| is_kind(kind))
    })
}
