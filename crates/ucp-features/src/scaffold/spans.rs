//! Byte spans of a text.

use std::ops::Range;

/// Sorted spans of a text without overlaps.
pub(super) struct Spans(Vec<Range<usize>>);

impl Spans {
    /// Returns the spans in order, with overlapping ones merged.
    pub(super) fn merged<'r>(spans: impl Iterator<Item = &'r Range<usize>>) -> Self {
        let mut all: Vec<Range<usize>> = spans.cloned().collect();
        all.sort_by_key(|span| (span.start, span.end));
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(all.len());
        for span in all {
            match merged.last_mut().filter(|last| span.start < last.end) {
                Some(last) => last.end = last.end.max(span.end),
                None => merged.push(span),
            }
        }
        Self(merged)
    }

    /// Returns true if a span overlaps a range.
    pub(super) fn overlaps(&self, range: &Range<usize>) -> bool {
        let next = self.0.partition_point(|span| span.end <= range.start);
        self.0.get(next).is_some_and(|span| span.start < range.end)
    }
}

/// Returns the positions of a name in a text as a whole word.
pub(super) fn word_positions<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    word_positions_in(text, name, 0..text.len())
}

/// Returns the positions of a name in a part of a text as a whole word.
pub(super) fn word_positions_in<'t>(
    text: &'t str,
    name: &'t str,
    part: Range<usize>,
) -> impl Iterator<Item = Range<usize>> + 't {
    let is_end = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    let from = part.start;
    let found = text[part].match_indices(name);
    let found = found.map(move |(start, found)| from + start..from + start + found.len());
    found.filter(move |place| {
        !place.is_empty() && is_end(text[..place.start].chars().next_back()) && is_end(text[place.end..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_may_overlap_and_be_in_any_order() {
        let spans = Spans::merged([20..30, 2..4, 3..9, 25..26].iter());
        for (range, touches) in
            [(0..2, false), (0..3, true), (8..9, true), (9..20, false), (29..40, true), (30..31, false)]
        {
            assert_eq!(spans.overlaps(&range), touches, "{range:?}");
        }
    }
}
