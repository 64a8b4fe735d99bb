//! State and views of `kubectl ucp ui`: what is known about the core clusters, what is selected, and what a key does. It
//! neither reads clusters nor writes to a terminal: keys and answers come in, effects and frames go out.

mod columns;
mod commands;
mod draw;
mod footer;
mod header;
mod hub;
mod keys;
mod list;
mod live;
mod page;
mod palette;
mod pick;
mod picker;
mod reads;
mod requests;
mod row;
mod texts;
mod view;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::render::history::HistoryRow;
use crate::render::tree::TreeRow;
use crate::report::clusters::ClusterList;
use crate::report::drift::DriftReport;
use ucp_core::model::state::Origin;

pub use hub::HubState;
pub use keys::Input;
pub use live::{LiveAction, LivePage};
pub use page::{RenderText, TextPage};
pub use palette::Palette;
pub use requests::{BrowserStart, Effect, ObjectPlace, ReadAnswer, ReadRequest};
pub use view::View;

use draw::ScreenAreas;
use list::ListState;
use picker::{Picker, Prompt};
use texts::RowTexts;

/// How long a row that changed is marked.
const MARKED: Duration = Duration::from_secs(4);

/// One source, and what is known about it.
struct SourceView {
    origin: Arc<Origin>,
    hub: Option<HubState>,
    trouble: Option<String>,
}

/// Something that is read on request.
enum Fetched<T> {
    Unread,
    Reading(u64),
    Ready(T, Timestamp),
    Failed(String),
}

/// The tree of an object, as rows.
struct TreePage {
    place: ObjectPlace,
    rows: Vec<TreeRow>,
}

/// The history, as rows.
struct HistoryPage {
    rows: Vec<HistoryRow>,
    /// The end of the period.
    to: Timestamp,
    /// The number of objects and kinds that could not be read.
    unreadable: usize,
}

/// The state of `kubectl ucp ui`.
pub struct Browser {
    sources: Vec<SourceView>,
    start: BrowserStart,
    view: View,
    /// The view to return to from a tree.
    before_tree: View,
    lists: Vec<ListState>,
    tree: Fetched<TreePage>,
    tree_place: Option<ObjectPlace>,
    clusters: Fetched<ClusterList>,
    drift: Fetched<DriftReport>,
    history: Fetched<HistoryPage>,
    versions: Option<TextPage>,
    pages: Vec<TextPage>,
    prompt: Option<Prompt>,
    picker: Option<Picker>,
    /// The namespace that is shown; `None` for all that were read.
    namespace: Option<String>,
    /// The source that is shown; `None` for all.
    only: Option<usize>,
    is_wide: bool,
    message: Option<String>,
    /// The contents of rows by key, to find those that changed.
    contents: HashMap<u64, u64>,
    changed: HashMap<u64, Instant>,
    row_texts: RowTexts,
    next_read: u64,
    areas: ScreenAreas,
}

impl Browser {
    /// Creates the browser, with nothing read yet.
    pub fn new(start: BrowserStart) -> Self {
        let sources = source_views(&start.sources);
        let namespace = start.namespace.clone();
        Self {
            sources,
            start,
            view: View::Findings,
            before_tree: View::Findings,
            lists: View::ALL.map(|_| ListState::default()).into(),
            tree: Fetched::Unread,
            tree_place: None,
            clusters: Fetched::Unread,
            drift: Fetched::Unread,
            history: Fetched::Unread,
            versions: None,
            pages: Vec::new(),
            prompt: None,
            picker: None,
            namespace,
            only: None,
            is_wide: false,
            message: None,
            contents: HashMap::new(),
            changed: HashMap::new(),
            row_texts: RowTexts::default(),
            next_read: 0,
            areas: ScreenAreas::default(),
        }
    }

    /// Forgets everything that was read, for other sources.
    pub fn connect(&mut self, sources: &[Arc<Origin>], namespace: Option<String>) {
        self.start.sources = sources.to_vec();
        self.start.namespace.clone_from(&namespace);
        self.sources = source_views(sources);
        self.namespace = namespace;
        self.only = None;
        (self.tree, self.tree_place, self.before_tree) = (Fetched::Unread, None, View::Findings);
        (self.clusters, self.drift, self.history) = (Fetched::Unread, Fetched::Unread, Fetched::Unread);
        self.pages.clear();
        self.contents.clear();
        self.changed.clear();
        self.row_texts = RowTexts::default();
        if self.view == View::Tree {
            self.view = View::Findings;
        }
        self.rebuild();
    }

    /// Takes the state of a source.
    pub fn update(&mut self, source: usize, hub: HubState, now: Instant) {
        let Some(view) = self.sources.get_mut(source) else { return };
        (view.hub, view.trouble) = (Some(hub), None);
        self.note_changes(source, now);
        self.row_texts = RowTexts::default();
        self.rebuild();
    }

    /// Takes the reason why a source cannot be read.
    pub fn fail(&mut self, source: usize, reason: String) {
        if let Some(view) = self.sources.get_mut(source) {
            view.trouble = Some(reason);
        }
    }

    /// Returns true if frames change although nothing happens, since a row is still marked.
    pub fn is_marking(&self, now: Instant) -> bool {
        self.changed.values().any(|since| now.duration_since(*since) < MARKED)
    }

    /// Shows a view, and reads it if that was not done yet.
    fn show(&mut self, view: View) -> Vec<Effect> {
        if view == View::Tree && self.view != View::Tree {
            self.before_tree = self.view;
        }
        self.view = view;
        self.pages.clear();
        self.message = None;
        let effects = match view {
            View::AppClusters if matches!(self.clusters, Fetched::Unread) => self.refresh(),
            View::Drift if matches!(self.drift, Fetched::Unread) => self.refresh(),
            View::History if matches!(self.history, Fetched::Unread) => self.refresh(),
            View::Versions if self.versions.is_none() => self.refresh(),
            _ => Vec::new(),
        };
        self.rebuild();
        effects
    }

    /// Marks the rows of a source whose content differs from the last time.
    fn note_changes(&mut self, source: usize, now: Instant) {
        let Some(hub) = self.sources.get(source).and_then(|view| view.hub.as_ref()) else { return };
        let is_first = !self.contents.keys().any(|key| *key == source_key(source));
        self.contents.insert(source_key(source), 0);
        self.changed.retain(|_, since| now.duration_since(*since) < MARKED);
        for (key, content) in hub.contents(source) {
            let before = self.contents.insert(key, content);
            if !is_first && before != Some(content) {
                self.changed.insert(key, now);
            }
        }
    }
}

fn source_views(origins: &[Arc<Origin>]) -> Vec<SourceView> {
    origins.iter().map(|origin| SourceView { origin: Arc::clone(origin), hub: None, trouble: None }).collect()
}

fn source_key(source: usize) -> u64 {
    hash_of(&("source", source))
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
