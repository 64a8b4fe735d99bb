//! State and views of `kubectl ucp ui`: what is known about the core clusters, what is selected, and what a key does. It
//! neither reads clusters nor writes to a terminal: keys and answers come in, effects and frames go out.

mod columns;
mod commands;
mod draw;
mod hub;
mod keys;
mod list;
mod live;
mod page;
mod palette;
mod pick;
mod picker;
mod row;
mod texts;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::render::history::HistoryRow;
use crate::render::tree::{TreeRow, tree_rows};
use crate::report::clusters::ClusterList;
use crate::report::drift::DriftReport;
use crate::report::history::History;
use crate::report::tree::Tree;
use ucp_core::failure::Failure;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::Origin;

pub use hub::HubState;
pub use keys::Input;
pub use live::{LiveAction, LivePage};
pub use page::{RenderText, TextPage};
pub use palette::Palette;

use draw::ScreenAreas;
use list::ListState;
use picker::{Picker, Prompt};
use texts::RowTexts;

/// How long a row that changed is marked.
const MARKED: Duration = Duration::from_secs(4);

/// A view of the core clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// Problems, worst first.
    Findings,
    /// Managed resources, composites and claims.
    Resources,
    /// The tree of one object.
    Tree,
    /// Applications, Kustomizations, HelmReleases and their like.
    Deployments,
    /// Versions of services in environments, from a repository.
    Versions,
    /// App clusters.
    AppClusters,
    /// Differences between declared, live and external state.
    Drift,
    /// What happened, newest first.
    History,
}

impl View {
    /// Every view, in the order of the tabs.
    pub const ALL: [Self; 8] = [
        Self::Findings,
        Self::Resources,
        Self::Tree,
        Self::Deployments,
        Self::Versions,
        Self::AppClusters,
        Self::Drift,
        Self::History,
    ];

    /// Returns the title of the tab.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Findings => "Findings",
            Self::Resources => "Resources",
            Self::Tree => "Tree",
            Self::Deployments => "Deployments",
            Self::Versions => "Versions",
            Self::AppClusters => "Clusters",
            Self::Drift => "Drift",
            Self::History => "History",
        }
    }

    /// Returns the title for a narrow screen: all of them fit 80 columns.
    const fn short_title(self) -> &'static str {
        match self {
            Self::Deployments => "Deploys",
            _ => self.title(),
        }
    }

    fn position(self) -> usize {
        Self::ALL.iter().position(|view| *view == self).unwrap_or_default()
    }
}

/// Something to read for the browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadRequest {
    /// The tree of an object.
    Tree(ObjectPlace),
    /// An object as YAML, with secrets hidden.
    Yaml(ObjectPlace),
    /// The differences of an object.
    ObjectDrift(ObjectPlace),
    /// The events about an object, and the history of its tree.
    Events(ObjectPlace),
    /// The explanation of a code.
    Explanation(String),
    /// All app clusters.
    AppClusters,
    /// All differences.
    Drift,
    /// Versions of services in environments.
    Versions,
    /// What happened in one source; `None` for snapshots, which are read together as nights of one core cluster.
    History(Option<Arc<Origin>>),
}

/// An object in one of the sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectPlace {
    /// The source; `None` for the only one.
    pub source: Option<Arc<Origin>>,
    /// The object.
    pub object: ObjectName,
}

/// The answer to a [`ReadRequest`].
pub enum ReadAnswer {
    /// A tree.
    Tree(Box<Tree>),
    /// A text that is laid out for a width.
    Text(RenderText),
    /// App clusters.
    AppClusters(ClusterList),
    /// Differences.
    Drift(DriftReport),
    /// What happened.
    History(Box<History>),
}

/// Something that the browser needs done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// End.
    Quit,
    /// Stop until the shell continues this process.
    Suspend,
    /// Read something, and pass the answer with this number to [`Browser::answer`].
    Read(u64, ReadRequest),
    /// Copy a text to the clipboard.
    Copy(String),
    /// Follow this context instead, or the same one again, in a namespace or in all.
    Connect {
        /// The context; `None` for the same sources as before.
        context: Option<String>,
        /// The namespace.
        namespace: Option<String>,
    },
}

/// What the browser starts with.
#[derive(Debug, Clone, Default)]
pub struct BrowserStart {
    /// The sources, in the order of the command line.
    pub sources: Vec<Arc<Origin>>,
    /// The contexts to switch to.
    pub contexts: Vec<String>,
    /// The namespace of `-n`, which restricts what is read.
    pub namespace: Option<String>,
    /// The label selector of `-l`.
    pub selector: Option<String>,
}

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

    /// Returns true if frames change although nothing happens, since a row is still marked.
    pub fn is_marking(&self, now: Instant) -> bool {
        self.changed.values().any(|since| now.duration_since(*since) < MARKED)
    }

    fn read(&mut self, request: ReadRequest) -> (u64, Effect) {
        self.next_read += 1;
        (self.next_read, Effect::Read(self.next_read, request))
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

    /// Reads the current view again, if it does not follow a watch.
    fn refresh(&mut self) -> Vec<Effect> {
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
            _ => self.versions = Some(TextPage::reading("Versions", "kubectl ucp images", number).with_header()),
        }
        vec![effect]
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

    fn open_tree(&mut self, place: ObjectPlace) -> Vec<Effect> {
        self.tree_place = Some(place);
        let mut effects = self.show(View::Tree);
        effects.extend(self.refresh());
        self.lists[View::Tree.position()] = ListState::default();
        self.rebuild();
        effects
    }

    fn open_page(&mut self, title: String, command: String, request: ReadRequest) -> Vec<Effect> {
        let (number, effect) = self.read(request);
        self.pages.push(TextPage::reading(title, command, number));
        vec![effect]
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
