//! Requests of the browser, and their answers.

use std::sync::Arc;

use jiff::Timestamp;

use super::list::ListState;
use super::texts::RowTexts;
use super::{
    Browser, Effect, Fetched, HistoryPage, ObjectPlace, ReadAnswer, ReadRequest, SourceView, TextPage, TreePage, View,
};
use crate::render::tree::tree_rows;
use ucp_core::failure::Failure;
use ucp_core::model::state::Origin;
use ucp_core::model::text::one_line;

impl Browser {
    /// Takes the answer to a request. An answer that nothing waits for any more is ignored.
    pub fn answer(&mut self, number: u64, answer: Result<ReadAnswer, Failure>, now: Timestamp) {
        fn is_for<T>(fetched: &Fetched<T>, number: u64) -> bool {
            matches!(fetched, Fetched::Reading(known) if *known == number)
        }
        if is_for(&self.tree, number) {
            self.tree = match (answer, self.tree_place.clone()) {
                (Ok(ReadAnswer::Tree(tree)), Some(place)) => {
                    let rows = tree_rows(&tree);
                    self.lists[View::Tree.position()].select(rows.iter().position(|row| row.is_root).unwrap_or(0));
                    Fetched::Ready(TreePage { place, rows }, now)
                }
                (Err(reason), _) => Fetched::Failed(reason.into()),
                _ => Fetched::Unread,
            };
        } else if is_for(&self.clusters, number) {
            self.clusters = match answer {
                Ok(ReadAnswer::AppClusters(list)) => Fetched::Ready(list, now),
                Err(reason) => Fetched::Failed(reason.into()),
                _ => Fetched::Unread,
            };
        } else if is_for(&self.drift, number) {
            self.drift = match answer {
                Ok(ReadAnswer::Drift(report)) => Fetched::Ready(report, now),
                Err(reason) => Fetched::Failed(reason.into()),
                _ => Fetched::Unread,
            };
        } else if is_for(&self.history, number) {
            self.history = match answer {
                Ok(ReadAnswer::History(history)) => {
                    let (rows, to, unreadable) = (history.list_rows(), history.to, history.unreadable.len());
                    Fetched::Ready(HistoryPage { rows, to, unreadable }, now)
                }
                Err(reason) => Fetched::Failed(reason.into()),
                _ => Fetched::Unread,
            };
        } else if let Some(page) = self.pages.iter_mut().chain(&mut self.versions).find(|page| page.waits_for(number)) {
            match answer {
                Ok(ReadAnswer::Text(render)) => page.fill(render),
                Err(reason) => page.fail(reason.into()),
                Ok(_) => {}
            }
        }
        self.row_texts = RowTexts::default();
        self.rebuild();
    }

    fn read(&mut self, request: ReadRequest) -> (u64, Effect) {
        self.next_read += 1;
        (self.next_read, Effect::Read(self.next_read, request))
    }

    /// Reads the current view again, if it does not follow a watch.
    pub(super) fn refresh(&mut self) -> Vec<Effect> {
        let request = match self.view {
            View::Findings | View::Resources | View::Deployments => {
                if self.sources.iter().any(|source| source.trouble.is_some()) {
                    return vec![Effect::Connect { context: None, namespace: self.start.namespace.clone() }];
                }
                return Vec::new();
            }
            View::Tree => match self.tree_place.clone() {
                Some(place) => ReadRequest::Tree(place),
                None => return Vec::new(),
            },
            View::Versions => ReadRequest::Versions,
            View::AppClusters => ReadRequest::AppClusters,
            View::Drift => ReadRequest::Drift,
            View::History => match self.history_source() {
                Ok(source) => ReadRequest::History(source),
                Err(reason) => {
                    self.history = Fetched::Failed(reason);
                    return Vec::new();
                }
            },
        };
        let (number, effect) = self.read(request);
        match self.view {
            View::Tree => self.tree = Fetched::Reading(number),
            View::AppClusters => self.clusters = Fetched::Reading(number),
            View::Drift => self.drift = Fetched::Reading(number),
            View::History => self.history = Fetched::Reading(number),
            _ => {
                let page = TextPage::reading(self.versions_title(), "kubectl ucp images", number);
                self.versions = Some(page.with_header());
            }
        }
        vec![effect]
    }

    /// Returns the title of the versions, which are those of a repository, whatever the sources.
    fn versions_title(&self) -> String {
        let is_snapshot = |source: &SourceView| matches!(*source.origin, Origin::Snapshot { .. });
        let snapshot = if self.sources.iter().all(is_snapshot) { "not of the snapshot, but " } else { "" };
        format!("Versions {snapshot}of the repository in {}", one_line(&self.start.directory))
    }

    /// Returns the source whose history is shown; `None` for snapshots, which are nights of one core cluster.
    ///
    /// # Errors
    /// Fails when several core clusters are shown: each has a history of its own.
    fn history_source(&self) -> Result<Option<Arc<Origin>>, String> {
        let is_snapshot = |source: &SourceView| matches!(*source.origin, Origin::Snapshot { .. });
        match (self.only, self.sources.as_slice()) {
            (Some(only), sources) => Ok(sources.get(only).map(|source| Arc::clone(&source.origin))),
            (None, [source]) => Ok(Some(Arc::clone(&source.origin))),
            (None, sources) if sources.iter().all(is_snapshot) => Ok(None),
            (None, _) => Err("each core cluster has a history of its own; c selects one".to_owned()),
        }
    }

    pub(super) fn open_tree(&mut self, place: ObjectPlace) -> Vec<Effect> {
        self.tree_place = Some(place);
        let mut effects = self.show(View::Tree);
        effects.extend(self.refresh());
        self.lists[View::Tree.position()] = ListState::default();
        self.rebuild();
        effects
    }

    pub(super) fn open_page(&mut self, title: String, command: String, request: ReadRequest) -> Vec<Effect> {
        let (number, effect) = self.read(request);
        self.pages.push(TextPage::reading(title, command, number));
        vec![effect]
    }
}
