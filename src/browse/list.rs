//! The state of a list: which rows are shown, in which order, and which one is selected. The selection stays on its
//! object when rows move.

use std::sync::Arc;

use super::row::{Row, RowId};
use super::{Browser, Fetched, View};
use ucp_core::model::state::Origin;
use ucp_core::model::verdict::Verdict;

/// The order of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum RowOrder {
    /// The order of the document: worst first.
    #[default]
    Worst,
    /// By name.
    Name,
    /// By kind and name.
    Kind,
    /// The youngest first.
    Age,
}

impl RowOrder {
    const fn next(self) -> Self {
        match self {
            Self::Worst => Self::Name,
            Self::Name => Self::Kind,
            Self::Kind => Self::Age,
            Self::Age => Self::Worst,
        }
    }

    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Worst => "worst first",
            Self::Name => "by name",
            Self::Kind => "by kind",
            Self::Age => "youngest first",
        }
    }
}

/// The state of the list of one view.
#[derive(Debug, Clone, Default)]
pub(super) struct ListState {
    /// The shown rows.
    pub(super) rows: Vec<RowId>,
    /// The position of the selected row.
    pub(super) selected: usize,
    /// The key of the selected row; `None` until the user selects one.
    key: Option<u64>,
    /// The first row on the screen.
    pub(super) top: usize,
    pub(super) filter: String,
    pub(super) order: RowOrder,
}

impl ListState {
    /// Selects a row by its position, once rows are there.
    pub(super) fn select(&mut self, position: usize) {
        (self.selected, self.key) = (position, None);
    }

    /// Moves the window so that it contains the selected row.
    pub(super) fn scroll_to_selected(&mut self, height: usize) {
        let height = height.max(1);
        if self.selected < self.top {
            self.top = self.selected;
        } else if self.selected >= self.top + height {
            self.top = self.selected + 1 - height;
        }
        self.top = self.top.min(self.rows.len().saturating_sub(height));
    }
}

impl Browser {
    pub(super) fn list(&self) -> &ListState {
        &self.lists[self.view.position()]
    }

    pub(super) fn list_mut(&mut self) -> &mut ListState {
        &mut self.lists[self.view.position()]
    }

    /// Returns the rows of a view before filters.
    pub(super) fn all_rows(&self, view: View) -> Vec<RowId> {
        let shown = |source: &usize| self.only.is_none_or(|only| only == *source);
        let of_hubs = |count: &dyn Fn(&super::HubState) -> usize| -> Vec<RowId> {
            let hubs = self.sources.iter().enumerate().filter(|(source, _)| shown(source));
            hubs.filter_map(|(source, view)| Some((source, view.hub.as_ref()?)))
                .flat_map(|(source, hub)| (0..count(hub)).map(move |index| RowId { source, index }))
                .collect()
        };
        let plain = |count: usize| (0..count).map(|index| RowId { source: 0, index }).collect();
        let only = self.only.and_then(|only| self.sources.get(only)).map(|source| &source.origin);
        let is_shown =
            |source: &Option<Arc<Origin>>| only.is_none_or(|only| source.as_ref().is_none_or(|it| it == only));
        let of_sources = |sources: &mut dyn Iterator<Item = &Option<Arc<Origin>>>| -> Vec<RowId> {
            let shown = sources.enumerate().filter(|(_, source)| is_shown(source));
            shown.map(|(index, _)| RowId { source: 0, index }).collect()
        };
        match view {
            View::Findings => of_hubs(&|hub| hub.status.findings.len()),
            View::Resources => of_hubs(&|hub| hub.resources.len()),
            View::Deployments => of_hubs(&|hub| hub.deployments.len()),
            View::Tree => match &self.tree {
                Fetched::Ready(page, _) => plain(page.rows.len()),
                _ => Vec::new(),
            },
            View::AppClusters => match &self.clusters {
                Fetched::Ready(list, _) => of_sources(&mut list.items.iter().map(|item| &item.source)),
                _ => Vec::new(),
            },
            View::Drift => match &self.drift {
                Fetched::Ready(report, _) => of_sources(&mut report.items.iter().map(|item| &item.source)),
                _ => Vec::new(),
            },
            View::History => match &self.history {
                Fetched::Ready(page, _) => plain(page.rows.len()),
                _ => Vec::new(),
            },
            View::Versions => Vec::new(),
        }
    }

    /// Returns the number of rows of a view in the selected namespace.
    pub(super) fn count_rows(&self, view: View) -> usize {
        let rows = self.all_rows(view);
        match self.namespace {
            None => rows.len(),
            Some(_) => rows.into_iter().filter(|id| self.is_in_namespace(view, *id)).count(),
        }
    }

    /// Applies filters and the order to the current view, and keeps the selection on its row.
    pub(super) fn rebuild(&mut self) {
        let view = self.view;
        let mut rows = self.all_rows(view);
        let (filter, order) = (self.list().filter.to_lowercase(), self.list().order);
        if view != View::Tree && self.namespace.is_some() {
            rows.retain(|id| self.is_in_namespace(view, *id));
        }
        let mut texts = self.take_row_texts();
        if !filter.is_empty() {
            rows.retain(|id| texts.row_text(self, *id).matches(&filter));
        }
        let several = self.sources.len() > 1;
        match order {
            // Rows of one source are in order already.
            RowOrder::Worst if several && !matches!(view, View::Tree | View::History) => {
                rows.sort_by_cached_key(|id| {
                    let text = texts.row_text(self, *id);
                    (text.verdict.unwrap_or(Verdict::Ok), text.name.clone())
                });
            }
            RowOrder::Worst => {}
            _ if view == View::Tree => {}
            RowOrder::Name => rows.sort_by_cached_key(|id| texts.row_text(self, *id).short_name.clone()),
            RowOrder::Kind => rows.sort_by_cached_key(|id| texts.row_text(self, *id).name.clone()),
            RowOrder::Age => rows.sort_by_cached_key(|id| std::cmp::Reverse(texts.row_text(self, *id).since)),
        }
        self.row_texts = texts;
        let key = self.list().key;
        let position = key.and_then(|key| rows.iter().position(|id| self.key(view, *id) == key));
        let list = self.list_mut();
        list.selected = position.unwrap_or(list.selected).min(rows.len().saturating_sub(1));
        list.rows = rows;
    }

    pub(super) fn selected_row(&self) -> Option<Row> {
        let list = self.list();
        self.row(self.view, *list.rows.get(list.selected)?)
    }

    /// Selects the row at a position, and remembers it.
    pub(super) fn select(&mut self, position: usize) {
        let view = self.view;
        let last = self.list().rows.len().saturating_sub(1);
        let position = position.min(last);
        let key = self.list().rows.get(position).map(|id| self.key(view, *id));
        let list = self.list_mut();
        (list.selected, list.key) = (position, key);
    }

    pub(super) fn next_order(&mut self) {
        let list = self.list_mut();
        list.order = list.order.next();
        self.message = Some(format!("sorted {}", self.list().order.title()));
        self.rebuild();
    }
}
