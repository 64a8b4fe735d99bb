//! The frame of `ui --web` around a document: views, the state of the connection, and links from objects to their trees.

use std::fmt::Write as _;
use std::sync::Arc;

use jiff::Timestamp;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::{HtmlLink, HtmlPage, add, escape};
use crate::web::FeedRevision;
use ucp_core::model::state::Origin;

/// The style of live pages.
pub const LIVE_STYLE: &str = concat!(include_str!("page.css"), include_str!("live.css"));
/// The script of live pages.
pub const LIVE_SCRIPT: &str = concat!(include_str!("page.js"), include_str!("graph.js"), include_str!("live.js"));

/// The part of a live page that is not its document.
#[derive(Debug)]
pub struct LiveFrame<'a> {
    /// The views, each with its path and title.
    pub views: &'a [(&'a str, &'a str)],
    /// The path of this view.
    pub current: &'a str,
    /// The clusters, namespace and selector that are shown.
    pub scope: &'a str,
    /// The sources to which links lead.
    pub links: LinkTargets<'a>,
    /// The changes that the document includes.
    pub revision: FeedRevision,
    /// The time of the document; `None` if nothing was read.
    pub moment: Option<Timestamp>,
    /// Messages above the document.
    pub notices: &'a [String],
    /// The way in which the page is kept current.
    pub mode: LiveMode,
}

/// The sources to which links of a live page lead, by position.
#[derive(Debug, Clone, Copy)]
pub struct LinkTargets<'a> {
    /// All sources.
    pub sources: &'a [Arc<Origin>],
    /// The source of a document that is about one of several.
    pub own: Option<usize>,
}

/// The way in which a live page is kept current.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiveMode {
    /// It is read again after each change of a cluster.
    Following,
    /// It is about snapshots, which do not change.
    Still,
}

impl HtmlPage {
    /// Renders the page for a browser that follows it. Its policy is a header of the response.
    pub fn render_live(&self, frame: &LiveFrame<'_>) -> String {
        let title = escape(&self.title);
        let mut text = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
             <style>{LIVE_STYLE}</style>\n</head>\n<body>\n<header>\n<nav aria-label=\"Views\">"
        );
        for (path, name) in frame.views {
            let current = if *path == frame.current { " aria-current=\"page\"" } else { "" };
            let _ = write!(text, "<a href=\"{}\"{current}>{}</a>", escape(path), escape(name));
        }
        let follows = match frame.mode {
            LiveMode::Following => "yes",
            LiveMode::Still => "no",
        };
        let _ = write!(
            text,
            "</nav>\n<p id=\"scope\">{}</p>\n<p id=\"live\" role=\"status\" data-follows=\"{follows}\"></p>\n</header>\n\
             <main id=\"report\" data-view=\"{}\" data-revision=\"{}\" data-moment=\"{}\">\n",
            escape(frame.scope),
            escape(frame.current),
            frame.revision,
            frame.moment.map(|moment| moment.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()).unwrap_or_default(),
        );
        for notice in frame.notices {
            let _ = writeln!(text, "<p class=\"notice\">{}</p>", escape(notice));
        }
        let _ = writeln!(text, "<h1>{title}</h1>");
        self.parts.iter().for_each(|part| add(&mut text, part, Some(frame.links)));
        let _ = write!(text, "</main>\n<script>{LIVE_SCRIPT}</script>\n</body>\n</html>\n");
        text
    }
}

/// Returns the query for the tree of an object; `None` if its source is not shown.
pub(super) fn tree_query(link: &HtmlLink, targets: LinkTargets<'_>) -> Option<String> {
    let position = match &link.source {
        Some(source) => Some(targets.sources.iter().position(|known| known == source)?),
        None => targets.own,
    };
    let position = position.map(|position| position.to_string());
    let object = &link.object;
    let kind = object.full_kind();
    let fields = [
        ("source", position.as_deref()),
        ("kind", Some(kind.as_str())),
        ("namespace", object.namespace.as_deref()),
        ("name", Some(object.name.as_str())),
    ];
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let encoded = fields.map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC)));
    Some(encoded.collect::<Vec<_>>().join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::html::{HtmlCell, HtmlPagePart, HtmlTable, TextTone, TreeNodeRole};
    use ucp_core::model::object::ObjectName;

    const HOSTILE: &str = "</title><script>alert(1)</script><img src=x onerror=alert(2)>\" onmouseover='x' &amp;";

    fn object(name: &str) -> ObjectName {
        ObjectName {
            api_version: "s3.aws.upbound.io/v1".to_owned(),
            kind: "Bucket".to_owned(),
            namespace: Some(name.to_owned()),
            name: name.to_owned(),
        }
    }

    fn origin(context: &str) -> Arc<Origin> {
        Arc::new(Origin::Cluster { context: context.to_owned(), server: String::new() })
    }

    fn rendered(page: &HtmlPage, sources: &[Arc<Origin>]) -> String {
        let notices = [HOSTILE.to_owned()];
        page.render_live(&LiveFrame {
            views: &[("status", "Status")],
            current: "status",
            scope: HOSTILE,
            links: LinkTargets { sources, own: None },
            revision: FeedRevision::default(),
            moment: None,
            notices: &notices,
            mode: LiveMode::Following,
        })
    }

    #[test]
    fn text_from_outside_is_escaped_in_text_and_queries() {
        let mut page = HtmlPage::new(HOSTILE);
        let named = object(HOSTILE);
        let cell = HtmlCell::objects(TextTone::Strong, None, [(HOSTILE.to_owned(), &named)]);
        page.parts.push(HtmlPagePart::Table(HtmlTable::new(["Name"], [vec![cell.clone()]])));
        let node = |body| HtmlPagePart::Node {
            role: TreeNodeRole::Other,
            id: HOSTILE.to_owned(),
            head: vec![cell.clone()],
            body,
        };
        page.parts.push(node(vec![node(Vec::new())]));
        let text = rendered(&page, &[]);
        assert_eq!(text.matches("<script").count(), 1, "only the page's own");
        let document = &text[..text.find("<script").unwrap()];
        assert!(
            !document.contains("<img") && !document.contains("' onmouseover") && !document.contains("\" onmouseover")
        );
        let links: Vec<&str> =
            document.split("<a href=\"").skip(2).map(|rest| &rest[..rest.find('"').unwrap()]).collect();
        assert_eq!(links.len(), 3);
        let is_query = |link: &&str| {
            link.starts_with("tree?kind=bucket%2Es3%2Eaws%2Eupbound%2Eio&amp;namespace=%3C%2Ftitle%3E")
                && link.chars().all(|letter| letter.is_ascii_alphanumeric() || "?=&%;".contains(letter))
        };
        assert!(links.iter().all(is_query), "{links:?}");
    }

    #[test]
    fn links_name_their_source_and_files_have_none() {
        let (one, other) = (origin("one"), origin("other"));
        let named = object("a");
        let mut page = HtmlPage::new("x");
        for source in [&one, &other] {
            let cells =
                HtmlCell::objects(TextTone::Plain, Some(source), [("b".to_owned(), &named), ("c".to_owned(), &named)]);
            page.parts.push(HtmlPagePart::Table(HtmlTable::new(["Name"], [vec![cells]])));
        }
        let text = rendered(&page, &[Arc::clone(&one), Arc::clone(&other)]);
        for part in [">b</a>, <a href=\"tree?source=0&amp;kind", "tree?source=1&amp;kind"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let alone = rendered(&page, &[one]);
        assert!(!alone.contains("source=1") && alone.contains(">b, c</td>"), "a source that is not shown has no links");
        let file = page.render();
        assert!(!file.contains("<a ") && file.contains(">b, c</td>"));
    }
}
