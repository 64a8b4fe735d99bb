//! The pages of `ui --web`: which document each path shows, and when it is read.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::StatusCode;
use jiff::Timestamp;

use crate::cli::ui::quiet;
use crate::cli::{Context, drift, parsed, tree};
use crate::render::Report;
use crate::render::diff::CONTEXT;
use crate::render::drift::DriftView;
use crate::render::html::{HtmlPage, LIVE_SCRIPT, LIVE_STYLE, LinkTargets, LiveFrame, LiveMode};
use crate::web::{FeedRevision, WebResponse, html_response, text_response};
use ucp_core::error::{Error, ErrorKind, Result};
use ucp_core::model::secrecy::hide_known_values;
use ucp_core::model::state::Origin;

use super::hubs::{CombinedDocument, WebHubs};
use super::query::TreeQuery;

/// The views in the head of each page.
const VIEWS: &[(&str, &str)] = &[(STATUS, "Status"), (RESOURCES, "Resources"), (DRIFT, "Drift")];
const STATUS: &str = "status";
const RESOURCES: &str = "resources";
const DRIFT: &str = "drift";
const TREE: &str = "tree";
/// The stream of changes.
const EVENTS: &str = "events";

/// The largest number of pages that are kept. They are read once for each change, however many windows ask.
const KEPT: usize = 16;
/// The longest time for which a page is kept: it may contain kinds that are not followed.
const FRESH: Duration = Duration::from_secs(30);

/// The pages, and what they are read from.
pub(super) struct WebPages {
    context: Context,
    hubs: Arc<WebHubs>,
    scope: String,
    mode: LiveMode,
    /// Pages that need a read of their own. One is read at a time.
    kept: Mutex<Vec<KeptPage>>,
}

/// A page, for the next window that asks for it.
struct KeptPage {
    /// The path with its query.
    address: String,
    changes: u64,
    read: Instant,
    page: ReadPage,
}

/// A page that was read.
#[derive(Clone)]
struct ReadPage {
    status: StatusCode,
    page: HtmlPage,
    /// The time of its data; `None` if nothing was read.
    moment: Option<Timestamp>,
    /// The position of its source, if there are several.
    source: Option<usize>,
}

impl WebPages {
    pub(super) fn new(context: &Context, hubs: Arc<WebHubs>) -> Self {
        let is_snapshot = hubs.parts.iter().all(|(origin, _)| matches!(origin.as_ref(), Origin::Snapshot { .. }));
        let mode = if is_snapshot { LiveMode::Still } else { LiveMode::Following };
        let scope = &context.globals.scope;
        let names: Vec<_> = hubs.parts.iter().map(|(origin, _)| origin.label().to_owned()).collect();
        let namespace = scope.namespace.as_ref().map(|namespace| format!("namespace {namespace}"));
        let selector = scope.selector.as_ref().map(|selector| format!("-l {selector}"));
        let parts: Vec<_> = [names.join(", ")].into_iter().chain(namespace).chain(selector).collect();
        Self { context: quiet(context), hubs, scope: parts.join(" · "), mode, kept: Mutex::default() }
    }

    /// Answers a request inside of the session.
    pub(super) fn answer(&self, path: &str, query: &str) -> WebResponse {
        // A change during the read makes the page old at once, and never new too early.
        let revision = self.hubs.feed.revision();
        match path {
            STATUS => self.followed(STATUS, "Control plane", revision, self.hubs.status()),
            RESOURCES => self.followed(RESOURCES, "Resources", revision, self.hubs.resources()),
            DRIFT => self.read(DRIFT, "", revision, || self.drift()),
            TREE => self.read(TREE, query, revision, || self.tree(query)),
            EVENTS => self.hubs.feed.stream(),
            _ => text_response(StatusCode::NOT_FOUND, "there is no such page\n"),
        }
    }

    fn followed<R: Report>(
        &self,
        path: &str,
        title: &str,
        revision: FeedRevision,
        combined: CombinedDocument<R>,
    ) -> WebResponse {
        let CombinedDocument { document, moment, notices } = combined;
        let page = document.and_then(|document| document.html());
        let page = page.unwrap_or_else(|error| HtmlPage::failure(title, &error.report()));
        self.respond(StatusCode::OK, path, &page, (revision, moment), (notices.as_slice(), None))
    }

    fn read(&self, path: &str, query: &str, revision: FeedRevision, read: impl FnOnce() -> ReadPage) -> WebResponse {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let address = format!("{path}?{query}");
        let is_fresh = |kept: &KeptPage| self.mode == LiveMode::Still || kept.read.elapsed() < FRESH;
        kept.retain(|kept| kept.changes == revision.changes && is_fresh(kept));
        let found = kept.iter().find(|kept| kept.address == address).map(|kept| kept.page.clone());
        let page = found.unwrap_or_else(|| {
            let page = read();
            if kept.len() == KEPT {
                kept.remove(0);
            }
            kept.push(KeptPage { address, changes: revision.changes, read: Instant::now(), page: page.clone() });
            page
        });
        drop(kept);
        let ReadPage { status, page, moment, source } = page;
        let notices = self.hubs.notices();
        self.respond(status, path, &page, (revision, moment), (notices.as_slice(), source))
    }

    fn respond(
        &self,
        status: StatusCode,
        path: &str,
        page: &HtmlPage,
        (revision, moment): (FeedRevision, Option<Timestamp>),
        (notices, own): (&[String], Option<usize>),
    ) -> WebResponse {
        let sources = self.hubs.origins();
        let text = page.render_live(&LiveFrame {
            views: VIEWS,
            current: path,
            scope: &self.scope,
            links: LinkTargets { sources: &sources, own },
            revision,
            moment,
            notices,
            mode: self.mode,
        });
        html_response(status, Bytes::from(hide_known_values(&text).unwrap_or(text)), LIVE_STYLE, LIVE_SCRIPT)
    }

    fn drift(&self) -> ReadPage {
        let args = match parsed([]) {
            Ok(args) => args,
            Err(error) => return failed_page("Drift", &error),
        };
        match self.context.combine_sources(|context| drift::compare(context, &args)) {
            Ok(report) => {
                let moment = Some(report.moment);
                let page = DriftView { report: &report, context_lines: CONTEXT }.html();
                read_page("Drift", page, moment, None)
            }
            Err(error) => failed_page("Drift", &error),
        }
    }

    fn tree(&self, query: &str) -> ReadPage {
        let TreeQuery { source, object } = match TreeQuery::parse(query) {
            Ok(query) => query,
            Err(reason) => return failed_page("Tree", &Error::usage(reason)),
        };
        let position = source.unwrap_or_default();
        let Some((origin, context)) =
            self.hubs.parts.get(position).filter(|_| source.is_some() || self.hubs.parts.len() == 1)
        else {
            return failed_page("Tree", &Error::usage("this source is not shown"));
        };
        let title = format!("Tree of {object}");
        match tree::tree_of_object(context, &object, self.hubs.patience) {
            Ok(tree) => {
                let moment = match origin.as_ref() {
                    Origin::Snapshot { .. } => self.hubs.moment(position),
                    Origin::Cluster { .. } => Some(Timestamp::now()),
                };
                read_page(&title, tree.html(), moment, source)
            }
            Err(error) => failed_page(&title, &error),
        }
    }
}

fn read_page(title: &str, page: Result<HtmlPage>, moment: Option<Timestamp>, source: Option<usize>) -> ReadPage {
    match page {
        Ok(page) => ReadPage { status: StatusCode::OK, page, moment, source },
        Err(error) => failed_page(title, &error),
    }
}

fn failed_page(title: &str, error: &Error) -> ReadPage {
    let status = match error.kind() {
        ErrorKind::Usage => StatusCode::BAD_REQUEST,
        ErrorKind::Absent => StatusCode::NOT_FOUND,
        _ => StatusCode::BAD_GATEWAY,
    };
    let page = HtmlPage::failure(title, &error.report());
    ReadPage { status, page, moment: None, source: None }
}
