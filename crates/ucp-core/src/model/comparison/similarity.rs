//! Similarity of two values.

/// Similarity of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ValueSimilarity {
    Same,
    Suspected,
    Different,
}
