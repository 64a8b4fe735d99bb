//! Renders a `Tree`: causes first, then one verdict per line, from Git down to external resources.

mod diagram;
mod layout;
mod list;
mod svg;
mod titles;

use std::fmt::Write as _;

use crate::render::html::{HtmlCell, HtmlPage, HtmlPagePart, TextTone, TreeNodeRole};
use crate::render::table::{TableColumn, table};
use crate::render::{DetailLevel, DiagramFormat, Report, TableStyle, findings, words};
use crate::report::tree::{Tree, TreeNode, TreeNodeIdentity};
use crate::ui::{style as look, styled};
use ucp_core::error::Result;
use ucp_core::model::object::ObjectName;
use ucp_core::model::text::one_line;
use ucp_core::model::verdict::Verdict;

use layout::{FoldMode, TreeLine, TreeLineContent, lines};
use titles::node_title;
pub use titles::shorten_revision;

/// The maximum number of findings that are shown above the tree; `status` shows all.
const TOLD: usize = 5;

impl Report for Tree {
    fn state_moment(&self) -> Option<jiff::Timestamp> {
        Some(self.moment)
    }

    fn html(&self) -> Result<HtmlPage> {
        let mut page = HtmlPage::new(format!("Tree of {}", self.root));
        add_parts(&mut page, self);
        page.unreadable(&words::unreadable(&self.unreadable));
        Ok(page)
    }

    fn table(&self, style: &TableStyle) -> String {
        let mut text = String::new();
        // Hints to the tree command are omitted, since the output is already a tree.
        findings::add(&mut text, &self.findings, TOLD, style, |hint| !hint.starts_with("kubectl ucp tree "));
        if !text.is_empty() {
            text.push('\n');
        }
        let fold = if style.detail == DetailLevel::Wide { FoldMode::Nothing } else { FoldMode::Alike };
        let columns = [TableColumn::Fixed("VERDICT"), TableColumn::Fixed("TREE"), TableColumn::Words("WHY")];
        text.push_str(&table(&columns, lines(self, fold).iter().map(|line| row(self, line)), style));
        text
    }

    fn names(&self) -> Vec<String> {
        let objects = self.nodes.iter().filter_map(|node| match &node.thing {
            TreeNodeIdentity::Object(name) => Some(one_line(&name.kind_and_name())),
            _ => None,
        });
        objects.collect()
    }

    fn markdown(&self) -> String {
        let mut text = format!("```mermaid\n{}```\n", diagram::mermaid(&[(None, self)]));
        add_markdown_findings(&mut text, self);
        text.push_str(&words::markdown_unreadable(&words::unreadable(&self.unreadable)));
        text
    }

    fn drawing(&self, drawing: DiagramFormat) -> Result<String> {
        Ok(match drawing {
            DiagramFormat::Dot => diagram::dot(&[(None, self)]),
            DiagramFormat::Mermaid => diagram::mermaid(&[(None, self)]),
            DiagramFormat::Svg => svg::svg(&[(None, self)]),
        })
    }
}

fn add_markdown_findings(text: &mut String, tree: &Tree) {
    for finding in tree.findings.iter().take(TOLD) {
        let cause = words::markdown_cell(&finding.message);
        let object = words::markdown_cell(&finding.object.to_string());
        let _ = writeln!(text, "\n{} {} {object}: {cause}", finding.verdict, finding.code);
    }
}

fn row(tree: &Tree, line: &TreeLine<'_>) -> Vec<String> {
    let branch = styled(look::FAINT, &line.branch);
    match &line.said {
        TreeLineContent::Node(node) => {
            let is_root = node.id == tree.root;
            let name = node_title(node, line.outside);
            let name = if is_root { styled(look::STRONG, &name) } else { name };
            let why = [node.message.as_deref().map(one_line), last_change(node)];
            let why = why.into_iter().flatten().collect::<Vec<_>>().join("; ");
            vec![words::verdict(node.verdict), format!("{branch}{name}"), why]
        }
        TreeLineContent::Again(node) => {
            let again = styled(look::FAINT, &format!("{}, shown above", node_title(node, None)));
            vec![String::new(), format!("{branch}{again}"), String::new()]
        }
        TreeLineContent::More { number, verdict } => {
            let more = styled(look::FAINT, &format!("and {number} more, all {verdict}"));
            vec![words::verdict(*verdict), format!("{branch}{more}"), String::new()]
        }
    }
}

/// Returns the mark of the last change.
fn last_change(node: &TreeNode) -> Option<String> {
    let change = node.last_change.as_ref()?;
    let by = change.by.as_ref().map(|by| format!(", by {}", by.name)).unwrap_or_default();
    let time = change.time.strftime("%a %d %b %H:%M UTC");
    Some(one_line(&format!("last change of the tree, {time}: {}{by}", change.what)))
}

/// One line of a tree as safe text without styles, for a screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeRow {
    /// The verdict; `None` if the node was shown above.
    pub verdict: Option<Verdict>,
    /// The branch characters before the title.
    pub branch: String,
    /// The node, without its verdict.
    pub title: String,
    /// The reason for the verdict.
    pub why: String,
    /// The object, if the node is an object of the core cluster.
    pub object: Option<ObjectName>,
    /// The nesting depth.
    pub depth: usize,
    /// True for the requested node.
    pub is_root: bool,
}

/// Returns the lines of a tree, with nothing folded.
pub fn tree_rows(tree: &Tree) -> Vec<TreeRow> {
    let row = |line: TreeLine<'_>| {
        let (node, verdict, title) = match line.said {
            TreeLineContent::Node(node) => (Some(node), Some(node.verdict), node_title(node, line.outside)),
            TreeLineContent::Again(node) => (Some(node), None, format!("{}, shown above", node_title(node, None))),
            TreeLineContent::More { number, verdict } => (None, Some(verdict), format!("and {number} more")),
        };
        let object = node.and_then(|node| match &node.thing {
            TreeNodeIdentity::Object(name) => Some(name.clone()),
            _ => None,
        });
        let why = node.filter(|_| verdict.is_some()).and_then(|node| node.message.as_deref());
        TreeRow {
            verdict,
            branch: line.branch,
            title,
            why: why.map(one_line).unwrap_or_default(),
            object,
            depth: line.depth,
            is_root: verdict.is_some() && node.is_some_and(|node| node.id == tree.root),
        }
    };
    lines(tree, FoldMode::Nothing).into_iter().map(row).collect()
}

/// Adds the tree as expandable parts; healthy parts are collapsed.
fn add_parts(page: &mut HtmlPage, tree: &Tree) {
    for finding in &tree.findings {
        page.line(
            finding.verdict.into(),
            format!("{} {} {}", finding.verdict, finding.code, words::object(&finding.object)),
        );
        page.line(TextTone::Plain, &finding.message);
    }
    // Open lines from the top to the direct parent; each contains the deeper lines that follow it.
    let mut open: Vec<(usize, HtmlPagePart)> = Vec::new();
    let close = |open: &mut Vec<(usize, HtmlPagePart)>, page: &mut HtmlPage, depth: usize| {
        while open.last().is_some_and(|(known, _)| *known >= depth) {
            let Some((_, part)) = open.pop() else { return };
            match open.last_mut() {
                Some((_, HtmlPagePart::Node { body, .. })) => body.push(part),
                _ => page.parts.push(part),
            }
        }
    };
    for line in lines(tree, FoldMode::Nothing) {
        close(&mut open, page, line.depth);
        let (node, verdict, name, why) = match &line.said {
            TreeLineContent::Node(node) => {
                (Some(*node), node.verdict, node_title(node, line.outside), node.message.clone())
            }
            TreeLineContent::Again(node) => {
                (Some(*node), node.verdict, format!("{}, shown above", node_title(node, None)), None)
            }
            TreeLineContent::More { number, verdict } => (None, *verdict, format!("and {number} more"), None),
        };
        let role = match &line.said {
            TreeLineContent::Again(_) => TreeNodeRole::Again,
            _ if node.is_some_and(|node| node.id == tree.root) => TreeNodeRole::Root,
            _ => TreeNodeRole::Other,
        };
        let name = match node.map(|node| &node.thing) {
            Some(TreeNodeIdentity::Object(object)) => HtmlCell::objects(TextTone::Strong, None, [(name, object)]),
            _ => HtmlCell::toned(TextTone::Strong, name),
        };
        let mut head = vec![HtmlCell::verdict(verdict), name];
        head.extend(why.map(HtmlCell::new));
        let id = node.map(|node| node.id.clone()).unwrap_or_default();
        open.push((line.depth, HtmlPagePart::Node { role, id, head, body: Vec::new() }));
    }
    close(&mut open, page, 0);
}
