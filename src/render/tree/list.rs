//! Renders a `TreeList`: a tree for each core cluster, under its name.

use super::titles::CaptionedTree;
use super::{add_markdown_findings, add_parts, diagram, svg};
use crate::render::html::{HtmlPage, TextTone};
use crate::render::{DiagramFormat, Report, TableStyle, words};
use crate::report::document_list::ListableDocument as _;
use crate::report::tree::{Tree, TreeList};
use crate::ui::{style as look, styled};
use ucp_core::error::Result;
use ucp_core::model::text::one_line;

impl Report for TreeList {
    fn html(&self) -> Result<HtmlPage> {
        let root = self.items.first().map(|tree| tree.root.as_str()).unwrap_or_default();
        let mut page = HtmlPage::new(format!("Trees of {root}"));
        for tree in &self.items {
            page.heading(tree.place());
            add_parts(&mut page, tree);
        }
        self.absences().for_each(|line| page.line(TextTone::Faint, line));
        page.unreadable(&words::unreadable(&self.unreadable));
        Ok(page)
    }

    fn table(&self, style: &TableStyle) -> String {
        let tree =
            |tree: &Tree| format!("{}\n{}", styled(look::STRONG, &one_line(tree.place())), Report::table(tree, style));
        let mut text = self.items.iter().map(tree).collect::<Vec<_>>().join("\n");
        let absences: String = self.absences().map(|line| one_line(&line) + "\n").collect();
        if !absences.is_empty() {
            text.push('\n');
            text.push_str(&absences);
        }
        text
    }

    fn names(&self) -> Vec<String> {
        self.items.iter().flat_map(Report::names).collect()
    }

    fn markdown(&self) -> String {
        let mut text = String::new();
        for tree in &self.items {
            let diagram = diagram::mermaid(&[(None, tree)]);
            text.push_str(&format!("### {}\n\n```mermaid\n{diagram}```\n", words::markdown_cell(tree.place())));
            add_markdown_findings(&mut text, tree);
            text.push('\n');
        }
        self.absences().for_each(|line| text.push_str(&format!("{}\n", words::markdown_cell(&line))));
        text.push_str(&words::markdown_unreadable(&words::unreadable(&self.unreadable)));
        text
    }

    fn drawing(&self, drawing: DiagramFormat) -> Result<String> {
        let trees: Vec<CaptionedTree<'_>> = self.items.iter().map(|tree| (Some(tree.place()), tree)).collect();
        Ok(match drawing {
            DiagramFormat::Dot => diagram::dot(&trees),
            DiagramFormat::Mermaid => diagram::mermaid(&trees),
            DiagramFormat::Svg => svg::svg(&trees),
        })
    }
}
