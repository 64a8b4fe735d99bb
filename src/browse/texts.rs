//! The texts by which rows are filtered and sorted. They are kept until the data changes, since rows of a large hub take long to
//! build.

use std::collections::HashMap;

use jiff::Timestamp;

use super::row::{Row, RowId};
use super::{Browser, View};
use ucp_core::model::verdict::Verdict;

/// The texts of one row.
#[derive(Debug, Clone, Default)]
pub(super) struct RowText {
    /// Everything that a filter searches, in lower case.
    search: String,
    pub(super) name: String,
    pub(super) short_name: String,
    pub(super) since: Option<Timestamp>,
    pub(super) verdict: Option<Verdict>,
}

impl RowText {
    fn from_row(row: Row) -> Self {
        Self {
            search: row.search_text(),
            short_name: row.short_name(),
            since: row.since,
            verdict: row.verdict,
            name: row.name,
        }
    }

    /// Returns true if the row contains a text in lower case.
    pub(super) fn matches(&self, filter: &str) -> bool {
        self.search.contains(filter)
    }
}

/// The texts of the rows of one view.
#[derive(Debug, Default)]
pub(super) struct RowTexts {
    view: Option<View>,
    is_wide: bool,
    texts: HashMap<RowId, RowText>,
}

impl RowTexts {
    /// Returns the texts of a row.
    pub(super) fn row_text(&mut self, browser: &Browser, id: RowId) -> &RowText {
        let row = || browser.row(browser.view, id).map(RowText::from_row).unwrap_or_default();
        self.texts.entry(id).or_insert_with(row)
    }
}

impl Browser {
    /// Takes the texts of the current view, to be put back after use.
    pub(super) fn take_row_texts(&mut self) -> RowTexts {
        let known = std::mem::take(&mut self.row_texts);
        match known.view == Some(self.view) && known.is_wide == self.is_wide {
            true => known,
            false => RowTexts { view: Some(self.view), is_wide: self.is_wide, texts: HashMap::new() },
        }
    }
}
