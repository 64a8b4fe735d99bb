//! The search for an object in several core clusters: it is found, absent, or unknown in each.

use jiff::Timestamp;

use crate::report::document_list::{DocumentList, ListableDocument};
use crate::report::sources::{SourceResult, combine, no_result_error};
use ucp_core::error::{Error, ErrorKind, Result};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::state::{ClusterState, Unreadable};

/// The result of the search in one source.
pub(super) enum SearchResult<T> {
    Found(T),
    /// The object does not exist, at the given moment.
    Absent(Error, Timestamp),
}

/// The hint for a name of several objects.
pub(super) const CHOOSE: &str = "choose one with KIND.GROUP/NAME and -n NAMESPACE";

/// Combines the results of all sources into one document: those that have the object, and the objects that they do not
/// have.
pub(super) fn combine_results<T: ListableDocument>(
    mut answers: Vec<SourceResult<SearchResult<SourceDocument<T>>>>,
) -> Result<DocumentList<T>> {
    let is_usage = |answer: &SourceResult<_>| matches!(&answer.result, Err(error) if error.kind() == ErrorKind::Usage);
    // An ambiguous name is an error, regardless of the other sources.
    if let Some(index) = answers.iter().position(is_usage) {
        let SourceResult { source, result } = answers.swap_remove(index);
        let message = result.err().map(|error| error.message()).unwrap_or_default();
        return Err(Error::usage(format!("{}: {message}", source.label())).hint(CHOOSE));
    }
    if !answers.iter().any(|answer| matches!(answer.result, Ok(SearchResult::Found(_)))) {
        let (mut absent, mut failed) = (None, Vec::new());
        for SourceResult { source, result } in answers {
            match result {
                Ok(SearchResult::Absent(error, _)) => absent = absent.or(Some(error)),
                Ok(SearchResult::Found(_)) => {}
                Err(error) => failed.push((source, error)),
            }
        }
        return Err(no_result_error(absent, &failed));
    }
    let listed = |sought| match sought {
        SearchResult::Found(SourceDocument { document, missing, moment }) => {
            DocumentList::from_document(document, &missing, moment)
        }
        SearchResult::Absent(error, moment) => DocumentList::from_absent(&[error], moment),
    };
    combine(
        answers
            .into_iter()
            .map(|SourceResult { source, result }| SourceResult { source, result: result.map(listed) })
            .collect(),
    )
}

/// The document of one source.
pub(super) struct SourceDocument<T> {
    pub(super) document: T,
    /// The objects that do not exist, if several were named.
    pub(super) missing: Vec<Error>,
    /// The moment of the source's state.
    pub(super) moment: Timestamp,
}

/// Returns an unreadable entry that may include an object of the kind. Entries of other kinds are ignored.
pub(super) fn unread_entry_for(state: &ClusterState, is_kind: impl Fn(&ResourceKind) -> bool) -> Option<&Unreadable> {
    state.unreadable.iter().find(|entry| {
        let mut kinds = state.kinds.iter().filter(|kind| entry.is_of(kind)).peekable();
        kinds.peek().is_none() || kinds.any(|kind| is_kind(kind))
    })
}
