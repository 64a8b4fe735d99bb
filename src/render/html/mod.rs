//! `-o html`: a self-contained file for tickets, or for pages published by CI. It loads no external resources; its
//! Content-Security-Policy only allows its own style and script. External data is escaped as text.
//!
//! `ui --web` shows the same documents in a frame, with links to trees.

mod live;
mod timeline;

use std::fmt::Write as _;
use std::sync::Arc;

use crate::report::sources::Sourced;
use crate::web::hash_source;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::Origin;
use ucp_core::model::text::plain;
use ucp_core::model::verdict::Verdict;

use live::tree_query;
pub use live::{LIVE_SCRIPT, LIVE_STYLE, LinkTargets, LiveFrame, LiveMode};
pub(in crate::render) use timeline::{HtmlTimeline, TimelineEntry};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A page: a title, and parts.
#[derive(Debug, Clone, Default)]
pub struct HtmlPage {
    title: String,
    pub(in crate::render) parts: Vec<HtmlPagePart>,
}

/// A part of a page.
#[derive(Debug, Clone)]
pub(in crate::render) enum HtmlPagePart {
    /// A heading.
    Heading(String),
    /// A line of text.
    Line(TextTone, String),
    /// A table with sorting by column, and search.
    Table(HtmlTable),
    /// A line that expands.
    Fold { head: Vec<HtmlCell>, is_open: bool, body: Vec<HtmlPagePart> },
    /// A node of a tree, which expands to the nodes below it.
    Node { role: TreeNodeRole, id: String, head: Vec<HtmlCell>, body: Vec<HtmlPagePart> },
    /// A unified diff, or preformatted text.
    Code(String),
    /// A timeline with lanes, which can be searched and filtered by lane.
    Timeline(HtmlTimeline),
}

/// The role of a node in its tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::render) enum TreeNodeRole {
    /// The requested node.
    Root,
    /// Another node.
    Other,
    /// A node that is shown elsewhere.
    Again,
}

/// A table with sorting and search.
#[derive(Debug, Clone)]
pub(in crate::render) struct HtmlTable {
    pub(in crate::render) columns: Vec<String>,
    pub(in crate::render) rows: Vec<Vec<HtmlCell>>,
}

/// A text with its tone.
#[derive(Debug, Clone)]
pub(in crate::render) struct HtmlCell {
    text: String,
    tone: TextTone,
    /// The sort key, if it differs from the text.
    order: Option<String>,
    /// The objects that the text names, which a live page links to. Their texts joined by commas are the text.
    links: Vec<HtmlLink>,
}

/// An object that a text names.
#[derive(Debug, Clone)]
pub(in crate::render) struct HtmlLink {
    text: String,
    /// The source of the object, if there are several.
    source: Option<Arc<Origin>>,
    object: ObjectName,
}

/// The tone of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::render) enum TextTone {
    Plain,
    Strong,
    Faint,
    Good,
    Warning,
    Bad,
}

impl TextTone {
    const fn class(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Strong => "strong",
            Self::Faint => "faint",
            Self::Good => "good",
            Self::Warning => "warning",
            Self::Bad => "bad",
        }
    }
}

impl From<Verdict> for TextTone {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Failed | Verdict::NeedsHuman => Self::Bad,
            Verdict::Drifted | Verdict::Stuck | Verdict::Unknown => Self::Warning,
            Verdict::Progressing => Self::Plain,
            Verdict::Paused => Self::Faint,
            Verdict::Ok => Self::Good,
        }
    }
}

impl HtmlCell {
    pub(in crate::render) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), tone: TextTone::Plain, order: None, links: Vec::new() }
    }

    /// Creates a cell with names of objects, each with its text.
    pub(in crate::render) fn objects<'object>(
        tone: TextTone,
        source: Option<&Arc<Origin>>,
        objects: impl IntoIterator<Item = (String, &'object ObjectName)>,
    ) -> Self {
        let link = |(text, object): (String, &ObjectName)| HtmlLink {
            text,
            source: source.map(Arc::clone),
            object: object.clone(),
        };
        let links: Vec<HtmlLink> = objects.into_iter().map(link).collect();
        let text = links.iter().map(|link| link.text.as_str()).collect::<Vec<_>>().join(", ");
        Self { links, ..Self::toned(tone, text) }
    }

    pub(in crate::render) fn toned(tone: TextTone, text: impl Into<String>) -> Self {
        Self { tone, ..Self::new(text) }
    }

    /// Creates a cell for a verdict, sorted by severity.
    pub(in crate::render) fn verdict(verdict: Verdict) -> Self {
        let place = Verdict::ALL.iter().position(|known| *known == verdict).unwrap_or_default();
        Self { order: Some(place.to_string()), ..Self::toned(verdict.into(), verdict.as_str()) }
    }

    /// Creates a cell for an age, sorted by its start time.
    pub(in crate::render) fn age(text: impl Into<String>, since: Option<jiff::Timestamp>) -> Self {
        Self { order: since.map(|since| since.as_second().to_string()), ..Self::new(text) }
    }
}

impl HtmlTable {
    pub(in crate::render) fn new(
        columns: impl IntoIterator<Item = &'static str>,
        rows: impl IntoIterator<Item = Vec<HtmlCell>>,
    ) -> Self {
        Self { columns: columns.into_iter().map(str::to_owned).collect(), rows: rows.into_iter().collect() }
    }
}

impl HtmlPage {
    pub(in crate::render) fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), parts: Vec::new() }
    }

    pub(in crate::render) fn line(&mut self, tone: TextTone, text: impl Into<String>) {
        self.parts.push(HtmlPagePart::Line(tone, text.into()));
    }

    pub(in crate::render) fn heading(&mut self, text: &str) {
        self.parts.push(HtmlPagePart::Heading(text.to_owned()));
    }

    /// Adds a list of unreadable data at the end.
    pub(in crate::render) fn unreadable(&mut self, lines: &[String]) {
        if !lines.is_empty() {
            self.heading("Could not be read (unknown)");
            lines.iter().for_each(|line| self.line(TextTone::Warning, line));
        }
    }

    /// Creates a page with a reason instead of a document.
    pub fn failure(title: impl Into<String>, reason: &str) -> Self {
        let mut page = Self::new(title);
        reason.lines().for_each(|line| page.line(TextTone::Bad, line));
        page
    }

    /// Renders the HTML file.
    pub(super) fn render(&self) -> String {
        let mut text = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; \
             script-src {}; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
             <title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{}</h1>\n",
            hash_source(STYLE),
            hash_source(SCRIPT),
            escape(&self.title),
            escape(&self.title),
        );
        self.parts.iter().for_each(|part| add(&mut text, part, None));
        let _ = write!(text, "<script>{SCRIPT}</script>\n</body>\n</html>\n");
        text
    }
}

/// The targets of links on a live page; `None` for a file, which has no links.
type PageLinks<'a> = Option<LinkTargets<'a>>;

fn add(text: &mut String, part: &HtmlPagePart, links: PageLinks<'_>) {
    let _ = match part {
        HtmlPagePart::Heading(heading) => writeln!(text, "<h2>{}</h2>", escape(heading)),
        HtmlPagePart::Line(tone, line) => writeln!(text, "<p{}>{}</p>", class(*tone), escape(line)),
        HtmlPagePart::Code(code) => {
            text.push_str("<pre>");
            // The colors are terminal escape sequences.
            for line in anstream::adapter::strip_str(code).to_string().lines() {
                let tone = match line.as_bytes().first() {
                    Some(b'+') => TextTone::Good,
                    Some(b'-') => TextTone::Bad,
                    Some(b'@') => TextTone::Faint,
                    _ => TextTone::Plain,
                };
                let _ = writeln!(text, "<span{}>{}</span>", class(tone), escape(line));
            }
            writeln!(text, "</pre>")
        }
        HtmlPagePart::Timeline(timeline) => timeline.add(text),
        HtmlPagePart::Fold { head, is_open, body } => {
            let open = if *is_open { " open" } else { "" };
            add_fold(text, open, head, body, links)
        }
        HtmlPagePart::Node { role, id, head, body } => {
            let mut attributes = " open".to_owned();
            if links.is_some() {
                let role = match role {
                    TreeNodeRole::Root => "root",
                    TreeNodeRole::Other => "other",
                    TreeNodeRole::Again => "again",
                };
                let _ = write!(attributes, " data-node=\"{}\" data-role=\"{role}\"", escape(id));
            }
            add_fold(text, &attributes, head, body, links)
        }
        HtmlPagePart::Table(table) => {
            text.push_str("<div class=\"table\"><table>\n<thead><tr>");
            for column in &table.columns {
                let _ = write!(text, "<th scope=\"col\">{}</th>", escape(column));
            }
            text.push_str("</tr></thead>\n<tbody>\n");
            for row in &table.rows {
                text.push_str("<tr>");
                for (cell, column) in row.iter().zip(&table.columns) {
                    let order = cell.order.as_ref().map(|order| format!(" data-order=\"{}\"", escape(order)));
                    let _ = write!(
                        text,
                        "<td data-column=\"{}\"{}{}>{}</td>",
                        escape(column),
                        class(cell.tone),
                        order.unwrap_or_default(),
                        content(cell, links)
                    );
                }
                text.push_str("</tr>\n");
            }
            writeln!(text, "</tbody></table></div>")
        }
    };
}

fn add_fold(
    text: &mut String,
    attributes: &str,
    head: &[HtmlCell],
    body: &[HtmlPagePart],
    links: PageLinks<'_>,
) -> std::fmt::Result {
    let _ = write!(text, "<details{attributes}><summary>");
    for cell in head {
        let _ = write!(text, "<span{}>{}</span> ", class(cell.tone), content(cell, links));
    }
    text.push_str("</summary>\n");
    body.iter().for_each(|part| add(text, part, links));
    writeln!(text, "</details>")
}

/// Returns the escaped text of a cell, with links on a live page.
fn content(cell: &HtmlCell, links: PageLinks<'_>) -> String {
    let Some(targets) = links.filter(|_| !cell.links.is_empty()) else { return escape(&cell.text) };
    let link = |link: &HtmlLink| match tree_query(link, targets) {
        Some(query) => format!("<a href=\"tree?{}\">{}</a>", escape(&query), escape(&link.text)),
        None => escape(&link.text),
    };
    cell.links.iter().map(link).collect::<Vec<_>>().join(", ")
}

fn class(tone: TextTone) -> String {
    match tone.class() {
        "" => String::new(),
        class => format!(" class=\"{class}\""),
    }
}

/// Escapes text for elements and quoted attributes. Invisible characters become visible.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in plain(&anstream::adapter::strip_str(text).to_string()).chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            character => safe.push(character),
        }
    }
    safe
}

/// Returns the column for sources if there are several.
pub(in crate::render) fn source_column(is_of_several: bool) -> impl Iterator<Item = &'static str> {
    is_of_several.then_some("Context").into_iter()
}

/// Returns the cell of the source column.
pub(in crate::render) fn source_cell<T>(item: &Sourced<T>) -> impl Iterator<Item = HtmlCell> + use<T> {
    origin_cell(item.source.as_deref())
}

/// Returns the cell of the source column for a field that is not called `source`.
pub(in crate::render) fn origin_cell(source: Option<&Origin>) -> impl Iterator<Item = HtmlCell> + use<> {
    source.map(|source| HtmlCell::new(source.label())).into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD as BASE64;

    const HOSTILE: &str =
        "</title><script>alert(1)</script><img src=x onerror=alert(2)>\" onmouseover='x' \u{202e}&amp;";

    #[test]
    fn text_from_outside_is_escaped() {
        let mut page = HtmlPage::new(HOSTILE);
        page.heading(HOSTILE);
        page.line(TextTone::Bad, HOSTILE);
        page.parts.push(HtmlPagePart::Code(format!("+{HOSTILE}\n")));
        page.parts.push(HtmlPagePart::Fold { head: vec![HtmlCell::new(HOSTILE)], is_open: true, body: Vec::new() });
        let cell = HtmlCell { order: Some(HOSTILE.to_owned()), ..HtmlCell::new(HOSTILE) };
        page.parts.push(HtmlPagePart::Table(HtmlTable { columns: vec![HOSTILE.to_owned()], rows: vec![vec![cell]] }));
        let text = page.render();
        assert_eq!(text.matches("<script").count(), 1, "only the page's own");
        assert!(!text.contains("<img") && !text.contains('\u{202e}'));
        let quoted = text.matches("&quot; onmouseover=&#39;x&#39;").count();
        assert_eq!(quoted, 10, "each place, and none of them outside of quotes");
    }

    #[test]
    fn the_policy_only_allows_the_style_and_the_script_of_the_page() {
        let text = HtmlPage::new("x").render();
        let between = |begin: &str, end: &str| {
            let at = text.find(begin).unwrap() + begin.len();
            text[at..at + text[at..].find(end).unwrap()].to_owned()
        };
        let hash = |text: &str| BASE64.encode(ring::digest::digest(&ring::digest::SHA256, text.as_bytes()));
        let policy = between("Content-Security-Policy\" content=\"", "\"");
        assert!(policy.starts_with("default-src 'none'; "));
        assert!(policy.contains(&format!("style-src 'sha256-{}'", hash(&between("<style>", "</style>")))));
        assert!(policy.contains(&format!("script-src 'sha256-{}'", hash(&between("<script>", "</script>")))));
        for asked in ["http:", "https:", "src=", "href=", "@import", "url("] {
            assert!(!text.contains(asked), "{asked}");
        }
    }
}
